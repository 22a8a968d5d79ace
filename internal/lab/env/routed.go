package env

// Routed is a server and a client with a router between, each in a namespace of its own.
type Routed struct {
	Server, Router, Client *NetNS
	At, Near               End // of the link between server and router: theirs in this order
	Far, From              End // of the link between router and client
}

// Routed makes the three namespaces "server", "router" and "client", their links and routes.
func (e *Env) Routed() (r Routed, err error) {
	for name, ns := range map[string]**NetNS{"server": &r.Server, "router": &r.Router, "client": &r.Client} {
		if *ns, err = e.NetNS(name); err != nil {
			return r, err
		}
	}
	if r.At, r.Near, err = e.Veth(r.Server, r.Router); err != nil {
		return r, err
	}
	if r.Far, r.From, err = e.Veth(r.Router, r.Client); err != nil {
		return r, err
	}
	if err := r.Router.Sysctl("net.ipv4.ip_forward", "1"); err != nil {
		return r, err
	}
	if err := r.Server.Route("default", r.Near.Addr); err != nil {
		return r, err
	}
	return r, r.Client.Route("default", r.Far.Addr)
}
