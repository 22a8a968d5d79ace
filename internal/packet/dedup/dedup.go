// Package dedup leaves out the copies of packets that a capture saw in several
// places: on a container's veth, its bridge and the network card, on a bond and
// its port, on loopback going out and coming in, before and after a router, or on
// both sides of a bridge or firewall by one interface. With the copies, each segment
// would look retransmitted.
//
// Of each packet the first copy stays, which is the one nearest to its sender.
// For a direction of a connection that is one place, the first that saw it; so
// times within a direction agree with each other, and nothing is lost where one
// place missed a packet that another one saw.
package dedup

import (
	"encoding/binary"
	"math/bits"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

const (
	// window is how much later than the first copy a packet with the same contents
	// still is one. Linux retransmits after 200 ms at the earliest (TCP_RTO_MIN, but for
	// probes for a lost tail), so that half of it keeps apart packets that are equal in
	// all we look at; bridges and routers add microseconds.
	window = int64(100 * time.Millisecond)
	// hops is how many routers of one host a packet may pass between two places of the
	// capture. Network namespaces that route to each other make two or three.
	hops = 4
	// coverAge is how long what one place has not shown may still be on its way to
	// another one of the same host; longer than any sensible queue.
	coverAge = int64(5 * time.Second)

	// Recent packets and directions that are remembered: at 100,000 packets a second
	// the packets of 160 ms, at 24 bytes each; and 48 bytes for each of 8,192 directions.
	recentPackets    = 1 << 14
	recentDirections = 1 << 13
	// ways is how many places in a table an entry may be at.
	ways = 4
)

// Counts says what was left out.
type Counts struct {
	Copies  uint64 // packets whose equal was seen shortly before in another place
	Covered uint64 // packets of a place that shows copies, with nothing that the first place had not shown: segments of a giant, or copies delayed by a queue
}

// Filter finds copies among the frames of one worker. All copies of a packet
// must come to the same filter, which they do if frames are spread by their hash.
// Its memory is bounded: about 800 KB, and nothing as long as all packets come
// from one interface that does not say their direction.
type Filter struct {
	counts  Counts
	packets []seen        // sets of ways; nil: no second place has been seen
	flows   []direction   // sets of ways
	last    *decode.Frame // the one before; nil: none
	own     decode.Frame  // its copy, once it was settled
}

// seen is a packet that was let pass.
type seen struct {
	digest uint64
	at     int64 // nanoseconds since 1970
	place  uint32
	sum    uint16 // checksum of the transport header
	ttl    uint8
	used   bool
}

// direction is one direction of a connection, by the place that saw it first.
type direction struct {
	key      uint64
	at       int64     // last packet of the first place
	place    uint32    // the first place
	others   [2]uint32 // places that have shown copies; 0: none
	seq, ack uint32    // TCP: the end of what the first place has shown, its highest acknowledgement
	hole     [2]uint32 // sequence numbers, from and before, among which the first place missed some
	id       uint16    // IP ID of the packet before
	fixed    bool      // different packets have had one IP ID: it tells no copies
	used     bool
}

// New makes a filter.
func New() *Filter { return &Filter{} }

// Counts says what was left out up to now.
func (d *Filter) Counts() Counts { return d.counts }

// Copy reports whether a frame is a copy of one that was let pass. Frames must
// come in the order of capture, and only those that were decoded as OK.
func (d *Filter) Copy(f *decode.Frame) bool {
	copied := d.Next(f)
	d.Settle()
	return copied
}

// Next is Copy for frames that stay as they are until the next one, or until
// Settle: it spares a copy of each.
func (d *Filter) Next(f *decode.Frame) bool {
	if d.packets == nil && !d.awake(f) {
		return false
	}
	return d.check(f)
}

// awake looks for a second place, and until there is one keeps only the last
// frame, whose copy may be the first that is seen there.
func (d *Filter) awake(f *decode.Frame) bool {
	l := d.last
	if f.Way == pcap.WayUnknown {
		if l == nil {
			d.follow(f)
			return false
		}
		equal := f.IPID == l.IPID && f.Hash == l.Hash && f.Seq == l.Seq && f.Size == l.Size && f.Src == l.Src
		passed := equal && (f.TTL != l.TTL || f.IPID != 0 && f.Ack == l.Ack && f.Flags == l.Flags)
		elsewhere := f.Interface != l.Interface || f.IfIndex != l.IfIndex || f.Space != l.Space
		if !passed && !elsewhere {
			d.follow(f)
			return false
		}
	}
	d.packets = make([]seen, recentPackets)
	d.flows = make([]direction, recentDirections)
	if l != nil {
		d.check(l)
	}
	return true
}

// follow keeps the frame until the next one.
func (d *Filter) follow(f *decode.Frame) {
	d.last = f
	if f.Pieces { // its payload goes with the next packet
		d.Settle()
	}
}

// Forget drops the frame before, which cannot be looked at any more.
func (d *Filter) Forget() { d.last = nil }

// Settle keeps what of the frame before check looks at, since its memory is
// about to be used for something else.
func (d *Filter) Settle() {
	if d.packets != nil || d.last == nil || d.last == &d.own {
		return
	}
	f, l := d.last, &d.own
	d.last = l
	l.Stamp, l.Src, l.Dst, l.Space, l.Hash = f.Stamp, f.Src, f.Dst, f.Space, f.Hash
	l.Proto, l.TTL, l.IPID, l.Interface, l.IfIndex = f.Proto, f.TTL, f.IPID, f.Interface, f.IfIndex
	l.Seq, l.Ack, l.Flags, l.Window, l.Size, l.Checksum = f.Seq, f.Ack, f.Flags, f.Window, f.Size, f.Checksum
	l.Options.TSVal, l.Options.TSEcr = f.Options.TSVal, f.Options.TSEcr
	// The payload is not valid for longer than the frame.
	l.Payload = append(l.Payload[:0], f.Payload[:min(len(f.Payload), sample)]...)
}

func (d *Filter) check(f *decode.Frame) bool {
	place := placeOf(f)
	key := directionOf(f)
	w := d.direction(key, place, f)
	digest := digestOf(f, key)
	set := d.packets[digest%(recentPackets/ways)*ways:][:ways]
	oldest := &set[0]
	for i := range set {
		e := &set[i]
		if e.used && e.digest == digest {
			if e.isCopy(f, place, w.fixed) {
				w.confirm(place)
				d.counts.Copies++
				return true
			}
			// The same packet in the same place, or long after: sent again.
			oldest = e
			break
		}
		if !e.used || oldest.used && e.at < oldest.at {
			oldest = e
		}
	}
	if f.Proto == decode.TCP && w.covers(f, place) {
		d.counts.Covered++
		return true
	}
	*oldest = seen{digest: digest, at: f.At, place: place, sum: f.Checksum, ttl: f.TTL, used: true}
	w.fixed = w.fixed || f.IPID != 0 && f.IPID == w.id
	w.id = f.IPID
	w.advance(f, place)
	return false
}

// isCopy decides on a packet with equal contents. fixed says that its sender does
// not count its packets by their IP ID.
func (e *seen) isCopy(f *decode.Frame, place uint32, fixed bool) bool {
	if f.At-e.at > window || e.at-f.At > window {
		return false
	}
	passed := int(e.ttl) - int(f.TTL)
	if place == e.place {
		// A router that sends it back to where it came from, or a bridge of which both
		// sides are seen. A packet that was sent again has as many hops behind it as
		// the first time, and an IP ID of its own: all systems give each copy a new one
		// that do not give the same one to all packets.
		return f.IPID != 0 && (passed > 0 && passed <= hops || passed == 0 && !fixed && f.Checksum == e.sum)
	}
	return passed >= -hops && passed <= hops
}

// direction finds the entry of a direction, or makes one.
func (d *Filter) direction(key uint64, place uint32, f *decode.Frame) *direction {
	set := d.flows[key%(recentDirections/ways)*ways:][:ways]
	oldest := &set[0]
	for i := range set {
		w := &set[i]
		if w.used && w.key == key {
			return w
		}
		if !w.used || oldest.used && w.at < oldest.at {
			oldest = w
		}
	}
	*oldest = direction{key: key, at: f.At, place: place, seq: f.Seq, ack: f.Ack, used: true}
	return oldest
}

// confirm notes that a place shows copies of what the first one shows.
func (w *direction) confirm(place uint32) {
	if place == w.place || place == w.others[0] || place == w.others[1] {
		return
	}
	w.others[1] = w.others[0]
	w.others[0] = place
}

// covers reports whether a place that shows copies tells nothing new with f.
func (w *direction) covers(f *decode.Frame, place uint32) bool {
	if place == w.place || place != w.others[0] && place != w.others[1] {
		return false
	}
	if f.Flags&(decode.SYN|decode.RST) != 0 || f.At-w.at > coverAge {
		return false
	}
	if w.hole[0] != w.hole[1] && int32(f.Seq-w.hole[1]) < 0 && int32(endOf(f)-w.hole[0]) > 0 {
		return false
	}
	return int32(endOf(f)-w.seq) <= 0 && (f.Flags&decode.ACK == 0 || int32(f.Ack-w.ack) <= 0)
}

// advance notes what the first place has shown.
func (w *direction) advance(f *decode.Frame, place uint32) {
	if place != w.place {
		return
	}
	w.at = f.At
	if f.Flags&decode.SYN != 0 {
		w.seq, w.ack, w.hole = endOf(f), f.Ack, [2]uint32{}
		return
	}
	if int32(f.Seq-w.seq) > 0 {
		if w.hole[0] == w.hole[1] {
			w.hole[0] = w.seq
		}
		w.hole[1] = f.Seq
	}
	if end := endOf(f); int32(end-w.seq) > 0 {
		w.seq = end
	}
	if int32(f.Ack-w.ack) > 0 {
		w.ack = f.Ack
	}
}

// endOf is the sequence number after a segment.
func endOf(f *decode.Frame) uint32 {
	n := f.Seq + uint32(f.Size)
	if f.Flags&decode.SYN != 0 {
		n++
	}
	if f.Flags&decode.FIN != 0 {
		n++
	}
	return n
}

// sample is how many bytes of the payload have to be equal. Copies in tunnels
// are cut by the snap length elsewhere, so that it is not all of them.
const sample = 16

// Odd numbers without pattern: the first digits of the golden ratio and of pi.
const (
	mixA = 0x9e3779b97f4a7c15
	mixB = 0x243f6a8885a308d3
)

// mix adds a word to a hash.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^mixA, v^mixB)
	return hi ^ lo
}

// placeOf is where a frame was captured, never 0.
func placeOf(f *decode.Frame) uint32 {
	h := mix(uint64(f.Interface)<<32|uint64(f.IfIndex), uint64(f.Space)<<8|uint64(f.Way))
	return uint32(h) | 1
}

// directionOf hashes the ends of a frame so that its two directions differ.
func directionOf(f *decode.Frame) uint64 { return mix(f.Hash, half(&f.Src)) }

func half(e *flow.Endpoint) uint64 {
	return mix(binary.BigEndian.Uint64(e.Addr[:8])^uint64(e.Port), binary.BigEndian.Uint64(e.Addr[8:]))
}

// digestOf hashes what copies of a packet have in common. The checksum of TCP
// and UDP is not: network cards fill it in after the first places have seen it.
func digestOf(f *decode.Frame, key uint64) uint64 {
	h := mix(key, uint64(f.IPID)<<48|uint64(f.Flags)<<40|uint64(uint32(f.Size)))
	if f.Proto == decode.TCP {
		h = mix(h, uint64(f.Seq)<<32|uint64(f.Ack))
		h = mix(h, uint64(f.Options.TSVal)<<32|uint64(f.Options.TSEcr))
		h = mix(h, uint64(f.Window))
	} else if f.Proto == decode.ICMP || f.Proto == decode.ICMPv6 {
		h = mix(h, uint64(f.Checksum))
	}
	switch p := f.Payload; {
	case len(p) >= sample:
		h = mix(h, binary.LittleEndian.Uint64(p))
		h = mix(h, binary.LittleEndian.Uint64(p[8:]))
	case len(p) == f.Size: // short, but all of it
		for _, b := range p {
			h = mix(h, uint64(b))
		}
	}
	return h
}
