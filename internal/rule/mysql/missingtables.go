package mysql

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var missingTables = rule.Rule{
	ID:         "mysql/opening-missing-tables",
	Title:      "clients ask for tables that do not exist",
	Plural:     "servers are asked for tables that do not exist",
	Resource:   "statements",
	Needs:      []recording.Table{recording.MySQLServers, recording.MySQLStatuses},
	Explains:   []string{"rt/errors", "rt/worker-queueing", "rt/server-slow", "mysql/table-cache-contention"},
	Thresholds: []*rule.Threshold{&minMissing, &missingShare, &opening, &littleTime, &minTime, &mostRuns, &looksPerReload, &minUnchanged},
	Detect:     inspecting(func(v *view.View, s *view.MySQLServer) inspection { return &missing{v: v, s: s} }),
}

var (
	minMissing = rule.Threshold{Name: "min-missing", Value: 5.0, Unit: "per second", Source: rule.Judgement,
		Reason: "Lookups of missing tables per second. Installers and migrations check now and then whether a table exists, but no healthy program does so all the time."}
	missingShare = rule.Threshold{Name: "missing-share", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of all questions, or of the time of all statements. Below 1 % it is a separate problem, not the reason why a server is slow."}
	littleTime = rule.Threshold{Name: "little-time", Value: 0.01, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Time that connections spend on missing tables. Below a hundredth of one connection nobody waits: a program looks whether a table exists."}
	opening = rule.Threshold{Name: "opening", Value: 0.5, Unit: "connections", Source: rule.Judgement,
		Reason: "Mean number of connections in state \"Opening tables\". From here on connections mainly wait for this."}
)

const (
	// noSuchTable is ER_NO_SUCH_TABLE, as the server's errors and packets number it.
	noSuchTable = 1146
)

// missing is what is known of a server's missing tables.
type missing struct {
	v         *view.View
	s         *view.MySQLServer
	questions float64 // per second
	raised    float64 // error 1146 per second, by the server's own count; NaN
	answered  float64 // answers with 1146 per second, by packets; NaN
	failed    float64 // statements with errors per second, by digests, of those that always fail; NaN
	unopened  float64 // tables looked for and not opened per second while no table is changed: MariaDB's count; NaN
	counted   bool    // the server counts its errors one by one
	opening   float64 // connections in "Opening tables", mean
	spent     float64 // seconds per second that such statements take, by packets or digests; NaN
	ofTime    float64 // spent as a share of the time of all statements, by digests; NaN
	overflows float64 // of the table cache, per second; NaN
	opened    float64 // tables opened per second; NaN
	tables    []string
	sure      rule.Confidence
}

func (x *missing) read() {
	v, s := x.v, x.s
	x.questions = s.Rate("Questions")
	x.raised, x.answered, x.failed, x.unopened = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if view.Rows[recording.MySQLError](v) != nil {
		for _, e := range v.ErrorsOf(s.Server) {
			if e.Code == noSuchTable {
				x.raised = e.PerSecond
			}
			x.counted = true
		}
	}
	counts := map[string]float64{}
	each := x.readPackets(counts)
	failing, all := 0.0, 0.0 // seconds per second
	for _, w := range workOf(v, s) {
		all += w.took
		if !w.sampled && w.errors >= mostRuns.Value*w.count && w.errors > 0 {
			x.failed = view.OrZero(x.failed) + w.errors/max(v.Seconds(), 1)
			failing += w.took
			addTable(counts, w.text, w.errors)
		}
	}
	x.opening = connectionsIn(v, s, func(state string) bool { return strings.EqualFold(state, "Opening tables") })
	if len(counts) == 0 {
		for _, look := range v.SessionsOf(s.Server) {
			for _, r := range look {
				if strings.EqualFold(r.State, "Opening tables") {
					addTable(counts, r.Statement, 1)
				}
			}
		}
	}
	x.overflows, x.opened = s.Rate("Table_open_cache_overflows"), s.Rate("Opened_tables")
	if s.MariaDB() {
		x.unopened = lookedInVain(v, s)
	}
	x.ofTime = math.NaN()
	if failing > 0 {
		if math.IsNaN(each) {
			each = failing / x.failed
		}
		spent := each * x.rate()
		x.ofTime = spent / (all - failing + spent)
	}
	x.spent = each * x.rate()
	for name := range counts {
		x.tables = append(x.tables, name)
	}
	slices.SortFunc(x.tables, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
}

// readPackets counts answers with error 1146, and says how long each took on average, in seconds;
// NaN: not known.
func (x *missing) readPackets(counts map[string]float64) (each float64) {
	p := x.s.Packets
	if p == nil {
		return math.NaN()
	}
	took, timed := 0.0, int64(0)
	for _, e := range x.v.PacketErrors() {
		if e.Server == p.Server && e.ServerPort == int32(p.Port) && e.Proto == p.Proto && e.Code == fmt.Sprint(noSuchTable) {
			x.answered = view.OrZero(x.answered) + float64(e.Count)/max(x.v.Seconds(), 1)
			addTable(counts, e.Fingerprint, float64(e.Count))
			took += e.RTSum.Seconds()
			timed += e.Timed
		}
	}
	if took <= 0 || timed <= 0 {
		return math.NaN()
	}
	return took / float64(timed)
}

func addTable(counts map[string]float64, text string, n float64) {
	if f, ok := parseFilter(text); ok && f.table != "" && !f.joins {
		counts[f.qualified()] += n
	}
}

// rate is how many statements a second ask for missing tables, at least.
func (x *missing) rate() float64 {
	if n := max(view.OrZero(x.raised), view.OrZero(x.answered)); n > 0 {
		return n
	}
	return max(view.OrZero(x.unopened), view.OrZero(x.failed))
}

func (x *missing) look() bool {
	x.read()
	known := max(view.OrZero(x.raised), view.OrZero(x.answered)) >= minMissing.Value
	counted := x.unopened >= minMissing.Value && x.unopened >= missingShare.Value*view.OrZero(x.questions)
	stuck := x.opening >= opening.Value && view.OrZero(x.overflows) < minMissing.Value && view.OrZero(x.opened) < minMissing.Value
	costly := stuck || x.spent >= minTime.Value && x.ofTime >= missingShare.Value
	cheap := x.spent < littleTime.Value && x.opening < littleTime.Value
	switch {
	case known && (x.share() >= missingShare.Value && !cheap || costly):
		x.sure = rule.Certain
	case known:
		x.sure = rule.Possible
	case counted, x.unopened >= minMissing.Value && stuck:
		x.sure = rule.Likely
	case !x.counted && x.failed >= minMissing.Value && stuck:
		x.sure = rule.Likely
	default:
		return false
	}
	return true
}

// lost is how long connections are busy with missing tables, in seconds per second, at least.
func (x *missing) lost() float64 { return max(x.opening, view.OrZero(x.spent)) }

// share of all questions that fail so.
func (x *missing) share() float64 { return min(x.rate()/max(view.OrZero(x.questions), x.rate(), 1), 1) }

func (x *missing) finding() rule.Finding {
	s := x.s
	f := rule.Finding{Subject: s.Entity(), Confidence: x.sure}
	what := "tables that do not exist"
	if len(x.tables) > 0 {
		what = strings.Join(x.tables[:min(len(x.tables), 2)], ", ")
		if len(x.tables) > 2 {
			what += fmt.Sprintf(" and %d more", len(x.tables)-2)
		}
		what += ", which do not exist"
		if len(x.tables) == 1 {
			what = x.tables[0] + ", which does not exist"
		}
	}
	f.Headline = rule.T("clients of %s ask for %s: %s of its statements fail, error 1146; the table cache is not the cause", named(s), what, unit.Share(x.share()))
	if x.cacheOverflows() {
		f.Headline = rule.T("clients of %s ask for %s: %s of its statements fail, error 1146", named(s), what, unit.Share(x.share()))
	}
	if x.sure == rule.Likely {
		f.Headline = rule.T("clients of %s ask for %s: %s of its statements or more fail to open a table", named(s), what, unit.Share(x.share()))
	}
	f.Impact = rule.Impact{Share: x.share(), TimeLost: x.lost(), Text: rule.T("%s statements fail", unit.PerSecond(x.rate()))}
	if x.lost() >= littleTime.Value {
		f.Impact.Text = rule.T("%s statements fail, and connections spend %s per second on them", unit.PerSecond(x.rate()), unit.Seconds(x.lost()))
	}
	f.Evidence = x.evidence()
	f.Fixes = x.fixes()
	return f
}

// cacheOverflows says whether the table cache has a share in it after all.
func (x *missing) cacheOverflows() bool { return x.overflows >= minMissing.Value }

func (x *missing) evidence() []rule.Evidence {
	s := x.s
	var list []rule.Evidence
	if x.raised > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLErrors, Value: x.raised, Limit: rule.Limit(minMissing.Value),
			What:  rule.T("error 1146 (no such table) %s, of %s questions", unit.PerSecond(x.raised), unit.PerSecond(view.OrZero(x.questions))),
			Check: ask(s, shell.SQL("select * from performance_schema.events_errors_summary_global_by_error where error_number = 1146"))})
	}
	if x.answered > 0 {
		list = append(list, rule.Evidence{Metric: metric.RTErrorRate, Value: x.answered, Limit: rule.Limit(minMissing.Value),
			What:  rule.T("%s answers in packets are error 1146", unit.PerSecond(x.answered)),
			Check: shell.Line("tshark -i any -f 'port %d' -Y 'mysql.error_code == 1146'", s.Packets.Port)})
	}
	if x.unopened > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLTablesNotFound, Value: x.unopened, Limit: rule.Limit(minMissing.Value),
			What: rule.T("at least %s lookups of tables that were neither cached nor opened", unit.PerSecond(x.unopened)), Check: status(s, "%open%")})
	}
	if x.failed > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLStatementErrors, Value: x.failed,
			What:  rule.T("%s executions of statements that always fail", unit.PerSecond(x.failed)),
			Check: ask(s, shell.SQL("select digest_text, count_star, sum_errors from performance_schema.events_statements_summary_by_digest order by sum_errors desc limit 5"))})
	}
	if x.spent > 0 {
		of := ""
		if !math.IsNaN(x.ofTime) {
			of = fmt.Sprintf(", %v of the time of all statements", unit.Share(x.ofTime))
		}
		list = append(list, rule.Evidence{Metric: metric.MySQLStatementTime, Value: x.spent, Limit: rule.Limit(littleTime.Value),
			What:  rule.T("such statements take %s each, %s per second in all%s", unit.Seconds(x.spent/x.rate()), unit.Seconds(x.spent), of),
			Check: ask(s, shell.SQL("select digest_text, sum_errors, sum_timer_wait from performance_schema.events_statements_summary_by_digest order by sum_errors desc limit 5"))})
	}
	if x.opening > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLSessionsInState, Value: x.opening,
			What: rule.T("%s connections in state Opening tables on average", unit.Number(x.opening)), Check: ask(s, shell.SQL("show processlist"))})
	}
	if !math.IsNaN(x.opened) {
		list = append(list, rule.Evidence{Metric: metric.MySQLTableCacheOverflows, Value: view.OrZero(x.overflows),
			What:  rule.T("%s overflows of the table cache, %s tables opened: it is large enough", unit.PerSecond(view.OrZero(x.overflows)), unit.PerSecond(x.opened)),
			Check: status(s, "%open%")})
		if x.cacheOverflows() {
			list[len(list)-1].What = rule.T("%s overflows of the table cache, %s tables opened", unit.PerSecond(x.overflows), unit.PerSecond(x.opened))
		}
	}
	return list
}

func (x *missing) fixes() []rule.Fix {
	s := x.s
	tables := shell.SQL("show tables")
	if len(x.tables) > 0 {
		tables = shell.SQL("show create table %s", shell.Name(x.tables[0]))
	}
	return []rule.Fix{{
		Text:     rule.T("make the client use tables that exist: a missing migration, a wrong schema, a load generator with more tables than were created (sysbench --tables)"),
		Command:  ask(s, tables),
		Tradeoff: "none; a larger table_open_cache changes nothing",
	}, {
		Text:     rule.T("find the client, and make it log its errors: the server does not log these"),
		Command:  ask(s, shell.SQL("select user, host, db, count(*) from information_schema.processlist group by 1, 2, 3")),
		Tradeoff: "a client that ignores errors hides them until packets are captured",
	}}
}
