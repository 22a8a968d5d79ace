package summary

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/sums"
)

// grace is how long a second stays open after it has passed, by packet time:
// a transaction is known when its answer was acknowledged, which takes a round
// trip, or a delayed acknowledgement. What comes later still is counted in the
// first second that is open.
const grace = 2 * time.Second

// endOfTime is after every second: nothing will follow.
const endOfTime = 1 << 62

// Second is one service in one second, by the time at which responses ended.
type Second struct {
	At      int64 // nanoseconds since 1970, a whole second
	Service Service
	rt.Stats
	sums.Path
	Waiting Waiting
}

type secondKey struct {
	second  int64
	service Service
}

// Merge adds another second of the same service.
func (s *Second) Merge(o *Second) {
	s.Stats.Merge(&o.Stats)
	s.Path.Add(&o.Path)
	s.Waiting.add(&o.Waiting)
}

// second is the open second a moment belongs to.
func (c *Collector) second(at int64, service Service) *Second {
	k := secondKey{max(at/int64(time.Second), c.passed), service}
	if k == c.last && c.current != nil {
		return c.current
	}
	s := c.open[k]
	if s == nil && len(c.open) >= maxServices {
		k.service = Service{}
		s = c.open[k]
	}
	if s == nil {
		s = &Second{At: k.second * int64(time.Second), Service: k.service}
		c.open[k] = s
	}
	c.last, c.current = k, s
	return s
}

// seconds merges the seconds of all workers and gives them out in order.
type seconds struct {
	mu     sync.Mutex
	give   func(*Second)
	tell   func(before int64)
	told   int64
	passed []int64 // by worker: seconds before this one are handed over
	open   map[secondKey]*Second
}

func newSeconds(workers int, give func(*Second), tell func(int64)) *seconds {
	return &seconds{give: give, tell: tell, passed: make([]int64, workers), open: map[secondKey]*Second{}}
}

// deposit takes a worker's seconds before a moment out of its map and gives out
// those that all workers have handed over.
func (s *seconds) deposit(worker int, before int64, from map[secondKey]*Second) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range from {
		if k.second >= before {
			continue
		}
		delete(from, k)
		if s.give == nil {
			continue
		}
		if mine := s.open[k]; mine != nil {
			mine.Merge(v)
		} else {
			s.open[k] = v
		}
	}
	s.passed[worker] = before
	s.release(slices.Min(s.passed))
}

func (s *seconds) release(before int64) {
	var over []*Second
	for k, v := range s.open {
		if k.second < before {
			over = append(over, v)
			delete(s.open, k)
		}
	}
	slices.SortFunc(over, func(a, b *Second) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Service.Server.Port, b.Service.Server.Port),
			cmp.Compare(a.Service.Proto, b.Service.Proto), slices.Compare(a.Service.Server.Addr[:], b.Service.Server.Addr[:]))
	})
	// Deferred calls run also where one of them panics: that costs its second.
	if s.tell != nil && before > s.told && before < endOfTime {
		s.told = before
		defer s.tell(before)
	}
	for _, v := range slices.Backward(over) {
		defer s.give(v)
	}
}
