package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/bench/load"
	"rtrail/internal/bench/matrix"
	"rtrail/internal/escape"
	"rtrail/internal/mysqlconn"
)

// benchMySQL is what `rtrail bench mysql` was asked to do.
type benchMySQL struct {
	benchFlags
	scenarios []string
	user      string
	database  string
	extra     []string
	// statements is the protocol of an open loop.
	statements string
	prepare    bool
	ask        bool
	adminPort  int
}

func newBenchMySQLCommand() *cobra.Command {
	b := benchMySQL{benchFlags: newBenchFlags("mysql")}
	cmd := &cobra.Command{
		Use:   "mysql -o DIR --target HOST:PORT",
		Short: "Load a MySQL server by sysbench, or at a given rate",
		Long: `Loads a MySQL server step by step, and says what limits each step.

--threads is a closed loop by sysbench: so many clients, each of which waits for
its answer before it asks again. --rates is an open loop by rtrail itself: point
selects begin at a given rate, whatever the server does, and their times count
from when they were to begin, so that a stall counts for all it keeps waiting.

Each step records this host, asks the server, captures the requests, and is
judged as by "rtrail diagnose" over exactly the measured seconds. A step is
invalid, and says why, if errors were ignored, the load generator was hot, or
the load did not become steady. The folder has plan.yaml, runs.jsonl and a
recording per step; the same command goes on where it was stopped.

Only what --target names is loaded, at most --max-rate transactions a second and
--max-time in all. The password comes from ~/.my.cnf, or from a prompt with
--ask-password; sysbench gets it through a pipe.

Rows are chosen uniformly: sysbench's own default hits 1 % of them in 75 % of
the cases and so measures their locks. --sysbench=--rand-type=special has that.`,
		Example: `  rtrail bench mysql -o runs --target db1:3306 --user sb --prepare \
      --scenario point_select,read_write --threads 1,8,16,32,64 --repeats 5
  rtrail bench mysql -o runs --plan plan.yaml --target a:3306 --target b:3306`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := b.resolve(cmd); err != nil {
				return err
			}
			return b.start(cmd)
		},
	}
	b.add(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&b.scenarios, "scenario", []string{"point_select"}, "point_select, read_only, read_write, write_only, or a Lua file")
	f.StringVar(&b.user, "user", "", "account of the server (default: that of ~/.my.cnf)")
	f.BoolVar(&b.ask, "ask-password", false, "ask for its password on the terminal")
	f.IntVar(&b.adminPort, "mysql-admin-port", 0, "the servers' administration port, where rtrail asks them if they are full or stuck")
	f.StringVar(&b.database, "database", "sbtest", "database with the tables")
	f.IntVar(&b.plan.Tables, "tables", 16, "tables sbtest1, sbtest2, ...")
	f.IntVar(&b.plan.Rows, "rows", 100_000, "rows of each table")
	f.StringVar(&b.statements, "statements", preparedStatements, "with --rates: prepared or text")
	f.IntVar(&b.plan.Connections, "connections", load.DefaultConnections, "with --rates: connections at most")
	f.BoolVar(&b.prepare, "prepare", false, "fill the tables by sysbench if they are not there")
	f.StringArrayVar(&b.extra, "sysbench", nil, "one more argument of sysbench; repeatable")
	return cmd
}

// resolve makes the plan.
func (b *benchMySQL) resolve(cmd *cobra.Command) error {
	if err := b.benchFlags.resolve(cmd); err != nil {
		return err
	}
	given := cmd.Flags().Changed
	p := &b.plan
	if given("scenario") || len(p.Scenarios) == 0 {
		p.Scenarios = b.scenarios
	}
	if given("user") || p.User == "" {
		p.User = b.user
	}
	if given("database") || p.Database == "" {
		p.Database = b.database
	}
	if given("sysbench") {
		p.Sysbench = b.extra
	}
	if given("prepare") {
		p.Prepare = b.prepare
	}
	if err := checkUser(p.User); err != nil {
		return err
	}
	if given("statements") || p.Statements == "" {
		p.Statements = b.statements
	}
	if p.Statements != preparedStatements && p.Statements != textStatements {
		return usageError("--statements %q: it takes prepared or text", p.Statements)
	}
	if err := checkAdminPort(b.adminPort); err != nil {
		return err
	}
	if p.Tables < 1 || p.Rows < 1 {
		return usageError("--tables and --rows: at least 1")
	}
	return b.check()
}

func (b *benchMySQL) start(cmd *cobra.Command) error {
	servers := map[string]mysqlconn.Target{}
	for _, e := range b.plan.Environments {
		t, err := targetOf(e.Target, b.plan.User, b.ask, mysqlconn.Options{AdminPort: b.adminPort})
		if err != nil {
			return err
		}
		servers[e.Name] = t
	}
	m := &matrix.Bench{
		Driver: func(s *matrix.Step) (load.Driver, error) {
			return b.driver(s.Scenario, s.Level, servers[s.Environment.Name]), nil
		},
		Sources: func(s *matrix.Step) (matrix.Sources, error) {
			t := servers[s.Environment.Name]
			return benchSources(cmd.Context(), s.Environment.Target, b.iface, &t)
		},
		Ready: func(ctx context.Context, e *matrix.Environment) error {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			c, err := servers[e.Name].Connect(ctx, nil)
			if err != nil {
				return err
			}
			defer c.Close()
			return c.Ping(ctx)
		},
	}
	m.Prepare = func(ctx context.Context, e *matrix.Environment) (map[string]string, error) {
		return b.look(ctx, m, e, servers[e.Name])
	}
	steps := b.plan.Steps()
	for i := range steps {
		err := b.driver(steps[i].Scenario, steps[i].Level, servers[steps[i].Environment.Name]).Check()
		if errors.Is(err, load.ErrNoSysbench) {
			return err
		}
		if err != nil {
			return usageError("%v", err)
		}
	}
	return b.run(cmd.Context(), m, cmd.OutOrStdout(), cmd.ErrOrStderr())
}

// driver is what makes the load of a level.
func (b *benchMySQL) driver(scenario string, level load.Level, t mysqlconn.Target) interface {
	load.Driver
	Check() error
} {
	p := &b.plan
	if level.Rate <= 0 {
		return b.sysbench(scenario, t)
	}
	return &load.OpenMySQL{Scenario: scenario, Server: t, Database: p.Database, Tables: p.Tables, Rows: p.Rows, Text: p.Statements == textStatements, Connections: p.Connections, Warmup: p.Warmup, Seconds: p.Seconds}
}

// The protocols of statements.
const (
	preparedStatements = "prepared"
	textStatements     = "text"
)

// checkUser refuses what is more than the name of an account.
func checkUser(user string) error {
	if strings.ContainsAny(user, ":@ ") {
		return usageError("--user %q: only the name of the account; its password comes from ~/.my.cnf or --ask-password", strings.SplitN(user, ":", 2)[0])
	}
	return nil
}

// targetOf is the server that --target names, with the password of option files or of a prompt.
func targetOf(target, user string, ask bool, o mysqlconn.Options) (mysqlconn.Target, error) {
	if user != "" {
		target = user + "@" + target
	}
	t, err := mysqlconn.Parse(target, mysqlconn.ReadOptionFiles("/", os.Getenv), o)
	if err != nil {
		return t, usageError("--target: %v", err)
	}
	if ask {
		t.Password, err = askPassword(t)
	}
	return t, err
}

func (b *benchMySQL) sysbench(scenario string, t mysqlconn.Target) *load.Sysbench {
	p := &b.plan
	return &load.Sysbench{Scenario: scenario, Server: t, Database: p.Database, Tables: p.Tables, Rows: p.Rows, Warmup: p.Warmup, Seconds: p.Seconds, Extra: p.Sysbench}
}

// told are the variables that runs which are compared should have in common.
const told = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'version_comment', 'innodb_buffer_pool_size',
	'innodb_flush_log_at_trx_commit', 'innodb_flush_method', 'innodb_redo_log_capacity', 'innodb_log_file_size', 'sync_binlog', 'log_bin',
	'innodb_doublewrite', 'innodb_io_capacity', 'thread_handling', 'transaction_isolation', 'tx_isolation', 'performance_schema')`

// Errors of servers.
const (
	noDatabase = 1049
	noTable    = 1146
)

// look asks a server for its settings, and for its tables, which it fills if it may.
func (b *benchMySQL) look(ctx context.Context, m *matrix.Bench, e *matrix.Environment, t mysqlconn.Target) (map[string]string, error) {
	asking, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c, err := t.Connect(asking, nil)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r, err := c.Query(asking, told)
	if err != nil {
		return nil, fmt.Errorf("ask for its settings: %w", err)
	}
	settings := map[string]string{}
	for row := range r.Rows() {
		settings[row.At(0)] = row.At(1)
	}
	there := 0
	for i := 1; i <= b.plan.Tables; i++ {
		table := "sbtest" + strconv.Itoa(i)
		r, err := c.Query(asking, "SELECT MAX(id) FROM `"+escape.Line(strings.ReplaceAll(b.plan.Database, "`", "``"))+"`."+table)
		if _, code := mysqlconn.Classify(err); err != nil && (code == noTable || code == noDatabase) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", table, err)
		}
		rows := 0
		for row := range r.Rows() {
			rows, _ = strconv.Atoi(row.At(0)) // NULL: an empty table
		}
		if there++; rows < b.plan.Rows {
			return nil, fmt.Errorf("%s.%s has rows up to %d, and the plan wants %d: many requests would find nothing; say --rows %d, or drop the tables and use --prepare", b.plan.Database, table, rows, b.plan.Rows, rows)
		}
	}
	switch {
	case there == b.plan.Tables:
		return settings, nil
	case there > 0:
		return nil, fmt.Errorf("of %d tables in %s only %d are there: say --tables %d, or drop them and use --prepare", b.plan.Tables, b.plan.Database, there, there)
	case !b.plan.Prepare:
		return nil, fmt.Errorf("there are no tables sbtest1, sbtest2, ... in %s: --prepare fills them", b.plan.Database)
	}
	m.Say("filling %d tables of %d rows at %s", b.plan.Tables, b.plan.Rows, e.Target)
	return settings, b.sysbench("point_select", t).Prepare(ctx, func(string) {})
}
