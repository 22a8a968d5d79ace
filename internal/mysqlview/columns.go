package mysqlview

import (
	"fmt"

	"rtrail/internal/document"
)

// column is one number of a line.
type column struct {
	key   string // in JSON
	group string // what it is a number of; printed above the first of its group
	title string
	width int
	// drop says in which order columns leave a line that is too wide: the
	// highest goes first, those of one number together; 0 stays.
	drop int
	host bool // of the host: known also when the server says nothing
	get  func(*Row) float64
	show func(float64) string
	name string // in the summary; "": not in it
	kind kind   // shown only with this source
	text func(*Row) string
}

// kind is a source of numbers that not every run has.
type kind int

const (
	always  kind = iota
	packets      // captured beside the server
	pool         // the server has a thread pool
)

// columns are the numbers of a line, in the order of a line. The widths are
// those of the largest numbers their formats give.
var columns = []column{
	{key: "load1", group: "load", title: "1m", width: 5, host: true, get: func(r *Row) float64 { return r.Load1 }, show: load, name: "load 1m"},
	{key: "load5", group: "load", title: "5m", width: 5, drop: 14, host: true, get: func(r *Row) float64 { return r.Load5 }, show: load},
	{key: "load15", group: "load", title: "15m", width: 5, drop: 15, host: true, get: func(r *Row) float64 { return r.Load15 }, show: load},

	{key: "cpu_user_pct", group: "cpu %", title: "usr", width: 3, host: true, get: func(r *Row) float64 { return r.User }, show: percent, name: "cpu usr %"},
	{key: "cpu_system_pct", group: "cpu %", title: "sys", width: 3, host: true, get: func(r *Row) float64 { return r.System }, show: percent, name: "cpu sys %"},
	{key: "cpu_idle_pct", group: "cpu %", title: "idl", width: 3, host: true, get: func(r *Row) float64 { return r.Idle }, show: percent, name: "cpu idl %"},
	{key: "cpu_iowait_pct", group: "cpu %", title: "iow", width: 3, host: true, get: func(r *Row) float64 { return r.IOWait }, show: percent, name: "cpu iow %"},

	{key: "insert_per_s", group: "statements/s", title: "ins", width: 5, drop: 8, get: func(r *Row) float64 { return r.Insert }, show: rate},
	{key: "update_per_s", group: "statements/s", title: "upd", width: 5, drop: 8, get: func(r *Row) float64 { return r.Update }, show: rate},
	{key: "delete_per_s", group: "statements/s", title: "del", width: 5, drop: 8, get: func(r *Row) float64 { return r.Delete }, show: rate},
	{key: "select_per_s", group: "statements/s", title: "sel", width: 5, drop: 2, get: func(r *Row) float64 { return r.Select }, show: rate, name: "sel/s"},
	{key: "iud_per_s", group: "statements/s", title: "iud", width: 5, get: func(r *Row) float64 { return r.Writes }, show: rate, name: "iud/s (TPS)"},
	{key: "commands_per_s", group: "statements/s", title: "QPS+TPS", width: 7, get: func(r *Row) float64 { return r.Commands }, show: rate, name: "QPS+TPS"},

	{key: "threads_running", group: "threads", title: "run", width: 4, get: func(r *Row) float64 { return r.Running }, show: whole, name: "threads running"},
	{key: "threads_connected", group: "threads", title: "con", width: 5, get: func(r *Row) float64 { return r.Connected }, show: whole, name: "connected"},
	{key: "threads_created_per_s", group: "threads", title: "cre", width: 3, drop: 7, get: func(r *Row) float64 { return r.Created }, show: rate, name: "threads created/s"},
	{key: "threads_cached", group: "threads", title: "cac", width: 4, drop: 10, get: func(r *Row) float64 { return r.Cached }, show: whole},

	{key: "logical_reads_per_s", group: "innodb", title: "lor", width: 5, drop: 9, get: func(r *Row) float64 { return r.LogicalReads }, show: rate, name: "logical reads/s"},
	{key: "hit_pct", group: "innodb", title: "hit%", width: 5, drop: 1, get: func(r *Row) float64 { return r.Hit }, show: hit, name: "hit %"},
	{key: "row_lock_waits_per_s", group: "innodb", title: "rlw", width: 5, drop: 3, get: func(r *Row) float64 { return r.RowLockWaits }, show: rate, name: "row lock waits/s"},
	{key: "lock_waiters", group: "innodb", title: "lkw", width: 4, get: func(r *Row) float64 { return r.LockWaiters }, show: whole, name: "waiting for locks"},
	{key: "history", group: "innodb", title: "hist", width: 5, drop: 6, get: func(r *Row) float64 { return r.History }, show: whole, name: "history"},
	{key: "log_waits_per_s", group: "innodb", title: "logw", width: 4, drop: 11, get: func(r *Row) float64 { return r.LogWaits }, show: rate, name: "log waits/s"},

	{key: "rt_mean_s", group: "RT", title: "mean", width: briefWidth, kind: packets, get: func(r *Row) float64 { return r.RTMean }, show: brief, name: "RT mean"},
	{key: "rt_p99_s", group: "RT", title: "p99", width: briefWidth, drop: 4, kind: packets, get: func(r *Row) float64 { return r.RT99 }, show: brief, name: "RT p99"},

	{group: "worst pool group", title: "grp:queue act/thr", width: 17, drop: 5, kind: pool, text: func(r *Row) string { return r.Pool.text() }},
}

// text is "3:12q 10/11": group 3 has 12 queued, 10 of 11 threads active.
func (p *Pool) text() string {
	if p == nil {
		return unknown
	}
	count := func(n int64) string {
		if n < 0 {
			return "?"
		}
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d:%sq %s/%s", p.Group, count(p.Queued), count(p.Active), count(p.Threads))
}

const (
	timeWidth  = 8
	timeLayout = "15:04:05"
)

// layout makes lines of the columns that a run has, for a width, 0 for any; the times
// are in a zone.
func layout(width int, zone string, have map[kind]bool) ([]column, *document.Lines) {
	var list []column
	shown := []document.Column{{Name: zone, Fixed: timeWidth}}
	for _, c := range columns {
		if c.kind == always || have[c.kind] {
			list = append(list, c)
			shown = append(shown, document.Column{Name: c.title, Group: c.group, Fixed: c.width, Drop: c.drop, Right: c.text == nil})
		}
	}
	return list, document.FixedLines(shown, width)
}
