package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// mysqlServer is a private MySQL or MariaDB with its own data. User "lab" may
// do all from anywhere, without a password; the database "lab" is empty.
type mysqlServer struct {
	*Proc
	env     *Env
	version mysqlVersion
	place   Options
	ns      *NetNS // its network namespace; nil: the host's
	addr    string // where it listens
	port    int
	socket  string // path of its Unix socket, the same inside and outside of a chroot
	dir     string // its own folder: data, and whatever a case wants logged
}

// startMySQL makes an instance in a network namespace, at port 3306, and
// returns when it answers. A zero End is the host's loopback, at a free port.
// Options of the command line go last, so that they win.
func startMySQL(ctx context.Context, e *Env, v mysqlVersion, at End, options ...string) (*mysqlServer, error) {
	if missing := v.needs().missing(); missing != "" {
		return nil, fmt.Errorf("start %s: %s", v.name, missing)
	}
	m := &mysqlServer{env: e, version: v, place: Options{NetNS: at.NetNS}, ns: at.NetNS, addr: at.Addr, port: 3306}
	if m.addr == "" {
		m.addr = "127.0.0.1"
	}
	if m.ns == nil {
		port, err := freePort(m.addr)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", v.name, err)
		}
		m.port = port
	}
	for i := 1; m.dir == ""; i++ { // a case may have several, of which one is a replica
		dir := e.Path(fmt.Sprintf("%s-%d", v.short, i))
		if err := os.Mkdir(dir, 0o755); err == nil {
			m.dir = dir
		} else if !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("start %s: make its folder: %w", v.name, err)
		}
	}
	m.socket = m.path("mysql.sock")
	if err := v.initialize(ctx, m); err != nil {
		return nil, fmt.Errorf("make a database of %s: %w", v.name, err)
	}
	return m, m.start(ctx, options)
}

// path is a file in the server's own folder.
func (m *mysqlServer) path(name string) string { return filepath.Join(m.dir, name) }

// start starts the server on the data it has and returns when it answers.
func (m *mysqlServer) start(ctx context.Context, options []string) error {
	grants := m.path("init.sql")
	if err := os.WriteFile(grants, []byte(m.version.grants), 0o644); err != nil {
		return fmt.Errorf("start %s: %w", m.version.name, err)
	}
	args := append([]string{"--no-defaults", "--user=root", "--datadir=" + m.path("data"), "--socket=" + m.socket, "--init-file=" + grants,
		"--bind-address=" + m.addr, "--port=" + strconv.Itoa(m.port), "--skip-name-resolve",
		// A commit does not wait for the disk, which belongs to the host.
		"--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"}, m.version.options...)
	program, args := m.version.command(m.version.program, append(args, options...))
	var err error
	if m.Proc, err = m.env.StartWith(m.place, program, args...); err != nil {
		return err
	}
	m.Proc.Name = filepath.Base(m.version.program)
	return Until(ctx, 30*time.Second, m.version.name+" to answer", func() (bool, error) {
		if !m.Alive() {
			return false, fmt.Errorf("%s has ended: %s", m.version.name, lastBytes(m.Output(), 500))
		}
		_, err := m.query(ctx, "SELECT 1 FROM mysql.user WHERE user = 'lab'")
		return err == nil, err
	})
}

// restart stops the server the clean way and starts it on the same data, with
// other options. Its connections are lost.
func (m *mysqlServer) restart(ctx context.Context, options ...string) error {
	if err := m.shutdown(ctx); err != nil {
		return err
	}
	return m.start(ctx, options)
}

// moveTo stops the server, copies its data to a directory, and starts it there
// in a control group.
func (m *mysqlServer) moveTo(ctx context.Context, dir string, group *Cgroup, options ...string) error {
	if err := m.shutdown(ctx); err != nil {
		return err
	}
	data := filepath.Join(dir, "data")
	if _, err := m.env.Run(ctx, "cp", "-a", m.path("data"), data); err != nil {
		return err
	}
	m.place.Cgroups = []*Cgroup{group}
	return m.start(ctx, append([]string{"--datadir=" + data}, options...))
}

func (m *mysqlServer) shutdown(ctx context.Context) error {
	_ = m.Signal(syscall.SIGTERM)
	limit, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := m.Wait(limit); err != nil && limit.Err() != nil {
		return fmt.Errorf("stop %s: %w", m.version.name, err)
	}
	return nil
}

// bySocket is the name under which rtrail asks the server, by its socket.
func (m *mysqlServer) bySocket() []string { return []string{"lab@" + m.socket} }

// byTCP is the name under which rtrail asks the server over TCP.
func (m *mysqlServer) byTCP(user string) []string {
	return []string{user + "@" + net.JoinHostPort(m.addr, strconv.Itoa(m.port))}
}

// query runs statements through the server's Unix socket, which no capture sees.
func (m *mysqlServer) query(ctx context.Context, statements string) (string, error) {
	return m.env.Run(ctx, "mariadb", "--no-defaults", "--socket="+m.socket, "--user=lab", "--skip-column-names", "--database=lab", "--execute="+statements)
}

// loop runs statements again and again through the socket until it is stopped.
func (m *mysqlServer) loop(statements string) (stop func()) {
	return m.env.Background("statements in a loop", func(ctx context.Context) {
		for ctx.Err() == nil {
			if _, err := m.query(ctx, statements); err != nil {
				sleep(ctx, 50*time.Millisecond)
			}
		}
	})
}

// address is where it listens.
func (m *mysqlServer) address() netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(m.addr), uint16(m.port))
}
