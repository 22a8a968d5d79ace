package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSlowMonitor: one thread besides the main one may wake late, and none that
// runs goroutines: theirs are the times of samples.
func TestSlowMonitor(t *testing.T) {
	id, ok := monitorThread("/proc/self/task")
	if !ok {
		t.Skip("no /proc here")
	}
	file := filepath.Join("/proc", id, "timerslack_ns")
	before, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, before, 0) // takes CAP_SYS_NICE
	}
	if err != nil {
		t.Skipf("slack of other threads cannot be set here: %v", err)
	}
	defer func() { _ = os.WriteFile(file, before, 0) }()
	slowMonitor()
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(got)) != strconv.Itoa(int(monitorSlack)) {
		t.Errorf("slack of %s ns, want %d", got, monitorSlack)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if id == strconv.Itoa(unix.Gettid()) || id == strconv.Itoa(unix.Getpid()) {
		t.Errorf("thread %s runs goroutines", id)
	}
}
