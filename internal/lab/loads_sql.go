package lab

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// open gives connections to the server's port from a namespace. The driver
// sends statements as text, and nothing that it was not asked for.
func (m *mysqlServer) open(in *NetNS) (*sql.DB, error) { return m.openAt(in, m.addr) }

// openAs is open for another user.
func (m *mysqlServer) openAs(in *NetNS, user string) (*sql.DB, error) {
	return m.openBy(in, user, m.addr)
}

// openAt is open for a proxy at another address.
func (m *mysqlServer) openAt(in *NetNS, addr string) (*sql.DB, error) {
	return m.openBy(in, "lab", addr)
}

func (m *mysqlServer) openBy(in *NetNS, user, addr string) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = user, "tcp", addr+":"+strconv.Itoa(m.port), "lab"
	c.InterpolateParams = true
	c.DialFunc = in.Dial
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("configure connections to %s: %w", m.version.name, err)
	}
	db := sql.OpenDB(connector)
	m.env.Defer("connections to "+m.version.name, db.Close)
	return db, nil
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
