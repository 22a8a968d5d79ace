package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/report"
)

const step = 10 * time.Second

var midnight = time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)

// script gives a tracker windows in words and says what it tells. Each word is a window:
// "-" without findings, "?" one that could not be judged, else findings, comma-separated:
// RULE@SUBJECT, "!" before a certain and costly one, "<" before what it explains. RULE? says
// that the rule is not judged.
func script(t *Tracker, words string) []string {
	told := []string{}
	for i, word := range strings.Fields(words) {
		end := midnight.Add(time.Duration(i+1) * step)
		w := Window{From: end.Add(-step), To: end, Unjudged: map[string]bool{}}
		for _, text := range strings.Split(word, ",") {
			switch {
			case text == "-":
			case text == "?":
				w.Blind = true
			case strings.HasSuffix(text, "?"):
				w.Unjudged["x/"+strings.TrimSuffix(text, "?")] = true
			default:
				w.Seen = append(w.Seen, seenOf(text))
			}
		}
		for _, n := range t.Judge(w) {
			line := fmt.Sprintf("%d %s %s", i+1, n.what(), n.Rule[2:]+"@"+n.Subject)
			if n.Was != nil {
				line += " was " + n.Was.Rule[2:] + "@" + n.Was.Subject
			}
			if n.Within != nil {
				line += " within " + n.Within.Rule[2:]
			}
			if n.Alike > 0 {
				line += fmt.Sprintf(" alike %d", n.Alike)
			}
			told = append(told, line)
		}
	}
	return told
}

func seenOf(text string) Seen {
	text, sure := strings.CutPrefix(text, "!")
	names := strings.Split(text, "<")
	s := Seen{Key: parseKey(names[0]), Certain: sure, Weight: 0.1, About: report.Brief{Confidence: "likely", Headline: "slow because of " + names[0]}}
	if sure {
		s.Weight, s.About.Confidence = 0.5, "certain"
	}
	for _, name := range names[1:] {
		s.Explains = append(s.Explains, parseKey(name))
	}
	return s
}

func parseKey(name string) Key {
	rule, subject, _ := strings.Cut(name, "@")
	return Key{"x/" + rule, subject}
}

func TestTracker(t *testing.T) {
	for _, c := range []struct {
		name, windows string
		want          []string
	}{
		{"nothing", "- - ? -", nil},
		{"certain and costly at once", "- !a@1 !a@1 - - -", []string{"2 began a@1", "5 ended a@1"}},
		{"others in the second window", "a@1 a@1 a@1 - - -", []string{"2 began a@1", "5 ended a@1"}},
		{"a single window is none", "- a@1 - a@1 - a@1", nil},
		{"one window without it does not end it", "!a@1 - !a@1 - a@1 -", []string{"1 began a@1"}},
		{"blind windows end nothing", "!a@1 ? ? ? ? - ? -", []string{"1 began a@1", "8 ended a@1"}},
		{"nor those in which its rule is not judged", "!a@1 a? a? a? - -", []string{"1 began a@1", "6 ended a@1"}},
		{"between windows that could not be judged it is confirmed", "a@1 ? a@1", []string{"3 began a@1"}},
		{"flapping takes longer and longer to end", "!a@1 - - !a@1 - - - - !a@1 - - - - - - - -", []string{"1 began a@1", "3 ended a@1", "4 came back a@1", "8 ended a@1", "9 came back a@1", "17 ended a@1"}},
		{"two faults are two", "!a@1,!b@2 !a@1,!b@2 !a@1 !a@1 - -", []string{"1 began a@1", "1 began b@2", "4 ended b@2", "6 ended a@1"}},
		{"the first window has only a symptom", "s@1 !c@1<s@1 !c@1<s@1 - -", []string{"2 began c@1", "5 ended c@1"}},
		{"it gets a cause, in two windows", "!s@1 !c@2<s@1 !c@2<s@1 !c@2<s@1 - -", []string{"1 began s@1", "3 changed c@2 was s@1", "6 ended c@2"}},
		{"a cause for one window is none", "!s@1 !c@2<s@1 !s@1 !c@2<s@1 !s@1", []string{"1 began s@1"}},
		{"a symptom lags", "!c@2<s@1 !c@2<s@1 !s@1 - - -", []string{"1 began c@2", "5 ended c@2"}},
		{"a symptom stays", "!c@2<s@1 !s@1 !s@1 - -", []string{"1 began c@2", "3 changed s@1 was c@2", "5 ended s@1"}},
		{"it moves on", "!a@1 !a@2 !a@2 - -", []string{"1 began a@1", "3 changed a@2 was a@1", "5 ended a@2"}},
		{"another rule tells of its subject", "!a@1 !b@1 !b@1 - -", []string{"1 began a@1", "3 changed b@1 was a@1", "5 ended b@1"}},
		{"both rules tell of it", "!a@1,!b@1 !a@1,!b@1 !b@1 !b@1 - -", []string{"1 began a@1", "1 began b@1", "4 ended a@1", "6 ended b@1"}},
		{"subjects that change all the time are one fault", "!a@1 !a@2 !a@3 !a@4 !a@5 - -", []string{"1 began a@1", "7 ended a@1"}},
		{"causes that take turns are told less and less", "!a@1 !a@2 !a@2 !a@1 !a@1 !a@1 !a@2 !a@2 !a@1 !a@1 !a@1 !a@1 !a@2 !a@2", []string{"1 began a@1", "3 changed a@2 was a@1", "12 changed a@1 was a@2"}},
		{"two become one", "!a@1,!b@2 !c@3<a@1<b@2 !c@3<a@1<b@2 !c@3<a@1<b@2 - -", []string{"1 began a@1", "1 began b@2", "3 changed c@3 was a@1", "3 ended b@2 within c", "6 ended c@3"}},
		{"many of a rule", "!a@1,!a@2,!a@3,!a@4,!a@5 !a@1,!a@2,!a@3,!a@4,!a@5 - - -",
			[]string{"1 began a@1 alike 4", "1 began a@2 alike 4", "1 began a@3 alike 4", "4 ended a@1 alike 2", "4 ended a@2 alike 1", "4 ended a@3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.want = []string{}
			}
			if diff := cmp.Diff(c.want, script(&Tracker{Host: "h", Step: step}, c.windows)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A fault whose rule cannot be judged any more ends after an hour.
func TestUnjudged(t *testing.T) {
	got := script(&Tracker{Host: "h", Step: step}, "!a@1"+strings.Repeat(" a?", 400))
	if diff := cmp.Diff([]string{"1 began a@1", "361 ended a@1"}, got); diff != "" {
		t.Error(diff)
	}
}

// A fault that comes and goes for an hour gives few notices, and ends in the end.
func TestFlapping(t *testing.T) {
	got := script(&Tracker{Host: "h", Step: step}, strings.Repeat("!a@1 - - ", 120)+strings.Repeat("- ", 40))
	want := []string{"1 began a@1", "3 ended a@1", "4 came back a@1"}
	if len(got) != len(want)+1 || cmp.Diff(want, got[:3]) != "" || !strings.HasSuffix(got[3], "ended a@1") {
		t.Errorf("%q", got)
	}
}

// What nobody knows of is forgotten, whatever windows hold.
func TestTrackerIsBounded(t *testing.T) {
	tr := &Tracker{Host: "h", Step: step}
	for i := range 100 {
		w := Window{From: midnight.Add(time.Duration(i) * step), To: midnight.Add(time.Duration(i+1) * step)}
		for j := range 500 {
			w.Seen = append(w.Seen, seenOf(fmt.Sprintf("!r%d@%d", j, i)))
		}
		tr.Judge(w)
		if len(tr.faults) > maxFaults {
			t.Fatalf("%d faults after window %d", len(tr.faults), i)
		}
	}
}

// A flood of one kind neither ends nor hides other faults.
func TestFlood(t *testing.T) {
	var flood []string
	for i := range 200 {
		flood = append(flood, fmt.Sprintf("!f@%d", i))
	}
	all := strings.Join(flood, ",")
	got := script(&Tracker{Host: "h", Step: step}, "!a@1 "+strings.Repeat(all+",!a@1 ", 3)+all+",!b@2,!a@1 "+all+",!b@2,!a@1 !a@1 !a@1 - -")
	var others []string
	for _, line := range got {
		if !strings.Contains(line, " f@") {
			others = append(others, line)
		}
	}
	if diff := cmp.Diff([]string{"1 began a@1", "5 began b@2", "8 ended b@2", "10 ended a@1"}, others); diff != "" {
		t.Errorf("%s\n%q", diff, got)
	}
}

// After a restart what was told is not told again, and what ended meanwhile ends.
func TestRestart(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                []string
	}{
		{"still there", "!a@1", "!a@1 !a@1", []string{}},
		{"over", "!a@1", "- - -", []string{"2 ended a@1"}},
		{"blind at first", "!a@1", "? ? ? - -", []string{"5 ended a@1"}},
		{"ended before, and comes back", "!a@1 - -", "!a@1", []string{"1 came back a@1"}},
		{"not told before", "a@1", "a@1 a@1", []string{"2 began a@1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := &Tracker{Host: "h", Step: step}
			script(first, c.before)
			b, err := first.State(midnight.Add(time.Minute)).Encode()
			if err != nil {
				t.Fatal(err)
			}
			s, err := DecodeState(b, "h", midnight.Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			second := &Tracker{Host: "h", Step: step}
			second.Resume(s, midnight)
			if diff := cmp.Diff(c.want, script(second, c.after)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
