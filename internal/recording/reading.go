package recording

import (
	"iter"
	"slices"
	"time"
	"unsafe"
)

// Reading is a row of a table that takes no memory of its own where it repeats
// another one: thousands of connections rest and processes sleep, and their rows
// would take most of the memory of a run.
type Reading[T Row] struct {
	row *T
	at  time.Time
	as  func(row *T, at time.Time) T
}

// ReadingOf is a reading of a row that is there.
func ReadingOf[T Row](row *T) Reading[T] { return Reading[T]{row: row, at: TimeOf(row)} }

// Row is the row as it was read.
func (r Reading[T]) Row() T {
	if r.as == nil {
		return *r.row
	}
	return r.as(r.row, r.at)
}

// At is when it was read.
func (r Reading[T]) At() time.Time { return r.at }

// Of is the row that is repeated: who it is about and all counters that only
// move when something happens are those of Row. Readings that repeat one row
// have the same pointer. It must not be changed.
func (r Reading[T]) Of() *T { return r.row }

// Readings lists what Rows lists, without making the rows that repeat others.
func Readings[T Row](r *Recording) []Reading[T] {
	var zero T
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tables[zero.Table()].(*table[T])
	if !ok {
		return nil
	}
	all := make([]Reading[T], 0, t.count())
	for x := range t.readings() {
		all = append(all, x)
	}
	return all
}

// readings visits all rows in the order of their reading.
func (t *table[T]) readings() iter.Seq[Reading[T]] {
	return func(visit func(Reading[T]) bool) {
		for i := range t.list {
			if !visit(ReadingOf(&t.list[i])) {
				return
			}
		}
		for _, p := range t.more {
			for i := range p.rows {
				if !visit(ReadingOf(&p.rows[i])) {
					return
				}
			}
			for _, a := range p.again {
				if !visit(Reading[T]{row: a.Row, at: a.At, as: p.as}) {
					return
				}
			}
		}
	}
}

func (t *table[T]) each(visit func(row unsafe.Pointer, at time.Time) bool) {
	for r := range t.readings() {
		if !visit(unsafe.Pointer(r.row), r.at) {
			return
		}
	}
}

// chunkRows is how many rows are visited at a time. They are read column by
// column, and fit the nearest cache meanwhile.
const chunkRows = 64

// chunks makes rows that repeat others for the visit only.
func (t *table[T]) chunks(first, last int, visit func(raw)) {
	at := 0
	// part is which of the next n rows are wanted.
	part := func(n int) (from, to int) {
		from = min(max(first-at, 0), n)
		to = min(max(last-at, from), n)
		at += n
		return from, to
	}
	visitAll := func(list []T) {
		for some := range slices.Chunk(list, chunkRows) {
			visit(rawOf(some))
		}
	}
	from, to := part(len(t.list))
	visitAll(t.list[from:to])
	var made []T
	for _, p := range t.more {
		from, to := part(len(p.rows))
		visitAll(p.rows[from:to])
		from, to = part(len(p.again))
		for again := range slices.Chunk(p.again[from:to], chunkRows) {
			made = slices.Grow(made[:0], len(again))
			for _, a := range again {
				made = append(made, p.as(a.Row, a.At))
			}
			visit(rawOf(made))
		}
	}
}
