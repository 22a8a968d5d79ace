package mysql

import (
	"unique"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// state is what the next packet of the server is.
type state uint8

const (
	stateIdle      state = iota
	stateFirst           // the first packet of an answer or of one of its results
	stateColumns         // a definition of a column
	stateColumnEnd       // EOF after the definitions, or a row
	stateRows            //
	statePrepared        // the first packet for Prepare
	stateParams          // a definition of a parameter
	stateParamEnd        // EOF after them, or a definition of a column
	stateDefs            // a definition of a column of a prepared statement
	stateDefEnd          // EOF after them
	stateTail            // perhaps an EOF: whether this server sends them is not known
	stateFields          // definitions until EOF
	stateOne             // the only packet
	stateFile            // the client sends a file
	stateAuth            // the client proves who it is
	stateProgress        // a report of progress was just read
	stateBlind           // unknown: the answer ends where the client goes on
)

// Server status flags.
const (
	moreResults  = 0x0008
	cursorExists = 0x0040
)

func first(k kind) state {
	switch k {
	case kindResult:
		return stateFirst
	case kindPrepare:
		return statePrepared
	case kindRows:
		return stateRows
	case kindFields:
		return stateFields
	case kindAuth:
		return stateAuth
	case kindOne:
		return stateOne
	}
	return stateIdle
}

// answer takes the beginning of a packet of the answer to cur. It is true if the
// packet is the last one.
func (p *parser) answer(b []byte, length uint32) bool {
	if len(b) == 0 {
		if p.state == stateOne {
			return true
		}
		p.lose(flow.ToClient, proto.Resync)
		return false
	}
	if b[0] == packetErr && p.state != stateColumns {
		if len(b) >= 3 && le16(b[1:]) == 0xffff { // progress report
			if p.state == stateFirst && !p.begun {
				p.state = stateProgress
			}
			return false
		}
		p.begun = true
		p.keepError(b)
		p.failed = true
		if p.cur.cmd == comStmtPrepare {
			p.remember(0, false)
		}
		return true
	}
	if b[0] == packetFile && p.state == stateFirst && !p.begun && p.waiting == 1 {
		// The request is complete when the file is. Behind another result, or where
		// other requests wait, the question is a part of the answer.
		p.state, p.filing = stateFile, true
		return false
	}
	p.begun = true
	eof := b[0] == packetEOF && length < fullPacket
	switch p.state {
	case stateFirst:
		return p.firstPacket(b, length)
	case stateColumns:
		if len(b) < 4 || b[0] != 3 || b[1] != 'd' {
			p.outOfShape(b, 4)
			return false
		}
		if p.left2--; p.left2 == 0 {
			p.state = stateColumnEnd
		}
	case stateColumnEnd:
		p.state = stateRows
		if b[0] == packetEOF && length == 5 {
			p.noEOF = -1
			status, ok := status(b)
			if !ok {
				p.outOfShape(b, 5)
				return false
			}
			return status&cursorExists != 0 && p.cur.cmd == comStmtExecute
		}
		p.noEOF = 1
		if eof {
			return p.resultEnd(b)
		}
		p.rows++
	case stateRows:
		if eof {
			return p.resultEnd(b)
		}
		p.rows++
	case statePrepared:
		return p.preparedPacket(b, length)
	case stateParams, stateParamEnd, stateDefs, stateDefEnd:
		return p.definition(b, length)
	case stateTail:
		p.noEOF = -1
		return true
	case stateFields:
		return eof && length < 64
	case stateAuth:
		if b[0] == packetOK {
			p.prepared = nil
			return true
		}
	case stateFile:
		// The server gave up before the file was complete, or there was none.
		return p.firstPacket(b, length)
	default:
		if p.cur.cmd == comResetConn && b[0] == packetOK {
			p.prepared = nil
		}
		return true
	}
	return false
}

// outOfShape gives up an answer: because bytes of a packet are missing, or
// because it is not what it should be.
func (p *parser) outOfShape(b []byte, need int) {
	why := proto.Resync
	if len(b) < need {
		why = proto.Approximate
	}
	p.lose(flow.ToClient, why)
}

func (p *parser) firstPacket(b []byte, length uint32) bool {
	switch b[0] {
	case packetOK:
		if length < 7 && p.caps&capOptionalMeta == 0 {
			p.outOfShape(b, 1)
			return false
		}
		if length >= 7 {
			p.changed(b)
			return p.resultEnd(b)
		}
	case packetFile:
		p.state = stateFile
		return false
	case packetEOF:
		return p.resultEnd(b)
	}
	if p.caps&capOptionalMeta != 0 && p.caps&capKnown != 0 && length > 1 && b[0] <= 1 {
		if b[0] == 0 {
			p.state = stateColumnEnd
			return false
		}
		b = b[1:]
	}
	n, used := lenenc(b)
	if used == 0 || n == 0 || n > 4096 || length > 10 { // 4,096 columns are the most (4,017 in InnoDB)
		p.outOfShape(b, int(min(length, 10)))
		return false
	}
	p.left2, p.state = uint32(n), stateColumns
	if int(length) == used+1 && len(b) > used && b[used] == 0 && p.caps&capOptionalMeta == 0 {
		p.state = stateColumnEnd // MariaDB: the client has the definitions already
	}
	return false
}

// changed counts the rows that a statement changed, as its OK packet says.
func (p *parser) changed(b []byte) {
	const most = 1 << 48 // no table has as many: sums shall not overflow
	if n, used := lenenc(b[1:]); used > 0 && p.rows >= 0 {
		p.rows += int64(min(n, most))
	}
}

// resultEnd takes the packet that ends a result. It is true if no other follows.
func (p *parser) resultEnd(b []byte) bool {
	s, ok := status(b)
	switch {
	case !ok:
		p.outOfShape(b, headOK+1)
		return false
	case s&moreResults != 0:
		p.state = stateFirst
		return false
	}
	return true
}

// status reads the server status from an OK or EOF packet.
func status(b []byte) (uint16, bool) {
	if len(b) == 5 && b[0] == packetEOF {
		return le16(b[3:]), true
	}
	at := 1
	for range 2 { // affected rows, last insert identifier
		_, n := lenenc(b[min(at, len(b)):])
		if n == 0 {
			return 0, false
		}
		at += n
	}
	if len(b) < at+2 {
		return 0, false
	}
	return le16(b[at:]), true
}

func (p *parser) preparedPacket(b []byte, length uint32) bool {
	if b[0] != packetOK || length < 12 || len(b) < 9 {
		p.outOfShape(b, 9)
		return false
	}
	p.remember(le32(b[1:]), true)
	p.left2, p.left1 = uint32(le16(b[5:])), uint32(le16(b[7:]))
	if p.caps&capKnown != 0 && p.caps&capOptionalMeta != 0 && len(b) >= 13 && b[12] == 0 {
		p.left1, p.left2 = 0, 0 // the client wants no definitions
	}
	switch {
	case p.left1 > 0:
		p.state = stateParams
	case p.left2 > 0:
		p.state = stateDefs
	default:
		return true
	}
	return false
}

// definition takes a packet after the first one of the answer to Prepare.
func (p *parser) definition(b []byte, length uint32) bool {
	eof := b[0] == packetEOF && length == 5
	switch p.state {
	case stateParams:
		if p.left1--; p.left1 == 0 {
			if p.left2 == 0 {
				return p.afterDefinitions()
			}
			p.state = stateParamEnd
		}
	case stateParamEnd:
		p.state = stateDefs
		if eof {
			p.noEOF = -1
			return false
		}
		p.noEOF = 1
		return p.definition(b, length)
	case stateDefs:
		if p.left2--; p.left2 == 0 {
			return p.afterDefinitions()
		}
	case stateDefEnd:
		if !eof {
			p.outOfShape(b, 5)
			return false
		}
		return true
	}
	return false
}

// afterDefinitions says whether the last definition ends the answer.
func (p *parser) afterDefinitions() bool {
	switch {
	case p.caps&capKnown != 0 && p.caps&capDeprecateEOF != 0, p.caps&capKnown == 0 && p.noEOF > 0:
		return true
	case p.caps&capKnown != 0 || p.noEOF < 0:
		p.state = stateDefEnd
	default:
		p.state = stateTail
	}
	return false
}

// remember keeps the text of the statement that cur prepares.
func (p *parser) remember(id uint32, ok bool) {
	if p.prepared == nil {
		p.prepared = &prepared{}
	}
	var st statement
	if p.cur.text != nil {
		st = statement{unique.Make(string(p.cur.text.B)), p.cur.cut}
	}
	p.prepared.last = st
	if ok && st.text != none {
		p.prepared.put(id, st)
	}
}

// afterAttributes finds the text of a query behind its attributes; nil if they
// cannot be followed.
func afterAttributes(b []byte) []byte {
	n, at := lenenc(b)
	if at == 0 {
		return nil
	}
	_, used := lenenc(b[at:]) // number of sets, always 1
	at += used
	if n == 0 {
		return b[min(at, len(b)):]
	}
	if n > 64 || used == 0 {
		return nil
	}
	nulls := at
	at += int(n+7) / 8
	if at >= len(b) || b[at] != 1 {
		return nil
	}
	at++
	var types [64]byte
	for i := range int(n) { // type, sign, name
		if at+2 > len(b) {
			return nil
		}
		types[i] = b[at]
		size, used := lenenc(b[at+2:])
		if used == 0 || size > uint64(len(b)) {
			return nil
		}
		at += 2 + used + int(size)
		if at > len(b) {
			return nil
		}
	}
	for i := range int(n) {
		if b[nulls+i/8]>>(i%8)&1 != 0 {
			continue
		}
		size, ok := valueSize(types[i], b[at:])
		if !ok || at+size > len(b) {
			return nil
		}
		at += size
	}
	return b[at:]
}

// valueSize is the length of a value in the binary protocol.
func valueSize(t byte, b []byte) (int, bool) {
	switch t {
	case 6: // NULL
		return 0, true
	case 1:
		return 1, true
	case 2, 13:
		return 2, true
	case 3, 4, 9:
		return 4, true
	case 5, 8:
		return 8, true
	case 7, 10, 11, 12: // dates and times: a length of one byte
		if len(b) == 0 {
			return 0, false
		}
		return 1 + int(b[0]), true
	}
	n, used := lenenc(b)
	if used == 0 || n > uint64(len(b)) {
		return 0, false
	}
	return used + int(n), true
}
