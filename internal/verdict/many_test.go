package verdict

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
)

// Of many findings of a rule only the first ones are kept, which is said, and those of several rules take no long time.
func TestManyFindings(t *testing.T) {
	v := evidence(t, recording.ProbeInfo{}, good, good)
	var rules []rule.Rule
	var ids []string
	for i := range 10 {
		ids = append(ids, fmt.Sprintf("aa/r%d", i))
	}
	for i, id := range ids {
		var list []rule.Finding
		for n := range 500 {
			list = append(list, about(fmt.Sprintf("p%d", n), rule.Likely, float64(i*500+n)/5000))
		}
		rules = append(rules, finds(id, ids, list...))
	}
	began := time.Now()
	out := Judge(v, rules)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if !slices.Contains(out.Notes, "aa/r3 found more than 200: 300 findings are left out, those with least impact") {
		t.Errorf("notes %q", out.Notes)
	}
}

// Findings that explain each other in a ring are known by the first of them.
func TestRings(t *testing.T) {
	causes := make([][]bool, 7)
	for i := range causes {
		causes[i] = make([]bool, len(causes))
	}
	for _, edge := range [][2]int{{1, 3}, {3, 5}, {5, 1}, {0, 1}, {5, 6}, {2, 4}, {4, 2}} {
		causes[edge[0]][edge[1]] = true
	}
	if got, want := rings(causes), []int{0, 1, 2, 1, 2, 1, 6}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
