package tcp

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	// lingering is how long the late packets of a connection are expected:
	// TIME_WAIT of Linux (TCP_TIMEWAIT_LEN, 60 s).
	lingering = 60e9
	// maxGone bounds the marks of a table, to 6 MiB. The oldest go first.
	maxGone = 1 << 16
	// near is how far a late packet may lie from where its connection ended: more
	// than windows usually are, and a 128th of all sequence numbers.
	near = 1 << 24
)

// mark is what remains of a connection that has ended.
type mark struct {
	at int64
	spot
	next           [2]uint32 // sequence numbers, by direction
	first          [2]uint32 // of the first byte
	client, server flow.Endpoint
	reset, refused bool
}

// gone is a ring of marks.
type gone struct {
	marks     []mark
	head, end uint32
}

// is tells whether a frame belongs to a mark.
func (g *gone) is(ref int32, f *decode.Frame) bool {
	m := &g.marks[^ref]
	return (m.space == f.Space || m.across == f.Space) && (m.client == f.Src && m.server == f.Dst || m.client == f.Dst && m.server == f.Src)
}

// bury puts a mark where a connection stands.
func (t *Table) bury(c *Conn) {
	g := &t.gone
	if g.end-g.head == uint32(len(g.marks)) {
		if len(g.marks) < maxGone {
			g.enlarge(t)
		} else {
			t.drop()
		}
	}
	i := g.end & uint32(len(g.marks)-1)
	m := &g.marks[i]
	*m = mark{at: c.Last.At, spot: c.spot(), client: c.Client, server: c.Server, reset: c.Ending == flow.Reset, refused: c.Refused}
	for d := range c.halves {
		h := &c.halves[d]
		m.next[d], m.first[d] = h.base+uint32(h.high), h.base
	}
	g.end++
	t.rename(c.spot(), c.index+1, ^int32(i))
}

// enlarge doubles the ring. The marks keep their order, not their places.
func (g *gone) enlarge(t *Table) {
	larger := make([]mark, max(1024, 2*len(g.marks)))
	for i := g.head; i != g.end; i++ {
		from, to := i&uint32(len(g.marks)-1), i&uint32(len(larger)-1)
		larger[to] = g.marks[from]
		t.rename(g.marks[from].spot, ^int32(from), ^int32(to)-1<<30) // not to be taken for one that has not moved yet
	}
	for i := range t.slots {
		if s := &t.slots[i]; s.ref < -1<<29 {
			s.ref += 1 << 30
		}
	}
	g.marks = larger
}

// drop forgets the oldest mark. A connection that has taken its place stays.
func (t *Table) drop() {
	g := &t.gone
	i := g.head & uint32(len(g.marks)-1)
	t.rename(g.marks[i].spot, ^int32(i), 0)
	g.head++
}

// forget drops the marks of which nothing can come any more.
func (t *Table) forget(now int64) {
	for g := &t.gone; g.head != g.end && now-g.marks[g.head&uint32(len(g.marks)-1)].at > lingering; {
		t.drop()
	}
}

// late tells whether a frame is what still comes of a connection that has
// ended, rather than the beginning of the next one.
func (t *Table) late(ref int32, f *decode.Frame) bool {
	m := &t.gone.marks[^ref]
	if f.At-m.at > lingering {
		return false
	}
	d := flow.ToServer
	if f.Src != m.client || f.Dst != m.server {
		d = flow.ToClient
	}
	if f.Flags&decode.SYN != 0 {
		// A copy of the old SYN; after a refusal it is another attempt.
		return f.Seq+1 == m.first[d] && !m.refused
	}
	if f.Size == 0 {
		return true
	}
	away := int32(f.Seq - m.next[d])
	return away > -near && away < near
}

// retried tells whether a frame is the SYN of a connect that was refused, sent again.
func (t *Table) retried(ref int32, f *decode.Frame) bool {
	m := &t.gone.marks[^ref]
	return m.refused && f.Flags&(decode.SYN|decode.ACK) == decode.SYN && f.Src == m.client && f.Seq+1 == m.first[flow.ToServer] && f.At-m.at <= lingering
}
