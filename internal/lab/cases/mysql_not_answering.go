package cases

import (
	"context"
	"database/sql"
	"fmt"
	"syscall"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// stoppedServerCase freezes the server.
func stoppedServerCase(id string, v server.MySQLVersion) Case {
	var s mysqlScene
	return Case{
		ID:    id,
		Title: v.Name + " is stopped by a signal",
		Rule:  "mysql/not-answering",
		Kind:  "process", Name: "mariadbd|mysqld",
		Says:    `does not answer: it is stopped \(process state T\)`,
		Needs:   v.Needs(),
		MySQL:   func() []string { return s.m.ByTCP("lab") },
		Setup:   s.holding(v, hundredItems),
		Inject:  func(ctx context.Context, e *env.Env) error { return s.m.Signal(syscall.SIGSTOP) },
		Fix:     func(ctx context.Context, e *env.Env) error { return s.m.Signal(syscall.SIGCONT) },
		Measure: visitors(&s.db),
	}
}

// droppedServerCase has a server whose answers find no way back.
func droppedServerCase() Case {
	var m *server.MySQL
	var db *sql.DB
	var inside *env.NetNS
	var here env.End
	return Case{
		ID:    "mysql/not-answering+dropped",
		Title: "the way back from MariaDB is a black hole",
		Rule:  "mysql/not-answering",
		Kind:  "process", Name: "mariadbd",
		Says: `SYNs are not answered`,
		// The host sees the same SYNs repeated, without knowing whose they are.
		AllowOthers: []string{"net/packet-loss"},
		Needs:       server.MariaDB10().Needs(),
		MySQL:       func() []string { return m.ByTCP("lab") },
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if inside, err = e.NetNS("server"); err != nil {
				return err
			}
			there, host, err := e.Veth(inside, nil)
			if err != nil {
				return err
			}
			here = host
			if m, err = server.StartMySQL(ctx, e, server.MariaDB10(), there); err != nil {
				return err
			}
			if _, err = m.Query(ctx, hundredItems); err != nil {
				return err
			}
			db, err = load.OpenMySQL(e, nil, m.Address())
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			return e.IP("-n", inside.Name, "route", "add", "blackhole", here.Addr+"/32")
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			return e.IP("-n", inside.Name, "route", "del", "blackhole", here.Addr+"/32")
		},
		Measure: visitors(&db),
	}
}

// killedServerCase has a server that is gone.
func killedServerCase() Case {
	var s mysqlScene
	return Case{
		ID:    "mysql/not-answering+gone",
		Title: "MariaDB was killed and not started again",
		Rule:  "mysql/not-answering",
		Kind:  "service", Name: `mysql 127\.0\.0\.1:\d+`,
		Says:    `nothing listens there`,
		Needs:   server.MariaDB10().Needs(),
		MySQL:   func() []string { return s.m.ByTCP("lab") },
		Setup:   s.holding(server.MariaDB10(), hundredItems),
		Inject:  doing(func() { s.m.Kill() }),
		Fix:     func(ctx context.Context, e *env.Env) error { return s.m.Start(ctx, nil) },
		Measure: visitors(&s.db),
	}
}

// visitors connect, ask one thing, wait for a second at most, and go, four at a
// time; the number is how many got an answer.
func visitors(db **sql.DB) measure {
	return func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
		(*db).SetMaxIdleConns(0)
		return load.RateOf(ctx, make([]*sql.Conn, 4), d, "answers/s", func(ctx context.Context, i int, _ *sql.Conn) error {
			env.Sleep(ctx, 20*time.Millisecond)
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			c, err := (*db).Conn(ctx)
			if err != nil {
				return err
			}
			defer c.Close()
			return load.RowsOf(ctx, c, fmt.Sprintf("SELECT name FROM stock WHERE id = %d", i+1))
		})
	}
}
