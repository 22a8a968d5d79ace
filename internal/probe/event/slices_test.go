package event_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	osexec "os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/buffers"
	"rtrail/internal/probe/event/cache"
	"rtrail/internal/probe/event/connects"
	"rtrail/internal/probe/event/drops"
	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/probe/event/files"
	"rtrail/internal/probe/event/offcpu"
	"rtrail/internal/probe/event/retransmits"
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
	disk, page := cachedPage()
	flood := fullSocket()
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	n, took := 0, time.Duration(0)
	began := time.Now()
	next := began
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
		case "cached":
			for times = range 200 {
				_, _ = unix.Pread(disk, page, 0)
			}
			times++
		case "connect":
			for times = range 5 {
				connectOnce()
			}
			times++
		case "give up":
			for times = range 3 {
				took += giveUp()
			}
			times++
		case "refused":
			for times = range 15 {
				c, _ := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
				_ = unix.Connect(c, refusing)
				_ = unix.Close(c)
			}
			times++
		case "flood":
			for times = range 100 {
				_ = unix.Sendto(flood, b, 0, flooded)
			}
			times++
		case "sleepers":
			times, took = sleepers(began)
		case "nanosleep":
			_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &unix.Timespec{Nsec: 40e6}, nil)
		}
		n += times
		took += time.Since(at)
		if what == "give up" || what == "sleepers" {
			took -= time.Since(at)
		}
		if what != "nanosleep" && what != "sleepers" {
			// As fast beside the programs as without them. What is missed while programs are
			// attached is not made up for: that would be in their slice.
			for next = next.Add(time.Millisecond); time.Now().Before(next); {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 2e5}, nil)
			}
			next = later(next, time.Now().Add(-time.Millisecond/2))
		}
	}
	fmt.Println(n, took.Nanoseconds(), time.Since(began).Nanoseconds())
}

// cachedPage opens a file of one page that is not in memory only.
func cachedPage() (fd int, page []byte) {
	f, err := os.CreateTemp("", "load")
	if err != nil {
		panic(err)
	}
	page = make([]byte, os.Getpagesize())
	_, _ = f.Write(page)
	_ = os.Remove(f.Name())
	fd, err = unix.Dup(int(f.Fd()))
	if err != nil {
		panic(err)
	}
	return fd, page
}

// Addresses on loopback that loads use.
var (
	flooded  = &unix.SockaddrInet4{Port: 39123, Addr: [4]byte{127, 0, 0, 1}}
	refusing = &unix.SockaddrInet4{Port: 39124, Addr: [4]byte{127, 0, 0, 1}}
)

// fullSocket has a socket at flooded that nobody reads, and gives one that sends to it.
func fullSocket() (sender int) {
	if s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0); err == nil {
		_ = unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RCVBUF, 1)
		_ = unix.Bind(s, flooded)
	}
	sender, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		panic(err)
	}
	return sender
}

// listening gives a socket of loopback that queues so many connections, and its address.
func listening(queue int) (fd int, at unix.Sockaddr) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		panic(err)
	}
	_ = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	_ = unix.Listen(fd, queue)
	if at, err = unix.Getsockname(fd); err != nil {
		panic(err)
	}
	return fd, at
}

var connectTo = sync.OnceValues(func() (int, unix.Sockaddr) { return listening(100) })

// connectOnce makes a connection and ends it by a reset, which leaves nothing in TIME_WAIT.
func connectOnce() {
	l, at := connectTo()
	c, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		panic(err)
	}
	_ = unix.SetsockoptLinger(c, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	if err := unix.Connect(c, at); err != nil {
		panic(err)
	}
	if a, _, err := unix.Accept(l); err == nil {
		_ = unix.Close(c)
		_ = unix.Close(a)
	}
}

// unanswered is a listener whose queue is full.
var unanswered = sync.OnceValue(func() unix.Sockaddr {
	_, at := listening(0)
	c, _ := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	_ = unix.Connect(c, at)
	return at
})

// givenUp are connects under way, the oldest one next.
var givenUp struct {
	socket [120]int
	began  [120]time.Time
	next   int
}

// giveUp ends the oldest of many connects that get no answer, begins another one, and says
// how long the ended one took.
func giveUp() (took time.Duration) {
	g, i := &givenUp, givenUp.next
	at := unanswered()
	g.next = (i + 1) % len(g.socket)
	if g.socket[i] > 0 {
		took = time.Since(g.began[i])
		_ = unix.Close(g.socket[i])
	}
	g.socket[i], _ = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	g.began[i] = time.Now()
	_ = unix.Connect(g.socket[i], at)
	return took
}

// sleepers has many threads sleep longer than a slice until the load ends, and says how often
// and how long they did.
func sleepers(began time.Time) (n int, took time.Duration) {
	var sums [100]time.Duration
	var times [100]int
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() {
			runtime.LockOSThread()
			for time.Since(began) < loadLasts {
				at := time.Now()
				_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &unix.Timespec{Nsec: 60e6 + int64(i)*3e5}, nil)
				times[i]++
				sums[i] += time.Since(at)
			}
		})
	}
	all.Wait()
	for i := range sums {
		n, took = n+times[i], took+sums[i]
	}
	return n, took
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
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

// slicedCase is a source that counts in slices beside a load, and how often it saw what the load does.
type slicedCase struct {
	source func() event.Source
	budget float64 // 0: as by default
	beside string  // a load that makes it a storm
	many   bool    // waits that are longer than slices are so many that their number is no chance
	check  func(v *recording.Recording, pid int32) (n float64, took time.Duration)
}

// Sums of slices of the time, scaled, are those of all of it, and cost no more than the
// budget twice.
func TestSlices(t *testing.T) {
	start(t, event.Options{}).Close()
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for what, tc := range map[string]slicedCase{
		"getppid": {source: func() event.Source { return syscalls.New(0) }, check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, c := range view.SumSyscalls(recording.Rows[recording.SyscallSum](rec), 0) {
				if c.PID == pid && c.Call == "getppid" {
					n += float64(c.Calls)
				}
			}
			return n, 0
		}},
		"pread": {source: func() event.Source { return files.New() }, check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, f := range view.SumFiles(recording.Rows[recording.FileSum](rec), 0) {
				if f.PID == pid && strings.Contains(f.Path, "/dev/shm/load") {
					n += float64(f.Reads)
				}
			}
			return n, 0
		}},
		"fdatasync": {source: func() event.Source { return syncs.New() }, beside: "getppid", check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, s := range view.SumSyncs(recording.Rows[recording.SyncSum](rec), 0) {
				if s.PID == pid && strings.Contains(s.Path, "/dev/shm/load") {
					n += float64(s.Calls)
				}
			}
			return n, 0
		}},
		"nanosleep": {source: func() event.Source { return syscalls.New(0) }, beside: "getppid", check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, c := range view.SumSyscalls(recording.Rows[recording.SyscallSum](rec), 0) {
				if c.PID == pid && c.Call == "clock_nanosleep" {
					n, took = n+float64(c.Calls), took+c.Time
				}
			}
			return n, took
		}},
		"nanosleep ": {source: func() event.Source { return offcpu.New(0) }, beside: "switches", check: nanosleeps},
		"sleepers ":  {source: func() event.Source { return offcpu.New(0) }, beside: "switches", many: true, check: nanosleeps},
		"sleepers": {source: func() event.Source { return syscalls.New(0) }, beside: "getppid", many: true, check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, c := range view.SumSyscalls(recording.Rows[recording.SyscallSum](rec), 0) {
				if c.PID == pid && c.Call == "clock_nanosleep" {
					n, took = n+float64(c.Calls), took+c.Time
				}
			}
			return n, took
		}},
		"cached": {source: func() event.Source { return cache.New() }, check: func(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
			for _, c := range view.SumCache(recording.Rows[recording.CacheSum](rec), 0) {
				if c.PID == pid {
					n += float64(c.Asked)
				}
			}
			return n, 0
		}},
		"connect": {source: func() event.Source { return connects.New() }, budget: 0.004, check: func(rec *recording.Recording, pid int32) (float64, time.Duration) {
			n, _ := sumConnects(rec, pid, recording.ConnectOK)
			return n, 0
		}},
		"give up": {source: func() event.Source { return connects.New() }, budget: 0.014, beside: "connect", check: func(rec *recording.Recording, pid int32) (float64, time.Duration) {
			return sumConnects(rec, pid, recording.ConnectAbandoned)
		}},
		"refused": {source: func() event.Source { return retransmits.New() }, budget: 0.002, check: func(rec *recording.Recording, _ int32) (n float64, took time.Duration) {
			for _, e := range view.SumTCPEvents(recording.Rows[recording.TCPEvent](rec), 0) {
				if e.Kind == recording.TCPResetSent && int(e.LocalPort) == refusing.Port {
					n += float64(e.Packets)
				}
			}
			return n, 0
		}},
		"flood": {source: func() event.Source { return drops.New() }, check: func(rec *recording.Recording, _ int32) (n float64, took time.Duration) {
			for _, d := range view.SumDrops(recording.Rows[recording.PacketDrop](rec), 0) {
				if int(d.Port) == flooded.Port && d.Reason == "SOCKET_RCVBUFF" {
					n += float64(d.Packets)
				}
			}
			return n, 0
		}},
		"flood ": {source: func() event.Source { return buffers.New() }, check: func(rec *recording.Recording, _ int32) (n float64, took time.Duration) {
			for _, b := range view.SumReceiveBuffers(recording.Rows[recording.ReceiveBuffer](rec), 0) {
				if int(b.LocalPort) == flooded.Port && b.Kind == recording.BufferFull {
					n += float64(b.Times)
				}
			}
			return n, 0
		}},
	} {
		t.Run(tc.source().Name()+"/"+strings.TrimSpace(what), func(t *testing.T) {
			if name := tc.source().Name(); name == "connects" || name == "retransmits" {
				eventtest.Alone(t)
			}
			eventtest.Holds(t, func() []string { return tc.wrong(t, what) })
		})
	}
}

// wrong lists what is wrong with sums of slices beside a load.
func (tc slicedCase) wrong(t *testing.T, what string) (wrong []string) {
	bad := func(format string, values ...any) { wrong = append(wrong, fmt.Sprintf(format, values...)) }
	pid, run, told := begin(t, strings.TrimSpace(what))
	if tc.beside != "" {
		_, too, _ := begin(t, tc.beside)
		too()
	}
	budget := cmp.Or(tc.budget, event.DefaultBudget)
	p := event.New(tc.source(), event.Options{Budget: budget})
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
			bad("%s was detached", r.Program)
		}
		if r.Program == recording.Rows[recording.EventProgram](rec)[0].Program {
			span, attached = span+r.Span, attached+r.Attached
		}
	}
	t.Logf("traced %v of %v: %.0f, want %.0f (%+.1f %%); %v, want %v", attached, span, got, want, 100*(got/want-1), gotTook, wantTook)
	if attached > span/2 {
		bad("it was traced for %v of %v: that is no storm", attached, span)
	}
	const within = 0.1
	// Of waits that are longer than slices those count that end in one: of a single thread
	// these are few.
	off, chance := math.Abs(got/want-1), within
	if tc.many {
		chance = max(within, 3/math.Sqrt(want*attached.Seconds()/span.Seconds()))
	}
	if (gotTook == 0 || tc.many) && off > chance || got < want/3 || got > 3*want {
		bad("%.0f of %s, want %.0f", got, what, want)
	}
	if gotTook > 0 && math.Abs(gotTook.Seconds()/wantTook.Seconds()-1) > within {
		bad("%s took %v, want %v", what, gotTook, wantTook)
	}
	for program, took := range costs {
		share := took.Seconds() / watched.Seconds()
		t.Logf("%s took %.2f %% of a core", program, 100*share)
		if share > 2*budget {
			bad("%s took %.2f %% of a core", program, 100*share)
		}
	}
	return wrong
}

// nanosleeps are the waits of a process in clock_nanosleep. Go's monitor sleeps in nanosleep.
func nanosleeps(rec *recording.Recording, pid int32) (n float64, took time.Duration) {
	for _, o := range view.SumOffCPU(recording.Rows[recording.OffCPUWait](rec), 0) {
		if o.PID == pid && o.State == "S" && strings.Contains(o.Stack, "sys_clock_nanosleep") {
			n, took = n+o.Waits, took+o.Waited
		}
	}
	return n, took
}

// sumConnects are those of a process with one result.
func sumConnects(rec *recording.Recording, pid int32, result string) (n float64, took time.Duration) {
	for _, c := range view.SumConnects(recording.Rows[recording.Connect](rec), 0) {
		if c.PID == pid && c.Result == result {
			n, took = n+float64(c.Count), took+c.Time
		}
	}
	return n, took
}
