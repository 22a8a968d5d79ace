package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// Abandon gives up the connection that a frame belongs to, after a panic that
// came of the frame: nothing of its state can be relied on. It stays in the
// table and ends like others, but its data is not consumed any more, and its packets
// are only counted. nil: the frame belongs to none.
func (t *Table) Abandon(f *decode.Frame) *Conn {
	if f == nil || f.Proto != decode.TCP {
		return nil
	}
	_, c, _ := t.find(f, t.home(f.Hash, f.Space))
	if c != nil {
		t.abandon(c)
	}
	return c
}

// Abandoned says that the connection was given up.
func (c *Conn) Abandoned() bool { return c.state&abandoned != 0 }

func (t *Table) abandon(c *Conn) {
	c.state |= abandoned | consumed | firstDone
	for d := range c.halves {
		h := &c.halves[d]
		for h.held != 0 {
			t.unhold(h)
		}
		t.logs.release(h)
	}
}

// ignore counts a packet of a connection that was abandoned.
func (c *Conn) ignore(d flow.Dir, f *decode.Frame) {
	c.Sides[d].Packets++
	c.Sides[d].WireBytes += int64(f.Wire)
	c.Last.Frame, c.Last.At = f.Frame, max(c.Last.At, f.At)
	c.Closing = c.Closing || f.Flags&(decode.FIN|decode.RST) != 0
}

// guard ends a connection where no frame is at hand.
func (t *Table) guard(c *Conn, end func()) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if t.o.Crashed == nil {
			panic(v)
		}
		t.abandon(c)
		t.vanish(c)
		t.o.Crashed(c, v)
	}()
	end()
}

// vanish takes a connection out of the table and tells nobody.
func (t *Table) vanish(c *Conn) {
	if c.index >= 0 {
		t.rename(c.spot(), c.index+1, 0)
		t.release(c)
	}
}

// release makes room for another connection.
func (t *Table) release(c *Conn) {
	if c.state&candidate != 0 {
		t.answered(c)
	}
	t.free = append(t.free, c.index)
	c.index = -1
	t.live--
}
