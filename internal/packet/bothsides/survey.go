package bothsides

import (
	"bytes"
	"fmt"
	"slices"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
)

const (
	// maxSamples bounds the packets of a capture that are remembered to recognise
	// connections and to compare clocks, to 12 MB.
	maxSamples = 1 << 18
	// maxConnections bounds the connections of a capture, to 120 MB. Those beyond
	// it are counted as silent.
	maxConnections = 1 << 20
)

// connection is what the first pass remembers of one.
type connection struct {
	id             uint64
	client, server flow.Endpoint
	base           [2]uint32 // sequence numbers of the first bytes, by flow.Dir
	based          [2]bool
	exact          [2]bool // base is from the SYN or SYN-ACK
	first, last    int64
	syn, synack    int64 // 0: not seen, or more than one copy
	segments       uint64
	answered       bool // something came back
	closed         bool // it is filled
	clientLow      bool // the client is the end that orders first: see survey.Frame
}

// sample is a packet with data. Both captures choose the same packets, because
// they choose by sequence number.
type sample struct {
	at   int64
	conn int32
	seq  uint32
	ts   uint32
	size uint32
	ipid uint16
	has  bool // ts is set
	low  bool // sent by the end that orders first
}

// survey is the collector of the first pass.
type survey struct {
	engine.Nop
	ports       []uint16
	report      engine.Report
	connections []connection
	samples     []sample
	most        uint32 // samples have a mix(seq) of at most this
	live        map[ends]int32
	left        int   // connections beyond maxConnections
	missed      int64 // bytes of streams that were acknowledged but not captured
}

// ends is a connection whose roles need not be known.
type ends struct {
	low, high flow.Endpoint
	space     flow.Space
}

func newSurvey(ports []uint16) *survey {
	return &survey{ports: ports, most: ^uint32(0), live: map[ends]int32{}}
}

func endsOf(a, b flow.Endpoint, space flow.Space) (e ends, low bool) {
	c := bytes.Compare(a.Addr[:], b.Addr[:])
	if c < 0 || c == 0 && a.Port < b.Port {
		return ends{a, b, space}, true
	}
	return ends{b, a, space}, false
}

// mix spreads sequence numbers evenly (the finaliser of MurmurHash3).
func mix(v uint32) uint32 {
	v ^= v >> 16
	v *= 0x85ebca6b
	v ^= v >> 13
	v *= 0xc2b2ae35
	return v ^ v>>16
}

// at is the number of the living connection between two ends.
func (s *survey) at(e ends) (int32, bool) {
	n, ok := s.live[e]
	if ok {
		return n, true
	}
	if len(s.connections) >= maxConnections {
		s.left++
		return 0, false
	}
	n = int32(len(s.connections))
	s.connections = append(s.connections, connection{})
	s.live[e] = n
	return n, true
}

// Frame samples packets.
func (s *survey) Frame(_ *pcap.Packet, f *decode.Frame) {
	if f.Proto != decode.TCP || f.Size == 0 || mix(f.Seq) > s.most {
		return
	}
	e, low := endsOf(f.Src, f.Dst, f.Space)
	n, ok := s.at(e)
	if !ok {
		return
	}
	s.samples = append(s.samples, sample{at: f.At, conn: n, seq: f.Seq, ts: f.Options.TSVal, has: f.Options.HasTime, size: uint32(f.Size), ipid: f.IPID, low: low})
	if len(s.samples) >= maxSamples {
		s.most /= 2
		s.samples = slices.DeleteFunc(s.samples, func(x sample) bool { return mix(x.seq) > s.most })
	}
}

// Connection fills in what is known of a connection that has ended.
func (s *survey) Connection(c *rt.Connection) {
	s.missed += c.Sides[0].Missed + c.Sides[1].Missed
	e, low := endsOf(c.Client, c.Server, c.Space)
	n, ok := s.at(e)
	if !ok {
		return
	}
	delete(s.live, e)
	k := &s.connections[n]
	*k = connection{
		id: c.ID, client: c.Client, server: c.Server, first: c.Began, last: c.Last.At, closed: true, clientLow: low,
		segments: c.Sides[0].Segments + c.Sides[1].Segments, answered: c.Sides[flow.ToClient].Packets > 0,
	}
	k.base[0], k.based[0] = c.Base(flow.ToServer)
	k.base[1], k.based[1] = c.Base(flow.ToClient)
	k.exact = [2]bool{c.SYN.Frame != 0 && k.based[0], c.SYNACK.Frame != 0 && k.based[1]}
	if c.SYNs == 1 {
		k.syn = c.SYN.At
	}
	if c.SYNACKs == 1 {
		k.synack = c.SYNACK.At
	}
}

// dir is the direction of a sample.
func (s *survey) dir(x *sample) flow.Dir {
	if s.connections[x.conn].clientLow == x.low {
		return flow.ToServer
	}
	return flow.ToClient
}

// busiest names the server with most connections.
func (s *survey) busiest() string {
	count := map[flow.Endpoint]int{}
	var best flow.Endpoint
	for i := range s.connections {
		k := &s.connections[i]
		if !k.closed || !wanted(s.ports, k) {
			continue
		}
		count[k.server]++
		if n, most := count[k.server], count[best]; n > most {
			best = k.server
		}
	}
	if len(count) == 0 {
		return "nobody"
	}
	if len(count) == 1 {
		return best.String()
	}
	return fmt.Sprintf("%s and %d other servers", best, len(count)-1)
}
