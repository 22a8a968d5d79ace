package matrix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/bench"
	"rtrail/internal/document"
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

func TestKnee(t *testing.T) {
	for _, tt := range []struct {
		levels [][2]float64 // threads, or rates if negative; transactions a second
		want   string
	}{
		{nil, ""},
		{[][2]float64{{1, 100}}, ""},
		{[][2]float64{{1, 100}, {2, 190}, {4, 300}}, "still grows at 4 threads: 300/s"},
		{[][2]float64{{1, 100}, {2, 190}, {4, 194}, {8, 180}}, "grows up to 2 threads (190/s); more add time, not throughput"},
		{[][2]float64{{4, 194}, {1, 100}, {1, 102}, {2, 190}}, "grows up to 2 threads (190/s); more add time, not throughput"},
		{[][2]float64{{-100, 100}, {-200, 199}, {-400, 230}}, "holds 200/s, and of 400/s only 230/s"},
		{[][2]float64{{-100, 100}, {-200, 199}}, "holds all rates up to 200/s"},
		{[][2]float64{{-100, 50}, {-200, 50}}, "not even 100/s are held: 50/s"},
	} {
		var runs []bench.Run
		for _, l := range tt.levels {
			r := bench.NewRun()
			if r.Threads = int(l[0]); l[0] < 0 {
				r.Threads = 0
				r.Rate = document.Number(-l[0])
			}
			r.Load.TPS = document.Number(l[1])
			runs = append(runs, r)
		}
		bad := bench.NewRun()
		bad.Threads, bad.Invalid = 16, []string{"hot"}
		bad.Load.TPS = 1e9
		if got := Knee(append(runs, bad)); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.levels, got, tt.want)
		}
	}
}
