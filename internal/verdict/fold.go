package verdict

import (
	"cmp"
	"math"
	"slices"

	"rtrail/internal/rule"
)

// fold moves symptoms under the finding that explains them. A finding explains
// another one if its rule says so, it is more than a possibility itself, and
// the other one is about the same subject or about somebody it affects. Where
// two findings explain each other, the one that ranks first is the cause.
func fold(found []Finding, rules []rule.Rule) []Finding {
	found = rank(found)
	explains := map[string][]string{}
	for _, r := range rules {
		explains[r.ID] = r.Explains
	}
	reach := closure(found, explains)
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
			if c != symptom && causes(found[c], found[symptom], explains) && !leadsTo(cause, c, symptom) {
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

func causes(c, symptom Finding, explains map[string][]string) bool {
	if c.Confidence <= rule.Possible || !slices.Contains(explains[c.Rule], symptom.Rule) {
		return false
	}
	if c.AffectsAll || c.Subject.Same(symptom.Subject) {
		return true
	}
	return slices.ContainsFunc(c.Affects, symptom.Subject.Same)
}

// closure says of every pair of findings whether the first one leads to the
// second through any chain of causes.
func closure(found []Finding, explains map[string][]string) [][]bool {
	reach := make([][]bool, len(found))
	for c := range found {
		reach[c] = make([]bool, len(found))
		for s := range found {
			reach[c][s] = c != s && causes(found[c], found[s], explains)
		}
	}
	for via := range found {
		for from := range found {
			for to := range found {
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
// by impact, then by confidence. Impacts are compared in steps of a tenth:
// closer than that they are equal, and the better known cause goes first.
func rank(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(
			-cmp.Compare(solid(a), solid(b)),
			-cmp.Compare(step(a.Impact), step(b.Impact)),
			-cmp.Compare(a.Confidence, b.Confidence),
			-cmp.Compare(a.Impact.Weight(), b.Impact.Weight()),
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

func step(i rule.Impact) float64 { return math.Round(i.Weight() * 10) }
