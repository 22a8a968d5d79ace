package bothsides

import (
	"cmp"
	"slices"

	"rtrail/internal/packet/flow"
)

const (
	// votes is how many packets with equal sequence numbers, and equal time stamps,
	// IP IDs or lengths, make two connections the same if their addresses differ:
	// two, because one can be chance in captures of many packets.
	votes = 2
	// crowd is from how many packets with one sequence number on each side on they
	// say nothing.
	crowd = 64
	// sameBase is how far the first bytes of two captures of one connection may lie
	// apart, when one began later: a sixteenth of all sequence numbers.
	sameBase = 1 << 28
)

// couple is a connection in both captures.
type couple struct{ at [2]int32 }

// matching says which connections are the same.
type matching struct {
	pairs      []couple
	partner    [2][]int32 // by connection: its pair; -1: none
	matched    []twin     // packets that are in both
	translated int
	bySequence int
}

// twin is one packet in both captures.
type twin struct{ at [2]int32 } // numbers of samples

type tuple struct{ client, server flow.Endpoint }

// match finds the connections that are in both captures.
func match(a, b *survey) *matching {
	m := &matching{}
	for i, s := range [2]*survey{a, b} {
		m.partner[i] = make([]int32, len(s.connections))
		for n := range m.partner[i] {
			m.partner[i][n] = -1
		}
	}
	twins := packetTwins(a, b)
	m.byHandshake(a, b)
	m.byVotes(a, b, twins)
	m.byAddress(a, b)
	for _, t := range twins {
		x, y := &a.samples[t.at[0]], &b.samples[t.at[1]]
		if p := m.partner[0][x.conn]; p >= 0 && m.partner[1][y.conn] == p && a.dir(x) == b.dir(y) {
			m.matched = append(m.matched, t)
		}
	}
	return m
}

func (m *matching) add(a, b *survey, x, y int32) {
	if !wanted(a.ports, &a.connections[x]) && !wanted(b.ports, &b.connections[y]) {
		return
	}
	p := int32(len(m.pairs))
	m.partner[0][x], m.partner[1][y] = p, p
	m.pairs = append(m.pairs, couple{[2]int32{x, y}})
	k, l := &a.connections[x], &b.connections[y]
	if k.client != l.client || k.server != l.server {
		m.translated++
	}
	if !k.exact[0] || !k.exact[1] || !l.exact[0] || !l.exact[1] {
		m.bySequence++
	}
}

// byHandshake takes connections with the same sequence numbers in SYN and
// SYN-ACK, which 64 random bits make certain.
func (m *matching) byHandshake(a, b *survey) {
	there := map[[2]uint32][]int32{}
	for i := range b.connections {
		if k := &b.connections[i]; k.exact[0] && k.exact[1] {
			there[k.base] = append(there[k.base], int32(i))
		}
	}
	for i := range a.connections {
		k := &a.connections[i]
		if !k.exact[0] || !k.exact[1] {
			continue
		}
		best := int32(-1)
		for _, n := range there[k.base] {
			// A capture on a router has a connection before and after NAT.
			if m.partner[1][n] >= 0 {
				continue
			}
			if l := &b.connections[n]; best < 0 || l.client == k.client && l.server == k.server {
				best = n
			}
		}
		if best >= 0 {
			m.add(a, b, int32(i), best)
		}
	}
}

// byVotes takes connections of which several packets are the same.
func (m *matching) byVotes(a, b *survey, twins []twin) {
	count := map[[2]int32]int{}
	for _, t := range twins {
		x, y := a.samples[t.at[0]].conn, b.samples[t.at[1]].conn
		if m.partner[0][x] < 0 && m.partner[1][y] < 0 {
			count[[2]int32{x, y}]++
		}
	}
	type ballot struct {
		at [2]int32
		n  int
	}
	var list []ballot
	for at, n := range count {
		k, l := &a.connections[at[0]], &b.connections[at[1]]
		if l.client == k.client && l.server == k.server {
			n += votes
		}
		if n >= votes && !contradict(k, l) {
			list = append(list, ballot{at, n})
		}
	}
	slices.SortFunc(list, func(p, q ballot) int {
		return cmp.Or(cmp.Compare(q.n, p.n), cmp.Compare(p.at[0], q.at[0]), cmp.Compare(p.at[1], q.at[1]))
	})
	for _, v := range list {
		if m.partner[0][v.at[0]] < 0 && m.partner[1][v.at[1]] < 0 {
			m.add(a, b, v.at[0], v.at[1])
		}
	}
}

// contradict says that what is known of two connections cannot be of one.
func contradict(k, l *connection) bool {
	for d := range k.base {
		if k.exact[d] && l.exact[d] && k.base[d] != l.base[d] {
			return true
		}
		if k.based[d] && l.based[d] {
			if away := int32(k.base[d] - l.base[d]); away < -sameBase || away > sameBase {
				return true
			}
		}
	}
	return false
}

// byAddress takes connections with equal addresses and ports whose sequence
// numbers lie near each other, if there is but one of them on each side.
func (m *matching) byAddress(a, b *survey) {
	there := map[tuple][]int32{}
	for i := range b.connections {
		if k := &b.connections[i]; m.partner[1][i] < 0 && k.closed {
			there[tuple{k.client, k.server}] = append(there[tuple{k.client, k.server}], int32(i))
		}
	}
	for i := range a.connections {
		k := &a.connections[i]
		if m.partner[0][i] >= 0 || !k.closed {
			continue
		}
		for _, n := range there[tuple{k.client, k.server}] {
			l := &b.connections[n]
			sure := k.exact[0] && l.exact[0] // an exact half suffices: a SYN without answer has no other
			if m.partner[1][n] < 0 && !contradict(k, l) && (sure || k.based[0] && l.based[0] && k.based[1] && l.based[1]) {
				m.add(a, b, int32(i), n)
				break
			}
		}
	}
}

// packetTwins finds the packets that both captures sampled.
func packetTwins(a, b *survey) []twin {
	var order [2][]int32
	for i, s := range [2]*survey{a, b} {
		order[i] = make([]int32, 0, len(s.samples))
		for n := range s.samples {
			if s.connections[s.samples[n].conn].closed {
				order[i] = append(order[i], int32(n))
			}
		}
		slices.SortFunc(order[i], func(x, y int32) int {
			return cmp.Or(cmp.Compare(s.samples[x].seq, s.samples[y].seq), cmp.Compare(x, y))
		})
	}
	var out []twin
	x, y := order[0], order[1]
	for len(x) > 0 && len(y) > 0 {
		switch p, q := a.samples[x[0]].seq, b.samples[y[0]].seq; {
		case p < q:
			x = x[1:]
		case p > q:
			y = y[1:]
		default:
			n, m := alike(a, x), alike(b, y)
			if n <= crowd && m <= crowd {
				out = append(out, pickTwins(a, b, x[:n], y[:m])...)
			}
			x, y = x[n:], y[m:]
		}
	}
	return out
}

// alike is how many of the first samples have one sequence number.
func alike(s *survey, order []int32) int {
	n := 1
	for n < len(order) && s.samples[order[n]].seq == s.samples[order[0]].seq {
		n++
	}
	return n
}

// pickTwins takes of samples with one sequence number those that fit just one
// of the others.
func pickTwins(a, b *survey, x, y []int32) []twin {
	var out []twin
	for _, p := range x {
		found, fits := int32(-1), 0
		for _, q := range y {
			if same(&a.samples[p], &b.samples[q]) {
				found = q
				fits++
			}
		}
		if fits != 1 {
			continue
		}
		others := 0
		for _, o := range x {
			if same(&a.samples[o], &b.samples[found]) {
				others++
			}
		}
		if others == 1 {
			out = append(out, twin{[2]int32{p, found}})
		}
	}
	return out
}

// same says that two samples with one sequence number can be one packet: TCP
// time stamps pass NAT, and are other ones in a copy; where there are none, the
// IP ID does it. Lengths differ where a network card cuts or joins packets.
func same(p, q *sample) bool {
	switch {
	case p.has && q.has:
		return p.ts == q.ts
	case p.has != q.has:
		return false
	case p.ipid != 0 && q.ipid != 0:
		return p.ipid == q.ipid && p.size == q.size
	}
	return p.size == q.size
}

// count is how many connections of a side matter: a port that was asked for is
// that of its server, here or, where NAT changes it, in the other capture.
func (m *matching) count(s [2]*survey, side int) int {
	n := 0
	for i := range s[side].connections {
		if k := &s[side].connections[i]; k.closed && (m.partner[side][i] >= 0 || wanted(s[side].ports, k)) {
			n++
		}
	}
	return n
}

// unmatched counts the connections of a side that the other one lacks.
func (m *matching) unmatched(s [2]*survey, side int, c *Clock) Unmatched {
	u := Unmatched{Silent: s[side].left, Servers: map[flow.Endpoint]int{}}
	other := &s[1-side].report
	for i := range s[side].connections {
		k := &s[side].connections[i]
		if m.partner[side][i] >= 0 || !k.closed || !wanted(s[side].ports, k) {
			continue
		}
		first, last := k.first, k.last
		from, to := other.First, other.Last
		if side == AtServer {
			first, last = c.ToClient(first), c.ToClient(last)
		} else {
			from, to = c.ToClient(from), c.ToClient(to)
		}
		switch {
		case last < from || first > to:
			u.Outside++
		case !k.exact[0] && k.segments == 0:
			u.Silent++
		default:
			u.Absent++
			u.Servers[k.server]++
			if !k.answered {
				u.Unanswered++
			}
		}
	}
	return u
}
