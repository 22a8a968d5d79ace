package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// maxCandidates bounds the connections of equal ends that wait for their other
// direction: as many networks as DNS queries are looked for in.
const maxCandidates = 16

// oneSided lists, by their ends, the connections of which one direction was seen.
// Nothing is listed while all packets are of one network.
type oneSided struct {
	only    flow.Space // the network of all connections, unless several
	several bool
	first   map[uint64]int32 // by the hash of their ends, index + 1; the others by Conn.next, the oldest first
	dropped uint64
}

// Unmatched is how many connections were not looked for in other networks any more,
// because as many of the same ends waited for their other direction.
func (t *Table) Unmatched() uint64 { return t.oneSided.dropped }

// network takes note of a network that no packet was of before.
func (t *Table) network(space flow.Space) {
	l := &t.oneSided
	if t.live == 0 {
		l.only = space
		return
	}
	l.several, l.first = true, map[uint64]int32{}
	t.Each(func(c *Conn) {
		if c.Sides[0].Packets == 0 || c.Sides[1].Packets == 0 {
			t.awaitAcross(c)
		}
	})
}

// awaitAcross lists a connection, unless enough of its ends are listed.
func (t *Table) awaitAcross(c *Conn) {
	l := &t.oneSided
	last := (*Conn)(nil)
	n := 0
	for i := l.first[c.pair]; i != 0; i = last.next {
		last = t.conn(i - 1)
		t.looks++
		n++
	}
	switch {
	case n >= maxCandidates:
		l.dropped++
		return
	case last == nil:
		l.first[c.pair] = c.index + 1
	default:
		last.next = c.index + 1
	}
	c.state |= candidate
}

// answered takes a connection off the list.
func (t *Table) answered(c *Conn) {
	first := t.oneSided.first
	for i, before := first[c.pair], (*Conn)(nil); i != 0; {
		at := t.conn(i - 1)
		t.looks++
		if at != c {
			i, before = at.next, at
			continue
		}
		switch {
		case before != nil:
			before.next = c.next
		case c.next != 0:
			first[c.pair] = c.next
		default:
			delete(first, c.pair)
		}
		break
	}
	c.state &^= candidate
	c.next = 0
}

// across finds the connection of which a packet is the first of the other
// direction, in another network: where both directions have VLANs, keys of GRE or
// sessions of a mirror of their own, or were captured before and after a router. Its
// numbers tell: they fit what the one direction has shown, and two connections of
// networks with equal addresses do not agree on them.
func (t *Table) across(f *decode.Frame) (*Conn, flow.Dir) {
	var c *Conn
	for i := t.oneSided.first[f.Hash]; i != 0; i = c.next {
		c = t.conn(i - 1)
		t.looks++
		switch {
		case c.Client == f.Src && c.Server == f.Dst && c.answeredBy(flow.ToServer, f):
			return c, flow.ToServer
		case c.Client == f.Dst && c.Server == f.Src && c.answeredBy(flow.ToClient, f):
			return c, flow.ToClient
		}
	}
	return nil, 0
}

// answeredBy says whether a packet is the first one of a direction: it acknowledges
// what the other one has sent, and begins where that one has acknowledged it.
func (c *Conn) answeredBy(d flow.Dir, f *decode.Frame) bool {
	o := &c.halves[d.Other()]
	if c.Sides[d].Packets > 0 || !o.has(based) {
		return false
	}
	ack := o.offset(f.Ack)
	if f.Flags&decode.SYN != 0 {
		return d == flow.ToClient && c.SYN.Frame != 0 && ack >= 0 && ack <= int64(o.high)
	}
	if ack < int64(o.acked)-near || ack > int64(o.high)+near || !o.has(hasACK) {
		return false
	}
	away := int32(f.Seq - o.ack)
	return away > -near && away < near
}
