package cases

import (
	"context"
	"path/filepath"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// lookupScript reads records at random from a file that fits into the page cache, and
// reports how many.
const lookupScript = `
import os, random, sys, time
table = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(table, 0, 0, os.POSIX_FADV_RANDOM)
pages, read, told = os.fstat(table).st_size // 4096, 0, 0
while True:
    os.pread(table, 4096, random.randrange(pages) * 4096)
    read += 1
    if time.time() - told > 0.1:
        told = time.time()
        with open(sys.argv[2] + ".new", "w") as report:
            report.write(str(read))
        os.rename(sys.argv[2] + ".new", sys.argv[2])
    time.sleep(0.001)
`

// memCacheDropped empties the page cache of this machine once a second, for at most 90 s, beside
// a program that reads from a file on a disk of 200 reads a second.
func memCacheDropped() Case {
	const operations, size = 200, 3 * mib
	var cleaner *env.Proc
	return Case{
		ID:      "mem/cache-dropped",
		Title:   "a script empties the page cache once a second, beside a program that reads from a file",
		Rule:    "mem/cache-dropped",
		Kind:    "process",
		Name:    "sh",
		Culprit: "sh", Victim: "python3",
		Needs: withLoop(env.Needs{Root: true, Packages: []string{"python3"}, Commands: []string{"python3"}}),
		// A reader that waits for the disk is in D state, as rtrail may say too.
		AllowOthers: []string{"proc/uninterruptible"},
		Setup: func(ctx context.Context, e *env.Env) error {
			disk, backing, err := e.DirectLoopFS("table", 32*mib)
			if err != nil {
				return err
			}
			if err := writeCold(filepath.Join(disk.Mount, "table"), size); err != nil {
				return err
			}
			group, err := e.Cgroup("disk", "blkio")
			if err != nil {
				return err
			}
			// All of it is read before the disk gets slow.
			if _, err := e.Run(ctx, "cat", filepath.Join(disk.Mount, "table")); err != nil {
				return err
			}
			if err := group.LimitIO(backing, operations); err != nil {
				return err
			}
			_, err = e.StartWith(env.Options{Cgroups: []*env.Cgroup{group}}, "python3", "-c", lookupScript, filepath.Join(disk.Mount, "table"), e.Path("reads"))
			if err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "reads")
		},
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			cleaner, err = e.StartWith(env.Options{}, "sh", "-c", "i=0; while [ $i -lt 90 ]; do echo 1 > /proc/sys/vm/drop_caches; sleep 1; i=$((i+1)); done; sleep 60")
			return err
		},
		Fix:     doing(func() { cleaner.Stop() }),
		Measure: measureRecords("reads", "reads/s"),
	}
}
