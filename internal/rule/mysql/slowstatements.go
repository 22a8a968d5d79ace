package mysql

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/predicate"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var slowStatements = rule.Rule{
	ID:       "mysql/slow-statements",
	Title:    "one statement takes most of the time in the slow log",
	Plural:   "statements take most of the time in the slow log",
	Resource: "statements of the slow log",
	Needs:    []recording.Table{recording.MySQLSlowLog},
	// A server that was asked is judged by what it says; its log is part of that.
	Seen:       func(v *view.View) bool { return len(v.SlowLogs()) > 0 },
	Thresholds: []*rule.Threshold{&dearShare, &manyRows, &wastedRatio, &lockedShare, &manyReturned},
	Detect:     detectSlowStatements,
}

var (
	lockedShare = rule.Threshold{Name: "locked-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a statement's time spent waiting for locks. From here on the locks make it slow, not its own work."}
	manyReturned = rule.Threshold{Name: "many-returned", Value: 10_000, Unit: "rows", Source: rule.Judgement,
		Reason: "Rows returned per execution. No user reads that many: a page of a list has some dozens."}
)

// logged is a statement of a slow log that was read as a file.
type logged struct {
	costly         // its scan has the rows; why is set where the text says why no index serves
	written bool   // why holds
	log     string // the file
	locked  float64
	longest time.Duration
	seconds float64 // of execution, in all
}

func detectSlowStatements(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, log := range v.SlowLogs() {
		list, total := loggedIn(v, log)
		for i := range list {
			if x := &list[i]; i == 0 || x.share >= dearShare.Value {
				found = append(found, x.finding(total))
			}
		}
	}
	return found, nil
}

// loggedIn lists the statements of a log that took most time, and says how long all
// took.
func loggedIn(v *view.View, log string) (list []logged, total float64) {
	entries := v.SlowQueriesOf(log)
	took := map[string]time.Duration{}
	for _, q := range entries {
		if q.Statement != "" && !introspective(q.DB, q.Statement) {
			took[q.Statement] += max(q.Took, 0)
			total += max(q.Took, 0).Seconds()
		}
	}
	texts := slices.SortedFunc(maps.Keys(took), func(a, b string) int { return cmp.Or(cmp.Compare(took[b], took[a]), cmp.Compare(a, b)) })
	for _, text := range texts[:min(len(texts), mentioned)] {
		x := logged{log: log, seconds: took[text].Seconds()}
		x.work = work{text: text, sampled: true, logged: true}
		for _, q := range entries {
			if q.Statement == text {
				x.add(q)
			}
		}
		x.look(v, total)
		list = append(list, x)
	}
	return list, total
}

// add counts an entry of the statement.
func (x *logged) add(q recording.MySQLSlowQuery) {
	x.work.schema = cmp.Or(x.work.schema, q.DB)
	x.count++
	x.locked += max(q.LockTime, 0).Seconds()
	x.longest = max(x.longest, q.Took)
	x.examined += knownCount(q.Examined)
	x.returned += knownCount(q.Sent)
}

func knownCount(n int64) float64 {
	if n < 0 {
		return math.NaN()
	}
	return float64(n)
}

// look finds why a statement takes its time, as far as log and text tell.
func (x *logged) look(v *view.View, total float64) {
	x.share = x.seconds / max(total, 1e-9)
	x.took = x.seconds / max(v.Seconds(), 1)
	x.filter, x.told = parseFilter(x.text)
	x.perRun, x.ratio, x.changes = x.each(x.examined), x.perReturned(), writes(x.text)
	if x.changes {
		x.ratio = math.NaN() // rows sent are none, however many are changed
	}
	for _, c := range predicate.Of(x.text) {
		if c.Form != predicate.Number { // of a number it is not known that the column holds text
			x.why = recording.MySQLCondition{Form: string(c.Form), By: c.By, Schema: c.Schema, Name: c.Table, Column: c.Column, Alone: c.Alone}
			x.written = true
			break
		}
	}
}

// reads says whether it examines far more rows than it returns, and does not ask
// for all of them.
func (x *logged) reads() bool {
	all := x.told && !x.where && !x.joins && !(x.limit && len(x.order) > 0)
	return !all && x.perRun >= manyRows.Value && (x.ratio >= wastedRatio.Value || x.changes)
}

func (x *logged) finding(total float64) rule.Finding {
	f := rule.Finding{Subject: view.Entity{Kind: view.KindStatement, Name: x.brief(), Detail: x.log}, Confidence: rule.Likely}
	f.Impact = timeLost(x.took, rule.T("%s of the %s in the log, %s on average, at most %s", unit.Share(x.share), unit.Seconds(total),
		unit.Seconds(x.seconds/x.count), unit.Duration(x.longest)))
	s := &view.MySQLServer{} // the log does not tell which
	switch {
	case x.locked >= lockedShare.Value*x.seconds:
		f.Headline = rule.T("\"%s\" waits for locks %s of its time", x.brief(), unit.Share(x.locked/max(x.seconds, 1e-9)))
		f.Fixes = []rule.Fix{{Text: rule.T("find the lock holder while it waits: rtrail diagnose --mysql names the connection and what it does"), Tradeoff: "needs the server, while it happens"},
			{Text: rule.T("keep transactions short, and change tables when they are not in use"), Tradeoff: "a change of the program"}}
	case x.reads() && x.written:
		f.Headline = rule.T("\"%s\" reads %s each time: %s", x.brief(), x.rows(), x.because())
		f.Fixes = x.costly.fixes(s)
	case x.reads() && len(x.index()) > 0 && !x.aggregates:
		f.Headline = rule.T("\"%s\" reads %s each time: an index on (%s) is missing or not used", x.brief(), x.rows(), strings.Join(x.index(), ", "))
		f.Fixes = x.scan.fixes(s)
	case x.reads():
		f.Confidence = rule.Possible // what it returns does not say how many rows were wanted
		f.Headline = rule.T("\"%s\" reads %s each time; an index may avoid this", x.brief(), x.rows())
		f.Fixes = x.scan.fixes(s)
	case x.each(x.returned) >= manyReturned.Value:
		f.Confidence = rule.Possible
		f.Headline = rule.T("\"%s\" returns %s rows each time", x.brief(), unit.Count(math.Round(x.each(x.returned))))
		f.Fixes = []rule.Fix{{Text: rule.T("fetch only the rows that are needed: a condition, LIMIT, aggregation in the server; fetch reports in pages by key"), Tradeoff: "a change of the program"}}
	default:
		f.Confidence = rule.Possible
		f.Headline = rule.T("\"%s\" takes %s each time, and the log does not say why", x.brief(), unit.Seconds(x.seconds/x.count))
		if x.perRun < manyRows.Value {
			f.Headline = rule.T("\"%s\" takes %s each time, and the log does not say why: it examines few rows and does not wait for table locks", x.brief(), unit.Seconds(x.seconds/x.count))
		}
		look := rule.T("look while it runs: rtrail diagnose --mysql says whether it waits for row locks, disks or a CPU")
		if x.changes && x.perRun < manyRows.Value {
			look = rule.T("look for row locks first: rtrail diagnose --mysql names who holds them, or says that it waits for disks or a CPU")
		}
		f.Fixes = []rule.Fix{{Text: look, Tradeoff: "needs the server, while it happens"}}
	}
	if x.share < dearShare.Value {
		f.Confidence = rule.Possible
	}
	f.Evidence = x.proof()
	return f
}

// counted names the locks in Lock_time. Only MySQL counts row locks there, since 8.0.28;
// most of the time cannot be missed, so it is enough to say so where there is little.
func (x *logged) counted() string {
	if x.locked >= lockedShare.Value*x.seconds {
		return "locks"
	}
	return "table and metadata locks; row locks are in it only of MySQL from 8.0.28 on"
}

func (x *logged) proof() []rule.Evidence {
	check := shell.Line("mysqldumpslow -s t -t 5 %s", shell.Path(x.log))
	list := []rule.Evidence{{Metric: metric.MySQLStatementShare, Value: x.share, Limit: rule.Limit(dearShare.Value), Check: check,
		What: rule.T("%s of the time in the log, in %s", unit.Share(x.share), unit.Plural(int64(x.count), "entry", "entries"))}}
	if !math.IsNaN(x.perRun) && x.perRun > 0 {
		e := rule.Evidence{Metric: metric.MySQLRowsExaminedPerRow, Value: x.ratio, Check: check, What: rule.T("%s rows examined each time", unit.Count(math.Round(x.perRun)))}
		if !math.IsNaN(x.ratio) {
			e.Limit = rule.Limit(wastedRatio.Value)
			e.What = rule.T("%s rows examined each time, %s returned", unit.Count(math.Round(x.perRun)), unit.Count(math.Round(x.each(x.returned))))
		}
		list = append(list, e)
	}
	if x.locked > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLLoggedLockTime, Value: x.locked / max(x.seconds, 1e-9), Limit: rule.Limit(lockedShare.Value), Check: check,
			What: rule.T("%s of its time waiting for %s", unit.Share(x.locked/max(x.seconds, 1e-9)), x.counted())})
	}
	return list
}
