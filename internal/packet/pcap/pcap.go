// Package pcap reads packets: from capture files in the pcap and pcapng
// formats, plain or compressed, from a stream, and gives them out in batches
// without copying them where the file can be mapped into memory.
package pcap

import (
	"context"

	"rtrail/internal/packet/flow"
)

// LinkType is what the bytes of a packet begin with, in the numbers of
// https://www.tcpdump.org/linktypes.html.
type LinkType uint16

// Link types that the decoder knows.
const (
	LinkNull       LinkType = 0 // BSD loopback, family in the byte order of the writer
	LinkEthernet   LinkType = 1
	LinkPPP        LinkType = 9
	LinkPPPHDLC    LinkType = 50
	LinkPPPEther   LinkType = 51  // PPPoE without Ethernet
	LinkRaw        LinkType = 101 // IPv4 or IPv6; 12 and 14 on some systems
	LinkLoop       LinkType = 108 // OpenBSD loopback, family in network byte order
	LinkLinuxSLL   LinkType = 113
	LinkIPv4       LinkType = 228
	LinkIPv6       LinkType = 229
	LinkCiscoHDLC  LinkType = 104
	LinkWiFi       LinkType = 105 // 802.11
	LinkPrism      LinkType = 119 // 802.11 behind a header of Prism's driver
	LinkRadiotap   LinkType = 127
	LinkAVS        LinkType = 163
	LinkPPPWithDir LinkType = 204
	LinkNFLOG      LinkType = 239
	LinkIPoIB      LinkType = 242
	LinkPKTAP      LinkType = 258
	LinkLinuxSLL2  LinkType = 276
)

// Way is the direction of a packet as seen from the capturing host, where the
// capture says so (pcapng flags, AF_PACKET); the decoder fills it in for SLL.
type Way uint8

// Ways.
const (
	WayUnknown Way = iota
	Inbound
	Outbound
)

// Packet is one captured packet.
type Packet struct {
	Time      int64  // nanoseconds since 1970
	Frame     uint64 // from 1, counted over all files of the source
	Data      []byte // what was captured; valid until the batch is released
	Wire      uint32 // its length on the wire, at least len(Data)
	Interface uint32 // from 0, counted over all files and sections of the source; one that rotated files describe again keeps its number
	Link      LinkType
	Way       Way
	Rest      flow.Rest // what a live capture noted about bytes that it left out
}

// Batch is some packets in the order of the capture.
type Batch struct {
	Packets []Packet
	// Now is set by a live source that was asked to tell the time: no packet that
	// is still to come was captured before. Such a batch may hold no packets. 0:
	// not said. Nanoseconds since 1970.
	Now int64
	// Release gives the memory back; it is called once, when nobody needs the
	// packets any more. It may be nil.
	Release func()
}

// Source gives packets. Next is called by one goroutine.
type Source interface {
	// Next returns the next packets, at least one, or, of a live source that was
	// asked to, none but the time. At the end the error is io.EOF;
	// a capture that breaks off is not an error, but a note.
	Next(ctx context.Context) (*Batch, error)
	// Interfaces describes what Packet.Interface counts.
	Interfaces() []Interface
	// Loss says what is known to be missing up to now.
	Loss() Loss
	// Notes says what was wrong with the capture up to now.
	Notes() []Note
	Close() error
}

// Interface is where packets were captured.
type Interface struct {
	Name       string // "" if the capture does not say
	Link       LinkType
	SnapLength uint32 // bytes; 0: none
	File       string // "" for a live source
}

// Loss counts packets that a capture lacks.
type Loss struct {
	Received uint64 // packets the kernel gave the capture; 0 if it does not say
	Dropped  uint64 // packets the kernel dropped because the capture was too slow
	Known    bool   // the capture says how many were dropped
}

// Note is something that a user should know about a capture.
type Note struct {
	File   string
	Offset int64 // bytes; -1 if there is none
	Text   string
}
