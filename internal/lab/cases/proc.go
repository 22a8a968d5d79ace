package cases

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

func processCases() []Case {
	return []Case{procZombies(), procUninterruptible(), procFDLimit(), procPIDLimit(), procCrashLoop(), procDeadlock(),
		procLockSleeping(),
		procLockContention("+cpu", "compute", "a thread of a server computes while it holds the lock that all others need", "thread reporter .* holds it while it runs, mostly in add_up"),
	}
}

// procZombies starts a program that does not wait for its children. The fix
// is the version of it that does.
func procZombies() Case {
	var parent *env.Proc
	const perSecond = "20"
	return Case{
		ID:    "proc/zombies",
		Title: "a parent that never waits for its children",
		Rule:  "proc/zombies",
		Kind:  "process",
		Name:  "zombie-parent",
		Setup: func(context.Context, *env.Env) error { return nil },
		Inject: func(ctx context.Context, e *env.Env) (err error) {
			parent, err = load.StartActor(e, env.Options{}, "zombie-parent", "zombies", perSecond, e.Path("started"))
			if err != nil {
				return err
			}
			return env.Until(ctx, 5*time.Second, "zombies", func() (bool, error) { return env.ZombiesOf(parent.PID) >= 15, nil })
		},
		Fix: func(ctx context.Context, e *env.Env) (err error) {
			parent.Kill()
			parent, err = load.StartActor(e, env.Options{}, "zombie-parent", "short-leavers", perSecond, e.Path("started"))
			return err
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			env.Sleep(ctx, d)
			zombies := 0
			if parent != nil {
				zombies = env.ZombiesOf(parent.PID)
			}
			return load.Measurement{Value: float64(zombies), Unit: "dead children in the process table", LowerBetter: true}, ctx.Err()
		},
	}
}

// procUninterruptible freezes the filesystem that four writers work on: they
// sleep in D state until it is thawed.
func procUninterruptible() Case {
	const writers = 4
	var disk *env.Loop
	return Case{
		ID:    "proc/uninterruptible",
		Title: "writers on a frozen filesystem",
		Rule:  "proc/uninterruptible",
		Kind:  "process",
		Name:  "record-writer",
		Needs: loopNeeds,
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if disk, err = e.LoopFS("records", 24*mib); err != nil {
				return err
			}
			for i := range writers {
				name := strconv.Itoa(i)
				if _, err := load.StartActor(e, env.Options{}, "record-writer", "rewrite", disk.Mount+"/"+name, "10", e.Path("written-"+name)); err != nil {
					return err
				}
				if err := load.UntilReported(ctx, e, "written-"+name); err != nil {
					return err
				}
			}
			return nil
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			if err := disk.Freeze(); err != nil {
				return err
			}
			return env.Until(ctx, 5*time.Second, "the writers to wait", func() (bool, error) { return e.InState('D') == writers, nil })
		},
		Fix: func(ctx context.Context, e *env.Env) error { return disk.Thaw() },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			m := load.Measurement{Unit: "records/s"}
			start := make([]int64, writers)
			for i := range start {
				v, err := load.Reports(e, "written-"+strconv.Itoa(i))
				if err != nil {
					return m, err
				}
				start[i] = v[0]
			}
			began := time.Now()
			env.Sleep(ctx, d)
			for i := range start {
				v, err := load.Reports(e, "written-"+strconv.Itoa(i))
				if err != nil {
					return m, err
				}
				m.Value += float64(v[0] - start[i])
			}
			m.Value /= time.Since(began).Seconds()
			return m, ctx.Err()
		},
	}
}

// procFDLimit gives nginx's worker 64 file descriptors and has more clients
// keep connections open than that. The fix raises the limit and restarts it.
func procFDLimit() Case {
	const few, many, crowd = 64, 1024, 100
	var p pair
	var web *server.Nginx
	start := func(ctx context.Context, e *env.Env, limit int) (err error) {
		web, err = server.StartNginx(ctx, e, p.server, server.NginxConfig{
			Name: "server", Address: p.at.Addr, Port: 80, Main: fmt.Sprintf("worker_rlimit_nofile %d;", limit),
		})
		return err
	}
	return Case{
		ID:    "proc/fd-limit",
		Title: "nginx with 64 file descriptors and 100 clients",
		Rule:  "proc/fd-limit",
		Kind:  "process",
		Name:  "nginx",
		Needs: nginxNeeds,
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			return start(ctx, e, few)
		}),
		Inject: func(ctx context.Context, e *env.Env) error {
			if err := load.HoldOpen(ctx, e, p.client, p.port(80), crowd, halfRequest); err != nil {
				return err
			}
			return web.UntilOpen(ctx, few-1)
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			web.Stop()
			if err := start(ctx, e, many); err != nil {
				return err
			}
			// The same crowd comes back.
			if err := load.HoldOpen(ctx, e, p.client, p.port(80), crowd, halfRequest); err != nil {
				return err
			}
			return web.UntilOpen(ctx, crowd)
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			const timeout = 500 * time.Millisecond
			r := load.Paced(ctx, d, 50*time.Millisecond, 1, func(ctx context.Context) error {
				return load.Ask(ctx, p.client, p.port(80), pageRequest, 0, timeout)
			})
			return r.Worst(timeout), ctx.Err()
		},
	}
}

// halfRequest makes nginx keep its connection for a minute.
const halfRequest = "GET / HTTP/1.1\r\n"

// procCrashLoop gives a Redis under a supervisor a configuration that it cannot
// read. The fix is the old one.
func procCrashLoop() Case {
	const port = 6379
	var p pair
	var config string
	write := func(e *env.Env, memory string) (err error) {
		config, err = e.WriteFile("redis.conf", fmt.Sprintf("bind %s\nport %d\nprotected-mode no\nsave \"\"\nmaxmemory %s\n", p.at.Addr, port, memory))
		return err
	}
	ask := func(ctx context.Context, command ...string) (string, error) {
		return p.client.Run(ctx, "redis-cli", append([]string{"-h", p.at.Addr, "-p", strconv.Itoa(port)}, command...)...)
	}
	return Case{
		ID:    "proc/crash-loop",
		Title: "a supervisor restarts a Redis that cannot read its configuration",
		Rule:  "proc/crash-loop",
		Kind:  "process",
		Name:  "redis-server",
		Says:  "exit status 1",
		Needs: env.Needs{Root: true, Packages: []string{"redis-server", "iproute2"}, Commands: []string{"redis-server", "redis-cli", "ip"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if p, err = newPair(e); err != nil {
				return err
			}
			if err := write(e, "100mb"); err != nil {
				return err
			}
			// By that name it is what restarts services.
			if _, err := load.StartActor(e, env.Options{NetNS: p.server}, "supervise", "supervise", "redis-server", config); err != nil {
				return err
			}
			return p.server.UntilListens(ctx, p.port(port).String())
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			if err := write(e, "plenty"); err != nil {
				return err
			}
			_, _ = ask(ctx, "shutdown", "nosave") // it ends before it answers
			return env.Until(ctx, 5*time.Second, "Redis to fail", func() (bool, error) {
				_, err := ask(ctx, "ping")
				return err != nil, nil
			})
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			if err := write(e, "100mb"); err != nil {
				return err
			}
			return p.server.UntilListens(ctx, p.port(port).String())
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			m := load.Measurement{Unit: "answers/s"}
			began := time.Now()
			for time.Since(began) < d && ctx.Err() == nil {
				if out, err := ask(ctx, "ping"); err == nil && strings.Contains(out, "PONG") {
					m.Value++
				}
				env.Sleep(ctx, 100*time.Millisecond)
			}
			m.Value /= time.Since(began).Seconds()
			return m, ctx.Err()
		},
	}
}

// procPIDLimit lets the control group of a MariaDB have no more threads than it has without
// clients: each connection wants one. The fix gives it more.
func procPIDLimit() Case {
	var m *server.MySQL
	var db *sql.DB
	var group *env.Cgroup
	return Case{
		ID:    "proc/pid-limit",
		Title: "a MariaDB whose control group may have no more threads",
		Rule:  "proc/pid-limit",
		Kind:  "cgroup",
		Name:  ".*rtrail-lab-.*-database",
		Says:  "may have .* processes and threads: .* more were refused",
		Needs: server.MariaDB10().Needs(),
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			if m, err = server.StartMySQL(ctx, e, server.MariaDB10(), env.End{}, "--thread-cache-size=0"); err != nil {
				return err
			}
			if _, err = m.Query(ctx, hundredItems+"; CREATE USER app@'%'; GRANT SELECT ON lab.* TO app@'%'"); err != nil {
				return err
			}
			if group, err = e.Cgroup("database", "pids"); err != nil {
				return err
			}
			if err = group.Add(m.Proc); err != nil {
				return err
			}
			db, err = load.OpenMySQLAs(e, nil, m.Address(), "app")
			return err
		},
		Inject: func(context.Context, *env.Env) error {
			n, err := group.Tasks()
			if err != nil {
				return err
			}
			return group.LimitTasks(n)
		},
		Fix:     func(context.Context, *env.Env) error { return group.LimitTasks(0) },
		Measure: visitors(&db),
	}
}
