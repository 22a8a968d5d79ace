package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/predicate"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func describeCostly(v *view.View, s *view.MySQLServer, list []costly) rule.Finding {
	top, lost := list[0], 0.0
	for _, x := range list {
		if x.sure >= top.sure {
			lost += x.saved()
		}
	}
	f := rule.Finding{Subject: s.Entity(), Confidence: top.sure, Affects: loaded(v, s, readBytes)}
	f.Impact = timeLost(lost, rule.T("%s s a second are spent on it", unit.Number(lost)))
	f.Headline = rule.T("%s reads %s each time for \"%s\": %s", named(s), top.rows(), top.brief(), top.because())
	if top.sure == rule.Possible {
		f.Headline = rule.T("%s reads %s each time for \"%s\"; it may be that %s", named(s), top.rows(), top.brief(), top.because())
	}
	for i, x := range list {
		if i == mentioned {
			break
		}
		f.Evidence = append(f.Evidence, x.scan.evidence(s), x.shareEvidence(s), x.unusedEvidence(s))
		if e, ok := x.planEvidence(s); ok {
			f.Evidence = append(f.Evidence, e)
		}
	}
	if e, ok := handlerEvidence(s, untold{}); ok {
		f.Evidence = append(f.Evidence, e)
	}
	if e, ok := rowStacks(v, s); ok {
		f.Evidence = append(f.Evidence, e)
	}
	if s.Process != nil && s.Process.CPU > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessCPU, Value: s.Process.CPU,
			What: rule.T("%s used %s CPUs", named(s), unit.Number(s.Process.CPU)), Check: shell.Line("pidstat -u -p %d 1", s.PID)})
	}
	f.Evidence = append(f.Evidence, beside(s)...)
	f.Fixes = top.fixes(s)
	return f
}

// column is the one of the condition, with its type where that is known.
func (x costly) column() string {
	if x.why.Type != "" {
		return fmt.Sprintf("%s (%s)", x.why.Column, x.why.Type)
	}
	return x.why.Column
}

// unused is the index that the condition keeps from being used.
func (x costly) unused() string {
	if x.why.Indexes == "" {
		return "no index on " + x.why.Column + " can be used"
	}
	first, _, _ := strings.Cut(x.why.Indexes, ",")
	return "the index " + first + " cannot be used"
}

// because says why all rows are read, as the end of a sentence.
func (x costly) because() string {
	switch predicate.Form(x.why.Form) {
	case predicate.Pattern:
		if x.why.By == "LIKE" {
			return fmt.Sprintf("its pattern for %s begins with a wildcard, so that %s", x.why.Column, x.unused())
		}
		return fmt.Sprintf("it compares %s by %s, so that %s", x.why.Column, x.why.By, x.unused())
	case predicate.Computed:
		return fmt.Sprintf("it compares the result of %s on %s, so that %s", x.why.By, x.why.Column, x.unused())
	case predicate.Number:
		return fmt.Sprintf("it compares the text of %s with a number, so that %s", x.column(), x.unused())
	}
	return "ORDER BY RAND() sorts all rows to return a few"
}

// table is that of the condition, with its schema where both are known.
func (x costly) table() string {
	switch {
	case x.why.Name == "":
		return ""
	case x.why.Schema == "":
		return x.why.Name
	}
	return x.why.Schema + "." + x.why.Name
}

func (x costly) shareEvidence(s *view.MySQLServer) rule.Evidence {
	e := rule.Evidence{Metric: metric.MySQLStatementShare, Value: x.share, Limit: rule.Limit(dearShare.Value), Counters: x.digest != "",
		What:  rule.T("%s of the time of all statements, %s s a second: %s", unit.Share(x.share), unit.Number(x.took), x.brief()),
		Check: x.check(s, shell.Names{"sum_timer_wait"})}
	return e
}

// unusedEvidence is the index that there is, or that would not help.
func (x costly) unusedEvidence(s *view.MySQLServer) rule.Evidence {
	e := rule.Evidence{Metric: metric.MySQLIndexesUnused, What: rule.T("%s", x.because()), Check: ask(s, shell.SQL("show processlist"))}
	if x.why.Indexes != "" {
		e.Value = float64(strings.Count(x.why.Indexes, ",") + 1)
		e.What = rule.T("%s; indexes that begin with %s: %s", x.because(), x.column(), x.why.Indexes)
	}
	if t := x.table(); t != "" {
		e.Check = ask(s, shell.SQL("show index from %s", shell.Name(t)))
	}
	return e
}

// rowStacks is how many of the samples of running threads are in reading rows.
func rowStacks(v *view.View, s *view.MySQLServer) (rule.Evidence, bool) {
	share, _, samples := insides{v: v, s: s}.burnt(readsRows)
	if share < mostOfRows.Value {
		return rule.Evidence{}, false
	}
	return rule.Evidence{Metric: metric.MySQLRowReadingShare, Value: share,
		What:  rule.T("%s of %d samples of its running threads read rows or compare them", unit.Share(share), samples),
		Check: shell.Line("perf top -p %d   # row_search_mvcc, rnd_next, Item_func_*, my_wildcmp_*", s.PID)}, true
}

// readsRows says whether a stack is one of a thread that reads rows one after the
// other, or looks at what they hold.
func readsRows(r view.StackRow) bool {
	return slices.ContainsFunc(r.Frames, func(f string) bool {
		for _, part := range []string{"row_search_mvcc", "row_search_for_mysql", "rnd_next", "ha_index_next", "index_next", "rr_sequential", "TableScanIterator", "IndexScanIterator",
			"Item_func_", "my_wildcmp", "evaluate_join_record", "filesort"} {
			if strings.Contains(f, part) {
				return true
			}
		}
		return false
	})
}

// fixes are those of the form, the least change first.
func (x costly) fixes(s *view.MySQLServer) []rule.Fix {
	table, column := cmp.Or(x.table(), "the table"), x.why.Column
	var list []rule.Fix
	switch predicate.Form(x.why.Form) {
	case predicate.Pattern:
		list = append(list, rule.Fix{
			Text:     rule.T("if the beginning of %s is known, start the pattern with it: LIKE 'x%%' can use an index on %s", column, column),
			Tradeoff: "does not find matches in the middle of the text",
		}, x.fulltext(s, table))
	case predicate.Computed:
		list = append(list, rule.Fix{
			Text:     rule.T("%s", bareColumn(x.why.By, column)),
			Tradeoff: "a change of the program",
		}, x.computedIndex(s, table))
	case predicate.Number:
		list = append(list, rule.Fix{
			Text:     rule.T("compare %s with a text: put the number in quotes, or bind it as a string", x.column()),
			Tradeoff: "a change of the program; numbers that are written in several ways ('7', '07', '7.0') are different texts",
		}, rule.Fix{
			Text:     rule.T("if all values of %s are integers, change it to an integer column", column),
			Command:  ask(s, shell.SQL("alter table %s modify %s bigint", shell.Name(table), shell.Name(column))),
			Tradeoff: "copies the table and blocks writes meanwhile; loses leading zeros, and fails on other text",
		})
		if x.why.Indexes == "" {
			list = append(list, rule.Fix{
				Text:     rule.T("then give %s an index on %s", table, column),
				Command:  ask(s, shell.SQL("alter table %s add index (%s), algorithm=inplace, lock=none", shell.Name(table), shell.Name(column))),
				Tradeoff: "reads the whole table once and takes disk space; every write updates one more index",
			})
		}
	default:
		list = append(list, rule.Fix{
			Text:     rule.T("choose a random key in the program, between the smallest and the largest, and read from there: WHERE id >= KEY ORDER BY id LIMIT 1"),
			Tradeoff: "rows after a gap in the keys are chosen more often; several rows need several queries",
		}, rule.Fix{
			Text:     rule.T("or sort only the keys, then read the full rows of the chosen ones: SELECT ... FROM %s JOIN (SELECT id FROM %s ORDER BY RAND() LIMIT 1) AS chosen USING (id)", table, table),
			Tradeoff: "still reads all keys, but no other columns",
		})
	}
	return append(list, rule.Fix{
		Text:    rule.T("look at the plan before and after: type ALL or index reads everything"),
		Command: explain(s, x.text), Tradeoff: "none; replace each ? with a real value",
	})
}

// fulltext is an index for patterns that may begin anywhere, as far as the
// version has one.
func (x costly) fulltext(s *view.MySQLServer, table string) rule.Fix {
	if !s.MariaDB() && s.AtLeast(5, 7, 6) {
		return rule.Fix{
			Text:     rule.T("or index all parts of %s, and query MATCH(%s) AGAINST ('\"part\"' IN BOOLEAN MODE)", x.why.Column, x.why.Column),
			Command:  ask(s, shell.SQL("alter table %s add fulltext index (%s) with parser ngram", shell.Name(table), shell.Name(x.why.Column))),
			Tradeoff: "finds parts of at least ngram_token_size (2) letters; the index is large, and every write updates it",
		}
	}
	return rule.Fix{
		Text:     rule.T("or, if whole words are enough, index them, and query MATCH(%s) AGAINST ('word*' IN BOOLEAN MODE); this server has no index for parts of words: keep the parts (n-grams) in another table, or use a search engine", x.why.Column),
		Command:  ask(s, shell.SQL("alter table %s add fulltext index (%s)", shell.Name(table), shell.Name(x.why.Column))),
		Tradeoff: "finds words, not parts of them; every write updates the index",
	}
}

// bareColumn words the condition again so that the column stands alone.
func bareColumn(by, column string) string {
	switch by {
	case "DATE", "YEAR", "MONTH", "DATE_FORMAT", "EXTRACT", "TO_DAYS", "UNIX_TIMESTAMP", "LAST_DAY", "QUARTER", "DAY", "HOUR":
		return fmt.Sprintf("compare %s itself with a range: %s >= '2026-01-01' AND %s < '2026-01-02', not %s of it", column, column, column, by)
	case "LOWER", "UPPER", "LCASE", "UCASE":
		return fmt.Sprintf("compare %s itself: collations that end in _ci ignore upper and lower case", column)
	case "LEFT", "SUBSTRING", "SUBSTR", "MID":
		return fmt.Sprintf("compare the beginning of %s by LIKE 'x%%', not %s of it", column, by)
	case "+", "-", "*", "/":
		return fmt.Sprintf("compute on the other side of the comparison: %s = 10 - 1, not %s + 1 = 10", column, column)
	case "CAST", "CONVERT", "COLLATE", "BINARY":
		return fmt.Sprintf("convert the value compared with %s, not %s", column, column)
	}
	return fmt.Sprintf("compare %s itself, and compute on the other side", column)
}

// computedIndex is an index on what the statement computes, as far as the version
// has one.
func (x costly) computedIndex(s *view.MySQLServer, table string) rule.Fix {
	const cost = "every write computes it and updates one more index"
	expression := fmt.Sprintf("%s(%s)", x.why.By, x.why.Column)
	if len(x.why.By) < 3 || x.why.By == "COLLATE" || x.why.By == "CASE" || x.why.By == "DIV" || x.why.By == "MOD" {
		expression = "EXPRESSION"
	}
	switch {
	case !s.MariaDB() && s.AtLeast(8, 0, 13):
		return rule.Fix{Text: rule.T("or index the expression, written as in the statement: ALTER TABLE %s ADD INDEX ((%s))", table, expression), Tradeoff: cost}
	case s.MariaDB() && s.AtLeast(10, 2), !s.MariaDB() && s.AtLeast(5, 7):
		return rule.Fix{Text: rule.T("or add a generated column, index it, and compare that one: ALTER TABLE %s ADD COLUMN computed TYPE AS (%s) VIRTUAL, ADD INDEX (computed)", table, expression),
			Tradeoff: cost + "; on MariaDB the statement must name the new column"}
	}
	return rule.Fix{Text: rule.T("or store the computed value in another column, by triggers, and index that column"), Tradeoff: cost}
}
