package cases

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// Limit is one of several limits of a system that are too small at the same time.
type Limit struct {
	Name   string // "port range"
	Rule   string // whose finding tells of it
	Kind   string // expected subject: kind and name; Name may be a regular expression
	Whose  string
	Advice string // regular expression for the words of the fix that the finding must list
	// Hides are the limits, by name, that no work gets to while this one binds: none of them
	// may be found before it is lifted.
	Hides []string
	Lift  step // does what that fix says
}

// noise is the share by which the application's number may fall from one step to the next:
// other programs take CPU time, too. A twentieth of what it does when it is healthy is noise as well:
// a few come through a limit that stops nearly all.
const noise = 0.2

// Step is what was found in a stack of limits, lifted because of it, and what the application
// did before.
type Step struct {
	Limit string           `json:"limit"` // "": the system is healthy
	Found string           `json:"found"` // headline of the first finding
	Good  load.Measurement `json:"good"`  // under the limit
}

// stack judges a system again and again. Each time the fix of what ranks first is applied, until
// nothing is found: each of the limits must be met, none before one that hides it, and the application
// never does worse. It does better once no limit is left that hides another one.
func (r Runner) stack(ctx context.Context, c Case, e *env.Env, result *Result) error {
	left, hiding := slices.Clone(c.Stack), false // hiding: the limit that was lifted last hid others
	hides := func(l Limit) bool { return len(l.Hides) > 0 }
	for {
		v, good, err := r.watch(ctx, c, e, result)
		if err != nil {
			return err
		}
		if n := len(result.Steps); n > 0 {
			if last := result.Steps[n-1]; last.Good.Value-good.Value > noise*max(last.Good.Value, result.Before.Value/4) {
				return fmt.Errorf("the fix of %s made it worse: %s, then %s", last.Limit, &last.Good, &good)
			} else if hiding && !slices.ContainsFunc(left, hides) && !good.BetterThan(last.Good) {
				return fmt.Errorf("the fix of %s did not help, although no limit is left that hides others: %s, then %s", last.Limit, &last.Good, &good)
			}
		} else {
			result.Under = &good
		}
		first, stranger := c.stacked(v, result)
		if stranger != "" {
			return errors.New("another finding: " + stranger)
		}
		if first == nil {
			result.Steps, result.After = append(result.Steps, Step{Good: good}), &good
			break
		}
		n := first.limit(left)
		if n < 0 {
			return fmt.Errorf("after %d steps none of the limits that are left is %s, with the fixes %q", len(result.Steps), first, first.fixes())
		}
		if i := slices.IndexFunc(left, func(l Limit) bool { return slices.Contains(l.Hides, left[n].Name) }); i >= 0 {
			return fmt.Errorf("%s was found first, while no work gets to it for %s: %s", left[n].Name, left[i].Name, first.Headline)
		}
		result.Steps, result.Found = append(result.Steps, Step{Limit: left[n].Name, Found: first.Headline, Good: good}), strings.TrimPrefix(result.Found+"; "+first.Headline, "; ")
		result.First, result.Rank = append(result.First, first.Rule), 1
		e.Logf("%s: %s first, %s; lifting it", c.ID, left[n].Name, &good)
		if err := left[n].Lift(ctx, e); err != nil {
			return fmt.Errorf("lift %s: %w", left[n].Name, err)
		}
		hiding = hides(left[n])
		left = slices.Delete(left, n, n+1)
	}
	for _, l := range left {
		return fmt.Errorf("nothing is found any more, and %s is still too small", l.Name)
	}
	if !result.After.BetterThan(*result.Under) {
		return fmt.Errorf("the fixes did not help the application: %s, then %s", result.Under, result.After)
	}
	return nil
}

// stacked is the first finding above possible that the case does not allow beside its limits; and
// what is none of its rules.
func (c Case) stacked(v verdictDoc, r *Result) (first *findingDoc, stranger string) {
	for i, f := range v.Findings {
		known := slices.ContainsFunc(c.Stack, func(l Limit) bool { return l.Rule == f.Rule })
		switch {
		case !f.abovePossible():
		case known && first == nil:
			first = &v.Findings[i]
		case !known && !c.allows(f) && stranger == "":
			stranger = f.String()
		}
		if f.abovePossible() && !known {
			r.Others = append(r.Others, f.String())
		}
	}
	return first, stranger
}

// limit is which of the limits a finding tells of: of several the one whose fix it lists first. -1: none.
func (f findingDoc) limit(left []Limit) int {
	for _, fix := range f.Fixes {
		for i, l := range left {
			if c := (Case{Rule: l.Rule, Kind: l.Kind, Name: l.Whose}); c.is(f) && regexp.MustCompile(l.Advice).MatchString(fix.Text) {
				return i
			}
		}
	}
	return -1
}

func (f findingDoc) fixes() (list []string) {
	for _, x := range f.Fixes {
		list = append(list, x.Text)
	}
	return list
}

// liftAll lifts what is left of a stack.
func liftAll(stack []Limit) step {
	return func(ctx context.Context, e *env.Env) error {
		for _, l := range stack {
			if err := l.Lift(ctx, e); err != nil {
				return fmt.Errorf("lift %s: %w", l.Name, err)
			}
		}
		return nil
	}
}
