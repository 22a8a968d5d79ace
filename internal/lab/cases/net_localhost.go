package cases

import (
	"context"
	"net/netip"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// localhostFamily restarts a Redis that listens on both loopback addresses so that it
// listens on ::1 only. Its clients know 127.0.0.1.
func localhostFamily() Case {
	var ns *env.NetNS
	var redis *env.Proc
	at := netip.MustParseAddrPort("127.0.0.1:6379")
	start := func(addresses ...string) step {
		return func(ctx context.Context, e *env.Env) (err error) {
			if redis != nil {
				redis.Kill()
			}
			redis, err = server.StartRedis(ctx, e, env.Options{NetNS: ns}, env.End{NetNS: ns, Addr: "[::1]"}, int(at.Port()), append([]string{"--bind"}, addresses...)...)
			return err
		}
	}
	both := start("127.0.0.1", "::1")
	return Case{
		ID:    "net/localhost-family",
		Title: "Redis listens on ::1 only, and its clients connect to 127.0.0.1",
		Rule:  "net/localhost-family",
		Kind:  "listener", Name: "redis-server",
		Needs: env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "ip", "ss"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if ns, err = e.NetNS("server"); err != nil {
				return err
			}
			return both(ctx, e)
		},
		Inject: start("::1"),
		Fix:    both,
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return load.Paced(ctx, d, 20*time.Millisecond, 1, func(ctx context.Context) error {
				return load.Ask(ctx, ns, at, load.RedisPing, int64(len(load.RedisPong)), time.Second)
			}).Rate(), nil
		},
	}
}
