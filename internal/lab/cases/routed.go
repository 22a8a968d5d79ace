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
	return func(ctx context.Context, e *env.Env) (err error) {
		for name, ns := range map[string]**env.NetNS{"server": &p.server, "router": &r.NetNS, "client": &p.client} {
			if *ns, err = e.NetNS(name); err != nil {
				return err
			}
		}
		if p.at, r.near, err = e.Veth(p.server, r.NetNS); err != nil {
			return err
		}
		if r.far, p.from, err = e.Veth(r.NetNS, p.client); err != nil {
			return err
		}
		if err := r.Sysctl("net.ipv4.ip_forward", "1"); err != nil {
			return err
		}
		if err := p.server.Route("default", r.near.Addr); err != nil {
			return err
		}
		if err := p.client.Route("default", r.far.Addr); err != nil {
			return err
		}
		return then(ctx, e)
	}
}
