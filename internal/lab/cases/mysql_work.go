package cases

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// mysqlWorkCases are about the work that statements make, and about what they
// wait for in their own server.
func mysqlWorkCases() []Case {
	return []Case{
		fullScanCase("", server.MariaDB10(), "mariadbd", false),
		fullScanCase("digests", server.MySQL9(), "mysqld", false),
		fullScanCase("prepared", server.MariaDB10(), "mariadbd", true, "--performance-schema=ON"),
		fullScanCase("prepared97", server.MySQL9(), "mysqld", true),
		slowLogCase("", server.MariaDB10()),
		slowLogCase("mysql", server.MySQL9()),
		fullScanFromDisk(),
		tmpDiskCase("", server.MariaDB10(), "mariadbd", "--performance-schema=ON"),
		tmpDiskCase("counters", server.MariaDB10(), "mariadbd"),
		sortCase("", server.MariaDB10(), "mariadbd", "--performance-schema=ON"),
		sortCase("counters", server.MariaDB10(), "mariadbd"),
		bufferPoolCase(),
		commitFlushCase(),
		missingTablesCase("", server.MySQL9(), "mysqld"),
		missingTablesCase("mariadb", server.MariaDB10(), "mariadbd"),
		controlMySQLFullSpeed("", server.MariaDB10()),
		controlMySQLFullSpeed("digests", server.MySQL9()),
		controlMySQLAddIndex("", server.MariaDB10()),
		controlMySQLAddIndex("mysql97", server.MySQL9()),
		controlMySQLDump(),
	}
}

// mysqlScene is one server on the host, asked over its socket, and a load.
type mysqlScene struct {
	m  *server.MySQL
	db *sql.DB
}

// names is what --mysql is given.
func (s *mysqlScene) names() []string { return s.m.BySocket() }

// variant is the ID of a case that a rule has several of.
func variant(id, name string) string {
	if name == "" {
		return id
	}
	return id + "+" + name
}

// notes fills a table of so many rows with pseudo-random text, from itself,
// which every server can.
func notes(ctx context.Context, m *server.MySQL, rows int, body string, repeat int) error {
	if _, err := m.Query(ctx, "CREATE TABLE note (id INT PRIMARY KEY AUTO_INCREMENT, code CHAR(32) NOT NULL, grp INT NOT NULL, body "+body+
		fmt.Sprintf("); INSERT INTO note (code, grp, body) VALUES ('%s', 1, REPEAT('%s', %d))", code(1), code(1), repeat)); err != nil {
		return err
	}
	for n := 1; n < rows; n *= 2 {
		if _, err := m.Query(ctx, fmt.Sprintf("INSERT INTO note (code, grp, body) SELECT LEFT(SHA2(id + %d, 256), 32), id %% 997, REPEAT(LEFT(SHA2(id + %d, 256), 32), %d) FROM note LIMIT %d",
			n, n, repeat, rows-n)); err != nil {
			return err
		}
	}
	_, err := m.Query(ctx, "ANALYZE TABLE note")
	return err
}

// code is what notes calls a row, as LEFT(SHA2(i, 256), 32) makes it: MySQL 9
// has no MD5.
func code(i int64) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strconv.FormatInt(i, 10))))[:32]
}

// asking measures statements of n connections that each take a break before the
// next one.
func (s *mysqlScene) asking(n int, pause time.Duration, statement func(i int64) string) measure {
	return func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
		var asked atomic.Int64
		return load.StatementRate(ctx, s.db, n, d, "answers/s", func(ctx context.Context, _ int, c *sql.Conn) error {
			env.Sleep(ctx, pause)
			return load.RowsOf(ctx, c, statement(asked.Add(1)))
		})
	}
}

// askingPrepared is asking for one statement that each connection prepares in the
// server, keeps, and executes with another value each time.
func (s *mysqlScene) askingPrepared(n int, pause time.Duration, text string, value func(i int64) any) measure {
	return func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
		var asked atomic.Int64
		statements := make([]*sql.Stmt, n) // of each connection, which takes it along when it ends
		return load.StatementRate(ctx, s.db, n, d, "answers/s", func(ctx context.Context, i int, c *sql.Conn) (err error) {
			if statements[i] == nil {
				if statements[i], err = c.PrepareContext(ctx, text); err != nil {
					return err
				}
			}
			env.Sleep(ctx, pause)
			rows, err := statements[i].QueryContext(ctx, value(asked.Add(1)))
			if err != nil {
				return err
			}
			return load.ReadAll(rows)
		})
	}
}

// holding sets a server up whose tables statements make.
func (s *mysqlScene) holding(v server.MySQLVersion, statements string) step {
	return func(ctx context.Context, e *env.Env) error {
		if err := s.start(ctx, e, v); err != nil {
			return err
		}
		_, err := s.m.Query(ctx, statements)
		return err
	}
}

func (s *mysqlScene) start(ctx context.Context, e *env.Env, v server.MySQLVersion, options ...string) (err error) {
	if s.m, err = server.StartMySQL(ctx, e, v, env.End{}, options...); err != nil {
		return err
	}
	s.db, err = load.OpenMySQL(e, nil, s.m.Address())
	return err
}

// fullScanCase drops the index that a filter needs, of statements that are sent
// as text or prepared in the server.
func fullScanCase(name string, v server.MySQLVersion, process string, prepared bool, options ...string) Case {
	return (&mysqlScene{}).fullScan(name, v, process, prepared, options...)
}

func (s *mysqlScene) fullScan(name string, v server.MySQLVersion, process string, prepared bool, options ...string) Case {
	const rows = 20_000
	const text = "SELECT id, body FROM note WHERE code = "
	c := Case{
		ID:    variant("mysql/full-scan", name),
		Title: v.Name + " finds rows by a column without an index",
		Rule:  "mysql/full-scan", Kind: "process", Name: process, Says: `index on \((?i:code)\)`,
		Needs: v.Needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, v, options...); err != nil {
				return err
			}
			if err := notes(ctx, s.m, rows, "VARCHAR(200)", 3); err != nil {
				return err
			}
			_, err := s.m.Query(ctx, "ALTER TABLE note ADD INDEX code (code)")
			return err
		},
		Inject:  querying(&s.m, "ALTER TABLE note DROP INDEX code"),
		Fix:     querying(&s.m, "ALTER TABLE note ADD INDEX (code)"),
		Measure: s.asking(2, 5*time.Millisecond, func(i int64) string { return text + "'" + code(i%rows) + "'" }),
	}
	if prepared {
		c.Title += ", by prepared statements"
		c.Measure = s.askingPrepared(2, 5*time.Millisecond, text+"?", func(i int64) any { return code(i % rows) })
	}
	return c
}

// slowLogCase drops the same index, and gives rtrail nothing but the slow query
// log, which is emptied with the fault and with the fix.
func slowLogCase(name string, v server.MySQLVersion) Case {
	s := &mysqlScene{}
	c := s.fullScan(name, v, "", false, "--long-query-time=0")
	c.ID, c.Rule, c.Kind, c.Name = variant("mysql/slow-statements", name), "mysql/slow-statements", "statement", "(?i:select .*)"
	c.Title = v.Name + " logs statements that lack an index"
	c.MySQL = nil
	var log string
	logged := func(part string, step func(context.Context, *env.Env) error) step {
		return func(ctx context.Context, e *env.Env) error {
			if err := step(ctx, e); err != nil {
				return err
			}
			log = filepath.Join(s.m.Dir, "slow-"+part+".log")
			_, err := s.m.Query(ctx, fmt.Sprintf("SET GLOBAL slow_query_log_file = '%s'; SET GLOBAL slow_query_log = ON", log))
			return err
		}
	}
	c.Setup, c.Inject, c.Fix = logged("before", c.Setup), logged("under", c.Inject), logged("after", c.Fix)
	c.Log = func() string { return log }
	return c
}

// tmpDiskCase groups by a TEXT column, which MariaDB's memory tables cannot
// have, and then by a short one.
func tmpDiskCase(name string, v server.MySQLVersion, process string, options ...string) Case {
	const rows = 4000
	s := &mysqlScene{}
	var long atomic.Bool
	return Case{
		ID:    variant("mysql/tmp-disk-tables", name),
		Title: v.Name + " groups by a TEXT column",
		Rule:  "mysql/tmp-disk-tables", Kind: "process", Name: process,
		Needs: v.Needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, v, options...); err != nil {
				return err
			}
			return notes(ctx, s.m, rows, "TEXT", 3)
		},
		Inject: doing(func() { long.Store(true) }),
		Fix:    doing(func() { long.Store(false) }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return s.asking(2, 5*time.Millisecond, func(int64) string {
				if long.Load() {
					return "SELECT body, COUNT(*) FROM note WHERE id > 0 GROUP BY body LIMIT 10"
				}
				return "SELECT grp, COUNT(*) FROM note WHERE id > 0 GROUP BY grp LIMIT 10"
			})(ctx, e, d)
		},
	}
}

// sortCase sorts more rows than the buffer holds.
func sortCase(name string, v server.MySQLVersion, process string, options ...string) Case {
	const rows = 10_000
	s := &mysqlScene{}
	return Case{
		ID:    variant("mysql/sort", name),
		Title: v.Name + " sorts with a buffer of 32 KiB",
		Rule:  "mysql/sort", Kind: "process", Name: process, Says: `do not fit their buffer`,
		Needs: v.Needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, v, append(options, "--sort-buffer-size=16M")...); err != nil {
				return err
			}
			return notes(ctx, s.m, rows, "VARCHAR(200)", 3)
		},
		Inject: func(ctx context.Context, _ *env.Env) error { return s.sortBuffer(ctx, "32768") },
		Fix:    func(ctx context.Context, _ *env.Env) error { return s.sortBuffer(ctx, "16777216") },
		Measure: s.asking(2, 5*time.Millisecond, func(i int64) string {
			// Few rows are asked for: sending all of them would take longer than sorting them.
			return fmt.Sprintf("SELECT id, code, body FROM note WHERE id > %d ORDER BY code LIMIT 500", i%100)
		}),
	}
}

// sortBuffer sets it for connections that are made from now on.
func (s *mysqlScene) sortBuffer(ctx context.Context, bytes string) error {
	_, err := s.m.Query(ctx, "SET GLOBAL sort_buffer_size = "+bytes)
	s.db.SetMaxIdleConns(0)
	return err
}

// missingTablesCase has sysbench ask for twice the tables that exist, and
// ignore errors.
func missingTablesCase(name string, v server.MySQLVersion, process string) Case {
	// Four connections at a pace that leaves the CPUs half idle. MariaDB counts a
	// look for a missing table only when two look for it at once.
	const tables = 4
	test := load.Sysbench{Test: "oltp_point_select", Threads: 4, Rate: 3000, Rows: 2000, Extra: []string{
		"--db-ps-mode=disable", "--skip-trx=on", "--mysql-ignore-errors=all", fmt.Sprintf("--tables=%d", tables)}}
	s := &mysqlScene{}
	asked := tables
	return Case{
		ID:    variant("mysql/opening-missing-tables", name),
		Title: "sysbench asks " + v.Name + " for twice the tables that exist, and ignores errors",
		Rule:  "mysql/opening-missing-tables", Kind: "process", Name: process, Says: `tables? .*not exist|sbtest`,
		Needs: v.Needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, v); err != nil {
				return err
			}
			return test.Prepare(ctx, e, nil, s.m.Address())
		},
		Inject: doing(func() { asked = 2 * tables }),
		Fix:    doing(func() { asked = tables }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			l := test
			l.Extra = append(slices.Clone(test.Extra), fmt.Sprintf("--tables=%d", asked))
			return l.RunErrors(ctx, e, env.Options{}, s.m.Address(), d)
		},
	}
}

// controlMySQLFullSpeed reads single rows from memory as fast as one connection
// less than there are CPUs can: the load shares them with the server, and with
// one more both queue for them, which rtrail would say.
func controlMySQLFullSpeed(name string, v server.MySQLVersion) Case {
	test := load.Sysbench{Test: "oltp_point_select", Threads: max(runtime.NumCPU()-1, 1), Rows: 10_000}
	s := &mysqlScene{}
	return Case{
		ID:    variant("control/mysql-full-speed", name),
		Title: "point selects from the memory of " + v.Name + " as fast as they go",
		Needs: v.Needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, v); err != nil {
				return err
			}
			return test.Prepare(ctx, e, nil, s.m.Address())
		},
		Measure: s.sysbench(&test),
	}
}
