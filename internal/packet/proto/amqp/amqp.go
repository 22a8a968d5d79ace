// Package amqp decodes AMQP 0-9-1 (https://www.rabbitmq.com/resources/specs/amqp0-9-1.pdf)
// with RabbitMQ's extensions: publisher confirms, basic.nack, connection.blocked. AMQP 1.0
// is another protocol and is not decoded.
//
// An exchange is a method of the client and the answer of the server on the same
// channel: queue.declare and queue.declare-ok. Command is the name of the method, Text the
// queue or the exchange that it names, of basic.publish the exchange, or the routing key
// where that is the default exchange, of which the routing key is the queue. Names that servers
// make up are shortened (amq.gen). Never shown are properties, bodies and passwords.
//
// A basic.publish has an answer only in confirm mode: basic.ack or basic.nack, by
// delivery tag. Where the capture begins later, the first acknowledgement of the server tells
// that mode and the tag; publishes after it are Approximate, since others may have been under
// way. Its request ends with the last frame of its body. Failed are exchanges that
// the server answers by closing the channel or the connection (Code is the reply code:
// 404, 406, 530), nacks, and confirmed messages that were returned before (312 NO_ROUTE).
// Rows of basic.get is 1, or 0 for an empty queue.
//
// What the server sends by itself (basic.deliver) is no answer, and how long a consumer
// takes until its basic.ack is no time of the server: acknowledgements of consumers have no
// answer.
package amqp

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder.
var Protocol = proto.Protocol{Name: "amqp", Ports: []uint16{5672}, Sniff: sniff, New: newParser}

const (
	headerSize = 7    // type, channel, size
	frameEnd   = 0xce // the byte behind the payload
	// maxFrame is the longest frame that is believed: servers and clients agree on
	// 128 KB by default.
	maxFrame = 16 << 20
	// maxPending bounds the requests under way: publishers wait for hundreds of
	// confirms at a time.
	maxPending = 1024
	// maxChannels bounds the channels that are known of a connection (channel_max of
	// RabbitMQ: 2,047).
	maxChannels = 2047
	maxText     = 128 // of the 255 bytes that a name may have
	maxPrefix   = 600 // bytes of a payload that are looked at: three short strings at most
)

// Types of frames.
const (
	methodFrame    = 1
	contentFrame   = 2
	bodyFrame      = 3
	heartbeatFrame = 8
)

const (
	preamble = "AMQP\x00\x00\x09\x01"
	// publishBit is set in the numbers under which publishes wait.
	publishBit = 1 << 63
)

// channel is what is known of one.
type channel struct {
	confirms  bool
	inferred  bool       // confirm.select was not captured: delivery tags are counted from an acknowledgement on
	published uint64     // publishes in confirm mode
	confirmed uint64     // all up to this delivery tag are confirmed
	returned  uint16     // code with which a message came back that was not confirmed yet
	content   [2]int64   // bytes of the body still to come, by direction
	within    [2]bool    // a method with content is not complete
	publish   uint64     // number of the request whose content comes
	fetching  bool       // the server's content answers basic.get
	fetched   proto.Span // frames of that answer
	silent    bool       // the publish whose content comes has no answer
}

type frame struct {
	kind    byte
	channel uint16
}

type parser struct {
	table    pair.Table
	scratch  *proto.Scratch
	streams  framed.Streams
	payloads [2]framed.Prefix
	frames   [2]frame
	prefixes [2][]byte // of the frame under way, once there
	channels map[uint16]*channel
}

var format = framed.Format{Header: headerSize, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	return &parser{table: pair.NewTable(sink, maxPending), scratch: proto.ScratchOf(sink), streams: framed.NewStreams(midway), channels: map[uint16]*channel{}}
}

// length is how long a frame is, with the byte that ends it; 0 if this is no header
// of one. The preamble is taken for a frame.
func length(d flow.Dir, header []byte) int64 {
	if string(header) == preamble[:headerSize] {
		return int64(len(preamble))
	}
	size := int64(binary.BigEndian.Uint32(header[3:]))
	switch header[0] {
	case methodFrame, contentFrame, bodyFrame, heartbeatFrame:
	default:
		return 0
	}
	if size > maxFrame || header[0] == heartbeatFrame && size > 0 {
		return 0
	}
	return headerSize + size + 1
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) { p.streams[c.Dir].Data(&format, p, c) }

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) { p.streams[d].Gap(&format, p, d, n) }

// Begin takes the header of a frame.
func (p *parser) Begin(d flow.Dir, header []byte) {
	p.payloads[d].Begin(&p.scratch.Buffers)
	p.prefixes[d] = p.prefixes[d][:0]
	p.frames[d] = frame{kind: header[0], channel: binary.BigEndian.Uint16(header[1:])}
	if header[0] == preamble[0] {
		p.frames[d].kind = heartbeatFrame // says nothing either
	}
}

// Body takes a part of a frame.
func (p *parser) Body(d flow.Dir, data []byte) {
	if p.frames[d].kind != methodFrame && p.frames[d].kind != contentFrame {
		return
	}
	if prefix, ok := p.payloads[d].Take(&p.scratch.Buffers, data, maxPrefix, p.streams[d].Left() == 0); ok {
		p.prefixes[d] = append(p.prefixes[d][:0], prefix...)
	}
}

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, _ int64) {
	if prefix, ok := p.payloads[d].Rest(); ok {
		p.prefixes[d] = append(p.prefixes[d][:0], prefix...)
	}
}

// Lost is told that a direction is out of step: contents under way may be over.
func (p *parser) Lost(d flow.Dir) {
	p.table.Tear()
	p.table.Suspect()
	for _, c := range p.channels {
		c.within[d] = false
		if d == flow.ToServer {
			c.confirms = false // nobody knows the delivery tags any more
		}
	}
}

// Complete takes a frame.
func (p *parser) Complete(d flow.Dir) {
	f := p.frames[d]
	switch f.kind {
	case methodFrame:
		if m, ok := readMethod(p.prefixes[d]); ok {
			p.method(d, f.channel, m)
		}
	case contentFrame, bodyFrame:
		if c := p.channels[f.channel]; c != nil && c.within[d] {
			p.content(d, f, c)
		}
	}
}

// at is what is known of a channel; nil: there are too many.
func (p *parser) at(number uint16) *channel {
	c := p.channels[number]
	if c == nil && len(p.channels) < maxChannels {
		c = &channel{}
		p.channels[number] = c
	}
	return c
}

// content takes a frame of the properties or of the body that follow a method.
func (p *parser) content(d flow.Dir, f frame, c *channel) {
	if f.kind == contentFrame {
		c.content[d] = -1
		if b := p.prefixes[d]; len(b) >= 12 {
			c.content[d] = int64(binary.BigEndian.Uint64(b[4:]))
		}
	} else {
		c.content[d] -= p.streams[d].Span.Bytes() - headerSize - 1
	}
	if d == flow.ToServer {
		if q := p.table.Find(c.publish); q != nil {
			pair.Join(&q.Request, &p.streams[d].Span)
			q.Doubt |= p.streams[d].Doubt
		}
	} else if c.fetching {
		pair.Join(&c.fetched, &p.streams[d].Span)
	}
	if c.content[d] > 0 {
		return
	}
	c.within[d] = false
	switch {
	case d == flow.ToServer && c.silent:
		p.table.Silent(c.publish)
	case d == flow.ToClient && c.fetching:
		c.fetching = false
		e := &p.table.Now
		e.Response, e.Rows = c.fetched, 1
		e.Doubt |= p.streams[d].Doubt
		p.table.Answered(uint64(f.channel))
	}
}

// End gives out what is left.
func (p *parser) End(flow.Stamp, flow.Ending) {
	p.payloads[0].Begin(&p.scratch.Buffers)
	p.payloads[1].Begin(&p.scratch.Buffers)
	p.table.End()
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	return p.streams.Progress(false, p.table.Len())
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool { return p.streams.Seeking() }

// Owes says whether the server has a whole method and owes its answer. A confirm may
// wait for a disk, or for others, but nobody else can go on.
func (p *parser) Owes() bool {
	for _, c := range p.channels {
		if c.within[flow.ToServer] { // a message is not complete
			return false
		}
	}
	return p.Progress() == proto.Waiting && p.streams.Between()
}

// Debt is the oldest request.
func (p *parser) Debt() proto.Debt { return p.table.Debt() }
