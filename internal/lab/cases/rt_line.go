package cases

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// rtLineCases have a server that answers one request at a time, and backends that
// differ in their port.
func rtLineCases() []Case {
	return []Case{slowBackendPort(), headOfLineRedis(), serverSlowTLS()}
}

// slowBackendPort has four backends behind one address, as a proxy on the same host
// has them, of which one takes 45 ms instead of 3 ms.
func slowBackendPort() Case {
	const servers, slow = 4, 2
	var p pair
	var sick *env.Proc
	address := func(i int) string { return net.JoinHostPort(p.at.Addr, strconv.Itoa(9001+i)) }
	start := func(ctx context.Context, e *env.Env, name, millis string, which ...int) (*env.Proc, error) {
		return p.jobServer(ctx, e, name, "8", millis, which, address)
	}
	restart := func(ctx context.Context, e *env.Env, millis string) (err error) {
		sick.Kill()
		sick, err = start(ctx, e, "slow-backend", millis, slow)
		return err
	}
	return Case{
		ID:    "rt/one-slow-backend+port",
		Title: "one of four backends on ports of one address takes 45 ms instead of 3 ms",
		Rule:  "rt/one-slow-backend",
		Kind:  "service", Name: `http 10\.213\.\d+\.1:9003`,
		Needs:    env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip"}},
		Captures: []Capture{{NetNS: "client", Interface: "any", Ports: []uint16{9001, 9002, 9003, 9004}}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if _, err = start(ctx, e, "backends", "3", 0, 1, 3); err != nil {
				return err
			}
			sick, err = start(ctx, e, "slow-backend", "3", slow)
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) error { return restart(ctx, e, "45") },
		Fix:    func(ctx context.Context, e *env.Env) error { return restart(ctx, e, "3") },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			const connections = 8 // to each, of which all in turn are asked
			all, err := load.OpenCallers(ctx, p.client, servers*connections, func(i int) string { return address(i % servers) })
			if err != nil {
				return load.Measurement{}, err
			}
			defer all.Close()
			r := all.Paced(ctx, d, 4*time.Millisecond, 1, func(c *load.Caller) error { return c.Get("/item") })
			return r.Tail(.9, "p90"), nil // a quarter of the requests go to the slow one
		},
	}
}

// longScript keeps Redis busy for tens of milliseconds.
const longScript = "local x = 0 for i = 1, 4000000 do x = x + i % 7 end return x"

// headOfLineRedis has one client of Redis send scripts of some 60 ms, five a second,
// while others increment a counter, which takes microseconds.
func headOfLineRedis() Case {
	const port = 6379
	var p pair
	var scripts *env.Proc
	return Case{
		ID:    "rt/head-of-line",
		Title: "long scripts of one client make all other commands of Redis wait",
		Rule:  "rt/head-of-line",
		Kind:  "service", Name: `redis 10\.213\.\d+\.1:6379`,
		Needs:    env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "redis-cli", "ip"}},
		Captures: bothSides(port),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			_, err = server.StartRedis(ctx, e, env.Options{NetNS: p.server}, p.at, port)
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			scripts, err = p.client.Start("redis-cli", "-h", p.at.Addr, "-p", strconv.Itoa(port), "-r", "-1", "-i", "0.15", "eval", longScript, "0")
			return err
		},
		Fix: doing(func() { scripts.Kill() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return p.increments(ctx, d, port, nil)
		},
	}
}

// serverSlowTLS is the same through TLS, where nobody can tell requests apart.
func serverSlowTLS() Case {
	const port = 7443
	var p pair
	var scripts *env.Proc
	var trust *x509.CertPool
	return Case{
		ID:    "rt/server-slow+tls",
		Title: "Redis over TLS works on long scripts of one client: what all others wait for cannot be seen",
		Rule:  "rt/server-slow",
		Kind:  "service", Name: `tls 10\.213\.\d+\.1:7443`,
		Needs:    env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "redis-cli", "ip"}},
		Captures: bothSides(port),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			certificate, key := e.Path("certificate.pem"), e.Path("key.pem")
			if trust, err = server.Certify(p.at.Addr, certificate, key); err != nil {
				return err
			}
			_, err = server.StartRedis(ctx, e, env.Options{NetNS: p.server}, p.at, port, "--port", "0", "--tls-port", strconv.Itoa(port), "--tls-auth-clients", "no",
				"--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate)
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			scripts, err = p.client.Start("redis-cli", "-h", p.at.Addr, "-p", strconv.Itoa(port), "--tls", "--cacert", e.Path("certificate.pem"),
				"-r", "-1", "-i", "0.15", "eval", longScript, "0")
			return err
		},
		Fix: doing(func() { scripts.Kill() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return p.increments(ctx, d, port, &tls.Config{RootCAs: trust, ServerName: p.at.Addr})
		},
	}
}

// increments has 16 connections to Redis increment a counter in turn, 250 times a
// second; encrypted where a configuration is given.
func (p pair) increments(ctx context.Context, d time.Duration, port uint16, encrypted *tls.Config) (load.Measurement, error) {
	r, err := load.PacedLines(ctx, p.client, p.port(port), encrypted, 16, d, 4*time.Millisecond, "*2\r\n$4\r\nINCR\r\n$4\r\nhits\r\n", ":")
	return r.Tail(.95, "p95"), err
}
