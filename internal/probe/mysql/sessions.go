package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

const (
	// maxSessions bounds the rows of one look; the sums by state and by client
	// have all connections.
	maxSessions = 200
	maxClients  = 100
	maxStates   = 100
	// maxStatement is how much of a statement is fetched. A fingerprint is made
	// of it, which seldom needs more.
	maxStatement = 4096
	// listWidth is where information_schema.PROCESSLIST cuts statements, in MySQL
	// and MariaDB (PROCESS_LIST_INFO_WIDTH); schemaWidth is where
	// performance_schema does.
	listWidth   = 65535
	schemaWidth = 1024
)

// process is one line of the process list.
type process struct {
	id              int64
	user, client    string
	port            int32
	db              string
	command, state  string
	took            time.Duration
	text            string // of the statement, at most maxStatement of it
	length          int64
	cut             bool
	examined, sent  int64
	tid             int32
	statement       string // text without literals, once it was made
	statementIsMade bool
}

// processQuery is the process list in one statement, with columns of the same
// names whatever the server.
func (l *look) processQuery() string {
	information := "SELECT ID AS id, USER AS user, HOST AS host, DB AS db, COMMAND AS command, %s AS ms, STATE AS state, " +
		fmt.Sprintf("LEFT(INFO, %d) AS info, LENGTH(INFO) AS length, ", maxStatement) +
		"%s AS examined, %s AS sent, %s AS tid FROM information_schema.PROCESSLIST"
	switch {
	case l.about.mariaDB():
		sent := "NULL"
		if l.about.atLeast(11, 3) {
			sent = "SENT_ROWS"
		}
		return fmt.Sprintf(information, "TIME_MS", "EXAMINED_ROWS", sent, "TID")
	case l.about.schema && l.about.atLeast(8, 0, 22) && !l.about.noThreads:
		// Neither table takes the lock that the older lists take for all their
		// rows.
		return "SELECT p.ID AS id, p.USER AS user, p.HOST AS host, p.DB AS db, p.COMMAND AS command, p.TIME * 1000 AS ms, p.STATE AS state, " +
			"p.INFO AS info, LENGTH(p.INFO) AS length, NULL AS examined, NULL AS sent, t.THREAD_OS_ID AS tid " +
			"FROM performance_schema.processlist p LEFT JOIN performance_schema.threads t ON t.PROCESSLIST_ID = p.ID"
	default:
		return fmt.Sprintf(information, "TIME * 1000", "NULL", "NULL", "NULL")
	}
}

// readSessions reads the process list: sums by state and by client of all
// connections, and rows of those that do something or hold a transaction open.
func readSessions(l *look) error {
	if l.about.noProcess {
		return &absence{why: "without the privilege PROCESS the server shows rtrail's own connection only", how: l.grantee("PROCESS ON *.*")}
	}
	r, err := l.query("the process list", l.processQuery())
	if kind, _ := mysqlconn.Classify(err); err != nil && (kind == mysqlconn.Privilege || kind == mysqlconn.Unknown) && !l.about.mariaDB() && !l.about.noThreads {
		l.about.noThreads = true
		l.notes.add("operating system threads of sessions", mysqlconn.Text(err), l.grantee("SELECT ON performance_schema.*"))
		r, err = l.query("the process list", l.processQuery())
	}
	if err != nil {
		return err
	}
	l.takeSessions(r)
	return nil
}

// takeSessions writes a process list that has the columns of processQuery.
func (l *look) takeSessions(r *mysqlconn.Result) {
	l.processes = make([]process, 0, r.Len())
	for row := range r.Rows() {
		if p, ok := l.process(row); ok {
			l.processes = append(l.processes, p)
		}
	}
	l.sumStates()
	l.sumClients()
	l.writeSessions()
}

// process reads a line. ok is false for rtrail itself and for the server's own
// threads, which wait for work forever.
func (l *look) process(row mysqlconn.Row) (p process, ok bool) {
	p = process{id: row.Int("id"), user: row.Name("user"), db: row.Name("db"), command: row.Name("command"), state: row.Name("state"),
		text: row.Text("info"), length: row.Int("length"), examined: row.Int("examined"), sent: row.Int("sent"), tid: recording.Unknown}
	if p.id == l.about.id || p.command == "Daemon" || p.user == "event_scheduler" {
		return p, false
	}
	p.client, p.port = splitHost(row.Name("host"))
	// A negative time is a clock that was set back.
	if ms, known := row.Float("ms"); known && ms > 0 && ms < 1e13 {
		p.took = time.Duration(ms * float64(time.Millisecond))
	}
	if tid := row.Int("tid"); tid > 0 && tid < 1<<31 {
		p.tid = int32(tid)
	}
	p.cut = p.length > int64(len(p.text)) || p.length == listWidth
	if l.about.schema && !l.about.mariaDB() && l.about.atLeast(8, 0, 22) && p.length >= schemaWidth-4 {
		p.length, p.cut = recording.Unknown, true // characters of up to four bytes
	}
	return p, true
}

// splitHost takes the port off a HOST:PORT of the process list.
func splitHost(s string) (client string, port int32) {
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		if n, err := strconv.ParseUint(s[i+1:], 10, 16); err == nil {
			return strings.Trim(s[:i], "[]"), int32(n)
		}
	}
	return s, 0
}

func (p *process) words(l *look) string {
	if !p.statementIsMade {
		p.statement, p.statementIsMade = l.statement(p.text, p.cut), true
	}
	return p.statement
}

func (l *look) sumStates() {
	type key struct{ command, state string }
	sums := map[key]*recording.MySQLState{}
	for i := range l.processes {
		p := &l.processes[i]
		k := key{p.command, p.state}
		s := sums[k]
		if s == nil {
			s = &recording.MySQLState{At: l.at, Server: l.target.Name, Command: p.command, State: p.state}
			sums[k] = s
		}
		s.Count++
		s.Longest = max(s.Longest, p.took)
		switch {
		case waitsForTable(p.state):
			l.metaWaits = append(l.metaWaits, *p)
		case p.state == userLock:
			l.userWaits = append(l.userWaits, *p)
		}
	}
	rows := values(sums)
	slices.SortFunc(rows, func(a, b recording.MySQLState) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Command, b.Command), cmp.Compare(a.State, b.State))
	})
	recording.Give(l.w, capped(l, rows, maxStates))
}

func (l *look) sumClients() {
	type key struct{ user, client string }
	sums := map[key]*recording.MySQLClient{}
	for i := range l.processes {
		p := &l.processes[i]
		k := key{p.user, p.client}
		c := sums[k]
		if c == nil {
			c = &recording.MySQLClient{At: l.at, Server: l.target.Name, User: p.user, Client: p.client}
			sums[k] = c
		}
		c.Total++
		if p.command == "Sleep" {
			c.Sleeping++
			c.Idlest = max(c.Idlest, p.took)
		}
	}
	rows := values(sums)
	slices.SortFunc(rows, func(a, b recording.MySQLClient) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.User, b.User), cmp.Compare(a.Client, b.Client))
	})
	recording.Give(l.w, capped(l, rows, maxClients))
}

func values[K comparable, V any](m map[K]*V) []V {
	list := make([]V, 0, len(m))
	for _, v := range m {
		list = append(list, *v)
	}
	return list
}

func (l *look) writeSessions() {
	var of []*process
	for i := range l.processes {
		p := &l.processes[i]
		if _, open := l.open[p.id]; p.command != "Sleep" || open {
			of = append(of, p)
		}
	}
	// The longest first; of those that do something before those that sleep.
	slices.SortStableFunc(of, func(a, b *process) int {
		return cmp.Or(cmp.Compare(asleep(a), asleep(b)), cmp.Compare(b.took, a.took), cmp.Compare(a.id, b.id))
	})
	of = capped(l, of, maxSessions)
	rows := make([]recording.MySQLSession, len(of))
	for i, p := range of {
		rows[i] = recording.MySQLSession{At: l.at, Server: l.target.Name, ID: p.id, User: p.user, Client: p.client, ClientPort: p.port,
			DB: p.db, Command: p.command, State: p.state, For: p.took, Statement: p.words(l), Length: p.length,
			Examined: p.examined, Sent: p.sent, TID: p.tid}
	}
	recording.Give(l.w, rows)
}

func asleep(p *process) int {
	if p.command == "Sleep" {
		return 1
	}
	return 0
}

// find is a session of the process list by its ID; nil if it is not there.
func (l *look) find(id int64) *process {
	for i := range l.processes {
		if l.processes[i].id == id {
			return &l.processes[i]
		}
	}
	return nil
}
