package mysql

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe/mysql/fixture"
	"rtrail/internal/recording"
	"rtrail/internal/sqltoken"
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
	tp.answers["SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = "+literal("lab")+" AND TABLE_NAME = "+literal("accounts")+
		" AND TABLE_TYPE = 'VIEW'"] = []tapeAnswer{{answer: fixture.Answer{Columns: []string{"TABLE_NAME"}}}}
	tp.answers["EXPLAIN FORMAT=TRADITIONAL SELECT * FROM accounts where id=1 and 'secret'='secret'"] = []tapeAnswer{{answer: fixture.Answer{
		Columns: []string{"id", "select_type", "table", "partitions", "type", "possible_keys", "key", "key_len", "ref", "rows", "filtered", "Extra"},
		Rows:    [][]fixture.Value{text("1", "SIMPLE", "accounts", "", "range", "PRIMARY", "PRIMARY", "4", "const", "1", "100.00", "Using where")},
	}}}
	tp.answers["EXPLAIN FORMAT=TRADITIONAL select * from accounts"] = []tapeAnswer{{err: &driver.MySQLError{Number: 1205, Message: "Lock wait timeout 'secret'"}}}
	return tp
}

func TestPlans(t *testing.T) {
	tp := explaining(t, false)
	rec := play(t, tp, Options{Explain: true})
	plans := recording.Rows[recording.MySQLPlan](rec)
	for i := range plans {
		plans[i].At = plans[0].At
	}
	want := []recording.MySQLPlan{{Server: "db:3306", Schema: "lab", Statement: "UPDATE accounts SET b = ? WHERE id = ? AND ? = ?", Kind: "SIMPLE", Name: "accounts",
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
	if explained != 2 { // in two looks; each once, and no INSERT of values
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

func TestReadingOf(t *testing.T) {
	for text, want := range map[string]string{
		"select 1 from t where a = 1":                                 "select 1 from t where a = 1",
		" (SELECT a FROM t) UNION (SELECT b FROM u)":                  "(SELECT a FROM t) UNION (SELECT b FROM u)",
		"SELECT a FROM t WHERE b='for update?' LOCK IN SHARE MODE;":   "SELECT a FROM t WHERE b='for update?'",
		"SELECT a FROM t USE INDEX FOR JOIN (b) FOR SHARE OF t":       "SELECT a FROM t USE INDEX FOR JOIN (b)",
		"SELECT a INTO @x FROM t FOR UPDATE SKIP LOCKED":              "SELECT a INTO @x FROM t",
		"update low_priority t set a='where', b=(2) where c=3":        "SELECT * FROM t where c=3",
		"UPDATE t JOIN u ON t.a=u.a SET t.b=1":                        "SELECT * FROM t JOIN u ON t.a=u.a",
		"UPDATE t SET a=1 ORDER BY b LIMIT 3":                         "SELECT * FROM t ORDER BY b LIMIT 3",
		"delete quick\nfrom t where a=1 returning b":                  "SELECT * FROM t where a=1",
		"DELETE t FROM t LEFT JOIN u USING (a) WHERE u.a IS NULL":     "SELECT * FROM t LEFT JOIN u USING (a) WHERE u.a IS NULL",
		"DELETE FROM t USING t JOIN u USING (a)":                      "SELECT * FROM t JOIN u USING (a)",
		"INSERT INTO t (a) SELECT b FROM u ON DUPLICATE KEY UPDATE a": "SELECT b FROM u",
		"replace t select b from u join v on u.a=v.a":                 "select b from u join v on u.a=v.a",
		"INSERT INTO t VALUES (1)":                                    "",
		"INSERT INTO t WITH c AS (SELECT 1) SELECT * FROM c":          "",
		"SELECT a FROM t WHERE b IN (SELECT c FROM u FOR UPDATE)":     "",
		"SELECT a FROM t WHERE b = ?":                                 "",
		"SELECT 1":                                                    "",
		"SELECT /*!50000 a FROM (SELECT sleep(1)) */ b FROM t":        "",
		"ANALYZE select 1 from t":                                     "",
		"CALL p()":                                                    "",
		"ALTER TABLE t ADD a int":                                     "",
		"UPDATE t":                                                    "",
		"DELETE":                                                      "",
		"":                                                            "",
		"((":                                                          "",
	} {
		r, ok := readingOf(text)
		if ok != (want != "") || ok && r.text != want {
			t.Errorf("%q: %q, %t; want %q", text, r.text, ok, want)
		}
	}
}

// TestUnsafe wants nothing explained of which a server executes a part.
func TestUnsafe(t *testing.T) {
	const view, table = "SELECT a FROM lab.v1", "SELECT a FROM t"
	for _, test := range []struct {
		text, mode string
		mysql, all bool // refused by MySQL; by MariaDB, too
	}{
		{text: table + " JOIN u ON t.a = u.b, w"},
		{text: "SELECT a FROM (SELECT sleep(1) a) d", all: true},
		{text: "SELECT a FROM t, LATERAL (SELECT sleep(1)) d", all: true},
		{text: "SELECT a FROM t JOIN ((SELECT 1) UNION (SELECT 2)) d", all: true},
		{text: "UPDATE t, (SELECT f()) d SET a = 1", all: true},
		{text: "SELECT a FROM t WHERE id = (SELECT max(b) FROM (SELECT f() b) d)", all: true},
		{text: "SELECT a FROM t WHERE id = (SELECT max(b) FROM u)", mysql: true},
		{text: "SELECT (SELECT b FROM u), c FROM t", mysql: true},
		{text: table + " UNION SELECT b FROM u", mysql: true},
		{text: "DELETE FROM t WHERE a IN (SELECT b FROM u)", mysql: true},
		{text: view, mysql: true},
		{text: "SELECT a FROM t STRAIGHT_JOIN `lab`.`v1` v", mysql: true},
		{text: "SELECT a FROM (t, lab.v1)", mysql: true},
		{text: "SELECT a FROM `lab`.`v``1`", mysql: true},
		{text: table + strings.Repeat(", u", tablesPerPlan), mysql: true},
		{text: table + ` WHERE b = 'it\'s'`},
		{text: table + ` WHERE b = '\' OR c = '(SELECT'`, mode: "NO_BACKSLASH_ESCAPES", all: true},
		{text: `SELECT a FROM "v1"`, mode: "REAL_AS_FLOAT,ANSI_QUOTES", all: true},
	} {
		r, ok := readingOf(test.text)
		if !ok && test.mode == "" {
			t.Errorf("%s: not read", test.text)
		}
		for version, refused := range map[string]bool{"5.6.14": test.mysql || test.all, "9.7.4": test.mysql || test.all, "10.11.6-MariaDB": test.all} {
			s := newServer(mysqlconn.Target{}, Options{}, nil)
			s.about = identify(version, "")
			s.seen.variables = map[string]string{"sql_mode": test.mode}
			s.link = views{"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = _utf8 x'6c6162' AND TABLE_NAME = _utf8 x'7631' AND TABLE_TYPE = 'VIEW'"}
			l := &look{server: s, ctx: t.Context(), w: recording.NewWriter(time.Now())}
			if why, err := l.unsafe(r, "shop"); err != nil || (why != "") != refused && ok {
				t.Errorf("%s on %s: %q, %v", test.text, version, why, err)
			}
		}
	}
}

// views is a server that knows one view and no other table.
type views struct{ question string }

func (v views) Query(_ context.Context, statement string) (*mysqlconn.Result, error) {
	r := mysqlconn.NewResult([]string{"TABLE_NAME"})
	if statement == v.question {
		r.Add([]string{"v1"}, func(int) bool { return false })
	}
	return r, nil
}
func (views) Ping(context.Context) error { return nil }
func (views) Close()                     {}
func (views) Abort()                     {}
func (views) Peer(string) int32          { return 0 }
func (views) Unacknowledged() int        { return 0 }

func FuzzReadingOf(f *testing.F) {
	for _, text := range []string{"SELECT a FROM t FOR UPDATE", "UPDATE t SET a=1 WHERE b", "DELETE FROM a USING b", "INSERT INTO t SELECT 1 FROM u", "((", "SELECT `", "DELETE FROM"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, ok := readingOf(text); ok && (!sqltoken.Split(strings.TrimLeft(r.text, "( \t\r\n\f\v"))[0].Is("SELECT") || locks(r.tokens)) {
			t.Errorf("%q: would explain %q", text, r.text)
		}
	})
}

func (v views) QueryText(ctx context.Context, statement string) (*mysqlconn.Result, error) {
	return v.Query(ctx, statement)
}

func TestPlansWithoutLiterals(t *testing.T) {
	for extra, want := range map[string]string{
		"Using where; Using filesort":                                                "Using where; Using filesort",
		"Using where with pushed condition (`t`.`a` = 'h0rse')":                      "Using where with pushed condition",
		"Using where with pushed condition (`t`.`a` > 'h0rse'); Using MRR":           "Using where with pushed condition; Using MRR",
		"Using where with pushed condition (`t`.`a` = 'x); h0rse')":                  "Using where with pushed condition",
		"Using where with pushed condition (`t`.`a` = 'x); h0rse'); Using filesort":  "Using where with pushed condition; Using filesort",
		"Parent of 2 pushed join@1; Using where with pushed condition (a = 'h0rse')": "Parent of 2 pushed join@1; Using where with pushed condition",
	} {
		if got := withoutConditions(extra); got != want {
			t.Errorf("%s: %q, want %q", extra, got, want)
		}
	}
}
