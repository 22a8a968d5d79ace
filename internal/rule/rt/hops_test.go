package rt

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// us makes response times of microseconds.
func us(list ...int) []time.Duration {
	var out []time.Duration
	for _, v := range list {
		out = append(out, time.Duration(v)*time.Microsecond)
	}
	return out
}

// repeated is n times the one, then the others.
func repeated(n int, one time.Duration, others ...time.Duration) []time.Duration {
	var out []time.Duration
	for range n {
		out = append(out, one)
	}
	return append(out, others...)
}

// captured is a window of 10 s with a capture and 30 connections that were
// opened in it.
func captured() *ruletest.Host {
	h := ruletest.New(2, 10).PacketCapture(nil)
	for range 30 {
		h.PacketConnection(ruletest.PacketConnection{})
	}
	return h
}

func statement(h *ruletest.Host, rts []time.Duration, rounds int) {
	var all []time.Duration
	for range rounds {
		all = append(all, rts...)
	}
	h.PacketStatement(recording.PacketStatement{Fingerprint: "select c from sbtest where id = ?"}, all...)
}

// Round trips of connections without a handshake in the capture are checked by those of their acknowledgements.
func TestWayIsCheckedByWhatWasSeen(t *testing.T) {
	v, s := captured().View(), &view.PacketService{Server: "10.0.0.2", Port: 3306}
	for _, means := range []bool{false, true} {
		check := way{Samples: 30, RTT: time.Millisecond, Means: means}.evidence(v, s, "the server").Check.String()
		if strings.Contains(check, "initial_rtt") == means || strings.Contains(check, "-e tcp.analysis.ack_rtt") != means {
			t.Errorf("means %v: %s", means, check)
		}
	}
}

func judged(t *testing.T, h *ruletest.Host, r rule.Rule) rule.Confidence {
	t.Helper()
	found := h.Detect(t, r)
	for _, f := range found {
		ruletest.Checked(t, f)
		t.Log(f.Confidence, f.Headline)
	}
	return ruletest.Worst(found)
}

func TestServerSlow(t *testing.T) {
	fast, slow := 200*time.Microsecond, 100*time.Millisecond
	tests := []struct {
		name string
		want rule.Confidence
		make func() *ruletest.Host
	}{
		{"a statement that varies", rule.Likely, func() *ruletest.Host {
			h, rts := captured(), repeated(20, fast, slow)
			h.Packets(ruletest.PacketService{Rate: 210, RTs: rts})
			statement(h, rts, 100)
			return h
		}},
		{"requests that are not told apart: long polls", rule.Possible, func() *ruletest.Host {
			h, rts := captured(), repeated(20, fast, 25*time.Second)
			for range 30 {
				h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Proto: "tls"}})
			}
			h.Packets(ruletest.PacketService{Proto: "tls", Rate: 42, RTs: rts})
			h.PacketStatement(recording.PacketStatement{Proto: "tls", Command: "TLS"}, append(repeated(380, fast), repeated(20, 25*time.Second)...)...)
			return h
		}},
		{"few are slow, yet all the time", rule.Likely, func() *ruletest.Host {
			h, rts := captured(), repeated(1000, fast, 300*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond)
			h.Packets(ruletest.PacketService{Rate: 1003, RTs: rts})
			statement(h, rts, 10)
			return h
		}},
		{"the same without slow ones", 0, func() *ruletest.Host {
			h, rts := captured(), repeated(20, fast, 2*fast)
			h.Packets(ruletest.PacketService{Rate: 5000, RTs: rts})
			statement(h, rts, 100)
			return h
		}},
		{"one stall of everybody", 0, func() *ruletest.Host {
			h, rts := captured(), repeated(5000, fast, slow)
			h.Packets(ruletest.PacketService{Rate: 5001, RTs: rts})
			statement(h, rts, 10)
			return h
		}},
		{"a queue that a past fault left behind", rule.Possible, func() *ruletest.Host {
			h := captured()
			all := append(repeated(900, fast), repeated(100, slow)...)
			h.Packets(ruletest.PacketService{Rate: 100, RTs: repeated(100, slow), To: 1})
			h.Packets(ruletest.PacketService{Rate: 100, RTs: repeated(100, fast), From: 1})
			statement(h, all, 1)
			return h
		}},
		{"slow, but always: reports", rule.Possible, func() *ruletest.Host {
			h := captured()
			h.Packets(ruletest.PacketService{Rate: 20, RTs: us(100_000, 110_000)})
			statement(h, us(100_000, 110_000), 100)
			return h
		}},
		{"slow statements, rarely asked", 0, func() *ruletest.Host {
			h := captured()
			h.Packets(ruletest.PacketService{Rate: 3, RTs: us(90_000, 95_000)})
			statement(h, us(90_000, 95_000), 15)
			return h
		}},
		{"two statements, one heavy", rule.Possible, func() *ruletest.Host {
			h := captured()
			h.Packets(ruletest.PacketService{Rate: 100, RTs: repeated(9, fast, slow)})
			h.PacketStatement(recording.PacketStatement{Fingerprint: "select 1"}, repeated(900, fast)...)
			h.PacketStatement(recording.PacketStatement{Fingerprint: "select count(*)"}, repeated(100, slow)...)
			return h
		}},
		{"it varies, and so does the way there", rule.Possible, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			for range 30 {
				h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{ServerRTT: 90 * time.Millisecond}})
			}
			rts := repeated(20, fast, slow)
			h.Packets(ruletest.PacketService{Rate: 210, RTs: rts})
			statement(h, rts, 100)
			return h
		}},
		{"it varies, and the way was never seen", rule.Possible, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Midway: true}})
			rts := repeated(20, fast, slow)
			h.Packets(ruletest.PacketService{Rate: 210, RTs: rts})
			statement(h, rts, 100)
			return h
		}},
		{"it waits for repeated packets", 0, func() *ruletest.Host {
			h, rts := captured(), repeated(20, fast, slow)
			h.Packets(ruletest.PacketService{Rate: 210, RTs: rts, Retransmit: 4 * time.Millisecond, Retransmissions: 10})
			statement(h, rts, 100)
			return h
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judged(t, tt.make(), serverSlow); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// Answers that all take long, without anything to compare with, are nobody's
// fault, and not healthy.
func TestServerSlowWithoutComparison(t *testing.T) {
	for _, tt := range []struct {
		name    string
		service ruletest.PacketService
		judged  bool
	}{
		{"every answer takes 400 ms", ruletest.PacketService{Proto: "http", Rate: 1, RTs: us(400_000)}, false},
		{"every answer takes 150 ms", ruletest.PacketService{Proto: "postgres", Rate: 3, RTs: us(150_000, 151_000)}, false},
		{"nobody notices", ruletest.PacketService{Proto: "http", Rate: 3, RTs: us(60_000)}, true},
		{"others are fast", ruletest.PacketService{Proto: "http", Rate: 2, RTs: us(1_000, 400_000)}, true},
		{"requests that nobody can read may be long polls", ruletest.PacketService{Proto: "tls", Rate: 1, RTs: us(400_000)}, true},
	} {
		found, err := serverSlow.Detect(captured().Packets(tt.service).View())
		why, doubt := errors.AsType[*rule.NotJudged](err)
		if len(found) > 0 || doubt == tt.judged {
			t.Errorf("%s: %d findings, %v", tt.name, len(found), err)
		}
		if took := unit.Duration(tt.service.RTs[0]).String(); doubt && !strings.Contains(why.Why, took+" on average") && !strings.Contains(why.Why, "never less than "+took) {
			t.Errorf("%s: %s", tt.name, why.Why)
		}
	}
}

// TestServerSlowBlind: nobody can say whose the time is if nothing tells how long
// the way to the server takes.
func TestServerSlowBlind(t *testing.T) {
	pooled := func(rts []time.Duration, retransmit time.Duration) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Midway: true}})
			h.Packets(ruletest.PacketService{Rate: 30, RTs: rts, Retransmit: retransmit})
			return h
		}
	}
	ruletest.Check(t, serverSlow, []ruletest.Situation{
		{Name: "somebody waits", Host: pooled(us(20_000, 30_000), 0), Abstains: "to say whether they waited for the server or for the network"},
		{Name: "for packets", Host: pooled(us(20_000, 30_000), 15*time.Millisecond)},
		{Name: "not for long", Host: pooled(us(2_000, 3_000), 0)},
	})
}

// pair is what two captures say of the service: means of one request.
func pair(h *ruletest.Host, there, serve, back, idle time.Duration) {
	const n = 2000
	h.PacketCapture(func(c *recording.PacketCapture) { c.Source, c.Point = "client.pcap", "client" })
	h.PacketCapture(func(c *recording.PacketCapture) { c.Source, c.Point = "server.pcap", "server" })
	ruletest.Add(h, recording.PacketPair{At: ruletest.Start, Last: ruletest.Start.Add(10 * time.Second), Server: "10.0.0.2", ServerPort: 3306, Proto: "mysql",
		Count: n, PathThere: n * there, Serve: n * serve, PathBack: n * back, Idle: n * idle, ServeP50: 200 * time.Microsecond, ServeP99: 5 * serve,
		PathBackP95: 2 * back, RoundTrip: 100 * time.Microsecond})
}

func TestTwoSides(t *testing.T) {
	little := 50 * time.Microsecond
	varying := func() *ruletest.Host {
		h, rts := captured(), repeated(20, 200*time.Microsecond, 100*time.Millisecond)
		h.Packets(ruletest.PacketService{Rate: 210, RTs: rts, Idles: repeated(20, little, 100*time.Millisecond)})
		statement(h, rts, 100)
		return h
	}
	tests := []struct {
		name               string
		there, serve, back time.Duration
		server, path       rule.Confidence
	}{
		{"the server", little, 5 * time.Millisecond, little, rule.Certain, 0},
		{"the way back", little, 200 * time.Microsecond, 6 * time.Millisecond, 0, rule.Certain},
		{"the way there", 6 * time.Millisecond, 200 * time.Microsecond, little, 0, rule.Certain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := varying()
			pair(h, tt.there, tt.serve, tt.back, little)
			if got := judged(t, h, serverSlow); got != tt.server {
				t.Errorf("server: %s, want %s", got, tt.server)
			}
			if got := judged(t, h, pathSlow); got != tt.path {
				t.Errorf("path: %s, want %s", got, tt.path)
			}
			for _, f := range append(h.Detect(t, serverSlow), h.Detect(t, pathSlow)...) {
				for _, e := range f.Evidence {
					if e.Metric.ID == "rt.hops" && e.Check.String() != "rtrail packets --client-side client.pcap --server-side server.pcap -p 3306" {
						t.Errorf("%s: proved by %s, which sees one side", e.What, e.Check)
					}
				}
			}
		})
	}
}

func TestPathSlow(t *testing.T) {
	tests := []struct {
		name string
		want rule.Confidence
		make func() *ruletest.Host
	}{
		{"loss", rule.Certain, func() *ruletest.Host {
			h := captured()
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Transactions: 100},
				FromClient: recording.PacketSide{Retransmissions: 20}, FromServer: recording.PacketSide{Retransmissions: 30}})
			return h.Packets(ruletest.PacketService{Rate: 100, RTs: us(300, 200_000), Retransmit: 90 * time.Millisecond, Retransmissions: 50})
		}},
		{"loss with holes in the capture", rule.Likely, func() *ruletest.Host {
			h := captured().Packets(ruletest.PacketService{Rate: 100, RTs: us(300, 200_000), Retransmit: 90 * time.Millisecond, Retransmissions: 50})
			return h.PacketCapture(func(c *recording.PacketCapture) { c.Missed = c.Bytes / 10 })
		}},
		{"repeats as a full accept queue makes them", rule.Possible, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			for range 30 {
				h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{SYNs: 1, SYNACKs: 3},
					FromClient: recording.PacketSide{Retransmissions: 2}})
			}
			return h.Packets(ruletest.PacketService{Rate: 100, RTs: us(300, 200_000), Retransmit: 90 * time.Millisecond, Retransmissions: 50})
		}},
		{"a little loss", 0, func() *ruletest.Host {
			return captured().Packets(ruletest.PacketService{Rate: 1000, RTs: us(300, 400), Retransmit: 10 * time.Microsecond, Retransmissions: 1})
		}},
		{"handshakes swing", rule.Likely, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			for i := range 40 {
				rtt := 200 * time.Microsecond
				if i%3 > 0 {
					rtt = 40 * time.Millisecond
				}
				h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{ServerRTT: rtt}})
			}
			return h.Packets(ruletest.PacketService{Rate: 100, RTs: us(400, 40_000, 41_000)})
		}},
		{"handshakes of the worst connections swing", 0, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil).AllConnections(90_000, recording.PacketDirection{}, recording.PacketDirection{})
			for i := range 40 {
				rtt := 200 * time.Microsecond
				if i%3 > 0 {
					rtt = 40 * time.Millisecond
				}
				h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{ServerRTT: rtt}})
			}
			return h.Packets(ruletest.PacketService{Rate: 100, RTs: us(400, 40_000, 41_000), Handshakes: 9000, ServerRTT: 220 * time.Microsecond, ClientRTT: 10 * time.Microsecond})
		}},
		{"far away", 0, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			for range 40 {
				h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{ServerRTT: 80 * time.Millisecond}})
			}
			return h.Packets(ruletest.PacketService{Rate: 100, RTs: us(80_000, 82_000)})
		}},
		{"near", 0, func() *ruletest.Host {
			return captured().Packets(ruletest.PacketService{Rate: 1000, RTs: us(300, 400)})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judged(t, tt.make(), pathSlow); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// busyClient is one client with two connections that were used all the time:
// counts of requests with their pauses.
func busyClient(idles []time.Duration) *ruletest.Host {
	h := ruletest.New(2, 10).PacketCapture(nil)
	h.Packets(ruletest.PacketService{Rate: 400, RTs: us(200), Idles: idles})
	h.PacketStatement(recording.PacketStatement{Fingerprint: "select c from t where id = ?", Count: 2000, IdleBefore: 9 * time.Second})
	mean := time.Duration(0)
	for _, d := range idles {
		mean += d / time.Duration(len(idles))
	}
	for range 2 {
		h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{
			Transactions: 2000, RTSum: 2000 * 200 * time.Microsecond, Idle: 2000 * mean}})
	}
	return h
}

// asking records statements with the wait before each, all together, and how
// often each was sent.
func asking(h *ruletest.Host, statements ...recording.PacketStatement) *ruletest.Host {
	for _, s := range statements {
		h.PacketStatement(s)
	}
	return h
}

// prepared records executions of statements whose text is not known.
func prepared(h *ruletest.Host) *ruletest.Host {
	return asking(h, recording.PacketStatement{Command: "Execute", Fingerprint: "Execute", Count: 2000, IdleBefore: 9 * time.Second})
}

// connected has a process that is busy hold a connection to the server.
func connected(h *ruletest.Host, pid int32, port uint16) *ruletest.Host {
	const inode = 4711
	h.Process(ruletest.Process{PID: pid, Comm: "report", CPU: 0.9})
	h.Thread(ruletest.Thread{PID: pid, TID: pid, Comm: "report", State: "R", CPU: 0.9})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: pid, Inode: inode})
	return ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
		return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: port, Remote: "10.0.0.2", RemotePort: 3306, State: recording.TCPEstablished, Inode: inode}
	})
}

func TestClientSlow(t *testing.T) {
	little := 60 * time.Microsecond
	stalling := repeated(19, little, 90*time.Millisecond)
	tests := []struct {
		name string
		want rule.Confidence
		make func() *ruletest.Host
	}{
		{"stalls, from one capture", rule.Possible, func() *ruletest.Host { return busyClient(stalling) }},
		{"stalls, and its process works", rule.Likely, func() *ruletest.Host {
			return connected(busyClient(stalling), 812, 40001)
		}},
		{"stalls, and another client of the same server works here", rule.Possible, func() *ruletest.Host {
			return connected(busyClient(stalling), 812, 50001)
		}},
		{"stalls, from both sides", rule.Possible, func() *ruletest.Host {
			h := busyClient(stalling)
			pair(h, little, 200*time.Microsecond, little, 4500*time.Microsecond)
			return h
		}},
		{"stalls before any of two statements", rule.Possible, func() *ruletest.Host {
			return asking(busyClient(stalling), recording.PacketStatement{Fingerprint: "select d from u", Count: 2000, IdleBefore: 8 * time.Second})
		}},
		{"pauses before one of four statements", 0, func() *ruletest.Host {
			return asking(busyClient(stalling), recording.PacketStatement{Fingerprint: "select d from u", Count: 6000, IdleBefore: 300 * time.Millisecond})
		}},
		{"pauses before three of ten statements, each the first of a job", 0, func() *ruletest.Host {
			return asking(busyClient(stalling), recording.PacketStatement{Fingerprint: "insert into v", Count: 500, IdleBefore: 3 * time.Second},
				recording.PacketStatement{Fingerprint: "BEGIN", Count: 500, IdleBefore: 3 * time.Second},
				recording.PacketStatement{Fingerprint: "select d from u", Count: 7000, IdleBefore: 300 * time.Millisecond})
		}},
		{"what it executes was prepared before the capture", 0, func() *ruletest.Host { return prepared(busyClient(stalling)) }},
		{"the same, and its process works", rule.Possible, func() *ruletest.Host { return connected(prepared(busyClient(stalling)), 812, 40001) }},
		{"a pool keeps connections that rest", 0, func() *ruletest.Host {
			h := busyClient(stalling[:2])
			for range 8 {
				h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Transactions: 4, RTSum: time.Millisecond, Idle: 9 * time.Second}})
			}
			return h
		}},
		{"thinks", 0, func() *ruletest.Host {
			h := busyClient(us(4500, 5000))
			pair(h, little, 200*time.Microsecond, little, 4700*time.Microsecond)
			return h
		}},
		{"sends most requests ahead: few pauses tell how soon it asks again", 0, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Rate: 200, RTs: us(200)})
			for from, n := range map[time.Duration]int64{little: 17, 4400 * time.Millisecond: 2} {
				ruletest.Add(h, recording.PacketHistogram{At: ruletest.Start, Server: "10.0.0.2", ServerPort: 3306, Proto: "mysql", Phase: "idle", From: from, To: from + 1, Count: n})
			}
			h.PacketStatement(recording.PacketStatement{Fingerprint: "select c from t where id = ?", Count: 2000, IdleBefore: 9 * time.Second})
			return h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{
				Transactions: 2000, RTSum: 2000 * 200 * time.Microsecond, Idle: 9 * time.Second}})
		}},
		{"asks at once", 0, func() *ruletest.Host { return busyClient(us(50, 60)) }},
		{"does not read", rule.Certain, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			h.PacketConnection(ruletest.PacketConnection{FromClient: recording.PacketSide{ZeroWindows: 12, ZeroWindowTime: 6 * time.Second}})
			return h
		}},
		{"one of many does not read, and was kept", 0, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			h.PacketConnection(ruletest.PacketConnection{FromClient: recording.PacketSide{ZeroWindows: 12, ZeroWindowTime: 6 * time.Second}})
			return h.AllConnections(9000, recording.PacketDirection{Life: 90_000 * time.Second, ZeroWindows: 12, ZeroWindowTime: 6 * time.Second}, recording.PacketDirection{Life: 90_000 * time.Second})
		}},
		{"reads slower than the network brings", 0, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			h.PacketConnection(ruletest.PacketConnection{FromClient: recording.PacketSide{ZeroWindows: 1200, ZeroWindowTime: 6 * time.Second}})
			return h
		}},
		{"read late once", 0, func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil)
			h.PacketConnection(ruletest.PacketConnection{FromClient: recording.PacketSide{ZeroWindows: 1, ZeroWindowTime: 300 * time.Millisecond}})
			return h
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judged(t, tt.make(), clientSlow); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
