package rt

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// What the threads of a server did while requests waited tells whether it
// worked.
func TestThreadsOfSlowServers(t *testing.T) {
	const steady = 150 * time.Millisecond
	// Four processes, each with a connection, and 20 requests a second of 150 ms:
	// three at any time.
	host := func(proto string, port uint16, each ruletest.Process, processes, connections int) *ruletest.Host {
		h := ruletest.New(4, 10).PacketCapture(nil)
		h.Packets(ruletest.PacketService{Server: "10.0.0.2", Port: port, Proto: proto, Rate: 20, RTs: []time.Duration{steady}})
		var rts []time.Duration
		for range 200 {
			rts = append(rts, steady)
		}
		h.PacketStatement(recording.PacketStatement{Proto: proto, ServerPort: int32(port), Fingerprint: "select ?"}, rts...)
		for range 5 {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{ServerPort: int32(port), Proto: proto}})
		}
		h.Process(ruletest.Process{PID: 800, Comm: each.Comm})
		ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
			return recording.ListenerSample{At: at, NetNS: 1, Local: "10.0.0.2", Port: port, Inode: 77, Backlog: 128}
		})
		ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: 800, Inode: 77})
		for i := range processes {
			p := each
			p.PID, p.PPID = int32(810+i), 800
			h.Process(p)
		}
		for i := range connections {
			ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: int32(810 + i%processes), Inode: uint64(100 + i)})
			ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
				return recording.TCPSample{At: at, NetNS: 1, Inode: uint64(100 + i), Local: "10.0.0.2", LocalPort: port, Remote: "10.0.0.1", RemotePort: uint16(40001 + i), State: recording.TCPEstablished}
			})
		}
		return h
	}
	idle := ruletest.Process{Comm: "postgres", CPU: 0.01}
	asks := func(h *ruletest.Host) *ruletest.Host {
		ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: 810, Inode: 200})
		return ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
			return recording.TCPSample{At: at, NetNS: 1, Inode: 200, Local: "10.0.0.2", LocalPort: 50000, Remote: "10.0.0.3", RemotePort: 5432, State: recording.TCPEstablished}
		})
	}
	ruletest.Check(t, serverSlow, []ruletest.Situation{
		{Name: "backends that sleep", Host: func() *ruletest.Host { return host("postgres", 5432, idle, 4, 4) },
			Want: rule.Likely, Kind: view.KindService, Subject: "postgres 10.0.0.2:5432", Low: 2.9, High: 3.1, Says: "the threads of postgres ×4 slept 99 %", Proof: "were on a CPU 1.3 %"},
		{Name: "backends that work", Host: func() *ruletest.Host {
			return host("postgres", 5432, ruletest.Process{Comm: "postgres", CPU: 0.6}, 4, 4)
		}, Want: rule.Possible, Kind: view.KindService, Subject: "postgres 10.0.0.2:5432", Low: 2.9, High: 3.1, Proof: "were on a CPU 80 %"},
		{Name: "a pooler that waits for its server", Host: func() *ruletest.Host { return asks(host("postgres", 5432, idle, 4, 4)) },
			Want: rule.Possible, Kind: view.KindService, Subject: "postgres 10.0.0.2:5432", Low: 2.9, High: 3.1},
		{Name: "a web server may sleep by design", Host: func() *ruletest.Host {
			return host("http", 8080, ruletest.Process{Comm: "gunicorn", CPU: 0.01}, 4, 4)
		}, Want: rule.Possible, Kind: view.KindService, Subject: "http 10.0.0.2:8080", Low: 2.9, High: 3.1, Proof: "slept 99 %"},
		{Name: "a queue before one busy thread is no sleep", Host: func() *ruletest.Host {
			return host("redis", 6379, ruletest.Process{Comm: "redis-server", CPU: 0.95}, 1, 10)
		}, Want: rule.Possible, Kind: view.KindService, Subject: "redis 10.0.0.2:6379", Low: 2.9, High: 3.1, Proof: "were on a CPU 95 %"},
	})
}
