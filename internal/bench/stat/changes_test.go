package stat

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChangesAgreeWithOtava compares with what Apache Otava found in the same series
// (testdata/judge_otava.py): as it is released, but for three series in which its P are off, and
// with that repaired in all of them.
func TestChangesAgreeWithOtava(t *testing.T) {
	text, err := os.ReadFile("testdata/otava.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Values        []float64
		At, Corrected []int
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	found, released := 0, 0
	for i, c := range cases {
		got := append([]int{}, changePoints(c.Values)...)
		if diff := cmp.Diff(c.Corrected, got); diff != "" {
			t.Errorf("series %d of %d (-Otava +ours):\n%s", i, len(c.Values), diff)
		}
		if cmp.Equal(c.At, got) {
			released++
		}
		found += len(got)
	}
	if found < 90 || released < len(cases)-3 {
		t.Errorf("%d changes in all, %d of %d series as released", found, released, len(cases))
	}
}

func noise(r *rand.Rand, n int, level, spread float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = level * (1 + spread*r.NormFloat64())
	}
	return out
}

func TestChangeHasPlaceAndSize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := append(noise(r, 20, 1000, 0.01), noise(r, 15, 900, 0.01)...)
	changes, apart := Changes(values)
	if len(changes) != 1 || len(apart) != 0 {
		t.Fatal(changes, apart)
	}
	if c := changes[0]; c.At != 20 || !c.Lasting || c.Size.Low > 0.9 || c.Size.High < 0.9 || c.Size.High > 0.92 || c.Size.Conclusion() != Different {
		t.Errorf("%+v", c)
	}
}

func TestOneRunIsNoLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := noise(r, 40, 1000, 0.01)
	values[17] = 700
	if changes, apart := Changes(values); len(changes) != 0 || !slices.Equal(apart, []int{17}) {
		t.Error(changes, apart)
	}
	values = append(append(noise(r, 40, 1000, 0.01), 500, 505, 495), noise(r, 20, 900, 0.01)...)
	changes, apart := Changes(values)
	if diff := cmp.Diff([]int{40, 41, 42}, apart); diff != "" || len(changes) != 1 || changes[0].At != 43 {
		t.Error(changes, diff)
	}
	values = append(noise(r, 40, 1000, 0.01), 700)
	if changes, apart = Changes(values); len(changes) != 1 || changes[0].At != 40 || changes[0].Lasting || len(apart) != 0 {
		t.Error(changes, apart)
	}
}

// One bad run, or three, do not hide a change.
func TestBadRunsHideNoChange(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for bad := 1; bad < lastingRuns; bad++ {
		values := append(noise(r, 25, 1000, 0.02), noise(r, 15, 900, 0.02)...)
		for i := range bad {
			values[10+i] = 300
		}
		changes, apart := Changes(values)
		if len(changes) != 1 || changes[0].At != 25 || len(apart) != bad {
			t.Errorf("%d bad runs: %v, apart %v", bad, changes, apart)
		}
	}
}

func TestQuietHistoriesHaveFewChanges(t *testing.T) {
	r, with, aside := rand.New(rand.NewPCG(5, 6)), 0, 0
	for range 200 {
		changes, apart := Changes(noise(r, 60, 1000, 0.03))
		if aside += len(apart); len(changes) > 0 {
			with++
		}
	}
	if with > 10 || aside > 30 {
		t.Errorf("changes in %d of 200 series without any, %d runs apart", with, aside)
	}
	t.Logf("changes in %d of 200 series without any, %d runs apart", with, aside)
}

func TestShortAndFlatSeries(t *testing.T) {
	for _, values := range [][]float64{nil, {1}, {1, 2}, {5, 5, 5, 5, 5, 5}} {
		if changes, apart := Changes(values); len(changes)+len(apart) > 0 {
			t.Error(values, changes, apart)
		}
	}
	if changes, _ := Changes([]float64{5, 5, 5, 5, 6, 6, 6, 6}); len(changes) != 1 || changes[0].At != 4 {
		t.Error(changes)
	}
}

// The longest series of steps is still quick, and what is set aside is bounded.
func TestLongSeries(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	values := noise(r, MaxHistory, 1000, 0.02)
	for i := range values {
		if i/200%2 == 1 {
			values[i] *= 0.8
		}
	}
	if changes, _ := Changes(values); len(changes) != 9 {
		t.Errorf("%d changes", len(changes))
	}
}
