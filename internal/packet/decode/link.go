package decode

import (
	"encoding/binary"

	"rtrail/internal/packet/pcap"
)

// Sizes of link headers in bytes.
const (
	ethernetHeader = 14
	sllHeader      = 16
	sll2Header     = 20
	familyHeader   = 4 // null and loop
)

// Types of what a link carries, as IEEE 802 numbers them.
const (
	typeIPv4      = 0x0800
	typeTEB       = 0x6558 // transparent Ethernet bridging
	typeVLAN      = 0x8100 // 802.1Q
	typeIPv6      = 0x86dd
	typeMPLS      = 0x8847
	typeMPLSMany  = 0x8848
	typePPPoE     = 0x8864 // session stage
	typeQinQ      = 0x88a8 // 802.1ad
	typeERSPAN2   = 0x88be // types I and II
	typeERSPAN3   = 0x22eb
	typeCiscoMeta = 0x8909 // security group tags
	typeVNTag     = 0x8926 // of Cisco's virtual interfaces
	typeQinQOld   = 0x9100 // before 802.1ad
	typeQinQOld2  = 0x9200

	// Smaller numbers in this place are the length of an 802.3 frame.
	typeLowest = 0x0600
	// Linux's own number for "802.2 follows" in cooked captures.
	typeLLC = 0x0004
)

// Link types under other numbers on some systems.
const (
	linkRawBSD     pcap.LinkType = 12
	linkRawOpenBSD pcap.LinkType = 14
)

// Knows says whether the decoder can read packets of a link type.
func Knows(link pcap.LinkType) bool {
	switch link {
	case pcap.LinkEthernet, pcap.LinkLinuxSLL, pcap.LinkLinuxSLL2, pcap.LinkRaw, linkRawBSD, linkRawOpenBSD,
		pcap.LinkIPv4, pcap.LinkIPv6, pcap.LinkNull, pcap.LinkLoop,
		pcap.LinkPPP, pcap.LinkPPPHDLC, pcap.LinkPPPEther, pcap.LinkPPPWithDir, pcap.LinkCiscoHDLC,
		pcap.LinkWiFi, pcap.LinkPrism, pcap.LinkRadiotap, pcap.LinkAVS,
		pcap.LinkNFLOG, pcap.LinkIPoIB, pcap.LinkPKTAP:
		return true
	}
	return false
}

// outgoing is the packet type of cooked captures for packets that the host
// sent; the smaller ones are received: for us, broadcast, multicast, for others.
const outgoing = 4

// link takes the link header away.
func (d *Decoder) link(f *Frame, link pcap.LinkType, b []byte, size int) Result {
	switch link {
	case pcap.LinkEthernet:
		return d.ethernet(f, b, size, 0)
	case pcap.LinkLinuxSLL:
		if len(b) < sllHeader {
			return Short
		}
		f.Way = cookedWay(binary.BigEndian.Uint16(b))
		return d.ether(f, binary.BigEndian.Uint16(b[14:]), b[sllHeader:], size-sllHeader, 0)
	case pcap.LinkLinuxSLL2:
		if len(b) < sll2Header {
			return Short
		}
		f.IfIndex = binary.BigEndian.Uint32(b[4:])
		f.Way = cookedWay(uint16(b[10]))
		if d.byInterface {
			f.Space = d.space(f.Space, byIndex, f.IfIndex)
		}
		return d.ether(f, binary.BigEndian.Uint16(b), b[sll2Header:], size-sll2Header, 0)
	case pcap.LinkRaw, linkRawBSD, linkRawOpenBSD, pcap.LinkIPv4, pcap.LinkIPv6:
		return d.saidIP(f, b, size)
	case pcap.LinkNull, pcap.LinkLoop:
		if len(b) < familyHeader {
			return Short
		}
		if !isIPFamily(b) {
			return NotIP
		}
		return d.saidIP(f, b[familyHeader:], size-familyHeader)
	case pcap.LinkPPP, pcap.LinkPPPHDLC, pcap.LinkPPPEther, pcap.LinkPPPWithDir, pcap.LinkCiscoHDLC:
		return d.serial(f, link, b, size)
	case pcap.LinkWiFi, pcap.LinkPrism, pcap.LinkRadiotap, pcap.LinkAVS:
		return d.monitor(f, link, b, size)
	case pcap.LinkNFLOG:
		return d.nflog(f, b, size)
	case pcap.LinkIPoIB:
		return d.ipoib(f, b, size)
	case pcap.LinkPKTAP:
		return d.pktap(f, b, size)
	}
	return Foreign
}

// saidIP takes what the link says is IP. Anything else shows that the link type is
// wrong: unlike Ethernet, where ARP and others are normal beside IP.
func (d *Decoder) saidIP(f *Frame, b []byte, size int) Result {
	if len(b) > 0 && b[0]>>4 != 4 && b[0]>>4 != 6 {
		return Alien
	}
	return d.ip(f, b, size, 0)
}

func cookedWay(t uint16) pcap.Way {
	if t == outgoing {
		return pcap.Outbound
	}
	if t < outgoing {
		return pcap.Inbound
	}
	return pcap.WayUnknown
}

// isIPFamily reads the address family that null and loop captures begin with,
// in either byte order: 2 is IPv4 everywhere, IPv6 is 10 on Linux, 24, 28 and 30 on
// NetBSD, FreeBSD and macOS.
func isIPFamily(b []byte) bool {
	n := binary.LittleEndian.Uint32(b)
	if n > 0xffff {
		n = binary.BigEndian.Uint32(b)
	}
	switch n {
	case 2, 10, 24, 28, 30:
		return true
	}
	return false
}

func (d *Decoder) ethernet(f *Frame, b []byte, size, depth int) Result {
	if len(b) < ethernetHeader {
		return Short
	}
	return d.ether(f, binary.BigEndian.Uint16(b[12:]), b[ethernetHeader:], size-ethernetHeader, depth)
}

// ether takes tags and labels away until an IP header comes; t is the type of
// what b holds.
func (d *Decoder) ether(f *Frame, t uint16, b []byte, size, depth int) Result {
	for {
		switch t {
		case typeIPv4:
			return d.ipv4(f, b, size, depth, 0)
		case typeIPv6:
			return d.ipv6(f, b, size, depth)
		case typeVLAN, typeQinQ, typeQinQOld, typeQinQOld2:
			if len(b) < 4 {
				return Short
			}
			// Tag 0 only carries a priority: the packet is in no VLAN.
			if id := binary.BigEndian.Uint16(b) & 0xfff; id != 0 {
				f.Space = d.space(f.Space, byVLAN, uint32(id))
			}
			t, b, size = binary.BigEndian.Uint16(b[2:]), b[4:], size-4
		case typeMPLS, typeMPLSMany:
			return d.mpls(f, b, size, depth)
		case typePPPoE:
			return d.pppoe(f, b, size, depth)
		case typeCiscoMeta:
			// A version, how many options follow, four bytes each, and the type of what does.
			if len(b) < 2 {
				return Short
			}
			n := 2 + 4*int(b[1])
			if b[0] != 1 || b[1] == 0 {
				return NotIP
			}
			if len(b) < n+2 {
				return Short
			}
			t, b, size = binary.BigEndian.Uint16(b[n:]), b[n+2:], size-n-2
		case typeVNTag:
			if len(b) < 6 {
				return Short
			}
			t, b, size = binary.BigEndian.Uint16(b[4:]), b[6:], size-6
		default:
			if t >= typeLowest && t != typeLLC {
				return NotIP
			}
			// 802.2 with SNAP: AA AA 03, an organisation (0: the types of Ethernet), a type.
			if len(b) < 8 {
				return NotIP
			}
			if binary.BigEndian.Uint64(b)>>16 != 0xaaaa03000000 {
				return NotIP
			}
			next := binary.BigEndian.Uint16(b[6:])
			if next < typeLowest {
				return NotIP
			}
			t, b, size = next, b[8:], size-8
		}
	}
}

// mpls takes the labels away. They are chosen by each router for itself, so
// they are no part of the Space.
func (d *Decoder) mpls(f *Frame, b []byte, size, depth int) Result {
	for {
		if len(b) < 5 {
			return Short
		}
		last := b[2]&1 != 0
		b, size = b[4:], size-4
		if last {
			break
		}
	}
	switch b[0] >> 4 {
	case 4:
		return d.ipv4(f, b, size, depth, 0)
	case 6:
		return d.ipv6(f, b, size, depth)
	case 0: // a pseudowire's control word, then Ethernet (RFC 4385)
		if len(b) < 4 {
			return Short
		}
		if depth >= maxDepth {
			return Other
		}
		return d.ethernet(f, b[4:], size-4, depth+1)
	}
	return NotIP
}
