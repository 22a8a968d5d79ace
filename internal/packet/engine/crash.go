package engine

import (
	"fmt"

	"rtrail/internal/crash"
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

// Crashes counts panics. Each costs its connection, or its packet where there is
// none, and nothing else.
type Crashes struct {
	Connections uint64 // given up: what they exchanged later was not looked at
	Packets     uint64 // of no connection
	First       crash.Crash
	Frame       uint64 // the packet that led to the first one
	Conn        string // its connection, "10.0.0.1:4711 > 10.0.0.2:5432 (postgres)"; "" if there is none
}

// Any says that there was one.
func (c *Crashes) Any() bool { return c.Connections+c.Packets > 0 }

func (c *Crashes) add(o *Crashes) {
	if o.Any() && (!c.Any() || o.Frame < c.Frame) {
		c.First, c.Frame, c.Conn = o.First, o.Frame, o.Conn
	}
	c.Connections += o.Connections
	c.Packets += o.Packets
}

func (c *Crashes) count(v any, conn *rt.Connection, frame uint64) {
	if !c.Any() {
		c.First, c.Frame = crash.Of(v), frame
		if conn != nil {
			c.Conn = fmt.Sprintf("%v > %v", conn.Client, conn.Server)
			if conn.Protocol != "" {
				c.Conn += " (" + conn.Protocol + ")"
			}
		}
	}
	if conn != nil {
		c.Connections++
	} else {
		c.Packets++
	}
}

// guarded takes a batch. A fault leaves out the rest of it: what a fault
// interrupts is a look at the bytes of one packet, so the tables are whole. Any
// other panic costs the connection of the packet that was being looked at.
func (w *worker) guarded(b *shared) {
	w.begun = 0
	for {
		before := w.begun
		if w.attempt(b) || w.begun == before {
			break
		}
	}
	w.closing(func() { w.progress(b.now) })
}

// attempt goes on with a batch; false: it is to be called again.
func (w *worker) attempt(b *shared) (done bool) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		w.copies.Forget()
		if faulted(v) {
			w.unreadable += uint64(len(b.Packets) - w.begun)
			done = true
			return
		}
		w.abandon(v, b)
	}()
	w.batch(b)
	return true
}

// abandon gives up the connection of the packet that was begun last.
func (w *worker) abandon(v any, b *shared) {
	at := w.begun - 1
	if at < 0 {
		w.crashed(v, nil, w.last())
		return
	}
	if b.own != nil {
		at = int(b.own[w.index][at].place)
	}
	w.crashed(v, w.table.Abandon(w.frame()), b.Packets[at].Frame)
}

func (w *worker) crashed(v any, c *tcp.Conn, frame uint64) {
	if c == nil {
		w.crashes.count(v, nil, frame)
		return
	}
	w.crashes.count(v, w.requests.Connection(c), frame)
}

// closing calls what belongs to no packet.
func (w *worker) closing(f func()) {
	defer func() {
		if v := recover(); v != nil && !faulted(v) {
			w.crashed(v, nil, w.last())
		}
	}()
	f()
}

// frame is the packet being looked at; nil: it was not decoded.
func (w *worker) frame() *decode.Frame {
	if !w.decoded {
		return nil
	}
	return &w.frames[w.turn^1]
}

// last is the number of the packet that was decoded last.
func (w *worker) last() uint64 { return w.frames[w.turn^1].Frame }
