package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// hungMount mounts a filesystem in user space whose server never answers, not
// even the kernel's first question: whoever asks it anything waits.
func hungMount(ctx context.Context, e *env) (string, error) {
	const length = 5 * time.Second
	mount := e.path("hung")
	if err := os.Mkdir(mount, 0o755); err != nil {
		return "", err
	}
	server, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	if err := unix.Mount("hung", mount, "fuse", unix.MS_NODEV|unix.MS_NOSUID, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", server.Fd())); err != nil {
		return "", errors.Join(err, server.Close())
	}
	e.after(func() error {
		// Without its server, all who wait get an error.
		return errors.Join(server.Close(), unix.Unmount(mount, unix.MNT_DETACH))
	})
	if answers(mount) {
		return "", errors.New("the filesystem answers: the scenario proves nothing")
	}
	to := e.path("rec")
	r, err := e.record(ctx, to, time.Second)
	if err != nil {
		return "", err
	}
	p, err := e.start("diagnose", "--for", length.String(), "--json")
	if err != nil {
		return "", err
	}
	var gap time.Duration
	for !p.ended() && ctx.Err() == nil {
		gap = max(gap, time.Since(latest(ctx, to)))
		time.Sleep(100 * time.Millisecond)
	}
	if err := p.ends(ctx); err != nil {
		return "", err
	}
	at := time.Now()
	_ = r.Process.Signal(os.Interrupt)
	if err := r.ends(ctx); err != nil {
		return "", err
	}
	end := time.Since(at)
	figure := fmt.Sprintf("verdict %.1f s after the %v; samples at most %.1f s old; the recorder ends within %.1f s", (p.took - length).Seconds(), length, gap.Seconds(), end.Seconds())
	switch {
	case p.err != nil:
		return figure, fmt.Errorf("diagnose ended with %w: %s", p.err, p.out.String())
	case p.took > length+5*time.Second, gap > 5*time.Second, end > 5*time.Second:
		return figure, errors.New("it took longer")
	}
	return figure, nil
}

// answers says whether a filesystem does within a second.
func answers(mount string) bool {
	done := make(chan struct{})
	go func() {
		var fs unix.Statfs_t
		_ = unix.Statfs(mount, &fs)
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(time.Second):
		return false
	}
}
