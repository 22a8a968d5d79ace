package tcp

import (
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	// timeout is the shortest age at which a copy is taken for one by timeout:
	// TCP_RTO_MIN of Linux, 200 ms, less the tick of 10 ms at most by which the
	// timer and the clock of the capture may disagree.
	timeout = 190e6
	// reordered is how late a packet may be for being merely out of order where
	// nothing else tells and the round trip is unknown; Wireshark takes the same.
	reordered = 3e6
	// sameCapture is how far apart two captures of one packet are at most; and
	// sameCaptureNoID where the packets have no IP ID that would tell a copy by the
	// sender, which no sender makes within 10 µs.
	sameCapture     = 1e6
	sameCaptureNoID = 10e3
	// orderedIDs is after how many packets in a row with growing IP IDs they are
	// believed to count packets. By chance, three in a row do so one time in
	// sixteen million.
	orderedIDs = 3
	idStep     = 256
	// manyDups is the threshold of fast retransmission, RFC 5681.
	manyDups = 3
)

// class is what made the sender send a segment again.
type class uint8

const (
	unclassified class = iota
	byTimeout
	byFast
	bySpurious
	byProbe
)

// oneMore counts as far as its number goes.
func oneMore(n *uint16) {
	if *n < 1<<16-1 {
		*n++
	}
}

func (s *Side) class(k class) *uint32 {
	switch k {
	case byTimeout:
		return &s.Timeouts
	case byFast:
		return &s.Fast
	case bySpurious:
		return &s.Spurious
	case byProbe:
		return &s.LossProbes
	}
	return nil
}

// judge counts what a segment was that was not simply the next one.
func (t *Table) judge(c *Conn, d flow.Dir, f *decode.Frame, a *arrival) {
	copied, filled := a.copyTo > a.copyFrom, a.holeTo > a.holeFrom
	switch {
	case copied && filled:
		// A segment counts once; what it fills was lost for sure, because its sender
		// sends it together with what came.
		c.Sides[d].LostOnWire += int64(a.holeTo - a.holeFrom)
		t.logs.markCopied(&c.halves[d], a.holeFrom, a.holeTo)
		t.again(c, d, f, a.copyFrom, a.copyTo)
		t.stalled(c, Stall{Retransmission, d, a.hole.sign, f.At})
	case copied:
		t.again(c, d, f, a.copyFrom, a.copyTo)
	case filled:
		t.filled(c, d, f, a)
	}
}

// filled judges a segment that came after bytes behind it had: was it late, or
// is it a copy of one that was lost before it came to the capture?
func (t *Table) filled(c *Conn, d flow.Dir, f *decode.Frame, a *arrival) {
	h, s := &c.halves[d], &c.Sides[d]
	late := f.At - a.hole.sign
	if t.sentBefore(c, d, f, &a.hole, late) {
		s.OutOfOrder++
		return
	}
	n := a.holeTo - a.holeFrom
	s.Retransmissions++
	s.Unseen++
	s.LostOnWire += int64(n)
	t.logs.markCopied(h, a.holeFrom, a.holeTo)
	switch {
	case h.dups >= manyDups || h.sacked > 0:
		t.count(h, s, byFast, a.holeFrom, a.holeTo)
	case late >= timeout:
		t.count(h, s, byTimeout, a.holeFrom, a.holeTo)
	default:
		t.count(h, s, unclassified, a.holeFrom, a.holeTo)
	}
	if k := t.consumer(c); k != nil {
		k.Refilled(d, f.Stamp)
	}
	t.stalled(c, Stall{Retransmission, d, a.hole.sign, f.At})
}

// sentBefore tells whether a packet was sent before the one that came first. The
// sender's clock knows, or its counter of packets; where both are silent, a
// copy needs a round trip to be asked for.
func (t *Table) sentBefore(c *Conn, d flow.Dir, f *decode.Frame, first *segment, late int64) bool {
	if f.Options.HasTime && first.hasTime && f.Options.TSVal != first.signTS {
		return int32(f.Options.TSVal-first.signTS) < 0
	}
	if c.halves[d].ids >= orderedIDs && f.IPID != first.signID {
		return int16(f.IPID-first.signID) < 0
	}
	receiver, sender := c.path(d)
	if receiver < 0 {
		return late < reordered
	}
	return late < receiver+sender
}

// again judges a segment with bytes that had come before.
func (t *Table) again(c *Conn, d flow.Dir, f *decode.Frame, from, to uint64) {
	h, s := &c.halves[d], &c.Sides[d]
	o := &c.halves[d.Other()]
	e := t.logs.find(h, from)
	if e == nil && uint32(from)-h.gap < h.gapSize {
		// Given up too early: the capture had it, but late.
		n := int64(to - from)
		s.Missed -= min(n, s.Missed)
		s.OutOfOrder++
		return
	}
	var first flow.Stamp
	twice := false
	if e != nil {
		first, twice = e.stamp(), e.bits&wasCopied != 0
		since := f.At - first.At
		older := h.ids >= orderedIDs && int16(f.IPID-t.newestID) <= 0
		if since <= sameCapture && older && f.IPID != 0 || since <= sameCaptureNoID && f.IPID == 0 {
			s.Duplicates++
			return
		}
	}
	if o.closed != 0 && f.Size == 1 {
		oneMore(&s.WindowProbes)
		return
	}
	if w := t.windowOf(c, d); w > 0 && int64(h.nxt)-int64(to) > w && h.acked >= to && h.inFlight() <= w {
		return // older than the window, and had arrived: a straggler, nobody sent it on purpose
	}
	refused := first.Frame != 0 && first.Frame == c.SYN.Frame // data in a SYN that the server did not take
	if !refused {
		t.counted(c, d, f, e, from, to, twice)
	}
	t.logs.markCopied(h, from, to)
	if k := t.consumer(c); k != nil {
		k.Resent(d, from, to, first, f.Stamp)
	}
	if h.acked < to {
		if waiting := t.logs.find(h, max(from, h.acked)); waiting != nil {
			t.stalled(c, Stall{Retransmission, d, waiting.at, f.At})
		}
	}
}

// counted counts a retransmission by what made the sender send it.
func (t *Table) counted(c *Conn, d flow.Dir, f *decode.Frame, e *entry, from, to uint64, twice bool) {
	h, s := &c.halves[d], &c.Sides[d]
	s.Retransmissions++
	if h.acked >= to {
		t.count(h, s, bySpurious, from, to)
		return
	}
	s.LostOnWire += int64(to - from)
	since := int64(-1)
	if e != nil {
		since = f.At - e.at
	}
	asked := h.dups >= manyDups || h.acked+uint64(h.sacked) > from
	k := unclassified
	switch {
	case asked && (!twice || since < timeout):
		k = byFast
	case since >= timeout:
		k = byTimeout
	case since >= 0 && to == h.high && h.dups == 0 && h.sacked == 0:
		k = byProbe
	}
	t.count(h, s, k, from, to)
}

func (t *Table) count(h *half, s *Side, k class, from, to uint64) {
	if n := s.class(k); n != nil {
		*n++
	}
	h.class, h.copied, h.size = k, uint32(to), uint32(to-from)
}

// needless takes notice of a DSACK: the range had arrived twice.
func (t *Table) needless(h *half, s *Side, left, right uint32) {
	if h.size == 0 || h.class == bySpurious {
		return
	}
	end, start := h.base+h.copied, h.base+h.copied-h.size
	if int32(left-end) >= 0 || int32(start-right) >= 0 {
		return
	}
	if n := s.class(h.class); n != nil {
		*n--
	}
	s.Spurious++
	s.LostOnWire -= min(s.LostOnWire, int64(h.size))
	h.class = bySpurious
}

func (t *Table) stalled(c *Conn, s Stall) {
	if s.To <= s.From {
		return
	}
	if s.Cause == Retransmission {
		c.waitedForCopy(s)
	}
	if k := t.consumer(c); k != nil {
		k.Stalled(s)
	}
}

// waitedForCopy sums up waits for copies. They come in the order of their ends:
// what lies before the last end was counted, or is left out if an earlier wait
// began later, so that the sum may be too small, but never too large.
func (c *Conn) waitedForCopy(s Stall) {
	h := &c.halves[s.Dir]
	c.Sides[s.Dir].RetransmitWait += time.Duration(max(0, s.To-max(s.From, h.waited)))
	h.waited = max(h.waited, s.To)
}
