package session

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Windows fit how often reports have a sample, whichever table they tell: one now and then is missing.
func TestReportsInterval(t *testing.T) {
	const dir = "../imported/testdata/"
	for name, want := range map[string]time.Duration{"cpu/pidstat-u.txt": time.Second, "cpu/sar.json": time.Second, "prometheus/range.json": time.Second, "disk/iostat-xt.txt": time.Second} {
		s, err := OpenReports(t.Context(), []string{dir + name})
		if err != nil {
			t.Fatal(err)
		}
		held, err := s.Holds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Interval() < want || s.Interval() > want*6/5 || s.AtLeast() < readings*want || s.AtLeast() > (readings+1)*want || len(held.Pieces) != 1 || !held.Window.To.After(held.Window.From) {
			t.Errorf("%s: a sample each %v, %+v", name, s.Interval(), held.Pieces)
		}
	}
	if _, err := OpenReports(t.Context(), []string{dir + "exporter/1.prom"}); err == nil {
		t.Error("a rate was made of one answer")
	}
}

// A copy of /proc beside reports is not of the parts of their time that are judged, which is said.
func TestLookBesideStore(t *testing.T) {
	for name, tc := range map[string]struct {
		path  string
		looks bool
	}{"a sosreport": {sosreport(t), true}, "its file of sar": {"../imported/testdata/cpu/sar.txt", false}} {
		s, err := OpenReports(t.Context(), []string{tc.path})
		if err != nil {
			t.Fatal(err)
		}
		held, err := s.Holds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(held.Manifest.Notes, "\n"); strings.Contains(notes, "is judged only with all of the time") != tc.looks {
			t.Errorf("%s: %q", name, notes)
		}
	}
}

// Only the time that all reports cover counts, and no window is a sample short.
func TestIntervalOfReportsTogether(t *testing.T) {
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	w := recording.NewWriter(at)
	for i := range 144 {
		recording.Append(w, recording.CPUSample{At: at.Add(time.Duration(i-60) * 10 * time.Minute), CPU: -1})
	}
	for i := range 61 {
		recording.Append(w, recording.ProcessSample{At: at.Add(time.Duration(i) * time.Minute)})
	}
	rec := recording.New(recording.Manifest{})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	if got := interval(rec, recording.Window{From: at, To: at.Add(time.Hour)}); got != 10*time.Minute {
		t.Errorf("a sample each %v", got)
	}
	if got := interval(rec, recording.Window{From: at.Add(time.Minute), To: at.Add(6 * time.Minute)}); got != 10*time.Minute {
		t.Errorf("between two samples: one each %v", got)
	}
	s := Store{rec: rec, every: 10400 * time.Millisecond}
	if s.AtLeast() != 52*time.Second || s.Holding(2) != 21*time.Second || s.Holding(1) != 11*time.Second {
		t.Errorf("%v, %v, %v", s.AtLeast(), s.Holding(2), s.Holding(1))
	}
}
