package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/report"
	"rtrail/internal/document"
	"rtrail/internal/page"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/session"
	"rtrail/internal/view"
)

// profiledHost is a busy host, with what ran on its CPUs, and its recording on disk.
func profiledHost(t *testing.T) (host *ruletest.Host, dir string) {
	t.Helper()
	host = busyHost().Thread(ruletest.Thread{PID: 10, TID: 10, Comm: "busy", State: "R", CPU: 0.9})
	host = host.OnCPU(recording.OnCPUSample{PID: 10, Process: "busy", Samples: 900, Function: "spin", Stack: "spin;main"})
	return host, onDisk(t, host.Rec.Manifest(), allRows(t, host.Rec))
}

// titles are those of headings, tables and chains.
func titles(d document.Document) (list []string) {
	for _, b := range d.Blocks {
		switch b := b.(type) {
		case document.Heading:
			list = append(list, b.Words)
		case document.Table:
			list = append(list, b.Title)
		case document.Chains:
			list = append(list, b.Title)
		}
	}
	return list
}

// shows wants a page to tell what processes did, below a title, with a flame graph of it.
func shows(t *testing.T, p page.Page, title, which string) {
	t.Helper()
	list := titles(p.Document)
	at := slices.IndexFunc(list, func(s string) bool { return strings.HasPrefix(s, title) })
	if at < 0 || !slices.Contains(list[at:], "WHERE THE TIME WENT") {
		t.Errorf("%q is not followed by where the time went: %q", title, list)
	}
	if len(p.Flames) == 0 || p.Flames[0].Root.Count != 900 || !strings.Contains(p.Flames[0].Title, which) {
		t.Errorf("flame graphs: %+v", p.Flames)
	}
}

// The page of a recording shows what processes did while the worst fault cost most.
func TestPageOfRecording(t *testing.T) {
	host, dir := profiledHost(t)
	found := rule.Rule{ID: "cpu/saturated", Detect: func(*view.View) ([]rule.Finding, error) {
		return []rule.Finding{{Confidence: rule.Likely, Subject: view.Entity{Kind: view.KindHost}}}, nil
	}}
	o := &overview{source: session.OpenStore(dir)}
	o.Every = 10 * time.Second
	o.Add(ruletest.Start, ruletest.Start.Add(o.Every), host.View(), []rule.Rule{found})
	var p page.Page
	var err error
	if p.Document.Blocks, err = (&replayed{overview: o}).whenWorst(t.Context(), &p); err != nil {
		t.Fatal(err)
	}
	shows(t, p, "WHEN FAULT ", " to ")
}

// The page of a load test shows what processes did in the step that shows its limit, if its
// recording lies below the folder.
func TestPageOfLoadTest(t *testing.T) {
	_, dir := profiledHost(t)
	folder := filepath.Dir(dir)
	for _, c := range []struct {
		given, recording string
		shown            bool
	}{{folder, "rec", true}, {folder, "gone", false}, {folder, "../" + filepath.Base(folder) + "/rec", false}, {filepath.Join(folder, bench.FileName), "rec", false}} {
		r := bench.NewRun()
		r.Scenario, r.Threads, r.Load.TPS, r.Recording = "ps", 8, 100, c.recording
		r.Began, r.Ended = ruletest.Start, ruletest.Start.Add(10*time.Second)
		var lines strings.Builder
		if err := r.Append(&lines); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, bench.FileName), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		runs, _, err := bench.Open(t.Context(), c.given)
		if err != nil {
			t.Fatal(err)
		}
		var p page.Page
		if err := limitingSteps(t.Context(), report.New(runs, report.Options{P99: math.Inf(1)}), &p); err != nil {
			t.Fatal(err)
		}
		if c.shown {
			shows(t, p, "IN THE STEP ", "ps at 8 clients")
			if len(p.Steps) != 1 || len(p.Steps[0].Charts.Host) == 0 || len(p.Steps[0].Charts.Bands) != 1 || p.Steps[0].Charts.Bands[0].From != float64(r.Began.Unix()) {
				t.Errorf("charts of the step: %+v", p.Steps)
			}
		} else if len(p.Steps)+len(p.Flames) > 0 || len(titles(p.Document)) > 0 {
			t.Errorf("%+v: %q is shown", c, titles(p.Document))
		}
	}
}
