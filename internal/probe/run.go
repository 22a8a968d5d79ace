package probe

import (
	"context"
	"fmt"
	"io"
	"runtime"
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

	// niceness of the threads that read evidence. A sick host starves whoever
	// asks politely; they use little CPU and must not come late.
	niceness = -10
)

// Runner samples probes at an interval and hands their rows to a sink.
type Runner struct {
	Probes   []Probe
	Interval time.Duration // between two samples; 0: one second
	Sink     recording.Sink

	mu      sync.Mutex
	failure error // the sink's first error; it ends the run
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
	end := time.Now().Add(d)
	var all sync.WaitGroup
	for _, p := range r.Probes {
		if p.Check() != nil {
			continue
		}
		all.Go(func() {
			stuck := r.follow(ctx, p, end)
			if c, ok := p.(io.Closer); ok && !stuck {
				_ = c.Close() // what it read is committed; nobody can use the error
			}
			if r.failed() != nil {
				cancel()
			}
		})
	}
	all.Wait()
	return r.failed()
}

// follow samples one probe until the end. stuck says that a sample never came
// back.
func (r *Runner) follow(ctx context.Context, p Probe, end time.Time) (stuck bool) {
	reader := startWorker(p)
	defer close(reader.requests)
	var interval time.Duration
	next := time.Now()
	var took time.Duration
	for first := true; ; first = false {
		run, stuck := r.sample(reader, p.Name())
		if stuck || r.failed() != nil {
			return stuck
		}
		took = max(took, run.Duration)
		// From the wished interval each time: one dear sample delays the next
		// one, it does not slow down the whole run. The first sample opens
		// files and meets everybody for the first time; it says nothing about
		// those that follow.
		interval = pace(p, r.Interval)
		if !first {
			interval = stretch(interval, run.CPU)
		}
		next = next.Add(interval)
		if now := time.Now(); next.Before(now) {
			next = now // a starved host: do not catch up
		}
		// The last sample begins early enough to be read when the time is over.
		last := end.Add(-min(2*took, 200*time.Millisecond))
		if next.After(last.Add(-interval / 4)) {
			wait(ctx, last)
			break
		}
		if !wait(ctx, next) {
			break
		}
	}
	if b, ok := p.(Bracketed); ok {
		b.Closing()
	}
	_, stuck = r.sample(reader, p.Name())
	return stuck
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

// sample has the worker read once and commits the rows. stuck says that it did
// not even return after its deadline: it must never be asked again.
func (r *Runner) sample(reader worker, name string) (run recording.ProbeRun, stuck bool) {
	started := time.Now()
	run = recording.ProbeRun{At: started, Probe: name}
	w := recording.NewWriter(started)
	ctx, cancel := context.WithTimeout(context.Background(), Deadline)
	defer cancel()
	reader.requests <- request{ctx, w}
	grace := time.NewTimer(Deadline + Deadline/2)
	defer grace.Stop()
	select {
	case o := <-reader.outcomes:
		run.CPU = o.cpu
		if o.err != nil {
			run.Error = o.err.Error()
		}
		run.Late = time.Since(started) > Deadline
	case <-grace.C:
		stuck, run.Late = true, true
		run.Error = fmt.Sprintf("no answer within %v: given up for this run", Deadline+Deadline/2)
	}
	run.Duration = time.Since(started)
	if run.Late {
		if run.Error == "" {
			run.Error = fmt.Sprintf("took %v, more than its deadline of %v: sample given up", run.Duration.Round(time.Millisecond), Deadline)
		}
		w = recording.NewWriter(started) // the rows stay with the worker, which may still write them
		run.Lost = 1
	} else {
		run.Rows, run.Lost = w.Rows(), w.LostRows()
	}
	recording.Append(w, run)
	if err := r.Sink.Commit(w); err != nil {
		r.fail(err)
	}
	return run, stuck
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

// worker is the thread a probe reads on.
type worker struct {
	requests chan request
	outcomes chan outcome
}

type request struct {
	ctx context.Context
	w   *recording.Writer
}

type outcome struct {
	err error
	cpu time.Duration
}

// startWorker gives a probe a thread of its own, so that what it costs can be
// measured and one that hangs can be left behind. The thread is never
// unlocked: it ends with the goroutine and takes its niceness, and whatever
// namespace the probe left it in, along.
func startWorker(p Probe) worker {
	wk := worker{make(chan request, 1), make(chan outcome, 1)}
	go func() {
		runtime.LockOSThread()
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness)
		for q := range wk.requests {
			before := ThreadCPU()
			err := safely(func() error { return p.Sample(q.ctx, q.w) })
			wk.outcomes <- outcome{err, ThreadCPU() - before}
		}
	}()
	return wk
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
