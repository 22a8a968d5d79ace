package mysqlconn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
	"golang.org/x/sys/unix"
)

const (
	// mostResult bounds the rows of one answer: what is more is cut and counted.
	// A server with 10,000 connections and 10,000 digests stays below.
	mostResult = 20000
	// quitDeadline is how long a goodbye may take: it fits into any buffer.
	quitDeadline = 100 * time.Millisecond
)

// Conn is one connection. It is used by one goroutine; only Abort may be called
// by others.
type Conn struct {
	driver driver.Conn
	net    net.Conn
}

// Progress says how far a Connect came: a server that took the TCP connection
// and sent no greeting is stalled, one that did not is unreachable.
type Progress struct{ dialed atomic.Bool }

// Dialed says that the network or the kernel of the server took the connection.
func (p *Progress) Dialed() bool { return p.dialed.Load() }

// Connect dials and logs in: one attempt. ctx bounds all of it; when it ends, the
// socket is closed. Errors name the server and never the password.
func (t Target) Connect(ctx context.Context, p *Progress) (conn *Conn, err error) {
	c := &Conn{}
	defer c.guard(&err)
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd = t.User, string(t.Password)
	cfg.Net, cfg.Addr = t.Network, t.Address
	cfg.Logger = &mysql.NopLogger{}
	cfg.ConnectionAttributes = "program_name:rtrail"
	cfg.CheckConnLiveness = false
	var first *greeted
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c.net = conn
		ours.add(conn)
		if p != nil {
			p.dialed.Store(true)
		}
		first = &greeted{Conn: conn}
		return first, nil
	}
	if err := t.secure(cfg); err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("prepare a connection to %s: %w", t.Name, err)
	}
	if c.driver, err = connector.Connect(ctx); err != nil {
		if cause := context.Cause(ctx); cause != nil && !isServerError(err) {
			err = cause
		}
		if first != nil && !isServerError(err) {
			if other := first.other(); other != nil {
				err = other
			}
		}
		return nil, fmt.Errorf("log in at %s as %s: %w", t.Name, t.User, err)
	}
	return c, nil
}

// guard turns a panic into an error: the driver trusts what comes from the server
// and reads behind the end of packets that are too short.
func (c *Conn) guard(err *error) {
	if p := recover(); p != nil {
		c.Abort()
		*err = fmt.Errorf("%w: %v", ErrNotMySQL, p)
	}
}

// ErrNotMySQL says that something answers which is no MySQL server.
var ErrNotMySQL = errors.New("what answers there does not speak MySQL's protocol")

func isServerError(err error) bool {
	_, ok := errors.AsType[*mysql.MySQLError](err)
	return ok
}

// Check reads the certificates that a target names, so that a wrong path is said
// before a server is asked, and is not taken for a fault of the server.
func (t Target) Check() error {
	_, err := t.tls()
	return err
}

// secure sets up TLS.
func (t Target) secure(cfg *mysql.Config) (err error) {
	cfg.TLS, err = t.tls()
	cfg.AllowFallbackToPlaintext = cfg.TLS != nil && t.TLS != TLSVerified && t.TLS != TLSUnverified
	return err
}

// tls is nil where none is wanted. A Unix socket needs none.
func (t Target) tls() (*tls.Config, error) {
	if t.Network == "unix" || t.TLS == TLSOff {
		return nil, nil
	}
	c := &tls.Config{ServerName: t.Host(), InsecureSkipVerify: t.TLS != TLSVerified}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("read the certificates to trust: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read the certificates to trust: %s holds none in PEM form", t.CA)
		}
	}
	if t.Cert != "" && t.Key != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("read the client's certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// Ping asks for the least a server can answer.
func (c *Conn) Ping(ctx context.Context) (err error) {
	defer c.guard(&err)
	return c.driver.(driver.Pinger).Ping(ctx)
}

// Query runs one statement and reads its whole answer. When ctx ends the socket
// is closed and the connection lost; nothing is killed.
func (c *Conn) Query(ctx context.Context, statement string) (r *Result, err error) {
	defer c.guard(&err)
	rows, err := c.driver.(driver.QueryerContext).QueryContext(ctx, statement, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	r = NewResult(rows.Columns())
	values := make([]driver.Value, len(r.Columns))
	for {
		err := rows.Next(values)
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		if len(r.rows) >= mostResult {
			r.Cut++
			continue
		}
		row := make([]cell, len(values))
		for i, v := range values {
			row[i] = cellOf(v)
		}
		r.rows = append(r.rows, row)
	}
}

func cellOf(v driver.Value) cell {
	switch x := v.(type) {
	case nil:
		return cell{null: true}
	case []byte:
		return cell{text: string(x)}
	case string:
		return cell{text: x}
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
