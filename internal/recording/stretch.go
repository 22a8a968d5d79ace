package recording

import (
	"time"
	"unsafe"
)

// stretchColumn is the column of rows that tell of a stretch of time: how long it is. It
// ends when the row is read.
const stretchColumn = "span_ns"

// StretchOf gives how long the stretch is that a row tells of, which ends with the row; 0:
// the row tells of a moment, as all of most tables do.
func StretchOf[T Row]() func(*T) time.Duration {
	var zero T
	k := kindByName(zero.Table())
	return func(row *T) time.Duration { return k.stretchOf(unsafe.Pointer(row)) }
}

func (k *kind) stretchOf(row unsafe.Pointer) time.Duration {
	if k.stretch < 0 {
		return 0
	}
	return *(*time.Duration)(unsafe.Add(row, k.columns[k.stretch].at))
}

// Has says whether a table has a row that counts, by when it was read and the stretch that it
// tells of.
func (r *Recording) Has(name Table, counts func(at time.Time, stretch time.Duration) bool) (has bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, k := r.tables[name], kindByName(name)
	if t == nil {
		return false
	}
	t.each(func(row unsafe.Pointer, at time.Time) bool {
		has = counts(at, k.stretchOf(row))
		return !has
	})
	return has
}
