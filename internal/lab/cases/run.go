package cases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

const (
	beforeLength  = time.Second // of the measurement before the fault, which is only shown
	defaultWindow = 5 * time.Second
	// caseLimit ends a case that hangs. Cases take 10 to 20 s.
	caseLimit = 90 * time.Second
	// overlap is how much longer the load runs than rtrail watches, so that
	// the window lies inside it.
	overlap = time.Second
)

// Runner runs cases.
type Runner struct {
	Progress io.Writer // what happens, for people
	// Diagnose watches the host for a time and returns the verdict as JSON.
	// nil: this program's own diagnose verb, in a process of its own.
	Diagnose func(ctx context.Context, e *env.Env, window time.Duration) ([]byte, error)

	// Hold is how long a fault, and then the healthy system, is held while somebody else
	// watches; nothing is judged then. 0: this program watches.
	Hold time.Duration

	Again    int           // how often RunUntilJudged runs a case that fails once more
	Patience time.Duration // for tries that the hypervisor disturbed, of all cases together

	stolen func() float64        // of a run's worst second; nil: what the kernel says
	calm   func(context.Context) // waits for a calm machine; nil: really
}

// Run runs one case from set-up to clean-up. What goes wrong is in the
// result; nothing of the case is left behind in any event.
func (r Runner) Run(ctx context.Context, c Case) (result Result) {
	start := time.Now()
	result = Result{Case: c.ID, Others: []string{}, AfterFix: []string{}}
	stolen := r.stolen
	if stolen == nil {
		stolen = watchTheft(ctx).worstSecond
	}
	defer func() { result.Seconds, result.Stolen = time.Since(start).Seconds(), stolen() }()
	if missing := cmp.Or(c.Needs.Missing(), c.Verb.missing()); missing != "" {
		result.Skipped, result.Why = true, missing
		return result
	}
	if r.Hold > 0 {
		c.Window = r.Hold
	}
	e, err := env.New(c.ID, r.Progress)
	if err != nil {
		result.Why = err.Error()
		return result
	}
	ctx, cancel := context.WithTimeout(ctx, caseLimit+time.Duration(2+len(c.Stack))*2*c.window())
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			result.Pass, result.Why = false, fmt.Sprintf("the case panicked: %v\n%s", p, debug.Stack())
		}
		if err := e.Cleanup(); err != nil {
			result.Pass = false
			result.Why = strings.TrimPrefix(result.Why+"; "+err.Error(), "; ")
		}
	}()
	if err := r.phases(ctx, c, e, &result); err != nil {
		result.Why = err.Error()
		if cause := context.Cause(ctx); cause != nil {
			result.Why = fmt.Sprintf("stopped: %s (%s)", cause, result.Why)
		}
	}
	result.Pass = result.Why == ""
	return result
}

func (c Case) window() time.Duration {
	if c.Window > 0 {
		return c.Window
	}
	return defaultWindow
}

// phases is the life of a case: healthy, faulty, healthy again.
func (r Runner) phases(ctx context.Context, c Case, e *env.Env, result *Result) error {
	e.Logf("%s: setting up", c.ID)
	if err := c.Setup(ctx, e); err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	if c.Verb != nil {
		return r.verb(ctx, c, e, result)
	}
	before, err := c.Measure(ctx, e, beforeLength)
	if err != nil {
		return fmt.Errorf("measure the healthy application: %w", err)
	}
	result.Before = &before
	if c.Inject != nil {
		e.Logf("%s: injecting the fault, %s before", c.ID, result.Before)
		if err := c.Inject(ctx, e); err != nil {
			return fmt.Errorf("inject the fault: %w", err)
		}
	}
	if r.Hold > 0 {
		return r.hold(ctx, c, e, result)
	}
	if c.Stack != nil {
		return r.stack(ctx, c, e, result)
	}
	v, under, err := r.watch(ctx, c, e, result)
	if err != nil {
		return err
	}
	result.Under = &under
	if why := c.judgeFault(v, result); why != "" {
		return errors.New(why)
	}
	if c.Control() {
		return nil
	}
	e.Logf("%s: found; applying the fix, %s under fault", c.ID, result.Under)
	if err := c.Fix(ctx, e); err != nil {
		return fmt.Errorf("apply the fix: %w", err)
	}
	v, after, err := r.watch(ctx, c, e, nil)
	if err != nil {
		return err
	}
	if c.Withstood == "" && !after.BetterThan(under) {
		// Recovery takes its time, and a virtual machine may have got no CPU
		// for a moment: the application is asked once more, the verdict is not.
		e.Logf("%s: no better yet, %s; measuring once more", c.ID, &after)
		if after, err = c.Measure(ctx, e, c.window()); err != nil {
			return fmt.Errorf("measure the fixed application once more: %w", err)
		}
	}
	result.After = &after
	if why := c.judgeFix(v, result); why != "" {
		return errors.New(why)
	}
	return nil
}

// hold keeps the fault, and then the system without it, under load while somebody else
// watches.
func (r Runner) hold(ctx context.Context, c Case, e *env.Env, result *Result) error {
	load := func() (err error) {
		for end := time.Now().Add(r.Hold); err == nil && ctx.Err() == nil && time.Until(end) > overlap; {
			_, err = c.Measure(ctx, e, time.Until(end))
		}
		return cmp.Or(err, ctx.Err())
	}
	result.Injected = time.Now()
	e.Logf("%s: holding the fault for %v", c.ID, r.Hold)
	if err := load(); err != nil {
		return fmt.Errorf("load under the fault: %w", err)
	}
	if c.Control() {
		return nil
	}
	if err := c.Fix(ctx, e); err != nil {
		return fmt.Errorf("apply the fix: %w", err)
	}
	result.Fixed = time.Now()
	e.Logf("%s: fixed; under load for %v", c.ID, r.Hold)
	if err := load(); err != nil {
		return fmt.Errorf("load after the fix: %w", err)
	}
	return nil
}

// watch has rtrail judge the host while the application is measured.
func (r Runner) watch(ctx context.Context, c Case, e *env.Env, result *Result) (verdictDoc, load.Measurement, error) {
	type measured struct {
		m   load.Measurement
		err error
	}
	done := make(chan measured, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	panicked := make(chan any, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				panicked <- p
			}
		}()
		m, err := c.Measure(ctx, e, c.window()+overlap)
		done <- measured{m, err}
	}()
	env.Sleep(ctx, overlap/4)
	out, err := r.diagnose(ctx, c, e)
	finished := time.Now()
	if err != nil {
		return verdictDoc{}, load.Measurement{}, err
	}
	_ = os.WriteFile(e.Path("verdict.json"), out, 0o644) // for whoever looks into a failed lab
	v, err := parseVerdict(out)
	if err != nil {
		return verdictDoc{}, load.Measurement{}, err
	}
	if result != nil && !v.Window.End.IsZero() {
		result.Verdict = finished.Sub(v.Window.End)
	}
	select {
	case m := <-done:
		if m.err != nil {
			return v, m.m, fmt.Errorf("measure the application while rtrail watches: %w", m.err)
		}
		return v, m.m, nil
	case p := <-panicked:
		panic(p) // in the goroutine that cleans up
	case <-ctx.Done():
		return v, load.Measurement{}, ctx.Err()
	}
}
