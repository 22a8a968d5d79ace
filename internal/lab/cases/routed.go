package cases

import (
	"context"

	"rtrail/internal/lab/env"
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
