package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// sumTrace prints tables of sums: what rows R of a source add up to is an S a line.
type sumTrace[R recording.Row, S any] struct {
	*traceJob
	out     io.Writer
	reads   event.Source
	columns []document.Column
	wanted  func(*R) bool
	sum     func(rows []R, watched time.Duration) []S // 0: as long as rows say
	took    func(*S) time.Duration                    // what --min is compared with
	cells   func(*S) []string
	line    func(time.Time, *S) any // JSON form

	all     []R           // of the run, bounded
	cut     bool          // there was more than is kept
	watched time.Duration // that the source counted until then, also where nothing happened
}

func (t *sumTrace[R, S]) source() event.Source { return t.reads }

// maxTraceRows bounds what is kept for the last table.
const maxTraceRows = 200_000

func (t *sumTrace[R, S]) sample(rec *recording.Recording) error {
	if !t.cut {
		t.watched += countedFor(rec)
	}
	rows := recording.Rows[R](rec)
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		t.wanted(&rows[i]) // learns the names of processes, which other rows may lack
	}
	var wanted []R
	for i := range rows {
		if t.wanted(&rows[i]) {
			wanted = append(wanted, rows[i])
		}
	}
	if len(t.all)+len(wanted) <= maxTraceRows {
		t.all = append(t.all, wanted...)
	} else {
		t.cut = true
	}
	return t.print(unit.Clock(recording.TimeOf(&rows[0])).String(), wanted, 0)
}

// countedFor is how long the source of a sample counted.
func countedFor(rec *recording.Recording) (span time.Duration) {
	for _, c := range recording.Rows[recording.EventProgram](rec) {
		span = max(span, cmp.Or(c.Span, c.Attached))
	}
	return span
}

// unwatched makes sums that do not depend on how long the source counted.
func unwatched[R, S any](sum func([]R) []S) func([]R, time.Duration) []S {
	return func(rows []R, _ time.Duration) []S { return sum(rows) }
}

// end prints the sums of the run, if there was more than one table.
func (t *sumTrace[R, S]) end() error {
	if len(t.all) == 0 || recording.TimeOf(&t.all[0]).Equal(recording.TimeOf(&t.all[len(t.all)-1])) || t.json {
		return nil
	}
	title := "the whole run"
	if t.cut {
		title = fmt.Sprintf("the first %d rows of the run", maxTraceRows)
	}
	return t.print(title, t.all, t.watched)
}

func (t *sumTrace[R, S]) print(title string, rows []R, watched time.Duration) error {
	sums := t.sum(rows, watched)
	kept := sums[:0]
	for i := range sums {
		if t.took(&sums[i]) >= t.least {
			kept = append(kept, sums[i])
		}
	}
	if t.json {
		for i := range kept {
			if err := document.JSONLine(t.out, t.line(recording.TimeOf(&rows[0]), &kept[i])); err != nil {
				return err
			}
		}
		return nil
	}
	table := document.Table{Title: title, Columns: t.columns}
	if n := len(kept) - t.top; t.top > 0 && n > 0 {
		kept = kept[:t.top]
		table.More = fmt.Sprintf("and %d more: --top", n)
	}
	for i := range kept {
		table.Rows = append(table.Rows, t.cells(&kept[i]))
	}
	return document.Terminal(t.out, document.Document{Blocks: []document.Block{table}}, lineOptions(t.out))
}

// tracedStep is a step of a histogram in JSON.
type tracedStep struct {
	Below float64 `json:"below_seconds"`
	Count int64   `json:"count"`
}

func stepLines(steps view.Steps) []tracedStep {
	lines := make([]tracedStep, len(steps))
	for i, s := range steps {
		lines[i] = tracedStep{s.Below.Seconds(), s.Count}
	}
	return lines
}
