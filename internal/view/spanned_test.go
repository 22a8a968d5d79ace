package view

import (
	"path/filepath"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// A sum of a stretch counts in the window that has most of it. So a sum is off by at most
// half a reading at each end of the window; a rate is not, because it is divided by the
// stretches that count. What is read of a recording for a window is what a look at all of it
// has there.
func TestStretchesCountWhereMostOfThemLies(t *testing.T) {
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
		{"one ends as the window begins, and one begins as it ends", 10, 20, 100},
		{"one reaches in by half, and one out by half: one counts", 11, 21, 100},
		{"the first reaches out by little, the last in by little", 10.1, 20.1, 100},
		{"the first reaches in by little, the last out by little", 9.9, 19.9, 100},
		{"the first and the last reach in by more than half", 8.9, 21.1, 140},
		{"the first and the last reach in by less than half", 11.1, 18.9, 60},
		{"as long as a stretch, most of one in it", 10.5, 12.5, 20},
		{"as long as a stretch, a little of one in it and most of the next", 11.9, 13.9, 20},
		{"half as long as a stretch, in it", 10.5, 11.5, 20},
		{"half as long as a stretch, half of it outside", 9.5, 10.5, 0},
		{"shorter than half a stretch", 10.7, 11.3, 0},
		{"the same at the beginning of one", 10, 10.9, 0},
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

// All of a recording has what was counted from before its first sample to after its last; of
// windows that meet, each stretch counts in one; and a window that is too short for any says so.
func TestWindowsShareStretches(t *testing.T) {
	at := func(seconds float64) time.Time {
		return time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second)))
	}
	const every = 60.0
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(at(0))
	recording.Append(w, recording.SystemSample{At: at(0.1)}, recording.SystemSample{At: at(600)})
	recording.Append(w, recording.SyncSum{At: at(0.12), Span: 120 * time.Millisecond, Calls: 1})
	for end := every; end <= 600; end += every {
		recording.Append(w, recording.SyncSum{At: at(end + 0.12), Span: 60 * time.Second, Calls: 60})
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	calls := func(v *View) (n int64) {
		for _, r := range Rows[recording.SyncSum](v) {
			n += r.Calls
		}
		return n
	}
	if n := calls(New(rec, time.Time{}, time.Time{})); n != 601 {
		t.Errorf("all of the recording has %d calls, want 601", n)
	}
	for _, length := range []float64{60, 61, 90, 150, 200, 600} {
		sum := int64(0)
		for from := 0.0; from < 700; from += length {
			sum += calls(New(rec, at(from), at(from+length)))
		}
		if sum != 601 {
			t.Errorf("windows of %v s have %d calls, want 601", length, sum)
		}
	}
	for _, c := range []struct {
		from, to      float64
		has, tooShort bool
	}{{70, 80, false, true}, {115, 130, false, true}, {70, 110, true, false}, {60, 120, true, false}, {700, 710, false, false}} {
		v := New(rec, at(c.from), at(c.to))
		if has, short := v.Has(recording.Syncs), v.TooShort(recording.Syncs); has != c.has || short != c.tooShort {
			t.Errorf("from %v to %v: has rows %v, is too short %v", c.from, c.to, has, short)
		}
	}
}
