package cases

import (
	"context"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// step is what Setup, Inject and Fix of a case do, and measure what its Measure
// does. Functions that make one take pointers to what only Setup makes.
type (
	step    = func(context.Context, *env.Env) error
	measure = func(context.Context, *env.Env, time.Duration) (load.Measurement, error)
)

// doing is a step that cannot fail.
func doing(what func()) step {
	return func(context.Context, *env.Env) error {
		what()
		return nil
	}
}

// querying has a server run statements.
func querying(m **server.MySQL, statements string) step {
	return func(ctx context.Context, _ *env.Env) error {
		_, err := (*m).Query(ctx, statements)
		return err
	}
}

// iptables adds (-A) or deletes (-D) a rule at the server.
func (p *pair) iptables(action string, rule *[]string) step {
	return func(ctx context.Context, _ *env.Env) error {
		_, err := p.server.Run(ctx, "iptables", append([]string{action}, *rule...)...)
		return err
	}
}

// wrk loads a page of the server from the client.
func (p *pair) wrk(page string, w load.Wrk) measure {
	return func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
		w.URL = p.url() + page
		r, err := w.Run(ctx, e, p.client, d)
		return r.Measurement(), err
	}
}

// visits are visits to the server's port 80.
func (p *pair) visits(every time.Duration, burst int) measure {
	return func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
		return p.visit(ctx, p.port(80), d, every, burst), nil
	}
}

// sysbench runs a test against the server.
func (s *mysqlScene) sysbench(test *load.Sysbench) measure {
	return func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
		return test.Run(ctx, e, env.Options{}, s.m.Address(), d)
	}
}
