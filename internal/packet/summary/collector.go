package summary

import (
	"slices"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/sums"
	"rtrail/internal/packet/tcp"
)

// Collector is what one worker sums up. It is an engine.Collector.
type Collector struct {
	options Options
	index   int
	seconds *seconds
	sum     *Summary
	places  map[Service]*Total    // told apart by address in any case: services and servers are summed up from them
	worst   float64               // badness of the last of the connections kept, once they were cut
	open    map[secondKey]*Second // seconds that are not over
	last    secondKey             // the one used last
	current *Second
	passed  int64
	spans   []span // not handed to the nester yet
	nester  *nester
	recent  recent
	waits   func(at int64, give func(*rt.Open)) // gives out what waits; nil: nobody asks
	reached int64                               // the last second at whose beginning it was counted
	cut     rt.Transaction                      // the last one that was not answered to the end
}

func newCollector(i int, c *Collectors) *Collector {
	return &Collector{
		options: c.options, index: i, seconds: c.seconds, nester: c.nester, sum: newSummary(),
		places: map[Service]*Total{}, open: map[secondKey]*Second{},
	}
}

func (c *Collector) wanted(port uint16) bool {
	return len(c.options.Ports) == 0 || slices.Contains(c.options.Ports, port)
}

func (c *Collector) service(server flow.Endpoint, protocol string) Service {
	if !c.options.ByAddress {
		server.Addr = flow.Addr{}
	}
	return Service{server, protocol}
}

// Transaction counts a transaction.
func (c *Collector) Transaction(t *rt.Transaction) {
	if !c.wanted(t.Server.Port) || c.options.Keep != nil && !c.options.Keep(t) {
		return
	}
	at := c.where(t.Server, t.Proto)
	service := at.key
	ended := t.Start + int64(t.Total())
	one := rt.SumsOf(t)
	c.second(ended, service).Stats.AddOne(&one)
	at.total.add(t, &one)
	if client := c.client(t.Client.Addr); client != nil {
		client.add(t, &one)
	}
	c.statement(service, t, &one)
	c.ran(service, t)
	if cutShort(t) && c.cut.Connection != t.Connection {
		c.cut = *t
	}
	usable := t.Usable()
	if usable {
		c.slow(t)
		if c.options.Nesting {
			c.nest(t)
		}
	}
	if t.Failed && len(c.sum.Failures) < c.options.Slowest {
		c.sum.Failures = append(c.sum.Failures, *t)
	}
}

func total[K comparable](m map[K]*Total, k K) *Total {
	t := m[k]
	if t == nil {
		t = &Total{}
		m[k] = t
	}
	return t
}

func (t *Total) add(x *rt.Transaction, one *rt.Sums) {
	t.Stats.AddOne(one)
	if pause, ok := x.Pause(); ok && x.Usable() {
		t.IdleTimes.Add(pause)
	}
	t.Packets += uint64(x.RequestPackets + x.ResponsePackets)
	t.Bytes += uint64(x.RequestBytes + x.ResponseBytes)
}

// slow keeps the slowest transactions: the list grows to twice its size before
// it is sorted and cut.
func (c *Collector) slow(t *rt.Transaction) {
	s := c.sum
	n := c.options.Slowest
	if len(s.Slowest) >= n && t.RT <= s.Slowest[n-1].RT {
		return
	}
	s.Slowest = append(s.Slowest, *t)
	if len(s.Slowest) >= 2*n || len(s.Slowest) == n {
		s.keepSlowest(n)
	}
}

// keepSlowest cuts the list of the slowest to n.
func (s *Summary) keepSlowest(n int) {
	slices.SortFunc(s.Slowest, func(a, b rt.Transaction) int { return int(min(max(b.RT-a.RT, -1), 1)) })
	s.Slowest = s.Slowest[:min(n, len(s.Slowest))]
}

// nest hands a transaction on to be nested.
func (c *Collector) nest(t *rt.Transaction) {
	c.spans = append(c.spans, span{t.Start, t.Start + int64(t.Total()), t.Client.Addr, t.Server})
	if len(c.spans) >= spanBatch {
		c.nester.add(c.spans)
		c.spans = c.spans[:0]
	}
}

// Handshake counts a connection that begins to carry data.
func (c *Collector) Handshake(k *rt.Connection) {
	server, client, ok := k.HandshakeRTT()
	if !ok || !c.wanted(k.Server.Port) {
		return
	}
	c.path(k, k.Established.At, &sums.Path{Handshakes: 1, ServerRTT: server, ClientRTT: client})
}

// Resent counts a retransmission of bytes that were seen before.
func (c *Collector) Resent(k *rt.Connection, _ flow.Dir, at int64) { c.again(k, at) }

// Refilled counts a retransmission that filled a hole.
func (c *Collector) Refilled(k *rt.Connection, at int64) { c.again(k, at) }

func (c *Collector) again(k *rt.Connection, at int64) {
	if c.wanted(k.Server.Port) {
		c.path(k, at, &sums.Path{Retransmissions: 1})
	}
}

// path counts what packets of a connection showed.
func (c *Collector) path(k *rt.Connection, at int64, one *sums.Path) {
	place := c.where(k.Server, k.Protocol)
	c.second(at, place.key).Path.Add(one)
	place.total.Path.Add(one)
	if client := c.client(k.Client.Addr); client != nil {
		client.Path.Add(one)
	}
}

// Connection counts a connection that has ended.
func (c *Collector) Connection(k *rt.Connection) {
	s := c.sum
	if !c.wanted(k.Server.Port) {
		if _, known := s.LeftOut[k.Server.Port]; known || len(s.LeftOut) < maxLeftOut {
			s.LeftOut[k.Server.Port]++
		}
		return
	}
	s.Seen++
	c.interrupted(k)
	s.Missed += k.Sides[0].Missed + k.Sides[1].Missed
	if k.OneWay() {
		s.OneWay++
	}
	if k.Midway {
		s.Midway++
	}
	if k.Why == tcp.ByLowerPort {
		s.Guessed++
	}
	c.where(k.Server, k.Protocol).total.ended(k)
	if client := c.client(k.Client.Addr); client != nil {
		client.ended(k)
	}
	if broke(k) && (s.Disconnect == nil || k.Closer.At < s.Disconnect.Closer.At) {
		first := k.Clone()
		s.Disconnect = &first
	}
	// Most connections of a long capture are not among the worst and are not
	// copied.
	badness := badness(k)
	if badness <= c.worst && len(s.Connections) >= c.options.Connections {
		return
	}
	s.Connections = append(s.Connections, &Connection{k.Clone(), badness})
	if len(s.Connections) >= 2*c.options.Connections {
		s.sort()
		s.Connections = slices.Delete(s.Connections, c.options.Connections, len(s.Connections))
		c.worst = s.Connections[len(s.Connections)-1].Badness
	}
}

// broke says that a connection was closed while something was under way.
func broke(k *rt.Connection) bool {
	if k.CloseState.Broken() {
		return k.Closer.Frame != 0
	}
	return k.Closer.Reset && k.Closer.Outstanding > 0
}

func (t *Total) ended(k *rt.Connection) {
	t.Connections++
	if k.Refused {
		t.Refused++
	}
	if k.SYN.Frame != 0 && k.SYNACK.Frame == 0 && !k.Refused {
		t.NoHandshake++
	}
	if k.SYNs > 1 || k.SYNACKs > 1 {
		t.SlowConnects++
	}
	if k.Ending == flow.Reset {
		t.Resets++
	}
}

// Progress hands over the seconds that are over.
func (c *Collector) Progress(at int64) {
	if over := at - int64(grace); over/int64(time.Second) > c.passed {
		c.passed = over / int64(time.Second)
		c.seconds.deposit(c.index, c.passed, c.open)
		c.last, c.current = secondKey{}, nil
	}
}
