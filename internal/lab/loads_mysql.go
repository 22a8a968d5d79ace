package lab

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"time"
)

// sysbenchLoad is one of sysbench's database tests.
type sysbenchLoad struct {
	Test    string // oltp_point_select
	Threads int
	Rows    int
	Rate    int // transactions a second; 0: as fast as it goes
	Extra   []string
}

func (l sysbenchLoad) args(at netip.AddrPort, more ...string) []string {
	args := []string{l.Test, "--db-driver=mysql", "--mysql-host=" + at.Addr().String(), "--mysql-port=" + fmt.Sprint(at.Port()), "--mysql-user=lab",
		"--mysql-db=lab", "--mysql-ssl=off", "--tables=1", "--table-size=" + strconv.Itoa(l.Rows), "--threads=" + strconv.Itoa(l.Threads),
		"--rate=" + strconv.Itoa(l.Rate), "--percentile=99"}
	return append(append(args, l.Extra...), more...)
}

// prepare fills the table of a test, from a namespace; nil is the host's.
func (l sysbenchLoad) prepare(ctx context.Context, e *Env, in *NetNS, at netip.AddrPort) error {
	_, err := e.RunWith(ctx, Options{NetNS: in}, "sysbench", l.args(at, "prepare")...)
	return err
}

// run runs the test for d, at least a second, in a place; the application's
// number is its transactions a second.
func (l sysbenchLoad) run(ctx context.Context, e *Env, o Options, at netip.AddrPort, d time.Duration) (Measurement, error) {
	out, err := l.report(ctx, e, o, at, d)
	if err != nil {
		return Measurement{}, err
	}
	r, err := parseSysbench(out)
	r.Unit = "transactions/s"
	return r, err
}

// runP99 is run for a load with a rate: the application's number is how long
// its transactions take.
func (l sysbenchLoad) runP99(ctx context.Context, e *Env, o Options, at netip.AddrPort, d time.Duration) (Measurement, error) {
	return l.runFor(ctx, e, o, at, d, sysbenchP99, "ms p99")
}

// runErrors is run for a load that ignores errors: the application's number is
// how many it gets.
func (l sysbenchLoad) runErrors(ctx context.Context, e *Env, o Options, at netip.AddrPort, d time.Duration) (Measurement, error) {
	return l.runFor(ctx, e, o, at, d, sysbenchErrors, "errors/s")
}

// runFor runs the test and reads one number of its report, of which less is better.
func (l sysbenchLoad) runFor(ctx context.Context, e *Env, o Options, at netip.AddrPort, d time.Duration, line *regexp.Regexp, unit string) (Measurement, error) {
	out, err := l.report(ctx, e, o, at, d)
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

func (l sysbenchLoad) report(ctx context.Context, e *Env, o Options, at netip.AddrPort, d time.Duration) (string, error) {
	return e.RunWith(ctx, o, "sysbench", l.args(at, fmt.Sprintf("--time=%d", max(int(d.Seconds()+.5), 1)), "run")...)
}
