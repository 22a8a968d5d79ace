package cases

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/lab/env"
)

// synBacklog is the half-open limit of the attacked server. The kernel keeps
// the last quarter for peers it has spoken with before, so that the table
// stands at 3/4 of it plus one, 193.
const synBacklog = 256

// synFlood sends 10,000 SYNs a second with the address of one host that never
// answers; syncookies are off. Connections in SYN_RECV stand at 193,
// ListenDrops grows by thousands a second, ListenOverflows does not move, and
// packets of 54 bytes come in.
func synFlood() Case {
	c := synFloodCase(floodPlan{every: "u100", packets: 300000})
	c.ID = "net/syn-flood"
	c.Title = "SYN flood against nginx, syncookies off"
	return c
}

// synFloodCookies sends the same number of SYNs from addresses all over the
// internet, and syncookies are on: SYN_RECV stands one above nginx's backlog of
// 511, SyncookiesSent grows by thousands a second and SyncookiesRecv by the
// few connections of the real client. It still gets through; what it loses is
// little, as its number shows.
func synFloodCookies() Case {
	c := synFloodCase(floodPlan{cookies: true, every: "u100", packets: 300000})
	c.ID = "net/syn-flood+cookies"
	c.Title = "SYN flood against nginx, syncookies on"
	c.Withstood = "cookies let real clients in; the flood costs CPU time and TCP options"
	return c
}

// synFloodShortBacklog sends 2,000 SYNs a second to a server whose backlog is 5, as
// that of old programs; syncookies are off. 5 or 6 connections stand in SYN_RECV,
// by which nobody would see a flood, TCPReqQFullDrop grows by 2,000 a second, and
// nobody gets in.
func synFloodShortBacklog() Case {
	c := synFloodCase(floodPlan{backlog: 5, every: "u500", packets: 60000})
	c.ID = "net/syn-flood+short-backlog"
	c.Title = "SYN flood against nginx with backlog=5, syncookies off"
	c.Says = "backlog of 5 is full"
	return c
}

// synQueueFull has a host whose SYN-ACKs are lost try 20 connections a second with a
// server whose backlog is 5; syncookies are off. 5 or 6 connections stand in SYN_RECV for
// a minute each, and nobody else gets in: TCPReqQFullDrop grows by what all clients try,
// ListenOverflows does not move.
func synQueueFull() Case {
	c := synFloodCase(floodPlan{backlog: 5, every: "u50000", packets: 600, visits: 50 * time.Millisecond, users: 1})
	c.ID, c.Rule = "net/syn-queue-full", "net/syn-queue-full"
	c.Title = "nginx with backlog=5, syncookies off, and a client whose SYN-ACKs are lost"
	c.Says = `5 of 6 from 10\.78\.0\.9|6 of 6 from 10\.78\.0\.9`
	return c
}

// floodPlan is what is flooded, and how.
type floodPlan struct {
	cookies bool
	backlog int           // of the listener; 0: nginx's own, 511
	every   string        // time between two packets, as hping3 takes it
	packets int           // after which it ends by itself
	visits  time.Duration // between two bursts of real clients; 0: 10 ms
	users   int           // in a burst; 0: 2
}

// full is how many connections are half open when the table is full.
func (f floodPlan) full() int {
	switch {
	case f.backlog > 0:
		return f.backlog
	case f.cookies:
		return 512
	}
	return synBacklog*3/4 + 1
}

func synFloodCase(plan floodPlan) Case {
	var p pair
	var attacker *env.NetNS
	var flood *env.Proc
	return Case{
		Rule: "net/syn-flood",
		Kind: "listener", Name: "nginx",
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "hping3", "iproute2"}, Commands: []string{"nginx", "hping3", "ip", "ss"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if attacker, err = e.NetNS("attacker"); err != nil {
				return err
			}
			behind, from, err := e.Veth(p.server, attacker)
			if err != nil {
				return err
			}
			if err := attacker.Route(p.at.Addr, behind.Addr); err != nil {
				return err
			}
			// What the server answers goes back to the attacker's namespace and
			// ends there: it forwards nothing and has no other way out.
			if err := p.server.Route("default", from.Addr); err != nil {
				return err
			}
			on := "0"
			if plan.cookies {
				on = "1"
			}
			for key, value := range map[string]string{
				"net.ipv4.tcp_syncookies":      on,
				"net.ipv4.tcp_max_syn_backlog": strconv.Itoa(synBacklog),
				// Without it the kernel remembers the client from before the
				// flood and lets it in; most users of a service are new.
				"net.ipv4.tcp_no_metrics_save": "1",
			} {
				if err := p.server.Sysctl(key, value); err != nil {
					return err
				}
			}
			_, err = p.nginx(ctx, e, plan.backlog)
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			from := []string{"--spoof", "10.78.0.9"}
			if plan.cookies {
				from = []string{"--rand-source"}
			}
			// An end after half a minute at most.
			args := append([]string{"-q", "-S", "-p", "80", "-i", plan.every, "-c", strconv.Itoa(plan.packets)}, from...)
			if flood, err = attacker.Start("hping3", append(args, p.at.Addr)...); err != nil {
				return err
			}
			return env.Until(ctx, 5*time.Second, "the table of half-open connections to fill", func() (bool, error) {
				if !flood.Alive() {
					return false, fmt.Errorf("hping3 has ended: %s", env.LastBytes(flood.Output(), 300))
				}
				n, err := halfOpen(ctx, p.server, p.port(80))
				return n >= plan.full(), err
			})
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			flood.Stop()
			// As after a block by address: what is half open is given up at once
			// rather than after the 63 s of its retransmissions.
			_, err := p.server.Run(ctx, "ss", "-K", "state", "syn-recv")
			if err != nil {
				return err
			}
			return env.Until(ctx, 5*time.Second, "the half-open connections to go", func() (bool, error) {
				n, err := halfOpen(ctx, p.server, p.port(80))
				return n == 0, err
			})
		},
		// Not wrk, which tries one blocking connect before it begins.
		Measure: p.visits(cmp.Or(plan.visits, 10*time.Millisecond), cmp.Or(plan.users, 2)),
	}
}

// halfOpen counts connections in SYN_RECV at a listener.
func halfOpen(ctx context.Context, ns *env.NetNS, at netip.AddrPort) (int, error) {
	out, err := ns.Run(ctx, "ss", "-Htn", "state", "syn-recv", "sport", "=", ":"+strconv.Itoa(int(at.Port())))
	return strings.Count(out, "\n"), err
}
