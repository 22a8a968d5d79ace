package mysql

import (
	"fmt"
	"strconv"
	"strings"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// maxLockWaits bounds the pairs of one look. With a hundred waiters in one
// queue a server lists every pair of them: 5,000.
const maxLockWaits = 1000

// Lock waits before MySQL 8, and in MariaDB.
const informationLocks = `SELECT r.trx_mysql_thread_id AS waiting, b.trx_mysql_thread_id AS blocking, l.lock_table AS object, l.lock_index AS idx,
l.lock_mode AS mode, TIMESTAMPDIFF(SECOND, r.trx_wait_started, NOW()) AS waited, r.trx_query AS query, b.trx_query AS blocking_query,
TIMESTAMPDIFF(SECOND, b.trx_started, NOW()) AS age, b.trx_state AS blocking_state
FROM information_schema.INNODB_LOCK_WAITS w
JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id
JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id
LEFT JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.requested_lock_id LIMIT %d`

// Lock waits since MySQL 8.
const schemaLocks = `SELECT rt.PROCESSLIST_ID AS waiting, b.trx_mysql_thread_id AS blocking, CONCAT(l.OBJECT_SCHEMA, '.', l.OBJECT_NAME) AS object,
l.INDEX_NAME AS idx, l.LOCK_MODE AS mode, TIMESTAMPDIFF(SECOND, r.trx_wait_started, NOW()) AS waited, r.trx_query AS query,
b.trx_query AS blocking_query, TIMESTAMPDIFF(SECOND, b.trx_started, NOW()) AS age, b.trx_state AS blocking_state
FROM performance_schema.data_lock_waits w
JOIN performance_schema.data_locks l ON l.ENGINE_LOCK_ID = w.REQUESTING_ENGINE_LOCK_ID AND l.ENGINE = w.ENGINE
JOIN information_schema.INNODB_TRX r ON r.trx_id = w.REQUESTING_ENGINE_TRANSACTION_ID
JOIN information_schema.INNODB_TRX b ON b.trx_id = w.BLOCKING_ENGINE_TRANSACTION_ID
LEFT JOIN performance_schema.threads rt ON rt.THREAD_ID = w.REQUESTING_THREAD_ID LIMIT %d`

// readRowLocks reads who waits for whose row lock. Direct waits come with the
// holder of the lock; a queue of waiters lists each pair.
func readRowLocks(l *look) error {
	statement := informationLocks
	if !l.about.mariaDB() && l.about.atLeast(8) {
		if err := l.needSchema(); err != nil {
			return err
		}
		statement = schemaLocks
	}
	r, err := l.queryRows("the lock waits", fmt.Sprintf(statement, maxLockWaits), maxLockWaits)
	if err != nil {
		return err
	}
	return l.takeRowLocks(r)
}

// takeRowLocks writes waits whose columns are those of the queries above.
func (l *look) takeRowLocks(r *mysqlconn.Result) error {
	waits := make([]recording.MySQLLockWait, 0, r.Len())
	seen := map[[2]int64]bool{}
	for row := range r.Rows() {
		w := l.rowLock(row)
		// Several locks of one transaction may block the same one.
		if pair := [2]int64{w.Waiting, w.Blocking}; w.Waiting > 0 && !seen[pair] {
			seen[pair] = true
			waits = append(waits, w)
		}
	}
	if err := l.nameBlockers(waits); err != nil {
		return err
	}
	recording.Give(l.w, holdersFirst(waits))
	return nil
}

func (l *look) rowLock(row mysqlconn.Row) recording.MySQLLockWait {
	query := row.Text("query")
	w := recording.MySQLLockWait{At: l.at, Server: l.target.Name, Kind: "row", Object: tableName(row.Name("object")), Index: strings.Trim(row.Name("idx"), "`"),
		Mode: row.Name("mode"), Waited: seconds(row.Int("waited")), Waiting: row.Int("waiting"), Blocking: max(row.Int("blocking"), 0),
		WaitingStatement: l.statement(query, len(query) >= 1023), BlockingFor: seconds(row.Int("age"))}
	query = row.Text("blocking_query")
	w.BlockingStatement = l.statement(query, len(query) >= 1023)
	w.Detached = row.Int("blocking") == 0 // InnoDB knows no connection of it, which is not the same as not to tell
	return w
}

// tableName takes the quotes off `db`.`table`, and the partition that InnoDB adds
// in a comment.
func tableName(s string) string {
	s, _, _ = strings.Cut(s, " /*")
	return strings.ReplaceAll(s, "`", "")
}

// nameBlockers fills in who blocks, from the process list of the same look, and
// what an idle one did last.
func (l *look) nameBlockers(waits []recording.MySQLLockWait) error {
	idle := map[int64]string{}
	for i := range waits {
		w := &waits[i]
		p := l.find(w.Blocking)
		if w.Blocking == 0 || p == nil {
			continue
		}
		w.BlockingUser, w.BlockingClient, w.BlockingCommand = p.user, p.client, p.command
		if w.BlockingStatement == "" {
			w.BlockingStatement = p.words(l)
		}
		if w.BlockingFor < 0 {
			w.BlockingFor = p.took
			if t, ok := l.open[p.id]; ok && t.age >= 0 {
				w.BlockingFor = t.age
			}
		}
		if w.BlockingStatement == "" {
			idle[w.Blocking] = ""
		}
	}
	if len(idle) == 0 {
		return nil
	}
	if err := l.lastStatements(idle); err != nil {
		return err
	}
	for i := range waits {
		if w := &waits[i]; w.BlockingStatement == "" {
			w.BlockingStatement = idle[w.Blocking]
		}
	}
	return nil
}

// lastStatements finds what sessions did last that do nothing now. Without
// performance_schema nobody knows.
func (l *look) lastStatements(of map[int64]string) error {
	const what = "last statements of idle blockers"
	if l.about.noLast {
		return nil
	}
	if err := l.needSchema(); err != nil {
		l.notes.add(what, err.Error(), "performance_schema=ON below [mysqld] in my.cnf, then restart the server")
		l.about.noLast = true
		return nil
	}
	ids := make([]string, 0, len(of))
	for id := range of {
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	r, err := l.query(what, "SELECT t.PROCESSLIST_ID AS id, s.SQL_TEXT AS text FROM performance_schema.threads t "+
		"JOIN performance_schema.events_statements_current s ON s.THREAD_ID = t.THREAD_ID "+
		"WHERE t.PROCESSLIST_ID IN ("+strings.Join(ids, ",")+") ORDER BY s.EVENT_ID DESC")
	if err != nil {
		if fatal(err) {
			return err
		}
		l.notes.add(what, mysqlconn.Text(err), l.grantee("SELECT ON performance_schema.*"))
		l.about.noLast = true
		return nil
	}
	if r.Len() == 0 {
		l.notes.add(what, "performance_schema keeps no statements of sessions",
			"UPDATE performance_schema.setup_consumers SET ENABLED='YES' WHERE NAME='events_statements_current'")
		l.about.noLast = true
	}
	for row := range r.Rows() {
		id, text := row.Int("id"), row.Text("text")
		if of[id] == "" {
			of[id] = l.statement(text, len(text) >= schemaWidth-4)
		}
	}
	return nil
}

// holdersFirst orders waits so that the first row of a waiter names one who waits
// for nobody himself, if there is one: the holder before others in the queue.
func holdersFirst(waits []recording.MySQLLockWait) []recording.MySQLLockWait {
	waiting := map[int64]bool{}
	for _, w := range waits {
		waiting[w.Waiting] = true
	}
	var holders, queued []recording.MySQLLockWait
	for _, w := range waits {
		if waiting[w.Blocking] {
			queued = append(queued, w)
		} else {
			holders = append(holders, w)
		}
	}
	return append(holders, queued...)
}
