package cases

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

func cpuCases() []Case {
	return []Case{
		cpuSaturated(),
		cpuOneThreadLimit(),
		cpuShortLivedProcesses(),
		cpuContextSwitches(),
		cpuThrottled(),
		cpuHotFunctionC(),
		cpuHotFunction("+go", "in Go", "word-find", "findWord", findWordsInGo),
		jitHotFunction(),
		cpuSpinning(),
		cpuSyscallStorm(),
		cpuSyscallStormPolls(),
		cpuSyscallStormFails(),
		cpuExceptionStorm(),
		cpuExceptionStormNode(),
	}
}

// nginxNeeds is what cases need that load nginx in a namespace.
var nginxNeeds = env.Needs{Root: true, Packages: []string{"nginx-light", "iproute2"}, Commands: []string{"nginx", "ip", "ss"}}

// cpuSaturated runs twice as many computing processes as there are cores
// beside a web server that compresses pages. A request that hardly needs a CPU
// would not suffer: the scheduler lets who slept go first. One that computes
// for some milliseconds has to share.
func cpuSaturated() Case {
	var p pair
	var stress *env.Proc
	var every time.Duration
	return Case{
		ID:    "cpu/saturated",
		Title: "stress-ng on twice the cores, beside nginx that compresses pages",
		Rule:  "cpu/saturated",
		Name:  "stress-ng.*",
		// A request computes for longer than the scheduler lets it at a time.
		Culprit: "stress-ng.*", Victim: `nginx( ×\d+)?`,
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "stress-ng", "iproute2"}, Commands: []string{"nginx", "stress-ng", "ip", "ss"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			_, cost, err := p.compressingNginx(ctx, e, 400<<10, runtime.NumCPU())
			every = 4 * cost // a quarter of one core
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			workers := strconv.Itoa(2 * runtime.NumCPU())
			if stress, err = e.Start("stress-ng", "--cpu", workers, "--cpu-method", "matrixprod", "--timeout", "60s"); err != nil {
				return err
			}
			return env.Until(ctx, 5*time.Second, "stress-ng to keep every core busy", func() (bool, error) {
				return len(env.Descendants(stress.PID)) >= 2*runtime.NumCPU(), nil
			})
		},
		Fix: doing(func() { stress.Stop() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return p.visitPages(ctx, d, every).Tail(.5, "p50"), ctx.Err()
		},
	}
}

// askForPages asks for a page on a new connection, every so often whether the
// last one has been answered or not, and gives the 99th percentile.
func (p *pair) askForPages(every *time.Duration) measure {
	return func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
		return p.visitPages(ctx, d, *every).Worst(patience), ctx.Err()
	}
}

func (p pair) visitPages(ctx context.Context, d, every time.Duration) load.PacedResult {
	return load.Paced(ctx, d, every, 1, func(ctx context.Context) error {
		return load.Ask(ctx, p.client, p.port(80), pageRequest, 0, patience)
	})
}

// patience is how long a user waits for a page.
const patience = 2 * time.Second

const pageRequest = "GET /page.txt HTTP/1.1\r\nHost: lab\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"

// compressingNginx starts nginx that compresses a page again for each request,
// so that every request costs CPU time, and returns how much.
func (p pair) compressingNginx(ctx context.Context, e *env.Env, size, workers int) (n *server.Nginx, cost time.Duration, err error) {
	if _, err := e.WriteFile("www/page.txt", text(size)); err != nil {
		return nil, 0, err
	}
	n, err = server.StartNginx(ctx, e, p.server, server.NginxConfig{
		Name: "server", Address: p.at.Addr, Port: 80, Workers: workers,
		HTTP:   "types { text/plain txt; } gzip on; gzip_comp_level 9; gzip_types text/plain;",
		Server: fmt.Sprintf("root %s; location / { }", e.Path("www")),
	})
	if err != nil {
		return nil, 0, err
	}
	const requests = 20
	start := env.TreeCPU(n.PID)
	for range requests {
		if err := load.Ask(ctx, p.client, p.port(80), pageRequest, 0, 5*time.Second); err != nil {
			return nil, 0, fmt.Errorf("find out what a request costs: %w", err)
		}
	}
	return n, (env.TreeCPU(n.PID) - start) / requests, nil
}

// cpuOneThreadLimit offers nginx more work than one worker can do and less
// than all cores can, and gives it one worker. The fix is one per core.
func cpuOneThreadLimit() Case {
	var p pair
	var web *server.Nginx
	var every time.Duration
	return Case{
		ID:    "cpu/one-thread-limit",
		Title: "nginx with one worker that compresses pages, other cores idle",
		Rule:  "cpu/one-thread-limit",
		Kind:  "process",
		Name:  "nginx",
		Needs: nginxNeeds,
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			var cost time.Duration
			web, cost, err = p.compressingNginx(ctx, e, 400<<10, 2)
			// A quarter more than one worker can do: it stays full, and two
			// have room to spare.
			every = cost * 4 / 5
			return err
		}),
		Inject:  func(ctx context.Context, e *env.Env) error { return web.UseWorkers(ctx, 1) },
		Fix:     func(ctx context.Context, e *env.Env) error { return web.UseWorkers(ctx, 2) },
		Measure: p.askForPages(&every),
	}
}

// cpuThrottled gives a web server that needs a fifth of a core a tenth.
func cpuThrottled() Case {
	var p pair
	var group *env.Cgroup
	var every time.Duration
	return Case{
		ID:    "cpu/throttled",
		Title: "nginx in a control group with a quota of 10 % of a core, host idle",
		Rule:  "cpu/throttled",
		Kind:  "cgroup",
		Name:  ".*rtrail-lab-.*-web",
		Needs: nginxNeeds,
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			server, cost, err := p.compressingNginx(ctx, e, 50<<10, 1)
			if err != nil {
				return err
			}
			every = cost * 5
			if group, err = e.Cgroup("web", "cpu"); err != nil {
				return err
			}
			return group.AddTree(server.PID)
		}),
		Inject:  func(ctx context.Context, e *env.Env) error { return group.LimitCPU(0.1) },
		Fix:     func(ctx context.Context, e *env.Env) error { return group.LimitCPU(0) },
		Measure: p.askForPages(&every),
	}
}

// cpuContextSwitches has 64 threads pass a few locks around and yield, where
// one thread per core would do.
func cpuContextSwitches() Case {
	const crowd = 64
	threads := 1
	return Case{
		ID:     "cpu/context-switches",
		Title:  "sysbench threads with 64 threads that yield and lock",
		Rule:   "cpu/context-switches",
		Kind:   "process",
		Name:   "sysbench",
		Needs:  env.Needs{Packages: []string{"sysbench"}, Commands: []string{"sysbench"}},
		Setup:  func(context.Context, *env.Env) error { return nil },
		Inject: doing(func() { threads = crowd }),
		Fix:    doing(func() { threads = 1 }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			out, err := e.Run(ctx, "sysbench", "threads", "--threads="+strconv.Itoa(threads), "--thread-yields=100", "--thread-locks=2",
				fmt.Sprintf("--time=%d", max(int(d.Seconds()+.5), 1)), "--percentile=99", "run")
			if err != nil {
				return load.Measurement{}, err
			}
			return load.ParseSysbench(out)
		},
	}
}
