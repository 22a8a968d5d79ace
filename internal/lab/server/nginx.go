package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rtrail/internal/lab/env"
)

// NginxConfig is one nginx with one server block and one worker, all of whose
// files are in the lab's folder.
type NginxConfig struct {
	Name    string // names its files
	Address string // it listens on
	Port    int
	Backlog int  // of the listen directive; 0: nginx's own, 511
	Workers int  // 0: one
	HTTP2   bool // in clear text, and nothing else
	Cgroups []*env.Cgroup
	Main    string // further lines outside of blocks
	HTTP    string // further lines of the http block
	Server  string // further lines of the server block; "": every path answers "ok"
}

const nginxTemplate = `daemon off;
worker_processes %[7]d;
user www-data;
%[8]s
pid %[1]s.pid;
error_log %[1]s.error.log;
events { worker_connections 8192; }
http {
	access_log off;
	client_body_temp_path %[1]s.body;
	proxy_temp_path %[1]s.proxy;
	fastcgi_temp_path %[1]s.fastcgi;
	uwsgi_temp_path %[1]s.uwsgi;
	scgi_temp_path %[1]s.scgi;
	keepalive_requests 10000000;
	%[2]s
	server {
		listen %[3]s:%[4]d%[5]s;
		%[6]s
	}
}
`

func (c NginxConfig) text(base string) string {
	backlog := ""
	if c.Backlog > 0 {
		backlog = fmt.Sprintf(" backlog=%d", c.Backlog)
	}
	if c.HTTP2 {
		backlog += " http2"
	}
	server := c.Server
	if server == "" {
		server = `location / { return 200 "ok\n"; }`
	}
	return fmt.Sprintf(nginxTemplate, base, c.HTTP, c.Address, c.Port, backlog, server, max(c.Workers, 1), c.Main)
}

// Nginx is a running one.
type Nginx struct {
	*env.Proc
	env  *env.Env
	ns   *env.NetNS
	conf NginxConfig
}

// StartNginx starts nginx in a namespace and returns when it listens.
func StartNginx(ctx context.Context, e *env.Env, ns *env.NetNS, conf NginxConfig) (*Nginx, error) {
	n := &Nginx{env: e, ns: ns, conf: conf}
	path, err := n.write()
	if err != nil {
		return nil, err
	}
	if n.Proc, err = e.StartWith(env.Options{NetNS: ns, Cgroups: conf.Cgroups}, "nginx", "-c", path); err != nil {
		return nil, err
	}
	return n, n.untilBacklog(ctx)
}

func (n *Nginx) write() (string, error) {
	base := "nginx-" + n.conf.Name
	return n.env.WriteFile(base+".conf", n.conf.text(n.env.Path(base)))
}

// Reload changes the configuration and returns when the listener has it.
func (n *Nginx) Reload(ctx context.Context, change func(*NginxConfig)) error {
	change(&n.conf)
	if _, err := n.write(); err != nil {
		return err
	}
	if err := n.Signal(syscall.SIGHUP); err != nil {
		return err
	}
	return n.untilBacklog(ctx)
}

// ErrorLog counts text in the error log.
func (n *Nginx) ErrorLog(text string) (int, error) {
	log, err := os.ReadFile(n.env.Path("nginx-" + n.conf.Name + ".error.log"))
	return strings.Count(string(log), text), err
}

// untilBacklog waits until the listener is there with the limit asked for. It
// asks ss and does not connect, so that no counter moves.
func (n *Nginx) untilBacklog(ctx context.Context) error {
	want := n.conf.Backlog
	if want == 0 {
		want = 511 // NGX_LISTEN_BACKLOG of Linux builds
	}
	return env.Until(ctx, 5*time.Second, fmt.Sprintf("nginx to listen on port %d", n.conf.Port), func() (bool, error) {
		if !n.Alive() {
			return false, errors.New("nginx has ended: " + env.LastBytes(n.Output(), 300))
		}
		out, err := n.ns.Run(ctx, "ss", "-Hltn", "sport = :"+strconv.Itoa(n.conf.Port))
		if err != nil {
			return false, err
		}
		backlog, ok := listenBacklog(out)
		if ok && backlog != want {
			return false, fmt.Errorf("its backlog is %d, not %d", backlog, want)
		}
		return ok, nil
	})
}

// listenBacklog reads the queue limit from a line of `ss -Hltn`:
// "LISTEN 0 511 10.213.1.1:80 0.0.0.0:*".
func listenBacklog(ss string) (int, bool) {
	f := strings.Fields(ss)
	if len(f) < 5 || f[0] != "LISTEN" {
		return 0, false
	}
	n, err := strconv.Atoi(f[2])
	return n, err == nil
}

// UseWorkers changes the number of workers and waits until the old ones have
// answered what they had begun.
func (n *Nginx) UseWorkers(ctx context.Context, workers int) error {
	old := env.Descendants(n.PID)
	if err := n.Reload(ctx, func(c *NginxConfig) { c.Workers = workers }); err != nil {
		return err
	}
	return env.Until(ctx, 10*time.Second, "nginx to replace its workers", func() (bool, error) {
		now := env.Descendants(n.PID)
		for _, pid := range now {
			for _, o := range old {
				if pid == o {
					return false, nil
				}
			}
		}
		return len(now) == workers, nil
	})
}

// UntilOpen waits until nginx's worker has so many open files.
func (n *Nginx) UntilOpen(ctx context.Context, files int) error {
	return env.Until(ctx, 5*time.Second, fmt.Sprintf("nginx to have %d files open", files), func() (bool, error) {
		for _, worker := range env.Descendants(n.PID) {
			if open, err := env.OpenFiles(worker); err != nil || open >= files {
				return err == nil, err
			}
		}
		return false, nil
	})
}
