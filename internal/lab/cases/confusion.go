package cases

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/unit"
)

// nothing stands for no fault, and for no finding.
const nothing = "nothing"

// mix is an injected fault and what ranked first in its place.
type mix struct{ injected, first string }

// confusion compares what was injected with what ranked first, in all rounds that
// came to a verdict: by domain, and rule by rule where the two differ. Tries that
// failed of their own count, whatever came of the next one.
func confusion(all []Summary) []document.Block {
	counts := map[mix]int{}
	at := map[mix][]string{} // cases
	total, same := 0, 0
	for _, s := range all {
		for _, r := range s.Rounds {
			for _, try := range append(slices.Clone(r.Earlier), r) {
				for _, m := range mixes(s.Case, try) {
					total++
					counts[mix{domain(m.injected), domain(m.first)}]++
					if m.injected == m.first {
						same++
					} else if !slices.Contains(at[m], s.Case.ID) {
						at[m] = append(at[m], s.Case.ID)
					}
				}
			}
		}
	}
	if total == 0 {
		return nil
	}
	words := fmt.Sprintf("Injected and ranked first are the same in %d of %s.", same, unit.Plural(total, "fault or control", "faults and controls"))
	blocks := []document.Block{document.Heading{Words: "Injected against ranked first"}, document.Prose{Words: words}, byDomain(counts)}
	if len(at) == 0 {
		return blocks
	}
	t := document.Table{Columns: []document.Column{{Name: "injected"}, {Name: "ranked first"}, {Name: "cases"}}}
	for _, m := range slices.SortedFunc(maps.Keys(at), func(a, b mix) int {
		return cmp.Or(cmp.Compare(a.injected, b.injected), cmp.Compare(a.first, b.first))
	}) {
		t.Add([]string{m.injected, m.first, strings.Join(at[m], ", ")})
	}
	return append(blocks, t)
}

// mixes are the faults of a round, none of a control, each with what ranked first: itself, if it
// is in one of the first places, or the first finding there that nobody injected.
func mixes(c Case, r Result) (list []mix) {
	if r.First == nil || r.Skipped || r.Unjudged || c.Verb != nil {
		return nil
	}
	if c.Control() {
		return []mix{{nothing, cmp.Or(strings.Join(r.First, ""), nothing)}}
	}
	rest := slices.Clone(r.First)
	var missed []string
	for _, fault := range c.Faults() {
		if i := slices.Index(rest, fault.Rule); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			list = append(list, mix{fault.Rule, fault.Rule})
		} else {
			missed = append(missed, fault.Rule)
		}
	}
	for i, rule := range missed {
		first := nothing
		if i < len(rest) {
			first = rest[i]
		}
		list = append(list, mix{rule, first})
	}
	return list
}

// byDomain has a row for each domain that was injected and a column for each that ranked first.
func byDomain(counts map[mix]int) document.Table {
	var injected, first []string
	for m := range counts {
		if !slices.Contains(injected, m.injected) {
			injected = append(injected, m.injected)
		}
		if !slices.Contains(first, m.first) {
			first = append(first, m.first)
		}
	}
	slices.Sort(injected)
	slices.Sort(first)
	t := document.Table{Columns: []document.Column{{Name: "injected"}}}
	for _, name := range first {
		t.Columns = append(t.Columns, document.Column{Name: name})
	}
	for _, name := range injected {
		cells := []string{name}
		for _, f := range first {
			cell := "·"
			if n := counts[mix{name, f}]; n > 0 {
				cell = fmt.Sprint(n)
			}
			cells = append(cells, cell)
		}
		t.Add(cells)
	}
	return t
}

func domain(rule string) string {
	d, _, _ := strings.Cut(rule, "/")
	return d
}
