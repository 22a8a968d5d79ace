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

const (
	byLike  = "SELECT id, body FROM note WHERE name LIKE ?"
	byPhone = "SELECT id, body FROM note WHERE phone = ?"
	byLower = "SELECT id, body FROM note WHERE LOWER(name) = ?"
	byRand  = "SELECT id, body FROM note ORDER BY RAND() LIMIT ?"
)

// cond is what the probe found of a statement.
func cond(text, form, by, column, kind, indexes string) recording.MySQLCondition {
	return recording.MySQLCondition{At: ruletest.Start, Server: "10.0.0.2:3306", Statement: text, Form: form, By: by, Schema: "lab", Name: "note",
		Column: column, Alone: true, Type: kind, Indexes: indexes}
}

func TestCostlyStatement(t *testing.T) {
	like, number := cond(byLike, "pattern", "LIKE", "name", "varchar(40)", "by_name"), cond(byPhone, "number", "=", "phone", "varchar(20)", "by_phone")
	session := func(text string) recording.MySQLSession {
		return recording.MySQLSession{DB: "lab", State: "Sending data", Statement: text, Examined: 0, Sent: recording.Unknown}
	}
	scans := map[string]float64{"Handler_read_rnd_next": 2e6, "Handler_read_next": 0, "Select_scan": 50, "Com_select": 60, "Rows_sent": 60}
	// seen is a server without digests, with connections at a statement.
	seen := func(rates map[string]float64, text string, n int, conditions []recording.MySQLCondition, others ...recording.MySQLSession) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := server(ruletest.MySQL{Rates: rates, Sessions: append(times(n, session(text)), others...)})
			for _, c := range conditions {
				ruletest.Add(h, c)
			}
			return h
		}
	}
	digest := func(text string, change func(*recording.MySQLStatement), conditions ...recording.MySQLCondition) func() *ruletest.Host {
		return func() *ruletest.Host {
			s := recording.MySQLStatement{Text: text, Count: 50, Took: 2 * time.Second, Examined: 2_000_000, Sent: 50, Scans: 50, NoIndex: 50}
			change(&s)
			point := recording.MySQLStatement{Text: "SELECT c FROM note WHERE id = ?", Count: 900, Took: 100 * time.Millisecond, Examined: 900, Sent: 900}
			h := server(ruletest.MySQL{Flavor: "MySQL", Version: "9.7.0", Rates: scans, Digests: []recording.MySQLStatement{s, point}})
			for _, c := range conditions {
				ruletest.Add(h, c)
			}
			return h
		}
	}
	same := func(*recording.MySQLStatement) {}
	explained := func(access string) func() *ruletest.Host {
		return func() *ruletest.Host {
			return ruletest.Add(seen(scans, byLike, 3, []recording.MySQLCondition{like})(), recording.MySQLPlan{At: ruletest.Start, Server: "10.0.0.2:3306",
				Statement: byLike, Name: "note", Access: access, Rows: 40_000, Possible: "by_name"})
		}
	}
	beside := like
	beside.Alone, beside.Indexes = false, ""
	few := map[string]float64{"Handler_read_rnd_next": 4000, "Handler_read_next": 0, "Select_scan": 50, "Com_select": 60, "Rows_sent": 60}
	all := map[string]float64{"Handler_read_rnd_next": 2e6, "Select_scan": 50, "Com_select": 60, "Rows_sent": 1e6}
	index := map[string]float64{"Handler_read_rnd_next": 100, "Handler_read_next": 2e6, "Select_scan": 50, "Com_select": 60, "Rows_sent": 60}
	const kind, who = view.KindProcess, "mariadbd"
	ruletest.Check(t, costlyStatement, []ruletest.Situation{
		{Name: "LIKE in the process list", Host: seen(scans, byLike, 3, []recording.MySQLCondition{like}), Want: rule.Likely, Kind: kind, Subject: who, Low: 2.9, High: 3,
			Says: "wildcard, so that the index by_name cannot be used"},
		{Name: "LIKE reads a whole index", Host: seen(index, byLike, 3, []recording.MySQLCondition{like}), Want: rule.Likely, Kind: kind, Subject: who, Low: 2.9, High: 3, Says: "40,002 rows"},
		{Name: "LIKE of which nobody saw a literal", Host: seen(scans, byLike, 3, nil)},
		{Name: "a number", Host: seen(scans, byPhone, 3, []recording.MySQLCondition{number}), Want: rule.Likely, Kind: kind, Subject: who, Low: 2.9, High: 3,
			Says: "compares the text of phone (varchar(20)) with a number"},
		{Name: "a function", Host: seen(scans, byLower, 3, nil), Want: rule.Likely, Kind: kind, Subject: who, Low: 2.9, High: 3, Says: "the result of LOWER on name"},
		{Name: "RAND", Host: seen(scans, byRand, 3, nil), Want: rule.Likely, Kind: kind, Subject: who, Low: 2.9, High: 3, Says: "sorts all rows"},
		{Name: "a plan", Host: explained("ALL"), Want: rule.Certain, Kind: kind, Subject: who, Low: 2.9, High: 3},
		{Name: "a plan by an index", Host: explained("range"), Want: rule.Possible, Kind: kind, Subject: who, Low: 2.9, High: 3, Says: "it may be"},
		{Name: "few rows examined", Host: seen(few, byLike, 3, []recording.MySQLCondition{like})},
		{Name: "all rows are sent", Host: seen(all, byLike, 3, []recording.MySQLCondition{like})},
		{Name: "a small share of the time", Host: seen(scans, byLike, 1, []recording.MySQLCondition{like}, times(20, session("SELECT c FROM note WHERE id = ?"))...)},
		{Name: "another statement does the reading", Host: seen(scans, byLike, 1, []recording.MySQLCondition{like}, times(2, session("SELECT c FROM other WHERE x = ?"))...)},
		{Name: "digest", Host: digest(byLike, same, like), Want: rule.Certain, Kind: kind, Subject: who, Low: 1.9, High: 2},
		{Name: "digest, in its own words", Host: digest("SELECT `id` , `body` FROM `note` WHERE NAME LIKE ?", same, like), Want: rule.Certain, Kind: kind, Subject: who, Low: 1.9, High: 2},
		{Name: "digest with an index for another condition", Host: digest(byLike, same, beside), Want: rule.Possible, Kind: kind, Subject: who, Low: 1.9, High: 2},
		{Name: "digest that reads few rows", Host: digest(byLike, func(s *recording.MySQLStatement) { s.Examined = 5000 }, like)},
		{Name: "digest that returns what it reads", Host: digest(byLike, func(s *recording.MySQLStatement) { s.Sent = 1_000_000 }, like)},
		{Name: "digest of little time", Host: digest(byLike, func(s *recording.MySQLStatement) { s.Took = 5 * time.Millisecond }, like)},
		{Name: "aggregate", Host: digest("SELECT COUNT(*) FROM note WHERE name LIKE ?", same, cond("SELECT COUNT(*) FROM note WHERE name LIKE ?", "pattern", "LIKE", "name", "text", "")),
			Want: rule.Likely, Kind: kind, Subject: who, Low: 1.9, High: 2, Says: "no index on name can be used"},
		{Name: "no such form", Host: digest("SELECT id FROM note WHERE body = ?", same)},
	})
}

// What is blamed for its condition is blamed for nothing else.
func TestCostlyStatementOwnsItsStatement(t *testing.T) {
	h := server(ruletest.MySQL{Digests: []recording.MySQLStatement{{Text: byRand, Count: 50, Took: 2 * time.Second, Examined: 4_000_000, Sent: 50, Scans: 50, NoIndex: 50,
		SortRows: 2_000_000, SortMerges: 100, TmpDisk: 50}}, Rates: map[string]float64{"Handler_read_rnd_next": 4e6, "Rows_sent": 50, "Created_tmp_disk_tables": 50, "Sort_merge_passes": 100}})
	for _, r := range []rule.Rule{fullScan, sorting, tmpDiskTables} {
		if f := h.Detect(t, r); len(f) > 0 {
			t.Errorf("%s: %s", r.ID, f[0].Headline)
		}
	}
}

// Each version is told of what it has.
func TestCostlyFixes(t *testing.T) {
	for _, c := range []struct{ flavor, version, text, form, by, want string }{
		{"MySQL", "9.7.0", byLike, "pattern", "LIKE", "with parser ngram"},
		{"MySQL", "5.6.14", byLike, "pattern", "LIKE", "if whole words are enough"},
		{"MariaDB", "10.11.6-MariaDB", byLike, "pattern", "LIKE", "if whole words are enough"},
		{"MySQL", "8.0.40", byLower, "computed", "LOWER", "ADD INDEX ((LOWER(name)))"},
		{"MySQL", "5.7.44", byLower, "computed", "LOWER", "AS (LOWER(name)) VIRTUAL"},
		{"MariaDB", "10.11.6-MariaDB", byLower, "computed", "LOWER", "AS (LOWER(name)) VIRTUAL"},
		{"MySQL", "5.6.14", byLower, "computed", "LOWER", "by triggers"},
		{"MariaDB", "10.11.6-MariaDB", byPhone, "number", "=", "put the number in quotes"},
		{"MariaDB", "10.11.6-MariaDB", byRand, "random", "RAND", "choose a random key"},
	} {
		column := "name"
		h := server(ruletest.MySQL{Flavor: c.flavor, Version: c.version, Digests: []recording.MySQLStatement{{Text: c.text, Count: 50, Took: 2 * time.Second, Examined: 4_000_000,
			Sent: 50, Scans: 50, NoIndex: 50}}, Rates: map[string]float64{"Handler_read_rnd_next": 4e6}})
		f := ruletest.Judge(t, ruletest.Add(h, cond(c.text, c.form, c.by, column, "varchar(40)", "by_name")), costlyStatement, rule.Certain)[0]
		all := ""
		for _, x := range f.Fixes {
			all += x.Text.String() + " " + x.Command.String() + "\n"
		}
		if !strings.Contains(all, c.want) {
			t.Errorf("%s %s, %s: no %q in\n%s", c.flavor, c.version, c.form, c.want, all)
		}
	}
}
