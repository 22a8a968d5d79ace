package capture

import (
	"math"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/path"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// watcher is the collector of one worker: it sums up what happens in an interval,
// and follows what goes on into the next one.
type watcher struct {
	*part
	*cutter
	index     int
	interval  *interval
	lookups   *lookups
	open      func(at int64, give func(*rt.Open)) // gives out what waits
	following *following                          // nil: there is one interval
}

// part is what a worker saw of an interval.
type part struct {
	*summary.Collector
	path             *path.Tracker
	directions       directions
	waiting          waiting
	stalls           stalls
	lookups          taken
	named            map[uint64]uint64 // connections that the path knows by another packet than the first
	carried, resting int64             // connections that the interval before counts too; of them, those without packets
}

// watch gives every worker of the engine a watcher.
func (c *cutter) watch(o *engine.Options) []*watcher {
	watchers := make([]*watcher, c.workers)
	o.Collector = func(i int) engine.Collector {
		w := &watcher{cutter: c, index: i, lookups: newLookups(c.o.Ports)}
		if c.cuts() {
			w.following = newFollowing()
		}
		w.interval = c.next(i, nil, nil, c.begun())
		w.begin()
		watchers[i] = w
		return w
	}
	return watchers
}

// begun is the earliest packet that was read: the engine reads ahead.
func (c *cutter) begun() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range c.open {
		if i.first != 0 {
			return i.first
		}
	}
	return 0
}

// begin begins a part of the interval.
func (w *watcher) begin() {
	w.part = &part{
		Collector: w.interval.collectors.Worker(w.index), path: path.New(w.o.Ports), directions: newDirections(w.o.Ports),
		waiting: waiting{ports: w.o.Ports}, stalls: stalls{ports: w.o.Ports, most: maxAnswers / w.workers},
	}
}

// pass goes on to the interval of a moment.
func (w *watcher) pass(at int64) {
	for at >= w.interval.to.Load() {
		if w.interval.to.Load() == math.MaxInt64 {
			return // the clock of the capture is at its end
		}
		w.flush()
		w.part.lookups = w.lookups.take()
		w.interval = w.next(w.index, w.interval, w.part, at)
		w.begin()
	}
	if w.give != nil {
		w.results(at, w.give)
	}
}

// finish hands over the last part, when the engine has ended.
func (w *watcher) finish(end int64) {
	if w.following != nil {
		w.named = w.following.named
	}
	w.lookups.close(end)
	w.part.lookups = w.lookups.take()
	w.cutter.end(w.index, w.interval, w.part)
}

// Asks implements engine.WaitCollector.
func (w *watcher) Asks(open func(at int64, give func(*rt.Open))) { w.open = open }

// Reached goes on to the interval of a second before its first packet is looked at. What
// waits when the capture ends is told by transactions.
func (w *watcher) Reached(at int64, last bool) {
	if !last && at >= w.interval.to.Load() {
		w.pass(at)
	}
}

// Frame follows a packet.
func (w *watcher) Frame(_ *pcap.Packet, f *decode.Frame) {
	if f.At >= w.interval.to.Load() {
		w.pass(f.At)
	}
	w.lookups.frame(f)
	if w.following != nil {
		f = w.following.frame(f)
	}
	w.path.Frame(f)
}

// Progress goes on where no packets are.
func (w *watcher) Progress(at int64) {
	if at >= w.interval.to.Load() {
		w.pass(at)
	}
	w.Collector.Progress(at)
}

// Handshake sums a connection up that begins to carry data.
func (w *watcher) Handshake(c *rt.Connection) {
	if w.following != nil {
		w.following.begin(c)
	}
	w.Collector.Handshake(c)
}

// Connection sums a connection up.
func (w *watcher) Connection(c *rt.Connection) {
	if w.following == nil {
		w.count(c, false)
		return
	}
	seen, carried := w.following.ended(c, w.interval.from)
	w.count(&seen, carried)
}

// Transaction sums a transaction up.
func (w *watcher) Transaction(t *rt.Transaction) {
	w.lookups.transaction(t)
	w.directions.transaction(t)
	w.waiting.transaction(t)
	w.stalls.transaction(t)
	w.Collector.Transaction(t)
}
