package event_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	osexec "os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/files"
	"rtrail/internal/probe/event/offcpu"
	"rtrail/internal/probe/event/syncs"
	"rtrail/internal/probe/event/syscalls"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

const loadLasts = 12 * time.Second

// load does one thing steadily, and prints how often it did and how long that took.
func load(what string) {
	runtime.LockOSThread()
	f, err := os.CreateTemp("/dev/shm", "load")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	b := make([]byte, 512)
	_, _ = f.Write(b)
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	n, took := 0, time.Duration(0)
	began := time.Now()
	for time.Since(began) < loadLasts {
		at := time.Now()
		times := 1
		switch what {
		case "getppid":
			for times = range 500 {
				_ = unix.Getppid()
			}
			times++
		case "pread":
			for times = range 200 {
				_, _ = unix.Pread(int(f.Fd()), b, 0)
			}
			times++
		case "fdatasync":
			for times = range 100 {
				_ = unix.Fdatasync(int(f.Fd()))
				_ = unix.Getppid()
			}
			times++
		case "switches":
			handOver(began)
		case "nanosleep":
			_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &unix.Timespec{Nsec: 40e6}, nil)
		}
		n += times
		took += time.Since(at)
		if what != "nanosleep" {
			// As fast beside the programs as without them.
			for time.Since(began) < time.Duration(n/times)*time.Millisecond {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 2e5}, nil)
			}
		}
	}
	fmt.Println(n, took.Nanoseconds(), time.Since(began).Nanoseconds())
}

// handOver has two threads wake each other.
func handOver(began time.Time) {
	var there, back [2]int
	_, _ = unix.Pipe(there[:]), unix.Pipe(back[:])
	go func() {
		runtime.LockOSThread()
		for b := make([]byte, 1); ; {
			_, _ = unix.Read(there[0], b)
			_, _ = unix.Write(back[1], b)
		}
	}()
	for b := make([]byte, 1); time.Since(began) < loadLasts; {
		_, _ = unix.Write(there[1], b)
		_, _ = unix.Read(back[0], b)
	}
}

// begin starts a load; go has it begin, and told waits for its end.
func begin(t *testing.T, what string) (pid int32, start func(), told func() (n int64, took, lasted time.Duration)) {
	t.Helper()
	cmd := osexec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "RTRAIL_LOAD="+what)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	_, _ = lines.ReadString('\n')
	return int32(cmd.Process.Pid), func() { _, _ = in.Write([]byte("\n")) }, func() (n int64, took, lasted time.Duration) {
		said, _ := lines.ReadString('\n')
		if _, err := fmt.Sscan(said, &n, (*int64)(&took), (*int64)(&lasted)); err != nil {
			t.Fatalf("the load said %q", strings.TrimSpace(said))
		}
		return n, took, lasted
	}
}

// Sums of slices of the time, scaled, are those of all of it, and cost no more than the
// budget twice.
func TestSlices(t *testing.T) {
	start(t, event.Options{}).Close()
	if testing.Short() {
		t.Skip("takes a minute")
	}
	const budget = 0.01
	for what, tc := range map[string]struct {
		source event.Source
		beside string // a load that makes it a storm
		check  func(v *recording.Recording, pid int32) (n float64, took time.Duration)
	}{
		"getppid": {source: syscalls.New(0), check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, c := range view.SumSyscalls(recording.Rows[recording.SyscallSum](rec), 0) {
				if c.PID == pid && c.Call == "getppid" {
					n += float64(c.Calls)
				}
			}
			return n, 0
		}},
		"pread": {source: files.New(), check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, f := range view.SumFiles(recording.Rows[recording.FileSum](rec), 0) {
				if f.PID == pid && strings.Contains(f.Path, "/dev/shm/load") {
					n += float64(f.Reads)
				}
			}
			return n, 0
		}},
		"fdatasync": {source: syncs.New(), beside: "getppid", check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, s := range view.SumSyncs(recording.Rows[recording.SyncSum](rec), 0) {
				if s.PID == pid && strings.Contains(s.Path, "/dev/shm/load") {
					n += float64(s.Calls)
				}
			}
			return n, 0
		}},
		"nanosleep": {source: syscalls.New(0), beside: "getppid", check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, c := range view.SumSyscalls(recording.Rows[recording.SyscallSum](rec), 0) {
				if c.PID == pid && c.Call == "clock_nanosleep" {
					n, took = n+float64(c.Calls), took+c.Time
				}
			}
			return n, took
		}},
		"nanosleep ": {source: offcpu.New(0), beside: "switches", check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, o := range view.SumOffCPU(recording.Rows[recording.OffCPUWait](rec), 0) {
				if o.PID == pid && o.State == "S" && strings.Contains(o.Stack, "nanosleep") {
					n, took = n+o.Waits, took+o.Waited
				}
			}
			return n, took
		}},
	} {
		t.Run(tc.source.Name()+"/"+strings.TrimSpace(what), func(t *testing.T) {
			pid, run, told := begin(t, strings.TrimSpace(what))
			if tc.beside != "" {
				_, too, _ := begin(t, tc.beside)
				too()
			}
			p := event.New(tc.source, event.Options{Budget: budget})
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			rec := recording.New(recording.Manifest{})
			look := func() {
				w := recording.NewWriter(time.Now())
				if err := p.Sample(context.Background(), w); err != nil {
					t.Fatal(err)
				}
				if err := rec.Commit(w); err != nil {
					t.Fatal(err)
				}
			}
			look()
			began := time.Now()
			run()
			for time.Since(began) < loadLasts-time.Second {
				time.Sleep(time.Second)
				look()
			}
			p.Closing()
			look()
			watched := time.Since(began)
			n, took, lasted := told()
			part := watched.Seconds() / lasted.Seconds()
			want, wantTook := float64(n)*part, time.Duration(float64(took)*part)
			got, gotTook := tc.check(rec, pid)
			var span, attached time.Duration
			costs := map[string]time.Duration{}
			for _, r := range recording.Rows[recording.EventProgram](rec) {
				costs[r.Program] += r.RunTime
				if r.Stopped {
					t.Errorf("%s was detached", r.Program)
				}
				if strings.HasPrefix(r.Program, "entered") || strings.HasPrefix(r.Program, "file_used") || strings.HasPrefix(r.Program, "sync_entered") || strings.HasPrefix(r.Program, "switch") {
					span, attached = span+r.Span, attached+r.Attached
				}
			}
			t.Logf("traced %v of %v: %.0f, want %.0f (%+.1f %%); %v, want %v", attached, span, got, want, 100*(got/want-1), gotTook, wantTook)
			if attached > span/2 {
				t.Errorf("it was traced for %v of %v: that is no storm", attached, span)
			}
			const within = 0.1
			// A wait that is longer than slices is counted by the part inside: few end in one, and
			// each stands for a step, divided by a part that may be small.
			if off := math.Abs(got/want - 1); gotTook == 0 && off > within || got < want/3 || got > 3*want {
				t.Errorf("%.0f of %s, want %.0f", got, what, want)
			}
			if gotTook > 0 && math.Abs(gotTook.Seconds()/wantTook.Seconds()-1) > within {
				t.Errorf("%s took %v, want %v", what, gotTook, wantTook)
			}
			for program, took := range costs {
				share := took.Seconds() / watched.Seconds()
				t.Logf("%s took %.2f %% of a core", program, 100*share)
				if share > 2*budget {
					t.Errorf("%s took %.2f %% of a core", program, 100*share)
				}
			}
		})
	}
}
