package offcpu

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// One thread waits for another one, and one sleeps: who waits where, for how long and
// who ends it is told.
func TestLive(t *testing.T) {
	var tids [3]int
	const rounds, pause = 10, 30 * time.Millisecond
	rec := eventtest.Watch(t, New(0), func() {
		var pipe [2]int
		if err := unix.Pipe(pipe[:]); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(pipe[0])
		defer unix.Close(pipe[1])
		var all sync.WaitGroup
		for i, work := range []func(){
			func() { _, _ = unix.Read(pipe[0], make([]byte, 1)) },
			func() {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: int64(pause)}, nil)
				_, _ = unix.Write(pipe[1], []byte{1})
			},
			func() { _ = unix.Nanosleep(&unix.Timespec{Nsec: int64(pause)}, nil) },
		} {
			all.Go(func() {
				runtime.LockOSThread()
				tids[i] = unix.Gettid()
				for range rounds {
					work()
				}
			})
		}
		all.Wait()
	})
	const reader, writer, sleeper = 0, 1, 2
	var waited [3]time.Duration
	var byTimer time.Duration
	for _, w := range recording.Rows[recording.OffCPUWait](rec) {
		if w.Waited <= 0 || w.PID == 0 || w.State == "R" && (w.Stack != "" || w.Waits > 0) || w.State != "R" && w.Longest <= 0 {
			t.Errorf("%+v", w)
		}
		if int(w.PID) != os.Getpid() || w.State == "R" {
			continue
		}
		switch int(w.TID) {
		case tids[reader]:
			if strings.HasPrefix(w.Stack, "anon_pipe_read;") || strings.HasPrefix(w.Stack, "pipe_read;") {
				waited[reader] += w.Waited
				if int(w.WakerTID) != tids[writer] || int(w.WakerPID) != os.Getpid() || !strings.Contains(w.WakerStack, "pipe_write;") {
					t.Errorf("the writer %d woke the reader, not %+v", tids[writer], w)
				}
			}
		case tids[writer], tids[sleeper]:
			if strings.HasPrefix(w.Stack, "hrtimer_nanosleep;") {
				waited[slices.Index(tids[:], int(w.TID))] += w.Waited
				switch {
				case w.Waker != "" || w.Interrupt != "" && w.Interrupt != "timer":
					t.Errorf("a timer ends a sleep, not %+v", w)
				case w.Interrupt == "timer":
					byTimer += w.Waited
				}
			}
		}
	}
	// The stack of a waker is taken if a step was full when it woke the thread. Where that happens
	// only until the thread runs, nobody is named.
	if all := waited[writer] + waited[sleeper]; byTimer < all*3/4 {
		t.Errorf("timers ended %v of %v asleep", byTimer, all)
	}
	for i, got := range waited {
		// A step may be owed, and one may have been there before.
		if want := rounds * pause; got < want-2*minStep*4 || got > 3*want {
			t.Errorf("thread %d was blocked for %v, want about %v", i, got, want)
		}
	}
}
