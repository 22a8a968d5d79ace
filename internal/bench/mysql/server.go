package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// server is what sysbench loads and rtrail watches.
type server struct {
	address        string // HOST:PORT
	user, password string

	cmd *exec.Cmd // of one that was started
	dir string
}

// name is the server as rtrail is told; the password comes by the environment.
func (s *server) name() string { return s.user + "@" + s.address }

// start makes a MariaDB and runs it until it answers.
func (s *server) start(ctx context.Context) (err error) {
	if s.dir, err = os.MkdirTemp("", "rtrail-bench-"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			s.end()
		}
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.address = l.Addr().String()
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	data, grants, socket := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "grants.sql"), filepath.Join(s.dir, "socket")
	if err := os.WriteFile(grants, []byte("CREATE USER bench@'%';\nGRANT ALL ON *.* TO bench@'%';\nCREATE DATABASE bench;\n"), 0o600); err != nil {
		return err
	}
	install := exec.CommandContext(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+data, "--user=root",
		"--auth-root-authentication-method=normal", "--skip-test-db")
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("make a database (needs mariadb-server): %w: %s", err, out)
	}
	s.cmd = exec.CommandContext(ctx, "mariadbd", "--no-defaults", "--user=root", "--datadir="+data, "--socket="+socket,
		"--init-file="+grants, "--bind-address=127.0.0.1", "--port="+strconv.Itoa(port), "--skip-name-resolve",
		"--performance-schema=OFF", "--innodb-buffer-pool-size=64M")
	s.cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("run mariadbd: %w", err)
	}
	for range 100 {
		if exec.CommandContext(ctx, "mariadb", "--no-defaults", "--socket="+socket, "--user=bench", "--execute=SELECT 1", "bench").Run() == nil {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return errors.New("mariadbd does not answer after 20 s")
}

func (s *server) end() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

func (s *server) sysbench(ctx context.Context, threads int, more ...string) (string, error) {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return "", fmt.Errorf("-server %s: %w", s.address, err)
	}
	args := append([]string{"oltp_point_select", "--db-driver=mysql", "--mysql-host=" + host, "--mysql-port=" + port, "--mysql-user=" + s.user,
		"--mysql-password=" + s.password, "--mysql-db=bench", "--mysql-ssl=off", "--tables=1", "--table-size=10000", "--threads=" + strconv.Itoa(threads)}, more...)
	out, err := exec.CommandContext(ctx, "sysbench", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("run sysbench: %w: %s", err, out)
	}
	return string(out), nil
}

// prepare makes the table anew.
func (s *server) prepare(ctx context.Context) error {
	if _, err := s.sysbench(ctx, 1, "cleanup"); err != nil {
		return err
	}
	_, err := s.sysbench(ctx, 1, "prepare")
	return err
}

var queriesLine = regexp.MustCompile(`queries:\s*\d+\s*\(([0-9.]+) per sec\.\)`)

// rate is how many queries a second sysbench makes.
func (s *server) rate(ctx context.Context, threads int, length time.Duration) (float64, error) {
	out, err := s.sysbench(ctx, threads, fmt.Sprintf("--time=%d", int(length.Seconds())), "run")
	if err != nil {
		return 0, err
	}
	m := queriesLine.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("read the report of sysbench: no rate in %q", out)
	}
	return strconv.ParseFloat(m[1], 64)
}
