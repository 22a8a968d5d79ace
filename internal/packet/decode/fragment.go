package decode

import (
	"bytes"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

const (
	// DefaultFragmentAge is as long as Linux waits (net.ipv4.ipfrag_time).
	DefaultFragmentAge = 30 * time.Second
	// DefaultFragmentBytes is as much as Linux keeps (net.ipv4.ipfrag_high_thresh).
	DefaultFragmentBytes = 4 << 20
	// maxRuns is how many separate pieces of a packet may wait. Fragments come
	// nearly in order, so that there are one or two; a packet of 64 KB has 45 of the
	// size of an Ethernet frame.
	maxRuns = 64
	// maxDatagram is what the 13 bits of an offset and the length of a packet can reach.
	maxDatagram = 1<<16 - 1
	// datagramCost is what a waiting packet takes beside its bytes, estimated from
	// the sizes of the struct, its runs and its place in the map.
	datagramCost = 1 << 10
)

// FragmentCounts says what became of packets that came in fragments.
type FragmentCounts struct {
	Complete    uint64 // packets put together
	Overlapping uint64 // packets dropped because fragments contradict each other
	Expired     uint64 // packets whose other fragments did not come in time
	Evicted     uint64 // packets dropped for want of memory
}

// Fragments counts what became of fragmented packets up to now.
func (d *Decoder) Fragments() FragmentCounts { return d.pieces.counts }

// fragment is one piece of an IP packet.
type fragment struct {
	id     uint32
	proto  uint8
	v4     bool
	offset int  // bytes
	more   bool // it is not the last one
	data   []byte
	size   int // bytes on the wire, at least those of data
}

// pieceKey says which packet a fragment belongs to. Copies of a fragment that
// were captured in several places do not mix.
type pieceKey struct {
	src, dst  flow.Addr
	space     flow.Space
	id        uint32
	iface     uint32
	ifIndex   uint32
	way       pcap.Way
	proto     uint8
	otherThan bool // IPv6: the protocols of the same name are other ones
}

// run is a range of bytes that have come.
type run struct{ from, to int }

// datagram is a packet of which some fragments have come.
type datagram struct {
	key          pieceKey
	first        int64 // packet time of the first fragment, nanoseconds
	older, newer *datagram
	data         []byte
	runs         []run // in order, not touching
	end          int   // length of the whole; -1: the last fragment has not come
	captured     int   // the bytes before it were captured, if they came at all
	bad          bool  // fragments contradict each other
}

// pieces puts packets together.
type pieces struct {
	waiting        map[pieceKey]*datagram
	oldest, newest *datagram
	bytes, limit   int
	age            int64
	free           *datagram // the last one finished; its memory is used again
	counts         FragmentCounts
}

func newPieces(limit int, age time.Duration) pieces {
	return pieces{waiting: map[pieceKey]*datagram{}, limit: limit, age: int64(age)}
}

// fragment adds a fragment; the one that makes the packet whole goes on as it.
func (d *Decoder) fragment(f *Frame, g fragment, depth int) Result {
	f.Hash = pairHash(f)
	if g.offset == 0 && len(g.data) >= 4 && (g.proto == TCP || g.proto == UDP) {
		ports(f, g.data, 0)
	}
	if g.size <= 0 || g.offset+g.size > maxDatagram || g.more && g.size%8 != 0 {
		return Broken
	}
	s := &d.pieces
	s.expire(f.At)
	key := pieceKey{
		src: f.Src.Addr, dst: f.Dst.Addr, space: f.Space, id: g.id,
		iface: f.Interface, ifIndex: f.IfIndex, way: f.Way, otherThan: !g.v4,
	}
	if g.v4 {
		// IPv6 knows a packet by addresses and number alone (RFC 8200, 4.5).
		key.proto = g.proto
	}
	w := s.waiting[key]
	if w == nil {
		w = s.add(key, f.At)
	}
	if w.bad {
		return Fragment
	}
	if !s.put(w, &g) {
		s.spoil(w)
		s.shrink()
		return Fragment
	}
	if w.end < 0 || len(w.runs) != 1 || w.runs[0] != (run{0, w.end}) {
		s.shrink()
		return Fragment
	}
	s.counts.Complete++
	s.remove(w)
	f.Pieces = true
	f.Src.Port, f.Dst.Port = 0, 0
	return d.transport(f, w.data[:min(w.captured, w.end)], w.end, depth)
}

// put adds the bytes of a fragment; false if they contradict what has come.
func (s *pieces) put(w *datagram, g *fragment) bool {
	from, to := g.offset, g.offset+g.size
	if !g.more {
		if w.end >= 0 && w.end != to || len(w.runs) > 0 && w.runs[len(w.runs)-1].to > to {
			return false
		}
		w.end = to
	}
	if w.end >= 0 && to > w.end {
		return false
	}
	at := 0
	for at < len(w.runs) && w.runs[at].to < from {
		at++
	}
	if at < len(w.runs) && w.runs[at].from <= from && to <= w.runs[at].to {
		// A copy, if the bytes are the same as far as both were captured.
		n := min(len(g.data), w.captured-from)
		return n <= 0 || bytes.Equal(g.data[:n], w.data[from:from+n])
	}
	// It may touch the run before and the one after it, but not reach into them.
	left := at < len(w.runs) && w.runs[at].to == from
	next := at
	if left {
		next++
	}
	if next < len(w.runs) && w.runs[next].from < to {
		return false
	}
	right := next < len(w.runs) && w.runs[next].from == to
	switch {
	case left && right:
		w.runs[at].to = w.runs[next].to
		w.runs = append(w.runs[:next], w.runs[next+1:]...)
	case left:
		w.runs[at].to = to
	case right:
		w.runs[next].from = from
	case len(w.runs) >= maxRuns:
		return false
	default:
		w.runs = append(w.runs, run{})
		copy(w.runs[at+1:], w.runs[at:])
		w.runs[at] = run{from, to}
	}
	if len(g.data) < g.size {
		w.captured = min(w.captured, from+len(g.data))
	}
	s.bytes -= cap(w.data)
	if need := from + len(g.data); need > len(w.data) {
		if need > cap(w.data) {
			grown := make([]byte, need, min(max(need, 2*cap(w.data)), maxDatagram))
			copy(grown, w.data)
			w.data = grown
		}
		w.data = w.data[:need]
	}
	copy(w.data[from:], g.data)
	s.bytes += cap(w.data)
	return true
}

// spoil drops what came of a packet, and remembers to drop what follows.
func (s *pieces) spoil(w *datagram) {
	s.counts.Overlapping++
	s.bytes -= cap(w.data)
	w.data, w.runs, w.bad = nil, nil, true
}

func (s *pieces) add(key pieceKey, at int64) *datagram {
	w := s.free
	s.free = nil
	if w == nil {
		w = &datagram{}
	}
	*w = datagram{key: key, first: at, data: w.data[:0], runs: w.runs[:0], end: -1, captured: maxDatagram, older: s.newest}
	if s.newest != nil {
		s.newest.newer = w
	} else {
		s.oldest = w
	}
	s.newest = w
	s.waiting[key] = w
	s.bytes += datagramCost + cap(w.data)
	return w
}

// remove takes a packet out. Its bytes stay valid until the next one is added.
func (s *pieces) remove(w *datagram) {
	delete(s.waiting, w.key)
	if w.older != nil {
		w.older.newer = w.newer
	} else {
		s.oldest = w.newer
	}
	if w.newer != nil {
		w.newer.older = w.older
	} else {
		s.newest = w.older
	}
	s.bytes -= datagramCost + cap(w.data)
	s.free = w
}

// expire drops packets whose fragments have waited too long.
func (s *pieces) expire(now int64) {
	for w := s.oldest; w != nil && now-w.first > s.age; w = s.oldest {
		if !w.bad {
			s.counts.Expired++
		}
		s.remove(w)
	}
}

// shrink drops the oldest packets until the rest is within the bound.
func (s *pieces) shrink() {
	for s.bytes > s.limit && s.oldest != nil {
		if !s.oldest.bad {
			s.counts.Evicted++
		}
		s.remove(s.oldest)
	}
}
