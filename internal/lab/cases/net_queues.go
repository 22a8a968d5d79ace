package cases

import (
	"context"
	"fmt"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
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
