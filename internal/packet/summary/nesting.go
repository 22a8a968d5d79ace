package summary

import (
	"slices"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// Nesting says how requests to a host and the requests that it sends meanwhile
// belong together. Only requests count during which the host answered no other
// one on that port: then nothing is guessed.
type Nesting struct {
	Host       flow.Addr
	Port       uint16    // where it answers
	Callee     flow.Addr // whom it asks; zero for several
	CalleePort uint16
	Requests   uint64
	Calls      uint64
	Most       int           // calls under way at the same time, at most
	Sum        time.Duration // of the requests, from their first packet to the end of the answer
	Covered    time.Duration // of Sum: at least one call was under way
	Request    rt.Histogram
	Call       rt.Histogram
	CallSum    time.Duration
	// Slow calls took many times as long as half of them do; Slow, SlowSum and
	// Struck count them, their time, and the requests that had at least one.
	Slow    uint64
	SlowSum time.Duration
	Struck  uint64
	slowest rt.Histogram // of each request, its slowest call
}

const (
	// slowTimes is how many times the median a call must take to count as slow.
	// Calls of one kind, served by one machine that has room, spread less.
	slowTimes = 5
	// slowMore is how much more than the median it must take: a task that waits
	// behind a few others for a CPU waits some slices of 3 ms
	// (kernel/sched/fair.c, base_slice_ns), whatever it was going to do.
	slowMore = 10 * time.Millisecond
)

// tail finds the slow calls, when all are known.
func (n *Nesting) tail() {
	median := n.Call.Quantile(0.5)
	limit := max(slowTimes*median, median+slowMore)
	for _, b := range n.Call.Buckets(fine) {
		if b.From >= limit {
			n.Slow += b.Count
			n.SlowSum += time.Duration(b.Count) * (b.From + (b.To-b.From)/2)
		}
	}
	for _, b := range n.slowest.Buckets(fine) {
		if b.From >= limit {
			n.Struck += b.Count
		}
	}
}

// fine is the number of buckets per power of two that a histogram has.
const fine = 64

// nestKey tells nestings apart: by server, and the port that it calls.
type nestKey struct {
	server flow.Endpoint
	callee uint16
}

// sum counts one request and those of the calls that were made and answered
// within it; calls are those of the host, ascending by beginning, none before the
// request.
func (n *nester) sum(server flow.Endpoint, r span, calls []span) {
	within := map[uint16][]span{}
	for _, c := range calls {
		if c.from >= r.to {
			break
		}
		if c.to <= r.to && c.server != server {
			within[c.server.Port] = append(within[c.server.Port], c)
		}
	}
	for port, list := range within {
		k := nestKey{server, port}
		x := n.sums[k]
		if x == nil {
			if len(n.sums) >= maxNestings {
				continue
			}
			x = &Nesting{Host: server.Addr, Port: server.Port, Callee: list[0].server.Addr, CalleePort: port}
			n.sums[k] = x
		}
		x.add(r, list)
	}
}

// add counts one request and its calls, which are ascending by beginning.
func (n *Nesting) add(r span, calls []span) {
	n.Requests++
	n.Calls += uint64(len(calls))
	n.Sum += time.Duration(r.to - r.from)
	n.Request.Add(time.Duration(r.to - r.from))
	reached := r.from
	ends := make([]int64, 0, len(calls))
	var slowest time.Duration
	for _, c := range calls {
		took := time.Duration(c.to - c.from)
		slowest = max(slowest, took)
		n.Call.Add(took)
		n.CallSum += took
		if c.server.Addr != n.Callee {
			n.Callee = flow.Addr{}
		}
		n.Covered += time.Duration(max(0, c.to-max(c.from, reached)))
		reached = max(reached, c.to)
		ends = append(ends, c.to)
	}
	n.slowest.Add(slowest)
	slices.Sort(ends)
	over := 0 // calls that have ended when another one begins
	for i, c := range calls {
		for ends[over] <= c.from && over < i {
			over++
		}
		n.Most = max(n.Most, i+1-over)
	}
}
