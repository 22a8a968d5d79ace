package recording

import (
	"maps"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// Recording is evidence in memory: tables of rows in the order of their
// reading, and the manifest that says where they come from. A live run fills
// one; Open reads one back from disk. It may be filled and read concurrently.
type Recording struct {
	mu       sync.RWMutex
	manifest Manifest
	tables   map[Table]rows
}

// rows is one table: a slice of one row type behind an interface, because Go
// has no map from a constant to a type. What does not need the type works on
// memory (raw, unsafe.Pointer): there are many types, and each would have its own
// copy of it.
type rows interface {
	count() int
	appendFrom(rows)
	adopt(rows)
	// join makes one list of everything.
	join()
	// each visits all rows in the order of their reading, as memory that begins with a
	// T; those that repeat another one as that one.
	each(visit func(row unsafe.Pointer, at time.Time) bool)
	// chunks visits the rows from first up to last in pieces.
	chunks(first, last int, visit func(raw))
	bases(first, last int, into []base) []base
	// extend appends blank rows.
	extend(n int) raw
	// retain removes the rows from first on that keep, which counts from there, refuses.
	retain(first int, keep func(i int) bool)
	// pick replaces the list by some of its rows, in the order of their places.
	pick(places []int)
	forget(before time.Time)
}

// table holds the rows in one list, and those that were committed since
// somebody asked for the list: growing it with every sample would copy all
// rows again and again.
type table[T Row] struct {
	list []T
	more []piece[T]
	rest int // rows in more
}

// piece is rows of one sample: some that are there, or some that are made of
// others when somebody asks.
type piece[T Row] struct {
	rows  []T
	again []Again[T]
	as    func(row *T, at time.Time) T
}

func (p *piece[T]) count() int { return len(p.rows) + len(p.again) }

// Again says that a row holds at another time too.
type Again[T Row] struct {
	Row *T // must not change any more
	At  time.Time
}

func (t *table[T]) count() int { return len(t.list) + t.rest }

// latest is the time of the latest row; zero: there is none.
func latest(r rows) (last time.Time) {
	r.each(func(_ unsafe.Pointer, at time.Time) bool {
		if at.After(last) {
			last = at
		}
		return true
	})
	return last
}

// sortByTime leaves rows of one instant in the order in which they came from a
// segment, which is the order of their keys.
func sortByTime(r rows) {
	var times []time.Time
	r.each(func(_ unsafe.Pointer, at time.Time) bool { times = append(times, at); return true })
	if slices.IsSortedFunc(times, time.Time.Compare) {
		return
	}
	places := make([]int, len(times))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return times[a].Compare(times[b]) })
	r.pick(places)
}

func (t *table[T]) appendFrom(other rows) {
	o := other.(*table[T])
	t.join()
	o.join()
	t.list = append(t.list, o.list...)
}

// adopt takes the rows of another table, which must not be used any more.
func (t *table[T]) adopt(other rows) {
	o := other.(*table[T])
	if len(o.list) > 0 {
		t.more = append(t.more, piece[T]{rows: o.list})
	}
	t.more = append(t.more, o.more...)
	t.rest += o.count()
}

// join makes one list of everything.
func (t *table[T]) join() {
	if t.rest == 0 {
		return
	}
	t.list = slices.Grow(t.list, t.rest)
	for _, p := range t.more {
		t.list = append(t.list, p.rows...)
		for _, a := range p.again {
			t.list = append(t.list, p.as(a.Row, a.At))
		}
	}
	t.more, t.rest = nil, 0
}

func (t *table[T]) extend(n int) raw {
	t.join()
	first := len(t.list)
	t.list = slices.Grow(t.list, n)[:first+n]
	clear(t.list[first:])
	return rawOf(t.list[first:])
}

func (t *table[T]) retain(first int, keep func(i int) bool) {
	kept := first
	for i := range t.list[first:] {
		if keep(i) {
			t.list[kept] = t.list[first+i]
			kept++
		}
	}
	clear(t.list[kept:])
	t.list = t.list[:kept]
}

// pick makes another list: somebody may read the one that is there.
func (t *table[T]) pick(places []int) {
	t.join()
	picked := make([]T, len(places))
	for i, place := range places {
		picked[i] = t.list[place]
	}
	t.list = picked
}

// New makes an empty recording.
func New(m Manifest) *Recording {
	return &Recording{manifest: m, tables: map[Table]rows{}}
}

// Manifest returns what is known about the host, the tool and the probes.
func (r *Recording) Manifest() Manifest {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.manifest
}

// UpdateManifest changes the manifest under the recording's lock.
func (r *Recording) UpdateManifest(change func(*Manifest)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.manifest)
}

// Rows returns the rows of T's table in the order of their reading. The slice
// is shared: callers must not change it.
func Rows[T Row](r *Recording) []T {
	var zero T
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.tables[zero.Table()].(*table[T]); ok {
		t.join()
		return slices.Clip(t.list)
	}
	return nil
}

// Tables lists the tables that have rows, sorted by name.
func (r *Recording) Tables() []Table {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.tables))
}

// Count is the number of rows in a table.
func (r *Recording) Count(name Table) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if t := r.tables[name]; t != nil {
		return t.count()
	}
	return 0
}

// Commit adds the rows of one sample.
func (r *Recording) Commit(w *Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, rows := range w.tables {
		if have := r.tables[name]; have != nil {
			have.adopt(rows)
		} else {
			r.tables[name] = rows
		}
	}
	w.tables = nil
	return nil
}

// Sink takes finished samples: a Recording in memory, or a directory on disk.
type Sink interface {
	Commit(*Writer) error
}

// Writer collects the rows of one sample of one probe. They become evidence
// only when the sample is committed, so that a probe that fails half way or
// overruns its deadline leaves the last good rows untouched.
type Writer struct {
	Started time.Time
	tables  map[Table]rows
	lost    int64
}

// NewWriter begins a sample.
func NewWriter(started time.Time) *Writer {
	return &Writer{Started: started, tables: map[Table]rows{}}
}

// Append adds rows to the sample.
func Append[T Row](w *Writer, list ...T) {
	if len(list) == 0 {
		return
	}
	name := list[0].Table()
	if have, ok := w.tables[name].(*table[T]); ok {
		have.list = append(have.list, list...)
		return
	}
	w.tables[name] = &table[T]{list: slices.Clone(list)}
}

// Written are the rows of T's table that a sample has so far. Nobody else may use the writer
// meanwhile; the rows must not be changed.
func Written[T Row](w *Writer) []T {
	var zero T
	t, ok := w.tables[zero.Table()].(*table[T])
	if !ok {
		return nil
	}
	t.join()
	return slices.Clip(t.list)
}

// Give adds rows like Append, but takes the slice over instead of copying it:
// the caller must not use it any more.
func Give[T Row](w *Writer, list []T) {
	if len(list) == 0 {
		return
	}
	name := list[0].Table()
	if have := w.tables[name]; have != nil {
		have.appendFrom(&table[T]{list: list})
		return
	}
	w.tables[name] = &table[T]{list: list}
}

// Take moves the rows of another writer to the end of this one's. The other one
// must not be used any more.
func (w *Writer) Take(other *Writer) {
	for name, rows := range other.tables {
		if have := w.tables[name]; have != nil {
			have.adopt(rows)
		} else {
			w.tables[name] = rows
		}
	}
	w.lost += other.lost
	other.tables = nil
}

// Repeat adds rows that as makes of others, mostly of those of earlier samples,
// when somebody asks for them. On disk and for who asks they are like any
// others, but until then they take next to no room: most things of a host do
// nothing most of the time. as is called later, from any goroutine; it changes
// the time, or makes a value Unknown, but neither who the row is about nor what was
// counted. What it makes of a row for two times, neither of which is the row's own, differs
// in the time alone.
func Repeat[T Row](w *Writer, list []Again[T], as func(row *T, at time.Time) T) {
	if len(list) == 0 {
		return
	}
	var zero T
	t, ok := w.tables[zero.Table()].(*table[T])
	if !ok {
		t = &table[T]{}
		w.tables[zero.Table()] = t
	}
	p := piece[T]{again: list, as: as}
	t.more = append(t.more, p)
	t.rest += p.count()
}

// Share is another writer of the same rows, for two sinks: that which keeps rows in memory takes
// them last.
func (w *Writer) Share() *Writer {
	return &Writer{Started: w.Started, tables: maps.Clone(w.tables), lost: w.lost}
}

// Within says of all rows about captures to which interval they belong.
func (w *Writer) Within(interval time.Time) {
	for name, rows := range w.tables {
		kindByName(name).within(rows, interval)
	}
}

// Lost counts rows that should have been in the sample and are not.
func (w *Writer) Lost(n int) { w.lost += int64(n) }

// LostFrom counts rows of one table that should have been in the sample and are not. Tables
// of the same probe that have all of theirs are trusted as before.
func (w *Writer) LostFrom(probe string, t Table, n int) {
	if n <= 0 {
		return
	}
	w.Lost(n)
	if have, ok := w.tables[TableLosses].(*table[TableLoss]); ok {
		for i := range have.list {
			if l := &have.list[i]; l.Probe == probe && l.TableOf == string(t) {
				l.Lost += int64(n)
				return
			}
		}
	}
	Append(w, TableLoss{At: w.Started, Probe: probe, TableOf: string(t), Lost: int64(n)})
}

// LostRows is the sum of what Lost and LostFrom were told.
func (w *Writer) LostRows() int64 { return w.lost }

// Unseen notes what the probe could not see, why, and what the user can do.
func (w *Writer) Unseen(probe, what string, count int, why, how string) {
	Append(w, UnseenNote{At: w.Started, Probe: probe, What: what, Count: int64(count), Why: why, How: how})
}

// Rows is the number of rows collected so far.
func (w *Writer) Rows() int64 {
	n := 0
	for _, t := range w.tables {
		n += t.count()
	}
	return int64(n)
}
