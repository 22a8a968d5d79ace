package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/document"
	"rtrail/internal/mysqlconn"
)

// Scenarios of sysbench, by the words that people use, in the order of their weight.
var Scenarios = []string{"point_select", "read_only", "read_write", "write_only"}

// sysbenchQueries is how many queries a transaction of a scenario has, with the defaults of
// sysbench; another ratio says that transactions failed, or that the script is another one.
var sysbenchQueries = map[string]float64{"point_select": 1, "read_only": 16, "read_write": 20, "write_only": 6}

// Sysbench drives a MySQL server by one of sysbench's scripts.
type Sysbench struct {
	Program  string // "": sysbench of the PATH
	Scenario string // one of Scenarios, or the path of a script in Lua
	Server   mysqlconn.Target
	Database string
	Tables   int
	Rows     int // of each table
	Warmup   int // seconds
	Seconds  int // that are measured
	Extra    []string
}

// ErrNoSysbench says that sysbench is not installed.
var ErrNoSysbench = errors.New("sysbench is not installed: install the package sysbench (apt-get install sysbench, dnf install sysbench from EPEL)")

// Check refuses what sysbench cannot be told.
func (s *Sysbench) Check() error {
	if _, err := exec.LookPath(s.program()); err != nil {
		return ErrNoSysbench
	}
	if !slices.Contains(Scenarios, s.Scenario) {
		if filepath.Ext(s.Scenario) != ".lua" {
			return fmt.Errorf("scenario %q: there are %s, and paths of scripts that end with .lua", s.Scenario, strings.Join(Scenarios, ", "))
		}
		if _, err := os.Stat(s.Scenario); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("scenario %q: no such script", s.Scenario)
		}
	}
	for _, arg := range s.Extra {
		name, _, _ := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(arg, "--"):
			return fmt.Errorf("argument %q of sysbench: it takes options that begin with --", arg)
		case name == "--mysql-password":
			return errors.New("--mysql-password of sysbench shows the password to all users of this host: put it into ~/.my.cnf, below [client]")
		case slices.Contains(sysbenchOwn, name):
			return fmt.Errorf("argument %s of sysbench: rtrail gives it; say it in the plan", name)
		}
	}
	if i := strings.IndexAny(string(s.Server.Password), ", \t\r\n\v\f\x00"); i >= 0 {
		return errors.New("sysbench cannot be told this password without showing it to all users of this host, as it has a comma or a space: make a user for the test with another one")
	}
	if s.Server.TLS == mysqlconn.TLSVerified {
		return errors.New("sysbench does not check certificates: use tls=skip-verify, or tls=false")
	}
	return nil
}

// sysbenchOwn are the options that rtrail gives.
var sysbenchOwn = []string{"--threads", "--time", "--rate", "--report-interval", "--report-checkpoints", "--histogram", "--percentile", "--tables", "--table-size",
	"--mysql-host", "--mysql-port", "--mysql-socket", "--mysql-user", "--mysql-db", "--db-driver", "--config-file", "--warmup-time", "--events"}

func (s *Sysbench) program() string {
	if s.Program != "" {
		return s.Program
	}
	return "sysbench"
}

// args is a command line without secrets.
func (s *Sysbench) args(threads int) []string {
	script := s.Scenario
	if slices.Contains(Scenarios, script) {
		script = "oltp_" + script
	}
	args := []string{script, "--db-driver=mysql", "--mysql-user=" + s.Server.User, "--mysql-db=" + s.Database,
		"--tables=" + strconv.Itoa(s.Tables), "--table-size=" + strconv.Itoa(s.Rows), "--threads=" + strconv.Itoa(threads)}
	if s.Server.Network == "unix" {
		args = append(args, "--mysql-socket="+s.Server.Address)
	} else {
		args = append(args, "--mysql-host="+s.Server.Host(), "--mysql-port="+strconv.Itoa(s.Server.Port()))
	}
	if s.Server.TLS == mysqlconn.TLSUnverified {
		args = append(args, "--mysql-ssl=on")
	}
	// The default hits 1 % of the rows in 75 % of the cases, and is a benchmark of their locks.
	if !slices.ContainsFunc(s.Extra, func(arg string) bool { return strings.HasPrefix(arg, "--rand-type=") }) {
		args = append(args, "--rand-type=uniform")
	}
	return append(args, s.Extra...)
}

// Prepare fills the tables.
func (s *Sysbench) Prepare(ctx context.Context, output func(string)) error {
	p, err := s.start(ctx, append(s.args(min(s.Tables, 8)), "prepare"))
	if err != nil {
		return err
	}
	p.lines(output)
	if err := p.wait(); err != nil {
		return fmt.Errorf("fill the tables by sysbench prepare: %w", err)
	}
	return nil
}

// Run implements Driver.
func (s *Sysbench) Run(ctx context.Context, level Level, limits Limits, tell Telling) (o Outcome, err error) {
	total := s.Warmup + s.Seconds
	args := append(s.args(level.Threads), "--time="+strconv.Itoa(total), "--report-interval=1", "--histogram=on", "--percentile=99")
	if level.Rate > 0 {
		args = append(args, "--rate="+strconv.FormatFloat(level.Rate, 'f', 0, 64))
	}
	if s.Warmup > 0 {
		args = append(args, "--report-checkpoints="+strconv.Itoa(s.Warmup))
	}
	ctx, stop := context.WithTimeoutCause(ctx, min(limits.Time, time.Duration(total)*time.Second+startAndEnd), errSysbenchLate)
	defer stop()
	o = Outcome{Load: bench.UnknownLoad(), Alone: bench.UnknownLoad(), Generator: UnknownUsage(), Settings: map[string]string{}}
	for _, arg := range args {
		if kind, ok := strings.CutPrefix(arg, "--rand-type="); ok {
			o.Settings["rand_type"] = kind
		}
	}
	if len(s.Extra) > 0 {
		o.Settings["sysbench_arguments"] = strings.Join(s.Extra, " ")
	}
	tell.Output("$ " + strings.Join(append([]string{s.program()}, args...), " ") + " run")
	p, err := s.start(ctx, append(args, "run"))
	if err != nil {
		return o, err
	}
	watched := watchProcess(p.command.Process.Pid, p.kin.left)
	r := NewSysbenchReport()
	var began, measured time.Time
	exceeded := 0.0
	p.lines(func(line string) {
		tell.Output(line)
		if strings.HasPrefix(line, "sysbench ") && o.Settings["sysbench"] == "" {
			o.Settings["sysbench"], _, _ = strings.Cut(strings.TrimPrefix(line, "sysbench "), " ")
		}
		now := time.Now()
		if line == "Threads started!" {
			began = now
		}
		second, told := r.Line(line)
		if measured.IsZero() && !began.IsZero() && (r.Checkpoints > 0 || s.Warmup == 0) {
			measured = now
			watched.Begin()
			tell.Measures()
		}
		if told && limits.Rate > 0 && second.TPS > limits.Rate && exceeded == 0 {
			exceeded = second.TPS
			stop()
		}
	})
	o.Generator = watched.End()
	tell.Output(o.Generator.String())
	err = p.wait()
	o.Began, o.Ended = measured, time.Now()
	if r.Whole && !measured.IsZero() { // printing took some time
		o.Ended = began.Add(time.Duration(r.Elapsed * float64(time.Second)))
	}
	s.sum(&o, r, level)
	switch {
	case exceeded > 0:
		o.Gone = true
		return o, fmt.Errorf("%.0f transactions a second are more than --max-rate %.0f allows: the step was ended", exceeded, limits.Rate)
	case ctx.Err() != nil:
		o.Gone = true
		return o, context.Cause(ctx)
	case err != nil:
		o.Gone = true
		return o, fmt.Errorf("run sysbench: %w", err)
	case !r.Whole:
		o.Gone = true
		return o, ErrNoReport
	}
	return o, nil
}

// startAndEnd is how long sysbench may take beside its time: to connect and to print.
const startAndEnd = 60 * time.Second

var errSysbenchLate = errors.New("sysbench did not end in time: the server does not answer")

// sum says what the report means.
func (s *Sysbench) sum(o *Outcome, r *SysbenchReport, level Level) {
	n := func(v float64) document.Number { return document.Number(v) }
	if r.Whole {
		o.Load = bench.Load{TPS: n(r.TPS), QPS: n(r.QPS), Errors: n(r.Errors + r.Reconnects), Mean: n(r.Mean),
			P50: n(r.Quantile(.5)), P95: n(r.Quantile(.95)), P99: n(r.Percentile), Max: n(r.Max)}
	}
	invalid, note := r.Failures()
	if invalid != "" {
		o.Invalid = append(o.Invalid, invalid)
	}
	if note != "" {
		o.Notes = append(o.Notes, note)
	}
	if want := sysbenchQueries[s.Scenario]; want > 0 && invalid == "" && r.Transactions > 0 && len(s.Extra) == 0 && math.Abs(r.Queries/r.Transactions/want-1) > .01 {
		o.Invalid = append(o.Invalid, fmt.Sprintf("%.2f queries a transaction, and %s has %.0f: errors, or another script", r.Queries/r.Transactions, s.Scenario, want))
	}
	var rates []float64
	for _, second := range r.Seconds {
		rates = append(rates, second.TPS)
	}
	if r.Whole {
		o.steady(rates, s.Warmup)
	}
	if hot := o.Generator.Hot(); hot != "" {
		o.Invalid = append(o.Invalid, hot)
	}
}

// start starts sysbench, which reads its password from a pipe: no command line and no file
// has it.
func (s *Sysbench) start(ctx context.Context, args []string) (*running, error) {
	secret, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer secret.Close()
	if s.Server.Password != "" {
		_, err = write.WriteString("mysql-password=" + string(s.Server.Password) + "\n")
		args = append([]string{"--config-file=/dev/fd/3"}, args...)
	}
	if err = errors.Join(err, write.Close()); err != nil {
		return nil, err
	}
	p, err := startCommand(ctx, append([]string{s.program()}, args...), secret)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, ErrNoSysbench
	}
	return p, err
}
