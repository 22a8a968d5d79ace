package cases

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// fiveLimits has five limits too small at the same time: a gateway tracks connections, an nginx
// behind it takes them from its accept queue, and opens a connection with a local port of its own to a pool of
// workers for each request. Bursts of 30 users come, each with a connection of its own, who wait for
// at most 0.9 s.
//
// The gateway's table is full of connections to another page, so that nobody gets further. Behind
// it nginx finds no local port: all 50 are in TIME_WAIT for 60 s as soon as somebody does. A range of 300 is used up as soon, until the
// kernel may use such ports again after one second. Then the workers take 66 requests a second of 100, and
// most of each burst does not fit into nginx's accept queue.
//
// nf_conntrack_max belongs to the whole machine (see conntrackFull); it is restored. All else goes
// with the namespaces.
func fiveLimits() Case {
	const (
		page, other, pool     = 80, 81, 9000
		narrow, wide          = "50000 50049", "50000 50299"
		few, enough           = 2, 40
		short, long           = 6, 4096
		burst, every          = 30, 300 * time.Millisecond
		tracked, poolsBacklog = 1000, 24
	)
	var p pair
	var gateway, behind env.End
	var workers *env.NetNS
	var web *server.Nginx
	var pooled *env.Proc
	var tracking string
	start := func(ctx context.Context, e *env.Env, n int) (err error) {
		at := netip.AddrPortFrom(netip.MustParseAddr(behind.Addr), pool).String()
		if pooled, err = load.StartActor(e, env.Options{NetNS: workers}, "worker-pool", "worker-pool", strconv.Itoa(n), "30", "30000", at); err != nil {
			return err
		}
		return workers.UntilListens(ctx, at)
	}
	restart := func(ctx context.Context, e *env.Env, n int) error {
		pooled.Kill()
		return start(ctx, e, n)
	}
	sysctl := func(key, value string) step {
		return func(context.Context, *env.Env) error { return p.server.Sysctl(key, value) }
	}
	// usedUp has all local ports towards the pool in TIME_WAIT, as they are after some time.
	usedUp := func(ctx context.Context) {
		at := netip.AddrPortFrom(netip.MustParseAddr(behind.Addr), pool).String()
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
			c, err := p.server.Dial(ctx, "tcp", at)
			if err != nil {
				return
			}
			c.Close()
		}
	}
	backlog := func(n int) step {
		return func(ctx context.Context, _ *env.Env) error {
			return web.Reload(ctx, func(c *server.NginxConfig) { c.Backlog = n })
		}
	}
	const ports, reuse, somaxconn = "net.ipv4.ip_local_port_range", "net.ipv4.tcp_tw_reuse", "net.core.somaxconn"
	stack := []Limit{
		{Name: "conntrack", Rule: "net/conntrack-full", Kind: "netns", Whose: "rtrail-lab-.*-gateway", Advice: "^raise the limit",
			Hides: []string{"workers", "backlog", "local ports", "tw_reuse"},
			Lift: func(ctx context.Context, e *env.Env) error {
				usedUp(ctx)
				return e.Sysctl(env.ConntrackMax, tracking)
			}},
		{Name: "workers", Rule: "net/accept-queue-full", Kind: "listener", Whose: "worker-pool", Advice: "more workers",
			// The finding lists a longer queue, too: 40 workers need more than 24 places.
			Lift: func(ctx context.Context, e *env.Env) error {
				if err := workers.Sysctl(somaxconn, strconv.Itoa(long)); err != nil {
					return err
				}
				return restart(ctx, e, enough)
			}},
		{Name: "backlog", Rule: "net/accept-queue-full", Kind: "listener", Whose: "nginx", Advice: "backlog=", Lift: backlog(long)},
		{Name: "local ports", Rule: "net/ephemeral-ports", Whose: "nginx|rtrail-lab-.*-server", Advice: "^widen the range",
			Hides: []string{"tw_reuse", "workers"},
			Lift: func(ctx context.Context, e *env.Env) error {
				err := sysctl(ports, wide)(ctx, e)
				usedUp(ctx)
				return err
			}},
		{Name: "tw_reuse", Rule: "net/ephemeral-ports", Whose: "nginx|rtrail-lab-.*-server", Advice: "reuse ports in TIME_WAIT", Hides: []string{"workers"}, Lift: sysctl(reuse, "1")},
	}
	return Case{
		ID:    "web/five-limits",
		Title: "conntrack, workers, backlog, local ports and tw_reuse are all too small in front of and behind an nginx",
		Rule:  stack[0].Rule,
		Stack: stack,
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "iptables", "iproute2"}, Commands: []string{"nginx", "iptables", "ip", "ss"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if gateway, err = p.behindGateway(ctx, e); err != nil {
				return err
			}
			if workers, err = e.NetNS("pool"); err != nil {
				return err
			}
			if _, behind, err = e.Veth(p.server, workers); err != nil {
				return err
			}
			if err := start(ctx, e, enough); err != nil {
				return err
			}
			web, err = server.StartNginx(ctx, e, p.server, server.NginxConfig{Name: "web", Address: p.at.Addr, Port: page, Backlog: long,
				HTTP:   fmt.Sprintf("gzip on; gzip_comp_level 5; gzip_types text/plain; gzip_proxied any; server { listen %s:%d; return 200 \"ok\\n\"; }", p.at.Addr, other),
				Server: fmt.Sprintf(`location / { proxy_pass http://%s:%d/; proxy_http_version 1.1; proxy_set_header Connection ""; }`, behind.Addr, pool)})
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			if err := workers.Sysctl(somaxconn, strconv.Itoa(poolsBacklog)); err != nil {
				return err
			}
			if err := restart(ctx, e, few); err != nil {
				return err
			}
			for _, do := range []step{backlog(short), sysctl(ports, narrow), sysctl(reuse, "0")} {
				if err := do(ctx, e); err != nil {
					return err
				}
			}
			if tracking, err = limitConntrack(e, tracked); err != nil {
				return err
			}
			// Whatever the namespace tracked before counts.
			at := netip.AddrPortFrom(netip.MustParseAddr(gateway.Addr), other)
			for range 10 {
				r := load.Paced(ctx, time.Second, 10*time.Millisecond, 5, func(ctx context.Context) error {
					return load.AskPage(ctx, p.client, at, "/", 200*time.Millisecond)
				})
				if r.Failed > 9*len(r.Latencies) {
					return nil
				}
			}
			return fmt.Errorf("the table of the gateway takes more than %d connections", tracked)
		},
		Fix: liftAll(stack),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			at := netip.AddrPortFrom(netip.MustParseAddr(gateway.Addr), page)
			r := load.Paced(ctx, d, every, burst, func(ctx context.Context) error {
				return load.AskPage(ctx, p.client, at, "/", 900*time.Millisecond)
			})
			m := r.Rate()
			m.Unit = "good answers/s"
			return m, nil
		},
	}
}
