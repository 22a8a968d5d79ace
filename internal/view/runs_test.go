package view

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

func TestBroods(t *testing.T) {
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
	want := []Brood{{Parent: 50, Born: 6, Ended: 8, CPU: 80 * time.Millisecond, Programs: []Program{
		{Comm: "work", Cmdline: "work --once", Runs: 4, Failed: 4, Ending: "exit status 1", Endings: 3, CPU: 40 * time.Millisecond, Variants: 1},
		{Comm: "sh", Cmdline: "sh -c work", Runs: 3, Ending: "exit status 0", Endings: 3, CPU: 30 * time.Millisecond, Variants: 1},
	}}, {Parent: 51, Ended: 1, CPU: 10 * time.Millisecond, Programs: []Program{
		{Comm: "ls", Cmdline: "ls", Runs: 1, Ending: "exit status 0", Endings: 1, CPU: 10 * time.Millisecond, Variants: 1}}}}
	if diff := cmp.Diff(want, v.Broods()); diff != "" {
		t.Error(diff)
	}
	if runs := v.Runs(); len(runs) != 9 || runs[1].Parent != 100 || runs[1].Told != 1 || runs[1].Began != at(0.2) {
		t.Errorf("%+v", runs)
	}
	l := &lives{parents: map[int32]int32{1: 2, 2: 1}}
	if top := l.above(1, map[int32]bool{1: true, 2: true}); top != 1 {
		t.Errorf("a circle of parents leads to %d", top)
	}
}

// Command lines that differ in numbers and paths are one program; others are not.
func TestFoldCommand(t *testing.T) {
	for _, same := range []struct{ lines, want string }{
		{"/bin/true health --check=1|/bin/true health --check=30653", "/bin/true health --check=…"},
		{"vet -json /tmp/go-build1/b275/vet.cfg|vet -json /tmp/go-build2/b7/vet.cfg", "vet -json …"},
		{"/tmp/a1/cpu.test -test.timeout=10m0s|/tmp/b2/cpu.test -test.timeout=10m0s", "… -test.timeout=10m0s"},
		{"fetch --id=4f9a0c11-77aa item-7.json|fetch --id=0be1d2f3-1c2d item-8.json", "fetch --id=… …"},
		{"ls -l|ls -l", "ls -l"},
	} {
		p := newPrograms()
		for line := range strings.SplitSeq(same.lines, "|") {
			p.add(&Run{Comm: "x", Cmdline: line})
		}
		if list := p.list(); len(list) != 1 || list[0].Cmdline != same.want || list[0].Runs != 2 {
			t.Errorf("%s: %+v, want %q", same.lines, list, same.want)
		}
	}
	for _, lines := range [][2]string{{"python2 a", "python3 a"}, {"git pull", "git push"}, {"convert -resize a", "convert -scale a"}, {"a 1", "a 1 2"}, {"", "a"}} {
		if foldCommand(lines[0]) == foldCommand(lines[1]) {
			t.Errorf("%q are one program", lines)
		}
	}
}
