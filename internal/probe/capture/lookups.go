package capture

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/dns"
	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
)

// NobodyListens is the code of a query over UDP that was answered by an ICMP
// message: there is no server at the port.
const NobodyListens = "port unreachable"

const (
	// answerBy is how old a query must be for its silence to count: recursion
	// through four levels of delegation takes less, even over satellites.
	answerBy = 2 * time.Second
	// soonestRetry is the shortest time after which a copy of a query says that the
	// first one was not answered: BIND asks again after 800 ms, glibc and Windows later.
	// Some clients send a copy after 10 to 30 ms whatever happens.
	soonestRetry = 500 * time.Millisecond
	// soonAfterCopy: what is answered within a quarter of the time that the client had
	// waited for was answered because it was asked again; else the resolver took as long.
	soonAfterCopy = 4
	// resolverTimeout is after how long glibc asks again (resolv.conf(5), timeout):
	// what one lost query costs at most.
	resolverTimeout = 5 * time.Second
	// maxUnsettled bounds the queries of which it is not known yet whether they
	// are old enough, to 4 MiB.
	maxUnsettled = 1 << 16
	// maxRefusals bounds the sockets of which ICMP messages are remembered: several
	// times as many as queries are followed. refusalMemory is how long: all copies of
	// a query were sent and given up by then.
	maxRefusals   = 1 << 16
	refusalMemory = 30 * time.Second
	// dnsPort is where queries over UDP are looked for first.
	dnsPort = 53
)

// lookups sums up what became of the queries of DNS that one worker saw, for
// each resolver.
type lookups struct {
	ports     []uint16
	now       int64 // time of the latest packet
	resolvers map[flow.Endpoint]*resolver
	unsettled []unsettled
	refusals  map[asking]*refusal
	questions []question
	swept     int64 // when refusals were last swept
	// silent are queries without answer, for people who want to see some: the first
	// of each resolver, and the first ones of all.
	silent []rt.Transaction
}

// resolver is what became of the queries to one server.
type resolver struct {
	first int64 // when it was first asked, nanoseconds since 1970
	recording.PacketResolver
	askers  map[flow.Addr]struct{}
	shown   bool          // one of its queries is among lookups.silent
	slowest time.Duration // answer
}

// unsettled is a query without an answer that was too young to judge when it
// was no longer followed.
type unsettled struct {
	at        int64
	asker     flow.Addr
	of        *resolver
	forgotten bool
}

// asking is a socket of a client and the resolver it asks.
type asking struct{ client, server flow.Endpoint }

// refusal are ICMP messages to such a socket that no query has accounted for.
type refusal struct {
	messages uint32
	last     int64
}

// taken is what became of lookups in an interval.
type taken struct {
	resolvers map[flow.Endpoint]*resolver
	silent    []rt.Transaction
	questions []question
}

// take hands over what became of lookups since it was called last. Queries that
// wait go on doing so.
func (l *lookups) take() taken {
	t := taken{map[flow.Endpoint]*resolver{}, l.silent, l.questions}
	l.silent, l.questions = nil, nil
	waits := map[*resolver]bool{}
	for i := range l.unsettled {
		waits[l.unsettled[i].of] = true
	}
	for at, r := range l.resolvers {
		blank := newResolver(at)
		switch {
		case r.PacketResolver != blank.PacketResolver:
			told := *r
			t.resolvers[at] = &told
			blank.slowest = r.slowest
			*r = *blank
		case !waits[r]:
			delete(l.resolvers, at)
		}
	}
	return t
}

func newResolver(at flow.Endpoint) *resolver {
	r := &resolver{first: math.MaxInt64}
	r.Server, r.ServerPort = at.Addr.String(), int32(at.Port)
	return r
}

func newLookups(ports []uint16) *lookups {
	return &lookups{ports: ports, resolvers: map[flow.Endpoint]*resolver{}, refusals: map[asking]*refusal{}}
}

func (l *lookups) wanted(port uint16) bool {
	return len(l.ports) == 0 || slices.Contains(l.ports, port)
}

// frame notes the time, and who was told that no process listens.
func (l *lookups) frame(f *decode.Frame) {
	l.now = max(l.now, f.At)
	c := &f.ICMP
	nobody := f.Proto == decode.ICMP && c.Type == 3 && c.Code == 3 || f.Proto == decode.ICMPv6 && c.Type == 1 && c.Code == 4
	if !nobody || !c.Quoted || c.QuotedProto != decode.UDP || !l.wanted(c.QuotedDst.Port) {
		return
	}
	k := asking{c.QuotedSrc, c.QuotedDst}
	r := l.refusals[k]
	if r == nil {
		most := maxRefusals
		if k.server.Port != dnsPort {
			most /= 2 // DNS may be spoken there; a scan of ports must not push out what is known to be DNS
		}
		if len(l.refusals) >= most && !l.sweep(most) {
			return
		}
		r = &refusal{}
		l.refusals[k] = r
	}
	r.messages++
	r.last = l.now
}

// sweep forgets messages that no query will account for; false if most are left.
func (l *lookups) sweep(most int) bool {
	if l.now-l.swept < int64(time.Second) {
		return false
	}
	l.swept = l.now
	maps.DeleteFunc(l.refusals, func(_ asking, r *refusal) bool { return l.now-r.last > int64(refusalMemory) })
	return len(l.refusals) < most
}

// refused says whether an ICMP message came for a query, and takes away those
// for it and its copies: another query from the same port needs one of its own.
func (l *lookups) refused(t *rt.Transaction) bool {
	k := asking{t.Client, t.Server}
	r := l.refusals[k]
	if r == nil {
		return false
	}
	if r.messages <= t.RequestPackets {
		delete(l.refusals, k)
	} else {
		r.messages -= t.RequestPackets
	}
	return true
}

func (l *lookups) of(t *rt.Transaction) *resolver {
	r := l.resolvers[t.Server]
	if r == nil {
		r = newResolver(t.Server)
		l.resolvers[t.Server] = r
	}
	r.first = min(r.first, t.Start)
	return r
}

// transaction counts a query or an answer.
func (l *lookups) transaction(t *rt.Transaction) {
	if t.Proto != dns.Protocol.Name || !l.wanted(t.Server.Port) {
		return
	}
	switch t.Status {
	case proto.Answered:
		l.answered(t)
	case proto.Unpaired:
		l.of(t).Unpaired++
	case proto.Unanswered:
		// Where bytes are missing the answer may have been in them.
		if t.Doubt&(proto.Lossy|proto.Resync) == 0 {
			l.unanswered(t)
		}
	}
}

// query counts one.
func (l *lookups) query(t *rt.Transaction) *resolver {
	r := l.of(t)
	r.Queries++
	if overUDP(t) {
		l.again(t, r)
	}
	if t.Command == "PTR" {
		r.Addresses++
	}
	return r
}

func (l *lookups) answered(t *rt.Transaction) {
	r := l.query(t)
	r.Answered++
	if t.Failed {
		r.Failed++
	}
	r.slowest = max(r.slowest, t.RT)
	if overUDP(t) && !t.Failed && t.Retransmit >= soonestRetry && t.Serve*soonAfterCopy <= t.Retransmit {
		r.Repeated++
		r.Waited += t.Retransmit
		r.asker(t.Client.Addr)
	}
}

func (l *lookups) unanswered(t *rt.Transaction) {
	r := l.query(t)
	refused := overUDP(t) && l.refused(t)
	l.show(r, t, refused)
	if refused {
		r.Unanswered++
		r.Refused++
		r.asker(t.Client.Addr)
		return
	}
	u := unsettled{at: t.Start, asker: t.Client.Addr, of: r, forgotten: t.Doubt&proto.Ambiguous != 0}
	if l.now-u.at >= int64(resolverTimeout) {
		u.settle(l.now)
		return
	}
	if len(l.unsettled) >= maxUnsettled {
		l.makeRoom()
	}
	l.unsettled = append(l.unsettled, u)
}

// show keeps a query as an example.
func (l *lookups) show(r *resolver, t *rt.Transaction, refused bool) {
	if r.shown && len(l.silent) >= slowest {
		return
	}
	r.shown = true
	l.silent = append(l.silent, *t)
	if refused {
		l.silent[len(l.silent)-1].Code = NobodyListens
	}
}

// overUDP tells queries over UDP, each of which is a connection of its own, from
// those over TCP, where copies are the matter of TCP.
func overUDP(t *rt.Transaction) bool { return t.Connection == t.ID }

// makeRoom settles the older half of what is not settled. What has waited less
// than it takes to cost resolverTimeout has waited as long as it has, at least.
func (l *lookups) makeRoom() {
	slices.SortFunc(l.unsettled, func(a, b unsettled) int { return cmp.Compare(a.at, b.at) })
	half := len(l.unsettled) / 2
	for i := range half {
		l.unsettled[i].settle(l.now)
	}
	l.unsettled = slices.Delete(l.unsettled, 0, half)
}

// settle counts a query that nobody has answered until a moment.
func (u *unsettled) settle(until int64) {
	waited, r := time.Duration(until-u.at), u.of
	switch {
	case waited < max(answerBy, r.slowest):
		r.Young++
		return
	case u.forgotten:
		r.Forgotten++
	default:
		r.Unanswered++
		r.Waited += min(waited, resolverTimeout)
	}
	r.asker(u.asker)
}

// asker notes a client that waited.
func (r *resolver) asker(a flow.Addr) {
	if _, ok := r.askers[a]; ok || len(r.askers) >= recording.ResolverClients {
		return
	}
	if r.askers == nil {
		r.askers = map[flow.Addr]struct{}{}
	}
	r.askers[a] = struct{}{}
}

// close settles what is left, at the end of the capture.
func (l *lookups) close(end int64) {
	for i := range l.unsettled {
		l.unsettled[i].settle(end)
	}
	l.unsettled = nil
}

func (r *resolver) merge(o *resolver) {
	r.first = min(r.first, o.first)
	r.Queries += o.Queries
	r.Addresses += o.Addresses
	r.Answered += o.Answered
	r.Failed += o.Failed
	r.Repeated += o.Repeated
	r.Unanswered += o.Unanswered
	r.AskedAgain += o.AskedAgain
	r.Refused += o.Refused
	r.Young += o.Young
	r.Forgotten += o.Forgotten
	r.Unpaired += o.Unpaired
	r.Waited += o.Waited
	r.slowest = max(r.slowest, o.slowest)
	for a := range o.askers {
		r.asker(a)
	}
}

// row is the resolver as tables hold it; first is the first packet.
func (r *resolver) row(first time.Time) recording.PacketResolver {
	row := r.PacketResolver
	row.At, row.Clients = first, int64(len(r.askers))
	if r.first != math.MaxInt64 {
		row.At = time.Unix(0, r.first)
	}
	for a := range r.askers {
		if s := a.String(); row.Client == "" || s < row.Client {
			row.Client = s
		}
	}
	return row
}

// lookups puts together what the workers saw in an interval. What is asked again
// may have been asked in the one before.
func (c *cutter) lookups(r *Result, parts []*part) {
	all := map[flow.Endpoint]*resolver{}
	for _, p := range parts {
		for at, one := range p.lookups.resolvers {
			if known := all[at]; known != nil {
				known.merge(one)
			} else {
				all[at] = one
			}
		}
		r.Silent = append(r.Silent, p.lookups.silent...)
		c.questions = append(c.questions, p.lookups.questions...)
	}
	askedAgain(c.questions, func(server flow.Endpoint) {
		if all[server] == nil {
			all[server] = newResolver(server)
		}
		all[server].AskedAgain++
	})
	c.questions = slices.DeleteFunc(c.questions, func(q question) bool { return r.Report.Last-q.at > int64(questionMemory) })
	c.questions = c.questions[:min(len(c.questions), maxQuestions)]
	for _, one := range all {
		r.Resolvers = append(r.Resolvers, one.row(time.Unix(0, r.Report.First)))
	}
	slices.SortFunc(r.Resolvers, func(a, b recording.PacketResolver) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.ServerPort, b.ServerPort))
	})
	slices.SortFunc(r.Silent, func(a, b rt.Transaction) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
	})
}
