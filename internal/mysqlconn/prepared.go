package mysqlconn

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxMarkers is how many parameters a prepared statement may have.
	MaxMarkers = 65535
	// MaxStatement is the longest text that goes into one packet, with its command.
	MaxStatement = 1<<24 - 2

	comPrepare = 22
	comExecute = 23
	comForget  = 25

	prepareOKLength = 12
)

// Prepared is a statement that the server keeps for its connection.
type Prepared struct {
	conn      *Conn
	statement driver.Stmt
}

// Prepare has the server prepare a statement. Its text is at most MaxStatement long.
func (c *Conn) Prepare(ctx context.Context, statement string) (p *Prepared, err error) {
	defer c.guard(&err)
	if len(statement) > MaxStatement {
		return nil, fmt.Errorf("prepare a statement: its text has %d bytes, and %d go into a packet", len(statement), MaxStatement)
	}
	s, err := c.driver.(driver.ConnPrepareContext).PrepareContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	return &Prepared{c, s}, nil
}

// Execute runs the statement and counts the rows of its answer, which it throws away.
// When ctx ends the socket is closed and the connection lost; nothing is killed.
func (p *Prepared) Execute(ctx context.Context, values []driver.NamedValue) (rows int, err error) {
	defer p.conn.guard(&err)
	answer, err := p.statement.(driver.StmtQueryContext).QueryContext(ctx, values)
	if err != nil {
		return 0, err
	}
	defer answer.Close()
	row := make([]driver.Value, len(answer.Columns()))
	for {
		err := answer.Next(row)
		if errors.Is(err, io.EOF) {
			if p.conn.wire.stage != atRest {
				p.conn.Abort()
				return rows, breachf("a row that ends too early")
			}
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows++
	}
}

// Close has the server forget the statement, which it does not answer.
func (p *Prepared) Close() (err error) {
	defer p.conn.guard(&err)
	return p.statement.Close()
}

// nextPrepared reads the first packet of the answer to a prepare.
func (w *wire) nextPrepared() error {
	payload, err := w.packet(maxAuthPacket)
	if err != nil {
		return err
	}
	switch {
	case payload[0] == packetError:
		if payload, err = errorWithin(payload); err != nil {
			return err
		}
		w.stage = atRest
	case payload[0] != packetOK || len(payload) != prepareOKLength:
		return breachf("an answer that makes no sense")
	default:
		columns := uint64(binary.LittleEndian.Uint16(payload[5:]))
		if columns > maxColumns {
			return breachf("an answer of %d columns where %d are the most", columns, maxColumns)
		}
		w.left, w.columns = uint64(binary.LittleEndian.Uint16(payload[7:])), columns
		if w.stage = atParameters; w.left == 0 {
			w.describe()
		}
	}
	w.pass(payload)
	return nil
}

// describe expects the columns of a prepared statement, if it has any.
func (w *wire) describe() {
	w.stage, w.left, w.columns = atRest, w.columns, 0
	if w.left > 0 {
		w.stage = atDescribed
	}
}
