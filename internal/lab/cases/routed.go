package cases

import (
	"context"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// router stands between server and client, in a namespace of its own.
type router struct {
	*env.NetNS
	near, far env.End // its ends of the links to the server and to the client
}

// inRouted makes a pair with a router between, then sets up what is in it.
func inRouted(p *pair, r *router, then step) step {
	return func(ctx context.Context, e *env.Env) error {
		made, err := e.Routed()
		if err != nil {
			return err
		}
		*p = pair{server: made.Server, client: made.Client, at: made.At, from: made.From}
		*r = router{NetNS: made.Router, near: made.Near, far: made.Far}
		return then(ctx, e)
	}
}

// detourTable is the table of routes of a router for packets that make a detour.
const detourTable = "100"

// lengthen has packets wait in the router, each way.
func (r *router) lengthen(ctx context.Context, e *env.Env, wait time.Duration) error {
	if err := r.pass(ctx, e, wait.Milliseconds()); err != nil {
		return err
	}
	return r.detour(e, "add", r.near, r.far)
}

// narrow has the router let so many bytes a second through to the client, while so many wait. The
// queue is that of a program, which no host sees into.
func (r *router) narrow(ctx context.Context, e *env.Env, perSecond, room int64) error {
	if err := r.pass(ctx, e, 0, perSecond, room); err != nil {
		return err
	}
	return r.detour(e, "add", r.near)
}

// widen undoes narrow.
func (r *router) widen(e *env.Env) error { return r.detour(e, "del", r.near) }

// pass starts the program through which packets make a detour.
func (r *router) pass(ctx context.Context, e *env.Env, how ...int64) error {
	const device = "delay0"
	args := []string{device}
	for _, n := range how {
		args = append(args, strconv.FormatInt(n, 10))
	}
	if _, err := load.StartActor(e, env.Options{NetNS: r.NetNS}, "delay", "delay", args...); err != nil {
		return err
	}
	if err := env.Until(ctx, 5*time.Second, "the delay to begin", func() (bool, error) {
		return e.IP("-n", r.Name, "link", "set", device, "up", "mtu", "1500", "txqueuelen", "50000") == nil, nil
	}); err != nil {
		return err
	}
	if err := r.Sysctl("net.ipv4.conf.all.rp_filter", "0"); err != nil {
		return err
	}
	return e.IP("-n", r.Name, "route", "add", "default", "dev", device, "table", detourTable)
}

// detour begins ("add") or ends ("del") the detour of packets that come from some ends.
func (r *router) detour(e *env.Env, what string, from ...env.End) error {
	for _, end := range from {
		if err := e.IP("-n", r.Name, "rule", what, "iif", end.Device, "lookup", detourTable); err != nil {
			return err
		}
	}
	return nil
}
