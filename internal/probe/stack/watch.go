// Package stack samples the stacks of a live process without stopping it.
//
// Running threads are sampled by the kernel: a perf event on the CPU clock
// copies registers and the upper part of the stack, and the callers are found
// here, by call frame information where the program has it, else by frame
// pointers. Sleeping threads are looked at in /proc; their stack is copied with
// process_vm_readv while they sleep.
package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/probe"
	"rtrail/internal/recording"
	dump "rtrail/internal/stack"
)

// Options say what to watch.
type Options struct {
	PID    int32
	Length time.Duration
	Hz     int // samples per second of each CPU
}

const (
	// drainEvery is how often samples are taken over: a buffer holds half a
	// megabyte, 20 stacks, and a CPU makes 5 in this time at 99 Hz.
	drainEvery = 50 * time.Millisecond
	// lookEvery is the time between two looks at sleeping threads.
	lookEvery = 200 * time.Millisecond
	// lookShare is the share of one core that looks may take: a process with
	// thousands of threads is looked at less often.
	lookShare = 0.1
	// fewSamples is the number of samples below which shares say little.
	fewSamples = 30
)

// Watch samples a process. What could not be seen is said in notes. The error
// is a *probe.MissingError where a permission is missing without which nothing
// can be seen.
func Watch(ctx context.Context, o Options) (p *dump.Profile, notes []string, err error) {
	comm, _, ok := taskState(fmt.Sprintf("/proc/%d/", o.PID))
	if !ok {
		return nil, nil, fmt.Errorf("watching process %d: there is no such process", o.PID)
	}
	memory, err := newSpace(o.PID, symbolMemory())
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			err = &probe.MissingError{What: "CAP_SYS_PTRACE to see processes of other users", How: "run as root, or as the owner of the process", Err: err}
		}
		return nil, nil, fmt.Errorf("watching process %d: %w", o.PID, err)
	}
	w := &watch{
		space: memory, sleep: &sleepers{space: memory},
		running:  dump.NewCounter(recording.StackOnCPU, o.PID, comm),
		sleeping: dump.NewCounter(recording.StackOffCPU, o.PID, comm),
	}
	w.sampler, w.refused = newSampler(o.PID, o.Hz)
	if w.sampler != nil {
		defer w.sampler.Close()
	}
	began := time.Now()
	w.run(ctx, o.Length)
	p = dump.Sampled(fmt.Sprintf("pid %d", o.PID), w.running, w.sleeping, dump.Sampling{
		Began: began, Length: time.Since(began), Period: time.Second / time.Duration(max(o.Hz, 1)), Looks: w.looks,
	})
	if len(p.Stacks) == 0 {
		if w.refused != nil {
			return nil, nil, fmt.Errorf("watching process %d: %w", o.PID, w.refused)
		}
		return nil, nil, fmt.Errorf("watching process %d: no stack was seen%s", o.PID, w.ended)
	}
	return p, w.notes(), nil
}

type watch struct {
	space             *space
	sampler           *sampler
	refused           error // why there is no sampler
	sleep             *sleepers
	running, sleeping *dump.Counter
	looks             int64
	ended             string
	whole, cut        int // user stacks of running threads
	crashes           int // samples and looks that a bug cost
	crash             error
}

// guarded takes a sample, or looks at the threads. A panic costs that one.
func (w *watch) guarded(f func()) {
	if err := crash.Guard(func() error { f(); return nil }); err != nil {
		if w.crashes == 0 {
			w.crash = err
		}
		w.crashes++
	}
}

func (w *watch) run(ctx context.Context, length time.Duration) {
	end := time.NewTimer(length)
	defer end.Stop()
	tick := time.NewTicker(drainEvery)
	defer tick.Stop()
	next := time.Now()
	for {
		if now := time.Now(); !now.Before(next) {
			before := probe.ThreadCPU()
			err := w.sleep.look(w.guarded, w.sleeping.Add)
			if err != nil {
				w.ended = ": it ended"
				return
			}
			w.looks++
			took := max(time.Since(now), probe.ThreadCPU()-before)
			next = now.Add(max(lookEvery, time.Duration(float64(took)/lookShare)))
		}
		select {
		case <-ctx.Done():
			w.drain()
			return
		case <-end.C:
			w.drain()
			return
		case <-tick.C:
			w.drain()
		}
	}
}

func (w *watch) drain() {
	if w.sampler == nil {
		return
	}
	w.sampler.drain(func(s *sample) { w.guarded(func() { w.take(s) }) })
}

// take counts the stack of a thread that ran.
func (w *watch) take(s *sample) {
	var frames []string
	for _, pc := range s.kernel {
		frames = append(frames, w.space.kernelName(pc))
	}
	user, whole := w.user(s)
	if len(user) > 0 {
		if whole {
			w.whole++
		} else {
			w.cut++
		}
	}
	comm, _, _ := taskState(fmt.Sprintf("%s/task/%d/", w.space.proc, s.tid))
	w.running.Add(append(frames, user...), "", s.tid, comm)
}

// user gives the part of a stack in the program: as far as call frame
// information leads, or by the kernel's chain of frame pointers where that is
// longer.
func (w *watch) user(s *sample) (frames []string, whole bool) {
	if s.regs.known[regPC] && s.regs.v[regPC] != 0 {
		frames, whole = w.space.unwind(s.regs, stackMemory(s.stack, s.regs.v[regSP]))
	}
	if whole || len(s.user) <= len(frames) {
		return frames, whole
	}
	frames = frames[:0:0]
	for i, pc := range s.user {
		if i > 0 {
			pc--
		}
		if w.space.find(pc) == nil {
			break // no code: the chain was none
		}
		frames = append(frames, w.space.name(pc))
	}
	return frames, len(frames) == len(s.user)
}

// notes says what could not be seen.
func (w *watch) notes() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if w.crashes > 0 {
		add("%d stacks are missing: reading the first of them %v", w.crashes, w.crash)
	}
	if w.refused != nil {
		add("running threads were not sampled: %v; %s", w.refused, probe.Remedy(w.refused))
	} else {
		if w.sampler.noKernel {
			add("of running threads the kernel's part is not seen: that needs CAP_PERFMON")
		}
		if w.sampler.lost > 0 {
			add("%d samples of running threads were lost: the buffer was full", w.sampler.lost)
		}
		if n := w.running.Total; n == 0 {
			add("no thread ran when it was sampled: the process uses hardly any CPU")
		} else if n < fewSamples {
			add("only %d samples of running threads: their shares say little", n)
		}
		if len(w.space.kernel) == 0 && !w.sampler.noKernel {
			add("functions of the kernel have no names: /proc/kallsyms shows no addresses without CAP_SYSLOG (kernel.kptr_restrict)")
		}
	}
	if all := w.cut + w.whole; 4*w.cut > all {
		add("%d of %d stacks of running threads could be followed only in part: no call frame information, no frame pointers, or deeper than %d KB", w.cut, all, stackBytes>>10)
	}
	if all := w.sleep.cut + w.sleep.whole; 4*w.sleep.cut > all {
		add("%d of %d stacks of sleeping threads could be followed only in part", w.sleep.cut, all)
	}
	if w.sleep.moved > 0 {
		add("%d looks at sleeping threads were thrown away: they went on meanwhile", w.sleep.moved)
	}
	if w.sleep.noStack > 0 {
		add("kernel stacks of sleeping threads are not seen, only the function they wait in: that needs CAP_SYS_ADMIN")
	}
	if w.sleep.noCall > 0 || w.sleep.noMemory > 0 {
		add("stacks of sleeping threads in the program are not seen: that needs CAP_SYS_PTRACE, or the same user")
	}
	if w.space.jitless > 0 {
		add("code compiled at run time has no names: they would be in /tmp/perf-%d.map (Java 17: jcmd PID Compiler.perfmap; Node: --perf-basic-prof)", w.space.innerPID())
	}
	var unnamed []string
	for path := range w.space.unnamed {
		unnamed = append(unnamed, path)
	}
	if len(unnamed) > 0 {
		add("without symbols, because they cannot be read: %s", strings.Join(unnamed, ", "))
	}
	return list
}
