package cases

import (
	"context"
	"os"
	"path/filepath"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// reportScript reads a whole file for each report that it makes, and tells how many it made.
const reportScript = `
import mmap, os, sys, time
flags = os.O_RDONLY | (os.O_DIRECT if sys.argv[3] == "direct" else 0)
table = os.open(sys.argv[1], flags)
room = mmap.mmap(-1, 1 << 20)
size, made, told = os.fstat(table).st_size, 0, 0
while True:
    at = 0
    while at < size:
        at += os.preadv(table, [room], at)
    made += 1
    if time.time() - told > 0.1:
        told = time.time()
        with open(sys.argv[2] + ".new", "w") as report:
            report.write(str(made))
        os.rename(sys.argv[2] + ".new", sys.argv[2])
    time.sleep(0.02)
`

// memDirectRead has a program read the same 16 MiB past the page cache, from a disk of 200 reads a
// second, which it read from memory before.
func memDirectRead() Case {
	const operations, size = 200, 16 * mib
	var disk *env.Loop
	var group *env.Cgroup
	var program *env.Proc
	start := func(ctx context.Context, e *env.Env, how string) (err error) {
		if program != nil {
			program.Stop()
			if err := os.Remove(e.Path("reports")); err != nil {
				return err
			}
		}
		program, err = e.StartWith(env.Options{Cgroups: []*env.Cgroup{group}}, "python3", "-c", reportScript, filepath.Join(disk.Mount, "table"), e.Path("reports"), how)
		if err != nil {
			return err
		}
		return load.UntilReported(ctx, e, "reports")
	}
	return Case{
		ID:    "mem/direct-io-read",
		Title: "a program reads the same 16 MiB past the page cache, again and again",
		Rule:  "mem/direct-io-read",
		Kind:  "process",
		Name:  "python3",
		Needs: withLoop(env.Needs{Root: true, Packages: []string{"python3"}, Commands: []string{"python3"}}),
		// A reader that waits for the disk is in D state, as rtrail may say too.
		AllowOthers: []string{"proc/uninterruptible"},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			program = nil
			var backing string
			if disk, backing, err = e.DirectLoopFS("table", 48*mib); err != nil {
				return err
			}
			if err := writeCold(filepath.Join(disk.Mount, "table"), size); err != nil {
				return err
			}
			if group, err = e.Cgroup("disk", "blkio"); err != nil {
				return err
			}
			if err := group.LimitIO(backing, operations); err != nil {
				return err
			}
			return start(ctx, e, "cached")
		},
		Inject:  func(ctx context.Context, e *env.Env) error { return start(ctx, e, "direct") },
		Fix:     func(ctx context.Context, e *env.Env) error { return start(ctx, e, "cached") },
		Measure: measureRecords("reports", "reports/s"),
	}
}
