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
	// mostPlans is how many statements are explained in all.
	mostPlans = 30
	// linesPerPlan bounds the plan of one statement: joins have some lines.
	linesPerPlan = 30
)

// explainable is a statement as a client sent it.
type explainable struct{ schema, digest, text string }

// readPlans has the server explain statements: those that the last digests found
// without an index, of which it keeps an example, and those that run now, the
// longest first. Each once. EXPLAIN reads statistics, not tables; it executes
// nothing but functions of constants.
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
	for asked := 0; len(list) > 0 && asked < plansPerLook && len(l.seen.plans) < mostPlans; list = list[1:] {
		x := list[0]
		bare := l.words.Of("mysql", "Query", []byte(x.text), false)
		if !canExplain(x.text) || l.seen.plans[bare] {
			continue
		}
		l.seen.plans[bare] = true
		asked++
		if err := l.explain(x, bare); err != nil {
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
	for i := range r.Len() {
		row := r.Row(i)
		if text := row.Text("text"); !strings.HasSuffix(text, "...") { // else it was cut
			list = append(list, explainable{row.Text("db"), row.Text("digest"), text})
		}
	}
	return list, nil
}

// canExplain says whether a text is a statement of which every version makes a
// plan, and nothing else: EXPLAIN in front of ANALYZE would execute it.
func canExplain(text string) bool {
	first := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r\n(", c) })
	if len(first) == 0 {
		return false
	}
	switch strings.ToUpper(first[0]) {
	case "SELECT", "UPDATE", "DELETE", "INSERT", "REPLACE":
		return !strings.Contains(text, "?") // a prepared statement without its values
	}
	return false
}

// explain asks for one plan. What the server refuses is noted, and the rest goes on.
func (l *look) explain(x explainable, bare string) error {
	const what = "the plan of a statement"
	if x.schema != "" {
		if _, err := l.query(what, "USE `"+strings.ReplaceAll(x.schema, "`", "``")+"`"); err != nil {
			return l.unexplained(err)
		}
	}
	r, err := l.query(what, "EXPLAIN FORMAT=TRADITIONAL "+x.text)
	if err != nil {
		return l.unexplained(err)
	}
	rows := make([]recording.MySQLPlan, min(r.Len(), linesPerPlan))
	for i := range rows {
		row := r.Row(i)
		rows[i] = recording.MySQLPlan{At: l.at, Server: l.target.Name, Schema: x.schema, Digest: x.digest, Statement: bare, Line: int64(i),
			Kind: row.Text("select_type"), Name: row.Text("table"), Access: row.Text("type"), Possible: row.Text("possible_keys"),
			Key: row.Text("key"), Rows: row.Int("rows"), Extra: row.Text("Extra")}
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
