package mysql

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/inflate"
)

// Bounds of compressed packets. Servers and clients compress what is in their
// buffer, 16 KB by default (net_buffer_length), or one packet that is larger.
const (
	maxCompressed = 1 << 20 // a larger one is not inflated
)

// zip is the compressed framing of both directions: length of what follows,
// sequence number, and length after inflation, 0 if it is not compressed.
type zip struct {
	side  [2]zipSide
	clear bool // the packet that ends the login, which is not compressed, is not complete
}

type zipSide struct {
	span  proto.Span // of the compressed packet under way
	body  *proto.Buffer
	left  int64 // bytes to come of a packet that is not kept
	head  [7]byte
	have  uint8 // bytes of head
	lost  bool
	large bool
}

func newZip() *zip { return &zip{} }

// compressedStart says whether bytes at the beginning of a chunk of size bytes
// are a compressed packet of a client that holds a command.
func compressedStart(data []byte, size int) bool {
	if len(data) < 12 || data[3] != 0 {
		return false
	}
	length, inflated := int(le24(data)), le24(data[4:])
	if length+7 != size && !(length+7 > size && size >= fullSegment) {
		return false
	}
	if inflated == 0 {
		return data[10] == 0 && fits(data[11], le24(data[7:])) && int(le24(data[7:]))+4 == length
	}
	return isZlib(data[7:]) || isZstd(data[7:])
}

func isZlib(b []byte) bool { return b[0]&0xf == 8 && (uint(b[0])<<8|uint(b[1]))%31 == 0 }
func isZstd(b []byte) bool { return b[0] == 0x28 && b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd }

// inflate takes bytes of a compressed connection.
func (p *parser) inflate(c *flow.Chunk) {
	z := &p.zip.side[c.Dir]
	data := c.Data
	if z.lost {
		if c.Dir == flow.ToServer && compressedStart(data, c.Size()) {
			z.lost = false
			p.unlockZip()
		} else {
			if p.phase == phaseCommand && c.Dir == flow.ToClient {
				z.span.Reset()
				z.span.Add(c, 0, c.Size())
				p.charge(&p.resp, c, 0, 1)
			}
			return
		}
	}
	for i := 0; i < len(data) && !z.lost; {
		if z.have == 0 && z.left == 0 {
			z.span.Reset()
		}
		if z.have < 7 {
			n := copy(z.head[z.have:], data[i:])
			z.span.Add(c, i, n)
			z.have += uint8(n)
			i += n
			if z.have < 7 {
				break
			}
			z.left = int64(le24(z.head[:]))
			if z.large = z.left > maxCompressed; !z.large {
				z.body = p.scratch.Buffers.Get()
			}
			if z.left > 0 {
				continue
			}
		}
		n := int(min(z.left, int64(len(data)-i)))
		if n > 0 {
			z.span.Add(c, i, n)
		}
		if z.body != nil {
			z.body.B = append(z.body.B, data[i:i+n]...)
		}
		i += n
		if z.left -= int64(n); z.left == 0 {
			p.inflated(c)
		}
	}
	if c.Cut > 0 && p.zip != nil && !z.lost {
		p.zip.lose(p, c.Dir, proto.Approximate)
	}
}

// unlockZip makes both directions begin with the next packet.
func (p *parser) unlockZip() {
	for d := range p.zip.side {
		z := &p.zip.side[d]
		p.scratch.Buffers.Put(&z.body)
		*z = zipSide{}
		s := &p.side[d]
		p.scratch.Buffers.Put(&s.acc)
		keep := s.lost && d == int(flow.ToClient)
		*s = side{lost: keep}
	}
}

// lose gives up the position in a direction.
func (z *zip) lose(p *parser, d flow.Dir, why proto.Doubt) {
	s := &z.side[d]
	p.scratch.Buffers.Put(&s.body)
	if d == flow.ToClient && p.phase == phaseCommand && p.waiting > 0 && s.have > 0 {
		join(&p.resp, &s.span)
	}
	s.lost, s.left, s.have = true, 0, 0
	p.lose(d, why)
}

// inflated gives the content of a complete packet to the decoder.
func (p *parser) inflated(c *flow.Chunk) {
	z := &p.zip.side[c.Dir]
	z.have = 0
	body := z.body
	z.body = nil
	if z.large {
		p.lose(c.Dir, proto.Approximate)
		p.plainLost(c)
		return
	}
	defer p.scratch.Buffers.Put(&body)
	if le24(z.head[4:]) == 0 {
		p.inner(c, body.B)
		return
	}
	if !p.unpack(c, body.B, int(le24(z.head[4:]))) {
		p.zip.lose(p, c.Dir, proto.Approximate)
	}
}

// plainLost makes a packet that is not inflated a part of the answer.
func (p *parser) plainLost(c *flow.Chunk) {
	if c.Dir == flow.ToClient && p.phase == phaseCommand {
		p.charge(&p.resp, c, 0, 1)
	}
}

func (p *parser) inner(c *flow.Chunk, data []byte) {
	if c.Dir == flow.ToServer {
		p.client(c, data, len(data))
	} else {
		p.server(c, data)
	}
}

// unpack inflates size bytes, a step at a time. It is false if they are broken.
func (p *parser) unpack(c *flow.Chunk, body []byte, size int) bool {
	return len(body) >= 6 && size == inflate.Steps(body, isZstd(body), size, func(piece []byte) bool {
		p.inner(c, piece)
		return true
	})
}
