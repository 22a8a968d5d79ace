package mysql

import (
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

const pid = 812

// server is a host with a MariaDB process that uses a CPU.
func server(m ruletest.MySQL) *ruletest.Host {
	h := ruletest.New(4, 10)
	h.Process(ruletest.Process{PID: pid, Comm: "mariadbd", CPU: 1.5, ReadBytes: 1e6, WriteBytes: 1e6})
	m.PID = pid
	return h.MySQL(m)
}

// times is the same session n times.
func times(n int, s recording.MySQLSession) []recording.MySQLSession {
	var list []recording.MySQLSession
	for range n {
		list = append(list, s)
	}
	return list
}

const byPad = "SELECT `id` , `c` FROM `sbtest1` WHERE `pad` = ?"

func TestFullScan(t *testing.T) {
	scan := recording.MySQLStatement{Text: byPad, Count: 100, Took: 2 * time.Second, Examined: 2_000_000, Sent: 100, Scans: 100, NoIndex: 100}
	change := func(f func(*recording.MySQLStatement)) func() *ruletest.Host {
		s := scan
		f(&s)
		point := recording.MySQLStatement{Text: "SELECT c FROM sbtest1 WHERE id = ?", Count: 9000, Took: time.Second, Examined: 9000, Sent: 9000}
		return func() *ruletest.Host { return server(ruletest.MySQL{Digests: []recording.MySQLStatement{s, point}}) }
	}
	// The text of the process list differs from that of the digest in its quotes.
	explained := func(p recording.MySQLPlan) func() *ruletest.Host {
		p.At, p.Server, p.Statement = ruletest.Start, "10.0.0.2:3306", "SELECT id , c FROM sbtest1 WHERE pad = ?"
		return func() *ruletest.Host { return ruletest.Add(change(func(*recording.MySQLStatement) {})(), p) }
	}
	aggregate := func(text, access, key string) func() *ruletest.Host {
		return func() *ruletest.Host {
			return ruletest.Add(change(func(s *recording.MySQLStatement) { s.Text = text })(), recording.MySQLPlan{At: ruletest.Start, Server: "10.0.0.2:3306",
				Statement: text, Name: "sbtest1", Access: access, Key: key, Rows: 19_900})
		}
	}
	update := func(s *recording.MySQLStatement) {
		s.Text, s.NoIndex, s.Scans, s.Sent, s.Affected = "UPDATE `sbtest1` SET `c` = ? WHERE `pad` = ?", 0, 0, 0, 100
	}
	busy := map[string]float64{"Handler_read_rnd_next": 2e6, "Handler_read_key": 1000, "Select_scan": 100, "Rows_sent": 600}
	// changed is a server without digests, with rows read per UPDATE, updates and
	// changed rows per second, and connections at it.
	changed := func(perRun, runs, rows float64, n int, others ...recording.MySQLSession) func() *ruletest.Host {
		rates := map[string]float64{"Handler_read_rnd_next": perRun * max(runs, 1), "Handler_update": rows, "Com_update": runs, "Com_update_multi": 0, "Select_scan": 1,
			"Rows_sent": 6}
		x := recording.MySQLSession{DB: "lab", State: "Updating", Statement: "UPDATE sbtest1 SET c = ? WHERE pad = ?", Examined: 0, Sent: 0}
		return func() *ruletest.Host {
			return server(ruletest.MySQL{Rates: rates, Sessions: append(times(n, x), others...)})
		}
	}
	seen := recording.MySQLSession{DB: "lab", State: "Sending data", Statement: "SELECT id , c FROM sbtest1 WHERE pad = ?", Examined: 0, Sent: recording.Unknown}
	// mixed is three connections at an UPDATE beside two at a DELETE, and what
	// EXPLAIN says of one of them.
	deleting := recording.MySQLSession{DB: "lab", State: "Updating", Statement: "DELETE FROM sbtest1 WHERE c = ?", Examined: 19_144, Sent: 0}
	mixed := func(text, access string, rows int64) func() *ruletest.Host {
		return func() *ruletest.Host {
			plan := recording.MySQLPlan{At: ruletest.Start, Server: "10.0.0.2:3306", Statement: text, Name: "sbtest1", Access: access, Rows: rows}
			return ruletest.Add(changed(65_536, 30, 0, 3, deleting, deleting)(), plan)
		}
	}
	alone := func(statement string) func() *ruletest.Host {
		return func() *ruletest.Host {
			return server(ruletest.MySQL{Rates: busy, Sessions: []recording.MySQLSession{{DB: "lab", State: "executing", Statement: statement, Examined: recording.Unknown, Sent: recording.Unknown}}})
		}
	}
	ruletest.Check(t, fullScan, []ruletest.Situation{
		{Name: "of no table", Host: alone("SELECT SLEEP(?)"), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.4, High: 0.6, Says: "the statements are unknown"},
		{Name: "waits for a row", Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.4, High: 0.6, Says: "the statements are unknown", Host: func() *ruletest.Host {
			return alone("SELECT id , c FROM sbtest1 WHERE pad = ? FOR UPDATE")().Transactions(recording.MySQLTransaction{Session: 100, State: "LOCK WAIT"})
		}},
		{Name: "digest", Host: change(func(*recording.MySQLStatement) {}), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 1.9, High: 2, Says: "an index on (pad)"},
		{Name: "returns what it reads", Host: change(func(s *recording.MySQLStatement) { s.Sent = 1_500_000 })},
		{Name: "small table", Host: change(func(s *recording.MySQLStatement) { s.Count, s.NoIndex = 10000, 10000; s.Sent = 10000 })},
		{Name: "by an index", Host: change(func(s *recording.MySQLStatement) { s.NoIndex = 10 })},
		{Name: "takes no time", Host: change(func(s *recording.MySQLStatement) { s.Took = 20 * time.Millisecond })},
		{Name: "a tenth of what the server does", Host: change(func(s *recording.MySQLStatement) { s.Took = 100 * time.Millisecond }),
			Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.09, High: 0.1},
		{Name: "aggregate", Host: change(func(s *recording.MySQLStatement) { s.Text = "SELECT COUNT(*) FROM sbtest1 WHERE pad = ?" }),
			Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "--explain shows the plan"},
		{Name: "aggregate, explained", Host: aggregate("SELECT COUNT ( * ) FROM `sbtest1` WHERE `pad` = ?", "ALL", ""), Want: rule.Likely,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "an index on (pad)", Proof: "no index could be used"},
		{Name: "aggregate by an index, explained", Host: aggregate("SELECT COUNT ( * ) FROM `sbtest1` WHERE `pad` = ?", "ref", "pad_1"), Want: rule.Possible,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "an index may save it", Proof: "by the index pad_1"},
		{Name: "aggregate of a range, explained", Host: aggregate("SELECT COUNT ( * ) FROM `sbtest1` WHERE `k` > ?", "ALL", ""), Want: rule.Possible,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2},
		{Name: "all rows wanted", Host: change(func(s *recording.MySQLStatement) { s.Text = "SELECT COUNT(*) FROM sbtest1" })},
		{Name: "monitor", Host: change(func(s *recording.MySQLStatement) {
			s.Text = "SELECT * FROM information_schema.tables WHERE table_name = ?"
		})},
		{Name: "report", Host: change(func(s *recording.MySQLStatement) { s.Count, s.NoIndex, s.Sent = 0, 0, 0 })},
		{Name: "explained", Host: explained(recording.MySQLPlan{Name: "sbtest1", Access: "ALL", Rows: 19_900}), Want: rule.Certain,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "an index on (pad)", Proof: "no index could be used"},
		{Name: "explained, an index is not used", Host: explained(recording.MySQLPlan{Name: "sbtest1", Access: "ALL", Possible: "pad_1", Rows: 19_900}), Want: rule.Certain,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Proof: "although the index pad_1 could be used"},
		{Name: "explained, it is a plan without a scan", Host: explained(recording.MySQLPlan{Name: "sbtest1", Access: "ref", Possible: "pad_1", Key: "pad_1", Rows: 3}),
			Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Proof: "by the index pad_1"},
		{Name: "explained, the text names no index", Host: func() *ruletest.Host {
			const join = "SELECT a . id FROM a JOIN b ON a . x = b . y WHERE a . pad = ?"
			return ruletest.Add(change(func(s *recording.MySQLStatement) { s.Text = join })(), recording.MySQLPlan{At: ruletest.Start, Server: "10.0.0.2:3306",
				Statement: join, Name: "b", Access: "ALL", Rows: 20_000})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Proof: "it reads the whole table b"},
		{Name: "an update, of which the server counts no index", Host: change(update), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 1.9, High: 2, Proof: "rows examined for each row changed"},
		{Name: "an update that changes nothing", Host: change(func(s *recording.MySQLStatement) { update(s); s.Affected = 0 }), Want: rule.Possible, Kind: view.KindProcess,
			Subject: "mariadbd", Low: 1.9, High: 2, Proof: "20,000 rows examined each time and none changed, 1,000 executions"},
		{Name: "it finds nothing", Host: change(func(s *recording.MySQLStatement) { s.Sent = 0 }), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 1.9, High: 2, Proof: "20,000 rows examined each time and none returned, 1,000 executions"},
		{Name: "an update by an index", Host: change(func(s *recording.MySQLStatement) { update(s); s.Examined = 200 })},
		{Name: "an update of all it reads", Host: change(func(s *recording.MySQLStatement) { update(s); s.Affected = 1_500_000 })},
		{Name: "an update, explained", Host: func() *ruletest.Host {
			return ruletest.Add(change(update)(), recording.MySQLPlan{At: ruletest.Start, Server: "10.0.0.2:3306", Statement: "UPDATE sbtest1 SET c = ? WHERE pad = ?",
				Name: "sbtest1", Access: "ALL", Rows: 19_900})
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "an index on (pad)", Proof: "no index could be used"},
		{Name: "another statement was explained", Host: func() *ruletest.Host {
			h := change(func(*recording.MySQLStatement) {})()
			return ruletest.Add(h, recording.MySQLPlan{At: ruletest.Start, Server: "10.0.0.2:3306", Statement: "SELECT id FROM sbtest1 WHERE k = ?", Name: "sbtest1", Access: "ref"})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2},
		{Name: "sampled", Host: func() *ruletest.Host { return server(ruletest.MySQL{Rates: busy, Sessions: times(3, seen)}) },
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 2.9, High: 3, Says: "an index on (pad)"},
		{Name: "sampled, rows are sent", Host: func() *ruletest.Host {
			return server(ruletest.MySQL{Rates: map[string]float64{"Handler_read_rnd_next": 2e6, "Select_scan": 100, "Rows_sent": 1e6}, Sessions: times(3, seen)})
		}},
		{Name: "sampled, rows sent are not told", Host: func() *ruletest.Host {
			return server(ruletest.MySQL{Rates: map[string]float64{"Handler_read_rnd_next": 2e6, "Select_scan": 100}, Sessions: times(3, seen)})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 2.9, High: 3},
		{Name: "sampled, rows come by an index", Host: func() *ruletest.Host {
			return server(ruletest.MySQL{Rates: map[string]float64{"Handler_read_rnd_next": 2000, "Handler_read_next": 2e6}, Sessions: times(3, seen)})
		}},
		{Name: "sampled, an update", Host: changed(65_536, 30, 0, 3), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 2.9, High: 3,
			Says: "reads 65,536 rows of sbtest1 each time", Proof: "scanned 1,966,080/s rows and such statements changed 0/s"},
		{Name: "sampled, an update of all it reads", Host: changed(65_536, 30, 65_536*30, 3)},
		{Name: "sampled, updates by an index while others scan", Host: changed(65_536*30/5000, 5000, 5000, 3), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 0.3, High: 0.6, Says: "the statements are unknown"},
		{Name: "sampled, an update as long as the window", Host: changed(65_536, 0, 0, 3), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 2.9, High: 3, Says: "reads many rows of sbtest1"},
		// Eight sessions wait for a lock, and an agent reads the status of the server.
		{Name: "sampled, updates that wait while status is read", Host: changed(1500, 1, 1, 8)},
		{Name: "sampled, updates that wait and do not end while status is read", Host: changed(12_000, 0, 0, 8)},
		{Name: "sampled, an update beside others", Host: changed(65_536, 30, 0, 3, seen, seen), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 2, High: 5, Says: "reads many rows each time"},
		{Name: "sampled, an update beside a delete", Host: changed(65_536, 30, 0, 3, deleting, deleting), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 4.9, High: 5, Proof: "once with 19,144 rows examined so far: DELETE"},
		{Name: "sampled, an update beside a delete, explained", Host: mixed("UPDATE sbtest1 SET c = ? WHERE pad = ?", "ALL", 65_000), Want: rule.Likely,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 2.9, High: 3, Says: "reads many rows of sbtest1 each time", Proof: "no index could be used"},
		{Name: "sampled, a delete beside an update, explained", Host: mixed(deleting.Statement, "ALL", 65_000), Want: rule.Likely,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "reads 19,144 rows or more of sbtest1 each time"},
		{Name: "sampled, an update of a small table, explained", Host: mixed("UPDATE sbtest1 SET c = ? WHERE pad = ?", "ALL", 90), Want: rule.Possible,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 4.9, High: 5, Says: "reads many rows each time"},
		{Name: "sampled, an update by an index, explained", Host: mixed("UPDATE sbtest1 SET c = ? WHERE pad = ?", "range", 3), Want: rule.Possible,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 4.9, High: 5, Says: "reads many rows each time"},
		{Name: "sampled, a select beside others, rows so far", Host: func() *ruletest.Host {
			half := seen
			half.Examined, half.Sent = 30_000, 2
			return server(ruletest.MySQL{Rates: busy, Sessions: append(times(3, recording.MySQLSession{State: "Statistics", Statement: "SELECT c FROM sbtest1 WHERE id = ?", Examined: 1}), half, half)})
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "reads 30,000 rows or more of sbtest1",
			Proof: "once with 30,000 rows examined and 2 sent so far"},
		{Name: "nothing named", Host: func() *ruletest.Host { return server(ruletest.MySQL{Rates: busy}) }, Want: rule.Possible, Kind: view.KindProcess,
			Subject: "mariadbd", Low: 0.4, High: 0.6},
		{Name: "elsewhere", Host: func() *ruletest.Host {
			return ruletest.New(2, 10).MySQL(ruletest.MySQL{Rates: busy, Sessions: times(2, seen)})
		}, Want: rule.Likely, Kind: view.KindService, Subject: "mysql 10.0.0.2:3306", Low: 1.9, High: 2},
		{Name: "point selects", Host: func() *ruletest.Host {
			return server(ruletest.MySQL{Rates: map[string]float64{"Handler_read_rnd_next": 3000, "Handler_read_key": 30000},
				Sessions: times(4, recording.MySQLSession{State: "Statistics", Statement: "SELECT c FROM sbtest1 WHERE id = ?", Examined: 1})})
		}},
	})
}

// Rows per row returned must not grow with the window where none is, nor be
// given where they are not known.
func TestFullScanTellsNoInventedRatio(t *testing.T) {
	const text = "DELETE FROM sbtest1 WHERE pad = ?"
	idle := recording.MySQLStatement{Text: text, Count: 100, Took: 2 * time.Second, Examined: 2_000_000}
	deleting := recording.MySQLSession{DB: "lab", State: "Updating", Statement: text, Examined: 19_144}
	selecting := recording.MySQLSession{DB: "lab", State: "Sending data", Statement: "SELECT id FROM sbtest1 WHERE pad = ?", Examined: 0, Sent: recording.Unknown}
	for name, c := range map[string]struct {
		host   *ruletest.Host
		metric string
		value  float64
	}{
		"changes nothing": {server(ruletest.MySQL{Digests: []recording.MySQLStatement{idle}}), "mysql.rows-examined-per-row", 20_000},
		"one of many": {server(ruletest.MySQL{Rates: map[string]float64{"Handler_read_rnd_next": 2e6},
			Sessions: append(times(3, recording.MySQLSession{State: "Statistics", Statement: "SELECT c FROM sbtest1 WHERE id = ?", Examined: 1}), deleting)}), "mysql.statement-time", 1},
		"more than others": {server(ruletest.MySQL{Rates: map[string]float64{"Handler_read_rnd_next": 2e6, "Com_delete": 20, "Handler_delete": 8},
			Sessions: append(times(3, deleting), times(2, selecting)...)}), "mysql.statement-time", 3},
		"rows sent are not told": {server(ruletest.MySQL{Rates: map[string]float64{"Handler_read_rnd_next": 2e6, "Select_scan": 100}, Sessions: times(3, selecting)}),
			"mysql.statement-time", 3},
	} {
		found := ruletest.Judge(t, c.host, fullScan, rule.Possible)
		if len(found) != 1 {
			t.Errorf("%s: %d findings", name, len(found))
			continue
		}
		if e := found[0].Evidence[0]; e.Metric.ID != c.metric || math.Abs(e.Value-c.value) > 1e-6 {
			t.Errorf("%s: %s is %v, want %s of %v", name, e.Metric.ID, e.Value, c.metric, c.value)
		}
	}
}

func TestFullScanFromSlowLog(t *testing.T) {
	h := server(ruletest.MySQL{Rates: map[string]float64{"Handler_read_rnd_next": 2e6}})
	for i := range 5 {
		at := ruletest.Start.Add(time.Duration(i+1) * time.Second)
		ruletest.Add(h, recording.MySQLSlowQuery{At: at, Logged: at, Server: "10.0.0.2:3306", DB: "lab", Took: time.Second, Sent: 1, Examined: 400_000, Statement: byPad})
	}
	found := ruletest.Judge(t, h, fullScan, rule.Likely)
	if len(found) != 1 || !strings.Contains(found[0].Fixes[0].Command.String(), "alter table lab.sbtest1 add index (pad)") {
		t.Errorf("%+v", found)
	}
}

func TestTmpDiskTables(t *testing.T) {
	group := recording.MySQLStatement{Text: "SELECT `c` , COUNT ( * ) FROM `notes` GROUP BY `c`", Count: 20, Took: 2 * time.Second, Examined: 20000, Sent: 15000, TmpTables: 20, TmpDisk: 20}
	digests := func(f func(*recording.MySQLStatement)) func() *ruletest.Host {
		s := group
		f(&s)
		return func() *ruletest.Host {
			return server(ruletest.MySQL{Digests: []recording.MySQLStatement{s}, Rates: map[string]float64{"Created_tmp_disk_tables": 20, "Created_tmp_tables": 20}})
		}
	}
	seen := recording.MySQLSession{State: "Sending data", Statement: group.Text}
	counted := func(disk, all float64, n int) func() *ruletest.Host {
		return func() *ruletest.Host {
			return server(ruletest.MySQL{Questions: 2, Sessions: times(n, seen),
				Rates: map[string]float64{"Created_tmp_disk_tables": disk, "Created_tmp_tables": all, "Com_select": 40}})
		}
	}
	ruletest.Check(t, tmpDiskTables, []ruletest.Situation{
		{Name: "digest", Host: digests(func(*recording.MySQLStatement) {}), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "notes"},
		{Name: "in memory", Host: digests(func(s *recording.MySQLStatement) { s.TmpDisk = 2 })},
		{Name: "takes no time", Host: digests(func(s *recording.MySQLStatement) { s.Took = 10 * time.Millisecond })},
		{Name: "takes little", Host: digests(func(s *recording.MySQLStatement) { s.Took = 70 * time.Millisecond }), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.06, High: 0.08},
		{Name: "sampled", Host: counted(40, 42, 3), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 2.9, High: 3},
		{Name: "rtrail itself", Host: counted(4, 4, 0)},
		{Name: "nobody waits", Host: counted(40, 42, 0)},
	})
}

func TestSort(t *testing.T) {
	sort := recording.MySQLStatement{Text: "SELECT `id` , `c` FROM `sbtest1` ORDER BY `c` LIMIT ?, ...", Count: 20, Took: 2 * time.Second, Examined: 400_000, Sent: 60,
		SortMerges: 500, SortRows: 380_000}
	digests := func(f func(*recording.MySQLStatement)) func() *ruletest.Host {
		s := sort
		f(&s)
		return func() *ruletest.Host {
			return server(ruletest.MySQL{Digests: []recording.MySQLStatement{s}, Variables: map[string]string{"sort_buffer_size": "262144"},
				Rates: map[string]float64{"Sort_merge_passes": float64(s.SortMerges), "Sort_rows": float64(s.SortRows)}})
		}
	}
	seen := recording.MySQLSession{State: "Creating sort index", Statement: sort.Text}
	counted := func(merges float64, n int) func() *ruletest.Host {
		return func() *ruletest.Host {
			return server(ruletest.MySQL{Sessions: times(n, seen), Rates: map[string]float64{"Sort_merge_passes": merges, "Sort_rows": 1e5}})
		}
	}
	ruletest.Check(t, sorting, []ruletest.Situation{
		{Name: "digest", Host: digests(func(*recording.MySQLStatement) {}), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "files"},
		{Name: "for nothing", Host: digests(func(s *recording.MySQLStatement) { s.SortMerges = 0 }), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 1.9, High: 2, Says: "sorts 19,000 rows to return 3"},
		{Name: "returns what it sorts", Host: digests(func(s *recording.MySQLStatement) { s.SortMerges, s.Sent = 0, 380_000 })},
		{Name: "takes no time", Host: digests(func(s *recording.MySQLStatement) { s.Took = 10 * time.Millisecond })},
		{Name: "sampled", Host: counted(100, 3), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 2.9, High: 3},
		{Name: "sampled, in memory", Host: counted(0, 3)},
		{Name: "no statement known", Host: counted(100, 0), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.05, High: 0.2},
	})
}

func TestFullScanOwnsItsStatements(t *testing.T) {
	both := recording.MySQLStatement{Text: "SELECT `id` FROM `sbtest1` WHERE `pad` = ? ORDER BY `c` LIMIT ?", Count: 100, Took: 2 * time.Second, Examined: 2_000_000,
		Sent: 100, NoIndex: 100, TmpDisk: 100, SortMerges: 200, SortRows: 100}
	h := server(ruletest.MySQL{Digests: []recording.MySQLStatement{both}})
	ruletest.Judge(t, h, fullScan, rule.Certain)
	ruletest.Judge(t, h, tmpDiskTables, 0)
	ruletest.Judge(t, h, sorting, 0)
}

// cramped is a pool of 8 MiB for a table of 200 MB.
func cramped(change func(*ruletest.MySQL)) func() *ruletest.Host {
	return func() *ruletest.Host {
		m := ruletest.MySQL{
			Variables: map[string]string{"innodb_buffer_pool_size": "8388608", "innodb_page_size": "16384"},
			Gauges:    map[string]float64{"Innodb_buffer_pool_pages_total": 512, "Innodb_buffer_pool_pages_free": 10, "Innodb_data_pending_reads": 3},
			Rates:     map[string]float64{"Innodb_buffer_pool_read_requests": 9000, "Innodb_buffer_pool_reads": 1900, "Innodb_buffer_pool_read_ahead": 0, "Innodb_buffer_pool_pages_data": 0},
		}
		if change != nil {
			change(&m)
		}
		h := server(m)
		h.Memory(8<<30, 6<<30, 0)
		return ruletest.Add(h, recording.MySQLTable{At: ruletest.Start, Server: "10.0.0.2:3306", Schema: "lab", Name: "sbtest1", Engine: "InnoDB", Rows: 1e6, Data: 200e6, Index: 20e6})
	}
}

func TestBufferPoolSmall(t *testing.T) {
	reading := func() *ruletest.Host {
		h := cramped(nil)()
		for tid := range 4 {
			h.Thread(ruletest.Thread{PID: pid, TID: int32(pid + 1 + tid), Comm: "connection", State: "D", Syscall: "pread64"})
		}
		return h
	}
	ruletest.Check(t, bufferPoolSmall, []ruletest.Situation{
		{Name: "threads wait", Host: reading, Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.9, High: 4.1, Says: "8 MiB"},
		{Name: "the server tells", Host: cramped(nil), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 2.9, High: 3.1},
		{Name: "being filled", Host: cramped(func(m *ruletest.MySQL) { m.Rates["Innodb_buffer_pool_pages_data"] = 1500 })},
		{Name: "data fit", Host: cramped(func(m *ruletest.MySQL) {
			m.Variables["innodb_buffer_pool_size"] = "300000000"
			m.Gauges["Innodb_buffer_pool_pages_total"] = 18000
		})},
		{Name: "hardly misses", Host: cramped(func(m *ruletest.MySQL) { m.Rates["Innodb_buffer_pool_read_requests"] = 1e7 })},
		{Name: "few pages", Host: cramped(func(m *ruletest.MySQL) { m.Rates["Innodb_buffer_pool_reads"] = 30 })},
		{Name: "nobody waits", Host: cramped(func(m *ruletest.MySQL) { m.Gauges["Innodb_data_pending_reads"] = 0 })},
		{Name: "a scan passes", Host: cramped(func(m *ruletest.MySQL) { m.Rates["Innodb_buffer_pool_read_ahead"] = 5000 }), Want: rule.Possible, Kind: view.KindProcess,
			Subject: "mariadbd", Low: 2.9, High: 3.1},
	})
	f := ruletest.Judge(t, reading(), bufferPoolSmall, rule.Certain)[0]
	if want := "set global innodb_buffer_pool_size = 134217728"; !strings.Contains(f.Fixes[0].Command.String(), want) {
		t.Errorf("fix %q lacks %q", f.Fixes[0].Command, want)
	}
}

func TestCommitFlush(t *testing.T) {
	commits := func(n int, change func(*ruletest.MySQL)) func() *ruletest.Host {
		return func() *ruletest.Host {
			m := ruletest.MySQL{
				Variables: map[string]string{"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "0", "log_bin": "OFF"},
				Rates:     map[string]float64{"Innodb_data_fsyncs": 45, "Com_commit": 0, "Com_insert": 90, "Innodb_log_waits": 0},
				Sessions:  times(n, recording.MySQLSession{State: "Commit", Statement: "INSERT INTO t VALUES ( ? )"}),
			}
			if change != nil {
				change(&m)
			}
			return server(m)
		}
	}
	syncing := func() *ruletest.Host {
		h := commits(4, nil)()
		h.Thread(ruletest.Thread{PID: pid, TID: pid + 1, Comm: "connection", State: "D", Syscall: "fdatasync"})
		return h
	}
	ruletest.Check(t, commitFlush, []ruletest.Situation{
		{Name: "threads sync", Host: syncing, Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.9, High: 4.1, Says: "a sync takes 22.2 ms"},
		{Name: "always somebody", Host: commits(4, nil), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.9, High: 4.1},
		{Name: "fast disk", Host: commits(4, func(m *ruletest.MySQL) { m.Rates["Innodb_data_fsyncs"] = 3000 })},
		{Name: "not asked for", Host: commits(4, func(m *ruletest.MySQL) { m.Variables["innodb_flush_log_at_trx_commit"] = "2" })},
		{Name: "binary log asks", Host: commits(4, func(m *ruletest.MySQL) {
			m.Variables["innodb_flush_log_at_trx_commit"], m.Variables["log_bin"], m.Variables["sync_binlog"] = "2", "ON", "1"
		}), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.9, High: 4.1},
		{Name: "nobody commits", Host: commits(0, nil)},
		{Name: "most do other work", Host: commits(1, func(m *ruletest.MySQL) {
			m.Sessions = append(m.Sessions, times(8, recording.MySQLSession{State: "Sending data", Statement: "SELECT ?"})...)
		})},
		{Name: "another program writes", Host: func() *ruletest.Host {
			h := syncing()
			h.Process(ruletest.Process{PID: 900, Comm: "fio", WriteBytes: 5e7})
			ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
				return recording.DiskSample{At: at, Device: "vda", Major: 254, Writes: uint64(50 * s), WrittenBytes: uint64(5e7 * s), WriteTime: time.Duration(s * 5e8)}
			})
			ruletest.Every(h, func(at time.Time, s float64) recording.MountSample {
				return recording.MountSample{At: at, MountPoint: "/", FSType: "ext4", Major: 254, Size: 1 << 40, Free: 1 << 39, Available: 1 << 39}
			})
			return ruletest.Add(h, recording.MySQLVariable{At: ruletest.Start, Server: "10.0.0.2:3306", Name: "datadir", Value: "/var/lib/mysql/"})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.9, High: 4.1, Says: "fio (900)"},
	})
}

func TestMissingTables(t *testing.T) {
	ask := recording.MySQLSession{DB: "lab", State: "Opening tables", Statement: "SELECT c FROM sbtest40 WHERE id = ?"}
	rates := map[string]float64{"Questions": 8600, "Table_open_cache_overflows": 0, "Opened_tables": 0, "Opened_views": 0, "Table_open_cache_misses": 0}
	maria := func(misses, views float64, n int) func() *ruletest.Host {
		return func() *ruletest.Host {
			r := map[string]float64{"Questions": 8600, "Table_open_cache_overflows": 0, "Opened_tables": 0, "Opened_views": views, "Table_open_cache_misses": misses}
			return server(ruletest.MySQL{Rates: r, Sessions: times(n, ask)})
		}
	}
	fails := recording.MySQLStatement{Text: "SELECT `c` FROM `sbtest40` WHERE `id` = ?", Count: 500, Errors: 500, Took: 100 * time.Millisecond}
	oracle := func(f func(*ruletest.MySQL)) func() *ruletest.Host {
		return func() *ruletest.Host {
			m := ruletest.MySQL{Flavor: "MySQL", Version: "9.7.0", Rates: rates, Digests: []recording.MySQLStatement{fails}, Errors: map[int32]float64{1146: 4300}}
			f(&m)
			return server(m)
		}
	}
	// slowly are 20 statements a second that fail and take 20 ms each, beside others that take so long in all.
	slowly := func(others time.Duration) []recording.MySQLStatement {
		return []recording.MySQLStatement{{Digest: "1", Text: fails.Text, Count: 20, Errors: 20, Took: 400 * time.Millisecond}, {Digest: "2", Text: "SELECT `c` FROM `sbtest1` WHERE `id` = ?", Count: 500, Took: others}}
	}
	// changed is a server whose tables are changed in every reading up to the half
	// of the window; it misses so many a second then and so many afterwards.
	changed := func(during, after float64, command string) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := server(ruletest.MySQL{Rates: map[string]float64{"Questions": 8600, "Opened_tables": 0}, Sessions: times(2, ask)})
			half := h.Seconds / 2
			h.Readings(func(at time.Time, s float64) {
				add := func(name string, value float64) {
					ruletest.Add(h, recording.MySQLStatus{At: at, Server: "10.0.0.2:3306", Name: name, Value: value})
				}
				add("Table_open_cache_misses", 1e6+during*min(s, half)+after*max(s-half, 0))
				if s > 0 { // nobody used it before
					add(command, min(s, half))
				}
			})
			return h
		}
	}
	// altered is a server on which a statement runs that began before the window
	// and ends after the look at its half; it misses so many a second up to the next
	// look, and so many afterwards.
	altered := func(during, after float64, statement, state string) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := server(ruletest.MySQL{Rates: map[string]float64{"Questions": 8600, "Opened_tables": 0}, Sessions: times(2, ask)})
			half := math.Floor(h.Seconds / 2)
			h.Readings(func(at time.Time, s float64) {
				ruletest.Add(h, recording.MySQLStatus{At: at, Server: "10.0.0.2:3306", Name: "Table_open_cache_misses",
					Value: 1e6 + during*min(s, half+1) + after*max(s-half-1, 0)})
				if s <= half {
					ruletest.Add(h, recording.MySQLSession{At: at, Server: "10.0.0.2:3306", ID: 99, Command: "Query", State: state, Statement: statement,
						For: time.Minute + time.Duration(s*float64(time.Second))})
				}
			})
			return h
		}
	}
	ruletest.Check(t, missingTables, []ruletest.Situation{
		{Name: "counted", Host: oracle(func(*ruletest.MySQL) {}), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.85, High: 0.87, Says: "50 % of its statements fail"},
		{Name: "counted, and no digests", Host: oracle(func(m *ruletest.MySQL) { m.Digests = nil }), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.49, High: 0.51},
		{Name: "another error", Host: oracle(func(m *ruletest.MySQL) { m.Errors = map[int32]float64{1062: 4300} })},
		{Name: "now and then", Host: oracle(func(m *ruletest.MySQL) { m.Errors[1146] = 3 })},
		{Name: "few of many", Host: oracle(func(m *ruletest.MySQL) { m.Errors[1146] = 20 }), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0, High: 0.01},
		{Name: "few of many, and connections wait", Host: oracle(func(m *ruletest.MySQL) { m.Errors[1146], m.Sessions = 20, times(2, ask) }), Want: rule.Certain,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1},
		{Name: "few of many, each of which takes long", Host: oracle(func(m *ruletest.MySQL) { m.Errors[1146], m.Digests = 20, slowly(5*time.Second) }), Want: rule.Certain,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 0.39, High: 0.41, Proof: "such statements take 20 ms each, 400 ms per second in all, 7.4 % of the time of all statements"},
		{Name: "few of many, each of which takes long, as all statements do", Host: oracle(func(m *ruletest.MySQL) { m.Errors[1146], m.Digests = 20, slowly(100*time.Second) }), Want: rule.Possible,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 0.39, High: 0.41},
		{Name: "half of few, in no time", Host: oracle(func(m *ruletest.MySQL) {
			m.Errors[1146], m.Rates = 10, map[string]float64{"Questions": 20, "Table_open_cache_overflows": 0, "Opened_tables": 0}
		}), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.49, High: 0.51},
		{Name: "5.6: digests and states", Host: oracle(func(m *ruletest.MySQL) { m.Version, m.Errors, m.Sessions = "5.6.14", nil, times(5, ask) }),
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 4.9, High: 5.1, Says: "sbtest40"},
		{Name: "MariaDB's counters", Host: maria(900, 0, 2), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1, Says: "sbtest40"},
		{Name: "MariaDB's counters, few of many, and connections wait", Host: maria(20, 0, 2), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1},
		{Name: "MariaDB's counters, few of many, and nobody waits", Host: maria(20, 0, 0)},
		{Name: "views", Host: maria(900, 900, 2)},
		{Name: "an index is added again and again", Host: func() *ruletest.Host {
			// Measured: eight readers of the table, on MariaDB 10.11.
			r := map[string]float64{"Questions": 1070, "Table_open_cache_overflows": 0, "Opened_tables": 198, "Table_open_cache_misses": 1107,
				"Opened_table_definitions": 115, "Com_alter_table": 57}
			return server(ruletest.MySQL{Rates: r, Gauges: map[string]float64{"Threads_connected": 10}})
		}},
		{Name: "readers of a table look more often than there are questions while it is changed", Host: func() *ruletest.Host {
			r := map[string]float64{"Questions": 500, "Table_open_cache_overflows": 0, "Opened_tables": 40, "Table_open_cache_misses": 2000,
				"Opened_table_definitions": 8, "Com_alter_table": 8}
			return server(ruletest.MySQL{Rates: r, Gauges: map[string]float64{"Threads_connected": 5}})
		}},
		{Name: "changed in half of the readings", Host: changed(900, 900, "Com_create_index"), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1},
		{Name: "looked for in vain only in readings with a change", Host: changed(2000, 0, "Com_truncate")},
		{Name: "changed, for the first time, before all looks in vain", Host: changed(0, 900, "Com_drop_table"), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1},
		{Name: "temporary tables", Host: changed(900, 900, "Com_create_temporary_table"), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1},
		{Name: "a long ALTER ends in each reading", Host: altered(2000, 0, "ALTER TABLE `orders` ADD COLUMN `note` INT", "altering table")},
		{Name: "a long ALTER whose statement is not shown", Host: altered(2000, 0, "", "copy to tmp table")},
		{Name: "looks in vain before and after a long ALTER", Host: altered(900, 900, "ALTER TABLE `orders` ADD COLUMN `note` INT", "altering table"),
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1},
		{Name: "a long SELECT beside looks in vain", Host: altered(2000, 0, "SELECT * FROM `orders`", "Copying to tmp table"),
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1},
		{Name: "a long change of a temporary table", Host: altered(2000, 0, "CREATE TEMPORARY TABLE `x` SELECT ?", "Sending data"),
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2.1},
		{Name: "statements that always fail, for another reason", Host: oracle(func(m *ruletest.MySQL) {
			m.Errors, m.Sessions = map[int32]float64{1064: 4300}, times(5, ask)
		})},
		{Name: "the cache is too small", Host: func() *ruletest.Host {
			r := map[string]float64{"Questions": 8600, "Table_open_cache_overflows": 900, "Opened_tables": 900, "Table_open_cache_misses": 900}
			return server(ruletest.MySQL{Rates: r, Sessions: times(5, ask)})
		}},
	})
}

func TestMissingTablesInPackets(t *testing.T) {
	h := server(ruletest.MySQL{Rates: map[string]float64{"Questions": 100, "Opened_tables": 0, "Table_open_cache_misses": 0}})
	h.PacketCapture(nil)
	h.Packets(ruletest.PacketService{Rate: 100, RTs: []time.Duration{time.Millisecond}})
	h.PacketStatement(recording.PacketStatement{Fingerprint: "SELECT c FROM sbtest40 WHERE id = ?", Code: "1146", Failed: 500, Count: 500})
	f := ruletest.Judge(t, h, missingTables, rule.Certain)[0]
	if !strings.Contains(f.Headline.String(), "sbtest40") {
		t.Errorf("headline %q", f.Headline)
	}
}

func TestHealthyServerIsSilent(t *testing.T) {
	h := server(ruletest.MySQL{
		Variables: map[string]string{"innodb_buffer_pool_size": "8589934592", "innodb_flush_log_at_trx_commit": "1", "sort_buffer_size": "262144"},
		Gauges:    map[string]float64{"Innodb_buffer_pool_pages_total": 524288, "Innodb_buffer_pool_pages_free": 8000, "Innodb_data_pending_reads": 1},
		Rates: map[string]float64{"Innodb_buffer_pool_read_requests": 3e6, "Innodb_buffer_pool_reads": 900, "Handler_read_rnd_next": 3e5, "Handler_read_key": 2e6,
			"Handler_read_next": 4e6, "Created_tmp_disk_tables": 3, "Created_tmp_tables": 400, "Sort_merge_passes": 0.1, "Questions": 40000, "Com_insert": 3000,
			"Innodb_data_fsyncs": 2500, "Innodb_buffer_pool_pages_data": 10, "Opened_tables": 1, "Table_open_cache_misses": 2},
		Sessions: append(times(12, recording.MySQLSession{State: "Statistics", Statement: "SELECT c FROM sbtest1 WHERE id = ?", Examined: 1}),
			times(6, recording.MySQLSession{State: "Updating status", Statement: "COMMIT"})...),
	})
	for _, r := range rulesWork {
		ruletest.Judge(t, h, r, 0)
	}
}

func TestNobodyAnswers(t *testing.T) {
	h := ruletest.New(2, 5)
	ruletest.Every(h, func(at time.Time, s float64) recording.MySQLServer {
		return recording.MySQLServer{At: at, Server: "10.0.0.2:3306", State: recording.ServerDenied, Error: "access denied", PID: recording.Unknown, Port: 3306}
	})
	for _, r := range rulesWork {
		h.Abstains(t, r)
	}
}
