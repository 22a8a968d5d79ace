package mysqlview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/unit"
	"rtrail/internal/view"
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
	held         []hold   // who held others up, at most maxHolds
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

// maxHolds bounds the holders of locks that are remembered: the first of a run.
const maxHolds = 100

// hold is a holder of a lock at its worst: when most sessions waited for it.
type hold struct {
	worst   view.MySQLBlocker
	longest time.Duration // that a session was seen waiting; Unknown
}

// holds keeps who holds others up in a row.
func (t *Totals) holds(list []view.MySQLBlocker) {
	for i := range list {
		b := &list[i]
		at := slices.IndexFunc(t.held, func(h hold) bool {
			return h.worst.Session == b.Session && h.worst.Kind == b.Kind && h.worst.Object == b.Object
		})
		switch {
		case at >= 0:
			h := &t.held[at]
			h.longest = max(h.longest, longestWait(b))
			if len(b.Victims) >= len(h.worst.Victims) {
				h.worst = *b
			}
		case len(t.held) < maxHolds:
			t.held = append(t.held, hold{*b, longestWait(b)})
		}
	}
}

// locks says who made others wait longest for locks, a line for each.
func (t *Totals) locks() []string {
	list := slices.Clone(t.held)
	slices.SortStableFunc(list, func(a, b hold) int {
		return cmp.Or(cmp.Compare(b.longest, a.longest), len(b.worst.Victims)-len(a.worst.Victims))
	})
	var lines []string
	for _, h := range list[:min(len(list), maxBlockers)] {
		text := unit.Plural(len(h.worst.Victims), "session", "sessions") + " waited"
		if longest := h.longest.Round(100 * time.Millisecond); longest > 0 {
			text += " up to " + unit.Duration(longest).String()
		}
		lines = append(lines, text+fmt.Sprintf(" for the %s, held by %s", Lock(h.worst.Kind, h.worst.Object), Holder(&h.worst)))
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("%s more held others up", unit.Count(more)))
	}
	return lines
}

// Add takes a row.
func (t *Totals) Add(r *Row) {
	if t.sums == nil {
		t.sums, t.states = make([]spread, len(columns)), map[string]time.Duration{}
		t.first = r.At.Add(-time.Duration(r.Seconds * float64(time.Second)))
	}
	t.rows++
	t.holds(r.Blockers)
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

// Document is the summary, with so many statements; without a row there is none.
func (t *Totals) Document(top int) document.Document {
	if t.rows == 0 {
		return document.Document{}
	}
	zone := t.Zone
	if zone == nil {
		zone = time.Local
	}
	numbers := document.Table{Columns: []document.Column{{}, {Name: "min", Right: true}, {Name: "mean", Right: true}, {Name: "max", Right: true}}}
	for i, c := range columns {
		if s := t.sums[i]; c.name != "" && s.n > 0 {
			numbers.Add([]string{c.name, c.show(s.min), c.show(s.sum / float64(s.n)), c.show(s.max)})
		}
	}
	blocks := []document.Block{
		document.Facts{Items: []string{escape.Line(strings.TrimSpace(t.server)), escape.Line(t.version), t.first.In(zone).Format(timeLayout) + " to " + t.last.In(zone).Format(timeLayout+" MST"),
			unit.Plural(t.rows, "line", "lines")}},
		numbers,
	}
	say := func(words string) { blocks = append(blocks, document.Prose{Words: words}) }
	if t.silent > 0 {
		verb := "are"
		if t.silent == 1 {
			verb = "is"
		}
		var states []string
		for _, word := range sortedKeys(t.states) {
			states = append(states, word+" "+unit.Duration(t.states[word].Round(time.Second)).String())
		}
		say(fmt.Sprintf("%s of %s %s without an answer in time: %s", unit.Count(t.silent), unit.Plural(t.rows, "line", "lines"), verb, strings.Join(states, ", ")))
	}
	for _, text := range t.locks() {
		blocks = append(blocks, document.Prose{Label: "LOCKS", Style: document.Warn, Words: text})
	}
	for _, text := range t.replication {
		blocks = append(blocks, document.Prose{Label: "REPLICATION", Style: document.Warn, Words: text})
	}
	if t.ownKnown {
		say(fmt.Sprintf("rtrail waited %s a second for its own queries.", unit.Seconds(t.own)))
	}
	return document.Document{Blocks: append(blocks, t.statements.table(top)...)}
}

// table lists the first statements.
func (all *Statements) table(top int) []document.Block {
	if len(all.List) == 0 {
		if all.Missed == 0 {
			return nil
		}
		return []document.Block{document.Prose{Words: fmt.Sprintf("STATEMENTS are not known: %s, and %s at the process list met none", all.Why(), unit.Plural(all.Looks, "look", "looks"))}}
	}
	t := document.Table{
		Title: fmt.Sprintf("STATEMENTS by time, from the server's digests over %s", unit.Seconds(all.Seconds)),
		Columns: []document.Column{{Name: "running", Right: true}, {Name: "count/s", Right: true}, {Name: "mean", Right: true}, {Name: "ex/sent", Right: true}, {Name: "err/s", Right: true},
			{Name: "statement", Cut: true}},
	}
	if all.Sampled {
		t.Title = fmt.Sprintf("STATEMENTS in %s at the process list: %s", unit.Plural(all.Looks, "look", "looks"), all.Why())
		t.Columns = []document.Column{t.Columns[0], t.Columns[5]}
	}
	for _, s := range all.List[:min(top, len(all.List))] {
		if all.Sampled {
			t.Add([]string{running(s.Running), s.Label()})
		} else {
			t.Add([]string{running(s.Running), rate(s.Count / all.Seconds), brief(s.Mean()), s.Ratio(), rate(s.Errors / all.Seconds), s.Label()})
		}
	}
	return []document.Block{t}
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
