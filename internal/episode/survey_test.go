package episode

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/timeline"
	"rtrail/internal/view"
)

// minutes is a recording of so many minutes, with a line each.
func minutes(n int) (Open, []timeline.Line) {
	rec := recording.New(recording.Manifest{})
	var lines []timeline.Line
	for i := range n * 60 {
		at := noon.Add(time.Duration(i) * time.Second)
		w := recording.NewWriter(at)
		recording.Append(w, recording.SystemSample{At: at})
		if err := rec.Commit(w); err != nil {
			panic(err)
		}
		if i%10 == 0 {
			lines = append(lines, timeline.Line{At: at, Busy: 0.1, Stall: view.Unknown})
		}
	}
	return func(context.Context, time.Time, time.Time) (*recording.Recording, error) { return rec, nil }, lines
}

// between finds a fault in windows that reach into some minutes.
func between(from, to float64) Rules {
	at := func(m float64) time.Time { return noon.Add(time.Duration(m * float64(time.Minute))) }
	return func(recording.Manifest) []rule.Rule {
		return []rule.Rule{{ID: "test/fault", Title: "fault", Detect: func(v *view.View) ([]rule.Finding, error) {
			if !v.Start().Before(at(to)) || !v.End().After(at(from)) {
				return nil, nil
			}
			return []rule.Finding{{Subject: view.Entity{Kind: view.KindProcess, Name: "batch"}, Confidence: rule.Certain, Headline: rule.T("fault"), Impact: rule.Impact{Share: 0.5, Text: rule.T("half")}}}, nil
		}}}
	}
}

func TestSurvey(t *testing.T) {
	clock := func(at time.Time) string {
		if at.IsZero() {
			return "-"
		}
		return at.Format("04:05")
	}
	for _, c := range []struct {
		name     string
		from, to float64 // minutes in which the fault is there
		want     string  // after, first, last, before
	}{
		{"none", 70, 80, "[]"},
		{"beginning and end are searched for", 14.5, 33, "[13:55 14:22 32:40 33:07]"},
		{"in one window", 10, 10.5, "[09:32 10:00 10:10 10:37]"},
		{"from the beginning on", 0, 12, "[- 00:00 12:02 12:30]"},
		{"up to the end", 45, 60, "[44:32 45:00 50:10 -]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			open, lines := minutes(60)
			s := Survey{Windows: Windows{Every: 10 * time.Minute}, Part: 10 * time.Second}
			rules := between(c.from, c.to)
			if err := s.Judge(t.Context(), open, rules, noon, noon.Add(time.Hour), lines); err != nil {
				t.Fatal(err)
			}
			if err := s.Refine(t.Context(), open, rules, 30*time.Second); err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, e := range s.Episodes() {
				got = append(got, clock(e.After), clock(e.First), clock(e.Last), clock(e.Before))
				at := func(m float64) time.Time { return noon.Add(time.Duration(m * float64(time.Minute))) }
				if e.First.Add(s.Part).Before(at(c.from)) || e.Last.Add(-s.Part).After(at(c.to)) || e.After.After(at(c.from)) || !e.Before.IsZero() && e.Before.Before(at(c.to)) {
					t.Errorf("%v to %v lies outside of the fault", clock(e.First), clock(e.Last))
				}
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if s.Judged != 6 || s.Left != 0 || !s.Until.IsZero() {
				t.Errorf("%d windows judged, %d left, until %v", s.Judged, s.Left, s.Until)
			}
		})
	}
}

// Where work was refused in a window, that is judged, too, unless what is judged anyway lies there: no window
// counts twice.
func TestSurveyOfRefusals(t *testing.T) {
	at := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
	for _, c := range []struct {
		name     string
		refusals []Refusal
		parts    string // of the first two windows
		beside   int
	}{
		{"none", nil, "[0-10 600-610]", 0},
		{"behind the busiest part", []Refusal{{at(620), at(640), 1}, {at(640), at(700), 5}}, "[0-10 600-610 665-675]", 1},
		{"in it", []Refusal{{at(600), at(640), 3}, {at(640), at(700), 5}}, "[0-10 600-610]", 0},
		{"before the window", []Refusal{{at(500), at(600), 5}}, "[0-10 545-555 600-610]", 1},
		{"at its end", []Refusal{{at(595), at(615), 5}}, "[0-10 590-600 600-610]", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			open, lines := minutes(20)
			s := Survey{Windows: Windows{Every: 10 * time.Minute}, Part: 10 * time.Second, Refusals: c.refusals}
			got := []string{}
			for _, p := range s.parts(noon, noon.Add(20*time.Minute), lines) {
				got = append(got, fmt.Sprintf("%v-%v", p.begin.Sub(noon).Seconds(), p.end.Sub(noon).Seconds()))
			}
			if fmt.Sprint(got) != c.parts {
				t.Errorf("parts %v, want %s", got, c.parts)
			}
			if err := s.Judge(t.Context(), open, between(11, 11.5), noon, noon.Add(20*time.Minute), lines); err != nil {
				t.Fatal(err)
			}
			if s.Judged != 2 || s.Beside != c.beside {
				t.Errorf("%d windows judged, and %d parts beside", s.Judged, s.Beside)
			}
			if found := len(s.Episodes()); found != 0 && c.name != "behind the busiest part" || found != 1 && c.name == "behind the busiest part" {
				t.Errorf("%d faults", found)
			}
		})
	}
}

// Without time nothing is judged, and the answer can tell; windows that were left out do not
// part an episode.
func TestSurveyRunsOutOfTime(t *testing.T) {
	open, lines := minutes(60)
	s := Survey{Windows: Windows{Every: time.Minute}, Part: 10 * time.Second, Patience: time.Nanosecond, Spread: true}
	if err := s.Judge(t.Context(), open, between(0, 60), noon, noon.Add(time.Hour), lines); err != nil {
		t.Fatal(err)
	}
	if s.Judged != 0 || s.Left != 60 || !s.Until.Equal(noon) {
		t.Errorf("%d windows judged, %d left, until %v", s.Judged, s.Left, s.Until)
	}
	loads := []part{{load: .1}, {load: .1}, {load: .9}, {load: .1}, {load: .5}, {load: .1}}
	if got := fmt.Sprint(inOrder(loads, true), inOrder(loads, false)); got != "[2 0 4 1 3 5] [0 1 2 3 4 5]" {
		t.Errorf("windows are judged in the orders %s", got)
	}
	w := Windows{Every: time.Minute}
	for i, minute := range []int{0, 4, 8} { // three windows between two of them were left out
		p := part{from: noon.Add(time.Duration(minute) * time.Minute), skipped: 3 * i}
		p.to, p.begin, p.end = p.from.Add(time.Minute), p.from, p.from.Add(10*time.Second)
		f := finding("cpu/saturated", "java", rule.Certain, .2)
		p.findings = append(p.findings, f)
		w.take(p)
	}
	if n := len(w.Episodes()); n != 1 {
		t.Errorf("%d episodes, want one", n)
	}
}

// What is left at the end is judged with what is before it, where none may be shorter.
func TestPartsAreWhole(t *testing.T) {
	for _, c := range []struct {
		length, every time.Duration
		busy          time.Duration // when the CPUs were busy
		want          string
	}{
		{50 * time.Minute, 10 * time.Minute, -1, "[00:00-10:00 10:00-20:00 20:00-30:00 30:00-40:00 40:00-50:00]"},
		{54 * time.Minute, 10 * time.Minute, -1, "[00:00-10:00 10:00-20:00 20:00-30:00 30:00-40:00 40:00-54:00]"},
		{54 * time.Minute, 20 * time.Minute, 52 * time.Minute, "[00:00-10:00 20:00-30:00 44:00-54:00]"},
		{45 * time.Minute, 20 * time.Minute, 42 * time.Minute, "[00:00-10:00 35:00-45:00]"},
		{45 * time.Minute, 20 * time.Minute, 35 * time.Minute, "[00:00-10:00 30:00-40:00]"},
		{4 * time.Minute, 10 * time.Minute, -1, "[00:00-04:00]"},
		{14 * time.Minute, 20 * time.Minute, 12 * time.Minute, "[04:00-14:00]"},
	} {
		var lines []timeline.Line
		for at := time.Duration(0); at < c.length; at += 10 * time.Minute {
			l := timeline.Line{At: noon.Add(at), Busy: 0.1}
			if c.busy >= at && c.busy < at+10*time.Minute {
				l.Busy = 1
			}
			lines = append(lines, l)
		}
		s := Survey{Windows: Windows{Every: c.every}, Part: 10 * time.Minute, Fully: true}
		got := []string{}
		for _, p := range s.parts(noon, noon.Add(c.length), lines) {
			got = append(got, p.begin.Format("04:05")+"-"+p.end.Format("04:05"))
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v in windows of %v: %v, want %s", c.length, c.every, got, c.want)
		}
	}
}
