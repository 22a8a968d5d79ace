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

// TestStackLiftsWhatRanksFirst: each time the limit that the first finding tells of, and of two
// of one rule the one whose fix is listed first.
func TestStackLiftsWhatRanksFirst(t *testing.T) {
	advice := func(rule string, fixes ...string) findingDoc {
		f := finding(rule, "nginx", "certain")
		for _, x := range fixes {
			f.Fixes = append(f.Fixes, fixDoc{x})
		}
		return f
	}
	table, ports, reuse := advice("net/conntrack-full", "raise the limit"), advice("net/ephemeral-ports", "widen the range", "reuse ports"), advice("net/ephemeral-ports", "reuse ports")
	hint, other := advice("net/conntrack-full", "raise the limit"), advice("disk/full", "delete")
	hint.Confidence = "possible"
	for _, tt := range []struct {
		name     string
		verdicts [][]findingDoc
		good     []float64
		order    string
		why      string
	}{
		{"one behind the other", [][]findingDoc{{table}, {ports}, {reuse}, {}}, []float64{0, 10, 50, 100}, "conntrack, range, reuse", ""},
		{"two at once, of which one hides the other", [][]findingDoc{{ports, table}}, []float64{0}, "", "range was found first, while no work gets to it for conntrack"},
		{"two at once", [][]findingDoc{{table, reuse}, {reuse, ports}, {hint, ports}, {}}, []float64{0, 50, 60, 100}, "conntrack, reuse, range", ""},
		{"no better although nothing hides the rest", [][]findingDoc{{table}, {ports}}, []float64{0, 0}, "conntrack", "the fix of conntrack did not help"},
		{"worse for a moment", [][]findingDoc{{table}, {ports}, {reuse}, {}}, []float64{10, 12, 11, 100}, "conntrack, range, reuse", ""},
		{"a fix that makes it worse", [][]findingDoc{{table}, {ports}}, []float64{50, 10}, "conntrack", "the fix of conntrack made it worse"},
		{"one that is not found", [][]findingDoc{{table}, {ports}, {}}, []float64{0, 1, 100}, "conntrack, range", "nothing is found any more, and reuse is still too small"},
		{"one that stays", [][]findingDoc{{table}, {table}}, []float64{0, 1}, "conntrack", "none of the limits that are left"},
		{"something else", [][]findingDoc{{other, table}}, []float64{0}, "", "another finding: disk/full"},
		{"no better in the end", [][]findingDoc{{table}, {ports}, {reuse}, {}}, []float64{10, 11, 10, 10}, "conntrack, range, reuse", "did not help"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			envtest.Isolate(t)
			c := quickCase()
			limit := func(name, rule, advice string) Limit {
				return Limit{Name: name, Rule: rule, Advice: advice, Lift: func(context.Context, *env.Env) error { return nil }}
			}
			c.Rule, c.Name = "net/conntrack-full", ""
			c.Stack = []Limit{limit("conntrack", "net/conntrack-full", "^raise"), limit("reuse", "net/ephemeral-ports", "^reuse"), limit("range", "net/ephemeral-ports", "^widen")}
			c.Stack[0].Hides = []string{"reuse", "range"}
			good := append([]float64{100}, tt.good...) // the first before the fault
			c.Measure = func(context.Context, *env.Env, time.Duration) (load.Measurement, error) {
				m := load.Measurement{Value: good[0], Unit: "good answers/s"}
				good = good[1:]
				return m, nil
			}
			r := Runner{Diagnose: verdicts(t, tt.verdicts...)}.Run(t.Context(), c)
			var order []string
			for _, s := range r.Steps {
				if s.Limit != "" {
					order = append(order, s.Limit)
				}
			}
			if got := strings.Join(order, ", "); got != tt.order || !strings.Contains(r.Why, tt.why) || r.Pass != (tt.why == "") {
				t.Errorf("order %q, pass %v, why %q; want %q, %q", got, r.Pass, r.Why, tt.order, tt.why)
			}
		})
	}
}
