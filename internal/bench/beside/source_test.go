package beside

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/logs"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// TestLogsBesideTsar reads what sysbench and tsar wrote of six runs: the means are those of tsar's
// lines in exactly the seconds of each.
func TestLogsBesideTsar(t *testing.T) {
	runs, notes, err := logs.Open(t.Context(), filepath.Join("testdata", "ladder.log"))
	if err != nil || len(runs) != 6 || len(notes) > 0 {
		t.Fatal(len(runs), notes, err)
	}
	s, err := Reports(t.Context(), []string{filepath.Join("testdata", "tsar.txt")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Fill(t.Context(), runs, 0); err != nil {
		t.Fatal(err)
	}
	r := &runs[0]
	if at := r.Began.Format(time.TimeOnly); at != "22:07:27" || r.Seconds() != 5 || r.Threads != 1 {
		t.Fatalf("%s, %v s, %d threads", at, r.Seconds(), r.Threads)
	}
	// The lines 22:07:28 to 22:07:32. What is busy and nothing else is nice time, which counts
	// as that of users.
	h := r.Host
	for name, x := range map[string][2]float64{"system": {float64(h.System), 0.37078}, "iowait": {float64(h.IOWait), 0.001}, "softirq": {float64(h.Softirq), 0.11678}} {
		if math.Abs(x[0]-x[1]) > 1e-4 {
			t.Errorf("%s: %v, want %v", name, x[0], x[1])
		}
	}
	if h.Samples != 6 || !(h.Util > 0) || !(r.Costs.Written > 0) || !math.IsNaN(float64(r.Costs.CPU)) || !math.IsNaN(float64(r.Costs.Sent)) {
		t.Errorf("%+v, %+v", h, r.Costs)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "how many CPUs the host has is not told") }) {
		t.Errorf("%q", r.Notes)
	}
}

// TestNotCovered: runs of which there are no samples get no numbers of others.
func TestNotCovered(t *testing.T) {
	s, err := Reports(t.Context(), []string{filepath.Join("testdata", "tsar.txt")})
	if err != nil {
		t.Fatal(err)
	}
	before, across, never := bench.NewRun(), bench.NewRun(), bench.NewRun()
	before.Began, before.Ended = s.held.From.Add(-time.Minute), s.held.From.Add(-time.Second)
	across.Began, across.Ended = s.held.To.Add(-2*time.Second), s.held.To.Add(20*time.Second)
	runs := []bench.Run{before, across, never}
	if err := s.Fill(t.Context(), runs, 0); err == nil || !strings.Contains(err.Error(), "no run lies within the host's samples") {
		t.Error(err)
	}
	for i, want := range []string{"cover 0 of its 59 seconds", "cover 2 of its 22 seconds", "when it ran is not known"} {
		if r := &runs[i]; !math.IsNaN(float64(r.Host.User)) || r.Host.Samples != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], want) {
			t.Errorf("%+v, %q", r.Host, r.Notes)
		}
	}
}
