package stat

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"
)

const (
	// MaxHistory bounds a series in which changes are looked for: all pairs are looked at.
	MaxHistory = 2000
	// changeAlpha is the P below which a change is kept, weakAlpha that below which a
	// series is parted first: a change in the middle of others shows only once these are.
	changeAlpha, weakAlpha = 0.001, 0.01
	// lastingRuns is how many runs make a level: with fewer on a side no difference from
	// any other level can be shown at Alpha.
	lastingRuns = 4
	// farOff is how many standard deviations a run is off that stands apart from those around
	// it: no noise that is near to normal goes so far.
	farOff = 5
	// maxAside bounds how often runs are set aside and changes are looked for again.
	maxAside = 20
)

// Change is where the level of a series of runs changes.
type Change struct {
	At, Last    int     // the first run of the new level, and the one before it
	Before, Now float64 // medians of the levels
	// P is that of a t-test between the levels before and after. It belongs to the best
	// of many places, so it orders changes rather than being the chance of an error.
	P float64
	// Size compares the level after with the one before.
	Size Difference
	// Lasting says that enough runs have the new level, up to the next change.
	Lasting bool
}

// Changes finds changes of level in values in order of time, by E-divisive means (Matteson
// and James 2014) with a t-test in place of permutations (Fleming and others 2023). A few runs far
// off those around them, or between two changes, are no level. They are given as apart and left
// out, since one of them is enough to hide a change. Values are finite and above 0, MaxHistory at
// most.
func Changes(values []float64) (changes []Change, apart []int) {
	var index []int // of what is left
	for i, off := range spikes(values) {
		if off {
			apart = append(apart, i)
		} else {
			index = append(index, i)
		}
	}
	at := changePoints(pick(values, index))
	for range maxAside {
		from, to := blip(at)
		if from < 0 {
			break
		}
		apart = append(apart, index[from:to]...)
		index = slices.Delete(index, from, to)
		at = changePoints(pick(values, index))
	}
	slices.Sort(apart)
	left := pick(values, index)
	for i, x := range at {
		before, after := neighbours(left, at, i)
		changes = append(changes, Change{At: index[x], Last: index[x-1], Before: MedianOf(before).Value, Now: MedianOf(after).Value, P: tTest(before, after), Size: Compare(after[:min(len(after), MaxRuns)], before[max(0, len(before)-MaxRuns):]), Lasting: len(after) >= lastingRuns})
	}
	return changes, apart
}

// spikes are values far off those around them, of which most are at one level: a run of a new
// level has others of it beside it.
func spikes(values []float64) []bool {
	off := make([]bool, len(values))
	const around = lastingRuns - 1
	if len(values) <= 2*around {
		return off
	}
	var steps []float64 // from one run to the next: a change of level is one of many
	for i, v := range values[1:] {
		steps = append(steps, math.Abs(v-values[i]))
	}
	far := farOff * normalMAD * median(steps) / math.Sqrt2
	for i := around; i+around < len(values); i++ {
		off[i] = math.Abs(values[i]-median(values[i-around:i+around+1])) > far
	}
	return off
}

// normalMAD makes a standard deviation of the median of absolute values, where these are normal.
const normalMAD = 1.4826

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func pick(values []float64, index []int) []float64 {
	var out []float64
	for _, i := range index {
		out = append(out, values[i])
	}
	return out
}

// blip finds the first runs that are too few for a level, with another level after them;
// negative: none.
func blip(at []int) (from, to int) {
	before := 0
	for _, x := range at {
		if x-before < lastingRuns {
			return before, x
		}
		before = x
	}
	return -1, -1
}

// neighbours are the levels before and after a change.
func neighbours(values []float64, at []int, i int) (before, after []float64) {
	from, to := 0, len(values)
	if i > 0 {
		from = at[i-1]
	}
	if i+1 < len(at) {
		to = at[i+1]
	}
	return values[from:at[i]], values[at[i]:to]
}

// changePoints parts a series until no part has a change that is likely, and joins again what
// does not hold beside its final neighbours.
func changePoints(values []float64) []int {
	var at []int
	for {
		place, best := -1, math.Inf(-1)
		ends := append(slices.Clone(at), len(values))
		from := 0
		for _, to := range ends {
			if x, q := divide(values[from:to]); x > 0 && q > best {
				place, best = from+x, q
			}
			from = to
		}
		if place < 0 {
			break
		}
		i, _ := slices.BinarySearch(at, place)
		with := slices.Insert(slices.Clone(at), i, place)
		before, after := neighbours(values, with, i)
		if tTest(before, after) >= weakAlpha {
			break
		}
		at = with
	}
	for len(at) > 0 {
		weakest, worst := -1, 0.0
		for i := range at {
			before, after := neighbours(values, at, i)
			if p := tTest(before, after); p >= changeAlpha && p >= worst {
				weakest, worst = i, p
			}
		}
		if weakest < 0 {
			break
		}
		at = slices.Delete(at, weakest, weakest+1)
	}
	return at
}

// divide finds the place at which what is before differs most from what comes then, up to any
// end: where the energy statistic of the two is largest. 0: the part is too short.
func divide(z []float64) (place int, largest float64) {
	n := len(z)
	largest = math.Inf(-1)
	if n < 2 {
		return 0, largest
	}
	// within[k] is the sum of all distances among the first k+1 values.
	within := make([]float64, n)
	for k := 1; k < n; k++ {
		within[k] = within[k-1]
		for i := range k {
			within[k] += math.Abs(z[i] - z[k])
		}
	}
	// column[k] is the sum of distances of values from tau on to value k.
	column := make([]float64, n)
	for tau := n - 1; tau >= 1; tau-- {
		left, leftPairs := within[tau-1], float64(tau-1)
		right := 0.0 // among values from tau to k
		for k := tau; k < n; k++ {
			if k > tau {
				column[k] += math.Abs(z[tau] - z[k])
			}
			right += column[k]
			a, b := float64(tau), float64(k-tau+1)
			q := within[k] - left - right
			if leftPairs > 0 {
				q -= b * left / leftPairs
			}
			if b > 1 {
				q -= a * right / (b - 1)
			}
			// Of places that are equally good the first counts.
			if q *= 2 / (a + b); q >= largest {
				place, largest = tau, q
			}
		}
	}
	return place, largest
}

// tTest is the P of Student's t-test, two-sided, with a common variance: one side may have a
// single run.
func tTest(a, b []float64) float64 {
	n, m := float64(len(a)), float64(len(b))
	if n == 0 || m == 0 || n+m < 3 {
		return 1
	}
	meanA, squaresA := moments(a)
	meanB, squaresB := moments(b)
	if meanA == meanB {
		return 1
	}
	deviation := math.Sqrt((squaresA + squaresB) / (n + m - 2) * (1/n + 1/m))
	if deviation == 0 {
		return 0
	}
	// Of small P stats.TDist leaves nothing.
	distance, freedom := (meanA-meanB)/deviation, n+m-2
	return mathx.BetaInc(freedom/(freedom+distance*distance), freedom/2, 0.5)
}

// moments are the mean, and the sum of squares of the distances from it.
func moments(values []float64) (mean, squares float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, squares
}
