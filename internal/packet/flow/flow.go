// Package flow holds the words that all rooms of the packet engine share: who
// talks to whom, in which direction, when, and the bytes of a stream.
package flow

import (
	"net/netip"
)

// Dir is the direction of a packet or of bytes within a connection.
type Dir uint8

// The two directions.
const (
	ToServer Dir = iota
	ToClient
)

// Other is the opposite direction.
func (d Dir) Other() Dir { return d ^ 1 }

// String is "client" or "server": who sent it.
func (d Dir) String() string {
	if d == ToServer {
		return "client"
	}
	return "server"
}

// Addr is an IP address, IPv4 in its mapped form (::ffff:a.b.c.d), so that
// both families have one comparable shape without pointers.
type Addr [16]byte

// V4 makes an Addr of four bytes.
func V4(b [4]byte) Addr {
	return Addr{10: 0xff, 11: 0xff, 12: b[0], 13: b[1], 14: b[2], 15: b[3]}
}

// IP is the address as the standard library has it.
func (a Addr) IP() netip.Addr { return netip.AddrFrom16(a).Unmap() }

// String is the usual text form.
func (a Addr) String() string { return a.IP().String() }

// Endpoint is one end of a connection.
type Endpoint struct {
	Addr Addr
	Port uint16
}

// String is ADDRESS:PORT, with brackets round IPv6 addresses.
func (e Endpoint) String() string { return netip.AddrPortFrom(e.Addr.IP(), e.Port).String() }

// Space tells apart flows with equal addresses that have nothing to do with
// each other: the VLAN tags, the tunnel's network identifier and, where the
// capture has several interfaces of which each sees its own network, the
// interface. 0 is the plain network.
type Space uint32

// Stamp says when a packet was captured and which one it is.
type Stamp struct {
	At    int64  // nanoseconds since 1970, as the capture says
	Frame uint64 // number of the packet in the capture, from 1
}

// Before says that a packet was captured before another one: by time, and among
// those of one time by their order in the capture.
func (s Stamp) Before(other Stamp) bool {
	return s.At < other.At || s.At == other.At && s.Frame < other.Frame
}

// Chunk is a run of bytes of one direction of a connection, in stream order.
// A byte comes once, however often it was sent.
type Chunk struct {
	Stamp         // of the first captured copy
	Dir    Dir    //
	Offset uint64 // of the first byte in its direction; 0 is the first byte after the SYN, or the first one seen
	Data   []byte // the bytes that were captured; valid during the call only
	Cut    int    // bytes that follow Data on the wire and were not captured
	Rest   Rest   // what the decoder had noted about those; 0 with most captures
	Pushed bool   // the segment had PSH: its sender had no more to send at that moment
}

// Size is how many bytes of the stream the chunk stands for.
func (c *Chunk) Size() int { return len(c.Data) + c.Cut }

// Ending says how a connection, as far as the capture shows it, came to its end.
type Ending uint8

// How a connection ended.
const (
	Open      Ending = iota // the capture ended first
	Finished                // FIN from both sides
	Reset                   // RST
	Expired                 // nothing seen for the idle timeout, by packet time
	PortReuse               // a new SYN with another sequence number came for the same pair of ends
)

var endings = [...]string{"open", "finished", "reset", "expired", "port reused"}

// String is a word or two for it.
func (e Ending) String() string { return endings[e] }
