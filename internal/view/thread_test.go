package view

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		state, syscall, wchan string
		want                  Activity
	}{
		{"R", "", "", OnCPU},
		{"D", "", "folio_wait_bit_common", WaitDisk},
		{"D", "", "rwsem_down_write_slowpath", WaitLock},
		{"S", "futex", "", WaitLock},
		{"S", "", "futex_wait_queue", WaitLock},
		{"S", "epoll_wait", "ep_poll", WaitNetwork},
		{"S", "fdatasync", "", WaitDisk},
		{"S", "", "jbd2_log_wait_commit", WaitDisk},
		{"S", "clock_nanosleep", "hrtimer_nanosleep", Sleeping},
		{"S", "", "", Sleeping},
		{"Z", "", "", Sleeping},
	} {
		if got := Classify(recording.ThreadSample{State: c.state, SyscallName: c.syscall, WaitChannel: c.wchan}); got != c.want {
			t.Errorf("state %s, syscall %q, wchan %q: %v, want %v", c.state, c.syscall, c.wchan, got, c.want)
		}
	}
}

func TestThreadTimeComesFromCounters(t *testing.T) {
	row := func(s float64, state, syscall string, cpu, delay time.Duration) recording.ThreadSample {
		return recording.ThreadSample{At: at(s), PID: 7, TID: 8, State: state, SyscallName: syscall, CPUTime: cpu, RunDelay: delay}
	}
	// Never caught running, but its counter says that it used 4 of 10 s, and
	// waited 2 s for a CPU; of the rest half was a lock, half the network.
	v := viewOf(t, recording.Host{},
		row(0, "S", "futex", 0, 0), row(4, "S", "futex", time.Second, 0),
		row(7, "S", "epoll_wait", 2*time.Second, time.Second), row(10, "S", "epoll_wait", 4*time.Second, 2*time.Second))
	got := v.ThreadTimes()[0]
	want := [Activities]float64{OnCPU: 0.4, Runnable: 0.2, WaitLock: 0.2, WaitNetwork: 0.2}
	for a := range want {
		if math.Abs(got.Share[a]-want[a]) > 1e-9 {
			t.Errorf("%v: %v, want %v", Activity(a), got.Share[a], want[a])
		}
	}
}

func TestIdleThreadsDoNotCount(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(t0)
	recording.Append(w, recording.ProcessSample{At: at(0), PID: 7, Comm: "mysqld", Started: t0})
	for s := range 3 {
		recording.Append(w,
			recording.ThreadSample{At: at(float64(s)), PID: 7, TID: 8, State: "S", SyscallName: "futex"},
			recording.ThreadSample{At: at(float64(s)), PID: 7, TID: 9, State: "R", CPUTime: time.Duration(s) * time.Second})
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	times := New(rec, at(0), at(9)).ProcessTimes()
	if len(times) != 1 || times[0].Threads != 1 || times[0].Share[OnCPU] != 1 {
		t.Errorf("one thread of two worked all the time: %+v", times)
	}
}
