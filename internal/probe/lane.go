package probe

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// run is one call of Runner.Run.
type run struct {
	runner *Runner
	ctx    context.Context
	cancel context.CancelFunc
	began  time.Time
	end    time.Time
	nice   int
	lanes  sync.WaitGroup

	cpu      *clocks
	overload *overload
}

// followed is a probe that is sampled until the end. It belongs to one lane at a
// time.
type followed struct {
	probe   Probe
	missing error         // why it has not started
	late    error         // why it started late, until a sample tells
	next    time.Time     // when the next sample is due, but for the last one
	took    time.Duration // at most
	sampled bool
	ending  bool // only the last sample is left, which is due when its lane ends
	over    bool

	before      time.Time     // when the last sample began
	wished      time.Duration // the interval, but for an overload
	slowed      bool          // it is longer because of an overload
	owed        float64       // samples, or a part of one, that were left out and are not counted yet
	taken, left int64         // samples, and those that were left out
}

// lane is a goroutine that samples some probes, those that are due together one
// after the other. Most of what waking costs the program is then paid once.
//
// A probe that keeps the others waiting is left alone in its lane, and they go
// on in another one. One that does not come back is given up: nobody waits for it,
// and if it comes back before the run ends, its lane goes on.
type lane struct {
	run   *run
	watch *time.Timer // calls late

	mu      sync.Mutex
	probes  []*followed
	running *followed
	since   time.Time         // running began
	lost    bool              // running was given up, until it comes back
	left    bool              // the run ended before it came back
	came    func()            // tells abandon that it came back
	held    *recording.Writer // samples that are not handed to the sink yet; nil: none
	prompt  bool              // held has a sample of a probe that is read once a second or less often
}

// heldAtMost is how long a sample may wait for those that come with it: a recorder that
// is killed loses what it holds, and may lose the last second.
const heldAtMost = time.Second

// follow starts a lane.
func (r *run) follow(probes []*followed) {
	l := &lane{run: r, probes: probes}
	l.mu.Lock()
	l.watch = time.AfterFunc(patience, l.late)
	l.mu.Unlock()
	r.lanes.Add(1)
	go l.loop()
}

func (l *lane) loop() {
	for {
		runtime.LockOSThread()
		favour(niceness)
		l.watch.Reset(patience)
		ended := l.run.ctx.Err() != nil
		for {
			f := l.due(time.Now(), ended)
			if f == nil {
				break
			}
			step := l.sample
			if f.missing != nil {
				step = l.start
			}
			if !step(f) {
				return // the run has ended: the thread ends with the goroutine
			}
		}
		next, any := l.soonest()
		if !any || l.ripe(next) {
			l.hand()
		}
		l.watch.Stop()
		favour(l.run.nice)
		runtime.UnlockOSThread()
		if !any {
			l.close()
			l.run.lanes.Done()
			return
		}
		wait(l.run.ctx, next)
	}
}

// due picks a probe whose time has come; nil if there is none. When the run was
// ended early, every probe has one sample left.
func (l *lane) due(now time.Time, ended bool) *followed {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run.runner.failed() != nil {
		return nil
	}
	last := l.last()
	for _, f := range l.probes {
		if f.missing != nil && (ended || !f.next.Before(last)) {
			f.over = true
		}
		if f.over {
			continue
		}
		if ended {
			f.ending = f.sampled
			return f
		}
		if when := f.when(last); !when.After(now) {
			return f
		}
	}
	return nil
}

// soonest is when the next sample of any probe is due; any is false when the
// lane has nothing more to do.
func (l *lane) soonest() (when time.Time, any bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run.runner.failed() != nil {
		return when, false
	}
	last := l.last()
	for _, f := range l.probes {
		if f.over {
			continue
		}
		if w := f.when(last); !any || w.Before(when) {
			when, any = w, true
		}
	}
	return when, any
}

func (f *followed) when(last time.Time) time.Time {
	if f.ending {
		return last
	}
	return f.next
}

// last is when the last samples begin: early enough to be read when the time is
// over.
func (l *lane) last() time.Time {
	var took time.Duration
	for _, f := range l.probes {
		took += f.took
	}
	return l.run.end.Add(-min(2*took, 200*time.Millisecond))
}

// start asks a probe again that could not start. It returns false when the run ended
// meanwhile without it.
func (l *lane) start(f *followed) bool {
	l.begin(f, time.Now())
	err := safely(f.probe.Start)
	if _, ok := l.done(); !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if err != nil {
		f.missing, f.next = err, now.Add(startAgain)
		return true
	}
	f.late, f.missing, f.next = f.missing, nil, now
	return true
}

// sample reads one probe, commits its rows and says when it is due again. It
// returns false when the run ended meanwhile without it.
func (l *lane) sample(f *followed) bool {
	if f.ending {
		if b, ok := f.probe.(Bracketed); ok {
			b.Closing()
		}
	}
	began := time.Now()
	run := recording.ProbeRun{At: began, Probe: f.probe.Name()}
	w := recording.NewWriter(began)
	l.begin(f, began)
	within := deadline(f.probe)
	ctx, cancel := context.WithTimeout(context.Background(), within)
	before := l.run.cpu.thread()
	err := safely(func() error { return f.probe.Sample(ctx, w) })
	run.CPU = l.run.cpu.thread() - before
	cancel()
	back, ok := l.done()
	if !ok {
		return false
	}
	missed := f.leftOut(began)
	l.run.runner.leave(missed)
	f.before, f.taken, f.left = began, f.taken+1, f.left+missed
	if missed > 0 {
		f.note(w)
	}
	run.Duration = time.Since(began)
	run.Late = run.Duration > within
	if err != nil {
		run.Error = err.Error()
	}
	if run.Late {
		if run.Error == "" {
			run.Error = fmt.Sprintf("took %v, more than its deadline of %v: sample given up", unit.Duration(run.Duration), unit.Duration(within))
		}
		w = recording.NewWriter(began)
		run.Lost = 1
		if back { // the first look after that it did not answer, which is told already as the loss of one sample
			run.At = time.Now()
			w, f.before = recording.NewWriter(run.At), run.At
			n := int64(run.Duration / pace(f.probe, l.run.runner.Interval))
			run.Lost = max(n-1, 0)
			// Each time in the same words, so that a verdict says it once. How long it was is in the error of the run.
			w.Unseen(run.Probe, UnseenSamples, int(max(n, 1)), "probe "+run.Probe+" gave no answer for a while", "")
		}
		if missed > 0 {
			f.note(w)
		}
	} else {
		run.Rows, run.Lost = w.Rows(), w.LostRows()
	}
	run.Lost += missed
	if f.late != nil && !run.Late {
		n := int64(began.Sub(l.run.began) / pace(f.probe, l.run.runner.Interval))
		w.Unseen(run.Probe, UnseenSamples, int(n), "it could not start before: "+f.late.Error(), Remedy(f.late))
		f.late = nil
	}
	recording.Append(w, run)
	l.hold(w)
	l.plan(f, run)
	return true
}

// hold keeps a sample until the lane has read all that is due, or waits for one that
// takes long: each commit costs a recording as much as some probes do. What is read
// several times a second waits for what is read once.
func (l *lane) hold(w *recording.Writer) {
	l.mu.Lock()
	if l.held == nil {
		l.held = w
	} else {
		l.held.Take(w)
	}
	long := time.Since(l.held.Started) >= heldAtMost
	l.mu.Unlock()
	if long { // on a starved host something is always due
		l.hand()
	}
}

// ripe says whether samples that are held should not wait for the next waking.
func (l *lane) ripe(next time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held != nil && (l.prompt || next.Sub(l.held.Started) >= heldAtMost)
}

// hand gives the samples that are held to the sink.
func (l *lane) hand() {
	l.mu.Lock()
	w := l.held
	l.held, l.prompt = nil, false
	l.mu.Unlock()
	if w != nil {
		l.run.commit(w)
	}
}

// close ends all probes of the lane.
func (l *lane) close() {
	for _, f := range l.probes {
		if f.missing == nil {
			_ = f.probe.Close() // what it read is committed; nobody can use the error
		}
	}
}

// plan says when a probe is due again.
func (l *lane) plan(f *followed, run recording.ProbeRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.ending {
		f.over = true
		return
	}
	f.took = max(f.took, run.Duration)
	// From the wished interval each time: one dear sample delays the next one,
	// it does not slow down the whole run. The first sample opens files and
	// meets everybody for the first time; it says nothing about those that follow.
	interval := pace(f.probe, l.run.runner.Interval)
	if f.sampled {
		interval = stretch(interval, run.CPU)
	}
	f.wished = interval
	interval = l.run.slowed(interval, run.CPU, l.run.overload.sampled(time.Now(), run.CPU))
	f.slowed = interval > f.wished
	f.sampled = true
	l.prompt = l.prompt || interval >= heldAtMost
	f.next = f.next.Add(interval)
	if now := time.Now(); f.next.Before(now) {
		f.next = now // a starved host: do not catch up
	}
	f.ending = f.next.After(l.last().Add(-interval / 4))
}

func (l *lane) begin(f *followed, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running, l.since = f, now
}

// done ends a sample. back says that it comes back after it was given up, ok that the
// run still goes on with it.
func (l *lane) done() (back, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = nil
	if l.left {
		return false, false
	}
	back, l.lost = l.lost, false
	if back {
		l.came()
		l.watch.Reset(patience)
	}
	return back, true
}

// abandon ends a lane whose sample was given up, if that is still so when the run ends.
// ctx ends when the sample comes back.
func (l *lane) abandon(ctx context.Context) {
	wait(ctx, l.run.end)
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil && l.run.ctx.Err() == nil {
		return
	}
	if l.lost && !l.left {
		l.left = true
		l.run.lanes.Done()
	}
}

// late looks after a sample that takes long.
func (l *lane) late() {
	l.hand()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running == nil || l.lost { // on a starved host the watch may call twice
		return
	}
	age := time.Since(l.since)
	maxAge := deadline(l.running.probe) * 3 / 2
	if age < patience {
		l.watch.Reset(patience - age)
		return
	}
	// Also where the watch itself comes so late that the sample is given up at once.
	if len(l.probes) > 1 {
		var others []*followed
		for _, f := range l.probes {
			if f != l.running {
				others = append(others, f)
			}
		}
		l.probes = []*followed{l.running}
		if len(others) > 0 {
			l.run.follow(others)
		}
	}
	switch {
	case age < maxAge:
		l.watch.Reset(maxAge - age)
	default:
		l.lost = true
		run := recording.ProbeRun{
			At: l.since, Probe: l.running.probe.Name(), Duration: age, Late: true, Lost: 1,
			Error: fmt.Sprintf("no answer within %v: given up until it answers", maxAge),
		}
		// The rows stay with the probe, which may still write them.
		w := recording.NewWriter(l.since)
		recording.Append(w, run)
		l.run.commit(w)
		ctx, came := context.WithCancel(l.run.ctx)
		l.came = came
		go l.abandon(ctx)
	}
}

// commit hands samples and the notes about them to the sink.
func (r *run) commit(w *recording.Writer) {
	// A sink may have a terminal to give back: its panic ends the run, not the program.
	if err := crash.Guard(func() error { return r.runner.Sink.Commit(w) }); err != nil {
		r.runner.fail(err)
		r.cancel()
	}
}

// favour sets the niceness of the calling thread, if it may.
func favour(nice int) { _ = unix.Setpriority(unix.PRIO_PROCESS, 0, nice) }

// niceOfThread is the niceness that threads of this program have. The system
// call returns 20 minus that.
func niceOfThread() int {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return 0
	}
	return 20 - n
}
