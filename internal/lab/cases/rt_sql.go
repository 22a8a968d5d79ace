package cases

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// withItems is a server on one side of a veth pair, with a table of items.
func withItems(ctx context.Context, e *env.Env, v server.MySQLVersion, options ...string) (p pair, m *server.MySQL, err error) {
	if p, err = newPair(e); err != nil {
		return p, nil, err
	}
	if m, err = server.StartMySQL(ctx, e, v, p.at, options...); err != nil {
		return p, nil, err
	}
	_, err = m.Query(ctx, tableOfItems("item", 1000))
	return p, m, err
}

// chattyTransactions reads 150 items in one statement, then one by one, over a
// distance of 1 ms in either direction.
func chattyTransactions() Case {
	const trips, oneWay = 150, 1000
	var p pair
	var db *sql.DB
	var single atomic.Bool
	ids := make([]any, trips)
	for i := range ids {
		ids[i] = i*7%1000 + 1
	}
	list := "SELECT name FROM item WHERE id IN (?" + strings.Repeat(", ?", trips-1) + ")"
	return Case{
		ID:    "rt/chatty",
		Title: "150 round trips per transaction, one row each",
		Rule:  "rt/chatty",
		Kind:  "statement", Name: `.*item.*`,
		Needs:    server.MariaDB10().Needs(),
		Captures: bothSides(3306),
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if p, _, err = withItems(ctx, e, server.MariaDB10()); err != nil {
				return err
			}
			far := p.at.Addr[:strings.LastIndex(p.at.Addr, ".")] + ".101"
			if err := e.IP("-n", p.server.Name, "addr", "add", far+"/24", "dev", p.at.Device); err != nil {
				return err
			}
			if _, err = load.StartActor(e, env.Options{NetNS: p.server}, "far-proxy", "far-proxy", far+":3306", p.at.Addr+":3306", fmt.Sprint(oneWay)); err != nil {
				return err
			}
			if err := p.server.UntilListens(ctx, far+":3306"); err != nil {
				return err
			}
			db, err = load.OpenMySQL(e, p.client, netip.AddrPortFrom(netip.MustParseAddr(far), 3306))
			return err
		},
		Inject: doing(func() { single.Store(true) }),
		Fix:    doing(func() { single.Store(false) }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			work := func(ctx context.Context, _ int, c *sql.Conn) error {
				env.Sleep(ctx, 20*time.Millisecond) // the next user
				if err := load.RowsOf(ctx, c, "BEGIN"); err != nil {
					return err
				}
				if !single.Load() {
					if err := load.RowsOf(ctx, c, list, ids...); err != nil {
						return err
					}
				} else {
					for _, id := range ids {
						if err := load.RowsOf(ctx, c, "SELECT name FROM item WHERE id = ?", id); err != nil {
							return err
						}
					}
				}
				return load.RowsOf(ctx, c, "COMMIT")
			}
			return load.StatementRate(ctx, db, 2, d, "transactions/s", work)
		},
	}
}

// errorsSwallowed has clients that ask for a table nobody has made, three of
// ten times, and take errors for empty answers.
func errorsSwallowed() Case {
	var p pair
	var m *server.MySQL
	var db *sql.DB
	return Case{
		ID:    "rt/errors",
		Title: "three of ten queries ask for a missing table, and the client swallows the errors",
		Rule:  "rt/errors",
		Kind:  "service", Name: `mysql 10\.213\.\d+\.1:3306`,
		Needs:    server.MariaDB10().Needs(),
		Captures: bothSides(3306),
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if p, m, err = withItems(ctx, e, server.MariaDB10()); err != nil {
				return err
			}
			if _, err = m.Query(ctx, "CREATE TABLE item_new LIKE item; INSERT INTO item_new SELECT * FROM item"); err != nil {
				return err
			}
			db, err = load.OpenMySQL(e, p.client, m.Address())
			return err
		},
		Inject: querying(&m, "RENAME TABLE item_new TO item_old"),
		Fix:    querying(&m, "RENAME TABLE item_old TO item_new"),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			var asked atomic.Int64
			return load.StatementRate(ctx, db, 4, d, "answers/s", func(ctx context.Context, _ int, c *sql.Conn) error {
				env.Sleep(ctx, 2*time.Millisecond)
				n := asked.Add(1)
				table := "item"
				if n%10 < 3 {
					table = "item_new"
				}
				return load.RowsOf(ctx, c, "SELECT name FROM "+table+" WHERE id = ?", n%1000+1)
			})
		},
	}
}

// lateCommit has clients that wait 50 ms with a lock in hand before they
// commit.
func lateCommit() Case {
	const clients, late = 8, 50 * time.Millisecond
	var p pair
	var m *server.MySQL
	var db *sql.DB
	var waits atomic.Bool
	return Case{
		ID:    "rt/late-commit",
		Title: "clients of MariaDB wait 50 ms before COMMIT",
		Rule:  "rt/late-commit",
		Kind:  "service", Name: `mysql 10\.213\.\d+\.1:3306`,
		Needs:    server.MariaDB10().Needs(),
		Captures: bothSides(3306),
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if p, m, err = withItems(ctx, e, server.MariaDB10()); err != nil {
				return err
			}
			db, err = load.OpenMySQL(e, p.client, m.Address())
			return err
		},
		Inject: doing(func() { waits.Store(true) }),
		Fix:    doing(func() { waits.Store(false) }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			var asked atomic.Int64
			return load.StatementRate(ctx, db, clients, d, "transactions/s", func(ctx context.Context, i int, c *sql.Conn) error {
				env.Sleep(ctx, 5*time.Millisecond)
				n := asked.Add(1)
				for _, s := range []string{
					"BEGIN", fmt.Sprintf("SELECT name FROM item WHERE id = %d", n%1000+1),
					// Two clients each want the same row.
					fmt.Sprintf("UPDATE item SET n = n + 1 WHERE id = %d", i/2+1),
				} {
					if err := load.RowsOf(ctx, c, s); err != nil {
						return err
					}
				}
				if waits.Load() {
					env.Sleep(ctx, late)
				}
				return load.RowsOf(ctx, c, "COMMIT")
			})
		},
	}
}

// slowConnections has a thread pool of two groups and few threads. Statements that
// sleep hold all the threads the first group may have: its other connections
// wait for each of their statements, those of the second group never do.
func slowConnections(id string, v server.MySQLVersion) Case {
	var m *server.MySQL
	return slowConnectionsOf(id, &m, v)
}

// slowConnectionsOf is slowConnections with more options for the server, which it shows.
func slowConnectionsOf(id string, m **server.MySQL, v server.MySQLVersion, options ...string) Case {
	const groups, victims, sleepers = 2, 4, 8
	var p pair
	var db *sql.DB
	var users []*sql.Conn
	var stop func()
	// inGroup opens connections until n of each group are there.
	inGroup := func(ctx context.Context, n [groups]int) (list [groups][]*sql.Conn, others []*sql.Conn, err error) {
		for missing := n[0] + n[1]; missing > 0; {
			c, err := db.Conn(ctx)
			if err != nil {
				return list, others, err
			}
			var id int
			if err := c.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
				return list, append(others, c), err
			}
			if g := id % groups; len(list[g]) < n[g] {
				list[g] = append(list[g], c)
				missing--
			} else if others = append(others, c); len(others) > 50 {
				return list, others, errors.New("no connections of one group")
			}
		}
		return list, others, nil
	}
	closeAll := func(lists ...[]*sql.Conn) {
		for _, l := range lists {
			for _, c := range l {
				c.Close()
			}
		}
	}
	return Case{
		ID:    id,
		Title: "sleeping statements hold all threads of one group of " + v.Name + "'s thread pool",
		Rule:  "rt/slow-connections",
		Kind:  "service", Name: `mysql 10\.213\.\d+\.1:3306`,
		Needs:    v.Needs(),
		Captures: bothSides(3306),
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			p, *m, err = withItems(ctx, e, v, append([]string{"--thread-handling=pool-of-threads", fmt.Sprintf("--thread-pool-size=%d", groups),
				"--thread-pool-max-threads=6", "--thread-pool-oversubscribe=1", "--thread-pool-stall-limit=500"}, options...)...)
			if err != nil {
				return err
			}
			db, err = load.OpenMySQL(e, p.client, (*m).Address())
			if err != nil {
				return err
			}
			db.SetMaxIdleConns(0) // a connection that is closed here is closed there
			list, others, err := inGroup(ctx, [groups]int{victims, victims})
			users = append(list[0], list[1]...)
			closeAll(others)
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			list, others, err := inGroup(ctx, [groups]int{sleepers, 0})
			closeAll(others)
			if err != nil {
				closeAll(list[0])
				return err
			}
			stop = e.Background("sleeping statements", func(ctx context.Context) {
				load.Each(ctx, list[0], func(ctx context.Context, _ int, c *sql.Conn) error { return load.RowsOf(ctx, c, "DO SLEEP(0.2)") })
				closeAll(list[0])
			})
			return nil
		},
		Fix: doing(func() { stop() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return load.RateOf(ctx, users, d, "answers/s", func(_ context.Context, i int, c *sql.Conn) error {
				env.Sleep(ctx, 2*time.Millisecond)
				return load.RowsOf(ctx, c, "SELECT name FROM item WHERE id = ?", i+1)
			})
		},
	}
}

// tableOfItems makes a table of so many rows, in words that all servers
// understand.
func tableOfItems(name string, n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d, 'item %d', 0)", i+1, i+1)
	}
	return "CREATE TABLE " + name + " (id INT PRIMARY KEY, name VARCHAR(40), n INT) ENGINE=InnoDB; INSERT INTO " + name + " VALUES " + strings.Join(rows, ", ")
}
