package recording

import (
	"encoding/binary"
	"maps"
	"time"
	"unsafe"
)

// lifespan is how long a row of a table holds.
type lifespan uint8

const (
	// ofMoment rows tell of the moment at which they were read. It is what tables
	// are unless the catalogue says otherwise.
	ofMoment lifespan = iota
	// ofLog rows were read once and have a time of their own, before that.
	ofLog
	// ofThing rows hold until the thing is read again: they are written when it is
	// new or has changed.
	ofThing
	// ofCapture rows hold for an interval of a capture, which may be all of it.
	ofCapture
)

// holding says how long rows of a table hold.
type holding struct {
	span lifespan
	// column and tables are when things end that come and go: a row of ofThing is
	// forgotten with the last row of these tables that has the same value in their
	// column of this name. 0 is the value of what never ends. "": things stay.
	column string
	tables []Table
}

// Lasts says that rows of a table hold until the thing they are about is read
// again.
func Lasts(t Table) bool {
	k := kindByName(t)
	return k != nil && k.holds.span == ofThing
}

// HoldsBeyond says that rows of a table count in windows in which they were not
// read, whenever that was: those of settings and logs.
func HoldsBeyond(t Table) bool {
	k := kindByName(t)
	return k != nil && (k.holds.span == ofThing || k.holds.span == ofLog)
}

// OfCaptures says that rows of a table are Captured.
func OfCaptures(t Table) bool {
	k := kindByName(t)
	return k != nil && k.holds.span == ofCapture
}

// Forget drops what no window that begins at a time or later needs any more. What
// Rows and Readings gave stays as it is. A session that forgets now and then takes
// no more memory than its window does: to forget with every sample would copy the
// window each time.
func (r *Recording) Forget(before time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	over := r.over(func(c *PacketCapture) bool { return c.Last.Before(before) })
	for name, t := range r.tables {
		k := kindByName(name)
		switch k.holds.span {
		case ofThing: // those that others tell of
		case ofCapture:
			k.forgetWithin(t, over)
			if t.count() == 0 {
				delete(r.tables, name)
			}
		default:
			t.forget(before)
			if t.count() == 0 {
				delete(r.tables, name)
			}
		}
	}
	r.forgetThings(before)
}

// forgetThings drops what is not true any more at a time: rows of things that a
// later one replaced, and those of things that are not there.
func (r *Recording) forgetThings(before time.Time) {
	for name, t := range r.tables {
		k := kindByName(name)
		if h := k.holds; h.span == ofThing {
			k.forgetThings(t, before, r.there(h))
		}
		if t.count() == 0 {
			delete(r.tables, name)
		}
	}
}

// Outside lists the intervals of captures that have no packet between two times,
// both included, by when they began. Captures that are whole have one, of the zero
// time: those of both sides belong together, whatever their clocks say.
func (r *Recording) Outside(from, to time.Time) map[int64]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over(func(c *PacketCapture) bool {
		return c.At.After(to) || !c.At.IsZero() && c.At.Before(from) && c.Last.Before(from)
	})
}

// over lists the intervals of captures that are all over.
func (r *Recording) over(is func(*PacketCapture) bool) map[int64]bool {
	t, ok := r.tables[PacketCaptures].(*table[PacketCapture])
	if !ok {
		return nil
	}
	t.join()
	over := map[int64]bool{}
	for i := range t.list {
		c := &t.list[i]
		all, known := over[c.Captured()]
		over[c.Captured()] = is(c) && (all || !known)
	}
	maps.DeleteFunc(over, func(_ int64, is bool) bool { return !is })
	return over
}

// HasWithin says whether a table of captures has a row that is about none of some
// intervals.
func (r *Recording) HasWithin(name Table, outside map[int64]bool) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, k := r.tables[name], kindByName(name)
	if t == nil || k.holds.span != ofCapture {
		return t != nil && t.count() > 0
	}
	found := false
	k.intervals(t, func(interval int64) bool { found = !outside[interval]; return !found })
	return found
}

// forgetWithin drops the rows about some intervals.
func (k *kind) forgetWithin(from rows, over map[int64]bool) {
	var drop []bool
	k.intervals(from, func(interval int64) bool { drop = append(drop, over[interval]); return true })
	leaveOutAt(from, func(i int) bool { return drop[i] })
}

// intervals visits the intervals that rows of a capture are about, as Captured has
// them, while visit wants more.
func (k *kind) intervals(of rows, visit func(interval int64) bool) {
	at := k.column("interval")
	of.each(func(row unsafe.Pointer, _ time.Time) bool {
		if at < 0 {
			return visit(noTime)
		}
		return visit((*time.Time)(unsafe.Add(row, k.columns[at].at)).UnixNano())
	})
}

// leaveOutAt picks the rows that drop does not name.
func leaveOutAt(r rows, drop func(i int) bool) {
	var kept []int
	for i := range r.count() {
		if !drop(i) {
			kept = append(kept, i)
		}
	}
	if len(kept) < r.count() {
		r.pick(kept)
	}
}

// there are the values that things have which did not end; nil: all.
func (r *Recording) there(h holding) map[word]bool {
	if h.column == "" {
		return nil
	}
	values := map[word]bool{0: true}
	for _, name := range h.tables {
		if t := r.tables[name]; t != nil {
			k := kindByName(name)
			k.collect(t, k.column(h.column), values)
		}
	}
	return values
}

func (t *table[T]) forget(before time.Time) {
	t.list = leaveOut(t.list, func(r *T) bool { return TimeOf(r).Before(before) })
	more := t.more
	t.more, t.rest = nil, 0
	for _, p := range more {
		p.rows = leaveOut(p.rows, func(r *T) bool { return TimeOf(r).Before(before) })
		p.again = leaveOut(p.again, func(a *Again[T]) bool { return a.At.Before(before) })
		if p.count() > 0 {
			t.more = append(t.more, p)
			t.rest += p.count()
		}
	}
}

// leaveOut leaves rows out. Others may read the list: it stays as it is.
func leaveOut[T any](list []T, drop func(*T) bool) []T {
	keep := 0
	for i := range list {
		if !drop(&list[i]) {
			keep++
		}
	}
	if keep == len(list) {
		return list
	}
	kept := make([]T, 0, keep)
	for i := range list {
		if !drop(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// forgetThings drops rows that a later one replaced before a time, and those
// before it of things that are not there.
func (k *kind) forgetThings(from rows, before time.Time, there map[word]bool) {
	old := false
	var times []time.Time
	from.each(func(_ unsafe.Pointer, at time.Time) bool {
		times = append(times, at)
		old = old || at.Before(before)
		return true
	})
	if !old {
		return
	}
	words := k.load(from, 0, from.count(), newTextList(), nil)
	latest := map[string]int{}
	thing, ends := make([]byte, 0, 8*len(k.key)), k.column(k.holds.column)
	for i, at := range times {
		if !at.Before(before) || there != nil && !there[words[ends][i]] {
			continue
		}
		thing = thing[:0]
		for _, c := range k.key {
			thing = binary.NativeEndian.AppendUint64(thing, uint64(words[c][i]))
		}
		if last, ok := latest[string(thing)]; !ok || !at.Before(times[last]) {
			latest[string(thing)] = i
		}
	}
	keep := make([]bool, len(times))
	for _, i := range latest {
		keep[i] = true
	}
	leaveOutAt(from, func(i int) bool { return !keep[i] && times[i].Before(before) })
}

// collect adds the values of a column, which is one that says who a row is about.
func (k *kind) collect(from rows, column int, into map[word]bool) {
	var last unsafe.Pointer
	var value [1]word
	texts, col := newTextList(), k.columns[column]
	from.each(func(row unsafe.Pointer, _ time.Time) bool {
		if row != last {
			last = row
			col.load(value[:], raw{row, 0, 1}.field(col), texts)
			into[value[0]] = true
		}
		return true
	})
}
