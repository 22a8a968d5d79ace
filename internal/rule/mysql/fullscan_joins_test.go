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

const byJoin = "SELECT `cc` . `n` , `oo` . `v` FROM `cc` JOIN `oo` ON `oo` . `cust` = `cc` . `n` WHERE `cc` . `s` = ?"

// joining is a server whose digests tell of 40 rows of each execution of byJoin,
// while it reads 9,000 more one after the other.
func joining() ruletest.MySQL {
	return ruletest.MySQL{
		Digests: []recording.MySQLStatement{
			{Text: byJoin, Count: 200, Took: time.Second, Examined: 8000, Sent: 8000, Scans: 200, FullJoins: 200, NoIndex: 200},
			{Text: "SELECT `c` FROM `sbtest1` WHERE `id` = ?", Count: 9000, Took: time.Second, Examined: 9000, Sent: 9000},
		},
		Rates: map[string]float64{"Handler_read_rnd_next": 200 * 9040, "Handler_read_key": 9000, "Select_scan": 200, "Select_full_join": 200, "Rows_sent": 17_000,
			"Com_update": 0, "Com_delete": 0},
	}
}

// planOfJoin is what EXPLAIN says of byJoin where oo has so many rows.
func planOfJoin(rows int64) []recording.MySQLPlan {
	line := recording.MySQLPlan{At: ruletest.Start, Server: "10.0.0.2:3306", Statement: byJoin, Kind: "SIMPLE", Access: "ALL"}
	first, second := line, line
	first.Name, first.Rows, first.Extra = "cc", 40, "Using where"
	second.Line, second.Name, second.Rows, second.Extra = 1, "oo", rows, "Using where; Using join buffer (flat, BNL join)"
	return []recording.MySQLPlan{first, second}
}

func TestFullScanOfJoinedTable(t *testing.T) {
	host := func(f func(*ruletest.MySQL)) func() *ruletest.Host {
		m := joining()
		f(&m)
		return func() *ruletest.Host { return server(m) }
	}
	explained := func(rows int64, f func(*ruletest.MySQL)) func() *ruletest.Host {
		return func() *ruletest.Host { return ruletest.Add(host(f)(), planOfJoin(rows)...) }
	}
	as := func(*ruletest.MySQL) {}
	blamed := func(s ruletest.Situation) ruletest.Situation {
		s.Kind, s.Subject, s.Low, s.High = view.KindProcess, "mariadbd", 0.95, 1
		return s
	}
	ruletest.Check(t, fullScan, []ruletest.Situation{
		blamed(ruletest.Situation{Name: "in no digest", Host: host(as), Want: rule.Likely, Says: "reads 9,0", Proof: "which its digest leaves out"}),
		blamed(ruletest.Situation{Name: "explained", Host: explained(8980, as), Want: rule.Certain, Says: "it joins oo without an index",
			Proof: "it reads the whole table oo, about 8,980 rows (type ALL) to join it by a join buffer; no index could be used"}),
		{Name: "explained, its tables are small", Host: explained(30, as)},
		{Name: "small tables", Host: host(func(m *ruletest.MySQL) { m.Rates["Handler_read_rnd_next"] = 200 * 80 })},
		{Name: "the digests tell", Host: host(func(m *ruletest.MySQL) {
			m.Digests[0].Examined = 200 * 900
			m.Rates["Handler_read_rnd_next"] = 200 * 940
		})},
		{Name: "some join uses no index", Host: host(func(m *ruletest.MySQL) { m.Digests[0].FullJoins = 20; m.Rates["Select_full_join"] = 20 })},
		{Name: "takes no time", Host: host(func(m *ruletest.MySQL) { m.Digests[0].Took = 20 * time.Millisecond })},
		{Name: "a batch that wants what it reads", Host: host(func(m *ruletest.MySQL) {
			m.Digests[0].Text, m.Digests[0].Sent, m.Digests[0].Affected = "INSERT INTO `x` "+byJoin, 0, 1_000_000
		})},
		{Name: "a server whose digests tell of joins", Host: host(func(m *ruletest.MySQL) { m.Flavor, m.Version = "MySQL", "8.4.8" })},
		blamed(ruletest.Situation{Name: "beside rows by an index", Host: host(func(m *ruletest.MySQL) { m.Digests[1].Examined = 5e6; m.Digests[1].Sent = 5e6 }),
			Want: rule.Likely, Says: "it joins a table without an index"}),
		{Name: "others scan as well, and are in no digest", Host: host(func(m *ruletest.MySQL) { m.Rates["Select_scan"] = 400 }),
			Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.4, High: 0.5, Says: "the statements are unknown"},
		blamed(ruletest.Situation{Name: "others scan as well, explained", Host: explained(8980, func(m *ruletest.MySQL) { m.Rates["Select_scan"] = 400 }), Want: rule.Likely,
			Says: "reads many rows each time for \"SELECT cc . n"}),
		{Name: "a dump reads for long", Host: host(func(m *ruletest.MySQL) {
			m.Sessions = []recording.MySQLSession{{State: "Sending data", Statement: "SELECT * FROM big", For: 40 * time.Second}}
		})},
		blamed(ruletest.Situation{Name: "the join itself takes long", Host: host(func(m *ruletest.MySQL) {
			m.Sessions = []recording.MySQLSession{{State: "Sending data", Statement: strings.ReplaceAll(strings.ReplaceAll(byJoin, "`", ""), " . ", "."), For: 2 * time.Second}}
		}), Want: rule.Likely}),
		blamed(ruletest.Situation{Name: "an applier without work", Host: host(func(m *ruletest.MySQL) {
			m.Sessions = []recording.MySQLSession{{Command: "Slave_SQL", User: "system user", State: "Slave has read all relay log; waiting for more updates", For: time.Hour}}
		}), Want: rule.Likely}),
		{Name: "an applier at work", Host: host(func(m *ruletest.MySQL) {
			m.Sessions = []recording.MySQLSession{{Command: "Slave_SQL", User: "system user", State: "Update_rows_log_event::find_row(-1)", For: time.Minute}}
		})},
		{Name: "updates in no digest", Host: host(func(m *ruletest.MySQL) { m.Rates["Com_update"], m.Rates["Rows_sent"] = 10, 1e5 })},
		{Name: "two joins", Host: host(func(m *ruletest.MySQL) {
			other := m.Digests[0]
			other.Text = strings.Replace(byJoin, "`v`", "`w`", 1)
			m.Digests = append(m.Digests, other)
			m.Rates["Select_scan"], m.Rates["Select_full_join"] = 400, 400
		}), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "reads many rows each time",
			Proof: "2,000 executions"},
		{Name: "another statement reads whole tables", Host: host(func(m *ruletest.MySQL) {
			m.Digests = append(m.Digests, recording.MySQLStatement{Text: byPad, Count: 100, Took: 2 * time.Second, Examined: 2_000_000, Sent: 100, Scans: 100, NoIndex: 100})
			m.Rates["Handler_read_rnd_next"] += 2_000_000
			m.Rates["Select_scan"] += 100
		}), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.9, High: 2, Says: "an index on (pad)"},
		{Name: "scans in no digest, and no join", Host: host(func(m *ruletest.MySQL) { m.Digests = m.Digests[1:]; m.Rates["Handler_read_rnd_next"] = 4e6 }), Want: rule.Possible,
			Kind: view.KindProcess, Subject: "mariadbd", Low: 0.9, High: 1, Says: "the statements are unknown"},
	})
}

// The table to be indexed is the one that is read whole for each of few rows, and
// nobody is told to ask for the plan that is there.
func TestPlanOfJoinNamesTheLargestTable(t *testing.T) {
	const text = "SELECT COUNT ( * ) , MIN ( `big` . `c` ) FROM `sm` JOIN `big` ON `big` . `a` = `sm` . `x`"
	plan := planOfJoin(31_866)
	for i := range plan {
		plan[i].Statement, plan[i].Name = text, []string{"sm", "big"}[i]
	}
	plan[1].Extra = "Using where; Using join buffer (hash join)"
	m := ruletest.MySQL{Flavor: "MySQL", Version: "9.7.4", Collected: "status,plans",
		Digests: []recording.MySQLStatement{{Text: text, Count: 100, Took: time.Second, Examined: 3_230_000, Sent: 100, Scans: 100, FullJoins: 100, NoIndex: 100}}}
	for name, c := range map[string]struct {
		lines []recording.MySQLPlan
		says  string // of the plan
		fix   string
	}{
		"joined":        {plan, "reads the whole table big, about 31,866 rows (type ALL) to join it", "give big an index"},
		"no plan of it": {nil, "", "look at the plan: type ALL"},
	} {
		f := ruletest.Judge(t, ruletest.Add(server(m), c.lines...), fullScan, rule.Possible)[0]
		said := false
		for _, e := range f.Evidence {
			said = said || strings.Contains(e.What.String(), c.says)
		}
		if !said {
			t.Errorf("%s: no evidence says %q: %v", name, c.says, f.Evidence)
		}
		if fix := f.Fixes[0].Text.String(); !strings.HasPrefix(fix, c.fix) || strings.Contains(f.Headline.String()+fix, "--explain") {
			t.Errorf("%s: %s: fix %q, want %q", name, f.Headline, fix, c.fix)
		}
	}
}

func TestLargestLineOfPlan(t *testing.T) {
	line := func(name, access string, rows int64, extra string) recording.MySQLPlan {
		return recording.MySQLPlan{Kind: "SIMPLE", Name: name, Access: access, Rows: rows, Extra: extra}
	}
	for name, c := range map[string]struct {
		plan   []recording.MySQLPlan
		want   string
		joined bool
	}{
		"one table":                        {[]recording.MySQLPlan{line("a", "ALL", 10, "")}, "a", false},
		"the first of a join":              {[]recording.MySQLPlan{line("a", "ALL", 9000, ""), line("b", "ref", 10_000, "")}, "a", false},
		"the second of a join":             {[]recording.MySQLPlan{line("a", "ALL", 10, ""), line("b", "ALL", 9000, "")}, "b", true},
		"an index, and a small table":      {[]recording.MySQLPlan{line("a", "ref", 9000, ""), line("b", "ALL", 20, "Using join buffer (flat, BNL join)")}, "b", true},
		"what the server made is no table": {[]recording.MySQLPlan{line("<derived2>", "ALL", 90_000, ""), line("b", "index", 20, "")}, "b", true},
		"all by an index":                  {[]recording.MySQLPlan{line("a", "ref", 1, ""), line("b", "ref", 9, "")}, "b", true},
	} {
		at, ok := largest(c.plan)
		if !ok || c.plan[at].Name != c.want || joinedTo(c.plan, at) != c.joined {
			t.Errorf("%s: %d, %v", name, at, ok)
		}
	}
	if _, ok := largest(nil); ok {
		t.Error("a line of no plan")
	}
}
