package verdict

import (
	"cmp"
	"math"
	"slices"

	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// fold moves symptoms under the finding that explains them. A finding explains
// another one if its rule says so, it is more than a possibility itself, and
// the other one is about the same subject, about somebody it affects, about
// somebody whom it holds up, or about time of which it takes a material part. Where two findings explain each other, the one that
// ranks first is the cause.
func fold(v *view.View, found []Finding, rules []rule.Rule) []Finding {
	found = rank(found)
	causes := causesOf(v, found, rules)
	reach := closure(causes)
	cause := make([]int, len(found)) // index of the finding that explains this one
	for i := range cause {
		cause[i] = -1
	}
	for symptom := range found {
		head := heads(reach, symptom)
		for c := range found {
			if head && reach[symptom][c] {
				continue // in the ring it heads
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
			causes[c][s] = c != s && (slices.Contains(r.Explains, symptom.Rule) && f.Affected(symptom.Subject) ||
				slices.Contains(r.Delays, symptom.Rule) && r.Delayed(v, &f.Finding, &symptom.Finding) ||
				slices.Contains(r.HoldsUp, symptom.Rule) && endsAt(v, symptom, f.Subject, found))
		}
	}
	return causes
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

// closure says of every pair of findings whether the first one leads to the
// second through any chain of causes.
func closure(causes [][]bool) [][]bool {
	reach := make([][]bool, len(causes))
	for c := range causes {
		reach[c] = slices.Clone(causes[c])
	}
	for via := range reach {
		for from := range reach {
			for to := range reach {
				reach[from][to] = reach[from][to] || reach[from][via] && reach[via][to]
			}
		}
	}
	return reach
}

// heads says whether a finding is the first in rank of findings that explain
// each other, directly or around a ring: that one stays on top.
func heads(reach [][]bool, i int) bool {
	ring := false
	for other := range reach {
		if other != i && reach[i][other] && reach[other][i] {
			if other < i {
				return false
			}
			ring = true
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
			-cmp.Compare(step(a.weight()), step(b.weight())),
			-cmp.Compare(a.Confidence, b.Confidence),
			-cmp.Compare(a.weight(), b.weight()),
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

// weight is the greatest impact of a finding and the sure ones that it explains.
func (f *Finding) weight() float64 {
	w := f.Impact.Weight()
	for i := range f.Explains {
		if f.Explains[i].Confidence > rule.Possible {
			w = max(w, f.Explains[i].weight())
		}
	}
	return w
}

func step(weight float64) float64 { return math.Round(weight * 10) }
