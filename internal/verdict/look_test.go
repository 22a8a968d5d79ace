package verdict

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// What one look shows beside a window is possible, and makes nothing healthy.
func TestAddLook(t *testing.T) {
	at := t0.Add(time.Hour)
	rec := recording.New(recording.Manifest{Notes: []string{"one look"}, Probes: []recording.ProbeInfo{{Name: "archive", Fills: []recording.Table{recording.System}, Once: true}}})
	w := recording.NewWriter(at)
	recording.Append(w, recording.SystemSample{At: at})
	recording.Append(w, recording.ProbeRun{At: at, Probe: "archive", Rows: 1})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	levels := []rule.Rule{finds("cpu/known", nil, about("db", rule.Certain, 0.9)), finds("proc/hint", nil, about("web", rule.Certain, 0.9)),
		finds("disk/only", nil, about("sda", rule.Certain, 0.9)), finds("net/fine", nil)}
	for i := range levels {
		levels[i].Levels = true
	}
	rates := []rule.Rule{finds("cpu/known", nil, about("db", rule.Likely, 0.1)), finds("disk/other", nil), finds("mem/other", nil)}
	lacking := finds("proc/hint", nil)
	lacking.Needs = []recording.Table{recording.Processes}
	silent := finds("net/fine", nil)
	silent.Needs = []recording.Table{recording.Processes}
	v := Judge(evidence(t, recording.ProbeInfo{}, good, good), append(rates, lacking, silent))
	judged, healthy := v.Judged, slices.Clone(v.Healthy)
	if !slices.Equal(healthy, []string{"di", "me"}) {
		t.Fatalf("healthy %q", healthy)
	}
	v.AddLook(Judge(view.New(rec, at, at), levels), levels)
	if got := strings.Join(outline(v.Findings), " "); got != "cpu/known disk/only proc/hint" {
		t.Fatalf("found %s", got)
	}
	known, hint := v.Findings[0], v.Findings[2]
	if known.Confidence != rule.Likely || len(known.Notes) > 0 || hint.Confidence != rule.Possible || hint.Rank != 3 ||
		len(hint.Notes) != 1 || !strings.Contains(hint.Notes[0].String(), "one look") {
		t.Errorf("%+v, %+v", known, hint)
	}
	if slices.ContainsFunc(v.NotJudged, func(n NotJudged) bool { return n.Rule == "proc/hint" }) || v.Judged != judged+1 {
		t.Errorf("%d judged, not judged %+v", v.Judged, v.NotJudged)
	}
	if !slices.ContainsFunc(v.NotJudged, func(n NotJudged) bool { return n.Rule == "net/fine" }) {
		t.Errorf("silence of one look judges the window: %+v", v.NotJudged)
	}
	if !slices.Equal(v.Healthy, []string{"me"}) || !slices.Contains(v.Notes, "one look") || !slices.ContainsFunc(v.Probes, func(p ProbeHealth) bool { return p.Name == "archive" }) {
		t.Errorf("healthy %q, notes %q, probes %+v", v.Healthy, v.Notes, v.Probes)
	}
}
