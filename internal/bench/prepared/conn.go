package prepared

import (
	"context"

	"rtrail/internal/mysqlconn"
)

// To makes connections to a server.
func To(t mysqlconn.Target) func(context.Context) (Conn, error) {
	return func(ctx context.Context) (Conn, error) {
		c, err := t.Connect(ctx, nil)
		if err != nil {
			return nil, err
		}
		return connection{c}, nil
	}
}

type connection struct{ *mysqlconn.Conn }

// Prepare has the server prepare a statement.
func (c connection) Prepare(ctx context.Context, statement string) (Statement, error) {
	s, err := c.Conn.Prepare(ctx, statement)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// PID is the server's on this host.
func (c connection) PID() int32 { return c.Peer("/proc") }
