package beside

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Load is sysbench reading single rows as fast as it can, until it is stopped.
type Load struct {
	cmd     *exec.Cmd
	stop    context.CancelFunc
	ended   chan struct{}
	mu      sync.Mutex
	seconds []second
	words   strings.Builder // what it says that is no report of a second
}

// second is the report of one second.
type second struct {
	until   time.Time
	queries float64
	busy    time.Duration // CPU time the machine had used until then
}

// reportLine is what sysbench prints each second: "[ 3s ] thds: 8 tps: 10.00
// qps: 10.00 (r/w/o: ...".
var reportLine = regexp.MustCompile(`^\[ \d+s \].* qps: ([0-9.]+) `)

// Load starts sysbench.
func (s *Server) Load(ctx context.Context) (*Load, error) {
	ctx, stop := context.WithCancel(ctx)
	l := &Load{cmd: s.sysbench(ctx, "--time=0", "--report-interval=1", "run"), stop: stop, ended: make(chan struct{})}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		stop()
		return nil, err
	}
	l.cmd.Stderr = &l.words
	if err := l.cmd.Start(); err != nil {
		stop()
		return nil, fmt.Errorf("run sysbench: %w", err)
	}
	go func() {
		defer close(l.ended)
		l.read(out)
		_ = l.cmd.Wait() // that it ended is what matters, and rate says so
	}()
	return l, nil
}

// Stop ends it.
func (l *Load) Stop() {
	l.stop()
	<-l.ended
}

func (l *Load) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		m := reportLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		queries, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			continue
		}
		l.mu.Lock()
		l.seconds = append(l.seconds, second{time.Now(), queries, busy()})
		l.mu.Unlock()
	}
}

// wait sleeps while the load goes on.
func (l *Load) wait(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-l.ended:
		return fmt.Errorf("sysbench ended: %s", strings.TrimSpace(l.words.String()))
	}
}

// rate is the mean of the seconds that lie between two times.
func (l *Load) rate(from, to time.Time) (r Rate, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0.0
	var used time.Duration
	for i, s := range l.seconds {
		if i == 0 || s.until.Add(-time.Second).Before(from) || s.until.After(to) {
			continue
		}
		r.Queries += s.queries
		used += s.busy - l.seconds[i-1].busy
		n++
	}
	if n == 0 {
		return r, errors.New("no report of sysbench lies in the time that is measured: make it longer than two seconds")
	}
	r.CPU = used.Seconds() / r.Queries
	r.Queries /= n
	return r, nil
}

// busy is the CPU time that the machine has used since it was started. All of
// it counts: much of what capturing costs is done by the kernel on somebody
// else's time. It is counted in ticks, from /proc/stat.
func busy() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	const user, idle, waiting, stolen, tick = 1, 4, 5, 8, 10 * time.Millisecond // USER_HZ is 100
	var sum time.Duration
	for i, field := range strings.Fields(line) {
		if i >= user && i < stolen && i != idle && i != waiting {
			n, _ := strconv.ParseInt(field, 10, 64)
			sum += time.Duration(n) * tick
		}
	}
	return sum
}
