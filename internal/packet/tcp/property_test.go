package tcp

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// TestStreams sends random streams through loss, reordering, duplication and
// wrap of the sequence numbers: what comes out must be what went in.
func TestStreams(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := newScript(t, Options{})
		s.isn = [2]uint32{-uint32(r.IntN(60000)), r.Uint32()}
		s.ids = seed%2 == 0
		s.tsClock = seed%3 == 0
		s.shake()
		var total [2]int
		at := 10 * ms
		var have [2]int // what the receiver of each direction has without a hole
		type piece struct{ from, to int }
		var seen [2]map[int]bool
		var last [2][]piece
		for d := range total {
			total[d] = 20000 + r.IntN(60000)
			seen[d] = map[int]bool{}
		}
		send := func(d flow.Dir, p piece) {
			at += int64(r.IntN(2_000_000)) - 20_000
			s.data(at, d, p.from, p.to-p.from, have[d.Other()])
			for i := p.from; i < p.to; i++ {
				seen[d][i] = true
			}
			for seen[d][have[d]] {
				have[d]++
			}
			if r.IntN(3) == 0 {
				at += int64(r.IntN(100_000))
				s.ack(at, d.Other(), total[d.Other()], have[d])
			}
			last[d] = append(last[d], p)
		}
		var queue [2][]piece
		for d := range total {
			for from := 0; from < total[d]; {
				to := min(total[d], from+1+r.IntN(1460))
				queue[d] = append(queue[d], piece{from, to})
				from = to
			}
			for i := range queue[d] { // some come late
				if r.IntN(8) == 0 {
					j := min(len(queue[d])-1, i+r.IntN(12))
					queue[d][i], queue[d][j] = queue[d][j], queue[d][i]
				}
			}
		}
		for len(queue[0])+len(queue[1]) > 0 {
			d := flow.Dir(r.IntN(2))
			if len(queue[d]) == 0 {
				d = d.Other()
			}
			send(d, queue[d][0])
			queue[d] = queue[d][1:]
			if r.IntN(10) == 0 { // a copy, cut differently
				p := last[d][max(0, len(last[d])-1-r.IntN(10))]
				p.from = max(0, p.from-r.IntN(100))
				for p.from < p.to && !seen[d][p.from] {
					p.from++
				}
				send(d, p)
			}
		}
		c := s.last()
		for d := range total {
			if !bytes.Equal(s.got[d], pattern(flow.Dir(d), 0, total[d])) {
				t.Fatalf("seed %d: the %s sent %d bytes, %d came out, or others", seed, flow.Dir(d), total[d], len(s.got[d]))
			}
			if c.Sides[d].Bytes != int64(total[d]) || c.Sides[d].Missed != 0 {
				t.Fatalf("seed %d: %d of %d bytes counted, %d missed", seed, c.Sides[d].Bytes, total[d], c.Sides[d].Missed)
			}
		}
		s.clean(t)
	}
}

// clean checks that a closed table holds nothing any more.
func (s *script) clean(t *testing.T) {
	t.Helper()
	tb := s.table
	if tb.Live() != 0 || len(tb.free) != slab*len(tb.slabs) {
		t.Errorf("%d connections live, %d of %d free", tb.Live(), len(tb.free), slab*len(tb.slabs))
	}
	if len(tb.logs.free) != len(tb.logs.blocks) {
		t.Errorf("%d of %d logs were given back", len(tb.logs.free), len(tb.logs.blocks))
	}
	free := 0
	for i := tb.held.free; i != 0; i = tb.held.at(i).next {
		free++
	}
	if n := max(0, len(tb.held.segments)-1); free != n {
		t.Errorf("%d of %d waiting segments were given back", free, n)
	}
	held := 0
	for i := range tb.held.segments {
		held += cap(tb.held.segments[i].data)
	}
	if held != tb.held.bytes {
		t.Errorf("%d bytes in buffers, %d counted", held, tb.held.bytes)
	}
}

// strict checks what every consumer may rely on.
type strict struct {
	t     *testing.T
	at    [2]uint64
	acked [2]uint64
	ended bool
}

func (s *strict) alive() {
	if s.ended {
		s.t.Error("something came after the end")
	}
}

func (s *strict) Data(c *flow.Chunk) {
	s.alive()
	if c.Offset != s.at[c.Dir] || c.Size() <= 0 || c.Cut < 0 {
		s.t.Errorf("data %d+%d (%d cut), but %d is next", c.Offset, c.Size(), c.Cut, s.at[c.Dir])
	}
	s.at[c.Dir] += uint64(c.Size())
}

func (s *strict) Gap(d flow.Dir, n int64, _ flow.Stamp) {
	s.alive()
	if n <= 0 {
		s.t.Errorf("a gap of %d", n)
	}
	s.at[d] += uint64(n)
}

func (s *strict) Resent(d flow.Dir, from, to uint64, _, _ flow.Stamp) {
	s.alive()
	if from >= to {
		s.t.Errorf("bytes %d to %d came again", from, to)
	}
}

func (s *strict) Refilled(flow.Dir, flow.Stamp) { s.alive() }

func (s *strict) Stalled(w Stall) {
	s.alive()
	if w.From >= w.To {
		s.t.Errorf("a wait from %d to %d", w.From, w.To)
	}
}

func (s *strict) Acked(d flow.Dir, before uint64, _ flow.Stamp) {
	s.alive()
	if before <= s.acked[d] || before > s.at[d] {
		s.t.Errorf("acknowledged up to %d after %d, of %d", before, s.acked[d], s.at[d])
	}
	s.acked[d] = before
}

func (s *strict) End(flow.Stamp, flow.Ending) {
	s.alive()
	s.ended = true
}

// FuzzTable plays any packets between a few ends.
func FuzzTable(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 8 {
		b := make([]byte, 12*(4<<n))
		for i := range b {
			b[i] = byte(r.Uint32() >> (8 * (n % 3)))
		}
		f.Add(b)
	}
	f.Add([]byte("\x00\x02\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x01\x12\x00\x00\x00\x01\x00\x00\x10\x00\x00\x00\x00\x10\x00\x01\x00\x01\x00\x00\x10\x00\x00\x05"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var consumers []*strict
		begun, ended := 0, map[uint64]int{}
		s := &script{}
		s.table = NewTable(Options{
			Held:        4096,
			NewConsumer: func(*Conn) Consumer { c := &strict{t: t}; consumers = append(consumers, c); return c },
			Speaker:     func(b []byte) (flow.Dir, bool) { return flow.Dir(b[0] & 1), len(b) > 3 && b[0]&^1 == 6 },
			Ended: func(c *Conn) {
				begun++
				ended[c.ID]++
				for d := range c.Sides {
					s := &c.Sides[d]
					if s.Bytes < 0 || s.LostOnWire < 0 || s.Missed < 0 || s.ZeroWindowTime < 0 || s.WindowLimited < -1 || s.AppLimited < 0 ||
						s.DelayedACKTime < 0 || s.RTTMin < 0 || s.RTTSum < 0 ||
						s.Timeouts+s.Fast+s.Spurious+s.LossProbes > s.Retransmissions {
						t.Errorf("impossible counts: %+v", s)
					}
				}
			},
		})
		at := int64(1e18)
		payload := make([]byte, 8192)
		for frame := uint64(1); len(b) >= 12; frame++ {
			k := b[:12]
			b = b[12:]
			size := int(k[7])
			if k[8]&0x80 != 0 {
				size *= 32
			}
			// Steps of 16 around a point that wraps, at times anywhere.
			seq := uint32(int32(int8(k[3])))*16 + uint32(k[2]&3)
			ack := uint32(int32(int8(k[5])))*16 + uint32(k[4]&3)
			if k[2] == 0xff {
				seq += uint32(k[6]) << 24
				ack += uint32(k[6]) << 24
			}
			at += (int64(k[9]) - 8) << (k[10] & 31)
			ends := [2]flow.Endpoint{alice, bob}
			ends[0].Port += uint16(k[0] >> 6)
			from := k[0] & 1
			fr := decode.Frame{
				Stamp: flow.Stamp{At: at, Frame: frame}, Proto: decode.TCP,
				Src: ends[from], Dst: ends[from^1], Hash: uint64(k[0]>>6) << uint(k[0]>>6*7),
				Flags: k[1], Seq: seq, Ack: ack, Window: uint16(k[8]&3) * 4000, IPID: uint16(k[11]),
				Size: size, Payload: payload[:size/(1+int(k[8]>>6&1))],
				Options: decode.Options{Scale: int8(k[8]>>2&15) - 1, HasTime: k[0]&2 != 0, TSVal: uint32(k[11]), MSS: uint16(k[6]) * 8},
			}
			if k[0]&4 != 0 {
				fr.Options.SACKs = 1 + k[0]>>3&3
				for i := range fr.Options.SACK {
					fr.Options.SACK[i] = [2]uint32{ack + uint32(k[6]*16), ack + uint32(k[6])*16 + uint32(k[7])}
				}
			}
			s.table.Frame(&fr)
			if k[0]&0x20 != 0 {
				s.table.Expire(at)
			}
			if s.table.held.bytes > 4096+2*8192 {
				t.Fatalf("%d bytes wait", s.table.held.bytes)
			}
		}
		s.table.Close()
		for id, n := range ended {
			if n != 1 {
				t.Errorf("connection %d ended %d times", id, n)
			}
		}
		for _, c := range consumers {
			if !c.ended {
				t.Error("a consumer was not told the end")
			}
		}
		s.clean(t)
	})
}
