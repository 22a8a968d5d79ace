package pcap

import (
	"encoding/binary"
	"math/bits"
)

// The classic format: a file header, then records of a header and the packet.
// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-05.html
const (
	classicHeader = 24

	magicMicro     = 0xa1b2c3d4
	magicNano      = 0xa1b23c4d
	magicKuznetzov = 0xa1b2cd34 // the old Linux patch: records say the interface and direction
)

// classic parses the records of a classic capture.
type classic struct {
	s      *source
	swap   bool // the writer had the other byte order
	header int  // length of a record's header
	unit   int64
	link   LinkType
	number uint32
	// oldOrder: versions before 2.4 may have the two lengths exchanged
	oldOrder bool
	touched  byte // so that the compiler does not leave ahead out
}

// newClassic reads the header of a file, which ok says b begins with.
func newClassic(s *source, name string, b []byte) (c *classic, ok bool) {
	if len(b) < 4 {
		return nil, false
	}
	c = &classic{s: s, header: 16, unit: 1000}
	magic := binary.LittleEndian.Uint32(b)
	for range 2 {
		switch magic {
		case magicNano:
			c.unit, ok = 1, true
		case magicKuznetzov:
			c.header, ok = 24, true
		case magicMicro:
			ok = true
		default:
			c.swap = true
			magic = bits.ReverseBytes32(magic)
			continue
		}
		break
	}
	if !ok {
		return nil, false
	}
	if len(b) < classicHeader {
		return c, true // Open complains
	}
	minor := c.u32(b[4:]) >> 16
	if c.swap {
		minor = c.u32(b[4:]) & 0xffff
	}
	c.oldOrder = minor < 4
	c.link = linkType(c.u32(b[20:]))
	if c.number, ok = s.addInterface(Interface{Link: c.link, SnapLength: c.u32(b[16:]), File: name}, 0); !ok {
		c.number = 0 // of 65536 others: what it is called does not matter any more
	}
	return c, true
}

// linkType normalises what capture files say; the upper bits are about a frame
// check sequence.
func linkType(n uint32) LinkType {
	switch t := LinkType(n); t {
	case 12, 14: // DLT_RAW as some systems number it
		return LinkRaw
	default:
		return t
	}
}

func (c *classic) u32(b []byte) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if c.swap {
		v = bits.ReverseBytes32(v)
	}
	return v
}

func (c *classic) parse(buf []byte, out []Packet, stop int) ([]Packet, int, error) {
	pos, n, frame := 0, len(out), c.s.frame
	out = out[:cap(out)]
	var err error
	var touched byte
	header, unit, number, link := c.header, c.unit, c.number, c.link
	for n < len(out) && pos < stop {
		if len(buf)-pos < header {
			if pos != len(buf) {
				err = errShort
			}
			break
		}
		touched += ahead(buf, pos)
		h := (*[16]byte)(buf[pos:])
		sec, frac := binary.LittleEndian.Uint32(h[0:4]), binary.LittleEndian.Uint32(h[4:8])
		length, wire := binary.LittleEndian.Uint32(h[8:12]), binary.LittleEndian.Uint32(h[12:16])
		if c.swap {
			sec, frac = bits.ReverseBytes32(sec), bits.ReverseBytes32(frac)
			length, wire = bits.ReverseBytes32(length), bits.ReverseBytes32(wire)
		}
		if c.oldOrder && length > wire {
			length, wire = wire, length
		}
		if length > maxPacket {
			err = corruption("a packet claims to be longer than any packet is")
			break
		}
		if length == 0 && wire == 0 && sec == 0 {
			err = corruption("zeros where a packet should begin")
			break
		}
		from := pos + header
		end := from + int(length)
		if end > len(buf) {
			err = errShort
			break
		}
		frame++
		p := &out[n]
		p.Time = int64(sec)*1e9 + int64(frac)*unit
		p.Frame = frame
		p.Data = buf[from:end:end]
		p.Wire = max(wire, length)
		p.Interface = number
		p.Link = link
		p.Way = WayUnknown
		if header == 24 {
			p.Way = kuznetzovWay(buf[pos+22])
		}
		n++
		pos = end
	}
	c.s.frame = frame
	c.touched = touched
	return out[:n], pos, err
}

// kuznetzovWay translates the packet type of Linux' if_packet.h.
func kuznetzovWay(t byte) Way {
	if t == 4 { // PACKET_OUTGOING
		return Outbound
	}
	return Inbound
}

func (c *classic) summary() {}
