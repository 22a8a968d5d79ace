package cases

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// ephemeralPorts has an nginx pass requests to an upstream over connections of
// one request each, which it closes first: every one leaves a port in
// TIME_WAIT for 60 s. With a range of 50 ports all of them are in use towards
// the upstream within a second, connect(2) fails with EADDRNOTAVAIL (99 in
// nginx's error log) and users get 502. No counter of the kernel says so.
func ephemeralPorts() Case {
	var proxy *env.NetNS
	var web *server.Nginx
	var client *env.NetNS
	var front env.End
	const wide, narrow = "15000 60999", "50000 50049"
	return Case{
		ID:    "net/ephemeral-ports",
		Title: "nginx proxy without keep-alive to its upstream, 50 local ports",
		Rule:  "net/ephemeral-ports",
		Kind:  "process", Name: "nginx",
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if proxy, err = e.NetNS("proxy"); err != nil {
				return err
			}
			upstream, err := e.NetNS("upstream")
			if err != nil {
				return err
			}
			if client, err = e.NetNS("client"); err != nil {
				return err
			}
			_, behind, err := e.Veth(proxy, upstream)
			if err != nil {
				return err
			}
			if front, _, err = e.Veth(proxy, client); err != nil {
				return err
			}
			if err := proxy.Sysctl("net.ipv4.ip_local_port_range", wide); err != nil {
				return err
			}
			if _, err := server.StartNginx(ctx, e, upstream, server.NginxConfig{Name: "upstream", Address: behind.Addr, Port: 8080}); err != nil {
				return err
			}
			web, err = server.StartNginx(ctx, e, proxy, server.NginxConfig{Name: "proxy", Address: front.Addr, Port: 80,
				Server: fmt.Sprintf(`location / { proxy_pass http://%s/; proxy_http_version 1.1; proxy_set_header Connection ""; }`,
					netip.AddrPortFrom(netip.MustParseAddr(behind.Addr), 8080))})
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			return proxy.Sysctl("net.ipv4.ip_local_port_range", narrow)
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			return proxy.Sysctl("net.ipv4.ip_local_port_range", wide)
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			r, err := load.Wrk{URL: "http://" + front.Addr + "/", Connections: 10, Think: 20 * time.Millisecond}.Run(ctx, e, client, d)
			if err != nil {
				return load.Measurement{}, err
			}
			m := r.Measurement()
			failed, err := web.ErrorLog("(99: ") // EADDRNOTAVAIL; the words depend on the C library
			m.Detail += fmt.Sprintf(", %d times EADDRNOTAVAIL in the error log", failed)
			return m, err
		},
	}
}
