package tcp

import "rtrail/internal/packet/flow"

// maxUnproven bounds the connections that a table keeps although nothing was
// ever said in them: a flood of SYNs, a scan, or stray acknowledgements make
// millions within the two minutes in which they could still come to something.
// 65,536 take 64 MB, and are more than the backlog of any listener
// (net.core.somaxconn is 4,096 by default, a 16-bit number at most).
const maxUnproven = 1 << 16

// newcomer is a connection that had said nothing when it was written down.
type newcomer struct {
	index int32
	id    uint64
}

// unproven is a ring of the connections in the order in which they began.
// Most of them speak soon and are only passed over when their turn comes.
type unproven struct {
	ring      []newcomer
	head, end uint32
	pushed    uint64
}

// began writes a connection down. If that many have begun since without
// pushing it out, the oldest one that never said anything ends as expired.
func (t *Table) began(c *Conn) {
	u := &t.unproven
	if u.end-u.head == uint32(len(u.ring)) {
		if len(u.ring) < maxUnproven {
			u.enlarge()
		} else {
			t.pushOut()
		}
	}
	u.ring[u.end&uint32(len(u.ring)-1)] = newcomer{c.index, c.ID}
	u.end++
}

func (u *unproven) enlarge() {
	larger := make([]newcomer, max(1024, 2*len(u.ring)))
	for i := u.head; i != u.end; i++ {
		larger[i&uint32(len(larger)-1)] = u.ring[i&uint32(len(u.ring)-1)]
	}
	u.ring = larger
}

// pushOut takes the oldest off the ring.
func (t *Table) pushOut() {
	u := &t.unproven
	n := u.ring[u.head&uint32(len(u.ring)-1)]
	u.head++
	c := t.conn(n.index)
	if c.index != n.index || c.ID != n.id || c.Established.Frame != 0 || c.Sides[0].Segments+c.Sides[1].Segments > 0 {
		return
	}
	u.pushed++
	t.end(c, c.Last, flow.Expired)
}

// PushedOut is how many connections in which nothing was said were given up
// before their time, because too many such came after them.
func (t *Table) PushedOut() uint64 { return t.unproven.pushed }
