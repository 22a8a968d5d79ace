package view

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/recording"
)

func TestSumOffCPU(t *testing.T) {
	first, second := time.Unix(10, 0), time.Unix(20, 0)
	row := func(at time.Time, tid int32, waited time.Duration) recording.OffCPUWait {
		return recording.OffCPUWait{At: at, PID: 7, TID: tid, Process: "db", Thread: "worker", State: "S", Span: 10 * time.Second, Waited: waited, Waits: 2, Longest: waited / 2,
			Stack: "futex_do_wait;do_futex", Waker: "db", WakerPID: 7, WakerTID: 70 + tid, WakerStack: "wake_up_q;futex_wake;do_futex;__x64_sys_futex;do_syscall_64"}
	}
	timer := recording.OffCPUWait{At: first, PID: 7, TID: 1, Process: "db", Thread: "worker", State: "S", Span: 10 * time.Second, Waited: time.Second, Waits: 100,
		Stack: "hrtimer_nanosleep", Interrupt: "timer", WakerStack: "hrtimer_wakeup"}
	got := SumOffCPU([]recording.OffCPUWait{timer, row(first, 1, 4*time.Second), row(first, 2, 8*time.Second), row(second, 1, 4*time.Second)}, 0)
	want := []OffCPU{
		{PID: 7, Process: "db", Thread: "worker", State: "S", Stack: "futex_do_wait;do_futex", Waker: "db", WakerPID: 7, WakerIn: "futex",
			Threads: 2, Waited: 16 * time.Second, Mean: 0.8, Waits: 6, Longest: 4 * time.Second},
		{PID: 7, Process: "db", Thread: "worker", State: "S", Stack: "hrtimer_nanosleep", Interrupt: "timer", WakerIn: "hrtimer_wakeup",
			Threads: 1, Waited: time.Second, Mean: 0.05, Waits: 100},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i, want := range [][2]string{{"futex_do_wait", "db (7), futex"}, {"hrtimer_nanosleep", "interrupt: timer"}} {
		if o := &got[i]; o.For() != want[0] || o.EndedBy() != want[1] {
			t.Errorf("waits for %q, ended by %q; want %q", o.For(), o.EndedBy(), want)
		}
	}
}

func TestOffCPURowsWithoutOwn(t *testing.T) {
	rec := recording.New(recording.Manifest{Host: recording.Host{PID: 8}})
	w := recording.NewWriter(time.Unix(10, 0))
	for pid := range int32(10) {
		recording.Append(w, recording.OffCPUWait{At: time.Unix(10, 0), PID: pid, State: "S", Waited: time.Second})
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	rows := New(rec, time.Unix(5, 0), time.Unix(15, 0)).OffCPURows()
	if len(rows) != 9 || slices.ContainsFunc(rows, func(r recording.OffCPUWait) bool { return r.PID == 8 }) {
		t.Errorf("%+v", rows)
	}
}

// Waits of 300 ms that are counted in slices of 25 ms: most parts are of waits that neither
// begin nor end in their slice.
func TestLongWaitsInSlices(t *testing.T) {
	row := func(tid int32, stack, waker string, waited time.Duration, waits float64) recording.OffCPUWait {
		r := recording.OffCPUWait{At: time.Unix(20, 0), PID: 7, TID: tid, Process: "db", Thread: "worker", State: "S", Span: 10 * time.Second, Traced: time.Second,
			Waited: waited, Waits: waits, Longest: 25 * time.Millisecond, Stack: stack, Waker: waker, Lock: 5}
		if waker != "" {
			r.WakerPID, r.WakerStack = 7, "futex_wake;__x64_sys_futex"
		}
		return r
	}
	got := SumOffCPU([]recording.OffCPUWait{
		row(1, "futex_do_wait", "", 900*time.Millisecond, 0), row(1, "futex_do_wait", "db", 60*time.Millisecond, 3), row(1, "futex_do_wait", "log", 20*time.Millisecond, 1),
		row(2, "futex_do_wait", "", time.Second, 0), // nobody woke this one
		row(3, "ep_poll", "", 900*time.Millisecond, 0), row(3, "futex_do_wait", "db", 50*time.Millisecond, 2),
	}, 0)
	mean := map[string]float64{}
	for _, o := range got {
		mean[o.For()+" "+o.Waker] += o.Mean
	}
	want := map[string]float64{"futex_do_wait db": 1.01, "futex_do_wait log": 0.02, "futex_do_wait ": 1, "ep_poll ": 0.9}
	if diff := cmp.Diff(want, mean, cmpopts.EquateApprox(0, 0.001)); diff != "" {
		t.Error(diff)
	}
}
