package cases

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// rtHopCases have each hop of a request slow in turn, and its servers slow in
// several ways, judged from packets.
func rtHopCases() []Case {
	return []Case{
		serverSlow(),
		pathSlow(),
		clientSlow(),
		workerQueueing(),
		oneSlowBackend(),
		connectSlow(),
		captured(acceptQueueBacklog(), "net/accept-queue-full+captured", "client"),
		captured(cpuThrottled(), "cpu/throttled+captured", "client"),
		captured(controlNginx(), "control/nginx-captured", "server"),
		controlCapturedMariaDB(),
		controlJobs(),
	}
}

// pointSelects is the load of the cases with a database: as fast as two
// connections can ask.
var pointSelects = load.Sysbench{Test: "oltp_point_select", Threads: 2, Rows: 10_000}

// database is MariaDB on one side of a veth pair, with the table of a load.
func database(ctx context.Context, e *env.Env, l load.Sysbench) (p pair, m *server.MySQL, err error) {
	if p, err = newPair(e); err != nil {
		return p, nil, err
	}
	if m, err = server.StartMySQL(ctx, e, server.MariaDB10(), p.at); err != nil {
		return p, nil, err
	}
	return p, m, l.Prepare(ctx, e, p.client, m.Address())
}

// bothSides captures a server port on the client's and on the server's side.
// The devices are known when the namespaces are there.
func bothSides(port uint16) []Capture {
	return []Capture{{NetNS: "client", Interface: "any", Ports: []uint16{port}}, {NetNS: "server", Interface: "any", Ports: []uint16{port}}}
}

// serverSlow has somebody lock the table for 200 ms of every 300: selects that
// take some 100 µs then wait inside the server, and nobody captures that.
func serverSlow() Case {
	var p pair
	var m *server.MySQL
	var stop func()
	return Case{
		ID:    "rt/server-slow",
		Title: "MariaDB whose table is locked two thirds of the time, captured on both sides",
		Rule:  "rt/server-slow",
		Kind:  "service", Name: `mysql 10\.213\.\d+\.1:3306`,
		Needs:    server.MariaDB10().Needs(),
		Captures: bothSides(3306),
		// Answers take 0.1 ms or 200 ms, and nothing between: both are true.
		AllowOthers: []string{"rt/worker-queueing"},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			p, m, err = database(ctx, e, pointSelects)
			return err
		},
		Inject: doing(func() {
			stop = m.Loop(strings.Repeat("LOCK TABLES sbtest1 WRITE; DO SLEEP(0.2); UNLOCK TABLES; DO SLEEP(0.1);", 20))
		}),
		Fix: doing(func() { stop() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return pointSelects.Run(ctx, e, env.Options{NetNS: p.client}, m.Address(), d)
		},
	}
}

// pathSlow has a router with a line of 20 Mbit/s and a queue of 200 KB. A bulk
// transfer in bursts fills the queue, behind which answers then wait 80 ms.
func pathSlow() Case {
	test := load.Sysbench{Test: "oltp_point_select", Threads: 4, Rows: 10_000, Rate: 200}
	var from env.End
	var client, inside *env.NetNS
	var m *server.MySQL
	var stop func()
	return Case{
		ID:    "rt/path-slow",
		Title: "bulk transfers fill the queue of a router between client and MariaDB, captured on both sides",
		Rule:  "rt/path-slow",
		Kind:  "service", Name: `mysql 10\.213\.\d+\.1:3306`,
		Needs:    env.Needs{Root: true, Packages: server.MariaDB10().Needs().Packages, Commands: append([]string{"tc"}, server.MariaDB10().Needs().Commands...)},
		Captures: bothSides(3306),
		// The full queue also drops.
		AllowOthers: []string{"net/packet-loss"},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			var at env.End
			if inside, client, at, from, err = routed(ctx, e, "20mbit", 200_000); err != nil {
				return err
			}
			if m, err = server.StartMySQL(ctx, e, server.MariaDB10(), at); err != nil {
				return err
			}
			return test.Prepare(ctx, e, inside, m.Address())
		},
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			stop, err = load.Bulk(ctx, e, inside, client, from.Addr, 700*time.Millisecond, 300*time.Millisecond)
			return err
		},
		Fix: doing(func() { stop() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return test.RunP99(ctx, e, env.Options{NetNS: client}, m.Address(), d)
		},
	}
}

// routed joins a server and a client by a router whose line to the client has
// a rate and a queue of so many bytes.
func routed(ctx context.Context, e *env.Env, rate string, queue int) (server, client *env.NetNS, at, from env.End, err error) {
	spaces := map[string]*env.NetNS{}
	for _, name := range []string{"server", "client", "router"} {
		if spaces[name], err = e.NetNS(name); err != nil {
			return server, client, at, from, err
		}
	}
	server, client = spaces["server"], spaces["client"]
	router := spaces["router"]
	at, toServer, err := e.Veth(server, router)
	if err != nil {
		return server, client, at, from, err
	}
	from, toClient, err := e.Veth(client, router)
	if err != nil {
		return server, client, at, from, err
	}
	_, err = router.Run(ctx, "tc", "qdisc", "add", "dev", toClient.Device, "root", "tbf",
		"rate", rate, "burst", "4kb", "limit", strconv.Itoa(queue))
	return server, client, at, from, errors.Join(err, router.Sysctl("net.ipv4.ip_forward", "1"),
		server.Route("default", toServer.Addr), client.Route("default", toClient.Addr))
}

// clientSlow lets the client run 5 ms of every 100 and keeps it stopped for
// the rest, as a container with a small CPU quota is.
func clientSlow() Case {
	// Which statement a pause comes before is seen only of statements whose text is
	// in the capture, and a load may prepare them before it begins.
	test := pointSelects
	test.Extra = []string{"--db-ps-mode=disable"}
	var p pair
	var m *server.MySQL
	var group *env.Cgroup
	return Case{
		ID:    "rt/client-slow",
		Title: "a client of MariaDB that its CPU quota stops most of the time, captured on both sides",
		Rule:  "rt/client-slow",
		Kind:  "peer", Name: `10\.213\.\d+\.2`,
		Needs:          server.MariaDB10().Needs(),
		Captures:       bothSides(3306),
		AtMostPossible: "no packet tells a client that is stopped from one that waits on purpose",
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if group, err = e.Cgroup("client", "cpu"); err != nil {
				return err
			}
			p, m, err = database(ctx, e, test)
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) error { return group.LimitCPU(0.05) },
		Fix:    func(ctx context.Context, e *env.Env) error { return group.LimitCPU(0) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return test.Run(ctx, e, env.Options{NetNS: p.client, Cgroups: []*env.Cgroup{group}}, m.Address(), d)
		},
	}
}

// connectSlow has a filter drop one of three SYNs, and nobody who could tell.
func connectSlow() Case {
	var p pair
	rule := []string{"INPUT", "-p", "tcp", "--syn", "--dport", "80", "-m", "statistic", "--mode", "random", "--probability", "0.3", "-j", "DROP"}
	return Case{
		ID:    "rt/connect-slow",
		Title: "a filter drops three of ten SYNs to nginx, captured on both sides",
		Rule:  "rt/connect-slow",
		Kind:  "service", Name: `http 10\.213\.\d+\.1:80`,
		Needs:    env.Needs{Root: true, Packages: []string{"nginx-light", "iptables", "iproute2"}, Commands: []string{"nginx", "iptables", "ip", "ss"}},
		Captures: bothSides(80),
		Setup:    inPair(&p, p.plainNginx),
		Inject:   p.iptables("-A", &rule),
		Fix:      p.iptables("-D", &rule),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			request := "GET / HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n"
			return load.Paced(ctx, d, 20*time.Millisecond, 1, func(ctx context.Context) error {
				return load.Ask(ctx, p.client, p.port(80), request, 0, 4*time.Second)
			}).Tail(.9, "p90"), nil
		},
	}
}

// captured is a case of port 80 with the packets of one of its namespaces beside
// the host: what they show, slow connects and slow answers, are symptoms.
func captured(c Case, id, namespace string) Case {
	c.ID = id
	c.Title += ", with its packets"
	c.Captures = []Capture{{NetNS: namespace, Interface: "any", Ports: []uint16{80}}}
	return c
}

// controlCapturedMariaDB is point selects at a rate the machine can bear,
// captured beside the host.
func controlCapturedMariaDB() Case {
	test := load.Sysbench{Test: "oltp_point_select", Threads: 8, Rows: 10_000, Rate: 1000}
	return capturedMariaDB("control/mariadb-captured", "1,000 point selects a second from MariaDB, captured", test, load.Sysbench.Run)
}

// controlJobs is what a web application does to its database: a job sends its
// statements one after the other, and its connection rests in a pool until there
// is another one. The client is not slow in between.
func controlJobs() Case {
	test := load.Sysbench{Test: "oltp_read_only", Threads: 4, Rows: 10_000, Rate: 20}
	c := capturedMariaDB("control/jobs-captured", "20 jobs of 16 statements a second from a pool of four connections to MariaDB, captured", test, load.Sysbench.RunP99)
	c.NotEven = []string{"rt/client-slow"}
	return c
}

// capturedMariaDB is a healthy load of MariaDB, captured at the server.
func capturedMariaDB(id, title string, test load.Sysbench, run func(load.Sysbench, context.Context, *env.Env, env.Options, netip.AddrPort, time.Duration) (load.Measurement, error)) Case {
	var p pair
	var m *server.MySQL
	return Case{
		ID:       id,
		Title:    title,
		Needs:    server.MariaDB10().Needs(),
		Captures: []Capture{{NetNS: "server", Interface: "any", Ports: []uint16{3306}}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			p, m, err = database(ctx, e, test)
			return err
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return run(test, ctx, e, env.Options{NetNS: p.client}, m.Address(), d)
		},
	}
}
