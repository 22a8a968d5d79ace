package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rtrail/internal/lab/env"
)

// limited is a load test of which one limit is known.
type limited struct {
	name  string
	limit string // in words
	// rules are those that name the limit; nil: none may be named.
	rules []string
	// says is a regular expression for what the headline must say, where a rule tells several
	// limits apart.
	says string
	// invalid is a regular expression for why the highest level must be invalid; "": nothing is
	// expected of that. Of a control all levels must be valid; a step of six seconds on a machine
	// that has other work may not become steady, and the report then names limits from others.
	invalid string
	threads string // levels; "": one client, a few, many
	seconds string // of a step; "": six
	needs   env.Needs
	setup   func(ctx context.Context, e *env.Env) (load, error)
}

// load is how rtrail bench is run.
type load struct {
	netns *env.NetNS // nil: the host's
	args  []string   // "mysql", "--target", ...
}

// skipped says what a case lacks.
type skipped struct{ missing string }

func (s *skipped) Error() string { return "skipped: " + s.missing }

// caseLimit ends a case that hangs.
const caseLimit = 3 * time.Minute

// levels are how steps are made where nothing else is said: they are as short as they can be.
var levels = []string{"--threads", "1,4,16", "--seconds", "6", "--pause", "1"}

// once sets a case up, runs it and says what was named.
func (p *proof) once(ctx context.Context, c limited, round int) (named string, err error) {
	if missing := c.needs.Missing(); missing != "" {
		return "", &skipped{missing}
	}
	ctx, cancel := context.WithTimeout(ctx, caseLimit)
	defer cancel()
	e, err := env.New("steps/"+c.name, nil)
	if err != nil {
		return "", err
	}
	defer func() {
		if bad := e.Cleanup(); bad != nil && err == nil {
			err = bad
		}
	}()
	l, err := c.setup(ctx, e)
	if err != nil {
		return "", fmt.Errorf("set up: %w", err)
	}
	folder := e.Path("runs")
	if p.keep != "" {
		folder = filepath.Join(p.keep, fmt.Sprintf("%s-%d", c.name, round))
		if err := os.MkdirAll(p.keep, 0o700); err != nil {
			return "", err
		}
	}
	args := slices.Concat([]string{"bench", l.args[0], "-o", folder}, levels)
	if c.threads != "" {
		args = append(args, "--threads", c.threads)
	}
	if c.seconds != "" {
		args = append(args, "--seconds", c.seconds)
	}
	command := append([]string{p.rtrail}, append(args, l.args[1:]...)...)
	if l.netns != nil { // ip netns exec would hide control groups
		command = append([]string{"nsenter", "--net=/run/netns/" + l.netns.Name}, command...)
	}
	home := env.Options{Env: []string{"HOME=" + e.Dir}} // no ~/.my.cnf of the host
	printed, ended := e.RunWith(ctx, home, command[0], command[1:]...)
	out, err := e.RunWith(ctx, home, p.rtrail, "bench", "report", folder, "--json")
	if err != nil {
		return "", fmt.Errorf("%w; bench: %v, %s", err, ended, printed)
	}
	if named, err = c.judge([]byte(out)); err != nil {
		return "", fmt.Errorf("%w (bench: %v)\n%s", err, ended, printed)
	}
	return named, nil
}
