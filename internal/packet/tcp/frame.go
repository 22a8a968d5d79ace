package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// elsewhere is how far from what was seen both numbers of a packet lie if it
// belongs to another connection, whose beginning the capture lacks.
const elsewhere = 1 << 28

// Frame takes the next packet. Those that are not TCP are ignored. It gives the frame
// the Space of its connection.
func (t *Table) Frame(f *decode.Frame) {
	if f.Proto != decode.TCP {
		return
	}
	if f.Space != t.oneSided.only && !t.oneSided.several {
		t.network(f.Space)
	}
	hash := t.home(f.Hash, f.Space)
	at, c, d := t.find(f, hash)
	if c != nil && t.overdue(c, f.At) {
		t.end(c, c.Last, flow.Expired)
		at, c, _ = t.find(f, hash)
	}
	if c != nil && (f.Size > 0 || f.Flags&decode.SYN != 0) && c.reused(d, f) {
		t.end(c, c.Last, flow.PortReuse)
		at, c, _ = t.find(f, hash)
	}
	if c == nil && f.Flags&decode.ACK != 0 {
		if c, d = t.across(f); c != nil {
			c.Across = f.Space
			t.put(at, slot{hash, c.index + 1})
		}
	}
	if c == nil {
		ref := t.slots[at].ref
		if f.Flags&decode.RST != 0 || ref < 0 && t.late(ref, f) {
			t.strays++
			if ref < 0 && f.Flags&decode.RST == 0 && t.gone.marks[^ref].reset {
				t.afterReset++
			}
			return
		}
		retried := ref < 0 && t.retried(ref, f)
		c = t.add(at, hash, f.Hash)
		d = t.open(c, f)
		if retried {
			c.state |= retry
		}
		t.began(c)
		if t.oneSided.several {
			t.awaitAcross(c)
		}
	} else if c.state&candidate != 0 && c.Sides[d].Packets == 0 {
		t.answered(c)
	}
	f.Space = c.Space // of those who look at the packet next, both directions are one flow
	if c.state&abandoned != 0 {
		c.ignore(d, f)
		return
	}
	if f.Size > 0 && c.state&firstDone == 0 {
		d = t.roles(c, d, f)
	}
	t.packet(c, d, f)
}

// packet takes a packet of a connection.
func (t *Table) packet(c *Conn, d flow.Dir, f *decode.Frame) {
	h, s := &c.halves[d], &c.Sides[d]
	s.Packets++
	s.WireBytes += int64(f.Wire)
	if t.twice(c, d, f) {
		s.Duplicates++
		return
	}
	s.TTL = f.TTL
	t.count16(h, f)
	c.Last.Frame = f.Frame
	c.Last.At = max(c.Last.At, f.At)
	if f.Flags&decode.RST != 0 {
		t.reset(c, d, f)
		return
	}
	if c.state&awaits != 0 {
		t.arrived(c, d, f, false)
	}
	seq := f.Seq
	if f.Flags&decode.SYN != 0 {
		t.handshake(c, d, f)
		seq++
	} else if d == flow.ToServer && c.Established.Frame == 0 && !c.Midway && (c.SYNACK.Frame != 0 || f.Size > 0) {
		c.Established = f.Stamp
		t.consumer(c)
	}
	if !h.has(based) {
		h.start(seq, soft)
	}
	t.timestamp(h, s, f, seq)
	if f.Flags&decode.ACK != 0 {
		t.acknowledge(c, d, f)
	}
	t.announced(c, d, f)
	if !t.alive(c, d, f, seq) && f.Size > 0 {
		t.data(c, d, f, seq)
	}
	if c.state&awaits != 0 {
		t.arrived(c, d, f, true)
	}
	if f.Flags&decode.FIN != 0 {
		t.finish(c, d, f, seq)
	}
	if c.scaled == scaleOff || c.scaled == scaleOn {
		t.fullWindow(c, flow.ToServer, f.At)
		t.fullWindow(c, flow.ToClient, f.At)
	}
	if c.halves[0].has(ackedFIN) && c.halves[1].has(ackedFIN) {
		t.end(c, f.Stamp, flow.Finished)
	}
}

// twice tells whether the capture holds this packet a second time: the IP ID of
// the one before, nothing new in it, at most a millisecond later.
func (t *Table) twice(c *Conn, d flow.Dir, f *decode.Frame) bool {
	h := &c.halves[d]
	if f.IPID == 0 || f.IPID != h.id || !h.has(countsIDs) || f.At-c.Last.At > sameCapture || c.Sides[d].Packets < 2 {
		return false
	}
	if f.Flags&decode.ACK != 0 && f.Ack != h.ack || f.Flags&decode.SYN == 0 && h.ids < orderedIDs && f.Size == 0 {
		return false
	}
	return f.Flags&decode.RST == 0 && (f.Flags&decode.FIN == 0 || h.has(sentFIN)) && h.offset(f.Seq)+int64(f.Size) <= int64(h.high)
}

// count16 follows the IP IDs of a side.
func (t *Table) count16(h *half, f *decode.Frame) {
	t.newestID = h.id
	step := int16(f.IPID - h.id)
	if step != 0 && h.id != 0 && f.IPID != 0 {
		h.flags |= countsIDs
	}
	switch {
	case f.IPID == 0:
	case step > 0 && step <= idStep:
		h.id = f.IPID
		if h.ids < 255 {
			h.ids++
		}
	case step < 0 && step >= -idStep && h.ids >= orderedIDs: // late, or a copy of the capture
	case step == 0:
	default:
		h.id, h.ids = f.IPID, 0
	}
}

// timestamp looks whether the clock of a side goes backwards, for which its
// packets are thrown away (PAWS, RFC 7323). Packets that come late are excused,
// and one tick, as in Linux (TCP_PAWS_WINDOW).
func (t *Table) timestamp(h *half, s *Side, f *decode.Frame, seq uint32) {
	if !f.Options.HasTime {
		if f.Options.Cut {
			h.flags |= cutOptions
		}
		return
	}
	v := f.Options.TSVal
	if !h.has(hasTS) {
		h.ts = v
		h.flags |= hasTS
		return
	}
	back := int32(v - h.ts)
	if back >= 0 {
		h.ts = v
		return
	}
	if back < -1 && h.offset(seq) >= int64(h.nxt) && h.held == 0 && int16(f.IPID-t.newestID) >= 0 {
		oneMore(&s.PAWS)
	}
}

// alive takes keep-alives and window probes, which repeat the byte before the
// next one, or nothing at its place.
func (t *Table) alive(c *Conn, d flow.Dir, f *decode.Frame, seq uint32) bool {
	h, o := &c.halves[d], &c.halves[d.Other()]
	if f.Size > 1 || f.Flags&(decode.SYN|decode.FIN) != 0 {
		return false
	}
	acked := int64(h.acked)
	if !o.has(hasACK) {
		acked = int64(h.high)
	}
	if h.offset(seq)+1 != acked || f.Size == 1 && (acked != int64(h.high) || !o.has(hasACK)) {
		return false
	}
	switch {
	case o.closed != 0:
		oneMore(&c.Sides[d].WindowProbes)
	case acked == int64(h.high):
		c.Sides[d].KeepAlives++
	}
	return true
}

// finish takes a FIN.
func (t *Table) finish(c *Conn, d flow.Dir, f *decode.Frame, seq uint32) {
	h := &c.halves[d]
	at := h.offset(seq) + int64(f.Size)
	if h.has(sentFIN) || at < 0 {
		return
	}
	h.high = max(uint64(at), h.high)
	h.flags |= sentFIN
	t.closes(c, d, f, false)
}

// closes notes who closed first.
func (t *Table) closes(c *Conn, d flow.Dir, f *decode.Frame, reset bool) {
	if !c.Closing {
		c.Closing = true
		c.Closer = Close{Stamp: f.Stamp, Dir: d, Reset: reset, Outstanding: c.halves[d.Other()].inFlight()}
	}
}

// reset takes a RST. One that is far from what was sent is not the sender's, or
// too late: its receiver ignores it.
func (t *Table) reset(c *Conn, d flow.Dir, f *decode.Frame) {
	h, o := &c.halves[d], &c.halves[d.Other()]
	if h.has(based) {
		if away := int32(f.Seq - h.base - uint32(h.nxt)); (away < -near || away > near) && f.Seq != 0 {
			return
		}
	}
	if f.Flags&decode.ACK != 0 && o.has(based) {
		if ack := o.offset(f.Ack); ack > int64(o.acked) && ack <= int64(o.high) {
			o.acked = uint64(ack)
		}
	}
	t.closes(c, d, f, true)
	if !c.Closer.Reset && c.Closer.Dir == d {
		c.Closer.ThenReset = true
	}
	c.Refused = d == flow.ToClient && c.SYN.Frame != 0 && c.SYNACK.Frame == 0 && !h.has(based)
	how := flow.Reset
	if h.has(sentFIN) && o.has(sentFIN) {
		how = flow.Finished
	}
	t.end(c, f.Stamp, how)
}
