package cases

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// together injects the faults of several cases at the same time. Each case keeps its
// own processes, names and addresses in a part of the Env; each fault must be found
// by itself, and nothing else.
func together(id string, parts ...Case) Case {
	places := make([]*env.Env, len(parts))
	c := Case{ID: id, Rule: parts[0].Rule, Parts: parts}
	var titles, withstood []string
	for _, part := range parts {
		titles = append(titles, part.Title)
		c.Needs = withNeeds(c.Needs, part.Needs)
		c.Window = max(c.Window, part.window())
		c.AllowOthers = append(c.AllowOthers, part.AllowOthers...)
		c.AllEvents = c.AllEvents || part.AllEvents
		c.Extra = c.Extra || part.Extra
		if part.Withstood != "" {
			withstood = append(withstood, part.Withstood)
		}
		if part.MySQL != nil {
			c.MySQL = all(c.MySQL, part.MySQL)
		}
		if part.Captures != nil || part.Alloc != nil || part.Log != nil || part.Waits != "" || part.Control() {
			panic(id + ": " + part.ID + " cannot be a part")
		}
	}
	c.Title = strings.Join(titles, "; ")
	if len(withstood) == len(parts) {
		c.Withstood = strings.Join(withstood, "; ")
	}
	c.Setup = func(ctx context.Context, e *env.Env) (err error) {
		for i, part := range parts {
			if places[i], err = e.Part(part.ID); err != nil {
				return err
			}
			if err := part.Setup(ctx, places[i]); err != nil {
				return fmt.Errorf("%s: %w", part.ID, err)
			}
		}
		return nil
	}
	c.Inject = func(ctx context.Context, _ *env.Env) error {
		return atOnce(parts, func(i int) error { return parts[i].Inject(ctx, places[i]) })
	}
	c.Fix = func(ctx context.Context, _ *env.Env) error {
		return atOnce(parts, func(i int) error { return parts[i].Fix(ctx, places[i]) })
	}
	c.Measure = func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
		measured := make([]load.Measurement, len(parts))
		err := atOnce(parts, func(i int) (err error) {
			measured[i], err = parts[i].Measure(ctx, places[i], d)
			return err
		})
		return beside(parts, measured), err
	}
	return c
}

// beside makes one measurement of those of all parts. Those of applications that
// hardly suffer prove nothing, and count only if there are no others.
func beside(parts []Case, measured []load.Measurement) load.Measurement {
	var suffering []load.Measurement
	for i, m := range measured {
		if parts[i].Withstood == "" {
			suffering = append(suffering, m)
		}
	}
	if suffering == nil {
		suffering = measured
	}
	m := suffering[0]
	m.Beside = suffering[1:]
	return m
}

// atOnce does something for all parts at the same time.
func atOnce(parts []Case, do func(i int) error) error {
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil { // the Env must be cleaned up whatever happens
					errs[i] = fmt.Errorf("%s panicked: %v\n%s", part.ID, p, debug.Stack())
				}
			}()
			if err := do(i); err != nil {
				errs[i] = fmt.Errorf("%s: %w", part.ID, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// all names the servers that either names.
func all(a, b func() []string) func() []string {
	if a == nil {
		return b
	}
	return func() []string { return append(a(), b()...) }
}

func withNeeds(a, b env.Needs) env.Needs {
	return env.Needs{
		Root:     a.Root || b.Root,
		Packages: slices.Concat(a.Packages, b.Packages),
		Servers:  slices.Concat(a.Servers, b.Servers),
		Built:    slices.Concat(a.Built, b.Built),
		Commands: slices.Concat(a.Commands, b.Commands),
	}
}
