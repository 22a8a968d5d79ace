package mysql

import (
	"math"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func (x scan) place() string {
	if x.table == "" || x.joins {
		return "a table"
	}
	return x.qualified()
}

// qualified is the table with its schema, where it is known.
func (f filter) qualified() string {
	if f.schema == "" {
		return f.table
	}
	return f.schema + "." + f.table
}

// rows is how many rows one execution reads, as far as that is known.
func (x scan) rows() string {
	if x.unsure() {
		return "many rows"
	}
	rows := rule.T("%s rows", unit.Count(math.Round(x.perRun))).String()
	if x.soFar {
		rows += " or more"
	}
	return rows
}

// unsure says that nobody knows how many rows one execution reads.
func (x scan) unsure() bool { return x.vague || x.shared }

func (x scan) headline(s *view.MySQLServer) rule.Text {
	rows := x.rows()
	joined, known := x.scannedJoin()
	switch {
	case x.sure == rule.Possible && known:
		return rule.T("%s reads %s each time for \"%s\"; an index to join %s by may save it", named(s), rows, x.brief(), joined.Name)
	case x.sure == rule.Possible && x.plan == nil && !explains(s):
		return rule.T("%s reads %s each time for \"%s\"; an index may save it: --explain shows the plan", named(s), rows, x.brief())
	case x.sure == rule.Possible:
		return rule.T("%s reads %s each time for \"%s\"; an index may save it", named(s), rows, x.brief())
	case known:
		return rule.T("%s reads %s each time for \"%s\": it joins %s without an index", named(s), rows, x.brief(), joined.Name)
	case x.buffered:
		return rule.T("%s reads %s each time for \"%s\": it joins a table without an index", named(s), rows, x.brief())
	}
	if columns := x.index(); len(columns) > 0 {
		return rule.T("%s reads %s of %s each time for \"%s\": an index on (%s) is missing or not used", named(s), rows, x.place(), x.brief(),
			strings.Join(columns, ", "))
	}
	return rule.T("%s reads %s of %s each time for \"%s\" without an index", named(s), rows, x.place(), x.brief())
}

func (x scan) evidence(s *view.MySQLServer) rule.Evidence {
	e := rule.Evidence{Metric: metric.MySQLRowsExaminedPerRow, Value: x.ratio, Limit: rule.Limit(wastedRatio.Value), Counters: x.digest != "",
		Check: x.check(s, shell.Names{"sum_rows_examined", "sum_rows_sent", "sum_rows_affected", "sum_no_index_used", "sum_select_full_join"})}
	if math.IsNaN(x.ratio) || x.unsure() {
		// Rows of all statements by the rows of some are nobody's ratio.
		e.Metric, e.Value, e.Limit = metric.MySQLStatementTime, x.took, nil
	}
	switch {
	case x.digest != "":
		e.What = x.digestSays()
	case x.logged:
		e.What = x.logSays()
	default:
		e.What = x.processListSays(scanningOf(s))
	}
	return e
}

// wasted words the rows examined for those that were returned, or changed.
func (x scan) wasted(done string) string {
	if x.returned == 0 {
		return rule.T("%s rows examined each time and none %s", unit.Count(x.perRun), done).String()
	}
	return rule.T("%s rows examined for each row %s", unit.Count(x.ratio), done).String()
}

func (x scan) digestSays() rule.Text {
	if x.uncounted {
		return rule.T("%s, %s executions, %s s a second: %s", x.wasted("changed"), unit.Count(x.count), unit.Number(x.took), x.brief())
	}
	unindexed := unit.Share(min(x.unindexed/max(x.count, 1), 1)) // the two are not read at one moment
	switch {
	case x.shared:
		return rule.T("%s executions, %s of them without an index, %s s a second: %s", unit.Count(x.count), unindexed, unit.Number(x.took), x.brief())
	case x.buffered:
		return rule.T("%s, including rows that it compares with a join buffer, which its digest leaves out, %s executions, %s of them without an index, %s s a second: %s",
			x.wasted("returned"), unit.Count(x.count), unindexed, unit.Number(x.took), x.brief())
	}
	return rule.T("%s, %s executions, %s of them without an index, %s s a second: %s", x.wasted("returned"), unit.Count(x.count), unindexed,
		unit.Number(x.took), x.brief())
}

func (x scan) logSays() rule.Text {
	if x.changes {
		return rule.T("%s rows examined each time in %s entries of the slow log, %s s a second: %s", unit.Count(x.perRun), unit.Count(x.count),
			unit.Number(x.took), x.brief())
	}
	return rule.T("%s in %s entries of the slow log, %s s a second: %s", x.wasted("returned"), unit.Count(x.count), unit.Number(x.took), x.brief())
}

// processListSays words what was seen of a statement, with the counts of the
// whole server only where they stand for it.
func (x scan) processListSays(counted scanning) rule.Text {
	seen := rule.T("seen running on %s connections on average", unit.Number(x.took)).String()
	switch kind := counted.kind(x.text); {
	case !x.changes && !math.IsNaN(x.returned):
		return rule.T("%s, once with %s rows examined and %s sent so far: %s", seen, unit.Count(x.examined), unit.Count(x.returned), x.brief())
	case x.soFar:
		return rule.T("%s, once with %s rows examined so far: %s", seen, unit.Count(x.perRun), x.brief())
	case x.changes && math.IsNaN(x.ratio):
		return rule.T("%s: %s", seen, x.brief())
	case x.changes:
		return rule.T("%s, while the server scanned %s rows and such statements changed %s: %s", seen, unit.PerSecond(counted.rate), unit.PerSecond(kind.changed), x.brief())
	case math.IsNaN(x.ratio):
		return rule.T("%s, while the server scanned %s rows in each scan: %s", seen, unit.Count(counted.perScan), x.brief())
	}
	return rule.T("%s, while the server scanned %s rows for each row it sent: %s", seen, unit.Count(x.ratio), x.brief())
}

// handlerEvidence is what the server counts of rows read without an index, and
// what its digests do not say about them.
func handlerEvidence(s *view.MySQLServer, u untold) (rule.Evidence, bool) {
	counted := scanningOf(s)
	rate, share := counted.rate, counted.share
	if math.IsNaN(rate) {
		return rule.Evidence{}, false
	}
	e := rule.Evidence{Metric: metric.MySQLRowsScanned, Value: rate,
		What: rule.T("%s rows read by scans, %s of all rows read", unit.PerSecond(rate), unit.Share(share)), Check: status(s, "Handler_read%")}
	if u.rate > 0 {
		e.What = rule.T("%s rows read by scans, %s of all rows read; %s of them are in no digest", unit.PerSecond(rate), unit.Share(share), unit.PerSecond(u.rate))
	}
	return e, true
}

// beside is what packets say clients of the server waited for answers.
func beside(s *view.MySQLServer) []rule.Evidence {
	if s.Packets == nil || s.Packets.Count == 0 {
		return nil
	}
	p := s.Packets
	return []rule.Evidence{{Metric: metric.RTServe, Value: p.Mean().Seconds(),
		What:  rule.T("clients waited %s for an answer on average, p99 %s", unit.Duration(p.Mean()), unit.Duration(p.RTP99)),
		Check: shell.Line("rtrail packets -i any -p %d --by statement", p.Port)}}
}

func (x scan) fixes(s *view.MySQLServer) []rule.Fix {
	table := x.place()
	if x.filter.schema == "" && x.work.schema != "" && x.table != "" && !x.joins {
		table = x.work.schema + "." + x.table
	}
	columns := x.index()
	var fixes []rule.Fix
	if len(columns) > 0 {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("give %s an index that begins with (%s); TEXT and BLOB columns need a length, as in %s(32)", table, strings.Join(columns, ", "), columns[0]),
			Command:  ask(s, shell.SQL("alter table %s add index (%s), algorithm=inplace, lock=none", shell.Name(table), shell.Names(columns))),
			Tradeoff: "reads the whole table once and takes disk space; every write keeps one more index. Test the plan with EXPLAIN on a copy first",
		}, rule.Fix{
			Text:    rule.T("if there is such an index, see why it is not used: a comparison with another type or collation, old statistics (ANALYZE TABLE)"),
			Command: ask(s, shell.SQL("show index from %s", shell.Name(table))), Tradeoff: "none",
		})
	}
	if len(x.computed) > 0 {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("compare the column %s itself, not the result of a function on it; or index a generated column", x.computed[0]),
			Tradeoff: "a change of the program or of the table",
		})
	}
	if joined, ok := x.scannedJoin(); ok {
		fixes = append(fixes, joinFix(joined))
	}
	if x.plan != nil && len(fixes) > 0 {
		return fixes // the plan is among the evidence
	}
	look := rule.Fix{
		Text:    rule.T("look at the plan (rtrail diagnose --explain asks for it): type ALL, or Using join buffer, marks the table that is read completely"),
		Command: explain(s, x.text), Tradeoff: "none; put real values where ? stands",
	}
	if x.plan != nil || explains(s) || s.Server == "" {
		look.Text = rule.T("look at the plan: type ALL, or Using join buffer, marks the table that is read completely")
	}
	return append(fixes, look)
}

// joinFix fixes the join of a table that a plan reads whole. The columns are not
// read from the text: which of two a join compares depends on its order.
func joinFix(p recording.MySQLPlan) rule.Fix {
	if p.Possible != "" {
		return rule.Fix{Text: rule.T("see why the index %s is not used to join %s: columns of different types or collations, old statistics (ANALYZE TABLE)", p.Possible, p.Name), Tradeoff: "none"}
	}
	return rule.Fix{
		Text:     rule.T("give %s an index that begins with its join columns: those that ON, USING or WHERE compare with other tables", p.Name),
		Tradeoff: "reads the whole table once and takes disk space; every write keeps one more index. Test the plan with EXPLAIN on a copy first",
	}
}

// explains says whether the server was asked for plans in this run.
func explains(s *view.MySQLServer) bool {
	return slices.ContainsFunc(s.Looks, func(l recording.MySQLServer) bool { return slices.Contains(strings.Split(l.Collected, ","), "plans") })
}

// unnamedScans is for servers that tell rows and not the statements that read them.
func unnamedScans(s *view.MySQLServer, u untold, rate float64) rule.Finding {
	f := rule.Finding{Subject: s.Entity(), Confidence: rule.Possible}
	f.Headline = rule.T("%s reads %s rows without an index; the statements are unknown", named(s), unit.PerSecond(rate))
	f.Impact = timeLost(rate/rowsPerCore, rule.T("about %s CPUs", unit.Number(rate/rowsPerCore)))
	if e, ok := handlerEvidence(s, u); ok {
		f.Evidence = append(f.Evidence, e)
	}
	f.Fixes = []rule.Fix{{
		Text:     rule.T("find the statements: for some minutes, log those that use no index"),
		Command:  ask(s, shell.SQL("set global slow_query_log = 1; set global log_queries_not_using_indexes = 1")),
		Tradeoff: "the log grows quickly; set both back afterwards",
	}}
	return f
}

// rowsPerCore is about how many rows of some hundred bytes InnoDB reads per
// second and core from memory; measured values lie between 2 and 10 million.
const rowsPerCore = 4_000_000
