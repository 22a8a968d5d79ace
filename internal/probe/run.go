package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
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

	// startAgain is the time after which a probe that could not start is asked
	// again: to ask costs about a sample, and nobody waits for it.
	startAgain = 30 * time.Second

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

	clocks  *clocks // nil: as they are
	missing []error // what every probe said when it was started; nil: none was

	mu      sync.Mutex
	failure error // the sink's first error; it ends the run
	leftOut int64
}

// Start starts every probe and tells which ones cannot run here. Either Run
// follows, or Close.
func (r *Runner) Start() []recording.ProbeInfo {
	if r.Interval <= 0 {
		r.Interval = time.Second
	}
	infos := make([]recording.ProbeInfo, len(r.Probes))
	r.missing = make([]error, len(r.Probes))
	for i, p := range r.Probes {
		infos[i] = recording.ProbeInfo{Name: p.Name(), Fills: p.Fills(), Interval: pace(p, r.Interval)}
		if err := safely(p.Start); err != nil {
			r.missing[i], infos[i].Missing, infos[i].Remedy = err, err.Error(), Remedy(err)
		}
	}
	return infos
}

// Missing is what the first probe that could not be started lacks; nil: all run.
func (r *Runner) Missing() error {
	for i, err := range r.missing {
		if err == nil {
			continue
		}
		if how := Remedy(err); how != "" {
			return fmt.Errorf("probe %s %w; %s", r.Probes[i].Name(), err, how)
		}
		return fmt.Errorf("probe %s %w", r.Probes[i].Name(), err)
	}
	return nil
}

// Close ends probes that were started for a run that does not take place.
func (r *Runner) Close() {
	for i, err := range r.missing {
		if err == nil {
			_ = r.Probes[i].Close() // nobody can use the error
		}
	}
	r.missing = nil
}

func pace(p Probe, run time.Duration) time.Duration {
	if paced, ok := p.(Paced); ok {
		return paced.Interval(run)
	}
	return run
}

// Scatter moves the time between two looks by up to a quarter of it to either side. The kernel
// lets requests and tasks of limited control groups go on every 100 ms, and programs have
// timers: looks at even times would always meet the same moment of theirs.
func Scatter(d time.Duration) time.Duration { return d - d/4 + rand.N(d/2+1) }

// deadline is how long a sample of a probe may take.
func deadline(p Probe) time.Duration {
	if u, ok := p.(Unhurried); ok {
		return u.Deadline()
	}
	return Deadline
}

// Run samples every probe until the time is over or ctx ends, then once more:
// rates need a last reading, also when somebody presses Ctrl-C. It starts them,
// unless Start did, starts those again that could not, and closes them. It
// returns an error only when the sink failed.
func (r *Runner) Run(ctx context.Context, d time.Duration) error {
	if r.missing == nil {
		r.Start()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cpu := r.clocks
	if cpu == nil {
		cpu = &clocks{process: processCPU, thread: ThreadCPU}
	}
	now := time.Now()
	run := &run{runner: r, ctx: ctx, cancel: cancel, began: now, end: now.Add(d), nice: niceOfThread(), cpu: cpu, overload: newOverload(cpu.process, now)}
	var together []*followed
	for i, p := range r.Probes {
		f := &followed{probe: p, missing: r.missing[i], next: now}
		if f.missing != nil {
			f.next = now.Add(startAgain)
		}
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
	r.missing = nil
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
