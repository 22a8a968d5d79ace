package lab

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// startMariaDB starts Debian's own MariaDB, which is enough for everything
// that is not about a certain version.
func startMariaDB(ctx context.Context, e *Env, at End, options ...string) (*mysqlServer, error) {
	return startMySQL(ctx, e, mariaDB10(), at, options...)
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

// sysbenchLoad is one of sysbench's database tests.
type sysbenchLoad struct {
	Test    string // oltp_point_select
	Threads int
	Rows    int
	Rate    int // transactions a second; 0: as fast as it goes
	Extra   []string
}

func (m *mysqlServer) sysbench(l sysbenchLoad, more ...string) []string {
	args := []string{l.Test, "--db-driver=mysql", "--mysql-host=" + m.addr, "--mysql-port=" + strconv.Itoa(m.port), "--mysql-user=lab",
		"--mysql-db=lab", "--mysql-ssl=off", "--tables=1", "--table-size=" + strconv.Itoa(l.Rows), "--threads=" + strconv.Itoa(l.Threads),
		"--rate=" + strconv.Itoa(l.Rate), "--percentile=99"}
	return append(append(args, l.Extra...), more...)
}

// prepare fills the table of a test, from a namespace; nil is the host's.
func (m *mysqlServer) prepare(ctx context.Context, in *NetNS, l sysbenchLoad) error {
	_, err := m.env.RunWith(ctx, Options{NetNS: in}, "sysbench", m.sysbench(l, "prepare")...)
	return err
}

// run runs the test for d, at least a second, in a place; the application's
// number is its transactions a second.
func (m *mysqlServer) run(ctx context.Context, o Options, l sysbenchLoad, d time.Duration) (Measurement, error) {
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
func (m *mysqlServer) runP99(ctx context.Context, o Options, l sysbenchLoad, d time.Duration) (Measurement, error) {
	return m.runFor(ctx, o, l, d, sysbenchP99, "ms p99")
}

// runErrors is run for a load that ignores errors: the application's number is
// how many it gets.
func (m *mysqlServer) runErrors(ctx context.Context, o Options, l sysbenchLoad, d time.Duration) (Measurement, error) {
	return m.runFor(ctx, o, l, d, sysbenchErrors, "errors/s")
}

// runFor runs the test and reads one number of its report, of which less is better.
func (m *mysqlServer) runFor(ctx context.Context, o Options, l sysbenchLoad, d time.Duration, line *regexp.Regexp, unit string) (Measurement, error) {
	out, err := m.report(ctx, o, l, d)
	if err != nil {
		return Measurement{}, err
	}
	q := line.FindStringSubmatch(out)
	if q == nil {
		return Measurement{}, fmt.Errorf("read the report of sysbench: no %s in %q", unit, lastBytes(out, 300))
	}
	value, ok := number(q[1])
	if !ok {
		return Measurement{}, fmt.Errorf("read the report of sysbench: %q is no number", q[1])
	}
	return Measurement{Value: value, Unit: unit, LowerBetter: true}, nil
}

func (m *mysqlServer) report(ctx context.Context, o Options, l sysbenchLoad, d time.Duration) (string, error) {
	return m.env.RunWith(ctx, o, "sysbench", m.sysbench(l, fmt.Sprintf("--time=%d", max(int(d.Seconds()+.5), 1)), "run")...)
}
