package decode

import (
	"encoding/binary"
	"math/bits"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

// Odd numbers with as many ones as zeros: the first decimals of pi, e and the
// golden ratio, as other hashes use them.
const (
	mixA = 0x9e3779b97f4a7c15
	mixB = 0x243f6a8885a308d3
	mixC = 0xb7e151628aed2a6b
)

// fold multiplies to 128 bits and puts both halves together, so that each bit of
// the result depends on all bits of both numbers.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// end4 and end6 hash one end, so that their sum is the same for both directions.
func end4(addr uint32, port uint16) uint64 {
	return fold((uint64(addr)<<16|uint64(port))^mixA, mixB)
}

func end6(hi, lo uint64, port uint16) uint64 {
	return fold(fold(hi^mixA, mixC)+lo^mixB, uint64(port)^mixC)
}

func both(a, b uint64, proto uint8) uint64 {
	return fold(a+b+uint64(proto), mixC)
}

func hashEnds(a, b *flow.Endpoint, proto uint8) uint64 {
	if isIPv4(a) && isIPv4(b) { // one call for the most of them
		return both(end4(last4(a), a.Port), end4(last4(b), b.Port), proto)
	}
	return both(end(a), end(b), proto)
}

func isIPv4(e *flow.Endpoint) bool {
	return binary.LittleEndian.Uint64(e.Addr[:8]) == 0 && binary.LittleEndian.Uint64(e.Addr[8:])&0xffffffff == 0xffff0000
}

func last4(e *flow.Endpoint) uint32 { return uint32(binary.BigEndian.Uint64(e.Addr[8:])) }

func end(e *flow.Endpoint) uint64 {
	if isIPv4(e) {
		return end4(last4(e), e.Port)
	}
	return end6(binary.BigEndian.Uint64(e.Addr[:8]), binary.BigEndian.Uint64(e.Addr[8:]), e.Port)
}

// pairHash hashes the ends of a frame as far as they are known.
func pairHash(f *Frame) uint64 { return hashEnds(&f.Src, &f.Dst, f.Proto) }

// Hash finds the hash that Decode will give the frame, at a fraction of its
// cost, if the packet is plain: TCP or UDP, in no tunnel, no fragment. It is 0
// for all others.
func (d *Decoder) Hash(p *pcap.Packet) uint64 {
	b := p.Data
	var t uint16
	switch p.Link {
	case pcap.LinkEthernet:
		if len(b) < ethernetHeader {
			return 0
		}
		t, b = binary.BigEndian.Uint16(b[12:]), b[ethernetHeader:]
		for t == typeVLAN || t == typeQinQ {
			if len(b) < 4 {
				return 0
			}
			t, b = binary.BigEndian.Uint16(b[2:]), b[4:]
		}
	case pcap.LinkLinuxSLL:
		if len(b) < sllHeader {
			return 0
		}
		t, b = binary.BigEndian.Uint16(b[14:]), b[sllHeader:]
	case pcap.LinkLinuxSLL2:
		if len(b) < sll2Header {
			return 0
		}
		t, b = binary.BigEndian.Uint16(b), b[sll2Header:]
	case pcap.LinkRaw:
		if len(b) == 0 {
			return 0
		}
		t = typeIPv4
		if b[0]>>4 == 6 {
			t = typeIPv6
		}
	default:
		return 0
	}
	switch t {
	case typeIPv4:
		return hash4(b)
	case typeIPv6:
		return hash6(b)
	}
	return 0
}

func hash4(b []byte) uint64 {
	if len(b) < ipv4Header+4 {
		return 0
	}
	// Options are rare enough for the slow way.
	if b[0] != 0x45 || binary.BigEndian.Uint16(b[6:])&0x3fff != 0 {
		return 0
	}
	src, dst := binary.BigEndian.Uint16(b[20:]), binary.BigEndian.Uint16(b[22:])
	if n := binary.BigEndian.Uint16(b[2:]); n != 0 && n < ipv4Header+4 {
		return 0
	}
	if proto := b[9]; proto == TCP || proto == UDP && !isTunnelPort(dst) {
		return both(end4(binary.BigEndian.Uint32(b[12:]), src), end4(binary.BigEndian.Uint32(b[16:]), dst), proto)
	}
	return 0
}

func hash6(b []byte) uint64 {
	if len(b) < ipv6Header+4 || b[0]>>4 != 6 {
		return 0
	}
	if n := binary.BigEndian.Uint16(b[4:]); n < 4 {
		return 0
	}
	proto, dst := b[6], binary.BigEndian.Uint16(b[42:])
	// Addresses of IPv4 in IPv6's clothes hash as IPv4; the slow way does that.
	if proto == TCP || proto == UDP && !isTunnelPort(dst) {
		s := flow.Endpoint{Addr: flow.Addr(b[8:24]), Port: binary.BigEndian.Uint16(b[40:])}
		d := flow.Endpoint{Addr: flow.Addr(b[24:40]), Port: dst}
		return both(end(&s), end(&d), proto)
	}
	return 0
}
