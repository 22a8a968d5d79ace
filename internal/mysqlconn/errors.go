package mysqlconn

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"
)

// Kind says what an error means for going on.
type Kind int

// Kinds of errors.
const (
	Other       Kind = iota
	Denied           // wrong user, password or host, or this host is blocked: trying again makes it worse
	Full             // too many connections
	Privilege        // the user may not do this
	Interrupted      // the server ended the statement for its time limit
	Unknown          // no such table, column or variable: another version
	Gone             // the connection was closed
	Timeout          // no answer in time
	Unreachable      // no connection: refused, no route, no such socket or host
)

// Error numbers of the server, from its manual (Server Error Message Reference).
var kinds = map[uint16]Kind{
	1045: Denied, 1044: Privilege, 1698: Denied, 1130: Denied, 1129: Denied, 1862: Denied, 1820: Denied, 3118: Denied, 4151: Denied,
	1040: Full, 1203: Full, 1226: Full,
	1227: Privilege, 1142: Privilege, 1143: Privilege, 1370: Privilege, 1419: Privilege, 1095: Privilege,
	3024: Interrupted, 1969: Interrupted, 1317: Interrupted, 1205: Interrupted,
	1109: Unknown, 1146: Unknown, 1054: Unknown, 1193: Unknown, 1064: Unknown, 1049: Unknown, 1238: Unknown, 1286: Unknown, 1231: Unknown,
	1053: Gone, 1152: Gone, 1158: Gone, 1159: Gone, 1160: Gone, 1161: Gone, 1927: Gone, 4031: Gone, 1836: Other,
}

// Classify says what an error of Connect or Query means, and the server's error
// number; 0 if the server did not say anything.
func Classify(err error) (kind Kind, code int) {
	if err == nil {
		return Other, 0
	}
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return kinds[e.Number], int(e.Number)
	}
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() {
		return Timeout, 0
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return Timeout, 0
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, driver.ErrBadConn), errors.Is(err, net.ErrClosed):
		return Gone, 0
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return Unreachable, 0
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return Unreachable, 0
	}
	return Other, 0
}

// Text is the error without what the reader sees anyway: the server's own words
// where it said something.
func Text(err error) string {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return strings.ToValidUTF8(e.Message, "?")
	}
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) {
		return "the server closed the connection"
	}
	if errors.Is(err, mysql.ErrMalformPkt) || errors.Is(err, mysql.ErrPktSync) {
		return ErrNotMySQL.Error() + ": " + err.Error()
	}
	if errors.Is(err, ErrNotMySQL) {
		return ErrNotMySQL.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}
