package path

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const ms = int64(time.Millisecond)

var (
	client = flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 1}), Port: 40000}
	server = flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 80}
)

// script sends packets of one connection to a tracker.
type script struct {
	t     *Tracker
	frame uint64
}

func (s *script) send(at int64, toServer bool, flags uint8, seq, ack uint32, size int, ts uint32) {
	s.frame++
	f := decode.Frame{Stamp: flow.Stamp{At: at, Frame: s.frame}, Src: server, Dst: client, Proto: decode.TCP, Hash: 7, Seq: seq, Ack: ack, Flags: flags, Size: size, Wire: uint32(size + 54)}
	if toServer {
		f.Src, f.Dst = client, server
	}
	f.Options.HasTime, f.Options.TSVal = ts != 0, ts
	s.t.Frame(&f)
}

func (s *script) data(at int64, seq uint32, size int) { s.send(at, false, decode.ACK, seq, 1, size, 0) }
func (s *script) ack(at int64, ack uint32)            { s.send(at, true, decode.ACK, 1, ack, 0, 0) }

func TestSides(t *testing.T) {
	handshake := func(s *script) {
		s.send(0, true, decode.SYN, 0, 0, 0, 0)
		s.send(1, false, decode.SYN|decode.ACK, 0, 1, 0, 0)
	}
	for _, tt := range []struct {
		name string
		play func(*script)
		want Side
	}{
		{"all goes well", func(s *script) {
			handshake(s)
			s.data(2*ms, 1, 100)
			s.data(2*ms, 101, 1400)
			s.ack(3*ms, 1501)
		}, Side{LargestAcked: 1400}},
		{"lost behind the capture", func(s *script) {
			handshake(s)
			s.data(2*ms, 1, 100)
			s.data(210*ms, 1, 100)
			s.ack(211*ms, 101)
		}, Side{StuckSize: 100, StuckCopies: 1, LargestAcked: 100}},
		{"lost before the capture", func(s *script) {
			handshake(s)
			s.data(2*ms, 101, 100)
			s.data(9*ms, 1, 100)
			s.ack(10*ms, 201)
		}, Side{StuckSize: 100, StuckCopies: 1, LargestAcked: 100}},
		{"out of order", func(s *script) {
			handshake(s)
			s.data(2*ms, 101, 100)
			s.data(3*ms, 1, 100)
			s.ack(4*ms, 201)
		}, Side{LargestAcked: 100}},
		{"needless copy", func(s *script) {
			handshake(s)
			s.data(2*ms, 1, 100)
			s.ack(3*ms, 101)
			s.data(300*ms, 1, 100)
		}, Side{LargestAcked: 100}},
		{"keep-alive", func(s *script) {
			handshake(s)
			s.data(2*ms, 1, 100)
			s.ack(3*ms, 101)
			s.data(9000*ms, 100, 1)
		}, Side{LargestAcked: 100}},
		{"large ones do not fit", func(s *script) {
			handshake(s)
			s.data(2*ms, 1, 80)
			s.ack(3*ms, 81)
			s.data(4*ms, 81, 1400)
			for i := range int64(4) {
				s.data(200*ms<<i, 81, 1400)
			}
		}, Side{StuckSize: 1400, StuckCopies: 4, LargestAcked: 80}},
		{"small ones do not come through either", func(s *script) {
			handshake(s)
			s.data(2*ms, 1, 80)
			s.ack(3*ms, 81)
			s.data(4*ms, 81, 1400)
			s.data(5*ms, 1481, 500)
			for i := range int64(4) {
				s.data(200*ms<<i, 81, 1400)
			}
		}, Side{StuckSize: 1400, StuckCopies: 4, LargestAcked: 80, SmallUnheard: 1}},
		{"small ones come through", func(s *script) {
			handshake(s)
			s.data(2*ms, 1, 80)
			s.ack(3*ms, 81)
			s.data(4*ms, 81, 1400)
			s.data(5*ms, 1481, 500)
			s.ack(6*ms, 81)
			for i := range int64(4) {
				s.data(200*ms<<i, 81, 1400)
			}
		}, Side{StuckSize: 1400, StuckCopies: 4, LargestAcked: 80}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{t: New(nil)}
			tt.play(s)
			r := Merge([]*Tracker{s.t})
			if len(r.Sides) != 1 || r.From[1] != client {
				t.Fatalf("%d connections, from %v", len(r.Sides), r.From[1])
			}
			if diff := cmp.Diff(tt.want, r.Sides[1][1]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestClock has the sender's clock run beside packets that queue.
func TestClock(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tick   int64 // of the sender's clock; negative: it counts milliseconds and is set every so many
		queue  func(i int64) int64
		queued int64 // microseconds, mean
		known  bool
	}{
		{"no queue", ms, func(int64) int64 { return 0 }, 0, true},
		{"a queue that grows to 100 ms", ms, func(i int64) int64 { return min(i, 100) * ms }, 95000, true},
		{"a clock of milliseconds that is set every 50", -50, func(int64) int64 { return 0 }, 0, true},
		{"a clock of 4 ms", 4 * ms, func(i int64) int64 { return min(i, 100) * ms }, 0, false},
		{"a clock of microseconds", 1000, func(i int64) int64 { return min(i, 100) * ms }, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{t: New(nil)}
			for i := range int64(1000) {
				sent := i * 10 * ms
				stamp := sent / max(tt.tick, ms/1000)
				if tt.tick < 0 {
					stamp = sent / ms / -tt.tick * -tt.tick
				}
				s.send(sent+tt.queue(i), false, decode.ACK, 1+uint32(i)*100, 1, 100, uint32(5000+stamp))
			}
			r := Merge([]*Tracker{s.t})
			side := r.Sides[1][0]
			if (side.Clocked > 0) != tt.known {
				t.Fatalf("%d packets clocked", side.Clocked)
			}
			if tt.known {
				if mean := side.Queued / int64(side.Clocked); mean < tt.queued-10000 || mean > tt.queued+1000 {
					t.Errorf("queued %d µs, want %d", mean, tt.queued)
				}
			}
		})
	}
}

func TestRates(t *testing.T) {
	a, b := New(nil), New(nil)
	for _, tr := range []*Tracker{a, b} { // two workers
		s := &script{t: tr}
		for i := range 40 {
			s.data(int64(i)*50*ms, 1+uint32(i)*46, 46)
		}
	}
	r := Merge([]*Tracker{a, b})
	want := []Rate{
		{At: 0, From: server.Addr, To: client.Addr, Packets: 40, Bytes: 4000, BusiestPackets: 4, BusiestBytes: 400},
		{At: 1e9, From: server.Addr, To: client.Addr, Packets: 40, Bytes: 4000, BusiestPackets: 4, BusiestBytes: 400},
	}
	if diff := cmp.Diff(want, r.Rates); diff != "" {
		t.Error(diff)
	}
}

func TestControl(t *testing.T) {
	s := &script{t: New([]uint16{80})}
	s.send(0, true, decode.SYN, 0, 0, 0, 0)
	quote := decode.Control{Type: 3, Code: 4, MTU: 600, Quoted: true, QuotedProto: decode.TCP, QuotedSrc: server, QuotedDst: client}
	s.t.Frame(&decode.Frame{Proto: decode.ICMP, Hash: 7, ICMP: quote})
	r := Merge([]*Tracker{s.t})
	if got := r.Sides[1][1]; got.TooBig != 1 || got.MTU != 600 {
		t.Errorf("got %+v", got)
	}
}

func TestBounded(t *testing.T) {
	tr := New(nil)
	for i := range 2 * maxFlows {
		f := decode.Frame{Stamp: flow.Stamp{At: int64(i) * 1000, Frame: uint64(i + 1)}, Src: client, Dst: server, Proto: decode.TCP, Hash: uint64(i), Flags: decode.SYN}
		tr.Frame(&f)
	}
	if len(tr.flows) > maxFlows {
		t.Errorf("%d connections are followed", len(tr.flows))
	}
	if r := Merge([]*Tracker{tr}); !r.Cut {
		t.Error("nothing says that some were left out")
	}
}

// What got through between two hosts is known of connections that were not kept, too.
func TestLargestAcked(t *testing.T) {
	s := &script{t: New(nil)}
	s.data(2*ms, 1, 1400)
	s.ack(3*ms, 1401)
	other := New(nil)
	for id := range uint64(4 * maxFlows) {
		other.done.Sides[id] = &[2]Side{} // as many as are kept
	}
	s.t, other = other, s.t
	s.data(4*ms, 1, 900)
	s.ack(5*ms, 901)
	r := Merge([]*Tracker{s.t, other})
	if len(r.LargestAcked) != 1 || r.LargestAcked[[2]flow.Addr{server.Addr, client.Addr}] != 1400 {
		t.Errorf("got %v", r.LargestAcked)
	}
	r = Merge([]*Tracker{s.t})
	if !r.Cut || r.LargestAcked[[2]flow.Addr{server.Addr, client.Addr}] != 900 {
		t.Errorf("of a connection too many: %v", r.LargestAcked)
	}
}
