// Package websocket decodes WebSocket (RFC 6455), which begins with an upgrade of HTTP/1.1 on the
// same connection.
//
// WebSocket has messages and no requests. What is known for certain is that a ping of the client is
// answered by the server's pong with the same payload, and a close by a close. That a message of
// the server answers one of the client is a guess, marked proto.Approximate: a message of the client
// and the next message that the server begins after it are an exchange. Where
// the client sent several before the server's next, it is the last of them, also marked
// proto.Ambiguous, and the others are given out as without answer. What the server sends while
// nothing waits belongs to nothing.
//
// Command is the type of the message: text, binary, ping, close. There is no Text: payloads are
// not looked at, compressed (permessage-deflate) or not. A close of the server with a status that
// is an error (1002, 1011) fails what waits; Code is the status, Error its reason. No message is
// known to ask the server to wait.
package websocket

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder. It has no ports: upgrades tell, or frames that fit to the
// byte in both directions.
var Protocol = proto.Protocol{Name: "websocket", Sniff: sniff, New: newParser}

const (
	// maxFrame is the longest frame that is believed. There is no limit but that of its
	// number.
	maxFrame = 1 << 40
	// maxPings bounds the pings under way.
	maxPings   = 64
	maxControl = 125 // bytes of the payload of a control frame
)

// Opcodes.
const (
	continuation = 0x0
	text         = 0x1
	binary       = 0x2
	closing      = 0x8
	ping         = 0x9
	pong         = 0xa
)

var commands = [...]string{continuation: "?", text: "text", binary: "binary", closing: "close", ping: "ping"}

// message is one that is being sent, or waits.
type message struct {
	span    proto.Span
	doubt   proto.Doubt
	command string // "": there is none
}

func (m *message) there() bool { return m.command != "" }

type parser struct {
	sink     proto.Sink
	scratch  *proto.Scratch
	controls pair.Table // pings by their payloads, and a close
	streams  framed.Streams
	frames   [2]frame
	payloads [2]framed.Prefix
	payload  [2][maxControl]byte // of the control frame under way
	size     [2]int
	messages [2]message // under way
	waits    message    // of the client, without an answer
	asked    message    // that is answered by the server's message under way
	crowded  bool       // others were sent before the one that waits, since the server's last
	closed   bool       // the server has begun to close
}

var format = framed.Format{Header: minHeader, Extent: extent, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	return &parser{sink: sink, scratch: proto.ScratchOf(sink), controls: pair.NewTable(sink, maxPings), streams: framed.NewStreams(midway)}
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) { p.streams[c.Dir].Data(&format, p, c) }

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) { p.streams[d].Gap(&format, p, d, n) }

// Begin takes the header of a frame.
func (p *parser) Begin(d flow.Dir, header []byte) {
	f := frameOf(header)
	p.frames[d] = f
	if f.opcode >= closing {
		p.payloads[d].Begin(&p.scratch.Buffers)
		p.size[d] = 0
		return
	}
	if f.opcode != continuation || !p.messages[d].there() {
		p.messages[d] = message{command: commands[f.opcode]}
		if d == flow.ToClient && !p.asked.there() {
			p.asked, p.waits = p.waits, message{}
		}
	}
}

// Body takes a part of a frame.
func (p *parser) Body(d flow.Dir, data []byte) {
	if p.frames[d].opcode < closing {
		return
	}
	if b, ok := p.payloads[d].Take(&p.scratch.Buffers, data, maxControl, p.streams[d].Left() == 0); ok {
		p.keep(d, b)
	}
}

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, _ int64) {
	if b, ok := p.payloads[d].Rest(); ok && p.frames[d].opcode >= closing {
		p.keep(d, b)
	}
}

// keep keeps the payload of a control frame without its mask.
func (p *parser) keep(d flow.Dir, b []byte) {
	p.size[d] = copy(p.payload[d][:], b)
	if f := &p.frames[d]; f.masked {
		for i := range p.payload[d][:p.size[d]] {
			p.payload[d][i] ^= f.mask[i%len(f.mask)]
		}
	}
}

// Lost is told that a direction is out of step: what waits may have been answered.
func (p *parser) Lost(d flow.Dir) {
	p.controls.Tear()
	p.messages[d] = message{}
	p.abandon(proto.Lossy)
}

// abandon gives out what waits. It may be a message that nobody meant to answer.
func (p *parser) abandon(doubt proto.Doubt) {
	for _, m := range []*message{&p.asked, &p.waits} {
		if m.there() {
			m.doubt |= doubt | proto.Ambiguous
			p.give(m, proto.Unanswered)
		}
		*m = message{}
	}
}

// Complete takes a frame.
func (p *parser) Complete(d flow.Dir) {
	f, stream := &p.frames[d], &p.streams[d]
	if f.opcode >= closing {
		p.control(d, f.opcode)
		return
	}
	m := &p.messages[d]
	pair.Join(&m.span, &stream.Span)
	m.doubt |= stream.Doubt
	switch {
	case !f.last:
		return
	case d == flow.ToServer:
		p.asks()
	case p.asked.there():
		p.answers("", "")
	}
	*m = message{}
}

// asks takes a whole message of the client.
func (p *parser) asks() {
	if p.waits.there() {
		p.crowded = true
		p.give(&p.waits, proto.NoAnswer)
	}
	p.waits = p.messages[flow.ToServer]
}

// answers gives out the message that the one of the server answers, with the status and the
// reason of an error.
func (p *parser) answers(code, why string) {
	m := &p.messages[flow.ToClient]
	e := p.exchange(&p.asked)
	e.Status, e.Response = proto.Answered, m.span
	e.Doubt |= m.doubt
	e.Failed, e.Code, e.Error = code != "" || why != "", code, why
	p.asked, p.crowded = message{}, false
	p.sink.Exchange(e)
}

// exchange is one that begins with a message of the client.
func (p *parser) exchange(m *message) *proto.Exchange {
	e := &p.scratch.Exchange
	*e = proto.Exchange{Request: m.span, Command: m.command, Doubt: m.doubt | proto.Approximate, Rows: proto.RowsNone, Depth: 1}
	if p.crowded {
		e.Doubt |= proto.Ambiguous
	}
	return e
}

// give gives out a message of the client that was not answered.
func (p *parser) give(m *message, as proto.Status) {
	e := p.exchange(m)
	e.Status = as
	p.sink.Exchange(e)
}

// End gives out what is left.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	if p.asked.there() && p.partial() {
		p.controls.Broken(how)
		e := &p.controls.Now
		p.messages[flow.ToClient].doubt |= e.Doubt
		p.answers("", e.Error)
		p.controls.Forget()
	}
	p.abandon(0)
	p.payloads[0].Begin(&p.scratch.Buffers)
	p.payloads[1].Begin(&p.scratch.Buffers)
	p.controls.End()
}

// partial says whether a part of the server's message has come, and makes it its span.
func (p *parser) partial() bool {
	m, s := &p.messages[flow.ToClient], &p.streams[flow.ToClient]
	if s.Within() && p.frames[flow.ToClient].opcode < closing {
		pair.Join(&m.span, &s.Span)
	}
	return !m.span.Empty()
}

// Progress says what the connection is doing. Whether a message is to be answered, nobody knows.
func (p *parser) Progress() proto.Progress {
	switch {
	case p.asked.there():
		return proto.Answering
	case p.controls.Len() > 0:
		return proto.Waiting
	}
	return proto.Unclear
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool { return p.streams.Seeking() }

// Owes says whether the server owes a pong or a close.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && p.streams.Between()
}
