package offcpu

import (
	"context"
	"errors"
	"os"
	osexec "os/exec"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// watch runs a source beside what do does, and returns its rows.
func watch(t *testing.T, do func()) *recording.Recording {
	t.Helper()
	p := event.New(New(0), event.Options{Budget: 1})
	if err := p.Start(); err != nil {
		if missing, ok := errors.AsType[*probe.MissingError](err); ok && os.Geteuid() != 0 {
			t.Skip(missing)
		}
		t.Fatal(err)
	}
	defer p.Close()
	rec := recording.New(recording.Manifest{})
	sample := func() {
		w := recording.NewWriter(time.Now())
		if err := p.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	sample()
	do()
	p.Closing()
	began := time.Now()
	sample()
	t.Logf("the last sample took %v", time.Since(began))
	return rec
}

func TestLive(t *testing.T) {
	if c := os.Getenv("RTRAIL_LOAD"); c != "" {
		rec := watch(t, func() { b, _ := osexec.Command("sh", "-c", c).CombinedOutput(); t.Logf("%s", b) })
		for _, p := range recording.Rows[recording.EventProgram](rec) {
			t.Logf("%s: %d runs, %v each", p.Program, p.Runs, p.RunTime/time.Duration(max(p.Runs, 1)))
		}
		return
	}
	rec := watch(t, func() { time.Sleep(2 * time.Second) })
	var all time.Duration
	for i, w := range recording.Rows[recording.OffCPUWait](rec) {
		if w.Longest > 3*time.Second || w.Waited <= 0 {
			t.Errorf("%+v", w)
		}
		all += w.Waited
		if i < 400 && !strings.HasPrefix(w.Stack, "x") {
			t.Logf("%d/%d %s/%s %s %v %.1f %v | %s | by %s %d/%d %s %s", w.PID, w.TID, w.Process, w.Thread, w.State, w.Waited, w.Waits, w.Longest, w.Stack, w.Waker, w.WakerPID, w.WakerTID, w.Interrupt, w.WakerStack)
		}
	}
	for _, p := range recording.Rows[recording.EventProgram](rec) {
		t.Logf("%s: %d runs, %v each", p.Program, p.Runs, p.RunTime/time.Duration(max(p.Runs, 1)))
	}
	for _, p := range recording.Rows[recording.UnseenNote](rec) {
		t.Logf("%+v", p)
	}
}
