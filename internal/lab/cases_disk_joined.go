package lab

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"
)

// diskSaturatedCaptured watches a database on a slow disk from packets and host
// at once. Clients wait for the server, the server for the disk: the disk is the
// cause.
func diskSaturatedCaptured() Case {
	c, _ := databaseOnSlowDisk()
	c.ID = "disk/saturated+captured"
	c.Title = "MariaDB that commits to a disk of 40 writes a second, captured beside the host"
	c.Rule = "disk/saturated"
	// The loop device that requests wait for, or the disk that the limit is for.
	c.Kind = "device"
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
	load := sysbenchLoad{Test: "oltp_update_index", Threads: 4, Rows: 1000}
	var p pair
	var m *mysqlServer
	var group *Cgroup
	var backing string
	needs := mariaDB10().needs()
	needs.Packages = append(needs.Packages, "e2fsprogs", "util-linux")
	needs.Commands = append(needs.Commands, "mkfs.ext4", "losetup")
	return Case{
		Needs: needs,
		Setup: func(ctx context.Context, e *Env) (err error) {
			disk, err := e.LoopFS("database", 256*mib)
			if err != nil {
				return err
			}
			if _, err := e.Run(ctx, "losetup", "--direct-io=on", disk.Device); err != nil {
				return err
			}
			if backing, err = deviceOf(disk.file); err != nil {
				return err
			}
			if group, err = e.Cgroup("database", "blkio"); err != nil {
				return err
			}
			if p, err = newPair(e); err != nil {
				return err
			}
			small := "--innodb-log-file-size=16M"
			if m, err = startMySQLWith(ctx, e, mariaDB10(), p.at, Options{Cgroups: []*Cgroup{group}}, small); err != nil {
				return err
			}
			if err := m.prepare(ctx, p.client, load); err != nil {
				return err
			}
			return m.moveTo(ctx, disk.Mount, small, "--innodb-flush-log-at-trx-commit=1")
		},
		Inject: func(context.Context, *Env) error { return group.LimitIO(backing, writes) },
		// The first advice: raise or remove the limit of the group.
		Fix: func(context.Context, *Env) error { return group.LimitIO(backing, 0) },
		Measure: func(ctx context.Context, e *Env, d time.Duration) (Measurement, error) {
			return m.run(ctx, Options{NetNS: p.client}, load, d)
		},
	}, func() []string { return m.asked() }
}

// moveTo stops the server, copies its data to a directory and starts it there.
func (m *mysqlServer) moveTo(ctx context.Context, dir string, options ...string) error {
	_ = m.Signal(syscall.SIGTERM)
	limit, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := m.Wait(limit); err != nil && limit.Err() != nil {
		return fmt.Errorf("move the data of %s: %w", m.version.name, err)
	}
	data := filepath.Join(dir, "data")
	if _, err := m.env.Run(ctx, "cp", "-a", m.path("data"), data); err != nil {
		return err
	}
	return m.start(ctx, append([]string{"--datadir=" + data}, options...))
}
