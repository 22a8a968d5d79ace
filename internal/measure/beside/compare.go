package beside

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Rate is what a load did in a time.
type Rate struct {
	Queries float64 // a second
	CPU     float64 // seconds of CPU time that the whole machine used for a query, without what the hypervisor took
}

// Turn is one turn of the program: the load before, beside and after it.
type Turn struct{ Before, With, After Rate }

// Loss is how many fewer queries there were with the program, in percent.
func (t Turn) Loss() float64 { return 100 * (1 - 2*t.With.Queries/(t.Before.Queries+t.After.Queries)) }

// Noise is by how many percent both sides of the turn differ.
func (t Turn) Noise() float64 { return 100 * (1 - t.After.Queries/t.Before.Queries) }

// Cost is how many fewer queries the same CPU time answers with the program, in
// percent. Where the load has all CPUs, that is what it loses. What the
// hypervisor takes is not in it; that the CPUs are slower in one second than in
// the next, is.
func (t Turn) Cost() float64 { return 100 * (1 - (t.Before.CPU+t.After.CPU)/2/t.With.CPU) }

// CostNoise is by how many percent both sides of the turn differ in CPU time for
// a query.
func (t Turn) CostNoise() float64 { return 100 * (1 - t.Before.CPU/t.After.CPU) }

// Rate measures the load for a time: before the program starts, while it runs,
// and when it has ended.
func (l *Load) Rate(length time.Duration) (Rate, error) {
	from := time.Now()
	// The report of a second comes a little after its end.
	if err := l.wait(length + 100*time.Millisecond); err != nil {
		return Rate{}, err
	}
	return l.rate(from, time.Now())
}

// Percent is a median in percent, give or take its doubt.
type Percent struct{ Median, Doubt float64 }

func percentOf(turns []Turn, of func(Turn) float64) Percent {
	var list []float64
	for _, t := range turns {
		list = append(list, of(t))
	}
	return Percent{Median(list), DoubtOf(list)}
}

// judge says whether it is at most what is wanted.
func (p Percent) judge(want float64) string {
	switch {
	case p.Median+p.Doubt <= want:
		return "reached"
	case p.Median-p.Doubt > want:
		return "NOT reached"
	}
	return "cannot be told"
}

// Sum sums up turns, with the median of all.
type Sum struct{ Loss, Noise, Cost, CostNoise Percent }

// SumUp takes the median of all turns.
func SumUp(turns []Turn) Sum {
	return Sum{percentOf(turns, Turn.Loss), percentOf(turns, Turn.Noise), percentOf(turns, Turn.Cost), percentOf(turns, Turn.CostNoise)}
}

// Report says whether the loss is as small as wanted, in percent.
func (s Sum) Report(want float64) string {
	const line = "%.2g percent fewer queries %s, give or take %.2g; wanted at most %g: %s (both sides of a turn differ by %.2g percent, give or take %.2g)"
	return fmt.Sprintf(line+"\n"+line,
		s.Loss.Median, "a second", s.Loss.Doubt, want, s.Loss.judge(want), s.Noise.Median, s.Noise.Doubt,
		s.Cost.Median, "for the same CPU time", s.Cost.Doubt, want, s.Cost.judge(want), s.CostNoise.Median, s.CostNoise.Doubt)
}

// Median is the middle of a list that is not empty.
func Median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// DoubtOf is two standard errors of the median: that of a normal distribution, by
// the median of the distances from it, which outliers do not move.
func DoubtOf(list []float64) float64 {
	middle := Median(list)
	var away []float64
	for _, x := range list {
		away = append(away, math.Abs(x-middle))
	}
	const deviation, ofMedian = 1.4826, 1.2533 // sigma of the median of distances; sqrt(pi/2)
	return 2 * ofMedian * deviation * Median(away) / math.Sqrt(float64(len(list)))
}
