package bothsides

import (
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

// maxCopies bounds the copies that a direction of a connection remembers.
const maxCopies = 16

// follower is the collector of the second pass over one capture.
type follower struct {
	engine.Nop
	side  int
	joint *joiner
	pairs map[uint64]int32 // by connection id
	live  map[uint64]*followed
	again struct { // the connection of which the packet at hand is a copy
		conn *followed
		dir  flow.Dir
		at   int64
	}
}

// followed is a connection that both captures have.
type followed struct {
	conn   *tcp.Conn
	pair   int32
	copies [2][]resent
	resent [2]uint32 // within the time both captures cover
}

// resent is a packet whose bytes had been seen before.
type resent struct {
	seq, size uint32
	at        int64
}

// Handshake is called before the first transaction of a connection.
func (l *follower) Handshake(c *rt.Connection) { l.follow(c) }

func (l *follower) follow(c *rt.Connection) *followed {
	k := l.live[c.ID]
	if k == nil {
		if p, ok := l.pairs[c.ID]; ok {
			k = &followed{conn: c.Conn, pair: p}
			l.live[c.ID] = k
		}
	}
	return k
}

// Resent remembers whose copy the packet at hand is.
func (l *follower) Resent(c *rt.Connection, d flow.Dir, at int64) {
	if k := l.follow(c); k != nil {
		if t := l.clock(at); t >= l.joint.clock.from && t <= l.joint.clock.to {
			k.resent[d]++
		}
		l.again.conn, l.again.dir, l.again.at = k, d, at
	}
}

// Frame comes after Resent for the same packet.
func (l *follower) Frame(_ *pcap.Packet, f *decode.Frame) {
	k := l.again.conn
	if k == nil {
		return
	}
	l.again.conn = nil
	if f.At != l.again.at || f.Size == 0 {
		return
	}
	list := k.copies[l.again.dir]
	if len(list) == maxCopies {
		list = list[:copy(list, list[1:])]
	}
	k.copies[l.again.dir] = append(list, resent{f.Seq, uint32(f.Size), l.clock(f.At)})
}

// Transaction hands a leg to the joiner.
func (l *follower) Transaction(t *rt.Transaction) {
	k := l.live[t.Connection]
	if k == nil || t.RequestPackets == 0 || t.Status == noAnswer {
		return
	}
	request, ok := k.conn.Base(flow.ToServer)
	response, _ := k.conn.Base(flow.ToClient)
	if !ok {
		return
	}
	x := leg{Transaction: *t, from: request + uint32(t.RequestOffset)}
	x.to = x.from + uint32(t.RequestBytes)
	asked := t.Start + int64(t.Upload)
	x.asked, x.answered, x.answerEnd = l.clock(asked), l.clock(asked+int64(t.RT)), l.clock(asked+int64(t.RT)+int64(t.Download))
	x.askedAgain = k.after(flow.ToServer, x.to-1, x.asked)
	x.saidAgain = k.after(flow.ToClient, response+uint32(t.ResponseOffset), x.answered)
	l.joint.leg(l.side, k.pair, x)
}

// after lists when a byte came again.
func (k *followed) after(d flow.Dir, seq uint32, since int64) []int64 {
	var at []int64
	for _, r := range k.copies[d] {
		if seq-r.seq < r.size && r.at >= since {
			at = append(at, r.at)
		}
	}
	return at
}

// clock is a time of this capture on the client's clock.
func (l *follower) clock(at int64) int64 {
	if l.side == AtServer {
		return l.joint.clock.ToClient(at)
	}
	return at
}

// Connection gives in what was counted of a connection.
func (l *follower) Connection(c *rt.Connection) {
	if p, ok := l.pairs[c.ID]; ok {
		e := ended{segments: [2]uint64{c.Sides[0].Segments, c.Sides[1].Segments}}
		if k := l.live[c.ID]; k != nil {
			e.resent = k.resent
			delete(l.live, c.ID)
		}
		l.joint.ended(l.side, p, e)
	}
}

// ended is what was counted of a connection in one capture, by flow.Dir.
type ended struct {
	segments [2]uint64
	resent   [2]uint32
}

// window is how much packet time one capture may be read ahead of the other: the
// offset of the clocks is known, so that it only has to cover the way of packets
// and the order in which transactions end.
const window = int64(100 * time.Millisecond)
