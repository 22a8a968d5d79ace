package cases

import (
	"context"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// diskThrottledCaptured watches a database on a disk of which it gets little, from packets and
// host at once. Clients wait for the server, the server for the disk: the limit is the cause.
func diskThrottledCaptured() Case {
	c, _ := databaseOnSlowDisk()
	c.ID = "disk/cgroup-throttled+captured"
	c.Title = "MariaDB that commits to a disk of 40 writes a second, captured beside the host"
	c.Rule = "disk/cgroup-throttled"
	c.Kind = "device"
	c.Folds = []string{"rt/server-slow"}
	c.Captures = []Capture{{NetNS: "server", Interface: "any", Ports: []uint16{3306}}}
	// A database that waits for its disk is in D state, as rtrail may say too.
	c.AllowOthers = []string{"proc/uninterruptible"}
	return c
}

// commitFlushCase asks the same database, which tells what it waits for: the
// syncs of its log.
func commitFlushCase() Case {
	c, names := databaseOnSlowDisk()
	c.ID = "mysql/commit-flush"
	c.Title = "MariaDB syncs its log at each commit to a disk of 40 writes a second"
	c.Rule, c.Kind, c.Name = "mysql/commit-flush", "process", "mariadbd"
	c.MySQL = names
	return c
}

// databaseOnSlowDisk is MariaDB that flushes its log at each commit, on a disk
// of which its control group gets 40 writes a second. names is how to ask it.
func databaseOnSlowDisk() (c Case, names func() []string) {
	const writes = 40
	test := load.Sysbench{Test: "oltp_update_index", Threads: 4, Rows: 1000}
	var p pair
	var s slowDisk
	return Case{
		Needs: withLoop(server.MariaDB10().Needs()),
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if err = s.place(e, 256*mib); err != nil {
				return err
			}
			if p, err = newPair(e); err != nil {
				return err
			}
			small := "--innodb-log-file-size=16M"
			if s.m, err = server.StartMySQL(ctx, e, server.MariaDB10(), p.at, small); err != nil {
				return err
			}
			if err := test.Prepare(ctx, e, p.client, s.m.Address()); err != nil {
				return err
			}
			return s.move(ctx, small, "--innodb-flush-log-at-trx-commit=1")
		},
		Inject: func(context.Context, *env.Env) error { return s.group.LimitIO(s.backing, writes) },
		// The first advice: raise or remove the limit of the group.
		Fix: func(context.Context, *env.Env) error { return s.group.LimitIO(s.backing, 0) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return test.Run(ctx, e, env.Options{NetNS: p.client}, s.m.Address(), d)
		},
	}, s.names
}
