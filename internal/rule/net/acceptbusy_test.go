package net

import (
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// A server that has stopped accepting is told what its main thread does instead.
func TestInsteadOfAccepting(t *testing.T) {
	for name, c := range map[string]struct {
		thread      ruletest.Thread
		hot         string
		proof, does string
	}{
		"computes":           {ruletest.Thread{State: "R", CPU: 0.98}, "luaV_execute", "on a CPU 98 % of the time, most of it in luaV_execute (lua.c:7)", "do less in the thread that accepts: it is in luaV_execute"},
		"waits":              {ruletest.Thread{State: "S", Syscall: "futex", CPU: 0.01}, "", "waits in futex", "find out what redis-server is doing"},
		"is stopped":         {ruletest.Thread{State: "T"}, "", "is stopped, by a signal or a debugger", "let redis-server go on"},
		"computes somewhere": {ruletest.Thread{State: "R", CPU: 0.9}, "", "on a CPU 90 % of the time", "find out what"},
	} {
		t.Run(name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 2, 71, "redis-server")
			listens(h, listener{ns: 1, port: 6379, inode: 2, queue: []uint32{65}, backlog: 64, drops: 90})
			counters(h, 1, map[string]float64{"TcpExtListenOverflows": 90, "TcpExtListenDrops": 90, "TcpPassiveOpens": 0})
			c.thread.PID, c.thread.TID, c.thread.Comm = 71, 71, "redis-server"
			h.Thread(c.thread)
			h.Thread(ruletest.Thread{PID: 71, TID: 72, Comm: "bio", State: "S", Syscall: "read"})
			if c.hot != "" {
				h.OnCPU(recording.OnCPUSample{PID: 71, Process: "redis-server", Samples: 400, Function: c.hot, Source: "lua.c:7"})
			}
			f := ruletest.Judge(t, h, acceptQueueFull, rule.Certain)[0]
			proof := ""
			for _, e := range f.Evidence {
				proof += e.What.String() + "\n"
			}
			if !strings.Contains(proof, c.proof) || !strings.Contains(f.Fixes[0].Text.String(), c.does) {
				t.Errorf("proof\n%sfix %s", proof, f.Fixes[0].Text)
			}
		})
	}
}
