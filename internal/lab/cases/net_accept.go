package cases

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// acceptQueueBacklog has 50 users come at the same moment, every 300 ms, each
// with a connection of its own, to an nginx that is busy less than half the
// time. With the queue cut to 10 most of a burst is refused: TcpExt
// ListenOverflows and ListenDrops grow by some hundred a second, the
// listener's queue stands at 11 of 10 in the bursts, and the refused users
// come again after the 1 s of a lost SYN.
func acceptQueueBacklog() Case {
	const healthy, tooSmall = 4096, 10
	var p pair
	var web *server.Nginx
	return Case{
		ID:    "net/accept-queue-full",
		Title: "nginx with listen ... backlog=10 under bursts of connects",
		Rule:  "net/accept-queue-full",
		Kind:  "listener", Name: "nginx",
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "iproute2"}, Commands: []string{"nginx", "ip", "ss"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if _, err = e.WriteFile("www/page.txt", text(50_000)); err != nil {
				return err
			}
			web, err = server.StartNginx(ctx, e, p.server, server.NginxConfig{
				Name: "server", Address: p.at.Addr, Port: 80, Backlog: healthy,
				HTTP:   "gzip on; gzip_comp_level 5; gzip_types text/plain; default_type text/plain;",
				Server: "root " + e.Path("www") + ";",
			})
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) error {
			return web.Reload(ctx, func(c *server.NginxConfig) { c.Backlog = tooSmall })
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			return web.Reload(ctx, func(c *server.NginxConfig) { c.Backlog = healthy })
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			request := "GET /page.txt HTTP/1.1\r\nHost: lab\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
			r := load.Paced(ctx, d, 300*time.Millisecond, 50, func(ctx context.Context) error {
				return load.Ask(ctx, p.client, p.port(80), request, 0, 2500*time.Millisecond)
			})
			return r.P99(), nil
		},
	}
}

// acceptQueueStopped has a program stop accepting without dying: a Redis that
// is held by one command. Its queue fills up to the 64 it asked for and stays
// there; from then on every connect is refused (ListenOverflows, ListenDrops).
func acceptQueueStopped() Case {
	const backlog = 64
	var p pair
	var redis *env.Proc
	start := func(ctx context.Context, e *env.Env) (err error) {
		redis, err = server.StartRedis(ctx, e, env.Options{NetNS: p.server}, p.at, 6379,
			"--tcp-backlog", strconv.Itoa(backlog), "--enable-debug-command", "yes")
		return err
	}
	return Case{
		ID:    "net/accept-queue-full+stopped",
		Title: "Redis stops accepting while one command holds it",
		Rule:  "net/accept-queue-full",
		Kind:  "listener", Name: "redis-server",
		Needs: env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "redis-cli", "ip", "ss"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			return start(ctx, e)
		}),
		Inject: func(ctx context.Context, e *env.Env) error {
			cli, err := p.client.Start("redis-cli", "-h", p.at.Addr, "debug", "sleep", "60")
			if err != nil {
				return err
			}
			return env.Until(ctx, 5*time.Second, "Redis to be held", func() (bool, error) {
				if !cli.Alive() {
					return false, errors.New("redis-cli has ended: " + cli.Output())
				}
				err := load.Ask(ctx, p.client, p.port(6379), load.RedisPing, int64(len(load.RedisPong)), 200*time.Millisecond)
				return err != nil, nil
			})
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			redis.Kill()
			if err := start(ctx, e); err != nil {
				return fmt.Errorf("restart Redis: %w", err)
			}
			return nil
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			r := load.Paced(ctx, d, 10*time.Millisecond, 1, func(ctx context.Context) error {
				return load.Ask(ctx, p.client, p.port(6379), load.RedisPing, int64(len(load.RedisPong)), time.Second)
			})
			return r.Rate(), nil
		},
	}
}
