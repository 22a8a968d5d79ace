package rt_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/cpu"
	"rtrail/internal/rule/rt"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// What the host makes a server wait for is the cause; that it answers slowly
// goes under it.
func TestSlowServerFoldsUnderItsHost(t *testing.T) {
	h := ruletest.New(2, 10).PacketCapture(nil)
	var rts []time.Duration
	for i := range 300 {
		d := 300 * time.Microsecond
		if i%10 == 0 {
			d = 90 * time.Millisecond
		}
		rts = append(rts, d)
	}
	h.Packets(ruletest.PacketService{Rate: 30, RTs: rts})
	h.PacketStatement(recording.PacketStatement{Fingerprint: "select ?"}, rts...)
	for range 5 {
		h.PacketConnection(ruletest.PacketConnection{})
	}
	h.CPU(0, ruletest.CPU{User: 0.1})
	h.CPU(1, ruletest.CPU{User: 0.1})
	h.Process(ruletest.Process{PID: 812, Comm: "mysqld", Cgroup: "/db", CPU: 0.1, RunDelay: 0.9})
	h.Cgroup(ruletest.Cgroup{Path: "/db", Processes: 1, Quota: 10 * time.Millisecond, CPU: 0.1, Periods: 10, Throttled: 9, ThrottledTime: 0.9})
	ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
		return recording.ListenerSample{At: at, NetNS: 1, Local: "10.0.0.2", Port: 3306, Inode: 77, Backlog: 128}
	})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: 812, Inode: 77})

	alone := verdict.Judge(h.View(), rt.Rules)
	if len(alone.Findings) != 1 || alone.Findings[0].Rule != "rt/server-slow" || alone.Findings[0].Confidence != rule.Likely {
		t.Fatalf("packets alone: %+v, want rt/server-slow, likely", alone.Findings)
	}
	both := verdict.Judge(h.View(), append(append([]rule.Rule{}, cpu.Rules...), rt.Rules...))
	if len(both.Findings) == 0 || both.Findings[0].Rule != "cpu/throttled" {
		t.Fatalf("with the host: %+v, want cpu/throttled first", both.Findings)
	}
	folded := false
	for _, f := range both.Findings[0].Explains {
		folded = folded || f.Rule == "rt/server-slow"
	}
	if !folded || len(both.Findings) != 1 {
		t.Errorf("with the host there are %d findings, rt/server-slow folded: %v", len(both.Findings), folded)
	}
}

// A CPU that others wait for explains the wait for a server only where its own
// threads, or those of whom it waits for, wait for one.
func TestSlowServerBesideFullCPUs(t *testing.T) {
	for _, test := range []struct {
		name           string
		delay, backend float64 // run delays of the server and of the database that it asks
		asks           bool
		throttled      bool // the server is in a group that is held at its quota
		want           map[string]string
	}{
		{name: "it sleeps", delay: 0.03, want: map[string]string{"cpu/saturated": "", "rt/server-slow": ""}},
		{name: "it waits for a CPU", delay: 0.8, want: map[string]string{"cpu/saturated": "", "rt/server-slow": "cpu/saturated"}},
		{name: "its database waits for a CPU", backend: 0.8, asks: true, want: map[string]string{"cpu/saturated": "", "rt/server-slow": "cpu/saturated"}},
		{name: "its database sleeps", backend: 0.02, asks: true, want: map[string]string{"cpu/saturated": "", "rt/server-slow": ""}},
		{name: "a database that it does not ask waits", backend: 0.8, want: map[string]string{"cpu/saturated": "", "rt/server-slow": ""}},
		{name: "it sleeps in a group that is held", delay: 0.06, throttled: true, want: map[string]string{"cpu/saturated": "", "cpu/throttled": "", "rt/server-slow": ""}},
		{name: "it waits in a group that is held", delay: 0.8, throttled: true, want: map[string]string{"cpu/saturated": "", "cpu/throttled": "", "rt/server-slow": "cpu/throttled"}},
	} {
		h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1}).PacketCapture(nil)
		for range 6 {
			h.Process(ruletest.Process{Comm: "compile", CPU: 0.32, RunDelay: 0.6})
		}
		group := ""
		if test.throttled {
			group = "/web"
			h.Cgroup(ruletest.Cgroup{Path: group, Processes: 1, Quota: 10 * time.Millisecond, CPU: 0.01, Periods: 10, Throttled: 9, ThrottledTime: 0.9})
		}
		h.Process(ruletest.Process{PID: 80, Comm: "sleeper", Cgroup: group, RunDelay: test.delay})
		h.Process(ruletest.Process{PID: 81, Comm: "database", CPU: 0.02, RunDelay: test.backend})
		h.Packets(ruletest.PacketService{Server: "127.0.0.1", Port: 8000, Proto: "http", Rate: 2, RTs: []time.Duration{501 * time.Millisecond}, Handshakes: 2, ServerRTT: 50 * time.Microsecond})
		for inode, port := range map[uint64]uint16{80: 8000, 81: 3306} {
			ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
				return recording.ListenerSample{At: at, NetNS: 1, Local: "127.0.0.1", Port: port, Inode: inode, Backlog: 128}
			})
			ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: int32(inode), Inode: inode})
		}
		if test.asks {
			ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample {
				return recording.TCPSample{At: at, NetNS: 1, Local: "127.0.0.1", LocalPort: 50000, Remote: "127.0.0.1", RemotePort: 3306, State: recording.TCPEstablished, Inode: 90,
					Info: true, BytesSent: 100 + uint64(s), BytesReceived: uint64(s), LastSend: at.Add(-100 * time.Millisecond), LastReceive: at.Add(-900 * time.Millisecond)}
			})
			ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, PID: 80, Inode: 90})
		}
		got := map[string]string{}
		var walk func(list []verdict.Finding, under string)
		walk = func(list []verdict.Finding, under string) {
			for _, f := range list {
				got[f.Rule] = under
				walk(f.Explains, f.Rule)
			}
		}
		walk(verdict.Judge(h.View(), append(slices.Clone(cpu.Rules), rt.Rules...)).Findings, "")
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: findings and what explains them (-want +got):\n%s", test.name, diff)
		}
	}
}
