package throughput

import (
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

func TestPacketsArrive(t *testing.T) {
	address, told := serving(t)
	p := PacketPlan{Server: address, Length: 1200 * time.Millisecond, Size: 64, Rate: 500}
	n := int64(0)
	step, err := p.Run(t.Context(), func(s *PacketSecond) { n += s.Received })
	if err != nil {
		t.Fatal(err)
	}
	if a := step.Arrivals; a.Received == 0 || a.Received != n || a.Received > step.Sent || a.Bytes != 64*a.Received || a.Foreign != 0 || a.Expected > step.Tried || a.Buffer == 0 || step.Overhead != 42 {
		t.Errorf("%+v, %d told", step, n)
	}
	if text := told(); !strings.Contains(text, "begins: packets") {
		t.Errorf("told: %s", text)
	}
}

// The server says nothing to whoever sends packets, and counts only those of its run.
func TestPacketsAreNotAnswered(t *testing.T) {
	address, _ := serving(t)
	p := Plan{Server: address}
	c, a, err := p.begin(t.Context(), hello{Mode: Packets, Length: time.Minute, Size: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var d net.Dialer
	u, err := d.DialContext(t.Context(), "udp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	packet := make([]byte, headerBytes)
	copy(packet, a.Session[:tokenBytes])
	far := make([]byte, headerBytes)
	copy(far, a.Session[:tokenBytes])
	binary.BigEndian.PutUint64(far[tokenBytes:], 1<<63)
	for _, b := range [][]byte{packet, []byte("x"), make([]byte, 1400), far} {
		if _, err := u.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	var last report
	for {
		var r report
		if err := hear(c.lines, &r); err != nil {
			break
		}
		last = r
	}
	if last.Arrivals == nil || last.Arrivals.Received != 1 || last.Arrivals.Foreign != 3 {
		t.Errorf("%+v", last.Arrivals)
	}
	_ = u.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := u.Read(make([]byte, 100)); err == nil {
		t.Errorf("an answer of %d bytes", n)
	}
	// A stream cannot join a run of packets.
	if _, _, err := p.connect(t.Context(), hello{Mode: Packets, Length: time.Second, Size: 64, Session: a.Session}); err == nil {
		t.Error("a stream has joined")
	}
}

func TestPacketsOutOfOrder(t *testing.T) {
	var a arrivals
	began := time.Unix(1000, 0)
	for i, seq := range []uint64{0, 1, 3, 2, 6} {
		p := make([]byte, 100)
		at := began.Add(time.Duration(seq) * time.Millisecond)
		binary.BigEndian.PutUint64(p[tokenBytes:], seq)
		binary.BigEndian.PutUint64(p[tokenBytes+8:], uint64(at.UnixNano()))
		a.take(p, at.Add(time.Hour+time.Duration(i%2)*16*time.Millisecond)) // clocks differ
	}
	if s := a.sum; s.Received != 5 || s.Expected != 7 || s.Reordered != 1 || s.Bytes != 500 || s.Jitter < time.Millisecond || s.Jitter > 16*time.Millisecond {
		t.Errorf("%+v", s)
	}
}

// climb makes steps of a path: carries says how many of so many packets a second arrive.
func climb(size int, from, most int, carries func(rate float64) float64, change func(*PacketStep)) (steps []PacketStep) {
	for rate := from; ; rate = min(2*rate, most) {
		s := PacketStep{Size: size, Overhead: 42, Asked: rate, Length: 2 * time.Second, Tried: int64(2 * rate), Sent: int64(2 * rate), CPU: 0.3, PeerCPU: 0.3}
		s.Arrivals.Received = int64(2 * carries(float64(rate)))
		if change != nil {
			change(&s)
		}
		if steps = append(steps, s); rate == most || arrived(steps) {
			return steps
		}
	}
}

func TestPacketVerdicts(t *testing.T) {
	all := func(rate float64) float64 { return rate }
	packetsTo := func(n float64) func(float64) float64 { return func(rate float64) float64 { return min(rate, n) } }
	bitsTo := func(bits float64, size int) func(float64) float64 { return packetsTo(bits / 8 / float64(size+42)) }
	for _, c := range []struct {
		name, want, says string
		small, large     []PacketStep
	}{
		{"120,000 packets a second and 844 Mbit/s", "both", "small packets end at 120,000 packets/s, large ones at 844 Mbit/s",
			climb(64, 1000, 1e6, packetsTo(120_000), nil), climb(1200, 1000, 1e6, bitsTo(844e6, 1200), nil)},
		{"packets alone", "packets", "8,000 packets/s, whatever their size", climb(64, 1000, 128000, packetsTo(8000), nil), climb(1200, 1000, 128000, packetsTo(8000), nil)},
		{"packets below the first rate", "packets", "800 packets/s", climb(64, 1000, 128000, packetsTo(800), nil), climb(1200, 1000, 128000, packetsTo(800), nil)},
		{"large ones were not raised as far", "packets", "large ones carry 79.5 Mbit/s", climb(64, 1000, 128000, packetsTo(10_000), nil), climb(1200, 1000, 8000, all, nil)},
		{"a shaper of bytes", "rate", "20 Mbit/s, whatever the size", climb(64, 1000, 128000, bitsTo(20e6, 64), nil), climb(1200, 1000, 128000, bitsTo(20e6, 1200), nil)},
		{"a shaper of this host, beside a full CPU", "rate", "this host's own queue", climb(64, 1000, 128000, bitsTo(20e6, 64), func(s *PacketStep) {
			s.CPU = 1
			s.Refused = s.Tried - s.Arrivals.Received
			s.Sent -= s.Refused
		}), climb(1200, 1000, 128000, bitsTo(20e6, 1200), nil)},
		{"a CPU that takes as long for all sizes", "cpu", "CPU of the receiver is full", climb(64, 1000, 128000, packetsTo(30_000), func(s *PacketStep) { s.PeerCPU = 0.99 }), climb(1200, 1000, 128000, packetsTo(30_000), nil)},
		{"a reader without a CPU", "receiver-buffer", "socket buffer of", climb(64, 1000, 128000, packetsTo(30_000), func(s *PacketStep) {
			s.Arrivals.Dropped, s.Arrivals.Buffer, s.PeerCPU = s.Sent-s.Arrivals.Received, 425984, 1
		}), climb(1200, 1000, 128000, packetsTo(30_000), nil)},
		{"one in ten gets lost", "loss", "10 % of packets get lost", climb(64, 1000, 16000, func(rate float64) float64 { return 0.9 * rate }, nil), nil},
		{"a third gets lost, and the sender cannot go on", "loss", "get lost", climb(64, 1000, 128000, func(rate float64) float64 { return 0.7 * min(rate, 60000) }, func(s *PacketStep) {
			s.Tried = min(s.Tried, 120000)
			s.Sent = s.Tried
		}), nil},
		{"a sender without a CPU", "sender", "could send only 60,000 packets/s of 128,000", climb(64, 1000, 128000, packetsTo(60000), func(s *PacketStep) {
			s.Tried = min(s.Tried, 120000)
			s.Sent = s.Tried
		}), nil},
		{"no limit", "unknown", "was not reached", climb(64, 1000, 128000, all, nil), climb(1200, 1000, 128000, all, nil)},
		{"a filter", "blocked", "drops UDP", climb(64, 1000, 128000, packetsTo(0), nil), climb(1200, 1000, 128000, packetsTo(0), nil)},
		{"overload makes less arrive", "unknown", "no steady limit", climb(64, 1000, 16000, func(rate float64) float64 {
			if rate > 4000 {
				return 4000 * 4000 / rate
			}
			return rate
		}, nil), nil},
		{"ended early", "unknown", "large packets do not tell", climb(64, 1000, 128000, packetsTo(8000), nil), nil},
		{"nothing was run", "unknown", "no step", nil, nil},
	} {
		if v := JudgePackets(c.small, c.large); v.Kind != c.want || !strings.Contains(v.Headline, c.says) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

func TestRoundNumbers(t *testing.T) {
	for rate, want := range map[float64]string{119_957: "120,000 x", 120_034: "120,000 x", 844e6: "", 1001: "1,000 x", 9960: "10,000 x", 0: ""} {
		if got := round(rate, "x"); !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%v: %q", rate, got)
		}
	}
}

// A server of packets that lies, or ends early.
func TestHostilePacketServer(t *testing.T) {
	for name, c := range map[string]struct{ says, want string }{
		"no session":  {`{}`, "names no run"},
		"no arrivals": {`{"session":"` + strings.Repeat("x", 26) + `"}` + "\n" + `{"cpu":0}`, "cannot be"},
		"impossible":  {`{"session":"` + strings.Repeat("x", 26) + `"}` + "\n" + `{"cpu":0,"arrivals":{"received":-1}}`, "cannot be"},
		"the end":     {`{"session":"` + strings.Repeat("x", 26) + `"}`, "ended the run"},
	} {
		t.Run(name, func(t *testing.T) {
			var listen net.ListenConfig
			l, err := listen.Listen(t.Context(), "tcp", "127.83.26.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					c1, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = c1.Write([]byte(magic + c.says + "\n"))
					if c.want == "ended the run" {
						_ = errors.Join(c1.(*net.TCPConn).CloseWrite())
					}
				}
			}()
			p := PacketPlan{Server: l.Addr().String(), Length: time.Minute, Size: 64, Rate: 10}
			if _, err := p.Run(t.Context(), func(*PacketSecond) {}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
