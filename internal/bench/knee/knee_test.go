package knee

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rtrail/internal/document"
)

// cisco is a benchmark of a server with 1 to 32 clients, from B. Schwartz, Practical
// Scalability Analysis with the Universal Scalability Law, and what is found there.
var cisco = []float64{955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61, 8278.71, 8646.7, 9047.84, 9426.55, 9645.37, 9897.24,
	10097.6, 10240.5, 10532.39, 10798.52, 11151.43, 11518.63, 11806, 12089.37, 12075.41, 12177.29, 12211.41, 12158.93, 12155.27, 12118.04, 12140.4, 12074.39}

func points(throughput []float64) (all []Point) {
	for i, x := range throughput {
		all = append(all, Point{float64(i + 1), x})
	}
	return all
}

func TestLawOfABook(t *testing.T) {
	l, ok := solve(points(cisco))
	if !ok || math.Abs(l.Lambda-995.6486) > 0.001 || math.Abs(l.Sigma-0.02671591) > 1e-6 || math.Abs(l.Kappa-7.690945e-4) > 1e-8 {
		t.Errorf("%+v", l)
	}
}

// TestTwoRegimes: the same data bend between 18 and 19 clients.
func TestTwoRegimes(t *testing.T) {
	_, err := Find(points(cisco))
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(refused.Why, "up to 18 clients it scales in another way than from 19 on") {
		t.Error(err)
	}
}

// TestFindsTheLaw: intervals hold the truth, and what is one law is not taken for two.
func TestFindsTheLaw(t *testing.T) {
	truth := Law{1000, 0.05, 0.002}
	draw := rand.New(rand.NewPCG(7, 7))
	held, refused := 0, 0
	const tries = 40
	for range tries {
		var p []Point
		for n := 1.0; n <= 40; n += 3 {
			p = append(p, Point{n, truth.At(n) * (1 + 0.02*draw.NormFloat64())})
		}
		f, err := Find(p)
		if err != nil {
			refused++
			continue
		}
		if peak := document.Number(truth.Peak()); f.PeakInterval.From <= peak && peak <= f.PeakInterval.To {
			held++
		}
		if math.Abs(f.Most/truth.At(truth.Peak())-1) > 0.05 {
			t.Errorf("most %v", f.Most)
		}
	}
	if refused > 2 || held < tries*8/10 {
		t.Errorf("%d refused, %d intervals hold the peak, of %d", refused, held, tries)
	}
}

func TestRefused(t *testing.T) {
	grow := func(f func(n float64) float64, n int) []Point {
		var p []Point
		for i := range n {
			p = append(p, Point{float64(i + 1), f(float64(i + 1))})
		}
		return p
	}
	for _, tt := range []struct {
		name, why string
		points    []Point
	}{
		{"nothing", "at least 6 levels, these are 0", nil},
		{"five levels", "at least 6 levels, these are 5", points(cisco[:5])},
		{"failed runs", "these are 4", append(points(cisco[:4]), Point{5, 0}, Point{6, math.NaN()}, Point{7, -1}, Point{math.Inf(1), 3})},
		{"repeats are no levels", "these are 4", append(points(cisco[:4]), points(cisco[:4])...)},
		{"linear", "beyond the data", grow(func(n float64) float64 { return 100 * n }, 8)},
		{"still grows", "beyond the data", grow(Law{100, 0.01, 0.0001}.At, 10)},
		{"another law", "the best one is off by up to", []Point{{1, 24725}, {8, 159877}, {16, 252082}, {32, 304631}, {64, 299555}, {128, 287407}}},
		{"more than linear", "the best one is off by up to", grow(func(n float64) float64 { return 100 * n * n }, 8)},
	} {
		f, err := Find(tt.points)
		var refused *Refused
		if !errors.As(err, &refused) || !strings.Contains(refused.Why, tt.why) {
			t.Errorf("%s: %+v, %v", tt.name, f, err)
		}
	}
}
