package cases

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// jobServer starts a program that does jobs of so many milliseconds with so many
// workers, at the addresses of some servers.
func (p pair) jobServer(ctx context.Context, e *env.Env, name, workers, millis string, which []int, address func(int) string) (*env.Proc, error) {
	args := []string{workers, millis}
	for _, i := range which {
		args = append(args, address(i))
	}
	proc, err := load.StartActor(e, env.Options{NetNS: p.server}, name, "job-server", args...)
	if err != nil {
		return nil, err
	}
	return proc, p.server.UntilListens(ctx, args[len(args)-1])
}

// oneSlowBackend spreads keys over 16 servers as Java programs do, by the hash
// code of the key, and has one of them take 20 ms instead of 2 ms.
func oneSlowBackend() Case {
	const servers, slow = 16, 5
	var p pair
	var sick *env.Proc
	address := func(i int) string {
		return fmt.Sprintf("%s.%d", p.at.Addr[:strings.LastIndex(p.at.Addr, ".")], 101+i)
	}
	start := func(ctx context.Context, e *env.Env, name, millis string, which ...int) (*env.Proc, error) {
		return p.jobServer(ctx, e, name, "8", millis, which, func(i int) string { return address(i) + ":9000" })
	}
	restart := func(ctx context.Context, e *env.Env, millis string) (err error) {
		sick.Kill()
		sick, err = start(ctx, e, "slow-backend", millis, slow)
		return err
	}
	return Case{
		ID:    "rt/one-slow-backend",
		Title: "one of 16 backends takes 20 ms instead of 2 ms; keys 00 to 99 by Java's hashCode; captured on both sides",
		Rule:  "rt/one-slow-backend",
		Kind:  "service", Name: `http 10\.213\.\d+\.106:9000`,
		Needs:    env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip"}},
		Captures: bothSides(9000),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			var healthy []int
			for i := range servers {
				if err := e.IP("-n", p.server.Name, "addr", "add", address(i)+"/24", "dev", p.at.Device); err != nil {
					return err
				}
				if i != slow {
					healthy = append(healthy, i)
				}
			}
			if _, err = start(ctx, e, "backends", "2", healthy...); err != nil {
				return err
			}
			sick, err = start(ctx, e, "slow-backend", "2", slow)
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) error { return restart(ctx, e, "20") },
		Fix:    func(ctx context.Context, e *env.Env) error { return restart(ctx, e, "2") },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			const connections = 4 // to each
			all, err := load.OpenCallers(ctx, p.client, servers*connections, func(i int) string { return address(i/connections) + ":9000" })
			if err != nil {
				return load.Measurement{}, err
			}
			defer all.Close()
			pools := make([]chan *load.Caller, servers)
			for i, c := range all {
				if i%connections == 0 {
					pools[i/connections] = make(chan *load.Caller, connections)
				}
				pools[i/connections] <- c
			}
			var asked atomic.Int64
			return load.Paced(ctx, d, 4*time.Millisecond, 1, func(context.Context) error {
				key := fmt.Sprintf("%02d", asked.Add(1)%100)
				pool := pools[javaHash(key)%servers]
				c := <-pool
				defer func() { pool <- c }()
				return c.Get("/" + key)
			}).Tail(.97, "p97"), nil // 5 of 100 keys go to the slow one
		},
	}
}

// javaHash is String.hashCode of Java. Of the keys 00 to 99 it gives one of 16
// servers 10 and others 4.
func javaHash(key string) int {
	h := 0
	for _, c := range key {
		h = 31*h + int(c)
	}
	return h
}

// workerQueueing sends eight jobs of 50 ms at a time to a pool of two workers: they
// take 50, 100, 150 and 200 ms.
func workerQueueing() Case {
	const few, enough = 2, 8
	var p pair
	var pool *env.Proc
	start := func(ctx context.Context, e *env.Env, workers int) (err error) {
		pool, err = p.jobServer(ctx, e, "job-server", strconv.Itoa(workers), "50", []int{8080}, func(port int) string { return p.port(uint16(port)).String() })
		return err
	}
	restart := func(ctx context.Context, e *env.Env, workers int) error {
		pool.Kill()
		return start(ctx, e, workers)
	}
	return Case{
		ID:    "rt/worker-queueing",
		Title: "eight jobs of 50 ms at a time for a pool of two workers, captured on both sides",
		Rule:  "rt/worker-queueing",
		Kind:  "service", Name: `http 10\.213\.\d+\.1:8080`,
		Needs:    env.Needs{Root: true, Packages: []string{"iproute2"}, Commands: []string{"ip"}},
		Captures: bothSides(8080),
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			return start(ctx, e, enough)
		}),
		Inject: func(ctx context.Context, e *env.Env) error { return restart(ctx, e, few) },
		Fix:    func(ctx context.Context, e *env.Env) error { return restart(ctx, e, enough) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			users, err := load.OpenCallers(ctx, p.client, 8, func(int) string { return p.at.Addr + ":8080" })
			if err != nil {
				return load.Measurement{}, err
			}
			defer users.Close()
			return users.Paced(ctx, d, 300*time.Millisecond, len(users), func(c *load.Caller) error { return c.Get("/") }).P50(), nil
		},
	}
}
