package oncpu

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// whole is a source that names this process, too.
func whole() *Source {
	s := New(0)
	s.own = 0
	return s
}

//go:noinline
func burnHere(d time.Duration) (n int) {
	for began := time.Now(); time.Since(began) < d; {
		for i := range 100000 {
			n += i ^ n
		}
	}
	return n
}

// What runs is named, with its place in the source, and counted as often as it used
// the time of a CPU.
func TestLive(t *testing.T) {
	var before, after unix.Rusage
	usage := func(into *unix.Rusage) {
		if err := unix.Getrusage(unix.RUSAGE_SELF, into); err != nil {
			t.Error(err)
		}
	}
	burn := func() { burnHere(time.Second) }
	rec := eventtest.Watch(t, whole(), func() { usage(&before); burn() }, func() { burn(); usage(&after) })
	var all, hot time.Duration
	for _, r := range recording.Rows[recording.OnCPUSample](rec) {
		if int(r.PID) != os.Getpid() {
			continue
		}
		all += time.Duration(r.Samples) * r.Every
		if strings.HasSuffix(r.Function, ".burnHere") && strings.Contains(r.Source, "oncpu/live_test.go:") && strings.Contains(r.Stack, "burnHere;") && !r.Kernel {
			hot += time.Duration(r.Samples) * r.Every
		}
	}
	used := func(r *unix.Rusage) time.Duration { return time.Duration(r.Utime.Nano() + r.Stime.Nano()) }
	want := used(&after) - used(&before)
	if diff := (all - want).Abs(); diff > want/5+100*time.Millisecond {
		t.Errorf("the process ran for %v, samples say %v", want, all)
	}
	if 2*hot < all {
		t.Errorf("burnHere ran for %v of %v", hot, all)
	}
	if programs := recording.Rows[recording.EventProgram](rec); len(programs) == 0 || programs[0].Runs == 0 || programs[0].Tracepoint != "cpu-clock" {
		t.Errorf("programs: %+v", programs)
	}
}
