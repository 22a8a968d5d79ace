package tds

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// request is what is known of a message of the client.
type request struct {
	command string
	text    []byte
	cut     bool
	old     bool // a login before TDS 7.2
}

// Procedures that have numbers, and those of them that run a statement.
const (
	executeSQL = 10
	prepexec   = 13
	unprepare  = 15
)

// known are the procedures by their numbers. at is which of their parameters is the
// statement; -1: none.
var known = [unprepare + 1]struct {
	name, command string
	at            int
}{
	1:          {"sp_cursor", "sp_cursor", -1},
	2:          {"sp_cursoropen", "Execute", 1},
	3:          {"sp_cursorprepare", "Prepare", 2},
	4:          {"sp_cursorexecute", "Execute", -1},
	5:          {"sp_cursorprepexec", "Execute", 3},
	6:          {"sp_cursorunprepare", "sp_cursorunprepare", -1},
	7:          {"sp_cursorfetch", "sp_cursorfetch", -1},
	8:          {"sp_cursoroption", "sp_cursoroption", -1},
	9:          {"sp_cursorclose", "sp_cursorclose", -1},
	executeSQL: {"sp_executesql", "Execute", 0},
	11:         {"sp_prepare", "Prepare", 2},
	12:         {"sp_execute", "Execute", -1},
	prepexec:   {"sp_prepexec", "Execute", 2},
	14:         {"sp_prepexecrpc", "Execute", -1},
	unprepare:  {"sp_unprepare", "sp_unprepare", -1},
}

// asks are what the transaction manager is asked to do.
var asks = map[uint16]string{0: "DTC", 1: "PROPAGATE", 5: "BEGIN", 6: "PROMOTE", 7: "COMMIT", 8: "ROLLBACK", 9: "SAVEPOINT"}

// read takes the beginning of a message, which may be all of it.
func (r *request) read(kind byte, b []byte) {
	le := binary.LittleEndian
	switch kind {
	case batch:
		r.command = "Query"
		r.statement(afterHeaders(b))
	case procedure:
		r.procedure(afterHeaders(b))
	case transaction:
		r.command = "TRANSACTION"
		if b = afterHeaders(b); len(b) >= 2 && asks[le.Uint16(b)] != "" {
			r.command = asks[le.Uint16(b)]
		}
	case bulkLoad:
		r.command = "BulkLoad"
	case prelogin:
		r.command = "Prelogin"
	default:
		r.command = "Login"
		if kind == login && len(b) >= 8 {
			r.old = le.Uint32(b[4:])>>24 < 0x72
		}
	}
}

// afterHeaders passes over what TDS 7.2 and later have in front: a length, and headers
// with one each. Letters in its place would be far more.
func afterHeaders(b []byte) []byte {
	const max = 1 << 10
	if len(b) < 4 {
		return b
	}
	n := binary.LittleEndian.Uint32(b)
	if n < 4 || n > max {
		return b
	}
	return b[min(int(n), len(b)):]
}

// statement takes a text of two bytes a letter.
func (r *request) statement(b []byte) {
	r.cut = len(b) >= maxPrefix/2
	r.text = appendUTF16(r.text, b)
}

// appendUTF16 appends the letters of a text as UTF-8.
func appendUTF16(to, b []byte) []byte {
	for ; len(b) >= 2; b = b[2:] {
		c := rune(binary.LittleEndian.Uint16(b))
		if utf16.IsSurrogate(c) {
			if len(b) < 4 {
				break
			}
			c = utf16.DecodeRune(c, rune(binary.LittleEndian.Uint16(b[2:])))
			if c != utf8.RuneError {
				b = b[2:]
			}
		}
		to = utf8.AppendRune(to, c)
	}
	return to
}

// procedure takes a call: a name or a number, flags, and parameters.
func (r *request) procedure(b []byte) {
	r.command = "EXEC"
	if len(b) < 4 {
		return
	}
	le := binary.LittleEndian
	const numbered, flags = 0xffff, 2
	number, n := 0, int(le.Uint16(b))
	if n == numbered {
		number, b = int(le.Uint16(b[2:])), b[4:]
		if number >= len(known) || known[number].name == "" {
			return
		}
	} else {
		if n *= 2; len(b) < 2+n {
			return
		}
		name := appendUTF16(nil, b[2:2+n])
		b = b[2+n:]
		for i := range known {
			if known[i].name == string(name) {
				number = i
			}
		}
		if number == 0 {
			r.text = append(r.text, name...)
			return
		}
	}
	r.command = known[number].command
	at := known[number].at
	if at < 0 || len(b) < flags {
		return
	}
	b = b[flags:]
	for ; at > 0; at-- {
		_, rest, ok := parameter(b)
		if !ok {
			return
		}
		b = rest
	}
	if text, _, ok := parameter(b); ok {
		r.statement(text)
	}
}

// Types of parameters that stand before a statement, or are one.
const (
	intN     = 0x26
	bitN     = 0x68
	varchar  = 0xa7
	nvarchar = 0xe7
	ntext    = 0x63
	text     = 0x23
)

// parameter takes one: its value, if that is text of two bytes a letter, as far as it is there, and
// what follows.
func parameter(b []byte) (value, rest []byte, ok bool) {
	le := binary.LittleEndian
	if len(b) < 1 || len(b) < 1+2*int(b[0])+3 {
		return nil, nil, false
	}
	b = b[1+2*int(b[0])+1:] // name and status
	kind := b[0]
	b = b[1:]
	size, length := 0, 0
	switch kind {
	case intN, bitN:
		if len(b) < 2 {
			return nil, nil, false
		}
		length, b = int(b[1]), b[2:]
	case varchar, nvarchar:
		const front, many = 7, 0xffff // the largest size, and a collation
		if len(b) < front+2 {
			return nil, nil, false
		}
		if le.Uint16(b) == many {
			return pieces(b[front:], kind)
		}
		if size = int(le.Uint16(b[front:])); size != many {
			length = size
		}
		b = b[front+2:]
	case ntext, text:
		const front = 9
		if len(b) < front+4 {
			return nil, nil, false
		}
		if size = int(int32(le.Uint32(b[front:]))); size > 0 {
			length = size
		}
		b = b[front+4:]
	default:
		return nil, nil, false
	}
	n := min(length, len(b))
	return letters(kind, b[:n]), b[n:], true
}

// pieces takes a value of any size: its length, then pieces with one each. All but the
// first are passed over.
func pieces(b []byte, kind byte) (value, rest []byte, ok bool) {
	le := binary.LittleEndian
	const front, null = 8, 1<<64 - 1
	if len(b) < front {
		return nil, nil, false
	}
	none := le.Uint64(b) == null
	b = b[front:]
	for first := true; !none && len(b) >= 4; first = false {
		n := int(min(le.Uint32(b), maxPrefix))
		b = b[4:]
		n = min(n, len(b))
		if n == 0 {
			break
		}
		if first {
			value = letters(kind, b[:n])
		}
		b = b[n:]
	}
	return value, b, true
}

// letters is a value if it is a text of two bytes a letter.
func letters(kind byte, b []byte) []byte {
	if kind == nvarchar || kind == ntext {
		return b
	}
	return nil
}
