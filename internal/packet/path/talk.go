package path

import (
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	// late is how long after later segments one may come for being merely out of
	// order; tshark takes the same 3 ms.
	late = 3e6
	// holes is how many gaps of a direction are remembered.
	holes = 4
	// anyPath takes packets of this payload (RFC 9293, 3.7.1).
	anyPath = 536
)

// talk is one connection.
type talk struct {
	id       uint64
	from, to flow.Endpoint // of the first packet
	space    flow.Space
	last     int64
	closed   bool
	sides    [2]side // 0: from -> to
}

// side is one direction.
type side struct {
	Side
	begun    bool
	high     uint32 // sequence number behind the highest byte seen
	acked    uint32 // what the other side acknowledged, if hasAck
	hasAck   bool
	largest  uint32 // largest segment under way
	largeEnd uint32
	again    uint32 // sequence number of the segment that was sent again last
	copies   uint32
	small    uint32 // small segments since the other side said anything
	unheard  uint32 // of them, those before the last copy of a segment
	gaps     [holes]gap
	next     uint8
	clock    clock
}

type gap struct {
	from, to uint32
	at       int64
}

// event is what a packet turned out to be.
type event struct {
	resent  bool
	queued  int64 // microseconds
	clocked bool
}

func begin(f *decode.Frame) *talk {
	k := &talk{id: f.Frame, from: f.Src, to: f.Dst, space: f.Space}
	if f.Flags&(decode.SYN|decode.ACK) == decode.SYN|decode.ACK {
		k.from, k.to = f.Dst, f.Src
	}
	return k
}

func (k *talk) strange(f *decode.Frame) bool {
	return k.space != f.Space || !(k.from == f.Src && k.to == f.Dst || k.from == f.Dst && k.to == f.Src)
}

// over says that a SYN begins another connection between the same ends.
func (k *talk) over(f *decode.Frame) bool {
	s := &k.sides[k.direction(f)]
	return s.begun && f.Seq+1 != s.high && (k.closed || s.acked != 0 || int32(f.Seq-s.high) > 1<<16)
}

func (k *talk) direction(f *decode.Frame) int {
	if f.Src == k.from {
		return 0
	}
	return 1
}

func (k *talk) frame(f *decode.Frame) (e event) {
	d := k.direction(f)
	s, o := &k.sides[d], &k.sides[1-d]
	if f.Flags&decode.ACK != 0 && f.Flags&decode.RST == 0 {
		o.acknowledged(f.Ack)
	}
	if f.Options.HasTime && f.Flags&decode.RST == 0 {
		if s.FirstTS == 0 {
			s.FirstTS = f.Options.TSVal
		}
		s.LastTS = f.Options.TSVal
	}
	if f.Flags&(decode.FIN|decode.RST) != 0 {
		k.closed = true
	}
	seq, size := f.Seq, uint32(f.Size)
	o.small, o.unheard = 0, 0
	if f.Flags&decode.SYN != 0 {
		s.begun, s.high = true, seq+1
		return e
	}
	if f.Flags&decode.RST != 0 || size == 0 {
		if f.Flags&(decode.FIN|decode.RST) == decode.FIN {
			s.small++
		}
		return e
	}
	e.resent = s.data(seq, size, f.At)
	if size <= anyPath {
		s.small++
	}
	if f.Options.HasTime {
		e.queued, e.clocked = s.clock.lag(f.At, f.Options.TSVal, e.resent)
	}
	return e
}

// acknowledged takes what the other side has received.
func (s *side) acknowledged(ack uint32) {
	if s.hasAck && int32(ack-s.acked) <= 0 {
		return
	}
	s.acked, s.hasAck = ack, true
	if s.largest > 0 && int32(ack-s.largeEnd) >= 0 {
		s.LargestAcked = max(s.LargestAcked, s.largest)
		s.largest = 0
	}
	if s.copies > 0 && int32(ack-s.again) > 0 {
		s.copies = 0
	}
}

// data takes a segment and says whether it, or what follows it, had come before.
func (s *side) data(seq, size uint32, at int64) (resent bool) {
	end := seq + size
	if !s.begun {
		s.begun, s.high = true, seq
	}
	switch {
	case int32(seq-s.high) > 0: // something is missing before it
		s.gaps[s.next%holes] = gap{s.high, seq, at}
		s.next++
	case int32(seq-s.high) < 0:
		return s.before(seq, size, at)
	}
	s.high = end
	if size > s.largest {
		s.largest, s.largeEnd = size, end
	}
	return false
}

// before takes a segment that begins before the end of what was seen.
func (s *side) before(seq, size uint32, at int64) bool {
	end := seq + size
	if size == 1 && end == s.high && s.hasAck && s.acked == s.high {
		return false // keep-alive
	}
	if s.hasAck && int32(end-s.acked) <= 0 {
		return true // it had arrived: nothing was lost
	}
	if int32(end-s.high) > 0 {
		s.high = end
	}
	for i := range s.gaps {
		g := &s.gaps[i]
		if g.from == g.to || int32(seq-g.from) < 0 || int32(seq-g.to) >= 0 {
			continue
		}
		reordered := at-g.at < late
		if seq == g.from {
			g.from = end
			if int32(g.from-g.to) >= 0 {
				g.from = g.to
			}
		}
		if reordered {
			return false
		}
		s.stuck(seq, size)
		return true
	}
	s.stuck(seq, size)
	return true
}

// stuck counts how often one segment is repeated while nothing is acknowledged.
func (s *side) stuck(seq, size uint32) {
	if s.copies > 0 && s.again == seq {
		s.copies++
	} else {
		s.again, s.copies = seq, 1
	}
	s.unheard = s.small
	if s.copies > s.StuckCopies || s.copies == s.StuckCopies && size > s.StuckSize {
		s.StuckCopies, s.StuckSize = s.copies, size
	}
}

// tooBig takes a router's word.
func (k *talk) tooBig(c *decode.Control) {
	s := &k.sides[1]
	if c.QuotedSrc == k.from {
		s = &k.sides[0]
	}
	s.TooBig++
	if c.MTU > 0 && (s.MTU == 0 || c.MTU < s.MTU) {
		s.MTU = c.MTU
	}
}

func (s *side) result() Side {
	r := s.Side
	if s.copies > 0 && s.copies == s.StuckCopies {
		r.SmallUnheard = s.unheard
	}
	r.Queued, r.QueuedMax, r.Clocked = s.clock.total()
	return r
}
