// Command mysql measures what it costs a MySQL server that
// rtrail watches it: its own CPU time without load, and what sysbench loses that
// loads it fully, in turns without and with rtrail beside it.
//
//	go run ./internal/bench/mysql [-rtrail bin/rtrail] [-rounds 5] [-for 4s] [-server HOST:PORT -user U -password P]
//
// Without -server it starts a MariaDB of its own and removes it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

const (
	wantLoss  = 2.0                  // percent of sysbench's queries at most
	wantQuery = 5 * time.Millisecond // of the server's time per second for rtrail's own queries
	idle      = 5 * time.Second      // of watching a server without load
)

func main() {
	var b bench
	flag.StringVar(&b.rtrail, "rtrail", "bin/rtrail", "the program to measure")
	flag.IntVar(&b.rounds, "rounds", 5, "how often sysbench runs with rtrail beside it")
	flag.DurationVar(&b.length, "for", 4*time.Second, "how long each run is")
	flag.IntVar(&b.threads, "threads", 8, "connections of sysbench")
	flag.StringVar(&b.server.address, "server", "", "HOST:PORT of a server that runs already; it needs a database \"bench\"")
	flag.StringVar(&b.server.user, "user", "bench", "user of that server")
	flag.StringVar(&b.server.password, "password", "", "password of that user")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer cancel()
	if err := b.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mysql:", err)
		os.Exit(1)
	}
}

type bench struct {
	rtrail  string
	rounds  int
	threads int
	length  time.Duration
	server  server
}

func (b *bench) run(ctx context.Context) error {
	if b.server.address == "" {
		if err := b.server.start(ctx); err != nil {
			return err
		}
		defer b.server.end()
	}
	own, version, err := b.resting(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d connections of sysbench oltp_point_select, runs of %v\n\n", version, b.threads, b.length)
	if err := b.server.prepare(ctx); err != nil {
		return err
	}
	if _, err := b.server.rate(ctx, b.threads, 2*time.Second); err != nil { // warm
		return err
	}
	alone, err := b.server.rate(ctx, b.threads, b.length)
	if err != nil {
		return err
	}
	fmt.Printf("%6s %12s %12s %12s %8s %8s %14s\n", "round", "before", "watched", "after", "loss %", "noise %", "own queries")
	var losses, noises []float64
	for i := range b.rounds {
		var rate float64
		own, _, err := b.watched(ctx, b.length+time.Second, func() (err error) {
			time.Sleep(500 * time.Millisecond) // until it watches
			rate, err = b.server.rate(ctx, b.threads, b.length)
			return err
		})
		if err != nil {
			return err
		}
		after, err := b.server.rate(ctx, b.threads, b.length)
		if err != nil {
			return err
		}
		loss, noise := 100*(1-2*rate/(alone+after)), 100*(1-after/alone)
		fmt.Printf("%6d %12.0f %12.0f %12.0f %8.1f %8.1f %11.1f ms/s\n", i+1, alone, rate, after, loss, noise, 1000*own)
		losses, noises = append(losses, loss), append(noises, noise)
		alone = after
	}
	loss, doubt := median(losses), doubtOf(losses)
	verdict := "cannot be told"
	switch {
	case loss+doubt <= wantLoss:
		verdict = "reached"
	case loss-doubt > wantLoss:
		verdict = "NOT reached"
	}
	fmt.Printf("\n%.2g percent fewer queries, give or take %.2g; wanted at most %.2g: %s\n", loss, doubt, wantLoss, verdict)
	fmt.Printf("two runs without rtrail differ by %.2g percent, give or take %.2g\n", median(noises), doubtOf(noises))
	verdict = "reached"
	if own.cpu > wantQuery {
		verdict = "NOT reached"
	}
	fmt.Printf("own queries cost the server %v of CPU a second without load; wanted at most %v: %s; rtrail waits %.1f ms a second for their answers\n",
		own.cpu.Round(100*time.Microsecond), wantQuery, verdict, 1000*own.waited)
	return nil
}

// rest is what watching costs a server that does nothing else.
type rest struct {
	cpu    time.Duration // of the server, per second
	waited float64       // seconds per second
}

// resting watches the server without load. The first and the last look, which
// read all settings, are not counted.
func (b *bench) resting(ctx context.Context) (r rest, version string, err error) {
	const edge = 1500 * time.Millisecond
	address, err := netip.ParseAddrPort(b.server.address)
	if err != nil {
		return r, "", fmt.Errorf("-server %s: want an address of this host and a port: %w", b.server.address, err)
	}
	pid := mysqlconn.ServerAt(address, "/proc")
	if pid == 0 {
		return r, "", fmt.Errorf("-server %s: no server of this host listens there", b.server.address)
	}
	spent := func() time.Duration {
		before := cpuOf(pid)
		time.Sleep(idle)
		return cpuOf(pid) - before
	}
	alone := spent()
	var watched time.Duration
	r.waited, version, err = b.watched(ctx, idle+2*edge, func() error {
		time.Sleep(edge)
		watched = spent()
		return nil
	})
	r.cpu = time.Duration(float64(watched-alone) / idle.Seconds())
	return r, version, err
}

// cpuOf is what the threads of a process have run: the first number of
// schedstat, in nanoseconds.
func cpuOf(pid int32) (sum time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the only error is a bad pattern
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread ended
		}
		number, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(number, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

// watched runs rtrail beside something. own is how long rtrail waited for the
// answers to its queries, in seconds per second, without its first look, which
// reads all settings and logs in.
func (b *bench) watched(ctx context.Context, length time.Duration, beside func() error) (own float64, version string, err error) {
	dir, err := os.MkdirTemp("", "rtrail-bench-")
	if err != nil {
		return 0, "", err
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, "recording")
	cmd := exec.CommandContext(ctx, b.rtrail, "record", "-o", to, "--for", length.String(), "--mysql", b.server.name())
	cmd.Env = append(os.Environ(), "MYSQL_PWD="+b.server.password)
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		return 0, "", err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return 0, "", fmt.Errorf("run %s: %w; make build makes it", b.rtrail, err)
	}
	besides := beside()
	if err := cmd.Wait(); err != nil {
		text, _ := os.ReadFile(out.Name())
		return 0, "", fmt.Errorf("run %s: %w: %s", b.rtrail, err, text)
	}
	if besides != nil {
		return 0, "", besides
	}
	rec, err := recording.Open(to)
	if err != nil {
		return 0, "", err
	}
	looks := recording.Rows[recording.MySQLServer](rec)
	if len(looks) < 3 {
		return 0, "", fmt.Errorf("rtrail looked %d times at the server in %v", len(looks), length)
	}
	first, last := looks[0], looks[len(looks)-2] // the last one reads the settings again
	if last.State != recording.ServerAnswers && last.State != recording.ServerSlow {
		return 0, "", errors.New("the server does not answer rtrail: " + last.Error)
	}
	return (last.QueryTime - first.QueryTime).Seconds() / last.At.Sub(first.At).Seconds(), last.Flavor + " " + last.Version, nil
}

// median is the middle of a list.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// doubtOf is two standard errors of the median, by the median of the distances
// from it, which outliers do not move.
func doubtOf(list []float64) float64 {
	middle := median(list)
	var away []float64
	for _, x := range list {
		away = append(away, math.Abs(x-middle))
	}
	const deviation, ofMedian = 1.4826, 1.2533 // sigma of the median of distances; sqrt(pi/2)
	return 2 * ofMedian * deviation * median(away) / math.Sqrt(float64(len(list)))
}
