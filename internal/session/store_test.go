package session

import (
	"testing"
	"time"
)

// Windows fit how often reports have a sample, whichever table they tell.
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
		if s.Interval() != want || s.AtLeast() != readings*want || len(held.Pieces) != 1 || !held.Window.To.After(held.Window.From) {
			t.Errorf("%s: a sample each %v, %+v", name, s.Interval(), held.Pieces)
		}
	}
	if _, err := OpenReports(t.Context(), []string{dir + "exporter/1.prom"}); err == nil {
		t.Error("a rate was made of one answer")
	}
}
