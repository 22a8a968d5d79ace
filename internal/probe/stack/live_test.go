package stack

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe"
	dump "rtrail/internal/stack"
)

// watchCommand watches a command for a moment; it is skipped where the kernel
// does not let us.
func watchCommand(t *testing.T, name string, args ...string) (*dump.Profile, []string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	time.Sleep(50 * time.Millisecond)
	p, notes, err := Watch(context.Background(), Options{PID: int32(cmd.Process.Pid), Length: 400 * time.Millisecond, Hz: 499})
	if _, missing := errors.AsType[*probe.MissingError](err); missing {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p, notes
}

func TestSleeping(t *testing.T) {
	if !followsFrames {
		t.Skip("frames of sleeping threads are not followed on this architecture")
	}
	p, notes := watchCommand(t, "sleep", "60")
	for _, s := range p.Stacks {
		if s.Kind == "off-cpu" {
			all := strings.Join(s.Frames, ",")
			if !strings.Contains(all, "nanosleep") || !strings.Contains(all, "__libc_start_main") {
				t.Errorf("sleep sleeps in %s\nnotes: %q", all, notes)
			}
			return
		}
	}
	t.Errorf("no sleeping thread in %+v\nnotes: %q", p.Stacks, notes)
}

func TestRunning(t *testing.T) {
	p, notes := watchCommand(t, "sh", "-c", "while :; do :; done")
	n := int64(0)
	for _, s := range p.Stacks {
		if s.Kind == "on-cpu" && len(s.Frames) > 1 {
			n += s.Count
		}
	}
	// Others may want the CPU too: of 200 samples some must have been taken.
	if n < 20 && !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "were not sampled") }) {
		t.Errorf("%d samples of a loop\nnotes: %q", n, notes)
	}
}

func TestNoProcess(t *testing.T) {
	if _, _, err := Watch(context.Background(), Options{PID: 1 << 30, Length: time.Second, Hz: 99}); err == nil {
		t.Error("a process that is not there was watched")
	}
}
