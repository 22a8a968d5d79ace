package recording

import (
	"context"
	"io"
	"math"
	"slices"
	"time"

	"rtrail/internal/budget"
)

// collector is journalContent that becomes a recording.
type collector struct {
	in  readOptions
	rec *Recording
}

func (c *collector) wants(t Table) bool { return c.in.wants(t) }

func (c *collector) take(k *kind, read *rowsRead, texts []string) (bool, error) {
	have := c.rec.tables[k.name]
	if have == nil {
		have = k.empty()
	}
	before := have.count()
	if err := k.store(have, read.words, texts, k.choose(read.words, len(read.words[0]), c.in.keep(k))); err != nil {
		return false, &damageError{err}
	}
	if have.count() > 0 {
		c.rec.tables[k.name] = have
	}
	if !c.in.memory.Take(int64(have.count()-before) * k.rowBytes) {
		return false, errTooLarge
	}
	return true, nil
}

// readOptions choose what is read back.
type readOptions struct {
	from, to time.Time     // zero: open
	step     time.Duration // in which one row of each thing is enough; 0: all are read
	tables   []Table       // nil: all
	memory   *budget.Budget
	spent    *effort // of the recording; nil: of the file alone
}

func (o readOptions) wants(t Table) bool { return o.tables == nil || slices.Contains(o.tables, t) }

// keep says which rows of a table are read: also those of things from before the
// range, and of stretches of time that reach into it. It is given time and stretch as words.
func (o readOptions) keep(k *kind) func(at, stretch word) bool {
	from, to := word(math.MinInt64), word(math.MaxInt64)
	if !o.from.IsZero() && k.holds.span != ofThing {
		from = nearestWord(o.from)
	}
	if !o.to.IsZero() {
		to = nearestWord(o.to)
	}
	return func(at, stretch word) bool {
		return at >= from && (at <= to || stretch > 0 && at-stretch <= to)
	}
}

// thin leaves of what keep keeps the first row of each thing in each step. Rows come thing by thing, those of
// each in the order of time.
func (o readOptions) thin(keep func(at, stretch word) bool) func(at, stretch word) bool {
	if o.step <= 0 {
		return keep
	}
	last, before := word(0), word(math.MaxInt64) // step and time of the row before
	return func(at, stretch word) bool {
		if !keep(at, stretch) {
			return false
		}
		step := at / word(o.step)
		first := step != last || at <= before
		last, before = step, at
		return first
	}
}

// nearestWord is the word for a time, or the nearest one.
func nearestWord(t time.Time) word {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// firstMoment finds the time of the first row in a journal; zero without one.
func firstMoment(ctx context.Context, r io.Reader) time.Time {
	var f firstRow
	memory := budget.From(ctx).Part()
	defer memory.Release()
	_, _ = readJournal(ctx, r, memory, &f) // damaged ones have no time
	return f.at
}

type firstRow struct{ at time.Time }

func (f *firstRow) wants(Table) bool { return true }

func (f *firstRow) take(k *kind, read *rowsRead, _ []string) (bool, error) {
	for c, col := range k.columns {
		if col.name == "at" {
			f.at = timeOf(read.words[c][0])
		}
	}
	return false, nil
}
