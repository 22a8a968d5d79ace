package cassandra

import (
	"encoding/hex"
	"unique"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
)

// Opcodes.
const (
	failure      = 0x00
	startup      = 0x01
	ready        = 0x02
	authenticate = 0x03
	query        = 0x07
	result       = 0x08
	prepare      = 0x09
	execute      = 0x0a
	event        = 0x0c
	batch        = 0x0d
	maxOpcode    = 0x10
)

// commands are the requests, by opcode.
var commands = [maxOpcode + 1]string{startup: "Startup", 0x05: "Options", query: "Query", prepare: "Prepare", execute: "Execute", 0x0b: "Register", batch: "Batch", 0x0f: "AuthResponse"}

var isAnswer = [32]bool{failure: true, ready: true, authenticate: true, 0x06: true, result: true, event: true, 0x0e: true, 0x10: true}

// Kinds of results.
const (
	rowsResult     = 2
	preparedResult = 4
)

// request is what is known of the request being read.
type request struct {
	text []byte
	cut  bool
}

// ask reads a request, or its beginning.
func (p *parser) ask(h *header, body []byte) {
	r := reader{framed.Fields{B: body}}
	if h.flags&hasPayload != 0 {
		r.byteMap()
	}
	switch h.opcode {
	case startup:
		p.options(r)
	case query, prepare:
		p.statement(&r)
	case execute:
		p.number(r.text())
	case batch:
		r.Take(1)
		n := r.Uint16()
		if r.Byte() == 0 {
			p.statement(&r)
		} else {
			p.number(r.text())
		}
		p.asking.cut = p.asking.cut || n > 1
	}
}

// options reads how the client wants to compress.
func (p *parser) options(r reader) {
	for n := r.Uint16(); n > 0 && len(r.B) > 0; n-- {
		if name, value := r.text(), r.text(); string(name) == "COMPRESSION" {
			p.snappy, p.packs = string(value) == "snappy", string(value) == "lz4"
		}
	}
}

// statement reads one, or its beginning.
func (p *parser) statement(r *reader) {
	n := r.int()
	if n < 0 {
		return
	}
	p.asking.cut = n > len(r.B)
	p.asking.text = append(p.asking.text, r.Take(min(n, len(r.B)))...)
}

// number takes that of a prepared statement.
func (p *parser) number(id []byte) {
	if s, ok := p.prepared.byID[string(id)]; ok {
		p.asking.text, p.asking.cut = append(p.asking.text, s.text.Value()...), s.cut
		return
	}
	const shown = 8 // bytes of a hash
	if len(id) > 0 {
		p.asking.text = hex.AppendEncode(append(p.asking.text, "prepared_"...), id[:min(len(id), shown)])
	}
}

// Bounds of the statements that are remembered for a connection.
const (
	maxPrepared      = 256
	maxPreparedBytes = 128 << 10
	maxID            = 64 // bytes; servers send hashes of 16
)

// statements are those that were prepared on a connection.
type statements struct {
	byID  map[string]statement
	bytes int
}

// statement is the text of one, shared by all connections that prepared it.
type statement struct {
	text unique.Handle[string]
	cut  bool
}

// put remembers a statement. If there are too many, all others are forgotten.
func (s *statements) put(id string, text []byte, cut bool) {
	if len(id) > maxID {
		return
	}
	if s.byID == nil || len(s.byID) >= maxPrepared || s.bytes+len(text) > maxPreparedBytes {
		s.byID, s.bytes = map[string]statement{}, 0
	}
	s.byID[id] = statement{unique.Make(string(text)), cut}
	s.bytes += len(text)
}

// reply is what is known of the answer being read.
type reply struct {
	code int    // of an error
	text []byte // of the same, valid until the message ends
	rows int64
	id   []byte // of a statement that was prepared
}

// read reads an answer, or its beginning.
func (a *reply) read(h *header, body []byte) {
	r := reader{framed.Fields{B: body}}
	if h.flags&traced != 0 {
		r.Take(16)
	}
	if h.flags&warned != 0 {
		for n := r.Uint16(); n > 0 && len(r.B) > 0; n-- {
			r.text()
		}
	}
	if h.flags&hasPayload != 0 {
		r.byteMap()
	}
	switch h.opcode {
	case failure:
		a.code = r.int()
		a.text = append([]byte(nil), r.text()...)
	case result:
		switch r.int() {
		case rowsResult:
			a.rows = r.rows()
		case preparedResult:
			a.id = append([]byte(nil), r.text()...)
		}
	}
}

// errors are the errors by code.
var errors = map[int]string{0x0000: "SERVER_ERROR", 0x000a: "PROTOCOL_ERROR", 0x0100: "AUTH_ERROR", 0x1000: "UNAVAILABLE", 0x1001: "OVERLOADED",
	0x1002: "IS_BOOTSTRAPPING", 0x1003: "TRUNCATE_ERROR", 0x1100: "WRITE_TIMEOUT", 0x1200: "READ_TIMEOUT", 0x1300: "READ_FAILURE", 0x1400: "FUNCTION_FAILURE",
	0x1500: "WRITE_FAILURE", 0x1600: "CDC_WRITE_FAILURE", 0x1700: "CAS_WRITE_UNKNOWN", 0x2000: "SYNTAX_ERROR", 0x2100: "UNAUTHORIZED", 0x2200: "INVALID",
	0x2300: "CONFIG_ERROR", 0x2400: "ALREADY_EXISTS", 0x2500: "UNPREPARED"}

func errorName(code int) string {
	if name, ok := errors[code]; ok {
		return name
	}
	return "?"
}

// Flags of the rows of a result.
const (
	globalTable = 1 << iota
	morePages
	noMetadata
	metadataChanged
)

// rows is how many rows a result has.
func (r *reader) rows() int64 {
	flags, columns := r.int(), r.int()
	if flags&morePages != 0 {
		r.Take(max(0, r.int()))
	}
	if flags&metadataChanged != 0 {
		r.text()
	}
	if flags&noMetadata == 0 {
		if flags&globalTable != 0 {
			r.text()
			r.text()
		}
		for ; columns > 0 && !r.Overread; columns-- {
			if flags&globalTable == 0 {
				r.text()
				r.text()
			}
			r.text()
			r.kind(0)
		}
	}
	if n := r.int(); !r.Overread && n >= 0 {
		return int64(n)
	}
	return proto.RowsUnknown
}

// kind passes over the type of a column, which may hold others.
func (r *reader) kind(depth int) {
	const maxDepth = 8
	if depth == maxDepth {
		r.B, r.Overread = nil, true
		return
	}
	within := 0
	switch r.Uint16() {
	case 0x00: // custom
		r.text()
	case 0x20, 0x22: // list, set
		within = 1
	case 0x21: // map
		within = 2
	case 0x30: // user defined
		r.text()
		r.text()
		for n := r.Uint16(); n > 0 && !r.Overread; n-- {
			r.text()
			r.kind(depth + 1)
		}
	case 0x31: // tuple
		within = int(r.Uint16())
	}
	for ; within > 0 && !r.Overread; within-- {
		r.kind(depth + 1)
	}
}
