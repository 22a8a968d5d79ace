package tcp

import (
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// farACK is how far past everything seen an acknowledgement is believed: the
// largest window there is, RFC 7323.
const farACK = 1 << 30

// acknowledge takes what the packet of one side says about the other's bytes.
func (t *Table) acknowledge(c *Conn, d flow.Dir, f *decode.Frame) {
	own, other := &c.halves[d], d.Other()
	h := &c.halves[other]
	pure := f.Size == 0 && f.Flags&(decode.SYN|decode.FIN|decode.RST) == 0
	if h.has(based) {
		ack := h.offset(f.Ack)
		if h.has(sentFIN) && ack > int64(h.high) {
			if ack == int64(h.high)+1 {
				h.flags |= ackedFIN
			}
			ack = int64(h.high)
		}
		switch {
		case ack > int64(h.acked) && ack-int64(h.high) < farACK:
			t.moved(c, other, uint64(ack), f, pure, pure)
		case pure && ack == int64(h.acked) && own.has(hasACK) && f.Ack == own.ack && f.Window == own.window && h.inFlight() > 0:
			c.Sides[d].DupACKs++
			if h.dups < 255 {
				h.dups++
			}
		}
		if f.Options.SACKs > 0 {
			t.selective(c, other, f)
		}
	}
	if !own.has(hasACK) || int32(f.Ack-own.ack) > 0 {
		own.ack = f.Ack
		own.flags |= hasACK
	}
}

// moved takes note that everything of direction d before an offset has arrived. wait
// says that bytes which were not seen may still come.
func (t *Table) moved(c *Conn, d flow.Dir, ack uint64, f *decode.Frame, pure, wait bool) {
	h, s := &c.halves[d], &c.Sides[d]
	if ack > h.nxt {
		// One byte more than was seen, and no FIN: that is most likely one that the
		// capture lacks. If it was a byte, the next ones will show it.
		if ack == h.high+1 && h.held == 0 && !h.has(sentFIN) {
			ack--
			if ack <= h.acked {
				return
			}
		}
		if wait && t.awaitBytes(c, d, f) {
			return
		}
		t.missed(c, d, ack, f.Stamp)
	}
	h.sacked -= min(h.sacked, uint32(ack-h.acked))
	flying := h.high > h.acked
	h.acked, h.ackedAt, h.dups = ack, f.At, 0
	h.flags &^= pureACK | idle
	newest, n, clean := t.logs.acked(h)
	if pure {
		if n == 1 {
			h.flags |= pureACK
		}
		if clean && f.At >= newest.at {
			rtt := time.Duration(f.At - newest.at)
			if s.RTTs == 0 || rtt < s.RTTMin {
				s.RTTMin = rtt
			}
			s.RTTs++
			s.RTTSum += rtt
			s.RTTMax = max(s.RTTMax, rtt)
		}
	}
	if flying && h.acked >= h.high && !h.has(spoken) {
		h.flags |= idle
	}
	if k := t.consumer(c); k != nil {
		k.Acked(d, ack, f.Stamp)
	}
}

// missed gives up the holes before an offset that the receiver acknowledged.
func (t *Table) missed(c *Conn, d flow.Dir, ack uint64, at flow.Stamp) {
	h := &c.halves[d]
	for h.nxt < ack {
		to := ack
		if h.held != 0 {
			to = min(to, t.held.at(h.held).off)
		}
		t.skip(c, d, to, at, true)
		t.drain(c, d)
	}
}

// selective reads the SACK blocks that answer direction d.
func (t *Table) selective(c *Conn, d flow.Dir, f *decode.Frame) {
	h := &c.halves[d]
	blocks := f.Options.SACK[:min(int(f.Options.SACKs), len(f.Options.SACK))]
	first := blocks[0]
	twice := int32(first[1]-f.Ack) <= 0 // RFC 2883: below the acknowledgement
	if !twice && len(blocks) > 1 {      // or inside the second block
		twice = int32(first[0]-blocks[1][0]) >= 0 && int32(first[1]-blocks[1][1]) <= 0
	}
	if twice {
		t.needless(h, &c.Sides[d], first[0], first[1])
		blocks = blocks[1:]
	}
	for _, b := range blocks {
		if beyond := h.offset(b[1]) - int64(h.acked); beyond > 0 && beyond < farACK {
			h.sacked = max(h.sacked, uint32(beyond))
		}
	}
}
