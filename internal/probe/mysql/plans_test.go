package mysql

import (
	"slices"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/mysql/fixture"
	"rtrail/internal/recording"
)

// explaining is a recorded MySQL 9 whose sessions wait for no table, and which
// explains one of their statements.
func explaining(t *testing.T, waits bool) *tape {
	tp := readTape(t, "testdata/looks/mysql-9-locks.txt")
	for statement, list := range tp.answers {
		if !strings.Contains(statement, "performance_schema.processlist") {
			continue
		}
		for _, a := range list {
			for _, row := range a.answer.Rows {
				for i := range row {
					if !waits && strings.HasPrefix(row[i].Text, "Waiting for table") {
						row[i].Text = "executing"
					}
				}
			}
		}
	}
	text := func(texts ...string) (row []fixture.Value) {
		for _, s := range texts {
			row = append(row, fixture.Value{Text: s, Null: s == ""})
		}
		return row
	}
	tp.answers["USE `lab`"] = []tapeAnswer{{}}
	tp.answers["EXPLAIN FORMAT=TRADITIONAL update accounts set b=7 where id=1 and 'secret'='secret'"] = []tapeAnswer{{answer: fixture.Answer{
		Columns: []string{"id", "select_type", "table", "partitions", "type", "possible_keys", "key", "key_len", "ref", "rows", "filtered", "Extra"},
		Rows:    [][]fixture.Value{text("1", "UPDATE", "accounts", "", "range", "PRIMARY", "PRIMARY", "4", "const", "1", "100.00", "Using where")},
	}}}
	tp.answers["EXPLAIN FORMAT=TRADITIONAL select * from accounts for update"] = []tapeAnswer{{err: &driver.MySQLError{Number: 1205, Message: "Lock wait timeout 'secret'"}}}
	return tp
}

func TestPlans(t *testing.T) {
	tp := explaining(t, false)
	rec := play(t, tp, Options{Explain: true})
	plans := recording.Rows[recording.MySQLPlan](rec)
	for i := range plans {
		plans[i].At = plans[0].At
	}
	want := []recording.MySQLPlan{{Server: "db:3306", Schema: "lab", Statement: "UPDATE accounts SET b = ? WHERE id = ? AND ? = ?", Kind: "UPDATE", Name: "accounts",
		Access: "range", Possible: "PRIMARY", Key: "PRIMARY", Rows: 1, Extra: "Using where"}}
	if len(plans) > 0 {
		want[0].At = plans[0].At
	}
	if diff := cmp.Diff(want, plans); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	explained := 0
	for _, s := range tp.asked {
		if strings.HasPrefix(s, "EXPLAIN") {
			explained++
		}
		if strings.HasPrefix(s, "EXPLAIN") && strings.Contains(strings.ToUpper(s), "ALTER") {
			t.Errorf("asked: %s", s)
		}
	}
	if explained != 3 { // in two looks; each once
		t.Errorf("%d plans were asked for", explained)
	}
	i := slices.IndexFunc(recording.Rows[recording.UnseenNote](rec), func(n recording.UnseenNote) bool { return n.What == "plans of some statements" })
	if i < 0 || strings.Contains(dump(rec), "secret") {
		t.Error("that a plan was refused is not noted, or a literal shows")
	}
}

func TestNoPlansUnasked(t *testing.T) {
	for name, rec := range map[string]*recording.Recording{
		"not wanted":             play(t, explaining(t, false), Options{Deep: true}),
		"sessions wait for them": play(t, explaining(t, true), Options{Explain: true}),
	} {
		if n := rec.Count(recording.MySQLPlans); n != 0 {
			t.Errorf("%s: %d lines", name, n)
		}
	}
}

func TestCanExplain(t *testing.T) {
	for text, want := range map[string]bool{
		"select 1 from t where a = 1": true, " (SELECT a FROM t) UNION (SELECT b FROM u)": true, "delete\nfrom t": true, "INSERT INTO t SELECT 1": true,
		"ANALYZE select 1": false, "analyze UPDATE t SET a = 1": false, "CALL p()": false, "SELECT a FROM t WHERE a = ?": false, "": false, "ALTER TABLE t": false,
	} {
		if got := canExplain(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
