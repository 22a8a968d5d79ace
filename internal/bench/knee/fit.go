package knee

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rtrail/internal/document"
)

const (
	// FewestLevels is how many levels a fit needs: three coefficients, and as many levels
	// that can contradict them.
	FewestLevels = 6
	// fewestOfRegime is how many levels a regime needs: one more than coefficients.
	fewestOfRegime = 4
	// resamples is how many bootstrap samples give intervals.
	resamples = 400
	// regimeFrom is the misfit from which two regimes matter: what differs between good and
	// bad runs on an idle machine (3 %).
	regimeFrom = 0.03
	// mostOff is how far a law may be off: one that errs by a tenth says nothing of a knee at
	// the last twentieth.
	mostOff = 0.1
	// regimeChance is how likely errors alone may look like two regimes.
	regimeChance = 0.01
)

// Interval holds 95 % of the bootstrap samples.
type Interval struct {
	From document.Number `json:"from"`
	To   document.Number `json:"to"` // infinite, null in JSON: no bound
}

// Fit is what the law says of a closed loop.
type Fit struct {
	Law    Law      `json:"law"`
	Lambda Interval `json:"lambda_interval"`
	Sigma  Interval `json:"sigma_interval"`
	Kappa  Interval `json:"kappa_interval"`
	// Peak is how many clients get the most, and Most what they get.
	Peak         float64  `json:"peak_clients"`
	PeakInterval Interval `json:"peak_clients_interval"`
	Most         float64  `json:"peak_per_second"`
	Worst        float64  `json:"largest_error"` // share by which the law is off at worst
}

// Refused is why no law is told.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

// Find fits the law; a *Refused says why it cannot be told.
func Find(points []Point) (*Fit, error) {
	points = slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		return !(p.Clients >= 1 && p.Throughput > 0 && !math.IsInf(p.Throughput, 0) && !math.IsInf(p.Clients, 0))
	})
	at := levels(points)
	if len(at) < FewestLevels {
		return nil, &Refused{fmt.Sprintf("a scalability law needs at least %d levels, these are %d", FewestLevels, len(at))}
	}
	law, ok := solve(points)
	if !ok {
		return nil, &Refused{"no scalability law fits: throughput grows by more than the clients"}
	}
	fit := &Fit{Law: law}
	for _, p := range points {
		fit.Worst = max(fit.Worst, math.Abs(p.Throughput/law.At(p.Clients)-1))
	}
	if below, ok := regimes(law, points, at); ok {
		return nil, &Refused{fmt.Sprintf("two regimes: up to %.0f clients it scales in another way than from %.0f on, and one law is off by up to %.0f %%", at[below-1], at[below], 100*fit.Worst)}
	}
	if fit.Worst > mostOff {
		return nil, &Refused{fmt.Sprintf("the best one is off by up to %.0f %%", 100*fit.Worst)}
	}
	fit.Peak = law.Peak()
	last := at[len(at)-1]
	if fit.Peak > last {
		return nil, &Refused{fmt.Sprintf("the peak lies beyond the data: no more than %.0f clients were tried, and throughput still grows there", last)}
	}
	fit.Most = law.At(fit.Peak)
	fit.intervals(points)
	return fit, nil
}

// intervals draws the errors again and again.
func (f *Fit) intervals(points []Point) {
	draw := source()
	var lambda, sigma, kappa, peak []float64
	for range resamples {
		if l, ok := solve(resample(f.Law, points, draw)); ok {
			lambda, sigma, kappa, peak = append(lambda, l.Lambda), append(sigma, l.Sigma), append(kappa, l.Kappa), append(peak, l.Peak())
		}
	}
	f.Lambda, f.Sigma, f.Kappa, f.PeakInterval = middle(lambda), middle(sigma), middle(kappa), middle(peak)
}

// source gives the same answer for the same data.
func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// middle is the interval between the 2.5th and the 97.5th percentile.
func middle(values []float64) Interval {
	if len(values) == 0 {
		return Interval{document.Number(math.NaN()), document.Number(math.NaN())}
	}
	slices.Sort(values)
	last := float64(len(values) - 1)
	return Interval{document.Number(values[int(math.Round(0.025*last))]), document.Number(values[int(math.Round(0.975*last))])}
}

// regimes says whether two laws, one up to a level and one from the next on, explain the
// points so much better than one that errors alone do not look like it, and where the one
// law is off by what matters; below is how many levels the first has.
func regimes(one Law, points []Point, at []float64) (below int, ok bool) {
	worst := 0.0
	for _, p := range points {
		worst = max(worst, math.Abs(p.Throughput/one.At(p.Clients)-1))
	}
	if worst < regimeFrom {
		return 0, false
	}
	below, gain := split(one, points, at)
	if below == 0 {
		return 0, false
	}
	draw, as := source(), 0
	for range resamples {
		again := resample(one, points, draw)
		l, ok := solve(again)
		if !ok {
			continue
		}
		if _, by := split(l, again, at); by >= gain {
			as++
		}
	}
	return meets(one, points, at, below), float64(as) < regimeChance*resamples
}

// meets is where two regimes meet: near the split at which they explain most, one law for
// both is furthest off.
func meets(one Law, points []Point, at []float64, split int) int {
	off := make([]float64, len(at))
	for i, n := range at {
		sum, count := 0.0, 0.0
		for _, p := range points {
			if p.Clients == n {
				sum, count = sum+p.Throughput, count+1
			}
		}
		off[i] = math.Abs(sum/count/one.At(n) - 1)
	}
	last := split - 1 // the last level of the first regime
	for last > 0 && off[last-1] > off[last] {
		last--
	}
	for last < len(at)-2 && off[last+1] > off[last] {
		last++
	}
	return last + 1
}

// split is the best place to part the levels, and by which factor two laws have less squares
// of errors than one.
func split(one Law, points []Point, at []float64) (below int, gain float64) {
	whole := squares(one, points)
	for n := fewestOfRegime; n <= len(at)-fewestOfRegime; n++ {
		var low, high []Point
		for _, p := range points {
			if p.Clients < at[n] {
				low = append(low, p)
			} else {
				high = append(high, p)
			}
		}
		a, okA := solve(low)
		b, okB := solve(high)
		if !okA || !okB {
			continue
		}
		if by := whole / max(squares(a, low)+squares(b, high), 1e-12*whole); by > gain {
			below, gain = n, by
		}
	}
	return below, gain
}
