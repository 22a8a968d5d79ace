// Package innodb reads the text of SHOW ENGINE INNODB STATUS, which MySQL,
// MariaDB and Percona write for people, each version a little differently
// (storage/innobase/srv/srv0srv.cc, srv_printf_innodb_monitor). What a version
// does not write is recording.Unknown, zero times and empty texts.
//
// The text holds rows of locked records and literals of statements. Rows are
// never kept; statements go through Options.Statement.
package innodb

import (
	"errors"
	"time"

	"rtrail/internal/recording"
)

// Bounds of what is kept; what is over is counted only. A server with ten
// thousand waiting transactions is as clear with a thousand of them.
const (
	maxTransactions = 1000
	maxWaits        = 1000
	maxStatement    = 4096 // bytes; servers write 1,024 at most, some the whole statement
)

// ErrNotStatus says that a text has no line "INNODB MONITOR OUTPUT": it is
// something else, such as the message of a server that runs without InnoDB.
var ErrNotStatus = errors.New("read the status of InnoDB: this is no output of SHOW ENGINE INNODB STATUS")

// Options of Parse.
type Options struct {
	// Location is the time zone of the server, whose clock all times in the text
	// are; nil is the local one.
	Location *time.Location
	// Statement words a statement, of which the text may be cut. nil leaves
	// statements out. The text is only valid during the call.
	Statement func(text []byte, cut bool) string
}

// Status is what one output says.
type Status struct {
	At       time.Time     // when it was written
	Averages time.Duration // the time that numbers per second are averages of; Unknown
	Complete bool          // the text has its end: servers cut it at 1 MB

	Semaphores   Semaphores
	Deadlock     *Deadlock // the last one since the server began; nil: none
	History      int64     // undo logs not yet purged
	Open         int64     // transactions that have begun and not ended
	LockWaits    int64     // of these those that wait for a row or table
	Transactions []Transaction
	IO           IO
	InsertBuffer InsertBuffer
	Log          Log
	Pool         Pool
	Rows         Rows
}

// Semaphores are mutexes and latches inside of InnoDB.
type Semaphores struct {
	Waiting      int64       // threads that wait now
	Waits        []LatchWait // the same, one by one
	Reservations int64       // waits that went to sleep since the server began
	Signals      int64
	Mutex        Spins
	Shared       Spins
	Exclusive    Spins
	SX           Spins // shared-exclusive, since MySQL 5.7
}

// Spins are counters since the server began.
type Spins struct {
	Waits   int64 // times a thread had to spin
	Rounds  int64 // rounds it spun
	OSWaits int64 // times it gave up and slept
}

// LatchWait is one thread that waits for a mutex or latch.
type LatchWait struct {
	Thread  string // as the server writes it: pthread_self in decimal
	Waited  time.Duration
	File    string // FILE:LINE that waits
	Name    string // of the latch, or FILE:LINE that created it
	Mode    string // Mutex, S-lock, X-lock, SX-lock, X-lock (wait_ex)
	Holder  string // thread that has it for itself; "": nobody, or not told
	Written string // FILE:LINE that last had it for itself
}

// Transaction is one that has begun and not ended.
type Transaction struct {
	ID        string // as the server writes it: 5717, (0x7fccf1c3c780), 1A2B
	State     string // ACTIVE, ACTIVE (PREPARED), COMMITTED IN MEMORY
	Age       time.Duration
	Doing     string // "starting index read", "inserting"
	Waiting   bool   // for a lock
	Waited    time.Duration
	For       *RecordLock // the lock it waits for; nil: none, or not told
	Structs   int64       // lock structures
	RowLocks  int64       // an estimate
	Undo      int64       // undo log entries: rows changed, about
	ReadView  bool        // it holds a snapshot, as far as the server tells
	Session   int64       // connection; 0: none
	OSThread  string
	Query     int64 // number of its query; 0: none
	Host      string
	User      string
	Thread    string // what the session does: "Updating", "Sending data"
	Statement string // that runs
}

// RecordLock is a lock of rows, or of a table when Index is "".
type RecordLock struct {
	Table string // db.table
	Index string
	Mode  string // "X locks rec but not gap"
}

// Deadlock is the last one found.
type Deadlock struct {
	At           time.Time
	Transactions []DeadlockTransaction // two, or more since MySQL 8.0
	Victim       int                   // number of the one rolled back, from 1; 0: not told
}

// DeadlockTransaction is one of the transactions of a deadlock.
type DeadlockTransaction struct {
	Transaction
	Holds []RecordLock
	Wants []RecordLock
}

// IO is the work with files.
type IO struct {
	PendingReads  int64 // asynchronous ones
	PendingWrites int64
	LogFsyncs     int64 // pending
	PoolFsyncs    int64 // pending, of data files
	Fsyncs        int64 // pending, of any file, where the server tells no more
	Reads         int64 // counters since the server began
	Writes        int64
	Synced        int64
}

// PendingFsyncs are all pending ones.
func (i IO) PendingFsyncs() int64 {
	if i.Fsyncs != recording.Unknown {
		return i.Fsyncs
	}
	return sum(i.LogFsyncs, i.PoolFsyncs)
}

// InsertBuffer is the change buffer.
type InsertBuffer struct {
	Size    int64 // pages
	Free    int64 // length of the free list
	Segment int64 // pages
	Merges  int64 // counter
}

// Log is the redo log. Positions are bytes written ever.
type Log struct {
	Sequence     int64
	Flushed      int64
	PagesFlushed int64
	Checkpoint   int64
	Capacity     int64 // bytes; MySQL 9 and others tell it
	Writes       int64 // pending
	Checkpoints  int64 // pending writes of a checkpoint
}

// CheckpointAge is how much of the log a crash would have to read again.
func (l Log) CheckpointAge() int64 {
	if l.Sequence == recording.Unknown || l.Checkpoint == recording.Unknown || l.Sequence < l.Checkpoint {
		return recording.Unknown
	}
	return l.Sequence - l.Checkpoint
}

// Pool is the buffer pool, all instances together. Sizes are pages.
type Pool struct {
	Size         int64
	Free         int64
	Data         int64
	Dirty        int64
	PendingReads int64
	PendingLRU   int64 // writes
	PendingFlush int64 // writes from the flush list
	PendingPage  int64 // writes of single pages
	HitPerMille  int64 // 0 to 1000 since the last output; Unknown without requests
	Read         int64 // counters
	Created      int64
	Written      int64
}

// PendingWrites are all pending ones.
func (p Pool) PendingWrites() int64 { return sum(p.PendingLRU, p.PendingFlush, p.PendingPage) }

// Rows are operations on rows: counters since the server began.
type Rows struct {
	Inserted  int64
	Updated   int64
	Deleted   int64
	Read      int64
	Inside    int64 // queries inside of InnoDB now (innodb_thread_concurrency)
	Queued    int64 // queries that wait to get in
	ReadViews int64 // open now
}

// sum adds what is known.
func sum(list ...int64) int64 {
	var total int64
	known := false
	for _, n := range list {
		if n != recording.Unknown {
			total += n
			known = true
		}
	}
	if !known {
		return recording.Unknown
	}
	return total
}

// unknown is a status of which nothing is known.
func unknown() Status {
	const u = recording.Unknown
	spins := Spins{u, u, u}
	return Status{
		Averages: u, History: u,
		Semaphores:   Semaphores{Reservations: u, Signals: u, Mutex: spins, Shared: spins, Exclusive: spins, SX: spins},
		IO:           IO{u, u, u, u, u, u, u, u},
		InsertBuffer: InsertBuffer{u, u, u, u},
		Log:          Log{u, u, u, u, u, u, u},
		Pool:         Pool{u, u, u, u, u, u, u, u, u, u, u, u},
		Rows:         Rows{u, u, u, u, u, u, u},
	}
}

func noTransaction() Transaction {
	return Transaction{Age: recording.Unknown, Waited: recording.Unknown, Structs: recording.Unknown, RowLocks: recording.Unknown}
}
