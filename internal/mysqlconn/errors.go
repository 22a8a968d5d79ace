package mysqlconn

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"rtrail/internal/redact"
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
	NoTLS            // TLS as it was asked for does not come about
	NotMySQL         // what answers is something else, or sends more than is read
	Withheld         // it is not told the password: it is not trusted, or wants it in a form that shows it
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

// KindOf says what an error number of the server means.
func KindOf(code uint16) Kind { return kinds[code] }

// Classify says what an error of Connect or Query means, and the server's error
// number; 0 if the server did not say anything.
func Classify(err error) (kind Kind, code int) {
	if err == nil {
		return Other, 0
	}
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return kinds[e.Number], int(e.Number)
	}
	switch {
	case errors.Is(err, ErrNotMySQL), errors.Is(err, mysql.ErrMalformPkt), errors.Is(err, mysql.ErrPktSync):
		return NotMySQL, 0
	case withheldWhy(err) != "":
		return Withheld, 0
	case tlsFailure(err) != "":
		return NoTLS, 0
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

// tlsFailure says why TLS did not come about; "" if something else is wrong. That
// a server closes the connection in the middle is not told from a crash.
func tlsFailure(err error) string {
	if errors.Is(err, mysql.ErrNoTLS) {
		return tlsNone
	}
	verification, unverified := errors.AsType[*tls.CertificateVerificationError](err)
	alert, alerted := errors.AsType[tls.AlertError](err)
	header, garbled := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case unverified:
		return tlsRejected + verification.Err.Error()
	case alerted:
		return TLSAsked + ", and the server ends the handshake: " + alert.Error()
	case garbled:
		return TLSAsked + ", and the server does not speak it: " + header.Error()
	}
	// Those of crypto/tls that have no type: no version or cipher in common.
	if text := err.Error(); strings.Contains(text, ": tls: ") {
		return TLSAsked + " and fails: " + text[strings.LastIndex(text, ": tls: ")+2:]
	}
	return ""
}

// Text is the error without what the reader sees anyway: the server's own words
// where it said something, without literals.
func Text(err error) string {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return redact.Message("mysql", strconv.Itoa(int(e.Number)), strings.ToValidUTF8(e.Message, "?"))
	}
	if why := withheldWhy(err); why != "" {
		return why
	}
	if e, ok := errors.AsType[*notMySQL](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*breach](err); ok {
		return e.Error()
	}
	if why := tlsFailure(err); why != "" {
		return why
	}
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the server closed the connection"
	}
	if errors.Is(err, mysql.ErrMalformPkt) || errors.Is(err, mysql.ErrPktSync) {
		return ErrNotMySQL.Error() + ": " + err.Error()
	}
	if errors.Is(err, ErrNotMySQL) {
		return ErrNotMySQL.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return "no answer in time"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	return err.Error()
}

// TLSAsked is how the text of every NoTLS begins.
const TLSAsked = "TLS was asked for"

// How the texts of two kinds of NoTLS begin; all others are of handshakes.
const (
	tlsNone     = TLSAsked + ", and the server offers none"
	tlsRejected = TLSAsked + " with a certificate that fits, and the server's is rejected: "
)

// withheldWhy says why a server was not told the password; "" if something else is
// wrong.
func withheldWhy(err error) string {
	if e, ok := errors.AsType[*withheld](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*untrusted](err); ok {
		return untrustedServer + ": " + e.Error()
	}
	return ""
}

// untrustedServer is how the text begins of a server that was not named and that is
// not one of this host's own.
const untrustedServer = "passwords go to the host's own servers only, unless they are named"

// NameRemedy is what to do about NotMySQL.
const NameRemedy = "name the address and port at which the MySQL server listens"

// Remedy is what to do about a server that cannot be asked as it was named, going
// by the text of the error.
func Remedy(text string) string {
	switch {
	case strings.HasPrefix(text, untrustedServer), text == wantedUnnamed:
		return nameByHand
	case text == wantedPlain:
		return "give --mysql-tls true or skip-verify; or ?server-key=true behind the server's name, which takes the server's RSA key on trust: anyone in between can then read the password"
	case strings.HasPrefix(text, methodUnwanted):
		return "name a user who logs in by " + strings.Join(methods, ", ") + " or through the socket"
	case strings.HasPrefix(text, breachBegins):
		return "see what listens there: it does not keep to MySQL's protocol, or tells more than rtrail reads"
	case !strings.HasPrefix(text, TLSAsked):
		return NameRemedy
	case strings.HasPrefix(text, tlsNone):
		return "give --mysql-tls preferred (TLS only if it is offered) or false (none), or have the server offer it"
	case strings.HasPrefix(text, tlsRejected) && !strings.Contains(text, "unknown authority"):
		// It is trusted, but for another name, or has expired.
		return "give --mysql-tls skip-verify (the server's is not checked), or name the server as its certificate does"
	case strings.HasPrefix(text, tlsRejected):
		return "give the certificates to trust: --mysql-ca FILE, or --mysql-tls skip-verify (the server's is not checked)"
	}
	// Without a check of the certificate, or with TLS where it is offered, the
	// handshake would end in the same way.
	return "the server's error log may say why: versions and ciphers of TLS that have nothing in common, or a certificate of the client that it wants " +
		"(ssl-cert and ssl-key in ~/.my.cnf); --mysql-tls false asks without TLS"
}
