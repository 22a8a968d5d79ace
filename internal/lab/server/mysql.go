// Package server starts real servers in an environment: MySQL and MariaDB of many
// releases, nginx, Redis. Each is ready when its start returns, and is stopped
// with its environment.
package server

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

	"rtrail/internal/lab/env"
)

// MySQL is a private MySQL or MariaDB with its own data. User "lab" may
// do all from anywhere, without a password; the database "lab" is empty.
type MySQL struct {
	*env.Proc
	env     *env.Env
	Version MySQLVersion
	place   env.Options
	NetNS   *env.NetNS // its network namespace; nil: the host's
	Addr    string     // where it listens
	Port    int
	Socket  string // path of its Unix socket, the same inside and outside of a chroot
	Dir     string // its own folder: data, and whatever a case wants logged
}

// StartMySQL makes an instance in a network namespace, at port 3306, and
// returns when it answers. A zero End is the host's loopback, at a free port.
// Options of the command line go last, so that they win.
func StartMySQL(ctx context.Context, e *env.Env, v MySQLVersion, at env.End, options ...string) (*MySQL, error) {
	if missing := v.Needs().Missing(); missing != "" {
		return nil, fmt.Errorf("start %s: %s", v.Name, missing)
	}
	m := &MySQL{env: e, Version: v, place: env.Options{NetNS: at.NetNS}, NetNS: at.NetNS, Addr: at.Addr, Port: 3306}
	if m.Addr == "" {
		m.Addr = "127.0.0.1"
	}
	if m.NetNS == nil {
		port, err := env.FreePort(m.Addr)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", v.Name, err)
		}
		m.Port = port
	}
	for i := 1; m.Dir == ""; i++ { // a case may have several, of which one is a replica
		dir := e.Path(fmt.Sprintf("%s-%d", v.Short, i))
		if err := os.Mkdir(dir, 0o755); err == nil {
			m.Dir = dir
		} else if !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("start %s: make its folder: %w", v.Name, err)
		}
	}
	m.Socket = m.Path("mysql.sock")
	if err := v.initialize(ctx, m); err != nil {
		return nil, fmt.Errorf("make a database of %s: %w", v.Name, err)
	}
	return m, m.Start(ctx, options)
}

// Path is a file in the server's own folder.
func (m *MySQL) Path(name string) string { return filepath.Join(m.Dir, name) }

// Start starts the server on the data it has and returns when it answers.
func (m *MySQL) Start(ctx context.Context, options []string) error {
	grants := m.Path("init.sql")
	if err := os.WriteFile(grants, []byte(m.Version.grants), 0o644); err != nil {
		return fmt.Errorf("start %s: %w", m.Version.Name, err)
	}
	args := append([]string{"--no-defaults", "--user=root", "--datadir=" + m.Path("data"), "--socket=" + m.Socket, "--init-file=" + grants,
		"--bind-address=" + m.Addr, "--port=" + strconv.Itoa(m.Port), "--skip-name-resolve",
		// A commit does not wait for the disk, which belongs to the host.
		"--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"}, m.Version.options...)
	program, args := m.Version.command(m.Version.program, append(args, options...))
	var err error
	if m.Proc, err = m.env.StartWith(m.place, program, args...); err != nil {
		return err
	}
	m.Proc.Name = filepath.Base(m.Version.program)
	return env.Until(ctx, 30*time.Second, m.Version.Name+" to answer", func() (bool, error) {
		if !m.Alive() {
			return false, fmt.Errorf("%s has ended: %s", m.Version.Name, env.LastBytes(m.Output(), 500))
		}
		_, err := m.Query(ctx, "SELECT 1 FROM mysql.user WHERE user = 'lab'")
		return err == nil, err
	})
}

// Restart stops the server the clean way and starts it on the same data, with
// other options. Its connections are lost.
func (m *MySQL) Restart(ctx context.Context, options ...string) error {
	if err := m.shutdown(ctx); err != nil {
		return err
	}
	return m.Start(ctx, options)
}

// MoveTo stops the server, copies its data to a directory, and starts it there
// in a control group.
func (m *MySQL) MoveTo(ctx context.Context, dir string, group *env.Cgroup, options ...string) error {
	if err := m.shutdown(ctx); err != nil {
		return err
	}
	data := filepath.Join(dir, "data")
	if _, err := m.env.Run(ctx, "cp", "-a", m.Path("data"), data); err != nil {
		return err
	}
	m.place.Cgroups = []*env.Cgroup{group}
	return m.Start(ctx, append([]string{"--datadir=" + data}, options...))
}

func (m *MySQL) shutdown(ctx context.Context) error {
	_ = m.Signal(syscall.SIGTERM)
	limit, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := m.Wait(limit); err != nil && limit.Err() != nil {
		return fmt.Errorf("stop %s: %w", m.Version.Name, err)
	}
	return nil
}

// BySocket is the name under which rtrail asks the server, by its socket.
func (m *MySQL) BySocket() []string { return []string{"lab@" + m.Socket} }

// ByTCP is the name under which rtrail asks the server over TCP.
func (m *MySQL) ByTCP(user string) []string {
	return []string{user + "@" + net.JoinHostPort(m.Addr, strconv.Itoa(m.Port))}
}

// Query runs statements through the server's Unix socket, which no capture sees.
func (m *MySQL) Query(ctx context.Context, statements string) (string, error) {
	return m.env.Run(ctx, "mariadb", "--no-defaults", "--socket="+m.Socket, "--user=lab", "--skip-column-names", "--database=lab", "--execute="+statements)
}

// Loop runs statements again and again through the socket until it is stopped.
func (m *MySQL) Loop(statements string) (stop func()) {
	return m.env.Background("statements in a loop", func(ctx context.Context) {
		for ctx.Err() == nil {
			if _, err := m.Query(ctx, statements); err != nil {
				env.Sleep(ctx, 50*time.Millisecond)
			}
		}
	})
}

// Address is where it listens.
func (m *MySQL) Address() netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(m.Addr), uint16(m.Port))
}
