// Package ruletest builds recordings for tests of rules: a made-up host whose
// counters run at given rates for a given number of seconds, read once a
// second like a real one.
//
//	h := ruletest.New(2, 10) // 2 CPUs, 10 seconds
//	h.CPU(0, ruletest.CPU{User: 0.9, System: 0.1})
//	h.Process(ruletest.Process{PID: 7, Comm: "mysqld", CPU: 1.5, RunDelay: 0.4})
//	found := h.Detect(t, saturated)
package ruletest

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// Start is when every made-up window begins.
var Start = time.Date(2026, 1, 2, 14, 2, 10, 0, time.UTC)

// Host is a recording under construction.
type Host struct {
	Rec     *recording.Recording
	Seconds float64       // length of the window
	Step    time.Duration // between two readings; 1 s
	nextPID int32

	nextConnection int64
}

// New begins a host with a number of CPUs, watched for a number of seconds.
// Nothing is recorded yet, so that tests choose which evidence exists.
func New(cpus int, seconds float64) *Host {
	m := recording.Manifest{Format: recording.FormatVersion, Tool: "rtrail test", Started: Start,
		Ended: Start.Add(dur(seconds)),
		Host: recording.Host{Name: "db1", Kernel: "6.1.0", Arch: "amd64", CPUs: cpus, MemoryBytes: 8 << 30,
			PageSize: 4096, Boot: Start.Add(-24 * time.Hour), CgroupVersion: "v2", NetNS: 1, PID: 4242, Root: true}}
	return &Host{Rec: recording.New(m), Seconds: seconds, Step: time.Second, nextPID: 1000}
}

// Manifest changes what is known about the host.
func (h *Host) Manifest(change func(*recording.Manifest)) *Host {
	h.Rec.UpdateManifest(change)
	return h
}

// Add records rows as they are. Rows without a time of their own should be
// made with Every.
func Add[T recording.Row](h *Host, rows ...T) *Host {
	w := recording.NewWriter(Start)
	recording.Append(w, rows...)
	if err := h.Rec.Commit(w); err != nil {
		panic(err) // a recording in memory never refuses
	}
	return h
}

// Every records one row per reading: at is its time, s the seconds since the
// window began.
func Every[T recording.Row](h *Host, row func(at time.Time, s float64) T) *Host {
	h.Readings(func(at time.Time, s float64) { Add(h, row(at, s)) })
	return h
}

// Readings calls f at the time of every reading, both edges included.
func (h *Host) Readings(f func(at time.Time, s float64)) {
	end := dur(h.Seconds)
	for t := time.Duration(0); t <= end; t += h.Step {
		f(Start.Add(t), t.Seconds())
	}
	if end%h.Step != 0 {
		f(Start.Add(end), h.Seconds)
	}
}

// View is a view on the whole window.
func (h *Host) View() *view.View {
	return view.New(h.Rec, Start, Start.Add(dur(h.Seconds)))
}

// Detect runs a rule and fails the test if it refuses to judge, or if names in the
// evidence change what the commands of its findings do.
func (h *Host) Detect(t *testing.T, r rule.Rule) []rule.Finding {
	t.Helper()
	v := h.View()
	found, err := r.Detect(v)
	if err != nil {
		t.Fatalf("%s: not judged: %v", r.ID, err)
	}
	if len(found) > 0 {
		h.pasted(t, r)
		chart(v, r, found)
	}
	for _, f := range found {
		for _, check := range checks {
			check(t, f)
		}
	}
	return found
}

// Abstains runs a rule and fails the test unless it says that it cannot judge.
func (h *Host) Abstains(t *testing.T, r rule.Rule) {
	t.Helper()
	found, err := r.Detect(h.View())
	if err == nil {
		t.Fatalf("%s judged without its evidence: %d findings", r.ID, len(found))
	}
}

// Worst is the highest confidence among findings; 0 without any.
func Worst(found []rule.Finding) rule.Confidence {
	var worst rule.Confidence
	for _, f := range found {
		worst = max(worst, f.Confidence)
	}
	return worst
}

// Silent fails the test when a rule finds something above possible.
func (h *Host) Silent(t *testing.T, r rule.Rule) {
	t.Helper()
	for _, f := range h.Detect(t, r) {
		if f.Confidence > rule.Possible {
			t.Errorf("%s: %s, %s: %s", r.ID, f.Subject.Name, f.Confidence, f.Headline)
		}
	}
}

// Checked fails the test when a finding lacks what a report needs: a headline,
// evidence with metric, words and a command, a fix with its price, an impact.
func Checked(t *testing.T, f rule.Finding) {
	t.Helper()
	if f.Headline.Empty() || f.Subject.Name == "" || f.Subject.Kind == "" {
		t.Errorf("finding without headline or subject: %+v", f.Subject)
	}
	if f.Confidence < rule.Possible || f.Confidence > rule.Certain {
		t.Errorf("confidence %d", f.Confidence)
	}
	if f.Impact.Text.Empty() || f.Impact.Unmeasured == (f.Impact.Weight() > 0) {
		t.Errorf("impact without words or weight, or with a weight that was not measured: %+v", f.Impact)
	}
	if len(f.Evidence) == 0 {
		t.Error("no evidence")
	}
	for _, e := range f.Evidence {
		switch {
		case e.Metric == nil:
			t.Errorf("evidence %q cites no metric", e.What)
		case e.What.Empty():
			t.Errorf("evidence of %s lacks words (What)", e.Metric.ID)
		case e.Command().Empty():
			t.Errorf("evidence of %s lacks a Check: the metric has none, so the evidence must give its own", e.Metric.ID)
		}
		noVerbLeft(t, e.What)
	}
	if len(f.Fixes) == 0 {
		t.Error("no fix")
	}
	for _, x := range f.Fixes {
		if x.Text.Empty() || x.Tradeoff == "" {
			t.Errorf("incomplete fix: %+v", x)
		}
		noVerbLeft(t, x.Text)
	}
	noVerbLeft(t, f.Headline)
	noVerbLeft(t, f.Impact.Text)
	for _, n := range f.Notes {
		noVerbLeft(t, n)
	}
}
