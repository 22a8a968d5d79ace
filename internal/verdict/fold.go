package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// fold moves symptoms under the finding that explains them. A finding explains
// another one if its rule says so, it is more than a possibility itself, and
// the other one is about the same subject, about somebody it affects or whose workers it
// affects, about somebody whom it holds up, or about time of which it takes a material part.
// Where two findings explain each other, the one that ranks first is the cause.
func fold(v *view.View, found []Finding, rules []rule.Rule) []Finding {
	found = rank(found)
	causes := causesOf(v, found, rules)
	ring := rings(causes)
	cause := make([]int, len(found)) // index of the finding that explains this one
	for i := range cause {
		cause[i] = -1
	}
	for symptom := range found {
		for c := range found {
			if ring[symptom] == symptom && ring[c] == symptom {
				continue // in the ring it heads: that one stays on top
			}
			if causes[c][symptom] && !leadsTo(cause, c, symptom) {
				cause[symptom] = c
				break
			}
		}
	}
	var tree func(i int) Finding
	tree = func(i int) Finding {
		f := found[i]
		for s, c := range cause {
			if c == i {
				f.Explains = append(f.Explains, tree(s))
			}
		}
		return f
	}
	var top []Finding
	for i, c := range cause {
		if c < 0 {
			top = append(top, tree(i))
		}
	}
	return top
}

// maxFindings is how many findings of a rule are judged together with others. A user can
// make thousands, as listeners with full queues.
const maxFindings = 200

// foremost are the first findings of each rule, and notes of what is left out.
func foremost(found []Finding) (list []Finding, notes []string) {
	count := map[string]int{}
	for _, f := range rank(found) {
		if count[f.Rule]++; count[f.Rule] <= maxFindings {
			list = append(list, f)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(count)) {
		if more := count[id] - maxFindings; more > 0 {
			notes = append(notes, fmt.Sprintf("%s found more than %d: %s left out, those with least impact", id, maxFindings, unit.Plural(more, "finding is", "findings are")))
		}
	}
	return list, notes
}

// causesOf says of every pair of findings whether the first one explains the second.
func causesOf(v *view.View, found []Finding, rules []rule.Rule) [][]bool {
	byID := map[string]rule.Rule{}
	for _, r := range rules {
		byID[r.ID] = r
	}
	causes := make([][]bool, len(found))
	for c, f := range found {
		causes[c] = make([]bool, len(found))
		if f.Confidence <= rule.Possible {
			continue
		}
		r := byID[f.Rule]
		for s, symptom := range found {
			causes[c][s] = c != s && (slices.Contains(r.Explains, symptom.Rule) && concerns(v, &f.Finding, symptom.Subject) ||
				slices.Contains(r.Delays, symptom.Rule) && r.Delayed(v, &f.Finding, &symptom.Finding) ||
				slices.Contains(r.HoldsUp, symptom.Rule) && endsAt(v, symptom, f.Subject, found))
		}
	}
	return causes
}

// concerns says whether somebody who has, or suffers from, the fault of a finding is e, or
// answers the requests to e.
func concerns(v *view.View, f *rule.Finding, e view.Entity) bool {
	if f.Affected(e) {
		return true
	}
	return (e.Kind == view.KindService || e.Kind == view.KindListener) &&
		slices.ContainsFunc(f.Affects, func(worker view.Entity) bool { return v.WorksFor(worker, e) })
}

// endsAt says whether the subject of a finding waits for somebody who waits for a
// disk, and e is either of these.
func endsAt(v *view.View, f Finding, e view.Entity, found []Finding) bool {
	if len(f.Behind) == 0 {
		return false
	}
	end := endOf(v, f, found)
	n := len(end)
	return n > 2 && end[n-1].Who.Kind == view.KindDevice && (end[n-1].Who.Same(e) || end[n-2].Who.Same(e))
}

// rings numbers the findings so that those which explain each other, directly or around a
// ring, have the same number: the rank of the first of them. (Tarjan, Depth-first search
// and linear graph algorithms, 1972.)
func rings(causes [][]bool) []int {
	n := len(causes)
	ring, index, low := make([]int, n), make([]int, n), make([]int, n) // of index, 0: not visited
	var stack []int
	open, visited := make([]bool, n), 0
	var visit func(i int)
	visit = func(i int) {
		visited++
		index[i], low[i], open[i] = visited, visited, true
		stack = append(stack, i)
		for to := range causes[i] {
			switch {
			case !causes[i][to]:
			case index[to] == 0:
				visit(to)
				low[i] = min(low[i], low[to])
			case open[to]:
				low[i] = min(low[i], index[to])
			}
		}
		if low[i] != index[i] {
			return
		}
		at := slices.Index(stack, i)
		first := slices.Min(stack[at:])
		for _, member := range stack[at:] {
			ring[member], open[member] = first, false
		}
		stack = stack[:at]
	}
	for i := range n {
		if index[i] == 0 {
			visit(i)
		}
	}
	return ring
}

// leadsTo says whether following causes from one finding ends at another.
func leadsTo(cause []int, from, to int) bool {
	for i := from; i >= 0; i = cause[i] {
		if i == to {
			return true
		}
	}
	return false
}

// rank orders findings: what is at least likely before what is possible, then
// by impact, their own or that of what they explain, then by confidence. Impacts
// are compared in steps of a tenth: closer than that they are equal, and the better
// known cause goes first.
func rank(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(
			-cmp.Compare(solid(a), solid(b)),
			-cmp.Compare(step(a.Weight()), step(b.Weight())),
			-cmp.Compare(a.Confidence, b.Confidence),
			-cmp.Compare(a.Weight(), b.Weight()),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Subject.Name, b.Subject.Name),
		)
	})
	for i := range found {
		found[i].Rank = i + 1
	}
	return found
}

func solid(f Finding) int {
	if f.Confidence > rule.Possible {
		return 1
	}
	return 0
}

// Weight is the greatest impact of a finding and the sure ones that it explains,
// from 0 to 1.
func (f *Finding) Weight() float64 {
	w := f.Impact.Weight()
	for i := range f.Explains {
		if f.Explains[i].Confidence > rule.Possible {
			w = max(w, f.Explains[i].Weight())
		}
	}
	return w
}

func step(weight float64) float64 { return math.Round(weight * 10) }
