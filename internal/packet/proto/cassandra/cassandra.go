// Package cassandra decodes the native protocol of Apache Cassandra, ScyllaDB and those
// that speak like them, versions 3 to 5
// (https://cassandra.apache.org/doc/latest/cassandra/reference/native-protocol.html).
//
// An exchange is a request and its answer, paired by stream. Command is the opcode, Text the
// statement of a Query or a Prepare as it was sent, of a Batch its first one; TextCut says that
// there are more. An Execute names a statement by its number: Text is what was prepared on the same
// connection, or prepared_ and the beginning of the number, which is a hash of the statement
// and the same on all connections. Never shown are bound values and logins.
//
// Failed and Code are the error of the answer by name, Error its message, Rows the rows of this
// page. All requests have answers, and none asks the server to wait. Events that the server
// sends by itself are no answers.
//
// From version 5 on messages travel in segments, which may be compressed: what lies in one
// segment came in the same packets, and has the bytes of the whole segment. Before, bodies may be
// compressed: LZ4 is inflated, of Snappy only opcodes and times are known.
package cassandra

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder.
var Protocol = proto.Protocol{Name: "cassandra", Ports: []uint16{9042}, Sniff: sniff, New: newParser}

const (
	headerSize = 9 // version, flags, stream, opcode, length
	// maxBody is the longest body that is believed: what version 5 allows.
	maxBody = 256 << 20
	// maxPending bounds the requests under way: drivers have up to 1,024 on a connection
	// unless configured.
	maxPending = 2048
	maxText    = 4096
	maxPrefix  = 8 << 10 // bytes of a body that are looked at, compressed or not: a statement and its values
)

// Bits of the flags.
const (
	compressed = 1 << iota
	traced
	hasPayload
	warned
	allFlags = 1<<5 - 1
)

// header is what a message begins with.
type header struct {
	version, flags, opcode byte
	stream                 int16
}

func headerOf(b []byte) header {
	return header{version: b[0] & 0x7f, flags: b[1], stream: int16(binary.BigEndian.Uint16(b[2:])), opcode: b[4]}
}

type parser struct {
	table    pair.Table
	scratch  *proto.Scratch
	messages framed.Streams
	bodies   [2]framed.Prefix
	headers  [2]header
	asking   request
	reply    reply
	snappy   bool // bodies are compressed with it
	packs    bool // the client has asked for segments that are compressed
	prepared statements
	segments segments
}

var format = framed.Format{Header: headerSize, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	p := &parser{table: pair.NewTable(sink, maxPending), scratch: proto.ScratchOf(sink), messages: framed.NewStreams(midway)}
	p.segments.parser = p
	return p
}

// length is how long a message is; 0 if this is no header of one.
func length(d flow.Dir, b []byte) int64 {
	h, size := headerOf(b), int64(binary.BigEndian.Uint32(b[5:]))
	answer := b[0] >= 0x80
	switch {
	case h.version < 3 || h.version > 5, h.flags > allFlags, size > maxBody, answer != (d == flow.ToClient):
		return 0
	case answer && (!isAnswer[h.opcode&31] || h.opcode > maxOpcode || h.stream < 0 && h.opcode != event),
		!answer && (h.opcode > maxOpcode || commands[h.opcode] == "" || h.stream < 0):
		return 0
	}
	return headerSize + size
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) {
	s := &p.segments
	if !s.used() && p.messages[c.Dir].Lost() {
		s.recognise(c.Data)
	}
	if s.used() {
		s.streams[c.Dir].Data(s.kind, s, c)
		return
	}
	p.messages[c.Dir].Data(&format, p, c)
}

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) {
	if s := &p.segments; s.used() {
		s.streams[d].Gap(s.kind, s, d, n)
		return
	}
	p.messages[d].Gap(&format, p, d, n)
}

// Begin takes the header of a message.
func (p *parser) Begin(d flow.Dir, head []byte) {
	p.bodies[d].Begin(&p.scratch.Buffers)
	p.headers[d] = headerOf(head)
	p.segments.begin(d)
	if d == flow.ToServer {
		p.asking = request{text: p.asking.text[:0]}
	} else {
		p.reply = reply{rows: proto.RowsNone}
	}
}

// Body takes a part of a message.
func (p *parser) Body(d flow.Dir, data []byte) {
	if prefix, ok := p.bodies[d].Take(&p.scratch.Buffers, data, maxPrefix, p.messages[d].Left() == 0); ok {
		p.understand(d, prefix)
	}
}

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, _ int64) {
	if prefix, ok := p.bodies[d].Rest(); ok {
		p.understand(d, prefix)
	}
}

// understand reads the beginning of a body, which may be cut short.
func (p *parser) understand(d flow.Dir, prefix []byte) {
	h := &p.headers[d]
	if h.flags&compressed != 0 && h.version < 5 {
		const size = 4 // of the body, in front of the block
		if p.snappy || len(prefix) < size {
			return
		}
		b := p.scratch.Buffers.Get()
		defer p.scratch.Buffers.Put(&b)
		room := int(min(binary.BigEndian.Uint32(prefix), maxPrefix))
		b.B = inflate(b.B, prefix[size:], room)
		prefix = b.B
	}
	if d == flow.ToServer {
		p.ask(h, prefix)
	} else {
		p.reply.read(h, prefix)
	}
}

// Lost is told that a direction is out of step.
func (p *parser) Lost(flow.Dir) { p.table.Tear() }

// Complete takes a message.
func (p *parser) Complete(d flow.Dir) {
	if prefix, ok := p.bodies[d].Rest(); ok {
		p.understand(d, prefix)
	}
	h := p.headers[d]
	switch {
	case d == flow.ToServer:
		p.request(h)
	case h.opcode != event:
		p.answer(h)
	}
}

// request takes a whole request.
func (p *parser) request(h header) {
	if p.table.Find(uint64(h.stream)) != nil {
		p.table.Tear() // streams are not used twice at a time: the answer was missed
	}
	q := p.table.Open(uint64(h.stream))
	p.carried(flow.ToServer, &q.Request, &q.Doubt)
	q.Command, q.Tag = commands[h.opcode], uint32(h.opcode)
	q.SetText(p.asking.text, maxText)
	q.TextCut = q.TextCut || p.asking.cut
}

// carried says which packets carried a message.
func (p *parser) carried(d flow.Dir, span *proto.Span, doubt *proto.Doubt) {
	*span = p.messages[d].Span
	*doubt |= p.messages[d].Doubt
	if p.segments.used() {
		*span = p.segments.spans[d]
		*doubt |= p.segments.streams[d].Doubt
	}
}

// answer gives out the request that was answered.
func (p *parser) answer(h header) {
	r, e := &p.reply, &p.table.Now
	p.carried(flow.ToClient, &e.Response, &e.Doubt)
	e.Rows = r.rows
	if h.opcode == failure {
		e.Failed, e.Code, e.Error = true, errorName(r.code), string(r.text)
	}
	if q := p.table.Find(uint64(h.stream)); q != nil {
		switch {
		case q.Tag == prepare && len(r.id) > 0:
			p.prepared.put(string(r.id), q.Text(), q.TextCut)
		case q.Tag == startup && h.version >= 5 && (h.opcode == ready || h.opcode == authenticate):
			p.segments.use(kinds[p.packs])
		}
	}
	p.table.Answered(uint64(h.stream))
}

// End gives out what is left.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	if h := p.headers[flow.ToClient]; p.answering() {
		p.table.Broken(how)
		p.answer(h)
	}
	p.bodies[0].Begin(&p.scratch.Buffers)
	p.bodies[1].Begin(&p.scratch.Buffers)
	p.segments.end()
	p.table.End()
}

// answering says that the answer to a request that is known has begun.
func (p *parser) answering() bool {
	h := p.headers[flow.ToClient]
	return p.messages[flow.ToClient].Headed() && h.opcode != event && p.table.Find(uint64(h.stream)) != nil
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	is := p.messages.Progress(p.answering(), p.table.Len())
	if is == proto.Idle && p.segments.streams[flow.ToClient].Within() {
		return proto.Unclear
	}
	return is
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool {
	return p.segments.used() && p.segments.streams.Seeking() || p.messages.Seeking()
}

// Owes says whether the server has a whole request and owes its answer.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && p.messages.Between() && p.segments.streams.Between()
}
