package process

import (
	"context"
	"os"
	"testing"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// TestLive reads this machine and looks for what is known: the test itself.
func TestLive(t *testing.T) {
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	if err := p.Check(); err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	rec := recording.New(recording.Manifest{})
	for range 2 {
		w := recording.NewWriter(time.Now())
		if err := p.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
		}
	}
	var own []recording.ProcessSample
	for _, r := range recording.Rows[recording.ProcessSample](rec) {
		if r.PID == int32(os.Getpid()) {
			own = append(own, r)
		}
	}
	if len(own) != 2 {
		t.Fatalf("%d rows of the test, want 2", len(own))
	}
	first, last := own[0], own[1]
	if !first.Full || !last.Full {
		t.Error("a busy process must have full rows")
	}
	if last.RunTime <= first.RunTime {
		t.Errorf("run time went from %v to %v while the test ran", first.RunTime, last.RunTime)
	}
	if last.Anon <= 0 || last.Threads < 2 || last.Cmdline == "" || last.UID != int64(os.Geteuid()) {
		t.Errorf("implausible row %+v", last)
	}
	for _, l := range recording.Rows[recording.LimitSample](rec) {
		if l.PID == last.PID && (l.Files < 3 || l.FilesSoft < l.Files) {
			t.Errorf("implausible limits %+v", l)
		}
	}
	if os.Getenv("RTRAIL_SHOW") != "" {
		for _, r := range recording.Rows[recording.ProcessSample](rec) {
			t.Logf("%+v", r)
		}
		for _, r := range recording.Rows[recording.UnseenNote](rec) {
			t.Logf("%+v", r)
		}
		for _, r := range recording.Rows[recording.LimitSample](rec)[:5] {
			t.Logf("%+v", r)
		}
	}
}
