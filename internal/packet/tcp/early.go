package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	// swapped is how much later than its acknowledgement a segment is expected that
	// only the capture saw too late: queues of a network card, and CPUs that loopback
	// packets pass, are emptied within less.
	swapped = 1e6
	// maxEarly bounds the acknowledgements that wait for their segments.
	maxEarly = 64
)

// early is an acknowledgement of bytes that the capture has not shown yet.
type early struct {
	conn *Conn
	dir  flow.Dir // of the bytes
	ack  uint32
	by   decode.Frame // what acknowledged them, without its payload
}

// earlyOf finds the acknowledgement that waits on a connection; -1: none.
func (t *Table) earlyOf(c *Conn) int {
	if c.state&awaits != 0 {
		for i := range t.early {
			if t.early[i].conn == c {
				return i
			}
		}
	}
	return -1
}

// awaitBytes remembers an acknowledgement until its bytes come. It is false if
// they are not to be waited for.
func (t *Table) awaitBytes(c *Conn, d flow.Dir, f *decode.Frame) bool {
	if i := t.earlyOf(c); i >= 0 {
		e := &t.early[i]
		if e.dir != d {
			return false
		}
		if int32(f.Ack-e.ack) > 0 {
			e.ack = f.Ack
		}
		return true
	}
	if len(t.early) == maxEarly {
		return false
	}
	t.early = append(t.early, early{c, d, f.Ack, *f})
	t.early[len(t.early)-1].by.Payload = nil
	c.state |= awaits
	return true
}

// arrived looks, before a packet is taken, whether the bytes that an acknowledgement
// waits for still come, and after it, whether they have. Else they are missed.
func (t *Table) arrived(c *Conn, d flow.Dir, f *decode.Frame, taken bool) {
	i := t.earlyOf(c)
	if i < 0 {
		return
	}
	e := t.early[i]
	h := &c.halves[e.dir]
	switch {
	case h.offset(e.ack) <= int64(h.nxt):
	case taken, f.At-e.by.At <= swapped && (d == e.dir || f.Size == 0) && f.Flags&(decode.RST|decode.SYN) == 0:
		return
	}
	t.takeEarly(c, i)
}

// takeEarly takes an acknowledgement that waits as it is.
func (t *Table) takeEarly(c *Conn, i int) {
	e := t.early[i]
	last := len(t.early) - 1
	t.early[i] = t.early[last]
	t.early[last] = early{}
	t.early = t.early[:last]
	h := &c.halves[e.dir]
	if ack := h.offset(e.ack); ack > int64(h.acked) && c.state&abandoned == 0 {
		t.moved(c, e.dir, uint64(ack), &e.by, true, false)
	}
	c.state &^= awaits
}
