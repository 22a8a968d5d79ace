package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

const (
	// sampled is how often a recorder looks, unless told otherwise.
	sampled = time.Second

	// lost is the time that an end without warning may cost. The last sample may be older
	// by an interval: what nobody has looked at yet is not lost.
	lost = time.Second
)

// killed ends recorders by SIGKILL, ten times one after the other, each at a moment that
// nobody chose.
func killed(ctx context.Context, e *env) (string, error) {
	const rounds = 10
	seed, err := seedOf(os.Getenv("ROBUST_SEED"))
	if err != nil {
		return "", err
	}
	chance := rand.New(rand.NewPCG(seed, 0))
	to := e.path("rec")
	var worst time.Duration
	samples := 0
	for i := range rounds {
		began := time.Now()
		p, err := e.record(ctx, to, 0)
		if err != nil {
			return "", err
		}
		// The directory has samples of the rounds before.
		if !wait(ctx, 10*time.Second, func() bool { return latest(ctx, to).After(began) }) {
			return "", fmt.Errorf("recorder %d of %d takes no samples: %s", i+1, rounds, p.out.String())
		}
		wait(ctx, time.Duration(chance.Int64N(int64(3*sampled))), nil)
		seen := latest(ctx, to)
		at := time.Now()
		if err := p.Process.Kill(); err != nil {
			return "", err
		}
		<-p.done
		last := latest(ctx, to)
		if last.Before(seen) {
			return "", fmt.Errorf("seed %d: samples until %v could be read before, until %v after", seed, seen, last)
		}
		worst = max(worst, at.Sub(last))
		if n := len(moments(ctx, to)); n <= samples {
			return "", fmt.Errorf("seed %d: %d samples after %d before: the earlier ones are gone", seed, n, samples)
		} else {
			samples = n
		}
	}
	figure := fmt.Sprintf("%d kills at random (ROBUST_SEED=%d); the last sample was %.1f s old at most", rounds, seed, worst.Seconds())
	if worst > lost+sampled {
		return figure, errors.New("samples are lost")
	}
	return figure, nil
}

// seedOf is the seed that chooses moments: the one that is given, or a new one.
func seedOf(given string) (uint64, error) {
	if given == "" {
		return uint64(rand.Uint32()), nil
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading ROBUST_SEED: %w", err)
	}
	return seed, nil
}

// powerLoss copies what a disk holds while a recorder writes to it: blocks that
// nobody has synced are not there.
func powerLoss(ctx context.Context, e *env) (string, error) {
	const rounds = 3
	image, mount, copied := e.path("disk.img"), e.path("disk"), e.path("after")
	if err := errors.Join(write(image, 64<<20), os.Mkdir(mount, 0o755), os.Mkdir(copied, 0o755)); err != nil {
		return "", err
	}
	if _, err := tool(ctx, "mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image); err != nil {
		return "", err
	}
	// commit=300: the filesystem by itself writes nothing in this time.
	if _, err := tool(ctx, "mount", "-o", "loop,commit=300", image, mount); err != nil {
		return "", err
	}
	e.after(func() error { return unix.Unmount(mount, unix.MNT_DETACH) })
	to := mount + "/rec"
	p, err := e.record(ctx, to, 2*time.Second)
	if err != nil {
		return "", err
	}
	var worst time.Duration
	for i := range rounds {
		wait(ctx, time.Duration(1500+430*i)*time.Millisecond, nil)
		snapshot := fmt.Sprintf("%s-%d", image, i)
		at := time.Now()
		if _, err := tool(ctx, "cp", "--sparse=always", image, snapshot); err != nil {
			return "", err
		}
		last, err := readBack(ctx, snapshot, copied)
		if err != nil {
			return "", err
		}
		if last.IsZero() {
			return "", errors.New("nothing can be read")
		}
		worst = max(worst, at.Sub(last))
	}
	_ = p.Process.Signal(os.Interrupt)
	if err := p.ends(ctx); err != nil {
		return "", err
	}
	figure := fmt.Sprintf("%d times; the last %.1f s at most are lost", rounds, worst.Seconds())
	if worst > 3*time.Second {
		return figure, errors.New("more is lost")
	}
	return figure, nil
}

// readBack mounts the copy of a disk and finds the last sample there.
func readBack(ctx context.Context, image, mount string) (last time.Time, err error) {
	if _, err := tool(ctx, "mount", "-o", "loop", image, mount); err != nil {
		return last, err
	}
	defer func() { err = errors.Join(err, unix.Unmount(mount, unix.MNT_DETACH)) }()
	return latest(ctx, mount+"/rec"), nil
}

// vanished removes what a recorder writes to.
func vanished(ctx context.Context, e *env) (string, error) {
	to := e.path("rec")
	p, err := e.record(ctx, to, time.Second)
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(to); err != nil {
		return "", err
	}
	at := time.Now()
	if err := p.ends(ctx); err != nil {
		return "", err
	}
	took := time.Since(at)
	figure := fmt.Sprintf("ended with an error after %.1f s", took.Seconds())
	switch {
	case p.err == nil:
		return figure, errors.New("it ended without an error")
	case took > 4*time.Second:
		return figure, errors.New("it took longer")
	}
	return figure, nil
}

// stopped keeps a recorder from running for a while.
func stopped(ctx context.Context, e *env) (string, error) {
	const pause = 5 * time.Second
	to := e.path("rec")
	p, err := e.record(ctx, to, 2*time.Second)
	if err != nil {
		return "", err
	}
	if err := p.Process.Signal(syscall.SIGSTOP); err != nil {
		return "", err
	}
	wait(ctx, pause, nil)
	at := time.Now()
	if err := p.Process.Signal(syscall.SIGCONT); err != nil {
		return "", err
	}
	if !wait(ctx, 3*time.Second, func() bool { return latest(ctx, to).After(at) }) {
		return "", errors.New("no sample within 3 s after it")
	}
	took := time.Since(at)
	wait(ctx, 4*time.Second, nil)
	burst := 0
	for _, t := range moments(ctx, to) {
		if t.After(at) && t.Before(at.Add(2*time.Second)) {
			burst++
		}
	}
	figure := fmt.Sprintf("stopped for %v; the next sample %.1f s after, %d in the first 2 s", pause, took.Seconds(), burst)
	if burst > 4 {
		return figure, errors.New("it catches up")
	}
	return figure, nil
}

// clockSteps sets the clock of a recorder back and forth; nobody else's.
func clockSteps(ctx context.Context, e *env) (string, error) {
	to := e.path("rec")
	now, elapsed := time.Now(), time.Duration(0)
	d, err := recording.Create(to, recording.Manifest{Tool: "robust", Host: recording.Host{Name: "robust"}}, recording.Options{
		Now: func() time.Time { return now.Round(0) }, Elapsed: func() time.Duration { return elapsed },
	})
	if err != nil {
		return "", err
	}
	steps := []time.Duration{-time.Minute, time.Hour, -24 * time.Hour, 7 * 24 * time.Hour, -10 * 365 * 24 * time.Hour}
	samples := 0
	for i := range len(steps) + 1 {
		for range 900 {
			w := recording.NewWriter(now)
			recording.Append(w, recording.SystemSample{At: now, Forks: uint64(samples)})
			if err := d.Commit(w); err != nil {
				return "", errors.Join(err, d.Close())
			}
			samples++
			now, elapsed = now.Add(time.Second), elapsed+time.Second
		}
		if i < len(steps) {
			now = now.Add(steps[i])
		}
	}
	if err := d.Close(); err != nil {
		return "", err
	}
	c, err := recording.Inspect(ctx, to)
	if err != nil {
		return "", err
	}
	read := 0
	for _, p := range c.Pieces {
		rec, err := recording.OpenPiece(ctx, to, p.Number, time.Time{}, time.Time{})
		if err != nil {
			return "", err
		}
		for _, r := range recording.Rows[recording.SystemSample](rec) {
			if r.Forks != uint64(read) {
				return "", fmt.Errorf("sample %d comes as number %d", r.Forks, read)
			}
			read++
		}
	}
	figure := fmt.Sprintf("%d steps of a minute to ten years; %d of %d samples read, in %d pieces", len(steps), read, samples, len(c.Pieces))
	if read != samples {
		return figure, errors.New("samples are missing")
	}
	return figure, nil
}
