package decode

import "encoding/binary"

// UDP ports of tunnels.
const (
	portVXLAN      = 4789
	portVXLANLinux = 8472 // Linux' default before IANA gave out a number
	portVXLANGPE   = 4790
	portGeneve     = 6081
	portGTPU       = 2152
)

func isTunnelPort(p uint16) bool {
	switch p {
	case portVXLAN, portVXLANLinux, portVXLANGPE, portGeneve, portGTPU:
		return true
	}
	return false
}

// udpTunnel looks into a datagram to the port of a tunnel. What does not look
// like a tunnel stays a datagram.
func (d *Decoder) udpTunnel(f *Frame, depth int) Result {
	b, size := f.Payload, f.Size
	if len(b) < 8 {
		return OK
	}
	if f.Dst.Port == portGeneve {
		head := 8 + int(b[0]&0x3f)*4
		if b[0]>>6 != 0 || b[7] != 0 || head > size {
			return OK
		}
		if head > len(b) {
			return Short
		}
		f.inside()
		f.Space = d.space(f.Space, byGeneve, binary.BigEndian.Uint32(b[4:])>>8)
		return d.tunnelled(f, binary.BigEndian.Uint16(b[2:]), b[head:], size-head, depth)
	}
	switch f.Dst.Port {
	case portGTPU:
		return d.gtp(f, b, size, depth)
	case portVXLANGPE:
		return d.vxlanGPE(f, b, size, depth)
	}
	// RFC 7348: only the flag "the identifier is valid" is set, and that of the group
	// policy (VXLAN-GBP), whose group is no network.
	const valid, policy = 0x08, 0x80
	if b[0]&^policy != valid || b[7] != 0 || b[0]&policy == 0 && (b[1] != 0 || b[2] != 0 || b[3] != 0) {
		return OK
	}
	f.inside()
	f.Space = d.space(f.Space, byVXLAN, binary.BigEndian.Uint32(b[4:])>>8)
	return d.ethernet(f, b[8:], size-8, depth)
}

// vxlanGPE takes the header of the generic extension away, which says what follows.
func (d *Decoder) vxlanGPE(f *Frame, b []byte, size, depth int) Result {
	const valid, next = 0x08, 0x04
	if b[0]&(valid|next) != valid|next || b[0]>>4 != 0 || b[7] != 0 {
		return OK
	}
	space := d.space(f.Space, byVXLAN, binary.BigEndian.Uint32(b[4:])>>8)
	switch b[3] {
	case 1, 2:
		f.inside()
		f.Space = space
		return d.ip(f, b[8:], size-8, depth)
	case 3:
		f.inside()
		f.Space = space
		return d.ethernet(f, b[8:], size-8, depth)
	}
	return OK
}

// gtp looks into the packets of mobile users (3GPP TS 29.281). Tunnels have an
// identifier for each direction, so that it is no part of the Space.
func (d *Decoder) gtp(f *Frame, b []byte, size, depth int) Result {
	const version, options, packet = 0x30, 0x07, 255
	if b[0]&0xf0 != version || b[1] != packet || int(binary.BigEndian.Uint16(b[2:])) > size-8 {
		return OK
	}
	head := 8
	if b[0]&options != 0 {
		head += 4
		if len(b) < head {
			return Short
		}
		for next := b[head-1]; b[0]&4 != 0 && next != 0; next = b[head-1] {
			if head >= len(b) {
				return Short
			}
			n := int(b[head]) * 4
			if n == 0 {
				return OK
			}
			if head += n; head > len(b) {
				return Short
			}
		}
	}
	if len(b) <= head {
		return Short
	}
	if v := b[head] >> 4; v != 4 && v != 6 {
		return OK // Ethernet, or none
	}
	f.inside()
	return d.ip(f, b[head:], size-head, depth)
}

// inside forgets the transport header of the packet that carries the tunnel.
func (f *Frame) inside() {
	f.Payload, f.Size, f.Checksum = nil, 0, 0
}

// tunnelled goes on with what the type of a tunnel's header says.
func (d *Decoder) tunnelled(f *Frame, t uint16, b []byte, size, depth int) Result {
	if t == typeTEB {
		return d.ethernet(f, b, size, depth)
	}
	return d.ether(f, t, b, size, depth)
}

// lowestVSID is the lowest identifier of a network in NVGRE (RFC 7637, 3.2).
const lowestVSID = 0x1000

// gre takes a GRE header away (RFC 2784, RFC 2890).
func (d *Decoder) gre(f *Frame, b []byte, size, depth int) Result {
	if len(b) < 4 {
		return Short
	}
	flags, t := b[0], binary.BigEndian.Uint16(b[2:])
	if b[1]&7 != 0 || flags&0x40 != 0 { // PPTP's version, or source routes, which nobody sends
		return Other
	}
	head := 4
	if flags&0x80 != 0 {
		head += 4 // checksum
	}
	keyAt, hasKey, numbered := head, flags&0x20 != 0, flags&0x10 != 0
	if hasKey {
		head += 4
	}
	if numbered {
		head += 4
	}
	// A mirrored packet is in the network where it was seen, not in one of the
	// mirror's: the session is no part of the Space.
	erspan := t == typeERSPAN2 || t == typeERSPAN3
	switch {
	case t == typeERSPAN2 && numbered:
		head += 8
	case t == typeERSPAN3:
		head += 12
		if len(b) >= head && b[head-1]&1 != 0 {
			head += 8
		}
	}
	if len(b) < head {
		return Short
	}
	if hasKey && !erspan {
		key, kind := binary.BigEndian.Uint32(b[keyAt:]), byGRE
		// NVGRE has a hash of the flow in the last byte, other for each direction.
		if t == typeTEB && key>>8 >= lowestVSID {
			key, kind = key>>8, byNVGRE
		}
		f.Space = d.space(f.Space, kind, key)
	}
	if erspan {
		t = typeTEB
	}
	return d.tunnelled(f, t, b[head:], size-head, depth)
}
