package mongodb

import (
	"encoding/binary"
	"strconv"
	"strings"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

const (
	maxText = 256 // bytes of database and collection that are kept
	maxCode = 64  // bytes of the name of an error
)

// part is what of a message comes next.
type part uint8

const (
	prefix     part = iota // bytes of fixed length in front
	collection             // of an older request: a name up to a zero byte
	numbers                // of an older query: two numbers
	section                // the kind of a section of OP_MSG
	sizes                  // the size of a section of documents
	document               // what the walker reads
	passed                 // left bytes of a section
	packed                 // compressed
	rest                   // nothing of interest
)

// message is the message of a side that is being read, or was read last. Of a
// request there are the command and what it is for, of an answer its outcome.
type message struct {
	dir     flow.Dir
	op      uint32
	id, to  uint32
	flags   uint32
	part    part
	cut     bool // a part of it was not captured
	gone    bool // something of interest was not captured, or is no BSON
	quiet   bool // an older write, which is never answered
	cmd     bool // an older query that is a command
	held    [20]byte
	have    uint8
	need    uint8
	left    int64
	zip     *proto.Buffer // what is compressed
	walker  walker
	command string
	// Of a request.
	db, coll    []byte
	cursor      int64 // also of an answer
	awaits      bool  // maxAwaitTimeMS
	limited     bool  // maxTimeMS
	tails       bool  // awaitData
	watches     bool  // $changeStream
	ok          bool  // ok was there, and is 1
	known       bool  // ok was there
	failed      bool
	resumable   bool
	code        int64
	codeName    []byte
	text        []byte // of the error
	batch       int64
	batches     uint8 // lists of documents
	n           int64
	counted     bool // n was there
	writeFailed bool
}

func (m *message) begin(d flow.Dir, header []byte) {
	le := binary.LittleEndian
	*m = message{dir: d, id: le.Uint32(header[4:]), to: le.Uint32(header[8:]), walker: m.walker,
		db: m.db[:0], coll: m.coll[:0], codeName: m.codeName[:0], text: m.text[:0]}
	m.operation(le.Uint32(header[12:]))
}

// operation says what the body is made of.
func (m *message) operation(op uint32) {
	m.op, m.part, m.have = op, prefix, 0
	switch op {
	case opMsg, opQuery:
		m.need = 4 // flags
	case opReply:
		m.need = 20 // flags, cursor, where it starts, documents
	case opCompressed:
		m.need = 9 // operation, size, compressor
	case opGetMore, opInsert, opUpdate, opDelete:
		m.need = 4
	default:
		m.part = rest
	}
	switch op {
	case opGetMore:
		m.command = "getMore"
	case opInsert:
		m.command, m.quiet = "insert", true
	case opUpdate:
		m.command, m.quiet = "update", true
	case opDelete:
		m.command, m.quiet = "delete", true
	case opKillCursors:
		m.command, m.quiet = "killCursors", true
	}
}

// read takes a part of the body.
func (m *message) read(b []byte, stock *proto.Buffers) {
	for len(b) > 0 && m.part != rest {
		n := 1
		switch m.part {
		case prefix, numbers, sizes:
			n = copy(m.held[m.have:m.need], b)
			if m.have += uint8(n); m.have == m.need {
				m.have = 0
				m.prefixed()
			}
		case collection:
			m.letter(b[0])
		case section:
			m.section(b[0])
		case passed:
			n = int(min(m.left, int64(len(b))))
			if m.left -= int64(n); m.left == 0 {
				m.part = section
			}
		case document:
			n = m.walker.read(b, m)
			m.walked()
		case packed:
			n = len(b)
			m.pack(b, stock)
		}
		b = b[n:]
	}
}

// miss passes over bytes that were not captured.
func (m *message) miss(n int64) {
	m.cut = true
	switch m.part {
	case rest:
	case document:
		m.walker.miss(n)
		m.walked()
	case passed:
		if n <= m.left {
			if m.left -= n; m.left == 0 {
				m.part = section
			}
			return
		}
		m.give()
	default:
		m.give()
	}
}

// give gives the rest of the message up.
func (m *message) give() { m.part, m.gone = rest, true }

// prefixed takes numbers that are complete.
func (m *message) prefixed() {
	le := binary.LittleEndian
	switch {
	case m.part == sizes:
		m.left = int64(int32(le.Uint32(m.held[:]))) - 4
		if m.part = passed; m.left <= 0 {
			m.give()
		}
	case m.part == numbers && m.op == opGetMore:
		m.cursor = int64(le.Uint64(m.held[4:]))
		m.part = rest
	case m.part == numbers:
		m.look()
	case m.op == opMsg:
		m.flags, m.part = le.Uint32(m.held[:]), section
	case m.op == opReply:
		m.reply()
	case m.op == opCompressed:
		m.part = packed
	default:
		m.flags, m.part = le.Uint32(m.held[:]), collection
	}
}

// reply takes what stands in front of the documents of an older answer.
func (m *message) reply() {
	const cursorNotFound = 1
	m.flags = binary.LittleEndian.Uint32(m.held[:])
	m.cursor = int64(binary.LittleEndian.Uint64(m.held[4:]))
	m.batches, m.batch = 1, int64(int32(binary.LittleEndian.Uint32(m.held[16:])))
	if m.flags&cursorNotFound != 0 {
		m.failed, m.codeName = true, append(m.codeName, "CursorNotFound"...)
	}
	m.look()
}

// look begins to read a document.
func (m *message) look() {
	m.part = document
	as := answered
	if m.dir == flow.ToServer {
		if as = asked; m.op == opQuery && !m.cmd {
			as = queried
		}
	}
	m.walker.reset(as)
}

// section takes the kind of a section: one document, or a list of them.
func (m *message) section(kind byte) {
	switch kind {
	case 0:
		m.look()
	case 1:
		m.part, m.need = sizes, 4
	default:
		m.part = rest // a checksum, if the command was before it
		m.gone = m.gone || m.dir == flow.ToServer && m.command == "" || m.dir == flow.ToClient && !m.known
	}
}

// walked is told how far the walker has come.
func (m *message) walked() {
	switch {
	case m.walker.step == broken:
		m.give()
	case m.walker.step != finished:
	case m.op == opMsg && (m.command != "" || m.known):
		m.part = rest
	case m.op == opMsg:
		m.part = section
	default:
		m.part = rest
	}
}

// letter takes a byte of the collection of an older request: DATABASE.COLLECTION.
func (m *message) letter(c byte) {
	if c != 0 {
		m.coll = append(m.coll, c)
		if len(m.coll) > maxText {
			m.give()
		}
		return
	}
	db, coll, _ := strings.Cut(string(m.coll), ".")
	m.db, m.coll = append(m.db[:0], db...), append(m.coll[:0], coll...)
	switch m.op {
	case opQuery:
		m.part, m.need = numbers, 8 // how many to pass over, how many to return
		if m.cmd = coll == "$cmd"; m.cmd {
			m.coll = m.coll[:0]
		} else {
			m.command = "find"
		}
	case opGetMore:
		m.part, m.need = numbers, 12 // how many to return, the cursor
	default:
		m.part = rest
	}
}

// commandName is what the command is called; ? if that is not known.
func (m *message) commandName() string {
	if m.command == "" {
		return "?"
	}
	return m.command
}

// namespace is what the command is for: a collection, or a database.
func (m *message) namespace() []byte {
	if len(m.coll) == 0 {
		if string(m.db) == "admin" {
			return nil // of all commands that are for the server
		}
		return m.db
	}
	if len(m.db) == 0 {
		return m.coll
	}
	m.db = append(append(m.db, '.'), m.coll...)
	return m.db
}

// tag is what must be known of the request when its answer comes.
func (m *message) tag(command string) (tag uint32) {
	switch command {
	case "getMore":
		tag = fetches | lists | cursorTag(m.cursor)<<cursorBits
		if m.limited {
			tag |= waits
		}
	case "find", "aggregate":
		tag = lists
		if m.tails || m.watches {
			tag |= opensWaits
		}
	case "insert", "update", "delete":
		tag = writes
	case "hello", "isMaster", "ismaster":
		if m.awaits {
			tag = waits
		}
	}
	return tag
}

// mayWait says that the server may be asked to wait: by words of the command, or it is
// not known which one it is. Messages older than OP_MSG have no such words.
func (m *message) mayWait() bool {
	switch m.command {
	case "", "getMore", "hello", "isMaster", "ismaster":
		return m.op == opMsg
	}
	return false
}

// silent says that no answer will come.
func (m *message) silent() bool { return m.quiet || m.op == opMsg && m.flags&moreToCome != 0 }

// outcome says how the request ended.
func (m *message) outcome(e *proto.Exchange) {
	e.Failed = m.failed || m.writeFailed || m.known && !m.ok
	if !e.Failed {
		return
	}
	if e.Code = string(m.codeName); e.Code == "" && m.code != 0 {
		e.Code = strconv.FormatInt(m.code, 10)
	}
	e.Error = strings.ToValidUTF8(string(m.text), "\ufffd")
}

// rows is how many documents the answer has, or changed.
func (m *message) rows(tag uint32) int64 {
	switch {
	case m.batches > 0:
		return max(m.batch, 0)
	case tag&writes != 0 && m.counted:
		return max(m.n, 0)
	case tag&(lists|writes) != 0 && m.gone:
		return proto.RowsUnknown
	}
	return proto.RowsNone
}
