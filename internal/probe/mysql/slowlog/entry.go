// Package slowlog reads the slow query log as MySQL, MariaDB and Percona write
// it into a file (sql/log.cc): all at once, or what is appended to it.
//
// An entry is made of lines that begin with #, of a line "use" where the
// database is another one than before, of SET timestamp and of the statement:
//
//	# Time: 2026-11-21T08:17:26.364246Z
//	# User@Host: lab[lab] @ localhost []  Id:    85
//	# Query_time: 0.250197  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 1
//	use lab;
//	SET timestamp=1795249046;
//	DO sleep(0.25);
package slowlog

import (
	"math"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// Entry is one statement of the log. Numbers that it lacks are
// recording.Unknown.
type Entry struct {
	Logged   time.Time // when the statement had ended; the log may have its begin and Took
	User     string
	Host     string // name, or "localhost" for the socket
	Address  string // of the client; "" for the socket
	Session  int64
	DB       string // current database; "" also if the part of the log that was read does not tell
	Took     time.Duration
	LockTime time.Duration // for table locks; since MySQL 8.0.28 also for row locks
	Sent     int64         // rows
	Examined int64         // rows
	Affected int64         // rows
	Bytes    int64         // sent to the client
	Errno    int64         // error number of the server; 0: none
	TmpDisk  int64         // temporary tables on disk; 1 where the log says only that there were some
	FullScan bool          // of the first table, where the log tells
	FullJoin bool          // joined without an index, where the log tells
	Maria    bool          // MariaDB wrote it
	Shifted  bool          // the log has the begin: Took was added to Logged
	Admin    string        // "Ping", "Prepare": a command without a statement

	// Statement is as Options.Statement words it.
	Statement string
}

// Client is the address of the client, or its name.
func (e Entry) Client() string {
	if e.Address != "" {
		return e.Address
	}
	return e.Host
}

// Row makes the row of a recording of what was read at a time.
func (e Entry) Row(at time.Time, server string) recording.MySQLSlowQuery {
	r := recording.MySQLSlowQuery{
		At: at, Logged: e.Logged, Server: server, User: e.User, Client: e.Client(), Session: e.Session, DB: e.DB,
		Took: e.Took, LockTime: e.LockTime, Sent: e.Sent, Examined: e.Examined, Statement: e.Statement,
	}
	if e.Admin != "" {
		r.Statement = e.Admin
	}
	return r
}

func noEntry(db string) Entry {
	const u = recording.Unknown
	return Entry{DB: db, Session: u, Took: u, LockTime: u, Sent: u, Examined: u, Affected: u, Bytes: u, Errno: u, TmpDisk: u}
}

// value takes in a pair of a line that begins with #: "Rows_sent: 3". Names
// are those of any server.
func (e *Entry) value(name, v string) {
	switch name {
	case "Id", "Thread_id":
		count(v, &e.Session)
	case "Schema":
		e.DB = strings.Clone(v)
	case "Query_time":
		e.Took = seconds(v)
	case "Lock_time":
		e.LockTime = seconds(v)
	case "Rows_sent":
		count(v, &e.Sent)
	case "Rows_examined":
		count(v, &e.Examined)
	case "Rows_affected":
		count(v, &e.Affected)
	case "Bytes_sent":
		count(v, &e.Bytes)
	case "Errno", "Last_errno":
		count(v, &e.Errno)
	case "Created_tmp_disk_tables", "Tmp_disk_tables":
		count(v, &e.TmpDisk)
	case "Tmp_table_on_disk":
		if e.TmpDisk == recording.Unknown && v == "Yes" {
			e.TmpDisk = 1
		} else if e.TmpDisk == recording.Unknown {
			e.TmpDisk = 0
		}
	case "Full_scan":
		e.FullScan = v == "Yes"
	case "Full_join":
		e.FullJoin = v == "Yes"
	}
}

func count(s string, to *int64) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
		*to = n
	}
}

// seconds reads "0.250197". What cannot be, such as the difference of clocks
// that were set back, is Unknown.
func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f < math.MaxInt32) {
		return recording.Unknown
	}
	return time.Duration(math.Round(f * 1e9))
}

// user reads
//
//	lab[lab] @ localhost []  Id:    28
//	root[app] @ web1.example [10.0.0.7]
//
// and gives what follows. ok is false if it is something else.
func (e *Entry) user(s string) (rest string, ok bool) {
	who, where, ok := strings.Cut(s, " @ ")
	if !ok {
		return "", false
	}
	_, name, ok := strings.Cut(who, "[")
	if !ok || !strings.HasSuffix(name, "]") {
		return "", false
	}
	host, where, ok := strings.Cut(where, "[")
	if !ok {
		return "", false
	}
	address, rest, ok := strings.Cut(where, "]")
	if !ok {
		return "", false
	}
	e.User = strings.Clone(strings.TrimSuffix(name, "]"))
	e.Host, e.Address = strings.Clone(strings.TrimSpace(host)), strings.Clone(strings.TrimSpace(address))
	return rest, true
}
