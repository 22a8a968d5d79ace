package cases

import (
	"fmt"
	"io"
	"strings"
	"time"

	"rtrail/internal/lab/load"
	"rtrail/internal/unit"
)

// Line says a result in one line, for a terminal.
func (r Result) Line() string {
	switch {
	case r.Skipped:
		return fmt.Sprintf("skip  %-32s %s", r.Case, r.Why)
	case r.Unjudged:
		return fmt.Sprintf("lost  %-32s not judged: the hypervisor took %s of the CPUs in a second; %s", r.Case, unit.Share(r.Stolen), firstLine(r.Why))
	case r.Pass && r.After == nil:
		return fmt.Sprintf("pass  %-32s silent; %s; %.0f s", r.Case, r.Under, r.Seconds)
	case r.Pass:
		return fmt.Sprintf("pass  %-32s %s -> %s -> %s; %.0f s", r.Case, bare(r.Before), bare(r.Under), r.After, r.Seconds)
	}
	return fmt.Sprintf("FAIL  %-32s %s; %.0f s%s", r.Case, firstLine(r.Why), r.Seconds, r.theft())
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

// slowestVerdict is the longest time from a window's end to its verdict.
func (s Summary) slowestVerdict() (d time.Duration) {
	for _, r := range s.Rounds {
		d = max(d, r.Verdict)
	}
	return d
}

// WriteTable prints how often each case passed.
func WriteTable(w io.Writer, all []Summary) {
	for _, s := range all {
		passed, ran := s.Passed()
		fmt.Fprintf(w, "%-32s %d of %d\n", s.Case.ID, passed, ran)
	}
}

// WriteMarkdown prints the table of docs/labs.md. Numbers are those of the
// last round.
func WriteMarkdown(w io.Writer, all []Summary) {
	fmt.Fprintln(w, "| case | fault | passed | application before | under fault | after the fix | verdict after the window, slowest | others above possible | seconds |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, s := range all {
		passed, ran := s.Passed()
		if len(s.Rounds) == 0 {
			continue
		}
		r := s.Rounds[len(s.Rounds)-1]
		verdict := s.slowestVerdict().Round(time.Millisecond).String()
		status := fmt.Sprintf("%d of %d", passed, ran)
		switch {
		case r.Skipped && ran == 0:
			status, verdict = "skipped: "+r.Why, "-"
		case ran < len(s.Rounds):
			status += fmt.Sprintf(", %d not judged", len(s.Rounds)-ran)
		}
		others := strings.Join(r.Others, "; ")
		if others == "" {
			others = "none"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %.0f |\n", s.Case.ID, cell(s.Case.Title), cell(status),
			cell(r.Before.String()), cell(r.Under.String()), cell(r.After.String()), verdict, cell(others), r.Seconds)
	}
}

// cell keeps a text from ending the cell it is in.
func cell(s string) string { return strings.ReplaceAll(firstLine(s), "|", `\|`) }
