package decode

import (
	"encoding/binary"

	"rtrail/internal/packet/pcap"
)

// What NFLOG's records are (linux/netfilter/nfnetlink_log.h), and the families of
// packets as Linux numbers them.
const (
	nflogHeader  = 4
	nflogPayload = 9 // NFULA_PAYLOAD
	familyIPv4   = 2
	familyBridge = 7
	familyIPv6   = 10
)

// nflog finds the packet among what the kernel's log says of it: records with a
// length and a type in the byte order of the host, each filled up to four bytes.
func (d *Decoder) nflog(f *Frame, b []byte, size int) Result {
	if len(b) < nflogHeader {
		return Short
	}
	family := b[0]
	if b[1] != 0 { // the only version
		return Alien
	}
	b, size = b[nflogHeader:], size-nflogHeader
	for len(b) >= 4 {
		n, kind := int(binary.LittleEndian.Uint16(b)), binary.LittleEndian.Uint16(b[2:])
		if n > size || n < 4 || kind > 255 { // written by a host of the other order
			n, kind = int(binary.BigEndian.Uint16(b)), binary.BigEndian.Uint16(b[2:])
		}
		if n < 4 {
			return Broken
		}
		if kind&0x7fff == nflogPayload {
			b, size = b[4:min(n, len(b))], min(n, size)-4
			switch family {
			case familyIPv4, familyIPv6:
				return d.saidIP(f, b, size)
			case familyBridge:
				return d.ethernet(f, b, size, 0)
			}
			return NotIP
		}
		n = (n + 3) &^ 3
		if n > len(b) {
			return Short
		}
		b, size = b[n:], size-n
	}
	return Short
}

// pktap takes Apple's header away, which names the interface and the link type of
// what follows (bsd/net/pktap.h of XNU). It is in the byte order of the host, of which
// all that have it are little-endian.
func (d *Decoder) pktap(f *Frame, b []byte, size int) Result {
	const least, linkAt, flagsAt, inbound, outbound = 108, 8, 36, 1, 2
	if len(b) < 12 {
		return Short
	}
	head, link := int(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[linkAt:])
	if head < least || head > size || link > 1<<16-1 || pcap.LinkType(link) == pcap.LinkPKTAP {
		return Alien
	}
	if head > len(b) {
		return Short
	}
	switch binary.LittleEndian.Uint32(b[flagsAt:]) & (inbound | outbound) {
	case inbound:
		f.Way = pcap.Inbound
	case outbound:
		f.Way = pcap.Outbound
	}
	return d.link(f, pcap.LinkType(link), b[head:], size-head)
}

// ipoib takes the header of IP over InfiniBand away (RFC 4391, section 6): a type and
// two reserved bytes, behind the global route header of 40 bytes.
func (d *Decoder) ipoib(f *Frame, b []byte, size int) Result {
	const route, header = 40, 4
	if len(b) < route+header {
		return Short
	}
	return d.ether(f, binary.BigEndian.Uint16(b[route:]), b[route+header:], size-route-header, 0)
}
