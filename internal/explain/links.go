package explain

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/rule"
)

// naming lists, by the IDs that pages of rules name, these rules.
func naming(rules []rule.Rule) map[string][]string {
	by := map[string][]string{}
	for _, r := range rules {
		seen := map[string]bool{}
		for word := range strings.FieldsFuncSeq(r.Page, func(c rune) bool { return strings.ContainsRune(" \n,;:()`|", c) }) {
			if id := strings.TrimRight(word, "."); !seen[id] {
				seen[id] = true
				by[id] = append(by[id], r.ID)
			}
		}
	}
	return by
}

// judgesOf is the part of a metric's page that says which rules look at it.
func judgesOf(rules []string) string {
	if len(rules) == 0 {
		return "\n## Rules that look at it\nNone: it is there for people and charts.\n"
	}
	return "\n## Rules that look at it\n" + strings.Join(rules, ", ") + "\n"
}

// changesFor is the part of a rule's page that lists the changes that lead to it, with
// their price; "" without any.
func changesFor(id string) string {
	var b strings.Builder
	for _, c := range changes {
		if slices.Contains(c.see, id) {
			fmt.Fprintf(&b, "- change/%s: %s. Price: %s\n", c.name, c.title, c.price)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n## Changes that bear on it\n" + b.String()
}
