package load

import (
	"math"
	"math/rand/v2"
	"testing"
)

func series(n int, f func(i int) float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

func TestSteady(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func() float64 { return 1 + .02*r.NormFloat64() }
	for _, tt := range []struct {
		name                string
		rates               []float64
		warmup              int
		judged, never, late bool
	}{
		{"flat", series(40, func(int) float64 { return 1000 * noise() }), 10, true, false, false},
		{"constant", series(40, func(int) float64 { return 1000 }), 10, true, false, false},
		{"warm within the warm-up", series(60, func(i int) float64 { return 1000 * (1 - math.Exp(-float64(i)/3)) * noise() }), 15, true, false, false},
		{"cold in the first third", series(60, func(i int) float64 { return 1000 * (1 - .8*math.Exp(-2*float64(i/5))) * noise() }), 0, true, false, true},
		{"half of it is slow", series(60, func(i int) float64 { return map[bool]float64{true: 500, false: 1000}[i < 20] * noise() }), 10, true, false, true},
		{"grows all the time", series(60, func(i int) float64 { return 1000 + 20*float64(i) }), 10, true, true, false},
		{"one slow second", series(60, func(i int) float64 { return map[bool]float64{true: 900, false: 1000}[i == 15] * noise() }), 10, true, false, false},
		{"too short", series(5, func(int) float64 { return 1000 }), 1, false, false, false},
		{"nothing is served", series(40, func(int) float64 { return 0 }), 10, true, false, false},
		{"short", series(13, func(int) float64 { return 1000 * noise() }), 3, true, false, false},
	} {
		if s := Steady(tt.rates, tt.warmup); s.Judged != tt.judged || s.Never != tt.never || s.Late() != tt.late {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
}

// What is steady is called so, however long it takes.
func TestNoiseIsSteady(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{12, 20, 40, 100, 300} {
		accused := 0
		const tries = 200
		for range tries {
			if s := Steady(series(n, func(int) float64 { return 1000 * (1 + .02*r.NormFloat64()) }), n/4); s.Never || s.Late() {
				accused++
			}
		}
		if accused > tries/50 {
			t.Errorf("of %d seconds %d of %d series are said not to be steady", n, accused, tries)
		}
	}
}
