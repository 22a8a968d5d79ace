package report_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"rtrail/internal/document"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
)

func TestJSONTellsOverriddenThresholds(t *testing.T) {
	x := rule.Threshold{Name: "full-from", Value: 0.9, Unit: "share"}
	if err := x.Set("95%"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	v := verdict.Verdict{Tool: "rtrail test", Thresholds: []rule.Override{{ID: "cpu/saturated.full-from", Threshold: &x}}}
	if err := document.JSON(&out, report.NewDocument(v)); err != nil {
		t.Fatal(err)
	}
	validate(t, "verdict", out.Bytes())
	var d report.Document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if want := (report.Threshold{ID: "cpu/saturated.full-from", Value: 0.95, Own: 0.9, Unit: "share"}); len(d.Thresholds) != 1 || d.Thresholds[0] != want {
		t.Errorf("got %+v, want %+v", d.Thresholds, want)
	}
}
