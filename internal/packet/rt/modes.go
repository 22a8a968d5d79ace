package rt

import (
	"math"
	"time"
)

// Mode is a hump of a distribution of response times.
type Mode struct {
	At       time.Duration // where it is highest
	From, To time.Duration // up to the valleys beside it
	Count    uint64
	Share    float64 // of all, 0 to 1
}

const (
	// modesPerOctave is the resolution at which humps are looked for: one bin is
	// nine percent wide.
	modesPerOctave = 8
	// Two humps are two if the valley between them is less than this share of the
	// lower one; a shallower dip is a shoulder.
	valleyShare = 0.5
	// A hump must hold this share of all, and so many counts: less is a tail.
	modeShare = 0.01
	modeCount = 20
	// A valley must lie this many standard deviations of counting noise (the
	// square root of a count) under the lower hump.
	valleySigmas = 4
)

// Modes finds the humps of a distribution, ascending; buckets are those of
// Histogram.Buckets with at least modesPerOctave per power of two.
//
// Two of them with a hollow gap mean throttling or queueing in batches; humps at
// multiples of one time mean that jobs of that length wait for workers.
func Modes(buckets []Bucket) []Mode {
	bins, first, total := spread(buckets)
	if total == 0 {
		return nil
	}
	smooth := smoothed(bins)
	var peaks []int // indexes of humps that are told apart so far
	for i := range smooth {
		if !isPeak(smooth, i) {
			continue
		}
		for len(peaks) > 0 && !apart(smooth, peaks[len(peaks)-1], i) {
			// One hump: the higher of the two stands for it.
			if smooth[peaks[len(peaks)-1]] >= smooth[i] {
				i = peaks[len(peaks)-1]
			}
			peaks = peaks[:len(peaks)-1]
		}
		peaks = append(peaks, i)
	}
	var modes []Mode
	from := 0
	for n, p := range peaks {
		to := len(bins)
		if n+1 < len(peaks) {
			to = valley(smooth, p, peaks[n+1])
		}
		m := Mode{At: center(first + p), From: edge(first + from), To: edge(first + to)}
		for _, c := range bins[from:to] {
			m.Count += uint64(c)
		}
		m.Share = float64(m.Count) / float64(total)
		if m.Share >= modeShare && m.Count >= modeCount || len(peaks) == 1 {
			modes = append(modes, m)
		}
		from = to
	}
	return modes
}

// bin is the place of a duration on the logarithmic axis.
func bin(d time.Duration) int { return int(math.Floor(math.Log2(float64(max(d, 1))) * modesPerOctave)) }

func edge(bin int) time.Duration { return time.Duration(math.Exp2(float64(bin) / modesPerOctave)) }

func center(bin int) time.Duration {
	return time.Duration(math.Exp2((float64(bin) + 0.5) / modesPerOctave))
}

// spread puts buckets on the logarithmic axis, empty bins included.
func spread(buckets []Bucket) (bins []float64, first int, total uint64) {
	for _, b := range buckets {
		total += b.Count
	}
	if total == 0 {
		return nil, 0, 0
	}
	middle := func(b Bucket) int { return bin(b.From + (b.To-b.From)/2) }
	first = middle(buckets[0])
	bins = make([]float64, middle(buckets[len(buckets)-1])-first+1)
	for _, b := range buckets {
		bins[middle(b)-first] += float64(b.Count)
	}
	return bins, first, total
}

// smoothed takes the edge off counting noise: each bin gets half of itself and
// a quarter of each neighbour, twice.
func smoothed(bins []float64) []float64 {
	at := func(list []float64, i int) float64 {
		if i < 0 || i >= len(list) {
			return 0
		}
		return list[i]
	}
	for range 2 {
		next := make([]float64, len(bins))
		for i := range bins {
			next[i] = at(bins, i)/2 + at(bins, i-1)/4 + at(bins, i+1)/4
		}
		bins = next
	}
	return bins
}

func isPeak(bins []float64, i int) bool {
	return bins[i] > 0 && (i == 0 || bins[i-1] < bins[i]) && (i == len(bins)-1 || bins[i+1] <= bins[i])
}

// valley is the lowest bin between two.
func valley(bins []float64, a, b int) int {
	low := a
	for i := a; i <= b; i++ {
		if bins[i] < bins[low] {
			low = i
		}
	}
	return low
}

// apart says whether the dip between two humps is one.
func apart(bins []float64, a, b int) bool {
	lower := min(bins[a], bins[b])
	low := bins[valley(bins, a, b)]
	return low < lower*valleyShare && lower-low > valleySigmas*math.Sqrt(lower)
}

// Centers are the medians of modes, which are more exact than their highest
// bins. What lies before the first or after the last one belongs to it. Buckets
// are all those that the modes were found in, or finer ones.
func Centers(buckets []Bucket, modes []Mode) []time.Duration {
	out := make([]time.Duration, len(modes))
	for i, m := range modes {
		if i == 0 {
			m.From = 0
		}
		if i == len(modes)-1 {
			m.To = math.MaxInt64
		}
		out[i] = medianOf(buckets, m)
	}
	return out
}

func medianOf(buckets []Bucket, m Mode) time.Duration {
	var n, seen uint64
	inside := func(b Bucket) bool { return b.From >= m.From && b.From < m.To }
	for _, b := range buckets {
		if inside(b) {
			n += b.Count
		}
	}
	for _, b := range buckets {
		if !inside(b) {
			continue
		}
		if seen += b.Count; 2*seen >= n {
			return b.From + (b.To-b.From-1)/2
		}
	}
	return m.At
}
