package cases

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// ledgerScript appends records, so many to a sync, and reports how many were written. It has
// one thread.
const ledgerScript = `
import os, sys, time
log = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
together, written, told = int(sys.argv[3]), 0, 0
while True:
    for _ in range(together):
        os.write(log, b"x" * 200)
    os.fdatasync(log)
    written += together
    if time.time() - told > 0.1:
        told = time.time()
        with open(sys.argv[2] + ".new", "w") as report:
            report.write(str(written))
        os.rename(sys.argv[2] + ".new", sys.argv[2])
    time.sleep(0.0002 * (together - 1))
`

// diskSlowSync has a program that writes records and syncs each of them, where it
// synced a hundred at a time before.
func diskSlowSync() Case {
	var disk *env.Loop
	var ledger *env.Proc
	start := func(ctx context.Context, e *env.Env, together string) (err error) {
		if ledger != nil {
			ledger.Stop()
			if err := os.Remove(e.Path("records")); err != nil {
				return err
			}
		}
		ledger, err = e.StartWith(env.Options{}, "python3", "-c", ledgerScript, filepath.Join(disk.Mount, "log"), e.Path("records"), together)
		if err != nil {
			return err
		}
		return load.UntilReported(ctx, e, "records")
	}
	needs := withLoop(env.Needs{Root: true, Packages: []string{"python3"}, Commands: []string{"python3"}})
	return Case{
		ID:    "disk/slow-sync",
		Title: "a program syncs its log after each record instead of each hundred",
		Rule:  "disk/slow-sync",
		Kind:  "process",
		Name:  "python3",
		Needs: needs,
		// How long a sync takes is up to the disk of the host, which may be a fast one.
		AtMostPossible: "syncs of the host's disk may take less than 5 ms",
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			ledger = nil
			if disk, err = e.LoopFS("ledger", 64*mib); err != nil {
				return err
			}
			return start(ctx, e, "100")
		},
		Inject:  func(ctx context.Context, e *env.Env) error { return start(ctx, e, "1") },
		Fix:     func(ctx context.Context, e *env.Env) error { return start(ctx, e, "100") },
		Measure: measureRecords("records", "records/s"),
	}
}

// diskSlowSyncRedis has a Redis sync its file before each answer, where it synced once a second.
// Its other threads sleep.
func diskSlowSyncRedis() Case {
	const port = 6379
	var p pair
	var disk *env.Loop
	syncs := func(ctx context.Context, when string) error {
		return load.Ask(ctx, p.client, p.port(port), "CONFIG SET appendfsync "+when+"\r\n", int64(len("+OK\r\n")), time.Second)
	}
	return Case{
		ID:             "disk/slow-sync+redis",
		Title:          "Redis syncs its file before each answer (appendfsync always)",
		Rule:           "disk/slow-sync",
		Kind:           "process",
		Name:           "redis-server",
		Needs:          withLoop(env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "ip"}}),
		AtMostPossible: "syncs of the host's disk may take less than 5 ms",
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if disk, err = e.LoopFS("append", 256*mib); err != nil {
				return err
			}
			_, err = server.StartRedis(ctx, e, env.Options{NetNS: p.server}, p.at, port,
				"--dir", disk.Mount, "--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0")
			return err
		}),
		Inject: func(ctx context.Context, _ *env.Env) error { return syncs(ctx, "always") },
		Fix:    func(ctx context.Context, _ *env.Env) error { return syncs(ctx, "everysec") },
		Measure: func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
			set := load.Exchange{Request: "SET key value\r\n", Answer: "+OK\r\n"}
			r, err := load.PacedExchanges(ctx, p.client, p.port(port), 8, d, 400*time.Microsecond, set, set)
			return r.P50(), err
		},
	}
}
