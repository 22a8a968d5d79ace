package report_test

import (
	"testing"

	"rtrail/internal/rule"
	"rtrail/internal/verdict"
)

// Time that several findings cost adds up, shares do not.
func TestImpactOfSeveralFindings(t *testing.T) {
	for want, impact := range map[string]rule.Impact{
		"impact   4.5 s waited per second, in all\n   who      1.5 s waited per second: host 0 waits\n": {TimeLost: 1.5, Text: rule.T("1.5 s waited per second")},
		"impact   of the first: 66 % of connects\n   who      host 0 waits\n":                           {Share: 0.66, Text: rule.T("66 % of connects")},
	} {
		var v verdict.Verdict
		for i := range 3 {
			v.Findings = append(v.Findings, verdict.Finding{Finding: rule.Finding{Rule: "x/y", Confidence: rule.Certain, Headline: rule.T("host %d waits", i), Plural: "hosts wait", Impact: impact}})
		}
		contains(t, printed(t, v, false), "1  CERTAIN  3 hosts wait\n", want)
	}
}
