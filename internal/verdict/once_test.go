package verdict

import (
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// By one look only rules of levels judge; what they find is possible, and their silence is no
// health.
func TestOnce(t *testing.T) {
	rec := recording.New(recording.Manifest{Probes: []recording.ProbeInfo{{Name: "archive", Fills: []recording.Table{recording.System}, Once: true}}})
	w := recording.NewWriter(t0)
	recording.Append(w, recording.SystemSample{At: t0, Tasks: 900})
	recording.Append(w, recording.ProbeRun{At: t0, Probe: "archive", Rows: 1})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	host := view.Entity{Kind: view.KindHost, Name: "db"}
	level, silent, rate := finds("proc/x", nil, rule.Finding{Subject: host, Confidence: rule.Certain}), finds("net/x", nil), finds("cpu/x", nil, rule.Finding{Subject: host, Confidence: rule.Certain})
	for _, r := range []*rule.Rule{&level, &silent, &rate} {
		r.Needs = []recording.Table{recording.System}
	}
	level.Levels, silent.Levels = true, true
	v := Judge(view.New(rec, t0, t0), []rule.Rule{level, silent, rate})
	if len(v.Findings) != 1 || v.Findings[0].Rule != "proc/x" || v.Findings[0].Confidence != rule.Possible {
		t.Errorf("found %+v", v.Findings)
	}
	if len(v.NotJudged) != 1 || v.NotJudged[0].Rule != "cpu/x" || v.NotJudged[0].Needs != "two looks at the host" {
		t.Errorf("not judged %+v", v.NotJudged)
	}
	if len(v.Healthy) > 0 {
		t.Errorf("healthy %q", v.Healthy)
	}
}
