package mysql

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func idleGroups(h *ruletest.Host, n int32) *ruletest.Host {
	for g := range n {
		h.PoolGroup(recording.MySQLPoolGroup{Group: g, Connections: 5, Threads: 2, Dequeued: 2000}, nil)
	}
	return h
}

// stuckGroup is a group of MariaDB all of whose threads sleep.
func stuckGroup(wait time.Duration) recording.MySQLPoolGroup {
	return recording.MySQLPoolGroup{Group: 3, Connections: 40, Threads: 6, Active: 0, Queued: 4, LongestWait: wait, Dequeued: 3, Stalls: 2}
}

// busy is a group whose threads all work, so that none listens for requests: the
// server shows no queue.
var busy = recording.MySQLPoolGroup{Group: 3, Connections: 9, Threads: 6}

// pings are answered at once, but for those so many seconds after the start.
func pings(took time.Duration, seconds ...float64) func(s float64) time.Duration {
	return func(s float64) time.Duration {
		if slices.Contains(seconds, s) {
			return took
		}
		return 0
	}
}

var twice = pings(1500*time.Millisecond, 3, 7)

// A pool of four groups with twelve threads has made all that it may, or some.
var (
	twelve   = map[string]string{"thread_pool_max_threads": "12"}
	thousand = map[string]string{"thread_pool_max_threads": "1000"}
)

// pooledSelf is a pool of four groups, and rtrail waits twice in group 3.
func pooledSelf(variables map[string]string, g recording.MySQLPoolGroup) *ruletest.Host {
	h := server(ruletest.MySQL{Variables: variables, Pooled: 7, Ping: twice})
	for other := range int32(4) {
		if other != g.Group {
			h.PoolGroup(recording.MySQLPoolGroup{Group: other, Connections: 5, Threads: 2, Dequeued: 2000}, nil)
		}
	}
	return h.PoolGroup(g, nil)
}

func TestThreadPoolStalled(t *testing.T) {
	ruletest.Check(t, threadPoolStalled, []ruletest.Situation{
		{Name: "no pool", Host: func() *ruletest.Host { return server(ruletest.MySQL{}) }},
		{Name: "an idle pool", Host: func() *ruletest.Host { return idleGroups(server(ruletest.MySQL{}), 4) }},
		{Name: "one group of four", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.9, High: 4.1,
			Says: "group 3 of 4 of the thread pool of mariadbd stalled: statements wait up to 1.8 s for a thread",
			Host: func() *ruletest.Host {
				return idleGroups(server(ruletest.MySQL{}), 3).PoolGroup(stuckGroup(1800*time.Millisecond), nil)
			}},
		{Name: "at full speed", Host: func() *ruletest.Host {
			h := server(ruletest.MySQL{})
			g := stuckGroup(3 * time.Millisecond)
			g.Queued, g.Dequeued = 30, 10_000
			return h.PoolGroup(g, nil)
		}},
		{Name: "at full speed, and nobody tells the waits", Host: func() *ruletest.Host {
			g := stuckGroup(recording.Unknown)
			g.Queued, g.Dequeued = 30, 10_000
			return server(ruletest.MySQL{}).PoolGroup(g, nil)
		}},
		{Name: "by the length of the queue", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.9, High: 4.1, Says: "wait up to 1.33 s",
			Host: func() *ruletest.Host {
				g := stuckGroup(recording.Unknown)
				g.Stalls = 0
				return server(ruletest.MySQL{}).PoolGroup(g, nil)
			}},
		{Name: "one long wait among short ones", Host: func() *ruletest.Host {
			g := stuckGroup(3 * time.Millisecond)
			g.Queued, g.Dequeued = 2, 2_500
			return server(ruletest.MySQL{}).PoolGroup(g, func(s float64, r *recording.MySQLPoolGroup) {
				if s == 1 {
					r.LongestWait = 363 * time.Millisecond
				}
			})
		}},
		{Name: "rtrail waits itself, and no more threads are made", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.29, High: 0.31,
			Says: "group 3 of 4 of the thread pool of mariadbd stalled: statements wait up to 1.5 s for a thread", Host: func() *ruletest.Host { return pooledSelf(twelve, busy) }},
		{Name: "rtrail waits itself, and the timer noted stalls", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.29, High: 0.31,
			Says: "wait up to 1.5 s for a thread", Host: func() *ruletest.Host {
				return pooledSelf(thousand, recording.MySQLPoolGroup{Group: 3, Connections: 9, Threads: 6, Stalls: 1})
			}},
		{Name: "rtrail waits itself, for something else than a thread", Host: func() *ruletest.Host {
			return pooledSelf(thousand, busy)
		}},
		{Name: "rtrail waits itself, in another group", Host: func() *ruletest.Host {
			return pooledSelf(thousand, recording.MySQLPoolGroup{Group: 0, Connections: 9, Threads: 6, Stalls: 1})
		}},
		{Name: "rtrail waits itself, at another port", Host: func() *ruletest.Host {
			return idleGroups(server(ruletest.MySQL{Variables: twelve, Ping: twice}), 3).PoolGroup(busy, nil)
		}},
		{Name: "rtrail waits itself, once", Host: func() *ruletest.Host {
			return idleGroups(server(ruletest.MySQL{Variables: twelve, Pooled: 7, Ping: pings(2900*time.Millisecond, 5)}), 3).PoolGroup(busy, nil)
		}},
		{Name: "rtrail waits itself, once and long", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.39, High: 0.41, Says: "wait up to 4 s for a thread",
			Host: func() *ruletest.Host {
				return idleGroups(server(ruletest.MySQL{Variables: twelve, Pooled: 7, Ping: pings(4*time.Second, 6)}), 3).PoolGroup(busy, nil)
			}},
		{Name: "rtrail waits itself, for moments", Host: func() *ruletest.Host {
			moments := pings(400*time.Millisecond, 1, 2, 3, 4, 5, 6, 7, 8, 9)
			return idleGroups(server(ruletest.MySQL{Variables: twelve, Pooled: 7, Ping: moments}), 3).PoolGroup(busy, nil)
		}},
		{Name: "rtrail still waits at the end", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.49, High: 0.51, Says: "wait up to 2 s for a thread",
			Host: func() *ruletest.Host {
				h := pooledSelf(twelve, busy)
				return ruletest.Add(h, recording.MySQLServer{At: ruletest.Start.Add(10 * time.Second), Server: "10.0.0.2:3306", PID: pid, State: recording.ServerStalled,
					Waited: 2 * time.Second, Connection: 7})
			}},
		{Name: "rtrail waits for its login, and once more", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.29, High: 0.31, Says: "wait up to 1.5 s for a thread",
			Host: func() *ruletest.Host {
				m := ruletest.MySQL{Variables: twelve, Pooled: 7, Login: 1500 * time.Millisecond, Ping: pings(1500*time.Millisecond, 7)}
				return idleGroups(server(m), 3).PoolGroup(busy, nil)
			}},
		{Name: "a burst", Host: func() *ruletest.Host {
			return server(ruletest.MySQL{}).PoolGroup(stuckGroup(0), func(s float64, r *recording.MySQLPoolGroup) {
				if s != 4 {
					r.Queued = 0
				}
			})
		}},
	})
}

func TestThreadPoolJoined(t *testing.T) {
	m := ruletest.MySQL{Digests: []recording.MySQLStatement{{Text: "SELECT `name` FROM `item` WHERE `id` = ?", Count: 100, Took: 80 * time.Millisecond}},
		Variables: map[string]string{"thread_pool_max_threads": "6", "thread_pool_stall_limit": "500"},
		Sessions:  []recording.MySQLSession{{Statement: "SELECT report(?)", For: 25 * time.Second, User: "batch", Client: "10.0.0.9"}}}
	h := idleGroups(server(m), 3).PoolGroup(stuckGroup(11800*time.Millisecond), nil)
	h.PacketCapture(nil).Packets(ruletest.PacketService{Rate: 100, RTs: []time.Duration{time.Millisecond, 12 * time.Second}})
	h.PacketStatement(recording.PacketStatement{Fingerprint: "SELECT name FROM item WHERE id = ?"}, time.Millisecond, 12*time.Second)
	f := h.Detect(t, threadPoolStalled)[0]
	ruletest.Checked(t, f)
	if want := "clients of mariadbd wait up to 12 s, but execution takes 800 µs: statements queue before execution, in group 3 of 4 of the thread pool"; f.Headline.String() != want {
		t.Errorf("headline %q, want %q", f.Headline, want)
	}
	if want := "raise thread_pool_max_threads (6 now)"; !strings.Contains(f.Fixes[0].Text.String(), want) {
		t.Errorf("first fix %q lacks %q", f.Fixes[0].Text, want)
	}
}

func TestThreadPoolLeak(t *testing.T) {
	leaking := recording.MySQLPoolGroup{Group: 12, Connections: 40, Threads: 2, Active: 12, Queued: 5, Dequeued: recording.Unknown, Stalls: recording.Unknown}
	percona := ruletest.MySQL{Flavor: "Percona", Version: "5.7.44-48", Variables: map[string]string{"thread_pool_oversubscribe": "10"}}
	ruletest.Check(t, threadPoolLeak, []ruletest.Situation{
		{Name: "a sound pool", Host: func() *ruletest.Host { return idleGroups(server(ruletest.MySQL{}), 4) }},
		{Name: "more active than there are, and a queue", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 4.9, High: 5.1, Says: "group 12 has 2 threads and counts 12 active",
			Host: func() *ruletest.Host { return server(percona).PoolGroup(leaking, nil) }},
		{Name: "nobody queues yet", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.4, High: 0.6,
			Host: func() *ruletest.Host {
				g := leaking
				g.Queued, g.Active = 0, 3
				h := ruletest.New(4, 10).Process(ruletest.Process{PID: 4711, Comm: "mariadbd", Threads: 157})
				m := percona
				m.PID = 4711
				return h.MySQL(m).PoolGroup(g, nil)
			}},
		{Name: "a reading that contradicts itself", Host: func() *ruletest.Host {
			return server(percona).PoolGroup(leaking, func(s float64, r *recording.MySQLPoolGroup) {
				if s != 3 {
					r.Active = 1
				}
			})
		}},
	})
}

func TestConnectionsExhausted(t *testing.T) {
	limit := map[string]string{"max_connections": "151"}
	asleep := recording.MySQLClient{User: "app", Client: "10.0.0.5", Total: 140, Sleeping: 139, Idlest: time.Hour}
	ruletest.Check(t, connectionsExhausted, []ruletest.Situation{
		{Name: "room for more", Host: func() *ruletest.Host {
			return server(ruletest.MySQL{Variables: limit, Gauges: map[string]float64{"Threads_connected": 100}, Rates: map[string]float64{"Connection_errors_max_connections": 0}})
		}},
		{Name: "all taken by sleepers", Want: rule.Certain, Kind: view.KindListener, Subject: "mariadbd", Low: 0.49, High: 0.51, Says: "all 151 connections are taken, 140 by app@10.0.0.5, and 139 of 140 do nothing",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Variables: limit, Gauges: map[string]float64{"Threads_connected": 151},
					Rates: map[string]float64{"Connection_errors_max_connections": 100, "Connections": 100}}).MySQLClients(asleep)
			}},
		{Name: "refused between two looks", Want: rule.Likely, Kind: view.KindListener, Subject: "mariadbd", Low: 0.09, High: 0.1,
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Variables: limit, Gauges: map[string]float64{"Threads_connected": 120},
					Rates: map[string]float64{"Connection_errors_max_connections": 10, "Connections": 100}})
			}},
		{Name: "nearly all", Want: rule.Possible, Kind: view.KindListener, Subject: "mariadbd", Low: 0, High: 0.02, Says: "140 of 151 connections",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Variables: limit, Gauges: map[string]float64{"Threads_connected": 140}})
			}},
		{Name: "the administrators' one is taken too", Want: rule.Possible, Kind: view.KindListener, Subject: "mariadbd", Low: 0, High: 0.02, Says: "151 of 151 connections",
			Proof: "152 connected at most, max_connections is 151, and one more is reserved for administrators",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Variables: limit, Gauges: map[string]float64{"Threads_connected": 152}})
			}},
		{Name: "rtrail is turned away", Want: rule.Certain, Kind: view.KindListener, Subject: "mysql", Low: 1, High: 1, Says: "refuses connections: all its connections are taken",
			Host: func() *ruletest.Host {
				return ruletest.New(4, 10).MySQLSilence(recording.MySQLServer{State: recording.ServerFull, Code: 1040, Error: "Too many connections"})
			}},
		{Name: "rtrail is turned away, and so are others", Want: rule.Certain, Kind: view.KindListener, Subject: "mysql", Low: 1, High: 1, Says: "all its connections are taken, 3 by 10.0.0.5",
			Host: func() *ruletest.Host {
				h := ruletest.New(4, 10).MySQLSilence(recording.MySQLServer{State: recording.ServerFull, Code: 1040, Error: "Too many connections"})
				connection := func(at time.Time, port uint16) recording.TCPSample {
					return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 3306, Remote: "10.0.0.5", RemotePort: port, State: recording.TCPEstablished}
				}
				for held := range uint16(3) {
					ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample { return connection(at, 40000+held) })
				}
				return ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample { return connection(at, 50000+uint16(s)) })
			}},
	})
}

func TestNotAnswering(t *testing.T) {
	stalled := recording.MySQLServer{Server: "127.0.0.1:3306", State: recording.ServerStalled, Error: "no answer to the login for 9.8s", Waited: time.Second}
	unreachable := recording.MySQLServer{State: recording.ServerUnreachable}
	here := func(p ruletest.Process) *ruletest.Host {
		p.PID, p.Comm = 4711, "mariadbd"
		h := ruletest.New(4, 10).Process(p)
		row := stalled
		row.PID = 4711
		return h.MySQLSilence(row)
	}
	refused, timeout, gone := unreachable, unreachable, stalled
	refused.Error = "connection refused"
	timeout.Error = "no connection within 10s"
	gone.State, gone.Error, gone.Waited = recording.ServerGone, "the server closed the connection", 0
	ruletest.Check(t, notAnswering, []ruletest.Situation{
		{Name: "it answers", Host: func() *ruletest.Host { return server(ruletest.MySQL{}) }},
		{Name: "stopped", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1, Says: "mariadbd (4711) does not answer: it is stopped (process state T)",
			Host: func() *ruletest.Host { return here(ruletest.Process{State: "T"}) }},
		{Name: "silent for no reason", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1, Says: "accepts connections and does not answer",
			Host: func() *ruletest.Host { return here(ruletest.Process{}) }},
		{Name: "silent, and nobody knows what it is", Want: rule.Possible, Kind: view.KindService, Subject: "mysql 127.0.0.1:3306", Low: 1, High: 1, Says: "accepts connections and does not answer",
			Host: func() *ruletest.Host { return ruletest.New(4, 10).MySQLSilence(stalled) }},
		{Name: "something else is silent", Want: rule.Possible, Kind: view.KindProcess, Subject: "nginx", Low: 1, High: 1, Says: "accepts connections and does not answer",
			Host: func() *ruletest.Host {
				row := stalled
				row.PID = 80
				return ruletest.New(4, 10).Process(ruletest.Process{PID: 80, Comm: "nginx"}).MySQLSilence(row)
			}},
		{Name: "ended", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1, Says: "its process (4711) ended in the window",
			Host: func() *ruletest.Host {
				h := ruletest.New(4, 10).Process(ruletest.Process{PID: 4711, Comm: "mariadbd", To: 2}).Process(ruletest.Process{Comm: "init"})
				row := gone
				row.PID = 4711
				return h.MySQLSilence(row)
			}},
		{Name: "refused", Want: rule.Certain, Kind: view.KindService, Subject: "mysql 10.0.0.2:3306", Low: 1, High: 1, Says: "nothing listens there",
			Host: func() *ruletest.Host { return ruletest.New(4, 10).MySQLSilence(refused) }},
		{Name: "no such name", Want: rule.Certain, Kind: view.KindService, Subject: "mysql 10.0.0.2:3306", Low: 1, High: 1, Says: "its name is not known",
			Host: func() *ruletest.Host {
				row := unreachable
				row.Error = "lookup db on 10.0.0.1:53: no such host"
				return ruletest.New(4, 10).MySQLSilence(row)
			}},
		{Name: "nothing comes back", Want: rule.Likely, Kind: view.KindService, Subject: "mysql 10.0.0.2:3306", Low: 1, High: 1, Says: "no packet comes back",
			Host: func() *ruletest.Host { return ruletest.New(4, 10).MySQLSilence(timeout) }},
		{Name: "SYNs are repeated", Want: rule.Certain, Kind: view.KindService, Subject: "mysql 10.0.0.2:3306", Low: 1, High: 1, Says: "SYNs are not answered",
			Host: func() *ruletest.Host {
				return ruletest.Every(ruletest.New(4, 10).MySQLSilence(timeout), func(at time.Time, s float64) recording.TCPSample {
					return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 40000, Remote: "10.0.0.2", RemotePort: 3306,
						State: recording.TCPSynSent, Retransmits: uint8(s), Inode: 9}
				})
			}},
		{Name: "a moment", Abstains: "it did not answer for 2 s, too short", Host: func() *ruletest.Host {
			return ruletest.Every(ruletest.New(4, 10), func(at time.Time, s float64) recording.MySQLServer {
				row := recording.MySQLServer{State: recording.ServerAnswers, Flavor: "MariaDB"}
				if s == 4 {
					row = stalled
				}
				row.At, row.Server = at, "10.0.0.2:3306"
				return row
			})
		}},
		{Name: "back again", Want: rule.Likely, Kind: view.KindService, Subject: "mysql 10.0.0.2:3306", Low: 0.3, High: 0.5, Says: "did not answer for 4 s",
			Host: func() *ruletest.Host {
				return ruletest.Every(ruletest.New(4, 10), func(at time.Time, s float64) recording.MySQLServer {
					row := recording.MySQLServer{State: recording.ServerAnswers, Flavor: "MariaDB"}
					if s >= 4 && s < 7 {
						row = stalled
					}
					row.At, row.Server = at, "10.0.0.2:3306"
					return row
				})
			}},
	})
	denied := ruletest.New(4, 10).MySQLSilence(recording.MySQLServer{State: recording.ServerDenied, Error: "Access denied"})
	denied.Abstains(t, notAnswering)
	for _, says := range []string{"TLS was asked for, and the server offers none", "what answers there does not speak MySQL's protocol: it begins with \"-ERR\""} {
		ruletest.New(4, 10).MySQLSilence(recording.MySQLServer{State: recording.ServerMisnamed, Error: says}).Abstains(t, notAnswering)
	}
}

// watched is a server of this host over nine readings. look changes a row about
// it, which says that it answers.
func watched(p ruletest.Process, look func(s float64, row *recording.MySQLServer)) *ruletest.Host {
	h := ruletest.New(4, 8).Process(ruletest.Process{Comm: "init"})
	if p.Comm == "" {
		p.PID, p.Comm = 4711, "mariadbd"
	}
	h.Process(p)
	return ruletest.Every(h, func(at time.Time, s float64) recording.MySQLServer {
		row := recording.MySQLServer{At: at, Server: "127.0.0.1:3306", Port: 3306, PID: 4711, State: recording.ServerAnswers, Flavor: "MariaDB",
			Connect: recording.Unknown, Answer: time.Millisecond, Uptime: 100*second + time.Duration(s)*second}
		look(s, &row)
		return row
	})
}

// from makes looks since a second fail with an error.
func from(begin float64, state, says string) func(float64, *recording.MySQLServer) {
	return func(s float64, row *recording.MySQLServer) {
		if s >= begin {
			row.State, row.Error, row.Answer = state, says, recording.Unknown
		}
	}
}

// What was seen takes no time to prove; a short silence alone proves nothing.
func TestShortSilence(t *testing.T) {
	const refused = "connect: connection refused"
	answers := func(float64, *recording.MySQLServer) {}
	halted := func(state string, begin, end float64) ruletest.Process {
		return ruletest.Process{PID: 4711, Comm: "mariadbd", Change: func(s float64, row *recording.ProcessSample) {
			if s >= begin && s <= end {
				row.State = state
			}
		}}
	}
	// slow is a look whose first answer took its time.
	slow := func(at float64, took time.Duration) func(float64, *recording.MySQLServer) {
		return func(s float64, row *recording.MySQLServer) {
			if s == at {
				row.State, row.Answer = recording.ServerSlow, took
			}
		}
	}
	successor := ruletest.Process{PID: 4800, Comm: "mariadbd", From: 7, Started: ruletest.Start.Add(6500 * time.Millisecond)}
	ruletest.Check(t, notAnswering, []ruletest.Situation{
		{Name: "it answers", Host: func() *ruletest.Host { return watched(ruletest.Process{}, answers) }},
		{Name: "killed", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.1, High: 0.2, Says: "mariadbd (4711) does not answer: its process (4711) ended in the window", Proof: "was last seen at 14:02:16",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{PID: 4711, Comm: "mariadbd", To: 6}, from(7, recording.ServerGone, "the server closed the connection"))
			}},
		{Name: "killed before the last look", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.1, High: 0.12, Says: "its process (4711) ended in the window",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{PID: 4711, Comm: "mariadbd", To: 7}, from(8, recording.ServerUnreachable, refused))
			}},
		{Name: "killed while it was stopped", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.4, Says: "its process (4711) ended in the window",
			Host: func() *ruletest.Host {
				p := halted("T", 5, 6)
				p.To = 6
				return watched(p, func(s float64, row *recording.MySQLServer) {
					from(6, recording.ServerStalled, "no answer to a ping for 1s")(s, row)
					from(7, recording.ServerGone, "the server closed the connection")(s, row)
					if s == 6 {
						row.Waited = second
					}
				})
			}},
		{Name: "killed after the last look", Abstains: "its process was last seen at 14:02:17 UTC and still answered rtrail's last look",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{PID: 4711, Comm: "mariadbd", To: 7}, answers)
			}},
		{Name: "it refuses at the last look", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.1, High: 0.12, Says: "nothing listens there any more",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{}, from(8, recording.ServerUnreachable, refused))
			}},
		{Name: "its socket is gone at the last look", Want: rule.Likely, Kind: view.KindService, Subject: "mysql 127.0.0.1:3306", Low: 0.1, High: 0.2, Says: "nothing listens there any more",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{PID: 12, Comm: "bash"}, from(7, recording.ServerUnreachable, "connect: no such file or directory"))
			}},
		{Name: "its name is not known for a moment", Abstains: "no such host",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{}, from(7, recording.ServerUnreachable, "lookup db: no such host"))
			}},
		{Name: "it closes the connection", Abstains: "1 of 9 looks got no answer, including the last one: the server closed the connection",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{}, from(8, recording.ServerGone, "the server closed the connection"))
			}},
		{Name: "it is being restarted", Abstains: "it was last seen at 14:02:16 UTC, and mariadbd (4800) has started since",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{PID: 4711, Comm: "mariadbd", To: 6}, from(7, recording.ServerUnreachable, refused)).Process(successor)
			}},
		{Name: "another server starts", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.1, High: 0.2, Says: "its process (4711) ended in the window",
			Host: func() *ruletest.Host {
				other := successor
				other.Cmdline = "mariadbd --port=3307"
				return watched(ruletest.Process{PID: 4711, Comm: "mariadbd", To: 6}, from(7, recording.ServerUnreachable, refused)).Process(other)
			}},
		{Name: "it was restarted", Abstains: "it restarted between 14:02:15 UTC and 14:02:17 UTC and answers again",
			Host: func() *ruletest.Host { return restarted(6, 7) }},
		{Name: "it was restarted, which took long", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.45, High: 0.55, Says: "mariadbd (4800) did not answer for 4 s: it was restarted", Proof: "it had been up for 102 s at 14:02:12 UTC, and for 1 s at 14:02:17 UTC",
			Host: func() *ruletest.Host { return restarted(3, 7) }},
		{Name: "stopped for a moment", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.2, High: 0.3, Says: "mariadbd (4711) did not answer for 2 s: it was stopped (process state T)", Proof: "in state T at 3 of 9 readings",
			Host: func() *ruletest.Host { return watched(halted("T", 3, 5), slow(5, 2*second)) }},
		{Name: "stopped while something else was asked", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.15, High: 0.25, Says: "a debugger had stopped it (process state t)",
			Host: func() *ruletest.Host {
				return watched(halted("t", 4, 5), func(s float64, row *recording.MySQLServer) {
					slow(4, time.Millisecond)(s, row)
					if s >= 4 {
						row.QueryTime = 1600 * time.Millisecond
					}
				})
			}},
		{Name: "stopped between two looks", Host: func() *ruletest.Host { return watched(halted("t", 4, 4), answers) }},
		{Name: "stopped at another time", Abstains: "rtrail waited 1.2 s in one look",
			Host: func() *ruletest.Host { return watched(halted("T", 7, 7), slow(3, 1200*time.Millisecond)) }},
		{Name: "a slow look", Abstains: "rtrail waited 1.2 s in one look, too short",
			Host: func() *ruletest.Host { return watched(ruletest.Process{}, slow(4, 1200*time.Millisecond)) }},
		{Name: "silent for a moment", Abstains: "it did not answer for 2 s, too short",
			Host: func() *ruletest.Host {
				return watched(ruletest.Process{}, func(s float64, row *recording.MySQLServer) {
					if s == 4 {
						from(4, recording.ServerStalled, "no answer to a ping for 1s")(s, row)
						row.Waited = second
					}
				})
			}},
	})
}

// restarted is a server that is not there for a while and then is another process.
func restarted(begin, end float64) *ruletest.Host {
	started := ruletest.Start.Add(time.Duration(end-1) * second)
	return watched(ruletest.Process{PID: 4711, Comm: "mariadbd", To: begin - 1}, func(s float64, row *recording.MySQLServer) {
		if s < end {
			from(begin, recording.ServerUnreachable, "connect: connection refused")(s, row)
			return
		}
		row.PID, row.Uptime = 4800, row.At.Sub(started)
	}).Process(ruletest.Process{PID: 4800, Comm: "mariadbd", From: end - 1, Started: started})
}

func TestSlowReader(t *testing.T) {
	sending := recording.MySQLSession{User: "etl", Client: "10.0.0.8", ClientPort: 41022, State: "Sending to client", For: 44 * time.Second, Statement: "SELECT * FROM events"}
	old := sending
	old.State = "Sending data"
	// socket is the server's end of the connection.
	socket := func(h *ruletest.Host, queue uint32, limited float64, window uint32) *ruletest.Host {
		return ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample {
			d := func(rate float64) time.Duration { return time.Duration(rate * s * float64(time.Second)) }
			return recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.2", LocalPort: 3306, Remote: "10.0.0.8", RemotePort: 41022, State: recording.TCPEstablished,
				SendQueue: queue, Info: true, Busy: d(1), RwndLimited: d(limited), PeerWindow: window, Inode: 9}
		})
	}
	with := func(s recording.MySQLSession) *ruletest.Host {
		return server(ruletest.MySQL{Sessions: []recording.MySQLSession{s}})
	}
	shut := func(kernel string) *ruletest.Host {
		h := with(sending)
		h.Manifest(func(m *recording.Manifest) { m.Host.Kernel = kernel })
		return socket(h, 2<<20, 0.1, 0)
	}
	ruletest.Check(t, slowReader, []ruletest.Situation{
		{Name: "nobody sends", Host: func() *ruletest.Host { return server(ruletest.MySQL{}) }},
		{Name: "the socket is full", Want: rule.Certain, Kind: view.KindPeer, Subject: "10.0.0.8", Low: 1, High: 1, Says: "10.0.0.8 does not read its result: connection 100",
			Host: func() *ruletest.Host { return socket(with(sending), 2<<20, 0.99, 1000) }},
		{Name: "an old server says it in other words", Want: rule.Certain, Kind: view.KindPeer, Subject: "10.0.0.8", Low: 1, High: 1,
			Host: func() *ruletest.Host { return socket(with(old), 2<<20, 0.99, 1000) }},
		{Name: "the way is slow, not the reader", Host: func() *ruletest.Host { return socket(with(sending), 2<<20, 0.1, 1000) }},
		{Name: "its window is closed", Want: rule.Certain, Kind: view.KindPeer, Subject: "10.0.0.8", Low: 1, High: 1,
			Host: func() *ruletest.Host { return shut("6.1.0") }},
		{Name: "the way is slow, and the kernel tells no windows", Host: func() *ruletest.Host { return shut("4.19.0-27-amd64") }},
		{Name: "it reads rows and sends none", Host: func() *ruletest.Host { return socket(with(old), 0, 0, 1000) }},
		{Name: "only the state is known", Want: rule.Likely, Kind: view.KindPeer, Subject: "10.0.0.8", Low: 1, High: 1, Host: func() *ruletest.Host { return with(sending) }},
		{Name: "a state that may mean reading", Host: func() *ruletest.Host { return with(old) }},
	})
}
