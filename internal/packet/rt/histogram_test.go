package rt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// Quantiles are within one percent of those of the sorted values, whatever the
// distribution.
func TestHistogramQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	distributions := map[string]func() float64{
		"small":      func() float64 { return float64(random.IntN(64)) },
		"uniform":    func() float64 { return random.Float64() * 1e9 },
		"log-normal": func() float64 { return math.Exp(random.NormFloat64()*2 + 13) },
		"two humps":  func() float64 { return []float64{1e6, 1e8}[random.IntN(2)] * (1 + random.Float64()/10) },
		"hours":      func() float64 { return random.ExpFloat64() * 3.6e12 },
	}
	for name, next := range distributions {
		var whole, half, other Histogram
		var values []int64
		for i := range 20000 {
			v := int64(next())
			values = append(values, v)
			whole.Add(time.Duration(v))
			if i%2 == 0 {
				half.Add(time.Duration(v))
			} else {
				other.Add(time.Duration(v))
			}
		}
		half.Merge(&other)
		slices.Sort(values)
		for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1} {
			rank := max(int(math.Ceil(q*float64(len(values)))), 1)
			want := float64(values[rank-1])
			got := float64(whole.Quantile(q))
			if math.Abs(got-want) > max(want*0.01, 0) {
				t.Errorf("%s: quantile %v is %v, want %v within a percent", name, q, got, want)
			}
			if merged := float64(half.Quantile(q)); merged != got {
				t.Errorf("%s: quantile %v of two merged halves is %v, of the whole %v", name, q, merged, got)
			}
		}
	}
}

func TestHistogramBuckets(t *testing.T) {
	var h Histogram
	for _, ms := range []int{1, 1, 3, 100, -5} {
		h.Add(time.Duration(ms) * time.Millisecond)
	}
	want := []Bucket{
		{0, 64, 1},
		{1 << 19, 1 << 20, 2},
		{1 << 21, 1 << 22, 1},
		{1 << 26, 1 << 27, 1},
	}
	if diff := cmp.Diff(want, h.Buckets(1)); diff != "" {
		t.Error(diff)
	}
	var n uint64
	for _, b := range h.Buckets(perOctave) {
		n += b.Count
	}
	if n != h.Count() || n != 5 {
		t.Errorf("buckets hold %d, count says %d, want 5", n, h.Count())
	}
}

// Every value lies in its bucket, and neighbours touch.
func TestBucketBounds(t *testing.T) {
	for _, v := range []int64{0, 1, 63, 64, 65, 127, 128, 1e6, 1e9, math.MaxInt64} {
		o, s := bucket(v)
		from, width := bounds(o, s)
		if v < from || v-from >= width {
			t.Errorf("%d is counted in [%d, +%d)", v, from, width)
		}
	}
}

func BenchmarkHistogramAdd(b *testing.B) {
	var h Histogram
	for i := range b.N {
		h.Add(time.Duration(i&0xffff) * time.Microsecond)
	}
}

// A histogram that holds few values by itself says the same as one that has room for
// all, also where both are merged and where a count is too large.
func TestHistogramOfFew(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for values := 1; values <= 2*maxFew; values++ {
		var few, full, both Histogram
		full.unfold()
		for range 100 {
			d, n := time.Duration(random.IntN(values))*time.Millisecond, uint32(1+random.IntN(10))
			few.AddN(d, n)
			full.AddN(d, n)
		}
		both.Merge(&full)
		if few.full == nil != (values <= maxFew) {
			t.Errorf("%d values: room for all buckets: %v", values, few.full != nil)
		}
		for _, h := range []*Histogram{&few, &both} {
			if diff := cmp.Diff(full.Buckets(64), h.Buckets(64)); diff != "" || h.Count() != full.Count() || h.Quantile(0.5) != full.Quantile(0.5) {
				t.Errorf("%d values: %d counted, want %d: %s", values, h.Count(), full.Count(), diff)
			}
		}
	}
	var large Histogram
	for range 3 {
		large.AddN(1, math.MaxUint32)
	}
	if large.Count() != 3*math.MaxUint32 || large.Quantile(1) != 1 {
		t.Errorf("three large counts are %d, the largest value %v", large.Count(), large.Quantile(1))
	}
	if size := unsafe.Sizeof(Histogram{}); size > 64 {
		t.Errorf("an empty histogram takes %d bytes", size)
	}
}
