// Package mysqlview shows a MySQL server beside its host while it works: a
// line per interval, a summary of all lines, and what a full screen needs. It
// words numbers and judges nothing; the numbers are those of package view.
package mysqlview

import (
	"math"
	"time"

	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Row is a server and its host over one interval. NaN stands for what is not
// known.
type Row struct {
	At      time.Time     // end of the interval: when the server was looked at
	Seconds float64       // between the two looks at the server; 0: there was one
	Server  string        // as the recording names it
	State   string        // one of recording's Server constants; "" if the look itself failed
	Since   time.Time     // it has been in this state; zero while it answers
	Waited  time.Duration // for the query that is not answered; 0 when answering
	Error   string        // what the server or the network said
	Answer  time.Duration // to rtrail's first query of this look; Unknown

	Load1, Load5, Load15       float64 // tasks that run, want to, or wait uninterruptibly
	User, System, Idle, IOWait float64 // percent of all CPUs
	Insert, Update, Delete     float64 // statements a second, by Com_ counters
	Select                     float64 // the same
	Writes                     float64 // Insert + Update + Delete: TPS as orzdba and others define it
	Commands                   float64 // Select + Writes: the headline number
	LogicalReads               float64 // pages asked of the buffer pool, a second
	Hit                        float64 // percent of them served without a read from disk
	Running                    float64 // threads in a statement, rtrail's own among them
	Connected                  float64
	Created                    float64 // threads made, a second: connections the thread cache could not serve
	Cached                     float64 // threads kept for connections to come
	RowLockWaits               float64 // begun, a second
	RowLocksWaiting            float64 // transactions that wait for a row at the last look
	LockWaiters                float64 // sessions that wait for a lock of any kind at the last look
	History                    float64 // undo logs not yet purged
	LogWaits                   float64 // waits for room in the log buffer, a second
	RTMean, RTMost, RT99       float64 // seconds, from packets
	RTCount                    float64 // requests behind these
	Pool                       *Pool   // worst group of the thread pool; nil without one

	Blockers []view.MySQLBlocker      // who holds others up now, those first that made others wait most
	Replicas []recording.MySQLReplica // channels by which it follows others, at their last reading
}

// Pool is one group of a thread pool at one look.
type Pool struct {
	Group   int32
	Groups  int   // how many there are
	Queued  int64 // statements that wait for a thread; Unknown
	Active  int64 // threads that run a statement; Unknown
	Threads int64 // Unknown
}

// Answers says that the server gave numbers for this row.
func (r *Row) Answers() bool {
	return r.State == recording.ServerAnswers || r.State == recording.ServerSlow
}

// unknownRow is a row of which nothing is known.
func unknownRow() Row {
	nan := math.NaN()
	return Row{
		Answer: recording.Unknown,
		Load1:  nan, Load5: nan, Load15: nan, User: nan, System: nan, Idle: nan, IOWait: nan,
		Insert: nan, Update: nan, Delete: nan, Select: nan, Writes: nan, Commands: nan, LogicalReads: nan, Hit: nan,
		Running: nan, Connected: nan, Created: nan, Cached: nan,
		RowLockWaits: nan, RowLocksWaiting: nan, LockWaiters: nan, History: nan, LogWaits: nan, RTMean: nan, RTMost: nan, RT99: nan, RTCount: nan,
	}
}

// fillServer takes the numbers of a server over a window of two looks.
func (r *Row) fillServer(s *view.MySQLServer, pools []view.MySQLPoolGroup) {
	last := s.Looks[len(s.Looks)-1]
	r.Server, r.State, r.Error, r.Waited, r.Answer = last.Server, last.State, last.Error, last.Waited, last.Answer
	r.Seconds = view.Elapsed(s.Looks).Seconds()
	if !r.Answers() {
		return
	}
	r.Insert, r.Update, r.Delete = commands(s, "Com_insert"), commands(s, "Com_update"), commands(s, "Com_delete")
	r.Select, r.Writes = commands(s, "Com_select"), r.Insert+r.Update+r.Delete
	r.Commands = r.Select + r.Writes
	r.LogicalReads = s.Rate("Innodb_buffer_pool_read_requests")
	r.Hit = 100 * s.HitShare()
	r.Running, r.Connected, r.Cached = gauge(s, "Threads_running"), gauge(s, "Threads_connected"), gauge(s, "Threads_cached")
	r.Created = s.Rate("Threads_created")
	r.RowLockWaits, r.RowLocksWaiting = s.Rate("Innodb_row_lock_waits"), gauge(s, "Innodb_row_lock_current_waits")
	r.LogWaits = s.Rate("Innodb_log_waits")
	r.History = history(s)
	r.Pool = worst(pools)
}

// commands is the rate of a counter of statements. Those that are 0 may be left
// out of a reading.
func commands(s *view.MySQLServer, name string) float64 {
	rate := s.Rate(name)
	if !math.IsNaN(rate) || math.IsNaN(s.Rate("Uptime")) {
		return rate
	}
	_, _, last, ok := s.Gauge(name)
	if !ok {
		return 0
	}
	return last / view.Elapsed(s.Looks).Seconds() // it was 0 at the look before
}

// gauge is the last reading.
func gauge(s *view.MySQLServer, name string) float64 {
	_, _, last, ok := s.Gauge(name)
	if !ok {
		return math.NaN()
	}
	return last
}

// history is told by SHOW ENGINE INNODB STATUS, and by MariaDB's status as
// well, which is read more often.
func history(s *view.MySQLServer) float64 {
	if _, _, last, ok := s.Gauge("Innodb_history_list_length"); ok {
		return last
	}
	if rows := s.InnoDB(); len(rows) > 0 && rows[len(rows)-1].History >= 0 {
		return float64(rows[len(rows)-1].History)
	}
	return math.NaN()
}

// worst is the group with the longest queue at the last look, or with most
// active threads where nothing is queued.
func worst(groups []view.MySQLPoolGroup) *Pool {
	var found *view.MySQLPoolGroup
	for i := range groups {
		g := &groups[i]
		if found == nil || g.Queued > found.Queued || g.Queued == found.Queued && g.Active > found.Active {
			found = g
		}
	}
	if found == nil {
		return nil
	}
	return &Pool{Group: found.Group, Groups: len(groups), Queued: found.Queued, Active: found.Active, Threads: found.Threads}
}

// fillHost takes the numbers of the host over a window of two samples.
func (r *Row) fillHost(v *view.View) {
	if cpu, ok := v.CPUTotal(); ok {
		r.User, r.System, r.Idle, r.IOWait = 100*(cpu.User+cpu.Nice), 100*(cpu.System+cpu.IRQ+cpu.SoftIRQ), 100*cpu.Idle, 100*cpu.IOWait
	}
	if rows := view.Rows[recording.SystemSample](v); len(rows) > 0 {
		last := rows[len(rows)-1]
		r.Load1, r.Load5, r.Load15 = last.Load1, last.Load5, last.Load15
	}
}

// fillPackets takes the response times of the requests that ended in the
// interval.
func (r *Row) fillPackets(s *rt.Stats) {
	r.RTCount = float64(s.Count)
	if s.Count == 0 {
		return
	}
	r.RTMean = (s.RTSum / time.Duration(s.Count)).Seconds()
	r.RT99, r.RTMost = s.RT.Quantile(0.99).Seconds(), s.RTMax.Seconds()
}
