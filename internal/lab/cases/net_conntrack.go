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
	var gateway *env.NetNS
	var front string
	var before string
	return Case{
		ID:    "net/conntrack-full",
		Title: "NAT gateway whose connection tracking table is full",
		Rule:  "net/conntrack-full",
		Kind:  "netns", Name: "rtrail-lab-.*-gateway",
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "iptables", "iproute2"}, Commands: []string{"nginx", "iptables", "ip", "ss"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if p.server, err = e.NetNS("server"); err != nil {
				return err
			}
			if p.client, err = e.NetNS("client"); err != nil {
				return err
			}
			if gateway, err = e.NetNS("gateway"); err != nil {
				return err
			}
			outside, client, err := e.Veth(gateway, p.client)
			if err != nil {
				return err
			}
			inside, served, err := e.Veth(gateway, p.server)
			if err != nil {
				return err
			}
			p.at, p.from, front = served, client, outside.Addr
			if err := gateway.Sysctl("net.ipv4.ip_forward", "1"); err != nil {
				return err
			}
			for _, rule := range [][]string{
				{"PREROUTING", "-i", outside.Device, "-p", "tcp", "--dport", "80", "-j", "DNAT", "--to-destination", served.Addr + ":80"},
				{"POSTROUTING", "-o", inside.Device, "-j", "MASQUERADE"},
			} {
				if _, err := gateway.Run(ctx, "iptables", append([]string{"-t", "nat", "-A"}, rule...)...); err != nil {
					return err
				}
			}
			_, err = p.nginx(ctx, e, 0)
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			count, err := readInt(conntrackCount)
			if err != nil {
				return err
			}
			old, err := readInt("/proc/sys/" + strings.ReplaceAll(env.ConntrackMax, ".", "/"))
			if err != nil {
				return err
			}
			before = strconv.Itoa(old)
			limit := 1000 + 2*count
			if count > 1000 || limit >= old {
				return fmt.Errorf("set %s to %d: the host itself tracks %d connections, limit %d, and would suffer; run this case on a host that tracks few", env.ConntrackMax, limit, count, old)
			}
			return e.Sysctl(env.ConntrackMax, strconv.Itoa(limit))
		},
		Fix: func(ctx context.Context, e *env.Env) error { return e.Sysctl(env.ConntrackMax, before) },
		// Not wrk, which tries one blocking connect before it begins.
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return p.visit(ctx, netip.AddrPortFrom(netip.MustParseAddr(front), 80), d, 10*time.Millisecond, 5), nil
		},
	}
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
