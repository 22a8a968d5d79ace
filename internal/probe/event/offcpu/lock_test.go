package offcpu

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

const (
	futexWaitPrivate = 0 | 128
	futexWakePrivate = 1 | 128
)

func futexCall(word *uint32, op int, value uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), uintptr(op), uintptr(value), 0, 0, 0)
}

// One thread sleeps while it holds a lock that another one wants, and one is idle: the
// kernel tells of the lock, its address, who holds it and that the holder sleeps.
func TestLock(t *testing.T) {
	const rounds, pause = 10, 30 * time.Millisecond
	const held, idle = 2, 0 // what waiters expect
	var lock, condition [16]uint32
	var tids [3]int
	rec := eventtest.Watch(t, New(0), func() {
		var all sync.WaitGroup
		var done atomic.Bool
		atomic.StoreUint32(&lock[0], held)
		for i, work := range []func(){
			func() { // the holder
				for range rounds {
					_ = unix.Nanosleep(&unix.Timespec{Nsec: int64(pause)}, nil)
					atomic.StoreUint32(&lock[0], 0)
					futexCall(&lock[0], futexWakePrivate, 1)
					atomic.StoreUint32(&lock[0], held)
				}
				done.Store(true)
				atomic.StoreUint32(&lock[0], 0)
				futexCall(&lock[0], futexWakePrivate, 1)
				atomic.StoreUint32(&condition[0], 1)
				futexCall(&condition[0], futexWakePrivate, 1)
			},
			func() {
				for !done.Load() {
					futexCall(&lock[0], futexWaitPrivate, held)
				}
			},
			func() {
				for atomic.LoadUint32(&condition[0]) == 0 {
					futexCall(&condition[0], futexWaitPrivate, idle)
				}
			},
		} {
			all.Go(func() {
				runtime.LockOSThread()
				tids[i] = unix.Gettid()
				work()
			})
		}
		all.Wait()
	})
	at := func(word *[16]uint32) uint64 { return uint64(uintptr(unsafe.Pointer(word))) }
	const want = rounds * pause
	seen := 0
	for _, l := range view.SumLocks(recording.Rows[recording.OffCPUWait](rec), 0) {
		if int(l.PID) != os.Getpid() || l.Address != at(&lock) && l.Address != at(&condition) {
			continue
		}
		seen++
		if l.Mutex != (l.Address == at(&lock)) || l.Threads != 1 || l.Waited < want-8*minStep || l.Waited > 3*want || int(l.HolderTID) != tids[0] || int(l.HolderPID) != os.Getpid() {
			t.Errorf("holder %d, waited %v: %+v", tids[0], want, l)
		}
		if l.Address == at(&lock) && !strings.Contains(l.HolderFor, "nanosleep") {
			t.Errorf("the holder sleeps: %+v", l)
		}
	}
	if seen != 2 {
		t.Errorf("%d of 2 futexes were seen", seen)
	}
}
