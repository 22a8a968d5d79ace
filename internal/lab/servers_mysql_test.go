package lab

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mysqlStart is a server, what its version says, and whether it is started again.
type mysqlStart struct {
	version mysqlVersion
	says    string
	restart bool
}

// Every server starts in a namespace, answers at its socket and its port, also
// to sysbench, and leaves nothing behind; one comes back with other options.
func TestMySQLServers(t *testing.T) {
	tests := map[string]mysqlStart{
		"MariaDB 10": {mariaDB10(), "MariaDB", false},
		"MariaDB 11": {mariaDB11(), "11.8.", false},
		"MySQL 5.6":  {mySQL56(), "5.6.14", true},
		"MySQL 9":    {mySQL9(), "9.", false},
	}
	for _, r := range releasesBetween() {
		_, number, _ := strings.Cut(r.version.folder, "-")
		tests[r.version.name] = mysqlStart{r.version, number + ".", false}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if missing := test.version.needs().missing(); missing != "" {
				t.Skip(missing)
			}
			if testing.Short() {
				t.Skip("starts a server")
			}
			inTempState(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			e, err := NewEnv("test/mysql-servers", nil)
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
			m, err := startMySQL(ctx, e, test.version, End{NetNS: ns, Addr: "127.0.0.1"})
			if err != nil {
				t.Fatal(err)
			}
			if v, err := m.query(ctx, "SELECT version()"); err != nil || !strings.Contains(v, test.says) {
				t.Errorf("version %q, %v; want one with %q", v, err, test.says)
			}
			load := sysbenchLoad{Test: "oltp_point_select", Threads: 1, Rows: 10}
			if err := load.prepare(ctx, e, ns, m.address()); err != nil {
				t.Error(err)
			}
			if test.restart {
				if err := m.restart(ctx, "--table-open-cache=123"); err != nil {
					t.Fatal(err)
				}
				if n, err := m.query(ctx, "SELECT @@table_open_cache, (SELECT count(*) FROM sbtest1)"); err != nil || strings.TrimSpace(n) != "123\t10" {
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
			if _, err := os.Stat(m.dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("its folder is still there: %v", err)
			}
		})
	}
}
