package cases

import (
	"context"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// dnsHostCases are the faults of lookups without packets: programs ask as libraries do, through
// a resolv.conf of their own.
func dnsHostCases() []Case {
	return []Case{
		dnsHost("net/dns-slow", "host", "the first query for each name is lost, without packets", "drop-first", `had no answer for`),
		dnsUnreachableHost(),
		dnsHost("net/dns-unreachable", "silent", "a resolver that does not answer, without packets", "mute", `answers nothing`),
	}
}

func dnsUnreachableHost() Case {
	return dnsHost("net/dns-unreachable", "host", "no process listens at the resolver's address, without packets", "", `no process listens`)
}

// dnsHost has a resolver answer in some way; "": it does not run.
func dnsHost(rule, variant, title, how, says string) Case {
	var p pair
	var resolver actors
	find := func(ctx context.Context, e *env.Env) error {
		_, err := p.client.Run(ctx, "unshare", p.asking(e, "getent", "ahostsv4", "host"+strconv.FormatInt(names.Add(1), 10)+".example")...)
		return err
	}
	inject := p.resolving(&resolver, how)
	if how == "" {
		inject = doing(func() { resolver.stop() })
	}
	return Case{
		ID: rule + "+" + variant, Title: title,
		Rule: rule, Kind: "service", Name: `dns 10\.213\.\d+\.1:53`, Says: says,
		Needs:  env.Needs{Root: true, Packages: []string{"iproute2", "util-linux"}, Commands: []string{"getent", "unshare", "ip", "ss"}},
		Window: 10 * time.Second,
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			if _, err := e.WriteFile("resolv.conf", "nameserver "+p.at.Addr+"\n"); err != nil {
				return err
			}
			// A program that lives there: the lookups themselves are over in a moment.
			if _, err := p.client.Start("unshare", p.asking(e, "sleep", "600")...); err != nil {
				return err
			}
			return p.resolving(&resolver, "answer")(ctx, e)
		}),
		Inject: inject,
		Fix:    p.resolving(&resolver, "answer"),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return lookUp(ctx, d, func(ctx context.Context) error { return find(ctx, e) })
		},
	}
}

// asking is how to run a program that asks the resolver of the lab, whoever the host asks: with
// another resolv.conf in a mount namespace, which ends with the program.
func (p *pair) asking(e *env.Env, program ...string) []string {
	return append([]string{"--mount", "sh", "-c", "mount --bind " + e.Path("resolv.conf") + ` /etc/resolv.conf && exec "$@"`, "sh"}, program...)
}
