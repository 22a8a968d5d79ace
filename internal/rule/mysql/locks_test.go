package mysql

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

const second = time.Second

// idleBlocker is a wait for a row that connection 17 has locked and forgotten.
func idleBlocker(waiting int64, waited time.Duration) recording.MySQLLockWait {
	return recording.MySQLLockWait{Kind: "row", Object: "shop.stock", Index: "PRIMARY", Mode: "X", Waited: waited, Waiting: waiting,
		WaitingStatement: "UPDATE stock SET n = n - ? WHERE id = ?", Blocking: 17, BlockingStatement: "UPDATE stock SET n = n - ?", BlockingCommand: "Sleep",
		BlockingUser: "app", BlockingClient: "10.0.0.5", BlockingFor: 20 * second}
}

// behindOther is idleBlocker for a connection that waits for another victim.
func behindOther(waiting, blocking int64) recording.MySQLLockWait {
	w := idleBlocker(waiting, second)
	w.Blocking = blocking
	w.BlockingCommand, w.BlockingUser, w.BlockingClient, w.BlockingStatement = "Query", "app", "10.0.0.6", w.WaitingStatement
	return w
}

func changing(h *ruletest.Host, n int, waited time.Duration) *ruletest.Host {
	i := int64(0)
	h.Readings(func(at time.Time, _ float64) {
		for range n {
			i++
			w := idleBlocker(1000+i, waited)
			w.At, w.Server, w.Blocking, w.BlockingCommand = at, "10.0.0.2:3306", 5000+i, "Query"
			ruletest.Add(h, w)
		}
	})
	return h
}

func TestRowLockWait(t *testing.T) {
	ruletest.Check(t, rowLockWait, []ruletest.Situation{
		{Name: "nobody waits", Host: func() *ruletest.Host { return server(ruletest.MySQL{}) }},
		{Name: "three behind an idle one", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 3, High: 3,
			Says: "row lock: connection 17 (app@10.0.0.5) blocks 3 connections of mariadbd on shop.stock: it is idle in an open transaction",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{}).LockWaits(idleBlocker(21, second), idleBlocker(22, second), idleBlocker(23, second))
			}},
		{Name: "a chain counts for its root", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 3, High: 3, Says: "row lock: connection 17 (app@10.0.0.5) blocks 3 connections of mariadbd",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{}).LockWaits(idleBlocker(21, second), behindOther(22, 21), behindOther(23, 22))
			}},
		{Name: "one that waits for long", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1, Says: "blocks 1 connection of mariadbd",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Gauges: map[string]float64{"Threads_running": 64}}).LockWaits(idleBlocker(21, second))
			}},
		{Name: "hot rows", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.9, High: 4.1, Says: "many transactions contend for the same rows",
			Host: func() *ruletest.Host {
				return changing(server(ruletest.MySQL{Gauges: map[string]float64{"Threads_running": 10}}), 4, 0)
			}},
		{Name: "a busy server where transactions meet", Host: func() *ruletest.Host {
			return changing(server(ruletest.MySQL{Gauges: map[string]float64{"Threads_running": 64}}), 4, 0)
		}},
		{Name: "nobody may see who waits for whom", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 3, High: 3, Says: "the holders are unknown",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Gauges: map[string]float64{"Innodb_row_lock_current_waits": 3, "Threads_running": 4}})
			}},
	})
}

func TestRowLockWaitNamesVictimsAndFix(t *testing.T) {
	h := server(ruletest.MySQL{Variables: map[string]string{"max_connections": "4"}}).LockWaits(idleBlocker(21, second), behindOther(22, 21))
	f := h.Detect(t, rowLockWait)[0]
	all := ""
	for _, e := range f.Evidence {
		all += e.What.String() + "\n"
	}
	for _, want := range []string{"connection 21 waited 11 s: UPDATE stock", "connection 22 waited 11 s behind connection 21, which waits as well", "open for 30 s"} {
		if !strings.Contains(all, want) {
			t.Errorf("evidence lacks %q:\n%s", want, all)
		}
	}
	if want := "mysql -h 10.0.0.2 -P 3306 -e 'kill 17'"; f.Fixes[0].Command.String() != want {
		t.Errorf("first fix is %q, want %q", f.Fixes[0].Command, want)
	}
	exhausted := false
	for _, s := range f.Affects {
		exhausted = exhausted || s.Kind == view.KindListener
	}
	if !exhausted {
		t.Error("two victims of four connections do not explain that connections are used up")
	}
}

func TestLocksWithoutAnswer(t *testing.T) {
	for _, r := range []rule.Rule{rowLockWait, metadataLock, longTransaction, purgeLag, slowReader, threadPoolStalled, threadPoolLeak} {
		h := ruletest.New(4, 10).MySQLSilence(recording.MySQLServer{State: recording.ServerStalled, Waited: second})
		h.Abstains(t, r)
	}
}

func waiter(state string, d time.Duration) recording.MySQLSession {
	return recording.MySQLSession{User: "app", Client: "10.0.0.5", State: state, For: d, Statement: "ALTER TABLE stock ADD note VARCHAR(?)"}
}

// longest adds the longest stay to the states of every reading.
func longest(h *ruletest.Host, state string, n int64, d time.Duration) *ruletest.Host {
	return ruletest.Every(h, func(at time.Time, s float64) recording.MySQLState {
		return recording.MySQLState{At: at, Server: "10.0.0.2:3306", Command: "Query", State: state, Count: n, Longest: d}
	})
}

func TestMetadataLock(t *testing.T) {
	const state = "Waiting for table metadata lock"
	known := idleBlocker(31, 3*second)
	known.Kind, known.Object, known.Mode = "metadata", "shop.stock", "EXCLUSIVE"
	ruletest.Check(t, metadataLock, []ruletest.Situation{
		{Name: "nobody waits", Host: func() *ruletest.Host { return server(ruletest.MySQL{}) }},
		{Name: "a blocker that is known", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1,
			Says: "1 connection of mariadbd waits for the definition of shop.stock, which connection 17 (app@10.0.0.5) holds",
			Host: func() *ruletest.Host { return server(ruletest.MySQL{}).LockWaits(known) }},
		{Name: "only one can be it", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 2, High: 2,
			Says: "the only transaction older than the waits is that of connection 102 (report@10.0.0.8): it is idle in an open transaction",
			Host: func() *ruletest.Host {
				h := server(ruletest.MySQL{Sessions: []recording.MySQLSession{waiter(state, 5*second), waiter(state, 4*second),
					{User: "report", Client: "10.0.0.8", Command: "Sleep", Statement: "SELECT * FROM stock"}}})
				longest(h, state, 0, 5*second)
				return h.Transactions(recording.MySQLTransaction{Session: 102, Age: 8 * second}, recording.MySQLTransaction{Session: 500, Age: -9 * second})
			}},
		{Name: "nobody can be it", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1, Says: "the holder is unknown",
			Host: func() *ruletest.Host {
				return longest(server(ruletest.MySQL{Sessions: []recording.MySQLSession{waiter(state, 5*second)}}), state, 0, 5*second)
			}},
		{Name: "a backup that locks all", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1, Says: "waits for the global lock",
			Host: func() *ruletest.Host {
				const all = "Waiting for backup lock"
				return longest(server(ruletest.MySQL{Sessions: []recording.MySQLSession{waiter(all, 5*second)}}), all, 0, 5*second)
			}},
		{Name: "a short change of a table", Host: func() *ruletest.Host {
			return longest(server(ruletest.MySQL{Sessions: []recording.MySQLSession{waiter(state, 0)}}), state, 0, 0)
		}},
		{Name: "other waits", Host: func() *ruletest.Host {
			const other = "Waiting for next activation"
			return longest(server(ruletest.MySQL{Sessions: []recording.MySQLSession{waiter(other, 50*second)}}), other, 0, 50*second)
		}},
	})
}

// An index is added in milliseconds; whoever reads the table waits for the end of
// it. One look of many at four of them proves no waiting, two do.
func TestMetadataLockOfAMoment(t *testing.T) {
	for looks, want := range map[int]int{1: 0, 5: 1} {
		h, n := server(ruletest.MySQL{Gauges: map[string]float64{"Threads_running": 3}}), 0
		h.Readings(func(at time.Time, _ float64) {
			if n++; n > looks {
				return
			}
			for id := range int64(6) {
				w := idleBlocker(20+id, 0)
				w.At, w.Server, w.Kind, w.Object, w.BlockingCommand = at, "10.0.0.2:3306", "metadata", "shop.stock", "Query"
				r := waiter("Waiting for table metadata lock", 0)
				r.At, r.Server, r.ID = at, w.Server, w.Waiting
				ruletest.Add(ruletest.Add(h, w), r)
			}
		})
		if f := h.Detect(t, metadataLock); len(f) != want {
			t.Errorf("waits in %d of %d looks: %d findings, want %d", looks, n, len(f), want)
		}
	}
}

// Several transactions may hold the lock: all of them are named, and none is to
// be killed at random.
func TestMetadataLockOfOneOfMany(t *testing.T) {
	const state = "Waiting for table metadata lock"
	idle := func(statement string) recording.MySQLSession {
		return recording.MySQLSession{User: "report", Client: "10.0.0.8", Command: "Sleep", Statement: statement}
	}
	h := server(ruletest.MySQL{Sessions: []recording.MySQLSession{waiter(state, 5*second), idle("SELECT * FROM orders"), idle(""), idle("SELECT n FROM `stock`"),
		{User: "app", Client: "10.0.0.5", State: "updating", Statement: "UPDATE orders SET n = ?"}}})
	longest(h, state, 0, 5*second)
	h.Transactions(recording.MySQLTransaction{Session: 101, Age: 20 * second}, recording.MySQLTransaction{Session: 102, Age: 12 * second},
		recording.MySQLTransaction{Session: 103, Age: 8 * second}, recording.MySQLTransaction{Session: 104, Age: 30 * second, State: "LOCK WAIT"},
		recording.MySQLTransaction{Session: 100, Age: 40 * second})
	f := h.Detect(t, metadataLock)[0]
	if head := f.Headline.String(); !strings.Contains(head, "one of 4 older transactions holds it, and the server does not show which") {
		t.Errorf("headline: %s", head)
	}
	for _, fix := range f.Fixes {
		if strings.Contains(fix.Command.String(), "kill") {
			t.Errorf("fix: %s", fix.Command)
		}
	}
	var suspects []string
	for _, e := range f.Evidence {
		if e.Metric.ID == "mysql.lock-suspect" {
			suspects = append(suspects, strings.Fields(e.What.String())[1])
		}
	}
	if got := strings.Join(suspects, " "); got != "103 101 102 104" { // names the table, by age, waits for a row
		t.Errorf("suspects %s", got)
	}
}

// Waits that began before the window are not among InnoDB's counts.
func TestRowLockCountersOfNothing(t *testing.T) {
	for name, x := range map[string]struct {
		rate float64
		want bool
	}{"waits go on": {0, false}, "waits begin": {3, true}} {
		h := server(ruletest.MySQL{Rates: map[string]float64{"Innodb_row_lock_waits": x.rate, "Innodb_row_lock_time": 1000 * x.rate}}).LockWaits(idleBlocker(21, second))
		found := false
		for _, e := range h.Detect(t, rowLockWait)[0].Evidence {
			found = found || e.Metric.ID == "mysql.row-lock-time"
		}
		if found != x.want {
			t.Errorf("%s: InnoDB's counts are evidence: %v", name, found)
		}
	}
}

func TestLongTransaction(t *testing.T) {
	open := recording.MySQLTransaction{ID: "7", Session: 100, Age: time.Minute, Snapshot: true}
	idle := []recording.MySQLSession{{User: "report", Client: "10.0.0.8", Command: "Sleep"}}
	ruletest.Check(t, longTransaction, []ruletest.Situation{
		{Name: "none open", Host: func() *ruletest.Host { return server(ruletest.MySQL{}).History(5000, 500) }},
		{Name: "a snapshot holds history", Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.05, High: 0.15,
			Says: "connection 100 (report@10.0.0.8) of mariadbd has a transaction open for 70 s",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Sessions: idle}).Transactions(open).History(5000, 500)
			}},
		{Name: "not known what it reads", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.05, High: 0.15,
			Host: func() *ruletest.Host {
				x := open
				x.Snapshot = false
				return server(ruletest.MySQL{Sessions: idle}).Transactions(x).History(5000, 500)
			}},
		{Name: "young", Host: func() *ruletest.Host {
			x := open
			x.Age = -time.Second // nine seconds old when the window ends
			return server(ruletest.MySQL{Sessions: idle}).Transactions(x).History(5000, 500)
		}},
		{Name: "young, and the history grows since it began", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.6,
			Says: "connection 100 (report@10.0.0.8) of mariadbd has a transaction open for 9 s", Host: held(nil)},
		{Name: "young, and not known to read", Host: held(func(_ *ruletest.MySQL, x *recording.MySQLTransaction) { x.Snapshot = false })},
		{Name: "does no harm yet", Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0, High: 0.02,
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Sessions: idle}).Transactions(open).History(300, 0)
			}},
		{Name: "works", Host: func() *ruletest.Host {
			busy := []recording.MySQLSession{{User: "report", Client: "10.0.0.8", State: "Sending data", Statement: "SELECT ?"}}
			return server(ruletest.MySQL{Sessions: busy}).Transactions(open).History(300, 0)
		}},
		{Name: "gone at the end", Host: func() *ruletest.Host {
			h := server(ruletest.MySQL{}).History(5000, 500)
			h.Seconds = 30
			x := open
			x.At, x.Server = ruletest.Start, "10.0.0.2:3306"
			return ruletest.Add(h, x)
		}},
	})
}

// held is a server whose history grows behind a transaction that was two seconds
// old when the window of seven began, too young for an old one.
func held(change func(*ruletest.MySQL, *recording.MySQLTransaction)) func() *ruletest.Host {
	return func() *ruletest.Host {
		m := ruletest.MySQL{Sessions: []recording.MySQLSession{{User: "report", Client: "10.0.0.8", Command: "Sleep"}}}
		x := recording.MySQLTransaction{ID: "7", Session: 100, Age: 2 * time.Second, Snapshot: true}
		if change != nil {
			change(&m, &x)
		}
		h := ruletest.New(4, 7)
		h.Process(ruletest.Process{PID: pid, Comm: "mariadbd", CPU: 1.5})
		m.PID = pid
		return h.MySQL(m).Transactions(x).History(2000, 12_000)
	}
}

func TestPurgeLag(t *testing.T) {
	ruletest.Check(t, purgeLag, []ruletest.Situation{
		{Name: "a server at full speed", Host: func() *ruletest.Host { return server(ruletest.MySQL{}).History(8000, 300) }},
		{Name: "grows and grows", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.5, Says: "grew by 4,000/s to 80,000",
			Host: func() *ruletest.Host {
				return server(ruletest.MySQL{Variables: map[string]string{"innodb_purge_threads": "1", "innodb_purge_batch_size": "1"}}).History(40_000, 4_000)
			}},
		{Name: "a snapshot from before the window", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.6,
			Says: "held back by connection 100 (report@10.0.0.8), whose transaction is 9 s old", Proof: "since before the history grew", Host: held(nil)},
		{Name: "it only reads, and the server does not tell of its view", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.6,
			Says: "held back by connection 100", Host: held(func(m *ruletest.MySQL, x *recording.MySQLTransaction) {
				m.Flavor, m.Version, x.Snapshot = "MySQL", "8.0.28", false
			})},
		{Name: "not known whether it reads", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.6,
			Says: "falls behind", Proof: "9 s old and may keep", Host: held(func(m *ruletest.MySQL, x *recording.MySQLTransaction) {
				x.Snapshot = false
			})},
		{Name: "it changes rows and has no view", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.6,
			Says: "falls behind", Proof: "may keep", Host: held(func(m *ruletest.MySQL, x *recording.MySQLTransaction) {
				m.Flavor, m.Version, x.Snapshot, x.Modified = "MySQL", "8.0.28", false, 3
			})},
		{Name: "each statement has its own view", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.6,
			Says: "falls behind", Proof: "may keep", Host: held(func(m *ruletest.MySQL, x *recording.MySQLTransaction) {
				m.Flavor, m.Version, x.Snapshot, x.Isolation = "MySQL", "8.0.28", false, "READ COMMITTED"
			})},
		{Name: "it began in the middle of the growth", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.6,
			Says: "falls behind", Proof: "6 s old and began after the history had grown: it does not", Host: func() *ruletest.Host {
				h := server(ruletest.MySQL{}).History(2000, 8000)
				h.Readings(func(at time.Time, s float64) {
					if age := time.Duration((s - 4) * float64(time.Second)); age >= 0 {
						ruletest.Add(h, recording.MySQLTransaction{At: at, Server: "10.0.0.2:3306", ID: "7", Session: 100, Age: age, Snapshot: true})
					}
				})
				return h
			}},
		{Name: "purge was behind before it began", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.9,
			Says: "falls behind", Proof: "may keep", Host: func() *ruletest.Host {
				h := server(ruletest.MySQL{}).Transactions(recording.MySQLTransaction{ID: "7", Session: 100, Age: 2 * time.Second, Snapshot: true}).History(300_000, 8000)
				return h
			}},
		{Name: "one transaction after the other of a connection", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.3, High: 0.6,
			Says: "falls behind", Proof: "does not keep", Host: func() *ruletest.Host {
				h := server(ruletest.MySQL{}).History(2000, 8000)
				h.Readings(func(at time.Time, s float64) {
					ruletest.Add(h, recording.MySQLTransaction{At: at, Server: "10.0.0.2:3306", ID: "7", Session: 100, Snapshot: true})
				})
				return h
			}},
		{Name: "long, and comes down", Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.1, High: 0.5,
			Host: func() *ruletest.Host { return server(ruletest.MySQL{}).History(400_000, -4_000) }},
		{Name: "long, and works in rounds", Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.05, High: 0.5,
			Host: func() *ruletest.Host {
				return ruletest.Every(server(ruletest.MySQL{}), func(at time.Time, s float64) recording.MySQLInnoDB {
					return recording.MySQLInnoDB{At: at, Server: "10.0.0.2:3306", History: 30_000 + 5_000*(int64(s)%3) + int64(200*s)}
				})
			}},
	})
}
