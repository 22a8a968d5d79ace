package cases

import (
	"context"
	"fmt"
	"strconv"
	"syscall"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// rtProtocolCases have slow servers that speak what no other case speaks.
func rtProtocolCases() []Case {
	return []Case{serverSlowHTTP2(), serverSlowMemcached(), serverSlowMQTT(), serverSlowAMQP(), serverSlowKafka(), serverSlowMongoDB()}
}

// serverSlowHTTP2 has an application behind nginx pause for 60 ms of every 100, as for
// the collection of garbage. Clients ask nginx over one connection of HTTP/2, several
// at a time.
func serverSlowHTTP2() Case {
	const port = 8082
	var p pair
	var application *env.Proc
	stop := func() {}
	return Case{
		ID:    "rt/server-slow+http2",
		Title: "an application behind nginx pauses for 60 ms of every 100; requests share a connection of HTTP/2, captured on both sides",
		Rule:  "rt/server-slow",
		Kind:  "service", Name: `http2 10\.213\.\d+\.1:8082`,
		Needs:    env.Needs{Root: true, Packages: []string{"nginx-light", "iproute2"}, Commands: []string{"nginx", "ip"}},
		Captures: bothSides(port),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			application, err = p.jobServer(ctx, e, "application", "16", "2", []int{9000}, func(port int) string { return p.port(uint16(port)).String() })
			if err != nil {
				return err
			}
			_, err = server.StartNginx(ctx, e, p.server, server.NginxConfig{
				Name: "proxy", Address: p.at.Addr, Port: port, HTTP2: true,
				HTTP:   "upstream application { server " + p.at.Addr + ":9000; keepalive 16; }",
				Server: `location / { proxy_pass http://application; proxy_http_version 1.1; proxy_set_header Connection ""; }`,
			})
			return err
		}),
		Inject: doing(func() { stop = standStill(application, 60*time.Millisecond, 100*time.Millisecond) }),
		Fix:    doing(func() { stop() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return load.PacedStreams(ctx, p.client, p.port(port), d, 5*time.Millisecond, "/orders/17").Tail(.5, "p50"), nil
		},
	}
}

func serverSlowMemcached() Case {
	const port = 11211
	return standsStill("memcached", port, env.Needs{Packages: []string{"memcached"}, Commands: []string{"memcached"}},
		func(ctx context.Context, e *env.Env, p pair) (*env.Proc, error) {
			cache, err := e.StartWith(env.Options{NetNS: p.server}, "memcached", "-u", "nobody", "-l", p.at.Addr, "-p", strconv.Itoa(port), "-U", "0", "-m", "64")
			if err != nil {
				return nil, err
			}
			return cache, p.server.UntilListens(ctx, p.port(port).String())
		},
		func(ctx context.Context, p pair, d time.Duration) (load.PacedResult, error) {
			return load.PacedLines(ctx, p.client, p.port(port), nil, 16, d, 4*time.Millisecond, "set hits 0 0 1\r\n7\r\n", "STORED")
		})
}

// serverSlowMQTT is Mosquitto. Clients publish with QoS 1 and wait for the acknowledgement.
func serverSlowMQTT() Case {
	const port = 1883
	hello := load.Exchange{Request: "\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00", Answer: "\x20\x02\x00\x00"}
	put := load.Exchange{Request: "\x32\x11\x00\x0csensors/temp\x00\x077", Answer: "\x40\x02\x00\x07"}
	return standsStill("mqtt", port, env.Needs{Packages: []string{"mosquitto"}, Commands: []string{"mosquitto"}},
		func(ctx context.Context, e *env.Env, p pair) (*env.Proc, error) {
			file, err := e.WriteFile("mosquitto.conf", fmt.Sprintf("listener %d %s\nallow_anonymous true\nuser nobody\n", port, p.at.Addr))
			if err != nil {
				return nil, err
			}
			broker, err := e.StartWith(env.Options{NetNS: p.server}, "mosquitto", "-c", file)
			if err != nil {
				return nil, err
			}
			return broker, p.server.UntilListens(ctx, p.port(port).String())
		},
		func(ctx context.Context, p pair, d time.Duration) (load.PacedResult, error) {
			return load.PacedExchanges(ctx, p.client, p.port(port), 16, d, 4*time.Millisecond, hello, put)
		})
}

// serverSlowAMQP is RabbitMQ. The package is larger than the other servers of
// the labs together.
func serverSlowAMQP() Case {
	const port = 5672
	c := standsStill("amqp", port, env.Needs{Packages: []string{"rabbitmq-server"}, Commands: []string{"rabbitmq-server", "epmd"}},
		func(ctx context.Context, e *env.Env, p pair) (*env.Proc, error) {
			return server.StartRabbitMQ(ctx, e, p.at, port)
		},
		func(ctx context.Context, p pair, d time.Duration) (load.PacedResult, error) {
			return load.PacedMessages(ctx, p.client, p.port(port), 16, d, 8*time.Millisecond, "orders")
		})
	c.Extra = true
	return c
}

func serverSlowKafka() Case {
	const port, topic = 9092, "orders"
	return standsStill("kafka", port, env.Needs{Built: []string{"kafka"}},
		func(ctx context.Context, e *env.Env, p pair) (*env.Proc, error) {
			return server.StartKafka(ctx, e, p.at, port, topic)
		},
		func(ctx context.Context, p pair, d time.Duration) (load.PacedResult, error) {
			return load.PacedProduces(ctx, p.client, p.port(port), 16, d, 4*time.Millisecond, topic)
		})
}

// serverSlowMongoDB is FerretDB. Its compilation takes minutes.
func serverSlowMongoDB() Case {
	const port = 27017
	c := standsStill("mongodb", port, env.Needs{Built: []string{"mongodb"}},
		func(ctx context.Context, e *env.Env, p pair) (*env.Proc, error) {
			return server.StartMongoDB(ctx, e, p.at, port)
		},
		func(ctx context.Context, p pair, d time.Duration) (load.PacedResult, error) {
			return load.PacedFinds(ctx, p.client, p.port(port), 16, d, 4*time.Millisecond, "orders")
		})
	c.Extra = true
	return c
}

// standsStill stops a server for 60 ms of every 100, as snapshots of virtual machines and
// debuggers do. ask is the load, the median of which is the application's number.
func standsStill(protocol string, port uint16, needs env.Needs,
	start func(context.Context, *env.Env, pair) (*env.Proc, error),
	ask func(context.Context, pair, time.Duration) (load.PacedResult, error),
) Case {
	var p pair
	var proc *env.Proc
	stop := func() {}
	needs.Root = true
	needs.Packages, needs.Commands = append(needs.Packages, "iproute2"), append(needs.Commands, "ip")
	return Case{
		ID:    "rt/server-slow+" + protocol,
		Title: fmt.Sprintf("a server of %s stands still for 60 ms of every 100, captured on both sides", protocol),
		Rule:  "rt/server-slow",
		Kind:  "service", Name: fmt.Sprintf(`%s 10\.213\.\d+\.1:%d`, protocol, port),
		Needs:    needs,
		Captures: bothSides(port),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			proc, err = start(ctx, e, p)
			return err
		}),
		Inject: doing(func() { stop = standStill(proc, 60*time.Millisecond, 100*time.Millisecond) }),
		Fix:    doing(func() { stop() }),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			r, err := ask(ctx, p, d)
			return r.Tail(.5, "p50"), err
		},
	}
}

// standStill stops a process for so long in every period, until the function that it
// returns is called.
func standStill(proc *env.Proc, still, period time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer proc.Signal(syscall.SIGCONT)
		for ctx.Err() == nil {
			proc.Signal(syscall.SIGSTOP)
			time.Sleep(still)
			proc.Signal(syscall.SIGCONT)
			time.Sleep(period - still)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
