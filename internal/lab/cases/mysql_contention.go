package cases

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
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
  names = {"file with the names of the tables, one a line", ""}, table_size = {"not used", 0}, tables = {"not used", 0},
  per_statement = {"tables of a statement", 8},
  prepared = {"statements that each client prepares and executes in turns; 0: each is sent as text", 0}
}
local function statement()
  local first, list = sysbench.rand.uniform(0, #names - 1), {}
  for i = 0, sysbench.opt.per_statement - 1 do
    list[#list + 1] = names[(first + i * 7) % #names + 1] .. " AS a" .. i
  end
  return "SELECT 1 FROM " .. table.concat(list, ", ") .. " WHERE 0"
end
function thread_init()
  names = {}
  for name in io.lines(sysbench.opt.names) do
    names[#names + 1] = name
  end
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
	tables []string
	load   load.Sysbench
}

// forTables adds what servers with very many tables have in common.
func forTables(options []string) []string {
	return append([]string{"--performance-schema=OFF", "--innodb-file-per-table=OFF", "--table-definition-cache=4000"}, options...)
}

// setup makes the tables and the load.
func (s *tablesScene) setup(ctx context.Context, e *env.Env, clients int, options ...string) error {
	if err := s.start(ctx, e, server.MySQL56(), forTables(options)...); err != nil {
		return err
	}
	var make strings.Builder
	for _, name := range s.tables {
		fmt.Fprintf(&make, "CREATE TABLE %s (id INT PRIMARY KEY);", name)
	}
	if _, err := s.m.Query(ctx, make.String()); err != nil {
		return err
	}
	script, names := s.m.Path("many-tables.lua"), s.m.Path("tables")
	if err := os.WriteFile(script, []byte(manyTables), 0o644); err != nil {
		return fmt.Errorf("write the load: %w", err)
	}
	if err := os.WriteFile(names, []byte(strings.Join(s.tables, "\n")+"\n"), 0o644); err != nil {
		return fmt.Errorf("write the names of tables: %w", err)
	}
	s.load = load.Sysbench{Test: script, Threads: clients, Extra: []string{"--names=" + names}}
	return nil
}

func (s *tablesScene) measure(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
	return s.load.Run(ctx, e, env.Options{}, s.m.Address(), d)
}

// warm makes room for all tables that all clients open, and has them opened.
func (s *tablesScene) warm(ctx context.Context, e *env.Env) error {
	// As an option it would be cut to half of the file descriptors, which tables of
	// InnoDB do not need.
	if _, err := s.m.Query(ctx, "SET GLOBAL table_open_cache = 120000"); err != nil {
		return err
	}
	_, err := s.measure(ctx, e, 5*time.Second)
	return err
}

// restart starts the server with other options, and warms it.
func (s *tablesScene) restart(ctx context.Context, e *env.Env, options ...string) error {
	if err := s.m.Restart(ctx, forTables(options)...); err != nil {
		return err
	}
	return s.warm(ctx, e)
}

// asFastAsItGoes: clients without a break take all CPUs of the host whenever
// nothing else holds them up, before the fault and after the fix.
var asFastAsItGoes = []string{"cpu/saturated", "cpu/context-switches"}

// tableCacheCase has one instance of the table cache for clients whose
// statements do little but open many of very many tables. What keeps the mutex
// busy on servers with many CPUs is here a chain of all tables in the cache's
// hash: to find one below the mutex takes longer than all else that is done for
// it.
func tableCacheCase() Case {
	s := &tablesScene{}
	instances := func(n int) []string {
		return []string{"--metadata-locks-hash-instances=251", fmt.Sprintf("--table-open-cache-instances=%d", n)}
	}
	return Case{
		ID:    "mysql/table-cache-contention",
		Title: "16 clients queue for the one instance of MySQL 5.6's table cache",
		Rule:  "mysql/table-cache-contention", Kind: "process", Name: "mysqld", Says: `table_open_cache_instances is 1`,
		AllowOthers: asFastAsItGoes,
		Needs:       server.MySQL56().Needs(),
		MySQL:       s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			s.tables = tablesOfOneBucket(1000, "")
			if err := s.setup(ctx, e, 16, instances(16)...); err != nil {
				return err
			}
			s.load.Extra = append(s.load.Extra, "--per-statement=30", "--prepared=50")
			return s.warm(ctx, e)
		},
		Inject:  func(ctx context.Context, e *env.Env) error { return s.restart(ctx, e, instances(1)...) },
		Fix:     func(ctx context.Context, e *env.Env) error { return s.restart(ctx, e, instances(16)...) },
		Measure: s.measure,
	}
}

// tableCacheSmallCase has a table cache that closes tables to make room, below
// its mutex.
func tableCacheSmallCase() Case {
	s := &tablesScene{}
	return Case{
		ID:    "mysql/table-cache-contention+small",
		Title: "64 clients queue for MySQL 5.6's table cache, which is too small",
		Rule:  "mysql/table-cache-contention", Kind: "process", Name: "mysqld", Says: `table_open_cache is 200`,
		AllowOthers: asFastAsItGoes,
		Needs:       server.MySQL56().Needs(),
		MySQL:       s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			for i := range 60 {
				s.tables = append(s.tables, fmt.Sprintf("t%d", i))
			}
			return s.setup(ctx, e, 64, "--table-open-cache=5000", "--table-open-cache-instances=8", "--metadata-locks-hash-instances=64")
		},
		Inject:  querying(&s.m, "SET GLOBAL table_open_cache = 200"),
		Fix:     querying(&s.m, "SET GLOBAL table_open_cache = 5000"),
		Measure: s.measure,
	}
}

// mdlContentionCase has one partition of the hash of metadata locks, in which
// the locks of all tables form one chain: see tableCacheCase.
func mdlContentionCase() Case {
	s := &tablesScene{}
	partitions := func(n int) []string {
		return []string{"--table-open-cache-instances=64", fmt.Sprintf("--metadata-locks-hash-instances=%d", n)}
	}
	return Case{
		ID:    "mysql/mdl-contention",
		Title: "32 clients queue for the one mutex of MySQL 5.6's metadata lock hash",
		Rule:  "mysql/mdl-contention", Kind: "process", Name: "mysqld", Says: `metadata_locks_hash_instances is 1`,
		AllowOthers: asFastAsItGoes,
		Needs:       server.MySQL56().Needs(),
		MySQL:       s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			s.tables = tablesOfOneBucket(1000, mdlTable)
			if err := s.setup(ctx, e, 32, partitions(251)...); err != nil {
				return err
			}
			// Locks are most of what a statement does that is not parsed and opens many tables.
			s.load.Extra = append(s.load.Extra, "--per-statement=60", "--prepared=50")
			return s.warm(ctx, e)
		},
		Inject:  func(ctx context.Context, e *env.Env) error { return s.restart(ctx, e, partitions(1)...) },
		Fix:     func(ctx context.Context, e *env.Env) error { return s.restart(ctx, e, partitions(251)...) },
		Measure: s.measure,
	}
}

// spinCase has threads wait for mutexes of InnoDB in pauses that are 1,600 times
// as long as by default.
func spinCase() Case {
	test := load.Sysbench{Test: "oltp_update_non_index", Threads: 32, Rows: 100_000, Extra: []string{"--rand-type=uniform"}}
	s := &mysqlScene{}
	delay := func(n int) step {
		return func(ctx context.Context, _ *env.Env) error {
			_, err := s.m.Query(ctx, fmt.Sprintf("SET GLOBAL innodb_spin_wait_delay = %d", n))
			return err
		}
	}
	return Case{
		ID:    "mysql/spin-waste",
		Title: "MySQL 5.6 with innodb_spin_wait_delay = 10000 updates rows from memory",
		Rule:  "mysql/spin-waste", Kind: "process", Name: "mysqld", Says: `innodb_spin_wait_delay is 10000`,
		AllowOthers: asFastAsItGoes,
		Needs:       server.MySQL56().Needs(),
		MySQL:       s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, server.MySQL56(), "--performance-schema=OFF"); err != nil {
				return err
			}
			return test.Prepare(ctx, e, nil, s.m.Address())
		},
		Inject: delay(10_000), Fix: delay(6),
		Measure: s.sysbench(&test),
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
	test := load.Sysbench{Test: "oltp_point_select", Threads: 2, Rows: 10_000}
	s := &mysqlScene{}
	return Case{
		ID:    "mysql/instrumentation-cost",
		Title: "MySQL 5.6 sums rows with all instruments and consumers of its performance schema",
		Rule:  "mysql/instrumentation-cost", Kind: "process", Name: "mysqld",
		Needs: server.MySQL56().Needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, server.MySQL56(), "--performance-schema=ON"); err != nil {
				return err
			}
			if err := test.Prepare(ctx, e, nil, s.m.Address()); err != nil {
				return err
			}
			test.Test = s.m.Path("sums.lua")
			if err := os.WriteFile(test.Test, []byte(sums), 0o644); err != nil {
				return fmt.Errorf("write the load: %w", err)
			}
			return s.instruments(ctx, false)
		},
		Inject:  func(ctx context.Context, _ *env.Env) error { return s.instruments(ctx, true) },
		Fix:     func(ctx context.Context, _ *env.Env) error { return s.instruments(ctx, false) },
		Measure: s.sysbench(&test),
	}
}

// instruments switches those of waits and stages, and what keeps their events.
func (s *mysqlScene) instruments(ctx context.Context, on bool) error {
	word := "NO"
	if on {
		word = "YES"
	}
	_, err := s.m.Query(ctx, fmt.Sprintf("UPDATE performance_schema.setup_instruments SET enabled = '%[1]s', timed = '%[1]s' WHERE name LIKE 'wait/%%' OR name LIKE 'stage/%%'; "+
		"UPDATE performance_schema.setup_consumers SET enabled = '%[1]s' WHERE name LIKE 'events_waits%%' OR name LIKE 'events_stages%%' OR name LIKE '%%history%%'", word))
	return err
}
