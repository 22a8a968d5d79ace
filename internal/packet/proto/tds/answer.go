package tds

import (
	"encoding/binary"
	"strconv"

	"rtrail/internal/packet/proto"
)

// Tokens of answers.
const (
	returnStatus = 0x79
	metadata     = 0x81
	tableName    = 0xa4
	columnInfo   = 0xa5
	order        = 0xa9
	errorToken   = 0xaa
	infoToken    = 0xab
	loginAck     = 0xad
	features     = 0xae
	environment  = 0xe3
	sspiToken    = 0xed
	done         = 0xfd
	doneProc     = 0xfe
	doneInProc   = 0xff
)

// maxError is how many bytes of an error are kept.
const maxError = 256

// doneSize is how long a done token is: with a status, a command, and a count of four
// bytes before TDS 7.2, of eight since.
func doneSize(old bool) int {
	if old {
		return 9
	}
	return 13
}

// answer is what is known of a message of the server.
type answer struct {
	failed bool
	code   string
	text   string
	tail   tail
}

// read takes the first error from the tokens at the beginning of an answer. Rows, of
// which only the description of their columns tells the length, end it.
func (a *answer) read(b []byte, doneSize int) {
	for len(b) > 0 && !a.failed {
		n := 0
		switch b[0] {
		case tableName, columnInfo, order, errorToken, infoToken, loginAck, environment, sspiToken:
			if len(b) < 3 {
				return
			}
			n = 3 + int(binary.LittleEndian.Uint16(b[1:]))
			if b[0] == errorToken {
				a.fails(b[3:min(n, len(b))])
			}
		case returnStatus:
			n = 5
		case done, doneProc, doneInProc:
			n = doneSize
		}
		if n == 0 || n > len(b) {
			return
		}
		b = b[n:]
	}
}

// fails takes an error: a number, a state, a severity, and a text with its length.
func (a *answer) fails(b []byte) {
	const front, severity, mild = 8, 5, 10
	if len(b) < front || b[severity] <= mild {
		return
	}
	le := binary.LittleEndian
	a.failed = true
	a.code = strconv.Itoa(int(int32(le.Uint32(b))))
	n := min(2*int(le.Uint16(b[6:])), len(b)-front, 2*maxError)
	a.text = string(appendUTF16(nil, b[front:front+n]))
}

// tail is the last bytes of a message, as many as three tokens at its end have.
type tail struct {
	b    [31]byte
	have int
}

func (t *tail) reset() { t.have = 0 }

func (t *tail) add(b []byte) {
	if n := len(t.b); len(b) >= n {
		t.have = copy(t.b[:], b[len(b)-n:])
		return
	}
	if drop := t.have + len(b) - len(t.b); drop > 0 {
		t.have = copy(t.b[:], t.b[drop:t.have])
	}
	t.have += copy(t.b[t.have:], b)
}

// ending is what the last token of an answer says.
type ending struct {
	rows      int64
	failed    bool
	cancelled bool
}

// Bits of the status of a done token.
const (
	more        = 0x1
	hasFailed   = 0x2
	counted     = 0x10
	stopped     = 0x20 // by Attention
	serverError = 0x100
	unused      = 0xffff &^ (more | hasFailed | 0x4 | 0x8 | counted | stopped | serverError)
)

// done reads it. The count of a procedure is in the token before its result.
func (t *tail) done(old bool) ending {
	size := doneSize(old)
	end := ending{rows: proto.RowsNone}
	b := t.b[:t.have]
	if len(b) < size {
		return end
	}
	last := b[len(b)-size:]
	status := binary.LittleEndian.Uint16(last[1:])
	if last[0] != done && last[0] != doneProc || status&(unused|more) != 0 {
		return end
	}
	end.failed = status&(hasFailed|serverError) != 0
	end.cancelled = status&stopped != 0
	if status&counted != 0 {
		end.rows = count(last, old)
		return end
	}
	const result = 5
	if before := len(b) - 2*size - result; last[0] == doneProc && before >= 0 && b[before] == doneInProc && b[before+size] == returnStatus &&
		binary.LittleEndian.Uint16(b[before+1:])&counted != 0 {
		end.rows = count(b[before:], old)
	}
	return end
}

// count is the number of rows in a done token.
func count(b []byte, old bool) int64 {
	const front = 5
	if old {
		return int64(binary.LittleEndian.Uint32(b[front:]))
	}
	return int64(binary.LittleEndian.Uint64(b[front:]) &^ (1 << 63))
}
