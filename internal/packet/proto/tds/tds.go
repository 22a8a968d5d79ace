// Package tds decodes the protocol of Microsoft SQL Server, and of Sybase before they parted
// in TDS 5: TDS 7.0 to 7.4 (MS-TDS, https://learn.microsoft.com/openspecs/windows_protocols/ms-tds).
//
// An exchange is a message of the client and the message of the server that follows. Command
// is Query for a batch of SQL and Execute for procedures that run one (sp_executesql, sp_prepexec, cursors),
// both with the statement as Text; EXEC for other procedures, with their name; Login, Prelogin,
// BulkLoad, and what the transaction manager is asked to do (BEGIN, COMMIT, ROLLBACK, SAVEPOINT). Logins,
// the values of parameters and rows are never shown.
//
// Code is the number of the first error of a severity above 10, Error its text. An answer
// that ends with an error whose text was not near its beginning is Failed without Code. A client that sends
// Attention gives its request up: the server stops it, and its Code is CANCELLED. Rows is
// what the last statement counted.
//
// Where only the login is encrypted, as servers do it by default, it is one message. Where
// all is, exchanges are those of package tls. Several sessions on one connection (MARS) and TDS
// 8.0, which is TLS from the first byte, are not decoded.
package tds

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
	"rtrail/internal/packet/proto/tls"
)

// Protocol is the decoder. 1433 is the port of SQL Server.
var Protocol = proto.Protocol{Name: "tds", Ports: []uint16{1433}, Sniff: sniff, New: newParser}

const (
	headerSize = 8
	maxPacket  = 32767
	// maxPending bounds the requests under way: there is one, but for an early next one.
	maxPending = 16
	maxText    = 4096    // bytes of a statement, as of MySQL
	maxPrefix  = 8 << 10 // bytes of a message that are looked at: a statement in two bytes a letter
)

// Types of messages.
const (
	batch       = 1
	procedure   = 3
	result      = 4
	attention   = 6
	bulkLoad    = 7
	fedAuth     = 8
	transaction = 14
	login       = 16
	sspi        = 17
	prelogin    = 18
	tlsRecord   = 23 // of TLS, not of TDS
)

const lastPacket = 1 // of a message, among the bits of its status

// Tags of requests.
const (
	cancelled = 1 << iota // the client has sent Attention
	secret                // TLS records
	unlisted              // the answer is no list of tokens
)

// message is the one under way in a direction.
type message struct {
	kind   byte
	open   bool
	last   bool // the packet being read is
	span   proto.Span
	doubt  proto.Doubt
	prefix framed.Prefix
	asked  request
	answer answer
}

type parser struct {
	sink       proto.Sink
	queue      pair.Queue
	scratch    *proto.Scratch
	streams    framed.Streams
	messages   [2]message
	attentions int          // that were not acknowledged
	old        bool         // counts have four bytes: before TDS 7.2
	inner      proto.Parser // after both sides changed to TLS
}

var format = framed.Format{Header: headerSize, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	p := &parser{sink: sink, queue: pair.New(sink, maxPending, midway), scratch: proto.ScratchOf(sink), streams: framed.NewStreams(midway)}
	p.queue.Alternate()
	return p
}

// Data takes the next bytes of a direction. A server that speaks TLS after the handshake
// encrypts all that follows.
func (p *parser) Data(c *flow.Chunk) {
	s := &p.streams[c.Dir]
	if p.inner == nil && c.Dir == flow.ToClient && !s.Within() && !s.Lost() && isTLS(c.Data) {
		if p.queue.Len() > 0 && p.queue.Tail().Tag&secret != 0 {
			p.queue.Undo()
		}
		p.inner = tls.Protocol.New(p.sink, true)
	}
	if p.inner != nil {
		p.inner.Data(c)
		return
	}
	s.Data(&format, p, c)
}

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, at flow.Stamp) {
	if p.inner != nil {
		p.inner.Gap(d, n, at)
		return
	}
	p.streams[d].Gap(&format, p, d, n)
}

// Begin takes the header of a packet.
func (p *parser) Begin(d flow.Dir, header []byte) {
	m := &p.messages[d]
	kind, last := header[0], header[1]&lastPacket != 0
	if isTLS(header) {
		kind, last = tlsRecord, true
	}
	if !m.open || m.kind != kind {
		m.prefix.Begin(&p.scratch.Buffers)
		*m = message{kind: kind, open: true, prefix: m.prefix, asked: request{text: m.asked.text[:0]}}
	}
	m.last = last
}

// Body takes a part of a packet.
func (p *parser) Body(d flow.Dir, b []byte) {
	m := &p.messages[d]
	if d == flow.ToClient {
		m.answer.tail.add(b)
	}
	if prefix, ok := m.prefix.Take(&p.scratch.Buffers, b, maxPrefix, m.last && p.streams[d].Left() == 0); ok {
		p.understand(d, prefix)
	}
}

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, _ int64) {
	p.messages[d].answer.tail.reset()
	if prefix, ok := p.messages[d].prefix.Rest(); ok {
		p.understand(d, prefix)
	}
}

// understand reads the beginning of a message, which may be cut short.
func (p *parser) understand(d flow.Dir, prefix []byte) {
	m := &p.messages[d]
	if d == flow.ToServer {
		m.asked.read(m.kind, prefix)
		return
	}
	if q := p.queue.Head(); q == nil || q.Tag&unlisted == 0 {
		m.answer.read(prefix, doneSize(p.old))
	}
}

// Lost is told that a direction is out of step.
func (p *parser) Lost(d flow.Dir) {
	p.messages[d].open = false
	p.queue.Tear()
}

// Complete takes a packet.
func (p *parser) Complete(d flow.Dir) {
	m := &p.messages[d]
	pair.Join(&m.span, &p.streams[d].Span)
	m.doubt |= p.streams[d].Doubt
	if !m.last {
		return
	}
	if prefix, ok := m.prefix.Rest(); ok {
		p.understand(d, prefix)
	}
	m.open = false
	if d == flow.ToServer {
		p.request(m)
	} else {
		p.reply(m)
	}
}

// request takes a message of the client.
func (p *parser) request(m *message) {
	switch {
	case m.kind == attention:
		p.attentions = min(p.attentions+1, maxPending)
		if p.queue.Len() > 0 {
			p.queue.Tail().Tag |= cancelled
		}
		return
	case m.kind == tlsRecord && p.queue.Len() > 0 && p.queue.Tail().Tag&secret != 0:
		pair.Join(&p.queue.Tail().Request, &m.span)
		return
	case m.kind == login:
		p.old = m.asked.old
	}
	q := p.queue.Open(m.span.First.At)
	q.Request = m.span
	q.Doubt |= m.doubt
	q.Command = m.asked.command
	q.SetText(m.asked.text, maxText)
	q.TextCut = q.TextCut || m.asked.cut
	switch m.kind {
	case tlsRecord:
		q.Command, q.Tag = "Login", secret
	case prelogin:
		q.Tag = unlisted
	}
}

// reply takes a message of the server.
func (p *parser) reply(m *message) {
	head := p.queue.Head()
	end := m.answer.tail.done(p.old)
	if end.cancelled && p.attentions > 0 {
		p.attentions--
		if head == nil || head.Tag&cancelled == 0 {
			return // its request was answered before
		}
	}
	e := &p.queue.Now
	e.Response, e.Doubt = m.span, e.Doubt|m.doubt
	if head == nil || head.Tag&unlisted == 0 {
		e.Rows = end.rows
		e.Failed, e.Code, e.Error = end.failed || m.answer.failed, m.answer.code, m.answer.text
		if end.cancelled {
			e.Failed, e.Code = true, "CANCELLED"
		}
	}
	p.queue.Answered()
}

// End gives out what is left.
func (p *parser) End(at flow.Stamp, how flow.Ending) {
	if m := &p.messages[flow.ToClient]; p.inner == nil && m.open && p.queue.Len() > 0 {
		if p.streams[flow.ToClient].Headed() {
			pair.Join(&m.span, &p.streams[flow.ToClient].Span)
		}
		p.queue.Now.Response = m.span
	}
	p.messages[0].prefix.Begin(&p.scratch.Buffers)
	p.messages[1].prefix.Begin(&p.scratch.Buffers)
	p.queue.End(how, false)
	if p.inner != nil {
		p.inner.End(at, how)
	}
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	if p.inner != nil {
		return proto.Unclear
	}
	return p.streams.Progress(p.messages[flow.ToClient].open && p.queue.Len() > 0, p.queue.Len())
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool { return p.streams.Seeking() }

// Owes says whether the server has a whole request and owes its answer.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && !p.messages[flow.ToServer].open && p.streams.Between()
}

// length is how long a packet is, or a record of TLS; 0 if this is no header of one.
func length(d flow.Dir, header []byte) int64 {
	size := int64(binary.BigEndian.Uint16(header[2:]))
	switch header[0] {
	case batch, procedure, attention, bulkLoad, fedAuth, transaction, login, sspi:
		if d != flow.ToServer {
			return 0
		}
	case result:
		if d != flow.ToClient {
			return 0
		}
	case prelogin:
	default:
		if isTLS(header) {
			return 5 + int64(binary.BigEndian.Uint16(header[3:]))
		}
		return 0
	}
	const statusBits, window = 0x1f, 7
	if size < headerSize || size > maxPacket || header[1]&^statusBits != 0 || header[window] != 0 {
		return 0
	}
	return size
}

// isTLS says whether bytes begin with a record of data, of a handshake or of an alert.
func isTLS(b []byte) bool {
	return len(b) >= 5 && b[0] >= 20 && b[0] <= 23 && b[1] == 3 && b[2] <= 4
}
