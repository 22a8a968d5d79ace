package cases

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// mysqlLockCases are about connections of a server that wait for each other.
func mysqlLockCases() []Case {
	return []Case{
		rowLockCase("mysql/row-lock-wait", server.MariaDB10()),
		rowLockCase("mysql/row-lock-wait+mysql97", server.MySQL9()),
		rowLockCase("mysql/row-lock-wait+mysql56", server.MySQL56()),
		metadataLockCase("mysql/metadata-lock", server.MariaDB10()),
		metadataLockCase("mysql/metadata-lock+mysql97", server.MySQL9()),
		longTransactionCase(),
		purgeLagCase(),
	}
}

// hundredItems makes a table of 100 rows.
var hundredItems = tableOfItems("stock", 100)

// holder is a connection with an open transaction.
type holder struct {
	conn *sql.Conn
	id   int64
}

// hold runs statements on a connection of its own and leaves it open.
func hold(ctx context.Context, e *env.Env, db *sql.DB, statements ...string) (*holder, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	e.Defer("the open transaction", c.Close)
	h := &holder{conn: c}
	if err := c.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&h.id); err != nil {
		return nil, err
	}
	for _, s := range statements {
		if err := load.RowsOf(ctx, c, s); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// kill ends its connection, as a person would.
func (h *holder) kill(ctx context.Context, m *server.MySQL) error {
	_, err := m.Query(ctx, fmt.Sprintf("KILL %d", h.id))
	return err
}

// rowLockCase has a client that changes half of the rows and goes away without
// a commit.
func rowLockCase(id string, v server.MySQLVersion) Case {
	var s mysqlScene
	var blocker *holder
	return Case{
		ID:    id,
		Title: "a client of " + v.Name + " changes rows and does not commit; eight others want them",
		Rule:  "mysql/row-lock-wait",
		Kind:  "process", Name: "mariadbd|mysqld",
		Says:  `row lock: connection \d+ \(lab@127\.0\.0\.1\) blocks .*: it is idle in an open transaction`,
		Needs: v.Needs(),
		MySQL: s.names,
		Setup: s.holding(v, hundredItems),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			blocker, err = hold(ctx, e, s.db, "BEGIN", "UPDATE stock SET n = n + 1 WHERE id <= 50")
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) error { return blocker.kill(ctx, s.m) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return load.StatementRateCutOff(ctx, s.db, 8, d, "changes/s", func(ctx context.Context, i int, c *sql.Conn) error {
				env.Sleep(ctx, 5*time.Millisecond)
				return load.RowsOf(ctx, c, fmt.Sprintf("UPDATE stock SET n = n + 1 WHERE id = %d", 1+(i*13+int(time.Now().UnixMicro()))%100))
			})
		},
	}
}

// metadataLockCase has a client that reads a table and does not end its
// transaction, and somebody who changes the table.
func metadataLockCase(id string, v server.MySQLVersion) Case {
	var s mysqlScene
	var reader *holder
	return Case{
		ID:    id,
		Title: "a reader of " + v.Name + " does not end its transaction, ALTER TABLE waits for it, and all others for ALTER TABLE",
		Rule:  "mysql/metadata-lock",
		Kind:  "process", Name: "mariadbd|mysqld",
		Says:  `connection \d+ \(lab@127\.0\.0\.1\)`,
		Needs: v.Needs(),
		MySQL: s.names,
		Setup: s.holding(v, hundredItems),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			if reader, err = hold(ctx, e, s.db, "BEGIN", "SELECT count(*) FROM stock"); err != nil {
				return err
			}
			// ALTER TABLE must be the first in the queue.
			e.Background("ALTER TABLE", func(ctx context.Context) {
				_, _ = s.m.Query(ctx, "ALTER TABLE stock ADD note VARCHAR(10)")
			})
			return env.Until(ctx, 5*time.Second, "ALTER TABLE to wait", func() (bool, error) {
				out, err := s.m.Query(ctx, "SELECT count(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for table metadata lock%'")
				return err == nil && strings.TrimSpace(out) != "0", err
			})
		},
		Fix: func(ctx context.Context, e *env.Env) error { return reader.kill(ctx, s.m) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return load.StatementRateCutOff(ctx, s.db, 8, d, "answers/s", func(ctx context.Context, i int, c *sql.Conn) error {
				env.Sleep(ctx, 5*time.Millisecond)
				return load.RowsOf(ctx, c, fmt.Sprintf("SELECT name FROM stock WHERE id = %d", 1+i*12))
			})
		},
	}
}

// jobs makes a table that serves as a queue.
const jobs = "CREATE TABLE job (id BIGINT AUTO_INCREMENT PRIMARY KEY, work VARCHAR(40)) ENGINE=InnoDB; CREATE TABLE other (id INT PRIMARY KEY) ENGINE=InnoDB; INSERT INTO job (work) VALUES ('first')"

// oneJob puts a job into the queue and takes the oldest one out. It has to step
// over all that were deleted and are still there.
func oneJob(ctx context.Context, c *sql.Conn) error {
	if err := load.RowsOf(ctx, c, "INSERT INTO job (work) VALUES ('more')"); err != nil {
		return err
	}
	var id int64
	if err := c.QueryRowContext(ctx, "SELECT id FROM job ORDER BY id LIMIT 1").Scan(&id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	}
	return load.RowsOf(ctx, c, fmt.Sprintf("DELETE FROM job WHERE id = %d", id))
}

// deleted runs jobs until n of them have left their rows behind.
func deleted(ctx context.Context, db *sql.DB, n int, least time.Duration) error {
	list, err := load.Conns(ctx, db, 1)
	if err != nil {
		return err
	}
	defer list[0].Close()
	begun := time.Now()
	for i := 0; i < n || time.Since(begun) < least; i++ {
		if err := oneJob(ctx, list[0]); err != nil {
			return err
		}
		if i >= n {
			env.Sleep(ctx, 5*time.Millisecond)
		}
	}
	return nil
}

// longTransactionCase has a report that keeps its snapshot open beside a queue
// of jobs.
func longTransactionCase() Case {
	var s mysqlScene
	var report *holder
	return Case{
		ID:    "mysql/long-transaction",
		Title: "a report keeps its snapshot open, and the jobs deleted since stay in the way of those who take the next one",
		Rule:  "mysql/long-transaction",
		Kind:  "process", Name: "mariadbd",
		Says:  `connection \d+ \(lab@127\.0\.0\.1\) of mariadbd has a transaction open`,
		Needs: server.MariaDB10().Needs(),
		MySQL: s.names,
		Setup: s.holding(server.MariaDB10(), jobs),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			if report, err = hold(ctx, e, s.db, "START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT count(*) FROM job"); err != nil {
				return err
			}
			return deleted(ctx, s.db, 8000, 10*time.Second)
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			if err := report.kill(ctx, s.m); err != nil {
				return err
			}
			return untilPurged(ctx, s.m)
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return load.StatementRateCutOff(ctx, s.db, 2, d, "jobs/s", func(ctx context.Context, _ int, c *sql.Conn) error {
				env.Sleep(ctx, 4*time.Millisecond)
				return oneJob(ctx, c)
			})
		},
	}
}

// untilPurged waits until InnoDB has cleaned up.
func untilPurged(ctx context.Context, m *server.MySQL) error {
	return env.Until(ctx, 20*time.Second, "purge to finish", func() (bool, error) {
		out, err := m.Query(ctx, "SELECT variable_value < 500 FROM information_schema.global_status WHERE variable_name = 'innodb_history_list_length'")
		return err == nil && strings.TrimSpace(out) == "1", err
	})
}

// purgeLagCase has a backup of one table that keeps InnoDB from cleaning up
// behind all others.
func purgeLagCase() Case {
	var s mysqlScene
	var backup *holder
	return Case{
		ID:    "mysql/purge-lag",
		Title: "FLUSH TABLES ... FOR EXPORT of one table stops purge, and deleted jobs stay in the way",
		Rule:  "mysql/purge-lag",
		Kind:  "process", Name: "mariadbd",
		Needs: server.MariaDB10().Needs(),
		MySQL: s.names,
		Setup: s.holding(server.MariaDB10(), jobs),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			if backup, err = hold(ctx, e, s.db, "FLUSH TABLES other FOR EXPORT"); err != nil {
				return err
			}
			// Enough rows have to be left behind: fill and empty the table.
			for range 11 {
				if err := manyJobs(ctx, s.db, 2000); err != nil {
					return err
				}
			}
			return nil
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			if err := load.RowsOf(ctx, backup.conn, "UNLOCK TABLES"); err != nil {
				return err
			}
			return untilPurged(ctx, s.m)
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return load.StatementRateCutOff(ctx, s.db, 2, d, "jobs/s", func(ctx context.Context, _ int, c *sql.Conn) error {
				env.Sleep(ctx, time.Millisecond)
				return oneJob(ctx, c)
			})
		},
	}
}

// manyJobs puts jobs into the queue and deletes them, each in a transaction of
// its own.
func manyJobs(ctx context.Context, db *sql.DB, n int) error {
	list, err := load.Conns(ctx, db, 1)
	if err != nil {
		return err
	}
	defer list[0].Close()
	if err := load.RowsOf(ctx, list[0], "INSERT INTO job (work) SELECT 'many' FROM seq_1_to_"+fmt.Sprint(n)); err != nil {
		return err
	}
	var first, last int64
	if err := list[0].QueryRowContext(ctx, "SELECT min(id), max(id) FROM job").Scan(&first, &last); err != nil {
		return err
	}
	for id := first; id <= last; id++ {
		if err := load.RowsOf(ctx, list[0], fmt.Sprintf("DELETE FROM job WHERE id = %d", id)); err != nil {
			return err
		}
	}
	return nil
}
