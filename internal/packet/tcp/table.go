package tcp

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	// defaultIdle is the keep-alive time of Linux (net.ipv4.tcp_keepalive_time): a
	// connection that is in use and has keep-alives is never silent for longer.
	defaultIdle = 2 * time.Hour
	// closingIdle is for connections that are half open or half closed: longer than
	// the 64 s between the last two SYNs (tcp_syn_retries 6) and the 60 s of
	// FIN_WAIT_2 and TIME_WAIT.
	closingIdle = 2 * time.Minute
	// slab is how many connections are allocated at once.
	slab = 256
)

// Table follows the connections of one worker. Frames of one connection must
// all come to the same table, in the order of capture. It is not safe for
// concurrent use.
//
//	t := tcp.NewTable(tcp.Options{...})
//	t.Frame(&f)   // every TCP frame
//	t.Expire(now) // now and then, with packet time
//	t.Close()     // ends all connections as flow.Open
type Table struct {
	o     Options
	idle  int64
	slots []slot
	mask  uint32
	used  int    // slots with something in them
	seed  uint64 // of the places
	looks uint64 // slots and candidates that were looked at in vain

	slabs []*[slab]Conn
	free  []int32
	live  int

	gone     gone
	logs     logs
	held     holder
	unproven unproven
	oneSided oneSided
	early    []early
	chunk    flow.Chunk

	newestID   uint16 // IP ID of the newest packet before this one
	strays     uint64
	afterReset uint64 // of them, those of connections that a reset had ended
}

// slot is a place in the hash table: a connection (ref > 0), one that is gone
// (ref < 0), or nothing.
type slot struct {
	hash uint32
	ref  int32
}

// NewTable makes an empty table.
func NewTable(o Options) *Table {
	t := &Table{o: o, idle: int64(o.Idle), slots: make([]slot, 1024), mask: 1023, seed: rand.Uint64()}
	if t.idle <= 0 {
		t.idle = int64(defaultIdle)
	}
	t.held.most = o.Held
	if t.held.most <= 0 {
		t.held.most = DefaultHeld
	}
	return t
}

// Live is how many connections the table follows.
func (t *Table) Live() int { return t.live }

// Strays is how many packets belonged to no connection: late ones of connections
// that had ended, and resets of connections that were never seen.
func (t *Table) Strays() uint64 { return t.strays }

// AfterReset is how many packets came after a reset had ended their connection,
// other resets left out.
func (t *Table) AfterReset() uint64 { return t.afterReset }

// Each calls f for every connection that lives.
func (t *Table) Each(f func(*Conn)) {
	for i := range t.slabs {
		for j := range t.slabs[i] {
			if c := &t.slabs[i][j]; c.index >= 0 {
				f(c)
			}
		}
	}
}

// Expire ends the connections that have been silent for too long at a moment of
// packet time. It costs a walk over all connections.
func (t *Table) Expire(now int64) {
	t.Each(func(c *Conn) {
		if t.overdue(c, now) {
			t.guard(c, func() { t.end(c, c.Last, flow.Expired) })
		}
	})
	t.forget(now)
}

// overdue tells whether a connection has been silent for too long.
func (t *Table) overdue(c *Conn, now int64) bool {
	silent := now - c.Last.At
	if silent <= min(t.idle, int64(closingIdle)) {
		return false
	}
	halfOpen := !c.Midway && c.Established.Frame == 0 && c.Sides[0].Segments+c.Sides[1].Segments == 0
	closing := c.Closing || halfOpen
	return closing || silent > t.idle
}

// Close ends all connections, as open.
func (t *Table) Close() {
	t.Each(func(c *Conn) {
		t.guard(c, func() { t.end(c, c.Last, flow.Open) })
	})
}

func (t *Table) conn(index int32) *Conn { return &t.slabs[uint32(index)/slab][uint32(index)%slab] }

// home is where the connections between two ends in a network are looked for. Who
// sends the packets chooses their ends and networks, and so the hash of the ends;
// the seed keeps the places out of reach.
func (t *Table) home(pair uint64, space flow.Space) uint32 {
	const odd = 0x9e3779b97f4a7c15
	hi, lo := bits.Mul64(pair^t.seed, (uint64(space)+1)*odd)
	// Once is not enough: of equal ends in networks of successive numbers both halves
	// go up in equal steps, which some seeds put side by side.
	hi, lo = bits.Mul64(hi^lo, odd)
	return uint32(hi ^ lo)
}

// find looks the connection of a frame up. It returns the place of what it
// found, or where a new one goes; dir is the frame's direction in a connection.
func (t *Table) find(f *decode.Frame, hash uint32) (at uint32, c *Conn, dir flow.Dir) {
	for at = hash & t.mask; ; at = (at + 1) & t.mask {
		s := &t.slots[at]
		if s.ref == 0 {
			return at, nil, 0
		}
		if s.hash != hash {
			t.looks++
			continue
		}
		if s.ref < 0 {
			if t.gone.is(s.ref, f) {
				return at, nil, 0
			}
			t.looks++
			continue
		}
		c := t.conn(s.ref - 1)
		if c.Space == f.Space || c.Across == f.Space {
			if c.Client == f.Src && c.Server == f.Dst {
				return at, c, flow.ToServer
			}
			if c.Client == f.Dst && c.Server == f.Src {
				return at, c, flow.ToClient
			}
		}
		t.looks++
	}
}

// add makes a connection and puts it at a place that find returned.
func (t *Table) add(at, hash uint32, pair uint64) *Conn {
	if len(t.free) == 0 {
		s := new([slab]Conn)
		for i := range s {
			s[i].index = -1
			t.free = append(t.free, int32(len(t.slabs)*slab+slab-1-i))
		}
		t.slabs = append(t.slabs, s)
	}
	index := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	c := t.conn(index)
	*c = Conn{}
	c.index, c.pair = index, pair
	c.Sides[0].Scale, c.Sides[1].Scale = -1, -1
	t.put(at, slot{hash, index + 1})
	t.live++
	return c
}

// put fills a place that find returned.
func (t *Table) put(at uint32, s slot) {
	if t.slots[at].ref == 0 {
		t.used++
	}
	t.slots[at] = s
	if t.used*4 > len(t.slots)*3 {
		t.grow()
	}
}

func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	t.mask = uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.ref == 0 {
			continue
		}
		at := s.hash & t.mask
		for t.slots[at].ref != 0 {
			at = (at + 1) & t.mask
		}
		t.slots[at] = s
	}
}

// place is where something is that is in the table.
func (t *Table) place(hash uint32, ref int32) (at uint32, ok bool) {
	for at = hash & t.mask; t.slots[at].ref != 0; at = (at + 1) & t.mask {
		if t.slots[at].ref == ref {
			return at, true
		}
	}
	return 0, false
}

// spot says where something is in the table: in one place, or in two where each
// direction has a network of its own.
type spot struct {
	pair          uint64
	space, across flow.Space
}

func (c *Conn) spot() spot { return spot{c.pair, c.Space, c.Across} }

// rename gives what stands at a spot another number; 0: it leaves the table.
func (t *Table) rename(s spot, from, to int32) {
	t.renameAt(t.home(s.pair, s.space), from, to)
	if s.across != s.space {
		t.renameAt(t.home(s.pair, s.across), from, to)
	}
}

func (t *Table) renameAt(hash uint32, from, to int32) {
	at, ok := t.place(hash, from)
	switch {
	case !ok: // another connection has taken the place
	case to == 0:
		t.remove(at)
	default:
		t.slots[at].ref = to
	}
}

// remove empties a place and moves up what was pushed on by it.
func (t *Table) remove(at uint32) {
	t.used--
	hole := at
	for i := (at + 1) & t.mask; t.slots[i].ref != 0; i = (i + 1) & t.mask {
		wants := t.slots[i].hash & t.mask
		if (i-wants)&t.mask >= (i-hole)&t.mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = slot{}
}

// end finishes a connection and leaves a mark in its place, so that its late
// packets are known for what they are.
func (t *Table) end(c *Conn, at flow.Stamp, how flow.Ending) {
	c.Ending = how
	if i := t.earlyOf(c); i >= 0 {
		t.takeEarly(c, i)
	}
	for d := range c.halves {
		t.settle(c, flow.Dir(d), at)
	}
	if c.consumer != nil && c.state&abandoned == 0 {
		c.consumer.End(at, how)
	}
	if t.o.Ended != nil {
		t.o.Ended(c)
	}
	if how == flow.Finished || how == flow.Reset {
		t.bury(c)
	} else {
		t.rename(c.spot(), c.index+1, 0)
	}
	t.release(c)
}

// settle closes what is still open in a direction.
func (t *Table) settle(c *Conn, d flow.Dir, at flow.Stamp) {
	h, s := &c.halves[d], &c.Sides[d]
	for h.held != 0 {
		t.giveUp(c, d, at, false)
	}
	last := max(at.At, c.Last.At)
	if h.limited != 0 {
		s.WindowLimited += time.Duration(max(0, last-h.limited))
	}
	if c.scaled != scaleOff && c.scaled != scaleOn {
		s.WindowLimited = -1
	}
	t.opened(c, d, last)
	t.logs.release(h)
}
