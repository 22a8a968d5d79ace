package summary

import (
	"cmp"
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

// mostSpans bounds what is remembered for nesting: 40 bytes each.
const mostSpans = 1 << 20

// span is a transaction, reduced to when and between whom.
type span struct {
	from, to int64
	client   flow.Addr
	server   flow.Endpoint
}

// nest remembers a transaction for the analysis at the end.
func (c *Collector) nest(t *rt.Transaction) {
	if len(c.spans) >= mostSpans {
		c.sum.NestingCut = true
		return
	}
	c.spans = append(c.spans, span{t.Start, t.Start + int64(t.Total()), t.Client.Addr, t.Server})
}

// nestings finds hosts that answer on one port and ask on others.
func nestings(spans []span) []*Nesting {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	asks := map[flow.Addr][]span{}
	answers := map[flow.Endpoint][]span{}
	for _, s := range spans {
		asks[s.client] = append(asks[s.client], s)
		answers[s.server] = append(answers[s.server], s)
	}
	var list []*Nesting
	for server, requests := range answers {
		if calls := asks[server.Addr]; len(calls) > 0 {
			list = append(list, nestIn(server, alone(requests), calls)...)
		}
	}
	slices.SortFunc(list, func(a, b *Nesting) int {
		return cmp.Or(cmp.Compare(b.Covered, a.Covered), cmp.Compare(a.Port, b.Port), cmp.Compare(a.CalleePort, b.CalleePort))
	})
	return list
}

// alone keeps the requests during which no other one was answered; the list is
// ascending by beginning.
func alone(requests []span) []span {
	var out []span
	var reached int64
	for i, r := range requests {
		last := i == len(requests)-1
		if r.from >= reached && (last || requests[i+1].from >= r.to) {
			out = append(out, r)
		}
		reached = max(reached, r.to)
	}
	return out
}

// nestIn sums up the calls within requests, by the port that was called. Both
// lists are ascending by beginning.
func nestIn(server flow.Endpoint, requests, calls []span) []*Nesting {
	byPort := map[uint16]*Nesting{}
	next := 0
	for _, r := range requests {
		for next < len(calls) && calls[next].from < r.from {
			next++
		}
		within := map[uint16][]span{}
		for _, c := range calls[next:] {
			if c.from >= r.to {
				break
			}
			if c.to <= r.to && c.server != server {
				within[c.server.Port] = append(within[c.server.Port], c)
			}
		}
		for port, list := range within {
			n := byPort[port]
			if n == nil {
				n = &Nesting{Host: server.Addr, Port: server.Port, Callee: list[0].server.Addr, CalleePort: port}
				byPort[port] = n
			}
			n.add(r, list)
		}
	}
	var out []*Nesting
	for _, n := range byPort {
		n.tail()
		out = append(out, n)
	}
	return out
}

// add counts one request and its calls, which are ascending by beginning.
func (n *Nesting) add(r span, calls []span) {
	n.Requests++
	n.Calls += uint64(len(calls))
	n.Sum += time.Duration(r.to - r.from)
	n.Request.Add(time.Duration(r.to - r.from))
	reached := r.from
	var ends []int64 // of calls under way
	var slowest time.Duration
	defer func() { n.slowest.Add(slowest) }()
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
		ends = slices.DeleteFunc(ends, func(end int64) bool { return end <= c.from })
		ends = append(ends, c.to)
		n.Most = max(n.Most, len(ends))
	}
}
