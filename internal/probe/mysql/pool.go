package mysql

import (
	"strconv"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// mariaPool is the state of every group of MariaDB's pool in one answer.
const mariaPool = `SELECT g.GROUP_ID AS id, g.CONNECTIONS AS connections, g.THREADS AS threads, g.ACTIVE_THREADS AS active, g.STANDBY_THREADS AS standby,
g.QUEUE_LENGTH AS queued, g.IS_STALLED AS stalled, s.STALLS AS stalls, s.THROTTLES AS throttles, s.THREAD_CREATIONS AS made,
s.DEQUEUES_BY_LISTENER + s.DEQUEUES_BY_WORKER AS dequeued, q.high AS high, q.longest AS longest
FROM information_schema.THREAD_POOL_GROUPS g
LEFT JOIN information_schema.THREAD_POOL_STATS s ON s.GROUP_ID = g.GROUP_ID
LEFT JOIN (SELECT GROUP_ID, SUM(PRIORITY = 0) AS high, MAX(QUEUEING_TIME_MICROSECONDS) AS longest
  FROM information_schema.THREAD_POOL_QUEUES GROUP BY GROUP_ID) q ON q.GROUP_ID = g.GROUP_ID`

const (
	// maxPoolGroups bounds the groups of one look: there is one for each CPU unless
	// somebody wanted more.
	maxPoolGroups = 1024
	// maxPoolWaits bounds the reasons for waits: MariaDB has about 15.
	maxPoolWaits = 50
)

// hasPool says whether the server runs a thread pool.
func hasPool(l *look) bool {
	handling := strings.ToLower(l.seen.variables["thread_handling"])
	return handling == "pool-of-threads" || handling == "loaded-dynamically"
}

// pooled is the number of rtrail's connection if the pool serves it, else 0. Ports
// for administrators have threads of their own.
func pooled(l *look) int64 {
	own := strconv.Itoa(l.target.Port())
	if !hasPool(l) || l.throughAdmin || own == l.seen.variables["extra_port"] || own == l.seen.variables["admin_port"] {
		return 0
	}
	return l.about.id
}

// readPool reads the groups of the thread pool.
func readPool(l *look) error {
	if l.about.mariaDB() {
		if !l.about.atLeast(10, 5) {
			return &absence{why: "MariaDB shows the groups of its thread pool since 10.5"}
		}
		r, err := l.query("the thread pool", mariaPool)
		if err != nil {
			return err
		}
		l.poolRows(r, mariaGroup)
		return nil
	}
	// Percona Server has neither. What is not there is asked for once: each try
	// counts among the server's errors.
	for _, t := range poolTables {
		if l.about.poolTable != "" && l.about.poolTable != t.name {
			continue
		}
		r, err := l.query("the thread pool", "SELECT * FROM "+t.name)
		if kind, _ := mysqlconn.Classify(err); err != nil && kind == mysqlconn.Unknown {
			continue
		}
		if err != nil {
			return err
		}
		l.about.poolTable = t.name
		l.poolRows(r, t.read)
		return nil
	}
	l.about.poolTable = "none"
	return &absence{why: "this server has a thread pool and no table that shows its groups: only the sums Threadpool_threads and Threadpool_idle_threads"}
}

// poolTables are those of other servers than MariaDB: of MySQL's own plugin, and
// of Alibaba's and others' servers.
var poolTables = []struct {
	name string
	read func(mysqlconn.Row) recording.MySQLPoolGroup
}{
	{"performance_schema.tp_thread_group_state", enterpriseGroup},
	{"information_schema.THREAD_POOL_STATUS", statusGroup},
}

func (l *look) poolRows(r *mysqlconn.Result, read func(mysqlconn.Row) recording.MySQLPoolGroup) {
	rows := make([]recording.MySQLPoolGroup, r.Limit(maxPoolGroups).Len())
	for i := range rows {
		rows[i] = read(r.Row(i))
		rows[i].At, rows[i].Server = l.at, l.target.Name
	}
	recording.Give(l.w, rows)
}

// mariaGroup reads a group of MariaDB. Its ACTIVE_THREADS leaves out threads that
// wait (sql/threadpool_generic.cc, wait_begin); what is neither active nor standby
// waits, or is the listener.
func mariaGroup(row mysqlconn.Row) recording.MySQLPoolGroup {
	g := recording.MySQLPoolGroup{Group: int32(row.Int("id")), Connections: row.Int("connections"), Threads: row.Int("threads"),
		Active: row.Int("active"), Standby: row.Int("standby"), Dump: recording.Unknown, Queued: row.Int("queued"), Stalled: row.Int("stalled") == 1,
		Stalls: row.Int("stalls"), Throttles: row.Int("throttles"), ThreadsMade: row.Int("made"), Dequeued: row.Int("dequeued"),
		Waiting: recording.Unknown}
	if row.Null("longest") {
		g.QueuedHigh, g.LongestWait = 0, 0
	} else {
		g.QueuedHigh, g.LongestWait = max(row.Int("high"), 0), microseconds(row.Int("longest"))
	}
	return g
}

// statusGroup reads a group of THREAD_POOL_STATUS.
func statusGroup(row mysqlconn.Row) recording.MySQLPoolGroup {
	g := unknownGroup()
	g.Group, g.Connections, g.Threads = int32(row.Int("ID")), row.Int("CONNECTION_COUNT"), row.Int("THREAD_COUNT")
	g.Active, g.Waiting, g.Dump = row.Int("ACTIVE_THREAD_COUNT"), row.Int("WAITING_THREAD_COUNT"), row.Int("DUMP_THREAD_COUNT")
	g.queues(row.Int("LOW_QUEUE_COUNT"), row.Int("HIGH_QUEUE_COUNT"))
	return g.MySQLPoolGroup
}

// enterpriseGroup reads a group of MySQL's own plugin. Its column
// WAITING_THREAD_NUMBER is no count but the number of the thread that polls.
func enterpriseGroup(row mysqlconn.Row) recording.MySQLPoolGroup {
	g := unknownGroup()
	g.Group, g.Connections, g.Threads = int32(row.Int("TP_GROUP_ID")), row.Int("CONNECTION_COUNT"), row.Int("THREAD_COUNT")
	g.Active = row.Int("ACTIVE_THREAD_COUNT")
	if consumer, reserve := row.Int("CONSUMER_THREADS"), row.Int("RESERVE_THREADS"); consumer >= 0 && reserve >= 0 {
		g.Standby = consumer + reserve
	}
	// First statements of transactions wait with low priority, all others with
	// high.
	g.queues(row.Int("QUEUED_TRANSACTIONS"), row.Int("QUEUED_QUERIES"))
	if oldest := row.Int("OLDEST_QUEUED"); oldest >= 0 {
		g.LongestWait = time.Duration(oldest) * time.Millisecond
	} else if g.Queued == 0 {
		g.LongestWait = 0
	}
	g.Stalled = row.Int("STALLED_THREAD_COUNT") > 0
	return g.MySQLPoolGroup
}

// group is a row in the making.
type group struct{ recording.MySQLPoolGroup }

// queues sets what waits with low and with high priority.
func (g *group) queues(low, high int64) {
	g.QueuedHigh = high
	if low >= 0 || high >= 0 {
		g.Queued = max(low, 0) + max(high, 0)
	}
}

func unknownGroup() group {
	const u = recording.Unknown
	return group{recording.MySQLPoolGroup{Connections: u, Threads: u, Active: u, Waiting: u, Standby: u, Dump: u, Queued: u, QueuedHigh: u,
		LongestWait: u, Stalls: u, Dequeued: u, Throttles: u, ThreadsMade: u}}
}

// readPoolWaits reads why threads of MariaDB's pool waited.
func readPoolWaits(l *look) error {
	if !l.about.atLeast(10, 5) {
		return &absence{}
	}
	r, err := l.queryRows("the waits of the thread pool", "SELECT REASON AS reason, COUNT AS n FROM information_schema.THREAD_POOL_WAITS", maxPoolWaits)
	if err != nil {
		return err
	}
	rows := make([]recording.MySQLPoolWait, r.Len())
	for i := range rows {
		rows[i] = recording.MySQLPoolWait{At: l.at, Server: l.target.Name, Reason: r.Row(i).Name("reason"), Count: r.Row(i).Int("n")}
	}
	recording.Give(l.w, rows)
	return nil
}
