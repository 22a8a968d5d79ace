package cases

import (
	"context"
	"os"
	"path/filepath"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
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
