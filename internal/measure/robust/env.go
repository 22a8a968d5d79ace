package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"rtrail/internal/recording"
)

// env is what a scenario works with.
type env struct {
	program string
	dir     string
	undo    []func() error
}

func (e *env) path(name string) string { return filepath.Join(e.dir, name) }

// after has cleanUp call do, before what was given earlier.
func (e *env) after(do func() error) { e.undo = append(e.undo, do) }

func (e *env) cleanUp() error {
	var errs []error
	for _, do := range slices.Backward(e.undo) {
		errs = append(errs, do())
	}
	return errors.Join(errs...)
}

// process is a program that runs.
type process struct {
	*exec.Cmd
	out  bytes.Buffer
	done chan struct{}
	err  error
	took time.Duration
}

// start runs rtrail until it ends or the scenario is over.
func (e *env) start(args ...string) (*process, error) {
	p := &process{Cmd: exec.Command(e.program, args...), done: make(chan struct{})}
	return p, e.run(p)
}

func (e *env) run(p *process) error {
	p.Stdout, p.Stderr = &p.out, &p.out
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	began := time.Now()
	if err := p.Start(); err != nil {
		return err
	}
	go func() {
		p.err = p.Wait()
		p.took = time.Since(began)
		close(p.done)
	}()
	e.after(func() error {
		_ = p.Process.Kill() // it may have ended
		<-p.done
		return nil
	})
	return nil
}

// ends waits for the end of a process.
func (p *process) ends(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%v does not end", p.Args)
	}
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// maxRSS is the most memory that a process had at a time, in bytes, after its end.
func (p *process) maxRSS() int64 {
	return p.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// cpu is the CPU time of a process after its end.
func (p *process) cpu() time.Duration {
	return p.ProcessState.UserTime() + p.ProcessState.SystemTime()
}

// wait waits for a time, or until a condition holds.
func wait(ctx context.Context, d time.Duration, until func() bool) bool {
	for end := time.Now().Add(d); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if until != nil && until() {
			return true
		}
	}
	return until != nil && until()
}

// record starts a recorder and returns when it has taken samples for a while.
func (e *env) record(ctx context.Context, to string, warm time.Duration) (*process, error) {
	p, err := e.start("record", "-o", to)
	if err != nil {
		return nil, err
	}
	if !wait(ctx, 10*time.Second, func() bool { return !latest(ctx, to).IsZero() }) {
		return p, fmt.Errorf("the recorder takes no samples: %s", p.out.String())
	}
	wait(ctx, warm, p.ended)
	if p.ended() {
		return p, fmt.Errorf("the recorder ended: %s", p.out.String())
	}
	return p, nil
}

// latest is the time of the last sample that can be read; zero: there is none.
func latest(ctx context.Context, dir string) (at time.Time) {
	for _, t := range moments(ctx, dir) {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// moments lists when the host's counters were read.
func moments(ctx context.Context, dir string) (all []time.Time) {
	rec, err := recording.OpenRange(ctx, dir, time.Time{}, time.Time{}, recording.System)
	if err != nil {
		return nil
	}
	for _, r := range recording.Rows[recording.SystemSample](rec) {
		all = append(all, r.At)
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

func tool(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return string(bytes.TrimSpace(out)), nil
}

func write(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}
