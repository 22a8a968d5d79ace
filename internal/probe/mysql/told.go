package mysql

import (
	"strconv"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/packet/fingerprint"
	"rtrail/internal/recording"
)

// Told is what a server said of itself at one moment, as another tool wrote it down. What is nil
// or empty was not told.
type Told struct {
	At           time.Time
	Status       *mysqlconn.Result // SHOW GLOBAL STATUS
	Variables    *mysqlconn.Result // SHOW GLOBAL VARIABLES
	InnoDB       string            // SHOW ENGINE INNODB STATUS
	Processes    *mysqlconn.Result // id, user, host, db, command, ms, state, info, length
	Transactions *mysqlconn.Result // trx_id, trx_state, age, session, isolation, locked, modified, query
	RowLocks     *mysqlconn.Result // waiting, blocking, object, waited, query, blocking_query
}

// Teller makes rows of what one server said, moment by moment.
type Teller struct{ server *server }

// NewTeller reads what a server said whose clock is offset from UTC. unseen are sights of which no
// moment tells.
func NewTeller(name string, offset time.Duration, unseen ...recording.Sight) *Teller {
	s := &server{target: mysqlconn.Target{Name: name}, words: fingerprint.New(), limits: usual}
	s.state = recording.MySQLServer{Server: name, PID: recording.Unknown, Port: recording.Unknown, Uptime: recording.Unknown, Connect: recording.Unknown, Answer: recording.Unknown}
	s.about.offset, s.about.noLast = offset, true
	for _, sight := range unseen {
		s.notes.add(string(sight), "the files do not tell it", "give all files of the collection, or watch the server itself")
	}
	return &Teller{s}
}

// Write makes the rows of a moment. An error names what was not understood; the rest is there.
func (t *Teller) Write(w *recording.Writer, told Told) error {
	l := &look{server: t.server, at: told.At, w: w, open: map[int64]openTrx{}}
	var collected []string
	var failed error
	if told.Variables != nil {
		l.takeVariables(told.Variables.Limit(maxSettings))
		offset := l.about.offset
		l.about = identify(l.seen.variables["version"], l.seen.variables["version_comment"])
		l.about.offset, l.about.noLast = offset, true
		if port, err := strconv.ParseUint(l.seen.variables["port"], 10, 16); err == nil {
			l.state.Port = int32(port)
		}
		collected = append(collected, "variables")
	}
	if told.Status != nil {
		l.takeStatus(told.Status.Limit(maxCounters))
		collected = append(collected, "status")
	}
	if told.Transactions != nil {
		l.takeTransactions(told.Transactions)
		collected = append(collected, "transactions")
	}
	if told.Processes != nil {
		l.takeSessions(told.Processes)
		collected = append(collected, "sessions")
	}
	if told.InnoDB != "" {
		if failed = l.takeInnoDB(told.InnoDB); failed == nil {
			collected = append(collected, "innodb")
		}
	}
	if told.RowLocks != nil {
		if err := l.takeRowLocks(told.RowLocks.Limit(maxLockWaits)); err != nil {
			failed = err
		}
		collected = append(collected, "row locks")
	}
	l.writeTransactions()
	l.notes.write(w, told.At, true) // every window has them
	row := l.state
	row.At, row.State, row.Flavor, row.Version = told.At, recording.ServerAnswers, l.about.flavor, l.about.version
	if up, ok := l.status["uptime"]; ok && up < 9e9 {
		row.Uptime = time.Duration(up) * time.Second
	}
	row.Collected = strings.Join(collected, ",")
	recording.Append(w, row)
	return failed
}
