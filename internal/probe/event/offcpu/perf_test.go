package offcpu

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// The first thread waits for perf before perf sees it: it gets no work.
func init() {
	if os.Getenv("RTRAIL_WAITS") != "" {
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("RTRAIL_WAITS") != "" {
		waits()
		return
	}
	if os.Getenv("RTRAIL_CHAIN") != "" {
		chainOuter()
		return
	}
	os.Exit(m.Run())
}

const waitsLast = 3 * time.Second

// waits has threads that sleep, that hand work to each other and that want a CPU,
// and prints the number of each and how long the kernel says it was runnable.
func waits() {
	end := time.Now().Add(waitsLast)
	var there, back [2]int
	if unix.Pipe(there[:]) != nil || unix.Pipe(back[:]) != nil {
		os.Exit(1)
	}
	b := make([]byte, 1)
	done := make(chan bool)
	for name, work := range map[string]func(){
		"sleeps": func() { _ = unix.Nanosleep(&unix.Timespec{Nsec: 3e6}, nil) },
		"asks": func() {
			_, _ = unix.Write(there[1], []byte{1})
			if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(back[0]), Events: unix.POLLIN}}, 50); n == 1 {
				_, _ = unix.Read(back[0], make([]byte, 1))
			}
			spin(200 * time.Microsecond)
		},
		"answers": func() {
			// perf does not count a wait that goes on in the end.
			if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(there[0]), Events: unix.POLLIN}}, 50); n != 1 {
				return
			}
			_, _ = unix.Read(there[0], b)
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
			_, _ = unix.Write(back[1], b)
		},
		"spins": func() { spin(10 * time.Millisecond) },
	} {
		go func() {
			runtime.LockOSThread()
			for time.Now().Before(end) {
				work()
			}
			var ran, delayed int64
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", unix.Gettid()))
			_, _ = fmt.Sscan(string(stat), &ran, &delayed)
			fmt.Println(name, unix.Gettid(), delayed)
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
}

func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// Off-CPU times of threads are those that perf finds in all switches, to 5 %, and
// runnable time is what the kernel counts itself.
func TestAgainstPerf(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	if testing.Short() {
		t.Skip("takes five seconds")
	}
	if _, err := exec.LookPath("perf"); err != nil {
		t.Skip(err)
	}
	eventtest.Holds(t, func() []string { return besidePerf(t) })
}

// besidePerf follows threads together with perf, and says where they differ.
func besidePerf(t *testing.T) (wrong []string) {
	file := filepath.Join(t.TempDir(), "perf.data")
	// perf needs tracefs, which is mounted for it alone.
	perf := func(args string) *exec.Cmd {
		return exec.Command("unshare", "-m", "sh", "-c", "mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; exec perf sched "+args)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	rec := eventtest.Watch(t, New(0), func() {
		cmd := perf(fmt.Sprintf("record -m 4096 -o %s -- %s", file, exe))
		cmd.Env = append(os.Environ(), "RTRAIL_WAITS=1")
		cmd.Stdout = &said
		if out, err := cmd.StderrPipe(); err == nil {
			go func() { _, _ = bufio.NewReader(out).WriteTo(os.Stderr) }()
		}
		if err := cmd.Run(); err != nil {
			t.Skipf("perf does not record here: %v", err)
		}
	})
	truth := map[int32]time.Duration{}
	out, err := perf("timehist -i " + file).Output()
	if err != nil {
		t.Skipf("perf does not read what it recorded: %v", err)
	}
	line := regexp.MustCompile(`\[(\d+)(?:/\d+)?\]\s+([\d.]+)\s+[\d.]+\s+[\d.]+`)
	for _, m := range line.FindAllSubmatch(out, -1) {
		tid, _ := strconv.Atoi(string(m[1]))
		ms, _ := strconv.ParseFloat(string(m[2]), 64)
		truth[int32(tid)] += time.Duration(ms * float64(time.Millisecond))
	}
	all, runnable := map[int32]time.Duration{}, map[int32]time.Duration{}
	for _, w := range recording.Rows[recording.OffCPUWait](rec) {
		all[w.TID] += w.Waited
		if w.State == "R" {
			runnable[w.TID] += w.Waited
		}
	}
	threads := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(threads) != 4 {
		t.Fatalf("the threads said %q", threads)
	}
	for _, l := range threads {
		var name string
		var tid int32
		var delayed time.Duration
		if _, err := fmt.Sscan(l, &name, &tid, (*int64)(&delayed)); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		compare := func(what string, got, want time.Duration) {
			t.Logf("%s %s: %v, want %v", name, what, got, want)
			// A thread may owe a step when it ends, which of little time is more than 5 %.
			if diff := math.Abs(float64(got - want)); diff > 0.05*float64(want)+float64(40*time.Millisecond) {
				wrong = append(wrong, fmt.Sprintf("%s %s for %v, want %v", name, what, got, want))
			}
		}
		compare("was runnable", runnable[tid], delayed)
		// perf loses what a thread that is preempted ten thousand times waits for each time.
		if name != "spins" {
			compare("did not run", all[tid], truth[tid])
		}
	}
	return wrong
}
