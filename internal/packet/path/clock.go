package path

// clock compares when packets came with when their senders say they were sent:
// the timestamps of RFC 7323. Linux, and most systems, count milliseconds. The
// youngest packet of a stretch of time had no queue to wait in; how much older
// the others are is how long they queued between the sender's TCP and the
// capture, in its own network stack or on the way.
type clock struct {
	begun  bool
	last   uint32 // newest timestamp
	ts     uint32 // of the first packet of the stretch
	at     int64  // when that came
	now    int64
	least  int64 // microseconds, of the stretch
	most   int64
	sum    int64
	n      uint32
	queued int64 // of earlier stretches
	worst  int64
	count  uint32
	step   uint32 // by which timestamps differ, of the stretch: their greatest common divisor
}

const (
	// stretch is how long two clocks may be compared: at 100 millionths of
	// difference, which quartz keeps, they part by 3 ms.
	stretch = 30e9
	// shortest is what a stretch must last to show that the sender counts
	// milliseconds and nothing else.
	shortest = 1e9
)

// lag is how many microseconds a packet is older than the youngest one so far.
// Copies, whose first copy may have queued, count like others.
func (c *clock) lag(at int64, ts uint32, again bool) (us int64, ok bool) {
	if !c.begun || at-c.at > stretch {
		c.fold()
		c.begun, c.ts, c.at, c.last = true, ts, at, ts
	}
	if int32(ts-c.last) < 0 && again {
		return 0, false // came late: a copy of the capture, or reordered
	}
	c.last, c.now = ts, at
	if c.step != 1 {
		c.step = divisor(c.step, ts-c.ts)
	}
	lag := (at-c.at)/1000 - int64(int32(ts-c.ts))*1000
	if c.n == 0 || lag < c.least {
		c.least = lag
	}
	if c.n == 0 || lag > c.most {
		c.most = lag
	}
	c.sum += lag
	c.n++
	return max(lag-c.least-c.coarse(), 0), c.milliseconds()
}

// coarse is how much older than they are packets may look, in microseconds,
// because the sender's clock counts milliseconds but is set every few of them:
// some devices do that every 50.
func (c *clock) coarse() int64 { return int64(max(c.step, 1)-1) * 1000 }

// milliseconds says whether the sender's clock counts those, as far as is known.
// The next usual ticks are 4 and 10 ms, and a microsecond.
func (c *clock) milliseconds() bool {
	passed := c.now - c.at
	counted := int64(int32(c.last-c.ts)) * 1e6
	return passed > shortest && counted > passed/2 && counted < passed*3/2
}

// fold ends a stretch.
func (c *clock) fold() {
	if c.n > 0 && c.milliseconds() {
		c.queued += max(c.sum-int64(c.n)*(c.least+c.coarse()), 0)
		c.worst = max(c.worst, c.most-c.least-c.coarse())
		c.count += c.n
	}
	c.least, c.most, c.sum, c.n, c.step = 0, 0, 0, 0, 0
}

// divisor is the greatest that two numbers have in common; that of 0 and another
// one is the other one.
func divisor(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (c *clock) total() (queued, worst int64, n uint32) {
	c.fold()
	return c.queued, c.worst, c.count
}
