package rt

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// fanning is a service on port 80 that asks another one, and what is known of
// the calls. The numbers are those of 100 requests.
func fanning(change func(*recording.PacketNesting)) func() *ruletest.Host {
	return func() *ruletest.Host {
		// 256 calls, 1 % of them 100 ms instead of 1 ms: 92.4 % of the requests are
		// hit, and take 92.4 ms on average.
		n := recording.PacketNesting{Host: "10.0.0.2", Port: 80, Callee: "10.0.0.3", CalleePort: 9000, Requests: 100, Calls: 25600, Most: 250,
			RTSum: 100 * 95 * ms, RTP50: 101 * ms, Covered: 100 * 93 * ms, CallP50: ms, CallP99: 100 * ms, CallMax: 101 * ms,
			CallSum: 25344*ms + 256*100*ms, Slow: 256, SlowSum: 256 * 100 * ms, Struck: 92}
		if change != nil {
			change(&n)
		}
		h := ruletest.New(2, 10).PacketCapture(nil)
		h.Packets(ruletest.PacketService{Port: 80, Proto: "http", Rate: 10, RTs: []time.Duration{101 * ms}})
		h.Packets(ruletest.PacketService{Server: "10.0.0.3", Port: 9000, Proto: "http", Rate: 2560, RTs: []time.Duration{ms}})
		return h.PacketNesting(n)
	}
}

func TestFanOut(t *testing.T) {
	const caller = "http 10.0.0.2:80"
	ruletest.Check(t, fanOut, []ruletest.Situation{
		{Name: "256 calls, 1 % slow", Host: fanning(nil), Want: rule.Certain, Kind: view.KindService, Subject: caller, Low: 0.90, High: 0.92, Says: "the slowest of 256 calls at once: 1.0 % of the calls are slow, and so are 92 % of its requests"},
		{Name: "takes longer than the formula says", Host: fanning(func(n *recording.PacketNesting) { n.RTSum, n.Covered = 100*200*ms, 100*200*ms }),
			Want: rule.Likely, Kind: view.KindService, Subject: caller, Low: 0.90, High: 0.92},
		{Name: "few requests", Host: fanning(func(n *recording.PacketNesting) {
			n.Requests, n.Calls, n.Slow, n.SlowSum, n.Struck = 10, 2560, 25, 2500*ms, 9
			n.RTSum, n.Covered, n.CallSum = n.RTSum/10, n.Covered/10, n.CallSum/10
		}), Want: rule.Likely, Kind: view.KindService, Subject: caller, Low: 0.08, High: 0.10},
		{Name: "several callees", Host: fanning(func(n *recording.PacketNesting) { n.Callee = "" }), Want: rule.Certain, Kind: view.KindService, Subject: caller, Low: 0.90, High: 0.92},
		{Name: "no slow calls", Host: fanning(func(n *recording.PacketNesting) { n.Slow, n.SlowSum, n.Struck = 0, 0, 0 })},
		{Name: "one after the other", Host: fanning(func(n *recording.PacketNesting) { n.Most = 1 })},
		{Name: "few calls", Host: fanning(func(n *recording.PacketNesting) { n.Calls, n.Most, n.Slow, n.Struck = 500, 5, 5, 5 })},
		{Name: "a callee that is slow anyway", Host: fanning(func(n *recording.PacketNesting) { n.Slow, n.SlowSum, n.Struck = 12800, 1280*time.Second, 100 })},
		{Name: "calls are a small part", Host: fanning(func(n *recording.PacketNesting) { n.RTSum = 100 * 400 * ms })},
		{Name: "slow calls come together", Host: fanning(func(n *recording.PacketNesting) { n.Struck = 3 })},
	})
}

func TestChatty(t *testing.T) {
	calls := func(change func(*recording.PacketNesting)) func() *ruletest.Host {
		return fanning(func(n *recording.PacketNesting) {
			n.Requests, n.Calls, n.Most = 20, 3000, 1
			n.RTSum, n.Covered = 20*320*ms, 20*300*ms
			if change != nil {
				change(n)
			}
		})
	}
	runs := func(change func(*recording.PacketStatement)) func() *ruletest.Host {
		return func() *ruletest.Host {
			row := recording.PacketStatement{Command: "Query", Fingerprint: "SELECT name FROM item WHERE id = ?", Count: 4500, RTSum: 4500 * 2 * ms,
				Runs: 30, RunCount: 4500, RunMost: 150, RunTime: 30 * 330 * ms, RunWaited: 30 * 300 * ms}
			if change != nil {
				change(&row)
			}
			return answering().PacketStatement(row)
		}
	}
	const item = "SELECT name FROM item WHERE id = ?"
	ruletest.Check(t, chatty, []ruletest.Situation{
		{Name: "150 calls one after the other", Host: calls(nil), Want: rule.Certain, Kind: view.KindService, Subject: "http 10.0.0.2:80", Low: 0.59, High: 0.60, Says: "makes 150 sequential calls to http 10.0.0.3:9000 for each request"},
		{Name: "at once", Host: calls(func(n *recording.PacketNesting) { n.Most = 40 })},
		{Name: "few calls", Host: calls(func(n *recording.PacketNesting) { n.Calls = 19 * 20 })},
		{Name: "few requests", Host: calls(func(n *recording.PacketNesting) { n.Requests, n.Calls = 4, 600 })},
		{Name: "slow calls", Host: calls(func(n *recording.PacketNesting) { n.Covered, n.RTSum = 3000*11*ms, 3000*12*ms })},
		{Name: "the caller computes", Host: calls(func(n *recording.PacketNesting) { n.RTSum = 20 * 700 * ms })},
		{Name: "nobody notices", Host: calls(func(n *recording.PacketNesting) { n.Covered, n.RTSum = 20*15*ms, 20*20*ms })},
		{Name: "hardly anybody notices", Host: calls(func(n *recording.PacketNesting) { n.Covered, n.RTSum = 20*60*ms, 20*70*ms }), Want: rule.Possible, Kind: view.KindService, Subject: "http 10.0.0.2:80", Low: 0.11, High: 0.12},
		{Name: "a statement for each row", Host: runs(nil), Want: rule.Likely, Kind: view.KindStatement, Subject: item, Low: 0.89, High: 0.90, Says: "ask 150 times in a row for what one request could fetch: 302 ms of round trips each time"},
		{Name: "without distance", Host: runs(func(r *recording.PacketStatement) { r.RunWaited, r.RunTime = 30*15*ms, 30*17*ms })},
		{Name: "a client that never does anything else", Host: runs(func(r *recording.PacketStatement) {
			r.Runs, r.RunCount, r.RunMost, r.RunTime, r.RunWaited = 0, 0, 0, 0, 0
		})},
		{Name: "once", Host: runs(func(r *recording.PacketStatement) {
			r.Runs, r.RunCount, r.RunTime, r.RunWaited = 1, 150, 330*ms, 300*ms
		})},
		{Name: "the client computes", Host: runs(func(r *recording.PacketStatement) { r.RunTime = 30 * 700 * ms })},
		{Name: "seen at the server", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Rate: 450, RTs: []time.Duration{ms / 10}, Handshakes: 1, ClientRTT: 2 * ms})
			return h.PacketStatement(recording.PacketStatement{Command: "Query", Fingerprint: item, Count: 4500, RTSum: 450 * ms,
				Runs: 30, RunCount: 4500, RunMost: 150, RunTime: 30 * 330 * ms, RunWaited: 30 * 15 * ms})
		}, Want: rule.Likely, Kind: view.KindStatement, Subject: item, Low: 0.9, High: 0.97},
	})
}

// pool is a server whose connections are served by threads: slow and fast ones
// with given fastest and mean answers.
func pool(slow, fast int, change func(i int, slow bool, c *ruletest.PacketConnection)) *ruletest.Host {
	h := answering()
	h.PacketStatement(recording.PacketStatement{Command: "Query", Fingerprint: "SELECT ?", Count: 5000, RTSum: 5000 * ms, RTP50: ms / 5})
	h.PacketStatement(recording.PacketStatement{Command: "Query", Fingerprint: "DO SLEEP(?)", Count: 100, RTSum: 20 * time.Second, RTP50: 200 * ms})
	for i := range slow + fast {
		c := ruletest.PacketConnection{}
		c.ID, c.FromServer.Segments = int64(i+1), 1000
		if i < slow {
			c.Transactions, c.RTMin, c.RTMax, c.RTSum = 20, 120*ms, 500*ms, 20*300*ms
		} else {
			c.Transactions, c.RTMin, c.RTMax, c.RTSum = 1000, ms/10, 5*ms, 1000*ms/5
		}
		if change != nil {
			change(i, i < slow, &c)
		}
		h.PacketConnection(c)
		if i < slow {
			h.PacketTransaction(1, recording.PacketTransaction{Connection: c.ID, Command: "Query", Fingerprint: "SELECT ?", RT: 500 * ms})
		}
	}
	return h
}

func TestSlowConnections(t *testing.T) {
	const mysql = "mysql 10.0.0.2:3306"
	ruletest.Check(t, slowConnections, []ruletest.Situation{
		{Name: "half of them", Host: func() *ruletest.Host { return pool(4, 4, nil) }, Want: rule.Likely, Kind: view.KindService, Subject: mysql, Low: 2.3, High: 2.5, Says: "4 of 8 connections to mysql 10.0.0.2:3306 are always slow (300 ms), the others never (200 µs)"},
		{Name: "half of the worst", Host: func() *ruletest.Host {
			return pool(4, 4, nil).AllConnections(90_000, recording.PacketDirection{}, recording.PacketDirection{})
		}, Want: rule.Likely, Kind: view.KindService, Subject: mysql, Low: 2.3, High: 2.5, Says: "4 of the 8 connections with the longest waits to mysql"},
		{Name: "beside connections that sleep on purpose", Host: func() *ruletest.Host {
			h := pool(4, 4, nil)
			for i := range 6 {
				c := ruletest.PacketConnection{}
				c.ID, c.Transactions, c.RTMin, c.RTMax, c.RTSum = int64(100+i), 20, 200*ms, 220*ms, 20*210*ms
				h.PacketConnection(c).PacketTransaction(1, recording.PacketTransaction{Connection: c.ID, Command: "Query", Fingerprint: "DO SLEEP(?)", RT: 210 * ms})
			}
			return h
		}, Want: rule.Likely, Kind: view.KindService, Subject: mysql, Low: 2.3, High: 2.5, Says: "4 of 8 connections"},
		{Name: "reports", Host: func() *ruletest.Host {
			h := pool(0, 8, nil)
			for i := range 4 {
				c := ruletest.PacketConnection{}
				c.ID, c.Transactions, c.RTMin, c.RTMax, c.RTSum = int64(100+i), 20, 200*ms, 220*ms, 20*210*ms
				h.PacketConnection(c).PacketTransaction(1, recording.PacketTransaction{Connection: c.ID, Command: "Query", Fingerprint: "DO SLEEP(?)", RT: 210 * ms})
			}
			return h
		}},
		{Name: "all alike", Host: func() *ruletest.Host { return pool(0, 8, nil) }},
		{Name: "only one", Host: func() *ruletest.Host { return pool(1, 7, nil) }},
		{Name: "only one is fast", Host: func() *ruletest.Host { return pool(7, 1, nil) }},
		{Name: "slow now and then, on every connection", Host: func() *ruletest.Host {
			return pool(4, 4, func(_ int, _ bool, c *ruletest.PacketConnection) { c.RTMin = ms / 10 })
		}},
		{Name: "two always, others now and then", Host: func() *ruletest.Host {
			return pool(5, 4, func(i int, slow bool, c *ruletest.PacketConnection) {
				if slow && i >= 2 {
					c.RTMin = ms / 10
				}
			})
		}},
		{Name: "few requests", Host: func() *ruletest.Host {
			return pool(4, 4, func(_ int, _ bool, c *ruletest.PacketConnection) {
				c.Transactions, c.RTSum = c.Transactions/10+1, c.RTSum/10
			})
		}},
		{Name: "a bad way", Host: func() *ruletest.Host {
			return pool(4, 4, func(_ int, slow bool, c *ruletest.PacketConnection) {
				if slow {
					c.FromServer.Retransmissions = 30
				}
			})
		}},
		{Name: "a long way", Host: func() *ruletest.Host {
			return pool(4, 4, func(_ int, slow bool, c *ruletest.PacketConnection) {
				if slow {
					c.ServerRTT = 110 * ms
				}
			})
		}},
		{Name: "a little slower", Host: func() *ruletest.Host {
			return pool(4, 4, func(_ int, slow bool, c *ruletest.PacketConnection) {
				if slow {
					c.RTMin, c.RTSum = ms/2, 20*ms
				}
			})
		}},
	})
}
