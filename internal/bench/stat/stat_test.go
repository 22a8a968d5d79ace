package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sources are how runs of one thing spread, around 1.
var sources = map[string]func(r *rand.Rand) float64{
	"normal": func(r *rand.Rand) float64 { return 1 + 0.025*r.NormFloat64() },
	"skewed": func(r *rand.Rand) float64 { return math.Exp(-0.03 * r.ExpFloat64()) },
	"with slow runs": func(r *rand.Rand) float64 {
		v := 1 + 0.02*r.NormFloat64()
		if r.Float64() < 0.1 {
			v *= 0.9
		}
		return v
	},
	"rounded": func(r *rand.Rand) float64 { return math.Round(100*(1+0.025*r.NormFloat64())) / 100 },
}

func runs(r *rand.Rand, n int, level float64, source func(*rand.Rand) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = level * source(r)
	}
	return out
}

func TestSameThingIsSeldomCalledDifferent(t *testing.T) {
	for name, source := range sources {
		for _, sizes := range [][2]int{{10, 10}, {5, 5}, {4, 12}, {20, 20}} {
			r := rand.New(rand.NewPCG(20, uint64(sizes[0])))
			const rounds, pairs = 20, 50
			alone, together, worst := 0, 0, 0
			for range rounds {
				var family []*Difference
				for range pairs {
					d := Compare(runs(r, sizes[0], 1000, source), runs(r, sizes[1], 1000, source))
					if d.Conclusion() == Different {
						alone++
					}
					family = append(family, &d)
				}
				Holm(family)
				n := 0
				for _, d := range family {
					if d.Conclusion() == Different {
						n++
					}
				}
				together, worst = together+n, max(worst, n)
			}
			// Alone, 5 % is what is to be expected: 7 in 1,000 is its standard error.
			if alone > rounds*pairs*7/100 {
				t.Errorf("%s, %d runs: %d of %d pairs are called different", name, sizes, alone, rounds*pairs)
			}
			if worst > pairs/20 || together > rounds/5 {
				t.Errorf("%s, %d runs: adjusted, %d of %d pairs in a matrix, %d in %d matrices", name, sizes, worst, pairs, together, rounds)
			}
			t.Logf("%s, %d runs: %d of %d pairs alone, %d in %d matrices of 50", name, sizes, alone, rounds*pairs, together, rounds)
		}
	}
}

func TestFivePercentAreFound(t *testing.T) {
	for _, spread := range []float64{0.02, 0.025, 0.03} {
		source := func(r *rand.Rand) float64 { return 1 + spread*r.NormFloat64() }
		r := rand.New(rand.NewPCG(5, 5))
		const pairs = 400
		found, held := 0, 0
		for range pairs {
			d := Compare(runs(r, 10, 950, source), runs(r, 10, 1000, source))
			if d.Conclusion() == Different {
				found++
			}
			if d.Low <= 0.95 && d.High >= 0.95 {
				held++
			}
		}
		if found < pairs*8/10 {
			t.Errorf("spread %v: %d of %d are found", spread, found, pairs)
		}
		if held < pairs*93/100 {
			t.Errorf("spread %v: the interval holds the ratio in %d of %d", spread, held, pairs)
		}
		t.Logf("spread %v: %d of %d are found, the interval holds %d", spread, found, pairs, held)
	}
}

// In a matrix of 24 steps all of which differ.
func TestFivePercentAreFoundInAMatrix(t *testing.T) {
	source := func(r *rand.Rand) float64 { return 1 + 0.02*r.NormFloat64() }
	r := rand.New(rand.NewPCG(24, 5))
	found, of := 0, 0
	for range 20 {
		var family []*Difference
		for range 24 {
			d := Compare(runs(r, 10, 950, source), runs(r, 10, 1000, source))
			family = append(family, &d)
		}
		Holm(family)
		for _, d := range family {
			of++
			if d.Conclusion() == Different {
				found++
			}
		}
	}
	if found < of*8/10 {
		t.Errorf("%d of %d are found", found, of)
	}
	t.Logf("%d of %d are found", found, of)
}

func TestFewRunsConcludeNothing(t *testing.T) {
	for n := 0; n < 4; n++ {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = 1+float64(i)/100, 2+float64(i)/100
		}
		d := Compare(a, b)
		if d.Conclusion() != TooFew || !math.IsNaN(d.Low) || !math.IsNaN(d.Bound()) {
			t.Errorf("%d runs: %+v", n, d)
		}
	}
	d := Compare([]float64{1, 1.01, 1.02, 1.03}, []float64{2, 2.01, 2.02, 2.03})
	if d.Conclusion() != Different || d.Low > d.Ratio || d.High < d.Ratio || d.High > 0.53 {
		t.Errorf("4 runs: %+v", d)
	}
	if Holm([]*Difference{&d, {P: 1, Runs: [2]int{4, 4}}}); d.Conclusion() != TooFew {
		t.Errorf("4 runs in a family of two: %+v", d)
	}
}

func TestFewestRuns(t *testing.T) {
	for family, want := range map[int]int{0: 4, 1: 4, 2: 5, 24: 7, 240: 8} {
		if got := FewestRuns(family); got != want {
			t.Errorf("%d comparisons: %d runs, want %d", family, got, want)
		}
	}
}

// The interval leaves 1 out if and only if the test without adjustment says different.
func TestIntervalAndTestAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		n, m := 4+r.IntN(12), 4+r.IntN(12)
		d := Compare(runs(r, n, 970, sources["normal"]), runs(r, m, 1000, sources["normal"]))
		if out := d.Low > 1 || d.High < 1; out != (d.P <= Alpha) && (d.Ratio < 1) == (d.High < 1) {
			t.Errorf("%d and %d runs: %+v", n, m, d)
		}
	}
}

func TestIntervalOfManyRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	d := Compare(runs(r, 300, 950, sources["skewed"]), runs(r, 200, 1000, sources["skewed"]))
	if d.Low > 0.95 || d.High < 0.95 || d.High-d.Low > 0.02 {
		t.Errorf("%+v", d)
	}
	if a, b := skipped(50, 50), skipped(51, 50); a < 900 || b < a || b > a+60 {
		t.Errorf("counted %d, by the normal distribution %d", a, b)
	}
}

func TestMedian(t *testing.T) {
	if m := MedianOf([]float64{3, 1, 2}); m.Value != 2 || !math.IsNaN(m.Low) {
		t.Errorf("%+v", m)
	}
	if m := MedianOf([]float64{6, 5, 4, 3, 2, 1}); m.Value != 3.5 || m.Low != 1 || m.High != 6 {
		t.Errorf("%+v", m)
	}
	if m := MedianOf(nil); m.Runs != 0 || !math.IsNaN(m.Value) {
		t.Errorf("%+v", m)
	}
}

func TestSelfFindsDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var calm, drifting, alternate Self
	for range 24 {
		values := runs(r, 10, 1000, sources["normal"])
		calm.Add(Halves(values))
		for i := range values {
			values[i] *= 1 - 0.01*float64(i)
		}
		drifting.Add(Halves(values))
		alternate.Add(Alternate(values))
	}
	if calm.Fails() || calm.Pairs != 24 || !drifting.Fails() || alternate.Fails() {
		t.Errorf("%+v %+v %+v", calm, drifting, alternate)
	}
	var none Self
	if none.Add([]float64{1, 2}, []float64{3, 4}); none.Pairs != 0 || none.Fails() {
		t.Errorf("%+v", none)
	}
}
