package load

import (
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"time"

	"github.com/go-sql-driver/mysql"

	"rtrail/internal/lab/env"
)

// OpenMySQL gives connections of the user lab to the database lab of a server,
// from a namespace; nil is the host's. The driver sends statements as text, and
// nothing that it was not asked for.
func OpenMySQL(e *env.Env, in *env.NetNS, at netip.AddrPort) (*sql.DB, error) {
	return OpenMySQLAs(e, in, at, "lab")
}

// OpenMySQLAs is OpenMySQL for another user.
func OpenMySQLAs(e *env.Env, in *env.NetNS, at netip.AddrPort, user string) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = user, "tcp", at.String(), "lab"
	c.InterpolateParams = true
	c.DialFunc = in.Dial
	return openWith(e, c)
}

// OpenPreparing gives connections through a server's socket whose statements are
// prepared in the server.
func OpenPreparing(e *env.Env, socket string) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = "lab", "unix", socket, "lab"
	c.MaxAllowedPacket = 64 << 20
	return openWith(e, c)
}

// openWith gives connections as the driver's configuration says, until the lab is
// over.
func openWith(e *env.Env, c *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("configure connections to %s: %w", c.Addr, err)
	}
	db := sql.OpenDB(connector)
	e.Defer("connections to "+c.Addr, db.Close)
	return db, nil
}

// Conns takes n connections of their own.
func Conns(ctx context.Context, db *sql.DB, n int) ([]*sql.Conn, error) {
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

// RowsOf runs a query and reads all its rows.
func RowsOf(ctx context.Context, c *sql.Conn, query string, args ...any) error {
	rows, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return ReadAll(rows)
}

// ReadAll takes all rows of an answer.
func ReadAll(rows *sql.Rows) error {
	for rows.Next() {
	}
	return rows.Err()
}

// Each runs do on every connection again and again until ctx ends, and counts
// how often it went well.
func Each(ctx context.Context, list []*sql.Conn, do func(ctx context.Context, i int, c *sql.Conn) error) Counted {
	counts := make(chan Counted, len(list))
	for i, c := range list {
		go func() {
			var n Counted
			for ctx.Err() == nil {
				if err := do(ctx, i, c); err == nil {
					n.Done++
				} else if ctx.Err() == nil {
					n.Failed++
					n.Err = err
				}
			}
			counts <- n
		}()
	}
	var sum Counted
	for range list {
		n := <-counts
		sum.Done += n.Done
		sum.Failed += n.Failed
		if n.Err != nil {
			sum.Err = n.Err
		}
	}
	return sum
}

// Counted is what several workers did.
type Counted struct {
	Done, Failed int
	Err          error // one of the failures
}

// Rate makes the number of what was done a measurement.
func (n Counted) Rate(seconds float64, unit string) Measurement {
	m := Measurement{Value: float64(n.Done) / seconds, Unit: unit, Detail: fmt.Sprintf("%d done, %d failed", n.Done, n.Failed)}
	if n.Err != nil {
		m.Detail += ": " + n.Err.Error()
	}
	return m
}

// RateOf runs work on every connection again and again for d and gives its rate.
// The context of work ends with d.
func RateOf(ctx context.Context, list []*sql.Conn, d time.Duration, unit string, work func(ctx context.Context, i int, c *sql.Conn) error) (Measurement, error) {
	during, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	begun := time.Now()
	done := Each(during, list, work)
	return done.Rate(time.Since(begun).Seconds(), unit), ctx.Err()
}

// StatementRateCutOff runs work on n connections of its own for d and gives its rate.
// Statements that wait at the end are given up.
func StatementRateCutOff(ctx context.Context, db *sql.DB, n int, d time.Duration, unit string, work func(ctx context.Context, i int, c *sql.Conn) error) (Measurement, error) {
	list, err := Conns(ctx, db, n)
	defer func() {
		for _, c := range list {
			c.Close()
		}
	}()
	if err != nil {
		return Measurement{}, err
	}
	return RateOf(ctx, list, d, unit, work)
}

// StatementRate is StatementRateCutOff for statements that are finished at the end.
func StatementRate(ctx context.Context, db *sql.DB, n int, d time.Duration, unit string, work func(ctx context.Context, i int, c *sql.Conn) error) (Measurement, error) {
	return StatementRateCutOff(ctx, db, n, d, unit, func(_ context.Context, i int, c *sql.Conn) error { return work(ctx, i, c) })
}
