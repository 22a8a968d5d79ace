package load

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The part of MySQL's protocol that a load needs once it is logged in: requests as bytes, and
// where an answer ends. Nothing of an answer is kept.

const (
	comQuery   = 0x03
	comPrepare = 0x16
	comExecute = 0x17

	typeLongLong = 8

	// moreResults is the flag of a status that says that another answer follows.
	moreResults = 0x0008
	// maxColumns bounds an answer.
	maxColumns = 4096
	// wholePacket is the length of a packet that goes on in the next one.
	wholePacket = 1<<24 - 1
)

// errProtocol says that what answers does not speak MySQL's protocol as it was agreed upon.
var errProtocol = errors.New("the server's answer makes no sense in MySQL's protocol")

// appendPacket appends a request.
func appendPacket(b []byte, command byte, payload string) []byte {
	n := len(payload) + 1
	b = append(b, byte(n), byte(n>>8), byte(n>>16), 0, command)
	return append(b, payload...)
}

// appendExecute appends the request to execute a prepared statement with a number.
func appendExecute(b []byte, statement uint32, value int64) []byte {
	b = append(b, 22, 0, 0, 0, comExecute)
	b = binary.LittleEndian.AppendUint32(b, statement)
	b = append(b, 0, 1, 0, 0, 0, 0, 1, typeLongLong, 0) // no cursor, once, no NULL, types follow
	return binary.LittleEndian.AppendUint64(b, uint64(value))
}

// answer finds the end of an answer in what comes bit by bit.
type answer struct {
	header   [4]byte
	has      int // bytes of the header
	left     int // bytes of the packet that are to come
	size     int // of the packet
	goesOn   bool
	first    [12]byte // of the packet
	firsts   int
	stage    stage
	columns  int
	prepared bool // it answers COM_STMT_PREPARE

	// Of an answer that has ended:
	failed    uint16 // number of the error; 0: none
	statement uint32
}

type stage int

const (
	atFirst stage = iota
	atColumns
	atColumnsEnd
	atRows
)

// begin expects a new answer.
func (a *answer) begin(prepared bool) { *a = answer{prepared: prepared} }

// read takes bytes, and says whether the answer has ended. What is left then is an error: the
// server answers once.
func (a *answer) read(b []byte) (ended bool, err error) {
	for len(b) > 0 {
		if a.has < len(a.header) {
			n := copy(a.header[a.has:], b)
			a.has += n
			b = b[n:]
			if a.has < len(a.header) {
				return false, nil
			}
			a.left = int(a.header[0]) | int(a.header[1])<<8 | int(a.header[2])<<16
			a.size, a.firsts = a.left, 0
		}
		n := min(a.left, len(b))
		if a.firsts < len(a.first) {
			a.firsts += copy(a.first[a.firsts:], b[:n])
		}
		a.left -= n
		b = b[n:]
		if a.left > 0 {
			return false, nil
		}
		a.has = 0
		continued := a.goesOn
		if a.goesOn = a.size == wholePacket; continued {
			continue
		}
		if ended, err = a.packet(a.first[:min(a.firsts, a.size)]); err != nil || ended {
			if err == nil && (len(b) > 0 || a.goesOn) {
				err = errProtocol
			}
			return ended, err
		}
	}
	return false, nil
}

// packet takes the beginning of a packet.
func (a *answer) packet(p []byte) (ended bool, err error) {
	if len(p) == 0 {
		return false, errProtocol
	}
	end := p[0] == 0xfe && a.size < 9
	switch {
	case p[0] == 0xff:
		if len(p) < 3 {
			return false, errProtocol
		}
		a.failed = binary.LittleEndian.Uint16(p[1:])
		return true, nil
	case a.stage == atFirst && a.prepared:
		if p[0] != 0 || len(p) < 9 {
			return false, errProtocol
		}
		a.statement = binary.LittleEndian.Uint32(p[1:])
		columns, parameters := int(binary.LittleEndian.Uint16(p[5:])), int(binary.LittleEndian.Uint16(p[7:]))
		if columns > maxColumns || parameters > maxColumns {
			return false, errProtocol
		}
		// Definitions of both follow, and an end after each that there is.
		for _, n := range []int{columns, parameters} {
			if n > 0 {
				a.columns += n + 1
			}
		}
		a.stage = atColumns
		return a.columns == 0, nil
	case a.stage == atFirst:
		switch {
		case p[0] == 0:
			return true, nil
		case p[0] == 0xfb || p[0] >= 0xfd:
			return false, errProtocol
		}
		if a.columns = int(p[0]); p[0] == 0xfc {
			if len(p) < 3 {
				return false, errProtocol
			}
			a.columns = int(binary.LittleEndian.Uint16(p[1:]))
		}
		if a.columns > maxColumns {
			return false, errProtocol
		}
		a.stage = atColumns
	case a.stage == atColumns:
		if a.columns--; a.columns > 0 {
			return false, nil
		}
		if a.prepared {
			return true, nil
		}
		a.stage = atColumnsEnd
	case a.stage == atColumnsEnd:
		if !end {
			return false, errProtocol
		}
		a.stage = atRows
	case end:
		if len(p) >= 5 && binary.LittleEndian.Uint16(p[3:])&moreResults != 0 {
			a.stage = atFirst
			return false, nil
		}
		return true, nil
	}
	return false, nil
}

// serverError is an error of a server, by its number.
type serverError uint16

func (e serverError) Error() string { return fmt.Sprintf("error %d of the server", uint16(e)) }
