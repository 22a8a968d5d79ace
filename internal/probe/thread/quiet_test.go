package thread

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/kernel"
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
	time.Sleep(50 * time.Millisecond)
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
	for _, s := range []unix.Signal{unix.SIGSTOP, unix.SIGCONT} {
		if err := sleeper.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
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
