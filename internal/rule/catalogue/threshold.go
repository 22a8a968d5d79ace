package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/nearest"
	"rtrail/internal/rule"
)

// Override sets a threshold for this run of the program: "cpu/saturated.full-from=95%".
// What is no threshold, or cannot be its value, is an error that says what is
// near or what it can be. A threshold that rules share changes for all of them.
func Override(spec string) error {
	id, text, ok := strings.Cut(spec, "=")
	if !ok {
		return fmt.Errorf("%q is not RULE.NAME=VALUE, such as cpu/saturated.full-from=95%%", spec)
	}
	var known []string
	for _, r := range Rules {
		for _, t := range r.Thresholds {
			if have := r.ID + "." + t.Name; have != id && !formerly(r, t, id) {
				known = append(known, have)
			} else if err := t.Set(text); err != nil {
				return fmt.Errorf("threshold %s: %w", id, err)
			} else {
				return nil
			}
		}
	}
	if _, is := Find(id); is {
		return fmt.Errorf("%s is a rule: add the threshold's name, one of those that rtrail explain %s lists", id, id)
	}
	return fmt.Errorf("there is no threshold %q%s; rtrail explain RULE lists those of a rule", id, nearest.Hint(id, known))
}

// formerly says whether an ID is that of a threshold by an earlier name of its rule.
func formerly(r rule.Rule, t *rule.Threshold, id string) bool {
	return slices.ContainsFunc(r.Formerly, func(old string) bool { return old+"."+t.Name == id })
}

// Reset gives all thresholds their own values again.
func Reset() {
	for _, t := range rule.Overridden(Rules) {
		t.Threshold.Reset()
	}
}
