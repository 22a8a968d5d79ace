package decode

import (
	"encoding/binary"

	"rtrail/internal/packet/pcap"
)

// Numbers of protocols within PPP (IANA, Point-to-Point Protocol Field Assignments).
const (
	pppIPv4 = 0x0021
	pppIPv6 = 0x0057
	pppMPLS = 0x0281
)

// ppp takes a PPP header away (RFC 1661, RFC 1662): the address and control bytes,
// and the first byte of the protocol, are left out by those who agreed on it.
func (d *Decoder) ppp(f *Frame, b []byte, size, depth int) Result {
	if len(b) >= 2 && b[0] == 0xff && b[1] == 0x03 {
		b, size = b[2:], size-2
	}
	if len(b) < 2 {
		return Short
	}
	t, n := binary.BigEndian.Uint16(b), 2
	if b[0]&1 != 0 { // numbers are odd, their first bytes even
		t, n = uint16(b[0]), 1
	}
	b, size = b[n:], size-n
	switch t {
	case pppIPv4:
		return d.ipv4(f, b, size, depth, 0)
	case pppIPv6:
		return d.ipv6(f, b, size, depth)
	case pppMPLS:
		return d.mpls(f, b, size, depth)
	}
	return NotIP
}

const pppoeHeader = 6

// pppoe takes the header of a session away (RFC 2516).
func (d *Decoder) pppoe(f *Frame, b []byte, size, depth int) Result {
	if len(b) < pppoeHeader+2 {
		return Short
	}
	if b[0] != 0x11 || b[1] != 0 { // another version, or discovery
		return NotIP
	}
	return d.ppp(f, b[pppoeHeader:], size-pppoeHeader, depth)
}

// serial takes the headers of links of PPP and its relatives away.
func (d *Decoder) serial(f *Frame, link pcap.LinkType, b []byte, size int) Result {
	switch link {
	case pcap.LinkPPPWithDir:
		if len(b) < 1 {
			return Short
		}
		f.Way = pcap.Inbound
		if b[0] != 0 {
			f.Way = pcap.Outbound
		}
		b, size = b[1:], size-1
	case pcap.LinkPPPEther:
		return d.pppoe(f, b, size, 0)
	}
	// HDLC as Cisco frames it has a type of Ethernet where PPP has its protocol.
	if len(b) >= 4 && (b[0] == 0x0f || b[0] == 0x8f) && b[1] == 0 {
		return d.ether(f, binary.BigEndian.Uint16(b[2:]), b[4:], size-4, 0)
	}
	if link == pcap.LinkCiscoHDLC {
		if len(b) < 4 {
			return Short
		}
		return NotIP
	}
	return d.ppp(f, b, size, 0)
}
