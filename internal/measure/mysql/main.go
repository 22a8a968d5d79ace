// Command mysql measures what it costs a MySQL server that rtrail watches it: its
// own CPU time without load, and what sysbench loses that loads it fully, while
// rtrail comes and goes beside it.
//
//	go run ./internal/measure/mysql [-rtrail bin/rtrail] [-rounds 8] [-for 10s] [-server HOST:PORT -user U -password P]
//	go run ./internal/measure/mysql -diagnose '--for 10s' [-want 3] [...]
//
// With -diagnose it measures whole runs of rtrail diagnose with these flags, and whether
// what they say that their BPF programs cost explains what sysbench loses. Without -server it starts a MariaDB of its own and removes it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/measure/beside"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

const (
	wantLoss  = 2.0                  // percent of sysbench's queries at most
	wantQuery = 5 * time.Millisecond // of the server's time per second for rtrail's own queries
	idle      = 5 * time.Second      // of watching a server without load
	alone     = 4 * time.Second      // of load without rtrail, between two turns
)

func main() {
	var b comparison
	var server string
	given := &beside.Server{}
	flag.StringVar(&b.rtrail, "rtrail", "bin/rtrail", "the program to measure")
	flag.IntVar(&b.rounds, "rounds", 8, "how often rtrail runs beside sysbench")
	flag.DurationVar(&b.length, "for", 10*time.Second, "how long it watches")
	flag.StringVar(&b.flags, "diagnose", "", "measure rtrail diagnose with these flags, separated by spaces")
	flag.Float64Var(&b.want, "want", 3, "percent of sysbench's queries that diagnose may take")
	flag.IntVar(&given.Threads, "threads", 8, "connections of sysbench")
	flag.StringVar(&server, "server", "", "HOST:PORT of a server that runs already; it needs a database \"bench\"")
	flag.StringVar(&given.User, "user", "bench", "user of that server")
	flag.StringVar(&given.Password, "password", "", "password of that user")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer cancel()
	err := func() (err error) {
		b.server = given
		if server == "" {
			b.server, err = beside.Start(ctx, given.Threads)
		} else if given.Address, err = netip.ParseAddrPort(server); err != nil {
			err = fmt.Errorf("-server %s: want an address of this host and a port: %w", server, err)
		}
		if err != nil {
			return err
		}
		defer b.server.End()
		return b.run(ctx)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mysql:", err)
		os.Exit(1)
	}
}

type comparison struct {
	rtrail string
	rounds int
	length time.Duration
	server *beside.Server
	flags  string  // of diagnose; "": the server is watched
	want   float64 // percent that diagnose may take
}

func (b *comparison) run(ctx context.Context) error {
	if b.flags != "" {
		return b.diagnoses(ctx)
	}
	rest, err := b.resting(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d connections of sysbench oltp_point_select, %d turns of %v\n\n", rest.version, b.server.Threads, b.rounds, b.length)
	load, before, err := b.loaded(ctx)
	if err != nil {
		return err
	}
	defer load.Stop()
	fmt.Printf("%6s %12s %12s %12s %8s %8s %8s %8s %14s %14s\n", "turn", "before", "watched", "after", "loss %", "noise %", "cost %", "noise %", "waits for it", "CPU of rtrail")
	var turns []beside.Turn
	var cpu, once []float64
	for i := range b.rounds {
		var r beside.Run
		w, err := b.watched(ctx, func(cmd *exec.Cmd) (err error) {
			r, err = load.Run(cmd, b.length)
			return err
		})
		if err != nil {
			return err
		}
		after, err := load.Rate(alone)
		if err != nil {
			return err
		}
		t := beside.Turn{Before: before, With: r.Rate, After: after}
		fmt.Printf("%6d %12.0f %12.0f %12.0f %8.1f %8.1f %8.1f %8.1f %9.1f ms/s %9.1f ms/s\n", i+1, t.Before.Queries, t.With.Queries, t.After.Queries, t.Loss(), t.Noise(), t.Cost(), t.CostNoise(), 1000*w.waited, 1000*r.CPU)
		turns, cpu, once = append(turns, t), append(cpu, r.CPU), append(once, r.Once)
		before = after
	}
	fmt.Printf("\n%s\n", beside.SumUp(turns).Report(wantLoss))
	taken := beside.Median(cpu) + rest.cpu.Seconds()
	fmt.Printf("rtrail and its queries take %.1f ms of CPU a second: %.2g percent of the %d CPUs that server and sysbench fill; to start and to end %.0f ms more, once\n",
		1000*taken, 100*taken/float64(runtime.NumCPU()), runtime.NumCPU(), 1000*beside.Median(once))
	verdict := "reached"
	if rest.cpu > wantQuery {
		verdict = "NOT reached"
	}
	fmt.Printf("its queries take %v of the server's CPU a second without load; wanted at most %v: %s; it waits %.1f ms a second for their answers\n",
		rest.cpu.Round(100*time.Microsecond), wantQuery, verdict, 1000*rest.waited)
	return nil
}

// loaded begins the load, and says what it does when it is warm.
func (b *comparison) loaded(ctx context.Context) (*beside.Load, beside.Rate, error) {
	if err := b.server.Prepare(ctx); err != nil {
		return nil, beside.Rate{}, err
	}
	load, err := b.server.Load(ctx)
	if err != nil {
		return nil, beside.Rate{}, err
	}
	if _, err := load.Rate(2 * time.Second); err != nil { // warm
		load.Stop()
		return nil, beside.Rate{}, err
	}
	before, err := load.Rate(alone)
	if err != nil {
		load.Stop()
	}
	return load, before, err
}

// rest is what watching costs a server that does nothing else.
type rest struct {
	cpu     time.Duration // of the server, per second
	waited  float64       // seconds per second
	version string
}

// resting watches the server without load. The first and the last look, which
// read all settings, are not counted.
func (b *comparison) resting(ctx context.Context) (r rest, err error) {
	const edge = 1500 * time.Millisecond
	pid := mysqlconn.ServerAt(ctx, b.server.Address, "/proc")
	if pid == 0 {
		return r, fmt.Errorf("-server %s: no server of this host listens there", b.server.Address)
	}
	spent := func() time.Duration {
		before := beside.CPUOf(pid)
		time.Sleep(idle)
		return beside.CPUOf(pid) - before
	}
	unwatched := spent()
	var watched time.Duration
	w, err := b.watched(ctx, func(cmd *exec.Cmd) error {
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("run %s: %w; make build makes it", b.rtrail, err)
		}
		time.Sleep(edge)
		watched = spent()
		time.Sleep(edge)
		_ = cmd.Process.Signal(os.Interrupt)
		return cmd.Wait()
	})
	return rest{cpu: time.Duration(float64(watched-unwatched) / idle.Seconds()), waited: w.waited, version: w.version}, err
}

// watch is what is known of a run of rtrail.
type watch struct {
	waited  float64 // for the answers to its queries, in seconds per second, without its first look, which reads all settings and logs in
	version string  // of the server
}

// watched has rtrail run until it is interrupted, and reads what it recorded.
func (b *comparison) watched(ctx context.Context, run func(*exec.Cmd) error) (w watch, err error) {
	dir, err := os.MkdirTemp("", "rtrail-measure-")
	if err != nil {
		return w, err
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, "recording")
	cmd := exec.CommandContext(ctx, b.rtrail, "record", "-o", to, "--mysql", b.server.User+"@"+b.server.Address.String())
	cmd.Env = append(os.Environ(), "MYSQL_PWD="+b.server.Password)
	if err := run(cmd); err != nil {
		return w, err
	}
	rec, err := recording.Open(context.Background(), to)
	if err != nil {
		return w, err
	}
	looks := recording.Rows[recording.MySQLServer](rec)
	if len(looks) < 3 {
		return w, fmt.Errorf("rtrail looked only %d times at the server", len(looks))
	}
	first, last := looks[0], looks[len(looks)-2] // the last one reads the settings again
	if last.State != recording.ServerAnswers && last.State != recording.ServerSlow {
		return w, errors.New("the server does not answer rtrail: " + last.Error)
	}
	w.waited = (last.QueryTime - first.QueryTime).Seconds() / last.At.Sub(first.At).Seconds()
	w.version = last.Flavor + " " + last.Version
	return w, nil
}
