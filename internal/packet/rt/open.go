package rt

import (
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/tcp"
)

// Unheard is what became of a request after which not one packet of the server
// came.
type Unheard struct {
	Copies, Timeouts uint32        // of what the client had sent, and those of them by timeout
	Largest          uint32        // bytes of the largest segment of it
	For              time.Duration // from its first packet to the last one of the client
	Waited           time.Duration // of it, for the copies
	Quiet            time.Duration // how long no packet of the connection had come before it; 0: not known
	Closed           bool          // both sides had closed the connection: nobody waits for it, and the peer may be gone
}

// burst is what the client sent since the server was last heard.
type burst struct {
	// What each packet needs comes first, in one line of the cache.
	last  int64 // when data or an acknowledgement of it last came, of either side
	since int64 // the first packet of the burst
	asked int64 // its last one
	// What the connection had counted when the burst began.
	heard                  uint64 // packets of the server
	copies, timeouts, kept uint32
	largest                uint32
	asks                   bool // the connection is one of Tracker.asking
	waited                 time.Duration
	shut                   int64 // until when the client last had its window closed
	quiet                  time.Duration
}

// data takes bytes that are new.
func (b *burst) data(c *tcp.Conn, k *flow.Chunk) {
	client, server := &c.Sides[flow.ToServer], &c.Sides[flow.ToClient]
	kept := client.KeepAlives + server.KeepAlives
	if k.Dir == flow.ToServer {
		if b.since == 0 || b.heard != server.Packets {
			b.since, b.heard, b.largest, b.quiet = k.At, server.Packets, 0, 0
			b.copies, b.timeouts, b.waited = client.Retransmissions, client.Timeouts, client.RetransmitWait
			// Keep-alives are no data, but keep the state of firewalls alive.
			if b.last != 0 && kept == b.kept {
				b.quiet = time.Duration(max(0, k.At-b.last))
			}
		}
		b.asked, b.largest = k.At, max(b.largest, uint32(k.Size()))
	}
	b.last, b.kept = max(b.last, k.At), kept
}

// unheard is what became of the burst; nil if the server was heard.
func (b *burst) unheard(c *tcp.Conn, at flow.Stamp) *Unheard {
	client, server := &c.Sides[flow.ToServer], &c.Sides[flow.ToClient]
	if b.since == 0 || server.Packets == 0 || server.Packets != b.heard || client.Retransmissions == b.copies {
		return nil
	}
	return &Unheard{Copies: client.Retransmissions - b.copies, Timeouts: client.Timeouts - b.timeouts, Largest: b.largest,
		For: time.Duration(max(0, at.At-b.since)), Waited: client.RetransmitWait - b.waited, Quiet: b.quiet, Closed: c.Closed()}
}

// ending is what is known of the request under way when a connection ends.
type ending struct {
	open    bool
	unheard *Unheard
}

func (a *Assembler) endingOf(at flow.Stamp, how flow.Ending) (e ending) {
	c := a.conn.Conn
	if c.OneWay() {
		return e
	}
	if c.InFlight(flow.ToServer) > 0 {
		e.unheard = a.burst.unheard(c, at)
		return e
	}
	// Silence of hours (flow.Expired) does not say that both ends are still there.
	e.open = how == flow.Open && a.owed(at.At)
	return e
}

// owed says whether an answer is due at a moment. What is under way to the client, or
// what its closed window keeps back, is not the server's to send; what was missed may have
// been the answer.
func (a *Assembler) owed(at int64) bool {
	c := a.conn.Conn
	if !c.AtRest() || a.burst.shut >= at || c.Sides[flow.ToServer].Missed > 0 || c.Sides[flow.ToClient].Missed > 0 {
		return false
	}
	if d, ok := a.parser.(proto.Debtor); ok {
		return d.Owes()
	}
	return a.parser.Progress() == proto.Waiting
}

// Open is what a connection waits for while it is up.
type Open struct {
	Client, Server              flow.Endpoint
	Proto, Command, Fingerprint string // of the oldest request; Command and Fingerprint are "" if they are not known
	Since                       int64  // as Transaction.Open
	Within                      bool   // a part of the answer has come
	Requests                    int    // without a whole answer
}

// Open gives out what waits for servers at a moment: all packets before it were seen, and
// none after it. It looks at connections whose client has sent something since it was called
// last, and at those that waited then. Tracker.Asked must be set.
func (w *Tracker) Open(at int64, give func(*Open)) {
	list, next := w.asking, 0
	w.asking = list[:0]
	defer func() { w.asking = append(w.asking, list[next:]...) }() // a panic costs its connection
	for next < len(list) {
		a := list[next]
		next++
		if a.burst.asks = a.look(at, give); a.burst.asks {
			w.asking = append(w.asking, a)
		}
	}
}

// look gives out what waits on the connection; false: nothing will before its client has
// sent something.
func (a *Assembler) look(at int64, give func(*Open)) (again bool) {
	a.burst.asks = false
	c := a.conn.Conn
	if a.parser == nil || c.Consumer() != tcp.Consumer(a) || c.Abandoned() {
		return false // it has ended
	}
	if doing := a.parser.Progress(); doing != proto.Waiting && doing != proto.Answering {
		return false
	}
	if !a.owed(at) {
		return true
	}
	o := Open{Client: c.Client, Server: c.Server, Proto: a.conn.Protocol, Since: a.burst.asked, Requests: 1}
	if p, ok := a.parser.(proto.Debtor); ok {
		d := p.Debt()
		o.Command, o.Requests, o.Since = d.Command, d.Waiting, d.Request.Last.At
		if o.Within = !d.Response.Empty(); o.Within {
			o.Since = d.Response.Last.At
		}
		if d.Request.Empty() || inDoubt(d.Doubt, o.Within) {
			return true
		}
		if f := a.tracker.Fingerprint; f != nil && (len(d.Text) > 0 || d.Command != "") {
			o.Fingerprint = f(o.Proto, d.Command, d.Text, d.TextCut)
			if asksToSleep(o.Proto, o.Fingerprint) {
				return true // it waits by design
			}
		}
	}
	give(&o)
	return true
}

// inDoubt says whether it is not sure that a request is open, or the rest of an answer of
// which a part was seen.
func inDoubt(d proto.Doubt, within bool) bool {
	return d&(proto.Ambiguous|proto.Resync|proto.Blocking) != 0 || !within && d&proto.Lossy != 0
}

// left marks the oldest request that the end of its connection left without
// answer, or within it.
func (e *ending) left(t *Transaction, x *proto.Exchange) {
	if !e.open && e.unheard == nil || x.Request.Empty() {
		return
	}
	unheard, open := e.unheard, e.open
	*e = ending{}
	switch within := !x.Response.Empty(); {
	case x.Status == proto.Unanswered && unheard != nil:
		t.Unheard = unheard
	case !open, inDoubt(x.Doubt, x.Status == proto.Answered):
	case x.Status == proto.Unanswered:
		t.Open = x.Request.Last.At
	case x.Status == proto.Answered && within:
		t.Open = x.Response.Last.At
	}
}
