package cpu

import (
	"testing"

	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestSteal(t *testing.T) {
	with := func(c ruletest.CPU) func() *ruletest.Host {
		return func() *ruletest.Host { return ruletest.New(2, 10).AllCPUs(c) }
	}
	ruletest.Check(t, steal, []ruletest.Situation{
		{Name: "a quarter of the time", Host: with(ruletest.CPU{User: 0.4, System: 0.05, Steal: 0.25}), Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 0.45, High: 0.55},
		{Name: "much, beside programs that want little", Host: with(ruletest.CPU{User: 0.06, Steal: 0.06}), Want: rule.Possible, Kind: view.KindHost, Subject: "db1", Low: 0.1, High: 0.14},
		{Name: "a tenth beside full CPUs", Host: with(ruletest.CPU{User: 0.9, Steal: 0.1}), Want: rule.Possible, Kind: view.KindHost, Subject: "db1", Low: 0.19, High: 0.21},
		{Name: "as on quiet shared hardware", Host: with(ruletest.CPU{User: 0.5, Steal: 0.02})},
		{Name: "one hiccup in a short window", Host: func() *ruletest.Host { return ruletest.New(2, 1).AllCPUs(ruletest.CPU{User: 0.5, Steal: 0.1}) }},
		{Name: "none", Host: with(ruletest.CPU{User: 1})},
	})
}

// A host whose CPUs are full because half of their time is stolen has one fault.
func TestStealExplainsFullCPUs(t *testing.T) {
	for stolen, all := range map[float64]bool{0.6: true, 0.3: false} {
		f := ruletest.Judge(t, ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1 - stolen, Steal: stolen}), steal, rule.Certain)[0]
		if f.AffectsAll != all {
			t.Errorf("%v stolen: explains everything: %v", stolen, f.AffectsAll)
		}
	}
}
