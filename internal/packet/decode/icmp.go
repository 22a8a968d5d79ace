package decode

import (
	"encoding/binary"

	"rtrail/internal/packet/flow"
)

func icmp(f *Frame, b []byte, size int) Result {
	f.Hash = pairHash(f)
	if size < icmpHeader {
		return Broken
	}
	if len(b) < icmpHeader {
		return Short
	}
	f.ICMP = Control{Type: b[0], Code: b[1]}
	f.Checksum = binary.BigEndian.Uint16(b[2:])
	f.Payload, f.Size = b[icmpHeader:], size-icmpHeader
	c := &f.ICMP
	if f.Proto == ICMP {
		switch c.Type {
		case 0, 8: // echo
			c.ID, c.Seq = binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
		case 3, 4, 5, 11, 12: // unreachable, quench, redirect, time exceeded, parameter problem
			if c.Type == 3 && c.Code == 4 {
				c.MTU = uint32(binary.BigEndian.Uint16(b[6:]))
			}
			c.quote(f.Payload)
		}
	} else {
		switch c.Type {
		case 128, 129: // echo
			c.ID, c.Seq = binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
		case 1, 2, 3, 4: // unreachable, too big, time exceeded, parameter problem
			if c.Type == 2 {
				c.MTU = binary.BigEndian.Uint32(b[4:])
			}
			c.quote(f.Payload)
		}
	}
	if c.Quoted {
		f.Hash = hashEnds(&c.QuotedSrc, &c.QuotedDst, c.QuotedProto)
	}
	return OK
}

// quote reads the beginning of a packet that an error message holds.
func (c *Control) quote(b []byte) {
	if len(b) == 0 {
		return
	}
	first := true // no fragment, or the first one: ports follow
	switch b[0] >> 4 {
	case 4:
		head := int(b[0]&15) * 4
		if len(b) < ipv4Header || head < ipv4Header {
			return
		}
		c.QuotedProto = b[9]
		c.QuotedSrc.Addr = flow.V4([4]byte(b[12:]))
		c.QuotedDst.Addr = flow.V4([4]byte(b[16:]))
		first = binary.BigEndian.Uint16(b[6:])&0x1fff == 0
		b = b[min(head, len(b)):]
	case 6:
		if len(b) < ipv6Header {
			return
		}
		c.QuotedProto = b[6]
		c.QuotedSrc.Addr = flow.Addr(b[8:24])
		c.QuotedDst.Addr = flow.Addr(b[24:40])
		b = b[ipv6Header:]
		for {
			head := 0
			switch c.QuotedProto {
			case protoHopByHop, protoRouting, protoDest:
				if len(b) >= 2 {
					head = int(b[1])*8 + 8
				}
			case protoFragment:
				head = 8
				if len(b) >= 8 && binary.BigEndian.Uint16(b[2:])&0xfff8 != 0 {
					first = false
				}
			}
			if head == 0 || head > len(b) {
				break
			}
			c.QuotedProto, b = b[0], b[head:]
		}
	default:
		return
	}
	c.Quoted = true
	if !first || len(b) < 4 || (c.QuotedProto != TCP && c.QuotedProto != UDP) {
		return
	}
	c.QuotedSrc.Port = binary.BigEndian.Uint16(b)
	c.QuotedDst.Port = binary.BigEndian.Uint16(b[2:])
	if c.QuotedProto == TCP && len(b) >= 8 {
		c.QuotedSeq, c.QuotedHasSeq = binary.BigEndian.Uint32(b[4:]), true
	}
}
