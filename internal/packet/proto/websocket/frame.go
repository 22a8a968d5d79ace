package websocket

import (
	bits "encoding/binary"
	"hash/fnv"
	"strconv"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// frame is what is known of one.
type frame struct {
	opcode byte
	last   bool // of its message
	masked bool
	mask   [4]byte
}

// Parts of a header.
const (
	minHeader  = 2
	finBit     = 0x80 // of the first byte
	packedBit  = 0x40 // permessage-deflate
	unusedBits = 0x30
	maskBit    = 0x80 // of the second byte
	short      = 126  // the length has two bytes more
	long       = 127  // or eight
	maskSize   = 4
)

func frameOf(header []byte) frame {
	f := frame{opcode: header[0] & 15, last: header[0]&finBit != 0, masked: header[1]&maskBit != 0}
	if f.masked {
		copy(f.mask[:], header[len(header)-maskSize:])
	}
	return f
}

// extent is how long a header is.
func extent(header []byte) int {
	n := minHeader
	switch header[1] &^ maskBit {
	case short:
		n += 2
	case long:
		n += 8
	}
	if header[1]&maskBit != 0 {
		n += maskSize
	}
	return n
}

// length is how long a frame is; 0 if this is no header of one. Clients mask what they send,
// servers do not. Control frames are short, whole, and not compressed.
func length(d flow.Dir, header []byte) int64 {
	opcode, size := header[0]&15, uint64(header[1]&^maskBit)
	known := opcode <= binary || opcode >= closing && opcode <= pong
	if !known || header[0]&unusedBits != 0 || (header[1]&maskBit != 0) != (d == flow.ToServer) {
		return 0
	}
	if opcode >= closing && (size >= short || header[0]&(finBit|packedBit) != finBit) || opcode == continuation && header[0]&packedBit != 0 {
		return 0
	}
	switch size {
	case short:
		size = uint64(bits.BigEndian.Uint16(header[minHeader:]))
		if size < short {
			return 0 // lengths are as short as can be
		}
	case long:
		size = bits.BigEndian.Uint64(header[minHeader:])
		if size < 1<<16 || size > maxFrame {
			return 0
		}
	}
	return int64(len(header)) + int64(size)
}

// sniff knows frames by lengths that fit to the byte.
func sniff(d flow.Dir, data []byte) proto.Match {
	for {
		switch {
		case len(data) == 0:
			return proto.Likely
		case len(data) < minHeader || len(data) < extent(data):
			return proto.Maybe
		}
		size := length(d, data[:extent(data)])
		switch {
		case size == 0:
			return proto.No
		case int64(len(data)) < size:
			return proto.Maybe
		}
		data = data[size:]
	}
}

// begins says whether a chunk begins with a frame.
func begins(d flow.Dir, data []byte) bool { return sniff(d, data) == proto.Likely }

// closeID is the number under which a close of the client waits; those of pings have no
// more than 32 bits.
const closeID = 1 << 32

// control takes a control frame.
func (p *parser) control(d flow.Dir, opcode byte) {
	payload := p.payload[d][:p.size[d]]
	switch {
	case d == flow.ToServer && opcode == ping:
		p.sent(opcode, numberOf(payload))
	case d == flow.ToServer && opcode == closing && !p.closed:
		p.sent(opcode, closeID)
	case d == flow.ToClient && opcode == pong:
		p.pong(numberOf(payload))
	case d == flow.ToClient && opcode == closing:
		p.closes(payload)
	}
}

// numberOf is that of a ping, by what its pong repeats.
func numberOf(payload []byte) uint64 {
	h := fnv.New32a()
	h.Write(payload)
	return uint64(h.Sum32())
}

// sent takes a control frame of the client that is to be answered.
func (p *parser) sent(opcode byte, id uint64) {
	q := p.controls.Open(id)
	q.Request = p.streams[flow.ToServer].Span
	q.Doubt |= p.streams[flow.ToServer].Doubt
	q.Command, q.Tag = commands[opcode], uint32(id)
}

// pong takes the answer to a ping. Those before it need none (RFC 6455, 5.5.3).
func (p *parser) pong(id uint64) {
	if p.controls.Find(id) == nil {
		return // nobody asked (the same)
	}
	for q := p.controls.Oldest(); uint64(q.Tag) != id && q.Command == commands[ping]; q = p.controls.Oldest() {
		p.controls.Silent(uint64(q.Tag))
	}
	p.answered(id)
}

func (p *parser) answered(id uint64) {
	e := &p.controls.Now
	e.Response = p.streams[flow.ToClient].Span
	e.Doubt |= p.streams[flow.ToClient].Doubt
	p.controls.Answered(id)
}

// firstError is the least status of a close that is an error: 1000 is the end, 1001 that of
// the server or of the page.
const firstError = 1002

// closes takes a close of the server: the answer to one of the client, or the end of what waits.
func (p *parser) closes(payload []byte) {
	status, code, why := 0, "", ""
	if len(payload) >= 2 {
		status = int(bits.BigEndian.Uint16(payload))
		code, why = strconv.Itoa(status), string(payload[2:])
	}
	p.closed = true
	if p.controls.Find(closeID) != nil {
		p.controls.Now.Code = code
		p.answered(closeID)
		return
	}
	if p.waits.there() && status >= firstError {
		p.asked, p.waits = p.waits, message{}
		p.messages[flow.ToClient] = message{span: p.streams[flow.ToClient].Span, doubt: p.streams[flow.ToClient].Doubt}
		p.answers(code, why)
		p.messages[flow.ToClient] = message{}
	}
}
