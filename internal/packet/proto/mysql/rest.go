package mysql

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// The packet that ends a result, with its header.
const (
	eofSize = 9
	okSize  = 11 // of newer servers
)

// endOfResult ends an answer of which a live capture left out the rows, but noted
// that it ends with them (trim). It is false if it noted nothing, or what does not
// agree with what was read: then nothing is changed.
func (p *parser) endOfResult(c *flow.Chunk) bool {
	s := &p.side[flow.ToClient]
	last, ok := c.Rest.Note()
	if !ok || p.phase != phaseCommand || p.waiting == 0 || p.zip != nil || s.lost || s.joined || s.final || s.left > uint32(c.Cut) ||
		p.state != stateColumns && p.state != stateColumnEnd && p.state != stateRows {
		return false
	}
	next := len(c.Data) + int(s.left) // where the first packet begins of which nothing is known
	if s.acc != nil {
		next -= len(s.acc.B)
	}
	rows, known := p.rowsIn(c.Data, next, c.Size(), last-p.expect)
	switch {
	case known:
		p.rows += rows
	case p.waiting > 1:
		return false // it may be the answers to several requests
	default:
		p.rows = proto.RowsUnknown
	}
	p.scratch.Buffers.Put(&s.acc)
	*s = side{}
	p.resp.End += uint64(c.Cut)
	p.finish(proto.Answered)
	return true
}

// rowsIn is how many rows follow that at next in a result of size bytes, of
// which data is the beginning. As packets are numbered up to 255 and then from 0
// again, number is how many they are but for a multiple of 256. They are taken for
// known if all rows before have one length, and as many of it as number allows are
// what is missing, to the byte. Rows of other lengths behind those would have to
// agree with both by chance, once in some 256 times the length of a row.
func (p *parser) rowsIn(data []byte, next, size int, number uint8) (rows int64, known bool) {
	if p.state != stateRows || p.rows <= 0 {
		return 0, false
	}
	at := 0
	for range p.expect - uint8(p.rows) - 1 { // the packets before the rows; the first is number 1
		if at+4 > len(data) {
			return 0, false
		}
		at += 4 + int(le24(data[at:]))
	}
	first := at
	each := 0
	for at < next {
		if at+4 > len(data) {
			return 0, false
		}
		n := 4 + int(le24(data[at:]))
		if at > first && n != each {
			return 0, false
		}
		each = n
		at += n
	}
	if each == 0 || at != next {
		return 0, false
	}
	for _, end := range []int{eofSize, okSize} {
		if missing := size - end - next; missing >= 0 && missing%each == 0 && uint8(missing/each) == number {
			return int64(missing / each), true
		}
	}
	return 0, false
}
