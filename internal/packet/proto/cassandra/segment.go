package cassandra

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/framed"
	"rtrail/internal/packet/proto/pair"
)

// From version 5 on, all that follows the answer to Startup is in segments: a length of 17
// bits (of compressed ones also that before compression), whether whole messages are within, a
// CRC of these, the payload, and a CRC of it.
const (
	lengthBits = 17
	maxPayload = 1<<lengthBits - 1
	crcSize    = 3
	trailer    = 4
	plainSize  = 3 + crcSize // of the headers
	packedSize = 5 + crcSize
)

// kinds are the two forms of segments, by whether they are compressed.
var kinds = map[bool]*framed.Format{
	false: {Header: plainSize, Length: func(_ flow.Dir, b []byte) int64 { return segmentLength(b, plainSize) },
		Begins: func(_ flow.Dir, b []byte) bool { return beginsSegment(b, plainSize) }},
	true: {Header: packedSize, Length: func(_ flow.Dir, b []byte) int64 { return segmentLength(b, packedSize) },
		Begins: func(_ flow.Dir, b []byte) bool { return beginsSegment(b, packedSize) }},
}

// segmentKind is the form of the segment that bytes begin with.
func segmentKind(b []byte) (kind *framed.Format, ok bool) {
	switch {
	case beginsSegment(b, plainSize):
		return kinds[false], true
	case beginsSegment(b, packedSize):
		return kinds[true], true
	}
	return nil, false
}

func beginsSegment(b []byte, size int) bool { return len(b) >= size && segmentLength(b, size) > 0 }

// segmentLength is how long a segment is; 0 if the CRC says that this is no header of one.
func segmentLength(b []byte, size int) int64 {
	if crc24(b[:size-crcSize]) != uint32(littleEndian(b[size-crcSize:size])) {
		return 0
	}
	return int64(size) + int64(littleEndian(b[:size-crcSize])&maxPayload) + trailer
}

func littleEndian(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

// crc24 is the CRC of headers.
func crc24(b []byte) uint32 {
	const begin, polynomial, top = 0x875060, 0x1974f0b, 1 << 24
	crc := uint32(begin)
	for _, c := range b {
		crc ^= uint32(c) << 16
		for range 8 {
			if crc <<= 1; crc&top != 0 {
				crc ^= polynomial
			}
		}
	}
	return crc
}

// segments takes the messages of a connection out of their segments.
type segments struct {
	parser   *parser
	kind     *framed.Format // nil: there are none
	streams  framed.Streams
	payloads [2]*proto.Buffer
	inflated [2]int // bytes of the payload before it was compressed; 0: it is not
	left     [2]int // bytes of the payload still to come
	missed   [2]int // bytes of it that were not captured, or are of no use behind such
	spans    [2]proto.Span
}

func (s *segments) used() bool { return s.kind != nil }

// use says that messages come in segments from now on, each of which begins with one.
func (s *segments) use(kind *framed.Format) {
	s.kind = kind
	s.parser.messages[0].Lose()
	s.parser.messages[1].Lose()
}

// recognise finds out whether the messages of a connection of which the beginning was not
// captured are in segments.
func (s *segments) recognise(b []byte) {
	if kind, ok := segmentKind(b); ok {
		s.use(kind)
		s.streams = framed.NewStreams(true)
	}
}

// begin is told that a message begins in the segment under way.
func (s *segments) begin(d flow.Dir) {
	if s.used() {
		s.spans[d] = s.streams[d].Span
	}
}

// end lets go of what was kept.
func (s *segments) end() {
	s.parser.scratch.Buffers.Put(&s.payloads[0])
	s.parser.scratch.Buffers.Put(&s.payloads[1])
}

// Begin takes the header of a segment.
func (s *segments) Begin(d flow.Dir, header []byte) {
	v := littleEndian(header[:len(header)-crcSize])
	s.left[d], s.missed[d], s.inflated[d] = int(v&maxPayload), 0, 0
	if len(header) == packedSize {
		s.inflated[d] = int(v >> lengthBits & maxPayload)
	}
	if s.payloads[d] == nil {
		s.payloads[d] = s.parser.scratch.Buffers.Get()
	}
	s.payloads[d].B = s.payloads[d].B[:0]
}

// Body takes a part of a segment.
func (s *segments) Body(d flow.Dir, data []byte) {
	data = data[:min(len(data), s.left[d])]
	s.left[d] -= len(data)
	if s.missed[d] == 0 {
		s.payloads[d].B = append(s.payloads[d].B, data...)
		return
	}
	s.missed[d] += len(data)
}

// Missing is told of a part that was not captured.
func (s *segments) Missing(d flow.Dir, n int64) {
	missed := int(min(n, int64(s.left[d])))
	s.left[d] -= missed
	s.missed[d] += missed
}

// Lost is told that a direction is out of step.
func (s *segments) Lost(d flow.Dir) {
	s.parser.messages[d].Lose()
	s.parser.Lost(d)
}

// Complete takes a segment apart.
func (s *segments) Complete(d flow.Dir) {
	p, payload := s.parser, s.payloads[d].B
	m, stream := &p.messages[d], &s.streams[d]
	missed := s.missed[d]
	if size := s.inflated[d]; size > 0 {
		b := p.scratch.Buffers.Get()
		defer p.scratch.Buffers.Put(&b)
		b.B = inflate(b.B, payload, size)
		payload, missed = b.B, size-len(b.B)
	}
	if m.Within() {
		pair.Join(&s.spans[d], &stream.Span)
	}
	m.Data(&format, p, &flow.Chunk{Stamp: stream.Span.Last, Dir: d, Data: payload, Cut: missed})
	p.scratch.Buffers.Put(&s.payloads[d])
}
