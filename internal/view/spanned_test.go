package view

import (
	"path/filepath"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Sums of a stretch belong to the moment at which it ends, whatever part of it lies in the
// window. So a sum is off by less than one reading at each end of the window; a rate is not,
// because it is divided by the stretches that count. What is read of a recording for a
// window is what a look at all of it has there.
func TestStretchesBelongToTheirEnd(t *testing.T) {
	at := func(seconds float64) time.Time {
		return time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second)))
	}
	const readings, every = 30, 2 * time.Second // each stretch has 10 connects a second
	dir := filepath.Join(t.TempDir(), "rec")
	d, err := recording.Create(dir, recording.Manifest{}, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range readings {
		end := at(float64(2 * i))
		w := recording.NewWriter(end)
		recording.Append(w, recording.SystemSample{At: end})
		recording.Append(w, recording.Connect{At: end, Span: every, PID: 7, Process: "app", Remote: "10.0.0.2", RemotePort: 80, Result: recording.ConnectOK, Connects: 20, Time: time.Second})
		recording.Append(w, recording.EventProgram{At: end, Probe: "connects", Program: "connected", Span: every, Attached: every})
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := recording.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		from, to float64
		connects int64 // 10 for each second of the window would be exact
	}{
		{"a stretch ends as the window begins: it is counted, all of it before", 10, 20, 120},
		{"one reaches in by half, and one out by half", 11, 21, 100},
		{"one reaches in by little and is counted", 9.9, 19.9, 100},
		{"one ends just after the window and is not", 10.1, 19.9, 80},
		{"shorter than a stretch, no end in it", 10.5, 11.5, 0},
		{"shorter than a stretch, an end in it", 9.5, 10.5, 20},
		{"before all", -20, -10, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, err := recording.OpenRange(t.Context(), dir, at(c.from), at(c.to))
			if err != nil {
				t.Fatal(err)
			}
			for from, rec := range map[string]*recording.Recording{"the part": part, "all": all} {
				var connects int64
				for _, s := range New(rec, at(c.from), at(c.to)).Connects() {
					connects += s.Count
					if s.PerSecond != 10 {
						t.Errorf("of %s: %v a second, want 10", from, s.PerSecond)
					}
				}
				if connects != c.connects {
					t.Errorf("of %s: %d connects, want %d", from, connects, c.connects)
				}
			}
		})
	}
}
