package cases

import (
	"context"
	"strings"
	"testing"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/env/envtest"
	"rtrail/internal/lab/load"
)

// twoFaults are a busy CPU and a full disk, each beside an application.
func twoFaults() Case {
	busy, full := quickCase(), quickCase()
	full.ID, full.Rule, full.Name = "test/full", "disk/full", "/var"
	return together("pair/test", busy, full)
}

func TestTogetherExpectsEachFault(t *testing.T) {
	busy, full := finding("cpu/saturated", "hog-7", "certain"), finding("disk/full", "/var", "likely")
	folded := busy
	folded.Explains = []findingDoc{full}
	other := finding("net/resets", "peer", "likely")
	tests := []struct {
		name         string
		under, after []findingDoc
		change       func(*Case)
		rank         int
		why          string
	}{
		{name: "both found and gone", under: []findingDoc{busy, full}, rank: 2},
		{name: "the other way round", under: []findingDoc{full, busy}, rank: 2},
		{name: "only the first", under: []findingDoc{busy}, rank: 1, why: "disk/full was not found"},
		{name: "only the second", under: []findingDoc{full}, rank: 1, why: "cpu/saturated was not found"},
		{name: "the second folded under the first", under: []findingDoc{folded}, rank: 1, why: "taken for a symptom of cpu/saturated"},
		{name: "the second is about another", under: []findingDoc{busy, finding("disk/full", "/home", "certain")}, rank: 1, why: "but for process /home"},
		{name: "the second is only possible", under: []findingDoc{busy, finding("disk/full", "/var", "possible")}, rank: 2, why: "disk/full is only possible"},
		{name: "a third between them", under: []findingDoc{busy, other, full}, rank: 3, why: "behind net/resets"},
		{name: "a third behind them", under: []findingDoc{busy, full, other}, rank: 2, why: "another finding beside it: net/resets"},
		{name: "the second stays", under: []findingDoc{busy, full}, after: []findingDoc{full}, rank: 2, why: "after the fix there is still disk/full"},
		{name: "a third comes with the fix", under: []findingDoc{busy, full}, after: []findingDoc{other}, rank: 2, why: "after the fix there is still net/resets"},
		{name: "the second folds, and shall", under: []findingDoc{folded}, rank: 1,
			change: func(c *Case) { *c = quickCase(); c.Folds = []string{"disk/full"} }},
		{name: "the second shall fold, and stands", under: []findingDoc{busy, full}, rank: 1, why: "disk/full is no symptom of cpu/saturated",
			change: func(c *Case) { *c = quickCase(); c.Folds = []string{"disk/full"} }},
		{name: "two of one rule", under: []findingDoc{busy, finding("cpu/saturated", "hog-8", "certain")}, rank: 2,
			change: func(c *Case) { *c = together("pair/test", quickCase(), quickCase()) }},
		{name: "two of one rule, one found", under: []findingDoc{busy}, rank: 1, why: "was not found",
			change: func(c *Case) { *c = together("pair/test", quickCase(), quickCase()) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			envtest.Isolate(t)
			c := twoFaults()
			if test.change != nil {
				test.change(&c)
			}
			r := Runner{Diagnose: verdicts(t, test.under, test.after)}.Run(t.Context(), c)
			if r.Pass != (test.why == "") || r.Rank != test.rank || !strings.Contains(r.Why, test.why) {
				t.Errorf("pass %v, rank %d, why %q; want %q and rank %d", r.Pass, r.Rank, r.Why, test.why, test.rank)
			}
			if left := envtest.Leftovers(t); left != nil {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// TestTogetherKeepsPartsApart: what the parts write and address is not the same, each is
// measured, and both must get better.
func TestTogetherKeepsPartsApart(t *testing.T) {
	envtest.Isolate(t)
	folders := map[string]bool{}
	part := func(fixed float64) Case {
		c, value := quickCase(), 10.0
		c.Setup = func(_ context.Context, e *env.Env) error { folders[e.Dir] = true; return nil }
		c.Inject = func(context.Context, *env.Env) error { return nil }
		c.Fix = func(context.Context, *env.Env) error { value = fixed; return nil }
		c.Measure = func(context.Context, *env.Env, time.Duration) (load.Measurement, error) {
			return load.Measurement{Value: value, Unit: "requests/s"}, nil
		}
		return c
	}
	found := []findingDoc{finding("cpu/saturated", "hog-7", "certain"), finding("cpu/saturated", "hog-8", "certain")}
	r := Runner{Diagnose: verdicts(t, found, nil)}.Run(t.Context(), together("pair/test", part(90), part(10)))
	if len(folders) != 2 || r.Pass || !strings.Contains(r.Why, "the fix did not help the application: 10.0 requests/s, 10.0 requests/s under fault, 90.0 requests/s, 10.0 requests/s after it") {
		t.Errorf("%d folders, pass %v, why %q", len(folders), r.Pass, r.Why)
	}
}

func TestTogetherCleansUpAfterPanic(t *testing.T) {
	envtest.Isolate(t)
	bad := quickCase()
	bad.Inject = func(context.Context, *env.Env) error { panic("no idea") }
	r := Runner{}.Run(t.Context(), together("pair/test", quickCase(), bad))
	if !strings.Contains(r.Why, "test/quick panicked: no idea") {
		t.Errorf("why %q", r.Why)
	}
	if left := envtest.Leftovers(t); left != nil {
		t.Errorf("left behind: %q", left)
	}
}
