package thread

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// patience is how long the test waits for the probe to see what it shows.
const patience = 10 * time.Second

// TestLive looks at the test itself: one thread that computes and one that
// waits in a system call.
func TestLive(t *testing.T) {
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	p.own = 0 // the test is to be seen
	if err := p.Start(); err != nil {
		t.Skipf("no /proc here: %v", err)
	}

	waiting := make(chan int)
	go func() {
		runtime.LockOSThread()
		waiting <- unix.Gettid()
		end := unix.NsecToTimespec(int64(patience))
		_ = unix.Nanosleep(&end, nil)
	}()
	waiter := <-waiting
	rec := recording.New(recording.Manifest{})
	var asleep, ran bool
	// The probe leaves looks out when they cost too much, as they do on a
	// loaded machine: the number of looks is not the test's to say.
	for began := time.Now(); !(asleep && ran) && time.Since(began) < patience; {
		w := recording.NewWriter(time.Now())
		if err := p.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(120 * time.Millisecond); time.Now().Before(end); {
		}
		for _, r := range recording.Rows[recording.ThreadSample](rec) {
			if r.PID == int32(os.Getpid()) {
				asleep = asleep || r.TID == int32(waiter) && r.State == "S" && r.SyscallName == "nanosleep"
				ran = ran || r.State == "R" && r.CPUTime > 0
			}
		}
	}
	if !asleep {
		t.Error("the thread in nanosleep was not seen there")
	}
	if !ran {
		t.Error("the computing thread was not seen running")
	}
	if os.Getenv("RTRAIL_SHOW") != "" {
		for _, r := range recording.Rows[recording.ThreadSample](rec) {
			t.Logf("%+v", r)
		}
	}
}
