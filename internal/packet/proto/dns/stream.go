package dns

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// deepest is how many queries may wait on one connection; RFC 7766 asks for
// pipelining, but nobody sends more at once.
const deepest = 256

// Protocol is DNS over TCP: RFC 7766.
var Protocol = proto.Protocol{Name: "dns", Ports: []uint16{port}, Sniff: sniff, New: newStream}

// sniff never is sure: other protocols have lengths in front too.
func sniff(d flow.Dir, data []byte) proto.Match {
	if len(data) < 2 {
		return proto.Maybe
	}
	if !begins(d, data) {
		return proto.No
	}
	if n := 2 + int(binary.BigEndian.Uint16(data)); n == len(data) && asksOne(data[2:]) {
		return proto.Likely
	}
	return proto.Maybe
}

// begins says whether a message may begin with these bytes, as far as they go.
func begins(d flow.Dir, data []byte) bool {
	if len(data) < 2 || binary.BigEndian.Uint16(data) < header {
		return false
	}
	if len(data) < 2+header {
		return len(data) < 5 || data[4]>>7 == byte(d)
	}
	return plausible(data[2:]) && data[4]>>7 == byte(d)
}

func newStream(sink proto.Sink, midway bool) proto.Parser {
	s := &stream{sink: sink, transfer: none}
	s.sides[0].lost, s.sides[1].lost = midway, midway
	return s
}

// stream is a connection.
type stream struct {
	sink     proto.Sink
	sides    [2]side
	waiting  []waiter
	transfer int // index in waiting of the zone transfer whose answer goes on; none
	exchange proto.Exchange
	buffer   [maxText + 64]byte
}

// side is a direction: the message under way.
type side struct {
	head  []byte // of the message: its length, header and question
	span  proto.Span
	got   int // bytes of the message, the length included
	total int // 0: the length is not known yet
	lost  bool
	doubt proto.Doubt
}

type waiter struct {
	request, response proto.Span
	name              []byte
	code              string
	rows              int64
	id, flags, kind   uint16
	depth             uint16
	doubt             proto.Doubt
	cut, failed       bool
}

// Data takes the next bytes.
func (s *stream) Data(c *flow.Chunk) {
	d := &s.sides[c.Dir]
	if d.lost {
		if !begins(c.Dir, c.Data) || len(c.Data) < 2+header {
			return
		}
		d.lost, d.got, d.total, d.doubt = false, 0, 0, proto.Resync
	}
	for i := 0; i < len(c.Data); {
		want := 2 - d.got
		if d.got >= 2 {
			want = d.total - d.got
		}
		n := min(want, len(c.Data)-i)
		if d.got == 0 {
			d.span.Reset()
			d.head = d.head[:0]
		}
		d.span.Add(c, i, n)
		if room := 2 + question - len(d.head); room > 0 {
			d.head = append(d.head, c.Data[i:i+min(n, room)]...)
		}
		i += n
		if !s.advance(c.Dir, n) {
			return
		}
	}
	if c.Cut > 0 {
		s.skip(c.Dir, c.Cut, c, 0)
	}
}

// advance counts bytes of the message and ends it. It returns false if the
// direction is out of step.
func (s *stream) advance(dir flow.Dir, n int) bool {
	d := &s.sides[dir]
	d.got += n
	if d.got == 2 {
		d.total = 2 + int(binary.BigEndian.Uint16(d.head))
		if d.total < 2+header {
			s.tear(dir)
			return false
		}
	}
	if d.total == 0 || d.got < d.total {
		return true
	}
	ok := s.message(dir)
	d.got, d.total, d.doubt = 0, 0, 0
	if !ok {
		s.tear(dir)
	}
	return ok
}

// skip passes over bytes that were not captured, if they are within a message
// whose length is known.
func (s *stream) skip(dir flow.Dir, n int, c *flow.Chunk, doubt proto.Doubt) {
	d := &s.sides[dir]
	if d.lost {
		return
	}
	if d.got < 2 || n > d.total-d.got {
		s.tear(dir)
		return
	}
	d.doubt |= doubt
	if c != nil {
		d.span.Add(c, len(c.Data), n)
	} else {
		d.span.End += uint64(n)
	}
	s.advance(dir, n)
}

// tear puts a direction out of step until a chunk begins like a message.
func (s *stream) tear(dir flow.Dir) {
	d := &s.sides[dir]
	d.lost, d.got, d.total = true, 0, 0
	for i := range s.waiting {
		s.waiting[i].doubt |= proto.Lossy
	}
}

// Gap takes note of bytes that are missing for good.
func (s *stream) Gap(dir flow.Dir, n int64, _ flow.Stamp) {
	if n > 0 {
		s.skip(dir, int(min(n, 1<<20)), nil, proto.Lossy)
	}
}

// message takes a complete message.
func (s *stream) message(dir flow.Dir) bool {
	d := &s.sides[dir]
	var m message
	partial := len(d.head) < min(d.total, 2+question)
	if !m.parse(d.head[2:], s.buffer[:0], partial) {
		// Too little was captured to know; the length holds nevertheless.
		return partial
	}
	if m.isResponse() != (dir == flow.ToClient) {
		return false
	}
	if dir == flow.ToServer {
		s.ask(&m, d)
	} else {
		s.answer(&m, d)
	}
	return true
}

func (s *stream) ask(m *message, d *side) {
	s.transferred()
	if len(s.waiting) == deepest {
		s.waiting[0].doubt |= proto.Ambiguous
		s.give(0, proto.Unanswered)
	}
	n := len(s.waiting)
	if n < cap(s.waiting) {
		s.waiting = s.waiting[:n+1]
	} else {
		s.waiting = append(s.waiting, waiter{})
	}
	w := &s.waiting[n]
	*w = waiter{request: d.span, name: append(w.name[:0], m.name...), id: m.id, flags: m.flags, kind: m.kind,
		depth: uint16(n + 1), doubt: d.doubt, cut: m.cut, rows: -1}
}

func (s *stream) answer(m *message, d *side) {
	if t := s.transfer; t != none && s.waiting[t].id == m.id {
		w := &s.waiting[t]
		w.response.Last, w.response.End = d.span.Last, d.span.End
		w.response.Packets += d.span.Packets
		w.rows += int64(m.answers)
		w.doubt |= d.doubt
		return
	}
	s.transferred()
	for i := range s.waiting {
		w := &s.waiting[i]
		if w.id != m.id || m.asked && !m.cut && !w.cut && (w.kind != m.kind || string(w.name) != string(m.name)) {
			continue
		}
		w.response, w.rows = d.span, int64(m.answers)
		w.code, w.failed = m.outcome()
		w.doubt |= d.doubt
		if (w.kind == axfr || w.kind == ixfr) && !w.failed {
			s.transfer = i // its answer is as many messages as it needs
			return
		}
		s.give(i, proto.Answered)
		return
	}
	e := &s.exchange
	*e = proto.Exchange{Response: d.span, Status: proto.Unpaired, Doubt: d.doubt, Text: m.name, TextCut: m.cut, Rows: int64(m.answers)}
	if m.asked {
		e.Command = command(m.flags, m.kind)
	}
	e.Code, e.Failed = m.outcome()
	s.sink.Exchange(e)
}

// transferred ends a zone transfer: something else came after it.
func (s *stream) transferred() {
	if t := s.transfer; t != none {
		s.transfer = none
		s.give(t, proto.Answered)
	}
}

// Progress says what the connection is doing. A zone transfer may be complete.
func (s *stream) Progress() proto.Progress {
	d := &s.sides[flow.ToClient]
	switch {
	case s.transfer != none:
		return proto.Unclear
	case d.got > 0:
		return proto.Answering
	case len(s.waiting) > 0:
		return proto.Waiting
	case d.lost, s.sides[flow.ToServer].lost:
		return proto.Unclear
	}
	return proto.Idle
}

// give hands a query out and forgets it.
func (s *stream) give(i int, status proto.Status) {
	w := &s.waiting[i]
	s.exchange = proto.Exchange{Request: w.request, Response: w.response, Status: status, Doubt: w.doubt, Command: command(w.flags, w.kind),
		Text: w.name, TextCut: w.cut, Failed: w.failed, Code: w.code, Rows: w.rows, Depth: w.depth}
	s.sink.Exchange(&s.exchange)
	name := w.name
	n := len(s.waiting) - 1
	copy(s.waiting[i:], s.waiting[i+1:])
	s.waiting[n] = waiter{name: name} // two slots must not share a name
	s.waiting = s.waiting[:n]
}

// End gives out what waits.
func (s *stream) End(flow.Stamp, flow.Ending) {
	s.transferred()
	for len(s.waiting) > 0 {
		s.give(0, proto.Unanswered)
	}
}
