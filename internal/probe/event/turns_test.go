package event_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/probe/event/syscalls"
	"rtrail/internal/recording"
)

// sliced starts a source, has it go over to slices after some time, and gives what it read.
func sliced(t *testing.T, s event.Source, whole time.Duration) (p *event.Probe, look func() error, rec *recording.Recording) {
	t.Helper()
	start(t, event.Options{}).Close()
	p = event.New(s, event.Options{Budget: 1})
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	rec = recording.New(recording.Manifest{})
	write := func(do func(w *recording.Writer) error) error {
		w := recording.NewWriter(time.Now())
		return errors.Join(do(w), rec.Commit(w))
	}
	look = func() error {
		return write(func(w *recording.Writer) error { return p.Sample(context.Background(), w) })
	}
	if err := look(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(whole)
	if err := write(func(w *recording.Writer) error { return event.GoOver(p, w) }); err != nil {
		t.Fatal(err)
	}
	return p, look, rec
}

// A call that goes on when slices begin has its past in the stretch before, and nobody is
// in a call after its end.
func TestGoOver(t *testing.T) {
	dead := osexec.Command("/bin/true")
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dead.Wait() }()
	go func() {
		runtime.LockOSThread()
		time.Sleep(300 * time.Millisecond)
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &unix.Timespec{Sec: 4}, nil)
	}()
	p, look, rec := sliced(t, syscalls.New(0), time.Second)
	time.Sleep(500 * time.Millisecond)
	p.Closing()
	if err := look(); err != nil {
		t.Fatal(err)
	}
	stretches := 0
	for _, r := range recording.Rows[recording.SyscallSum](rec) {
		if int(r.PID) == dead.Process.Pid {
			t.Errorf("a zombie makes calls: %+v", r)
		}
		if int(r.PID) != os.Getpid() || r.Call != "clock_nanosleep" {
			continue
		}
		stretches++
		if most := max(r.Traced, time.Millisecond) + 20*time.Millisecond; r.Time > most {
			t.Errorf("one thread slept %v of %v", r.Time, r.Traced)
		}
		if r.Time < r.Traced/2 {
			t.Errorf("it slept %v only, of %v", r.Time, r.Traced)
		}
	}
	if stretches != 2 {
		t.Errorf("%d stretches", stretches)
	}
}

// A stretch without any slice has no rows, and that is said.
func TestNoSlice(t *testing.T) {
	p, look, rec := sliced(t, syscalls.New(0), 100*time.Millisecond)
	p.Closing()
	before := len(recording.Rows[recording.SyscallSum](rec))
	if err := look(); err != nil {
		t.Fatal(err)
	}
	if n := len(recording.Rows[recording.SyscallSum](rec)) - before; n > 0 {
		t.Errorf("%d rows of no slice", n)
	}
	notes := recording.Rows[recording.UnseenNote](rec)
	if len(notes) != 1 || !strings.Contains(notes[0].Why, "no slice") {
		t.Errorf("unseen: %+v", notes)
	}
}

// failing is a source whose slices cannot end once.
type failing struct {
	event.Source
	now *atomic.Bool
}

func (f failing) Object() event.Object {
	o := f.Source.Object()
	visit := o.Paused
	o.Paused = func() error {
		if f.now.CompareAndSwap(true, false) {
			return errors.New("it cannot end")
		}
		return visit()
	}
	return o
}

// Slices go on after one that failed, which is told.
func TestTurnFails(t *testing.T) {
	fails := failing{syscalls.New(0), &atomic.Bool{}}
	p, look, rec := sliced(t, fails, 100*time.Millisecond)
	fails.now.Store(true)
	time.Sleep(200 * time.Millisecond)
	event.Dear(p)
	if err := look(); err == nil || !strings.Contains(err.Error(), "it cannot end") {
		t.Fatalf("got %v", err)
	}
	time.Sleep(1500 * time.Millisecond)
	p.Closing()
	if err := look(); err != nil {
		t.Fatal(err)
	}
	var attached time.Duration
	all := recording.Rows[recording.EventProgram](rec)
	for _, r := range all[len(all)-2:] {
		attached = max(attached, r.Attached)
	}
	if attached < 100*time.Millisecond {
		t.Errorf("it was traced for %v after the failure", attached)
	}
}

// Where the registers of threads cannot be read a source counts all of the time or, over its
// budget, nothing.
func TestWithoutRegisters(t *testing.T) {
	start(t, event.Options{}).Close()
	event.LeaveOutHelpers(t)
	p := event.New(syscalls.New(0), event.Options{Budget: 1e-9})
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	sample(t, p)
	for began := time.Now(); time.Since(began) < 600*time.Millisecond; {
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
	}
	rec := sample(t, p)
	notes := recording.Rows[recording.UnseenNote](rec)
	if len(notes) != 1 || !strings.Contains(notes[0].Why, "detached") {
		t.Errorf("unseen: %+v", notes)
	}
	for _, r := range recording.Rows[recording.SyscallSum](rec) {
		if r.Traced != r.Span {
			t.Fatalf("it was sliced: %+v", r)
		}
	}
}

// Short slices count for as long as they say, although to attach takes about as long.
func TestShortSlices(t *testing.T) {
	eventtest.Holds(t, func() []string { return shortSlices(t) })
}

// shortSlices counts calls in many short slices, and says whether they are too few or too many.
func shortSlices(t *testing.T) (wrong []string) {
	const (
		every = 100 * time.Microsecond
		calls = 20
	)
	p, look, rec := sliced(t, syscalls.New(0), 100*time.Millisecond)
	var n atomic.Int64
	var stop atomic.Bool
	began := time.Now()
	go func() {
		runtime.LockOSThread()
		for at := began; !stop.Load(); {
			now := time.Now()
			if now.Sub(at) < every {
				continue
			}
			at = now // what it missed while programs were attached it does not make up for
			for range calls {
				_ = unix.Getppid()
			}
			n.Add(calls)
		}
	}()
	traced, err := event.Slices(p, 300, time.Millisecond)
	lasted := time.Since(began)
	stop.Store(true)
	p.Closing()
	if err := errors.Join(err, look()); err != nil {
		t.Fatal(err)
	}
	var got float64
	for _, r := range recording.Rows[recording.SyscallSum](rec) {
		if int(r.PID) == os.Getpid() && r.Call == "getppid" {
			got += float64(r.Calls)
		}
	}
	want := float64(n.Load()) * traced.Seconds() / lasted.Seconds()
	t.Logf("%.0f calls in %v of %v, want %.0f (%+.1f %%)", got, traced, lasted, want, 100*(got/want-1))
	if got < 0.9*want || got > 1.1*want {
		wrong = append(wrong, fmt.Sprintf("%.0f calls in slices of %v, want %.0f", got, traced/300, want))
	}
	return wrong
}
