package stack

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"rtrail/internal/golden"
	"rtrail/internal/stack/signatures"
)

// describe is everything that a profile says, as text.
func describe(p *Profile) string {
	var out strings.Builder
	for _, s := range p.Sources {
		fmt.Fprintf(&out, "%s: %s, %s, %d dumps, %d threads, %d lines, %d unreadable\n", filepath.Base(s.Name), s.Format, s.Kind, s.Samples, s.Threads, s.Lines, s.Unreadable)
		for _, b := range s.Problems {
			fmt.Fprintf(&out, "  line %d: %s\n", b.Line, b.What)
		}
	}
	for _, s := range p.Stacks {
		id := ""
		if sig := signatures.Default().Match(s.Frames, s.State); sig != nil {
			id = " = " + sig.ID
		}
		object, n := s.Objects.Top()
		fmt.Fprintf(&out, "%d %s pid %d %q tid %d %q [%s]%s\n", s.Count, s.Kind, s.PID, s.Process, s.TID, s.Thread, s.State, id)
		if object != "" {
			fmt.Fprintf(&out, "  %d wait for %s\n", n, object)
		}
		fmt.Fprintf(&out, "  %s\n", strings.Join(s.Frames, ","))
	}
	for _, l := range p.Locks {
		fmt.Fprintf(&out, "lock %s (%s) wanted by %d, as %q; held by %q (%d) in %s; cycle %d\n", l.ID, l.Class, l.Waiters, l.Waiter, l.Holder, l.HolderTID, strings.Join(l.Held, ","), l.Cycle)
	}
	for _, p := range p.Pools {
		fmt.Fprintf(&out, "pool %s: all %d in %s, in %d of %d\n", p.Name, p.Threads, p.Signature.ID, p.Dumps, p.Of)
	}
	for _, h := range p.Hot {
		fmt.Fprintf(&out, "hot %d %q %.1f %% [%s] %s\n", h.TID, h.Thread, h.CPU, h.State, strings.Join(h.Frames, ","))
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	for _, name := range []string{
		"mariadb-10.11.gdb", "mariadb-10.11.eu-stack", "mariadb-10.11.eu-stack-m", "mariadb-10.11.perf",
		"java-17.jstack", "go-1.26.goroutines", "java.collapsed", "mysql-5.6.constructed.gdb",
		"mysql-5.6.14-table-cache.gdb.gz", "mysql-5.6.14-mdl.gdb.gz", "mysql-5.6.14-scan.gdb",
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Workers: 2}
			if name == "java-17.jstack" {
				f, err := os.Open("testdata/java-17.top")
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if o.Top, err = ReadTop(f); err != nil {
					t.Fatal(err)
				}
			}
			p, err := Read(context.Background(), []string{"testdata/" + name}, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			got := describe(p)
			golden.Text(t, "testdata/"+name+".golden", got)
		})
	}
}

// Compression, and dumps cut into many pieces, change nothing but the count.
func TestManyDumpsCompressed(t *testing.T) {
	one, err := os.ReadFile("testdata/mysql-5.6.constructed.gdb")
	if err != nil {
		t.Fatal(err)
	}
	const times = 20
	text := bytes.Repeat(one, times)
	dir := t.TempDir()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(text)
	z.Close()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"plain": text, "gz": zipped.Bytes(), "zst": enc.EncodeAll(text, nil)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			p, err := Read(context.Background(), []string{path}, nil, Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			src := p.Sources[0]
			if src.Samples != times || src.Threads != times*286 || src.Unreadable != 0 || src.Lines != int64(bytes.Count(text, []byte{'\n'})) {
				t.Errorf("%s, %d workers: %+v", name, workers, src)
			}
			if p.Stacks[0].Count != times*192 || len(p.Stacks) != 6 {
				t.Errorf("%s, %d workers: %d stacks, the first %d times", name, workers, len(p.Stacks), p.Stacks[0].Count)
			}
		}
	}
	cut := filepath.Join(dir, "cut.gz")
	if err := os.WriteFile(cut, zipped.Bytes()[:zipped.Len()*3/4], 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Read(context.Background(), []string{cut}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Sources[0].Err == nil || p.Sources[0].Threads == 0 {
		t.Errorf("a cut file: error %v, %d threads", p.Sources[0].Err, p.Sources[0].Threads)
	}
}

func TestMalformed(t *testing.T) {
	const good = "Thread 1 (LWP 7):\n#0  poll () from /lib/libc.so.6\n#1  0x12 in main () at a.c:1\n\n"
	for _, c := range []struct {
		name, text string
		threads    int64
		lines      []int64
	}{
		{"fine", good, 1, nil},
		{"noise", "hello\n" + good + "there\n", 1, nil},
		{"a line without sense in a stack", "Thread 1 (LWP 7):\n#0  poll ()\n%%%%\n#1  main ()\n", 1, []int64{3}},
		{"a frame without a name", "Thread 2 (LWP 8):\n#0  poll ()\n#x  foo ()\n\n" + good, 1, []int64{3}},
		{"missing frames", "Thread 2 (LWP 8):\n#0  poll ()\n#4  foo ()\n#5  main ()\n\n" + good, 1, []int64{3}},
		{"no thread", good + "#3  foo ()\n", 1, []int64{5}},
		{"single thread", "#0  0x1 in poll () from /lib/libc.so.6\n#1  main ()\n", 1, nil},
		{"windows", strings.ReplaceAll(good, "\n", "\r\n"), 1, nil},
		{"NUL bytes in front", "\x00\x00\x00" + good, 1, nil},
		{"NUL bytes between dumps", good + "\x00\n" + good, 2, nil},
		{"NUL bytes in a line", strings.Replace(good, "poll", "po\x00ll", 1), 1, nil},
		{"a hole longer than what a format is told by", strings.Repeat("\x00", 3<<20) + good, 1, nil},
		{"binary data behind", good + "\x01\x02\x00\x00\xff\n", 1, nil},
		{"wrapped", "Thread 1 (LWP 7):\n#0  poll (fds=0x1)\n    at poll.c:29\n#1  main ()\n", 1, nil},
		{"collapsed", "a;b 3\nnonsense\nc;d x\n;; 4\n", 3, []int64{2, 3, 4}},
		{"jstack", "Full thread dump X:\n\n\"a\" #1 prio=5 tid=0x1 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.b(C.java:1)\n\tbroken\n\n\"c\" #1 prio=5 tid=0x1 nid=0x3 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.b(C.java:1)\n", 1, []int64{6}},
		{"go", "goroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n\ngoroutine x [running]:\nmain.main()\n\t/a.go:1 +0x1\n\ngoroutine 3 [select]:\n???\n", 1, []int64{5, 10}},
		{"perf", "a 1 1.0: 1 cycles:\n\t1 f+0x1 (x)\n\nrubbish\n\t1 f+0x1 (x)\n\n", 1, []int64{4, 5}},
	} {
		p, err := Read(context.Background(), []string{"-"}, strings.NewReader(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var lines []int64
		for _, b := range p.Sources[0].Problems {
			lines = append(lines, b.Line)
		}
		if p.Sources[0].Threads != c.threads || cmp.Diff(c.lines, lines) != "" {
			t.Errorf("%s: %d threads, problems %v; want %d, %v", c.name, p.Sources[0].Threads, p.Sources[0].Problems, c.threads, c.lines)
		}
	}
	for name, text := range map[string]string{"nothing": "", "prose": "it is slow\nreally\n", "binary": "Thread 1 (\x00", "NUL bytes only": "\x00\x00\x00",
		"a capture of packets with a dump in it": "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\n" + good, "pcapng": "\n\r\r\n\x1c\x00\x00\x00\x4d\x3c\x2b\x1a\x01\x00\n" + good,
		"no threads": "Full thread dump X:\n"} {
		if _, err := Read(context.Background(), []string{"-"}, strings.NewReader(text), Options{}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// Samples of tracepoints, and of what happens at a moment, show nothing that runs, wherever they stand.
func TestPerfEvents(t *testing.T) {
	const (
		stack  = "\tffffffff8100 f+0x1 ([kernel.kallsyms])\n\t    55d0cafe main+0x20 (/bin/python)\n\n"
		clock  = "python 302629 [011] 3485124.190000:   10101010 cpu-clock:pppH: \n" + stack
		sched  = "python 302629 [011] 3485124.180000: sched:sched_switch: prev_comm=python prev_pid=302629 prev_prio=120 prev_state=S ==> next_comm=swapper/11 next_pid=0 next_prio=120\n" + stack
		block  = "python 302629/302630 [011] 3485124.180000:          1 block:block_rq_issue: 8,0 W 4096 () 123 + 8 [python]\n" + stack
		asleep = "python 302629/302630 3485124.180000:  500123456 offcpu-time: \n" + stack
		faults = "python 302629 3485124.180000:          1 page-faults:u: \n" + stack
	)
	for _, c := range []struct {
		name, text string
		threads    int64
		left       Objects
	}{
		{"a clock", clock, 1, nil},
		{"cycles of a hybrid CPU", strings.ReplaceAll(clock, "cpu-clock:pppH", "cpu_core/cycles/P"), 1, nil},
		{"cycles without modifiers", strings.ReplaceAll(clock, "cpu-clock:pppH", "cycles"), 1, nil},
		{"no event", strings.ReplaceAll(clock, "  10101010 cpu-clock:pppH: ", ""), 1, nil},
		{"an address", "python 302629 [011] 3485124.190000:   10101010 cycles:  81000000 f+0x1 ([kernel.kallsyms])\n", 1, nil},
		{"an address without an event", "python 302629 [011] 3485124.190000:  81000000 f+0x1 ([kernel.kallsyms])\n", 1, nil},
		{"a tracepoint first", sched + clock, 1, Objects{"sched:sched_switch": 1}},
		{"a clock first", clock + sched + sched + clock + block, 2, Objects{"sched:sched_switch": 2, "block:block_rq_issue": 1}},
		{"page faults", clock + faults, 1, Objects{"page-faults:u": 1}},
		{"time off the CPUs", asleep + clock + asleep, 1, Objects{"offcpu-time": 2}},
		{"a tracepoint without a stack", clock + strings.TrimSuffix(block, stack) + strings.TrimSuffix(block, stack) + clock, 2, Objects{"block:block_rq_issue": 2}},
		{"an odd name", clock + strings.ReplaceAll(sched, "sched:sched_switch", "sched:\x1b[31m"), 1, Objects{"an event with an odd name": 1}},
	} {
		p, err := Read(t.Context(), []string{"-"}, strings.NewReader(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s := p.Sources[0]
		if s.Threads != c.threads || s.Unreadable != 0 || cmp.Diff(c.left, s.Left) != "" {
			t.Errorf("%s: %d samples, left out %v, %d lines unreadable; want %d and %v", c.name, s.Threads, s.Left, s.Unreadable, c.threads, c.left)
		}
		if (s.LeftOut() != "") != (c.left != nil) {
			t.Errorf("%s: %q", c.name, s.LeftOut())
		}
	}
	s := Source{Left: Objects{"sched:sched_switch": 2, "block:block_rq_issue": 1}}
	if want := "3 samples of sched:sched_switch and 1 other event left out: only those of cycles or a clock show what runs"; s.LeftOut() != want {
		t.Errorf("%q, want %q", s.LeftOut(), want)
	}
	_, err := Read(t.Context(), []string{"-"}, strings.NewReader(sched+sched), Options{})
	if err == nil || !strings.Contains(err.Error(), "2 samples of sched:sched_switch left out") {
		t.Errorf("tracepoints alone: %v", err)
	}
}

func TestFunctionNames(t *testing.T) {
	for line, want := range map[string]string{
		"#0  0x00007f in __lll_lock_wait () from /lib64/libpthread.so.0":     "__lll_lock_wait",
		"#1  open_table (thd=0x1, q=\"a (b) \") at sql/sql_base.cc:3011":     "open_table",
		"#2  std::function<void (int)>::operator() (this=0x1) at f.h:1":      "std::function<void (int)>::operator()",
		"#3  0x1 in (anonymous namespace)::work(int, char const*) ()":        "(anonymous namespace)::work",
		"#4  operator<< (out=..., x=1) at a.cc:1":                            "operator<<",
		"#5  Foo::operator-> (this=0x1)":                                     "Foo::operator->",
		"#6  <signal handler called>":                                        "<signal handler called>",
		"#7  0x0000560a ?? ()":                                               "??",
		"#8  0x00007f12 pthread_cond_wait@@GLIBC_2.3.2 - /usr/lib/libc.so.6": "pthread_cond_wait@@GLIBC_2.3.2",
		"#9  0x00007f12 - 1 do_command(THD*, bool)":                          "do_command",
		"#10 0x00007f12": "??",
		"#11 0x1 in boost::bind<A, B<C> > (f=...)": "boost::bind<A, B<C> >",
		"#12 operator new (n=1)":                   "operator new",
		"#13 0x1 in std::thread::_State_impl<void (*)(int)>::_M_run() () from /lib/x.so": "std::thread::_State_impl<void (*)(int)>::_M_run",
	} {
		got := ""
		if _, rest, ok := frameNumber([]byte(line)); ok {
			if name, ok := functionIn(rest); ok {
				got = string(name)
			}
		}
		if got != want {
			t.Errorf("%s\n\tis %q, want %q", line, got, want)
		}
	}
}

// A profile of goroutines tells no states: their functions do.
func TestCountedGoroutines(t *testing.T) {
	const counted = `goroutine profile: total 28
20 @ 0x47f64e 0x45b0ff 0x45b0d8 0x480d85 0x48a5e5
#	0x480d84	internal/sync.runtime_SemacquireMutex+0x24	/usr/local/go/src/runtime/sema.go:95
#	0x48a5e4	internal/sync.(*Mutex).lockSlow+0x164	/usr/local/go/src/internal/sync/mutex.go:149
#	0x4d5904	sync.(*Mutex).Lock+0x44	/usr/local/go/src/sync/mutex.go:46
#	0x4d5a04	main.work+0x24	/src/main.go:12

1 @ 0x47f64e 0x482285 0x4d5905
#	0x482284	time.Sleep+0x164	/usr/local/go/src/runtime/time.go:363
#	0x4d5904	main.main+0x1a4	/src/main.go:20

7 @ 0x47f64e 0x41a2b0 0x4d5a84
#	0x4d5a84	main.wait+0x24	/src/main.go:16
`
	p, err := Read(t.Context(), []string{"-"}, strings.NewReader(counted), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Stacks {
		want := map[string]string{"main.work": "go/mutex", "main.main": "go/idle", "main.wait": ""}[s.Frames[len(s.Frames)-1]]
		got := ""
		if sig := signatures.Default().Match(s.Frames, s.State); sig != nil {
			got = sig.ID
		}
		if got != want {
			t.Errorf("%v [%s] is %q, want %q", s.Frames, s.State, got, want)
		}
	}
}

// What others write behind a dump or into it takes no goroutine away.
func TestForeignLinesInGoroutines(t *testing.T) {
	const one = "goroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n"
	for _, c := range []struct {
		name, text string
		threads    int64
		unreadable int64
	}{
		{"go run", one + "exit status 2\n", 1, 0},
		{"go run, no line end", one + "exit status 2", 1, 0},
		{"a shell", one + "Aborted (core dumped)\n", 1, 1},
		{"a log", "goroutine 1 [select]:\nmain.work()\n\t/a.go:1 +0x1\n2026-01-02 served\nmain.main()\n\t/a.go:2 +0x1\n", 1, 1},
		{"cut within a frame", one + "\ngoroutine 2 [select]:\nmain.work()\n\t/a.go:1 +0x1\nmain.ma", 1, 1},
		{"a broken frame", one + "\ngoroutine 2 [select]:\nmain.wo\n\t/a.go:1 +0x1\nmain.main()\n", 1, 1},
	} {
		p, err := Read(t.Context(), []string{"-"}, strings.NewReader(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s := p.Sources[0]; s.Threads != c.threads || s.Unreadable != c.unreadable {
			t.Errorf("%s: %d goroutines, %d lines unreadable, want %d and %d", c.name, s.Threads, s.Unreadable, c.threads, c.unreadable)
		}
	}
}
