package postgres

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

const (
	headerSize = 5 // a type and a length, which counts itself but not the type
	// maxMessage is the longest message that is believed: PostgreSQL refuses
	// larger ones (PQ_LARGE_MESSAGE_LIMIT, MaxAllocSize).
	maxMessage = 1 << 30
)

// side is a direction: the message under way.
type side struct {
	span    proto.Span // of the message
	body    []byte     // its beginning: of the chunk, or of kept
	kept    []byte     // what of the body came with earlier chunks
	prefix  [headerSize]byte
	head    uint8 // bytes of the header that are known
	kind    byte  // 0 if untyped
	untyped bool
	lost    bool
	doubt   proto.Doubt
	got     int64 // bytes of the message
	total   int64
}

// begin makes ready for the next message.
func (s *side) begin() {
	s.head, s.kind, s.untyped, s.got, s.total, s.body, s.doubt = 0, 0, false, 0, 0, nil, 0
	s.kept = s.kept[:0]
	if cap(s.kept) > maxText {
		s.kept = nil
	}
}

func (s *side) complete() bool { return s.total > 0 && s.got == s.total }

// take takes bytes of a chunk from i on, up to the end of the message at most.
func (s *side) take(c *flow.Chunk, i int, untyped bool) int {
	if s.got == 0 {
		s.span.Reset()
		s.untyped = untyped
	}
	from := i
	if s.total == 0 {
		i = s.header(c.Data, i)
	}
	n := 0
	if s.total > 0 && !s.broken() {
		n = int(min(int64(len(c.Data)-i), s.total-s.got))
		s.collect(c.Data[i : i+n])
		s.got += int64(n)
	}
	n += i - from
	s.span.Add(c, from, n)
	return n
}

// header reads a header, which may come in pieces, and returns where it ends.
func (s *side) header(data []byte, i int) int {
	size := uint8(headerSize)
	if s.untyped {
		size--
	}
	for s.head < size && i < len(data) {
		s.prefix[s.head] = data[i]
		s.head++
		s.got++
		i++
	}
	if s.head < size {
		return i
	}
	length := int64(binary.BigEndian.Uint32(s.prefix[size-4:]))
	s.total = length
	if !s.untyped {
		s.kind = s.prefix[0]
		s.total++
	}
	s.head = headerSize
	return i
}

// broken says whether the header cannot be one.
func (s *side) broken() bool {
	return s.head == headerSize && (s.total < s.got || s.total > maxMessage || s.untyped && s.total > maxStartup)
}

// limit is how much of the body is of interest.
func (s *side) limit() int {
	switch s.kind {
	case 'Q', 'P', 'B', 0:
		return maxText
	case 'E', 'N':
		return maxError
	case 'C', 'D', 'Z':
		return maxTag
	}
	return 0
}

// collect keeps the beginning of the body, without a copy if the chunk has the
// whole message.
func (s *side) collect(b []byte) {
	room := s.limit() - len(s.kept)
	if room <= 0 || len(b) == 0 {
		return
	}
	b = b[:min(len(b), room)]
	if len(s.kept) == 0 && s.got+int64(len(b)) <= s.total && s.body == nil && s.total-s.got == int64(len(b)) {
		s.body = b
		return
	}
	s.kept = append(s.kept, b...)
	s.body = s.kept
}

// within says whether n more bytes belong to the message under way.
func (s *side) within(n int64) bool {
	return s.total > 0 && n <= s.total-s.got
}

// pass counts bytes of the message that were not captured.
func (s *side) pass(n int64, c *flow.Chunk) {
	s.got += n
	if c != nil {
		s.span.Add(c, len(c.Data), int(n))
	} else {
		s.span.End += uint64(n)
	}
}

// cutShort says whether the body is not all there.
func (s *side) cutShort() bool {
	size := int64(headerSize)
	if s.untyped {
		size--
	}
	return int64(len(s.body)) < s.total-size
}

// join makes a message a part of a request or an answer.
func join(to, m *proto.Span) {
	if m.Empty() {
		return
	}
	if to.Empty() {
		*to = *m
		return
	}
	packets := m.Packets
	if m.First.Frame == to.Last.Frame || m.Start < to.End {
		packets--
	}
	to.Packets += packets
	to.End = m.End
	if m.First.At < to.First.At {
		to.First = m.First
	}
	if m.Last.At > to.Last.At || m.Last.At == to.Last.At && m.Last.Frame > to.Last.Frame {
		to.Last = m.Last
	}
}

// Types of messages and the lengths they can have.
var shapes = func() (s [2][256]struct{ least, most uint32 }) {
	const long = 64 << 20 // what lies in text looks longer than this
	for _, c := range "QPBFdfpDCE" {
		s[flow.ToServer][c].least, s[flow.ToServer][c].most = 5, long
	}
	s[flow.ToServer]['d'].least = 4
	for _, c := range "SHXc" {
		s[flow.ToServer][c].least, s[flow.ToServer][c].most = 4, 4
	}
	for _, c := range "DTtCERNSAdKVv" {
		s[flow.ToClient][c].least, s[flow.ToClient][c].most = 5, long
	}
	s[flow.ToClient]['d'].least = 4
	s[flow.ToClient]['K'].most = 4 + 4 + 256
	for _, c := range "GHW" {
		s[flow.ToClient][c].least, s[flow.ToClient][c].most = 7, 7+2*1664
	}
	for _, c := range "123nIsc" {
		s[flow.ToClient][c].least, s[flow.ToClient][c].most = 4, 4
	}
	s[flow.ToClient]['Z'].least, s[flow.ToClient]['Z'].most = 5, 5
	return s
}()

// chained says whether bytes are messages of a side, one after the other.
func chained(d flow.Dir, b []byte) bool {
	seen := 0
	for ; len(b) >= headerSize; seen++ {
		n := binary.BigEndian.Uint32(b[1:])
		if shape := shapes[d&1][b[0]]; n < shape.least || n > shape.most {
			return false
		}
		if b[0] == 'Z' && d == flow.ToClient && len(b) > headerSize && !isReady(b[5]) {
			return false
		}
		if int64(n)+1 >= int64(len(b)) {
			return true
		}
		b = b[1+n:]
	}
	return seen > 0
}
