package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// MySQLStatement is one statement of a server over the window: the counters of
// the embedded row are what was added in it.
type MySQLStatement struct {
	recording.MySQLStatement
	Seconds float64 // between the readings
}

// Mean is the mean execution time; 0 if it did not run.
func (s MySQLStatement) Mean() time.Duration {
	if s.Count == 0 {
		return 0
	}
	return s.Took / time.Duration(s.Count)
}

// StatementsOf are the statements a server ran in the window, by its own
// digests, those that took most time in all first. ok is false when the server
// keeps none or they were not read twice.
func (v *View) StatementsOf(server string) (list []MySQLStatement, ok bool) {
	type key struct{ schema, digest string }
	rows := slices.DeleteFunc(slices.Clone(Rows[recording.MySQLStatement](v)), func(r recording.MySQLStatement) bool { return r.Server != server })
	if len(rows) == 0 {
		return nil, false
	}
	first, last := rows[0].At, rows[len(rows)-1].At
	if !last.After(first) {
		return nil, false
	}
	keys, series := Group(rows, func(r recording.MySQLStatement) key { return key{r.Schema, r.Digest} })
	for _, k := range keys {
		s := MySQLStatement{MySQLStatement: series[k][0], Seconds: last.Sub(first).Seconds()}
		grown := grownStatement(series[k], first)
		if grown.Count <= 0 && grown.Took <= 0 {
			continue
		}
		grown.At, grown.Server, grown.Schema, grown.Digest, grown.Text = s.At, s.Server, s.Schema, s.Digest, s.Text
		s.MySQLStatement = grown
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b MySQLStatement) int { return cmp.Compare(b.Took, a.Took) })
	return list, true
}

// clockError is how far a server's clock may be off from this host's and still
// tell whether a statement is new. Servers and hosts are kept by NTP; two
// seconds are forgiving.
const clockError = 2 * time.Second

// grownStatement is what the counters of one statement grew by. All counts of a
// statement that the server first saw after the first reading are of the window;
// one that was only not among those with most time starts where it is.
func grownStatement(series []recording.MySQLStatement, first time.Time) recording.MySQLStatement {
	var sum recording.MySQLStatement
	var zero recording.MySQLStatement
	before := series[0]
	if series[0].At.After(first) && series[0].First.After(first.Add(-clockError)) {
		before = zero
	}
	for _, now := range series {
		if now.Count < before.Count {
			before = zero // truncated
		}
		sum.Grow(before, now)
		before = now
	}
	return sum
}

// MySQLErrorRate is one kind of error a server gave to its clients.
type MySQLErrorRate struct {
	Code      int32
	Name      string
	Raised    float64 // in the window
	PerSecond float64
}

// PlansOf are the plans of statements that a server was asked for in the window,
// of each its lines in order.
func (v *View) PlansOf(server string) (plans [][]recording.MySQLPlan) {
	for _, r := range Rows[recording.MySQLPlan](v) {
		if r.Server != server {
			continue
		}
		if r.Line == 0 || len(plans) == 0 {
			plans = append(plans, nil)
		}
		last := &plans[len(plans)-1]
		*last = append(*last, r)
	}
	return plans
}

// ErrorsOf are the errors a server gave in the window, the most frequent first.
func (v *View) ErrorsOf(server string) []MySQLErrorRate {
	keys, series := Group(Rows[recording.MySQLError](v), func(r recording.MySQLError) string {
		if r.Server != server {
			return ""
		}
		return r.Name
	})
	var list []MySQLErrorRate
	for _, k := range keys {
		rows := series[k]
		delta, ok := Delta(rows, func(r recording.MySQLError) int64 { return r.Raised })
		if k == "" || !ok || delta <= 0 {
			continue
		}
		list = append(list, MySQLErrorRate{Code: rows[0].Code, Name: k, Raised: delta, PerSecond: delta / Elapsed(rows).Seconds()})
	}
	slices.SortStableFunc(list, func(a, b MySQLErrorRate) int { return cmp.Compare(b.Raised, a.Raised) })
	return list
}

// SlowLogs are the slow query logs that were read without asking their servers.
func (v *View) SlowLogs() []string {
	return Memo(v, "slow logs", func() (names []string) {
		for _, r := range recording.Rows[recording.MySQLSlowQuery](v.rec) {
			if (len(names) == 0 || names[len(names)-1] != r.Server) && !slices.Contains(names, r.Server) {
				names = append(names, r.Server)
			}
		}
		return slices.DeleteFunc(names, func(name string) bool {
			return slices.ContainsFunc(v.MySQLServers(), func(s *MySQLServer) bool { return s.Server == name })
		})
	})
}

// SlowQueriesOf are the entries a server wrote into its slow log in the window.
func (v *View) SlowQueriesOf(server string) []recording.MySQLSlowQuery {
	var list []recording.MySQLSlowQuery
	for _, r := range recording.Rows[recording.MySQLSlowQuery](v.rec) {
		if r.Server == server && !r.Logged.Before(v.start) && !r.Logged.After(v.end) {
			list = append(list, r)
		}
	}
	return list
}
