package load

import (
	"fmt"
	"math"
)

// Where a load became steady is decided as in simulations: by MSER-5 (White, Cobb and Spratt,
// "A comparison of five steady-state truncation heuristics for simulation", WSC 2000). The
// seconds are taken in batches of five; what is cut off at the beginning is what makes the
// squared standard error of the mean of the rest smallest. A cut as late as the middle says that
// the series is too short, or never becomes steady.
const (
	batchSeconds = 5
	// fewestBatches is how many MSER-5 needs to say anything; with fewer the seconds are
	// taken one by one.
	fewestBatches = 8
	// fewestSeconds is how many seconds there must be.
	fewestSeconds = 6
	// tolerated is by how much a mean may be off because of seconds that are not steady: runs of
	// one server on an idle host differ by as much (Percona), so that nobody can tell.
	tolerated = 0.03
)

// Steadiness is what a series of numbers says of itself.
type Steadiness struct {
	Judged bool // there were enough numbers
	// Cut is how many seconds at the beginning are not steady.
	Cut int
	// Off is by how much the mean of what was to be measured is off, as a share, because of
	// seconds before Cut.
	Off float64
	// Never says that the series did not become steady, and Drift by how much the last quarter is
	// more than the one before, as a share of their mean.
	Never bool
	Drift float64
}

// Steady judges the rates of successive seconds, the first of which are the warm-up that was
// asked for.
func Steady(rates []float64, warmup int) (s Steadiness) {
	if len(rates) < fewestSeconds || warmup >= len(rates) {
		return s
	}
	size := batchSeconds
	if len(rates) < batchSeconds*fewestBatches {
		size = 1
	}
	n := len(rates) / size
	batches := make([]float64, n)
	for i := range batches {
		batches[i] = mean(rates[i*size : (i+1)*size])
	}
	best, at := math.Inf(1), 0
	// The second half has no candidates: the fewer batches are left, the more alike they are by
	// chance. A series that goes on changing is cut as late as it can be.
	for d := 0; d <= n/2; d++ {
		if e := squaredError(batches[d:]); e < best {
			best, at = e, d
		}
	}
	s.Judged, s.Cut = true, at*size
	if at == n/2 {
		s.Drift = halves(rates[s.Cut:])
		// The halves are as far from their mean.
		s.Never = !(math.Abs(s.Drift) <= 2*tolerated) && mean(rates[s.Cut:]) > 0
	}
	if s.Cut > warmup && !s.Never && mean(rates[s.Cut:]) > 0 {
		s.Off = mean(rates[warmup:])/mean(rates[s.Cut:]) - 1
	}
	return s
}

// Late says that the warm-up was too short to measure all that follows it.
func (s Steadiness) Late() bool { return !(math.Abs(s.Off) <= tolerated) }

// squaredError is the statistic of MSER: the sum of squares over the square of how many.
func squaredError(v []float64) float64 {
	m := mean(v)
	sum := 0.0
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return sum / float64(len(v)*len(v))
}

// halves is by how much the second half is more than the first, as a share of the mean.
func halves(v []float64) float64 {
	half := len(v) / 2
	return (mean(v[len(v)-half:]) - mean(v[:half])) / mean(v)
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// steady judges a load whose warm-up cannot be cut afterwards.
func (o *Outcome) steady(rates []float64, warmup int) {
	o.Steady = Steady(rates, warmup)
	switch {
	case !o.Steady.Judged:
		o.Notes = append(o.Notes, fmt.Sprintf("too short to say whether the load became steady: that takes %d seconds", fewestSeconds))
	case o.Steady.Never:
		o.Invalid = append(o.Invalid, fmt.Sprintf("never became steady: the last quarter has %s than the one before; give it more time", more(o.Steady.Drift)))
	case o.Steady.Late():
		o.Invalid = append(o.Invalid, fmt.Sprintf("measured while still warming up, which gives %s: it became steady after %d s, and the warm-up was %d s", more(o.Steady.Off), o.Steady.Cut, warmup))
	}
}

// more words a relative difference: "17 % less".
func more(difference float64) string {
	if difference < 0 {
		return fmt.Sprintf("%.0f %% less", -100*difference)
	}
	return fmt.Sprintf("%.0f %% more", 100*difference)
}
