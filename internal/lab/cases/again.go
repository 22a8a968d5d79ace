package cases

import (
	"context"
	"fmt"
	"time"
)

// calmBefore is how long one more try waits at most for the machine to be calm.
const calmBefore = 30 * time.Second

// RunUntilJudged runs a case, and again after a failure as r.Again allows.
// Failures that the hypervisor disturbed do not count: r.Patience is for them,
// and is used up by them. Where it ends before the case passed or failed of its
// own, the result is unjudged. Cases keep state: fresh makes one for each try,
// and the last one is returned. Its result keeps those of the tries before.
//
// With r.Again 0 the first result stands, whatever disturbed it.
func (r *Runner) RunUntilJudged(ctx context.Context, fresh func() Case) (Case, Result) {
	var earlier []Result
	for tries, failures := 1, 0; ; tries++ {
		start := time.Now()
		c := fresh()
		result := r.Run(ctx, c)
		result.Tries, result.Earlier = tries, earlier
		if result.Pass || result.Skipped || r.Again == 0 || ctx.Err() != nil {
			return c, result
		}
		disturbed := result.Stolen >= robbedSecond
		if !disturbed {
			failures++
		}
		switch {
		case failures > r.Again:
			return c, result
		case tries > r.Again && disturbed && r.Patience <= 0:
			result.Unjudged = true
			return c, result
		}
		if r.Progress != nil {
			fmt.Fprintln(r.Progress, line("again", c.ID, "%s%s", firstLine(result.Why), result.theft()))
		}
		if disturbed && r.Patience > 0 {
			r.awaitCalm(ctx)
			r.Patience -= time.Since(start)
		}
		result.Unjudged, result.Earlier = disturbed, nil
		earlier = append(earlier, result)
	}
}

func (r *Runner) awaitCalm(ctx context.Context) {
	if r.calm != nil {
		r.calm(ctx)
		return
	}
	awaitCalm(ctx, calmBefore)
}
