package verdict_test

import (
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// A likely finding becomes certain with a setting that proves it, of the same
// namespace, and cites it; a possible one only cites it.
func TestSettingsAreCited(t *testing.T) {
	h := ruletest.New(2, 10)
	ruletest.Add(h, recording.NetNSSample{At: ruletest.Start, NetNS: 1, Own: true})
	ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, NetNS: 1, Name: "net.ipv4.ip_local_port_range", Value: "50000 50049"})
	for _, c := range []struct {
		id         string
		ns         uint64
		sure, want rule.Confidence
		cited      bool
	}{
		{"net/ephemeral-ports", 1, rule.Likely, rule.Certain, true},
		{"net/ephemeral-ports", 1, rule.Possible, rule.Possible, true},
		{"net/ephemeral-ports", 2, rule.Likely, rule.Likely, false},
		{"net/resets", 1, rule.Likely, rule.Likely, false},
	} {
		r := rule.Rule{ID: c.id, Resource: "connections", Detect: func(*view.View) ([]rule.Finding, error) {
			return []rule.Finding{{Subject: view.Entity{Kind: view.KindNetNS, Name: "a", NetNS: c.ns}, Confidence: c.sure, Headline: rule.T("x")}}, nil
		}}
		v := verdict.Judge(h.View(), []rule.Rule{r})
		if len(v.Settings) != 1 || len(v.Findings) != 1 {
			t.Fatalf("%d settings, %d findings", len(v.Settings), len(v.Findings))
		}
		f := v.Findings[0]
		cited := len(f.Notes) == 1 && strings.Contains(f.Notes[0].String(), "audit/port-range")
		if f.Confidence != c.want || cited != c.cited {
			t.Errorf("%s in %d, %v: %v, cited %v: %v", c.id, c.ns, c.sure, f.Confidence, cited, f.Notes)
		}
	}
}
