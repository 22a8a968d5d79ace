package cases

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// mysqlPoolCases are about servers that let nobody in, do not begin with what
// they are asked, or do not answer.
func mysqlPoolCases() []Case {
	return []Case{
		connectionsCase("mysql/connections-exhausted", false),
		connectionsCase("mysql/connections-exhausted+outside", true),
		slowReaderCase(),
		threadPoolCase("mysql/thread-pool-stalled", otherPort),
		threadPoolCase("mysql/thread-pool-stalled+admin-port", toldOfOtherPort),
		threadPoolCase("mysql/thread-pool-stalled+own-port", ownPort),
		threadPoolJoinedCase(),
		stoppedServerCase("mysql/not-answering", server.MariaDB10()),
		stoppedServerCase("mysql/not-answering+mysql97", server.MySQL9()),
		droppedServerCase(),
		killedServerCase(),
	}
}

// connectionsCase has a client that keeps as many connections as the server may
// have. From outside rtrail is one of those that are refused.
func connectionsCase(id string, outside bool) Case {
	const limit = 30
	var m *server.MySQL
	var db *sql.DB
	var leaked []*sql.Conn
	c := Case{
		ID:    id,
		Title: "a client keeps all connections of MariaDB and does nothing with them",
		Rule:  "mysql/connections-exhausted",
		Kind:  "listener", Name: "mariadbd",
		Says:  `refuses connections: all 30 connections are taken, 30 by app@127\.0\.0\.1, and 30 of 3\d do nothing`,
		Needs: server.MariaDB10().Needs(),
		MySQL: func() []string { return m.BySocket() },
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if m, err = server.StartMySQL(ctx, e, server.MariaDB10(), env.End{}, fmt.Sprintf("--max-connections=%d", limit)); err != nil {
				return err
			}
			if _, err = m.Query(ctx, hundredItems); err != nil {
				return err
			}
			// A user who may do everything would get one connection more.
			if _, err = m.Query(ctx, "CREATE USER app@'%'; GRANT SELECT ON lab.* TO app@'%'; GRANT PROCESS ON *.* TO app@'%'"); err != nil {
				return err
			}
			db, err = load.OpenMySQLAs(e, nil, m.Address(), "app")
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			leaked, err = load.Conns(ctx, db, limit)
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			for _, c := range leaked {
				c.Close()
			}
			return env.Until(ctx, 5*time.Second, "the connections to end", func() (bool, error) {
				out, err := m.Query(ctx, "SELECT count(*) < 10 FROM information_schema.processlist")
				return err == nil && strings.TrimSpace(out) == "1", err
			})
		},
		Measure: visitors(&db),
	}
	if outside {
		c.Title += "; rtrail is refused as well"
		c.Says = `refuses connections: all its connections are taken, 30 by`
		c.MySQL = func() []string { return m.ByTCP("app") }
	}
	return c
}

// slowReaderCase has a report whose output nobody takes: its client streams the
// result into a pipe that is full.
func slowReaderCase() Case {
	const rows = "SELECT a.id, repeat('x', 1000) FROM stock a, stock b, stock c LIMIT 20000"
	var m *server.MySQL
	stuck := false
	return Case{
		ID:    "mysql/slow-reader",
		Title: "a client of MariaDB streams a result and does not read on",
		Rule:  "mysql/slow-reader",
		Kind:  "process", Name: "mariadb",
		Needs:  server.MariaDB10().Needs(),
		Window: 6 * time.Second,
		MySQL:  func() []string { return m.BySocket() },
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if m, err = server.StartMySQL(ctx, e, server.MariaDB10(), env.End{}); err != nil {
				return err
			}
			_, err = m.Query(ctx, hundredItems)
			return err
		},
		Inject: doing(func() { stuck = true }),
		Fix:    doing(func() { stuck = false }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			taker := "cat >/dev/null"
			if stuck {
				taker = fmt.Sprintf("sleep %.0f", d.Seconds()+1)
			}
			script := fmt.Sprintf("mariadb --no-defaults --host=%s --port=%d --user=lab --database=lab --quick --skip-column-names --execute=%q | %s", m.Addr, m.Port, rows, taker)
			begun := time.Now()
			n := 0
			for time.Since(begun) < d {
				// timeout ends all of the pipe.
				left := d - time.Since(begun)
				if _, err := e.Run(ctx, "timeout", fmt.Sprintf("%.2f", max(left.Seconds(), 0.1)), "sh", "-c", script); err == nil {
					n++
				} else if ctx.Err() != nil {
					return load.Measurement{}, ctx.Err()
				}
				env.Sleep(ctx, 100*time.Millisecond)
			}
			return load.Measurement{Value: float64(n) / time.Since(begun).Seconds(), Unit: "reports/s", Detail: fmt.Sprintf("%d reports", n)}, nil
		},
	}
}

// poolPort is the port of a server with a thread pool at which rtrail asks.
type poolPort int

const (
	otherPort       poolPort = iota // which the pool does not serve
	toldOfOtherPort                 // the pool's own, and rtrail is told of the other
	ownPort                         // the pool's own
)

// threadPoolCase is a pool of one group that may have six threads, and eight
// connections that sleep for two seconds each. Six are served at once, two wait
// until the six are done; once the group has made all of its threads, one of them
// keeps listening for requests, and it is five and three.
func threadPoolCase(id string, way poolPort) Case {
	const clients, threads, nap = 8, 6, 2 * time.Second
	var m *server.MySQL
	var db *sql.DB
	var users []*sql.Conn
	var extra int
	var limited bool
	pool := func(most int) []string {
		return []string{"--thread-handling=pool-of-threads", "--thread-pool-size=1", fmt.Sprintf("--thread-pool-max-threads=%d", most), "--thread-pool-oversubscribe=1",
			"--thread-pool-stall-limit=500", fmt.Sprintf("--extra-port=%d", extra), "--extra-max-connections=5"}
	}
	connect := func(ctx context.Context, e *env.Env) (err error) {
		if db, err = load.OpenMySQL(e, nil, m.Address()); err != nil {
			return err
		}
		users, err = load.Conns(ctx, db, clients)
		return err
	}
	c := Case{
		ID:    id,
		Title: "eight statements of two seconds in a thread pool of one group with six threads",
		Rule:  "mysql/thread-pool-stalled",
		Kind:  "process", Name: "mariadbd",
		Says:   `group 0 of 1 of the thread pool of mariadbd`,
		Needs:  server.MariaDB10().Needs(),
		Window: 8 * time.Second,
		// The pool's own port would make rtrail wait in the queue.
		MySQL: func() []string { return []string{fmt.Sprintf("lab@%s:%d", m.Addr, extra)} },
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if extra, err = env.FreePort("127.0.0.1"); err != nil {
				return err
			}
			if m, err = server.StartMySQL(ctx, e, server.MariaDB10(), env.End{}, pool(clients+8)...); err != nil {
				return err
			}
			return connect(ctx, e)
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			db.Close()
			if err := m.Restart(ctx, pool(threads)...); err != nil {
				return err
			}
			limited = true
			return connect(ctx, e)
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			limited = false
			_, err := m.Query(ctx, "SET GLOBAL thread_pool_max_threads = 1000")
			// The pool makes its threads as they are needed, one each half second.
			_, more := naps(ctx, users, nap)
			return errors.Join(err, more)
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			begun := time.Now()
			var slowest time.Duration
			var seen []string
			for time.Since(begun) < d {
				batches, err := naps(ctx, users, nap)
				if err != nil {
					return load.Measurement{}, err
				}
				var n []int
				for _, b := range batches {
					n = append(n, b.n)
					slowest = max(slowest, b.last)
					seen = append(seen, fmt.Sprintf("%d at %.2f s", b.n, b.last.Seconds()))
				}
				if limited && !slices.Equal(n, []int{threads, clients - threads}) && !slices.Equal(n, []int{threads - 1, clients - threads + 1}) {
					return load.Measurement{}, fmt.Errorf("eight naps of %v ended in batches of %v (%s), want six and two, or five and three", nap, n, strings.Join(seen, ", "))
				}
			}
			return load.Measurement{Value: slowest.Seconds(), Unit: "s slowest", LowerBetter: true, Detail: strings.Join(seen, ", ")}, nil
		},
	}
	switch way {
	case toldOfOtherPort:
		c.Title += "; rtrail is sent to the pool's port and told of the administrators'"
		c.MySQL = func() []string { return []string{fmt.Sprintf("lab@%s:%d?admin-port=%d", m.Addr, m.Port, extra)} }
	case ownPort:
		c.Title += "; rtrail waits in the pool like all others"
		c.MySQL = func() []string { return []string{fmt.Sprintf("lab@%s:%d", m.Addr, m.Port)} }
	}
	return c
}

// batch is statements that ended together.
type batch struct {
	n    int
	last time.Duration
}

// naps has every connection sleep once, all at the same time, and tells which
// ended together: within half a nap of each other.
func naps(ctx context.Context, list []*sql.Conn, nap time.Duration) ([]batch, error) {
	took := make([]time.Duration, len(list))
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	begun := time.Now()
	for i, c := range list {
		wg.Go(func() {
			errs[i] = load.RowsOf(ctx, c, fmt.Sprintf("SELECT SLEEP(%g)", nap.Seconds()))
			took[i] = time.Since(begun)
		})
	}
	wg.Wait()
	slices.Sort(took)
	var batches []batch
	for i, d := range took {
		if i == 0 || d-took[i-1] > nap/2 {
			batches = append(batches, batch{})
		}
		b := &batches[len(batches)-1]
		b.n++
		b.last = d
	}
	return batches, errors.Join(errs...)
}

// threadPoolJoinedCase is the same fault as rt/slow-connections, seen with packets and
// from inside at once: what takes microseconds to execute takes hundreds of
// milliseconds for clients.
func threadPoolJoinedCase() Case {
	var m *server.MySQL
	c := slowConnectionsOf("mysql/thread-pool-stalled+packets", &m, server.MariaDB10(), "--performance-schema=ON")
	c.Title += ", watched from inside and by packets"
	c.Rule, c.Kind, c.Name = "mysql/thread-pool-stalled", "process", "mariadbd"
	c.Says = `clients of mariadbd wait up to .* statements queue before execution, in group 0 of 2`
	c.Captures = []Capture{{NetNS: "server", Interface: "any", Ports: []uint16{3306}}}
	c.MySQL = func() []string { return m.BySocket() }
	return c
}
