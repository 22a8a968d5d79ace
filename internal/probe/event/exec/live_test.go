package exec

import (
	"context"
	"errors"
	"os"
	"os/exec"
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
	p := event.New(New(), event.Options{})
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
		if lost := w.LostRows(); lost > 0 {
			t.Errorf("%d events were lost", lost)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	sample()
	do()
	p.Closing()
	sample()
	return rec
}

func TestLive(t *testing.T) {
	began := time.Now()
	rec := watch(t, func() {
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
		t.Logf("%s: %d runs, %v each", p.Program, p.Runs, p.RunTime/time.Duration(max(p.Runs, 1)))
	}
}
