package cases

import (
	"context"
	"path/filepath"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// chainWebAppLock has users of nginx, behind which an application changes rows that a
// batch job has locked; that one waits for a disk that has become slow.
func chainWebAppLock() Case {
	const web, application = 80, 8080
	const slow, fast = 2, 100_000 // writes a second
	var p pair
	var s mysqlScene
	var group *env.Cgroup
	var backing string
	v := server.MariaDB10()
	needs := withLoop(v.Needs())
	needs.Packages = append(needs.Packages, nginxNeeds.Packages...)
	needs.Commands = append(needs.Commands, nginxNeeds.Commands...)
	return Case{
		ID:    "chain/web-app-lock",
		Title: "users wait for nginx, that for an application, that for MariaDB, that for a batch job which holds rows, and that for a slow disk",
		Rule:  "disk/cgroup-throttled",
		Kind:  "device", Name: `\w+`,
		Says:  `held at the limit of cgroup .*batch .*; stock-batch`,
		Waits: `nginx.* → .*stock-app.* → .*mariadbd.* → .*of stock-batch.* → disk \w+`,
		Folds: []string{"mysql/row-lock-wait"},
		Needs: needs,
		MySQL: s.names,
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			if s.m, err = server.StartMySQL(ctx, e, v, p.at); err != nil {
				return err
			}
			if _, err := s.m.Query(ctx, hundredItems); err != nil {
				return err
			}
			var disk *env.Loop
			if disk, backing, err = e.DirectLoopFS("journal", 64*mib); err != nil {
				return err
			}
			if group, err = e.Cgroup("batch", "blkio"); err != nil {
				return err
			}
			at := p.port(application).String()
			if _, err := load.StartActor(e, env.Options{NetNS: p.server}, "stock-app", "stock-app", at, s.m.Address().String()); err != nil {
				return err
			}
			if _, err := load.StartActor(e, env.Options{NetNS: p.server, Cgroups: []*env.Cgroup{group}}, "stock-batch", "stock-batch", s.m.Address().String(), filepath.Join(disk.Mount, "journal")); err != nil {
				return err
			}
			_, err = server.StartNginx(ctx, e, p.server, server.NginxConfig{Name: "web", Address: p.at.Addr, Port: web,
				// Connections that were used before tell since when they wait.
				HTTP:   "upstream application { server " + at + "; keepalive 16; }",
				Server: `location / { proxy_pass http://application; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_ignore_client_abort on; }`})
			return err
		}),
		Inject: func(ctx context.Context, e *env.Env) error {
			if err := group.LimitIO(backing, slow); err != nil {
				return err
			}
			env.Sleep(ctx, 2*time.Second)
			return ctx.Err()
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			if err := group.LimitIO(backing, fast); err != nil {
				return err
			}
			env.Sleep(ctx, 4*time.Second) // the batch job goes on
			return ctx.Err()
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			const timeout = time.Second
			return load.Paced(ctx, d, 50*time.Millisecond, 1, func(ctx context.Context) error {
				return load.Ask(ctx, p.client, p.port(web), pageRequest, 0, timeout)
			}).Worst(timeout), ctx.Err()
		},
	}
}

// chainLockDisk has threads that wait for a lock, which another one holds while it waits
// for a disk that has become slow.
func chainLockDisk() Case {
	const slow, fast = 10, 100_000 // writes a second
	var group *env.Cgroup
	var backing string
	limit := func(writes int) func(context.Context, *env.Env) error {
		return func(ctx context.Context, _ *env.Env) error {
			if err := group.LimitIO(backing, writes); err != nil {
				return err
			}
			env.Sleep(ctx, 2*time.Second)
			return ctx.Err()
		}
	}
	return Case{
		ID:    "chain/lock-disk",
		Title: "threads of a server wait for a lock that another one holds while it waits for a slow disk",
		Rule:  "disk/cgroup-throttled",
		Kind:  "device", Name: `\w+`,
		Says:  `held at the limit of cgroup .*shop .*; shop`,
		Waits: `shop.* → its thread reporter.* → disk \w+`,
		Folds: []string{"proc/lock-contention"},
		Needs: withLoop(compilerNeeds),
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			var disk *env.Loop
			if disk, backing, err = e.DirectLoopFS("journal", 64*mib); err != nil {
				return err
			}
			if group, err = e.Cgroup("shop", "blkio"); err != nil {
				return err
			}
			_, err = compiled(ctx, e, env.Options{Cgroups: []*env.Cgroup{group}}, "shop", shopInC, "sync", filepath.Join(disk.Mount, "journal"))
			return err
		},
		Inject:  limit(slow),
		Fix:     limit(fast),
		Measure: reportedAs("requests/s"),
	}
}
