package mysql

import (
	"fmt"
	"math"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var commitFlush = rule.Rule{
	ID:         "mysql/commit-flush",
	Title:      "commits wait for a disk that syncs slowly",
	Plural:     "servers have commits that wait for a disk",
	Resource:   "commits",
	Needs:      []recording.Table{recording.MySQLServers, recording.MySQLStatuses, recording.MySQLVariables},
	Explains:   []string{"disk/saturated", "disk/cgroup-throttled", "disk/slow-sync", "proc/uninterruptible", "rt/server-slow", "rt/worker-queueing", "mysql/row-lock-wait"},
	Thresholds: []*rule.Threshold{&slowSync, &waitingCommits, &mostCommits, &minSyncs, &mostBytes, &mostRuns},
	Detect:     inspecting(func(v *view.View, s *view.MySQLServer) inspection { return &commits{v: v, s: s} }),
}

var (
	slowSync = rule.Threshold{Name: "slow-sync", Value: 0.005, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time of a sync. Flash with power-loss protection and cached controllers take well under 1 ms, network volumes 1 to 3, a spinning disk needs a rotation, at least 8 ms."}
	waitingCommits = rule.Threshold{Name: "waiting-commits", Value: 0.5, Unit: "connections", Source: rule.Judgement,
		Reason: "Mean number of connections in COMMIT."}
	mostCommits = rule.Threshold{Name: "most-commits", Value: 0.3, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the active connections in COMMIT. From here on a writing server mainly waits for commits."}
	minSyncs = rule.Threshold{Name: "min-syncs", Value: 2.0, Unit: "count", Source: rule.Judgement,
		Reason: "Syncs in a window. The log is synced once a second with any settings."}
)

// commits is what is known of a server's commits.
type commits struct {
	v       *view.View
	s       *view.MySQLServer
	each    bool    // the log is synced at each commit
	binlog  int64   // sync_binlog, if the binary log is on; 0
	syncs   float64 // per second, of all files
	rate    float64 // commits that wrote, per second
	waiting float64 // connections in COMMIT, mean
	active  float64 // connections that do anything, mean
	always  float64 // share of the looks in which one was in COMMIT
	threads float64 // of the server in a sync or write, mean; NaN
	disk    *view.BlockDevice
	others  string // program that moves most bytes on that disk, if it is not the server
	logged  float64
	sure    rule.Confidence
}

func (x *commits) read() {
	s := x.s
	flush, _ := s.Variable("innodb_flush_log_at_trx_commit")
	x.each = flush == "1" || flush == "3" // MariaDB's 3 syncs at prepare too
	if on, known := s.Switched("log_bin"); on && known {
		x.binlog, _ = s.IntVariable("sync_binlog")
	}
	x.syncs = s.Rate("Innodb_data_fsyncs")
	if n := s.Rate("Innodb_os_log_fsyncs"); n > x.syncs || math.IsNaN(x.syncs) {
		x.syncs = n
	}
	x.rate = view.Commits(s.Rate)
	x.logged, _ = s.Delta("Innodb_log_waits")
	states, looks := x.v.StatesOf(s.Server)
	for _, st := range states {
		if st.Command != "Daemon" && !strings.HasPrefix(st.Command, "Binlog Dump") {
			x.active += st.Mean
		}
		if view.CommitState(st.State) {
			x.waiting += st.Mean
			x.always = max(x.always, float64(st.Looks)/float64(max(looks, 1)))
		}
	}
	in, seen := 0, 0
	for _, look := range x.v.SessionsOf(s.Server) {
		n := 0
		for _, r := range look {
			if r.Command != "Sleep" && (view.CommitState(r.State) || strings.EqualFold(r.Statement, "commit")) {
				n++
			}
		}
		in += n
		if n > 0 {
			seen++
		}
	}
	if looks > 0 {
		x.waiting = max(x.waiting, float64(in)/float64(looks))
		x.always = max(x.always, float64(seen)/float64(looks))
	}
	x.threads = math.NaN()
	if n, known := threadsIn(x.v, s, func(call string) bool { return !strings.Contains(call, "read") }); known {
		x.threads = n
	}
	if disks := x.disks(); len(disks) > 0 {
		x.disk = &disks[0]
		if !movesMost(x.v, s, writeBytes) {
			x.others = otherWriter(x.v, s)
		}
	}
}

// disks are those of the redo log.
func (x *commits) disks() []view.BlockDevice {
	dir, ok := x.s.Variable("innodb_log_group_home_dir")
	if ok && strings.HasPrefix(dir, "/") && x.s.Process != nil {
		if list := disksUnder(x.v, dir); len(list) > 0 {
			return list
		}
	}
	return disksOf(x.v, x.s)
}

// otherWriter names the program that writes most beside the server; "" without.
func otherWriter(v *view.View, s *view.MySQLServer) string {
	name, most := "", view.OrZero(s.Process.WriteBytes)
	for _, p := range v.Processes() {
		if !p.Own && !p.Kernel && p.PID != s.PID && p.WriteBytes > most {
			name, most = fmt.Sprintf("%s (%d)", p.Comm, p.PID), p.WriteBytes
		}
	}
	return name
}

// sync is how long one sync takes, by what is known best, and whether the host
// said so.
func (x *commits) sync() (seconds float64, seen bool) {
	if x.threads > 0 && x.syncs > 0 {
		return min(x.threads, 1) / x.syncs, true
	}
	if d := x.disk; d != nil && d.Writes+d.Flushes > 0 {
		return max(view.OrZero(d.WriteAwait), view.OrZero(d.FlushAwait)), true
	}
	// Somebody waits all the time, and one sync comes after the other.
	if x.always >= mostRuns.Value && x.syncs > 0 {
		return 1 / x.syncs, false
	}
	return 0, false
}

func (x *commits) look() bool {
	x.read()
	if !x.each && x.binlog != 1 || x.waiting < waitingCommits.Value || x.waiting < mostCommits.Value*x.active {
		return false
	}
	// Without any sync in the window the disk does not answer at all.
	took, seen := x.sync()
	if took < slowSync.Value && !(x.syncs == 0 && x.always >= mostRuns.Value) {
		return false
	}
	if !(x.syncs*x.v.Seconds() >= minSyncs.Value) && !seen {
		return false
	}
	switch {
	case x.others != "":
		// Whoever loads the disk is the cause; commits are its victims.
		x.sure = rule.Possible
	case seen && x.threads >= waitingCommits.Value:
		x.sure = rule.Certain
	default:
		x.sure = rule.Likely
	}
	return true
}

func (x *commits) finding() rule.Finding {
	s := x.s
	f := rule.Finding{Subject: s.Entity(), Confidence: x.sure, Affects: loaded(x.v, s, writeBytes)}
	took, _ := x.sync()
	each := unit.Seconds(took)
	switch {
	case x.others != "":
		f.Headline = rule.T("commits of %s wait for its disk, which %s writes to most", named(s), x.others)
	default:
		f.Headline = rule.T("commits of %s wait for the disk: each one syncs the log, and a sync takes %s", named(s), each)
	}
	f.Impact = timeLost(x.waiting, rule.T("%s connections wait in COMMIT on average", unit.Number(x.waiting)))
	f.Evidence = x.evidence()
	f.Fixes = x.fixes()
	return f
}

func (x *commits) evidence() []rule.Evidence {
	s := x.s
	list := []rule.Evidence{{
		Metric: metric.MySQLCommitting, Value: x.waiting, Limit: rule.Limit(waitingCommits.Value),
		What: rule.T("%s of %s busy connections are in COMMIT on average", unit.Number(x.waiting), unit.Number(x.active)), Check: ask(s, shell.SQL("show processlist")),
	}}
	if took, seen := x.sync(); took > 0 {
		e := rule.Evidence{Metric: metric.MySQLSyncTime, Value: took, Limit: rule.Limit(slowSync.Value),
			What: rule.T("a sync takes about %s: %s syncs, and a thread always waits", unit.Seconds(took), unit.PerSecond(x.syncs)), Check: status(s, "%fsyncs")}
		if seen && x.threads > 0 {
			e.What = rule.T("a sync takes about %s: %s of its threads in syncs and writes on average", unit.Seconds(took), unit.Number(x.threads))
			e.Check = shell.Line("strace -f -T -e trace=fsync,fdatasync,pwrite64 -p %d", s.PID)
		} else if seen {
			e.What = rule.T("a write or flush takes %s", unit.Seconds(took))
			e.Check = shell.Line("iostat -dx %s 1   # w_await, f_await", x.disk.Device)
		}
		list = append(list, e)
	}
	if x.syncs > 0 && x.rate > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLSyncsPerCommit, Value: x.syncs / x.rate,
			What: rule.T("%s syncs for %s commits", unit.PerSecond(x.syncs), unit.PerSecond(x.rate)), Check: status(s, "%fsyncs")})
	}
	flush, _ := s.Variable("innodb_flush_log_at_trx_commit")
	list = append(list, rule.Evidence{Metric: metric.MySQLFlushAtCommit, Value: parse(flush),
		What:  rule.T("innodb_flush_log_at_trx_commit is %s%s", flush, x.binlogText()),
		Check: ask(s, shell.SQL("show global variables where variable_name in ('innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin')"))})
	if x.logged > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLLogWaits, Value: x.logged, Limit: rule.Limit(0),
			What: rule.T("the log buffer was full %s times", unit.Count(x.logged)), Check: status(s, "Innodb_log_waits")})
	}
	if d := x.disk; d != nil {
		list = append(list, rule.Evidence{Metric: metric.DiskAwait, Value: view.OrZero(d.WriteAwait),
			What:  rule.T("%s: %s writes and %s flushes, busy %s of the time", d.Device, unit.PerSecond(d.Writes), unit.PerSecond(d.Flushes), unit.Share(d.Utilisation)),
			Check: shell.Line("iostat -dx %s 1", d.Device)})
	}
	return append(list, beside(s)...)
}

func parse(setting string) float64 {
	var n float64
	fmt.Sscan(setting, &n)
	return n
}

func (x *commits) binlogText() string {
	if x.binlog == 0 {
		return ""
	}
	return fmt.Sprintf(", sync_binlog %d", x.binlog)
}

func (x *commits) fixes() []rule.Fix {
	s := x.s
	fixes := []rule.Fix{{
		Text:     rule.T("write more in one transaction: a hundred rows in one COMMIT need one sync instead of a hundred"),
		Command:  status(s, "Com_%"),
		Tradeoff: "a change of the program; locks are held longer",
	}}
	if x.each {
		set := shell.SQL("set global innodb_flush_log_at_trx_commit = 2")
		if buffered, known := s.Switched("innodb_log_file_buffering"); known && !buffered {
			set = shell.SQL("%s; set global innodb_log_file_buffering = ON", set) // or writes go past the page cache and wait as well
		}
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("if losing the last second of transactions in a host crash is acceptable: write the log at each commit, sync it once a second"),
			Command:  ask(s, set),
			Tradeoff: "a host crash or power failure loses up to a second of acknowledged commits; a crash of the server alone loses nothing",
		})
	}
	if x.binlog == 1 {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("the same for the binary log: leave its syncs to the kernel, or sync once per 100 groups of commits"),
			Command:  ask(s, shell.SQL("set global sync_binlog = 100")),
			Tradeoff: "after a crash of the host the binary log may lack transactions, and replicas then differ from their source",
		})
	}
	wait := shell.SQL("set global binlog_group_commit_sync_delay = 1000")
	if s.MariaDB() {
		wait = shell.SQL("set global binlog_commit_wait_count = 10; set global binlog_commit_wait_usec = 1000")
	}
	if x.binlog > 0 {
		fixes = append(fixes, rule.Fix{Text: rule.T("let more commits share a sync"), Command: ask(s, wait),
			Tradeoff: "every commit waits a millisecond longer; helps only with many connections"})
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("put the log on a disk that syncs faster, with power loss protection; check that no I/O limit throttles the server"),
		Command:  shell.Line("fio --name=sync --rw=write --bs=4k --fdatasync=1 --size=16m --runtime=10 --time_based --directory=%s", shell.Path(fallbackDir(s))),
		Tradeoff: "money, and a move of data; the test writes to the disk for ten seconds",
	})
}

func fallbackDir(s *view.MySQLServer) string {
	if dir, ok := s.Variable("datadir"); ok {
		return dir
	}
	return "DIR"
}
