package cases

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// softirqFlood sends 20,000 to 60,000 SYNs of 54 bytes a second through a veth
// pair whose receive work is steered to CPU 1, and past as many firewall rules as
// it takes until that CPU spends most of its time in softirqs, as hosts with long
// block lists have them. NET_RX counts with the packets, ksoftirqd/1 runs, and
// commands of a Redis that is bound to this CPU take a multiple of their CPU time.
// The sender has CPU 0.
func softirqFlood() Case {
	var p pair
	var flood *env.Proc
	return Case{
		ID:    "cpu/softirq",
		Title: "flood of small packets handled on one CPU",
		Rule:  "cpu/softirq",
		Kind:  "interface", Name: `rt\w+`,
		Needs: env.Needs{Root: true, Packages: []string{"redis-server", "hping3", "iptables", "iproute2"}, Commands: []string{"redis-server", "hping3", "iptables-restore", "ip", "taskset"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			// Receive packet steering: what a card with one queue bound to CPU 1 does.
			steer := fmt.Sprintf("echo 2 > /sys/class/net/%s/queues/rx-0/rps_cpus", p.at.Device)
			if _, err := p.server.Run(ctx, "sh", "-c", steer); err != nil {
				return err
			}
			_, err = server.StartRedis(ctx, e, env.Options{NetNS: p.server, CPUs: "1"}, p.at, 6379)
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			// 20 microseconds apart, and an end after half a minute at most.
			flood, err = e.StartWith(env.Options{NetNS: p.client, CPUs: "0"}, "hping3",
				"-q", "-S", "-p", "81", "-i", "u20", "-c", "1200000", p.at.Addr)
			if err != nil {
				return err
			}
			_, err = fillWithRules(ctx, e, p.server, "cpu1", 0.6, func(i int) string {
				return fmt.Sprintf("-p tcp -s 10.%d.%d.0/24 --dport 81", 100+i/256, i%256)
			})
			return err
		},
		Fix: doing(func() { flood.Stop() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return askRedis(ctx, p, d, 10*time.Millisecond, redisWork, ":")
		},
	}
}

// fillWithRules makes the packets that arrive in a namespace pass ever more
// firewall rules, until a CPU spends a share of its time in softirqs: machines
// differ in how many that takes, which it returns. match gives what the i-th rule
// rejects.
func fillWithRules(ctx context.Context, e *env.Env, at *env.NetNS, cpu string, share float64, match func(i int) string) (rules int, err error) {
	const fewest, maxRules = 200, 16000
	for n := fewest; n <= maxRules; n += n / 4 {
		if err := rejectRules(ctx, e, at, n, match); err != nil {
			return 0, err
		}
		before, err := env.ReadCPUTicks(cpu)
		if err != nil {
			return 0, err
		}
		env.Sleep(ctx, 300*time.Millisecond)
		after, err := env.ReadCPUTicks(cpu)
		if err != nil || ctx.Err() != nil {
			return 0, errors.Join(err, ctx.Err())
		}
		if after.ShareSince(before, env.TicksSoftIRQ) >= share {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s spends less than %.0f %% in softirqs although every packet passes %d firewall rules", cpu, 100*share, maxRules)
}

// rejectRules gives a namespace rules that reject what no packet has.
func rejectRules(ctx context.Context, e *env.Env, at *env.NetNS, n int, match func(i int) string) error {
	var rules strings.Builder
	rules.WriteString("*filter\n")
	for i := range n {
		fmt.Fprintf(&rules, "-A INPUT %s -j REJECT\n", match(i))
	}
	rules.WriteString("COMMIT\n")
	_, err := e.RunWith(ctx, env.Options{NetNS: at, Stdin: rules.String()}, "iptables-restore")
	return err
}

// redisWork takes about a millisecond of CPU time: a CPU of which softirqs leave a
// third takes three times as long. What takes microseconds, as a PING, would show
// how fast a virtual machine wakes up instead.
const redisWork = "EVAL \"local x = 0 for i = 1, 60000 do x = x + i % 7 end return x\" 0\r\n"

// askRedis sends a command every so often and gives the median as the
// application's number: softirqs delay every answer, where the slowest of a
// hundred waited for whatever else the machine did.
func askRedis(ctx context.Context, p pair, d, every time.Duration, command, answer string) (load.Measurement, error) {
	r, err := load.PacedLines(ctx, p.client, p.port(6379), nil, 8, d, every, command, answer)
	return r.P50(), err
}

// interruptsOnOneCore has all packets that a web server receives handled on CPU 1, as a
// card with one queue does, while CPU 0, on which the server and its clients run, is mostly
// idle. A long list of firewall rules makes that more than CPU 1 can do; the fix takes it
// away. To spread the packets needs a third CPU here: the clients share CPU 0.
func interruptsOnOneCore() Case {
	var p pair
	// At most 4,000 requests a second, which leave most of CPU 0 idle.
	work := func(ctx context.Context, e *env.Env, d time.Duration) (load.WrkResult, error) {
		w := load.Wrk{URL: p.url(), Connections: 40, Think: 10 * time.Millisecond, CPUs: "0", Paths: []string{"/?" + strings.Repeat("x", 800)}}
		return w.Run(ctx, e, p.client, d)
	}
	match := func(i int) string { return fmt.Sprintf("-p tcp -m multiport --dports 81,82,83,84,%d", 1000+i) }
	return Case{
		ID:    "cpu/interrupts-on-one-core",
		Title: "one CPU receives all packets of a web server behind a long rule list",
		Rule:  "cpu/interrupts-on-one-core", Kind: "interface", Name: `rt\w+`,
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iptables", "iproute2"}, Commands: []string{"nginx", "wrk", "iptables-restore", "ip", "ss", "taskset"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			if _, err := server.StartNginx(ctx, e, p.server, server.NginxConfig{Name: "server", Address: p.at.Addr, Port: 80, Main: "worker_cpu_affinity 01;"}); err != nil {
				return err
			}
			_, err := p.server.Run(ctx, "sh", "-c", fmt.Sprintf("echo 2 > /sys/class/net/%s/queues/rx-0/rps_cpus", p.at.Device))
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) error {
			clients := e.Background("clients of the web server", func(ctx context.Context) {
				_, _ = work(ctx, e, 20*time.Second) // ends when it is stopped
			})
			defer clients()
			rules, err := fillWithRules(ctx, e, p.server, "cpu1", 0.9, match)
			if err != nil {
				return err
			}
			return rejectRules(ctx, e, p.server, rules*3/2, match)
		},
		Fix: func(ctx context.Context, e *env.Env) error { return rejectRules(ctx, e, p.server, 0, match) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			r, err := work(ctx, e, d)
			return load.Measurement{Value: r.P99.Seconds() * 1000, Unit: "ms p99", LowerBetter: true, Detail: fmt.Sprintf("%.0f requests/s, %v", r.Good(), r)}, err
		},
	}
}
