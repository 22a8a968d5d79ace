package rt_test

import (
	"testing"
	"time"

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
