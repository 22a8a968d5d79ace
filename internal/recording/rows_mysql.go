package recording

import (
	"strings"
	"time"
)

// The mysql tables hold what MySQL, MariaDB and Percona servers say about
// themselves over a client connection. Server names the instance in all of
// them: HOST:PORT, or the path of its socket. Texts of statements have no
// literals.

// MySQLServer is one look at a server: how it answered, and what looking cost.
type MySQLServer struct {
	At      time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server  string        `parquet:"server,dict"`
	Flavor  string        `parquet:"flavor,dict"`  // MySQL, MariaDB, Percona; "" if it never answered
	Version string        `parquet:"version,dict"` // as the server writes it: 10.11.6-MariaDB-log
	PID     int32         `parquet:"pid"`          // of the server process on this host; Unknown if it runs elsewhere
	Port    int32         `parquet:"port"`         // it listens on; Unknown
	User    string        `parquet:"user,dict"`    // that the mysql client must be given with -u to log in as rtrail does; "": the one it takes by itself
	State   string        `parquet:"state,dict"`   // one of the Server constants
	Error   string        `parquet:"error"`        // what the server or the network said, "" when answering
	Code    int32         `parquet:"code"`         // error number of the server: 1040, 1045; 0 without
	Connect time.Duration `parquet:"connect_ns"`   // time to connect and log in; Unknown if the connection was there already
	Answer  time.Duration `parquet:"answer_ns"`    // time to answer the first, trivial query of this look; Unknown without an answer
	Waited  time.Duration `parquet:"waited_ns"`    // how long the query that is in flight, or was given up, has been waited for; 0 when answering
	Uptime  time.Duration `parquet:"uptime_ns"`    // Unknown
	// Connection is the number of rtrail's own connection if a thread pool serves
	// it, which makes its group; 0: no pool, a port that the pool does not serve, or
	// no connection.
	Connection int64         `parquet:"connection"`
	Queries    int64         `parquet:"queries"`        // rtrail's own, since it began: counter
	QueryTime  time.Duration `parquet:"query_time_ns"`  // waited for their answers: counter
	Collected  string        `parquet:"collected,dict"` // names of what was read in this look, joined by ','
	Skipped    string        `parquet:"skipped,dict"`   // what was left out to spare the server, with reasons, joined by ';'
}

// What a server did when rtrail looked: MySQLServer.State.
const (
	ServerAnswers     = "answers"
	ServerSlow        = "slow"        // answered, but later than the deadline of a look
	ServerStalled     = "stalled"     // accepted the connection and does not answer
	ServerUnreachable = "unreachable" // no TCP connection: refused, timed out, no such socket
	ServerFull        = "full"        // error 1040 or 1203: too many connections
	ServerDenied      = "denied"      // wrong user, password or host
	ServerGone        = "gone"        // closed the connection
	ServerMisnamed    = "misnamed"    // it cannot be asked as it was named: TLS that fails, a password that is withheld, or no MySQL server
)

// MySQLStatus is one number of SHOW GLOBAL STATUS. Which of them are counters
// is the server's manual's business; Threads_running and the like are gauges.
type MySQLStatus struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)"`
	Server string    `parquet:"server,dict"`
	Name   string    `parquet:"name,dict"` // as the server writes it: Com_select
	Value  float64   `parquet:"value"`
}

// MySQLVariable is one setting, written when it is first read and when it
// changes.
type MySQLVariable struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)"`
	Server string    `parquet:"server,dict"`
	Name   string    `parquet:"name,dict"` // lower case
	Value  string    `parquet:"value,dict"`
}

// MySQLSession is one connection that does something, as the process list shows
// it, or one that sleeps with a transaction open. rtrail's own are left out.
type MySQLSession struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server     string        `parquet:"server,dict"`
	ID         int64         `parquet:"id"` // of the connection
	User       string        `parquet:"user,dict"`
	Client     string        `parquet:"client,dict"` // address or name without port; "localhost" for the socket
	ClientPort int32         `parquet:"client_port"` // 0: not known
	DB         string        `parquet:"db,dict"`
	Command    string        `parquet:"command,dict"`   // Query, Execute, Sleep, Binlog Dump...
	State      string        `parquet:"state,dict"`     // "Opening tables", "Sending to client"...
	For        time.Duration `parquet:"for_ns"`         // in this state or command; whole seconds on servers that tell no more
	Statement  string        `parquet:"statement,dict"` // without literals
	Length     int64         `parquet:"length_bytes"`   // bytes of the statement as sent; Unknown
	Examined   int64         `parquet:"examined"`       // rows so far; Unknown
	Sent       int64         `parquet:"sent"`           // rows so far; Unknown
	TID        int32         `parquet:"tid"`            // of the server's operating system thread; Unknown
}

// MySQLClient sums the connections of one user from one client address.
type MySQLClient struct {
	At       time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server   string        `parquet:"server,dict"`
	User     string        `parquet:"user,dict"`
	Client   string        `parquet:"client,dict"`
	Total    int64         `parquet:"total"`
	Sleeping int64         `parquet:"sleeping"`
	Idlest   time.Duration `parquet:"idlest_ns"` // the longest sleep among them
}

// MySQLState sums the connections that do the same: what a hundred sessions
// wait in is seen although their rows may be cut.
type MySQLState struct {
	At      time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server  string        `parquet:"server,dict"`
	Command string        `parquet:"command,dict"`
	State   string        `parquet:"state,dict"`
	Count   int64         `parquet:"count"`
	Longest time.Duration `parquet:"longest_ns"`
}

// MySQLTransaction is one open InnoDB transaction.
type MySQLTransaction struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server     string        `parquet:"server,dict"`
	ID         string        `parquet:"id"`      // of the transaction, as the server writes it
	Session    int64         `parquet:"session"` // connection; 0: none (recovered, XA)
	State      string        `parquet:"state,dict"`
	Age        time.Duration `parquet:"age_ns"`
	Isolation  string        `parquet:"isolation,dict"`
	RowsLocked int64         `parquet:"rows_locked"`
	Modified   int64         `parquet:"modified"`       // rows
	Snapshot   bool          `parquet:"snapshot"`       // holds a read view, as far as the server tells
	Prepared   bool          `parquet:"prepared"`       // for a commit in two phases, as far as the server tells
	Statement  string        `parquet:"statement,dict"` // that runs; "" if none does
}

// MySQLLockWait is one connection that waits for another one.
type MySQLLockWait struct {
	At                time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server            string        `parquet:"server,dict"`
	Kind              string        `parquet:"kind,dict"`   // row, metadata, table, user (GET_LOCK)
	Object            string        `parquet:"object,dict"` // db.table; of GET_LOCK: the name, where literals are kept
	Index             string        `parquet:"index,dict"`
	Mode              string        `parquet:"mode,dict"` // asked for: X,REC_NOT_GAP; EXCLUSIVE
	Waited            time.Duration `parquet:"waited_ns"` // Unknown
	Waiting           int64         `parquet:"waiting"`   // connection
	WaitingStatement  string        `parquet:"waiting_statement,dict"`
	Blocking          int64         `parquet:"blocking"`                // connection; 0: not known
	BlockingStatement string        `parquet:"blocking_statement,dict"` // that runs, or the last one; "" if not known
	BlockingCommand   string        `parquet:"blocking_command,dict"`   // Sleep: its client does nothing
	BlockingUser      string        `parquet:"blocking_user,dict"`
	BlockingClient    string        `parquet:"blocking_client,dict"`
	BlockingFor       time.Duration `parquet:"blocking_for_ns"`    // age of its transaction, or how long it has been in its command; Unknown
	BlockingMode      string        `parquet:"blocking_mode,dict"` // of the metadata lock in the way: SHARED_READ; "" if not known
	Detached          bool          `parquet:"detached"`           // no connection owns the blocking transaction; Blocking is 0
}

// MySQLStatement is one statement of performance_schema's digests, or of
// MariaDB's where they are on. Counters run since the server began or the
// table was truncated; those of prepared statements, which have a Digest of
// rtrail's own (PreparedDigest), since rtrail read them first. The statements of
// one reading may be a part of all: those with most time, MaxStatements of them.
type MySQLStatement struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server     string        `parquet:"server,dict"`
	Schema     string        `parquet:"schema,dict"`
	Digest     string        `parquet:"digest,dict"`
	Text       string        `parquet:"text,dict"`
	First      time.Time     `parquet:"first,timestamp(nanosecond)"` // when the server first saw it, by its clock; zero when not told
	Count      int64         `parquet:"count"`
	Took       time.Duration `parquet:"took_ns"`      // execution
	LockTime   time.Duration `parquet:"lock_time_ns"` // table locks
	Errors     int64         `parquet:"errors"`
	Affected   int64         `parquet:"affected"` // rows
	Sent       int64         `parquet:"sent"`     // rows
	Examined   int64         `parquet:"examined"` // rows
	TmpTables  int64         `parquet:"tmp_tables"`
	TmpDisk    int64         `parquet:"tmp_disk"`
	FullJoins  int64         `parquet:"full_joins"`
	Scans      int64         `parquet:"scans"` // of the first table
	SortMerges int64         `parquet:"sort_merges"`
	SortRows   int64         `parquet:"sort_rows"`
	NoIndex    int64         `parquet:"no_index"`
}

// MaxStatements is how many statements of one reading are kept at most: a reading with
// fewer has all that ran since the one before.
const MaxStatements = 50

// Grow adds to the counters of s what those of a statement grew by between two
// readings.
func (s *MySQLStatement) Grow(before, now MySQLStatement) {
	s.Count += now.Count - before.Count
	s.Took += now.Took - before.Took
	s.LockTime += now.LockTime - before.LockTime
	s.Errors += now.Errors - before.Errors
	s.Affected += now.Affected - before.Affected
	s.Sent += now.Sent - before.Sent
	s.Examined += now.Examined - before.Examined
	s.TmpTables += now.TmpTables - before.TmpTables
	s.TmpDisk += now.TmpDisk - before.TmpDisk
	s.FullJoins += now.FullJoins - before.FullJoins
	s.Scans += now.Scans - before.Scans
	s.SortMerges += now.SortMerges - before.SortMerges
	s.SortRows += now.SortRows - before.SortRows
	s.NoIndex += now.NoIndex - before.NoIndex
}

// Unrun is the statement before it was executed for the first time: its counters
// are zero.
func (s MySQLStatement) Unrun() MySQLStatement {
	return MySQLStatement{At: s.At, Server: s.Server, Schema: s.Schema, Digest: s.Digest, Text: s.Text, First: s.First}
}

// PreparedDigest begins the Digest of what is summed up over the prepared
// statements of one text, which the digests of most servers lack.
const PreparedDigest = "prepared "

// Prepared says whether s is of prepared statements.
func (s MySQLStatement) Prepared() bool { return strings.HasPrefix(s.Digest, PreparedDigest) }

// MySQLInnoDB is what SHOW ENGINE INNODB STATUS says in numbers. Unknown where
// a version does not tell.
type MySQLInnoDB struct {
	At            time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server        string        `parquet:"server,dict"`
	History       int64         `parquet:"history"`       // undo logs not yet purged
	LSN           int64         `parquet:"lsn_bytes"`     // bytes of redo log written ever: counter
	Flushed       int64         `parquet:"flushed_bytes"` // up to here on disk
	Checkpoint    int64         `parquet:"checkpoint_bytes"`
	PendingFsyncs int64         `parquet:"pending_fsyncs"`
	PendingReads  int64         `parquet:"pending_reads"`
	PendingWrites int64         `parquet:"pending_writes"`
	PoolPages     int64         `parquet:"pool_pages"`
	FreePages     int64         `parquet:"free_pages"`
	DirtyPages    int64         `parquet:"dirty_pages"`
	Transactions  int64         `parquet:"transactions"`  // open
	LockWaits     int64         `parquet:"lock_waits"`    // transactions that wait for a row
	OldestAge     time.Duration `parquet:"oldest_age_ns"` // of an open transaction
	Semaphores    int64         `parquet:"semaphores"`    // threads that wait for a latch now
	LongestLatch  time.Duration `parquet:"longest_latch_ns"`
	SpinWaits     int64         `parquet:"spin_waits"`                     // counters: of mutexes and latches together
	SpinRounds    int64         `parquet:"spin_rounds"`                    //
	OSWaits       int64         `parquet:"os_waits"`                       //
	Deadlock      time.Time     `parquet:"deadlock,timestamp(nanosecond)"` // the last one, by the server's clock
}

// MySQLLatch is one thread that waits for a mutex or latch inside of InnoDB.
type MySQLLatch struct {
	At     time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server string        `parquet:"server,dict"`
	Thread string        `parquet:"thread"` // as the server writes it
	Waited time.Duration `parquet:"waited_ns"`
	File   string        `parquet:"file,dict"` // FILE.cc:LINE that waits
	Name   string        `parquet:"name,dict"` // of the latch, as far as the server tells
	Mode   string        `parquet:"mode,dict"`
}

// MySQLPoolGroup is one group of a thread pool. Unknown where a server has no
// such number. Counters run since the server began.
type MySQLPoolGroup struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server      string        `parquet:"server,dict"`
	Group       int32         `parquet:"group"`
	Connections int64         `parquet:"connections"`
	Threads     int64         `parquet:"threads"`
	Active      int64         `parquet:"active"`          // run a statement
	Waiting     int64         `parquet:"waiting"`         // run one that sleeps or waits for a lock
	Standby     int64         `parquet:"standby"`         // threads without work
	Dump        int64         `parquet:"dump"`            // send the binary log
	Queued      int64         `parquet:"queued"`          // statements that wait for a thread
	QueuedHigh  int64         `parquet:"queued_high"`     // of these with high priority; Unknown
	LongestWait time.Duration `parquet:"longest_wait_ns"` // of a queued statement; Unknown
	Stalled     bool          `parquet:"stalled"`
	Stalls      int64         `parquet:"stalls"`       // counter: times the timer found the group stalled
	Dequeued    int64         `parquet:"dequeued"`     // counter: statements taken from the queue
	Throttles   int64         `parquet:"throttles"`    // counter: a thread was not made for want of time since the last one
	ThreadsMade int64         `parquet:"threads_made"` // counter
}

// MySQLPoolWait sums why threads of the pool waited: counter.
type MySQLPoolWait struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)"`
	Server string    `parquet:"server,dict"`
	Reason string    `parquet:"reason,dict"` // ROW_LOCK, TABLE_LOCK, NET, SLEEP...
	Count  int64     `parquet:"count"`
}

// MySQLReplica is one channel by which a server follows another one.
type MySQLReplica struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Server     string        `parquet:"server,dict"`
	Channel    string        `parquet:"channel,dict"`
	Source     string        `parquet:"source,dict"`     // HOST:PORT
	IORunning  string        `parquet:"io_running,dict"` // Yes, No, Connecting
	SQLRunning string        `parquet:"sql_running,dict"`
	SQLState   string        `parquet:"sql_state,dict"`
	Lag        time.Duration `parquet:"lag_ns"` // Unknown while it does not run
	IOError    string        `parquet:"io_error,dict"`
	SQLError   string        `parquet:"sql_error,dict"`
	IOErrno    int32         `parquet:"io_errno"` // 0: no error
	SQLErrno   int32         `parquet:"sql_errno"`
	Delay      time.Duration `parquet:"delay_ns"` // that it was told to keep; 0: none
}

// MySQLError counts one kind of error the server gave to clients.
type MySQLError struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)"`
	Server string    `parquet:"server,dict"`
	Code   int32     `parquet:"code"`      // 1146
	Name   string    `parquet:"name,dict"` // ER_NO_SUCH_TABLE
	Raised int64     `parquet:"raised"`    // counter
}

// MySQLPlan is one line of what EXPLAIN says of a statement, on request.
type MySQLPlan struct {
	At        time.Time `parquet:"at,timestamp(nanosecond)"`
	Server    string    `parquet:"server,dict"`
	Schema    string    `parquet:"schema,dict"`    // in which it ran; "" if not known
	Digest    string    `parquet:"digest,dict"`    // of performance_schema; "" when the text is from the process list
	Statement string    `parquet:"statement,dict"` // without literals
	Line      int64     `parquet:"line"`           // from 0; tables are read in this order, of joins
	Kind      string    `parquet:"kind,dict"`      // SIMPLE, PRIMARY, SUBQUERY...
	Name      string    `parquet:"name,dict"`      // of the table, or its alias
	Access    string    `parquet:"access,dict"`    // column type: ALL reads the whole table, index a whole index
	Possible  string    `parquet:"possible,dict"`  // indexes that could serve, joined by ','
	Key       string    `parquet:"key,dict"`       // index that is used; "" for none
	Rows      int64     `parquet:"rows"`           // the optimizer expects to examine; Unknown
	Extra     string    `parquet:"extra,dict"`     // "Using where; Using filesort"
}

// MySQLCondition is a condition of a statement that ran when rtrail looked, and
// that no index on its column serves: told once, without its literals.
type MySQLCondition struct {
	At        time.Time `parquet:"at,timestamp(nanosecond)"`
	Server    string    `parquet:"server,dict"`
	Statement string    `parquet:"statement,dict"` // without literals
	Form      string    `parquet:"form,dict"`      // pattern, computed, number, random
	By        string    `parquet:"by,dict"`        // what is done with the column: LIKE, REGEXP, DATE, +
	Schema    string    `parquet:"schema,dict"`    // of the table; "" if not known
	Name      string    `parquet:"name,dict"`      // of the table; "" if the text does not tell
	Column    string    `parquet:"column,dict"`    // "" of random
	Alone     bool      `parquet:"alone"`          // no other condition is joined to it that an index could serve
	Type      string    `parquet:"type,dict"`      // of the column: varchar(40); "" if not known
	Indexes   string    `parquet:"indexes,dict"`   // those that begin with the column, joined by ','
}

// MySQLTable is one of the largest tables of a server.
type MySQLTable struct {
	At     time.Time `parquet:"at,timestamp(nanosecond)"`
	Server string    `parquet:"server,dict"`
	Schema string    `parquet:"schema,dict"`
	Name   string    `parquet:"name,dict"`
	Engine string    `parquet:"engine,dict"`
	Rows   int64     `parquet:"rows"`        // estimated
	Data   int64     `parquet:"data_bytes"`  // bytes
	Index  int64     `parquet:"index_bytes"` // bytes of secondary indexes
}

// MySQLSlowQuery is one entry of a slow query log.
type MySQLSlowQuery struct {
	At        time.Time     `parquet:"at,timestamp(nanosecond)"`     // when rtrail read it
	Logged    time.Time     `parquet:"logged,timestamp(nanosecond)"` // when the statement had ended
	Server    string        `parquet:"server,dict"`
	User      string        `parquet:"user,dict"`
	Client    string        `parquet:"client,dict"`
	Session   int64         `parquet:"session"`
	DB        string        `parquet:"db,dict"`
	Took      time.Duration `parquet:"took_ns"`
	LockTime  time.Duration `parquet:"lock_time_ns"`
	Sent      int64         `parquet:"sent"`     // rows
	Examined  int64         `parquet:"examined"` // rows
	Statement string        `parquet:"statement,dict"`
}

func (MySQLServer) Table() Table      { return MySQLServers }
func (MySQLStatus) Table() Table      { return MySQLStatuses }
func (MySQLVariable) Table() Table    { return MySQLVariables }
func (MySQLSession) Table() Table     { return MySQLSessions }
func (MySQLClient) Table() Table      { return MySQLClients }
func (MySQLState) Table() Table       { return MySQLStates }
func (MySQLTransaction) Table() Table { return MySQLTransactions }
func (MySQLLockWait) Table() Table    { return MySQLLockWaits }
func (MySQLStatement) Table() Table   { return MySQLStatements }
func (MySQLInnoDB) Table() Table      { return MySQLInnoDBs }
func (MySQLLatch) Table() Table       { return MySQLLatches }
func (MySQLPoolGroup) Table() Table   { return MySQLPoolGroups }
func (MySQLPoolWait) Table() Table    { return MySQLPoolWaits }
func (MySQLReplica) Table() Table     { return MySQLReplicas }
func (MySQLError) Table() Table       { return MySQLErrors }
func (MySQLPlan) Table() Table        { return MySQLPlans }
func (MySQLCondition) Table() Table   { return MySQLConditions }
func (MySQLTable) Table() Table       { return MySQLTables }
func (MySQLSlowQuery) Table() Table   { return MySQLSlowLog }
