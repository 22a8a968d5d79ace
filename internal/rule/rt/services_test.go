package rt

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

func TestWorkerQueueing(t *testing.T) {
	smooth := func(from, to int) (list []time.Duration) {
		for i := range 400 {
			list = append(list, time.Duration(float64(from)*math.Pow(float64(to)/float64(from), float64(i)/400))*time.Microsecond)
		}
		return list
	}
	tests := []struct {
		name string
		want rule.Confidence
		rts  []time.Duration
	}{
		{"steps of 50 ms", rule.Likely, us(50_100, 50_300, 100_400, 100_600, 150_800, 150_900, 200_900, 201_200)},
		{"steps of 50 ms, a little more each", rule.Likely, us(50_800, 51_300, 102_400, 103_600, 154_800, 155_900, 206_900, 207_200)},
		{"steps, most at once", rule.Likely, append(repeated(17, 10*time.Millisecond), us(20_100, 20_200, 30_300)...)},
		{"one hump", 0, us(50_100, 50_300, 51_000)},
		{"twice, no more", 0, us(50_100, 50_300, 100_400, 100_600)},
		{"smooth", 0, smooth(10_000, 100_000)},
		{"short steps are those of the scheduler", 0, us(1000, 2000, 3000, 4000)},
		{"hits and misses", rule.Possible, us(300, 310, 320, 12_000)},
		{"fast humps", 0, us(100, 110, 1200)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Proto: "http", Port: 8080, Rate: 40, RTs: tt.rts})
			if got := judged(t, h, workerQueueing); got != tt.want {
				v := h.View()
				s := v.PacketServices()[0]
				c, ok := combOf(v, s)
				t.Errorf("%s, want %s; comb %+v %v, modes %v", got, tt.want, c, ok, s.Modes())
			}
		})
	}
}

// TestHumpsOfStatements tells a statement that takes two times from two
// statements of which each takes its own.
func TestHumpsOfStatements(t *testing.T) {
	fast, slow := time.Millisecond, 476*time.Millisecond
	mixed := append(repeated(300, fast), repeated(100, slow)...)
	steps := []time.Duration{50 * ms, 100 * ms, 150 * ms, 200 * ms}
	type work struct {
		fingerprint string
		rts         []time.Duration
	}
	rarely := func(n int, d time.Duration) (list []work) {
		for i := range n {
			list = append(list, work{fmt.Sprint("GET /", d, "/", i), []time.Duration{d}})
		}
		return list
	}
	for _, tc := range []struct {
		name       string
		rts        []time.Duration
		statements []work
		want       rule.Confidence
		says       string
	}{
		{"two kinds of work", mixed, []work{{"GET /static", repeated(300, fast)}, {"GET /report", repeated(100, slow)}}, 0, ""},
		{"one statement takes both", mixed, []work{{"GET /item", mixed}}, rule.Possible, "answers of http 10.0.0.2:8080 to GET /item take 1 ms or 476 ms"},
		{"one of two takes both", mixed, []work{{"GET /static", repeated(200, fast)}, {"GET /item", append(repeated(100, fast), repeated(100, slow)...)}}, rule.Possible, " to GET /item take"},
		{"too few requests of it to make humps", mixed, []work{{"GET /static", repeated(290, fast)}, {"GET /report", repeated(80, slow)},
			{"GET /item", append(repeated(10, fast), repeated(20, slow)...)}}, 0, ""},
		{"no statements are known", mixed, nil, rule.Possible, "answers of http 10.0.0.2:8080 take"},
		{"statements beyond those told apart", mixed, []work{{summary.Others, mixed}}, rule.Possible, "answers of http 10.0.0.2:8080 take"},
		{"each asked once", mixed, append(rarely(300, fast), rarely(100, slow)...), rule.Possible, "answers of http 10.0.0.2:8080 take"},
		{"only the slow ones asked once", mixed, append(rarely(100, slow), work{"GET /static", repeated(300, fast)}), 0, ""},
		{"steps of one statement", steps, []work{{"GET /job", append(append(repeated(100, steps[0]), repeated(100, steps[1])...), append(repeated(100, steps[2]), repeated(100, steps[3])...)...)}}, rule.Likely, "too few workers"},
		{"steps, each of its own statement", steps, []work{{"GET /1", repeated(100, steps[0])}, {"GET /2", repeated(100, steps[1])}, {"GET /3", repeated(100, steps[2])}, {"GET /4", repeated(100, steps[3])}}, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Proto: "http", Port: 8080, Rate: 40, RTs: tc.rts})
			for _, w := range tc.statements {
				h.PacketStatement(recording.PacketStatement{ServerPort: 8080, Proto: "http", Fingerprint: w.fingerprint}, w.rts...)
			}
			for _, f := range ruletest.Judge(t, h, workerQueueing, tc.want) {
				if !strings.Contains(f.Headline.String(), tc.says) {
					t.Errorf("%q lacks %q", f.Headline, tc.says)
				}
			}
		})
	}
}

// backends are servers of one kind and port that 10.0.0.1 asks.
func backends(median map[int]time.Duration, statement func(i int) string) *ruletest.Host {
	h := ruletest.New(2, 10).PacketCapture(nil)
	for i := range 8 {
		d, ok := median[i]
		if !ok {
			d = 2 * time.Millisecond
		}
		server := fmt.Sprintf("10.0.0.%d", 101+i)
		h.Packets(ruletest.PacketService{Server: server, Rate: 10, RTs: []time.Duration{d, d + d/10}})
		for range 5 {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Server: server, ClientPort: int32(50000 + i)},
				FromClient: recording.PacketSide{RTTs: 5, RTTSum: 5 * 100 * time.Microsecond, RTTMin: 90 * time.Microsecond}})
		}
		h.PacketStatement(recording.PacketStatement{Server: server, Fingerprint: statement(i)}, repeated(100, d)...)
	}
	return h
}

// onPorts are four backends on ports of one host, the third of which is slow; size
// is that of the answers of each.
func onPorts(statement func(i int) string, size func(i int) int64) *ruletest.Host {
	h := ruletest.New(2, 10).PacketCapture(nil)
	for i := range 4 {
		d, port := 3*time.Millisecond, 9001+i
		if i == 2 {
			d = 45 * time.Millisecond
		}
		h.Packets(ruletest.PacketService{Proto: "http", Port: uint16(port), Rate: 10, RTs: []time.Duration{d, d + d/10}})
		for range 5 {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Proto: "http", ServerPort: int32(port), ClientPort: int32(50000 + i)},
				FromClient: recording.PacketSide{RTTs: 5, RTTSum: 5 * 100 * time.Microsecond, RTTMin: 90 * time.Microsecond}})
		}
		h.PacketStatement(recording.PacketStatement{Proto: "http", ServerPort: int32(port), Fingerprint: statement(i), ResponseBytes: 100 * size(i)}, repeated(100, d)...)
	}
	return h
}

func TestOneSlowBackend(t *testing.T) {
	item := func(int) string { return "GET /item" }
	kilobyte := func(int) int64 { return 1000 }
	same := func(int) string { return "select ?" }
	slow := map[int]time.Duration{3: 20 * time.Millisecond}
	tests := []struct {
		name string
		want rule.Confidence
		make func() *ruletest.Host
	}{
		{"one of eight", rule.Certain, func() *ruletest.Host { return backends(slow, same) }},
		{"one of four ports", rule.Certain, func() *ruletest.Host { return onPorts(item, kilobyte) }},
		{"a program of another kind, asked for the same", 0, func() *ruletest.Host {
			return onPorts(item, func(i int) int64 { return 1000 + int64(i%3)*9000 })
		}},
		{"other programs", 0, func() *ruletest.Host {
			return onPorts(func(i int) string { return "GET /" + string(rune('a'+i)) }, kilobyte)
		}},
		{"a proxy before three", 0, func() *ruletest.Host {
			h := onPorts(item, kilobyte)
			for _, callee := range []int32{9001, 9002, 9004} {
				h.PacketNesting(recording.PacketNesting{Host: "10.0.0.2", Port: 9003, Callee: "10.0.0.2", CalleePort: callee, Requests: 50, Calls: 50})
			}
			return h
		}},
		{"all alike", 0, func() *ruletest.Host { return backends(nil, same) }},
		{"a little slower", 0, func() *ruletest.Host { return backends(map[int]time.Duration{3: 5 * time.Millisecond}, same) }},
		{"half of them", 0, func() *ruletest.Host {
			return backends(map[int]time.Duration{0: 20 * time.Millisecond, 1: 20 * time.Millisecond, 2: 20 * time.Millisecond, 3: 20 * time.Millisecond}, same)
		}},
		{"it does other work", 0, func() *ruletest.Host {
			return backends(slow, func(i int) string {
				if i == 3 {
					return "update ?"
				}
				return "select ?"
			})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judged(t, tt.make(), oneSlowBackend); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestConnectSlow(t *testing.T) {
	connects := func(fine, late, never int, wait time.Duration) *ruletest.Host {
		h := ruletest.New(2, 10).PacketCapture(nil)
		for range fine {
			h.PacketConnection(ruletest.PacketConnection{})
		}
		for range late {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{SYNs: 2, SYNACKs: 1, Connect: wait, ServerRTT: recording.Unknown, ClientRTT: recording.Unknown}})
		}
		for range never {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{SYNs: 3, Proto: ""}})
		}
		return h.Packets(ruletest.PacketService{Rate: 10, RTs: us(300), Handshakes: float64(fine) / 10})
	}
	refused := func() *ruletest.Host {
		h := connects(10, 0, 0, 0)
		for range 5 {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{SYNs: 2, Refused: true}})
		}
		return h
	}
	abandoned := func(packets int64) *ruletest.Host {
		h := connects(90, 0, 0, 0)
		for range 10 {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{SYNs: 1, Connect: recording.Unknown,
				ServerRTT: recording.Unknown, ClientRTT: recording.Unknown}, FromClient: recording.PacketSide{Packets: packets}})
		}
		return h
	}
	ignored := func() *ruletest.Host {
		h := connects(90, 0, 0, 0)
		for range 10 {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{SYNs: 1, SYNACKs: 2, RTMax: time.Second},
				FromClient: recording.PacketSide{Packets: 9, Retransmissions: 3}})
		}
		return h
	}
	tests := []struct {
		name string
		want rule.Confidence
		host *ruletest.Host
	}{
		{"one in ten", rule.Certain, connects(90, 10, 0, time.Second)},
		{"never answered", rule.Certain, connects(0, 0, 4, 0).PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Server: "10.0.0.9"},
			FromClient: recording.PacketSide{Packets: 3}, FromServer: recording.PacketSide{Packets: 3}})},
		{"never answered, and nothing else either", rule.Possible, connects(0, 0, 4, 0)},
		{"a single one that nobody answers", rule.Possible, connects(0, 0, 1, 0)},
		{"a single one that nobody answers, though others are heard", rule.Possible, connects(0, 0, 1, 0).PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Server: "10.0.0.9"},
			FromClient: recording.PacketSide{Packets: 3}, FromServer: recording.PacketSide{Packets: 3}})},
		{"a single one beside one that was answered", 0, connects(1, 0, 1, 0)},
		{"two of many", 0, connects(90, 2, 0, time.Second)},
		{"given up before the repeat", rule.Certain, abandoned(1)},
		{"captured in one direction", 0, abandoned(5)},
		{"handshakes ignored", rule.Certain, ignored()},
		{"more than were kept", rule.Certain, connects(0, 20, 0, time.Second).AllConnections(90_000,
			recording.PacketDirection{Begun: 90_000, SlowConnects: 4500, SilentSYNs: 4500, ConnectWait: 4500 * time.Second}, recording.PacketDirection{})},
		{"few, though most of the worst", 0, connects(0, 20, 0, time.Second).AllConnections(90_000,
			recording.PacketDirection{Begun: 90_000, SlowConnects: 20, SilentSYNs: 20, ConnectWait: 20 * time.Second}, recording.PacketDirection{})},
		{"few of very many", 0, connects(1000, 3, 0, time.Second)},
		{"half a percent, and somebody waits all the time", rule.Likely, connects(1000, 5, 0, 3*time.Second)},
		{"half a percent, and nobody waits most of the time", 0, connects(1000, 5, 0, time.Second)},
		{"one in 500, and somebody waits all the time", 0, connects(2000, 4, 0, 7*time.Second)},
		{"half a percent of many, of which the worst were kept", rule.Likely, connects(0, 20, 0, time.Second).AllConnections(90_000,
			recording.PacketDirection{Begun: 90_000, SlowConnects: 450, SilentSYNs: 450, ConnectWait: 450 * time.Second}, recording.PacketDirection{})},
		{"repeated at once by the capture", 0, connects(90, 10, 0, time.Millisecond)},
		{"refused", 0, refused()},
		{"healthy", 0, connects(100, 0, 0, 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judged(t, tt.host, connectSlow); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// A capture beside the host names the process that serves.
func TestServiceNamesItsProcess(t *testing.T) {
	h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Rate: 10, RTs: us(300)})
	h.Process(ruletest.Process{PID: 812, Comm: "mysqld"})
	ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
		return recording.ListenerSample{At: at, NetNS: 1, Local: "10.0.0.2", Port: 3306, Inode: 77, Backlog: 128}
	})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: 812, Inode: 77})
	v := h.View()
	got := v.ServiceEntity(v.PacketServices()[0])
	if got.PID != 812 || got.Name != "mysql 10.0.0.2:3306" || got.Detail != "mysqld" {
		t.Errorf("subject %+v does not name mysqld (812)", got)
	}
}
