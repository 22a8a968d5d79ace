package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What capturing may cost while sysbench drives MariaDB as fast as it can.
const (
	wantPackets = 40_000 // packets a second at which none may be dropped
	wantCPU     = 10     // percent of a core at most
	wantLoss    = 3      // percent of sysbench's transactions at most
)

// server is a private MariaDB.
type server struct {
	cmd    *exec.Cmd
	dir    string
	port   int
	socket string
}

// capturing runs sysbench in turns without and with rtrail beside it. Each run
// with it is compared with the mean of the two runs without that surround it, so
// that a machine that becomes slower favours nobody; and those two are compared
// with each other, which shows what can be told from chance.
func capturing(rtrail string, rounds int, length time.Duration, stop <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	s, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer s.end()
	if _, err := s.sysbench(ctx, "prepare"); err != nil {
		return err
	}
	alone, err := s.rate(ctx, 2*time.Second) // warm
	if err != nil {
		return err
	}
	if alone, err = s.rate(ctx, length); err != nil {
		return err
	}
	fmt.Printf("%s\n\n%6s %12s %12s %12s %8s %12s %10s %8s %8s\n", machine(), "round", "before", "captured", "after", "loss %", "noise %", "packets/s", "drops", "CPU %")
	var losses, noises, cpu, rate []float64
	dropped := false
	for i := range rounds {
		c, err := s.captured(ctx, rtrail, length)
		if err != nil {
			return err
		}
		after, err := s.rate(ctx, length)
		if err != nil {
			return err
		}
		loss, noise := 100*(1-2*c.rate/(alone+after)), 100*(1-after/alone)
		fmt.Printf("%6d %12.0f %12.0f %12.0f %8.1f %12.1f %10.0f %8s %8.1f\n", i+1, alone, c.rate, after, loss, noise, c.packets, c.dropped, c.cpu)
		losses, noises = append(losses, loss), append(noises, noise)
		cpu, rate = append(cpu, c.cpu), append(rate, c.packets)
		dropped = dropped || c.dropped != "none"
		alone = after
	}
	if dropped {
		fmt.Println("         packets were dropped; wanted none: NOT reached")
	}
	say("packets a second", median(rate), wantPackets, median(rate) >= wantPackets)
	say("percent of a core", median(cpu), wantCPU, median(cpu) <= wantCPU)
	perPackets := median(cpu) * wantPackets / median(rate)
	say(fmt.Sprintf("percent of a core for each %d packets a second", wantPackets), perPackets, wantCPU, perPackets <= wantCPU)
	loss, doubt := median(losses), doubtOf(losses)
	verdict := "cannot be told"
	switch {
	case loss+doubt <= wantLoss:
		verdict = "reached"
	case loss-doubt > wantLoss:
		verdict = "NOT reached"
	}
	fmt.Printf("         %.2g percent fewer transactions, give or take %.2g; wanted %d: %s\n", loss, doubt, wantLoss, verdict)
	fmt.Printf("         two runs without capture differ by %.2g percent, give or take %.2g\n", median(noises), doubtOf(noises))
	return nil
}

// median is the middle of a list.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// doubtOf is two standard errors of the median: that of a normal distribution, by
// the median of the distances from it, which outliers do not move.
func doubtOf(list []float64) float64 {
	middle := median(list)
	var away []float64
	for _, x := range list {
		away = append(away, math.Abs(x-middle))
	}
	const deviation, ofMedian = 1.4826, 1.2533 // sigma of the median of distances; sqrt(pi/2)
	return 2 * ofMedian * deviation * median(away) / math.Sqrt(float64(len(list)))
}

// capture is a run of sysbench with rtrail beside it.
type capture struct {
	rate    float64 // transactions a second
	packets float64 // a second
	dropped string  // as rtrail says it
	cpu     float64 // percent of a core
}

// droppedLine is what rtrail says at the end of a live capture.
var droppedLine = regexp.MustCompile(`dropped by the capture: (none|[0-9.]+( [kKMG])?)`)

func (s *server) captured(ctx context.Context, rtrail string, length time.Duration) (c capture, err error) {
	cmd := exec.CommandContext(ctx, rtrail, "packets", "-i", "lo", "-p", strconv.Itoa(s.port), "--for", (length + 2*time.Second).String())
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return c, fmt.Errorf("run %s: %w", rtrail, err)
	}
	time.Sleep(500 * time.Millisecond) // until it captures
	before, packets := cpuTime(cmd.Process.Pid), loopbackPackets()
	c.rate, err = s.rate(ctx, length)
	used := cpuTime(cmd.Process.Pid) - before
	c.packets = float64(loopbackPackets()-packets) / length.Seconds()
	if waited := cmd.Wait(); err == nil && waited != nil {
		err = fmt.Errorf("run %s: %w: %s", rtrail, waited, out.String())
	}
	if err != nil {
		return c, err
	}
	c.cpu = 100 * used.Seconds() / length.Seconds()
	m := droppedLine.FindStringSubmatch(out.String())
	if m == nil {
		return c, fmt.Errorf("read what rtrail says: no drops in %q", out.String())
	}
	c.dropped = m[1]
	return c, nil
}

// loopbackPackets is how many packets loopback has carried.
func loopbackPackets() int {
	b, err := os.ReadFile("/sys/class/net/lo/statistics/rx_packets")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

// cpuTime is what a process and its threads have used: proc(5), fields 14 and
// 15 of stat, in ticks of 10 ms.
func cpuTime(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func startServer(ctx context.Context) (s *server, err error) {
	dir, err := os.MkdirTemp("", "rtrail-bench-")
	if err != nil {
		return nil, err
	}
	s = &server{dir: dir, socket: filepath.Join(dir, "socket")}
	defer func() {
		if err != nil {
			s.end()
		}
	}()
	if s.port, err = freePort(); err != nil {
		return nil, err
	}
	data, grants := filepath.Join(dir, "data"), filepath.Join(dir, "grants.sql")
	if err := os.WriteFile(grants, []byte("CREATE USER bench@'%';\nGRANT ALL ON *.* TO bench@'%';\nCREATE DATABASE bench;\n"), 0o600); err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+data, "--user=root",
		"--auth-root-authentication-method=normal", "--skip-test-db")
	if out, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a database (needs mariadb-server): %w: %s", err, out)
	}
	s.cmd = exec.CommandContext(ctx, "mariadbd", "--no-defaults", "--user=root", "--datadir="+data, "--socket="+s.socket,
		"--init-file="+grants, "--bind-address=127.0.0.1", "--port="+strconv.Itoa(s.port), "--skip-name-resolve",
		"--performance-schema=OFF", "--innodb-buffer-pool-size=64M")
	s.cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("run mariadbd: %w", err)
	}
	for range 100 {
		if exec.CommandContext(ctx, "mariadb", "--no-defaults", "--socket="+s.socket, "--user=bench", "--execute=SELECT 1", "bench").Run() == nil {
			return s, nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return nil, errors.New("mariadbd does not answer after 20 s")
}

func (s *server) end() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	os.RemoveAll(s.dir)
}

func (s *server) sysbench(ctx context.Context, more ...string) (string, error) {
	args := append([]string{"oltp_point_select", "--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-port=" + strconv.Itoa(s.port),
		"--mysql-user=bench", "--mysql-db=bench", "--mysql-ssl=off", "--tables=1", "--table-size=10000", "--threads=8"}, more...)
	out, err := exec.CommandContext(ctx, "sysbench", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("run sysbench: %w: %s", err, out)
	}
	return string(out), nil
}

var transactionsLine = regexp.MustCompile(`transactions:\s*\d+\s*\(([0-9.]+) per sec\.\)`)

// rate is how many transactions a second sysbench makes.
func (s *server) rate(ctx context.Context, length time.Duration) (float64, error) {
	out, err := s.sysbench(ctx, fmt.Sprintf("--time=%d", int(length.Seconds())), "run")
	if err != nil {
		return 0, err
	}
	m := transactionsLine.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("read the report of sysbench: no rate in %q", out)
	}
	return strconv.ParseFloat(m[1], 64)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
