package decode

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
)

// Protocols that IP carries beside those of the exported constants.
const (
	protoHopByHop = 0
	protoIPIP     = 4
	protoIPv6     = 41
	protoRouting  = 43
	protoFragment = 44
	protoGRE      = 47
	protoAH       = 51
	protoDest     = 60
	protoMobility = 135
	protoHIP      = 139
	protoShim6    = 140
)

const (
	ipv4Header = 20
	ipv6Header = 40
)

// ip looks at the version where the link does not say it.
func (d *Decoder) ip(f *Frame, b []byte, size, depth int) Result {
	if len(b) == 0 {
		return Short
	}
	switch b[0] >> 4 {
	case 4:
		return d.ipv4(f, b, size, depth, 0)
	case 6:
		return d.ipv6(f, b, size, depth)
	}
	return NotIP
}

// ipv4 takes an IPv4 header away. b is what was captured, size what was on the
// wire from there on, padding included. hash is that of the flow; 0: not known.
func (d *Decoder) ipv4(f *Frame, b []byte, size, depth int, hash uint64) Result {
	if len(b) < ipv4Header {
		return Short
	}
	head := int(b[0]&15) * 4
	if b[0]>>4 != 4 || head < ipv4Header {
		return Broken
	}
	setAddr4(&f.Src, b[12:16])
	setAddr4(&f.Dst, b[16:20])
	f.TTL, f.Proto = b[8], b[9]
	f.IPID = binary.BigEndian.Uint16(b[4:])
	frag := binary.BigEndian.Uint16(b[6:])
	f.DF = frag&0x4000 != 0

	// The length in the header counts, not that of the capture: what follows is
	// padding of short Ethernet frames, and network brokers that cut packets write the
	// cut length as that of the wire. 0 is a packet the network card will cut (TSO) or
	// one of more than 64 KB (BIG TCP).
	if n := int(binary.BigEndian.Uint16(b[2:])); n != 0 {
		if n < head {
			f.Hash = pairHash(f)
			return Broken
		}
		size = n
		b = b[:min(n, len(b))]
	}
	if len(b) < head {
		f.Hash = pairHash(f)
		return Short
	}
	if frag&0x3fff == 0 {
		if f.Proto == TCP { // nearly always; it spares a call
			return tcp(f, b[head:], size-head, hash)
		}
		return d.transport(f, b[head:], size-head, depth)
	}
	return d.fragment(f, fragment{
		id: uint32(f.IPID), proto: f.Proto, v4: true,
		offset: int(frag&0x1fff) * 8, more: frag&0x2000 != 0,
		data: b[head:], size: size - head,
	}, depth)
}

// setAddr4 is flow.V4 in two stores of eight bytes. The hash reads the address as
// such; after smaller stores that would wait until they are all done.
func setAddr4(e *flow.Endpoint, b []byte) {
	binary.BigEndian.PutUint64(e.Addr[:8], 0)
	binary.BigEndian.PutUint64(e.Addr[8:], 0xffff<<32|uint64(binary.BigEndian.Uint32(b)))
	e.Port = 0
}

// ipv6 takes an IPv6 header and its extension headers away.
func (d *Decoder) ipv6(f *Frame, b []byte, size, depth int) Result {
	if len(b) < ipv6Header {
		return Short
	}
	if b[0]>>4 != 6 {
		return Broken
	}
	f.Src.Addr = flow.Addr(b[8:24])
	f.Dst.Addr = flow.Addr(b[24:40])
	f.Src.Port, f.Dst.Port = 0, 0
	f.Proto, f.TTL, f.IPID, f.DF = b[6], b[7], 0, false
	length := int(binary.BigEndian.Uint16(b[4:]))
	b, size = b[ipv6Header:], size-ipv6Header
	if length != 0 {
		size = length
		b = b[:min(length, len(b))]
	} else if f.Proto == protoHopByHop {
		if jumbo := jumboLength(b); jumbo > 0 {
			size = jumbo
			b = b[:min(jumbo, len(b))]
		}
	}
	for {
		head := 0
		switch f.Proto {
		case protoHopByHop, protoRouting, protoDest, protoMobility, protoHIP, protoShim6:
			if len(b) >= 2 {
				head = int(b[1])*8 + 8
			}
		case protoAH:
			if len(b) >= 2 {
				head = int(b[1])*4 + 8
			}
		case protoFragment:
			if len(b) < 8 {
				f.Hash = pairHash(f)
				return Short
			}
			id, place := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint16(b[2:])
			f.IPID = uint16(id)
			f.Proto = b[0]
			b, size = b[8:], size-8
			if place&0xfff9 == 0 {
				continue // the only fragment (RFC 6946)
			}
			return d.fragment(f, fragment{
				id: id, proto: f.Proto,
				offset: int(place &^ 7), more: place&1 != 0,
				data: b, size: size,
			}, depth)
		default:
			return d.transport(f, b, size, depth)
		}
		if head == 0 || head > len(b) {
			f.Hash = pairHash(f)
			if head > size {
				return Broken
			}
			return Short
		}
		f.Proto = b[0]
		b, size = b[head:], size-head
	}
}

// jumboLength finds the length of a packet of more than 64 KB in its
// hop-by-hop header (RFC 2675), 0 if it gives none.
func jumboLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	b = b[2:min(len(b), int(b[1])*8+8)]
	for len(b) >= 2 {
		n := int(b[1]) + 2
		switch {
		case b[0] == 0: // one byte of padding
			n = 1
		case b[0] == 0xc2 && b[1] == 4 && len(b) >= 6:
			return int(binary.BigEndian.Uint32(b[2:]) & 0x7fffffff)
		}
		b = b[min(n, len(b)):]
	}
	return 0
}

// transport looks into what IP carries.
func (d *Decoder) transport(f *Frame, b []byte, size, depth int) Result {
	switch f.Proto {
	case TCP:
		return tcp(f, b, size, 0)
	case UDP:
		return d.udp(f, b, size, depth)
	case ICMP, ICMPv6:
		return icmp(f, b, size)
	}
	f.Hash = pairHash(f)
	if depth >= maxDepth {
		return Other
	}
	switch f.Proto {
	case protoIPIP:
		if len(b) == 0 {
			return Short
		}
		return d.ipv4(f, b, size, depth+1, 0)
	case protoIPv6:
		if len(b) == 0 {
			return Short
		}
		return d.ipv6(f, b, size, depth+1)
	case protoGRE:
		return d.gre(f, b, size, depth+1)
	}
	f.Payload, f.Size = b, size
	return Other
}
