package lab

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// mysqlContentionCases are about what threads of MySQL 5.6 contend for inside of
// the server, and what they burn CPU for beside their work.
func mysqlContentionCases() []Case {
	return []Case{
		tableCacheCase(),
		tableCacheSmallCase(),
		mdlContentionCase(),
		spinCase(),
		preparedPaddingCase(),
		instrumentationCase(),
	}
}

// manyTables is a test of sysbench whose statements open several of many tables
// and read none: they are all locks.
const manyTables = `sysbench.cmdline.options = {
  tables = {"number of tables", 60}, table_size = {"not used", 0}, per_statement = {"tables of a statement", 8},
  prepared = {"statements that each client prepares and executes in turns; 0: each is sent as text", 0}
}
local function statement()
  local first, list = sysbench.rand.uniform(0, sysbench.opt.tables - 1), {}
  for i = 0, sysbench.opt.per_statement - 1 do
    list[#list + 1] = "t" .. (first + i * 7) % sysbench.opt.tables .. " AS a" .. i
  end
  return "SELECT 1 FROM " .. table.concat(list, ", ") .. " WHERE 0"
end
function thread_init()
  drv = sysbench.sql.driver()
  con = drv:connect()
  statements = {}
  for i = 1, sysbench.opt.prepared do
    statements[i] = con:prepare(statement())
  end
end
function event()
  if #statements > 0 then
    statements[sysbench.rand.uniform(1, #statements)]:execute()
  else
    con:query(statement())
  end
end
`

// tablesScene is a server with many tables that many clients use.
type tablesScene struct {
	mysqlScene
	tables int
	load   sysbenchLoad
}

const (
	manyClients  = 64
	sharedTables = 60
)

// setup makes the tables and the load.
func (s *tablesScene) setup(ctx context.Context, e *Env, options ...string) error {
	if err := s.start(ctx, e, mySQL56(), options...); err != nil {
		return err
	}
	var make strings.Builder
	for i := range s.tables {
		fmt.Fprintf(&make, "CREATE TABLE t%d (id INT PRIMARY KEY);", i)
	}
	if _, err := s.m.query(ctx, make.String()); err != nil {
		return err
	}
	script := s.m.path("many-tables.lua")
	if err := os.WriteFile(script, []byte(manyTables), 0o644); err != nil {
		return fmt.Errorf("write the load: %w", err)
	}
	s.load = sysbenchLoad{Test: script, Threads: manyClients, Extra: []string{"--tables=" + strconv.Itoa(s.tables)}}
	return nil
}

func (s *tablesScene) measure(ctx context.Context, _ *Env, d time.Duration) (Measurement, error) {
	return s.m.run(ctx, Options{}, s.load, d)
}

// warm sets the server up and has it open its tables.
func (s *tablesScene) warm(ctx context.Context, e *Env, settings ...string) error {
	for _, statement := range settings {
		if _, err := s.m.query(ctx, statement); err != nil {
			return err
		}
	}
	_, err := s.measure(ctx, e, 5*time.Second)
	return err
}

// restart starts the server with other options, and warms it.
func (s *tablesScene) restart(ctx context.Context, e *Env, options []string, settings ...string) error {
	if err := s.m.restart(ctx, options...); err != nil {
		return err
	}
	return s.warm(ctx, e, settings...)
}

// asFastAsItGoes: 64 clients without a break take all CPUs of the host whenever
// nothing else holds them up, before the fault and after the fix.
var asFastAsItGoes = []string{"cpu/saturated", "cpu/context-switches"}

// tableCacheCase has one instance of the table cache for 64 clients whose
// statements do little but open many of very many tables.
func tableCacheCase() Case {
	s := &tablesScene{tables: 2000}
	options := func(instances int) []string {
		return []string{"--performance-schema=OFF", "--innodb-file-per-table=OFF", "--table-definition-cache=4000", "--metadata-locks-hash-instances=256",
			fmt.Sprintf("--table-open-cache-instances=%d", instances)}
	}
	// As an option it would be cut to half of the file descriptors, which tables of
	// InnoDB do not need.
	large := "SET GLOBAL table_open_cache = 60000"
	return Case{
		ID:    "mysql/table-cache-contention",
		Title: "64 clients queue for the one instance of MySQL 5.6's table cache",
		// A queue of threads that lost their CPU builds up over seconds.
		Window: 10 * time.Second,
		Rule:   "mysql/table-cache-contention", Kind: "process", Name: "mysqld", Says: `table_open_cache_instances is 1`,
		Withstood:   "on two CPUs, which 64 clients fill anyway, the queue takes no more than runs differ by (docs/journal/mysql-contention.md)",
		AllowOthers: asFastAsItGoes,
		Needs:       mySQL56().needs(),
		MySQL:       s.names,
		Setup: func(ctx context.Context, e *Env) error {
			if err := s.setup(ctx, e, options(8)...); err != nil {
				return err
			}
			s.load.Extra = append(s.load.Extra, "--per-statement=30", "--prepared=50")
			return s.warm(ctx, e, large)
		},
		Inject:  func(ctx context.Context, e *Env) error { return s.restart(ctx, e, options(1), large) },
		Fix:     func(ctx context.Context, e *Env) error { return s.restart(ctx, e, options(8), large) },
		Measure: s.measure,
	}
}

// tableCacheSmallCase has a table cache that closes tables to make room, below
// its mutex.
func tableCacheSmallCase() Case {
	s := &tablesScene{tables: sharedTables}
	return Case{
		ID:    "mysql/table-cache-contention+small",
		Title: "64 clients queue for MySQL 5.6's table cache, which is too small",
		Rule:  "mysql/table-cache-contention", Kind: "process", Name: "mysqld", Says: `table_open_cache is 200`,
		AllowOthers: asFastAsItGoes,
		Needs:       mySQL56().needs(),
		MySQL:       s.names,
		Setup: func(ctx context.Context, e *Env) error {
			return s.setup(ctx, e, "--performance-schema=OFF", "--table-open-cache=5000", "--table-open-cache-instances=8", "--metadata-locks-hash-instances=64")
		},
		Inject: func(ctx context.Context, _ *Env) error {
			_, err := s.m.query(ctx, "SET GLOBAL table_open_cache = 200")
			return err
		},
		Fix: func(ctx context.Context, _ *Env) error {
			_, err := s.m.query(ctx, "SET GLOBAL table_open_cache = 5000")
			return err
		},
		Measure: s.measure,
	}
}

// mdlContentionCase has one partition of the hash of metadata locks.
func mdlContentionCase() Case {
	s := &tablesScene{tables: 100}
	options := func(partitions int) []string {
		return []string{"--performance-schema=OFF", "--table-open-cache=20000", "--table-open-cache-instances=8", fmt.Sprintf("--metadata-locks-hash-instances=%d", partitions)}
	}
	return Case{
		ID:    "mysql/mdl-contention",
		Title: "64 clients queue for the one mutex of MySQL 5.6's metadata lock hash",
		// See mysql/table-cache-contention.
		Window: 10 * time.Second,
		Rule:   "mysql/mdl-contention", Kind: "process", Name: "mysqld", Says: `metadata_locks_hash_instances is 1`,
		Withstood:   "on two CPUs, which 64 clients fill anyway, the queue takes no more than runs differ by (docs/journal/mysql-contention.md)",
		AllowOthers: asFastAsItGoes,
		Needs:       mySQL56().needs(),
		MySQL:       s.names,
		Setup: func(ctx context.Context, e *Env) error {
			if err := s.setup(ctx, e, options(256)...); err != nil {
				return err
			}
			// Locks are most of what a statement does that is not parsed and opens many tables.
			s.load.Extra = append(s.load.Extra, "--per-statement=30", "--prepared=50")
			return s.warm(ctx, e)
		},
		Inject:  func(ctx context.Context, e *Env) error { return s.restart(ctx, e, options(1)) },
		Fix:     func(ctx context.Context, e *Env) error { return s.restart(ctx, e, options(256)) },
		Measure: s.measure,
	}
}

// spinCase has threads wait for mutexes of InnoDB in pauses that are 1,600 times
// as long as by default.
func spinCase() Case {
	load := sysbenchLoad{Test: "oltp_update_non_index", Threads: 32, Rows: 100_000, Extra: []string{"--rand-type=uniform"}}
	s := &mysqlScene{}
	delay := func(n int) func(context.Context, *Env) error {
		return func(ctx context.Context, _ *Env) error {
			_, err := s.m.query(ctx, fmt.Sprintf("SET GLOBAL innodb_spin_wait_delay = %d", n))
			return err
		}
	}
	return Case{
		ID:    "mysql/spin-waste",
		Title: "MySQL 5.6 with innodb_spin_wait_delay = 10000 updates rows from memory",
		Rule:  "mysql/spin-waste", Kind: "process", Name: "mysqld", Says: `innodb_spin_wait_delay is 10000`,
		AllowOthers: asFastAsItGoes,
		Needs:       mySQL56().needs(),
		MySQL:       s.names,
		Setup: func(ctx context.Context, e *Env) error {
			if err := s.start(ctx, e, mySQL56(), "--performance-schema=OFF"); err != nil {
				return err
			}
			return s.m.prepare(ctx, nil, load)
		},
		Inject: delay(10_000), Fix: delay(6),
		Measure: func(ctx context.Context, e *Env, d time.Duration) (Measurement, error) {
			return s.m.run(ctx, Options{}, load, d)
		},
	}
}

// sums is a test of sysbench whose statements read 2,000 rows each, every one an
// event for the performance schema.
const sums = `sysbench.cmdline.options = {
  tables = {"number of tables", 1}, table_size = {"rows", 10000}
}
function thread_init()
  drv = sysbench.sql.driver()
  con = drv:connect()
end
function event()
  local from = sysbench.rand.uniform(1, sysbench.opt.table_size - 2000)
  con:query("SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN " .. from .. " AND " .. from + 1999)
end
`

// instrumentationCase switches on every instrument and every consumer, with
// timers.
func instrumentationCase() Case {
	load := sysbenchLoad{Test: "oltp_point_select", Threads: 2, Rows: 10_000}
	s := &mysqlScene{}
	return Case{
		ID:    "mysql/instrumentation-cost",
		Title: "MySQL 5.6 sums rows with all instruments and consumers of its performance schema",
		Rule:  "mysql/instrumentation-cost", Kind: "process", Name: "mysqld",
		Needs: mySQL56().needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *Env) error {
			if err := s.start(ctx, e, mySQL56(), "--performance-schema=ON"); err != nil {
				return err
			}
			if err := s.m.prepare(ctx, nil, load); err != nil {
				return err
			}
			load.Test = s.m.path("sums.lua")
			if err := os.WriteFile(load.Test, []byte(sums), 0o644); err != nil {
				return fmt.Errorf("write the load: %w", err)
			}
			return s.instruments(ctx, false)
		},
		Inject: func(ctx context.Context, _ *Env) error { return s.instruments(ctx, true) },
		Fix:    func(ctx context.Context, _ *Env) error { return s.instruments(ctx, false) },
		Measure: func(ctx context.Context, e *Env, d time.Duration) (Measurement, error) {
			return s.m.run(ctx, Options{}, load, d)
		},
	}
}

// instruments switches those of waits and stages, and what keeps their events.
func (s *mysqlScene) instruments(ctx context.Context, on bool) error {
	word := "NO"
	if on {
		word = "YES"
	}
	_, err := s.m.query(ctx, fmt.Sprintf("UPDATE performance_schema.setup_instruments SET enabled = '%[1]s', timed = '%[1]s' WHERE name LIKE 'wait/%%' OR name LIKE 'stage/%%'; "+
		"UPDATE performance_schema.setup_consumers SET enabled = '%[1]s' WHERE name LIKE 'events_waits%%' OR name LIKE 'events_stages%%' OR name LIKE '%%history%%'", word))
	return err
}

// padded is an IN list of so many markers with blanks between them, and values
// for it.
func padded(markers, blanks int) (string, []any) {
	values := make([]any, markers)
	for i := range values {
		values[i] = int64(100_000_000_000_000 + i)
	}
	return "SELECT id FROM large WHERE id IN (" + strings.Repeat("?,"+strings.Repeat(" ", blanks), markers-1) + "?)", values
}

// preparedPaddingCase has the server prepare an IN list of many markers with
// blanks between them while the slow log wants its text.
func preparedPaddingCase() Case {
	const markers, blanks = 10_000, 128
	s := &mysqlScene{}
	var prepared *sql.DB
	switched := func(on bool) func(context.Context, *Env) error {
		return func(ctx context.Context, _ *Env) error {
			_, err := s.m.query(ctx, fmt.Sprintf("SET GLOBAL slow_query_log = %t", on))
			return err
		}
	}
	text, values := padded(markers, blanks)
	return Case{
		ID:    "mysql/prepared-padding",
		Title: "MySQL 5.6 puts 10,000 parameters into a padded text for its slow log",
		Rule:  "mysql/prepared-padding", Kind: "process", Name: "mysqld",
		Needs: mySQL56().needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *Env) error {
			if err := s.start(ctx, e, mySQL56(), "--performance-schema=OFF", "--max-allowed-packet=64M", "--long-query-time=10"); err != nil {
				return err
			}
			if _, err := s.m.query(ctx, "CREATE TABLE large (id BIGINT PRIMARY KEY, c VARCHAR(50))"); err != nil {
				return err
			}
			var err error
			prepared, err = s.m.openPreparing()
			return err
		},
		Inject: switched(true), Fix: switched(false),
		Measure: func(ctx context.Context, _ *Env, d time.Duration) (Measurement, error) {
			st, err := prepared.PrepareContext(ctx, text)
			if err != nil {
				return Measurement{}, fmt.Errorf("prepare %d markers: %w", markers, err)
			}
			defer st.Close()
			begun, n := time.Now(), 0
			for n == 0 || time.Since(begun) < d {
				rows, err := st.QueryContext(ctx, values...)
				if err != nil {
					return Measurement{}, fmt.Errorf("execute with %d parameters: %w", markers, err)
				}
				for rows.Next() {
				}
				if err := rows.Err(); err != nil {
					return Measurement{}, err
				}
				n++
				sleep(ctx, 20*time.Millisecond)
			}
			return Measurement{Value: float64(time.Since(begun).Milliseconds())/float64(n) - 20, Unit: "ms each", LowerBetter: true,
				Detail: fmt.Sprintf("%d executions of %d bytes", n, len(text))}, nil
		},
	}
}

// openPreparing gives connections whose statements are prepared in the server.
func (m *mysqlServer) openPreparing() (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = "lab", "unix", m.socket, "lab"
	c.MaxAllowedPacket = 64 << 20
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("configure connections to %s: %w", m.version.name, err)
	}
	db := sql.OpenDB(connector)
	m.env.Defer("connections that prepare in "+m.version.name, db.Close)
	return db, nil
}
