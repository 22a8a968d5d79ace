package mysql

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// maxTransactions bounds the rows of one look: the oldest ones are of interest.
const maxTransactions = 200

// openTrx is what other collectors need of a transaction.
type openTrx struct {
	age   time.Duration
	query string
}

// readTransactions reads the open transactions. The ages come from the server's
// own clock.
func readTransactions(l *look) error {
	r, err := l.query("the transactions", "SELECT trx_id, trx_state, TIMESTAMPDIFF(SECOND, trx_started, NOW()) AS age, trx_mysql_thread_id AS session, "+
		"trx_isolation_level AS isolation, trx_rows_locked AS locked, trx_rows_modified AS modified, trx_query AS query "+
		"FROM information_schema.INNODB_TRX")
	if err != nil {
		kind, _ := mysqlconn.Classify(err)
		l.about.noProcess = kind == mysqlconn.Privilege
		return err
	}
	l.takeTransactions(r)
	return nil
}

// takeTransactions keeps the rows to be written, whose columns are those of the query above.
func (l *look) takeTransactions(r *mysqlconn.Result) {
	rows := make([]recording.MySQLTransaction, 0, r.Len())
	for row := range r.Rows() {
		age := seconds(row.Int("age"))
		t := recording.MySQLTransaction{At: l.at, Server: l.target.Name, ID: row.Name("trx_id"), Session: max(row.Int("session"), 0),
			State: row.Name("trx_state"), Age: age, Isolation: row.Name("isolation"), RowsLocked: row.Int("locked"),
			Modified: row.Int("modified"), Statement: l.statement(row.Text("query"), len(row.Text("query")) >= 1023)}
		if t.Session == l.about.id {
			continue
		}
		l.rowWaits = l.rowWaits || t.State == "LOCK WAIT"
		l.open[t.Session] = openTrx{age, t.Statement}
		rows = append(rows, t)
	}
	slices.SortStableFunc(rows, func(a, b recording.MySQLTransaction) int { return cmp.Compare(b.Age, a.Age) })
	l.trx = capped(l, rows, maxTransactions)
}

// seconds makes a duration of a column; Unknown of NULL. Clocks that were set
// back make negative ages of nothing.
func seconds(n int64) time.Duration {
	if n < 0 || n > 1<<33 {
		return recording.Unknown
	}
	return time.Duration(n) * time.Second
}
