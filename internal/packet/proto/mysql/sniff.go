package mysql

import (
	"math"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// sniff judges the first bytes of a direction.
func sniff(d flow.Dir, data []byte) proto.Match {
	if len(data) < 5 {
		return proto.Maybe
	}
	size, seq, body := int(le24(data)), data[3], data[4:]
	if d == flow.ToClient {
		return sniffAnswer(data, size)
	}
	switch {
	case isTLS(data):
		return proto.No
	case seq == 1 && loginMatch(body, size) != proto.No:
		return loginMatch(body, size)
	case compressedStart(data, len(data)):
		return proto.Maybe
	case seq != 0 || !plausible(data, math.MaxInt): // the snap length may have cut it
		return proto.No
	case size+4 != len(data):
		return proto.Maybe
	case (body[0] == comQuery || body[0] == comStmtPrepare) && looksLikeSQL(body[1:]), isExecute(body):
		return proto.Sure
	case exact(body[0]) > 0, body[0] == comInitDB && looksLikeSQL(body[1:]):
		return proto.Likely
	}
	return proto.Maybe
}

// sniffAnswer judges the first bytes of a server: its greeting, or an answer whose
// packets count from 1.
func sniffAnswer(data []byte, size int) proto.Match {
	seq, body := data[3], data[4:]
	switch {
	case seq == 0 && isGreeting(body), isRefusal(data, size):
		return proto.Sure
	case size == 0:
		return proto.No
	case seq == 0:
		if body[0] == packetErr {
			return proto.Maybe
		}
		return proto.No
	case seq != 1 || size+4 > len(data) && len(data) <= 512:
		return proto.No
	case size > len(body):
		return proto.Maybe
	}
	body, rest := body[:size], body[size:]
	switch {
	case isOK(body) && len(rest) == 0, isError(body) && len(rest) == 0, isResult(body, rest):
		return proto.Likely
	}
	return proto.Maybe
}

// isOK is true for an OK packet without words: the rows, the identifier, the status
// and the number of warnings fill it.
func isOK(body []byte) bool {
	if body[0] != packetOK || len(body) < 7 {
		return false
	}
	at := 1
	for range 2 {
		_, n := lenenc(body[at:])
		if n == 0 {
			return false
		}
		at += n
	}
	const statusAndWarnings = 4
	return len(body) == at+statusAndWarnings
}

// isError is true for an error with its SQLSTATE.
func isError(body []byte) bool {
	return len(body) > 9 && body[0] == packetErr && le16(body[1:]) >= 1000 && body[3] == '#'
}

// isResult is true for the number of columns and the definition of the first.
func isResult(body, rest []byte) bool {
	const catalog = "\x03def"
	return len(body) == 1 && body[0] > 0 && len(rest) >= 4+len(catalog) && rest[3] == 2 && string(rest[4:4+len(catalog)]) == catalog
}

// isExecute is true for the execution of a prepared statement: its number, one
// byte of flags for the cursor, and how often it is to be executed, which all
// servers want to be once.
func isExecute(body []byte) bool {
	return len(body) >= least(comStmtExecute) && body[0] == comStmtExecute && body[5] < 0x10 && le32(body[6:]) == 1
}

// looksLikeSQL is true for text that begins with a letter, a comment or a
// parenthesis and goes on as text.
func looksLikeSQL(b []byte) bool {
	if len(b) > 1 && b[0] == 0 && b[1] == 1 { // no query attributes
		b = b[2:]
	}
	if len(b) < 5 {
		return false
	}
	for _, c := range b[:5] {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}
