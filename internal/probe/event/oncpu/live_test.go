package oncpu

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for going := true; going; {
		select {
		case <-done:
			going = false
		case <-time.After(500 * time.Millisecond):
			sample()
		}
	}
	p.Closing()
	began := time.Now()
	sample()
	t.Logf("the last sample took %v", time.Since(began))
	return rec
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
	rec := watch(t, func() {
		if err := unix.Getrusage(unix.RUSAGE_SELF, &before); err != nil {
			t.Error(err)
		}
		burnHere(2 * time.Second)
		if err := unix.Getrusage(unix.RUSAGE_SELF, &after); err != nil {
			t.Error(err)
		}
	})
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
