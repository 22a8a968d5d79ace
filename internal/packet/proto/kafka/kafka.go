// Package kafka decodes the protocol of Apache Kafka and of those that speak like it
// (https://kafka.apache.org/protocol).
//
// An exchange is a request and its answer, paired by the correlation id that both
// carry. Command is the name of the API (Produce, Fetch, JoinGroup), Text the first
// topic of a Produce or a Fetch, where names of topics are sent (up to version 12;
// later ones have only their ids); TextCut says that there are more. Clients that
// fetch name their topics once and then say nothing of them: what a connection named
// last stands for these too. Never shown are keys, records, groups and clients.
//
// Failed and Code are the error of the answer as a whole, or of its first topic and
// partition, where it is near the beginning: of Produce, Fetch, Metadata, ListOffsets,
// OffsetCommit, FindCoordinator, CreateTopics, DeleteTopics, and of what groups, transactions and logins need.
//
// A Produce with acks=0 has no answer. The server waits with its answer because it is
// asked to: to Fetch, until there is something to fetch or max_wait_ms are over; to
// JoinGroup and SyncGroup, until all members have come. They are marked
// proto.Blocking, and so is what was sent behind them before they were answered:
// brokers work on one request of a connection at a time.
package kafka

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder. 9092 is the port of brokers, 9093 of further listeners and
// of controllers, 9094 and 9095 of what tutorials add beside them.
var Protocol = proto.Protocol{Name: "kafka", Ports: []uint16{9092, 9093, 9094, 9095}, Sniff: sniff, New: newParser}

const (
	headerSize = 8 // a length, and key and version of the API, or the correlation id of an answer
	// maxRequest is the longest request that brokers take unless configured
	// (socket.request.max.bytes), maxAnswer the longest answer that is believed.
	maxRequest = 100 << 20
	maxAnswer  = 1 << 30
	// maxPending bounds the requests under way. Clients have five on a connection
	// (max.in.flight.requests.per.connection), some have hundreds.
	maxPending = 1024
	maxText    = 249     // bytes of the name of a topic, as Kafka limits it
	maxPrefix  = 2 << 10 // bytes of a body that are looked at: names, ids and the brokers of a cluster
	lastKey    = len(apis) - 1
)

// The tag of a request has the key of its API in the lowest byte, and above it the
// version; the highest bit says that whether the server may wait was cut off.
const (
	versionBits = 8
	untoldWait  = 1 << 31
)

type parser struct {
	table   pair.Table
	scratch *proto.Scratch
	streams framed.Streams
	bodies  [2]framed.Prefix
	asking  request
	reply   reply
	fetched []byte // the topic that was named last in a Fetch
	more    bool   // and others with it
	foreign bool   // a login of another form goes on: messages are no requests
}

// request is what is known of the request being read.
type request struct {
	key, version int16
	id           uint32
	cut          bool // a part of its body was not captured
	known        bool // the beginning of its body was understood
	silent       bool // no answer will come
	waits        bool // the server is asked to wait
	topic        []byte
	more         bool // topics
}

// reply is what is known of the answer being read.
type reply struct {
	id   uint32
	code int16
}

var format = framed.Format{Header: headerSize, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	return &parser{table: pair.NewTable(sink, maxPending), scratch: proto.ScratchOf(sink), streams: framed.NewStreams(midway)}
}

// length is how long a message is; 0 if this is no header of one.
func length(d flow.Dir, header []byte) int64 {
	be := binary.BigEndian
	size := int64(be.Uint32(header))
	if d == flow.ToClient {
		if size < 4 || size > maxAnswer || int32(be.Uint32(header[4:])) < 0 {
			return 0
		}
		return size + 4
	}
	const least = 10 // up to the correlation id and the length of the client's name
	if size < least || size > maxRequest || !plausible(int16(be.Uint16(header[4:])), int16(be.Uint16(header[6:]))) {
		return 0
	}
	return size + 4
}

// plausible says whether there is such an API, in such a version or may soon be.
func plausible(key, version int16) bool {
	return key >= 0 && int(key) <= lastKey && version >= 0 && version <= apis[key].newest+later
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) { p.streams[c.Dir].Data(&format, p, c) }

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) { p.streams[d].Gap(&format, p, d, n) }

// Begin takes the header of a message.
func (p *parser) Begin(d flow.Dir, header []byte) {
	be := binary.BigEndian
	p.bodies[d].Begin(&p.scratch.Buffers)
	if d == flow.ToClient {
		p.reply = reply{id: be.Uint32(header[4:])}
		return
	}
	p.asking = request{key: int16(be.Uint16(header[4:])), version: int16(be.Uint16(header[6:])), topic: p.asking.topic[:0]}
}

// Body takes a part of a message.
func (p *parser) Body(d flow.Dir, data []byte) {
	if prefix, ok := p.bodies[d].Take(&p.scratch.Buffers, data, maxPrefix, p.streams[d].Left() == 0); ok {
		p.understand(d, prefix)
	}
}

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, _ int64) {
	if d == flow.ToServer {
		p.asking.cut = true
	}
	if prefix, ok := p.bodies[d].Rest(); ok {
		p.understand(d, prefix)
	}
}

// understand reads the beginning of a body, which may be cut short.
func (p *parser) understand(d flow.Dir, prefix []byte) {
	if d == flow.ToServer {
		p.asking.read(prefix)
		return
	}
	if q := p.table.Find(uint64(p.reply.id)); q != nil {
		key := int16(q.Tag & (1<<versionBits - 1))
		p.reply.code = outcome(key, int16(q.Tag>>versionBits), prefix)
	}
}

// Lost is told that a direction is out of step.
func (p *parser) Lost(flow.Dir) { p.table.Tear() }

// Complete takes a message.
func (p *parser) Complete(d flow.Dir) {
	if prefix, ok := p.bodies[d].Rest(); ok {
		p.understand(d, prefix)
	}
	if d == flow.ToServer {
		p.request()
		return
	}
	if p.foreign && p.table.Find(uint64(p.reply.id)) == nil {
		return
	}
	p.answer()
}

// request takes a whole request.
func (p *parser) request() {
	r := &p.asking
	behind := p.table.Newest()
	waits := r.waits || behind != nil && behind.Doubt&proto.Blocking != 0
	untold := behind != nil && behind.Tag&untoldWait != 0
	if p.table.Find(uint64(r.id)) != nil {
		p.table.Tear() // clients count: the answer was missed
	}
	q := p.table.Open(uint64(r.id))
	q.Request = p.streams[flow.ToServer].Span
	q.Doubt |= p.streams[flow.ToServer].Doubt
	q.Command = apis[r.key].name
	q.Tag = uint32(r.key) | uint32(r.version)<<versionBits
	if !r.known {
		q.Doubt |= proto.Approximate
	}
	p.name(q)
	p.foreign = r.key == saslHandshake && r.version == 0
	switch {
	case r.silent:
		p.table.Unanswerable()
	case waits:
		q.Doubt |= proto.Blocking
	case untold || r.cut && !r.known && (r.key == fetch || r.key == shareFetch):
		q.Doubt |= proto.Lossy // how long the server may wait was cut off
		q.Tag |= untoldWait
	}
}

// name says which topic the request is for.
func (p *parser) name(q *pair.Pending) {
	r := &p.asking
	switch {
	case r.key == fetch && len(r.topic) > 0:
		p.fetched, p.more = append(p.fetched[:0], r.topic...), r.more
		fallthrough
	case r.key == produce:
		q.SetText(r.topic, maxText)
		q.TextCut = r.more
	case r.key == fetch && r.known:
		q.SetText(p.fetched, maxText)
		q.TextCut = p.more && len(p.fetched) > 0
	}
}

// answer gives out what was answered.
func (p *parser) answer() {
	e := &p.table.Now
	e.Response = p.streams[flow.ToClient].Span
	e.Doubt |= p.streams[flow.ToClient].Doubt
	if p.reply.code != 0 {
		e.Failed, e.Code = true, errorName(p.reply.code)
	}
	p.table.Answered(uint64(p.reply.id))
}

// End gives out what is left.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	if p.answering() {
		p.table.Broken(how)
		p.answer()
	}
	p.bodies[0].Begin(&p.scratch.Buffers)
	p.bodies[1].Begin(&p.scratch.Buffers)
	p.table.End()
}

// answering says that the answer to a request that is known has begun.
func (p *parser) answering() bool {
	return p.streams[flow.ToClient].Headed() && p.table.Find(uint64(p.reply.id)) != nil
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	return p.streams.Progress(p.answering(), p.table.Len())
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool { return p.streams.Seeking() }

// Owes says whether the server has a whole request and owes its answer.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && p.streams.Between() && p.table.Oldest().Doubt&proto.Blocking == 0
}
