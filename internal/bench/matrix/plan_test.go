package matrix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func plan(text string) (*Plan, error) {
	p := &Plan{Kind: "mysql", Seconds: 1, Repeats: 1, MaxRate: 1000, MaxTime: "1h", ReadyIn: 1}
	if err := p.Parse([]byte(text)); err != nil {
		return nil, err
	}
	return p, p.Check()
}

const two = "environments: [{name: a, target: 'h:1'}, {name: b, target: 'h:2'}]\n"

// Blocks are A B A B, and a block begins with its first step.
func TestOrderOfSteps(t *testing.T) {
	p, err := plan(two + "scenarios: [x, y]\nthreads: [1]\nrates: [10]\nrepeats: 2\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Steps() {
		got = append(got, fmt.Sprintf("%d %v %v", s.Number, &s, s.Begins))
	}
	var want []string
	for repeat := 1; repeat <= 2; repeat++ {
		for _, e := range []string{"a", "b"} {
			for i, s := range []string{"x, 1 thread", "x, 10/s", "y, 1 thread", "y, 10/s"} {
				want = append(want, fmt.Sprintf("%d %s %s, repeat %d %v", len(want)+1, e, s, repeat, i == 0))
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	for want, text := range map[string]string{
		"nothing is named":       "threads: [1]",
		"want HOST:PORT":         "environments: [{name: a, target: h}]\nthreads: [1]",
		"has no target":          "environments: [{name: a}]\nthreads: [1]",
		"two environments":       "environments: [{name: a, target: 'h:1'}, {name: a, target: 'h:2'}]\nthreads: [1]",
		"without control":        "environments: [{name: \"a\\n\", target: 'h:1'}]\nthreads: [1]",
		"no step":                two,
		"from 1 to 10000":        two + "threads: [0]",
		"more than --max-rate":   two + "rates: [5000]",
		"more than 0":            two + "rates: [.nan]",
		"more than --max-time":   two + "threads: [1]\nseconds: 7200",
		"from 1 to 86400":        two + "threads: [1]\nseconds: 0",
		"from 1 to 1000":         two + "threads: [1]\nrepeats: 100000",
		"field treads not found": two + "treads: [1]",
		"want a time":            two + "threads: [1]\nmax_time: never",
		"cannot unmarshal":       two + "threads: {a: b}",
		"steps: at most":         two + "threads: [" + strings.Repeat("1, ", 9000) + "1]",
		"a plan of more than":    strings.Repeat("#", maxPlan+1),
	} {
		if _, err := plan(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func FuzzPlan(f *testing.F) {
	f.Add(two + "threads: [1, 2]\nscenarios: [point_select]")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := plan(text); err == nil && len(p.Steps()) > maxSteps {
			t.Error(len(p.Steps()))
		}
	})
}
