package summary

import (
	"time"

	"rtrail/internal/packet/rt"
)

// Waiting is what waits for the servers of a service at the end of a second, or of the capture
// within it.
type Waiting struct {
	At       int64         // when, nanoseconds since 1970; 0: nothing was looked for
	Requests int64         // without a whole answer, on connections whose server is to go on
	Longest  time.Duration // for how long the one does that waits longest
}

// add adds what waits on other connections at the same time; what is later counts alone.
func (w *Waiting) add(o *Waiting) {
	switch {
	case o.At > w.At:
		*w = *o
	case o.At == w.At:
		w.Requests += o.Requests
		w.Longest = max(w.Longest, o.Longest)
	}
}

// In is what waits at the end of an interval, given the latest that was found in it: as of its
// end, or of the capture's within it. What waited before and not then does not wait any more.
func (w *Waiting) In(end int64) Waiting {
	if w.At == end || w.At%int64(time.Second) != 0 && w.At < end {
		return *w
	}
	return Waiting{}
}

const (
	// maxStill is how many seconds without packets are filled with what waits.
	maxStill = 3600
	// maxFills bounds how often that is done at a time, and maxFilled the seconds that are
	// made for it.
	maxFills, maxFilled = 1 << 20, maxServices / 2
)

// Asks implements engine.WaitCollector.
func (c *Collector) Asks(open func(at int64, give func(*rt.Open))) { c.waits = open }

// Reached counts what waits at the ends of the seconds that are over, and at the end of the
// capture.
func (c *Collector) Reached(at int64, last bool) {
	if c.waits == nil || c.options.Second == nil || c.options.Keep != nil {
		return
	}
	const second = int64(time.Second)
	first, end := max(c.reached+1, c.passed+1, at/second-maxStill), at/second
	c.reached = max(c.reached, end)
	fills := maxFills
	c.waits(at, func(o *rt.Open) {
		if !c.wanted(o.Server.Port) {
			return
		}
		service := c.where(o.Server, o.Proto).key
		waits := func(until int64) {
			k := secondKey{max((until-1)/second, c.passed), service}
			if until > o.Since && (len(c.open) < maxFilled || c.open[k] != nil) {
				c.second(until-1, service).Waiting.add(&Waiting{until, int64(o.Requests), time.Duration(until - o.Since)})
			}
		}
		if last && at%second != 0 {
			waits(at)
		}
		// The latest ones first: there may be no room for all.
		for n := end; n >= first && n*second > o.Since && fills > 0; n-- {
			waits(n * second)
			fills--
		}
	})
}
