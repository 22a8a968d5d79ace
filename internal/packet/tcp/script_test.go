package tcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

const (
	ms = int64(time.Millisecond)
	us = int64(time.Microsecond)
)

var (
	alice = flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 1}), Port: 40000}
	bob   = flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 3306}
)

// script plays packets between two ends into a table and writes down what the
// consumer is told.
type script struct {
	t     testing.TB
	table *Table
	frame uint64
	isn   [2]uint32
	ends  [2]flow.Endpoint
	got   [2][]byte
	log   []string
	ended []Conn
	conn  *Conn // the last one that had a consumer
	// What every packet gets unless told otherwise.
	window  uint16
	id      [2]uint16
	ids     bool
	tsClock bool
}

func newScript(t testing.TB, o Options) *script {
	s := &script{t: t, isn: [2]uint32{1000, 5000}, ends: [2]flow.Endpoint{alice, bob}, window: 60000}
	o.NewConsumer = func(c *Conn) Consumer { s.conn, s.got = c, [2][]byte{}; return (*listener)(s) }
	o.Ended = func(c *Conn) { s.ended = append(s.ended, *c) }
	s.table = NewTable(o)
	return s
}

type listener script

func (l *listener) say(format string, args ...any) {
	l.log = append(l.log, fmt.Sprintf(format, args...))
}

func (l *listener) Data(c *flow.Chunk) {
	if c.Offset != uint64(len(l.got[c.Dir])) {
		l.t.Errorf("data of %s at %d, but %d came before", c.Dir, c.Offset, len(l.got[c.Dir]))
	}
	l.got[c.Dir] = append(l.got[c.Dir], c.Data...)
	l.got[c.Dir] = append(l.got[c.Dir], make([]byte, c.Cut)...)
	l.say("%s data %d+%d @%d", c.Dir, c.Offset, c.Size(), c.At/ms)
}

func (l *listener) Gap(d flow.Dir, n int64, at flow.Stamp) {
	l.got[d] = append(l.got[d], make([]byte, n)...)
	l.say("%s gap %d @%d", d, n, at.At/ms)
}

func (l *listener) Resent(d flow.Dir, from, to uint64, first, again flow.Stamp) {
	l.say("%s again %d-%d %d>%d", d, from, to, first.At/ms, again.At/ms)
}

func (l *listener) Refilled(d flow.Dir, at flow.Stamp) { l.say("%s refilled @%d", d, at.At/ms) }

func (l *listener) Stalled(s Stall) {
	l.say("%s %s %d-%d", s.Dir, [...]string{"retransmission", "zero window", "delayed ack"}[s.Cause], s.From/ms, s.To/ms)
}

func (l *listener) Acked(d flow.Dir, before uint64, at flow.Stamp) {
	l.say("%s acked %d @%d", d, before, at.At/ms)
}

func (l *listener) End(at flow.Stamp, how flow.Ending) { l.say("end %s @%d", how, at.At/ms) }

// packet sends n bytes from an offset of a direction; ack is an offset of the
// other one.
func (s *script) packet(at int64, d flow.Dir, flags uint8, seq, n, ack int, change ...func(*decode.Frame)) {
	s.frame++
	s.id[d]++
	f := decode.Frame{
		Stamp: flow.Stamp{At: at, Frame: s.frame}, Proto: decode.TCP, TTL: 64, Wire: uint32(54 + n),
		Src: s.ends[d], Dst: s.ends[d.Other()], Hash: 0x1234567890abcdef,
		Seq: s.isn[d] + 1 + uint32(seq), Ack: s.isn[d.Other()] + 1 + uint32(ack),
		Flags: flags, Window: s.window, Size: n, Payload: pattern(d, seq, n),
		Options: decode.Options{Scale: -1},
	}
	if s.ids {
		f.IPID = s.id[d]
	}
	if s.tsClock {
		f.Options.HasTime, f.Options.TSVal = true, uint32(at/ms)
	}
	for _, c := range change {
		c(&f)
	}
	s.table.Frame(&f)
}

// pattern is what a direction says at an offset.
func pattern(d flow.Dir, seq, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte((seq+i)*7 + (seq+i)>>8 + int(d)*101)
	}
	return b
}

func (s *script) syn(at int64, change ...func(*decode.Frame)) {
	s.packet(at, flow.ToServer, decode.SYN, -1, 0, 0, append([]func(*decode.Frame){func(f *decode.Frame) { f.Ack = 0 }, mss(1460)}, change...)...)
}

func (s *script) synack(at int64, change ...func(*decode.Frame)) {
	s.packet(at, flow.ToClient, decode.SYN|decode.ACK, -1, 0, 0, append([]func(*decode.Frame){mss(1460)}, change...)...)
}

func (s *script) ack(at int64, d flow.Dir, seq, ack int, change ...func(*decode.Frame)) {
	s.packet(at, d, decode.ACK, seq, 0, ack, change...)
}

func (s *script) data(at int64, d flow.Dir, seq, n, ack int, change ...func(*decode.Frame)) {
	s.packet(at, d, decode.ACK|decode.PSH, seq, n, ack, change...)
}

// shake does the handshake at 0, 1 and 2 ms.
func (s *script) shake(change ...func(*decode.Frame)) {
	s.syn(0, change...)
	s.synack(1*ms, change...)
	s.ack(2*ms, flow.ToServer, 0, 0)
}

func mss(n uint16) func(*decode.Frame) { return func(f *decode.Frame) { f.Options.MSS = n } }
func scale(n int8) func(*decode.Frame) { return func(f *decode.Frame) { f.Options.Scale = n } }
func win(n uint16) func(*decode.Frame) { return func(f *decode.Frame) { f.Window = n } }
func id(n uint16) func(*decode.Frame)  { return func(f *decode.Frame) { f.IPID = n } }
func cutOff(f *decode.Frame)           { f.Options = decode.Options{MSS: f.Options.MSS, Scale: -1, Cut: true} }
func tsval(n uint32) func(*decode.Frame) {
	return func(f *decode.Frame) { f.Options.HasTime, f.Options.TSVal = true, n }
}
func (s *script) sack(blocks ...int) func(*decode.Frame) { // of the client's bytes
	return func(f *decode.Frame) {
		o := flow.ToServer
		if f.Src == alice {
			o = flow.ToClient
		}
		for i := 0; i+1 < len(blocks); i += 2 {
			f.Options.SACK[f.Options.SACKs] = [2]uint32{s.isn[o] + 1 + uint32(blocks[i]), s.isn[o] + 1 + uint32(blocks[i+1])}
			f.Options.SACKs++
		}
	}
}

// last closes the table and returns the only connection.
func (s *script) last() *Conn {
	s.t.Helper()
	s.table.Close()
	if len(s.ended) != 1 {
		s.t.Fatalf("%d connections, want 1", len(s.ended))
	}
	return &s.ended[0]
}

// bytes checks that what came is what was sent.
func (s *script) bytes() {
	s.t.Helper()
	for d := range s.got {
		if want := pattern(flow.Dir(d), 0, len(s.got[d])); string(want) != string(s.got[d]) {
			s.t.Errorf("the bytes of the %s are wrong", flow.Dir(d))
		}
	}
}

const (
	toServer = flow.ToServer
	toClient = flow.ToClient
)

// said is what the consumer was told, without data and acknowledgements.
func (s *script) said() []string {
	var l []string
	for _, line := range s.log {
		if !strings.Contains(line, "data") && !strings.Contains(line, "acked") {
			l = append(l, line)
		}
	}
	return l
}

// counts is what the scenes are about.
type counts struct {
	Retransmissions, Timeouts, Fast, Spurious, LossProbes, OutOfOrder, DupACKs, Duplicates, Unseen uint32
	KeepAlives, PAWS, WindowProbes, ZeroWindows, DelayedACKs                                       uint32
	LostOnWire, Missed                                                                             int64
	ZeroWindowTime, WindowLimited, AppLimited, DelayedACKTime                                      time.Duration
}

func pick(s Side) counts {
	return counts{
		s.Retransmissions, s.Timeouts, s.Fast, s.Spurious, s.LossProbes, s.OutOfOrder, s.DupACKs, s.Duplicates, s.Unseen,
		s.KeepAlives, uint32(s.PAWS), uint32(s.WindowProbes), s.ZeroWindows, s.DelayedACKs,
		s.LostOnWire, s.Missed,
		s.ZeroWindowTime, s.WindowLimited, s.AppLimited, s.DelayedACKTime,
	}
}

// farBack sends a segment again that is 68,000 bytes back and was acknowledged.
func farBack(s *script) {
	for i := range 70 {
		s.data(10*ms, toServer, i*1000, 1000, 0)
		s.ack(11*ms, toClient, 0, i*1000+1000)
	}
	s.data(20*ms, toServer, 1000, 1000, 0)
}

// begun plays the end of what a client said before, the handshake of which was not seen:
// n and 100 bytes, acknowledged at once.
func begun(s *script, n int) {
	s.data(1*ms, toServer, 0, n, 0)
	s.ack(1*ms+100*us, toClient, 0, n)
	s.data(2*ms, toServer, n, 100, 0)
	s.ack(2*ms+100*us, toClient, 0, n+100)
}

// hole leaves out the second of three segments.
func hole(s *script) {
	s.data(10*ms, toServer, 0, 1000, 0)
	s.data(10*ms+20*us, toServer, 2000, 1000, 0)
}
