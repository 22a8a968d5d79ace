package cases

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// memReclaim puts a batch job into the control group of a web server whose
// files just fit into memory beside it. The job's own memory cannot go, as the
// group has no swap, so the files have to, and are read again and again
// from a disk that does 100 reads a second, as small cloud volumes do.
func memReclaim() Case {
	const (
		files, size = 640, 64 << 10 // 40 MiB
		limit       = 80 * mib
		job         = 56 * mib // leaves half of what the files need
		readsPerSec = 100
	)
	var p pair
	var group *env.Cgroup
	get := func(ctx context.Context, file int) error {
		request := fmt.Sprintf("GET /%d.bin HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n", file)
		return load.Ask(ctx, p.client, p.port(80), request, 0, 2*time.Second)
	}
	all := func(ctx context.Context) error {
		for i := range files {
			if err := get(ctx, i); err != nil {
				return fmt.Errorf("visit every page: %w", err)
			}
		}
		return nil
	}
	return Case{
		ID:    "mem/reclaim",
		Title: "a batch job in the control group of a web server leaves no room for the files it serves",
		Rule:  "mem/reclaim",
		Kind:  "cgroup",
		Name:  ".*rtrail-lab-.*-shop",
		// The subject is the group; the headline says who in it holds the memory.
		Says: `: batch-job \(\d+\) holds `, Victim: "nginx",
		Needs: env.Needs{Root: true, Packages: []string{"nginx-light", "e2fsprogs", "util-linux", "iproute2"}, Commands: []string{"nginx", "mkfs.ext4", "losetup", "ip"}},
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) (err error) {
			disk, backing, err := e.DirectLoopFS("www", 64*mib)
			if err != nil {
				return err
			}
			for i := range files {
				if err := writeCold(filepath.Join(disk.Mount, strconv.Itoa(i)+".bin"), size); err != nil {
					return err
				}
			}
			if group, err = e.Cgroup("shop", "memory", "blkio"); err != nil {
				return err
			}
			if err := group.LimitMemory(limit); err != nil {
				return err
			}
			if err := group.NoSwap(); err != nil {
				return err
			}
			_, err = server.StartNginx(ctx, e, p.server, server.NginxConfig{Name: "server", Address: p.at.Addr, Port: 80, Cgroups: []*env.Cgroup{group},
				Server: fmt.Sprintf("root %s; location / { }", disk.Mount)})
			if err != nil {
				return err
			}
			if err := all(ctx); err != nil {
				return err
			}
			return group.LimitIO(backing, readsPerSec)
		}),
		Inject: func(ctx context.Context, e *env.Env) error {
			if _, err := load.StartActor(e, env.Options{Cgroups: []*env.Cgroup{group}}, "batch-job", "touch-memory", strconv.Itoa(job), e.Path("pages")); err != nil {
				return err
			}
			return env.Until(ctx, 15*time.Second, "the job to have its memory", func() (bool, error) {
				done, err := load.Reports(e, "pages")
				return len(done) > 0 && done[0] > job/4096, err
			})
		},
		Fix: func(ctx context.Context, e *env.Env) error {
			// The page: raise the limit by what the files need.
			if err := group.LimitMemory(2 * limit); err != nil {
				return err
			}
			return all(ctx)
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			r := load.Visits(ctx, d, 2*time.Millisecond, func(ctx context.Context) error { return get(ctx, rand.IntN(files)) })
			// Half of the visits need the disk. Most of these are served at once, and the
			// limit makes few of them wait long: the median and the upper quartile
			// hardly tell, and the 99th percentile is noise.
			return r.Tail(.97, "p97"), ctx.Err()
		},
	}
}

// writeCold writes a file that no memory holds, so that it is charged to
// whoever reads it first.
func writeCold(path string, size int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text(size))
	if err = errors.Join(err, f.Sync()); err == nil {
		// Only what is on disk can be dropped.
		err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	}
	return errors.Join(err, f.Close())
}

// loadProgram starts a program for a moment and reads it and its libraries into
// memory, so that they are not charged to a group that runs it later.
func loadProgram(ctx context.Context, e *env.Env, name string, args ...string) error {
	p, err := e.StartWith(env.Options{}, name, args...)
	if err != nil {
		return err
	}
	defer p.Stop()
	var maps []byte
	err = env.Until(ctx, 5*time.Second, name+" to have its libraries", func() (bool, error) {
		maps, err = os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.PID))
		return bytes.Contains(maps, []byte("libc.so")), err
	})
	if err != nil {
		return err
	}
	read := map[string]bool{}
	for line := range strings.Lines(string(maps)) {
		if f := strings.Fields(line); len(f) == 6 && strings.HasPrefix(f[5], "/") && !read[f[5]] {
			read[f[5]] = true
			if _, err := os.ReadFile(f[5]); err != nil {
				return fmt.Errorf("read a file that %s has mapped: %w", name, err)
			}
		}
	}
	return nil
}
