package mysqlview

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/prose"
	"rtrail/internal/unit"
)

// Totals sums up the rows of a run for its end.
type Totals struct {
	Zone *time.Location // nil: local time

	rows, silent int
	first, last  time.Time
	server       string
	version      string
	sums         []spread // by column
	states       map[string]time.Duration
	statements   Statements
	own          float64 // seconds of rtrail's own queries, per second
	ownKnown     bool
	replication  []string // what was wrong with it at the end
}

// spread is a number over a run.
type spread struct {
	n             int
	min, max, sum float64
}

func (s *spread) add(v float64) {
	if math.IsNaN(v) {
		return
	}
	if s.n == 0 || v < s.min {
		s.min = v
	}
	if s.n == 0 || v > s.max {
		s.max = v
	}
	s.n++
	s.sum += v
}

// Add takes a row.
func (t *Totals) Add(r *Row) {
	if t.sums == nil {
		t.sums, t.states = make([]spread, len(columns)), map[string]time.Duration{}
		t.first = r.At.Add(-time.Duration(r.Seconds * float64(time.Second)))
	}
	t.rows++
	t.last, t.server = r.At, r.Server
	if word, _, ok := strings.Cut(Trouble(r), ":"); ok {
		t.silent++
		t.states[strings.ToLower(word)] += time.Duration(r.Seconds * float64(time.Second))
	}
	for i, c := range columns {
		if c.get != nil {
			t.sums[i].add(c.get(r))
		}
	}
}

// Finish takes what only the end of a run knows.
func (t *Totals) Finish(f *Feed) {
	frame := f.Frame()
	t.version, t.statements = frame.Version, f.Statements()
	t.own, t.ownKnown = frame.Own, frame.OwnKnown
	t.replication = Replication(frame.Replicas)
}

// Print writes the summary.
func (t *Totals) Print(out io.Writer, width, top int) error {
	if t.rows == 0 {
		return nil
	}
	zone := t.Zone
	if zone == nil {
		zone = time.Local
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, %s, %s to %s: %s\n\n", escape.Line(strings.TrimSpace(t.server)), escape.Line(t.version),
		t.first.In(zone).Format(timeLayout), t.last.In(zone).Format(timeLayout), unit.Plural(t.rows, "line", "lines"))
	fmt.Fprintf(&b, "%-20s %8s %8s %8s\n", "", "min", "mean", "max")
	for i, c := range columns {
		s := t.sums[i]
		if c.name == "" || s.n == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-20s %8s %8s %8s\n", c.name, c.show(s.min), c.show(s.sum/float64(s.n)), c.show(s.max))
	}
	if t.silent > 0 {
		verb := "are"
		if t.silent == 1 {
			verb = "is"
		}
		fmt.Fprintf(&b, "\n%s of %s %s without an answer in time:", unit.Count(t.silent), unit.Plural(t.rows, "line", "lines"), verb)
		separator := " "
		for _, word := range sortedKeys(t.states) {
			fmt.Fprintf(&b, "%s%s %s", separator, word, unit.Duration(t.states[word].Round(time.Second)))
			separator = ", "
		}
		b.WriteString("\n")
	}
	for _, text := range t.replication {
		say(&b, width, "%s", text)
	}
	if t.ownKnown {
		fmt.Fprintf(&b, "\nrtrail waited %s a second for its own queries.\n", unit.Seconds(t.own))
	}
	t.statements.table(&b, width, top)
	_, err := io.WriteString(out, b.String())
	return err
}

// table prints the first statements.
func (all *Statements) table(b *strings.Builder, width, top int) {
	if len(all.List) == 0 {
		if all.Missed > 0 {
			say(b, width, "STATEMENTS are not known: %s, and %s at the process list met none", all.Why(), unit.Plural(all.Looks, "look", "looks"))
		}
		return
	}
	list := all.List[:min(top, len(all.List))]
	if all.Sampled {
		say(b, width, "STATEMENTS in %s at the process list: %s", unit.Plural(all.Looks, "look", "looks"), all.Why())
		fmt.Fprintf(b, "%7s  %s\n", "running", "statement")
		for _, s := range list {
			fmt.Fprintf(b, "%7s  %s\n", running(s.Running), fitted(s.Label(), width, 9))
		}
		return
	}
	fmt.Fprintf(b, "\nSTATEMENTS by time, from the server's digests over %s\n", unit.Seconds(all.Seconds))
	fmt.Fprintf(b, "%7s %7s %6s %8s %6s  %s\n", "running", "count/s", "mean", "ex/sent", "err/s", "statement")
	for _, s := range list {
		fmt.Fprintf(b, "%7s %7s %6s %8s %6s  %s\n", running(s.Running), rate(s.Count/all.Seconds), brief(s.Mean()), s.Ratio(),
			rate(s.Errors/all.Seconds), fitted(s.Label(), width, 41))
	}
}

// say prints a paragraph behind an empty line.
func say(b *strings.Builder, width int, format string, args ...any) {
	b.WriteString("\n" + prose.Wrap(fmt.Sprintf(format, args...), width, 2) + "\n")
}

// Why says why the process list had to be counted.
func (all *Statements) Why() string {
	if all.Missed > 0 {
		return fmt.Sprintf("%s of executions are not in the server's digests", unit.Share(all.Missed))
	}
	if all.Awaited {
		return "the server's digests have not been read twice yet"
	}
	return "no digests of the server are known"
}

func running(v float64) string {
	if v < 9.995 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// Ratio is rows examined per row sent.
func (s *Statement) Ratio() string {
	if math.IsNaN(s.Examined) || math.IsNaN(s.Sent) || s.Sent == 0 {
		return unknown
	}
	return rate(s.Examined / s.Sent)
}

// Label is the statement behind its schema, as one line whatever the server named
// it.
func (s *Statement) Label() string {
	if s.Schema == "" {
		return escape.Line(s.Text)
	}
	return escape.Line(s.Schema + ": " + s.Text)
}

func fitted(text string, width, used int) string {
	if width <= 0 {
		return text
	}
	return document.Clip(text, max(width-used, 16))
}
