package rt

import (
	"time"

	"rtrail/internal/packet/tcp"
)

// maxWaits bounds what is remembered of one connection. A transaction that
// waited more often than this has its oldest waits forgotten: what is said of
// it is then too small, never too large.
const maxWaits = 32

// waits remembers when a connection last waited, and which bytes of the client
// came again, until the transactions they belong to are complete.
type waits struct {
	list   []wait
	copies [2]resent // of the client's bytes, the last ones
	next   uint8
}

type wait struct {
	from, to int64
	cause    tcp.Cause
}

type resent struct {
	from, to uint64
	at       int64
}

func (w *waits) add(s tcp.Stall) {
	if len(w.list) == maxWaits {
		w.list = w.list[:copy(w.list, w.list[1:])]
	}
	w.list = append(w.list, wait{s.From, s.To, s.Cause})
}

func (w *waits) copied(from, to uint64, at int64) {
	w.copies[w.next&1] = resent{from, to, at}
	w.next++
}

// none says that the connection never waited and no byte of the client came
// again.
func (w *waits) none() bool { return len(w.list) == 0 && w.copies[0].to == 0 }

// lastCopy is when the last byte before end came for the last time, up to a
// moment; 0 if it came once.
func (w *waits) lastCopy(start, end uint64, until int64) int64 {
	var last int64
	for _, c := range w.copies {
		if c.at > last && c.at <= until && c.from < end && c.to >= end && c.to > start {
			last = c.at
		}
	}
	return last
}

// within is how much of a stretch of time was spent waiting for a cause; times
// that several waits share count once.
func (w *waits) within(cause tcp.Cause, from, to int64) time.Duration {
	if len(w.list) == 0 {
		return 0
	}
	var sum int64
	reached := from
	// Waits are remembered in the order in which they ended. Going through them
	// by their beginnings would need sorting; they are few, so the next beginning
	// is looked for each time.
	for {
		best := -1
		for i := range w.list {
			s := &w.list[i]
			if s.cause != cause || s.to <= reached || s.from >= to {
				continue
			}
			if best < 0 || s.from < w.list[best].from {
				best = i
			}
		}
		if best < 0 {
			return time.Duration(sum)
		}
		s := w.list[best]
		begin, end := max(s.from, reached), min(s.to, to)
		sum += max(0, end-begin)
		if end <= reached || end >= to {
			return time.Duration(sum)
		}
		reached = end
	}
}
