package tcp

import "rtrail/internal/packet/flow"

const (
	// shortLog is how many segments every direction remembers: enough for those
	// that ask and answer, and for a copy that comes late.
	shortLog = 3
	// longLog is for those with more in flight. What does not fit is remembered in
	// larger pieces.
	longLog = 64
	// mostBlocks bounds the long logs of a table, to 6 MiB.
	mostBlocks = 4096

	sizeBits  = 1<<29 - 1
	wasCopied = 1 << 29 // it was sent more than once: Karn's rule
	wasMerged = 1 << 30 // several segments, of which the stamp is the first's
)

// entry remembers when a segment was first seen.
type entry struct {
	at    int64
	frame uint64
	off   uint32 // low bits
	bits  uint32 // size and flags
}

func (e *entry) size() uint32      { return e.bits & sizeBits }
func (e *entry) end() uint32       { return e.off + e.size() }
func (e *entry) stamp() flow.Stamp { return flow.Stamp{At: e.at, Frame: e.frame} }

// logs are the long logs of a table.
type logs struct {
	blocks []*[longLog]entry
	free   []int32
}

func (l *logs) ring(h *half) []entry {
	if h.block != 0 {
		return l.blocks[h.block-1][:]
	}
	return h.log[:]
}

// take gives a half a long log; false if there are too many.
func (l *logs) take(h *half) bool {
	if n := len(l.free); n > 0 {
		h.block, l.free = l.free[n-1], l.free[:n-1]
	} else if len(l.blocks) < mostBlocks {
		l.blocks = append(l.blocks, new([longLog]entry))
		h.block = int32(len(l.blocks))
	} else {
		return false
	}
	b := l.blocks[h.block-1]
	for i := uint32(0); i < min(shortLog, h.logEnd); i++ {
		n := h.logEnd - 1 - i
		b[n%longLog] = h.log[n%shortLog]
	}
	return true
}

// release takes the long log back, and keeps the newest segments.
func (l *logs) release(h *half) {
	if h.block == 0 {
		return
	}
	b := l.blocks[h.block-1]
	for i := uint32(0); i < min(shortLog, h.logEnd); i++ {
		n := h.logEnd - 1 - i
		h.log[n%shortLog] = b[n%longLog]
	}
	l.free = append(l.free, h.block)
	h.block = 0
}

// write remembers a segment. acks tells that the other side's acknowledgements
// are seen, without which nothing would ever be taken off again.
func (l *logs) write(h *half, off uint64, size int, at flow.Stamp, bits uint32, acks bool) {
	r := l.ring(h)
	if h.logEnd-h.logOpen >= uint32(len(r)) {
		switch {
		case !acks:
			h.logOpen++
		case h.block == 0 && l.take(h):
			r = l.ring(h)
		default:
			merge(h, r)
		}
	}
	r[h.logEnd%uint32(len(r))] = entry{at: at.At, frame: at.Frame, off: uint32(off), bits: min(uint32(size), sizeBits) | bits}
	h.logEnd++
}

// merge makes room: neighbours become one.
func merge(h *half, r []entry) {
	var kept [longLog]entry
	n, size := 0, uint32(len(r))
	for i := h.logOpen; i != h.logEnd; i++ {
		e := r[i%size]
		if i+1 != h.logEnd {
			next := r[(i+1)%size]
			if e.end() == next.off && e.size()+next.size() < sizeBits {
				e.bits = (e.size() + next.size()) | (e.bits|next.bits)&wasCopied | wasMerged
				i++
			}
		}
		kept[n] = e
		n++
	}
	first := 0
	if uint32(n) == size {
		first = 1 // nothing fits together: the oldest is forgotten
	}
	h.logOpen = h.logEnd - uint32(n-first)
	for i := first; i < n; i++ {
		r[(h.logOpen+uint32(i-first))%size] = kept[i]
	}
}

// find is the newest entry that holds the byte at an offset; nil: forgotten.
func (l *logs) find(h *half, off uint64) *entry {
	r := l.ring(h)
	for i := uint32(0); i < min(uint32(len(r)), h.logEnd); i++ {
		e := &r[(h.logEnd-1-i)%uint32(len(r))]
		if uint32(off)-e.off < e.size() {
			return e
		}
	}
	return nil
}

// markCopied notes that a range was sent more than once.
func (l *logs) markCopied(h *half, from, to uint64) {
	r := l.ring(h)
	for i := uint32(0); i < min(uint32(len(r)), h.logEnd); i++ {
		e := &r[(h.logEnd-1-i)%uint32(len(r))]
		if int32(uint32(to)-e.off) > 0 && int32(e.end()-uint32(from)) > 0 {
			e.bits |= wasCopied
		}
	}
}

// acked takes off what is acknowledged. It returns the newest of it, how many and whether
// its age is a round trip: none of it was sent twice, and all of it is one packet.
func (l *logs) acked(h *half) (newest entry, n int, clean bool) {
	r := l.ring(h)
	clean = true
	for h.logOpen != h.logEnd {
		e := &r[h.logOpen%uint32(len(r))]
		if int32(e.end()-uint32(h.acked)) > 0 {
			break
		}
		clean = clean && e.bits&(wasCopied|wasMerged) == 0
		newest = *e
		n++
		h.logOpen++
	}
	if h.block != 0 && h.logOpen == h.logEnd {
		l.release(h)
	}
	return newest, n, clean && n > 0
}

// newest is the last segment written down; nil: none.
func (l *logs) newest(h *half) *entry {
	if h.logEnd == 0 {
		return nil
	}
	r := l.ring(h)
	return &r[(h.logEnd-1)%uint32(len(r))]
}
