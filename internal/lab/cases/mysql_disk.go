package cases

import (
	"context"
	"fmt"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/server"
)

// slowDisk has a database on a disk of its own that does so many reads and
// writes a second.
type slowDisk struct {
	mysqlScene
	disk    *env.Loop
	group   *env.Cgroup
	backing string
}

// place makes the disk, fast as yet.
func (s *slowDisk) place(e *env.Env, bytes int64) (err error) {
	if s.disk, s.backing, err = e.DirectLoopFS("data", bytes); err != nil {
		return err
	}
	s.group, err = e.Cgroup("disk", "blkio")
	return err
}

// move puts the data on the disk and restarts the server there, in the group
// that is held back.
func (s *slowDisk) move(ctx context.Context, options ...string) error {
	return s.m.MoveTo(ctx, s.disk.Mount, s.group, options...)
}

// bufferPoolCase has a pool of 8 MiB for 50 MB of rows on a disk that does 400
// reads a second.
func bufferPoolCase() Case {
	const rows, reads = 65_536, 400
	v := server.MariaDB10()
	s := &slowDisk{}
	return Case{
		ID:    "mysql/buffer-pool-small",
		Title: v.Name + " with a buffer pool far smaller than its table",
		Rule:  "mysql/buffer-pool-small", Kind: "process", Name: "mariadbd",
		Needs: withLoop(v.Needs()),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.place(e, 512*mib); err != nil {
				return err
			}
			if err := s.start(ctx, e, v); err != nil {
				return err
			}
			if err := notes(ctx, s.m, rows, "VARCHAR(700)", 20); err != nil {
				return err
			}
			if err := s.move(ctx, "--innodb-buffer-pool-size=128M"); err != nil {
				return err
			}
			if err := s.warm(ctx); err != nil {
				return err
			}
			return s.group.LimitIO(s.backing, reads)
		},
		Inject: func(ctx context.Context, _ *env.Env) error { return resizePool(ctx, s.m, 8*mib) },
		Fix: func(ctx context.Context, _ *env.Env) error {
			if err := resizePool(ctx, s.m, 128*mib); err != nil {
				return err
			}
			return s.warm(ctx)
		},
		Measure: s.asking(4, time.Millisecond, func(i int64) string {
			return fmt.Sprintf("SELECT body FROM note WHERE id = %d", 1+i*7919%rows)
		}),
	}
}

// fullScanFromDisk has a table larger than the pool read whole, from a disk that
// does 1,500 reads a second: neither the disk nor the pool is to blame.
func fullScanFromDisk() Case {
	const rows, reads = 16_384, 1500
	v := server.MariaDB10()
	s := &slowDisk{}
	return Case{
		ID:    "mysql/full-scan+disk",
		Title: v.Name + " reads a table that is larger than its buffer pool for a few rows",
		Rule:  "mysql/full-scan", Kind: "process", Name: "mariadbd", Says: `index on \((?i:code)\)`,
		Needs: withLoop(v.Needs()),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.place(e, 512*mib); err != nil {
				return err
			}
			if err := s.start(ctx, e, v); err != nil {
				return err
			}
			if err := notes(ctx, s.m, rows, "VARCHAR(700)", 20); err != nil {
				return err
			}
			if _, err := s.m.Query(ctx, "ALTER TABLE note ADD INDEX code (code)"); err != nil {
				return err
			}
			if err := s.move(ctx, "--innodb-buffer-pool-size=8M", "--performance-schema=ON"); err != nil {
				return err
			}
			return s.group.LimitIO(s.backing, reads)
		},
		Inject: querying(&s.m, "ALTER TABLE note DROP INDEX code"),
		Fix:    querying(&s.m, "ALTER TABLE note ADD INDEX (code)"),
		Measure: s.asking(2, 20*time.Millisecond, func(i int64) string {
			return fmt.Sprintf("SELECT id, body FROM note WHERE code = '%s'", code(i%rows))
		}),
	}
}

// readAmplified is the same server seen from outside: nobody asks it.
func readAmplified() Case {
	c := fullScanFromDisk()
	c.ID, c.Rule, c.Says = "disk/read-amplified", "disk/read-amplified", `for each request`
	c.MySQL = nil
	c.AtMostPossible = "this server has the kernel read for it (io_uring): threads of its clients sleep at locks of pages, and a job of its own would look the same from outside"
	return c
}

// warm reads all rows once.
func (s *slowDisk) warm(ctx context.Context) error {
	_, err := s.m.Query(ctx, "SELECT SUM(LENGTH(body)) FROM note")
	return err
}

// resizePool changes the buffer pool while the server runs, and waits for it.
func resizePool(ctx context.Context, m *server.MySQL, bytes int) error {
	if _, err := m.Query(ctx, fmt.Sprintf("SET GLOBAL innodb_buffer_pool_size = %d", bytes)); err != nil {
		return err
	}
	return env.Until(ctx, 20*time.Second, "the buffer pool to be resized", func() (bool, error) {
		out, err := m.Query(ctx, "SELECT variable_value * @@innodb_page_size FROM information_schema.global_status WHERE variable_name = 'Innodb_buffer_pool_pages_total'")
		var now int
		fmt.Sscan(out, &now)
		return now > bytes/2 && now < 2*bytes, err
	})
}

func withLoop(n env.Needs) env.Needs {
	n.Packages = append(n.Packages, loopNeeds.Packages...)
	n.Commands = append(n.Commands, loopNeeds.Commands...)
	return n
}
