package mysql

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestSlowStatements(t *testing.T) {
	// log is a host of which nothing is known but a log: n entries like one, and one
	// that took a tenth of their time.
	log := func(n int, like recording.MySQLSlowQuery) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10)
			other := recording.MySQLSlowQuery{At: ruletest.Start, Server: "mysql-slow.log", Took: like.Took * time.Duration(n) / 10, Sent: 1, Examined: 1, Statement: "SELECT ?"}
			for i := range n {
				like.At, like.Server, like.Logged = ruletest.Start, "mysql-slow.log", ruletest.Start.Add(time.Duration(i)*time.Second/10)
				ruletest.Add(h, like)
			}
			other.Logged = ruletest.Start.Add(time.Second)
			return ruletest.Add(h, other)
		}
	}
	const byOwner, byPart = "SELECT id FROM note WHERE owner = ?", "SELECT id FROM note WHERE LOWER(name) = ?"
	entry := func(text string, took time.Duration, examined, sent int64, locked time.Duration) recording.MySQLSlowQuery {
		return recording.MySQLSlowQuery{DB: "lab", Statement: text, Took: took, Examined: examined, Sent: sent, LockTime: locked}
	}
	asked := func() *ruletest.Host {
		h := server(ruletest.MySQL{})
		return ruletest.Add(h, recording.MySQLSlowQuery{At: ruletest.Start, Logged: ruletest.Start, Server: "10.0.0.2:3306", Took: time.Second, Examined: 1e6, Statement: byOwner})
	}
	found := func(name string, host func() *ruletest.Host, want rule.Confidence, subject, says, proof string) ruletest.Situation {
		return ruletest.Situation{Name: name, Host: host, Want: want, Kind: view.KindStatement, Subject: subject, Low: 0.01, High: 5, Says: says, Proof: proof}
	}
	ruletest.Check(t, slowStatements, []ruletest.Situation{
		found("an index is missing", log(50, entry(byOwner, 200*time.Millisecond, 50_000, 3, 0)), rule.Likely, byOwner,
			"reads 50,000 rows each time: an index on (owner) is missing or not used", "91 % of the time in the log, in 50 entries"),
		found("no index can serve", log(50, entry(byPart, 200*time.Millisecond, 50_000, 3, 0)), rule.Likely, byPart, "it compares the result of LOWER on name", "50,000 rows examined each time, 3 returned"),
		found("it waits for locks", log(5, entry("UPDATE note SET owner = ? WHERE id = ?", 2*time.Second, 1, 0, 1900*time.Millisecond)), rule.Likely,
			"UPDATE note SET owner = ? WHERE id = ?", "waits for locks 95 % of its time", "95 % of its time waiting for locks"),
		found("it may wait for row locks, which the log does not count", log(5, entry("UPDATE note SET owner = ? WHERE id = ?", 2*time.Second, 1, 0, 2*time.Millisecond)), rule.Possible,
			"UPDATE note SET owner = ? WHERE id = ?", "does not wait for table locks", "0.1 % of its time waiting for table and metadata locks; row locks are in it only of MySQL from 8.0.28 on"),
		found("it counts", log(50, entry("SELECT COUNT(*) FROM note WHERE owner = ?", 200*time.Millisecond, 50_000, 1, 0)), rule.Possible,
			"SELECT COUNT(*) FROM note WHERE owner = ?", "an index may avoid this", "50,000 rows examined"),
		found("it returns all", log(50, entry("SELECT id FROM note", 200*time.Millisecond, 50_000, 50_000, 0)), rule.Possible, "SELECT id FROM note", "returns 50,000 rows each time", "91 %"),
		found("nobody knows why", log(50, entry("SELECT id FROM note WHERE id = ?", 200*time.Millisecond, 1, 1, 0)), rule.Possible,
			"SELECT id FROM note WHERE id = ?", "the log does not say why", "91 %"),
		found("rows are not in the log", log(50, entry(byOwner, 200*time.Millisecond, recording.Unknown, recording.Unknown, 0)), rule.Possible, byOwner, "the log does not say why", "91 %"),
		{Name: "the server was asked, too", Host: asked},
	})
}

func TestSlowStatementsOfMany(t *testing.T) {
	h := ruletest.New(2, 10)
	for _, text := range []string{"SELECT a FROM t WHERE b = ?", "SELECT b FROM t WHERE c = ?", "SELECT c FROM t WHERE d = ?", "SELECT d FROM t WHERE e = ?"} {
		ruletest.Add(h, recording.MySQLSlowQuery{At: ruletest.Start, Logged: ruletest.Start, Server: "slow.log", Took: time.Second, Examined: 50_000, Sent: 1, Statement: text})
	}
	// A quarter each: the first is named, and is not more than possible.
	if found := ruletest.Judge(t, h, slowStatements, rule.Possible); len(found) != 1 {
		t.Errorf("%d findings, want 1", len(found))
	}
}
