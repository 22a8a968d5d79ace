package load

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"time"

	bench "rtrail/internal/bench/load"
	"rtrail/internal/lab/env"
)

// Sysbench is one of sysbench's database tests.
type Sysbench struct {
	Test    string // oltp_point_select
	Threads int
	Rows    int
	Rate    int // transactions a second; 0: as fast as it goes
	Extra   []string
}

func (l Sysbench) args(at netip.AddrPort, more ...string) []string {
	args := []string{l.Test, "--db-driver=mysql", "--mysql-host=" + at.Addr().String(), "--mysql-port=" + fmt.Sprint(at.Port()), "--mysql-user=lab",
		"--mysql-db=lab", "--mysql-ssl=off", "--tables=1", "--table-size=" + strconv.Itoa(l.Rows), "--threads=" + strconv.Itoa(l.Threads),
		"--rate=" + strconv.Itoa(l.Rate), "--percentile=99"}
	return append(append(args, l.Extra...), more...)
}

// Prepare fills the table of a test, from a namespace; nil is the host's.
func (l Sysbench) Prepare(ctx context.Context, e *env.Env, in *env.NetNS, at netip.AddrPort) error {
	_, err := e.RunWith(ctx, env.Options{NetNS: in}, "sysbench", l.args(at, "prepare")...)
	return err
}

// Run runs the test for d, at least a second, in a place; the application's
// number is its transactions a second.
func (l Sysbench) Run(ctx context.Context, e *env.Env, o env.Options, at netip.AddrPort, d time.Duration) (Measurement, error) {
	out, err := l.Report(ctx, e, o, at, d)
	if err != nil {
		return Measurement{}, err
	}
	r, err := ParseSysbench(out)
	r.Unit = "transactions/s"
	return r, err
}

// RunP99 is Run for a load with a rate: the application's number is how long
// its transactions take.
func (l Sysbench) RunP99(ctx context.Context, e *env.Env, o env.Options, at netip.AddrPort, d time.Duration) (Measurement, error) {
	return l.runFor(ctx, e, o, at, d, func(r *bench.SysbenchReport) float64 { return r.Percentile }, "ms p99")
}

// RunErrors is Run for a load that ignores errors: the application's number is
// how many it gets.
func (l Sysbench) RunErrors(ctx context.Context, e *env.Env, o env.Options, at netip.AddrPort, d time.Duration) (Measurement, error) {
	return l.runFor(ctx, e, o, at, d, func(r *bench.SysbenchReport) float64 { return r.ErrorRate }, "errors/s")
}

// runFor runs the test and reads one number of its report, of which less is better.
func (l Sysbench) runFor(ctx context.Context, e *env.Env, o env.Options, at netip.AddrPort, d time.Duration, of func(*bench.SysbenchReport) float64, unit string) (Measurement, error) {
	out, err := l.Report(ctx, e, o, at, d)
	if err != nil {
		return Measurement{}, err
	}
	r, err := readSysbench(out)
	if err != nil {
		return Measurement{}, err
	}
	value := of(r)
	if math.IsNaN(value) {
		return Measurement{}, fmt.Errorf("read the report of sysbench: no %s in %q", unit, env.LastBytes(out, 300))
	}
	return Measurement{Value: value, Unit: unit, LowerBetter: true}, nil
}

// Report runs the test for d, at least a second, and returns what sysbench prints.
func (l Sysbench) Report(ctx context.Context, e *env.Env, o env.Options, at netip.AddrPort, d time.Duration) (string, error) {
	return e.RunWith(ctx, o, "sysbench", l.args(at, fmt.Sprintf("--time=%d", max(int(d.Seconds()+.5), 1)), "run")...)
}
