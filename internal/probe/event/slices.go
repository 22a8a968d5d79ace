package event

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

// A source of sums counts in slices of the time, at random, where all of the time would
// cost more than its budget. Of what goes on when a slice begins or ends the part inside
// counts, so that sums by traced time are unbiased.
const (
	// pilot is the time after which it shows what a source costs.
	pilot = 50 * time.Millisecond

	minSlice = time.Millisecond
	maxSlice = 25 * time.Millisecond

	// maxPause bounds the mean pause between two slices: with fewer of them sums of ten
	// seconds say little.
	maxPause = 2 * time.Second

	// aim is the share of the budget that slices are to take, with what attaching costs.
	aim = 0.75

	// slicedEvery is the time between two readings of sums.
	slicedEvery = 8 * time.Second

	// afterFailure is the time after which a turn that failed is tried again.
	afterFailure = time.Second

	// patience is how long slices may take more than twice the budget.
	patience = 5 * time.Second
)

// slicer has a probe count in slices. The probe's lock guards it.
type slicer struct {
	on     bool          // else all of the time is traced
	stop   chan struct{} // ends the turns; nil: none are taken
	gone   sync.WaitGroup
	failed error // of turns, since the last sample

	turned time.Time       // the last turn
	ran    []time.Duration // what each program had taken then
	open   float64         // share of a core of the dearest program in slices, smoothed
	closed float64         // in pauses: of programs that stay attached
	begins time.Duration   // CPU time to attach, of the last slice
	costs  time.Duration   // CPU time to attach and to detach, smoothed
	since  time.Time       // it takes more than twice the budget; zero: it does not
}

// plan is how long a slice lasts, and the pause until the next one on average; 0: all of
// the time fits the budget.
func (s *slicer) plan(budget float64) (slice, pause time.Duration) {
	target := aim * budget
	switch {
	case s.open <= target:
		return maxSlice, 0
	case s.closed >= target:
		return maxSlice, maxPause // it is the pauses that cost
	}
	// What fits one slice a second is long enough.
	slice = min(max(time.Duration(target/s.open*float64(time.Second)), minSlice), maxSlice)
	cost := slice.Seconds()*(s.open-s.closed) + s.costs.Seconds()
	period := time.Duration(cost / (target - s.closed) * float64(time.Second))
	return slice, min(max(period-slice, minSlice), maxPause)
}

// smooth moves a mean slowly: if one slice decided over the next pause, busy times would
// be traced less than idle ones.
func smooth(mean, value float64) float64 {
	if mean == 0 {
		return value
	}
	return mean + (value-mean)/8
}

// look takes into a mean what the dearest program took since the last turn.
func (s *slicer) look(set *Set, mean *float64) {
	now, ran := time.Now(), set.ran()
	var took time.Duration
	for i := range ran {
		took = max(took, ran[i]-s.ran[i])
	}
	if span := now.Sub(s.turned); span > 0 {
		*mean = smooth(*mean, took.Seconds()/span.Seconds())
	}
	s.turned, s.ran = now, ran
}

// watchCost begins to follow a source that was just attached, if it may be sliced.
func (p *Probe) watchCost() {
	if p.set.paused == nil || !p.timed {
		return
	}
	p.slicer = &slicer{turned: time.Now(), ran: p.set.ran()}
	p.takeTurns(pilot)
}

// takeTurns begins and ends slices, from some time on.
func (p *Probe) takeTurns(wait time.Duration) {
	stop := make(chan struct{})
	p.slicer.stop = stop
	p.slicer.gone.Go(func() {
		// A failure to guard is one of the probe, like those of turns.
		if err := crash.Guard(func() error {
			for wait > 0 {
				timer := time.NewTimer(wait)
				select {
				case <-timer.C:
					wait = p.turn(stop)
				case <-stop:
					timer.Stop()
					return nil
				}
			}
			return nil
		}); err != nil {
			p.mu.Lock()
			p.slicer.failed = err
			p.mu.Unlock()
		}
	})
}

// turn begins or ends a slice, and says when the next turn is; 0: there is none.
func (p *Probe) turn(stop chan struct{}) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.slicer
	if s.stop != stop || s.failed != nil {
		return 0
	}
	if !p.set.counting() {
		s.failed = p.resume()
		slice, _ := s.plan(p.options.Budget)
		return slice
	}
	if !s.on {
		s.look(p.set, &s.open)
		// Half as much is nothing to hurry for: the next sample tells more exactly.
		if s.open <= 2*p.options.Budget {
			return 0
		}
		// What was counted while this program began is of no random slice.
		s.failed = p.goOver(func() error {
			return p.sums(context.Background(), recording.NewWriter(time.Now()), true)
		})
	} else {
		s.failed = p.pause()
	}
	_, pause := s.plan(p.options.Budget)
	return max(time.Duration(float64(pause)*(0.5+rand.Float64())), minSlice)
}

// goOver goes over from all of the time to slices. What goes on has its whole past in no
// slice: it is counted and read by before while sums are of all the time.
func (p *Probe) goOver(before func() error) error {
	err := errors.Join(p.pause(), before(), p.set.slice(true))
	p.slicer.on, p.counted = true, time.Now()
	return err
}

// between ends a slice that goes on. Sums are read between slices only, or what they
// hold were not of the time that was traced.
func (p *Probe) between() error {
	if p.slicer == nil || !p.slicer.on || !p.set.counting() {
		return nil
	}
	return p.pause()
}

// pause ends a slice.
func (p *Probe) pause() error {
	s := p.slicer
	s.look(p.set, &s.open)
	ends, err := cpuOf(func() error { return errors.Join(p.set.pause(), p.set.paused()) })
	s.costs = time.Duration(smooth(float64(s.costs), float64(s.begins+ends)))
	return err
}

// resume begins a slice.
func (p *Probe) resume() error {
	p.slicer.look(p.set, &p.slicer.closed)
	var err error
	p.slicer.begins, err = cpuOf(p.set.resume)
	return err
}

// cpuOf is the CPU time that something takes.
func cpuOf(do func() error) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := probe.ThreadCPU()
	err := do()
	return probe.ThreadCPU() - before, err
}

// slice begins or ends slicing as the cost of a whole source, or of slices, demands.
// Before it changes, what was counted is read by before.
func (p *Probe) slice(share float64, before func() error) (changed bool, err error) {
	s := p.slicer
	switch {
	case !s.on && share > p.options.Budget:
		err := p.goOver(before)
		p.endTurns()
		p.takeTurns(minSlice)
		return true, err
	case s.on && s.open <= aim/2*p.options.Budget:
		err := errors.Join(p.between(), before())
		p.counted = time.Now()
		if failed := p.resume(); failed != nil {
			return true, errors.Join(err, failed) // turns go on
		}
		s.on = false
		p.endTurns()
		return true, errors.Join(err, p.set.slice(false))
	}
	return false, nil
}

// attaching is the share of a core that attaching and detaching take.
func (s *slicer) attaching(budget float64) float64 {
	slice, pause := s.plan(budget)
	return s.costs.Seconds() / (slice + pause).Seconds()
}

// goOn has turns go on that ended with a failure, and gives it.
func (p *Probe) goOn() error {
	s := p.slicer
	failed := s.failed
	s.failed = nil
	if failed != nil && s.on && !p.closing {
		p.endTurns()
		p.takeTurns(afterFailure)
	}
	return failed
}

// tooDear says whether even slices have taken more than twice the budget for long.
func (s *slicer) tooDear(share, budget float64, now time.Time) bool {
	if share <= 2*budget {
		s.since = time.Time{}
		return false
	}
	if s.since.IsZero() {
		s.since = now
	}
	return now.Sub(s.since) >= patience
}

// endTurns has no more turns taken.
func (p *Probe) endTurns() {
	if s := p.slicer; s != nil && s.stop != nil {
		close(s.stop)
		s.stop = nil
	}
}
