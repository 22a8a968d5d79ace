package show

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/view"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sampled is a process that was watched for two seconds: 150 samples of running
// threads at 100 Hz, 30 looks at sleeping ones at 5 Hz.
func sampled() *stack.Profile {
	running := stack.NewCounter(recording.StackOnCPU, 7, "app")
	sleeping := stack.NewCounter(recording.StackOffCPU, 7, "app")
	for range 150 {
		running.Add([]string{"compute", "main"}, "", 7, "app")
	}
	for i := range 30 {
		sleeping.Add([]string{"futex_wait", []string{"pthread_mutex_lock", "pthread_cond_wait"}[i%2], "worker"}, "S", 8, "app")
	}
	return stack.Sampled("pid 7", running, sleeping, stack.Sampling{Began: began, Length: 2 * time.Second, Period: 10 * time.Millisecond, Looks: 10})
}

func TestPProfKeepsKindsApart(t *testing.T) {
	var b bytes.Buffer
	if err := PProf(&b, sampled()); err != nil {
		t.Fatal(err)
	}
	pp, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if pp.TimeNanos != began.UnixNano() || pp.DurationNanos != 2e9 || pp.Period != 1e7 || pp.DefaultSampleType != "on-cpu" {
		t.Errorf("time %d, duration %d, period %d, default %q", pp.TimeNanos, pp.DurationNanos, pp.Period, pp.DefaultSampleType)
	}
	sums := map[string]int64{}
	for _, s := range pp.Sample {
		for i, v := range s.Value {
			sums[pp.SampleType[i].Type+" "+pp.SampleType[i].Unit] += v
		}
	}
	for name, want := range map[string]int64{"samples count": 150, "on-cpu nanoseconds": 1.5e9, "looks count": 30, "off-cpu nanoseconds": 6e9} {
		if sums[name] != want {
			t.Errorf("%s: %d, want %d; all: %v", name, sums[name], want, sums)
		}
	}
}

// host is a profile of running threads of many processes, as perf makes it of a host: samples by process.
func host(samples map[string][]int64) *stack.Profile {
	all, pid := &stack.Profile{}, int32(100)
	for _, process := range slices.Sorted(maps.Keys(samples)) {
		for _, n := range samples[process] {
			pid++
			running := stack.NewCounter(recording.StackOnCPU, pid, process)
			running.AddTimes([]string{"compute", "main"}, "", pid, process, n)
			all.Join(stack.Sampled("perf.txt", running, stack.NewCounter(recording.StackOffCPU, pid, process), stack.Sampling{Began: began, Length: 2 * time.Second, Period: 10 * time.Millisecond}))
		}
	}
	return all
}

// A profile of a host begins with sums by program; processes with next to nothing have no table.
func TestSumsByProgram(t *testing.T) {
	many := host(map[string][]int64{"app": {300, 500}, "sh": {190}, "tiny": {1, 2, 7}})
	for _, c := range []struct {
		name      string
		page      string
		has, lack []string
	}{
		{"many processes", terminal(t, many, 10), []string{"WHERE THE SAMPLES ARE: 1,000 samples of 3 programs\n", "     800   80 %          2  app\n", "     190   19 %          1  sh\n", "      10  1.0 %          3  tiny\n",
			"3 processes have less than 1.0 % of the samples, 1.0 % together: -v has their tables, too\n",
			"RUNNING THREADS, app (102): 500 busy of 500 samples\n", "RUNNING THREADS, app (101): 300 busy", "RUNNING THREADS, sh (103): 190 busy"},
			[]string{"tiny (", "WHAT RUNNING THREADS DO"}},
		{"the first program only", terminal(t, many, 1), []string{"2  app\n", "and 2 more: --top 3\n"}, []string{"1  sh\n"}},
		{"few processes", terminal(t, host(map[string][]int64{"app": {500}, "sh": {190}, "tiny": {1}}), 10), []string{"WHAT RUNNING THREADS DO, app (101)", "WHAT RUNNING THREADS DO, sh (102)", "WHAT RUNNING THREADS DO, tiny (103)"}, []string{"WHERE THE SAMPLES ARE", "less than"}},
		{"none is small", terminal(t, host(map[string][]int64{"app": {500, 400}, "sh": {190, 20}}), 10), []string{"WHERE THE SAMPLES ARE: 1,110 samples of 2 programs", "RUNNING THREADS, sh (104)"}, []string{"less than"}},
	} {
		for _, s := range c.has {
			if !strings.Contains(c.page, s) {
				t.Errorf("%s: %q is missing in\n%s", c.name, s, c.page)
			}
		}
		for _, s := range c.lack {
			if strings.Contains(c.page, s) {
				t.Errorf("%s: %q is in\n%s", c.name, s, c.page)
			}
		}
		if a, b := strings.Index(c.page, "app (102)"), strings.Index(c.page, "app (101)"); a >= 0 && b >= 0 && strings.Contains(c.page, "app (102): 500") && a > b {
			t.Errorf("%s: the busiest process is not the first", c.name)
		}
	}
}

// Samples of running threads and looks at sleeping ones do not add up.
func TestTextKeepsKindsApart(t *testing.T) {
	one := sampled()
	one.Stacks = one.Stacks[:1] // of one kind: as the tools print it
	asleep := sampled()
	asleep.Stacks = asleep.Stacks[1:] // nobody may take them for running
	for _, tt := range []struct {
		name  string
		print func(io.Writer, *stack.Profile) error
		p     *stack.Profile
		want  string
	}{
		{"pmp", PMP, sampled(), "    150 compute,main,[on-cpu]\n     15 futex_wait,pthread_cond_wait,worker,[off-cpu, looks: 10]\n     15 futex_wait,pthread_mutex_lock,worker,[off-cpu, looks: 10]\n"},
		{"collapsed", Collapsed, sampled(), "[on-cpu];app;main;compute 150\n[off-cpu, looks: 10];app;worker;pthread_cond_wait;futex_wait 15\n[off-cpu, looks: 10];app;worker;pthread_mutex_lock;futex_wait 15\n"},
		{"pmp of one kind", PMP, one, "    150 compute,main\n"},
		{"collapsed of one kind", Collapsed, one, "app;main;compute 150\n"},
		{"pmp of sleepers", PMP, asleep, "     15 futex_wait,pthread_cond_wait,worker,[off-cpu, looks: 10]\n     15 futex_wait,pthread_mutex_lock,worker,[off-cpu, looks: 10]\n"},
	} {
		var b bytes.Buffer
		if err := tt.print(&b, tt.p); err != nil || b.String() != tt.want {
			t.Errorf("%s: %q, want %q, %v", tt.name, b.String(), tt.want, err)
		}
	}
}

// What is printed for flame graphs is read back as what it was.
func TestCollapsedComesBack(t *testing.T) {
	for name, from := range map[string]int{"both kinds": 0, "sleepers": 1} {
		t.Run(name, func(t *testing.T) {
			p := sampled()
			p.Stacks = p.Stacks[from:]
			var b bytes.Buffer
			if err := Collapsed(&b, p); err != nil {
				t.Fatal(err)
			}
			back, err := stack.Read(t.Context(), []string{"-"}, &b, stack.Options{})
			if err != nil {
				t.Fatal(err)
			}
			count := func(p *stack.Profile) map[string]int64 {
				n := map[string]int64{}
				for _, s := range p.Stacks {
					n[s.Kind] += s.Count
				}
				return n
			}
			if got, want := count(back), count(p); !maps.Equal(got, want) {
				t.Errorf("counts %v, want %v", got, want)
			}
			for _, s := range back.Stacks {
				if strings.HasPrefix(s.Frames[len(s.Frames)-1], "[") || s.Samples != map[string]int64{"on-cpu": 150, "off-cpu": 10}[s.Kind] {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

func terminal(t *testing.T, p *stack.Profile, top int) string {
	t.Helper()
	rec := recording.New(recording.Manifest{Format: recording.FormatVersion, Started: began, Ended: began, Probes: []recording.ProbeInfo{{Name: "stack", Fills: stack.Tables}}})
	w := recording.NewWriter(began)
	p.Write(w)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := document.Terminal(&b, Document(p, view.New(rec, time.Time{}, time.Time{}), nil, Options{Top: top}), document.TerminalOptions{Width: 120}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTerminal(t *testing.T) {
	dump := func(threads string) string { return "Thread 1 (LWP 7):\n" + threads + "\n" }
	const mutex, cond, idle = "#0  __lll_lock_wait ()\n#1  pthread_mutex_lock ()\n#2  work ()\n", "#0  fsync ()\n#1  ha_commit_trans ()\n", "#0  epoll_wait ()\n#1  loop ()\n"
	read := func(text string) *stack.Profile {
		p, err := stack.Read(t.Context(), []string{"-"}, strings.NewReader(text), stack.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	thrice := dump(mutex) + dump(idle) + dump(idle) // one of three dumps has it
	for _, c := range []struct {
		name      string
		page      string
		has, lack []string
	}{
		{"a fraction of a thread", terminal(t, read(thrice), 10), []string{"0.3 busy of 1 thread", "     0.3  100 %  lock ", "0.7 × waits for a socket or a timer"}, []string{"all threads wait for work"}},
		{"waits that are cut off", terminal(t, read(dump(mutex)+dump(cond)), 1), []string{"and 1 more: --top 2\n"}, nil},
		{"nothing to do", terminal(t, read("main;loop;epoll_wait 5\n"), 10), []string{"waits for a socket or a timer"}, []string{"do: "}},
		{"running and sleeping", terminal(t, sampled(), 10), []string{"STACKS OF RUNNING THREADS: 1 different one, innermost", "150  100 %", "STACKS OF SLEEPING THREADS: 2 different ones, innermost", "15   50 %"}, nil},
	} {
		for _, s := range c.has {
			if !strings.Contains(c.page, s) {
				t.Errorf("%s: %q is missing in\n%s", c.name, s, c.page)
			}
		}
		for _, s := range c.lack {
			if strings.Contains(c.page, s) {
				t.Errorf("%s: %q is in\n%s", c.name, s, c.page)
			}
		}
	}
}
