package dns

import (
	"encoding/binary"
	"slices"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

const (
	// patience is after how much packet time since its last copy a query is
	// unanswered. Resolvers that cannot reach the servers behind them say so after 10
	// to 30 s (resolver-query-timeout of BIND), and the resolver of glibc repeats a
	// query after 5 s with the same port and identifier (resolv.conf(5), timeout).
	patience = int64(30 * time.Second)

	// memory is how long an answered query is remembered, to tell second copies of
	// it and of its answer from others.
	memory = int64(time.Second)

	// maxSpaces is in how many networks a query is looked for whose answer came in
	// another one.
	maxSpaces = 16

	// maxQueries is how many queries a tracker remembers, 200 bytes each. When there are
	// more, answered ones go first.
	maxQueries = 16384

	port      = 53
	multicast = 5353
	// nameResolution is LLMNR's port (RFC 4795), whose messages look like DNS.
	nameResolution = 5355
	// netBIOS is the port of the NetBIOS name service (RFC 1002), whose messages look
	// like DNS too. Windows asks every host that it meets, and few answer.
	netBIOS = 137
)

// Query is a query over UDP and what became of it. It and what it points to are
// valid during the call only.
type Query struct {
	Client, Server flow.Endpoint
	Space          flow.Space
	proto.Exchange
}

// Tracker pairs queries and answers over UDP. Frames of one pair of addresses
// must all come to the same tracker, in the order of capture.
//
// A query that is sent again with the same ports, identifier and question is one
// exchange: Request.First and Request.Last are its first copy, LastCopy the last
// one before the answer, and Request.Packets counts all.
type Tracker struct {
	// Strange counts datagrams from or to a DNS port that hold no DNS, or too
	// little of it was captured.
	Strange uint64

	give    func(*Query)
	ports   []uint16
	others  []uint16     // ports that are known for something else
	spaces  []flow.Space // that queries came in
	known   map[key]int32
	slots   []pending
	free    int32
	lists   [2]list // by whether they are answered; oldest first
	query   Query
	message message
	buffer  [maxText + 64]byte
}

type key struct {
	client, server flow.Endpoint
	space          flow.Space
	id             uint16
}

type pending struct {
	key
	first, last flow.Stamp
	name        []byte
	size        int32
	prev, next  int32
	flags, kind uint16
	copies      uint16 // beside the first one
	depth       uint16
	answered    bool
	cut         bool
}

type list struct {
	head, tail int32
	size       int32
}

const none = -1

// NewTracker makes a tracker. Servers are expected on port 53 and on more ports.
func NewTracker(give func(*Query), more ...uint16) *Tracker {
	return &Tracker{
		give:  give,
		ports: append([]uint16{port}, more...),
		known: map[key]int32{},
		free:  none,
		lists: [2]list{{head: none, tail: none}, {head: none, tail: none}},
	}
}

// Listen says whether servers on a port speak DNS.
func (t *Tracker) Listen(p uint16, speak bool) {
	t.ports = slices.DeleteFunc(t.ports, func(known uint16) bool { return known == p })
	if speak {
		t.ports = append(t.ports, p)
	} else {
		t.others = append(t.others, p)
	}
}

func (t *Tracker) serves(p uint16) bool { return slices.Contains(t.ports, p) }

// foreign says whether a packet on ports of which nothing is known is none of DNS.
// A query must look like nothing else, and an answer must have its query.
func (t *Tracker) foreign(f *decode.Frame) bool {
	b := f.Payload
	if len(b) < header+5 || len(b) < f.Size || b[2]&^(response>>8|recursion>>8) != 0 && b[2]>>7 == 0 || b[4] != 0 || b[5] != 1 {
		return true // nearly all
	}
	if slices.Contains(t.others, f.Src.Port) || slices.Contains(t.others, f.Dst.Port) {
		return true
	}
	if b[2]>>7 != 0 {
		_, known := t.waiting(f, binary.BigEndian.Uint16(b))
		return !known
	}
	return f.Dst.Port == nameResolution || f.Dst.Port == netBIOS || f.Dst.Addr.IP().IsMulticast() || !asksOne(b)
}

// Frame takes a packet. Those that are not UDP from or to a DNS port, nor look like
// nothing else, it leaves alone, and returns false.
func (t *Tracker) Frame(f *decode.Frame) bool {
	if f.Proto != decode.UDP {
		return false
	}
	from, to := t.serves(f.Src.Port), t.serves(f.Dst.Port)
	if f.Src.Port == multicast || f.Dst.Port == multicast {
		return false
	}
	if !from && !to {
		if t.foreign(f) {
			return false
		}
		from, to = true, true
	}
	t.Expire(f.At)
	m := &t.message
	if !m.parse(f.Payload, t.buffer[:0], len(f.Payload) < f.Size) {
		t.Strange++
		return true
	}
	switch {
	case m.isResponse() && from:
		t.answer(f, m)
	case !m.isResponse() && to:
		t.ask(f, m)
	default:
		t.Strange++
	}
	return true
}

// waiting finds the query that a packet answers, by its identifier: in the network
// of the packet or, where they differ by direction, in another one.
func (t *Tracker) waiting(f *decode.Frame, id uint16) (i int32, ok bool) {
	k := key{f.Dst, f.Src, f.Space, id}
	if i, ok = t.known[k]; ok {
		return i, true
	}
	for _, k.space = range t.spaces {
		if i, ok = t.known[k]; ok {
			return i, true
		}
	}
	return 0, false
}

func (t *Tracker) ask(f *decode.Frame, m *message) {
	k := key{f.Src, f.Dst, f.Space, m.id}
	if len(t.spaces) < maxSpaces && !slices.Contains(t.spaces, f.Space) {
		t.spaces = append(t.spaces, f.Space)
	}
	if i, ok := t.known[k]; ok {
		p := &t.slots[i]
		same := p.kind == m.kind && p.flags>>11 == m.flags>>11 && string(p.name) == string(m.name)
		switch {
		case same && !p.answered:
			p.last, p.copies = f.Stamp, min(p.copies+1, 1<<16-2)
			t.unlink(i)
			t.link(i)
			return
		case same && f.At-p.last.At <= memory:
			return // was on its way when the answer was
		case !p.answered:
			t.unanswered(i, proto.Ambiguous)
		default:
			t.drop(i)
		}
	}
	i := t.slot()
	p := &t.slots[i]
	*p = pending{key: k, first: f.Stamp, last: f.Stamp, name: append(p.name[:0], m.name...), size: int32(f.Size),
		flags: m.flags, kind: m.kind, cut: m.cut, depth: 1}
	t.known[k] = i
	t.link(i)
}

func (t *Tracker) answer(f *decode.Frame, m *message) {
	k := key{f.Dst, f.Src, f.Space, m.id}
	i, ok := t.waiting(f, m.id)
	if ok {
		p := &t.slots[i]
		k.space = p.space
		// Servers that could not read the question do not repeat it.
		ok = !m.asked || m.cut || p.cut || p.kind == m.kind && string(p.name) == string(m.name)
		if ok && p.answered {
			return // a second copy, or the answer to the second copy of the query
		}
	}
	q := &t.query
	q.Client, q.Server, q.Space = k.client, k.server, k.space
	e := &q.Exchange
	if !ok {
		*e = proto.Exchange{Status: proto.Unpaired, Command: command(m.flags, m.kind), Text: m.name, TextCut: m.cut}
		if !m.asked {
			e.Command = ""
		}
	} else {
		t.fill(&t.slots[i], e)
		e.Status = proto.Answered
	}
	e.Response = one(f.Stamp, int32(f.Size))
	e.Code, e.Failed = m.outcome()
	e.Rows = int64(m.answers)
	t.give(q)
	if ok {
		t.unlink(i)
		t.slots[i].answered, t.slots[i].last = true, f.Stamp
		t.link(i)
	}
}

// one is the span of a single packet.
func one(at flow.Stamp, size int32) proto.Span {
	return proto.Span{First: at, Last: at, End: uint64(max(size, 0)), Packets: 1}
}

func (t *Tracker) fill(p *pending, e *proto.Exchange) {
	*e = proto.Exchange{Request: one(p.first, p.size), Command: command(p.flags, p.kind), Text: p.name, TextCut: p.cut, Rows: -1, Depth: p.depth}
	if p.copies > 0 {
		e.Request.Packets += uint32(p.copies)
		e.LastCopy = p.last
	}
}

// unanswered gives a query out and forgets it.
func (t *Tracker) unanswered(i int32, doubt proto.Doubt) {
	p := &t.slots[i]
	q := &t.query
	q.Client, q.Server, q.Space = p.client, p.server, p.space
	t.fill(p, &q.Exchange)
	q.Status, q.Doubt = proto.Unanswered, doubt
	t.give(q)
	t.drop(i)
}

// Expire gives out what has waited too long at a moment of packet time. Frame
// calls it; it is needed where no DNS packets come any more.
func (t *Tracker) Expire(now int64) {
	for i := t.lists[0].head; i != none && now-t.slots[i].last.At > patience; i = t.lists[0].head {
		t.unanswered(i, 0)
	}
	for i := t.lists[1].head; i != none && now-t.slots[i].last.At > memory; i = t.lists[1].head {
		t.drop(i)
	}
}

// Close gives out all queries that wait, at the end of the capture.
func (t *Tracker) Close() {
	for t.lists[0].head != none {
		t.unanswered(t.lists[0].head, 0)
	}
	for t.lists[1].head != none {
		t.drop(t.lists[1].head)
	}
}

// slot finds room.
func (t *Tracker) slot() int32 {
	if t.free == none && len(t.slots) >= maxQueries {
		if old := t.lists[1].head; old != none {
			t.drop(old)
		} else {
			t.unanswered(t.lists[0].head, proto.Ambiguous)
		}
	}
	if i := t.free; i != none {
		t.free = t.slots[i].next
		return i
	}
	t.slots = append(t.slots, pending{})
	return int32(len(t.slots) - 1)
}

func (t *Tracker) drop(i int32) {
	t.unlink(i)
	p := &t.slots[i]
	delete(t.known, p.key)
	p.next, t.free = t.free, i
}

func (t *Tracker) of(i int32) *list {
	if t.slots[i].answered {
		return &t.lists[1]
	}
	return &t.lists[0]
}

func (t *Tracker) link(i int32) {
	l, p := t.of(i), &t.slots[i]
	p.prev, p.next = l.tail, none
	if l.tail != none {
		t.slots[l.tail].next = i
	} else {
		l.head = i
	}
	l.tail = i
	l.size++
}

func (t *Tracker) unlink(i int32) {
	l, p := t.of(i), &t.slots[i]
	if p.prev != none {
		t.slots[p.prev].next = p.next
	} else {
		l.head = p.next
	}
	if p.next != none {
		t.slots[p.next].prev = p.prev
	} else {
		l.tail = p.prev
	}
	l.size--
}
