package probe

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

const (
	// Deadline is how long one sample may take. A probe that needs longer is
	// waiting for something that does not answer (a dead mount, a stuck
	// server) or floods the machine; its sample is given up.
	Deadline = time.Second

	// Budget is the share of one core a probe may use on average. One that
	// needs more is sampled less often, down to SlowestInterval.
	Budget = 0.02

	// SlowestInterval bounds the stretching: with fewer than two readings in a
	// ten second window there are no rates.
	SlowestInterval = 4 * time.Second

	// patience is how long a probe may keep others waiting that are read by the
	// same thread: longer than any of them takes to start, short beside a second.
	patience = 300 * time.Millisecond

	// niceness of the threads that read evidence. A sick host starves whoever
	// asks politely; they use little CPU and must not come late.
	niceness = -10
)

// Runner samples probes at an interval and hands their rows to a sink.
type Runner struct {
	Probes   []Probe
	Interval time.Duration // between two samples; 0: one second
	Sink     recording.Sink
	// Slowest bounds the time between two samples of a probe where the whole
	// program uses more than ProcessBudget; 0: half a minute.
	Slowest time.Duration

	clocks *clocks // nil: as they are

	mu      sync.Mutex
	failure error // the sink's first error; it ends the run
	leftOut int64
}

// Check asks every probe whether it may run here.
func Check(probes []Probe, interval time.Duration) []recording.ProbeInfo {
	infos := make([]recording.ProbeInfo, len(probes))
	for i, p := range probes {
		infos[i] = recording.ProbeInfo{Name: p.Name(), Fills: p.Fills(), Interval: pace(p, interval)}
		if err := p.Check(); err != nil {
			infos[i].Missing, infos[i].Remedy = err.Error(), Remedy(err)
		}
	}
	return infos
}

func pace(p Probe, run time.Duration) time.Duration {
	if paced, ok := p.(Paced); ok {
		return paced.Interval(run)
	}
	return run
}

// Run samples every probe that passes its check until the time is over or ctx
// ends, then once more: rates need a last reading, also when somebody presses
// Ctrl-C. It returns an error only when the sink failed.
func (r *Runner) Run(ctx context.Context, d time.Duration) error {
	if r.Interval <= 0 {
		r.Interval = time.Second
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cpu := r.clocks
	if cpu == nil {
		cpu = &clocks{process: processCPU, thread: ThreadCPU}
	}
	now := time.Now()
	run := &run{runner: r, ctx: ctx, cancel: cancel, end: now.Add(d), nice: niceOfThread(), cpu: cpu, overload: newOverload(cpu.process, now)}
	var together []*followed
	for _, p := range r.Probes {
		if p.Check() != nil {
			continue
		}
		f := &followed{probe: p, next: time.Now()}
		if _, ok := p.(Brief); ok {
			together = append(together, f)
		} else {
			run.follow([]*followed{f})
		}
	}
	if len(together) > 0 {
		run.follow(together)
	}
	run.lanes.Wait()
	return r.failed()
}

// LeftOut is how many samples were left out because the whole program used more
// than ProcessBudget.
func (r *Runner) LeftOut() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leftOut
}

func (r *Runner) leave(samples int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leftOut += samples
}

// stretch lengthens an interval until the probe fits its budget.
func stretch(interval, cpu time.Duration) time.Duration {
	needs := time.Duration(float64(cpu) / Budget)
	return max(interval, min(needs, SlowestInterval))
}

// wait sleeps until a time; false when ctx ended before.
func wait(ctx context.Context, until time.Time) bool {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *Runner) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
	}
}

func (r *Runner) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// safely turns a panic of a probe into an error: one bad file must not cost
// the whole answer.
func safely(sample func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return sample()
}

// ThreadCPU is the CPU time of the calling thread so far: what a probe holds its
// budgets against. 0 when the clock cannot be read.
func ThreadCPU() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
