package exec

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

func TestLive(t *testing.T) {
	began := time.Now()
	rec := eventtest.Watch(t, New(), func() {
		run := func(name string, args ...string) {
			_ = exec.Command(name, args...).Run() // how it ends is in the rows
		}
		run("/bin/sh", "-c", "exit 7", "sh", "--password=hunter2")
		run("/bin/sh", "-c", "kill -9 $$")
	})
	var lines, ends []string
	for _, e := range recording.Rows[recording.ProcessEvent](rec) {
		if int(e.PPID) != os.Getpid() || e.Kind == recording.ProcessExited && e.Cmdline == "" {
			continue // os/exec also tries whether it can clone
		}
		if e.At.Before(began) || e.At.After(time.Now()) || e.Started.Before(began.Add(-20*time.Millisecond)) || e.Started.After(e.At) {
			t.Errorf("happened at %v, of a process that began at %v; the test began at %v", e.At, e.Started, began)
		}
		switch e.Kind {
		case recording.ProcessExec:
			lines = append(lines, e.Cmdline)
		case recording.ProcessExited:
			switch {
			case e.Status == 7 && e.Signal == 0:
				ends = append(ends, "7")
			case e.Status == recording.Unknown && e.Signal == 9:
				ends = append(ends, "killed")
			}
			if e.Lifetime <= 0 || e.Lifetime > time.Since(began) || !strings.HasPrefix(e.Cmdline, "/bin/sh -c") {
				t.Errorf("%+v", e)
			}
		}
	}
	if got := strings.Join(ends, " "); got != "7 killed" {
		t.Errorf("children ended by %q", got)
	}
	if got := strings.Join(lines, "|"); !strings.Contains(got, "exit 7") || strings.Contains(got, "hunter2") || !strings.Contains(got, "kill -9") {
		t.Errorf("children began %q", got)
	}
	for _, p := range recording.Rows[recording.EventProgram](rec) {
		if p.Runs == 0 || p.RunTime <= 0 || p.Stopped {
			t.Errorf("%+v", p)
		}
	}
}
