package http2

import (
	"cmp"
	"strconv"

	"golang.org/x/net/http2/hpack"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/http"
	"rtrail/internal/packet/proto/pair"
)

// stream is a request and its answer.
type stream struct {
	answer   proto.Span
	doubt    proto.Doubt
	method   string
	path     string
	status   int
	grpc     bool
	outcome  string // grpc-status
	why      string // grpc-message
	asked    bool   // the client has ended
	early    bool   // the server has begun before
	may      int64  // bytes that the server may send
	waited   bool   // for the client's window
	messages messages
}

// messages counts those of gRPC that the server sends: each has five bytes in front,
// of which the last four are its length.
type messages struct {
	count int
	left  int64
	have  int
	size  int64
	lost  bool
}

func (m *messages) take(b []byte) {
	for len(b) > 0 && !m.lost {
		if m.left > 0 {
			n := min(m.left, int64(len(b)))
			m.left -= n
			b = b[n:]
			continue
		}
		if m.have > 0 {
			m.size = m.size<<8 | int64(b[0])
		}
		b = b[1:]
		if m.have++; m.have == 5 {
			m.count++
			m.left, m.have, m.size = m.size, 0, 0
		}
	}
}

// headers takes a frame with a part of a header.
func (p *parser) headers(d flow.Dir, s *side) {
	block := s.payload
	f := s.frame
	if f.kind != continuationFrame {
		s.header, s.block = f, s.Span
		var ok bool
		if block, ok = unpadded(f, block); !ok {
			s.blind = true
		}
	} else {
		pair.Join(&s.block, &s.Span)
	}
	t := p.streamOf(d, s.header)
	p.now, p.dir = t, d
	if s.blind = s.blind || f.cut; !s.blind {
		if _, err := s.fields.Write(block); err != nil {
			s.blind = true
		}
	}
	p.now = nil
	if f.flags&flagEndHeaders == 0 {
		return
	}
	if !s.blind && s.fields.Close() != nil {
		s.blind = true
	}
	if t != nil && s.header.kind == headersFrame {
		p.headed(d, s, t)
	}
	s.block = proto.Span{}
}

// unpadded takes off what stands around the part of a header in a frame.
func unpadded(f frame, b []byte) (block []byte, ok bool) {
	if f.flags&flagPadded != 0 {
		if len(b) < 1 || int(b[0])+1 > len(b) {
			return nil, false
		}
		b = b[1 : len(b)-int(b[0])]
	}
	before := 0
	switch {
	case f.kind == pushFrame:
		before = 4
	case f.flags&flagPriority != 0:
		before = 5
	}
	if before > len(b) {
		return nil, false
	}
	return b[before:], true
}

// streamOf is the stream of a header; a new one if the client begins it. Headers of
// others are read all the same, because later ones refer to them.
func (p *parser) streamOf(d flow.Dir, f frame) *stream {
	t := p.streams[f.stream]
	if t != nil || f.kind != headersFrame || d != flow.ToServer || f.stream%2 == 0 || len(p.streams) >= maxStreams {
		return t
	}
	t = &stream{may: p.sides[flow.ToServer].first}
	p.streams[f.stream] = t
	return t
}

// field takes a name and its value.
func (p *parser) field(h hpack.HeaderField) {
	t := p.now
	if t == nil {
		return
	}
	switch h.Name {
	case ":method":
		t.method = cmp.Or(http.Method([]byte(h.Value)), "?")
	case ":path":
		t.path = h.Value[:min(len(h.Value), maxText)]
	case ":status":
		t.status, _ = strconv.Atoi(h.Value[:min(len(h.Value), 3)])
	case "content-type":
		const grpc = "application/grpc"
		if p.dir == flow.ToServer && len(h.Value) >= len(grpc) && h.Value[:len(grpc)] == grpc {
			t.grpc = true
		}
	case "grpc-status":
		t.outcome = h.Value
	case "grpc-message":
		t.why = h.Value[:min(len(h.Value), 256)]
	}
}

// headed takes a whole header.
func (p *parser) headed(d flow.Dir, s *side, t *stream) {
	id := s.header.stream
	if d == flow.ToServer {
		q := p.table.Find(uint64(id))
		if q == nil {
			q = p.table.Open(uint64(id))
			q.Command = t.method
			if t.path != "" {
				q.SetText([]byte(t.path), maxText)
			}
			if s.blind {
				q.Command = "?"
				q.Doubt |= proto.Approximate
			}
		}
		pair.Join(&q.Request, &s.block)
		q.Doubt |= s.Doubt
		t.ended(s.header.flags)
		return
	}
	if t.status >= 100 && t.status < 200 && s.header.flags&flagEndStream == 0 {
		t.status = 0
		return // an interim answer
	}
	p.answered(id, t, s.block, s.Doubt, s.header.flags)
}

// ended notes that the client has said all, if a frame says so.
func (t *stream) ended(flags byte) {
	if flags&flagEndStream != 0 {
		t.asked = true
		t.early = !t.answer.Empty()
	}
}

// content takes a part of a body, with its padding.
func (p *parser) content(d flow.Dir, b []byte) {
	s := &p.sides[d]
	t := p.streams[s.frame.stream]
	if d != flow.ToClient || t == nil || !t.grpc && !p.cut {
		return
	}
	if s.frame.padded < 0 {
		s.frame.padded = int(b[0])
		b = b[1:]
	}
	if rest := int(s.Left()); s.frame.padded > 0 { // of what follows, only what is no padding
		b = b[:max(0, len(b)-max(0, s.frame.padded-rest))]
	}
	t.messages.take(b)
}

// data takes a whole frame of a body.
func (p *parser) data(d flow.Dir, f frame) {
	s := &p.sides[d]
	t := p.streams[f.stream]
	size := s.Span.Bytes() - headerSize
	if d == flow.ToClient {
		p.sides[flow.ToServer].may -= size
	}
	if t == nil {
		return
	}
	if d == flow.ToServer {
		if q := p.table.Find(uint64(f.stream)); q != nil {
			pair.Join(&q.Request, &s.Span)
			q.Doubt |= s.Doubt
		}
		t.ended(f.flags)
		return
	}
	t.may -= size
	if p.window && f.flags&flagEndStream == 0 && (t.may <= 0 || p.sides[flow.ToServer].may <= 0) {
		t.waited = true
	}
	p.answered(f.stream, t, s.Span, s.Doubt, f.flags)
}

// answered takes a part of an answer.
func (p *parser) answered(id uint32, t *stream, part proto.Span, doubt proto.Doubt, flags byte) {
	pair.Join(&t.answer, &part)
	t.doubt |= doubt
	if flags&flagEndStream != 0 {
		p.finish(id, t)
	}
}

// finish gives out an exchange that is complete.
func (p *parser) finish(id uint32, t *stream) {
	if p.outcome(id, t) {
		p.table.Answered(uint64(id))
	}
}

// outcome fills in what is known of an answer; false if nobody asked for it.
func (p *parser) outcome(id uint32, t *stream) bool {
	delete(p.streams, id)
	q := p.table.Find(uint64(id))
	if q == nil {
		return false
	}
	streams := t.messages.count > 1 || t.messages.count > 0 && (t.early || !t.asked)
	switch {
	case t.waited || t.grpc && streams:
		q.Doubt |= proto.Blocking
	case p.cut && streams:
		q.Doubt |= proto.Lossy // it may be a call of gRPC: what says so was cut off
	}
	e := &p.table.Now
	e.Response, e.Doubt = t.answer, t.doubt
	switch {
	case t.outcome != "" && t.outcome != "0":
		e.Failed, e.Code, e.Error = true, statusName(t.outcome), t.why
	case t.status > 0:
		e.Code = http.Status(t.status)
		e.Failed = t.status >= 400 && t.status < 600
	}
	return true
}

// reset takes the end of a stream before its time.
func (p *parser) reset(d flow.Dir, id, code uint32) {
	t := p.streams[id]
	if t == nil {
		return
	}
	q := p.table.Find(uint64(id))
	delete(p.streams, id)
	switch {
	case q == nil:
	case d == flow.ToServer: // the client has given up
		p.table.GiveUp(uint64(id))
	default:
		pair.Join(&t.answer, &p.sides[d].Span)
		e := &p.table.Now
		e.Response, e.Doubt = t.answer, t.doubt
		e.Failed, e.Code = true, resetName(code)
		p.table.Answered(uint64(id))
	}
}
