package tcp

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
)

// TestClaims plays one small scene for each thing that is counted. Counts are
// the client's unless the scene says otherwise; what is not named must be 0.
func TestClaims(t *testing.T) {
	for _, c := range []struct {
		name           string
		play           func(s *script)
		client, server counts
		said           []string
	}{
		{
			name: "a copy by timeout",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.data(210*ms, toServer, 0, 1000, 0)
			},
			client: counts{Retransmissions: 1, Timeouts: 1, LostOnWire: 1000},
			said:   []string{"client again 0-1000 10>210", "client retransmission 10-210"},
		},
		{
			name: "a second timeout waits from the first copy",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.data(210*ms, toServer, 0, 1000, 0)
				s.data(610*ms, toServer, 0, 1000, 0)
			},
			client: counts{Retransmissions: 2, Timeouts: 2, LostOnWire: 2000},
			said: []string{"client again 0-1000 10>210", "client retransmission 10-210",
				"client again 0-1000 10>610", "client retransmission 10-610"},
		},
		{
			name: "a fast copy, captured before the loss",
			play: func(s *script) {
				s.shake()
				for i := range 5 {
					s.data(10*ms, toServer, i*1000, 1000, 0)
				}
				for range 4 { // the first acknowledgement is no duplicate
					s.ack(12*ms, toClient, 0, 1000)
				}
				s.data(13*ms, toServer, 1000, 1000, 0)
			},
			client: counts{Retransmissions: 1, Fast: 1, LostOnWire: 1000},
			server: counts{DupACKs: 3},
			said:   []string{"client again 1000-2000 10>13", "client retransmission 10-13"},
		},
		{
			name: "a fast copy by SACK",
			play: func(s *script) {
				s.shake()
				for i := range 3 {
					s.data(10*ms, toServer, i*1000, 1000, 0)
				}
				s.ack(11*ms, toClient, 0, 1000, s.sack(2000, 3000))
				s.data(13*ms, toServer, 1000, 1000, 0)
			},
			client: counts{Retransmissions: 1, Fast: 1, LostOnWire: 1000},
			said:   []string{"client again 1000-2000 10>13", "client retransmission 10-13"},
		},
		{
			name: "a copy of what had been acknowledged",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.ack(11*ms, toClient, 0, 1000)
				s.data(15*ms, toServer, 0, 1000, 0)
			},
			client: counts{Retransmissions: 1, Spurious: 1},
			said:   []string{"client again 0-1000 10>15"},
		},
		{
			name: "a copy that DSACK calls needless",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.data(210*ms, toServer, 0, 1000, 0)
				s.ack(211*ms, toClient, 0, 1000)
				s.ack(212*ms, toClient, 0, 1000, s.sack(0, 1000))
			},
			client: counts{Retransmissions: 1, Spurious: 1},
			said:   []string{"client again 0-1000 10>210", "client retransmission 10-210"},
		},
		{
			name: "a tail loss probe",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.data(10*ms, toServer, 1000, 1000, 0)
				s.ack(11*ms, toClient, 0, 1000)
				s.data(30*ms, toServer, 1000, 1000, 0)
			},
			client: counts{Retransmissions: 1, LossProbes: 1, LostOnWire: 1000},
			said:   []string{"client again 1000-2000 10>30", "client retransmission 10-30"},
		},
		{
			name: "lost before the capture, sent again",
			play: func(s *script) {
				s.shake()
				hole(s)
				s.data(250*ms, toServer, 1000, 1000, 0)
			},
			client: counts{Retransmissions: 1, Unseen: 1, Timeouts: 1, LostOnWire: 1000},
			said:   []string{"client refilled @250", "client retransmission 10-250"},
		},
		{
			name: "lost before the capture, sent again fast",
			play: func(s *script) {
				s.shake()
				hole(s)
				for range 4 {
					s.ack(11*ms, toClient, 0, 1000)
				}
				s.data(15*ms, toServer, 1000, 1000, 0)
			},
			client: counts{Retransmissions: 1, Unseen: 1, Fast: 1, LostOnWire: 1000},
			server: counts{DupACKs: 3},
			said:   []string{"client refilled @15", "client retransmission 10-15"},
		},
		{
			name: "late by less than a round trip",
			play: func(s *script) {
				s.shake()
				hole(s)
				s.data(11*ms, toServer, 1000, 1000, 0)
			},
			client: counts{OutOfOrder: 1},
		},
		{
			name: "late, by the IP IDs, though slow",
			play: func(s *script) {
				s.ids = true
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.data(11*ms, toServer, 1000, 1000, 0)
				s.id[0]++
				s.data(12*ms, toServer, 3000, 1000, 0)
				s.data(42*ms, toServer, 2000, 1000, 0, id(s.id[0]-1))
			},
			client: counts{OutOfOrder: 1},
		},
		{
			name: "sent again, by the IP IDs, though quick",
			play: func(s *script) {
				s.ids = true
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.data(11*ms, toServer, 1000, 1000, 0)
				s.id[0]++
				s.data(12*ms, toServer, 3000, 1000, 0)
				s.data(13*ms, toServer, 2000, 1000, 0)
			},
			client: counts{Retransmissions: 1, Unseen: 1, LostOnWire: 1000},
			said:   []string{"client refilled @13", "client retransmission 12-13"},
		},
		{
			name: "late, by the sender's clock",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0, tsval(100))
				s.data(20*ms, toServer, 2000, 1000, 0, tsval(110))
				s.data(40*ms, toServer, 1000, 1000, 0, tsval(105))
			},
			client: counts{OutOfOrder: 1},
		},
		{
			name: "missed by the capture",
			play: func(s *script) {
				s.shake()
				hole(s)
				s.ack(11*ms, toClient, 0, 3000)
			},
			client: counts{Missed: 1000},
			said:   []string{"client gap 1000 @11"},
		},
		{
			name: "missed by the capture, and nothing behind it",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toClient, 0, 100, 500)
			},
			client: counts{Missed: 500},
			said:   []string{"client gap 500 @10"},
		},
		{
			name: "acknowledged before the capture had it",
			play: func(s *script) {
				s.shake()
				hole(s)
				s.ack(11*ms, toClient, 0, 3000)
				s.data(11*ms+1, toServer, 1000, 1000, 0)
			},
			client: counts{OutOfOrder: 1},
		},
		{
			name: "acknowledged before the capture had it, with nothing behind it",
			play: func(s *script) {
				s.shake()
				s.ack(11*ms, toClient, 0, 2000)
				s.data(11*ms+10*us, toServer, 0, 1000, 0)
				s.data(11*ms+20*us, toServer, 1000, 1000, 0)
				s.data(12*ms, toClient, 0, 100, 2000)
			},
		},
		{
			name: "nobody says whether it arrived",
			play: func(s *script) {
				s.shake()
				hole(s)
			},
			said: []string{"client gap 1000 @10"},
		},
		{
			name: "captured twice",
			play: func(s *script) {
				s.ids = true
				s.shake()
				for i := range 4 {
					s.data(10*ms, toServer, i*100, 100, 0)
					s.data(10*ms+us, toServer, i*100, 100, 0, id(s.id[0]))
					s.id[0]--
				}
				for i := range 2 {
					s.ack(11*ms, toClient, 0, 100+100*i)
				}
				s.data(12*ms, toServer, 400, 100, 0)
				s.data(12*ms, toServer, 500, 100, 0)
				s.data(12*ms+us, toServer, 400, 100, 0, id(s.id[0]-1))
			},
			client: counts{Duplicates: 5},
		},
		{
			name: "keep-alives",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.ack(11*ms, toClient, 0, 1000)
				s.ack(10000*ms, toServer, 999, 0)
				s.ack(10001*ms, toClient, 0, 1000)
				s.data(20000*ms, toServer, 999, 1, 0)
				s.ack(20001*ms, toClient, 0, 1000)
			},
			client: counts{KeepAlives: 2},
		},
		{
			name: "a closed window, and a probe into it",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.ack(11*ms, toClient, 0, 1000, win(0))
				s.ack(250*ms, toServer, 999, 0)
				s.ack(251*ms, toClient, 0, 1000, win(0))
				s.ack(411*ms, toClient, 0, 1000)
				s.data(412*ms, toServer, 1000, 1000, 0)
			},
			client: counts{WindowProbes: 1, AppLimited: time.Millisecond},
			server: counts{ZeroWindows: 1, ZeroWindowTime: 400 * time.Millisecond},
			said:   []string{"client zero window 11-411"},
		},
		{
			name: "a window that stays closed",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.ack(11*ms, toClient, 0, 1000, win(0))
				s.ack(61*ms, toClient, 0, 1000, win(0))
			},
			server: counts{ZeroWindows: 1, ZeroWindowTime: 50 * time.Millisecond},
			said:   []string{"client zero window 11-61"},
		},
		{
			name: "a full window",
			play: func(s *script) {
				s.shake()
				s.ack(5*ms, toClient, 0, 0, win(4000))
				s.data(10*ms, toServer, 0, 1400, 0)
				s.data(11*ms, toServer, 1400, 1400, 0)
				s.data(12*ms, toServer, 2800, 1200, 0)
				s.ack(31*ms, toClient, 0, 4000)
			},
			client: counts{WindowLimited: 20 * time.Millisecond},
		},
		{
			name: "a scaled window is not full",
			play: func(s *script) {
				s.shake(scale(7))
				s.ack(5*ms, toClient, 0, 0, win(4000))
				s.data(10*ms, toServer, 0, 1400, 0)
				s.data(12*ms, toServer, 1400, 2600, 0)
				s.ack(31*ms, toClient, 0, 4000)
			},
		},
		{
			name: "a sender with nothing to send",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1000, 0)
				s.ack(11*ms, toClient, 0, 1000)
				s.data(111*ms, toServer, 1000, 1000, 0)
				s.data(113*ms, toClient, 0, 10, 2000) // its turn ends
				s.data(413*ms, toServer, 2000, 1000, 10)
			},
			client: counts{AppLimited: 100 * time.Millisecond},
		},
		{
			name: "held back by Nagle and a delayed acknowledgement",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 100, 0)
				s.ack(51*ms, toClient, 0, 100)
				s.data(51*ms+100*us, toServer, 100, 200, 0)
			},
			client: counts{DelayedACKs: 1, DelayedACKTime: 40*time.Millisecond + 100*time.Microsecond, AppLimited: 100 * time.Microsecond},
			said:   []string{"client delayed ack 11-51"},
		},
		{
			name: "not held back: it left before the acknowledgement can have reached the sender",
			play: func(s *script) {
				s.syn(0)
				s.synack(1 * ms)
				s.ack(101*ms, toServer, 0, 0) // the sender is 100 ms away
				s.data(110*ms, toServer, 0, 100, 0)
				s.ack(151*ms, toClient, 0, 100)
				s.data(163*ms, toServer, 100, 200, 0)
			},
			client: counts{AppLimited: 12 * time.Millisecond},
		},
		{
			name: "not held back: shorter round trips than the handshake's do not explain it either",
			play: func(s *script) {
				s.syn(0)
				s.synack(1 * ms)
				s.ack(301*ms, toServer, 0, 0)
				s.data(310*ms, toClient, 0, 10, 0)
				s.ack(350*ms, toServer, 0, 10)
				s.data(360*ms, toServer, 0, 100, 10)
				s.ack(401*ms, toClient, 10, 100)
				s.data(413*ms, toServer, 100, 200, 10)
			},
			client: counts{AppLimited: 12 * time.Millisecond},
		},
		{
			name: "not held back: a gateway answers for a sender that is far away",
			play: func(s *script) {
				s.syn(0)
				s.synack(128 * ms)
				s.ack(128*ms+100*us, toServer, 0, 0)
				s.data(130*ms, toServer, 0, 100, 0)
				s.ack(130*ms+200*us, toClient, 0, 100)
				s.data(200*ms, toClient, 0, 1000, 100)
				s.ack(255*ms, toServer, 100, 1000)
				s.data(295*ms, toClient, 1000, 1000, 100)
			},
			server: counts{AppLimited: 40 * time.Millisecond},
		},
		{
			name: "not held back: the segment before was full",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 1460, 0)
				s.ack(51*ms, toClient, 0, 1460)
				s.data(51*ms+100*us, toServer, 1460, 200, 0)
			},
			client: counts{AppLimited: 100 * time.Microsecond},
		},
		{
			name: "not held back: the path is that long",
			play: func(s *script) {
				s.syn(0)
				s.synack(40 * ms)
				s.ack(40*ms+100*us, toServer, 0, 0)
				s.data(50*ms, toServer, 0, 100, 0)
				s.ack(90*ms, toClient, 0, 100)
				s.data(90*ms+50*us, toServer, 100, 200, 0)
			},
			client: counts{AppLimited: 50 * time.Microsecond},
		},
		{
			name: "not held back: it came long after the acknowledgement",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 100, 0)
				s.ack(51*ms, toClient, 0, 100)
				s.data(60*ms, toServer, 100, 200, 0)
			},
			client: counts{AppLimited: 9 * time.Millisecond},
		},
		{
			name: "not held back: the sender does not wait for acknowledgements",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 100, 0)
				s.data(11*ms, toServer, 100, 200, 0)
				s.ack(51*ms, toClient, 0, 300)
				s.data(51*ms+100*us, toServer, 300, 200, 0)
			},
			client: counts{AppLimited: 100 * time.Microsecond},
		},
		{
			name: "held back on a connection that began earlier: the second piece is long",
			play: func(s *script) {
				begun(s, 100)
				s.data(10*ms, toServer, 200, 100, 0)
				s.ack(51*ms, toClient, 0, 300)
				s.data(51*ms+100*us, toServer, 300, 1000, 0)
			},
			client: counts{WindowLimited: -1, DelayedACKs: 1, DelayedACKTime: 41 * time.Millisecond, AppLimited: 8900 * time.Microsecond},
			server: counts{WindowLimited: -1},
			said:   []string{"client delayed ack 10-51"},
		},
		{
			name: "held back within a host, where packets are long",
			play: func(s *script) {
				for i := range s.ends {
					s.ends[i].Addr = flow.V4([4]byte{127, 0, 0, 1})
				}
				begun(s, 100)
				s.data(10*ms, toServer, 200, 1500, 0)
				s.ack(51*ms, toClient, 0, 1700)
				s.data(51*ms+100*us, toServer, 1700, 2000, 0)
			},
			client: counts{WindowLimited: -1, DelayedACKs: 1, DelayedACKTime: 41 * time.Millisecond, AppLimited: 8900 * time.Microsecond},
			server: counts{WindowLimited: -1},
			said:   []string{"client delayed ack 10-51"},
		},
		{
			name: "not held back on a connection that began earlier: it may fill packets",
			play: func(s *script) {
				begun(s, 100)
				s.data(10*ms, toServer, 200, 100, 0)
				s.ack(51*ms, toClient, 0, 300)
				s.data(51*ms+100*us, toServer, 300, 2000, 0)
			},
			client: counts{WindowLimited: -1, AppLimited: 8900 * time.Microsecond},
			server: counts{WindowLimited: -1},
		},
		{
			name: "not held back on a connection that began earlier: it does not end a write",
			play: func(s *script) {
				begun(s, 100)
				s.data(10*ms, toServer, 200, 100, 0)
				s.ack(51*ms, toClient, 0, 300)
				s.data(51*ms+100*us, toServer, 300, 1000, 0, func(f *decode.Frame) { f.Flags &^= decode.PSH })
			},
			client: counts{WindowLimited: -1, AppLimited: 8900 * time.Microsecond},
			server: counts{WindowLimited: -1},
		},
		{
			name: "not held back on a connection that began earlier: the segment before may have been full",
			play: func(s *script) {
				begun(s, 100)
				s.data(10*ms, toServer, 200, 1000, 0)
				s.ack(51*ms, toClient, 0, 1200)
				s.data(51*ms+100*us, toServer, 1200, 1000, 0)
			},
			client: counts{WindowLimited: -1, AppLimited: 8900 * time.Microsecond},
			server: counts{WindowLimited: -1},
		},
		{
			name: "not held back on a connection that began earlier: the sender does not wait for acknowledgements",
			play: func(s *script) {
				begun(s, 1448)
				s.data(10*ms, toServer, 1548, 700, 0)
				s.data(11*ms, toServer, 2248, 600, 0)
				s.ack(51*ms, toClient, 0, 2848)
				s.data(60*ms, toServer, 2848, 100, 0)
				s.ack(101*ms, toClient, 0, 2948)
				s.data(101*ms+100*us, toServer, 2948, 200, 0)
			},
			client: counts{WindowLimited: -1, AppLimited: 17900 * time.Microsecond},
			server: counts{WindowLimited: -1},
		},
		{
			name: "timestamps that go back",
			play: func(s *script) {
				s.shake(tsval(5000))
				s.data(10*ms, toServer, 0, 100, 0, tsval(5010))
				s.data(20*ms, toServer, 100, 100, 0, tsval(5009)) // one tick is allowed
				s.data(30*ms, toServer, 200, 100, 0, tsval(4000))
				s.data(40*ms, toServer, 200, 100, 0, tsval(4100)) // a copy, not judged again
			},
			client: counts{PAWS: 1, Retransmissions: 1, LossProbes: 1, LostOnWire: 100},
			said:   []string{"client again 200-300 30>40", "client retransmission 30-40"},
		},
		{
			name: "a copy cut differently",
			play: func(s *script) {
				s.shake()
				s.data(10*ms, toServer, 0, 100, 0)
				s.data(20*ms, toServer, 100, 100, 0)
				s.data(300*ms, toServer, 50, 250, 0)
			},
			client: counts{Retransmissions: 1, Timeouts: 1, LostOnWire: 150},
			said:   []string{"client again 50-200 10>300", "client retransmission 10-300"},
		},
		{
			name: "copies within a millisecond where all packets have one IP ID",
			play: func(s *script) {
				one := id(1)
				s.shake(one)
				for i := range 5 {
					s.data(10*ms+int64(i)*10*us, toServer, i*1000, 1000, 0, one)
				}
				s.data(10*ms+600*us, toServer, 4000, 1000, 0, one)
			},
			client: counts{Retransmissions: 1, LossProbes: 1, LostOnWire: 1000},
			said:   []string{"client again 4000-5000 10>10", "client retransmission 10-10"},
		},
		{
			name: "a straggler from before the window",
			play: func(s *script) {
				s.shake()
				farBack(s)
			},
		},
		{
			name: "older than a window of which the scale was cut off",
			play: func(s *script) {
				s.syn(0, cutOff)
				s.synack(1*ms, cutOff)
				farBack(s)
			},
			client: counts{Retransmissions: 1, Spurious: 1, WindowLimited: -1},
			server: counts{WindowLimited: -1},
			said:   []string{"client again 1000-2000 0>20"}, // when it was first sent is forgotten
		},
		{
			name: "older than a window of which one scale was cut off",
			play: func(s *script) {
				s.syn(0, scale(7))
				s.synack(1*ms, cutOff)
				farBack(s)
			},
			client: counts{Retransmissions: 1, Spurious: 1, WindowLimited: -1},
			server: counts{WindowLimited: -1},
			said:   []string{"client again 1000-2000 0>20"}, // when it was first sent is forgotten
		},
		{
			name: "a straggler from before the window: what was cut off was no scale, as the server sends none",
			play: func(s *script) {
				s.syn(0, cutOff)
				s.synack(1 * ms)
				farBack(s)
			},
		},
		{
			name: "not held back: the segment before was full but for a timestamp that was cut off",
			play: func(s *script) {
				s.shake(cutOff)
				s.data(10*ms, toServer, 0, 1448, 0, cutOff)
				s.ack(51*ms, toClient, 0, 1448, cutOff)
				s.data(51*ms+100*us, toServer, 1448, 200, 0, cutOff)
			},
			client: counts{WindowLimited: -1, AppLimited: 100 * time.Microsecond},
			server: counts{WindowLimited: -1},
		},
		{
			name: "data in the SYN that the server did not take",
			play: func(s *script) {
				s.syn(0, func(f *decode.Frame) { f.Size, f.Payload = 10, pattern(0, 0, 10) })
				s.synack(ms)
				s.data(2*ms, toServer, 0, 10, 0)
			},
			said: []string{"client again 0-10 0>2", "client retransmission 0-2"},
		},
		{
			name: "bytes with a reset",
			play: func(s *script) {
				s.shake()
				s.packet(5*ms, toServer, decode.RST, 0, 20, 0)
			},
		},
		{
			name: "only one direction: a hole nobody can decide is given up",
			play: func(s *script) {
				s.data(10*ms, toServer, 0, 100, 0)
				s.data(11*ms, toServer, 200, 100, 0)
				s.data(12*ms, toServer, 300, 100, 0)
				s.data(1500*ms, toServer, 400, 100, 0)
				s.data(1600*ms, toServer, 500, 100, 0)
			},
			client: counts{WindowLimited: -1},
			server: counts{WindowLimited: -1},
			said:   []string{"client gap 100 @1500"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, Options{})
			c.play(s)
			conn := s.last()
			if d := cmp.Diff(c.client, pick(conn.Sides[toServer])); d != "" {
				t.Errorf("client: %s", d)
			}
			if d := cmp.Diff(c.server, pick(conn.Sides[toClient])); d != "" {
				t.Errorf("server: %s", d)
			}
			said := s.said()
			if len(said) > 0 {
				said = said[:len(said)-1]
			}
			if d := cmp.Diff(append([]string{}, c.said...), append([]string{}, said...)); d != "" {
				t.Errorf("the consumer was told: %s", d)
			}
			if !strings.Contains(c.name, "missed") && !strings.Contains(c.name, "hole") && !strings.Contains(c.name, "nobody") && !strings.Contains(c.name, "before the capture had") {
				s.bytes()
			}
			s.clean(t)
		})
	}
}

// TestRetransmitWait charges waits for copies to the side whose bytes they are,
// each moment once.
func TestRetransmitWait(t *testing.T) {
	for _, c := range []struct {
		name           string
		play           func(s *script)
		client, server time.Duration
	}{
		{"a second timeout goes on where the first ended", func(s *script) {
			s.data(10*ms, toServer, 0, 1000, 0)
			s.data(210*ms, toServer, 0, 1000, 0)
			s.data(610*ms, toServer, 0, 1000, 0)
		}, 600 * time.Millisecond, 0},
		{"two segments are waited for at the same time", func(s *script) {
			s.data(10*ms, toServer, 0, 1000, 0)
			s.data(11*ms, toServer, 1000, 1000, 0)
			s.data(210*ms, toServer, 0, 1000, 0)
			s.data(211*ms, toServer, 1000, 1000, 0)
		}, 201 * time.Millisecond, 0},
		{"each side for its own bytes", func(s *script) {
			s.data(10*ms, toServer, 0, 1000, 0)
			s.data(210*ms, toServer, 0, 1000, 0)
			s.data(220*ms, toClient, 0, 100, 1000)
			s.data(520*ms, toClient, 0, 100, 1000)
		}, 200 * time.Millisecond, 300 * time.Millisecond},
		{"lost before the capture", func(s *script) {
			hole(s)
			s.data(250*ms, toServer, 1000, 1000, 0)
		}, 240*time.Millisecond - 20*time.Microsecond, 0},
		{"a copy of what had arrived keeps nobody waiting", func(s *script) {
			s.data(10*ms, toServer, 0, 1000, 0)
			s.ack(11*ms, toClient, 0, 1000)
			s.data(15*ms, toServer, 0, 1000, 0)
		}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, Options{})
			s.shake()
			c.play(s)
			sides := s.last().Sides
			if sides[toServer].RetransmitWait != c.client || sides[toClient].RetransmitWait != c.server {
				t.Errorf("the client's bytes waited %v, want %v; the server's %v, want %v",
					sides[toServer].RetransmitWait, c.client, sides[toClient].RetransmitWait, c.server)
			}
		})
	}
}

// Copies of more than the window that the handshake tells: the sender knew of a
// larger one, which a middlebox or the capture has hidden.
func TestMoreThanTheWindowInFlight(t *testing.T) {
	s := newScript(t, Options{})
	s.shake()
	for i := range 100 {
		s.data(10*ms, toServer, i*1000, 1000, 0)
	}
	for i := range 88 {
		s.data(50*ms, toServer, i*1000, 1000, 0)
	}
	if got := s.last().Sides[toServer].Retransmissions; got != 88 {
		t.Errorf("%d retransmissions, want 88", got)
	}
}

// What was acknowledged and does not come is missed: when time has passed, when the
// server goes on, and when the connection ends.
func TestAcknowledgedAndNeverSeen(t *testing.T) {
	for name, then := range map[string]func(*script){
		"later bytes":    func(s *script) { s.data(20*ms, toServer, 1000, 1000, 0) },
		"the answer":     func(s *script) { s.data(11*ms+10*us, toClient, 0, 100, 1000) },
		"nothing at all": func(*script) {},
	} {
		s := newScript(t, Options{})
		s.shake()
		s.ack(11*ms, toClient, 0, 1000)
		if then(s); s.last().Sides[toServer].Missed != 1000 || len(s.table.early) != 0 {
			t.Errorf("%s: %d bytes missed, %d acknowledgements wait", name, s.last().Sides[toServer].Missed, len(s.table.early))
		}
	}
}
