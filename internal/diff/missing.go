package diff

import (
	"cmp"
	"fmt"
	"strings"

	"rtrail/internal/unit"
)

// Missing is something that could not be compared.
type Missing struct {
	ID   string // of a quantity, or of all that a source tells: "mysql", "packets"; ProcessList, NetworkNamespaces
	Name string
	Why  string
}

// ProcessList stands for which processes are new, gone or changed.
const ProcessList = "processes"

// missing is what could not be compared: of quantities that several have those that could be
// compared of none.
func missing(a, b *measured) (list []Missing) {
	type state struct {
		told, complete [2]bool
		both           bool
	}
	states := map[*Quantity]*state{}
	for _, q := range Quantities {
		states[q] = &state{}
	}
	for i, m := range []*measured{a, b} {
		for k := range m.amounts {
			s := states[k.quantity]
			s.told[i] = true
			s.complete[i] = s.complete[i] || m.complete(k)
			s.both = s.both || a.complete(k) && b.complete(k)
		}
	}
	for _, q := range Quantities {
		if q.of != "" && !(a.sources[q.of] && b.sources[q.of]) {
			continue
		}
		why := ""
		switch s := states[q]; {
		case s.both:
			continue
		case q.least == "" && s.told != [2]bool{true, true}:
			why = tellers(s.told)
		case s.complete != [2]bool{true, true}:
			why = "fewer than " + cmp.Or(q.least, "two samples") + " in a part of " + lacking(s.complete)
		default:
			why = "of nothing that has one name in both windows"
		}
		list = append(list, Missing{q.ID, q.Name, why})
	}
	for _, s := range sources {
		if has := [2]bool{a.sources[s.source], b.sources[s.source]}; has != [2]bool{true, true} {
			list = append(list, Missing{string(s.source), s.name, tellers(has)})
		}
	}
	if lists := [2]bool{a.listsAll(), b.listsAll()}; lists != [2]bool{true, true} {
		list = append(list, Missing{ProcessList, "which processes are new, gone or changed", "not all processes are listed in " + lacking(lists)})
	}
	return append(list, missingSpaces(a.whole, b.whole)...)
}

// tellers says who tells something that not both do.
func tellers(told [2]bool) string {
	switch {
	case told[0]:
		return "told only by the first window"
	case told[1]:
		return "told only by the second window"
	}
	return "told by neither window"
}

// lacking names the windows that do not have something.
func lacking(has [2]bool) string {
	switch {
	case has[0]:
		return "the second window"
	case has[1]:
		return "the first window"
	}
	return "both windows"
}

// Reasons are those for which something could not be compared, each with all that it keeps from it.
func Reasons(list []Missing) (words []string) {
	names := map[string][]string{}
	var order []string
	for _, m := range list {
		if names[m.Why] == nil {
			order = append(order, m.Why)
		}
		names[m.Why] = append(names[m.Why], m.Name)
	}
	for _, why := range order {
		words = append(words, why+": "+strings.Join(names[why], ", "))
	}
	return words
}

// nothing says why no quantity could be compared.
func nothing(a, b *measured, missing []Missing) error {
	for _, m := range []*measured{a, b} {
		for i, v := range m.parts {
			if m.told&(1<<i) == 0 {
				return fmt.Errorf("comparing: %s has fewer than two samples of all that is compared from %v to %v; choose another time, or a longer window (--for)",
					m.whole.Manifest().Host.Name, unit.Moment(v.Start()), unit.Clock(v.End()))
			}
		}
	}
	return fmt.Errorf("comparing %s with %s: no quantity is known of both windows: %s", a.whole.Manifest().Host.Name, b.whole.Manifest().Host.Name, strings.Join(Reasons(missing), "; "))
}
