package server_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/env/envtest"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// mysqlStart is a server, what its version says, and whether it is started again.
type mysqlStart struct {
	version server.MySQLVersion
	says    string
	restart bool
}

// Every server starts in a namespace, answers at its socket and its port, also
// to sysbench, and leaves nothing behind; one comes back with other options.
func TestMySQLServers(t *testing.T) {
	tests := map[string]mysqlStart{
		"MariaDB 10": {server.MariaDB10(), "MariaDB", false},
		"MariaDB 11": {server.MariaDB11(), "11.8.", false},
		"MySQL 5.6":  {server.MySQL56(), "5.6.14", true},
		"MySQL 9":    {server.MySQL9(), "9.", false},
	}
	for _, r := range server.ReleasesBetween() {
		_, number, _ := strings.Cut(r.Version.Folder, "-")
		tests[r.Version.Name] = mysqlStart{r.Version, number + ".", false}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if missing := test.version.Needs().Missing(); missing != "" {
				t.Skip(missing)
			}
			if testing.Short() {
				t.Skip("starts a server")
			}
			envtest.Isolate(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			e, err := env.New("test/mysql-servers", nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := e.Cleanup(); err != nil {
					t.Error(err)
				}
			})
			ns, err := e.NetNS("server")
			if err != nil {
				t.Fatal(err)
			}
			m, err := server.StartMySQL(ctx, e, test.version, env.End{NetNS: ns, Addr: "127.0.0.1"})
			if err != nil {
				t.Fatal(err)
			}
			if v, err := m.Query(ctx, "SELECT version()"); err != nil || !strings.Contains(v, test.says) {
				t.Errorf("version %q, %v; want one with %q", v, err, test.says)
			}
			load := load.Sysbench{Test: "oltp_point_select", Threads: 1, Rows: 10}
			if err := load.Prepare(ctx, e, ns, m.Address()); err != nil {
				t.Error(err)
			}
			if test.restart {
				if err := m.Restart(ctx, "--table-open-cache=123"); err != nil {
					t.Fatal(err)
				}
				if n, err := m.Query(ctx, "SELECT @@table_open_cache, (SELECT count(*) FROM sbtest1)"); err != nil || strings.TrimSpace(n) != "123\t10" {
					t.Errorf("after the restart %q, %v; want 123 and 10 rows", n, err)
				}
			}
			pid := m.PID
			if err := e.Cleanup(); err != nil {
				t.Error(err)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the server lives on after the cleaning up: %v", err)
			}
			if _, err := os.Stat(m.Dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("its folder is still there: %v", err)
			}
		})
	}
}
