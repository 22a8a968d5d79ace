package lab

import (
	"context"
	"strconv"
)

// startRedis starts a Redis that keeps nothing, in a namespace.
func startRedis(ctx context.Context, e *Env, o Options, at End, port int, args ...string) (*Proc, error) {
	p, err := e.StartWith(o, "redis-server", append([]string{
		"--bind", at.Addr, "--port", strconv.Itoa(port), "--protected-mode", "no",
		"--save", "", "--appendonly", "no",
	}, args...)...)
	if err != nil {
		return nil, err
	}
	return p, at.NetNS.UntilListens(ctx, at.Addr, port)
}
