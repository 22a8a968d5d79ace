// Package catalogue lists every rule there is.
package catalogue

import (
	"slices"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/cpu"
	"rtrail/internal/rule/disk"
	"rtrail/internal/rule/jvm"
	"rtrail/internal/rule/memory"
	"rtrail/internal/rule/mysql"
	"rtrail/internal/rule/net"
	"rtrail/internal/rule/proc"
	"rtrail/internal/rule/rt"
)

// Rules are all rules, by domain.
var Rules = slices.Concat(cpu.Rules, memory.Rules, disk.Rules, proc.Rules, net.Rules, rt.Rules, mysql.Rules, jvm.Rules)

// For lists the rules that concern what the probes of a recording look at: a
// capture says nothing about disks, and a host without a capture nothing about
// packets. A probe that could not run counts: its rules were not judged.
func For(m recording.Manifest) []rule.Rule {
	filled := map[recording.Table]bool{}
	for _, p := range m.Probes {
		for _, t := range p.Fills {
			filled[t] = true
		}
	}
	var list []rule.Rule
	for _, r := range Rules {
		missing := func(t recording.Table) bool { return !filled[t] }
		there := func(t recording.Table) bool { return filled[t] }
		if !slices.ContainsFunc(r.Needs, missing) && (len(r.NeedsAny) == 0 || slices.ContainsFunc(r.NeedsAny, there)) {
			list = append(list, r)
		}
	}
	return list
}

// Find returns the rule with an ID, or that had it formerly.
func Find(id string) (rule.Rule, bool) {
	for _, r := range Rules {
		if r.ID == id || slices.Contains(r.Formerly, id) {
			return r, true
		}
	}
	return rule.Rule{}, false
}
