package capture

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
)

// interval is a stretch of packet time whose sums make rows of their own.
type interval struct {
	from       int64        // nanoseconds since 1970; math.MinInt64: whenever packets begin
	to         atomic.Int64 // exclusive; math.MaxInt64: until they end, or somebody cuts
	collectors *summary.Collectors
	parts      []*part // what workers saw that are through with it
	seconds    []recording.PacketService
	cut        int // seconds that were left out
	// Counted as packets were read; where nothing is cut, the engine's report has it.
	packets, bytes uint64
	first, last    int64
	dropped        uint64
}

// second takes the next one; it is called by one goroutine at a time.
func (i *interval) second(s *summary.Second) {
	if len(i.seconds) >= seconds {
		i.cut++
		return
	}
	i.seconds = append(i.seconds, secondRow(s))
}

// cutter parts a capture into intervals. Each worker goes from one to the next when
// it meets a packet of that; an interval is complete when all have left it.
type cutter struct {
	o       Options
	workers int
	began   int64
	give    func(*Result)      // nil: somebody asks for what is complete
	stop    context.CancelFunc // ends reading when nothing that is wanted can come; nil: nothing does

	giving    sync.Mutex // held while results are made, in their order
	questions []question // of the intervals before

	mu       sync.Mutex
	change   sync.Cond      // an interval was completed
	report   *engine.Report // nil: it has not ended
	open     []*interval
	at       []int64 // by worker: when the interval begins that it is in; math.MaxInt64: it has ended
	complete []*interval
	reached  int64       // the latest packet that was read
	source   pcap.Source // nil: nobody asks for counts by interval
	dropped  uint64      // up to the last interval
}

func newCutter(o *Options) *cutter {
	if o.Engine.Workers <= 0 {
		o.Engine.Workers = runtime.GOMAXPROCS(0)
	}
	c := &cutter{o: *o, workers: o.Engine.Workers, began: time.Now().UnixNano(), at: make([]int64, o.Engine.Workers)}
	c.change.L = &c.mu
	for i := range c.at {
		c.at[i] = math.MinInt64
	}
	return c
}

// cuts says that there may be more than one interval.
func (c *cutter) cuts() bool { return c.o.Every > 0 || c.o.Flushed || !c.o.From.IsZero() }

// span is the interval that a moment belongs to.
func (c *cutter) span(at int64) (from, to int64) {
	switch every := int64(c.o.Every); {
	case every > 0:
		from = at - at%every
		if from > math.MaxInt64-every {
			return from, math.MaxInt64
		}
		return from, from + every
	case c.o.Flushed:
		return c.began, math.MaxInt64
	case c.o.From.IsZero():
		return math.MinInt64, math.MaxInt64
	}
	begin, end := c.o.From.UnixNano(), c.o.To.UnixNano()
	switch {
	case at < begin:
		return math.MinInt64, begin
	case at < end:
		return begin, end
	}
	return end, math.MaxInt64
}

// wanted says that rows are to be made of an interval.
func (c *cutter) wanted(i *interval) bool {
	return c.o.From.IsZero() || i.from == c.o.From.UnixNano()
}

// find is the interval of a moment. The lock is held.
func (c *cutter) find(at int64) *interval {
	for _, i := range c.open {
		if (at >= i.from || c.o.Flushed) && at < i.to.Load() {
			return i
		}
	}
	from, to := c.span(at)
	if n := len(c.open); c.o.Flushed && n > 0 {
		from = c.open[n-1].to.Load()
	}
	i := &interval{from: from}
	i.to.Store(to)
	i.collectors = summary.New(c.workers, summary.Options{
		ByAddress: true, Slowest: slowest, Connections: connections, Statements: statements, Ports: c.o.Ports, Nesting: true,
		Second: func(s *summary.Second) {
			i.second(s)
			if c.o.Second != nil && c.wanted(i) {
				c.o.Second(s)
			}
		},
	})
	c.open = append(c.open, i)
	slices.SortFunc(c.open, func(a, b *interval) int { return cmp.Compare(a.from, b.from) })
	return i
}

// following is the interval after another one that has packets of any worker, up to that of a
// moment: what goes on goes on in each. The lock is held.
func (c *cutter) following(leaves *interval, at int64) *interval {
	for _, i := range c.open {
		if leaves != nil && i.from > leaves.from && i.from <= at {
			return i
		}
	}
	return c.find(at)
}

// next takes what a worker saw of an interval, nil at its beginning, and gives it
// a later one: that of a moment, or one on the way to it.
func (c *cutter) next(worker int, leaves *interval, saw *part, at int64) *interval {
	c.mu.Lock()
	defer c.mu.Unlock()
	if leaves != nil {
		leaves.parts = append(leaves.parts, saw)
	}
	i := c.following(leaves, at)
	c.at[worker] = i.from
	c.settle()
	return i
}

// end takes what a worker saw of its last interval.
func (c *cutter) end(worker int, last *interval, saw *part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last.parts = append(last.parts, saw)
	c.at[worker] = math.MaxInt64
	c.settle()
}

// settle finds out which intervals all workers have left. The lock is held.
func (c *cutter) settle() {
	reached := slices.Min(c.at)
	for len(c.open) > 0 && (c.open[0].from < reached || reached == math.MaxInt64) {
		i := c.open[0]
		c.open = c.open[1:]
		if c.source != nil {
			loss := c.source.Loss()
			i.dropped, c.dropped = loss.Dropped-c.dropped, loss.Dropped
		}
		if c.wanted(i) && (len(i.parts) > 0 || i.packets > 0) {
			c.complete = append(c.complete, i)
		}
		if c.stop != nil && i.to.Load() >= c.o.To.UnixNano() {
			c.stop()
		}
	}
	c.change.Broadcast()
}

// cut ends the interval that is open, now, and waits until all workers have left
// it, or ctx ends.
func (c *cutter) cut(ctx context.Context) {
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.change.Broadcast()
	})()
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.open)
	if n == 0 {
		return // it has not begun
	}
	last := c.open[n-1]
	last.to.Store(max(time.Now().UnixNano(), c.reached+1))
	for ctx.Err() == nil && slices.Contains(c.open, last) {
		c.change.Wait()
	}
}

// results makes what was seen of the intervals that are complete. The engine's
// report goes with the last one of all.
func (c *cutter) results(end int64, give func(*Result)) {
	c.giving.Lock()
	defer c.giving.Unlock()
	c.mu.Lock()
	list, ended := c.complete, c.report != nil
	c.complete = nil
	c.mu.Unlock()
	for n, i := range list {
		give(c.result(i, ended && n == len(list)-1, end))
	}
}

// counted counts the packets of every interval as they are read.
type counted struct {
	pcap.Source
	*cutter
}

// Next implements pcap.Source.
func (s counted) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := s.Source.Next(ctx)
	if b == nil {
		return b, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var i *interval
	for n := range b.Packets {
		p := &b.Packets[n]
		if i == nil || p.Time < i.from || p.Time >= i.to.Load() {
			// What comes late, of a time that is over, counts where it is looked at.
			i = s.find(max(p.Time, slices.Min(s.at)))
		}
		i.packets++
		i.bytes += uint64(p.Wire)
		if i.first == 0 || p.Time < i.first {
			i.first = p.Time
		}
		i.last = max(i.last, p.Time)
		s.reached = max(s.reached, p.Time)
	}
	return b, err
}

// reportOf is what was read of an interval. The last one has what only the end
// tells.
func (c *cutter) reportOf(i *interval, last bool) (r engine.Report) {
	if last {
		r = *c.report
	}
	if c.cuts() {
		r.Packets, r.Bytes, r.First, r.Last = i.packets, i.bytes, i.first, i.last
		r.Loss = c.source.Loss()
		r.Loss.Dropped = i.dropped
	}
	return r
}

// begins is when an interval did, as rows have it: the zero time where it is all
// that rows are made of.
func (c *cutter) begins(i *interval) time.Time {
	if c.o.Every <= 0 && !c.o.Flushed {
		return time.Time{}
	}
	return time.Unix(0, max(i.from, 0))
}
