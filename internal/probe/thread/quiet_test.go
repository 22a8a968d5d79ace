package thread

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/probe/probetest"
	"rtrail/internal/recording"
)

// TestQuiet: a process that woke for a moment has one row for each count, with
// what the files would say of it.
func TestQuiet(t *testing.T) {
	if err := kernel.Check(); err != nil {
		t.Skipf("no BPF iterators here: %v", err)
	}
	sleeper := exec.Command("sleep", "60")
	if err := sleeper.Start(); err != nil {
		t.Skip(err)
	}
	defer sleeper.Wait()
	defer sleeper.Process.Kill()
	probetest.Asleep(t, sleeper.Process.Pid)
	c := census.New("/")
	defer c.Close()
	p := New(c)
	defer p.Close()
	p.fresh = time.Minute // the machine may be slow
	var rows []recording.ThreadSample
	look := func() {
		t.Helper()
		p.next = time.Time{}
		if err := p.Sample(context.Background(), recording.NewWriter(time.Now())); err != nil {
			t.Fatal(err)
		}
		rows = slices.DeleteFunc(slices.Clone(p.rows), func(r recording.ThreadSample) bool { return r.PID != int32(sleeper.Process.Pid) })
	}
	count := func() {
		t.Helper()
		if err := c.Take(false); err != nil {
			t.Fatal(err)
		}
	}
	count()
	look()
	probetest.Wake(t, sleeper.Process)
	count()
	look()
	if len(rows) != 1 || rows[0].State != "S" || rows[0].SyscallName == "" || rows[0].Comm != "sleep" || rows[0].Slices <= 0 {
		t.Fatalf("after it woke for a moment: %+v", rows)
	}
	for _, w := range p.known {
		if w.PID == rows[0].PID && len(w.counted) != 1 {
			t.Errorf("its threads were read one by one: %+v", w)
		}
	}
	was := rows[0]
	if look(); len(rows) != 0 {
		t.Errorf("two rows for one count: %+v", rows)
	}
	count()
	look()
	if len(rows) != 1 || !rows[0].At.After(was.At) {
		t.Fatalf("it slept since: %+v", rows)
	}
	if was.At = rows[0].At; rows[0] != was {
		t.Errorf("it slept since: %+v, want %+v", rows[0], was)
	}

	// It wakes before each count: counters are new each time, the wait is read
	// every third time.
	var held []int
	for range 2 * (maxHeld + 1) {
		probetest.Wake(t, sleeper.Process)
		count()
		look()
		if len(rows) != 1 || rows[0].Slices <= was.Slices || rows[0].SyscallName == "" {
			t.Fatalf("after it woke again: %+v, before %+v", rows, was)
		}
		was = rows[0]
		for _, w := range p.known {
			if w.PID == was.PID {
				held = append(held, w.threads[0].held)
			}
		}
	}
	if want := []int{1, 2, 0, 1, 2, 0}; !slices.Equal(held, want) {
		t.Errorf("held %v, want %v", held, want)
	}
}

// TestHolds: only of a thread that sleeps, as it did when its wait was read, is it
// taken to be in the same wait, and not for long.
func TestHolds(t *testing.T) {
	asleep := recording.ThreadSample{State: "S", Syscall: 232, SyscallName: "epoll_wait"}
	ran := recording.ThreadSample{State: "R", Syscall: recording.Unknown}
	missed := recording.ThreadSample{State: "S", Syscall: recording.Unknown} // it ran when its files were read
	for _, tc := range []struct {
		name  string
		had   thread
		state string
		want  bool
	}{
		{"asleep as before", thread{row: asleep, ok: true}, "S", true},
		{"held for as long as may be", thread{row: asleep, ok: true, held: maxHeld}, "S", false},
		{"in a disk wait now", thread{row: asleep, ok: true}, "D", false},
		{"stopped now", thread{row: asleep, ok: true}, "T", false},
		{"ran before", thread{row: ran, ok: true}, "S", false},
		{"call not known", thread{row: missed, ok: true}, "S", false},
		{"never read", thread{}, "S", false},
	} {
		if got := tc.had.holds(tc.state); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestMatch: threads that are still there keep what is known of them.
func TestMatch(t *testing.T) {
	p := &Probe{}
	w := &watched{threads: []*thread{{tid: 9}, {tid: 7, ok: true}, {tid: 8}}, counted: []census.Thread{{TID: 6}, {TID: 7}, {TID: 10}}}
	p.match(w)
	var got []int32
	for _, th := range w.threads {
		got = append(got, th.tid)
	}
	if !slices.Equal(got, []int32{6, 7, 10}) || !w.threads[1].ok || w.threads[0].ok {
		t.Errorf("threads %v", got)
	}
}
