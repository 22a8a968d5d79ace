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

// TestLive looks at the test itself: one thread that computes and one that
// waits in a system call.
func TestLive(t *testing.T) {
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	if err := p.Check(); err != nil {
		t.Skipf("no /proc here: %v", err)
	}

	waiting := make(chan int)
	go func() {
		runtime.LockOSThread()
		waiting <- unix.Gettid()
		end := unix.NsecToTimespec(int64(2 * time.Second))
		_ = unix.Nanosleep(&end, nil)
	}()
	waiter := <-waiting
	rec := recording.New(recording.Manifest{})
	for range 6 {
		w := recording.NewWriter(time.Now())
		if err := p.Sample(context.Background(), w); err != nil {
			t.Fatal(err)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(120 * time.Millisecond); time.Now().Before(end); {
		}
	}
	var asleep, ran int
	for _, r := range recording.Rows[recording.ThreadSample](rec) {
		if r.PID != int32(os.Getpid()) {
			continue
		}
		if r.TID == int32(waiter) && r.State == "S" && r.SyscallName == "nanosleep" {
			asleep++
		}
		if r.State == "R" && r.CPUTime > 0 {
			ran++
		}
	}
	if asleep == 0 {
		t.Error("the thread in nanosleep was not seen there")
	}
	if ran == 0 {
		t.Error("the computing thread was not seen running")
	}
	if os.Getenv("RTRAIL_SHOW") != "" {
		for _, r := range recording.Rows[recording.ThreadSample](rec) {
			t.Logf("%+v", r)
		}
	}
}
