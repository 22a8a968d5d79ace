package cases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

func diskCases() []Case {
	return []Case{diskSaturated(), diskSaturatedWriter(), diskThrottledCaptured(), diskCgroupThrottled(), diskCgroupThrottledNeighbour(), diskSlowSync(), diskSlowSyncRedis(), diskLogFlood(), diskManySmallWrites(), diskFull(), diskInodesFull(), diskErrors(), readAmplified()}
}

var loopNeeds = env.Needs{Root: true, Packages: []string{"e2fsprogs", "util-linux"}, Commands: []string{"mkfs.ext4", "losetup", "fsfreeze"}}

// diskSaturated has fio read.
func diskSaturated() Case {
	return diskSaturatedBy("disk/saturated", "fio with 16 reads at once on a disk that does 200 a second", "randread")
}

// diskSaturatedWriter has fio write beside a service that reads.
func diskSaturatedWriter() Case {
	return diskSaturatedBy("disk/saturated+writer", "fio with 16 writes at once beside a service that reads, on a disk that does 200 a second", "randwrite")
}

// diskSaturatedBy runs fio on a disk that can do 200 reads and writes a second:
// a loop device the file behind which lies under such a limit. A service that
// reads a little from the same disk now waits for its turn.
func diskSaturatedBy(id, title, does string) Case {
	const operations = 200
	var disk *env.Loop
	var group *env.Cgroup
	var fio *env.Proc
	return Case{
		ID:    id,
		Title: title,
		Rule:  "disk/saturated",
		Kind:  "device",
		Name:  `loop\d+`,
		// Culprit and victim are told by bytes moved and time waited.
		Culprit: "fio", Victim: "table-reader",
		Needs: env.Needs{Root: true, Packages: []string{"fio", "e2fsprogs", "util-linux"}, Commands: []string{"fio", "mkfs.ext4", "losetup"}},
		// A reader that waits for a full disk is in D state, as rtrail may say too.
		AllowOthers: []string{"proc/uninterruptible"},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			var backing string
			if disk, backing, err = e.DirectLoopFS("data", 96*mib); err != nil {
				return err
			}
			for name, size := range map[string]int{"table": 32 * mib, "bulk": 32 * mib} {
				if err := writeCold(filepath.Join(disk.Mount, name), size); err != nil {
					return err
				}
			}
			if group, err = e.Cgroup("disk", "blkio"); err != nil {
				return err
			}
			if err := group.LimitIO(backing, operations); err != nil {
				return err
			}
			_, err = load.StartActor(e, env.Options{Cgroups: []*env.Cgroup{group}}, "table-reader", "read-direct", filepath.Join(disk.Mount, "table"), e.Path("reads"))
			if err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "reads")
		},
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			fio, err = e.StartWith(env.Options{Cgroups: []*env.Cgroup{group}}, "fio", "--name=bulk", "--filename="+filepath.Join(disk.Mount, "bulk"),
				"--size=32m", "--direct=1", "--rw="+does, "--bs=4k", "--ioengine=libaio", "--iodepth=16", "--time_based", "--runtime=60")
			if err != nil {
				return err
			}
			return env.Until(ctx, 10*time.Second, "fio to fill the disk's queue", func() (bool, error) {
				inFlight, err := os.ReadFile("/sys/block/" + filepath.Base(disk.Device) + "/inflight")
				var reads, writes int
				fmt.Sscan(string(inFlight), &reads, &writes)
				return reads+writes >= 8, err
			})
		},
		Fix:     doing(func() { fio.Stop() }),
		Measure: measureRecords("reads", "reads/s"),
	}
}

// diskFull fills a small filesystem under a service that writes records.
func diskFull() Case {
	var disk *env.Loop
	return Case{
		ID:    "disk/full",
		Title: "a forgotten file fills the filesystem of a service that writes",
		Rule:  "disk/full",
		Kind:  "filesystem",
		Name:  ".*/spool",
		Needs: loopNeeds,
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if disk, err = e.LoopFS("spool", 24*mib, "-m", "0"); err != nil {
				return err
			}
			if _, err = load.StartActor(e, env.Options{}, "spool-writer", "append", filepath.Join(disk.Mount, "records"), e.Path("records")); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "records")
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			f, err := os.Create(filepath.Join(disk.Mount, "core.4711"))
			if err != nil {
				return err
			}
			defer f.Close()
			for block := make([]byte, 64<<10); err == nil; {
				_, err = f.Write(block)
			}
			if !errors.Is(err, syscall.ENOSPC) {
				return err
			}
			return untilFailing(ctx, e, "records")
		},
		Fix:     func(ctx context.Context, e *env.Env) error { return os.Remove(filepath.Join(disk.Mount, "core.4711")) },
		Measure: measureRecords("records", "records/s"),
	}
}

// untilFailing waits until a service reports failures.
func untilFailing(ctx context.Context, e *env.Env, file string) error {
	return env.Until(ctx, 10*time.Second, "the service to fail", func() (bool, error) {
		v, err := load.Reports(e, file)
		return len(v) > 1 && v[1] > 0, err
	})
}

// measureRecords gives the rate of what an actor reports to have done.
func measureRecords(file, unit string) measure {
	return func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
		rate, err := load.ReportedRate(ctx, e, d, file)
		if err != nil {
			return load.Measurement{}, err
		}
		m := load.Measurement{Value: rate[0], Unit: unit}
		if len(rate) > 1 {
			m.Detail = fmt.Sprintf("%.0f failed a second", rate[1])
		}
		return m, nil
	}
}

// diskInodesFull uses up the inodes of a filesystem with plenty of space.
func diskInodesFull() Case {
	const inodes = 256
	var disk *env.Loop
	return Case{
		ID:    "disk/inodes-full",
		Title: "small files use up the inodes of a service that creates files",
		Rule:  "disk/inodes-full",
		Kind:  "filesystem",
		Name:  ".*/sessions",
		Needs: loopNeeds,
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if disk, err = e.LoopFS("sessions", 24*mib, "-m", "0", "-N", strconv.Itoa(inodes)); err != nil {
				return err
			}
			if _, err = load.StartActor(e, env.Options{}, "session-store", "create", disk.Mount, e.Path("created")); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "created")
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			cache := filepath.Join(disk.Mount, "cache")
			if err := os.Mkdir(cache, 0o755); err != nil {
				return err
			}
			return env.Until(ctx, 10*time.Second, "the inodes to be used up", func() (bool, error) {
				for i := range 2 * inodes {
					f, err := os.OpenFile(filepath.Join(cache, fmt.Sprintf("%d-%d", i, time.Now().UnixNano())), os.O_CREATE|os.O_WRONLY, 0o644)
					if err != nil {
						break
					}
					f.Close()
				}
				v, err := load.Reports(e, "created")
				return len(v) > 1 && v[1] > 3, err
			})
		},
		Fix:     func(ctx context.Context, e *env.Env) error { return os.RemoveAll(filepath.Join(disk.Mount, "cache")) },
		Measure: measureRecords("created", "files/s"),
	}
}

// diskErrors takes the second half of a disk away: a third of what a service reads from it fails.
func diskErrors() Case {
	var disk *env.Loop
	return Case{
		ID:    "disk/errors",
		Title: "the second half of a disk cannot be read",
		Rule:  "disk/errors",
		Kind:  "device",
		Name:  `loop\d+`,
		Says:  "ended .* reads with an error",
		Needs: loopNeeds,
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if disk, err = e.LoopFS("records", 64*mib); err != nil {
				return err
			}
			if err := writeCold(filepath.Join(disk.Mount, "table"), 48*mib); err != nil {
				return err
			}
			if err := disk.ReadOnly(ctx); err != nil {
				return err
			}
			if _, err = load.StartActor(e, env.Options{}, "table-reader", "read-direct", filepath.Join(disk.Mount, "table"), e.Path("reads")); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "reads")
		},
		Inject:  func(ctx context.Context, e *env.Env) error { return disk.LoseEnd(ctx, 0.5) },
		Fix:     func(ctx context.Context, e *env.Env) error { return disk.BringBack(ctx) },
		Measure: measureRecords("reads", "reads/s"),
	}
}

// diskCgroupThrottled lets the control group of a reader do 10 reads a second on a disk that
// could do thousands. The fix lifts the limit.
func diskCgroupThrottled() Case {
	var disk *env.Loop
	var group *env.Cgroup
	return Case{
		ID:    "disk/cgroup-throttled",
		Title: "a reader whose control group may do 10 reads a second on a disk with nothing else to do",
		Rule:  "disk/cgroup-throttled",
		Kind:  "device",
		Says:  "is held at the limit of cgroup .*-reader .*table-reader .* waits",
		Name:  `loop\d+`,
		Needs: loopNeeds,
		// A reader that waits at its limit is in D state, as rtrail may say too.
		AllowOthers: []string{"proc/uninterruptible"},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			// Reports of the reader go to another disk, which has no limit. The file of this one is in the
			// page cache: the group reads nothing else.
			if disk, err = e.LoopFS("records", 64*mib); err != nil {
				return err
			}
			if err := writeCold(filepath.Join(disk.Mount, "table"), 48*mib); err != nil {
				return err
			}
			if group, err = e.Cgroup("reader", "blkio"); err != nil {
				return err
			}
			if _, err = load.StartActor(e, env.Options{Cgroups: []*env.Cgroup{group}}, "table-reader", "read-direct", filepath.Join(disk.Mount, "table"), e.Path("reads")); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "reads")
		},
		Inject:  func(context.Context, *env.Env) error { return group.LimitIO(disk.Device, 10) },
		Fix:     func(context.Context, *env.Env) error { return group.LimitIO(disk.Device, 0) },
		Measure: measureRecords("reads", "reads/s"),
	}
}

// diskCgroupThrottledNeighbour has fio use up the limit of a control group, which a service in the same group
// hardly needs. The fix ends fio.
func diskCgroupThrottledNeighbour() Case {
	const operations = 200 // the reader does 50
	var disk *env.Loop
	var group *env.Cgroup
	var fio *env.Proc
	return Case{
		ID:      "disk/cgroup-throttled+neighbour",
		Title:   "fio uses up the 200 reads a second of its control group, in which a service reads, too",
		Rule:    "disk/cgroup-throttled",
		Kind:    "device",
		Says:    "is held at the limit of cgroup .*-shop ",
		Name:    `loop\d+`,
		Culprit: "fio", Victim: "table-reader",
		Needs: env.Needs{Root: true, Packages: []string{"fio", "e2fsprogs", "util-linux"}, Commands: []string{"fio", "mkfs.ext4", "losetup"}},
		// A reader that waits at its limit is in D state, as rtrail may say too.
		AllowOthers: []string{"proc/uninterruptible"},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if disk, err = e.LoopFS("records", 96*mib); err != nil {
				return err
			}
			for _, name := range []string{"table", "bulk"} {
				if err := writeCold(filepath.Join(disk.Mount, name), 32*mib); err != nil {
					return err
				}
			}
			if group, err = e.Cgroup("shop", "blkio"); err != nil {
				return err
			}
			if err := group.LimitIO(disk.Device, operations); err != nil {
				return err
			}
			if _, err = load.StartActor(e, env.Options{Cgroups: []*env.Cgroup{group}}, "table-reader", "read-direct", filepath.Join(disk.Mount, "table"), e.Path("reads")); err != nil {
				return err
			}
			return load.UntilReported(ctx, e, "reads")
		},
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			fio, err = e.StartWith(env.Options{Cgroups: []*env.Cgroup{group}}, "fio", "--name=bulk", "--filename="+filepath.Join(disk.Mount, "bulk"),
				"--size=32m", "--direct=1", "--rw=randread", "--bs=4k", "--ioengine=libaio", "--iodepth=16", "--time_based", "--runtime=60")
			if err == nil {
				env.Sleep(ctx, 2*time.Second) // it uses the limit up
			}
			return errors.Join(err, ctx.Err())
		},
		Fix:     doing(func() { fio.Stop() }),
		Measure: measureRecords("reads", "reads/s"),
	}
}
