package main

import (
	"context"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/server"
)

// across has MariaDB and the load in two namespaces, with a router between that limits what
// the server sends.
func across(event string, limit func(ctx context.Context, e *env.Env, out env.End) error) func(context.Context, *env.Env) (load, error) {
	return func(ctx context.Context, e *env.Env) (load, error) {
		r, err := e.Routed()
		if err != nil {
			return load{}, err
		}
		m, err := server.StartMySQL(ctx, e, server.MariaDB10(), r.At)
		if err != nil {
			return load{}, err
		}
		path, err := script(e, event)
		if err != nil {
			return load{}, err
		}
		l := bench(m, path, 1000)
		l.netns = r.Client
		return l, limit(ctx, e, r.Far)
	}
}

func netCases() []limited {
	needs := server.MariaDB10().Needs()
	needs.Commands = append(needs.Commands, "tc")
	return []limited{
		{
			name: "bandwidth", limit: "tbf of a router lets 8 Mbit/s through: answers of 10 kB", rules: []string{"net/rate-limited"}, says: `bit/s`,
			needs: needs, setup: across(queries("SELECT REPEAT('x', 10000)"), func(ctx context.Context, _ *env.Env, out env.End) error {
				_, err := out.NetNS.Run(ctx, "tc", "qdisc", "add", "dev", out.Device, "root", "tbf", "rate", "8mbit", "burst", "32kb", "latency", "2s")
				return err
			}),
		},
	}
}
