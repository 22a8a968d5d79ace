package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/server"
)

const (
	pages    = 2000
	pageSize = 16 << 10
)

// nginx starts nginx in a namespace of its own, and has wrk ask it from another one.
func nginx(ctx context.Context, e *env.Env, conf server.NginxConfig, wrk ...string) (load, env.End, error) {
	at, err := e.NetNS("server")
	if err != nil {
		return load{}, env.End{}, err
	}
	from, err := e.NetNS("client")
	if err != nil {
		return load{}, env.End{}, err
	}
	end, _, err := e.Veth(at, from)
	if err != nil {
		return load{}, env.End{}, err
	}
	conf.Name, conf.Address, conf.Port = "server", end.Addr, 80
	if _, err := server.StartNginx(ctx, e, at, conf); err != nil {
		return load{}, env.End{}, err
	}
	l := load{netns: from, args: []string{"command", "--target", end.Addr + ":80", "--", "wrk", "-t1", "-c{threads}", "-d{seconds}s", "--timeout", "30s", "--latency"}}
	l.args = append(l.args, wrk...)
	return l, end, nil
}

// compressing has one worker compress a page for each request.
func compressing(ctx context.Context, e *env.Env) (load, error) {
	var text strings.Builder
	for i := 0; text.Len() < 400<<10; i++ {
		text.WriteString(strconv.Itoa(i * i))
		text.WriteString(" squared\n")
	}
	if _, err := e.WriteFile("www/page.txt", text.String()); err != nil {
		return load{}, err
	}
	l, _, err := nginx(ctx, e, server.NginxConfig{
		HTTP:   "types { text/plain txt; } gzip on; gzip_comp_level 9; gzip_types text/plain;",
		Server: fmt.Sprintf("root %s; location / { }", e.Path("www")),
	}, "-H", "Accept-Encoding: gzip", "http://{target}/page.txt")
	return l, err
}

// fromDisk has eight workers read pages, each for itself, from a disk that does 200 reads a second.
func fromDisk(ctx context.Context, e *env.Env) (load, error) {
	disk, backing, err := e.DirectLoopFS("www", 512<<20)
	if err != nil {
		return load{}, err
	}
	page := make([]byte, pageSize)
	for i := range pages {
		if err := os.WriteFile(filepath.Join(disk.Mount, strconv.Itoa(i)), page, 0o644); err != nil {
			return load{}, err
		}
	}
	if _, err := e.Run(ctx, "sync", "--file-system", disk.Mount); err != nil {
		return load{}, err
	}
	group, err := e.Cgroup("disk", "blkio")
	if err != nil {
		return load{}, err
	}
	script, err := e.WriteFile("pages.lua", fmt.Sprintf("request = function() return wrk.format(\"GET\", \"/\" .. math.random(0, %d)) end\n", pages-1))
	if err != nil {
		return load{}, err
	}
	l, _, err := nginx(ctx, e, server.NginxConfig{
		Workers: 8, Cgroups: []*env.Cgroup{group},
		HTTP:   fmt.Sprintf("sendfile off; directio 512; output_buffers 1 %d;", pageSize),
		Server: fmt.Sprintf("root %s; location / { }", disk.Mount),
	}, "-s", script, "http://{target}/")
	if err != nil {
		return load{}, err
	}
	return l, group.LimitIO(backing, 200)
}

// fewPackets has a server send 800 packets a second of two sizes, to users who pause for 50 ms.
func fewPackets(ctx context.Context, e *env.Env) (load, error) {
	for name, size := range map[string]int{"www/small": 10, "www/big": 1000} {
		if _, err := e.WriteFile(name, strings.Repeat("x", size)); err != nil {
			return load{}, err
		}
	}
	script, err := e.WriteFile("users.lua", `request = function() return wrk.format("GET", math.random() < 0.5 and "/small" or "/big") end
delay = function() return 50 end
`)
	if err != nil {
		return load{}, err
	}
	l, end, err := nginx(ctx, e, server.NginxConfig{Server: fmt.Sprintf("root %s; location / { }", e.Path("www"))}, "-s", script, "http://{target}/")
	if err != nil {
		return load{}, err
	}
	_, err = e.LimitPackets(end, 800, 8)
	return l, err
}

func webCases() []limited {
	needs := env.Needs{Root: true, Packages: []string{"nginx-light", "wrk", "iproute2"}, Commands: []string{"nginx", "wrk", "ip", "ss"}}
	return []limited{
		{
			name: "thread", limit: "the one worker of nginx, which compresses pages", rules: []string{"cpu/one-thread-limit"},
			needs: needs, setup: compressing,
		},
		{
			name: "disk", limit: "200 reads a second of a disk, for eight workers of nginx", rules: []string{"disk/saturated", "disk/cgroup-throttled"},
			needs: withLoop(needs), setup: fromDisk,
		},
		{
			name: "packets", limit: "a BPF program drops all but 800 packets a second of nginx", rules: []string{"net/rate-limited"}, says: `\b(7\d\d|8[0-4]\d) packets/s`,
			threads: "100,400", seconds: "15",
			needs: needs, setup: fewPackets,
		},
	}
}
