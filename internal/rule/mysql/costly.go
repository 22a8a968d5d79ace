package mysql

import (
	"math"
	"slices"
	"strings"

	"rtrail/internal/predicate"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/sqltoken"
	"rtrail/internal/view"
)

var costlyStatement = rule.Rule{
	ID:       "mysql/costly-statement",
	Title:    "a statement reads too many rows because of how it is written, not because an index is missing",
	Plural:   "statements read too many rows because of how they are written",
	Resource: "statements",
	Needs:    []recording.Table{recording.MySQLServers, recording.MySQLStatuses},
	Explains: []string{"mysql/full-scan", "mysql/buffer-pool-small", "mysql/tmp-disk-tables", "mysql/sort", "mysql/instrumentation-cost", "mysql/thread-pool-stalled",
		"mysql/connections-exhausted", "cpu/saturated", "cpu/one-thread-limit", "disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "proc/uninterruptible", "rt/server-slow", "rt/worker-queueing", "rt/slow-connections"},
	Thresholds: []*rule.Threshold{&dearShare, &mostBytes, &manyRows, &wastedRatio, &mostRuns, &minRuns, &mostOfRows, &fewSamples, &minTime,
		&materialShare},
	Detect: ofEach(detectCostly),
}

var dearShare = rule.Threshold{Name: "dear-share", Value: 0.3, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the time of all statements. From here on one statement is the cause of a server's problem. Below it, other statements would hardly get faster without it."}

// costly is a statement of which no index finds the rows, as it is written.
type costly struct {
	scan
	why   recording.MySQLCondition
	share float64 // of the time of all statements
}

func detectCostly(v *view.View, s *view.MySQLServer) (found []rule.Finding) {
	if list := costlyOf(v, s); len(list) > 0 {
		found = append(found, describeCostly(v, s, list))
	}
	return found
}

// costlyOf lists such statements of a server, the surest and then the dearest first.
func costlyOf(v *view.View, s *view.MySQLServer) []costly {
	return view.Memo(v, "mysql costly "+s.Server, func() []costly {
		var list []costly
		all := workOf(v, s)
		total := totalTime(all)
		read := readingOf(s)
		for _, w := range all {
			if w.took < minTime.Value || w.took < materialShare.Value*total {
				continue
			}
			why, ok := conditionOf(v, s, w)
			if !ok {
				continue
			}
			x := costly{scan: scan{work: w}, why: why, share: w.took / total}
			x.filter, x.told = parseFilter(w.text)
			x.plan = planOf(v, s, x.work, x.filter)
			if x.measure(read) && x.weigh() {
				list = append(list, x)
			}
		}
		slices.SortStableFunc(list, func(a, b costly) int { return int(b.sure) - int(a.sure) })
		return list
	})
}

// reading is how many rows a server reads one after the other, of a table or of
// an index.
type reading struct{ rate, perRun, perSent float64 }

// readingOf counts rows of an index as well: LIKE '%x%' reads a whole index
// where that has all columns that are wanted.
func readingOf(s *view.MySQLServer) (r reading) {
	for _, name := range []string{"Handler_read_rnd_next", "Handler_read_next", "Handler_read_prev"} {
		r.rate += view.OrZero(s.Rate(name))
	}
	runs := view.OrZero(s.Rate("Select_scan")) + view.OrZero(s.Rate("Select_full_join"))
	if runs <= 0 {
		runs = view.OrZero(s.Rate("Com_select"))
	}
	r.perRun = r.rate / max(runs, 1/max(view.Elapsed(s.Looks).Seconds(), 1))
	r.perSent = r.rate / max(view.OrZero(s.Rate("Rows_sent")), 1)
	return r
}

// measure finds how many rows one execution examines, and how many for each one
// that is returned; ok is false if they are few, or if nobody tells.
func (x *costly) measure(r reading) (ok bool) {
	x.perRun, x.ratio, x.changes = x.each(x.examined), x.perReturned(), writes(x.text)
	if x.sampled && !x.logged {
		x.soFar = true
		x.ratio = math.NaN()
		if x.share >= mostOfRows.Value && !x.changes {
			// The rows of the whole server are those of the statement that most of
			// its time goes to.
			x.soFar = false
			x.perRun, x.ratio = max(view.OrZero(x.perRun), r.perRun), r.perSent
		}
	}
	if !(x.perRun >= manyRows.Value) || x.ratio < wastedRatio.Value {
		return false
	}
	return !x.sampled || r.rate*mostRuns.Value >= manyRows.Value
}

// weigh says how sure it is that the condition makes the statement costly; ok is
// false if something acquits it.
func (x *costly) weigh() (ok bool) {
	whole := slices.ContainsFunc(x.plan, readsMany)
	switch {
	case !x.sampled && !x.changes && x.unindexed >= mostRuns.Value*x.count && x.count >= minRuns.Value, whole:
		x.sure = rule.Certain
	default:
		x.sure = rule.Likely
	}
	form := predicate.Form(x.why.Form)
	switch {
	case served(x.plan), x.share < dearShare.Value, math.IsNaN(x.ratio) && !whole:
		x.sure = rule.Possible
	case !x.why.Alone && form != predicate.Number && x.why.Indexes == "":
		x.sure = rule.Possible // an index for the other condition may serve
	case x.aggregates:
		x.sure = min(x.sure, rule.Likely) // what is counted does not say how many rows were wanted
	}
	return true
}

// conditionOf is why no index serves a statement: as literals of one that ran
// told, else as its text without them does.
func conditionOf(v *view.View, s *view.MySQLServer, w work) (best recording.MySQLCondition, ok bool) {
	weigh := func(c recording.MySQLCondition) int {
		n := 0
		if c.Indexes != "" {
			n += 2
		}
		if c.Alone {
			n++
		}
		return n
	}
	consider := func(c recording.MySQLCondition) {
		if !ok || weigh(c) > weigh(best) {
			best, ok = c, true
		}
	}
	for _, c := range view.Rows[recording.MySQLCondition](v) {
		if c.Server == s.Server && (c.Statement == w.text || sameStatement(c.Statement, w.text)) {
			consider(c)
		}
	}
	if ok {
		return best, true
	}
	for _, c := range predicate.Of(w.text) {
		consider(recording.MySQLCondition{Server: s.Server, Statement: w.text, Form: string(c.Form), By: c.By, Schema: c.Schema, Name: c.Table, Column: c.Column, Alone: c.Alone})
	}
	// Of a number it is not known that the column holds text.
	return best, ok && best.Form != string(predicate.Number)
}

// sameStatement compares texts of the process list and of digests, which differ
// in quotes and blanks.
func sameStatement(a, b string) bool {
	same := func(x, y sqltoken.Token) bool { return strings.EqualFold(x.Text, y.Text) }
	return slices.EqualFunc(sqltoken.Split(a), sqltoken.Split(b), same)
}
