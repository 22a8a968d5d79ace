package mysql

import (
	"math"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var tableCacheContention = rule.Rule{
	ID:       "mysql/table-cache-contention",
	Title:    "statements wait for the mutex of the table cache",
	Plural:   "servers have statements that wait for the mutex of the table cache",
	Resource: "locks inside MySQL",
	Needs:    []recording.Table{recording.Stacks},
	Explains: []string{"cpu/saturated", "cpu/context-switches", "cpu/one-thread-limit", "rt/server-slow", "rt/worker-queueing", "mysql/opening-missing-tables", "mysql/spin-waste"},
	Thresholds: []*rule.Threshold{&minOverflows, &manyReopened, &reopenedEach, &mostBytes, &minQueue, &queueShare, &manyWait, &mostWait, &fullCPUs,
		&busyServer},
	Seen:   serverInside,
	Detect: detectTableCache,
}

var (
	minOverflows = rule.Threshold{Name: "min-overflows", Value: 5.0, Unit: "per second", Source: rule.Judgement,
		Reason: "Tables that the cache closes to make room, while it holds its mutex. A cache that is large enough closes no tables."}
	manyReopened = rule.Threshold{Name: "many-reopened", Value: 100.0, Unit: "per second", Source: rule.Judgement,
		Reason: "Tables reopened. For each, one handle is closed and another created, which costs more than any queue."}
	reopenedEach = rule.Threshold{Name: "reopened-each", Value: 0.1, Unit: "ratio", Source: rule.Judgement,
		Reason: "Tables reopened per statement. Fewer cost little compared with the statement."}
)

const (
	// enoughInstances is what MySQL has by default from 5.7.8 on; its manual
	// recommends 8 or 16 for 16 cores and more. maxInstances is its limit.
	enoughInstances, maxInstances = 16, 64
	// openRoom is how much larger than what all running statements need a table
	// cache should be.
	openRoom = 2
)

// tableCache is a queue for the table cache of one server.
type tableCache struct {
	insides
	wait      view.StackWait
	waiting   float64
	share     float64
	sure      rule.Confidence
	queued    bool    // else the counters tell
	instances int64   // 0: not known
	size      int64   // table_open_cache; 0: not known
	overflows float64 // per second; NaN
	opened    float64 // per second; NaN
	reopened  float64 // opened per statement; NaN
}

func detectTableCache(v *view.View) ([]rule.Finding, error) {
	servers, err := insidesOf(v)
	var found []rule.Finding
	for _, s := range servers {
		if x := (tableCache{insides: s}); x.look() {
			found = append(found, x.finding())
		}
	}
	return found, err
}

func (x *tableCache) look() bool {
	x.wait, x.waiting, x.share = x.queue("mysql/table-cache-mutex")
	x.overflows, x.opened, x.reopened = math.NaN(), math.NaN(), math.NaN()
	if x.s != nil {
		x.instances, _ = x.s.IntVariable("table_open_cache_instances")
		x.size, _ = x.s.IntVariable("table_open_cache")
		x.overflows, x.opened = x.s.Rate("Table_open_cache_overflows"), x.s.Rate("Opened_tables")
		x.reopened = x.opened / max(x.s.Rate("Questions"), 1)
	}
	x.sure = x.sureOfQueue(x.waiting, x.share)
	x.queued = x.sure != 0
	if !x.queued && x.full() && x.opened >= manyReopened.Value && x.reopened >= reopenedEach.Value {
		x.sure = rule.Likely
	}
	return x.sure != 0
}

// full says whether tables are closed to make room for others.
func (x *tableCache) full() bool {
	return x.overflows >= minOverflows.Value && x.opened >= minOverflows.Value
}

func (x *tableCache) finding() rule.Finding {
	who := x.subject()
	f := rule.Finding{Subject: who, Confidence: x.sure, Affects: x.affects()}
	f.Impact = timeLost(x.waiting, rule.T("%s statements wait on average", unit.Number(x.waiting)))
	share := unit.Share(x.share)
	switch {
	case !x.queued:
		// How long opening takes is not counted.
		f.Impact = timeLost(max(x.waiting, x.reopened), rule.T("%s tables are opened", unit.PerSecond(x.opened)))
		f.Headline = rule.T("%s opens %s tables again for each statement, because the table cache is full: table_open_cache is %d", who, unit.Number(x.reopened), x.size)
	case x.full():
		f.Headline = rule.T("%s of the running statements of %s queue for the table cache, which closes tables to make room while it holds its mutex: table_open_cache is %d", share, who, x.size)
	case x.instances == 1:
		f.Headline = rule.T("%s of the running statements of %s queue for the one mutex of the table cache: table_open_cache_instances is 1", share, who)
	case x.instances > 1:
		f.Headline = rule.T("%s of the running statements of %s queue for the mutexes of the table cache: table_open_cache_instances is %d", share, who, x.instances)
	default:
		f.Headline = rule.T("%s of the busy threads of %s queue for the mutex of the table cache: see table_open_cache_instances", share, who)
	}
	if x.waiting > 0 {
		f.Evidence = append(f.Evidence, x.stackEvidence(x.wait, x.waiting, x.share, "Table_cache"))
	}
	if x.instances > 0 {
		f.Evidence = append(f.Evidence, setting(x.s, metric.MySQLTableCacheInstances, "table_open_cache_instances", x.instances))
	}
	if !math.IsNaN(x.overflows) {
		what := rule.T("%s overflows of the table cache, %s tables opened: it is large enough", unit.PerSecond(x.overflows), unit.PerSecond(view.OrZero(x.opened)))
		if x.full() {
			what = rule.T("%s overflows of the table cache, %s tables opened: it is too small", unit.PerSecond(x.overflows), unit.PerSecond(x.opened))
		}
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MySQLTableCacheOverflows, Value: x.overflows, What: what, Check: status(x.s, "%open%")})
	}
	f.Fixes = x.fixes()
	return f
}

func (x *tableCache) fixes() []rule.Fix {
	var list []rule.Fix
	if x.full() {
		to := max(x.size*openRoom, 2000)
		if _, most, _, ok := x.s.Gauge("Threads_connected"); ok {
			// Every connection may have some tables open at a time.
			to = max(to, int64(math.Ceil(most/100)*100)*tablesPerStatement)
		}
		list = append(list, rule.Fix{Text: rule.T("make the table cache large enough for all connections: table_open_cache = %d", to),
			Command:  ask(x.s, shell.SQL("set global table_open_cache = %d", to)),
			Tradeoff: "memory and file descriptors per table (open_files_limit); also in my.cnf, or a restart loses it"})
	}
	if x.s == nil {
		list = append(list, rule.Fix{Text: rule.T("first see whether Table_open_cache_overflows grows: then the cache is too small; raise table_open_cache"),
			Command: shell.Line(`mysql -e "show global status like '%%open%%'"   # twice`), Tradeoff: "none"})
	}
	to := int64(enoughInstances)
	if x.instances >= enoughInstances {
		to = min(2*x.instances, maxInstances)
	}
	if x.instances < maxInstances {
		list = append(list, rule.Fix{Text: rule.T("split the table cache: table_open_cache_instances = %d in my.cnf, below [mysqld]; then restart the server", to),
			Tradeoff: "a restart; each instance holds table_open_cache divided by their number, so raise that, too, if Opened_tables begins to grow" + x.gain()})
	}
	return append(list, rule.Fix{Text: rule.T("run fewer statements at once, or use fewer tables in each"),
		Tradeoff: "waiting moves to the connection pool; throughput rises when the queue for the mutex is gone"})
}

// tablesPerStatement is how many tables a statement may use, for a first size of
// the cache.
const tablesPerStatement = 10
