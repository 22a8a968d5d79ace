package rt

import (
	"math"
	"math/bits"
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
// their value; up to 64 ns it is exact. The zero value is empty. Powers of two
// that hold nothing take no memory: a usual distribution takes 2 KB.
type Histogram struct {
	octave   [octaves]*[perOctave]uint32
	overflow uint64 // counts beyond what a bucket can hold
	n        uint64
	low      uint8 // first and last octave in use
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
	b := h.octave[o]
	if b == nil {
		b = new([perOctave]uint32)
		h.octave[o] = b
		if h.n == 0 {
			h.low, h.high = uint8(o), uint8(o)
		}
		h.low, h.high = min(h.low, uint8(o)), max(h.high, uint8(o))
	}
	h.n += uint64(n)
	if b[s] > math.MaxUint32-n {
		h.overflow += uint64(n)
		return
	}
	b[s] += n
}

// Count is how many durations were counted.
func (h *Histogram) Count() uint64 { return h.n }

// Merge adds what another histogram counted.
func (h *Histogram) Merge(other *Histogram) {
	for o, b := range other.octave {
		if b == nil {
			continue
		}
		for s, n := range b {
			if n > 0 {
				h.put(o, s, n)
			}
		}
	}
	h.n += other.overflow
	h.overflow += other.overflow
}

// Quantile is the duration that a share q of all counted ones does not exceed,
// to within 0.8 percent; 0 if there are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := uint64(math.Ceil(min(max(q, 0), 1) * float64(h.n-h.overflow)))
	rank = max(rank, 1)
	var seen uint64
	for o := int(h.low); o <= int(h.high); o++ {
		b := h.octave[o]
		if b == nil {
			continue
		}
		for s, n := range b {
			if seen += uint64(n); seen >= rank && n > 0 {
				from, width := bounds(o, s)
				return time.Duration(from + (width-1)/2)
			}
		}
	}
	return 0
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
	for o := int(h.low); o <= int(h.high) && h.n > 0; o++ {
		b := h.octave[o]
		if b == nil {
			continue
		}
		for s := 0; s < perOctave; s += group {
			var n uint64
			for _, c := range b[s : s+group] {
				n += uint64(c)
			}
			if n == 0 {
				continue
			}
			from, width := bounds(o, s)
			to := from + width*int64(group)
			if to < from {
				to = math.MaxInt64 // the last one of all
			}
			out = append(out, Bucket{time.Duration(from), time.Duration(to), n})
		}
	}
	return out
}
