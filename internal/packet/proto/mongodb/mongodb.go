// Package mongodb decodes the wire protocol of MongoDB, as its servers and what
// speaks like them (FerretDB, DocumentDB) have it: OP_MSG, OP_COMPRESSED around it,
// and the older OP_QUERY with OP_REPLY, with which drivers still say hello
// (https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/).
//
// An exchange is a command and its answer, paired by requestID and responseTo.
// Command is the command's own name (find, insert, getMore), Text the collection
// with its database (shop.orders), or the database alone where a command is for
// all of it; never a filter, a document or another value. An answer with ok: 0 is
// an error: Code is its codeName, or its code; so are writeErrors (of these Code is
// the number of the first: 11000) and a writeConcernError, which come with ok: 1.
// Rows is the number of documents of a batch, of distinct that of the values, of
// writes n: what was inserted, matched or deleted.
//
// The server waits with some answers because it is asked to: getMore on a cursor
// that waits for data (tailable, change streams), and hello with maxAwaitTimeMS, by
// which drivers watch the topology. They are marked proto.Blocking. As a getMore does
// not say which kind of cursor it has, this is told by its maxTimeMS, by the answer
// (a token to resume, or no document although the cursor is open), and by the find
// or aggregate that opened it, if that was on the same connection.
//
// Without answer are writes that are not acknowledged (moreToCome in the request).
// Of an answer with moreToCome, which others follow unasked, the first one is the
// answer, and the others belong to no exchange.
package mongodb

import (
	"encoding/binary"
	"slices"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// Protocol is the decoder. The ports are those of mongod and mongos (27017), of
// members of a sharded cluster (27018, 27019) and of the second and third member of
// replica sets in tutorials, which are the same.
var Protocol = proto.Protocol{Name: "mongodb", Ports: []uint16{27017, 27018, 27019}, Sniff: sniff, New: newParser}

const (
	headerSize = 16
	// maxMessage is the longest message that servers take (maxMessageSizeBytes), and
	// room for what is around it.
	maxMessage = 48_000_000 + 16<<10
	// maxPending bounds the requests under way. Drivers have one on a connection.
	maxPending = 256
	// maxCursors bounds how many cursors that wait for data are remembered.
	maxCursors = 64
)

// Operations.
const (
	opReply       = 1
	opUpdate      = 2001
	opInsert      = 2002
	opQuery       = 2004
	opGetMore     = 2005
	opDelete      = 2006
	opKillCursors = 2007
	opCompressed  = 2012
	opMsg         = 2013
)

// moreToCome is the flag of OP_MSG by which no answer follows a request, and
// another message follows an answer.
const moreToCome = 2

// What the tag of a request says; above is a part of its cursor's number.
const (
	waits      = 1 << iota // the server is asked to wait with its answer
	fetches                // it is a getMore
	opensWaits             // it opens a cursor that waits for data
	writes                 // n of its answer is how many documents it changed
	lists                  // its answer has documents
	cursorBits = 8         // shift
)

type parser struct {
	table   pair.Table
	scratch *proto.Scratch
	streams framed.Streams
	said    [2]message
	cursors []uint32 // that wait for data, as tags have them; the last ones
	pushes  uint32   // requestID of the answer that others follow unasked
	pushing bool
}

var format = framed.Format{Header: headerSize, Length: length, Begins: begins}

func newParser(sink proto.Sink, midway bool) proto.Parser {
	return &parser{table: pair.NewTable(sink, maxPending), scratch: proto.ScratchOf(sink), streams: framed.NewStreams(midway)}
}

// length is how long a message is; 0 if this is no header of one.
func length(d flow.Dir, header []byte) int64 {
	n := int64(binary.LittleEndian.Uint32(header))
	if n <= headerSize || n > maxMessage || !knownOp(d, binary.LittleEndian.Uint32(header[12:])) {
		return 0
	}
	return n
}

// knownOp says whether a side sends such messages.
func knownOp(d flow.Dir, op uint32) bool {
	switch op {
	case opMsg, opCompressed:
		return true
	case opReply:
		return d == flow.ToClient
	case opUpdate, opInsert, opQuery, opGetMore, opDelete, opKillCursors:
		return d == flow.ToServer
	}
	return false
}

// Data takes the next bytes of a direction.
func (p *parser) Data(c *flow.Chunk) { p.streams[c.Dir].Data(&format, p, c) }

// Gap passes over bytes that are missing.
func (p *parser) Gap(d flow.Dir, n int64, _ flow.Stamp) { p.streams[d].Gap(&format, p, d, n) }

// Begin takes the header of a message.
func (p *parser) Begin(d flow.Dir, header []byte) {
	p.scratch.Buffers.Put(&p.said[d].zip)
	p.said[d].begin(d, header)
}

// Body takes a part of a message.
func (p *parser) Body(d flow.Dir, data []byte) { p.said[d].read(data, &p.scratch.Buffers) }

// Missing is told of a part that was not captured.
func (p *parser) Missing(d flow.Dir, n int64) { p.said[d].miss(n) }

// Lost is told that a direction is out of step.
func (p *parser) Lost(d flow.Dir) {
	p.scratch.Buffers.Put(&p.said[d].zip)
	p.table.Tear()
}

// Complete takes a message.
func (p *parser) Complete(d flow.Dir) {
	m := &p.said[d]
	m.unzip()
	p.scratch.Buffers.Put(&m.zip)
	if d == flow.ToServer {
		p.request(m)
	} else {
		p.answer(m, flow.Open, true)
	}
}

// End gives out what is left.
func (p *parser) End(_ flow.Stamp, how flow.Ending) {
	if p.answering() {
		p.answer(&p.said[flow.ToClient], how, false)
	}
	p.scratch.Buffers.Put(&p.said[0].zip)
	p.scratch.Buffers.Put(&p.said[1].zip)
	p.table.End()
}

// answering says that the answer to a request that is known has begun.
func (p *parser) answering() bool {
	return p.streams[flow.ToClient].Headed() && p.table.Find(uint64(p.said[flow.ToClient].to)) != nil
}

// Progress says what the connection is doing.
func (p *parser) Progress() proto.Progress {
	return p.streams.Progress(p.answering(), p.table.Len())
}

// Seeking implements proto.Seeker.
func (p *parser) Seeking() bool { return p.streams.Seeking() }

// Owes says whether the server has a whole command and owes its answer. A cursor may
// wait for data without a word that tells.
func (p *parser) Owes() bool {
	return p.Progress() == proto.Waiting && p.streams.Between() && p.table.Oldest().Tag&(waits|fetches) == 0
}

// request takes a whole request.
func (p *parser) request(m *message) {
	if p.table.Find(uint64(m.id)) != nil {
		p.table.Tear() // a driver counts on: this answer was missed, or the numbers mean nothing
	}
	q := p.table.Open(uint64(m.id))
	q.Request = p.streams[flow.ToServer].Span
	q.Command = m.commandName()
	q.SetText(m.namespace(), maxText)
	q.Tag = m.tag(q.Command)
	q.Doubt |= p.doubt(m)
	if q.Tag&fetches != 0 && slices.Contains(p.cursors, q.Tag>>cursorBits) {
		q.Tag |= waits
	}
	switch {
	case q.Tag&waits != 0:
		q.Doubt |= proto.Blocking
	case m.cut && m.gone && m.mayWait():
		q.Doubt |= proto.Lossy // what was cut off may ask the server to wait
	}
	if m.silent() {
		p.table.Unanswerable()
	}
}

// answer takes a message of the server; whole says that it is all there.
func (p *parser) answer(m *message, how flow.Ending, whole bool) {
	q := p.table.Find(uint64(m.to))
	more := m.op == opMsg && m.flags&moreToCome != 0
	if q == nil && p.pushing && m.to == p.pushes {
		p.pushes, p.pushing = m.id, more
		return
	}
	p.pushes, p.pushing = m.id, more
	e := &p.table.Now
	e.Response = p.streams[flow.ToClient].Span
	e.Doubt |= p.doubt(m)
	m.outcome(e)
	if q != nil {
		p.waited(q, m)
		e.Rows = m.rows(q.Tag)
	}
	if !whole {
		p.table.Broken(how)
	}
	p.table.Answered(uint64(m.to))
}

// doubt is how far a message is known: where bytes were cut off, or cannot be read,
// its time is exact, and what it says is not known.
func (p *parser) doubt(m *message) proto.Doubt {
	doubt := p.streams[m.dir].Doubt
	if m.gone {
		doubt |= proto.Approximate
	}
	return doubt
}

// waited marks an answer for which the server waited because it was asked to, and
// remembers the cursor.
func (p *parser) waited(q *pair.Pending, m *message) {
	cursor := cursorTag(m.cursor)
	open := m.cursor != 0
	switch {
	case q.Tag&opensWaits != 0 && open:
		p.remember(cursor)
	case q.Tag&fetches != 0 && (m.resumable || open && m.batches > 0 && m.batch == 0):
		q.Doubt |= proto.Blocking
		p.remember(cursor)
	case q.Tag&(fetches|waits) == fetches && m.cut && m.gone && m.cursor == 0:
		q.Doubt |= proto.Lossy // what tells whether the cursor waits for data was cut off
	}
}

func (p *parser) remember(cursor uint32) {
	if slices.Contains(p.cursors, cursor) {
		return
	}
	if len(p.cursors) == maxCursors {
		p.cursors = append(p.cursors[:0], p.cursors[1:]...)
	}
	p.cursors = append(p.cursors, cursor)
}

// cursorTag is the part of a cursor's number that a tag has room for.
func cursorTag(cursor int64) uint32 {
	c := uint64(cursor)
	return uint32(c^c>>24^c>>48) & (1<<(32-cursorBits) - 1)
}
