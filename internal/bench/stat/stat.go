// Package stat says what may be concluded from several runs. The run is the sample: the
// seconds of one run depend on each other and prove nothing about the next run. No form of
// distribution is assumed: medians, ranks and order statistics.
package stat

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

const (
	// Alpha is the chance of an error of the first kind that is accepted: to call two
	// samples different that are not. Over a family of comparisons it is that of any.
	Alpha = 0.05
	// Confidence is that of intervals.
	Confidence = 1 - Alpha
	// MaxRuns bounds a sample: all pairs of two samples are looked at.
	MaxRuns = 400
	// exactRuns is up to where U is counted exactly; beyond, its distribution is normal.
	exactRuns = 50
)

// Median is that of a sample with its interval by order statistics.
type Median struct {
	Runs  int
	Value float64 // NaN: no runs
	// Low and High hold the true median with Confidence; NaN: too few runs (below 6).
	Low, High float64
}

// MedianOf is the median of finite values.
func MedianOf(values []float64) Median {
	if len(values) == 0 {
		return Median{0, math.NaN(), math.NaN(), math.NaN()}
	}
	s := benchmath.AssumeNothing.Summary(sample(values), Confidence)
	m := Median{len(values), s.Center, s.Lo, s.Hi}
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		m.Low, m.High = math.NaN(), math.NaN()
	}
	return m
}

func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.Thresholds{CompareAlpha: Alpha})
}

// Difference is what a sample says of its distance from a base.
type Difference struct {
	Runs [2]int // of the sample and of the base
	// Ratio is that of the medians, sample to base; NaN: the base's is 0.
	Ratio float64
	// Low and High hold the ratio with Confidence, by the ranks of the ratios of all
	// pairs of runs (Hodges and Lehmann); NaN: too few runs.
	Low, High float64
	// P is how likely ranks at least as different are without a difference: Mann-Whitney
	// U, two-sided. Adjusted is that in a family of comparisons (Holm); P if alone.
	P, Adjusted float64
	// Family is how many comparisons are made together, from 1.
	Family int
}

// Conclusion is what a difference lets one say.
type Conclusion int

// Conclusions. None of them says that two samples are equal.
const (
	TooFew    Conclusion = iota // no result of so few runs could show a difference
	NoneShown                   // none is shown: the interval bounds it
	Different
)

// String is the name of a conclusion.
func (c Conclusion) String() string {
	return [...]string{TooFew: "too few runs", NoneShown: "no difference shown", Different: "different"}[c]
}

// MarshalText is the name of a conclusion.
func (c Conclusion) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Conclusion is what may be said.
func (d *Difference) Conclusion() Conclusion {
	switch {
	case d.Adjusted <= Alpha:
		return Different
	case smallestP(d.Runs[0], d.Runs[1])*float64(max(d.Family, 1)) > Alpha:
		return TooFew
	}
	return NoneShown
}

// Bound is what a difference does not exceed, as a share: 0.02 says that none larger than
// 2 % is likely. NaN: not known.
func (d *Difference) Bound() float64 { return math.Max(math.Abs(1-d.Low), math.Abs(d.High-1)) }

// Compare compares a sample with a base. Values are finite and above 0.
func Compare(values, base []float64) Difference {
	nan := math.NaN()
	d := Difference{Runs: [2]int{len(values), len(base)}, Ratio: nan, Low: nan, High: nan, P: 1, Adjusted: 1, Family: 1}
	if len(values) == 0 || len(base) == 0 {
		return d
	}
	a, b := sample(values), sample(base)
	d.Ratio = benchmath.AssumeNothing.Summary(a, Confidence).Center / benchmath.AssumeNothing.Summary(b, Confidence).Center
	d.P = benchmath.AssumeNothing.Compare(a, b).P // 1 if all values are the same
	d.Adjusted = d.P
	if skip := skipped(len(values), len(base)); skip >= 0 {
		ratios := make([]float64, 0, len(values)*len(base))
		for _, x := range values {
			for _, y := range base {
				ratios = append(ratios, x/y)
			}
		}
		slices.Sort(ratios)
		// The ratio of the medians may lie beside what all pairs say.
		d.Low, d.High = min(ratios[skip], d.Ratio), max(ratios[len(ratios)-1-skip], d.Ratio)
	}
	return d
}

// skipped is how many of the ratios of all pairs lie outside of the interval, at each end: as
// many as U may be without being called different. Negative: there is no interval.
func skipped(n, m int) int {
	if n > exactRuns || m > exactRuns {
		a, b := float64(n), float64(m)
		return int(math.Floor(a*b/2-stats.StdNormal.InvCDF(1-Alpha/2)*math.Sqrt(a*b*(a+b+1)/12)-0.5)) - 1
	}
	// ways[k] is in how many orders of all runs U is k.
	ways := make([]float64, n*m+1)
	ways[0] = 1
	total := 1.0
	for i := 1; i <= n; i++ {
		for k := n * m; k >= m+i; k-- {
			ways[k] -= ways[k-m-i]
		}
		for k := i; k <= n*m; k++ {
			ways[k] += ways[k-i]
		}
		total *= float64(m+i) / float64(i)
	}
	k := 0
	for sum := ways[0]; sum <= total*Alpha/2; sum += ways[k] {
		k++
	}
	return k - 1
}

// smallestP is the least P that samples of these sizes can have: all of one above all of the
// other.
func smallestP(n, m int) float64 {
	ways, of := 1.0, float64(n+m)
	for i := range min(n, m) {
		ways *= (of - float64(i)) / float64(i+1)
	}
	return min(1, 2/ways)
}

// FewestRuns is how many runs a side it takes to show a difference among so many comparisons.
func FewestRuns(family int) int {
	n := 1
	for smallestP(n, n)*float64(max(family, 1)) > Alpha {
		n++
	}
	return n
}

// Holm adjusts the P of comparisons that are made together, so that the chance of calling any
// of them different by mistake is Alpha.
func Holm(family []*Difference) {
	ordered := slices.Clone(family)
	slices.SortStableFunc(ordered, func(a, b *Difference) int {
		switch {
		case a.P < b.P:
			return -1
		case a.P > b.P:
			return 1
		}
		return 0
	})
	least := 0.0
	for i, d := range ordered {
		least = max(least, min(1, d.P*float64(len(ordered)-i)))
		d.Adjusted, d.Family = least, len(ordered)
	}
}
