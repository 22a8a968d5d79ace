package verdict

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// A resource is not healthy while a counter of refused work that belongs to it
// rises and no finding accounts for that.
func TestARisingRefusalIsNoHealth(t *testing.T) {
	refusing := func(perSecond float64) *view.View {
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(t0)
		for s := range 11 {
			at := t0.Add(time.Duration(s) * time.Second)
			recording.Append(w, recording.SystemSample{At: at})
			recording.Append(w, recording.ProtocolSample{At: at, NetNS: 1, Protocol: "TcpExt", Name: "TCPReqQFullDrop", Value: 7 + int64(perSecond*float64(s))})
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		return view.New(rec, t0, t0.Add(10*time.Second))
	}
	halfOpen := func(found ...rule.Finding) []rule.Rule {
		r := finds("net/syn-flood", nil, found...)
		r.Resource = "half-open connections"
		other := finds("cpu/x", nil)
		return []rule.Rule{r, other}
	}
	flood := rule.Finding{Subject: view.Entity{Kind: view.KindListener, Name: "nginx", NetNS: 1}, Confidence: rule.Possible}
	for _, tt := range []struct {
		name     string
		view     *view.View
		rules    []rule.Rule
		unjudged int
		healthy  []string
	}{
		{"no rule finds it", refusing(2000), halfOpen(), 1, []string{"cp"}},
		{"a rule does", refusing(2000), halfOpen(flood), 0, []string{"cp"}},
		{"nothing was refused", refusing(0), halfOpen(), 0, []string{"half-open connections", "cp"}},
		{"two in the window", refusing(0.2), halfOpen(), 0, []string{"half-open connections", "cp"}},
	} {
		v := Judge(tt.view, tt.rules)
		if len(v.Unjudged) != tt.unjudged || !slices.Equal(v.Healthy, tt.healthy) {
			t.Errorf("%s: %d counters unjudged, healthy %q; want %d, %q", tt.name, len(v.Unjudged), v.Healthy, tt.unjudged, tt.healthy)
		}
	}
}
