package summary

import (
	"cmp"
	"slices"
	"sync"

	"rtrail/internal/packet/flow"
)

const (
	// maxSpans bounds the transactions that are held to be nested, to 8 MB; half of
	// it may be such of which it is not known yet whether they can be.
	maxSpans = 1 << 17
	// maxHosts bounds the hosts of which it is known whom they ask and where they
	// answer, to 8 MB.
	maxHosts = 1 << 16
	// maxNestings bounds the pairs of a server and a port that it calls.
	maxNestings = 1 << 10
	// spanBatch is how many transactions a worker gathers before it hands them over.
	spanBatch = 256
)

// span is a transaction, reduced to when and between whom.
type span struct {
	from, to int64
	client   flow.Addr
	server   flow.Endpoint
}

// nester finds hosts that answer on one port and ask on others, and sums up which
// calls lie within which requests. Spans of all workers come together here. When
// there are too many, those of the earlier half of time are summed up and dropped.
type nester struct {
	mu     sync.Mutex
	spans  []span
	asks   peers // by the host that asks
	serves peers // by the host that answers: where it does
	grown  uint32
	recent [256]recentPair
	sums   map[nestKey]*Nesting
	until  int64 // what ended before was summed up and dropped
	served map[flow.Endpoint]*served
}

// peers are the first two endpoints that a host asks, or answers at: enough to
// tell whether there is another one than a given one.
type peers map[flow.Addr]*[2]flow.Endpoint

// note returns true if it learned something.
func (p peers) note(host flow.Addr, at flow.Endpoint) bool {
	known := p[host]
	switch {
	case known == nil && len(p) < maxHosts:
		p[host] = &[2]flow.Endpoint{at}
	case known == nil || known[0] == at || known[1].Port != 0:
		return false
	default:
		known[1] = at
	}
	return true
}

// other says whether there is another endpoint than one.
func (p peers) other(host flow.Addr, than flow.Endpoint) bool {
	known := p[host]
	return known != nil && (known[0] != than || known[1].Port != 0)
}

// recentPair remembers what is known of a client and a server.
type recentPair struct {
	client flow.Addr
	server flow.Endpoint
	known  bool
	useful bool   // as of grown
	grown  uint32 // nester.grown
}

// served is what is remembered of a server whose earlier requests were dropped.
type served struct {
	reached int64 // when the last one of them ended
	judged  int64 // when the last one ended that was taken to be alone
}

func newNester() *nester {
	return &nester{asks: peers{}, serves: peers{}, sums: map[nestKey]*Nesting{}, served: map[flow.Endpoint]*served{}}
}

// add takes spans of a worker.
func (n *nester) add(list []span) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range list {
		s := &list[i]
		if useful := n.useful(s); !useful && len(n.spans) >= maxSpans/2 {
			continue
		}
		if s.from < n.until {
			n.late(s)
			continue
		}
		if len(n.spans) >= maxSpans {
			n.shrink()
		}
		n.spans = append(n.spans, *s)
	}
}

// useful says whether a span may be a request with calls in it, or a call in a
// request, as far as is known yet.
func (n *nester) useful(s *span) bool {
	r := &n.recent[(uint(s.client[15])^uint(s.server.Addr[15])<<4^uint(s.server.Port)^uint(s.client[14])<<2)%uint(len(n.recent))]
	if !r.known || r.client != s.client || r.server != s.server {
		*r = recentPair{client: s.client, server: s.server, known: true, grown: n.grown - 1}
		asks, serves := n.asks.note(s.client, s.server), n.serves.note(s.server.Addr, s.server)
		if asks || serves {
			n.grown++
		}
	}
	if r.grown != n.grown {
		r.grown = n.grown
		r.useful = n.asks.other(s.server.Addr, s.server) || n.serves.other(s.client, s.server)
	}
	return r.useful
}

// late takes a span of a time that was summed up already. What was taken to be
// alone beside it was not: nothing of that server is certain.
func (n *nester) late(s *span) {
	at := n.served[s.server]
	if at == nil {
		return
	}
	at.reached = max(at.reached, s.to)
	if at.judged > s.from {
		for k := range n.sums {
			if k.server == s.server {
				delete(n.sums, k)
			}
		}
	}
}

// shrink makes room: first by what will never be nested, then by time.
func (n *nester) shrink() {
	n.spans = slices.DeleteFunc(n.spans, func(s span) bool { return !n.useful(&s) })
	if len(n.spans) > maxSpans*3/4 {
		n.sort()
		n.fold(n.spans[len(n.spans)/2].from)
	}
}

func (n *nester) sort() {
	slices.SortFunc(n.spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}

// fold sums up the requests that ended before a moment, and drops what began
// before it. Spans must be sorted.
func (n *nester) fold(until int64) {
	asked := map[flow.Addr][]span{}
	answered := map[flow.Endpoint][]span{}
	for _, s := range n.spans {
		asked[s.client] = append(asked[s.client], s)
		answered[s.server] = append(answered[s.server], s)
	}
	for server, requests := range answered {
		if calls := asked[server.Addr]; len(calls) > 0 {
			n.nest(server, requests, calls, until)
		}
	}
	n.until = until
	n.spans = slices.DeleteFunc(n.spans, func(s span) bool { return s.from < until })
}

// nest sums up the requests of one server during which it answered no other one.
// Both lists are ascending by beginning.
func (n *nester) nest(server flow.Endpoint, requests, calls []span, until int64) {
	at := n.served[server]
	if at == nil {
		if len(n.served) >= maxNestings {
			return
		}
		at = &served{}
		n.served[server] = at
	}
	next := 0
	for i, r := range requests {
		if r.from >= until {
			break
		}
		alone := r.from >= at.reached && (i == len(requests)-1 || requests[i+1].from >= r.to)
		at.reached = max(at.reached, r.to)
		if !alone || r.to > until {
			continue
		}
		at.judged = r.to
		for next < len(calls) && calls[next].from < r.from {
			next++
		}
		n.sum(server, r, calls[next:])
	}
}

// result is what was found, by time covered; nothing more may be added.
func (n *nester) result() []*Nesting {
	n.sort()
	n.fold(endOfTime)
	var list []*Nesting
	for _, x := range n.sums {
		x.tail()
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b *Nesting) int {
		return cmp.Or(cmp.Compare(b.Covered, a.Covered), cmp.Compare(a.Port, b.Port), cmp.Compare(a.CalleePort, b.CalleePort), slices.Compare(a.Host[:], b.Host[:]))
	})
	return list
}
