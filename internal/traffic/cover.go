package traffic

import (
	"context"
	"sync/atomic"
	"time"

	"rtrail/internal/packet/pcap"
)

// Cover is the time that a capture covers: of the first and the last interval
// only a part. A rate is a count divided by that part, as long as that is a tenth
// of the interval: a rate of less would be chance. nil covers everything.
type Cover struct {
	first, last atomic.Int64 // nanoseconds since 1970; 0: nothing yet
}

// minCover is the part of an interval below which there is no rate.
const minCover = 10

// Reach says that the capture covers this moment.
func (c *Cover) Reach(at int64) {
	if first := c.first.Load(); first == 0 || at < first {
		c.first.Store(at)
	}
	if at > c.last.Load() {
		c.last.Store(at)
	}
}

// Watch is a source that tells what it covers.
func (c *Cover) Watch(src pcap.Source) pcap.Source { return &covering{src, c} }

type covering struct {
	pcap.Source
	cover *Cover
}

// Next implements pcap.Source. Of a batch only the ends are looked at: packets are
// in order of time, but for a few.
func (s *covering) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := s.Source.Next(ctx)
	if b == nil {
		return b, err
	}
	if n := len(b.Packets); n > 0 {
		s.cover.Reach(b.Packets[0].Time)
		s.cover.Reach(b.Packets[n-1].Time)
	}
	if b.Now > 0 {
		s.cover.Reach(b.Now)
	}
	return b, err
}

// Of is how much of an interval is covered, and whether that is enough for a
// rate.
func (c *Cover) Of(at int64, every time.Duration) (covered time.Duration, enough bool) {
	if c == nil || c.last.Load() == 0 {
		return every, true
	}
	from, to := max(at, c.first.Load()), min(at+int64(every), c.last.Load())
	covered = time.Duration(max(0, to-from))
	return covered, covered >= every/minCover
}

// rate is a count per second of what is covered of an interval; 0 where that is
// not enough.
func (c *Cover) rate(count int64, at int64, every time.Duration) float64 {
	covered, enough := c.Of(at, every)
	if !enough {
		return 0
	}
	return float64(count) / covered.Seconds()
}
