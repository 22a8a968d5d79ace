package mysql

import (
	"math"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/sqltoken"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var tmpDiskTables = rule.Rule{
	ID:       "mysql/tmp-disk-tables",
	Title:    "statements create temporary tables on disk",
	Plural:   "statements create temporary tables on disk",
	Resource: "statements",
	Needs:    []recording.Table{recording.MySQLServers, recording.MySQLStatuses},
	Explains: []string{"mysql/sort", "disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "proc/uninterruptible", "cpu/saturated", "cpu/one-thread-limit", "rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&mostSpill, &minSpills, &spillRate, &seenSpilling, &largeTmpTable, &dearShare, &mostBytes, &manyRows, &wastedRatio,
		&mostRuns, &minRuns, &mostOfRows, &lastsLong, &minTime, &materialShare},
	Detect: inspecting(func(v *view.View, s *view.MySQLServer) inspection { return &spill{v: v, s: s} }),
}

var (
	mostSpill = rule.Threshold{Name: "most-spill", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a statement's executions that create a temporary table on disk."}
	minSpills = rule.Threshold{Name: "min-spills", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Temporary tables on disk in a window. A single report does no harm."}
	spillRate = rule.Threshold{Name: "spill-rate", Value: 10, Unit: "per second", Source: rule.Judgement,
		Reason: "Temporary tables on disk per second, above what monitoring creates when it reads information_schema, on a server without digests. Each costs a file created, written and removed, about 1 ms."}
	seenSpilling = rule.Threshold{Name: "seen-spilling", Value: 0.1, Unit: "connections", Source: rule.Judgement,
		Reason: "Mean number of connections in a state that only temporary tables have."}
	largeTmpTable = rule.Threshold{Name: "large-tmp-table", Value: 64 << 20, Unit: "bytes", Source: rule.Judgement,
		Reason: "Bytes. MySQL and MariaDB start with 16 MB; above 4 times that, a larger limit times the number of sessions becomes dangerous."}
)

// spill is what is known of a server's temporary tables on disk.
type spill struct {
	v          *view.View
	s          *view.MySQLServer
	tables     float64 // made on disk in the window
	perSecond  float64 // NaN if not told
	all        float64 // made anywhere in the window
	states     float64 // connections busy with temporary tables, mean
	converting float64 // of these, moving one from memory to disk
	culprits           // statements that make them
	sure       rule.Confidence
}

// tmpState says that a state of the process list is one of temporary tables.
func tmpState(state string) bool {
	lower := strings.ToLower(state)
	return strings.Contains(lower, "tmp table") || strings.Contains(lower, "converting heap") || strings.Contains(lower, "temporary")
}

// onDiskState says that a connection moves a temporary table to disk.
func onDiskState(state string) bool {
	lower := strings.ToLower(state)
	return strings.Contains(lower, "on disk") || strings.Contains(lower, "converting heap")
}

func (x *spill) look() bool {
	s := x.s
	x.perSecond = s.Rate("Created_tmp_disk_tables")
	delta, ok := s.Delta("Created_tmp_disk_tables")
	if ok {
		x.tables = delta // the probe has taken out rtrail's own
	}
	x.all, _ = s.Delta("Created_tmp_tables")
	x.states = connectionsIn(x.v, s, tmpState)
	x.converting = connectionsIn(x.v, s, onDiskState)
	material := x.gather(x.v, s, func(w work) bool {
		if w.sampled {
			return groups(w.text)
		}
		return w.tmpDisk >= mostSpill.Value*w.count && w.tmpDisk >= minSpills.Value
	})
	_, digests := x.v.StatementsOf(s.Server)
	selects, _ := s.Delta("Com_select")
	switch {
	case digests && len(x.list) == 0:
		return false
	case digests && material && x.converting >= seenSpilling.Value:
		x.sure = rule.Certain
	case digests && material:
		x.sure = rule.Likely
	case digests:
		x.sure = rule.Possible
	case x.tables < minSpills.Value || !(x.perSecond >= spillRate.Value) && !(selects > 0 && x.tables >= mostSpill.Value*selects):
		return false
	case len(x.list) > 0 && material && x.tables >= mostSpill.Value*x.all:
		x.sure = rule.Likely
	case len(x.list) == 0 && x.states < seenSpilling.Value:
		return false // tables are made, and no process was seen to wait for them
	default:
		x.sure = rule.Possible
	}
	return true
}

// groups says whether a statement is of a kind that needs temporary tables.
func groups(text string) bool {
	t := sqltoken.Split(text)
	for _, x := range t {
		if x.Is("GROUP") || x.Is("DISTINCT") || x.Is("UNION") || x.Is("WINDOW") || x.Is("OVER") {
			return true
		}
	}
	f, ok := parseFilter(text)
	return len(t) > 0 && t[0].Is("SELECT") && (!ok || f.joins)
}

func (x *spill) finding() rule.Finding {
	s := x.s
	f := rule.Finding{Subject: s.Entity(), Confidence: x.sure, Affects: loaded(x.v, s, writeBytes)}
	switch {
	case len(x.list) > 0:
		f.Headline = rule.T("%s creates temporary tables on disk for \"%s\"", named(s), x.list[0].brief())
		f.Impact = timeLost(x.took, rule.T("%s s a second in these statements", unit.Number(x.took)))
	default:
		f.Headline = rule.T("%s creates %s temporary tables on disk", named(s), unit.PerSecond(x.perSecond))
		f.Impact = timeLost(max(x.states, x.perSecond/1000), rule.T("%s connections busy with them on average", unit.Number(x.states)))
	}
	f.Evidence = x.evidence()
	f.Fixes = x.fixes()
	return f
}

func (x *spill) evidence() []rule.Evidence {
	s := x.s
	var list []rule.Evidence
	if !math.IsNaN(x.perSecond) {
		list = append(list, rule.Evidence{Metric: metric.MySQLTmpDiskTables, Value: x.tables,
			What:  rule.T("%s temporary tables on disk in the window, %s, of %s in all", unit.Count(x.tables), unit.PerSecond(x.perSecond), unit.Count(max(x.all, x.tables))),
			Check: status(s, "Created_tmp%")})
	}
	list = append(list, x.evidenceOf(s, shell.Names{"sum_created_tmp_disk_tables", "sum_timer_wait"}, func(w work) rule.Text {
		return rule.T("%s tables on disk in %s executions, %s s a second: %s", unit.Count(w.tmpDisk), unit.Count(w.count), unit.Number(w.took), w.brief())
	})...)
	if x.states > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLSessionsInState, Value: x.states,
			What:  rule.T("on average %s connections busy with temporary tables, %s of them moving one to disk", unit.Number(x.states), unit.Number(x.converting)),
			Check: ask(s, shell.SQL("show processlist"))})
	}
	if size, ok := x.limit(); ok {
		list = append(list, rule.Evidence{Metric: metric.MySQLTmpTableSize, Value: float64(size),
			What: rule.T("a temporary table in memory may take %s", unit.Bytes(size)), Check: ask(s, shell.SQL("show global variables where variable_name in ('tmp_table_size', 'max_heap_table_size')"))})
	}
	return append(list, beside(s)...)
}

// limit is what a temporary table in memory may hold.
func (x *spill) limit() (int64, bool) {
	size, ok := x.s.IntVariable("tmp_table_size")
	if heap, known := x.s.IntVariable("max_heap_table_size"); ok && known {
		size = min(size, heap)
	}
	return size, ok
}

// inMemoryBlobs says whether temporary tables of this server may hold TEXT and
// BLOB in memory: MySQL's TempTable engine from 8.0.13.
func (x *spill) inMemoryBlobs() bool {
	engine, ok := x.s.Variable("internal_tmp_mem_storage_engine")
	return ok && strings.EqualFold(engine, "TempTable") && !x.s.MariaDB() && x.s.AtLeast(8, 0, 13)
}

func (x *spill) fixes() []rule.Fix {
	var fixes []rule.Fix
	if !x.inMemoryBlobs() {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("keep TEXT, BLOB and JSON columns out of GROUP BY, DISTINCT and UNION: select and group by the key first, then join the long columns to the few remaining rows; or group by LEFT(column, 200)"),
			Tradeoff: "a change of the statement; memory tables of this server cannot hold such columns, so no setting helps",
		})
	}
	if size, ok := x.limit(); ok && size < int64(largeTmpTable.Value) {
		to := min(max(4*size, 32<<20), int64(largeTmpTable.Value))
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("if the columns are short, allow larger tables in memory: %s instead of %s", unit.Bytes(to), unit.Bytes(size)),
			Command:  ask(x.s, shell.SQL("set global tmp_table_size = %d; set global max_heap_table_size = %d", to, to)),
			Tradeoff: "each such statement may take that much memory; applies to new connections, put it into my.cnf too",
		})
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("group in the order of an index, so that no temporary table is needed"),
		Command:  explainOf(x.s, x.list),
		Tradeoff: "one more index to maintain; look for Using temporary in the plan",
	})
}
