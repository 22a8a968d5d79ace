package decode

import (
	"encoding/binary"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

// Decoder takes packets apart. It is used by one goroutine; several decoders
// may share their Spaces. Where several workers share a capture, each has a
// decoder, looks at every packet and keeps those whose hash is its own:
//
//	h := d.Hash(p)
//	if h != 0 && owner(h) != me { continue }
//	r := d.DecodeHashed(p, h, &f)
//	if h == 0 && owner(f.Hash) != me { continue }
//
// Packets of which Hash does not know it (fragments, tunnels, ICMP) have to be
// decoded by all, since only the decoded packet says whose it is.
type Decoder struct {
	spaces      *Spaces
	byInterface bool
	known       [knownSpaces]knownSpace
	pieces      pieces
}

// Settings is how a decoder works; the zero value is a good one.
type Settings struct {
	// Spaces is where networks get their numbers; nil: the decoder has its own.
	// Decoders whose frames meet must share one.
	Spaces *Spaces
	// ByInterface makes the interface part of a flow's Space: for captures of
	// several interfaces that see networks with equal addresses. Otherwise packets
	// of a flow are one flow wherever they were seen.
	ByInterface bool
	// FragmentBytes bounds the memory for fragments that wait for others;
	// 0: DefaultFragmentBytes.
	FragmentBytes int
	// FragmentAge is how long, in packet time, a fragment waits for the others;
	// 0: DefaultFragmentAge.
	FragmentAge time.Duration
}

// New makes a decoder with the default settings.
func New() *Decoder { return NewWith(Settings{}) }

// NewWith makes a decoder.
func NewWith(s Settings) *Decoder {
	if s.Spaces == nil {
		s.Spaces = NewSpaces()
	}
	if s.FragmentBytes <= 0 {
		s.FragmentBytes = DefaultFragmentBytes
	}
	if s.FragmentAge <= 0 {
		s.FragmentAge = DefaultFragmentAge
	}
	return &Decoder{
		spaces:      s.Spaces,
		byInterface: s.ByInterface,
		pieces:      newPieces(s.FragmentBytes, s.FragmentAge),
	}
}

// SpaceName says what a Space is in words, like "vlan 5, vxlan 100"; "" is the
// plain network.
func (d *Decoder) SpaceName(s flow.Space) string { return d.spaces.Name(s) }

// maxDepth is how many IP headers, one inside the other, are followed. Real
// networks nest two or three; a packet with more is made to keep a decoder busy.
const maxDepth = 8

// Decode takes a packet apart. It sets every field of f but ICMP, which only
// ICMP packets set; with results other than OK those fields are zero that are
// not known.
func (d *Decoder) Decode(p *pcap.Packet, f *Frame) Result { return d.DecodeHashed(p, 0, f) }

// DecodeHashed is Decode for who has asked Hash before, and gives what it said.
func (d *Decoder) DecodeHashed(p *pcap.Packet, hash uint64, f *Frame) Result {
	f.Stamp = flow.Stamp{At: p.Time, Frame: p.Frame}
	f.Space, f.Hash = 0, 0
	f.Proto, f.TTL, f.IPID = 0, 0, 0
	f.Wire, f.Interface, f.IfIndex, f.Way = p.Wire, p.Interface, 0, p.Way
	f.Rest = p.Rest
	f.DF, f.Pieces = false, false
	f.Payload, f.Size, f.Checksum = nil, 0, 0
	f.Seq, f.Ack, f.Flags, f.Window = 0, 0, 0, 0
	f.Options.reset()

	// A packet has at least the bytes that were captured, whatever its header says.
	size := max(int(p.Wire), len(p.Data))
	if d.byInterface {
		f.Space = d.space(0, byInterface, p.Interface)
	}
	b := p.Data
	// Most packets by far, and whose addresses are all there: ipv4 sets them.
	if p.Link == pcap.LinkEthernet && len(b) >= ethernetHeader+ipv4Header && binary.BigEndian.Uint16(b[12:]) == typeIPv4 && b[ethernetHeader] == 0x45 {
		return d.ipv4(f, b[ethernetHeader:], size-ethernetHeader, 0, hash)
	}
	f.Src, f.Dst = flow.Endpoint{}, flow.Endpoint{}
	return d.link(f, p.Link, b, size)
}

func (o *Options) reset() {
	o.MSS, o.Scale, o.SACKPermitted = 0, -1, false
	o.HasTime, o.TSVal, o.TSEcr = false, 0, 0
	o.Cut, o.SACKs = false, 0
}
