package cases

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// rateLimitedBytes has tbf let 8 Mbit/s out of the server; answers queue.
func rateLimitedBytes() Case {
	c := rateLimitedCase(30<<10, load.Wrk{}, load.Wrk{Connections: 10, Think: 5 * time.Millisecond, Timeout: 5 * time.Second},
		func(ctx context.Context, _ *env.Env, p pair) error {
			_, err := p.server.Run(ctx, "tc", "qdisc", "add", "dev", p.at.Device, "root", "tbf", "rate", "8mbit", "burst", "32kb", "latency", "2s")
			return err
		},
		func(ctx context.Context, _ *env.Env, p pair) error {
			_, err := p.server.Run(ctx, "tc", "qdisc", "del", "dev", p.at.Device, "root")
			return err
		})
	c.ID = "net/rate-limited+bytes"
	c.Title = "tbf lets 8 Mbit/s out of a web server"
	return c
}

// rateLimitedHost is the same without a capture: the queue of the shaper as the kernel counts it.
func rateLimitedHost() Case {
	c := rateLimitedBytes()
	c.ID = "net/rate-limited+host"
	c.Title += ", without packets"
	c.Kind, c.Name = "interface", `rt\w+`
	c.Captures = nil
	c.Says = "the shaper tbf"
	return c
}

// rateLimitedShort has tbf hold up answers that are sent in small windows by a few
// milliseconds: nothing is lost.
func rateLimitedShort() Case {
	var p pair
	c := rateLimitedShortCase(&p)
	c.ID = "net/rate-limited+short-queue"
	c.Title = "tbf lets 50 Mbit/s out of a web server, its queue holds 8 ms, nothing is lost; without packets"
	c.Kind, c.Name = "interface", `rt\w+`
	c.Says = "the shaper tbf"
	c.Setup = inPair(&p, func(ctx context.Context, e *env.Env) error { return p.smallWindows(ctx, e) })
	c.Inject = func(ctx context.Context, _ *env.Env) error { return shape(ctx, p.at, "add", shortShaper...) }
	c.Fix = func(ctx context.Context, _ *env.Env) error { return shape(ctx, p.at, "del") }
	return c
}

// rateLimitedShortHidden is the same in a router, as a capture of the server shows it without the host.
func rateLimitedShortHidden() Case {
	var p pair
	var r router
	c := rateLimitedShortCase(&p)
	c.ID = "net/rate-limited+short-hidden"
	c.Title = "tbf of a router lets 50 Mbit/s through, its queue holds 8 ms, nothing is lost; from a capture of the server alone"
	c.Kind, c.Name = "peer", `10\.213\.\d+\.1`
	c.Captures, c.FileAlone = anyServer(80), true
	c.Setup = inRouted(&p, &r, func(ctx context.Context, e *env.Env) error { return p.smallWindows(ctx, e, "via", r.near.Addr) })
	c.Inject = func(ctx context.Context, _ *env.Env) error { return shape(ctx, r.far, "add", shortShaper...) }
	c.Fix = func(ctx context.Context, _ *env.Env) error { return shape(ctx, r.far, "del") }
	return c
}

var shortShaper = []string{"tbf", "rate", "50mbit", "burst", "32kb", "latency", "2s"}

// shape changes the queue of an end.
func shape(ctx context.Context, at env.End, what string, rest ...string) error {
	_, err := at.NetNS.Run(ctx, "tc", append([]string{"qdisc", what, "dev", at.Device, "root"}, rest...)...)
	return err
}

// smallWindows has the server send each client 16 KB at a time, by the route to it.
func (p *pair) smallWindows(ctx context.Context, e *env.Env, via ...string) error {
	route := append([]string{"-n", p.server.Name, "route", "replace", p.from.Addr}, via...)
	if err := e.IP(append(route, "dev", p.at.Device, "cwnd", "lock", "11")...); err != nil {
		return err
	}
	return p.bigPage(ctx, e, 256<<10)
}

func rateLimitedShortCase(p *pair) Case {
	return Case{
		Rule:   "net/rate-limited",
		Needs:  env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss", "tc"}},
		Window: 6 * time.Second,
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			w := load.Wrk{Connections: 3, Think: 10 * time.Millisecond, URL: p.url() + "big", Timeout: 5 * time.Second}
			r, err := w.Run(ctx, e, p.client, d)
			return r.Measurement(), err
		},
	}
}

// rateLimitedElsewhere has a router let 20 Mbit/s through to the client, by a queue that this host
// does not see: only the sockets of the server show it.
func rateLimitedElsewhere() Case {
	var p pair
	var r router
	return Case{
		ID:    "net/rate-limited+elsewhere",
		Title: "a router whose queue no host sees lets 20 Mbit/s through; without packets",
		Rule:  "net/rate-limited", Kind: "peer", Name: `10\.213\.\d+\.1`,
		Says:   `to 10\.213\.\d+\.2 is limited to .*\((19|20)(\.\d+)? Mbit/s\).* beyond this host`,
		Needs:  env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss"}},
		Window: 6 * time.Second,
		Setup:  inRouted(&p, &r, func(ctx context.Context, e *env.Env) error { return p.bigPage(ctx, e, 1<<20) }),
		Inject: func(ctx context.Context, e *env.Env) error { return r.narrow(ctx, e, 2500000, 1000000) },
		Fix:    func(_ context.Context, e *env.Env) error { return r.widen(e) },
		// As in control/downloads: healthy, it does not take all CPUs.
		Measure: p.wrk("big", load.Wrk{Connections: 4, Think: 20 * time.Millisecond, Timeout: 5 * time.Second}),
	}
}

// rateLimitedPackets throws away what the server sends beyond 800 packets a
// second. Answers are one packet each, small ones in one second and large ones
// in the next, so that packets are what is limited. Whoever loses one pauses for
// 200 ms and more, so it takes hundreds of users to keep the limiter busy, and
// seconds until they no longer pause all at once.
func rateLimitedPackets() Case {
	users := load.Wrk{Connections: 400, Think: 50 * time.Millisecond, Paths: []string{"/", "/big"}, Timeout: 5 * time.Second}
	measured := users
	measured.Connections = 20
	var lift func() error
	c := rateLimitedCase(1000, users, measured,
		func(ctx context.Context, e *env.Env, p pair) (err error) {
			if lift, err = e.LimitPackets(p.at, 800, 8); err == nil {
				env.Sleep(ctx, 4*time.Second)
			}
			return err
		},
		func(ctx context.Context, _ *env.Env, _ pair) error {
			err := lift()
			env.Sleep(ctx, 3*time.Second) // until nobody pauses any more
			return err
		})
	c.ID = "net/rate-limited+packets"
	c.Title = "a BPF program drops all but 800 packets a second of a web server"
	c.Says = `limited to [0-9.,]+ packets/s`
	return c
}

// rateLimitedCase measures load beside users who are there all the time, if
// there are any.
func rateLimitedCase(page int64, users, visits load.Wrk, limit, stop func(context.Context, *env.Env, pair) error) Case {
	var p pair
	return Case{
		Rule: "net/rate-limited", Kind: "peer", Name: `10\.213\.\d+\.1`,
		Needs:    env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss", "tc"}},
		Window:   6 * time.Second,
		Captures: anyServer(80),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if err := p.bigPage(ctx, e, page); err != nil || users.Connections == 0 {
				return err
			}
			users.URL = p.url()
			e.Background("users", func(ctx context.Context) { _, _ = users.Run(ctx, e, p.client, time.Minute) })
			return nil
		}),
		Inject: func(ctx context.Context, e *env.Env) error { return limit(ctx, e, p) },
		Fix:    func(ctx context.Context, e *env.Env) error { return stop(ctx, e, p) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			visits.URL = p.url() + "big" // unless it has paths
			r, err := visits.Run(ctx, e, p.client, d)
			return r.Measurement(), err
		},
	}
}

// packetLossCaptured drops 5 % of the packets that reach the client, where they
// are lost behind the capture at the server.
func packetLossCaptured() Case {
	rule := []string{"INPUT", "-p", "tcp", "-m", "statistic", "--mode", "random", "--probability", "0.05", "-j", "DROP"}
	c := packetLossCase(
		func(ctx context.Context, p pair) error {
			_, err := p.client.Run(ctx, "iptables", append([]string{"-A"}, rule...)...)
			return err
		},
		func(ctx context.Context, p pair) error {
			_, err := p.client.Run(ctx, "iptables", append([]string{"-D"}, rule...)...)
			return err
		})
	c.ID = "net/packet-loss+captured"
	c.Title = "5 % of packets lost between the capture and the client"
	c.Needs.Packages = append(c.Needs.Packages, "iptables")
	c.Needs.Commands = append(c.Needs.Commands, "iptables")
	c.Captures = anyServer(80)
	return c
}

// mtuMismatch puts a router between server and client whose link to the client
// takes 600 bytes, and has it say nothing about that: answers of more than a
// packet are lost, smaller ones arrive.
func mtuMismatch() Case {
	var p pair
	var r router
	quiet := []string{"OUTPUT", "-p", "icmp", "-j", "DROP"}
	return Case{
		ID:    "net/mtu-mismatch",
		Title: "MTU 600 on the way, and ICMP blocked",
		Rule:  "net/mtu-mismatch", Kind: "peer", Name: `10\.213\.\d+\.2`,
		Needs:    env.Needs{Root: true, Packages: []string{"nginx-light", "iptables", "iproute2"}, Commands: []string{"nginx", "iptables", "ip", "ss"}},
		Captures: anyServer(80),
		// The filter that swallows the router's messages is found as well, and is
		// the other half of the fault. Once it is gone every connection learns the size
		// by losing a packet, which the server's counters show.
		AllowOthers: []string{"net/firewall-drops", "net/packet-loss"},
		Setup: inRouted(&p, &r, func(ctx context.Context, e *env.Env) error {
			if _, err := r.Run(ctx, "iptables", append([]string{"-A"}, quiet...)...); err != nil {
				return err
			}
			return p.bigPage(ctx, e, 20<<10)
		}),
		Inject: func(ctx context.Context, e *env.Env) error {
			return e.IP("-n", r.Name, "link", "set", r.far.Device, "mtu", "600")
		},
		// The page's first advice: let the router say that packets are too big.
		Fix: func(ctx context.Context, e *env.Env) error {
			_, err := r.Run(ctx, "iptables", append([]string{"-D"}, quiet...)...)
			return err
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			var turn atomic.Int64
			r := load.Paced(ctx, d, 50*time.Millisecond, 1, func(ctx context.Context) error {
				path := "/"
				if turn.Add(1)%4 == 0 {
					path = "/big"
				}
				return load.Ask(ctx, p.client, p.port(80), "GET "+path+" HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n", 0, 3*time.Second)
			})
			return r.Rate(), nil
		},
	}
}

// dnsSlow has a resolver ignore the first query for each name, as if it were
// lost: dig, like glibc, asks again after five seconds.
func dnsSlow() Case {
	var p pair
	var resolver actors
	play := func(how string) step { return p.resolving(&resolver, how) }
	return Case{
		ID:    "net/dns-slow",
		Title: "the first query for each name is lost",
		Rule:  "net/dns-slow", Kind: "service", Name: `dns 10\.213\.\d+\.1:53`,
		Needs:    env.Needs{Root: true, Packages: []string{"bind9-dnsutils", "iproute2"}, Commands: []string{"dig", "ip", "ss"}},
		Window:   9 * time.Second,
		Captures: anyServer(53),
		Setup:    inPair(&p, play("answer")),
		Inject:   play("drop-first"),
		Fix:      play("answer"),
		Measure:  p.lookUp,
	}
}

// dnsUnreachable stops the resolver: no process listens.
func dnsUnreachable() Case {
	var p pair
	var resolver actors
	play := p.resolving(&resolver, "answer")
	return Case{
		ID:    "net/dns-unreachable",
		Title: "no process listens at the resolver's address",
		Rule:  "net/dns-unreachable", Kind: "service", Name: `dns 10\.213\.\d+\.1:53`,
		Needs:    env.Needs{Root: true, Packages: []string{"bind9-dnsutils", "iproute2"}, Commands: []string{"dig", "ip", "ss"}},
		Captures: anyServer(53),
		Setup:    inPair(&p, play),
		Inject:   doing(func() { resolver.stop() }),
		Fix:      play,
		Measure:  p.lookUp,
	}
}

// names is a new name each time, so that nobody has it in a cache.
var names atomic.Int64

func (p *pair) dig(ctx context.Context, options ...string) error {
	args := append([]string{"@" + p.at.Addr, "+short"}, options...)
	out, err := p.client.Run(ctx, "dig", append(args, "host"+strconv.FormatInt(names.Add(1), 10)+".example")...)
	if err == nil && out != "192.0.2.1\n" {
		err = fmt.Errorf("dig answers %q", out)
	}
	return err
}

// lookUp looks names up, three a second, and gives how long that takes.
func (p *pair) lookUp(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
	return lookUp(ctx, d, func(ctx context.Context) error { return p.dig(ctx, "+tries=2", "+timeout=5") })
}

func lookUp(ctx context.Context, d time.Duration, find func(context.Context) error) (load.Measurement, error) {
	r := load.Paced(ctx, d, 300*time.Millisecond, 1, find)
	if r.Failed > len(r.Latencies) {
		return load.Measurement{Value: 5000, Unit: "ms median", LowerBetter: true, Detail: r.String()}, nil
	}
	return r.Tail(.5, "median"), nil
}

// resolving starts the resolver again, to answer in some way.
func (p *pair) resolving(resolver *actors, how string) step {
	return func(ctx context.Context, e *env.Env) error {
		if err := resolver.play(e, env.Options{NetNS: p.server}, "name-server", "resolver", p.at.Addr+":53", how); err != nil {
			return err
		}
		return env.Until(ctx, 5*time.Second, "the resolver to listen", func() (bool, error) {
			out, err := p.server.Run(ctx, "ss", "-Hlun", "sport = :53")
			return out != "", err
		})
	}
}

// controlDownload fetches large files at full speed, while users think.
func controlDownload() Case {
	var p pair
	return Case{
		ID:       "control/downloads",
		Title:    "large and small pages at their own pace, captured",
		Needs:    env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss"}},
		Captures: anyServer(80),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			return p.bigPage(ctx, e, 1<<20)
		}),
		Measure: p.wrk("big", load.Wrk{Connections: 4, Think: 20 * time.Millisecond}),
	}
}

// controlKeepAlive has clients that think for long, keep connections for later,
// and close them as they like.
func controlKeepAlive() Case {
	var p pair
	return Case{
		ID:       "control/thinking-users",
		Title:    "users who think and keep connections, captured",
		Needs:    env.Needs{Root: true, Packages: []string{"nginx-light", "iproute2"}, Commands: []string{"nginx", "ip", "ss"}},
		Captures: anyServer(80),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			return p.bigPage(ctx, e, 1<<20)
		}),
		Measure: p.httpUsers(10, 30*time.Millisecond),
	}
}
