package tcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const second = 1000 * ms

// bye closes a connection from the client, with three packets.
func (s *script) bye(at int64, c, v int) {
	s.packet(at, toServer, decode.FIN|decode.ACK, c, 0, v)
	s.packet(at+ms, toClient, decode.FIN|decode.ACK, v, 0, c+1)
	s.ack(at+2*ms, toServer, c+1, v+1)
}

// renew takes other initial sequence numbers.
func (s *script) renew() { s.isn[0] += 1 << 27; s.isn[1] += 3 << 27 }

// TestLives plays whole connections and tells them in a line each: how each
// ended, who closed it, how, and what was outstanding.
func TestLives(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *script)
		want []string
	}{
		{"finished", func(s *script) {
			s.shake()
			s.data(5*ms, toServer, 0, 10, 0)
			s.bye(10*ms, 10, 0)
		}, []string{"1 finished by client FIN @10"}},
		{"late packets make no connection", func(s *script) {
			s.shake()
			s.data(5*ms, toServer, 0, 10, 0)
			s.bye(10*ms, 10, 0)
			s.ack(20*ms, toServer, 11, 1)
			s.data(30*ms, toServer, 0, 10, 0)
			s.packet(40*ms, toClient, decode.FIN|decode.ACK, 0, 0, 11)
			s.packet(50*ms, toClient, decode.RST, 1, 0, 0)
			s.syn(55 * ms)
		}, []string{"1 finished by client FIN @10"}},
		{"the same ends again after a minute, begun before the capture", func(s *script) {
			s.shake()
			s.bye(10*ms, 0, 0)
			s.data(90*second, toServer, 5, 10, 5)
		}, []string{"1 finished by client FIN @10", "7 open midway"}},
		{"the same ends again at once, the SYN is missing", func(s *script) {
			s.shake()
			s.bye(10*ms, 0, 0)
			s.renew()
			s.data(20*ms, toServer, 5, 10, 5)
		}, []string{"1 finished by client FIN @10", "7 open midway"}},
		{"port reuse after both FINs", func(s *script) {
			s.shake()
			s.bye(10*ms, 0, 0)
			s.renew()
			s.syn(20 * ms)
			s.synack(21 * ms)
		}, []string{"1 finished by client FIN @10", "7 open"}},
		{"port reuse without an end", func(s *script) {
			s.shake()
			s.data(5*ms, toServer, 0, 10, 0)
			s.renew()
			s.syn(20 * ms)
		}, []string{"1 port reused", "5 open"}},
		{"port reuse after one FIN", func(s *script) {
			s.shake()
			s.packet(10*ms, toClient, decode.FIN|decode.ACK, 0, 0, 0)
			s.renew()
			s.syn(20 * ms)
		}, []string{"1 port reused by server FIN @10", "5 open"}},
		{"port reuse, the SYN is missing", func(s *script) {
			s.shake()
			s.data(5*ms, toServer, 0, 10, 0)
			s.isn[0] += 1 << 30
			s.isn[1] += 1 << 30
			s.data(20*ms, toServer, 0, 10, 0)
		}, []string{"1 port reused", "5 open midway"}},
		{"a SYN again is no other connection", func(s *script) {
			s.syn(0)
			s.syn(1 * second)
			s.syn(3 * second)
			s.synack(3*second + ms)
			s.synack(3*second + 2*ms)
			s.ack(3*second+3*ms, toServer, 0, 0)
		}, []string{"1 open, SYNs 3, SYN-ACKs 2"}},
		{"refused", func(s *script) {
			s.syn(0)
			s.packet(ms, toClient, decode.RST|decode.ACK, -1, 0, 0, func(f *decode.Frame) { f.Seq = 0 })
		}, []string{"1 reset by server RST @1 refused"}},
		{"refused, and tried again with the same number", func(s *script) {
			s.syn(0)
			s.packet(ms, toClient, decode.RST|decode.ACK, -1, 0, 0, func(f *decode.Frame) { f.Seq = 0 })
			s.syn(500 * ms)
		}, []string{"1 reset by server RST @1 refused", "3 open retried"}},
		{"refused, and tried again with another number", func(s *script) {
			s.syn(0)
			s.packet(ms, toClient, decode.RST|decode.ACK, -1, 0, 0, func(f *decode.Frame) { f.Seq = 0 })
			s.isn[toServer] += 1000
			s.syn(500 * ms)
		}, []string{"1 reset by server RST @1 refused", "3 open"}},
		{"reset with bytes of the other side outstanding", func(s *script) {
			s.shake()
			s.data(5*ms, toServer, 0, 100, 0)
			s.data(6*ms, toClient, 0, 700, 100)
			s.packet(7*ms, toServer, decode.RST|decode.ACK, 100, 0, 0)
			s.data(8*ms, toClient, 700, 700, 100)
		}, []string{"1 reset by client RST @7 outstanding 700, 700 bytes of the server"}},
		{"a reset with numbers from nowhere is ignored, as hosts do", func(s *script) {
			s.shake()
			s.packet(5*ms, toClient, decode.RST, 1<<30, 0, 0)
			s.data(6*ms, toServer, 0, 10, 0)
		}, []string{"1 open"}},
		{"a reset after both FINs", func(s *script) {
			s.shake()
			s.packet(10*ms, toServer, decode.FIN|decode.ACK, 0, 0, 0)
			s.packet(11*ms, toClient, decode.FIN|decode.ACK, 0, 0, 0)
			s.packet(12*ms, toServer, decode.RST, 1, 0, 0)
		}, []string{"1 finished by client FIN @10, then RST"}},
		{"a request crosses the FIN of the server and is answered by RST", func(s *script) {
			s.shake()
			s.packet(10*ms, toClient, decode.FIN|decode.ACK, 0, 0, 0)
			s.data(11*ms, toServer, 0, 30, 0)
			s.packet(12*ms, toClient, decode.RST, 1, 0, 0)
		}, []string{"1 reset by server FIN @10, then RST"}},
		{"the client answers the FIN of the server by RST", func(s *script) {
			s.shake()
			s.packet(10*ms, toClient, decode.FIN|decode.ACK, 0, 0, 0)
			s.packet(12*ms, toServer, decode.RST, 0, 0, 1)
		}, []string{"1 reset by server FIN @10"}},
		{"half closed, the other side goes on", func(s *script) {
			s.shake()
			s.packet(10*ms, toServer, decode.FIN|decode.ACK, 0, 0, 0)
			s.data(20*ms, toClient, 0, 500, 1)
			s.ack(21*ms, toServer, 1, 500)
			s.packet(30*ms, toClient, decode.FIN|decode.ACK, 500, 0, 1)
			s.ack(31*ms, toServer, 1, 501)
		}, []string{"1 finished by client FIN @10, 500 bytes of the server"}},
		{"half closed, and then silence", func(s *script) {
			s.shake()
			s.packet(10*ms, toServer, decode.FIN|decode.ACK, 0, 0, 0)
			s.table.Expire(100 * second)
			s.table.Expire(200 * second)
		}, []string{"1 expired by client FIN @10"}},
		{"bytes after a FIN are none", func(s *script) {
			s.shake()
			s.data(5*ms, toServer, 0, 10, 0)
			s.packet(10*ms, toServer, decode.FIN|decode.ACK, 10, 0, 0)
			s.data(11*ms, toServer, 10, 30, 0)
		}, []string{"1 open by client FIN @10"}},
		{"the FIN was not captured", func(s *script) {
			s.shake()
			s.data(5*ms, toServer, 0, 10, 0)
			s.ack(6*ms, toClient, 0, 11)
		}, []string{"1 open"}},
		{"half open", func(s *script) {
			s.syn(0)
			s.table.Expire(60 * second)
			s.table.Expire(130 * second)
		}, []string{"1 expired"}},
		{"idle, and then alive again", func(s *script) {
			s.shake()
			s.data(10*ms, toServer, 0, 10, 0)
			s.table.Expire(7000 * second)
			s.data(7100*second, toServer, 10, 10, 0)
			s.data(15000*second, toServer, 20, 10, 0)
		}, []string{"1 expired", "6 open midway"}},
		{"begun midway, a packet of the server first", func(s *script) {
			s.data(0, toClient, 4000, 10, 400)
			s.data(ms, toServer, 400, 10, 4010)
		}, []string{"1 open midway, 10 bytes of the server"}},
		{"begun midway with an acknowledgement", func(s *script) {
			s.ack(0, toServer, 399, 4000)
			s.data(1*ms, toServer, 400, 10, 4000)
		}, []string{"1 open midway"}},
		{"a reset of nothing that was seen", func(s *script) {
			s.packet(0, toServer, decode.RST, 0, 0, 0)
		}, nil},
		{"both sides open at once", func(s *script) {
			s.syn(0)
			s.packet(0, toClient, decode.SYN, -1, 0, 0, func(f *decode.Frame) { f.Ack = 0 })
			s.packet(ms, toServer, decode.SYN|decode.ACK, -1, 0, 0)
			s.packet(ms, toClient, decode.SYN|decode.ACK, -1, 0, 0)
			s.data(2*ms, toServer, 0, 10, 0)
		}, []string{"1 open"}},
		{"the SYN-ACK is the first packet", func(s *script) {
			s.synack(0)
			s.ack(ms, toServer, 0, 0)
			s.data(2*ms, toClient, 0, 10, 0)
		}, []string{"1 open, 10 bytes of the server"}},
		{"times that go back", func(s *script) {
			s.shake()
			s.data(10*ms, toServer, 0, 10, 0)
			s.ack(9*ms, toClient, 0, 10)
			s.data(8*ms, toServer, 10, 10, 0)
		}, []string{"1 open"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, Options{})
			c.play(s)
			s.table.Close()
			var got []string
			for i := range s.ended {
				got = append(got, tell(&s.ended[i]))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			s.clean(t)
		})
	}
}

func tell(c *Conn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", c.ID, c.Ending)
	if c.Closer.Frame != 0 {
		fmt.Fprintf(&b, " by %s %s @%d", c.Closer.Dir, map[bool]string{true: "RST", false: "FIN"}[c.Closer.Reset], c.Closer.At/ms)
	}
	if c.Closer.ThenReset {
		b.WriteString(", then RST")
	}
	if c.Closer.Outstanding > 0 {
		fmt.Fprintf(&b, " outstanding %d", c.Closer.Outstanding)
	}
	if c.Refused {
		b.WriteString(" refused")
	}
	if c.Retried() {
		b.WriteString(" retried")
	}
	if c.Midway {
		b.WriteString(" midway")
	}
	if c.SYNs > 1 || c.SYNACKs > 1 {
		fmt.Fprintf(&b, ", SYNs %d, SYN-ACKs %d", c.SYNs, c.SYNACKs)
	}
	if n := c.Sides[toClient].Bytes; n > 0 {
		fmt.Fprintf(&b, ", %d bytes of the server", n)
	}
	if c.Client.Port != alice.Port || c.Server != bob {
		b.WriteString(", roles swapped")
	}
	if m := c.Sides[0].Missed + c.Sides[1].Missed; m > 0 {
		fmt.Fprintf(&b, ", %d bytes missed", m)
	}
	return b.String()
}

// TestRoles checks who is taken for the server, and why.
func TestRoles(t *testing.T) {
	end := func(port uint16) flow.Endpoint { return flow.Endpoint{Addr: alice.Addr, Port: port} }
	for _, c := range []struct {
		name     string
		src, dst uint16
		flags    uint8
		payload  string
		why      Reason
		server   uint16
	}{
		{"SYN to a high port", 80, 50000, decode.SYN, "", BySYN, 50000},
		{"SYN-ACK from a high port", 50000, 80, decode.SYN | decode.ACK, "", BySYN, 50000},
		{"known port", 3306, 1024, decode.ACK, "x", ByPort, 3306},
		{"port that the caller knows", 1024, 7777, decode.ACK, "x", ByPort, 7777},
		{"greeting of the higher port", 6000, 5000, decode.ACK, "hello", BySpeech, 6000},
		{"greeting of the lower port", 5000, 6000, decode.ACK, "hello", BySpeech, 5000},
		{"nothing but numbers", 6000, 5000, decode.ACK, "x", ByLowerPort, 5000},
		{"a shared port", 5000, 5555, decode.ACK, "x", BySharing, 5555},
		{"a shared port, from it", 5555, 5000, decode.ACK, "x", BySharing, 5555},
		{"what is said counts more than sharing", 5000, 5555, decode.ACK, "hello", BySpeech, 5000},
		{"both are known", 80, 443, decode.ACK, "x", ByLowerPort, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got Conn
			tb := NewTable(Options{
				IsServer: func(p uint16) bool { return p == 7777 },
				Speaker:  func(b []byte) (flow.Dir, bool) { return toClient, string(b) == "hello" },
				Shared:   func(p uint16) bool { return p == 5555 },
				Ended:    func(c *Conn) { got = *c },
			})
			f := decode.Frame{Stamp: flow.Stamp{At: 1, Frame: 1}, Proto: decode.TCP, Src: end(c.src), Dst: end(c.dst),
				Flags: c.flags, Payload: []byte(c.payload), Size: len(c.payload)}
			tb.Frame(&f)
			tb.Close()
			d := toServer
			if c.src == c.server {
				d = toClient
			}
			if got.Why != c.why || got.Server.Port != c.server || got.Sides[d].Packets != 1 || got.Sides[d].Bytes != int64(len(c.payload)) {
				t.Errorf("server %v because %d: %+v", got.Server, got.Why, got.Sides)
			}
		})
	}
}

// TestFourGigabytes goes once round all sequence numbers.
func TestFourGigabytes(t *testing.T) {
	var total, offset uint64
	s := &script{isn: [2]uint32{1 << 31, 77}, ends: [2]flow.Endpoint{alice, bob}, window: 60000}
	s.table = NewTable(Options{})
	s.shake()
	f := decode.Frame{Proto: decode.TCP, Src: alice, Dst: bob, Hash: 0x1234567890abcdef, Flags: decode.ACK, Size: 60000, Window: 60000}
	g := f
	g.Src, g.Dst, g.Size = bob, alice, 0
	f.Ack, g.Seq = 78, 78
	for total < 5<<30 {
		f.At += us
		f.Frame++
		f.Seq = s.isn[0] + 1 + uint32(total)
		s.table.Frame(&f)
		total += 60000
		g.At, g.Frame, g.Ack = f.At, f.Frame, f.Seq+60000
		s.table.Frame(&g)
	}
	s.table.Each(func(c *Conn) {
		offset = c.halves[0].nxt
		if c.Sides[0].Bytes != int64(total) || c.Sides[0].Retransmissions+c.Sides[0].OutOfOrder > 0 || c.halves[0].acked != total {
			t.Errorf("%d bytes sent: %+v", total, c.Sides[0])
		}
	})
	if offset != total {
		t.Errorf("the next byte is at %d, not at %d", offset, total)
	}
}

// TestManyGone lets more connections end than marks are kept.
func TestManyGone(t *testing.T) {
	k := newTalk(100_000)
	ended := 0
	k.table.o.Ended = func(*Conn) { ended++ }
	for i := range k.clients {
		k.open(i)
		k.send(i, flow.ToServer, decode.ACK|decode.FIN, 0)
		k.send(i, flow.ToClient, decode.ACK|decode.FIN, 0)
		k.send(i, flow.ToServer, decode.ACK, 0)
		k.send(i, flow.ToServer, decode.ACK, 0) // late
	}
	if tb := k.table; ended != len(k.clients) || tb.Live() != 0 || len(tb.slabs) != 1 || tb.used != maxGone || len(tb.gone.marks) != maxGone {
		t.Errorf("%d ended, %d live, %d slabs, %d slots", ended, tb.Live(), len(tb.slabs), tb.used)
	}
	k.table.Expire(k.f.At + int64(2*time.Minute))
	if k.table.used != 0 {
		t.Errorf("%d slots are still in use", k.table.used)
	}
}

// TestHeldIsBounded fills a table with what can never be handed on.
func TestHeldIsBounded(t *testing.T) {
	s := newScript(t, Options{Held: 100_000})
	s.shake()
	s.ack(3*ms, toClient, 0, 0)
	for i := range 200 {
		s.data(10*ms, toServer, 1000+i*1000, 1000, 0)
		if s.table.held.bytes > 100_000+2048 {
			t.Fatalf("%d bytes wait", s.table.held.bytes)
		}
	}
	c := s.last()
	if c.Sides[0].Bytes != 200_000 || c.Sides[0].Missed != 0 || len(s.got[0]) != 201_000 {
		t.Errorf("%d bytes, %d missed, %d handed on", c.Sides[0].Bytes, c.Sides[0].Missed, len(s.got[0]))
	}
	s.clean(t)
}

// TestManyRunsWait has bytes come one by one in front of a hole, with holes between
// them: how many runs wait is bounded, and so is the search among them.
func TestManyRunsWait(t *testing.T) {
	table := NewTable(Options{})
	for i := range 20 * heldRuns {
		table.Frame(&decode.Frame{
			Stamp: flow.Stamp{At: int64(i) * 1000, Frame: uint64(i + 1)}, Proto: decode.TCP, Hash: 1, Src: alice, Dst: bob, Flags: decode.ACK,
			Seq: uint32(1000 + i*7919%900_000), Size: 1, Payload: []byte("x"),
		})
	}
	table.Each(func(c *Conn) {
		if n := c.halves[0].runs + c.halves[1].runs; n > heldRuns {
			t.Errorf("%d runs wait, want at most %d", n, heldRuns)
		}
	})
	table.Close()
	if n := len(table.held.segments); n > heldRuns+2 || n < heldRuns/2 {
		t.Errorf("%d runs were kept at once, want at most %d", n, heldRuns)
	}
}
