package census

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe/kernel"
	"rtrail/internal/probe/probetest"
	"rtrail/internal/probe/procfile"
)

// counted makes a census that has the iterator, or skips the test.
func counted(t *testing.T) *Census {
	t.Helper()
	if err := kernel.Check(); err != nil {
		t.Skipf("no BPF iterators here: %v", err)
	}
	c := New("/")
	t.Cleanup(func() { c.Close() })
	if err := c.Take(true); err != nil {
		t.Fatal(err)
	}
	if c.tasks == nil {
		t.Fatalf("the iterator may run, but does not: %v", c.Blind())
	}
	return c
}

// child starts a program that ends with the test.
func child(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// untilState waits until a child runs its program and is in a state of
// /proc/PID/stat.
func untilState(t *testing.T, cmd *exec.Cmd, state byte) {
	t.Helper()
	want := fmt.Sprintf("(%s) %c ", filepath.Base(cmd.Path), state)
	for ctx := t.Context(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), want) {
			return
		}
	}
}

func entries(c *Census) map[int32]Entry {
	all := map[int32]Entry{}
	for _, e := range c.List(nil) {
		all[e.PID] = e
	}
	return all
}

// TestCountedAsFiles compares what the iterator gives of every process with the
// files of /proc, for all that did nothing in between.
func TestCountedAsFiles(t *testing.T) {
	sleeper := child(t, "sleep", "60")
	stopped := child(t, "sleep", "60")
	untilState(t, sleeper, 'S')
	untilState(t, stopped, 'S')
	if err := stopped.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	untilState(t, stopped, 'T')
	c := counted(t)
	before := entries(c)
	files := map[int32]Entry{}
	for pid, e := range before {
		if f, ok := fromFiles(c, e); ok {
			files[pid] = f
		}
	}
	if err := c.Take(true); err != nil {
		t.Fatal(err)
	}
	// Memory is read from the same file, but not in the same instant; if it differs,
	// the entry changed.
	ignore := cmpopts.IgnoreFields(Entry{}, "At", "Active", "RSSPages", "Changed", "Little")
	compared := 0
	for pid, e := range entries(c) {
		was, f := before[pid], files[pid]
		if was.Total != e.Total || was.State != e.State || f.PID == 0 {
			continue // it did something, or is new
		}
		compared++
		if diff := cmp.Diff(f, e, ignore); diff != "" {
			t.Errorf("%d %s (-files +iterator)\n%s", pid, e.Comm, diff)
		}
	}
	got := entries(c)
	if s := got[int32(sleeper.Process.Pid)]; s.State != 'S' || files[s.PID].PID == 0 {
		t.Errorf("a sleeping child is in state %c", s.State)
	}
	if s := got[int32(stopped.Process.Pid)]; s.State != 'T' {
		t.Errorf("a stopped child is in state %c", s.State)
	}
	if compared < 2 {
		t.Errorf("%d processes compared, want at least the two children", compared)
	}
}

// fromFiles is an entry with everything replaced that files of /proc tell. Of
// counters that the files have per thread, only those of processes with one
// thread are, if no other ended before.
func fromFiles(c *Census, e Entry) (Entry, bool) {
	dir := OpenDir("/")
	defer dir.Close()
	b, err := dir.Read(Name(e.PID, "stat"))
	if err != nil {
		return e, false
	}
	s, ok := ParseStat(b, text)
	if !ok {
		return e, false
	}
	e.Stat = s
	e.Total.MinorFaults, e.Total.MajorFaults = s.MinorFaults, s.MajorFaults
	if b, err = dir.Read(Name(e.PID, "schedstat")); err != nil {
		return e, false
	}
	if e.Sched, ok = ParseSched(b); !ok {
		return e, false
	}
	p := c.known[e.PID]
	if e.Threads == 1 && p.pass.leader.Group.RunTime == 0 {
		e.Total.RunTime, e.Total.RunDelay, e.Total.Slices = e.Sched.RunTime, e.Sched.RunDelay, e.Sched.Slices
		if b, err = dir.Read(Name(e.PID, "status")); err != nil {
			return e, false
		}
		e.Total.Voluntary, e.Total.Involuntary = line(b, "voluntary_ctxt_switches:"), line(b, "nonvoluntary_ctxt_switches:")
		e.UID = line(b, "Uid:")
	}
	if b, err = dir.Link(Name(e.PID, "ns/net")); err == nil {
		e.NetNS, _ = NamespaceInode(b)
	}
	if b, err = dir.Read(Name(e.PID, "io")); err != nil {
		return e, false
	}
	i := &e.Total.IO
	i.ReadChars, i.WriteChars = line(b, "rchar:"), line(b, "wchar:")
	i.ReadCalls, i.WriteCalls = line(b, "syscr:"), line(b, "syscw:")
	i.ReadBytes, i.WriteBytes, i.Cancelled = line(b, "read_bytes:"), line(b, "write_bytes:"), line(b, "cancelled_write_bytes:")
	return e, true
}

// line is the first number in the line that begins so.
func line(b []byte, name string) int64 {
	for len(b) > 0 {
		var l []byte
		l, b = procfile.Line(b)
		if rest, ok := bytes.CutPrefix(l, []byte(name)); ok {
			field, _ := procfile.Field(rest)
			n, _ := procfile.Int(field)
			return n
		}
	}
	return -1
}

// TestEndedThread: what a thread did stays in the total of its process when it
// ends, the time it waited for a CPU included.
func TestEndedThread(t *testing.T) {
	c := counted(t)
	p := &process{Entry: Entry{PID: 812}}
	c.known = map[int32]*process{812: p}
	main := kernel.Task{TID: 812, TGID: 812, State: 'S', Threads: 2, Start: 7, Counters: kernel.Counters{RunTime: 5, RunDelay: 1, Slices: 1}}
	other := kernel.Task{TID: 813, TGID: 812, State: 'S', Threads: 2, Start: 8, Counters: kernel.Counters{RunTime: 10, RunDelay: 20, Slices: 3}}
	p.pass.begin(1)
	p.pass.add(&main, 1)
	p.pass.add(&other, 1)
	first := p.pass.total(&kernel.Counters{})
	if want := (kernel.Counters{RunTime: 15, RunDelay: 21, Slices: 4}); first != want {
		t.Fatalf("with both threads: %+v, want %+v", first, want)
	}

	// It ends after the main thread was read: its time is nowhere to be seen.
	p.pass.begin(2)
	main.Threads = 2
	p.pass.add(&main, 2)
	if got := p.pass.total(&first); got != first {
		t.Errorf("a thread that ends during the pass: %+v, want it unchanged %+v", got, first)
	}

	// In the next pass the kernel has added it to what ended threads left.
	c.count = 3
	p.pass.begin(3)
	c.ended([]Thread{{TID: 812, PID: 812, start: 7}, {TID: 813, PID: 812, start: 8, Sched: Sched{RunDelay: 20, Slices: 3}}}, 900, 9)
	main.Threads, main.Group = 1, kernel.Counters{RunTime: 11}
	p.pass.add(&main, 3)
	if got, want := p.pass.total(&first), (kernel.Counters{RunTime: 16, RunDelay: 21, Slices: 4}); got != want {
		t.Errorf("after it ended: %+v, want %+v", got, want)
	}

	// Another process with the same number begins at its own zero.
	p.pass.begin(4)
	main.Start, main.Group, main.Counters = 99, kernel.Counters{}, kernel.Counters{RunTime: 2}
	p.pass.add(&main, 4)
	if got, want := p.pass.total(&first), (kernel.Counters{RunTime: 2}); got != want {
		t.Errorf("another process of the same number: %+v, want %+v", got, want)
	}
}

// TestWithoutIterator: a census that loses its iterator goes on with the files,
// and does not present as counted what it no longer knows.
func TestWithoutIterator(t *testing.T) {
	c := counted(t)
	c.closeTasks(fmt.Errorf("gone"))
	if err := c.Take(false); err != nil {
		t.Fatal(err)
	}
	e, ok := entries(c)[int32(os.Getpid())]
	if !ok || e.Counted || e.Total != (kernel.Counters{}) || e.UID != -1 {
		t.Errorf("after the iterator is gone: found %v, %+v", ok, e)
	}
	if c.Blind() == nil || !strings.Contains(c.Blind().Error(), "gone") {
		t.Errorf("it does not say why: %v", c.Blind())
	}
}

// TestRecordedTreeHasNoIterator: the kernel knows nothing of a recorded tree.
func TestRecordedTreeHasNoIterator(t *testing.T) {
	c := New("../process/testdata/host")
	defer c.Close()
	if err := c.Take(true); err != nil {
		t.Fatal(err)
	}
	if c.tasks != nil || c.Loader() != nil {
		t.Error("an iterator beside a recorded tree")
	}
	for _, e := range c.List(nil) {
		if e.Counted {
			t.Errorf("%d is counted", e.PID)
		}
	}
}

// TestSleeperStays: of a process that sleeps nothing is read again, its row is
// as old as the count, and what it does next is seen.
func TestSleeperStays(t *testing.T) {
	sleeper := child(t, "sleep", "60")
	untilState(t, sleeper, 'S')
	c := counted(t)
	pid := int32(sleeper.Process.Pid)
	first := entries(c)[pid]
	for range 2 { // after the second pass there is a row to compare with
		if err := c.Take(false); err != nil {
			t.Fatal(err)
		}
	}
	slept := entries(c)[pid]
	if !c.known[pid].pass.same || !slept.At.After(first.At) || !slept.Active.IsZero() || slept.State != 'S' {
		t.Errorf("a sleeper was parsed again, or is active: %+v", slept)
	}
	if err := sleeper.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	untilState(t, sleeper, 'T')
	if err := c.Take(false); err != nil {
		t.Fatal(err)
	}
	if e := entries(c)[pid]; e.State != 'T' || e.Active.IsZero() || e.Total.Slices <= slept.Total.Slices {
		t.Errorf("after it was stopped: %+v", e)
	}
	_ = sleeper.Process.Kill()
	untilState(t, sleeper, 'Z')
	if err := c.Take(false); err != nil {
		t.Fatal(err)
	}
	if e := entries(c)[pid]; e.State != 'Z' {
		t.Errorf("after it was killed: %+v", e)
	}
	_ = sleeper.Wait()
	if err := c.Take(false); err != nil {
		t.Fatal(err)
	}
	if e, ok := entries(c)[pid]; ok || c.known[pid] != nil {
		t.Errorf("after it was waited for it is still there: %+v", e)
	}
}

// TestLittleDone: the file of a process that does next to nothing is not read
// again before an exact count.
func TestLittleDone(t *testing.T) {
	sleeper := child(t, "sleep", "60")
	probetest.Asleep(t, sleeper.Process.Pid)
	c := counted(t)
	p := c.known[int32(sleeper.Process.Pid)]
	probetest.Wake(t, sleeper.Process)
	if err := c.Take(false); err != nil {
		t.Fatal(err)
	}
	if p.file.round != 1 || !p.file.moved || p.Active.IsZero() {
		t.Errorf("it woke for a moment: %+v, active %v", p.file, p.Active)
	}
	if err := c.Take(true); err != nil {
		t.Fatal(err)
	}
	if p.file.round != 3 || p.file.moved {
		t.Errorf("in an exact count: %+v", p.file)
	}
	p.file.total.RunTime -= time.Second
	if !c.due(p) {
		t.Error("after a second on a CPU its file tells nothing new?")
	}
}
