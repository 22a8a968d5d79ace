package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	// DefaultHeld is what a table holds back at most, unless told otherwise.
	DefaultHeld = 16 << 20
	// heldHalf is how far beyond a hole one direction of a connection goes at most: as much
	// as a window of a gigabit path with 8 ms, after which waiting for a copy that
	// nobody acknowledged makes no sense.
	heldHalf = 1 << 20
	// heldRuns is in how many runs: as much as a window of segments of 536 bytes. Each
	// packet that comes out of order is sorted in among them.
	heldRuns = 2048
	// heldAlone is how long a hole stays open that no acknowledgement can decide
	// because the other direction was not captured: the first retransmission
	// timeout that RFC 6298 starts with.
	heldAlone = 1e9
	// keptBuffer is the largest buffer that is kept for reuse.
	keptBuffer = 4 << 10
)

// segment is a run of bytes that waits for those before it.
type segment struct {
	flow.Stamp
	off  uint64
	data []byte
	size int // with what the snap length cut off
	next int32

	pushed bool
	// The packet that first showed that the bytes before this run are missing.
	sign    int64
	signTS  uint32
	signID  uint16
	hasTime bool
}

func (s *segment) end() uint64 { return s.off + uint64(s.size) }

// holder keeps all segments of a table that wait.
type holder struct {
	segments []segment // from 1
	free     int32
	bytes    int // of their buffers
	most     int
}

func (b *holder) at(i int32) *segment { return &b.segments[i] }

// hold puts a run of bytes behind the segment before (0: at the front).
func (t *Table) hold(h *half, f *decode.Frame, before int32, off uint64, data []byte, size int) {
	b := &t.held
	i := b.free
	if i != 0 {
		b.free = b.at(i).next
	} else {
		if len(b.segments) == 0 {
			b.segments = make([]segment, 1, 64)
		}
		i = int32(len(b.segments))
		b.segments = append(b.segments, segment{})
	}
	n := b.at(i)
	h.runs++
	buffer := append(n.data[:0], data...)
	b.bytes += cap(buffer) - cap(n.data)
	*n = segment{
		Stamp: f.Stamp, off: off, data: buffer, size: size,
		pushed: f.Flags&decode.PSH != 0,
		sign:   f.At, signTS: f.Options.TSVal, signID: f.IPID, hasTime: f.Options.HasTime,
	}
	if before == 0 {
		n.next, h.held = h.held, i
	} else {
		n.next, b.at(before).next = b.at(before).next, i
	}
	if n.next == 0 {
		h.tail = i
		return
	}
	// What comes after had shown that bytes before it are missing, and so before
	// this run too.
	if after := b.at(n.next); after.sign <= n.sign {
		n.sign, n.signTS, n.signID, n.hasTime = after.sign, after.signTS, after.signID, after.hasTime
	}
}

// unhold takes the first segment off.
func (t *Table) unhold(h *half) {
	b := &t.held
	i := h.held
	n := b.at(i)
	h.runs--
	h.held = n.next
	if h.held == 0 {
		h.tail = 0
	}
	if cap(n.data) > keptBuffer {
		b.bytes -= cap(n.data)
		n.data = nil
	}
	n.next, b.free = b.free, i
}

// drain hands on what waits no longer.
func (t *Table) drain(c *Conn, d flow.Dir) {
	h := &c.halves[d]
	for h.held != 0 {
		n := *t.held.at(h.held)
		if n.off > h.nxt {
			return
		}
		t.deliver(c, d, n.Stamp, n.data, n.size, n.pushed, 0)
		t.unhold(h)
	}
}

// giveUp gives up the first hole, and hands on what waited for it.
func (t *Table) giveUp(c *Conn, d flow.Dir, at flow.Stamp, acked bool) {
	t.skip(c, d, t.held.at(c.halves[d].held).off, at, acked)
	t.drain(c, d)
}

// skip says that the bytes up to an offset will not come. acked tells that the
// receiver has them.
func (t *Table) skip(c *Conn, d flow.Dir, to uint64, at flow.Stamp, acked bool) {
	h := &c.halves[d]
	n := int64(to - h.nxt)
	if n <= 0 {
		return
	}
	h.gap, h.gapSize = uint32(h.nxt), uint32(min(n, 1<<31))
	if acked {
		c.Sides[d].Missed += n
	}
	h.nxt = to
	h.flags &^= soft
	h.high = max(h.high, to)
	if k := t.consumer(c); k != nil {
		k.Gap(d, n, at)
	}
}

// bound gives up holes where too much waits, or nobody could decide them.
func (t *Table) bound(c *Conn, d flow.Dir, at flow.Stamp) {
	h, o := &c.halves[d], &c.halves[d.Other()]
	for h.held != 0 {
		if first := t.held.at(h.held).off; o.has(hasACK) && h.offset(o.ack) >= int64(first) {
			t.giveUp(c, d, at, true) // the receiver has it
			continue
		}
		alone := !o.has(hasACK) && at.At-t.held.at(h.held).sign > heldAlone
		if !alone && t.held.bytes <= t.held.most && h.high-h.nxt <= heldHalf && h.runs <= heldRuns {
			return
		}
		t.giveUp(c, d, at, false)
		if t.held.bytes > t.held.most {
			t.held.shrink()
		}
	}
}

// shrink frees the buffers that nothing is in.
func (b *holder) shrink() {
	for i := b.free; i != 0; i = b.at(i).next {
		n := b.at(i)
		b.bytes -= cap(n.data)
		n.data = nil
	}
}
