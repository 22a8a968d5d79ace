// Package decode takes packets apart, from the link to the transport layer,
// without allocation.
package decode

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

// Transport protocols, as IP numbers them.
const (
	TCP    = 6
	UDP    = 17
	ICMP   = 1
	ICMPv6 = 58
)

// TCP flags.
const (
	FIN = 1 << iota
	SYN
	RST
	PSH
	ACK
	URG
	ECE
	CWR
)

// Frame is a packet taken apart: the innermost IP packet of a tunnel.
type Frame struct {
	flow.Stamp
	Src, Dst  flow.Endpoint
	Space     flow.Space
	Hash      uint64 // of both ends, the same for both directions; spreads connections over workers
	Proto     uint8  // TCP, UDP, ICMP...
	TTL       uint8
	IPID      uint16 // 0 for IPv6 without fragment header
	Wire      uint32 // bytes of the whole packet on the wire
	Interface uint32
	IfIndex   uint32 // number of the interface on the capturing host where the link header says it (SLL2); else 0
	Way       pcap.Way
	Rest      flow.Rest // what a live capture noted about the part of the payload that it left out
	DF        bool      // the IP header forbids fragmentation (IPv4 only)
	Pieces    bool      // put together from fragments

	// Payload is what was captured of the transport's payload; Size its length by
	// the IP header, which arithmetic uses. A packet that the network card will
	// cut (TSO, GRO, length 0) has the length of the capture. The payload of a
	// packet that came in fragments is valid until the next call of Decode only.
	Payload  []byte
	Size     int
	Checksum uint16 // of the TCP, UDP or ICMP header, as sent; not verified

	// TCP only.
	Seq, Ack uint32
	Flags    uint8
	Window   uint16 // as sent, not scaled
	Options  Options

	// ICMP and ICMPv6 only; undefined otherwise.
	ICMP Control
}

// Control is what an ICMP or ICMPv6 message says. The Hash of the frame of an
// error is that of the flow it quotes, so that both come to the same worker.
type Control struct {
	Type, Code uint8
	ID, Seq    uint16 // of an echo request or reply
	MTU        uint32 // bytes; of "fragmentation needed" and "packet too big", else 0
	// Quoted is set if the message is an error that quotes the beginning of a
	// packet; the ports are 0 if the quote ends before them.
	Quoted       bool
	QuotedProto  uint8
	QuotedSrc    flow.Endpoint
	QuotedDst    flow.Endpoint
	QuotedSeq    uint32 // of a TCP segment, if QuotedHasSeq
	QuotedHasSeq bool
}

// Options is what a TCP segment says beyond its fixed header.
type Options struct {
	MSS           uint16 // 0: not given
	Scale         int8   // -1: not given
	SACKPermitted bool
	HasTime       bool
	TSVal, TSEcr  uint32
	Cut           bool         // the snap length cut the options: what is not given may have been sent
	SACKs         uint8        // how many of SACK are filled
	SACK          [4][2]uint32 // sequence numbers: first one of the block, first one after it
}

// Result says what Decode made of a packet.
type Result uint8

// What a packet was.
const (
	OK       Result = iota // the frame is complete as far as it was captured
	Fragment               // a piece of an IP packet that is not complete yet, or one after the first whose ports are unknown
	NotIP                  // ARP, LLDP, spanning tree...
	Other                  // IP, but neither TCP, UDP nor ICMP
	Short                  // cut by the snap length before the fixed part of the transport header ended
	Broken                 // lengths that contradict each other
	Foreign                // a link type the decoder does not know
	Alien                  // neither IPv4 nor IPv6, although the link type says IP
)

// Results counts packets by what they were.
type Results [Alien + 1]uint64
