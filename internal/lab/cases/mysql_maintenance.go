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

// maintained is a load of single rows at a pace that leaves most of the CPUs
// idle, beside which a server is maintained.
var maintained = load.Sysbench{Test: "oltp_point_select", Threads: 4, Rate: 500, Rows: 5000}

// controlMySQLAddIndex adds an index to a table and drops it again and again,
// while others read it. Each time the readers look the table up again.
func controlMySQLAddIndex(name string, v server.MySQLVersion) Case {
	s := &mysqlScene{}
	return Case{
		ID:    variant("control/mysql-add-index", name),
		Title: "ALTER TABLE ... ADD INDEX and DROP INDEX in a loop beside point selects from the same table of " + v.Name,
		Needs: v.Needs(),
		MySQL: s.names,
		// Its temporary tables, and those that are opened again, are no missing ones.
		NotEven: []string{"mysql/opening-missing-tables"},
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, v); err != nil {
				return err
			}
			return maintained.Prepare(ctx, e, nil, s.m.Address())
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			defer e.Background("ALTER TABLE in a loop", func(ctx context.Context) {
				for ctx.Err() == nil {
					_, _ = s.db.ExecContext(ctx, "ALTER TABLE sbtest1 ADD INDEX again (k, id)")
					_, _ = s.db.ExecContext(ctx, "ALTER TABLE sbtest1 DROP INDEX again")
					env.Sleep(ctx, 200*time.Millisecond)
				}
			})()
			return maintained.RunP99(ctx, e, env.Options{}, s.m.Address(), d)
		},
	}
}

// controlMySQLDump dumps a database again and again, as a backup does once,
// while others read another table: it wants all rows, so that no index helps.
func controlMySQLDump() Case {
	v := server.MariaDB10()
	s := &mysqlScene{}
	return Case{
		ID:      "control/mysql-dump",
		Title:   "mariadb-dump of " + v.Name + " beside point selects",
		Needs:   v.Needs(),
		MySQL:   s.names,
		NotEven: []string{"mysql/full-scan", "mysql/opening-missing-tables"},
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, v); err != nil {
				return err
			}
			if err := notes(ctx, s.m, 50_000, "VARCHAR(200)", 3); err != nil {
				return err
			}
			return maintained.Prepare(ctx, e, nil, s.m.Address())
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			defer e.Background("dumps", func(ctx context.Context) {
				for ctx.Err() == nil {
					_, _ = e.Run(ctx, "mariadb-dump", "--no-defaults", "--socket="+s.m.Socket, "--user=lab", "--single-transaction", "--quick",
						"--result-file="+filepath.Join(e.Dir, "dump.sql"), "lab")
					_ = os.Remove(filepath.Join(e.Dir, "dump.sql"))
					env.Sleep(ctx, 500*time.Millisecond)
				}
			})()
			return maintained.RunP99(ctx, e, env.Options{}, s.m.Address(), d)
		},
	}
}
