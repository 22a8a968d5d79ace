package lab

import (
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"time"

	"github.com/go-sql-driver/mysql"
)

// openMySQL gives connections of the user lab to the database lab of a server,
// from a namespace; nil is the host's. The driver sends statements as text, and
// nothing that it was not asked for.
func openMySQL(e *Env, in *NetNS, at netip.AddrPort) (*sql.DB, error) {
	return openMySQLAs(e, in, at, "lab")
}

// openMySQLAs is openMySQL for another user.
func openMySQLAs(e *Env, in *NetNS, at netip.AddrPort, user string) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = user, "tcp", at.String(), "lab"
	c.InterpolateParams = true
	c.DialFunc = in.Dial
	return openWith(e, c)
}

// openPreparing gives connections through a server's socket whose statements are
// prepared in the server.
func openPreparing(e *Env, socket string) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = "lab", "unix", socket, "lab"
	c.MaxAllowedPacket = 64 << 20
	return openWith(e, c)
}

// openWith gives connections as the driver's configuration says, until the lab is
// over.
func openWith(e *Env, c *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("configure connections to %s: %w", c.Addr, err)
	}
	db := sql.OpenDB(connector)
	e.Defer("connections to "+c.Addr, db.Close)
	return db, nil
}

// conns takes n connections of their own.
func conns(ctx context.Context, db *sql.DB, n int) ([]*sql.Conn, error) {
	var list []*sql.Conn
	for range n {
		c, err := db.Conn(ctx)
		if err != nil {
			return list, err
		}
		list = append(list, c)
	}
	return list, nil
}

// rowsOf runs a query and reads all its rows.
func rowsOf(ctx context.Context, c *sql.Conn, query string, args ...any) error {
	rows, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return readAll(rows)
}

// readAll takes all rows of an answer.
func readAll(rows *sql.Rows) error {
	for rows.Next() {
	}
	return rows.Err()
}

// each runs do on every connection again and again until ctx ends, and counts
// how often it went well.
func each(ctx context.Context, list []*sql.Conn, do func(ctx context.Context, i int, c *sql.Conn) error) counted {
	counts := make(chan counted, len(list))
	for i, c := range list {
		go func() {
			var n counted
			for ctx.Err() == nil {
				if err := do(ctx, i, c); err == nil {
					n.done++
				} else if ctx.Err() == nil {
					n.failed++
					n.err = err
				}
			}
			counts <- n
		}()
	}
	var sum counted
	for range list {
		n := <-counts
		sum.done += n.done
		sum.failed += n.failed
		if n.err != nil {
			sum.err = n.err
		}
	}
	return sum
}

// counted is what several workers did.
type counted struct {
	done, failed int
	err          error // one of the failures
}

// rate makes the number of what was done a measurement.
func (n counted) rate(seconds float64, unit string) Measurement {
	m := Measurement{Value: float64(n.done) / seconds, Unit: unit, Detail: fmt.Sprintf("%d done, %d failed", n.done, n.failed)}
	if n.err != nil {
		m.Detail += ": " + n.err.Error()
	}
	return m
}

// rateOf runs work on every connection again and again for d and gives its rate.
// The context of work ends with d.
func rateOf(ctx context.Context, list []*sql.Conn, d time.Duration, unit string, work func(ctx context.Context, i int, c *sql.Conn) error) (Measurement, error) {
	during, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	begun := time.Now()
	done := each(during, list, work)
	return done.rate(time.Since(begun).Seconds(), unit), ctx.Err()
}

// untilEnd runs work on n connections of its own for d and gives its rate.
// Statements that wait at the end are given up.
func untilEnd(ctx context.Context, db *sql.DB, n int, d time.Duration, unit string, work func(ctx context.Context, i int, c *sql.Conn) error) (Measurement, error) {
	list, err := conns(ctx, db, n)
	defer func() {
		for _, c := range list {
			c.Close()
		}
	}()
	if err != nil {
		return Measurement{}, err
	}
	return rateOf(ctx, list, d, unit, work)
}

// measureSQL is untilEnd for statements that are finished at the end.
func measureSQL(ctx context.Context, db *sql.DB, n int, d time.Duration, unit string, work func(ctx context.Context, i int, c *sql.Conn) error) (Measurement, error) {
	return untilEnd(ctx, db, n, d, unit, func(_ context.Context, i int, c *sql.Conn) error { return work(ctx, i, c) })
}
