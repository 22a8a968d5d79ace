// Package mqtt decodes MQTT 3.1, 3.1.1 and 5 (https://docs.oasis-open.org/mqtt/mqtt/v5.0/mqtt-v5.0.html)
// as brokers and their clients speak it over TCP.
//
// An exchange is a packet of the client and the broker's answer, paired by packet
// identifier. Command is the type of the packet, Text the topic of a PUBLISH, also where
// an alias stands for it, or the first topic filter of a SUBSCRIBE or an UNSUBSCRIBE;
// TextCut says that there are more. Never shown are payloads, properties, names of users
// and clients, passwords and wills.
//
// A PUBLISH with QoS 1 is answered by PUBACK, one with QoS 2 by PUBREC; its PUBREL, answered by
// PUBCOMP, is an exchange of its own. Failed and Code are the return code or reason code of the
// answer by name, of SUBACK and UNSUBACK the first that is an error. A DISCONNECT of the
// broker with such a code answers what has waited longest.
//
// A PUBLISH with QoS 0 and a DISCONNECT have no answer. What the broker publishes to
// subscribers, and what these acknowledge, is no exchange: how long a subscriber takes is no
// time of the broker. No packet asks the broker to wait.
package mqtt

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder.
var Protocol = proto.Protocol{Name: "mqtt", Ports: []uint16{1883}, Sniff: sniff, New: newParser}

const (
	minHeader = 2 // type and flags, and the first byte of the length
	maxHeader = 5
	// maxPending bounds the requests under way: packet identifiers have 16 bits, brokers
	// and clients have 20 to some hundred under way.
	maxPending = 1024
	maxText    = 128 // of the 65,535 bytes that a topic may have
	maxPrefix  = 512 // bytes of a body that are looked at: topics and properties
	// maxAliases bounds the topics that are kept for their aliases, as brokers do (10
	// unless configured).
	maxAliases = 16
)

type parser struct {
	table   pair.Table
	scratch *proto.Scratch
	streams framed.Streams
	bodies  [2]framed.Prefix
	first   [2]byte // type and flags of the packet under way
	said    packet  // what the packet under way of the client says
	answer  answer  // what that of the broker says
	version byte    // of the protocol: 3, 4, 5; 0: not known
	aliases map[uint16][]byte
}

var format = framed.Format{Header: minHeader, Extent: extent, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	return &parser{table: pair.NewTable(sink, maxPending), scratch: proto.ScratchOf(sink), streams: framed.NewStreams(midway)}
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) { p.streams[c.Dir].Data(&format, p, c) }

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) { p.streams[d].Gap(&format, p, d, n) }

// Begin takes the header of a packet.
func (p *parser) Begin(d flow.Dir, header []byte) {
	p.bodies[d].Begin(&p.scratch.Buffers)
	p.first[d] = header[0]
	if d == flow.ToServer {
		p.said = packet{topic: p.said.topic[:0]}
	} else {
		p.answer = answer{}
	}
}

// Body takes a part of a packet.
func (p *parser) Body(d flow.Dir, data []byte) {
	ends := p.streams[d].Left() == 0
	if prefix, ok := p.bodies[d].Take(&p.scratch.Buffers, data, maxPrefix, ends); ok {
		p.understand(d, prefix, ends)
	}
}

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, _ int64) {
	if prefix, ok := p.bodies[d].Rest(); ok {
		p.understand(d, prefix, false)
	}
}

// understand reads the beginning of a body, or all of it.
func (p *parser) understand(d flow.Dir, prefix []byte, whole bool) {
	if d == flow.ToServer {
		p.read(prefix)
	} else if kind := p.first[d] >> 4; kind != publish {
		p.answer.read(kind, prefix)
		if q := p.table.Find(key(kind, p.answer.id)); q != nil && whole && (kind == suback || kind == unsuback) {
			p.answer.each(prefix, int(q.Tag))
		}
	}
}

// Lost is told that a direction is out of step.
func (p *parser) Lost(flow.Dir) { p.table.Tear() }

// Complete takes a packet.
func (p *parser) Complete(d flow.Dir) {
	if prefix, ok := p.bodies[d].Rest(); ok {
		p.understand(d, prefix, true)
	}
	switch kind := p.first[d] >> 4; {
	case d == flow.ToServer:
		p.request(kind)
	case kind == disconnect:
		p.sentAway()
	case kind != publish && kind != pubrel:
		p.collect()
		p.table.Answered(key(kind, p.answer.id))
	}
}

// key is the number under which a request waits for an answer of a kind. CONNECT and AUTH
// are answered by CONNACK, or by AUTH if more is to be said.
func key(answer byte, id uint16) uint64 {
	if answer == auth {
		answer = connack
	}
	return uint64(answer)<<16 | uint64(id)
}

// request takes a packet of the client.
func (p *parser) request(kind byte) {
	m := &p.said
	answer := answers[kind]
	if kind == publish {
		answer = [...]byte{0, puback, pubrec, 0}[qos(p.first[flow.ToServer])]
	}
	if answer == 0 && kind != publish && kind != disconnect {
		return // what subscribers acknowledge
	}
	k := key(answer, m.id)
	if answer != 0 && p.table.Find(k) != nil {
		p.table.Tear() // identifiers are not used twice at a time: the answer was missed
	}
	q := p.table.Open(k)
	q.Request = p.streams[flow.ToServer].Span
	q.Doubt |= p.streams[flow.ToServer].Doubt
	q.Command, q.Tag = names[kind], uint32(m.filters)
	q.SetText(m.topic, maxText)
	q.TextCut = q.TextCut || m.filters > 1
	if answer == 0 {
		p.table.Unanswerable()
	}
}

// collect is the packet of the broker as an answer.
func (p *parser) collect() {
	e := &p.table.Now
	e.Response = p.streams[flow.ToClient].Span
	e.Doubt |= p.streams[flow.ToClient].Doubt
	e.Code = p.answer.code
	e.Failed = e.Code != ""
}

// sentAway takes a DISCONNECT of the broker.
func (p *parser) sentAway() {
	if p.answer.code != "" && p.table.Len() > 0 {
		p.collect()
		p.table.AnsweredOldest()
	}
}

// End gives out what is left.
func (p *parser) End(flow.Stamp, flow.Ending) {
	p.bodies[0].Begin(&p.scratch.Buffers)
	p.bodies[1].Begin(&p.scratch.Buffers)
	p.table.End()
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	return p.streams.Progress(false, p.table.Len())
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool { return p.streams.Seeking() }

// Owes says whether the broker has a whole packet and owes its answer.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && p.streams.Between()
}
