package main

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// A probe that fails is told once, and once more when it reads again.
func TestOutagesOfProbes(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)
	window := func(errs ...string) *view.View {
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(at)
		for i, err := range errs {
			recording.Append(w, recording.ProbeRun{At: at.Add(time.Duration(i) * time.Second), Probe: "capture", Error: err})
		}
		recording.Append(w, recording.ProbeRun{At: at, Probe: "host"})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		return view.New(rec, at, at.Add(10*time.Second))
	}
	const gone = "the interface vanished\x1b[2J"
	o := outages{}
	for i, step := range []struct {
		errs []string
		want []string
	}{
		{[]string{"", ""}, nil},
		{[]string{"", gone}, nil}, // part of the window was read
		{[]string{gone, gone}, []string{`probe capture reads nothing, and what it tells is not judged: the interface vanished\x1b[2J`}},
		{[]string{gone}, nil},
		{nil, nil}, // not asked in this window
		{[]string{gone, ""}, []string{"probe capture reads again"}},
		{[]string{""}, nil},
		{[]string{gone}, []string{`probe capture reads nothing, and what it tells is not judged: the interface vanished\x1b[2J`}},
	} {
		if got := o.next(window(step.errs...)); !slices.Equal(got, step.want) {
			t.Errorf("window %d: %q, want %q", i, got, step.want)
		}
	}
}

// A reason that several probes have is told once.
func TestMissingProbesInWords(t *testing.T) {
	const root = "only root may read it; run it with sudo"
	for _, c := range []struct {
		missing []missingProbe
		want    string
	}{
		{nil, ""},
		{[]missingProbe{{"kernel", root}}, "kernel (" + root + ")"},
		{[]missingProbe{{"kernel", root}, {"socket", "no BTF"}, {"offcpu", root}, {"block", root}}, "kernel, offcpu, block (" + root + "); socket (no BTF)"},
		{[]missingProbe{{"kernel", "no BTF"}, {"block", root}}, "kernel (no BTF); block (" + root + ")"},
	} {
		if got := inWords(c.missing); got != c.want {
			t.Errorf("%v: %q, want %q", c.missing, got, c.want)
		}
	}
}
