// Package beside tells what a program costs a MariaDB server that sysbench loads
// as fast as it goes, while the program runs beside it.
//
// On shared machines two runs of a load differ by ten percent and more. So the
// load goes on all the time, and the program comes and goes: each of its turns is
// compared with the seconds just before and after it.
package beside

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Server is a MySQL or MariaDB server with a database "bench".
type Server struct {
	Address        netip.AddrPort // of loopback, if it is a private one
	User, Password string
	Threads        int    // connections of sysbench
	Script         string // of sysbench; "": oltp_point_select

	cmd *exec.Cmd // of a private one
	dir string
}

// Start makes a private MariaDB in a temporary directory and waits until it
// answers. It ends with End, or with this process.
func Start(ctx context.Context, threads int) (s *Server, err error) {
	s = &Server{User: "bench", Threads: threads}
	if s.dir, err = os.MkdirTemp("", "rtrail-measure-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.End()
		}
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.Address = l.Addr().(*net.TCPAddr).AddrPort()
	l.Close()
	data, grants, socket := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "grants.sql"), filepath.Join(s.dir, "socket")
	if err := os.WriteFile(grants, []byte("CREATE USER bench@'%';\nGRANT ALL ON *.* TO bench@'%';\nCREATE DATABASE bench;\n"), 0o600); err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+data, "--user=root",
		"--auth-root-authentication-method=normal", "--skip-test-db")
	if out, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a database (needs mariadb-server): %w: %s", err, out)
	}
	s.cmd = exec.CommandContext(ctx, "mariadbd", "--no-defaults", "--user=root", "--datadir="+data, "--socket="+socket,
		"--init-file="+grants, "--bind-address=127.0.0.1", "--port="+strconv.Itoa(int(s.Address.Port())), "--skip-name-resolve",
		"--performance-schema=OFF", "--innodb-buffer-pool-size=64M")
	s.cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("run mariadbd: %w", err)
	}
	for range 100 {
		if exec.CommandContext(ctx, "mariadb", "--no-defaults", "--socket="+socket, "--user=bench", "--execute=SELECT 1", "bench").Run() == nil {
			return s, nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return nil, errors.New("mariadbd does not answer after 20 s")
}

// End stops a private server and removes it.
func (s *Server) End() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

// Prepare remakes the table that Load reads.
func (s *Server) Prepare(ctx context.Context) error {
	for _, step := range []string{"cleanup", "prepare"} {
		if out, err := s.sysbench(ctx, step).CombinedOutput(); err != nil {
			return fmt.Errorf("run sysbench: %w: %s", err, out)
		}
	}
	return nil
}

func (s *Server) sysbench(ctx context.Context, more ...string) *exec.Cmd {
	args := append([]string{cmp.Or(s.Script, "oltp_point_select"), "--db-driver=mysql", "--mysql-host=" + s.Address.Addr().String(),
		"--mysql-port=" + strconv.Itoa(int(s.Address.Port())), "--mysql-user=" + s.User, "--mysql-password=" + s.Password,
		"--mysql-db=bench", "--mysql-ssl=off", "--tables=1", "--table-size=10000", "--threads=" + strconv.Itoa(s.Threads)}, more...)
	cmd := exec.CommandContext(ctx, "sysbench", args...)
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	return cmd
}
