package cases

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// rtExchangeCases are about what is asked and answered: broken connections,
// errors, calls of calls, transactions.
func rtExchangeCases() []Case {
	return []Case{
		firstDisconnect(),
		fanOutTail(),
		chattyTransactions(),
		errorsSwallowed(),
		lateCommit(),
		slowConnections("rt/slow-connections", server.MariaDB10()),
	}
}

// firstDisconnect runs jobs of 160 exports over as many connections. The server
// closes one of them halfway; the client gives the other 159 up.
func firstDisconnect() Case {
	const connections = 160
	var p pair
	var exporter actors
	start := func(ctx context.Context, e *env.Env, breaks string) error {
		return exporter.serve(ctx, e, p.server, p.at.Addr+":8080", "exporter", "exporter", breaks)
	}
	job := func(ctx context.Context) (done int, err error) {
		all, err := load.OpenCallers(ctx, p.client, connections, func(int) string { return p.at.Addr + ":8080" })
		if err != nil {
			return 0, err
		}
		var once sync.Once
		end := func() { once.Do(all.Close) }
		defer end()
		stop := context.AfterFunc(ctx, end)
		defer stop()
		results := make(chan error, connections)
		for _, c := range all {
			go func() { results <- c.Get("/export") }()
			env.Sleep(ctx, 2*time.Millisecond) // not all at once, which would make them wait in line
		}
		for range all {
			if err := <-results; err == nil {
				done++
			} else {
				end() // one is missing: the job has failed
			}
		}
		return done, nil
	}
	return Case{
		ID:    "rt/first-disconnect",
		Title: "the server closes one of 160 connections halfway through an answer",
		Rule:  "rt/first-disconnect",
		Kind:  "connection", Name: `10\.213\.\d+\.2:\d+ -> 10\.213\.\d+\.1:8080`,
		Needs:    env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip"}},
		Captures: bothSides(8080),
		// The client gives connections up by RST, as unread data is there.
		AllowOthers: []string{"net/resets"},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			return start(ctx, e, "0")
		}),
		Inject: func(ctx context.Context, e *env.Env) error { return start(ctx, e, "1") },
		Fix:    func(ctx context.Context, e *env.Env) error { return start(ctx, e, "0") },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			// A job that has begun is finished; the one that measures before the
			// fault is the only one that fits.
			total, begun := 0, time.Now()
			for ctx.Err() == nil && time.Since(begun) < d {
				n, err := job(ctx)
				if err != nil {
					return load.Measurement{}, err
				}
				if n == connections {
					total += n
				}
			}
			return load.Measurement{Value: float64(total) / time.Since(begun).Seconds(), Unit: "exports/s of whole jobs"}, ctx.Err()
		},
	}
}

// fanOutTail has a service ask a backend 256 times for each request, first
// without and then with 1 % of answers that take 100 ms. What its caller
// measures is held against (1-(1-p)^n) J + (1-p)^n b.
func fanOutTail() Case {
	const (
		calls    = 256
		permille = 10
		slow     = 100 * time.Millisecond
		within   = 0.2 // of the formula
	)
	var client, middle, backend *env.NetNS
	var ends []env.End
	var tail, front actors
	var usual float64 // ms of a request without slow calls
	start := func(ctx context.Context, e *env.Env, permille int) error {
		front.stop()
		at := ends[2].Addr + ":9000"
		if err := tail.serve(ctx, e, backend, at, "tail-server", "tail-server", fmt.Sprint(permille), fmt.Sprint(slow.Milliseconds())); err != nil {
			return err
		}
		return front.serve(ctx, e, middle, ends[1].Addr+":8080", "fan-out", "fan-out", at, fmt.Sprint(calls))
	}
	faulty := false
	return Case{
		ID:    "rt/fan-out",
		Title: "256 calls at once per request, of which 1 % take 100 ms",
		Rule:  "rt/fan-out",
		Kind:  "service", Name: `http 10\.213\.\d+\.12:8080`,
		Needs: env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip"}},
		// What calls what is seen where both are: in the middle.
		Captures: []Capture{{NetNS: "middle", Interface: "any", Ports: []uint16{8080, 9000}}, {NetNS: "backend", Interface: "any", Ports: []uint16{8080, 9000}}},
		// The backend has two humps, truly.
		AllowOthers: []string{"rt/worker-queueing"},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			var errs [3]error
			client, errs[0] = e.NetNS("client")
			middle, errs[1] = e.NetNS("middle")
			backend, errs[2] = e.NetNS("backend")
			if err := errors.Join(errs[:]...); err != nil {
				return err
			}
			if _, ends, err = e.Bridge(client, middle, backend); err != nil {
				return err
			}
			return start(ctx, e, 0)
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			faulty = true
			return start(ctx, e, permille)
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			faulty = false
			return start(ctx, e, 0)
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			one, err := load.OpenCallers(ctx, client, 1, func(int) string { return ends[1].Addr + ":8080" })
			if err != nil {
				return load.Measurement{}, err
			}
			defer one.Close()
			n, begun := 0, time.Now()
			for ctx.Err() == nil && time.Since(begun) < d {
				if err := one[0].Get("/"); err != nil {
					return load.Measurement{}, err
				}
				n++
			}
			mean := time.Since(begun).Seconds() * 1000 / float64(n)
			m := load.Measurement{Value: mean, Unit: "ms mean", LowerBetter: true, Detail: fmt.Sprintf("%d requests", n)}
			if !faulty {
				usual = mean
				return m, ctx.Err()
			}
			hit := 1 - math.Pow(1-permille/1000.0, calls)
			expected := hit*(usual+float64(slow.Milliseconds())) + (1-hit)*usual
			m.Detail += fmt.Sprintf("; the formula says %.1f ms", expected)
			if math.Abs(mean-expected) > within*expected {
				return m, fmt.Errorf("requests took %.1f ms on average, the formula says %.1f ms", mean, expected)
			}
			return m, ctx.Err()
		},
	}
}
