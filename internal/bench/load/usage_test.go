package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// task makes the files of a thread: ticks of its own, and of children that it waited for.
func task(t *testing.T, proc string, pid, tid int, name string, used, waited int, children string) {
	t.Helper()
	stat := fmt.Sprintf("%d (%s) S 1 1 1 0 -1 0 0 0 0 0 %d 0 %d 0 20 0 1 0 0\n", tid, name, used, waited)
	dir := filepath.Join(proc, fmt.Sprint(pid))
	task := filepath.Join(dir, "task", fmt.Sprint(tid))
	if err := os.MkdirAll(task, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join(task, "stat"): stat, filepath.Join(task, "children"): children, filepath.Join(dir, "stat"): stat} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUsageOfDescendants(t *testing.T) {
	proc := t.TempDir()
	task(t, proc, 10, 10, "sh", 0, 0, "11 ")
	task(t, proc, 11, 11, "a) b", 100, 0, "")
	w := &Watched{proc: proc, pid: 10, stop: make(chan struct{})}
	w.Begin()
	w.first.at = w.first.at.Add(-10 * time.Second)
	task(t, proc, 11, 11, "a) b", 1090, 0, "")
	u := w.End()
	if u.CPUs < .98 || u.CPUs > 1 || u.Busiest < .98 || u.BusiestName != "a) b" || u.Allowed < 1 {
		t.Errorf("%+v", u)
	}
	if hot := u.Hot(); !strings.Contains(hot, `"a) b" ran or waited for a CPU 99 %`) {
		t.Error(hot)
	}
}

// A child that has ended counts with its parent, and is not lost.
func TestUsageOfThoseThatEnded(t *testing.T) {
	proc := t.TempDir()
	task(t, proc, 10, 10, "sh", 0, 500, "")
	w := &Watched{proc: proc, pid: 10, stop: make(chan struct{})}
	w.Begin()
	w.first.at = w.first.at.Add(-10 * time.Second)
	task(t, proc, 10, 10, "sh", 0, 900, "")
	w.look()
	if err := os.RemoveAll(filepath.Join(proc, "10")); err != nil {
		t.Fatal(err)
	}
	if u := w.End(); u.CPUs < .39 || u.CPUs > .41 {
		t.Errorf("%+v", u)
	}
}

// A worker that ends before its process does was as busy as it was.
func TestUsageOfWorkersThatEnded(t *testing.T) {
	proc := t.TempDir()
	task(t, proc, 10, 10, "sysbench", 0, 0, "")
	task(t, proc, 10, 11, "worker", 0, 0, "")
	w := &Watched{proc: proc, pid: 10, stop: make(chan struct{})}
	w.Begin()
	w.first.at = w.first.at.Add(-10 * time.Second)
	task(t, proc, 10, 11, "worker", 980, 0, "")
	w.look()
	if err := os.RemoveAll(filepath.Join(proc, "10", "task", "11")); err != nil {
		t.Fatal(err)
	}
	if u := w.End(); u.Busiest < .97 || u.BusiestName != "worker" {
		t.Errorf("%+v", u)
	}
}

func TestHot(t *testing.T) {
	for _, tt := range []struct {
		u   Usage
		hot bool
	}{
		{UnknownUsage(), false},
		{Usage{CPUs: .5, Allowed: 2, Busiest: .5}, false},
		{Usage{CPUs: 1, Allowed: 8, Busiest: 1}, true},
		{Usage{CPUs: 1.7, Allowed: 2, Busiest: .2}, true},
		{Usage{CPUs: .35, Allowed: .4, Busiest: .35}, true},
	} {
		if got := tt.u.Hot() != ""; got != tt.hot {
			t.Errorf("%+v: %q", tt.u, tt.u.Hot())
		}
	}
}

// A thread that waits for a CPU has no time for answers either.
func TestUsageOfThoseThatWaitForACPU(t *testing.T) {
	proc := t.TempDir()
	schedstat := func(ran, waited int64) {
		task(t, proc, 10, 10, "ab", 0, 0, "")
		if err := os.WriteFile(filepath.Join(proc, "10", "task", "10", "schedstat"), fmt.Appendf(nil, "%d %d 5\n", ran, waited), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	schedstat(0, 0)
	w := &Watched{proc: proc, pid: 10, stop: make(chan struct{})}
	w.Begin()
	w.first.at = w.first.at.Add(-10 * time.Second)
	schedstat(3e9, 6.9e9)
	if u := w.End(); u.Busiest < .98 || u.Hot() == "" {
		t.Errorf("%+v", u)
	}
}
