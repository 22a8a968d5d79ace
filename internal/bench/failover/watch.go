package failover

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/document"
	"rtrail/internal/mysqlconn"
)

const (
	// maxHanging is how many looks may be under way that nobody waits for any more.
	maxHanging = 8
	// deniedPause is how long a server that denies is left alone, before it locks the account.
	deniedPause = 10 * time.Second
	// Longest bounds a watch, and so what it keeps.
	Longest = 24 * time.Hour
)

// Watch watches a server through its name.
type Watch struct {
	Target mysqlconn.Target
	// Resolver looks names up; nil: as /etc/hosts and /etc/resolv.conf say, without a cache.
	Resolver *net.Resolver
	// Schema is where the watch writes, into a table of its own; "": it does not.
	Schema string
	// Each gets every second, as soon as it is over. An error of it ends the watch.
	Each func(*Second) error

	net    network
	writer *writer
	asks   atomic.Int32 // looks under way
}

// Begin asks the server for the first time, and makes the table if there is to be one.
func (w *Watch) Begin(ctx context.Context) error {
	if w.net.dial == nil {
		w.net = newNetwork(w.Resolver)
	}
	if l := w.look(ctx, time.Now()); l.err != nil {
		return l.err
	}
	if w.Schema == "" {
		return nil
	}
	var err error
	w.writer, err = newWriter(ctx, w)
	return err
}

// Run watches until the time is over or ctx ends. Seconds have intended times: one that
// hangs delays none, and one for which the watch itself comes too late is left out.
func (w *Watch) Run(ctx context.Context, length time.Duration) (Run, error) {
	r := Run{Target: w.Target.Name, Source: Counters}
	start := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.writer != nil {
		r.Source = Writer
		w.writer.begin(ctx, start)
		defer w.writer.wait()
		defer cancel()
	}
	var row *Second // of the second that is under way
	var last *look  // that got an answer
	var rest time.Time
	for n := 0; ; n = max(n+1, int(time.Since(start)/time.Second)) {
		if !sleep(ctx, time.Until(start.Add(time.Duration(n)*time.Second))) {
			return r, nil
		}
		elapsed := time.Duration(n) * time.Second
		late := time.Since(start) - elapsed
		at := time.Now().Round(0).Add(-late)
		l := look{uptime: -1}
		if time.Now().After(rest) {
			l = w.within(ctx, start)
		}
		if ctx.Err() != nil {
			return r, nil
		}
		if l.denied {
			rest = time.Now().Add(deniedPause)
		}
		if row != nil {
			w.finish(row, &l, last, elapsed)
			r.Seconds = append(r.Seconds, *row)
			if err := w.Each(row); err != nil {
				return r, err
			}
		}
		if elapsed >= min(length, Longest) {
			return r, nil
		}
		if l.counters != nil {
			last = &l
		}
		s := NewSecond(at, elapsed)
		s.Connects, s.Addresses, s.LookupError, s.Server, s.Uptime = l.connects, l.addresses, l.lookupError, l.server, l.uptime
		if l.connects == (Connects{}) {
			s.Connects.Took = NewSecond(at, 0).TPS
		}
		row = &s
	}
}

// finish adds to a second what is known at its end.
func (w *Watch) finish(s *Second, l, last *look, end time.Duration) {
	tps, qps, counted := l.rates(last)
	s.TPS, s.QPS = tps, qps
	if counted > 1500*time.Millisecond {
		s.Counted = counted
	}
	if w.writer != nil {
		w.writer.take(s, end)
	}
}

// within is a look that is given up when its time is over, whatever it hangs in.
func (w *Watch) within(ctx context.Context, start time.Time) look {
	none := look{uptime: -1, connects: Connects{Failed: 1, Took: document.Number(NewSecond(start, 0).TPS), Class: "timeout"}}
	if w.asks.Load() >= maxHanging {
		none.connects.Error = fmt.Sprintf("%d earlier connects still hang", maxHanging)
		return none
	}
	done := make(chan look, 1)
	w.asks.Add(1)
	go func() {
		defer w.asks.Add(-1)
		l := none
		if err := crash.Guard(func() error { l = w.look(ctx, start); return nil }); err != nil {
			l = none
			l.connects.Class, l.connects.Error = "error", cut(err.Error())
		}
		done <- l
	}()
	late := time.NewTimer(patience + 50*time.Millisecond)
	defer late.Stop()
	select {
	case l := <-done:
		return l
	case <-late.C:
		none.connects.Error = "no answer in time"
		return none
	}
}

// sleep waits; false: the context has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}
