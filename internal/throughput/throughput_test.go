package throughput

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// serving is a server on an address of loopback that no other test uses.
func serving(t *testing.T) (address string, told func() string) {
	t.Helper()
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.83.23.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var text strings.Builder
	s := Server{Listener: l.(*net.TCPListener), Tell: func(_ net.Addr, what string) {
		mu.Lock()
		defer mu.Unlock()
		text.WriteString(what + "\n")
	}}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
}

func TestRuns(t *testing.T) {
	address, _ := serving(t)
	for _, p := range []Plan{
		{Mode: Send, Streams: 2, Size: 1 << 16}, {Mode: Receive, Streams: 2, Size: 1 << 16}, {Mode: Echo, Streams: 3, Size: 100},
	} {
		t.Run(string(p.Mode), func(t *testing.T) {
			p.Server, p.Length = address, 2*time.Second
			n := 0
			r, err := p.Run(t.Context(), func(*Sample) { n++ })
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 || len(r.Samples) != n {
				t.Fatalf("%d samples, %d told", len(r.Samples), n)
			}
			var acked int64
			for _, s := range r.Samples {
				acked += s.Acked
				if s.Streams != p.Streams {
					t.Errorf("%d streams, want %d", s.Streams, p.Streams)
				}
			}
			if p.Mode != Echo {
				if v := Judge(r); acked < 1<<20 || v.Headline == "" || v.Kind == "loss" {
					t.Errorf("%d bytes, %+v", acked, v)
				}
				return
			}
			if g := r.Rung; g.Requests < 100 || g.P50 <= 0 || g.P50 > g.P99 || acked < 100*g.Requests/2 {
				t.Errorf("%+v, %d bytes", g, acked)
			}
		})
	}
}

// One run at a time, and nobody but rtrail.
func TestServerRefuses(t *testing.T) {
	address, told := serving(t)
	first := Plan{Server: address, Mode: Send, Length: time.Minute, Streams: 1, Size: 1}
	c, _, err := first.begin(t.Context(), hello{Mode: Send, Length: time.Minute, Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := first.Run(t.Context(), func(*Sample) {}); err == nil || !strings.Contains(err.Error(), underWay) {
		t.Errorf("a second run: %v", err)
	} else if !strings.Contains(err.Error(), "for at most 1m") {
		t.Errorf("a second run: %v, want how long the first one takes", err)
	}
	for name, h := range map[string]hello{
		"an hour": {Mode: Send, Length: time.Hour, Size: 1}, "no mode": {Length: time.Second, Size: 1}, "a gigabyte": {Mode: Send, Length: time.Second, Size: 1 << 30},
		"a run that is not there": {Mode: Send, Length: time.Second, Size: 1, Session: "x"},
	} {
		if _, _, err := first.connect(t.Context(), h); err == nil || !strings.Contains(err.Error(), "refuses") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var d net.Dialer
	for name, text := range map[string]string{"a browser": "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "a long line": magic + strings.Repeat("x", 1<<16) + "\n"} {
		s, err := d.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(s, text)
		_ = s.SetReadDeadline(time.Now().Add(20 * time.Second))
		got, err := io.ReadAll(io.LimitReader(s, 1<<20))
		var timeout net.Error
		if len(got) > 0 || errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		s.Close()
	}
	if text := told(); !strings.Contains(text, "begins: send for 1m0s") {
		t.Errorf("told: %s", text)
	}
}

func TestVerdicts(t *testing.T) {
	const ms = time.Millisecond
	base := Sample{Streams: 1, Length: time.Second, Acked: 12e6, Segments: 9000, RTT: ms, MinRTT: ms * 9 / 10, MSS: 1448, Cwnd: 1 << 20, PeerWindow: 1 << 20, SendBuffer: 1 << 20, Busy: 1, CPU: 0.3, PeerCPU: 0.3}
	run := func(change func(i int, s *Sample)) *Result {
		r := &Result{}
		for i := range 6 {
			s := base
			s.Second = i + 1
			change(i, &s)
			r.Samples = append(r.Samples, s)
		}
		return r
	}
	for _, c := range []struct {
		name, want string
		change     func(i int, s *Sample)
	}{
		{"a window that is full each round trip", "receiver-window", func(_ int, s *Sample) { s.RwndLimited, s.PeerWindow = 0.9, 16<<10 }},
		{"a reader that does not read", "receiver-slow", func(_ int, s *Sample) { s.RwndLimited, s.PeerWindow = 0.9, 0 }},
		{"a reader that reads at times", "receiver-slow", func(_ int, s *Sample) { s.RwndLimited, s.RTT = 0.6, 700*time.Microsecond }},
		{"a small send buffer", "send-buffer", func(_ int, s *Sample) { s.SndbufLimited, s.SendBuffer = 0.9, 8<<10 }},
		{"a window that is full at once, and a CPU that takes its time", "receiver-window", func(_ int, s *Sample) { s.RwndLimited, s.PeerWindow = 0.4, 16<<10 }},
		{"a buffer that is empty at once", "send-buffer", func(_ int, s *Sample) { s.Busy, s.Acked, s.SendBuffer = 0.6, 1.2e9, 8<<10 }},
		{"half a percent lost over 50 ms", "loss", func(_ int, s *Sample) {
			s.RTT, s.MinRTT, s.Acked, s.Segments, s.Retransmitted = 52*ms, 50*ms, 450_000, 320, 2
		}},
		{"the same with bbr, which goes on", "unknown", func(i int, s *Sample) {
			s.RTT, s.MinRTT, s.Acked, s.Segments, s.Retransmitted, s.Congestion = 52*ms, 50*ms, 4_500_000+int64(i%3)*500_000, 3200, 20, "bbr"
		}},
		{"a quarter lost, with bbr", "loss", func(_ int, s *Sample) {
			s.RTT, s.MinRTT, s.Acked, s.Segments, s.Retransmitted, s.Congestion = 52*ms, 50*ms, 450_000, 320, 80, "bbr"
		}},
		{"a shaper with a queue", "rate", func(_ int, s *Sample) { s.RTT = 40 * ms }},
		{"a shaper with a short queue of 8 ms", "rate", func(_ int, s *Sample) { s.RTT = 9 * ms }},
		{"a shaper beside a CPU that others fill at times", "rate", func(i int, s *Sample) {
			s.RTT = 9 * ms
			if i > 2 {
				s.CPU = 1
			}
		}},
		{"a shaper beside a CPU that others always fill", "rate", func(_ int, s *Sample) { s.RTT, s.CPU = 9*ms, 1 }},
		{"a queue before a CPU that is always full", "cpu", func(i int, s *Sample) { s.RTT, s.CPU, s.Acked = 9*ms, 1, int64(12e6+2e5*float64(i)) }},
		{"a queue, or a receiver that waits for its CPU: the rate comes and goes", "queue", func(i int, s *Sample) { s.RTT, s.Acked = 9*ms, int64(12e6+4e6*float64(i%3)) }},
		{"a policer", "rate", func(int, *Sample) {}},
		{"a full CPU", "cpu", func(i int, s *Sample) { s.PeerCPU, s.Acked = 0.99, int64(12e6+2e6*float64(i)) }},
		{"a sender that does something else", "sender", func(i int, s *Sample) { s.Busy, s.Acked = 0.2, int64(12e6+2e6*float64(i)) }},
		{"nothing that shows", "unknown", func(i int, s *Sample) { s.Acked = int64(12e6 + 2e6*float64(i)) }},
		{"nothing carried", "unknown", func(_ int, s *Sample) { s.Acked = 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := Judge(run(c.change)); v.Kind != c.want || v.Headline == "" {
				t.Errorf("%+v, want %s", v, c.want)
			}
		})
	}
}

func TestLadders(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name, want, says string
		rungs            []Rung
	}{
		// knowledge: 119,957 requests/s at 8.33 ms, the same at 16.66 ms.
		{"flat", "concurrency", "about 120,033 requests/s, from 1,000 streams on", []Rung{{Streams: 500, PerSecond: 100_000, Mean: 5 * ms}, {Streams: 1000, PerSecond: 119_957, Mean: 8330 * time.Microsecond}, {Streams: 2000, PerSecond: 120_033, Mean: 16660 * time.Microsecond}}},
		{"flat at twice the response time", "concurrency", "(8.33 ms to 16.7 ms)", []Rung{{Streams: 1000, PerSecond: 119_957, Mean: 8330 * time.Microsecond}, {Streams: 2000, PerSecond: 119_957, Mean: 16660 * time.Microsecond}}},
		{"flat, and a CPU is full", "cpu", "a CPU is full", []Rung{{Streams: 1, PerSecond: 50_000, Mean: ms}, {Streams: 2, PerSecond: 51_000, Mean: 2 * ms, PeerCPU: 0.99}}},
		{"flat, and then it grows", "unknown", "was not reached", []Rung{{Streams: 1, PerSecond: 40_022}, {Streams: 2, PerSecond: 43_988}, {Streams: 4, PerSecond: 50_676}}},
		{"it grows", "unknown", "was not reached", []Rung{{Streams: 1, PerSecond: 100}, {Streams: 2, PerSecond: 200}, {Streams: 4, PerSecond: 390}}},
		{"one rung", "unknown", "too few steps", []Rung{{Streams: 1, PerSecond: 100}}},
		{"small steps", "unknown", "too few steps", []Rung{{Streams: 10, PerSecond: 64_534}, {Streams: 11, PerSecond: 61_616}, {Streams: 12, PerSecond: 58_533}}},
	} {
		for i := range c.rungs {
			c.rungs[i].Requests = 1
		}
		if v := JudgeLadder(c.rungs); v.Kind != c.want || !strings.Contains(v.Headline, c.says) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	same := []Rung{{Streams: 1000, PerSecond: 119_957, Mean: 8330 * time.Microsecond, Requests: 1}, {Streams: 2000, PerSecond: 119_957, Mean: 16660 * time.Microsecond, Requests: 1}}
	if proof := strings.Join(JudgeLadder(same).Proof, "\n"); !strings.Contains(proof, "2 times the streams: 1 times the requests/s, 2 times the response time") || !strings.Contains(proof, "a round number, as limits are set to: 120,000 requests/s") {
		t.Error(proof)
	}
}

// A server that lies, or says nothing any more.
func TestHostileServer(t *testing.T) {
	for name, c := range map[string]struct{ says, want string }{
		"no server":         {"HTTP/1.1 400 Bad Request\r\n\r\n", "no rtrail throughput server"},
		"a refusal":         {magic + `{"refused":"no\n\u001b[31mred"}` + "\n", `refuses: no \x1b[31mred`},
		"too often":         {magic + `{"session":"x"}` + "\n" + strings.Repeat(`{"cpu":0.1}`+"\n", 50), "more often"},
		"impossible":        {magic + `{"session":"x"}` + "\n" + `{"cpu":7}` + "\n", "cannot be"},
		"a line of garbage": {magic + "garbage\n", "the answer of the server"},
	} {
		t.Run(name, func(t *testing.T) {
			var listen net.ListenConfig
			l, err := listen.Listen(t.Context(), "tcp", "127.83.25.1:0")
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
					go func() {
						head, rest, reports := strings.Cut(c.says, "\n{\"cpu")
						_, _ = io.WriteString(c1, head+"\n")
						if reports {
							time.Sleep(700 * time.Millisecond)
							_, _ = io.WriteString(c1, "{\"cpu"+rest)
						}
					}()
				}
			}()
			p := Plan{Server: l.Addr().String(), Mode: Send, Length: 2 * time.Second, Streams: 1, Size: 1}
			if _, err := p.Run(t.Context(), func(*Sample) {}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestBitRate(t *testing.T) {
	for b, want := range map[BitRate]string{9.41e9: "9.41 Gbit/s", 100e6: "100 Mbit/s", 8040: "8.04 kbit/s", 12: "12 bit/s"} {
		if b.String() != want {
			t.Errorf("%v, want %s", b, want)
		}
	}
}
