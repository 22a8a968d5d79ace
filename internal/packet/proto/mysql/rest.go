package mysql

import (
	"math"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Sizes of packets with their header.
const (
	leastRow  = 5 // a column that is NULL
	resultEof = 9 // two bytes less than the OK that newer servers send
)

// endOfResult ends an answer of which a live capture left out the rows, but said
// that it ends with them. It is false if it said nothing, or what does not agree
// with what was read: then nothing is changed.
//
// Sequence numbers count to 255 and begin anew. So how many rows were left out
// is known but for a multiple of 256, which the size of the rows before tells:
// among up to some hundred rows safely, among thousands if their mean is close.
func (p *parser) endOfResult(c *flow.Chunk) bool {
	s := &p.side[flow.ToClient]
	last, ok := c.Rest.ResultEnd()
	if !ok || p.phase != phaseCommand || p.waiting != 1 || p.zip != nil || s.lost || s.joined || s.final || s.left > uint32(c.Cut) ||
		p.state != stateColumns && p.state != stateColumnEnd && p.state != stateRows {
		return false
	}
	next := len(c.Data) + int(s.left) // where the first packet begins of which nothing is known
	if s.acc != nil {
		next -= len(s.acc.B)
	}
	missing := c.Size() - resultEof - next // bytes of rows, or two more
	if missing < 0 {
		return false
	}
	if rows, ok := p.rowsIn(c.Data, next, missing, last-p.expect); ok {
		p.rows += rows
	} else {
		p.rows = -1
	}
	p.desk.Buffers.Put(&s.acc)
	*s = side{}
	p.resp.End += uint64(c.Cut)
	p.finish(proto.Answered)
	return true
}

// rowsIn is how many rows the missing bytes of a result are. data is its
// beginning, up to the row at next; number is how many they are but for a multiple
// of 256. It is false if the beginning holds no row.
func (p *parser) rowsIn(data []byte, next, missing int, number uint8) (int64, bool) {
	if p.state != stateRows || p.rows <= 0 {
		return 0, false
	}
	first := 0
	for range p.expect - uint8(p.rows) - 1 { // the packets before the rows; the first is number 1
		if first+4 > len(data) {
			return 0, false
		}
		first += 4 + int(le24(data[first:]))
	}
	if first >= next {
		return 0, false
	}
	rows := float64(missing) / (float64(next-first) / float64(p.rows))
	n := int64(number) + 256*int64(math.Round(max(rows-float64(number), 0)/256))
	return n, n*leastRow <= int64(missing)+2
}
