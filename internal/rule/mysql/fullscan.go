package mysql

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/sqltoken"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

//go:embed fullscan.md
var fullScanPage string

var fullScan = rule.Rule{
	ID:       "mysql/full-scan",
	Title:    "statements read far more rows than they return, without an index",
	Resource: "statements",
	Needs:    []recording.Table{recording.MySQLServers, recording.MySQLStatuses},
	Explains: []string{"mysql/buffer-pool-small", "mysql/tmp-disk-tables", "mysql/sort", "mysql/instrumentation-cost", "mysql/thread-pool-stalled", "mysql/connections-exhausted",
		"cpu/saturated", "cpu/one-thread-limit", "disk/saturated", "proc/uninterruptible", "rt/server-slow", "rt/two-humps", "rt/slow-group"},
	Page:   fullScanPage,
	Detect: detectFullScan,
}

const (
	// manyRows examined per execution: InnoDB reads some million rows a second and
	// core, so that a thousand are about a millisecond, what one slow read of
	// flash takes; smaller tables are rightly read whole.
	manyRows = 1000
	// wastedRatio is rows examined per row returned from which an index saves
	// nearly all of the work: optimizers prefer a scan only if a statement wants
	// more than some percent of a table.
	wastedRatio = 100
	// mostRuns: a plan without an index in this share of executions is the plan,
	// not an accident.
	mostRuns = 0.9
	// someRuns executions in a window are a habit; fewer may be somebody's report.
	someRuns = 10
	// rowsPerSecond read by scans: without statements to name, fewer may be
	// monitors and the server's own tables.
	rowsPerSecond = 1_000_000
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
		counted := scanningOf(s)
		if _, digests := v.StatementsOf(s.Server); !digests && counted.rate >= rowsPerSecond && counted.share >= mostOfRows && !(counted.perWanted < wastedRatio) {
			found = append(found, unnamedScans(s, counted.rate))
		} else if math.IsNaN(counted.rate) && !digests {
			blind = &rule.NotJudged{Needs: "counters of rows read", Why: s.Server + " told neither its status twice nor its statements",
				How: "GRANT PROCESS ON *.* TO the user of rtrail; watch for 5 s and longer"}
		}
	}
	return found, blind
}

// scansOf lists the scans of a server, the dearest first.
func scansOf(v *view.View, s *view.MySQLServer) []scan {
	return view.Memo(v, "mysql scans "+s.Server, func() []scan {
		var list []scan
		counted, all := scanningOf(s), workOf(v, s)
		for _, w := range all {
			x := scan{work: w}
			x.filter, x.told = parseFilter(w.text)
			if !x.judge(counted, totalTime(all)) {
				continue
			}
			if x.plan = planOf(v, s, x.work, x.filter); served(x.plan) {
				x.sure = rule.Possible // the rows are many, or the plan is a new one
			}
			if x.uncounted && !slices.ContainsFunc(x.plan, readsWhole) {
				x.sure = rule.Possible
			}
			if x.proven() && x.took >= materialShare*totalTime(all) {
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
func readsMany(p recording.MySQLPlan) bool { return readsWhole(p) && p.Rows >= manyRows }

// mostOfRows is the share of all rows read that must come from scans for
// sampled statements to be blamed, and the share of the time that one of them
// must take to be the one that scans.
const mostOfRows = 0.5

// scanning is what a server counts of rows read one after the other, not by an
// index. NaN where it does not tell.
type scanning struct {
	rate    float64 // rows per second
	share   float64 // of all rows read
	perScan float64 // rows per scan of a table, of statements that are counted as such: SELECT
	perSent float64 // rows per row sent to clients
	// perWanted is rows per row sent or changed.
	perWanted float64
	// UPDATE and DELETE count neither as scans nor by the rows that they send.
	update, remove rowChanges
}

// rowChanges is what one kind of statement that changes rows does, if it alone
// reads rows one after the other.
type rowChanges struct {
	perRun     float64 // rows per execution; NaN if none is known to have begun
	perChanged float64 // rows per row changed
	changed    float64 // rows per second; NaN
}

func scanningOf(s *view.MySQLServer) scanning {
	x := scanning{rate: s.Rate("Handler_read_rnd_next")}
	sum := x.rate
	for _, name := range []string{"Handler_read_first", "Handler_read_key", "Handler_read_next", "Handler_read_prev", "Handler_read_rnd"} {
		sum += view.OrZero(s.Rate(name))
	}
	x.share = x.rate / max(sum, 1)
	scans := view.OrZero(s.Rate("Select_scan")) + view.OrZero(s.Rate("Select_full_join"))
	x.perScan = x.rate / max(scans, 1/max(view.Elapsed(s.Looks).Seconds(), 1))
	x.perSent = x.rate / max(s.Rate("Rows_sent"), 1)
	x.perWanted = x.rate / max(s.Rate("Rows_sent")+view.OrZero(s.Rate("Handler_update"))+view.OrZero(s.Rate("Handler_delete")), 1)
	x.update, x.remove = x.changes(s, "update"), x.changes(s, "delete")
	return x
}

// changes reads the counters of UPDATE or DELETE. Commands nobody has used are
// not told.
func (x scanning) changes(s *view.MySQLServer, kind string) (c rowChanges) {
	runs := view.OrZero(s.Rate("Com_"+kind)) + view.OrZero(s.Rate("Com_"+kind+"_multi"))
	c.perRun, c.changed = math.NaN(), s.Rate("Handler_"+kind)
	c.perChanged = x.rate / max(c.changed, 1)
	if runs > 0 {
		c.perRun = x.rate / runs
	}
	return c
}

// kind is what the server counts of statements of this one's kind; nil if it is
// not UPDATE or DELETE.
func (x *scanning) kind(text string) *rowChanges {
	t := sqltoken.Split(text)
	switch {
	case len(t) > 0 && t[0].Is("UPDATE"):
		return &x.update
	case len(t) > 0 && t[0].Is("DELETE"):
		return &x.remove
	}
	return nil
}

// of is what the server's counts say of a statement that does most of the work:
// rows per execution, and per row that it returns or changes.
func (x *scanning) of(text string) (perRun, ratio float64) {
	if c := x.kind(text); c != nil {
		return c.perRun, c.perChanged
	}
	return x.perScan, x.perSent
}

// judge decides whether the statement is a scan that an index would save.
// total is the time of all statements.
func (x *scan) judge(counted scanning, total float64) bool {
	x.perRun, x.ratio = x.each(x.examined), x.perReturned()
	x.changes = writes(x.text)
	if x.sampled && x.changes {
		x.ratio = math.NaN() // rows sent are none, however many are changed
	}
	main := x.sampled && x.took >= mostOfRows*total
	x.soFar = x.sampled && !x.logged && !main
	perRun, ratio := counted.of(x.text)
	if main && !x.logged {
		// The process list shows rows only at the end of a statement, if at all;
		// then the server's own counts are those of the statement that most
		// connections are in.
		switch alone := x.took >= mostRuns*total; {
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
	case !(x.perRun >= manyRows) || x.took < someTime || x.ratio < wastedRatio:
		return false
	case x.sampled:
		// Nobody says that these statements used no index, only that this many rows
		// were read without one in the same time.
		if !(counted.rate*mostRuns >= manyRows) || counted.share < mostOfRows {
			return false
		}
		x.sure = rule.Likely
	case x.unindexed == 0 && writes(x.text):
		x.sure, x.uncounted = rule.Likely, true
	case x.unindexed < mostRuns*x.count:
		return false
	case x.count >= someRuns:
		x.sure = rule.Certain
	default:
		x.sure = rule.Likely
	}
	if x.vague && x.took < mostRuns*total || !x.told || x.aggregates || x.or || math.IsNaN(x.ratio) || len(x.like) > 0 && len(x.equal)+len(x.ranges) == 0 {
		// What is returned does not say how many rows were wanted, or is not known;
		// or the text does not say that an index could find them.
		x.sure = rule.Possible
	}
	if x.took < materialShare*total {
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
func (x scan) saved() float64 { return x.took * (1 - 1/max(view.OrZero(x.ratio), wastedRatio)) }

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
	f := rule.Finding{Subject: subjectOf(s), Confidence: top.sure, Affects: append(affects(v, s), loaded(v, s, readBytes)...)}
	f.Impact = timeLost(lost, rule.T("%s s a second are spent on it", unit.Number(lost)))
	f.Headline = top.headline(s)
	for i, x := range scans {
		if i == mentioned {
			break
		}
		f.Evidence = append(f.Evidence, x.evidence(s))
		if e, ok := planEvidence(s, x.plan, x.text); ok {
			f.Evidence = append(f.Evidence, e)
		}
	}
	if e, ok := handlerEvidence(s); ok {
		f.Evidence = append(f.Evidence, e)
	}
	if s.Process != nil && s.Process.CPU > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: "process.cpu", Value: s.Process.CPU, Unit: "cores", Counters: true,
			What: rule.T("%s used %s CPUs", named(s), unit.Number(s.Process.CPU)), Check: fmt.Sprintf("pidstat -u -p %d 1", s.PID)})
	}
	f.Evidence = append(f.Evidence, beside(s)...)
	f.Fixes = top.fixes(s)
	return f
}

// mentioned is how many statements evidence names.
const mentioned = 3

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
	if x.vague {
		return "many rows"
	}
	rows := unit.Count(math.Round(x.perRun)).String() + " rows"
	if x.soFar {
		rows += " or more"
	}
	return rows
}

func (x scan) headline(s *view.MySQLServer) rule.Text {
	rows := x.rows()
	if x.sure == rule.Possible {
		if x.plan == nil {
			return rule.T("%s reads %s each time for \"%s\"; an index may save it, which --explain tells", named(s), rows, x.brief())
		}
		return rule.T("%s reads %s each time for \"%s\"; an index may save it", named(s), rows, x.brief())
	}
	if columns := x.index(); len(columns) > 0 {
		return rule.T("%s reads %s of %s each time for \"%s\": an index on (%s) is missing or not used", named(s), rows, x.place(), x.brief(),
			strings.Join(columns, ", "))
	}
	return rule.T("%s reads %s of %s each time for \"%s\" without an index", named(s), rows, x.place(), x.brief())
}

func (x scan) evidence(s *view.MySQLServer) rule.Evidence {
	e := rule.Evidence{Metric: "mysql.rows-examined-per-row", Value: x.ratio, Unit: "rows", Limit: rule.Limit(wastedRatio), Counters: x.digest != "",
		Check: x.check(s, "sum_rows_examined, sum_rows_sent, sum_rows_affected, sum_no_index_used")}
	if math.IsNaN(x.ratio) || x.vague {
		// Rows of all statements by the rows of some are nobody's ratio.
		e.Metric, e.Value, e.Unit, e.Limit = "mysql.statement-time", x.took, "seconds per second", nil
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
		return fmt.Sprintf("%s rows examined each time and none %s", unit.Count(x.perRun), done)
	}
	return fmt.Sprintf("%s rows examined for each one %s", unit.Count(x.ratio), done)
}

func (x scan) digestSays() rule.Text {
	if x.uncounted {
		return rule.T("%s, %s executions, %s s a second: %s", x.wasted("changed"), unit.Count(x.count), unit.Number(x.took), x.brief())
	}
	return rule.T("%s, %s executions, %s of them without an index, %s s a second: %s", x.wasted("returned"), unit.Count(x.count),
		unit.Share(x.unindexed/max(x.count, 1)), unit.Number(x.took), x.brief())
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
	seen := fmt.Sprintf("seen running on %s connections at a time", unit.Number(x.took))
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
	return rule.T("%s, while the server scanned %s rows for each one it sent: %s", seen, unit.Count(x.ratio), x.brief())
}

// handlerEvidence is what the server counts of rows read without an index.
func handlerEvidence(s *view.MySQLServer) (rule.Evidence, bool) {
	counted := scanningOf(s)
	rate, share := counted.rate, counted.share
	if math.IsNaN(rate) {
		return rule.Evidence{}, false
	}
	return rule.Evidence{Metric: "mysql.rows-scanned", Value: rate, Unit: "per second", Counters: true,
		What: rule.T("%s rows read one after the other, %s of all rows read", unit.PerSecond(rate), unit.Share(share)), Check: status(s, "Handler_read%")}, true
}

// beside is what packets say clients of the server waited for answers.
func beside(s *view.MySQLServer) []rule.Evidence {
	if s.Packets == nil || s.Packets.Count == 0 {
		return nil
	}
	p := s.Packets
	return []rule.Evidence{{Metric: "rt.serve", Value: p.Mean().Seconds(), Unit: "seconds",
		What:  rule.T("clients waited %s for an answer on average, p99 %s", unit.Duration(p.Mean()), unit.Duration(p.RTP99)),
		Check: fmt.Sprintf("rtrail packets -i any -p %d --by statement", p.Port)}}
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
			Command:  ask(s, fmt.Sprintf("alter table %s add index (%s), algorithm=inplace, lock=none", table, strings.Join(columns, ", "))),
			Tradeoff: "reads the whole table once and takes disk space; every write keeps one more index. Test the plan with EXPLAIN on a copy first",
		}, rule.Fix{
			Text:    rule.T("if there is such an index, see why it is not used: a comparison with another type or collation, old statistics (ANALYZE TABLE)"),
			Command: ask(s, "show index from "+table), Tradeoff: "none",
		})
	}
	if len(x.computed) > 0 {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("compare the column %s itself, not the result of a function of it; or index a generated column", x.computed[0]),
			Tradeoff: "a change of the program or of the table",
		})
	}
	if x.plan != nil && len(fixes) > 0 {
		return fixes // the plan is among the evidence
	}
	return append(fixes, rule.Fix{
		Text:    rule.T("look at the plan (rtrail diagnose --explain asks for it): type ALL, or Using join buffer, marks the table that is read whole"),
		Command: ask(s, "explain "+brief(x.text, 200)), Tradeoff: "none; put real values where ? stands",
	})
}

// unnamedScans is for servers that tell rows and no statements.
func unnamedScans(s *view.MySQLServer, rate float64) rule.Finding {
	f := rule.Finding{Subject: subjectOf(s), Confidence: rule.Possible}
	f.Headline = rule.T("%s reads %s rows without an index; which statements do is not known", named(s), unit.PerSecond(rate))
	f.Impact = timeLost(rate/rowsPerCore, rule.T("about %s CPUs", unit.Number(rate/rowsPerCore)))
	if e, ok := handlerEvidence(s); ok {
		f.Evidence = append(f.Evidence, e)
	}
	f.Fixes = []rule.Fix{{
		Text:     rule.T("find the statements: log those that use no index for some minutes"),
		Command:  ask(s, "set global slow_query_log = 1; set global log_queries_not_using_indexes = 1"),
		Tradeoff: "the log grows quickly; set both back afterwards",
	}}
	return f
}

// rowsPerCore is about how many rows of some hundred bytes InnoDB reads per
// second and core from memory; measured values lie between 2 and 10 million.
const rowsPerCore = 4_000_000
