package cases

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

const conntrackCount = "/proc/sys/net/netfilter/nf_conntrack_count"

// conntrackFull sends 500 connections a second through a gateway that
// translates addresses. Every closed one stays in the gateway's table for the
// 120 s of TIME_WAIT, so that a limit of 1,000 is reached at once: count equals
// max in the gateway's namespace, its counter "drop" grows with every SYN, and
// the kernel log says "table full in netns N, dropping packet".
//
// The limit belongs to the whole machine: the kernel makes it read-only in any
// other namespace. It is compared with each namespace's own count, so that the
// host's connections go on as long as the limit stays above their number; the
// case sees to that and restores it.
func conntrackFull() Case {
	var p pair
	var gateway env.End
	var before string
	return Case{
		ID:    "net/conntrack-full",
		Title: "NAT gateway whose connection tracking table is full",
		Rule:  "net/conntrack-full",
		Kind:  "netns", Name: "rtrail-lab-.*-gateway",
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "iptables", "iproute2"}, Commands: []string{"nginx", "iptables", "ip", "ss"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if gateway, err = p.behindGateway(ctx, e); err != nil {
				return err
			}
			_, err = p.nginx(ctx, e, 0)
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			before, err = limitConntrack(e, 1000)
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) error { return e.Sysctl(env.ConntrackMax, before) },
		// Not wrk, which tries one blocking connect before it begins.
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return p.visit(ctx, netip.AddrPortFrom(netip.MustParseAddr(gateway.Addr), 80), d, 10*time.Millisecond, 5), nil
		},
	}
}

// behindGateway makes a server, a client, and between them a gateway that translates addresses,
// which it tracks connections for. It returns the client's side of that.
func (p *pair) behindGateway(ctx context.Context, e *env.Env) (outside env.End, err error) {
	if p.server, err = e.NetNS("server"); err != nil {
		return outside, err
	}
	if p.client, err = e.NetNS("client"); err != nil {
		return outside, err
	}
	gateway, err := e.NetNS("gateway")
	if err != nil {
		return outside, err
	}
	if outside, p.from, err = e.Veth(gateway, p.client); err != nil {
		return outside, err
	}
	inside, served, err := e.Veth(gateway, p.server)
	if err != nil {
		return outside, err
	}
	p.at = served
	if err := gateway.Sysctl("net.ipv4.ip_forward", "1"); err != nil {
		return outside, err
	}
	for _, rule := range [][]string{
		{"PREROUTING", "-i", outside.Device, "-p", "tcp", "-j", "DNAT", "--to-destination", served.Addr},
		{"POSTROUTING", "-o", inside.Device, "-j", "MASQUERADE"},
	} {
		if _, err := gateway.Run(ctx, "iptables", append([]string{"-t", "nat", "-A"}, rule...)...); err != nil {
			return outside, err
		}
	}
	return outside, nil
}

// limitConntrack lets each network namespace track so few connections, and returns what it may
// otherwise. It refuses where the host itself would suffer.
func limitConntrack(e *env.Env, to int) (before string, err error) {
	count, err := readInt(conntrackCount)
	if err != nil {
		return "", err
	}
	old, err := readInt("/proc/sys/" + strings.ReplaceAll(env.ConntrackMax, ".", "/"))
	if err != nil {
		return "", err
	}
	limit := to + 2*count
	if count > 1000 || limit >= old {
		return "", fmt.Errorf("set %s to %d: the host itself tracks %d connections, limit %d, and would suffer; run this case on a host that tracks few", env.ConntrackMax, limit, count, old)
	}
	return strconv.Itoa(old), e.Sysctl(env.ConntrackMax, strconv.Itoa(limit))
}

func readInt(path string) (int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return n, nil
}
