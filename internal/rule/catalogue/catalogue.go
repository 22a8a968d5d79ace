// Package catalogue lists every rule there is.
package catalogue

import (
	"slices"

	"rtrail/internal/rule"
	"rtrail/internal/rule/cpu"
	"rtrail/internal/rule/disk"
	"rtrail/internal/rule/memory"
	"rtrail/internal/rule/net"
	"rtrail/internal/rule/proc"
)

// Rules are all rules, by domain.
var Rules = slices.Concat(cpu.Rules, memory.Rules, disk.Rules, proc.Rules, net.Rules)

// Find returns the rule with an ID.
func Find(id string) (rule.Rule, bool) {
	for _, r := range Rules {
		if r.ID == id {
			return r, true
		}
	}
	return rule.Rule{}, false
}
