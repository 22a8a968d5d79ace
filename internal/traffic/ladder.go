package traffic

import (
	"context"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

const (
	// runHead and runTail are how many packets of a long run of data are shown
	// before and after those that are summed up.
	runHead = 3
	runTail = 2
	// maxSteps bounds the lines of a ladder, to some 30 MB; nobody reads as many.
	// With All there is no bound.
	maxSteps = 100_000
	// maxLadderTransactions bounds the transactions of a ladder in the same way.
	maxLadderTransactions = 20_000
)

// Ladder is one connection, packet by packet.
type Ladder struct {
	Conn         rt.Connection
	Space        string // VLAN and tunnel; "" is the plain network
	Transactions []rt.Transaction

	steps   []step
	left    uint64 // packets beyond maxSteps
	unasked uint64 // transactions beyond maxLadderTransactions
	all     bool
}

// step is a packet, or a run of packets with data that was summed up.
type step struct {
	at     int64
	frame  uint64
	dir    flow.Dir
	seq    uint32
	ack    uint32
	size   int
	window uint16
	flags  uint8
	mss    uint16
	scale  int8
	sacks  uint8
	notes  []string
	// Of what was summed up:
	run     bool
	packets int // with data
	acks    int // without
	until   uint64
	end     int64
}

// ReadLadder reads the connection with an id, the number of its first packet.
// found is false if there is none. decodeAs is as in engine.Options.
func ReadLadder(ctx context.Context, src pcap.Source, id uint64, all bool, decodeAs map[uint16]string) (l *Ladder, found bool, err error) {
	c := &climber{id: id, ladder: Ladder{all: all}}
	if _, err := engine.Run(ctx, src, engine.Options{Workers: 1, DecodeAs: decodeAs, Collector: func(int) engine.Collector { return c }}); err != nil {
		return nil, false, err
	}
	if !c.done {
		return nil, false, ctx.Err()
	}
	c.resolve()
	return &c.ladder, true, nil
}

// climber is the collector that follows one connection.
type climber struct {
	engine.Nop
	id       uint64
	ladder   Ladder
	src, dst flow.Endpoint // of its first packet
	space    flow.Space
	on, done bool
	conn     *tcp.Conn
	before   [2]tcp.Side
	closed   [2]bool // window
	syns     [2]int
	run      int // where the run begins in steps
}

// Connection ends it; the packet at hand is still to come.
func (c *climber) Connection(k *rt.Connection) {
	if k.ID == c.id && c.on && !c.done {
		c.ladder.Conn = k.Clone()
		c.conn, c.done = c.ladder.Conn.Conn, true
	}
}

// Handshake brings the counters, from which it shows what a packet was.
func (c *climber) Handshake(k *rt.Connection) {
	if k.ID == c.id {
		c.conn = k.Conn
	}
}

// Transaction keeps it.
func (c *climber) Transaction(t *rt.Transaction) {
	if t.Connection != c.id || t.Server.Port == 0 {
		return
	}
	if !c.ladder.all && len(c.ladder.Transactions) >= maxLadderTransactions {
		c.ladder.unasked++
		return
	}
	c.ladder.Transactions = append(c.ladder.Transactions, *t)
}

// Frame takes a packet, after the table has.
func (c *climber) Frame(_ *pcap.Packet, f *decode.Frame) {
	if f.Proto != decode.TCP {
		return
	}
	if f.Frame == c.id && !c.on {
		c.on, c.src, c.dst, c.space = true, f.Src, f.Dst, f.Space
	}
	if !c.on || f.Space != c.space {
		return
	}
	forth := f.Src == c.src && f.Dst == c.dst
	if !forth && (f.Src != c.dst || f.Dst != c.src) {
		return
	}
	if c.done && f.Frame > c.ladder.Conn.Last.Frame {
		return // a later connection of the same ends
	}
	d := flow.ToClient // for now: from whom the first packet did not come
	if forth {
		d = flow.ToServer
	}
	s := step{
		at: f.At, frame: f.Frame, dir: d, seq: f.Seq, ack: f.Ack, size: f.Size, window: f.Window, flags: f.Flags,
		mss: f.Options.MSS, scale: f.Options.Scale, sacks: f.Options.SACKs,
	}
	s.notes = c.notes(&s)
	c.add(s)
}

// notes says what the packet was beside what its header says: the counters of
// the connection tell.
func (c *climber) notes(s *step) []string {
	var notes []string
	if s.flags&decode.SYN != 0 {
		if c.syns[s.dir]++; c.syns[s.dir] > 1 {
			notes = append(notes, "retransmission")
		}
	}
	if c.conn != nil {
		for d := range c.conn.Sides {
			notes = append(notes, differences(&c.before[d], &c.conn.Sides[d])...)
			c.before[d] = c.conn.Sides[d]
		}
	}
	if s.flags&(decode.SYN|decode.RST) == 0 {
		switch shut := s.window == 0; {
		case shut && !c.closed[s.dir]:
			notes = append(notes, "zero window")
			c.closed[s.dir] = true
		case !shut && c.closed[s.dir]:
			notes = append(notes, "window opens")
			c.closed[s.dir] = false
		}
	}
	if s.sacks > 0 {
		notes = append(notes, "SACK")
	}
	return notes
}

// differences words what was counted for a packet.
func differences(was, is *tcp.Side) []string {
	var notes []string
	say := func(more bool, what string) {
		if more {
			notes = append(notes, what)
		}
	}
	switch {
	case is.Timeouts > was.Timeouts:
		say(true, "retransmission (timeout)")
	case is.Fast > was.Fast:
		say(true, "retransmission (fast)")
	case is.LossProbes > was.LossProbes:
		say(true, "tail loss probe")
	case is.Retransmissions > was.Retransmissions:
		say(true, "retransmission")
	}
	say(is.Spurious > was.Spurious, "the first copy had arrived")
	say(is.OutOfOrder > was.OutOfOrder, "out of order")
	say(is.DupACKs > was.DupACKs, "duplicate ACK")
	say(is.Duplicates > was.Duplicates, "captured twice")
	say(is.KeepAlives > was.KeepAlives, "keep-alive")
	say(is.WindowProbes > was.WindowProbes, "window probe")
	say(is.PAWS > was.PAWS, "time stamp goes back")
	say(is.Missed > was.Missed, "bytes before it were not captured")
	say(is.DelayedACKs > was.DelayedACKs, "waited for a delayed ACK")
	return notes
}

// plainData says that a packet is nothing but data, or nothing but the
// acknowledgement of it.
func (s *step) plainData() bool {
	return len(s.notes) == 0 && s.flags&(decode.SYN|decode.FIN|decode.RST) == 0
}

// add appends a step, and sums up the middle of a long run.
func (c *climber) add(s step) {
	l := &c.ladder
	if l.all {
		l.steps = append(l.steps, s)
		return
	}
	if len(l.steps) >= maxSteps {
		l.left++
		return
	}
	if !c.continues(&s) {
		c.run = len(l.steps)
	}
	l.steps = append(l.steps, s)
	for len(l.steps)-c.run > runHead+1+runTail {
		c.shorten()
	}
}

// continues says that a packet belongs to the run: data in its direction, or an
// acknowledgement against it.
func (c *climber) continues(s *step) bool {
	l := &c.ladder
	if c.run >= len(l.steps) || !s.plainData() {
		return false
	}
	first := &l.steps[c.run]
	return first.size > 0 && first.plainData() && (s.dir == first.dir && s.size > 0 || s.dir != first.dir && s.size == 0)
}

// shorten adds the packet after the head of the run to what is summed up there.
func (c *climber) shorten() {
	steps := c.ladder.steps
	at := c.run + runHead
	sum, next := &steps[at], &steps[at+1]
	if !sum.run {
		sum.run, sum.dir = true, steps[c.run].dir
		sum.count(sum.size)
	}
	sum.count(next.size)
	sum.size += next.size
	sum.until, sum.end = next.frame, next.at
	c.ladder.steps = append(steps[:at+1], steps[at+2:]...)
}

func (s *step) count(size int) {
	if size > 0 {
		s.packets++
	} else {
		s.acks++
	}
}

// resolve gives steps their directions, now that it is known who the client is.
func (c *climber) resolve() {
	l := &c.ladder
	if l.Conn.Client == c.src {
		return
	}
	for i := range l.steps {
		l.steps[i].dir = l.steps[i].dir.Other()
	}
}
