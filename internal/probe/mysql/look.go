package mysql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// look is one look at a server.
type look struct {
	*server
	ctx     context.Context
	at      time.Time // of all rows of this look
	edge    bool      // of the window
	w       *recording.Writer
	skipped []string

	processes []process                    // the process list, if it was read
	open      map[int64]openTrx            // sessions with an open transaction
	trx       []recording.MySQLTransaction // to be written
	rowWaits  bool                         // some transaction waits for a row
	metaWaits []process                    // sessions that wait for a metadata or table lock
	userWaits []process                    // sessions that wait in GET_LOCK
	status    map[string]float64           // lower case
	scanned   float64                      // rows read one after the other, per second since the look before
	unindexed []digestKey                  // statements that used no index since the digests were read before
}

// memory is what is remembered from one look to the next one.
type memory struct {
	variables  map[string]string
	commands   map[string]bool // Com_ counters written before
	digests    map[digestKey]recording.MySQLStatement
	digested   time.Time
	prepared   preparedMemory
	snapshots  map[heldBy]bool
	twoPhase   map[string]bool // transactions that are prepared for a commit in two phases
	plans      map[string]bool // statements that were explained, without literals
	conditions map[conditionKey]bool
	described  map[string]described // tables, by schema and name
	scans      scanCount
	errors     map[int32]bool // codes seen
	errorsAt   time.Time
	noReplicas int
	mdlWatched bool // performance_schema watches metadata locks
}

// look asks a server everything that is due.
func (s *server) look(ctx context.Context, edge bool) {
	w := recording.NewWriter(time.Now())
	if s.denied {
		s.notes.write(w, time.Now(), edge)
		s.commit(w)
		return
	}
	if time.Now().Before(s.notBefore) && !(edge && s.finally()) {
		return
	}
	s.began = time.Now()
	err := s.lookOnce(ctx, edge)
	if s.otherDoor() && barred(err) {
		err = s.tryAdmin(ctx, edge, err)
	}
	if err != nil {
		s.failed(err)
		if edge && s.state.State == recording.ServerGone {
			// There is no later look that would tell a lost connection from a lost server.
			if err = s.lookOnce(ctx, edge); err == nil {
				return
			}
			s.failed(err)
		}
		s.notes.write(w, time.Now(), edge)
		s.commit(w)
	}
}

// finally says whether a server is asked once more at the end of the window although
// its pause is not over: one that answers and was slow, and one that was not there,
// so that what is said of the end was seen then. It may be back.
func (s *server) finally() bool {
	return s.link != nil || s.state.State == recording.ServerGone || s.state.State == recording.ServerUnreachable
}

// lookOnce logs in if need be and asks. An error means that there is no
// connection, or that the one there is is lost.
func (s *server) lookOnce(ctx context.Context, edge bool) error {
	l := &look{server: s, ctx: ctx, edge: edge || s.state.State == "", w: recording.NewWriter(time.Now()), open: map[int64]openTrx{}}
	row := recording.MySQLServer{Connect: recording.Unknown}
	slowest := time.Duration(0)
	if s.link == nil {
		took, err := s.connect(ctx)
		if err != nil {
			return err
		}
		row.Connect = took
		slowest = took
		if err := l.introduce(); err != nil {
			return err
		}
		l.edge = true // counters may have been reset
	}
	answer, err := s.do(ctx, "a ping", nil, s.link.Ping)
	if err != nil {
		return err
	}
	row.Answer = answer
	l.at = time.Now()
	collected, longest, err := l.collect(answer)
	if err != nil {
		return err
	}
	s.failures = 0
	l.finish(row, collected, max(slowest, answer, longest))
	return nil
}

// finish writes the row about the server, and paces the next look.
func (l *look) finish(row recording.MySQLServer, collected []string, slowest time.Duration) {
	s := l.server
	state := recording.ServerAnswers
	s.notBefore = time.Time{}
	if slowest > s.limits.deadline {
		state = recording.ServerSlow
		pause := s.limits.pause(s.slowLooks)
		s.slowLooks++
		s.notBefore = time.Now().Add(pause)
		l.skipped = append(l.skipped, fmt.Sprintf("looks for the next %v: an answer took %v", unit.Duration(pause), unit.Duration(slowest)))
	} else {
		s.slowLooks = 0
	}
	l.writeTransactions()
	s.notes.write(l.w, l.at, l.edge)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = time.Time{}
	s.state.Flavor, s.state.Version, s.state.Connection = s.about.flavor, s.about.version, pooled(l)
	s.state.State, s.state.Error, s.state.Code, s.state.Skipped = state, "", 0, strings.Join(l.skipped, "; ")
	if up, ok := l.status["uptime"]; ok {
		s.state.Uptime = time.Duration(up) * time.Second
	}
	out := s.state
	out.At, out.Connect, out.Answer = l.at, row.Connect, row.Answer
	out.Queries, out.QueryTime = s.queries, s.waited
	out.Collected = strings.Join(collected, ",")
	recording.Append(l.w, out)
	s.pending.Take(l.w)
	s.looked = true
}

// collect runs the collectors that are due. An error means that the connection
// is lost.
func (l *look) collect(ping time.Duration) (collected []string, longest time.Duration, err error) {
	for _, c := range l.collectors {
		if !c.isDue(l) {
			continue
		}
		before := l.queryTime()
		err := c.read(l)
		cost := l.queryTime() - before
		longest = max(longest, cost)
		c.ran(l.at, cost-ping)
		if err == nil || errors.Is(err, errKeepNote) {
			collected = append(collected, c.name)
			if err == nil {
				l.notes.drop(c.what)
			}
			continue
		}
		if fatal(err) {
			return collected, longest, err
		}
		l.refused(c, err)
	}
	return collected, longest, nil
}

func (l *look) queryTime() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waited
}

// fatal says whether an error means that the connection is of no use any more.
func fatal(err error) bool {
	switch kind, code := mysqlconn.Classify(err); kind {
	case mysqlconn.Gone, mysqlconn.Timeout, mysqlconn.Unreachable, mysqlconn.Denied, mysqlconn.Full:
		return true
	case mysqlconn.Other:
		_, told := errors.AsType[*absence](err)
		return code == 0 && !told // a packet that nobody understands
	}
	return false
}

// absence is something a server does not tell, with a reason and a remedy. With
// no text nothing needs to be noted.
type absence struct{ why, how string }

func (e *absence) Error() string { return e.why }

// noSelect is ER_TABLEACCESS_DENIED_ERROR. information_schema may be read by
// everybody, so it was a table of performance_schema.
const noSelect = 1142

// refused notes that a collector got nothing.
func (l *look) refused(c *schedule, err error) {
	if a, ok := errors.AsType[*absence](err); ok {
		c.pause(l.at, shortestPause)
		if a.why != "" {
			l.notes.add(c.what, a.why, a.how)
			l.skipped = append(l.skipped, c.name+": "+a.why)
		}
		return
	}
	kind, code := mysqlconn.Classify(err)
	text := mysqlconn.Text(err)
	l.skipped = append(l.skipped, c.name+": "+text)
	switch kind {
	case mysqlconn.Privilege:
		c.off = true
		grant := c.grant
		if code == noSelect || grant == "" {
			grant = "SELECT ON performance_schema.*"
		}
		l.notes.add(c.what, text, l.grantee(grant))
	case mysqlconn.Interrupted:
		c.giveUp(l.at)
		l.notes.add(c.what, "the server ended the statement for its time limit: "+text, "")
	default:
		c.failed++
		c.off = c.failed >= 3 || kind == mysqlconn.Unknown
		l.notes.add(c.what, text, "")
	}
}

// errKeepNote says that a collector read what it could and noted itself what it
// could not.
var errKeepNote = &absence{why: "not everything was read"}

// grantee words the statement that gives a privilege. What is given to the anonymous
// account is given to everybody, so that an account of rtrail's own gets it.
func (l *look) grantee(privilege string) string {
	if l.about.mariaDB() {
		privilege = strings.ReplaceAll(privilege, "REPLICATION CLIENT", "SLAVE MONITOR")
	}
	if l.about.grantee == "" {
		return "the server let rtrail in as its anonymous account; create one for rtrail and name it with --mysql: " +
			"CREATE USER rtrail@'...' IDENTIFIED BY '...'; GRANT " + privilege + " TO rtrail@'...'"
	}
	return "GRANT " + privilege + " TO " + l.about.grantee
}

// query runs a statement that gives many rows at most: what is above that is
// counted as lost.
func (l *look) query(what, statement string) (*mysqlconn.Result, error) {
	return l.queryRows(what, statement, maxRows)
}

// maxRows is how many rows of an answer are looked at: connections and digests are
// the most that there is of anything.
const maxRows = 20_000

// queryRows is query with another bound.
func (l *look) queryRows(what, statement string, bound int) (r *mysqlconn.Result, err error) {
	return l.run(what, statement, bound, l.link.Query)
}

func (l *look) run(what, statement string, bound int, query func(context.Context, string) (*mysqlconn.Result, error)) (r *mysqlconn.Result, err error) {
	_, err = l.do(l.ctx, what, nil, func(ctx context.Context) error {
		r, err = query(ctx, statement)
		return err
	})
	if err == nil && r.Limit(bound).Cut > 0 {
		l.w.Lost(r.Cut)
	}
	return r, err
}

// statement is how a statement is shown: without literals, unless the user wants
// them. cut says that the server gave only its beginning.
func (l *look) statement(text string, cut bool) string {
	const maxBytes = 4096 // bytes of one that is shown with its literals
	if text == "" {
		return ""
	}
	if l.options.Literals {
		if len(text) > maxBytes {
			return strings.ToValidUTF8(text[:maxBytes], "") + "..."
		}
		return text
	}
	return l.words.Of("mysql", "Query", []byte(text), cut)
}

// capped keeps the first n rows and counts the rest as lost.
func capped[T any](l *look, rows []T, n int) []T {
	if len(rows) <= n {
		return rows
	}
	l.w.Lost(len(rows) - n)
	return slices.Clip(rows[:n])
}
