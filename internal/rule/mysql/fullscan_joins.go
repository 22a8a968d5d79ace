package mysql

import (
	"math"
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/sqltoken"
	"rtrail/internal/view"
)

// untold is what a server counts of rows read one after the other and its digests
// do not tell. Those of MariaDB leave out the rows of a table that are compared
// with what a join has in its buffer: a join without an index looks as if it read
// the first of its tables only. Digests of most servers lack prepared statements.
type untold struct {
	rate float64 // rows per second; 0: the digests explain most rows, or there are none
	// joined is the time of the digested statements that join a table without an
	// index, in seconds per second.
	joined float64
	// known says that the digests hold the statements that read tables whole, so
	// that nobody else has read the rows.
	known bool
	// lasting says that another statement ran for long: its rows count while it
	// reads them, and are in its digest when it has ended.
	lasting bool
}

var lastsLong = rule.Threshold{Name: "lasts-long", Value: 1, Unit: "seconds", Source: rule.Judgement,
	Reason: "Run time of a statement. From here on it reads during more than one sample."}

// untoldOf compares both counts of a server. It takes the digests at their word
// unless they lack more than half of the rows: the two are not read at quite the
// same time. Those of MySQL 8 and later tell what is compared with join buffers,
// and not what is read again of temporary tables, which no index would save.
func untoldOf(v *view.View, s *view.MySQLServer) (u untold) {
	if !s.MariaDB() && s.AtLeast(8) {
		return untold{}
	}
	statements, ok := v.StatementsOf(s.Server)
	var told, joins, scans, changes float64 // per second
	for _, d := range statements {
		if d.Seconds <= 0 {
			continue
		}
		per := func(n int64) float64 { return float64(max(n, 0)) / d.Seconds }
		changing := writes(d.Text)
		if d.Scans > 0 || d.FullJoins > 0 || d.NoIndex > 0 || d.TmpTables > 0 || changing {
			told += per(d.Examined) // others read by an index what they examine
		}
		if d.FullJoins > 0 {
			u.joined += d.Took.Seconds() / d.Seconds
		}
		if changing {
			changes += per(d.Count)
		}
		joins, scans = joins+per(d.FullJoins), scans+per(d.Scans)
	}
	counted := scanningOf(s).rate
	if !ok || !(counted-told > mostOfRows.Value*counted) {
		return untold{}
	}
	u.rate = counted - told
	changed := 0.0
	for _, name := range []string{"Com_update", "Com_update_multi", "Com_delete", "Com_delete_multi"} {
		changed += view.OrZero(s.Rate(name))
	}
	u.lasting = lasting(v, s, statements)
	u.known = !u.lasting && joins >= mostRuns.Value*s.Rate("Select_full_join") && scans >= mostRuns.Value*s.Rate("Select_scan") && changes >= mostRuns.Value*changed
	return u
}

// lasting says whether a statement ran for long that joins no table without an
// index, as dumps, copies of tables and reports do, or appliers of replicas.
func lasting(v *view.View, s *view.MySQLServer, statements []view.MySQLStatement) bool {
	var joins [][]sqltoken.Token
	for _, d := range statements {
		if d.FullJoins > 0 {
			joins = append(joins, sqltoken.Split(d.Text))
		}
	}
	same := func(a, b sqltoken.Token) bool { return strings.EqualFold(a.Text, b.Text) }
	for _, look := range v.SessionsOf(s.Server) {
		for _, r := range look {
			idle := r.Command == "Sleep" || r.Command == "Daemon" || strings.HasPrefix(r.Command, "Binlog Dump") ||
				r.User == "system user" && strings.Contains(r.State, "aiting")
			if idle || r.For < lastsLong.Duration() {
				continue
			}
			text := sqltoken.Split(r.Statement)
			if !slices.ContainsFunc(joins, func(j []sqltoken.Token) bool { return slices.EqualFunc(j, text, same) }) {
				return true
			}
		}
	}
	return false
}

// join gives a statement that joins tables without an index the rows that its
// digest leaves out. Of several, each gets as many as its share of their time:
// then nobody knows how many it really read.
func (x *scan) join(u untold) {
	if x.sampled || u.rate <= 0 || x.joined <= 0 || x.joined < mostRuns.Value*x.count || x.seconds <= 0 {
		return
	}
	share := x.took / max(u.joined, x.took)
	rows := u.rate * share * x.seconds
	if x.each(rows) < manyRows.Value {
		return
	}
	switch explained := slices.ContainsFunc(x.plan, readsMany); {
	case x.plan != nil && !explained:
		return // its tables are small, or read by an index: the rows are others'
	case !u.known && !explained:
		return // others may have read them all
	}
	x.examined += rows
	x.buffered = true
	x.shared = share < mostRuns.Value || !u.known
}

// doubt is how sure a statement can be blamed at most: for rows that only the
// server as a whole counts, less than for its own.
func (x scan) doubt() rule.Confidence {
	explained := slices.ContainsFunc(x.plan, readsMany)
	switch {
	case !x.buffered, explained && !x.shared:
		return rule.Certain
	case explained, !x.shared:
		return rule.Likely
	}
	return rule.Possible
}

// scannedJoin is the line of the table, not a small one, that a join reads whole
// for want of an index; ok is false where no plan shows it.
func (x scan) scannedJoin() (p recording.MySQLPlan, ok bool) {
	at, ok := largest(x.plan)
	if !ok || !readsTable(x.plan[at]) || x.plan[at].Rows < int64(manyRows.Value) || !joinedTo(x.plan, at) {
		return p, false
	}
	return x.plan[at], true
}

// unnamedRate is how many rows per second are read one after the other by
// statements of which nothing is known; NaN if nobody counts them, or if it is
// known what reads them.
func unnamedRate(counted scanning, u untold, digests bool) float64 {
	switch {
	case !digests:
		return counted.rate
	case u.lasting, u.known && u.joined > 0, math.IsNaN(counted.perWanted):
		return math.NaN()
	}
	return u.rate
}
