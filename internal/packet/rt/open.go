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
	last  int64 // when data or an acknowledgement of it last came, of either side
	shut  int64 // until when the client last had its window closed
	since int64 // the first packet of the burst
	quiet time.Duration
	// What the connection had counted when the burst began.
	heard                  uint64 // packets of the server
	copies, timeouts, kept uint32
	waited                 time.Duration
	largest                uint32
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
		b.largest = max(b.largest, uint32(k.Size()))
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
	// What is under way to the client, or what its closed window keeps back, is
	// not the server's to send; what was missed may have been the answer.
	// Silence of hours (flow.Expired) does not say that both ends are still there.
	if how != flow.Open || c.Closing || c.InFlight(flow.ToClient) > 0 || a.burst.shut >= at.At ||
		c.Sides[flow.ToServer].Missed > 0 || c.Sides[flow.ToClient].Missed > 0 {
		return e
	}
	if d, ok := a.parser.(proto.Debtor); ok {
		e.open = d.Owes()
	} else {
		e.open = a.parser.Progress() == proto.Waiting
	}
	return e
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
	case !open, x.Doubt&(proto.Ambiguous|proto.Resync|proto.Blocking) != 0:
	case x.Status == proto.Unanswered && x.Doubt&proto.Lossy == 0:
		t.Open = x.Request.Last.At
	case x.Status == proto.Answered && within:
		t.Open = x.Response.Last.At
	}
}
