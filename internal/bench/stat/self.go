package stat

import "github.com/aclements/go-moremath/stats"

// failsBelow is the chance by which a check of a thing with itself fails although nothing is
// wrong.
const failsBelow = 0.01

// Self is what comparisons of a thing with itself say: halves of the same runs are compared,
// each pair by itself. If more than Alpha of them are called different, runs depend on each
// other or on the time, and intervals and conclusions of other comparisons are too sure.
type Self struct {
	Pairs     int     `json:"pairs"` // that had runs enough
	Different int     `json:"different"`
	P         float64 `json:"p"` // how likely so many are if all is well
}

// Fails says that more pairs are different than chance explains.
func (s Self) Fails() bool { return s.Pairs > 0 && s.P < failsBelow }

// Add compares two halves.
func (s *Self) Add(a, b []float64) {
	if smallestP(len(a), len(b)) > Alpha {
		return
	}
	s.Pairs++
	if d := Compare(a, b); d.Conclusion() == Different {
		s.Different++
	}
	s.P = 1
	if s.Different > 0 {
		s.P = 1 - stats.BinomialDist{N: s.Pairs, P: Alpha}.CDF(float64(s.Different-1))
	}
}

// Alternate parts values in order into every second one and the others.
func Alternate(values []float64) (a, b []float64) {
	for i, v := range values {
		if i%2 == 0 {
			a = append(a, v)
		} else {
			b = append(b, v)
		}
	}
	return a, b
}

// Halves parts values in order into the first half and the second; a middle one is in none.
func Halves(values []float64) (a, b []float64) {
	return values[:len(values)/2], values[(len(values)+1)/2:]
}
