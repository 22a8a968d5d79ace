package lab

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// mariaDB is a private instance with its own data. User "lab" may do all from
// anywhere, without a password.
type mariaDB struct {
	*Proc
	env    *Env
	ns     *NetNS
	addr   string
	port   int
	socket string
}

// needsMariaDB is what startMariaDB and its load need.
var needsMariaDB = Needs{
	Root: true, Packages: []string{"mariadb-server", "sysbench", "iproute2"},
	Commands: []string{"mariadbd", "mariadb", "mariadb-install-db", "sysbench", "ip"},
}

// startMariaDB makes an instance in a network namespace, at port 3306, and
// returns when it answers. Options of the command line go last.
func startMariaDB(ctx context.Context, e *Env, at End, options ...string) (*mariaDB, error) {
	m := &mariaDB{env: e, ns: at.NetNS, addr: at.Addr, port: 3306, socket: e.Path("mariadb.sock")}
	data := e.Path("mariadb")
	if _, err := e.Run(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+data, "--user=root",
		"--auth-root-authentication-method=normal", "--skip-test-db"); err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	grants, err := e.WriteFile("mariadb.sql", "CREATE USER lab@'%';\nGRANT ALL ON *.* TO lab@'%';\nCREATE DATABASE lab;\n")
	if err != nil {
		return nil, err
	}
	args := append([]string{"--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + m.socket, "--init-file=" + grants,
		"--bind-address=" + at.Addr, "--port=" + strconv.Itoa(m.port), "--skip-name-resolve", "--performance-schema=OFF",
		// A commit does not wait for the disk, which belongs to the host.
		"--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"}, options...)
	if m.Proc, err = e.StartWith(Options{NetNS: at.NetNS}, "mariadbd", args...); err != nil {
		return nil, err
	}
	return m, Until(ctx, 20*time.Second, "MariaDB to answer", func() (bool, error) {
		if !m.Alive() {
			return false, errors.New("mariadbd has ended: " + lastBytes(m.Output(), 300))
		}
		_, err := m.query(ctx, "SELECT 1 FROM mysql.global_priv WHERE user = 'lab'")
		return err == nil, err
	})
}

// query runs statements through the server's Unix socket, which no capture sees.
func (m *mariaDB) query(ctx context.Context, statements string) (string, error) {
	return m.env.Run(ctx, "mariadb", "--no-defaults", "--socket="+m.socket, "--user=lab", "--skip-column-names", "--database=lab", "--execute="+statements)
}

// loop runs statements again and again through the socket until it is stopped.
func (m *mariaDB) loop(statements string) (stop func()) {
	return m.env.Background("statements in a loop", func(ctx context.Context) {
		for ctx.Err() == nil {
			if _, err := m.query(ctx, statements); err != nil {
				sleep(ctx, 50*time.Millisecond)
			}
		}
	})
}

// sysbenchLoad is one of sysbench's database tests.
type sysbenchLoad struct {
	Test    string // oltp_point_select
	Threads int
	Rows    int
	Rate    int // transactions a second; 0: as fast as it goes
	Extra   []string
}

func (m *mariaDB) sysbench(l sysbenchLoad, more ...string) []string {
	args := []string{l.Test, "--db-driver=mysql", "--mysql-host=" + m.addr, "--mysql-port=" + strconv.Itoa(m.port), "--mysql-user=lab",
		"--mysql-db=lab", "--mysql-ssl=off", "--tables=1", "--table-size=" + strconv.Itoa(l.Rows), "--threads=" + strconv.Itoa(l.Threads),
		"--rate=" + strconv.Itoa(l.Rate), "--percentile=99"}
	return append(append(args, l.Extra...), more...)
}

// prepare fills the table of a test.
func (m *mariaDB) prepare(ctx context.Context, in *NetNS, l sysbenchLoad) error {
	_, err := in.Run(ctx, "sysbench", m.sysbench(l, "prepare")...)
	return err
}

// run runs the test for d, at least a second, in a place; the application's
// number is its transactions a second.
func (m *mariaDB) run(ctx context.Context, o Options, l sysbenchLoad, d time.Duration) (Measurement, error) {
	out, err := m.report(ctx, o, l, d)
	if err != nil {
		return Measurement{}, err
	}
	r, err := parseSysbench(out)
	r.Unit = "transactions/s"
	return r, err
}

// runP99 is run for a load with a rate: the application's number is how long
// its transactions take.
func (m *mariaDB) runP99(ctx context.Context, o Options, l sysbenchLoad, d time.Duration) (Measurement, error) {
	out, err := m.report(ctx, o, l, d)
	if err != nil {
		return Measurement{}, err
	}
	q := sysbenchP99.FindStringSubmatch(out)
	if q == nil {
		return Measurement{}, fmt.Errorf("read the report of sysbench: no percentile in %q", lastBytes(out, 300))
	}
	p99, ok := number(q[1])
	if !ok {
		return Measurement{}, fmt.Errorf("read the report of sysbench: %q is no number", q[1])
	}
	return Measurement{Value: p99, Unit: "ms p99", LowerBetter: true}, nil
}

func (m *mariaDB) report(ctx context.Context, o Options, l sysbenchLoad, d time.Duration) (string, error) {
	return m.env.RunWith(ctx, o, "sysbench", m.sysbench(l, fmt.Sprintf("--time=%d", max(int(d.Seconds()+.5), 1)), "run")...)
}
