package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

func TestSumLocks(t *testing.T) {
	first, second := time.Unix(10, 0), time.Unix(20, 0)
	row := func(at time.Time, tid int32, waited time.Duration, change func(*recording.OffCPUWait)) recording.OffCPUWait {
		r := recording.OffCPUWait{At: at, UserStack: "__lll_lock_wait;take;main", Caller: "take", PID: 7, TID: tid, Process: "shop", Thread: "worker", State: "S", Span: 10 * time.Second, Waited: waited, Waits: 2, Longest: waited / 2,
			Stack: "futex_do_wait;do_futex", Lock: 0x1000, Mutex: true, Waker: "writer", WakerPID: 7, WakerTID: 9, HolderStack: "jbd2_log_wait_commit;ext4_sync_file"}
		change(&r)
		return r
	}
	same := func(*recording.OffCPUWait) {}
	got := SumLocks([]recording.OffCPUWait{
		row(first, 1, 4*time.Second, same),
		row(first, 2, 8*time.Second, same),
		row(second, 1, 3*time.Second, func(r *recording.OffCPUWait) {
			r.Waker, r.WakerTID, r.HolderStack, r.UserStack, r.Caller = "worker", 2, "", "lib+0x1", ""
		}),
		row(second, 3, 9*time.Second, func(r *recording.OffCPUWait) {
			r.Lock, r.Mutex, r.Waker, r.WakerPID, r.WakerTID, r.HolderStack, r.UserStack, r.Caller = 0x2000, false, "", 0, 0, "", "", ""
		}),
		row(second, 3, 9*time.Second, func(r *recording.OffCPUWait) { r.Lock, r.Stack = 0, "ep_poll" }),
	}, 0)
	want := []Lock{
		{PID: 7, Process: "shop", Address: 0x1000, Mutex: true, Threads: 2, Waited: 15 * time.Second, Mean: 0.75, Waits: 6, Longest: 4 * time.Second,
			Holder: "writer", HolderPID: 7, HolderTID: 9, Released: 12 * time.Second, HolderFor: "jbd2_log_wait_commit", HolderSlept: 12 * time.Second,
			Caller: "take", UserStack: "__lll_lock_wait;take;main"},
		{PID: 7, Process: "shop", Address: 0x2000, Threads: 1, Waited: 9 * time.Second, Mean: 0.45, Waits: 2, Longest: 4500 * time.Millisecond},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
