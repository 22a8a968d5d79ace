package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// across finds the connection of which a packet is the first of the other
// direction, in another network: where both directions have VLANs, keys of GRE or
// sessions of a mirror of their own, or were captured before and after a router. Its
// numbers tell: they fit what the one direction has shown, and two connections of
// networks with equal addresses do not agree on them.
func (t *Table) across(f *decode.Frame, hash uint32) (*Conn, flow.Dir) {
	for at := hash & t.mask; t.slots[at].ref != 0; at = (at + 1) & t.mask {
		s := &t.slots[at]
		if s.hash != hash || s.ref < 0 {
			continue
		}
		c := t.conn(s.ref - 1)
		if c.Space != c.Across {
			continue
		}
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
