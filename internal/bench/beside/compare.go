package beside

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Turn is one turn of the program: queries a second before, beside and after it.
type Turn struct{ Before, With, After float64 }

// Loss is how many fewer queries there were with the program, in percent.
func (t Turn) Loss() float64 { return 100 * (1 - 2*t.With/(t.Before+t.After)) }

// Noise is by how many percent both sides of the turn differ.
func (t Turn) Noise() float64 { return 100 * (1 - t.After/t.Before) }

// Rate measures the load for a time, in queries a second: before the program
// starts, while it runs, and when it has ended.
func (l *Load) Rate(length time.Duration) (float64, error) {
	from := time.Now()
	// The report of a second comes a little after its end.
	if err := l.wait(length + 100*time.Millisecond); err != nil {
		return 0, err
	}
	return l.rate(from, time.Now())
}

// Sum sums up turns.
type Sum struct {
	Loss, LossDoubt   float64 // percent, give or take
	Noise, NoiseDoubt float64
}

// SumUp takes the median of all turns.
func SumUp(turns []Turn) Sum {
	var losses, noises []float64
	for _, t := range turns {
		losses, noises = append(losses, t.Loss()), append(noises, t.Noise())
	}
	return Sum{Median(losses), DoubtOf(losses), Median(noises), DoubtOf(noises)}
}

// Report says whether the loss is as small as wanted, in percent.
func (s Sum) Report(want float64) string {
	verdict := "cannot be told"
	switch {
	case s.Loss+s.LossDoubt <= want:
		verdict = "reached"
	case s.Loss-s.LossDoubt > want:
		verdict = "NOT reached"
	}
	return fmt.Sprintf("%.2g percent fewer queries, give or take %.2g; wanted at most %g: %s\nboth sides of a turn differ by %.2g percent, give or take %.2g",
		s.Loss, s.LossDoubt, want, verdict, s.Noise, s.NoiseDoubt)
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
