package server

import (
	"context"
	"strconv"

	"rtrail/internal/lab/env"
)

// StartRedis starts a Redis that keeps nothing, in a namespace.
func StartRedis(ctx context.Context, e *env.Env, o env.Options, at env.End, port int, args ...string) (*env.Proc, error) {
	p, err := e.StartWith(o, "redis-server", append([]string{
		"--bind", at.Addr, "--port", strconv.Itoa(port), "--protected-mode", "no",
		"--save", "", "--appendonly", "no",
	}, args...)...)
	if err != nil {
		return nil, err
	}
	return p, at.NetNS.UntilListens(ctx, at.Addr+":"+strconv.Itoa(port))
}
