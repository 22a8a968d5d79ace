package cases

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// qdiscDrops has tbf let 40 Mbit/s out of a web server, with a queue of 10 ms: what
// the answers of 20 clients bring at once does not fit.
func qdiscDrops() Case {
	var p pair
	return Case{
		ID:    "net/qdisc-drops",
		Title: "tbf with a short queue throws away what a web server sends",
		Rule:  "net/qdisc-drops", Kind: "interface", Name: `rt\w+`,
		Says:  "the shaper tbf",
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss", "tc"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error { return p.bigPage(ctx, e, 60<<10) }),
		Inject: func(ctx context.Context, e *env.Env) error {
			_, err := p.server.Run(ctx, "tc", "qdisc", "add", "dev", p.at.Device, "root", "tbf", "rate", "40mbit", "burst", "16kb", "latency", "4ms")
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			_, err := p.server.Run(ctx, "tc", "qdisc", "del", "dev", p.at.Device, "root")
			return err
		},
		Measure: p.wrk("big", load.Wrk{Connections: 20, Think: 10 * time.Millisecond}),
	}
}

// qdiscDropsBurst has downloads begin that fill a short queue, which a Redis on the same
// host shares with them. The fix ends the downloads.
func qdiscDropsBurst() Case {
	const port, size = 6379, 4 << 10
	var p pair
	var downloads *env.Proc
	value := strings.Repeat("x", size)
	return Case{
		ID:    "net/qdisc-drops+burst",
		Title: "downloads from nginx fill the short queue that a Redis shares with them",
		Rule:  "net/qdisc-drops", Kind: "interface", Name: `rt\w+`,
		Culprit: "nginx", Victim: "redis-server",
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "redis-server", "iproute2"}, Commands: []string{"nginx", "wrk", "redis-server", "ip", "ss", "tc"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			if _, err := p.server.Run(ctx, "tc", "qdisc", "add", "dev", p.at.Device, "root", "tbf", "rate", "40mbit", "burst", "16kb", "latency", "4ms"); err != nil {
				return err
			}
			if err := p.bigPage(ctx, e, 1<<20); err != nil {
				return err
			}
			_, err := server.StartRedis(ctx, e, env.Options{NetNS: p.server}, p.at, port)
			return err
		}),
		Inject: func(_ context.Context, _ *env.Env) (err error) {
			downloads, err = p.client.Start("wrk", "-t", "1", "-c", "8", "-d", "60", p.url()+"big")
			return err
		},
		Fix: doing(func() { downloads.Stop() }),
		Measure: func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
			set := load.Exchange{Request: "SET page " + value + "\r\n", Answer: "+OK\r\n"}
			get := load.Exchange{Request: "GET page\r\n", Answer: fmt.Sprintf("$%d\r\n%s\r\n", size, value)}
			r, err := load.PacedExchanges(ctx, p.client, p.port(port), 8, d, 10*time.Millisecond, set, get)
			return r.Tail(.9, "p90"), err
		},
	}
}

// softnetBacklog makes the backlog of CPUs, which all packets of a veth pair pass
// that are steered to CPU 1, as small as it can be: 1 instead of 1,000 packets.
func softnetBacklog() Case {
	var p pair
	return Case{
		ID:    "net/softnet",
		Title: "net.core.netdev_max_backlog of 1 in front of a web server",
		Rule:  "net/softnet", Kind: "cpu", Name: `CPU \d+`,
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			steer := fmt.Sprintf("echo 2 > /sys/class/net/%s/queues/rx-0/rps_cpus", p.at.Device)
			if _, err := p.server.Run(ctx, "sh", "-c", steer); err != nil {
				return err
			}
			return p.bigPage(ctx, e, 60<<10)
		}),
		Inject:  func(_ context.Context, e *env.Env) error { return e.Sysctl(env.NetdevMaxBacklog, "1") },
		Fix:     func(_ context.Context, e *env.Env) error { return e.Sysctl(env.NetdevMaxBacklog, "1000") },
		Measure: p.wrk("big", load.Wrk{Connections: 50, Think: 5 * time.Millisecond}),
	}
}
