package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

func TestDescendants(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(time.Unix(0, 0))
	at := func(s float64) time.Time { return time.Unix(0, int64(s*1e9)) }
	forked := func(s float64, pid, parent int32) {
		recording.Append(w, recording.ProcessEvent{At: at(s), Kind: recording.ProcessForked, PID: pid, PPID: parent})
	}
	exited := func(s float64, pid, parent int32, comm, cmdline string, status, signal int32) {
		recording.Append(w, recording.ProcessEvent{At: at(s), Kind: recording.ProcessExited, PID: pid, PPID: parent, Comm: comm, Cmdline: cmdline,
			Lifetime: 100 * time.Millisecond, CPUTime: 10 * time.Millisecond, Status: status, Signal: signal})
	}
	// 50 starts shells, each of which starts a program; one program outlives its shell.
	for i := range int32(3) {
		s := float64(i)
		forked(s, 100+i, 50)
		forked(s, 200+i, 100+i)
		exited(s+0.2, 100+i, 50, "sh", "sh -c work", 0, 0)
		exited(s+0.3, 200+i, 1, "work", "work --once", 1, 0)
	}
	exited(4, 300, 50, "work", "work --once", -1, 11)
	exited(4, 301, 50, "php-fpm", "", 0, 0)
	exited(4, 302, 51, "ls", "ls", 0, 0)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at(0), at(10))
	want := []Program{
		{Comm: "work", Cmdline: "work --once", Runs: 4, Failed: 4, Ending: "exit status 1", Endings: 3, CPU: 40 * time.Millisecond},
		{Comm: "sh", Cmdline: "sh -c work", Runs: 3, Ending: "exit status 0", Endings: 3, CPU: 30 * time.Millisecond},
	}
	if diff := cmp.Diff(want, v.Descendants(50)); diff != "" {
		t.Error(diff)
	}
	if runs := v.Runs(); len(runs) != 9 || runs[1].Parent != 100 || runs[1].Began != at(0.2) {
		t.Errorf("%+v", runs)
	}
	l := &lives{parents: map[int32]int32{1: 2, 2: 1}}
	if l.below(1, 3) {
		t.Error("a circle of parents ends at a process that is not in it")
	}
}
