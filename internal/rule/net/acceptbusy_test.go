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
		"is stopped":         {ruletest.Thread{State: "T"}, "", "is stopped, by a signal or a debugger", "resume redis-server"},
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

// Of a server whose process is not known, it is said how to find that; what is attached to it is not.
func TestInsteadOfAcceptingByNobodyKnown(t *testing.T) {
	for name, c := range map[string]struct {
		owned bool
		does  string
		not   string
	}{
		"known":     {true, "strace -f -p 71", "ss -ltnp"},
		"not known": {false, "ss -ltnp 'sport = :8000'", "strace"},
	} {
		h := ruletest.New(2, 10)
		if c.owned {
			owns(h, 2, 71, "hung")
		}
		listens(h, listener{ns: 1, port: 8000, inode: 2, queue: []uint32{65}, backlog: 64, drops: 90})
		counters(h, 1, map[string]float64{"TcpExtListenOverflows": 90, "TcpExtListenDrops": 90, "TcpPassiveOpens": 0})
		f := ruletest.Judge(t, h, acceptQueueFull, rule.Certain)[0].Fixes[0]
		if command := f.Command.String(); !strings.Contains(command, c.does) || strings.Contains(f.Tradeoff+command, c.not) {
			t.Errorf("%s: %s: %s, which costs %s", name, f.Text, command, f.Tradeoff)
		}
	}
}

// Connects to other servers do not hide that one has stopped accepting, and a server
// that still accepts is not said to have stopped.
func TestStoppedAccepting(t *testing.T) {
	const queue = 5 // of a backlog of 4
	for name, c := range map[string]struct {
		opened  float64 // handshakes a second in the namespace
		seen    int     // connections at the port at each reading; one of them is made later if moves
		moves   bool
		others  []uint32 // queue of another listener
		stopped bool
		impact  string
	}{
		"nothing else is served":                {opened: 0, seen: queue, stopped: true, impact: "100 % of connects"},
		"others accept meanwhile":               {opened: 20, seen: queue, others: []uint32{0}, stopped: true, impact: "100 % of connects"},
		"it accepts, slowly":                    {opened: 20, seen: queue, moves: true, impact: "82 % of connects"},
		"it accepts, beside others":             {opened: 20, seen: queue, moves: true, others: []uint32{0}, impact: "at least 82 % of connects"},
		"it and another overflow":               {opened: 0, seen: queue, moves: true, others: []uint32{5}, impact: "at least 100 % of connects"},
		"a part of the queue is seen":           {opened: 20, seen: queue - 2, impact: "82 % of connects"},
		"its connections are not seen":          {opened: 0, stopped: true, impact: "100 % of connects"},
		"not seen, and others accept meanwhile": {opened: 20, others: []uint32{0}, impact: "at least 82 % of connects"},
	} {
		t.Run(name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 2, 71, "hung")
			listens(h, listener{ns: 1, port: 8000, inode: 2, queue: []uint32{queue}, backlog: queue - 1, drops: 90})
			if c.others != nil {
				listens(h, listener{ns: 1, port: 9000, inode: 3, queue: c.others, backlog: 4})
			}
			counters(h, 1, map[string]float64{"TcpExtListenOverflows": 90, "TcpExtListenDrops": 90, "TcpPassiveOpens": c.opened})
			sockets(h, func(s float64, i int) recording.TCPSample {
				row := recording.TCPSample{NetNS: 1, Local: "10.0.0.1", LocalPort: 8000, Remote: "10.0.0.9", RemotePort: uint16(2000 + i), State: recording.TCPEstablished}
				if c.moves && i == 0 && s >= 4 {
					row.RemotePort = 3000
				}
				return row
			}, c.seen)
			sockets(h, func(float64, int) recording.TCPSample { // half-open ones and other ports are none of it
				return recording.TCPSample{NetNS: 1, Local: "10.0.0.1", LocalPort: 9000, Remote: "10.0.0.9", RemotePort: 4000, State: recording.TCPEstablished}
			}, 1)
			for _, f := range ruletest.Judge(t, h, acceptQueueFull, rule.Certain) {
				if f.Subject.Port != 8000 {
					continue
				}
				if got := strings.Contains(f.Headline.String(), "has stopped accepting"); got != c.stopped || f.Impact.Text.String() != c.impact {
					t.Errorf("stopped %v, impact %s; want %v, %s", got, f.Impact.Text, c.stopped, c.impact)
				}
			}
		})
	}
}

// Of a master and its workers, the one that keeps connections waiting is named.
func TestInsteadOfAcceptingWorkers(t *testing.T) {
	for name, c := range map[string]struct {
		first, second ruletest.Thread
		proof         string
	}{
		"a worker computes":  {ruletest.Thread{State: "R", CPU: 0.2}, ruletest.Thread{State: "R", CPU: 1}, "gunicorn (42) is on a CPU 100 % of the time"},
		"the first one does": {ruletest.Thread{State: "R", CPU: 1}, ruletest.Thread{State: "S", Syscall: "futex"}, "gunicorn (41) is on a CPU 100 % of the time"},
		"one is stopped":     {ruletest.Thread{State: "T"}, ruletest.Thread{State: "R", CPU: 1}, "gunicorn (41) is stopped"},
		"workers wait":       {ruletest.Thread{State: "S", Syscall: "futex"}, ruletest.Thread{State: "S", Syscall: "futex"}, "gunicorn (42) waits in futex"},
	} {
		t.Run(name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			listens(h, listener{ns: 1, port: 8000, inode: 5, queue: []uint32{11}, backlog: 10, drops: 10})
			counters(h, 1, map[string]float64{"TcpExtListenOverflows": 10, "TcpExtListenDrops": 10, "TcpPassiveOpens": 0})
			threads := []ruletest.Thread{{State: "S", Syscall: "select", CPU: 0.01}, c.first, c.second}
			for i, thread := range threads {
				thread.PID, thread.TID, thread.Comm = int32(40+i), int32(40+i), "gunicorn"
				owns(h, 5, thread.PID, "gunicorn")
				h.Thread(thread)
			}
			f := ruletest.Judge(t, h, acceptQueueFull, rule.Certain)[0]
			proof := ""
			for _, e := range f.Evidence {
				proof += e.What.String() + "\n"
			}
			if !strings.Contains(proof, c.proof) || strings.Contains(proof, "(40)") {
				t.Error(proof)
			}
		})
	}
}
