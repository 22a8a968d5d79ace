package mysql

import (
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// planOf is what EXPLAIN said of a statement, if rtrail was told to ask: the
// plan of its digest, of the same text, or of one that asks for the same columns
// of the same table.
func planOf(v *view.View, s *view.MySQLServer, w work, f filter) []recording.MySQLPlan {
	for _, plan := range v.PlansOf(s.Server) {
		if first := plan[0]; w.digest != "" && first.Digest == w.digest || first.Statement == w.text {
			return plan
		}
	}
	for _, plan := range v.PlansOf(s.Server) {
		if g, ok := parseFilter(plan[0].Statement); ok && f.table != "" && g.table == f.table && !g.joins && !f.joins && f.index() != nil && slices.Equal(g.index(), f.index()) {
			return plan
		}
	}
	return nil
}

// readsWhole says whether a line of a plan reads a whole table, or a whole index.
func readsWhole(p recording.MySQLPlan) bool {
	return strings.EqualFold(p.Access, "ALL") || strings.EqualFold(p.Access, "index")
}

// served says whether a plan reads no table whole: an index serves the statement.
func served(plan []recording.MySQLPlan) bool {
	return len(plan) > 0 && !slices.ContainsFunc(plan, func(p recording.MySQLPlan) bool { return readsWhole(p) || p.Access == "" })
}

// planEvidence words the lines of a plan that read a table whole, or all.
func planEvidence(s *view.MySQLServer, plan []recording.MySQLPlan, text string) (rule.Evidence, bool) {
	lines := slices.DeleteFunc(slices.Clone(plan), func(p recording.MySQLPlan) bool { return !readsWhole(p) })
	if len(lines) == 0 {
		lines = plan
	}
	if len(lines) == 0 {
		return rule.Evidence{}, false
	}
	p := lines[0]
	e := rule.Evidence{Metric: "mysql.plan-rows", Value: float64(max(p.Rows, 0)), Unit: "rows", Check: ask(s, "explain "+brief(text, 200))}
	rows := unit.Count(float64(max(p.Rows, 0)))
	switch {
	case p.Key != "" && !readsWhole(p):
		e.What = rule.T("EXPLAIN: of %s it reads about %s rows by the index %s (type %s)", p.Name, rows, p.Key, p.Access)
	case p.Key != "":
		e.What = rule.T("EXPLAIN: of %s it reads the whole index %s, about %s rows (type %s)", p.Name, p.Key, rows, p.Access)
	case p.Possible != "":
		e.What = rule.T("EXPLAIN: it reads all of %s, about %s rows (type %s), although the index %s could serve", p.Name, rows, p.Access, p.Possible)
	default:
		e.What = rule.T("EXPLAIN: it reads all of %s, about %s rows (type %s); there is no index that could serve", p.Name, rows, p.Access)
	}
	return e, true
}
