package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

const (
	// plansPerLook is how many statements one look has the server explain.
	plansPerLook = 3
	// maxPlans is how many statements are explained in all.
	maxPlans = 30
	// linesPerPlan bounds the plan of one statement: joins have some lines.
	linesPerPlan = 30
	// tablesPerPlan bounds the questions whether a table is a view.
	tablesPerPlan = 10

	planOfStatement = "the plan of a statement"
)

// explainable is a statement as a client sent it.
type explainable struct{ schema, digest, text string }

// readPlans has the server explain statements: those that the last digests found
// without an index, of which it keeps an example, and those that run now, the
// longest first. Each once. EXPLAIN of what is let through reads statistics, and
// rows by a key that the statement names; it executes functions of constants.
func readPlans(l *look) error {
	if l.seen.plans == nil {
		l.seen.plans = map[string]bool{}
	}
	list, err := l.examples()
	if err != nil {
		return err
	}
	running := slices.Clone(l.processes)
	slices.SortStableFunc(running, func(a, b process) int { return cmp.Compare(b.took, a.took) })
	for _, p := range running {
		if (p.command == "Query" || p.command == "Execute") && !p.cut {
			list = append(list, explainable{schema: p.db, text: p.text})
		}
	}
	for asked := 0; len(list) > 0 && asked < plansPerLook && len(l.seen.plans) < maxPlans; list = list[1:] {
		x := list[0]
		bare := l.words.Of("mysql", "Query", []byte(x.text), false)
		read, ok := readingOf(x.text)
		if !ok || l.seen.plans[bare] {
			continue
		}
		l.seen.plans[bare] = true
		asked++
		if err := l.explain(x, read, bare); err != nil {
			return err
		}
	}
	return nil
}

// examples are statements without an index, as somebody sent them: MySQL 8 keeps
// one of each digest.
func (l *look) examples() (list []explainable, err error) {
	if len(l.unindexed) == 0 || l.about.mariaDB() || !l.about.atLeast(8) {
		return nil, nil
	}
	var in []string
	for _, k := range l.unindexed[:min(len(l.unindexed), plansPerLook)] {
		if isHex(k.digest) {
			in = append(in, "'"+k.digest+"'")
		}
	}
	r, err := l.query("examples of statements", "SELECT SCHEMA_NAME AS db, DIGEST AS digest, QUERY_SAMPLE_TEXT AS text "+
		"FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST IN ("+strings.Join(in, ",")+")")
	if err != nil {
		return nil, err
	}
	for row := range r.Rows() {
		if text := row.Text("text"); !strings.HasSuffix(text, "...") { // else it was cut
			list = append(list, explainable{row.Text("db"), row.Text("digest"), text})
		}
	}
	return list, nil
}

// unsafe says why the server would do more than look for a plan; "": it would not.
// What servers do was tried: all of them execute a derived table that reads no
// table of its own, as (SELECT sleep(1)), functions that write included. MySQL 5.6,
// 5.7, 8.0, 8.4 and 9.7 also execute those with an aggregate, subqueries that are
// compared with an indexed column or joined to a row they know, and views alike,
// before they say how they would; MariaDB 10.5, 10.11 and 11.8 do not.
func (l *look) unsafe(r reading, schema string) (why string, err error) {
	mode := l.seen.variables["sql_mode"]
	switch {
	case r.derived:
		return "the server may execute a derived table to explain the statement", nil
	case strings.Contains(mode, "NO_BACKSLASH_ESCAPES") && strings.Contains(r.text, `\`), strings.Contains(mode, "ANSI_QUOTES") && strings.Contains(r.text, `"`):
		return "quotes mean something else in the server's sql_mode", nil
	case l.about.mariaDB():
		return "", nil
	case r.selects() > 1:
		return "MySQL may execute a subquery to explain the statement", nil
	case len(r.tables) > tablesPerPlan || strings.Contains(r.text, "``"):
		return "it is not clear whether a table is a view, which MySQL may execute", nil
	}
	for _, t := range r.tables {
		in := "DATABASE()"
		if s := cmp.Or(t.schema, schema); s != "" {
			in = literal(s)
		}
		views, err := l.query(planOfStatement, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = "+in+
			" AND TABLE_NAME = "+literal(t.table)+" AND TABLE_TYPE = 'VIEW'")
		if err != nil {
			return "", err
		}
		if views.Len() > 0 {
			return "MySQL may execute a view to explain the statement", nil
		}
	}
	return "", nil
}

// literal is a text as a statement holds it, in any sql_mode.
func literal(s string) string { return fmt.Sprintf("_utf8 x'%x'", s) }

// explain asks for one plan. What the server refuses is noted, and the rest goes on.
func (l *look) explain(x explainable, read reading, bare string) error {
	why, err := l.unsafe(read, x.schema)
	if err != nil {
		return l.unexplained(err)
	}
	if why != "" {
		l.notes.add("plans of some statements", why, "")
		return nil
	}
	if x.schema != "" {
		if _, err := l.query(planOfStatement, "USE `"+strings.ReplaceAll(x.schema, "`", "``")+"`"); err != nil {
			return l.unexplained(err)
		}
	}
	r, err := l.query(planOfStatement, "EXPLAIN FORMAT=TRADITIONAL "+read.text)
	if err != nil {
		return l.unexplained(err)
	}
	rows := make([]recording.MySQLPlan, min(r.Len(), linesPerPlan))
	for i := range rows {
		row := r.Row(i)
		rows[i] = recording.MySQLPlan{At: l.at, Server: l.target.Name, Schema: x.schema, Digest: x.digest, Statement: bare, Line: int64(i),
			Kind: row.Name("select_type"), Name: row.Name("table"), Access: row.Name("type"), Possible: row.Name("possible_keys"),
			Key: row.Name("key"), Rows: row.Int("rows"), Extra: withoutConditions(row.Name("Extra"))}
	}
	recording.Give(l.w, rows)
	return nil
}

// unexplained notes why there is no plan of a statement.
func (l *look) unexplained(err error) error {
	if fatal(err) {
		return err
	}
	kind, code := mysqlconn.Classify(err)
	if kind == mysqlconn.Privilege {
		l.notes.add("plans of some statements", mysqlconn.Text(err), l.grantee("SELECT ON the tables"))
		return nil
	}
	// Other words of the server may hold values of the statement.
	l.notes.add("plans of some statements", fmt.Sprintf("the server refused with error %d", code), "")
	return nil
}

// withoutConditions leaves out the conditions that the column Extra quotes where
// they are pushed to an engine: they hold the literals of the statement.
func withoutConditions(extra string) string {
	before, after, found := strings.Cut(extra, pushed)
	if !found {
		return extra
	}
	end := strings.LastIndex(after, "); ")
	if end < 0 || strings.ContainsAny(after[end:], "'\"`") {
		return before + pushed
	}
	return before + pushed + after[end+1:]
}

const pushed = "pushed condition"
