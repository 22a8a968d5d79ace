package cases

import (
	"context"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// packetLossIptables drops 5 % of the TCP packets that reach the server, at
// random: both ends retransmit some 3 % of their segments, mostly by tail loss
// probes and timeouts, requests take 200 ms and more, and the counter of the
// rule grows. iptables-nft hands the statistic match to the kernel as
// "meta random", not as a match of its own.
func packetLossIptables() Case {
	rule := []string{"INPUT", "-p", "tcp", "-m", "statistic", "--mode", "random", "--probability", "0.05", "-j", "DROP"}
	c := packetLossCase(
		func(ctx context.Context, p pair) error {
			_, err := p.server.Run(ctx, "iptables", append([]string{"-A"}, rule...)...)
			return err
		},
		func(ctx context.Context, p pair) error {
			_, err := p.server.Run(ctx, "iptables", append([]string{"-D"}, rule...)...)
			return err
		})
	c.ID = "net/packet-loss+iptables"
	c.Title = "5 % of packets lost to an iptables statistic rule"
	c.Needs.Packages = append(c.Needs.Packages, "iptables")
	c.Needs.Commands = append(c.Needs.Commands, "iptables")
	return c
}

// packetLossNft is the same with nftables' own "numgen random".
func packetLossNft() Case {
	c := packetLossCase(
		func(ctx context.Context, p pair) error {
			_, err := p.server.Run(ctx, "nft",
				"add table inet lossy; "+
					"add chain inet lossy input { type filter hook input priority 0; }; "+
					"add rule inet lossy input meta l4proto tcp numgen random mod 100 < 5 counter drop")
			return err
		},
		func(ctx context.Context, p pair) error {
			_, err := p.server.Run(ctx, "nft", "delete table inet lossy")
			return err
		})
	c.ID = "net/packet-loss+nft"
	c.Title = "5 % of packets lost to an nftables numgen rule"
	c.Needs.Packages = append(c.Needs.Packages, "nftables")
	c.Needs.Commands = append(c.Needs.Commands, "nft")
	return c
}

func packetLossCase(lose, stop func(context.Context, pair) error) Case {
	var p pair
	return Case{
		Rule: "net/packet-loss",
		// Client and server are peers of each other on one machine; either name is right.
		Kind: "peer", Name: `10\.213\.\d+\.[12]`,
		Needs:   env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss"}},
		Setup:   inPair(&p, p.plainNginx),
		Inject:  func(ctx context.Context, e *env.Env) error { return lose(ctx, p) },
		Fix:     func(ctx context.Context, e *env.Env) error { return stop(ctx, p) },
		Measure: p.wrk("", load.Wrk{Connections: 20, Think: 10 * time.Millisecond}),
	}
}

// firewallDropsUncounted has a rule of nftables that has no counter do the same.
func firewallDropsUncounted() Case {
	var p pair
	nft := func(line string) step {
		return func(ctx context.Context, _ *env.Env) error {
			_, err := p.server.Run(ctx, "nft", line)
			return err
		}
	}
	return Case{
		ID:    "net/firewall-drops+uncounted",
		Title: "nft rule without a counter that drops what clients send to nginx",
		Rule:  "net/firewall-drops",
		Kind:  "firewall-rule", Name: `nft inet guard input handle \d+ in rtrail-lab-\w+-server`,
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "nftables", "iproute2"}, Commands: []string{"nginx", "nft", "ip", "ss"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			if _, err := p.nginx(ctx, e, 0); err != nil {
				return err
			}
			return nft("add table inet guard; add chain inet guard input { type filter hook input priority 0; }; add rule inet guard input tcp dport 23 drop")(ctx, e)
		}),
		Inject:  nft("add rule inet guard input tcp dport 80 drop"),
		Fix:     nft("flush chain inet guard input"),
		Measure: p.visits(20*time.Millisecond, 1),
	}
}

// firewallDrops has a rule drop everything that a client of the service sends
// to port 80. The counter of the rule grows with the client's 50 SYNs a second,
// and its connects time out; no connection is there to retransmit.
func firewallDrops() Case {
	var p pair
	var rule []string
	return Case{
		ID:    "net/firewall-drops",
		Title: "iptables DROP rule that hits a client of nginx",
		Rule:  "net/firewall-drops",
		Kind:  "firewall-rule", Name: `iptables INPUT rule \d+ in rtrail-lab-\w+-server`,
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "iptables", "iproute2"}, Commands: []string{"nginx", "iptables", "ip", "ss"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			rule = []string{"INPUT", "-s", p.from.Addr, "-p", "tcp", "--dport", "80", "-j", "DROP"}
			_, err = p.nginx(ctx, e, 0)
			return err
		}),
		Inject:  p.iptables("-A", &rule),
		Fix:     p.iptables("-D", &rule),
		Measure: p.visits(20*time.Millisecond, 1),
	}
}
