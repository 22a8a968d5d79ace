package rt

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// A histogram has 64 buckets for each power of two, so that the middle of a
// bucket is within 0.8 percent of every value in it. Percentiles are promised
// to within one percent.
const (
	subBits   = 6
	perOctave = 1 << subBits
	octaves   = 64 - subBits
)

// Histogram counts durations from 0 to 292 years to within 0.8 percent of
// their value; up to 64 ns it is exact. The zero value is empty, and holds a few
// different values by itself: most of what captures tell apart has few. With more it
// takes 2 KB, as powers of two that hold nothing take no memory.
type Histogram struct {
	full  *octaveTable   // nil: the values are in few
	place [maxFew]uint16 // bucket of each, octave * perOctave + sub
	few   [maxFew]uint32 // how many are in it; 0: it is free, as all behind it
	n     uint64
}

// maxFew is how many buckets a histogram holds by itself.
const maxFew = 6

// octaveTable is all buckets.
type octaveTable struct {
	octave   [octaves]*[perOctave]uint32
	overflow uint64 // counts beyond what a bucket can hold
	low      uint8  // first and last octave in use
	high     uint8
}

// bucket is where a value is counted.
func bucket(v int64) (octave, sub int) {
	u := uint64(max(v, 0))
	if u < perOctave {
		return 0, int(u)
	}
	shift := bits.Len64(u) - 1 - subBits
	return shift + 1, int(u>>shift) - perOctave
}

// bounds are the smallest value of a bucket and how many values it holds.
func bounds(octave, sub int) (from, width int64) {
	if octave == 0 {
		return int64(sub), 1
	}
	return int64(perOctave+sub) << (octave - 1), 1 << (octave - 1)
}

// Add counts a duration; a negative one counts as 0.
func (h *Histogram) Add(d time.Duration) { h.AddN(d, 1) }

// AddN counts a duration n times.
func (h *Histogram) AddN(d time.Duration, n uint32) {
	o, s := bucket(int64(d))
	h.put(o, s, n)
}

func (h *Histogram) put(o, s int, n uint32) {
	h.n += uint64(n)
	if h.full != nil {
		h.full.put(o, s, n)
		return
	}
	place := uint16(o*perOctave + s)
	for i := range h.few {
		if h.few[i] == 0 || h.place[i] == place {
			if h.few[i] > math.MaxUint32-n {
				break
			}
			h.place[i] = place
			h.few[i] += n
			return
		}
	}
	h.unfold()
	h.full.put(o, s, n)
}

// unfold makes room for all buckets.
func (h *Histogram) unfold() {
	h.full = &octaveTable{low: octaves - 1}
	for i, n := range h.few {
		if n > 0 {
			h.full.put(int(h.place[i]/perOctave), int(h.place[i]%perOctave), n)
		}
	}
}

func (t *octaveTable) put(o, s int, n uint32) {
	b := t.octave[o]
	if b == nil {
		b = new([perOctave]uint32)
		t.octave[o] = b
		t.low, t.high = min(t.low, uint8(o)), max(t.high, uint8(o))
	}
	if b[s] > math.MaxUint32-n {
		t.overflow += uint64(n)
		return
	}
	b[s] += n
}

// each gives the buckets that hold something, ascending, until f says no.
func (h *Histogram) each(f func(o, s int, n uint32) bool) {
	if h.full == nil {
		order := [maxFew]int{}
		used := order[:0]
		for i, n := range h.few {
			if n > 0 {
				used = append(used, i)
			}
		}
		slices.SortFunc(used, func(a, b int) int { return cmp.Compare(h.place[a], h.place[b]) })
		for _, i := range used {
			if !f(int(h.place[i]/perOctave), int(h.place[i]%perOctave), h.few[i]) {
				return
			}
		}
		return
	}
	for o := int(h.full.low); o <= int(h.full.high); o++ {
		b := h.full.octave[o]
		if b == nil {
			continue
		}
		for s, n := range b {
			if n > 0 && !f(o, s, n) {
				return
			}
		}
	}
}

// Count is how many durations were counted.
func (h *Histogram) Count() uint64 { return h.n }

// Merge adds what another histogram counted.
func (h *Histogram) Merge(other *Histogram) {
	other.each(func(o, s int, n uint32) bool { h.put(o, s, n); return true })
	if other.full != nil && other.full.overflow > 0 {
		if h.full == nil {
			h.unfold()
		}
		h.n += other.full.overflow
		h.full.overflow += other.full.overflow
	}
}

// Quantile is the duration that a share q of all counted ones does not exceed,
// to within 0.8 percent; 0 if there are none.
func (h *Histogram) Quantile(q float64) (at time.Duration) {
	counted := h.n
	if h.full != nil {
		counted -= h.full.overflow
	}
	rank := max(uint64(math.Ceil(min(max(q, 0), 1)*float64(counted))), 1)
	var seen uint64
	h.each(func(o, s int, n uint32) bool {
		if seen += uint64(n); seen < rank {
			return true
		}
		from, width := bounds(o, s)
		at = time.Duration(from + (width-1)/2)
		return false
	})
	return at
}

// Bucket is a range of durations and how many were counted in it.
type Bucket struct {
	From, To time.Duration // [From, To)
	Count    uint64
}

// Buckets lists what is not empty, ascending, with per buckets for each power
// of two: 1 to 64, a power of two itself.
func (h *Histogram) Buckets(per int) []Bucket {
	per = min(max(per, 1), perOctave)
	group := perOctave / per
	var out []Bucket
	h.each(func(o, s int, n uint32) bool {
		from, width := bounds(o, s-s%group)
		if last := len(out) - 1; last >= 0 && out[last].From == time.Duration(from) {
			out[last].Count += uint64(n)
			return true
		}
		to := from + width*int64(group)
		if to < from {
			to = math.MaxInt64 // the last one of all
		}
		out = append(out, Bucket{time.Duration(from), time.Duration(to), uint64(n)})
		return true
	})
	return out
}
