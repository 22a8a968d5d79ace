package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// arrival is what a segment turned out to be.
type arrival struct {
	copyFrom, copyTo uint64 // bytes that had come before
	holeFrom, holeTo uint64 // bytes that filled a hole
	hole             segment
}

// data takes the payload of a packet.
func (t *Table) data(c *Conn, d flow.Dir, f *decode.Frame, seq uint32) {
	h := &c.halves[d]
	if !h.has(based) || h.has(soft) {
		h.start(seq, 0)
	}
	data, size := f.Payload, f.Size
	start := h.offset(seq)
	if start < 0 {
		// From before what the capture has seen: nothing is known about it.
		size += int(start)
		data = data[min(int64(len(data)), -start):]
		start = 0
	}
	if h.has(sentFIN) && start+int64(size) > int64(h.high) {
		size = int(int64(h.high) - start) // nothing comes after a FIN
	}
	if size <= 0 {
		return
	}
	data = data[:min(len(data), size)]
	s := &c.Sides[d]
	s.Segments++
	s.LargestSegment = max(s.LargestSegment, uint32(size))
	from, to := uint64(start), uint64(start)+uint64(size)
	if to > h.high {
		t.advance(c, d, f, from, to)
	}
	if from == h.nxt && h.held == 0 {
		t.remember(c, d, from, size, f.Stamp)
		t.deliver(c, d, f.Stamp, data, size, f.Flags&decode.PSH != 0, f.Rest)
	} else {
		a := t.arrange(c, d, f, from, to, data)
		t.judge(c, d, f, &a)
		t.bound(c, d, f.Stamp)
	}
	o := &c.halves[d.Other()]
	o.flags = o.flags&^idle | spoken
}

// advance notes that a side sends something new.
func (t *Table) advance(c *Conn, d flow.Dir, f *decode.Frame, from, to uint64) {
	h := &c.halves[d]
	if from == h.high {
		if h.acked < h.high {
			c.sentEarly(d, t.logs.newest(h), f.Size)
		}
		t.delayed(c, d, f)
	}
	t.resumed(c, d, f.At)
	h.flags &^= spoken
	h.high = to
}

func (t *Table) remember(c *Conn, d flow.Dir, off uint64, size int, at flow.Stamp) {
	t.logs.write(&c.halves[d], off, size, at, c.halves[d.Other()].has(hasACK))
}

// deliver hands the next bytes on.
func (t *Table) deliver(c *Conn, d flow.Dir, at flow.Stamp, data []byte, size int, pushed bool, rest flow.Rest) {
	h := &c.halves[d]
	k := &t.chunk
	*k = flow.Chunk{Stamp: at, Dir: d, Offset: h.nxt, Data: data, Cut: size - len(data), Pushed: pushed, Rest: rest}
	h.nxt += uint64(size)
	c.Sides[d].Bytes += int64(size)
	if to := t.consumer(c); to != nil {
		to.Data(k)
	}
	k.Data = nil
}

// consumer is the one of a connection; nil: its data is not consumed, or not any more.
func (t *Table) consumer(c *Conn) Consumer {
	if c.state&(consumed|abandoned) == consumed {
		return c.consumer
	}
	return t.firstConsumer(c)
}

func (t *Table) firstConsumer(c *Conn) Consumer {
	if c.state&abandoned != 0 {
		return nil
	}
	c.state |= consumed
	if t.o.NewConsumer != nil {
		c.consumer = t.o.NewConsumer(c)
	}
	return c.consumer
}

// arrange puts the bytes [from, to) where they belong: on to the consumer, to
// those that wait, or nowhere because they are known.
func (t *Table) arrange(c *Conn, d flow.Dir, f *decode.Frame, from, to uint64, data []byte) (a arrival) {
	h := &c.halves[d]
	take := func(upTo uint64) (piece []byte, size int) {
		size = int(upTo - from)
		piece = data[:min(len(data), size)]
		data = data[len(piece):]
		from = upTo
		return piece, size
	}
	copied := func(upTo uint64) {
		if a.copyTo == a.copyFrom {
			a.copyFrom = from
		}
		a.copyTo = upTo
		take(upTo)
	}
	for from < to {
		if from < h.nxt { // also because the piece before let waiting ones go
			copied(min(to, h.nxt))
			continue
		}
		before, after := t.around(h, from)
		if after != 0 && t.held.at(after).off <= from {
			copied(min(to, t.held.at(after).end()))
			continue
		}
		end := to
		if after != 0 {
			n := t.held.at(after)
			end = min(to, n.off)
			if a.holeTo == a.holeFrom {
				a.holeFrom, a.hole = from, *n
			}
			a.holeTo = end
		}
		off := from
		t.remember(c, d, off, int(end-off), f.Stamp)
		piece, size := take(end)
		if off == h.nxt {
			t.deliver(c, d, f.Stamp, piece, size, f.Flags&decode.PSH != 0 && end == to, 0)
			t.drain(c, d)
		} else {
			t.hold(h, f, before, off, piece, size)
		}
	}
	return a
}

// around finds the waiting segments that an offset lies between; the second
// may contain it.
func (t *Table) around(h *half, off uint64) (before, after int32) {
	if h.held == 0 {
		return 0, 0
	}
	if off >= t.held.at(h.tail).end() {
		return h.tail, 0
	}
	for after = h.held; after != 0 && t.held.at(after).end() <= off; after = t.held.at(after).next {
		before = after
	}
	return before, after
}
