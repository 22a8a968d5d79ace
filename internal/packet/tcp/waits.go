package tcp

import (
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	// delayedAtLeast is how much longer than a round trip an acknowledgement takes
	// that was delayed on purpose: half of TCP_DELACK_MIN of Linux, 40 ms, because
	// its timer may have been running when the segment came. delayedAtMost is what
	// RFC 1122 allows.
	delayedAtLeast = 20e6
	delayedAtMost  = 500e6
	// promptly is how soon after the acknowledgement a sender sends that had only
	// waited for it. Its kernel does so within microseconds; the rest is for
	// machines that are busy.
	promptly = 1e6
	// causal is by which part of the shortest round trip to the sender its segment may
	// come sooner after an acknowledgement and still be its effect: round trips vary.
	causal = 5
	// smallSegment is less than any sender has to fill: the MSS that is taken if
	// none is announced, RFC 9293.
	smallSegment = 536
	timeOption   = 12 // bytes that timestamps take off every segment
	// usualSegment is what a sender has to fill on Ethernet, localSegment on the loopback
	// interface of Linux: where the handshake was not seen, a segment that is shorter may
	// be a small one.
	usualSegment = 1500 - 40 - timeOption
	localSegment = 65535 - 40 - timeOption
)

// fullSegment is from which size on a segment of a direction is surely not held
// back by Nagle's rule, and below which it may be.
func (c *Conn) fullSegment(d flow.Dir) int {
	mss := min(c.Sides[0].MSS, c.Sides[1].MSS)
	if mss <= timeOption {
		return smallSegment
	}
	if c.halves[d].has(hasTS | cutOptions) {
		mss -= timeOption
	}
	return int(mss)
}

// usual is from which size on a segment fills a packet on most paths like that of a connection.
func (c *Conn) usual() int {
	if c.Client.Addr == c.Server.Addr || c.Client.Addr.IP().IsLoopback() && c.Server.Addr.IP().IsLoopback() {
		return localSegment
	}
	return usualSegment
}

// small says that a segment of a direction surely does not fill a packet. Where the
// handshake was not seen, a longer one tells that.
func (c *Conn) small(d flow.Dir, size int) bool {
	full := c.fullSegment(d)
	if c.Midway {
		full = max(full, min(int(c.Sides[d].LargestSegment), c.usual()))
	}
	return size < full
}

// mayWait says whether Nagle's rule may have held back the new segment of direction d.
// Where the handshake was not seen, one that ends a write is taken not to fill a packet:
// the first of several that a write fills does not end it.
func (c *Conn) mayWait(d flow.Dir, f *decode.Frame) bool {
	return f.Size < c.fullSegment(d) || c.Midway && f.Size < c.usual() && f.Flags&decode.PSH != 0
}

// delayed looks whether the new segment of direction d had to wait for a delayed
// acknowledgement. All of this must hold: the sender never sent a small segment
// while another was in flight; the new one is small, and so was the one before,
// which alone was in flight; that was acknowledged once, by a packet without
// data, later than the path explains by 20 ms; the other side sent no data in
// between; the new segment left at once when the acknowledgement came.
func (t *Table) delayed(c *Conn, d flow.Dir, f *decode.Frame) {
	h := &c.halves[d]
	if h.acked != h.high || h.high == 0 || !h.has(pureACK) || h.has(spoken) || h.has(eager) {
		return
	}
	waited := h.ackedAt
	e := t.logs.newest(h)
	if e == nil || e.end() != uint32(h.high) || e.bits&(wasCopied|wasMerged) != 0 ||
		!c.small(d, int(e.size())) || !c.mayWait(d, f) {
		return
	}
	receiver, sender := c.path(d)
	if receiver < 0 {
		// The handshake was not seen. A shorter round trip than this one is proof
		// enough of the path; without one nothing is known.
		if c.Sides[d].RTTs < 2 {
			return
		}
		receiver, sender = int64(c.Sides[d].RTTMin), 0
	}
	age := waited - e.at
	if age < receiver+delayedAtLeast || age > receiver+delayedAtMost {
		return
	}
	soonest := sender
	if back := &c.Sides[d.Other()]; back.RTTs > 0 && (soonest == 0 || int64(back.RTTMin) < soonest) {
		soonest = int64(back.RTTMin)
	}
	// A gateway that answers for the sender is nearer than the sender is, and when
	// an acknowledgement reaches that nobody knows.
	latest := min(sender+promptly, max(soonest+promptly, 2*soonest))
	if after := f.At - waited; after < min(soonest-promptly, soonest-soonest/causal) || after > latest || after < 0 {
		return
	}
	s := &c.Sides[d]
	s.DelayedACKs++
	from := e.at + receiver
	s.DelayedACKTime += time.Duration(f.At - from)
	t.stalled(c, Stall{DelayedACK, d, from, f.At})
}

// sentEarly notes that a side sends a small segment although another is in flight:
// Nagle's rule, RFC 896 and as Linux has it, does not hold there.
func (c *Conn) sentEarly(d flow.Dir, last *entry, size int) {
	h := &c.halves[d]
	if !h.has(eager) && last != nil && last.bits&wasMerged == 0 && c.halves[d.Other()].has(hasACK) && c.small(d, size) && c.small(d, int(last.size())) {
		h.flags |= eager
	}
}

// resumed ends a pause of a side that could have sent.
func (t *Table) resumed(c *Conn, d flow.Dir, at int64) {
	h := &c.halves[d]
	if h.has(idle) && c.halves[d.Other()].closed == 0 {
		c.Sides[d].AppLimited += time.Duration(max(0, at-h.ackedAt))
	}
	h.flags &^= idle
}

// announced takes the window that a side announces for the other one.
func (t *Table) announced(c *Conn, d flow.Dir, f *decode.Frame) {
	h := &c.halves[d]
	if h.has(usedWindow) && f.Flags&decode.ACK != 0 && int32(f.Ack-h.ack) < 0 {
		return // older than what is known
	}
	h.window = f.Window
	h.flags |= usedWindow
	switch {
	case f.Flags&decode.SYN != 0:
	case f.Window != 0:
		t.opened(c, d, f.At)
	case h.closed == 0:
		h.closed = f.At
		c.Sides[d].ZeroWindows++
	}
}

// opened ends an episode in which a side had closed its window.
func (t *Table) opened(c *Conn, d flow.Dir, at int64) {
	h := &c.halves[d]
	if h.closed == 0 {
		return
	}
	if at > h.closed {
		c.Sides[d].ZeroWindowTime += time.Duration(at - h.closed)
		t.stalled(c, Stall{ZeroWindow, d.Other(), h.closed, at})
	}
	h.closed = 0
	if o := &c.halves[d.Other()]; o.has(idle) {
		o.ackedAt = max(o.ackedAt, at)
		o.flags &^= pureACK // what is sent now was not held back by an acknowledgement
	}
}

// windowOf is how many bytes direction d may have in flight; -1: unknown.
func (t *Table) windowOf(c *Conn, d flow.Dir) int64 {
	r := d.Other()
	if !c.halves[r].has(usedWindow) {
		return -1
	}
	w := int64(c.halves[r].window)
	switch c.scaled {
	case scaleOff:
		return w
	case scaleOn:
		return w << min(14, max(0, c.Sides[r].Scale))
	}
	return -1
}

// fullWindow follows whether the window keeps a side from sending: what is left
// of it does not take another full segment. In a window smaller than two of
// those, half of it counts.
func (t *Table) fullWindow(c *Conn, d flow.Dir, at int64) {
	h := &c.halves[d]
	flying := h.inFlight()
	if h.limited == 0 && flying <= int64(c.halves[d.Other()].window)/2 {
		return // far from it, whatever the scale
	}
	w := t.windowOf(c, d)
	full := w > 0 && flying > 0 && flying+min(int64(c.fullSegment(d)), w/2) > w
	switch {
	case full && h.limited == 0:
		h.limited = at
	case !full && h.limited != 0:
		c.Sides[d].WindowLimited += time.Duration(max(0, at-h.limited))
		h.limited = 0
	}
}
