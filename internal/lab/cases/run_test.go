package cases

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/env/envtest"
	"rtrail/internal/lab/load"
)

// verdicts answers one verdict after the other, whatever the host is like.
func verdicts(t *testing.T, list ...[]findingDoc) func(context.Context, *env.Env, time.Duration) ([]byte, error) {
	t.Helper()
	return func(context.Context, *env.Env, time.Duration) ([]byte, error) {
		if len(list) == 0 {
			return nil, errors.New("asked for more verdicts than the test expects")
		}
		var v verdictDoc
		v.Findings, list = list[0], list[1:]
		v.Window.End = time.Now()
		return json.Marshal(v)
	}
}

// quickCase is a case without a fault, whose application does better after
// Fix than after Inject.
func quickCase() Case {
	value := 100.0
	return Case{
		ID: "test/quick", Rule: "cpu/saturated", Name: "hog.*",
		Setup:  func(context.Context, *env.Env) error { return nil },
		Inject: func(context.Context, *env.Env) error { value = 10; return nil },
		Fix:    func(context.Context, *env.Env) error { value = 90; return nil },
		Measure: func(context.Context, *env.Env, time.Duration) (load.Measurement, error) {
			return load.Measurement{Value: value, Unit: "requests/s"}, nil
		},
	}
}

func TestRunComparesVerdicts(t *testing.T) {
	found := finding("cpu/saturated", "hog-7", "certain")
	other := finding("disk/full", "/", "likely")
	tests := []struct {
		name          string
		under, after  []findingDoc
		change        func(*Case)
		pass          bool
		rank          int
		why           string
		others, still int
	}{
		{name: "found and gone", under: []findingDoc{found}, pass: true, rank: 1},
		{name: "not found", why: "was not found"},
		{name: "second", under: []findingDoc{other, found}, why: "ranks 2", rank: 2, others: 1},
		{name: "only possible", under: []findingDoc{finding("cpu/saturated", "hog-7", "possible")}, rank: 1, why: "only possible"},
		{name: "honestly no more than possible", under: []findingDoc{finding("cpu/saturated", "hog-7", "possible")}, pass: true, rank: 1,
			change: func(c *Case) { c.AtMostPossible = "a trend" }},
		{name: "possible, and still so after the fix", under: []findingDoc{finding("cpu/saturated", "hog-7", "possible")},
			after: []findingDoc{finding("cpu/saturated", "hog-7", "possible")}, rank: 1, why: "after the fix there is still", still: 1,
			change: func(c *Case) { c.AtMostPossible = "a trend" }},
		{name: "a fault that was withstood", under: []findingDoc{found}, pass: true, rank: 1,
			change: func(c *Case) { c.Withstood = "cookies"; c.Fix = func(context.Context, *env.Env) error { return nil } }},
		{name: "other subject", under: []findingDoc{finding("cpu/saturated", "nginx", "certain")}, why: "but for process nginx", others: 1},
		{name: "another beside it", under: []findingDoc{found, other}, rank: 1, why: "another finding beside it: disk/full", others: 1},
		{name: "another that is allowed", under: []findingDoc{found, other}, pass: true, rank: 1, others: 1,
			change: func(c *Case) { c.AllowOthers = []string{"disk/full"} }},
		{name: "a hint beside it", under: []findingDoc{found, finding("disk/full", "/", "possible")}, pass: true, rank: 1},
		{name: "still there", under: []findingDoc{found}, after: []findingDoc{found}, rank: 1, why: "after the fix there is still", still: 1},
		{name: "fix does not help", under: []findingDoc{found}, rank: 1, why: "did not help",
			change: func(c *Case) { c.Fix = func(context.Context, *env.Env) error { return nil } }},
		{name: "silent control", pass: true, change: makeControl},
		{name: "accused control", under: []findingDoc{other}, why: "a healthy host was accused", others: 1, change: makeControl},
		{name: "control with a hint", under: []findingDoc{finding("disk/full", "/", "possible")}, pass: true, change: makeControl},
		{name: "control with a hint it must not give", under: []findingDoc{finding("disk/full", "/", "possible")}, why: "a healthy host was accused", others: 1,
			change: func(c *Case) { makeControl(c); c.NotEven = []string{"disk/full"} }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			envtest.Isolate(t)
			c := quickCase()
			if test.change != nil {
				test.change(&c)
			}
			r := Runner{Diagnose: verdicts(t, test.under, test.after)}.Run(t.Context(), c)
			if r.Pass != test.pass || r.Rank != test.rank || !strings.Contains(r.Why, test.why) || (test.why == "") != (r.Why == "") {
				t.Errorf("pass %v, rank %d, why %q; want %v, %d, %q", r.Pass, r.Rank, r.Why, test.pass, test.rank, test.why)
			}
			if len(r.Others) != test.others || len(r.AfterFix) != test.still {
				t.Errorf("others %q, after the fix %q; want %d and %d", r.Others, r.AfterFix, test.others, test.still)
			}
			if left := envtest.Leftovers(t); left != nil {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func makeControl(c *Case) { c.Rule, c.Name, c.Inject, c.Fix = "", "", nil, nil }

func finding(rule, name, confidence string) findingDoc {
	f := findingDoc{Rule: rule, Confidence: confidence, Headline: "it is so"}
	f.Subject.Kind, f.Subject.Name = "process", name
	return f
}

func TestRunSkips(t *testing.T) {
	envtest.Isolate(t)
	c := quickCase()
	c.Needs = env.Needs{Commands: []string{"sh", "no-such-command"}, Packages: []string{"no-such-package"}}
	r := Runner{}.Run(t.Context(), c)
	if want := "needs the command no-such-command; apt-get install no-such-package"; !r.Skipped || r.Pass || r.Why != want {
		t.Errorf("skipped %v, pass %v, why %q; want %q", r.Skipped, r.Pass, r.Why, want)
	}
}

func TestRunCleansUpAfterTrouble(t *testing.T) {
	tests := map[string]struct {
		inject func(context.CancelFunc) error
		why    string
	}{
		"failure":   {func(context.CancelFunc) error { return errors.New("no luck") }, "inject the fault: no luck"},
		"panic":     {func(context.CancelFunc) error { panic("no idea") }, "the case panicked: no idea"},
		"interrupt": {func(cancel context.CancelFunc) error { cancel(); return context.Canceled }, "stopped: context canceled"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			envtest.Isolate(t)
			ctx, cancel := context.WithCancel(t.Context())
			var sleeper *env.Proc
			hooked := false
			c := quickCase()
			c.Setup = func(_ context.Context, e *env.Env) (err error) {
				e.Defer("note it", func() error { hooked = true; return nil })
				sleeper, err = e.Start("sh", "-c", "sleep 60 & wait")
				return err
			}
			c.Inject = func(context.Context, *env.Env) error { return test.inject(cancel) }
			r := Runner{}.Run(ctx, c)
			if r.Pass || !strings.Contains(r.Why, test.why) {
				t.Errorf("pass %v, why %q; want %q", r.Pass, r.Why, test.why)
			}
			if sleeper.Alive() || len(env.Descendants(sleeper.PID)) > 0 {
				t.Error("its processes still run")
			}
			if left := envtest.Leftovers(t); left != nil || !hooked {
				t.Errorf("left behind: %q; hook called: %v", left, hooked)
			}
		})
	}
}

// A fault that is held is not judged: it lasts, and then it is fixed.
func TestHold(t *testing.T) {
	envtest.Isolate(t)
	c := quickCase()
	fixed := false
	fix := c.Fix
	c.Fix = func(ctx context.Context, e *env.Env) error { fixed = true; return fix(ctx, e) }
	measured := c.Measure
	c.Measure = func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
		env.Sleep(ctx, min(d, time.Second/2)) // a load that ends early goes on
		return measured(ctx, e, d)
	}
	r := Runner{Hold: 1500 * time.Millisecond, Diagnose: verdicts(t)}.Run(t.Context(), c)
	if !r.Pass || !fixed || r.Injected.IsZero() || r.Fixed.Sub(r.Injected) < time.Second/2 {
		t.Errorf("%+v", r)
	}
}
