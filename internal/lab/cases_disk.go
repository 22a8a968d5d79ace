package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

func diskCases() []Case {
	return []Case{diskSaturated(), diskSaturatedCaptured(), diskFull(), diskInodesFull()}
}

var loopNeeds = Needs{Root: true, Packages: []string{"e2fsprogs", "util-linux"}, Commands: []string{"mkfs.ext4", "losetup", "fsfreeze"}}

// diskSaturated runs fio on a disk that can do 200 reads and writes a second:
// a loop device the file behind which lies under such a limit. A service that
// reads a little from the same disk now waits for its turn.
func diskSaturated() Case {
	const operations = 200
	var disk *Loop
	var group *Cgroup
	var fio *Proc
	return Case{
		ID:    "disk/saturated",
		Title: "fio with 16 reads at once on a disk that does 200 a second",
		Rule:  "disk/saturated",
		Kind:  "device",
		Name:  `loop\d+`,
		Needs: Needs{Root: true, Packages: []string{"fio", "e2fsprogs", "util-linux"}, Commands: []string{"fio", "mkfs.ext4", "losetup"}},
		// A reader that waits for a full disk is in D state, as rtrail may say too.
		AllowOthers: []string{"proc/uninterruptible"},
		Setup: func(ctx context.Context, e *Env) (err error) {
			if disk, err = e.LoopFS("data", 96*mib); err != nil {
				return err
			}
			if _, err := e.Run(ctx, "losetup", "--direct-io=on", disk.Device); err != nil {
				return err
			}
			for name, size := range map[string]int{"table": 32 * mib, "bulk": 32 * mib} {
				if err := writeSynced(filepath.Join(disk.Mount, name), size); err != nil {
					return err
				}
			}
			backing, err := deviceOf(disk.file)
			if err != nil {
				return err
			}
			if group, err = e.Cgroup("disk", "blkio"); err != nil {
				return err
			}
			if err := group.LimitIO(backing, operations); err != nil {
				return err
			}
			_, err = e.StartActor(Options{Cgroups: []*Cgroup{group}}, "table-reader", "read-direct", filepath.Join(disk.Mount, "table"), e.Path("reads"))
			if err != nil {
				return err
			}
			return e.untilReported(ctx, "reads")
		},
		Inject: func(ctx context.Context, e *Env) (err error) {
			fio, err = e.StartWith(Options{Cgroups: []*Cgroup{group}}, "fio", "--name=bulk", "--filename="+filepath.Join(disk.Mount, "bulk"),
				"--size=32m", "--direct=1", "--rw=randread", "--bs=4k", "--ioengine=libaio", "--iodepth=16", "--time_based", "--runtime=60")
			if err != nil {
				return err
			}
			return Until(ctx, 10*time.Second, "fio to fill the disk's queue", func() (bool, error) {
				inFlight, err := os.ReadFile("/sys/block/" + filepath.Base(disk.Device) + "/inflight")
				var reads int
				fmt.Sscan(string(inFlight), &reads)
				return reads >= 8, err
			})
		},
		Fix: func(ctx context.Context, e *Env) error {
			fio.Stop()
			return nil
		},
		Measure: func(ctx context.Context, e *Env, d time.Duration) (Measurement, error) {
			rate, err := e.reportedRate(ctx, d, "reads")
			if err != nil {
				return Measurement{}, err
			}
			return Measurement{Value: rate[0], Unit: "reads/s"}, nil
		},
	}
}

func (e *Env) untilReported(ctx context.Context, file string) error {
	return Until(ctx, 10*time.Second, "the service to begin", func() (bool, error) {
		v, err := e.reported(file)
		return len(v) > 0 && v[0] > 0, err
	})
}

func writeSynced(path string, size int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(text(size)); err != nil {
		return err
	}
	return f.Sync()
}

// deviceOf returns the whole disk that a file lies on.
func deviceOf(path string) (string, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return "", fmt.Errorf("find the disk of %s: %w", path, err)
	}
	major, minor := st.Dev>>8&0xfff, st.Dev&0xff|st.Dev>>12&0xfff00
	link, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", major, minor))
	if err != nil {
		return "", fmt.Errorf("find the disk of %s, which lies on device %d:%d: %w", path, major, minor, err)
	}
	if _, err := os.Stat(link + "/partition"); err == nil {
		link = filepath.Dir(link) // throttles are set on whole disks
	}
	return "/dev/" + filepath.Base(link), nil
}

// diskFull fills a small filesystem under a service that writes records.
func diskFull() Case {
	var disk *Loop
	return Case{
		ID:    "disk/full",
		Title: "a forgotten file fills the filesystem of a service that writes",
		Rule:  "disk/full",
		Kind:  "filesystem",
		Name:  ".*/spool",
		Needs: loopNeeds,
		Setup: func(ctx context.Context, e *Env) (err error) {
			if disk, err = e.LoopFS("spool", 24*mib, "-m", "0"); err != nil {
				return err
			}
			if _, err = e.StartActor(Options{}, "spool-writer", "append", filepath.Join(disk.Mount, "records"), e.Path("records")); err != nil {
				return err
			}
			return e.untilReported(ctx, "records")
		},
		Inject: func(ctx context.Context, e *Env) error {
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
			return e.untilFailing(ctx, "records")
		},
		Fix:     func(ctx context.Context, e *Env) error { return os.Remove(filepath.Join(disk.Mount, "core.4711")) },
		Measure: measureRecords("records", "records/s"),
	}
}

// untilFailing waits until a service reports failures.
func (e *Env) untilFailing(ctx context.Context, file string) error {
	return Until(ctx, 10*time.Second, "the service to fail", func() (bool, error) {
		v, err := e.reported(file)
		return len(v) > 1 && v[1] > 0, err
	})
}

// measureRecords gives the rate of what an actor reports to have done.
func measureRecords(file, unit string) func(context.Context, *Env, time.Duration) (Measurement, error) {
	return func(ctx context.Context, e *Env, d time.Duration) (Measurement, error) {
		rate, err := e.reportedRate(ctx, d, file)
		if err != nil {
			return Measurement{}, err
		}
		m := Measurement{Value: rate[0], Unit: unit}
		if len(rate) > 1 {
			m.Detail = fmt.Sprintf("%.0f failed a second", rate[1])
		}
		return m, nil
	}
}

// diskInodesFull uses up the inodes of a filesystem with plenty of space.
func diskInodesFull() Case {
	const inodes = 256
	var disk *Loop
	return Case{
		ID:    "disk/inodes-full",
		Title: "small files use up the inodes of a service that creates files",
		Rule:  "disk/inodes-full",
		Kind:  "filesystem",
		Name:  ".*/sessions",
		Needs: loopNeeds,
		Setup: func(ctx context.Context, e *Env) (err error) {
			if disk, err = e.LoopFS("sessions", 24*mib, "-m", "0", "-N", strconv.Itoa(inodes)); err != nil {
				return err
			}
			if _, err = e.StartActor(Options{}, "session-store", "create", disk.Mount, e.Path("created")); err != nil {
				return err
			}
			return e.untilReported(ctx, "created")
		},
		Inject: func(ctx context.Context, e *Env) error {
			cache := filepath.Join(disk.Mount, "cache")
			if err := os.Mkdir(cache, 0o755); err != nil {
				return err
			}
			return Until(ctx, 10*time.Second, "the inodes to be used up", func() (bool, error) {
				for i := range 2 * inodes {
					f, err := os.OpenFile(filepath.Join(cache, fmt.Sprintf("%d-%d", i, time.Now().UnixNano())), os.O_CREATE|os.O_WRONLY, 0o644)
					if err != nil {
						break
					}
					f.Close()
				}
				v, err := e.reported("created")
				return len(v) > 1 && v[1] > 3, err
			})
		},
		Fix:     func(ctx context.Context, e *Env) error { return os.RemoveAll(filepath.Join(disk.Mount, "cache")) },
		Measure: measureRecords("created", "files/s"),
	}
}
