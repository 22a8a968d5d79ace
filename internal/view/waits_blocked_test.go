package view

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Threads that are blocked until the server wakes them are counted by the kernel; those that
// another one wakes, that wait for several sockets, or that want a CPU are not.
func TestBlockedFor(t *testing.T) {
	const reads = "wait_woken;sk_wait_data;tcp_recvmsg_locked;tcp_recvmsg;sock_recvmsg;__x64_sys_recvfrom;do_syscall_64"
	start := time.Unix(100, 0)
	row := func(pid int32, state, stack, waker string, by int32, waited time.Duration) recording.OffCPUWait {
		return recording.OffCPUWait{At: start.Add(10 * time.Second), PID: pid, TID: pid, Process: "shop", State: state, Span: 10 * time.Second, Waited: waited,
			Longest: waited / 10, Stack: stack, Waker: waker, WakerPID: by}
	}
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(start)
	for _, r := range []recording.OffCPUWait{
		row(1, "S", reads, "req", 9, 30*time.Second), row(1, "S", reads, "req", 8, 10*time.Second), row(1, "S", reads, "", 0, 4*time.Second),
		row(1, "R", "", "", 0, 9*time.Second), row(1, "S", "ep_poll;__x64_sys_epoll_wait", "req", 9, 9*time.Second),
		row(2, "S", reads, "worker", 10, 10*time.Second), row(3, "S", reads, "req", 9, 70*time.Second),
	} {
		recording.Append(w, r)
	}
	for pid, parent := range map[int32]int32{1: 0, 2: 0, 3: 0, 8: 0, 9: 0, 10: 9} {
		for _, at := range []int{0, 10} {
			recording.Append(w, recording.ProcessSample{At: start.Add(time.Duration(at) * time.Second), PID: pid, PPID: parent, Started: start.Add(-time.Hour), Full: true})
		}
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, start, start.Add(11*time.Second))
	mean, longest := v.blockedFor(map[int32]bool{1: true, 2: true}, Entity{Kind: KindProcess, PID: 9})
	if want := 4.4*3/4 + 1; math.Abs(mean-want) > 0.01 || longest != 3*time.Second {
		t.Errorf("%v at a time, up to %v; want %v and 3 s", mean, longest, want)
	}
}
