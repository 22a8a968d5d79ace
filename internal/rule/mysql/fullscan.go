package mysql

import (
	"math"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/sqltoken"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var fullScan = rule.Rule{
	ID:       "mysql/full-scan",
	Title:    "statements read far more rows than they return, without an index",
	Plural:   "statements read far more rows than they return, without an index",
	Resource: "statements",
	Needs:    []recording.Table{recording.MySQLServers, recording.MySQLStatuses},
	Explains: []string{"mysql/buffer-pool-small", "mysql/tmp-disk-tables", "mysql/sort", "mysql/instrumentation-cost", "mysql/thread-pool-stalled", "mysql/connections-exhausted",
		"cpu/saturated", "cpu/one-thread-limit", "disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "proc/uninterruptible", "rt/server-slow", "rt/worker-queueing", "rt/slow-connections"},
	Thresholds: []*rule.Threshold{&manyRows, &wastedRatio, &mostRuns, &minRuns, &scanPace, &rowsPerSecond, &mostOfRows, &dearShare, &mostBytes, &lastsLong,
		&minTime, &materialShare},
	Detect: detectFullScan,
}

var (
	manyRows = rule.Threshold{Name: "many-rows", Value: 1000, Unit: "rows", Source: rule.Judgement,
		Reason: "Rows examined per execution. InnoDB reads some million rows per second and core: 1,000 rows take about 1 ms, like one slow flash read. For smaller tables a scan is the right plan."}
	wastedRatio = rule.Threshold{Name: "wasted-ratio", Value: 100, Unit: "ratio", Source: rule.Judgement,
		Reason: "Rows examined per row returned. From here on an index saves nearly all of the work: optimizers prefer a scan only for more than some percent of a table."}
	mostRuns = rule.Threshold{Name: "most-runs", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the executions without an index. From here on the plan is the reason, not a single execution."}
	minRuns = rule.Threshold{Name: "min-runs", Value: 10, Unit: "count", Source: rule.Judgement,
		Reason: "Executions in a window. Fewer may be a single report."}
	scanPace = rule.Threshold{Name: "scan-pace", Value: 10_000, Unit: "per second", Source: rule.Judgement,
		Reason: "Rows read by scans for each second that sampled statements take. A page has about 100 neighbouring rows and the slowest disk reads 100 pages a second. " +
			"Statements that read fewer wait for something else, such as a lock, while monitoring agents read a thousand rows of status a second."}
	rowsPerSecond = rule.Threshold{Name: "rows-per-second", Value: 1_000_000, Unit: "per second", Source: rule.Judgement,
		Reason: "Rows per second read by scans. Fewer may be monitoring and the server's own tables."}
)

// scan is a statement that reads a table for a few of its rows.
type scan struct {
	work
	filter
	told   bool    // the text could be read
	perRun float64 // rows examined per execution
	ratio  float64 // rows examined per row returned, as perReturned has it; NaN if not known
	sure   rule.Confidence
	plan   []recording.MySQLPlan // as EXPLAIN said it, on request
	// uncounted says that the server does not count whether the statement used an
	// index: MySQL does for SELECT only.
	uncounted bool
	changes   bool // it is an UPDATE or DELETE
	vague     bool // how many rows one execution reads is not known
	// buffered says that examined holds rows that a join compared with its buffer,
	// as far as the server as a whole counts them: the digest does not.
	buffered bool
	shared   bool // other statements may have read some of these rows
	// soFar says that perRun is what the process list showed of one execution that
	// went on: the least.
	soFar bool
}

func detectFullScan(v *view.View) ([]rule.Finding, error) {
	servers, blind := answering(v)
	var found []rule.Finding
	for _, s := range servers {
		if scans := scansOf(v, s); len(scans) > 0 {
			found = append(found, describeScans(v, s, scans))
			continue
		}
		if len(costlyOf(v, s)) > 0 {
			continue // they read the rows
		}
		counted, left := scanningOf(s), untoldOf(v, s)
		_, digests := v.StatementsOf(s.Server)
		if rate := unnamedRate(counted, left, digests); rate >= rowsPerSecond.Value && counted.share >= mostOfRows.Value && !(counted.perWanted < wastedRatio.Value) {
			found = append(found, unnamedScans(s, left, rate))
		} else if math.IsNaN(counted.rate) && !digests {
			blind = &rule.NotJudged{Needs: "counters of rows read", Why: s.Server + " gave neither its status twice nor its statements",
				How: shell.Say("GRANT PROCESS ON *.* TO the user of rtrail; watch for 5 s and longer")}
		}
	}
	return found, blind
}

// scansOf lists the scans of a server, the dearest first.
func scansOf(v *view.View, s *view.MySQLServer) []scan {
	return view.Memo(v, "mysql scans "+s.Server, func() []scan {
		var list []scan
		counted, left, all := scanningOf(s), untoldOf(v, s), workOf(v, s)
		explained := map[string]bool{} // by what they ask: mysql/costly-statement
		for _, x := range costlyOf(v, s) {
			explained[x.text] = true
		}
		for _, w := range all {
			if explained[w.text] {
				continue
			}
			x := scan{work: w}
			x.filter, x.told = parseFilter(w.text)
			x.plan = planOf(v, s, x.work, x.filter)
			x.join(left)
			if !x.judge(counted, totalTime(all)) {
				continue
			}
			if served(x.plan) {
				x.sure = rule.Possible // the rows are many, or the plan is a new one
			}
			if x.uncounted && !slices.ContainsFunc(x.plan, readsWhole) {
				x.sure = rule.Possible
			}
			if x.proven() && x.took >= materialShare.Value*totalTime(all) {
				x.sure = max(x.sure, rule.Likely)
			}
			list = append(list, x)
		}
		return list
	})
}

// proven says whether the plan settles what is left open by the text of an
// aggregate (COUNT returns one row, however many it counts) or by what a server
// without digests counts of all UPDATEs and DELETEs together, not of each. Of
// rows picked by equality an index finds those that are wanted; of a range
// nobody knows how much of the table it is.
func (x scan) proven() bool {
	switch {
	case !x.told || x.or || len(x.equal) == 0:
		return false
	case x.aggregates:
		return slices.ContainsFunc(x.plan, readsWhole)
	}
	return x.sampled && x.changes && slices.ContainsFunc(x.plan, readsMany)
}

// readsMany says whether a line of a plan reads a whole table, and not a small one.
func readsMany(p recording.MySQLPlan) bool { return readsWhole(p) && p.Rows >= int64(manyRows.Value) }

var mostOfRows = rule.Threshold{Name: "most-of-rows", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Without digests: share of all rows read that must come from scans before a sampled statement is reported, and share of the time that this statement must take."}

// judge decides whether the statement is a scan that an index would save.
// total is the time of all statements.
func (x *scan) judge(counted scanning, total float64) bool {
	x.perRun, x.ratio = x.each(x.examined), x.perReturned()
	x.changes = writes(x.text)
	if x.sampled && x.changes {
		x.ratio = math.NaN() // rows sent are none, however many are changed
	}
	main := x.sampled && x.took >= mostOfRows.Value*total
	x.soFar = x.sampled && !x.logged && !main
	perRun, ratio := counted.of(x.text)
	if main && !x.logged {
		// The process list shows rows only at the end of a statement, if at all;
		// then the server's own counts are those of the statement that most
		// connections are in.
		switch alone := x.took >= mostRuns.Value*total; {
		case x.changes && math.IsNaN(perRun):
			x.vague, perRun = true, counted.rate // it began before the window
		case x.changes && !alone:
			x.vague = true // it is what it reads at most: others may have read the rows
		}
		x.perRun = max(view.OrZero(x.perRun), perRun)
	}
	if main && math.IsNaN(x.ratio) && (!x.logged || x.changes) {
		x.ratio = ratio
	}
	switch {
	case x.told && (!x.where && !x.joins && !(x.limit && len(x.order) > 0)):
		return false // it asks for all rows
	case x.sampled && readsNoTable(x.text):
		return false // the rows are those of others
	case !(x.perRun >= manyRows.Value) || x.took < minTime.Value || x.ratio < wastedRatio.Value:
		return false
	case x.sampled:
		// Nobody says that these statements used no index, only that this many rows
		// were read without one in the same time.
		if !(counted.rate*mostRuns.Value >= max(manyRows.Value, scanPace.Value*x.took)) || counted.share < mostOfRows.Value {
			return false
		}
		x.sure = rule.Likely
	case x.unindexed == 0 && writes(x.text):
		x.sure, x.uncounted = rule.Likely, true
	case x.unindexed < mostRuns.Value*x.count:
		return false
	case x.count >= minRuns.Value:
		x.sure = rule.Certain
	default:
		x.sure = rule.Likely
	}
	x.sure = min(x.sure, x.doubt())
	if x.vague && x.took < mostRuns.Value*total || !x.told || x.aggregates || x.or || math.IsNaN(x.ratio) || len(x.like) > 0 && len(x.equal)+len(x.ranges) == 0 {
		// What is returned does not say how many rows were wanted, or is not known;
		// or the text does not say that an index could find them.
		x.sure = rule.Possible
	}
	if x.took < materialShare.Value*total {
		x.sure = rule.Possible
	}
	return true
}

// writes says whether a statement changes the rows that it looks for.
func writes(text string) bool {
	t := sqltoken.Split(text)
	return len(t) > 0 && (t[0].Is("UPDATE") || t[0].Is("DELETE"))
}

// saved is about how many seconds per second an index would save.
func (x scan) saved() float64 { return x.took * (1 - 1/max(view.OrZero(x.ratio), wastedRatio.Value)) }

func describeScans(v *view.View, s *view.MySQLServer, scans []scan) rule.Finding {
	top, lost := scans[0], 0.0
	for _, x := range scans {
		if x.sure > top.sure {
			top = x // the dearest of the surest
		}
	}
	for _, x := range scans {
		if x.sure >= top.sure {
			lost += x.saved()
		}
	}
	f := rule.Finding{Subject: s.Entity(), Confidence: top.sure, Affects: loaded(v, s, readBytes)}
	f.Impact = timeLost(lost, rule.T("%s s a second are spent on it", unit.Number(lost)))
	f.Headline = top.headline(s)
	for i, x := range scans {
		if i == mentioned {
			break
		}
		f.Evidence = append(f.Evidence, x.evidence(s))
		if e, ok := x.planEvidence(s); ok {
			f.Evidence = append(f.Evidence, e)
		}
	}
	if e, ok := handlerEvidence(s, untoldOf(v, s)); ok {
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

// mentioned is how many statements evidence names.
const mentioned = 3

// readsNoTable says that a whole statement selects from nothing, as SELECT SLEEP(?).
func readsNoTable(text string) bool {
	t := sqltoken.Split(text)
	return len(t) > 0 && t[0].Is("SELECT") && !strings.HasSuffix(text, "...") &&
		!slices.ContainsFunc(t, func(t sqltoken.Token) bool { return t.Is("FROM") })
}
