package decode

import (
	"encoding/binary"
)

// Sizes of the fixed parts of transport headers in bytes.
const (
	tcpHeader  = 20
	udpHeader  = 8
	icmpHeader = 8
)

// ports reads the first four bytes of TCP and UDP and sets the hash.
func ports(f *Frame, b []byte, hash uint64) {
	f.Src.Port = binary.BigEndian.Uint16(b)
	f.Dst.Port = binary.BigEndian.Uint16(b[2:])
	if f.Hash = hash; hash == 0 {
		f.Hash = pairHash(f)
	}
}

func tcp(f *Frame, b []byte, size int, hash uint64) Result {
	if len(b) < tcpHeader {
		return shortTCP(f, b, size)
	}
	h := b[:tcpHeader]
	ports(f, h, hash)
	f.Seq = binary.BigEndian.Uint32(h[4:])
	f.Ack = binary.BigEndian.Uint32(h[8:])
	f.Flags = h[13]
	f.Window = binary.BigEndian.Uint16(h[14:])
	f.Checksum = binary.BigEndian.Uint16(h[16:])
	head := int(h[12]>>4) * 4
	if head < tcpHeader || head > size {
		return Broken
	}
	f.Size = size - head
	if head > len(b) {
		f.Options.Cut = true
		f.Options.parse(b[tcpHeader:])
		return OK
	}
	f.Payload = b[head:]
	if head == tcpHeader {
		return OK
	}
	// What nearly every segment has: two bytes of padding, then time stamps.
	if o := b[tcpHeader:head]; len(o) == 12 && binary.BigEndian.Uint32(o) == 0x0101080a {
		f.Options.HasTime = true
		f.Options.TSVal = binary.BigEndian.Uint32(o[4:])
		f.Options.TSEcr = binary.BigEndian.Uint32(o[8:])
		return OK
	}
	f.Options.parse(b[tcpHeader:head])
	return OK
}

// shortTCP takes what there is of a header that is not all there.
func shortTCP(f *Frame, b []byte, size int) Result {
	if len(b) >= 4 {
		ports(f, b, 0)
	} else {
		f.Hash = pairHash(f)
	}
	if size < tcpHeader {
		return Broken
	}
	if len(b) >= 8 {
		f.Seq = binary.BigEndian.Uint32(b[4:])
	}
	if len(b) >= 12 {
		f.Ack = binary.BigEndian.Uint32(b[8:])
	}
	if len(b) >= 14 {
		f.Flags = b[13]
		f.Size = max(0, size-int(b[12]>>4)*4)
	}
	if len(b) >= 16 {
		f.Window = binary.BigEndian.Uint16(b[14:])
	}
	if len(b) >= 18 {
		f.Checksum = binary.BigEndian.Uint16(b[16:])
	}
	return Short
}

// Kinds of TCP options (IANA, TCP Option Kind Numbers).
const (
	optEnd           = 0
	optNop           = 1
	optMSS           = 2
	optScale         = 3
	optSACKPermitted = 4
	optSACK          = 5
	optTime          = 8
)

// parse reads options until one does not fit. What came before it counts.
func (o *Options) parse(b []byte) {
	for len(b) > 0 {
		kind := b[0]
		if kind == optNop {
			b = b[1:]
			continue
		}
		if kind == optEnd || len(b) < 2 {
			return
		}
		n := int(b[1])
		if n < 2 || n > len(b) {
			return
		}
		v := b[2:n]
		switch {
		case kind == optMSS && len(v) == 2:
			o.MSS = binary.BigEndian.Uint16(v)
		case kind == optScale && len(v) == 1:
			o.Scale = int8(min(v[0], 14)) // more is to be taken for 14: RFC 7323, 2.3
		case kind == optSACKPermitted && len(v) == 0:
			o.SACKPermitted = true
		case kind == optSACK && len(v)%8 == 0:
			for ; len(v) >= 8 && int(o.SACKs) < len(o.SACK); v = v[8:] {
				o.SACK[o.SACKs] = [2]uint32{binary.BigEndian.Uint32(v), binary.BigEndian.Uint32(v[4:])}
				o.SACKs++
			}
		case kind == optTime && len(v) == 8:
			o.HasTime = true
			o.TSVal, o.TSEcr = binary.BigEndian.Uint32(v), binary.BigEndian.Uint32(v[4:])
		}
		b = b[n:]
	}
}

func (d *Decoder) udp(f *Frame, b []byte, size, depth int) Result {
	if len(b) >= 4 {
		ports(f, b, 0)
	} else {
		f.Hash = pairHash(f)
	}
	if size < udpHeader {
		return Broken
	}
	if len(b) < udpHeader {
		return Short
	}
	f.Checksum = binary.BigEndian.Uint16(b[6:])
	// 0 is a datagram of more than 64 KB; one longer than its packet comes from
	// network cards that have yet to cut it.
	if n := int(binary.BigEndian.Uint16(b[4:])); n != 0 {
		if n < udpHeader {
			return Broken
		}
		size = min(size, n)
		b = b[:min(n, len(b))]
	}
	f.Payload, f.Size = b[udpHeader:], size-udpHeader
	if isTunnelPort(f.Dst.Port) && depth < maxDepth {
		return d.udpTunnel(f, depth+1)
	}
	return OK
}
