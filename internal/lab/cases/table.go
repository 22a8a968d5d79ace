package cases

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/lab/load"
	"rtrail/internal/unit"
)

// Line says a result in one line, for a terminal.
func (r Result) Line() string {
	switch {
	case r.Skipped:
		return line("skip", r.Case, "%s", r.Why)
	case r.Unjudged:
		return line("lost", r.Case, "not judged: the hypervisor took %s of the CPUs in a second; %s", unit.Share(r.Stolen), firstLine(r.Why))
	case r.Pass && !r.Injected.IsZero():
		return line("held", r.Case, "%.0f s", r.Seconds)
	case r.Pass && r.After == nil:
		return line("pass", r.Case, "silent; %s; %.0f s%s", r.Under, r.Seconds, r.retried())
	case r.Pass:
		return line("pass", r.Case, "%s -> %s -> %s; %.0f s%s", bare(r.Before), bare(r.Under), r.After, r.Seconds, r.retried())
	}
	return line("FAIL", r.Case, "%s; %.0f s%s%s", firstLine(r.Why), r.Seconds, r.theft(), r.retried())
}

// retried says in a line that there were tries before.
func (r Result) retried() string {
	switch {
	case len(r.Earlier) == 0:
		return ""
	case !r.Pass:
		return fmt.Sprintf("; %d tries", r.Tries)
	case r.failures() == 0:
		return "; " + atTry(1, r.Tries) + ", as the hypervisor disturbed"
	}
	return "; " + atTry(1, r.Tries)
}

// failures counts the tries before that failed of their own.
func (r Result) failures() (n int) {
	for i := range r.Earlier {
		if !r.Earlier[i].Unjudged {
			n++
		}
	}
	return n
}

// atTry says at which try some rounds passed.
func atTry(rounds, try int) string {
	its := "its"
	if rounds > 1 {
		its = "their"
	}
	if words := [...]string{2: "second", 3: "third", 4: "fourth", 5: "fifth"}; try < len(words) {
		return fmt.Sprintf("at %s %s try", its, words[try])
	}
	return fmt.Sprintf("at try %d", try)
}

var runLines = document.FixedLines([]document.Column{{Fixed: len("again")}, {Fixed: 32, Tight: true}, {Tight: true}}, 0)

// line is one of a run of labs, without its end.
func line(status, id, format string, args ...any) string {
	return strings.TrimSuffix(string(runLines.Append(nil, []string{status, id, fmt.Sprintf(format, args...)})), "\n")
}

// theft says in a failure's line what the hypervisor took, if it took anything.
func (r Result) theft() string {
	if r.Stolen < 0.01 {
		return ""
	}
	return fmt.Sprintf("; up to %s of the CPUs taken by the hypervisor", unit.Share(r.Stolen))
}

func bare(m *load.Measurement) string {
	if m == nil {
		return "-"
	}
	return load.FormatValue(m.Value)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Summary gathers the rounds of one case.
type Summary struct {
	Case   Case
	Rounds []Result
}

// Passed counts the rounds that passed and those that were not skipped.
func (s Summary) Passed() (passed, ran int) {
	for _, r := range s.Rounds {
		if !r.Skipped && !r.Unjudged {
			ran++
		}
		if r.Pass {
			passed++
		}
	}
	return passed, ran
}

// retried says how many rounds passed at which try after the first one: with tries that failed of
// their own, and where the hypervisor disturbed all before.
func (s Summary) retried() string {
	at, disturbed := map[int]int{}, 0
	for i := range s.Rounds {
		switch r := &s.Rounds[i]; {
		case !r.Pass || len(r.Earlier) == 0:
		case r.failures() == 0:
			disturbed++
		default:
			at[r.Tries]++
		}
	}
	words := ""
	for _, try := range slices.Sorted(maps.Keys(at)) {
		words += fmt.Sprintf(", %d %s", at[try], atTry(at[try], try))
	}
	if disturbed > 0 {
		words += fmt.Sprintf(", %d after tries that the hypervisor disturbed", disturbed)
	}
	return words
}

// slowestVerdict is the longest time from a window's end to its verdict.
func (s Summary) slowestVerdict() (d time.Duration) {
	for _, r := range s.Rounds {
		d = max(d, r.Verdict)
	}
	return d
}

// Table is how often each case passed, and the numbers of its last round: docs/labs.md
// holds its Markdown form. A narrow terminal shows how often each case passed.
func Table(all []Summary) document.Document {
	t := document.Table{Columns: []document.Column{{Name: "case"}, {Name: "fault", Drop: 9, Cut: true}, {Name: "passed"}, {Name: "application before", Drop: 4}, {Name: "under fault", Drop: 5},
		{Name: "after the fix", Drop: 6}, {Name: "verdict after the window, slowest", Drop: 8}, {Name: "others above possible", Drop: 7}, {Name: "seconds", Drop: 3}}}
	for _, s := range all {
		passed, ran := s.Passed()
		if len(s.Rounds) == 0 {
			continue
		}
		r := s.Rounds[len(s.Rounds)-1]
		verdict := s.slowestVerdict().Round(time.Millisecond).String()
		status := fmt.Sprintf("%d of %d", passed, ran) + s.retried()
		switch {
		case r.Skipped && ran == 0:
			status, verdict = "skipped: "+r.Why, "-"
		case ran < len(s.Rounds):
			status += fmt.Sprintf(", %d not judged", len(s.Rounds)-ran)
		}
		t.Add([]string{s.Case.ID, firstLine(s.Case.Title), firstLine(status), firstLine(r.Before.String()), firstLine(r.Under.String()), firstLine(r.After.String()), verdict,
			firstLine(cmp.Or(strings.Join(r.Others, "; "), "none")), fmt.Sprintf("%.0f", r.Seconds)})
	}
	return document.Document{Blocks: append([]document.Block{t}, confusion(all)...)}
}

// List is what there is to run.
func List(all []Case) document.Document {
	t := document.Table{Columns: []document.Column{{}, {Wrap: true}}}
	for _, c := range all {
		t.Add([]string{c.ID, c.Title})
	}
	return document.Document{Title: "The cases", Blocks: []document.Block{t}}
}

// Entry is a case in the list as JSON.
type Entry struct {
	Case  string `json:"case"`
	Title string `json:"title"`
	Rule  string `json:"rule"` // that must rank first; "": a control, which must stay silent, or there is a verb
	Verb  string `json:"verb"` // that tests the network and judges in place of a diagnosis; ""
	Kind  string `json:"kind"` // of the subject that is expected; "": any
	Name  string `json:"name"` // of the subject, a regular expression for all of it; "": any
	Extra bool   `json:"extra"`
	// AllowOthers are rules whose findings may stand beside the first one.
	AllowOthers []string `json:"allow_others"`
	// HostAlone says that it shows without captures, servers, logs or events that have to be
	// asked for, and more than possibly.
	HostAlone bool `json:"host_alone"`
}

func (c Case) hostAlone() bool {
	return c.Verb == nil && len(c.Captures) == 0 && c.MySQL == nil && c.Log == nil && c.Alloc == nil && !c.AllEvents && c.AtMostPossible == ""
}

// Entries are all cases for JSON.
func Entries(all []Case) []Entry {
	list := make([]Entry, len(all))
	for i, c := range all {
		list[i] = Entry{c.ID, c.Title, c.Rule, c.verb(), c.Kind, c.Name, c.Extra, append([]string{}, c.AllowOthers...), c.hostAlone()}
	}
	return list
}
