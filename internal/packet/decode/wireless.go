package decode

import (
	"encoding/binary"

	"rtrail/internal/packet/pcap"
)

// Bits of the frame control field of 802.11 (IEEE 802.11, 9.2.4.1), as the 16 bits
// come: the first byte is the low one.
const (
	wifiVersion   = 0x0003
	wifiType      = 0x000c
	wifiData      = 0x0008
	wifiNull      = 0x0040 // subtypes without data
	wifiQoS       = 0x0080
	wifiToDS      = 0x0100
	wifiFromDS    = 0x0200
	wifiMoreFrags = 0x0400
	wifiProtected = 0x4000
	wifiOrder     = 0x8000
)

// monitor takes the header that a driver puts before frames of 802.11 away.
func (d *Decoder) monitor(f *Frame, link pcap.LinkType, b []byte, size int) Result {
	padded := false
	switch link {
	case pcap.LinkRadiotap:
		if len(b) < 8 {
			return Short
		}
		head := int(binary.LittleEndian.Uint16(b[2:]))
		if b[0] != 0 || head < 8 || head > size {
			return Alien
		}
		if head > len(b) {
			return Short
		}
		padded = radiotapFlags(b[:head])&0x20 != 0
		b, size = b[head:], size-head
	case pcap.LinkPrism, pcap.LinkAVS:
		// Both have a magic number and their length; Prism's has none of AVS.
		if len(b) < 8 {
			return Short
		}
		head := 144
		if binary.BigEndian.Uint32(b)&0xfffff000 == 0x80211000 {
			head = int(min(binary.BigEndian.Uint32(b[4:]), 1<<16))
		}
		if head > size {
			return Broken
		}
		if head > len(b) {
			return Short
		}
		b, size = b[head:], size-head
	}
	return d.wifi(f, b, size, padded)
}

// radiotapFlags is the field of flags; 0: there is none. It comes after the time,
// of eight bytes that are aligned to eight, and after all words of what is present.
func radiotapFlags(b []byte) byte {
	const hasTime, hasFlags, more = 1, 2, 1 << 31
	first := binary.LittleEndian.Uint32(b[4:])
	at := 8
	for present := first; present&more != 0; at += 4 {
		if at+4 > len(b) {
			return 0
		}
		present = binary.LittleEndian.Uint32(b[at:])
	}
	if first&hasFlags == 0 {
		return 0
	}
	if first&hasTime != 0 {
		at = (at+7)&^7 + 8
	}
	if at >= len(b) {
		return 0
	}
	return b[at]
}

// wifi takes the header of a data frame of 802.11 away. padded says that it is
// filled up to four bytes. Of several frames in one (A-MSDU) the first is read.
func (d *Decoder) wifi(f *Frame, b []byte, size int, padded bool) Result {
	if len(b) < 2 {
		return Short
	}
	control := binary.LittleEndian.Uint16(b)
	if control&wifiVersion != 0 || control&wifiType != wifiData || control&wifiNull != 0 {
		return NotIP // management, control, or no data
	}
	if control&wifiProtected != 0 {
		return NotIP // encrypted
	}
	head := 24
	if control&(wifiToDS|wifiFromDS) == wifiToDS|wifiFromDS {
		head += 6
	}
	several := false
	if control&wifiQoS != 0 {
		if len(b) < head+2 {
			return Short
		}
		several = b[head]&0x80 != 0
		head += 2
		if control&wifiOrder != 0 {
			head += 4
		}
	}
	if len(b) < 24 {
		return Short
	}
	if control&wifiMoreFrags != 0 || binary.LittleEndian.Uint16(b[22:])&0xf != 0 {
		return Fragment
	}
	if padded {
		head = (head + 3) &^ 3
	}
	if several {
		head += ethernetHeader
	}
	if len(b) < head {
		return Short
	}
	return d.ether(f, 0, b[head:], size-head, 0) // 802.2 follows
}
