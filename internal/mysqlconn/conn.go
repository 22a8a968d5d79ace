package mysqlconn

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

const (
	// maxRows and maxResultBytes bound what is kept of one answer: what is more is
	// read, counted and thrown away. A server with 10,000 connections and 10,000
	// digests stays below.
	maxRows        = 20_000
	maxResultBytes = 8 << 20
	// cellBytes is what a value takes beside its text.
	cellBytes = 32
	// maxCell is how much of one value is kept: statements are asked for up to
	// 4,096 characters.
	maxCell = 16 << 10
	// quitDeadline is how long a goodbye may take: it fits into any buffer.
	quitDeadline = 100 * time.Millisecond
)

// Conn is one connection. It is used by one goroutine; only Abort may be called
// by others.
type Conn struct {
	driver driver.Conn
	wire   *wire
	net    net.Conn
}

// Progress says how far a Connect came: a server that took the TCP connection
// and sent no greeting is stalled, one that did not is unreachable.
type Progress struct{ dialed atomic.Bool }

// Dialed says that the network or the kernel of the server took the connection.
func (p *Progress) Dialed() bool { return p.dialed.Load() }

// Connect dials and logs in: one attempt. ctx bounds all of it; when it ends, the
// socket is closed. Nothing is said to a server that was not named unless it is
// one that Target.Trust accepts. Errors name the server and never the password.
func (t Target) Connect(ctx context.Context, p *Progress) (*Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, t.Network, t.Address)
	if err != nil {
		return nil, t.failed(ctx, err)
	}
	ours.add(conn)
	if p != nil {
		p.dialed.Store(true)
	}
	return t.LogIn(ctx, conn)
}

// LogIn is the part of Connect that follows once a connection is made.
func (t Target) LogIn(ctx context.Context, conn net.Conn) (c *Conn, err error) {
	c = &Conn{net: conn, wire: newWire(conn, login{password: t.Password, optional: t.TLS != TLSVerified && t.TLS != TLSUnverified, named: !t.Found,
		private: t.Network == "unix", serverKey: t.ServerKey})}
	defer func() {
		if err != nil {
			c.Abort()
			c, err = nil, t.failed(ctx, err)
		}
	}()
	defer c.guard(&err)
	if err := t.Trust.check(conn); err != nil {
		return c, err
	}
	if c.wire.login.encrypt, err = t.tls(); err != nil {
		return c, err
	}
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end) // the next call reports a closed socket
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := c.wire.begins(); err != nil {
		return c, err
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd = t.User, string(t.Password)
	cfg.Net, cfg.Addr = t.Network, t.Address
	if c.wire.login.encrypt != nil {
		cfg.Net = "unix" // the driver takes that for what nobody else can read, and knows of no TLS
	}
	cfg.Logger = &mysql.NopLogger{}
	cfg.ConnectionAttributes = "program_name:rtrail"
	cfg.CheckConnLiveness = false
	cfg.DialFunc = func(context.Context, string, string) (net.Conn, error) { return c.wire, nil }
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return c, err
	}
	if c.driver, err = connector.Connect(ctx); err != nil {
		return c, err
	}
	stop()
	return c, conn.SetDeadline(time.Time{})
}

// failed is the error of a login.
func (t Target) failed(ctx context.Context, err error) error {
	_, other := errors.AsType[*notMySQL](err)
	if cause := context.Cause(ctx); cause != nil && !isServerError(err) && !other {
		err = cause
	}
	return fmt.Errorf("log in at %s as %s: %w", t.Name, t.User, err)
}

// guard turns a panic into an error: the driver reads behind the end of packets
// that are too short. What ended the connection is what the wire says.
func (c *Conn) guard(err *error) {
	if p := recover(); p != nil {
		c.Abort()
		*err = breachf("a packet that makes no sense: %v", p)
	}
	if *err != nil && c.wire.err != nil && !isServerError(*err) && !isContext(*err) {
		*err = c.wire.err
	}
}

// isContext says whether an error tells that the time was over.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ErrNotMySQL says that something answers which is no MySQL server.
var ErrNotMySQL = errors.New("what answers there does not speak MySQL's protocol")

func isServerError(err error) bool {
	_, ok := errors.AsType[*mysql.MySQLError](err)
	return ok
}

// Files are those that are read whenever a connection is made.
func (t Target) Files() []string {
	return slices.DeleteFunc([]string{t.CA, t.Cert, t.Key}, func(path string) bool { return path == "" })
}

// Check reads the certificates that a target names, so that a wrong path is said
// before a server is asked, and is not taken for a fault of the server.
func (t Target) Check() error {
	_, err := t.tls()
	return err
}

// tls is nil where none is wanted. A Unix socket needs none.
func (t Target) tls() (*tls.Config, error) {
	if t.Network == "unix" || t.TLS == TLSOff {
		return nil, nil
	}
	c := &tls.Config{ServerName: t.Host(), InsecureSkipVerify: t.TLS != TLSVerified}
	if t.CA != "" {
		pem, err := readPEM(t.CA)
		if err != nil {
			return nil, fmt.Errorf("read the certificates to trust: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read the certificates to trust: %s holds none in PEM form", t.CA)
		}
	}
	if t.Cert != "" && t.Key != "" {
		cert, err1 := readPEM(t.Cert)
		key, err2 := readPEM(t.Key)
		pair, err := tls.X509KeyPair(cert, key)
		if err := cmp.Or(err1, err2, err); err != nil {
			return nil, fmt.Errorf("read the client's certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// maxPEM is how large a file of certificates may be: those of all authorities of
// a distribution have 250 KiB.
const maxPEM = 4 << 20

// readPEM reads a file that the user or an option file names, which must not be a
// pipe or a device.
func readPEM(name string) ([]byte, error) {
	path, err := filepath.Abs(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	var f *os.File
	if err == nil {
		f, err = safefile.OpenOwned("/", path)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: innermost(err)}
	}
	defer f.Close()
	return safefile.ReadAll(f, maxPEM)
}

// Ping asks for the least a server can answer.
func (c *Conn) Ping(ctx context.Context) (err error) {
	defer c.guard(&err)
	return c.driver.(driver.Pinger).Ping(ctx)
}

// Query runs one statement and reads its whole answer. When ctx ends the socket
// is closed and the connection lost; nothing is killed.
func (c *Conn) Query(ctx context.Context, statement string) (*Result, error) {
	return c.query(ctx, statement, maxCell)
}

// QueryText is Query for an answer of one long text.
func (c *Conn) QueryText(ctx context.Context, statement string) (*Result, error) {
	return c.query(ctx, statement, maxRow)
}

func (c *Conn) query(ctx context.Context, statement string, longest int) (r *Result, err error) {
	defer c.guard(&err)
	rows, err := c.driver.(driver.QueryerContext).QueryContext(ctx, statement, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	r = NewResult(rows.Columns())
	values := make([]driver.Value, len(r.Columns))
	for kept := 0; ; {
		err := rows.Next(values)
		if errors.Is(err, io.EOF) {
			// The driver also says so of a row that is too short.
			if c.wire.stage != atRest {
				c.Abort()
				return nil, breachf("a row that ends too early")
			}
			return r, nil
		}
		if err != nil {
			return r, err
		}
		if len(r.rows) >= maxRows || kept >= maxResultBytes {
			r.Cut++
			continue
		}
		row := make([]cell, len(values))
		for i, v := range values {
			row[i] = cellOf(v, longest)
			kept += cellBytes + len(row[i].text)
		}
		r.rows = append(r.rows, row)
	}
}

// cellOf is a value as text, or the beginning of it.
func cellOf(v driver.Value, longest int) cell {
	switch x := v.(type) {
	case nil:
		return cell{null: true}
	case []byte:
		return cell{text: string(x[:min(len(x), longest)])}
	case string:
		return cell{text: x[:min(len(x), longest)]}
	case int64:
		return cell{text: strconv.FormatInt(x, 10)}
	case uint64:
		return cell{text: strconv.FormatUint(x, 10)}
	case float64:
		return cell{text: strconv.FormatFloat(x, 'g', -1, 64)}
	case float32:
		return cell{text: strconv.FormatFloat(float64(x), 'g', -1, 32)}
	default:
		return cell{text: fmt.Sprint(x)}
	}
}

// Close says goodbye and closes the socket. It does not wait for the server.
func (c *Conn) Close() {
	if c.net != nil {
		_ = c.net.SetDeadline(time.Now().Add(quitDeadline))
	}
	_ = c.driver.Close() // the connection is given up either way
}

// Abort closes the socket, whatever is under way.
func (c *Conn) Abort() {
	if c.net != nil {
		_ = c.net.Close()
	}
}

// Unacknowledged is how often the kernel has sent again what the other side has
// not acknowledged yet (tcp_info); 0 when everything arrived, and for sockets
// without a network.
func (c *Conn) Unacknowledged() int {
	tcp, ok := c.net.(*net.TCPConn)
	if !ok {
		return 0
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	_ = raw.Control(func(fd uintptr) { // the error is that of a closed socket
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err == nil && info.Unacked > 0 {
			n = int(info.Retransmits)
		}
	})
	return n
}

// Peer is the PID of the server, if it runs on this host; 0 otherwise. proc is
// "/proc" outside of tests.
func (c *Conn) Peer(proc string) int32 { return Peer(c.net, proc) }
