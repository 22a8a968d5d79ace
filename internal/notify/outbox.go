package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/unit"
	"rtrail/internal/watch"
)

const (
	// firstPause is how long a receiver has peace after it failed; it doubles with each failure.
	firstPause = 2 * time.Second
	lastPause  = 5 * time.Minute
	// tooOld is the age after which a notice is given up.
	tooOld = 24 * time.Hour
	// remind is how often it is said that a receiver still fails.
	remind = time.Hour
)

// Outbox hands notices to receivers.
type Outbox struct {
	// Warn says what goes wrong.
	Warn func(text string)
	// Changed is called when queues have changed.
	Changed func()

	queues []*queue
	stop   context.CancelFunc
	all    sync.WaitGroup
}

// queue is what waits for one receiver.
type queue struct {
	*Target
	outbox *Outbox
	news   chan struct{}

	mu      sync.Mutex
	pending []watch.Notice
	open    []watch.Notice // faults that are there, for receivers that have to hear of them again
	judged  bool           // there was a window in this run
	due     bool           // the receiver is to hear of open at once
	closing bool
	failing time.Time // since when, zero: it takes what it gets
	warned  time.Time
}

// Start begins to hand over; pending are notices of an earlier run by receiver.
func (o *Outbox) Start(targets []*Target, pending map[string][]watch.Notice) {
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	for _, t := range targets {
		q := &queue{Target: t, outbox: o, news: make(chan struct{}, 1), pending: slices.Clone(pending[t.ID])}
		o.queues = append(o.queues, q)
		q.wake()
		o.all.Go(func() {
			for ctx.Err() == nil {
				if err := crash.Guard(func() error { q.run(ctx); return nil }); err == nil {
					return
				} else {
					o.Warn(err.Error())
					pause(ctx, firstPause)
				}
			}
		})
	}
}

// Put hands notices to all receivers. It does not wait for them. open are the faults
// that are there.
func (o *Outbox) Put(notices, open []watch.Notice) {
	for _, q := range o.queues {
		q.put(notices, open)
	}
}

// Pending are the notices that receivers did not take yet.
func (o *Outbox) Pending() map[string][]watch.Notice {
	all := map[string][]watch.Notice{}
	for _, q := range o.queues {
		q.mu.Lock()
		if len(q.pending) > 0 {
			all[q.ID] = slices.Clone(q.pending)
		}
		q.mu.Unlock()
	}
	return all
}

// Close gives receivers some time for what is left, and returns how many notices stay.
func (o *Outbox) Close(patience time.Duration) (left int) {
	for _, q := range o.queues {
		q.mu.Lock()
		q.closing = true
		q.mu.Unlock()
		q.wake()
	}
	late := time.AfterFunc(patience, o.stop)
	o.all.Wait()
	late.Stop()
	o.stop()
	for _, list := range o.Pending() {
		left += len(list)
	}
	return left
}

func (q *queue) wake() {
	select {
	case q.news <- struct{}{}:
	default:
	}
}

func (q *queue) put(notices, open []watch.Notice) {
	q.mu.Lock()
	q.pending = append(q.pending, notices...)
	q.open = open
	// Before a restart it heard of them last some time ago, and takes them for resolved soon.
	if !q.judged && q.refresh != nil {
		q.due = slices.ContainsFunc(open, func(o watch.Notice) bool {
			return !slices.ContainsFunc(notices, func(n watch.Notice) bool { return n.Fault == o.Fault })
		})
	}
	q.judged = true
	due, dropped := q.due, max(0, len(q.pending)-watch.MaxPending)
	q.pending = slices.Delete(q.pending, 0, dropped)
	q.mu.Unlock()
	if dropped > 0 {
		q.outbox.Warn(fmt.Sprintf("%s: %s given up: more than %d wait", q.Name, unit.Plural(dropped, "notice is", "notices are"), watch.MaxPending))
	}
	if len(notices) > 0 || due {
		q.wake()
	}
}

// run hands over what is pending, until ctx ends, or all is done and the outbox closes.
func (q *queue) run(ctx context.Context) {
	var again <-chan time.Time
	if q.refresh != nil {
		tick := time.NewTicker(refreshEvery)
		defer tick.Stop()
		again = tick.C
	}
	wait := firstPause
	for {
		n, ok, closing, due := q.first()
		switch {
		case ok:
			err := q.send(ctx, &n)
			if refused, ok := errors.AsType[*refusedError](err); ok {
				q.outbox.Warn(fmt.Sprintf("%s refuses a notice of %s: %v; it is given up", q.Name, n.Rule, refused))
				err = nil
			}
			q.result(err)
			if err == nil {
				q.done(n)
				wait = firstPause
				continue
			}
			if closing {
				return // it is kept for the next run
			}
			pause(ctx, wait)
			wait = min(2*wait, lastPause)
			if ctx.Err() != nil {
				return
			}
			continue
		case closing:
			return
		case due:
			q.again(ctx)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-q.news:
		case <-again:
			q.again(ctx)
		}
	}
}

// again tells of the faults that are there now.
func (q *queue) again(ctx context.Context) {
	q.mu.Lock()
	open := q.open
	q.due = false
	q.mu.Unlock()
	if len(open) > 0 {
		q.result(q.refresh(ctx, open))
	}
}

// first is the oldest notice, without those that are too old.
func (q *queue) first() (n watch.Notice, ok, closing, due bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	old := 0
	for old < len(q.pending) && time.Since(q.pending[old].At) > tooOld {
		old++
	}
	if old > 0 {
		q.pending = slices.Delete(q.pending, 0, old)
		q.outbox.Warn(fmt.Sprintf("%s: %s given up after %v", q.Name, unit.Plural(old, "notice is", "notices are"), unit.Duration(tooOld)))
	}
	if len(q.pending) > 0 {
		n, ok = q.pending[0], true
	}
	return n, ok, q.closing, q.due
}

// done takes a notice out that was taken, if it was not given up meanwhile.
func (q *queue) done(n watch.Notice) {
	q.mu.Lock()
	if len(q.pending) > 0 && same(&q.pending[0], &n) {
		q.pending = slices.Delete(q.pending, 0, 1)
	}
	q.mu.Unlock()
	q.outbox.Changed()
}

func same(a, b *watch.Notice) bool {
	return a.Fault == b.Fault && a.Event == b.Event && a.Times == b.Times && a.Key == b.Key && a.At.Equal(b.At)
}

// result tells when a receiver begins to fail, now and then that it still does, and when it
// works again.
func (q *queue) result(err error) {
	now := time.Now()
	switch {
	case err == nil && !q.failing.IsZero():
		q.outbox.Warn(fmt.Sprintf("%s takes notices again, after %v", q.Name, unit.Duration(now.Sub(q.failing).Round(time.Second))))
		q.failing = time.Time{}
	case err != nil && (q.failing.IsZero() || now.Sub(q.warned) >= remind):
		if q.failing.IsZero() {
			q.failing = now
		}
		q.warned = now
		q.outbox.Warn(fmt.Sprintf("%s took no notice: %v; it is tried again", q.Name, err))
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
