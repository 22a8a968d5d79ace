package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/probe"
	dump "rtrail/internal/stack"
)

// longestPause is after how long eu-stack is ended, and the process goes on.
const longestPause = 10 * time.Second

// Pause takes a dump with eu-stack, which stops the process for as long as it
// takes to follow all stacks. took is how long.
func Pause(ctx context.Context, pid int32) (p *dump.Profile, took time.Duration, err error) {
	path, err := exec.LookPath("eu-stack")
	if err != nil {
		return nil, 0, &probe.MissingError{What: "eu-stack", How: "install the package elfutils", Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, longestPause)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-p", strconv.Itoa(int(pid)))
	// Detaching is due also when time is up: a killed tracer leaves its threads
	// to the kernel, which lets them run.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Second
	var problems strings.Builder
	cmd.Stderr = &problems
	began := time.Now()
	out, err := cmd.Output()
	took = time.Since(began)
	if len(out) == 0 {
		if ctx.Err() != nil {
			err = errors.New("it took too long")
		}
		return nil, took, fmt.Errorf("eu-stack -p %d: %w %s", pid, err, strings.TrimSpace(problems.String()))
	}
	p, err = dump.Read(ctx, []string{"-"}, strings.NewReader(string(out)), dump.Options{})
	if err == nil && len(p.Sources) > 0 {
		p.Sources[0].Name = "eu-stack"
	}
	return p, took, err
}
