package cases

import (
	"context"
	"fmt"
	"os"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// udpBuffer sends the lines of many hosts to rsyslog, 200 at the same moment, ten
// times a second. A receive buffer of 8 KiB (the kernel doubles the 4 KiB asked for)
// holds about ten of them: most of each burst is lost before the daemon wakes up.
func udpBuffer() Case {
	const healthy, tooSmall = "1m", "4k"
	const line = "<13>Nov 24 12:00:00 web7 shop: order 4711 was paid"
	const file = "lines"
	var p pair
	var daemon *env.Proc
	start := func(ctx context.Context, e *env.Env, size string) (err error) {
		config, err := e.WriteFile("rsyslog.conf", fmt.Sprintf(`module(load="imudp")
input(type="imudp" address=%q port="514" rcvbufSize=%q)
action(type="omfile" file=%q)
`, p.at.Addr, size, e.Path(file)))
		if err != nil {
			return err
		}
		if daemon, err = e.StartWith(env.Options{NetNS: p.server}, "rsyslogd", "-n", "-f", config, "-i", e.Path("rsyslog.pid")); err != nil {
			return err
		}
		return env.Until(ctx, 10*time.Second, "rsyslog to write lines", func() (bool, error) {
			if !daemon.Alive() {
				return false, fmt.Errorf("rsyslogd has ended: %s", daemon.Output())
			}
			before := sizeOf(e.Path(file))
			env.Sleep(ctx, 200*time.Millisecond)
			return sizeOf(e.Path(file)) > before, nil
		})
	}
	change := func(ctx context.Context, e *env.Env, size string) error {
		daemon.Kill()
		return start(ctx, e, size)
	}
	return Case{
		ID:    "net/udp-buffer",
		Title: "rsyslog with rcvbufSize=4k under bursts of lines",
		Rule:  "net/udp-buffer",
		Kind:  "process", Name: "rsyslogd",
		Needs: env.Needs{Root: true, Packages: []string{"rsyslog", "iproute2"}, Commands: []string{"rsyslogd", "ip"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			if _, err := load.StartActor(e, env.Options{NetNS: p.client}, "many-hosts", "datagrams", p.at.Addr+":514", "200", "100", line); err != nil {
				return err
			}
			return start(ctx, e, healthy)
		}),
		Inject: func(ctx context.Context, e *env.Env) error { return change(ctx, e, tooSmall) },
		Fix:    func(ctx context.Context, e *env.Env) error { return change(ctx, e, healthy) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			before, began := sizeOf(e.Path(file)), time.Now()
			env.Sleep(ctx, d)
			written := float64(sizeOf(e.Path(file))-before) / time.Since(began).Seconds()
			return load.Measurement{Value: written / 1024, Unit: "KiB of lines/s"}, ctx.Err()
		},
	}
}

// sizeOf is the size of a file; 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
