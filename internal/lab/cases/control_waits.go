package cases

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// controlLongPoll has clients that wait because they want to: for news over HTTP,
// for work in a list of Redis, for messages of a channel. Others are served at
// once meanwhile.
func controlLongPoll() Case {
	const web, redis = 8080, 6379
	var p pair
	return Case{
		ID:       "control/long-poll",
		Title:    "long polls over HTTP, BLPOP and SUBSCRIBE beside requests that are answered at once, captured",
		Needs:    env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "ip"}},
		Captures: []Capture{{NetNS: "server", Interface: "any", Ports: []uint16{web, redis}}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			if _, err := load.StartActor(e, env.Options{NetNS: p.server}, "news-server", "news-server", p.port(web).String()); err != nil {
				return err
			}
			if err := p.server.UntilListens(ctx, p.port(web).String()); err != nil {
				return err
			}
			if _, err := server.StartRedis(ctx, e, env.Options{NetNS: p.server}, p.at, redis); err != nil {
				return err
			}
			err := load.Converse(ctx, e, p.client, p.port(web), 20, func(_ int, c net.Conn) error {
				return askAgain(c, "GET /wait HTTP/1.1\r\nHost: lab\r\n\r\n", 0)
			})
			if err != nil {
				return err
			}
			return load.Converse(ctx, e, p.client, p.port(redis), 7, func(i int, c net.Conn) error {
				switch {
				case i < 4: // workers
					return exchangeLines(c, "BLPOP jobs 0\r\n", 5, 0)
				case i < 6:
					return exchangeLines(c, "SUBSCRIBE events\r\n", 1<<30, 0)
				default: // brings work
					return exchangeLines(c, "LPUSH jobs one\r\n", 1, 600*time.Millisecond)
				}
			})
		}),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return p.requestsOf(ctx, d, web)
		},
	}
}

// controlTelemetry has sensors that report at a fixed rate: what never changes is
// a clock in the sender, and no limit of the path.
func controlTelemetry() Case {
	const stream, web = 9100, 8080
	var p pair
	return Case{
		ID:       "control/telemetry",
		Title:    "ten sensors that send 50 reports a second each and want no answer, five that post ten a second, captured",
		Needs:    env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip"}},
		Captures: []Capture{{NetNS: "server", Interface: "any", Ports: []uint16{stream, web}}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			for name, port := range map[string]uint16{"sink": stream, "news-server": web} {
				if _, err := load.StartActor(e, env.Options{NetNS: p.server}, name, name, p.port(port).String()); err != nil {
					return err
				}
				if err := p.server.UntilListens(ctx, p.port(port).String()); err != nil {
					return err
				}
			}
			err := load.Converse(ctx, e, p.client, p.port(stream), 10, func(i int, c net.Conn) error {
				for tick := time.Tick(20 * time.Millisecond); ; <-tick {
					if _, err := fmt.Fprintf(c, "%-119d\n", i); err != nil {
						return err
					}
				}
			})
			if err != nil {
				return err
			}
			report := "POST /report HTTP/1.1\r\nHost: lab\r\nContent-Length: " + strconv.Itoa(100) + "\r\n\r\n" + fmt.Sprintf("%-100d", 1)
			return load.Converse(ctx, e, p.client, p.port(web), 5, func(_ int, c net.Conn) error {
				return askAgain(c, report, 100*time.Millisecond)
			})
		}),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			return p.requestsOf(ctx, d, web)
		},
	}
}

// requestsOf has users ask a web server 50 times a second.
func (p pair) requestsOf(ctx context.Context, d time.Duration, port uint16) (load.Measurement, error) {
	users, err := load.OpenCallers(ctx, p.client, 4, func(int) string { return p.port(port).String() })
	if err != nil {
		return load.Measurement{}, err
	}
	defer users.Close()
	return users.Paced(ctx, d, 20*time.Millisecond, 1, func(c *load.Caller) error { return c.Get("/") }).P99(), nil
}

// askAgain sends an HTTP request as soon as the last one was answered, or every so
// often.
func askAgain(c net.Conn, request string, every time.Duration) error {
	in := bufio.NewReader(c)
	for {
		began := time.Now()
		if _, err := io.WriteString(c, request); err != nil {
			return err
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return err
		}
		time.Sleep(every - time.Since(began))
	}
}

// exchangeLines sends a command as soon as the last one was answered by so many
// lines, or every so often.
func exchangeLines(c net.Conn, command string, lines int, every time.Duration) error {
	in := bufio.NewReader(c)
	for {
		began := time.Now()
		if _, err := io.WriteString(c, command); err != nil {
			return err
		}
		for range lines {
			if _, err := in.ReadSlice('\n'); err != nil {
				return err
			}
		}
		time.Sleep(every - time.Since(began))
	}
}
