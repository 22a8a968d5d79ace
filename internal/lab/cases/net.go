package cases

import (
	"context"
	"net/netip"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// netCases are the faults of the network, and the CPU time it takes.
func netCases() []Case {
	return []Case{
		acceptQueueBacklog(),
		acceptQueueStopped(),
		udpBuffer(),
		synFlood(),
		synFloodCookies(),
		synFloodShortBacklog(),
		synQueueFull(),
		localhostFamily(),
		conntrackFull(),
		ephemeralPorts(),
		packetLossIptables(),
		packetLossNft(),
		firewallDrops(),
		firewallDropsUncounted(),
		softirqFlood(),
		interruptsOnOneCore(),
		qdiscDrops(),
		qdiscDropsBurst(),
		softnetBacklog(),
	}
}

// pair is a server and its client, each in a namespace of its own.
type pair struct {
	server, client *env.NetNS
	at, from       env.End // the server's end of the veth pair, and the client's
}

func newPair(e *env.Env) (p pair, err error) {
	if p.server, err = e.NetNS("server"); err != nil {
		return p, err
	}
	if p.client, err = e.NetNS("client"); err != nil {
		return p, err
	}
	p.at, p.from, err = e.Veth(p.server, p.client)
	return p, err
}

// inPair makes the pair, then sets up what is in it.
func inPair(p *pair, then step) step {
	return func(ctx context.Context, e *env.Env) (err error) {
		if *p, err = newPair(e); err != nil {
			return err
		}
		return then(ctx, e)
	}
}

// url is the server's page.
func (p pair) url() string { return "http://" + p.at.Addr + "/" }

// port is a port of the server.
func (p pair) port(n uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(p.at.Addr), n)
}

// nginx starts the server's nginx on port 80.
func (p pair) nginx(ctx context.Context, e *env.Env, backlog int) (*server.Nginx, error) {
	return server.StartNginx(ctx, e, p.server, server.NginxConfig{Name: "server", Address: p.at.Addr, Port: 80, Backlog: backlog})
}

// plainNginx is nginx as the step that makes a healthy server.
func (p *pair) plainNginx(ctx context.Context, e *env.Env) error {
	_, err := p.nginx(ctx, e, 0)
	return err
}

// visit has burst users come every so often, each with a connection of its own,
// and gives the rate of those who are served within half a second.
func (p pair) visit(ctx context.Context, at netip.AddrPort, d, every time.Duration, burst int) load.Measurement {
	request := "GET / HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n"
	return load.Paced(ctx, d, every, burst, func(ctx context.Context) error {
		return load.Ask(ctx, p.client, at, request, 0, 500*time.Millisecond)
	}).Rate()
}
