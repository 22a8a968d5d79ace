package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/server"
)

// script is a scenario of sysbench that runs statements, and then pauses.
func script(e *env.Env, event string) (string, error) {
	return e.WriteFile("scenario.lua", fmt.Sprintf(`require("oltp_common")
local ffi = require("ffi")
ffi.cdef("int usleep(unsigned microseconds);")
function thread_init() con = sysbench.sql.driver():connect() end
function thread_done() con:disconnect() end
function event()
%s
end
`, event))
}

// queries are statements of an event.
func queries(statements ...string) string {
	var b strings.Builder
	for _, s := range statements {
		fmt.Fprintf(&b, "\tcon:query(%q)\n", s)
	}
	return b.String()
}

// bench loads a server by a scenario: a word of sysbench, or a path.
func bench(m *server.MySQL, scenario string, rows int, more ...string) load {
	return load{args: append([]string{"mysql", "--target", m.Address().String(), "--user", "lab", "--database", "lab", "--scenario", scenario,
		"--tables", "1", "--warmup", "2", "--rows", fmt.Sprint(rows), "--prepare"}, more...)}
}

// mariaDB is a case of one MariaDB on the host whose clients do what the event says.
func mariaDB(event string, options ...string) func(context.Context, *env.Env) (load, error) {
	return func(ctx context.Context, e *env.Env) (load, error) {
		m, err := server.StartMySQL(ctx, e, server.MariaDB10(), env.End{}, options...)
		if err != nil {
			return load{}, err
		}
		path, err := script(e, event)
		return bench(m, path, 1000), err
	}
}

// poolOfThreads is a MariaDB with a small pool, and a port for administrators beside it.
func poolOfThreads(ctx context.Context, e *env.Env) (load, error) {
	extra, err := env.FreePort("127.0.0.1")
	if err != nil {
		return load{}, err
	}
	l, err := mariaDB(queries("DO SLEEP(0.25)"), "--thread-handling=pool-of-threads", "--thread-pool-size=1", "--thread-pool-max-threads=6",
		"--thread-pool-oversubscribe=1", "--thread-pool-stall-limit=500", fmt.Sprintf("--extra-port=%d", extra), "--extra-max-connections=5")(ctx, e)
	l.args = append(l.args, "--mysql-admin-port", fmt.Sprint(extra))
	return l, err
}

// oltp is a case of one MariaDB on the host under a scenario of sysbench.
func oltp(scenario string, rows int, more ...string) func(context.Context, *env.Env) (load, error) {
	return func(ctx context.Context, e *env.Env) (load, error) {
		m, err := server.StartMySQL(ctx, e, server.MariaDB10(), env.End{})
		if err != nil {
			return load{}, err
		}
		return bench(m, scenario, rows, more...), nil
	}
}

// onDisk has the data on a disk that does so many reads, and so many writes, a second.
func onDisk(scenario string, rows, perSecond int, options ...string) func(context.Context, *env.Env) (load, error) {
	return func(ctx context.Context, e *env.Env) (load, error) {
		disk, backing, err := e.DirectLoopFS("data", 1<<30)
		if err != nil {
			return load{}, err
		}
		group, err := e.Cgroup("disk", "blkio")
		if err != nil {
			return load{}, err
		}
		m, err := server.StartMySQL(ctx, e, server.MariaDB10(), env.End{})
		if err != nil {
			return load{}, err
		}
		l := bench(m, scenario, rows)
		if _, err := e.Run(ctx, "sysbench", "oltp_"+scenario, "--db-driver=mysql", "--mysql-user=lab", "--mysql-db=lab", "--mysql-socket="+m.Socket,
			"--tables=1", fmt.Sprintf("--table-size=%d", rows), "prepare"); err != nil {
			return load{}, err
		}
		if err := m.MoveTo(ctx, disk.Mount, group, options...); err != nil {
			return load{}, err
		}
		return l, group.LimitIO(backing, perSecond)
	}
}

func mysqlCases() []limited {
	needs := server.MariaDB10().Needs()
	onLoop := withLoop(needs)
	return []limited{
		{
			name: "control", limit: "none: 16 clients that pause for 100 ms after each point select",
			needs: needs, setup: mariaDB(queries("SELECT c FROM sbtest1 WHERE id = 1") + "\tffi.C.usleep(100000)"),
		},
		{
			name: "cpu", limit: "both CPUs: range queries of MariaDB in memory", rules: []string{"cpu/saturated"},
			needs: needs, setup: oltp("read_only", 50_000, "--sysbench=--range_size=2000"),
		},
		{
			name: "fsync", limit: "syncs that take long: MariaDB with innodb_flush_log_at_trx_commit = 1",
			rules: []string{"disk/slow-sync", "mysql/commit-flush"},
			needs: onLoop, setup: onDisk("write_only", 10_000, 100, "--innodb-flush-log-at-trx-commit=1"),
		},
		{
			name: "row-lock", limit: "one row that all clients change, for 10 ms each", rules: []string{"mysql/row-lock-wait"},
			needs: needs, setup: mariaDB(queries("BEGIN", "UPDATE sbtest1 SET k = k + 1 WHERE id = 1", "DO SLEEP(0.01)", "COMMIT")),
		},
		{
			name: "connections", limit: "max_connections = 10 of MariaDB", rules: []string{"mysql/connections-exhausted"}, invalid: `Too many connections`,
			needs: needs, setup: mariaDB(queries("SELECT c FROM sbtest1 WHERE id = 1")+"\tffi.C.usleep(10000)", "--max-connections=10"),
		},
		{
			name: "pool", limit: "a thread pool of one group with six threads, and statements that take 250 ms", rules: []string{"mysql/thread-pool-stalled"},
			threads: "4,16,32",
			needs:   needs, setup: poolOfThreads,
		},
		{
			name: "client", limit: "the load generator: it computes for each request", invalid: `hot load generator`,
			needs: needs, setup: mariaDB("\tlocal x = 0\n\tfor i = 1, 20000000 do x = (x * 31 + i) % 1000003 end\n" + queries("SELECT c FROM sbtest1 WHERE id = 1")),
		},
	}
}

// withLoop adds what loop devices need.
func withLoop(n env.Needs) env.Needs {
	n.Packages = append(slices.Clone(n.Packages), "e2fsprogs", "mount")
	n.Commands = append(slices.Clone(n.Commands), "mkfs.ext4", "losetup")
	return n
}

// cases are all, in the order in which they run.
func cases() []limited { return slices.Concat(mysqlCases(), webCases(), netCases()) }
