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

var bufferPoolSmall = rule.Rule{
	ID:         "mysql/buffer-pool-small",
	Title:      "statements wait for pages from disk because the buffer pool is smaller than what they use",
	Plural:     "servers have buffer pools smaller than what their statements use",
	Resource:   "buffer pool",
	Needs:      []recording.Table{recording.MySQLServers, recording.MySQLStatuses, recording.MySQLVariables},
	Explains:   []string{"disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "proc/uninterruptible", "rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&fiveMinutes, &stays, &missShare, &minPages, &readingThreads, &readAhead, &mostBytes},
	Detect:     inspecting(func(v *view.View, s *view.MySQLServer) inspection { return &pool{v: v, s: s} }),
}

var (
	fiveMinutes = rule.Threshold{Name: "five-minutes", Value: 300.0, Unit: "seconds", Source: "Gray and Putzolu, The 5 Minute Rule, 1987; Appuswamy et al., 2017",
		Reason: "Time to read as much as the pool holds. A page needed again within about this time is cheaper to keep in memory. For flash and DRAM the time is similar."}
	stays = rule.Threshold{Name: "stays", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Growth of the pool relative to the pages read. Above it the pool is still filling: a full pool evicts a page for each page it reads."}
	missShare = rule.Threshold{Name: "miss-share", Value: 0.001, Unit: "share", Source: rule.Judgement,
		Reason: "Share of page requests that need the disk. Below 1 in 1,000 a statement of 100 requests hardly ever waits."}
	minPages = rule.Threshold{Name: "min-pages", Value: 50, Unit: "pages per second", Source: rule.Judgement,
		Reason: "Pages read per second. Fewer cause no waits, even from a spinning disk."}
	readingThreads = rule.Threshold{Name: "reading-threads", Value: 0.3, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of threads, or pending reads, that wait for pages."}
	readAhead = rule.Threshold{Name: "read-ahead", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of read-ahead pages. Above it scans pass through the pool, and would also pass through a larger one."}
)

// pool is a server's buffer pool over the window.
type pool struct {
	v         *view.View
	s         *view.MySQLServer
	size      float64 // bytes
	page      float64 // bytes
	free      float64 // share of the pages, at the last reading
	gained    float64 // pages more than at the first reading, per page read
	requests  float64 // pages asked for per second
	misses    float64 // of these, read from disk one by one, per second
	ahead     float64 // pages read ahead, per second
	data      float64 // bytes of all tables known; 0 if not
	waiting   float64 // threads of the server that wait for reads, mean; NaN if not known
	pending   float64 // reads under way as the server tells, mean; NaN
	readAwait float64 // seconds of a read of its disk; NaN
	sure      rule.Confidence
}

// read gathers what is known; false if the server does not tell.
func (x *pool) read() bool {
	s := x.s
	size, ok := s.IntVariable("innodb_buffer_pool_size")
	_, _, total, known := s.Gauge("Innodb_buffer_pool_pages_total")
	if !ok || !known || total <= 0 || size <= 0 {
		return false
	}
	x.size, x.page = float64(size), 16<<10
	if n, ok := s.IntVariable("innodb_page_size"); ok && n > 0 {
		x.page = float64(n)
	}
	_, _, free, ok := s.Gauge("Innodb_buffer_pool_pages_free")
	x.free = free / total
	x.requests, x.misses = s.Rate("Innodb_buffer_pool_read_requests"), s.Rate("Innodb_buffer_pool_reads")
	x.ahead = view.OrZero(s.Rate("Innodb_buffer_pool_read_ahead"))
	gained, told := s.Change("Innodb_buffer_pool_pages_data")
	x.gained = gained / max((x.misses+x.ahead)*view.Elapsed(s.Looks).Seconds(), 1)
	for _, t := range tablesOf(x.v, s) {
		x.data += float64(max(t.Data, 0) + max(t.Index, 0))
	}
	x.waiting, x.pending, x.readAwait = readersOf(x.v, s), math.NaN(), math.NaN()
	if mean, _, _, ok := s.Gauge("Innodb_data_pending_reads"); ok {
		x.pending = mean
	}
	for _, d := range disksOf(x.v, s) {
		if d.Reads > 0 && !(d.ReadAwait < x.readAwait) {
			x.readAwait = d.ReadAwait
		}
	}
	return ok && told && !math.IsNaN(x.misses) && !math.IsNaN(x.requests)
}

// tablesOf are the largest tables of a server, each once.
func tablesOf(v *view.View, s *view.MySQLServer) []recording.MySQLTable {
	last := map[string]int{}
	var list []recording.MySQLTable
	for _, t := range view.Rows[recording.MySQLTable](v) {
		if t.Server != s.Server {
			continue
		}
		name := t.Schema + "." + t.Name
		if i, known := last[name]; known {
			list[i] = t
			continue
		}
		last[name] = len(list)
		list = append(list, t)
	}
	return list
}

// readersOf is how many threads of a server wait for reads on average; NaN if
// its threads were not sampled.
func readersOf(v *view.View, s *view.MySQLServer) float64 {
	reading, known := threadsIn(v, s, func(name string) bool {
		return name == "pread64" || name == "read" || name == "preadv" || name == "preadv2"
	})
	if !known {
		return math.NaN()
	}
	return reading
}

// threadsIn is the mean number of threads of a server that wait for the disk in
// certain system calls, and whether its threads were sampled.
func threadsIn(v *view.View, s *view.MySQLServer, call func(string) bool) (mean float64, known bool) {
	if s.Process == nil {
		return 0, false
	}
	for _, t := range v.ThreadTimes() {
		if t.PID != s.PID || len(t.Samples) == 0 {
			continue
		}
		known = true
		n := 0
		for _, sample := range t.Samples {
			if (sample.State == "D" || view.Classify(sample) == view.WaitDisk) && call(sample.SyscallName) {
				n++
			}
		}
		mean += float64(n) / float64(len(t.Samples))
	}
	return mean, known
}

// turnover is how long it takes until as much is read as the pool holds.
func (x *pool) turnover() float64 { return x.size / ((x.misses + x.ahead) * x.page) }

// held is how many readers wait at a time, by what is known best.
func (x *pool) held() float64 {
	switch {
	case !math.IsNaN(x.waiting):
		return max(x.waiting, view.OrZero(x.pending))
	case !math.IsNaN(x.pending):
		return x.pending
	case !math.IsNaN(x.readAwait):
		return x.misses * x.readAwait
	}
	return 0
}

func (x *pool) look() bool {
	if !x.read() {
		return false
	}
	switch {
	case x.gained > stays.Value: // it is still being filled
		return false
	case x.data > 0 && x.data < x.size && tablesComplete(x.v, x.s):
		return false // all data fit
	case x.misses+x.ahead < minPages.Value || x.misses < missShare.Value*x.requests || x.turnover() > fiveMinutes.Value:
		return false
	case x.held() < readingThreads.Value:
		return false
	}
	switch {
	case x.ahead >= readAhead.Value*(x.misses+x.ahead):
		x.sure = rule.Possible
	case x.waiting >= readingThreads.Value && x.turnover() <= fiveMinutes.Value/2 && (x.data == 0 || x.data > x.size):
		x.sure = rule.Certain
	default:
		x.sure = rule.Likely
	}
	return true
}

// tablesComplete says whether the tables known are likely all: the probe reads
// the largest ones, so that the smallest of many says what is left out.
func tablesComplete(v *view.View, s *view.MySQLServer) bool { return len(tablesOf(v, s)) > 0 }

func (x *pool) finding() rule.Finding {
	s := x.s
	f := rule.Finding{Subject: s.Entity(), Confidence: x.sure, Affects: loaded(x.v, s, readBytes)}
	f.Headline = rule.T("the buffer pool of %s, %s, is smaller than what its statements use: %s pages come from disk", named(s), unit.Bytes(x.size), unit.PerSecond(x.misses))
	f.Impact = timeLost(x.held(), rule.T("%s threads wait for pages on average", unit.Number(x.held())))
	f.Evidence = x.evidence()
	f.Fixes = x.fixes()
	return f
}

func (x *pool) evidence() []rule.Evidence {
	s := x.s
	list := []rule.Evidence{{
		Metric: metric.MySQLPoolMissShare, Value: x.misses / max(x.requests, 1), Limit: rule.Limit(missShare.Value),
		What: rule.T("%s of %s page requests needed the disk", unit.Share(x.misses/max(x.requests, 1)), unit.PerSecond(x.requests)), Check: status(s, "Innodb_buffer_pool_read%"),
	}, {
		Metric: metric.MySQLPoolTurnover, Value: x.turnover(), Limit: rule.Limit(fiveMinutes.Value),
		What: rule.T("the size of the pool is read in %s", unit.Seconds(x.turnover())), Check: status(s, "Innodb_%pages_read"),
	}, {
		Metric: metric.MySQLPoolFree, Value: x.free, What: rule.T("%s of its pages are free; of 100 pages read, %s more stayed in it", unit.Share(x.free), unit.Count(max(100*x.gained, 0))), Check: status(s, "Innodb_buffer_pool_pages%"),
	}}
	if x.data > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLDataSize, Value: x.data, Limit: rule.Limit(x.size),
			What:  rule.T("its largest tables and their indexes take %s", unit.Bytes(x.data)),
			Check: ask(s, shell.SQL("select table_schema, table_name, data_length + index_length from information_schema.tables order by 3 desc limit 10"))})
	}
	if !math.IsNaN(x.waiting) {
		list = append(list, rule.Evidence{Metric: metric.MySQLThreadsReading, Value: x.waiting, Limit: rule.Limit(readingThreads.Value),
			What: rule.T("%s of its threads wait for a read on average", unit.Number(x.waiting)), Check: shell.Line("pidstat -d -t -p %d 1", s.PID)})
	} else if !math.IsNaN(x.pending) {
		list = append(list, rule.Evidence{Metric: metric.MySQLPendingReads, Value: x.pending, Limit: rule.Limit(readingThreads.Value),
			What: rule.T("%s reads are in flight on average", unit.Number(x.pending)), Check: status(s, "Innodb_data_pending_reads")})
	}
	if disks := disksOf(x.v, s); len(disks) > 0 && disks[0].Reads > 0 {
		d := disks[0]
		list = append(list, rule.Evidence{Metric: metric.DiskAwait, Value: d.ReadAwait,
			What: rule.T("%s reads of %s, %s each", unit.PerSecond(d.Reads), d.Device, unit.Seconds(d.ReadAwait)), Check: shell.Line("iostat -dx %s 1", d.Device)})
	}
	return append(list, beside(s)...)
}

// memoryShare of a host's memory that a pool may take: what manuals advise for
// a host of its own, less room for connections and the page cache.
const memoryShare = 0.7

// suggested is a pool that holds the data known, within what is available; 0 if
// there is no room for one that is worth the trouble.
func (x *pool) suggested() float64 {
	m, ok := x.v.MemoryNow()
	if !ok || x.s.Process == nil || m.Available < 0 {
		return 0
	}
	most := min(x.size+memoryShare*float64(m.Available), memoryShare*float64(m.Total))
	want := 2 * x.size
	if x.data > x.size {
		want = 1.1 * x.data
	}
	to := math.Floor(min(want, most)/(128<<20)) * (128 << 20)
	if to < 1.2*x.size {
		return 0
	}
	return to
}

// resizable says whether the pool can grow to a size while the server runs.
func (x *pool) resizable(to float64) bool {
	if x.s.MariaDB() {
		most, ok := x.s.IntVariable("innodb_buffer_pool_size_max")
		return x.s.AtLeast(10, 2, 2) && (!ok || float64(most) >= to)
	}
	return x.s.AtLeast(5, 7, 5)
}

func (x *pool) fixes() []rule.Fix {
	var fixes []rule.Fix
	switch to := x.suggested(); {
	case to > 0 && x.resizable(to):
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("make the pool %s; the host has that much memory to spare", unit.Bytes(to)),
			Command:  ask(x.s, shell.SQL("set global innodb_buffer_pool_size = %.0f", to)),
			Tradeoff: "less memory for others; statements stall briefly during the resize; put it into my.cnf too",
		})
	case to > 0:
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("innodb_buffer_pool_size = %.0f in my.cnf, then restart; the host has that much memory to spare", to),
			Command:  ask(x.s, shell.SQL("show global variables like 'innodb_buffer_pool%%'")),
			Tradeoff: "a restart, and a cold pool after it; less memory for others",
		})
	default:
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("give the server more memory, and its pool most of it"),
			Command:  ask(x.s, shell.SQL("show global variables like 'innodb_buffer_pool%%'")),
			Tradeoff: "money; a restart or a move",
		})
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("use fewer pages: covering indexes, shorter rows, old data moved to other tables, no reports on this server"),
		Command:  ask(x.s, shell.SQL("select * from sys.statements_with_full_table_scans limit 10")),
		Tradeoff: "changes of statements and tables",
	}, rule.Fix{
		Text:     rule.T("put the data on a disk with faster reads"),
		Tradeoff: "money, and a move of data",
	})
}
