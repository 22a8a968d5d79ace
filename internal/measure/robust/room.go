package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

// fullDisk takes all room of a recorder's disk, and gives it back.
func fullDisk(ctx context.Context, e *env) (string, error) {
	const full = 8 * time.Second
	mount := e.path("disk")
	if err := os.Mkdir(mount, 0o755); err != nil {
		return "", err
	}
	if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=4m,mode=755"); err != nil {
		return "", err
	}
	e.after(func() error { return unix.Unmount(mount, unix.MNT_DETACH) })
	to, others := mount+"/rec", mount+"/others"
	p, err := e.record(ctx, to, 2*time.Second)
	if err != nil {
		return "", err
	}
	for end := time.Now().Add(full); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if err := takeAll(others); err != nil {
			return "", err
		}
		if p.ended() {
			return "", fmt.Errorf("the recorder ended: %s", p.out.String())
		}
	}
	at := time.Now()
	if err := os.Remove(others); err != nil {
		return "", err
	}
	if !wait(ctx, 5*time.Second, func() bool { return latest(ctx, to).After(at) }) {
		return "", errors.New("no samples after there was room again")
	}
	took := time.Since(at)
	wait(ctx, 2*time.Second, nil)
	_ = p.Process.Signal(os.Interrupt)
	if err := p.ends(ctx); err != nil {
		return "", err
	}
	c, err := recording.Inspect(ctx, to)
	if err != nil {
		return "", err
	}
	figure := fmt.Sprintf("full for %v; the next sample came %.1f s after there was room", full, took.Seconds())
	switch {
	case p.err != nil:
		return figure, fmt.Errorf("it ended with %w: %s", p.err, p.out.String())
	case !strings.Contains(fmt.Sprint(c.Manifest.Notes), "the disk was full"):
		return figure, errors.New("what is missing is not said")
	case took > 3*time.Second:
		return figure, errors.New("it took longer")
	}
	return figure, nil
}

// takeAll lets a file grow until the disk is full.
func takeAll(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for block := make([]byte, 64<<10); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
	return nil
}
