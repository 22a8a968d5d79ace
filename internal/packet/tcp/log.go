package tcp

import "rtrail/internal/packet/flow"

const (
	// shortLog is how many segments every direction remembers: enough for those
	// that ask and answer, and for a copy that comes late.
	shortLog = 3
	// longLog is for those with more in flight. What does not fit is remembered in
	// larger pieces.
	longLog = 64
	// maxBlocks bounds the long logs of a table, to 6 MiB.
	maxBlocks = 4096

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

// at is the nth segment that was written down, one of the last room(h). The short
// log is kept newest first, the long one goes round.
func (l *logs) at(h *half, n uint32) *entry {
	if h.block != 0 {
		return &l.blocks[h.block-1][n%longLog]
	}
	return &h.log[h.logEnd-1-n]
}

// room is how many segments the log of a half takes.
func room(h *half) uint32 {
	if h.block != 0 {
		return longLog
	}
	return shortLog
}

// push writes the next segment down.
func (l *logs) push(h *half, e entry) {
	h.logEnd++
	if h.block != 0 {
		l.blocks[h.block-1][(h.logEnd-1)%longLog] = e
		return
	}
	h.log[2], h.log[1], h.log[0] = h.log[1], h.log[0], e
}

// take gives a half a long log; false if there are too many.
func (l *logs) take(h *half) bool {
	block := int32(0)
	if n := len(l.free); n > 0 {
		block, l.free = l.free[n-1], l.free[:n-1]
	} else if len(l.blocks) < maxBlocks {
		l.blocks = append(l.blocks, new([longLog]entry))
		block = int32(len(l.blocks))
	} else {
		return false
	}
	b := l.blocks[block-1]
	for i := uint32(0); i < min(shortLog, h.logEnd); i++ {
		b[(h.logEnd-1-i)%longLog] = h.log[i]
	}
	h.block = block
	return true
}

// release takes the long log back, and keeps the newest segments.
func (l *logs) release(h *half) {
	if h.block == 0 {
		return
	}
	b := l.blocks[h.block-1]
	for i := uint32(0); i < min(shortLog, h.logEnd); i++ {
		h.log[i] = b[(h.logEnd-1-i)%longLog]
	}
	l.free = append(l.free, h.block)
	h.block = 0
}

// write remembers a segment. acks tells that the other side's acknowledgements
// are seen, without which nothing would ever be taken off again.
func (l *logs) write(h *half, off uint64, size int, at flow.Stamp, acks bool) {
	if h.logEnd-h.logOpen >= room(h) {
		switch {
		case !acks:
			h.logOpen++
		case h.block == 0 && l.take(h):
		default:
			l.merge(h)
		}
	}
	l.push(h, entry{at: at.At, frame: at.Frame, off: uint32(off), bits: min(uint32(size), sizeBits)})
}

// merge makes room: neighbours become one.
func (l *logs) merge(h *half) {
	var kept [longLog]entry
	n := 0
	for i := h.logOpen; i != h.logEnd; i++ {
		e := *l.at(h, i)
		if i+1 != h.logEnd {
			next := l.at(h, i+1)
			if e.end() == next.off && e.size()+next.size() < sizeBits {
				e.bits = (e.size() + next.size()) | (e.bits|next.bits)&wasCopied | wasMerged
				i++
			}
		}
		kept[n] = e
		n++
	}
	first := 0
	if uint32(n) == room(h) {
		first = 1 // nothing fits together: the oldest is forgotten
	}
	h.logOpen = h.logEnd - uint32(n-first)
	for i := first; i < n; i++ {
		*l.at(h, h.logOpen+uint32(i-first)) = kept[i]
	}
}

// find is the newest entry that holds the byte at an offset; nil: forgotten.
func (l *logs) find(h *half, off uint64) *entry {
	for i := uint32(1); i <= min(room(h), h.logEnd); i++ {
		if e := l.at(h, h.logEnd-i); uint32(off)-e.off < e.size() {
			return e
		}
	}
	return nil
}

// markCopied notes that a range was sent more than once.
func (l *logs) markCopied(h *half, from, to uint64) {
	for i := uint32(1); i <= min(room(h), h.logEnd); i++ {
		e := l.at(h, h.logEnd-i)
		if int32(uint32(to)-e.off) > 0 && int32(e.end()-uint32(from)) > 0 {
			e.bits |= wasCopied
		}
	}
}

// acked takes off what is acknowledged. It returns the newest of it, how many and whether
// its age is a round trip: none of it was sent twice, and all of it is one packet.
func (l *logs) acked(h *half) (newest *entry, n int, clean bool) {
	clean = true
	for h.logOpen != h.logEnd {
		e := l.at(h, h.logOpen)
		if int32(e.end()-uint32(h.acked)) > 0 {
			break
		}
		clean = clean && e.bits&(wasCopied|wasMerged) == 0
		newest = e
		n++
		h.logOpen++
	}
	if h.block != 0 && h.logOpen == h.logEnd {
		l.release(h)
		newest = l.newest(h)
	}
	return newest, n, clean && n > 0
}

// newest is the last segment written down; nil: none.
func (l *logs) newest(h *half) *entry {
	if h.logEnd == 0 {
		return nil
	}
	return l.at(h, h.logEnd-1)
}
