package cases

import (
	"context"
	"path/filepath"
	"strconv"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// chattyScript logs what it works on: lines of so many bytes with a pause between them, to
// a log that it rotates at 512 MB. As loggers do that spare the page cache, it tells the
// kernel that nobody reads them, which has them written at once.
const chattyScript = `
import os, sys, time
path, line, pause = sys.argv[1], b"x" * int(sys.argv[2]) + b"\\n", float(sys.argv[3])
log = written = None
while True:
    if log is None or written > 512 << 20:
        if log is not None:
            os.close(log)
            os.rename(path, path + ".1")
        log, written = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND), 0
    written += os.write(log, line)
    os.posix_fadvise(log, 0, 0, os.POSIX_FADV_DONTNEED)
    time.sleep(pause)
`

// diskLogFlood has a program log more than its disk, which does 200 requests a second, can write, beside a service that
// keeps a record on the same disk: its syncs queue behind the log.
func diskLogFlood() Case {
	const operations = 200
	var disk *env.Loop
	var group *env.Cgroup
	var program *env.Proc
	start := func(e *env.Env, bytes int, pause string) (err error) {
		if program != nil {
			program.Stop()
		}
		program, err = e.StartWith(env.Options{Cgroups: []*env.Cgroup{group}}, "python3", "-c", chattyScript, filepath.Join(disk.Mount, "app.log"), strconv.Itoa(bytes), pause)
		return err
	}
	return Case{
		ID:      "disk/log-flood",
		Title:   "a program logs all it works on, beside a service that keeps a record on the same disk",
		Rule:    "disk/log-flood",
		Kind:    "process",
		Name:    "python3",
		Culprit: "python3", Victim: "record-keeper",
		Needs: withLoop(env.Needs{Root: true, Packages: []string{"python3"}, Commands: []string{"python3"}}),
		// A writer that waits for a full disk is in D state, as rtrail may say too.
		AllowOthers: []string{"proc/uninterruptible"},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			program = nil
			var backing string
			if disk, backing, err = e.DirectLoopFS("logs", 1536*mib); err != nil {
				return err
			}
			if group, err = e.Cgroup("disk", "blkio"); err != nil {
				return err
			}
			if err := group.LimitIO(backing, operations); err != nil {
				return err
			}
			if _, err = load.StartActor(e, env.Options{Cgroups: []*env.Cgroup{group}}, "record-keeper", "rewrite", filepath.Join(disk.Mount, "record"), "100", e.Path("records")); err != nil {
				return err
			}
			if err := start(e, 200, "0.05"); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "records")
		},
		Inject:  func(ctx context.Context, e *env.Env) error { return start(e, 1<<20, "0.001") },
		Fix:     func(ctx context.Context, e *env.Env) error { return start(e, 200, "0.05") },
		Measure: measureRecords("records", "records/s"),
	}
}
