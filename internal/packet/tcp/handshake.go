package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// open begins a connection with its first packet.
func (t *Table) open(c *Conn, f *decode.Frame) flow.Dir {
	c.ID, c.Space, c.Across, c.Began, c.Last = f.Frame, f.Space, f.Space, f.At, f.Stamp
	server := false // whether the sender is the server
	switch {
	case f.Flags&decode.SYN != 0:
		c.Why, server = BySYN, f.Flags&decode.ACK != 0
		c.state |= firstDone
	default:
		c.Midway = true
		c.Sides[0].WindowLimited, c.Sides[1].WindowLimited = -1, -1
		from, to := t.listens(f.Src.Port), t.listens(f.Dst.Port)
		if c.Why, server = ByPort, from; from == to {
			c.Why, server = t.guess(f.Src.Port, f.Dst.Port)
		}
	}
	if server {
		c.Client, c.Server = f.Dst, f.Src
		return flow.ToClient
	}
	c.Client, c.Server = f.Src, f.Dst
	return flow.ToServer
}

// listens tells whether servers are known to listen on a port.
func (t *Table) listens(port uint16) bool {
	switch port {
	case 21, 22, 23, 25, 53, 80, 88, 110, 111, 139, 143, 179, 389, 443, 445, 465, 587, 636, 873, 993, 995,
		1433, 1521, 2049, 2181, 2379, 3260, 3306, 3389, 4000, 5432, 5672, 6379, 6443, 8080, 8443, 9042, 9092,
		9200, 11211, 26379, 27017, 33060:
		return true
	}
	return t.o.IsServer != nil && t.o.IsServer(port)
}

// guess says whether the server has the first of two ports that are not known.
func (t *Table) guess(from, to uint16) (why Reason, server bool) {
	if t.o.Shared != nil {
		if shared := t.o.Shared(from); shared != t.o.Shared(to) {
			return BySharing, shared
		}
	}
	return ByLowerPort, from < to
}

// roles lets the first bytes say who the server is, if nothing better did.
func (t *Table) roles(c *Conn, d flow.Dir, f *decode.Frame) flow.Dir {
	c.state |= firstDone
	if c.Why < BySpeech || t.o.Speaker == nil {
		return d
	}
	way, known := t.o.Speaker(f.Payload)
	if !known {
		return d
	}
	c.Why = BySpeech
	if d != way {
		c.Client, c.Server = c.Server, c.Client
		c.Sides[0], c.Sides[1] = c.Sides[1], c.Sides[0]
		c.halves[0], c.halves[1] = c.halves[1], c.halves[0]
		c.Closer.Dir = c.Closer.Dir.Other()
		if i := t.earlyOf(c); i >= 0 {
			t.early[i].dir = t.early[i].dir.Other()
		}
	}
	return way
}

// reused tells whether a packet begins another connection between the same
// ends.
func (c *Conn) reused(d flow.Dir, f *decode.Frame) bool {
	h, o := &c.halves[d], &c.halves[d.Other()]
	known := h.has(based) && !h.has(soft)
	if f.Flags&decode.SYN == 0 {
		if f.Size == 0 || !known || !o.has(based) || f.Flags&(decode.RST|decode.ACK) != decode.ACK {
			return false
		}
		seq, ack := int32(f.Seq-h.base-uint32(h.nxt)), int32(f.Ack-o.base-uint32(o.nxt))
		return (seq > elsewhere || seq < -elsewhere) && (ack > elsewhere || ack < -elsewhere)
	}
	if known {
		return f.Seq+1 != h.base
	}
	// Nothing was seen of this side: it is the answer to the other's SYN, or a SYN
	// that crossed it.
	return c.Midway
}

// handshake takes a SYN or SYN-ACK.
func (t *Table) handshake(c *Conn, d flow.Dir, f *decode.Frame) {
	h, o, s := &c.halves[d], &c.halves[d.Other()], &c.Sides[d]
	if !h.has(based) {
		h.start(f.Seq+1, 0)
		if f.Options.MSS > 0 {
			s.MSS = f.Options.MSS
		}
		s.Scale = min(f.Options.Scale, 14)
		// An option that the snap length cut off may have been sent: scaling stays
		// unknown then, as after a SYN that was not captured.
		if !f.Options.Cut || f.Options.Scale >= 0 {
			c.negotiate(f.Options.Scale >= 0)
		}
	}
	if f.Flags&decode.ACK == 0 {
		if d == flow.ToServer {
			if c.SYNs == 0 {
				c.SYN = f.Stamp
			}
			c.SYNs++
		}
		return
	}
	if !o.has(based) {
		o.start(f.Ack, 0)
	}
	if d == flow.ToClient {
		if c.SYNACKs == 0 {
			c.SYNACK = f.Stamp
		}
		c.SYNACKs++
	}
}

// negotiate takes note whether one side offers window scaling: it is on only if
// both do.
func (c *Conn) negotiate(offered bool) {
	switch {
	case !offered:
		c.scaled = scaleOff
	case c.scaled == scaleOffered:
		c.scaled = scaleOn
	case c.scaled == scaleUnknown:
		c.scaled = scaleOffered
	}
}
