package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/budget"
	"rtrail/internal/crash"
	"rtrail/internal/probe"
	"rtrail/internal/recording"
	dump "rtrail/internal/stack"
)

const (
	// besideHz is how often a second running threads are sampled beside other
	// probes: 50 samples a second of one busy core, whose frames take half a
	// percent of a core to follow.
	besideHz = 49
	// besideEvery is the time between two samples of the probe. The runner makes
	// it longer where a sample costs more than its budget.
	besideEvery = 250 * time.Millisecond
	// maxLooked bounds the threads that are looked at in one sample; a process
	// with more of them is looked at in turns. To copy and follow a stack takes a
	// tenth of a millisecond, so that a sample stays within the probe's budget.
	maxLooked = 32
	// busyCPU is how much of a core a process must use to be looked at: threads
	// that queue for a lock inside of a program use at least this to take and
	// to give it.
	busyCPU = 0.1
	// hurried is the niceness while the programs of a process are read, as that of
	// all who read evidence.
	hurried = -10
	// fewestLooks is how many looks at sleeping threads are needed to be kept.
	fewestLooks = 3
)

// UnseenStacks is the What of notes about processes whose stacks could not be
// sampled.
const UnseenStacks = "stacks of servers"

// Beside samples the stacks of a few processes while other probes watch the
// host. It keeps what it counts until the end of the run, and writes it with
// the last sample.
type Beside struct {
	find    func() []int32 // which processes, as far as is known yet
	memory  *budget.Budget // of the symbols of all of them
	watched map[int32]*beside
	closing bool
}

// beside is one process.
type beside struct {
	watch
	comm    string
	since   time.Time
	used    time.Duration // CPU of the process when it was first seen
	turn    int           // of the threads: where the next look begins
	refused error
	quiet   bool // it has not used enough CPU yet
	looked  int64
	opening chan opened // its programs are being read; nil: not yet, or done
}

// opened is what it takes to sample a process.
type opened struct {
	space   *space
	sampler *sampler
	refused error // why there is no sampler
	err     error // why nothing can be seen
}

var (
	_ probe.Probe     = (*Beside)(nil)
	_ probe.Paced     = (*Beside)(nil)
	_ probe.Bracketed = (*Beside)(nil)
)

// NewBeside makes the probe "stack" for the processes that find gives; it is
// asked at each sample.
func NewBeside(find func() []int32) *Beside {
	return &Beside{find: find, memory: symbolMemory(), watched: map[int32]*beside{}}
}

// Name implements probe.Probe.
func (b *Beside) Name() string { return "stack" }

// Help implements probe.Probe.
func (b *Beside) Help() string {
	return "stacks of busy MySQL servers on this host: running threads by perf_event, sleeping ones by /proc, without stopping them"
}

// Fills implements probe.Probe.
func (b *Beside) Fills() []recording.Table { return []recording.Table{recording.Stacks} }

// Start implements probe.Probe. What is missing shows when there is a process.
func (b *Beside) Start() error { return nil }

// Interval implements probe.Paced. While there is no process to sample, the probe wakes
// with the others.
func (b *Beside) Interval(run time.Duration) time.Duration {
	if len(b.watched) == 0 {
		return run
	}
	return min(run, probe.Scatter(besideEvery))
}

// Closing implements probe.Bracketed.
func (b *Beside) Closing() { b.closing = true }

// Close gives the kernel's events back.
func (b *Beside) Close() error {
	for _, w := range b.watched {
		if w.sampler != nil {
			w.sampler.Close()
			w.sampler = nil
		}
	}
	return nil
}

// Sample implements probe.Probe: it takes over what the kernel sampled, and
// looks once at the threads that sleep.
func (b *Beside) Sample(ctx context.Context, w *recording.Writer) error {
	for _, pid := range b.find() {
		if b.watched[pid] == nil {
			b.watched[pid] = &beside{quiet: true}
		}
	}
	for pid, p := range b.watched {
		if ctx.Err() != nil {
			break
		}
		p.sample(pid, b.memory)
	}
	if b.closing {
		b.write(w)
	}
	return nil
}

// sample looks once at a process.
func (p *beside) sample(pid int32, memory *budget.Budget) {
	if p.refused != nil {
		return
	}
	if p.quiet && !p.begin(pid, memory) {
		return
	}
	if p.running == nil {
		select {
		case o := <-p.opening:
			p.take(pid, o)
		default:
		}
		return
	}
	p.drain()
	if err := p.look(); err != nil {
		p.refused = err
	}
}

// begin starts to sample a process once it is busy.
func (p *beside) begin(pid int32, memory *budget.Budget) bool {
	comm, _, ok := taskState(fmt.Sprintf("/proc/%d/", pid))
	if !ok {
		return false
	}
	used, now := processCPU(pid), time.Now()
	if p.since.IsZero() {
		p.since, p.used = now, used
		return false
	}
	span := now.Sub(p.since)
	if span < besideEvery/2 || float64(used-p.used) < busyCPU*float64(span) {
		return false
	}
	p.quiet, p.comm = false, comm
	// Reading the symbols of a large program takes some tenths of a second, once.
	// A probe that needs so long for a sample would be asked less often.
	p.opening = make(chan opened, 1)
	go func() {
		// A server that burns all CPUs starves whoever asks politely. The thread
		// ends with the goroutine, as it stays locked.
		runtime.LockOSThread()
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, hurried) // without the right to: as it is
		var o opened
		o.err = crash.Guard(func() (err error) {
			if o.space, err = newSpace(pid, memory); err == nil {
				o.sampler, o.refused = newSampler(pid, besideHz)
			}
			return err
		})
		p.opening <- o
	}()
	return true
}

// take begins to count.
func (p *beside) take(pid int32, o opened) {
	if o.err != nil {
		p.refused = o.err
		return
	}
	p.space, p.sleep, p.sampler, p.watch.refused = o.space, &sleepers{space: o.space}, o.sampler, o.refused
	p.running = dump.NewCounter(recording.StackOnCPU, pid, p.comm)
	p.sleeping = dump.NewCounter(recording.StackOffCPU, pid, p.comm)
}

// look copies the stacks of threads that sleep for a lock or a disk. Those that
// wait for their client or a timer are told by their system call, which is
// cheaper.
func (p *beside) look() error {
	tids, err := threadsOf(p.space.pid)
	if err != nil {
		return err
	}
	slices.Sort(tids)
	n := min(len(tids), maxLooked)
	for i := range n {
		tid := tids[(p.turn+i)%len(tids)] // the list changes little between two samples
		dir := fmt.Sprintf("%s/task/%d/", p.space.proc, tid)
		rests, runs := restful(dir)
		if runs {
			// Not asleep, but one of those of which the sleepers are a share.
			p.sleeping.Add([]string{runningThread}, "R", tid, p.comm)
		}
		if rests || runs {
			continue
		}
		comm, state, ok := taskState(dir)
		if !ok || state != "S" && state != "D" {
			continue
		}
		if frames, ok := p.sleep.stack(dir); ok {
			p.sleeping.Add(frames, state, tid, comm)
		}
	}
	p.turn += n
	p.looked += int64(n)
	// Counts are per look at all threads.
	p.looks = (p.looked + int64(len(tids))/2) / int64(len(tids))
	return nil
}

// resting are the system calls of threads that wait for a client, for a timer
// or for a read or write that the kernel does for them (x86-64 and arm64 number
// them differently; elsewhere nothing is left out).
var resting = map[bool][]string{
	true: {"7", "271", "23", "270", "232", "281", "45", "47", "43", "288", "35", "230", "128", "208", "0", "34"},
}[followsFrames]

// runningThread stands for the stack of a thread that runs, or is ready to.
const runningThread = "(running)"

// restful says whether a thread waits for its client or a timer, or runs.
func restful(dir string) (rests, runs bool) {
	data, err := os.ReadFile(dir + "syscall")
	if err != nil {
		return false, false
	}
	call, _, _ := strings.Cut(string(data), " ")
	return slices.Contains(resting, call), strings.HasPrefix(call, "running")
}

// write hands over all that was counted.
func (b *Beside) write(w *recording.Writer) {
	for pid, p := range b.watched {
		if err := errors.Join(p.refused, p.watch.refused); err != nil {
			how := probe.Remedy(err)
			recording.Append(w, recording.UnseenNote{At: w.Started, Probe: b.Name(), What: UnseenStacks, Count: 1,
				Why: fmt.Sprintf("stacks of process %d: %v", pid, err), How: how})
		}
		if p.quiet || p.running == nil {
			continue
		}
		if p.looks < fewestLooks {
			p.sleeping = dump.NewCounter(recording.StackOffCPU, pid, p.comm)
		}
		profile := dump.Sampled(fmt.Sprintf("pid %d", pid), p.running, p.sleeping, dump.Sampling{Looks: p.looks})
		profile.Write(w)
		if p.sampler != nil && p.sampler.lost > 0 {
			// Shares stay right: what is lost is as the rest. So no row is missing.
			recording.Append(w, recording.UnseenNote{At: w.Started, Probe: b.Name(), What: "samples of running threads", Count: int64(p.sampler.lost), Of: p.running.Total + int64(p.sampler.lost),
				Why: fmt.Sprintf("the kernel's buffer was full: %d of %d samples of process %d were kept", p.running.Total, p.running.Total+int64(p.sampler.lost), pid), How: "watch for longer"})
		}
	}
}

// processCPU is what a process used since it began; 0 if that cannot be read.
func processCPU(pid int32) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 13 {
		return 0
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	// Clock ticks of a hundredth of a second (proc_pid_stat(5), USER_HZ).
	return time.Duration(user+system) * 10 * time.Millisecond
}
