// Package probetest waits in tests until processes are in some state: how long that takes a
// machine that is busy nobody knows.
package probetest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Asleep waits until a process sleeps because it was told to. Before, it waits for its own
// pages and libraries. The test is skipped where the kernel does not say what it waits for.
func Asleep(t *testing.T, pid int) {
	t.Helper()
	until(t, pid, "wchan", func(wchan string) bool {
		if wchan == "0" && os.Geteuid() != 0 {
			t.Skip("what a process waits for cannot be read")
		}
		return strings.Contains(wchan, "nanosleep")
	})
}

func inState(state string) func(*testing.T, int) {
	return func(t *testing.T, pid int) {
		t.Helper()
		until(t, pid, "stat", func(stat string) bool { return strings.Contains(stat, ") "+state+" ") })
	}
}

// Wake has a process that sleeps wake up for a moment.
func Wake(t *testing.T, p *os.Process) {
	t.Helper()
	for _, s := range []struct {
		signal os.Signal
		until  func(*testing.T, int)
	}{{unix.SIGSTOP, inState("T")}, {unix.SIGCONT, inState("S")}} {
		if err := p.Signal(s.signal); err != nil {
			t.Fatal(err)
		}
		s.until(t, p.Pid)
	}
}

func until(t *testing.T, pid int, file string, is func(content string) bool) {
	t.Helper()
	for t.Context().Err() == nil {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		if err != nil {
			t.Fatal(err)
		}
		if is(string(b)) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
