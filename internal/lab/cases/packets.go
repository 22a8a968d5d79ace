package cases

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// packetCases are the faults of the network that packets prove.
func packetCases() []Case {
	return []Case{
		receiverSlow(),
		receiverSlowHost(),
		senderAppLimited(),
		delayedACK(),
		rateLimitedBytes(),
		rateLimitedHost(),
		rateLimitedShort(),
		rateLimitedElsewhere(),
		rateLimitedShortHidden(),
		rateLimitedPackets(),
		mtuMismatch(),
		resetsUnread(),
		resetsUnreadHost(),
		resetsRefused(),
		dnsSlow(),
		dnsUnreachable(),
		packetLossCaptured(),
		controlDownload(),
		controlKeepAlive(),
	}
}

// anyServer captures in the server's namespace, everywhere.
func anyServer(ports ...uint16) []Capture {
	return []Capture{{NetNS: "server", Interface: "any", Ports: ports}}
}

// bigPage has nginx serve zeros of some size at /big, and "ok" elsewhere.
func (p pair) bigPage(ctx context.Context, e *env.Env, size int64) error {
	path, err := e.WriteFile("pages/big", "")
	if err != nil {
		return err
	}
	if err := os.Truncate(path, size); err != nil {
		return fmt.Errorf("make a page of %d bytes: %w", size, err)
	}
	_, err = server.StartNginx(ctx, e, p.server, server.NginxConfig{Name: "server", Address: p.at.Addr, Port: 80,
		Server: "location / { return 200 \"ok\\n\"; }\n location /big { root " + e.Path("pages") + "; }"})
	return err
}

// actors keeps a part played by one process at a time.
type actors struct {
	proc *env.Proc
}

// stop ends the process, if there is one.
func (a *actors) stop() {
	if a.proc != nil {
		a.proc.Kill()
	}
}

// play replaces the process.
func (a *actors) play(e *env.Env, o env.Options, name, part string, args ...string) (err error) {
	a.stop()
	a.proc, err = load.StartActor(e, o, name, part, args...)
	return err
}

// serve replaces the process by one that listens at an address of a namespace.
func (a *actors) serve(ctx context.Context, e *env.Env, in *env.NetNS, at, name, part string, args ...string) error {
	if err := a.play(e, env.Options{NetNS: in}, name, part, append([]string{at}, args...)...); err != nil {
		return err
	}
	return in.UntilListens(ctx, at)
}

// serves is a step that replaces the process by one at the server's port 80.
func (a *actors) serves(p *pair, name, part string, args ...string) step {
	return func(ctx context.Context, e *env.Env) error {
		return a.serve(ctx, e, p.server, p.at.Addr+":80", name, part, args...)
	}
}

// receiverSlow has a client read a quarter of a megabyte twice a second of what
// nginx would send at once. Its window closes for half a second each time.
func receiverSlow() Case {
	var p pair
	var reader actors
	read := func(ctx context.Context, e *env.Env, pause int) error {
		return reader.play(e, env.Options{NetNS: p.client}, "report-reader", "download", p.at.Addr+":80", "/big", strconv.Itoa(pause), e.Path("read"))
	}
	return Case{
		ID:    "net/receiver-slow",
		Title: "a client that rests between reads of a large answer",
		Rule:  "net/receiver-slow", Kind: "process", Name: "report-reader",
		Needs:    env.Needs{Root: true, Packages: []string{"nginx-light", "iproute2"}, Commands: []string{"nginx", "ip", "ss"}},
		Captures: anyServer(80),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if err := p.bigPage(ctx, e, 64<<20); err != nil {
				return err
			}
			if err := read(ctx, e, 5); err != nil {
				return err
			}
			return env.Until(ctx, 5*time.Second, "the client to read", func() (bool, error) {
				_, err := load.Reports(e, "read")
				return err == nil, nil
			})
		}),
		Inject: func(ctx context.Context, e *env.Env) error { return read(ctx, e, 500) },
		Fix:    func(ctx context.Context, e *env.Env) error { return read(ctx, e, 5) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			begin, err := load.Reports(e, "read")
			if err != nil {
				return load.Measurement{}, err
			}
			env.Sleep(ctx, d)
			end, err := load.Reports(e, "read")
			if err != nil {
				return load.Measurement{}, err
			}
			if end[0] < begin[0] {
				begin[0] = 0 // replaced meanwhile
			}
			return load.Measurement{Value: float64(end[0]-begin[0]) / 1e6 / d.Seconds(), Unit: "MB/s read"}, nil
		},
	}
}

// receiverSlowHost is the same without a capture: the window as the sender's socket knows it.
func receiverSlowHost() Case {
	c := receiverSlow()
	c.ID = "net/receiver-slow+host"
	c.Title += ", without packets"
	c.Captures = nil
	c.Says = "does not read what nginx"
	return c
}

// httpUsers are a few users with a connection each who ask over and over, with
// some time to think, and give how long they wait.
func (p *pair) httpUsers(users int, think time.Duration) measure {
	return func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
		client := p.client.HTTPClient(5*time.Second, true)
		defer client.CloseIdleConnections()
		idle := make(chan struct{}, users)
		for range users {
			idle <- struct{}{}
		}
		r := load.Paced(ctx, d, think, 1, func(ctx context.Context) error {
			select {
			case <-idle:
				defer func() { idle <- struct{}{} }()
			default:
				return nil // all are busy
			}
			q, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url(), nil)
			if err != nil {
				return err
			}
			a, err := client.Do(q)
			if err != nil {
				return err
			}
			defer a.Body.Close()
			_, err = io.Copy(io.Discard, a.Body)
			return err
		})
		return r.Tail(.5, "median"), nil
	}
}

// senderAppLimited has a server write its answers in five pieces with 80 ms
// between two of them.
func senderAppLimited() Case {
	var p pair
	var web actors
	return Case{
		ID:    "net/sender-app-limited",
		Title: "a server that trickles its answers",
		Rule:  "net/sender-app-limited", Kind: "service", Name: `http 10\.213\.\d+\.1:80`,
		Needs:    env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip", "ss"}},
		Captures: anyServer(80),
		Setup:    inPair(&p, web.serves(&p, "shop-server", "http-pieces", "5", "0")),
		Inject:   web.serves(&p, "shop-server", "http-pieces", "5", "80"),
		Fix:      web.serves(&p, "shop-server", "http-pieces", "5", "0"),
		Measure:  p.httpUsers(5, 50*time.Millisecond),
	}
}

// delayedACK has a server write head and body of each answer separately without
// TCP_NODELAY: the body waits for the client's delayed acknowledgement, 40 ms.
func delayedACK() Case {
	var p pair
	var web actors
	play := func(how string) step { return web.serves(&p, "two-writes", "http-two-writes", how) }
	return Case{
		ID:    "net/delayed-ack",
		Title: "two small writes per answer without TCP_NODELAY",
		Rule:  "net/delayed-ack", Kind: "service", Name: `http 10\.213\.\d+\.1:80`,
		Needs:    env.Needs{Root: true, Packages: []string{"wrk", "iproute2"}, Commands: []string{"wrk", "ip", "ss"}},
		Captures: anyServer(80),
		Setup:    inPair(&p, play("nodelay")),
		Inject:   play("nagle"),
		Fix:      play("nodelay"),
		Measure:  p.wrk("", load.Wrk{Connections: 10, Think: 5 * time.Millisecond}),
	}
}

// resetsUnread has a server close connections while the body of the request
// lies unread in its socket: its kernel sends RST.
func resetsUnread() Case {
	var p pair
	var web actors
	play := func(how string) step { return web.serves(&p, "upload-server", "http-hasty", how) }
	return Case{
		ID:    "net/resets",
		Title: "a server that closes with unread data",
		Rule:  "net/resets", Kind: "service", Name: `http 10\.213\.\d+\.1:80`,
		Needs:    env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip", "ss"}},
		Captures: anyServer(80),
		Setup:    inPair(&p, play("polite")),
		Inject:   play("hasty"),
		Fix:      play("polite"),
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			body := strings.Repeat("x", 8000)
			request := fmt.Sprintf("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			return load.Paced(ctx, d, 25*time.Millisecond, 1, func(ctx context.Context) error {
				return load.Ask(ctx, p.client, p.port(80), request, 0, time.Second)
			}).Rate(), nil
		},
	}
}

// resetsUnreadHost is the same without a capture: the kernel tells why it sends resets.
func resetsUnreadHost() Case {
	c := resetsUnread()
	c.ID = "net/resets+host"
	c.Title += ", without packets"
	c.Captures = nil
	c.Kind, c.Name = "listener", "upload-server"
	return c
}

// resetsRefused stops the server: connects are refused.
func resetsRefused() Case {
	var p pair
	var web actors
	return Case{
		ID:    "net/resets+refused",
		Title: "no process listens any more",
		Rule:  "net/resets", Kind: "service", Name: `10\.213\.\d+\.1:80`,
		Needs:    env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip", "ss"}},
		Captures: anyServer(80),
		Setup:    inPair(&p, web.serves(&p, "shop-server", "http-hasty", "polite")),
		Inject:   doing(func() { web.stop() }),
		Fix:      web.serves(&p, "shop-server", "http-hasty", "polite"),
		Measure:  p.visits(25*time.Millisecond, 1),
	}
}
