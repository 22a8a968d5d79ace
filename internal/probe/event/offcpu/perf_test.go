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
	os.Exit(m.Run())
}

const waitsLast = 3 * time.Second

// waits has threads that sleep, that hand work to each other and that want a CPU,
// and prints their numbers.
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
			fmt.Println(name, unix.Gettid())
			for time.Now().Before(end) {
				work()
			}
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

// Off-CPU times of threads are those that perf finds in all switches, to 5 %.
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
	rec := watch(t, func() {
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
	ours := map[int32]time.Duration{}
	for _, w := range recording.Rows[recording.OffCPUWait](rec) {
		ours[w.TID] += w.Waited
	}
	for _, l := range strings.Split(strings.TrimSpace(said.String()), "\n") {
		name, number, _ := strings.Cut(l, " ")
		tid, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		got, want := ours[int32(tid)], truth[int32(tid)]
		t.Logf("%s: %v, perf: %v", name, got, want)
		// A thread that waits little has no 5 %: it may owe a step when it ends.
		if diff := math.Abs(float64(got - want)); diff > 0.05*float64(want)+float64(40*time.Millisecond) {
			t.Errorf("%s did not run for %v, perf found %v", name, got, want)
		}
	}
}
