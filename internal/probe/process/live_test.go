package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// TestLive reads this machine and looks for what is known: the test itself.
func TestLive(t *testing.T) {
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	if err := p.Start(); err != nil {
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

// TestSleepersHaveRows: a process that does nothing has a row in every sample,
// as light as if it had been replaced, and none after its end.
func TestSleepersHaveRows(t *testing.T) {
	people := census.New("/")
	defer people.Close()
	p := New(people)
	defer p.Close()
	p.cpuTime = func() time.Duration { return 0 } // other processes use up no budget
	if err := p.Start(); err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Skipf("no sleep(1) here: %v", err)
	}
	defer child.Process.Kill()
	untilAsleep(t, child.Process.Pid, "sleep")
	rec := recording.New(recording.Manifest{})
	for n := range 5 {
		if n == 4 {
			_ = child.Process.Kill()
			_ = child.Wait()
		}
		w := recording.NewWriter(time.Now())
		if err := p.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	var rows []recording.ProcessSample
	for _, r := range recording.Rows[recording.ProcessSample](rec) {
		if r.PID == int32(child.Process.Pid) {
			rows = append(rows, r)
		}
	}
	if len(rows) != 4 {
		t.Fatalf("%d rows of a process that slept in 4 of 5 samples", len(rows))
	}
	before, last := rows[2], rows[3]
	if !last.At.After(before.At) || last.Full || last.Anon != recording.Unknown || last.WaitChannel != "" {
		t.Errorf("want a light row of its own time, got %+v", last)
	}
	before.At = last.At
	if before.Full { // it was still starting
		before = lighten(&rows[2], last.At)
	}
	if diff := cmp.Diff(before, last); diff != "" {
		t.Errorf("it slept (-before +after)\n%s", diff)
	}
}

// untilAsleep waits until a child runs its program and sleeps in it.
func untilAsleep(t *testing.T, pid int, comm string) {
	t.Helper()
	for ctx := t.Context(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "("+comm+") S ") {
			return
		}
	}
}
