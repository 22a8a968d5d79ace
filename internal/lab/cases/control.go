package cases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// controlCases are healthy hosts. rtrail must find nothing above "possible".
func controlCases() []Case {
	return []Case{
		controlIdle(),
		controlBusy(),
		controlShellLoop(),
		controlNginx(),
		controlCopy(),
		controlIdleConnections(),
		controlLongPoll(),
		controlIdleThreads(),
		controlTelemetry(),
		controlCompile(),
		controlJava(),
	}
}

// controlIdle runs nothing.
func controlIdle() Case {
	return Case{
		ID:    "control/idle",
		Title: "nothing runs",
		Setup: func(context.Context, *env.Env) error { return nil },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			// How late a sleeper is woken tells whether the host is as idle as it should be.
			var worst time.Duration
			for end := time.Now().Add(d); ctx.Err() == nil && time.Now().Before(end); {
				start := time.Now()
				time.Sleep(10 * time.Millisecond)
				worst = max(worst, time.Since(start)-10*time.Millisecond)
			}
			return load.Measurement{Value: float64(worst) / float64(time.Millisecond), Unit: "ms latest wake-up", LowerBetter: true}, ctx.Err()
		},
	}
}

// controlBusy keeps half the cores busy: work, and room for more.
func controlBusy() Case {
	return Case{
		ID:    "control/busy-but-fine",
		Title: "sysbench cpu on half the cores",
		Needs: env.Needs{Packages: []string{"sysbench"}, Commands: []string{"sysbench"}},
		Setup: func(context.Context, *env.Env) error { return nil },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			out, err := e.Run(ctx, "sysbench", "cpu", "--threads="+strconv.Itoa(max(runtime.NumCPU()/2, 1)),
				fmt.Sprintf("--time=%d", max(int(d.Seconds()+.5), 1)), "--percentile=99", "run")
			if err != nil {
				return load.Measurement{}, err
			}
			return load.ParseSysbench(out)
		},
	}
}

// shellLoop runs 52 commands a second, of which each second one computes for
// some milliseconds, as scripts do that watch something.
const shellLoop = `#!/bin/bash
while :; do
	/usr/bin/awk 'BEGIN { for (i = 0; i < 60000; i++) s += i }'
	/bin/sleep 0.028
done
`

// controlShellLoop keeps scripts busy with short commands beside a load that
// has CPUs left: they take CPU time that nobody else wants.
func controlShellLoop() Case {
	return Case{
		ID:    "control/shell-loop",
		Title: "shell loops that start 52 short commands a second each beside a load on half the cores",
		Needs: env.Needs{Packages: []string{"bash", "sysbench"}, Commands: []string{"bash", "awk", "sysbench"}},
		Setup: func(ctx context.Context, e *env.Env) error {
			path, err := e.WriteFile("bin/shell-loop", shellLoop)
			if err != nil {
				return err
			}
			if err := os.Chmod(path, 0o755); err != nil {
				return err
			}
			for range max(runtime.NumCPU()/2, 1) {
				if _, err := e.Start(path); err != nil {
					return err
				}
			}
			return nil
		},
		Measure: controlBusy().Measure,
	}
}

// controlNginx is a web server at half of what its worker can do.
func controlNginx() Case {
	var p pair
	return Case{
		ID:      "control/nginx-keepalive",
		Title:   "nginx under keep-alive load at half its capacity",
		Needs:   env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss"}},
		Setup:   inPair(&p, p.plainNginx),
		Measure: p.wrk("", load.Wrk{Connections: 20, Think: time.Millisecond}),
	}
}

// controlCopy copies one large file through the page cache, while nobody waits
// for the disk: that the disk is busy is no fault.
func controlCopy() Case {
	const size = 1 << 30
	return Case{
		ID:    "control/bulk-copy",
		Title: "one large buffered file copy",
		Setup: func(ctx context.Context, e *env.Env) error {
			var fs syscall.Statfs_t
			if err := syscall.Statfs(e.Dir, &fs); err != nil {
				return fmt.Errorf("look for room in %s: %w", e.Dir, err)
			}
			if free := fs.Bavail * uint64(fs.Bsize); free < 4*size {
				return fmt.Errorf("look for room in %s: %d MB free, %d needed; set TMPDIR", e.Dir, free>>20, 4*size>>20)
			}
			// A sparse source: the copy reads zeros from the page cache and writes them out.
			f, err := os.Create(e.Path("source"))
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(size), f.Close())
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (m load.Measurement, err error) {
			target := e.Path("copy")
			defer func() { err = errors.Join(err, os.Remove(target)) }()
			start := time.Now()
			if _, err := e.Run(ctx, "cp", "--sparse=never", e.Path("source"), target); err != nil {
				return m, err
			}
			took := time.Since(start)
			// The kernel writes it to the disk while the rest of the time passes.
			select {
			case <-time.After(d - took):
			case <-ctx.Done():
				return m, ctx.Err()
			}
			return load.Measurement{Value: size / 1e6 / took.Seconds(), Unit: "MB/s"}, nil
		},
	}
}

// controlIdleConnections has many of everything, and nothing to do.
func controlIdleConnections() Case {
	const connections, processes = 5000, 1000
	var p pair
	return Case{
		ID:    "control/many-idle-connections",
		Title: "5,000 idle TCP connections and 1,000 sleeping processes",
		Needs: env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "ip"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if err := wantOpenFiles(connections + 1000); err != nil {
				return err
			}
			if p, err = newPair(e); err != nil {
				return err
			}
			_, err = server.StartRedis(ctx, e, env.Options{NetNS: p.server, OpenFiles: connections + 1000}, p.at, 6379,
				"--maxclients", strconv.Itoa(connections+500), "--tcp-backlog", "4096", "--timeout", "0")
			if err != nil {
				return err
			}
			// Children of one shell, whose group the lab ends.
			sleepers, err := e.Start("sh", "-c", fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 600 & i=$((i+1)); done; echo started; wait", processes))
			if err != nil {
				return err
			}
			if err := load.HoldOpen(ctx, e, p.client, p.port(6379), connections, ""); err != nil {
				return err
			}
			return env.Until(ctx, 20*time.Second, "the processes to start", func() (bool, error) {
				return sleepers.Output() != "", nil
			})
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return askRedis(ctx, p, d, 20*time.Millisecond, load.RedisPing, load.RedisPong)
		},
	}
}

// wantOpenFiles says whether this process may have n files open. The Go
// runtime has raised the soft limit to the hard one already.
func wantOpenFiles(n uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	if l.Max < n {
		return fmt.Errorf("open %d connections: this process may open %d files; raise the limit with ulimit -Hn %d", n, l.Max, n)
	}
	return nil
}
