package mysql

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/metric"
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

// largest is the place of the line of a plan that reads most rows of those that
// read a table whole, or of all if none does.
func largest(plan []recording.MySQLPlan) (at int, ok bool) {
	at = -1
	for i, p := range plan {
		if at < 0 || readsTable(p) && !readsTable(plan[at]) || readsTable(p) == readsTable(plan[at]) && p.Rows > plan[at].Rows {
			at = i
		}
	}
	return at, at >= 0
}

// readsTable leaves out what the server made itself: <derived2>, <union1,2>.
func readsTable(p recording.MySQLPlan) bool { return readsWhole(p) && !strings.HasPrefix(p.Name, "<") }

// joinedTo says whether a line of a plan is joined to another one before it.
func joinedTo(plan []recording.MySQLPlan, at int) bool {
	return joinsByBuffer(plan[at]) || slices.ContainsFunc(plan[:at], func(p recording.MySQLPlan) bool { return p.Kind == plan[at].Kind })
}

// joinsByBuffer says whether the rows of a line are compared with many of the
// tables before it at once: what servers do where no index serves a join.
func joinsByBuffer(p recording.MySQLPlan) bool {
	return strings.Contains(strings.ToLower(p.Extra), "join buffer")
}

// planEvidence words the line of a plan that reads most rows of a table that is
// read whole, or of all.
func (x scan) planEvidence(s *view.MySQLServer) (rule.Evidence, bool) {
	at, ok := largest(x.plan)
	if !ok || x.plan[at].Access == "" {
		return rule.Evidence{}, false // it reads no table
	}
	p := x.plan[at]
	e := rule.Evidence{Metric: metric.MySQLPlanRows, Value: float64(max(p.Rows, 0)), Check: explain(s, x.text)}
	rows := unit.Count(float64(max(p.Rows, 0)))
	whole := fmt.Sprintf("reads the whole table %s, about %s rows (type %s)", p.Name, rows, p.Access)
	if p.Key != "" {
		whole = fmt.Sprintf("reads the whole index %s of %s, about %s rows (type %s)", p.Key, p.Name, rows, p.Access)
	}
	switch {
	case !readsWhole(p):
		e.What = rule.T("EXPLAIN: in %s it reads about %s rows by the index %s (type %s)", p.Name, rows, p.Key, p.Access)
	case joinsByBuffer(p):
		e.What = rule.T("EXPLAIN: it %s to join it by a join buffer%s", whole, servable(p))
	case joinedTo(x.plan, at):
		e.What = rule.T("EXPLAIN: it %s to join it to other tables%s", whole, servable(p))
	case len(x.plan) > 1 && x.joins:
		e.What = rule.T("EXPLAIN: it %s, to which it joins other tables%s", whole, servable(p))
	default:
		e.What = rule.T("EXPLAIN: it %s%s", whole, servable(p))
	}
	return e, true
}

// servable words whether there is an index for what a line reads whole.
func servable(p recording.MySQLPlan) string {
	switch {
	case p.Key != "":
		return ""
	case p.Possible != "":
		return fmt.Sprintf(", although the index %s could be used", p.Possible)
	}
	return "; no index could be used"
}
