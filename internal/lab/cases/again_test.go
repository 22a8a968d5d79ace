package cases

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/env/envtest"
)

// try is what one run of a case is made to be like.
type try struct {
	pass   bool
	stolen float64
}

func TestRunUntilJudged(t *testing.T) {
	fails, passes := try{}, try{pass: true}
	robbed := try{stolen: 0.3}
	tests := []struct {
		name     string
		again    int
		patience time.Duration
		tries    []try // all of them, and no more
		pass     bool
		unjudged bool
		waits    int
	}{
		{name: "passes", again: 1, tries: []try{passes}, pass: true},
		{name: "passes on a busy machine", again: 1, tries: []try{{pass: true, stolen: 0.5}}, pass: true},
		{name: "fails once", again: 1, tries: []try{fails, passes}, pass: true},
		{name: "fails of its own", again: 1, patience: time.Hour, tries: []try{fails, fails}},
		{name: "a little theft is no excuse", again: 1, patience: time.Hour, tries: []try{{stolen: 0.09}, {stolen: 0.09}}},
		{name: "disturbed, then fine", again: 1, patience: time.Hour, tries: []try{robbed, robbed, robbed, passes}, pass: true, waits: 3},
		{name: "disturbed, then fails of its own", again: 1, patience: time.Hour, tries: []try{robbed, fails, robbed, fails}, waits: 2},
		{name: "disturbed until patience ends", again: 1, patience: time.Nanosecond, tries: []try{robbed, robbed}, unjudged: true, waits: 1},
		{name: "no patience is left, but one more try", again: 1, tries: []try{robbed, fails, fails}},
		{name: "disturbed again, and no patience is left", again: 1, tries: []try{robbed, robbed}, unjudged: true},
		{name: "no mercy asked for", patience: time.Hour, tries: []try{robbed}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			envtest.Isolate(t)
			var waits, begun int
			current := func() try { return test.tries[begun-1] }
			r := Runner{Again: test.again, Patience: test.patience, Progress: t.Output(),
				Diagnose: verdicts(t, make([][]findingDoc, 2*len(test.tries))...),
				stolen:   func() float64 { return current().stolen },
				calm:     func(context.Context) { waits++ },
			}
			_, result := r.RunUntilJudged(t.Context(), func() Case {
				if begun++; begun > len(test.tries) {
					t.Fatalf("try %d, only %d expected", begun, len(test.tries))
				}
				c := quickCase()
				makeControl(&c)
				c.Setup = func(context.Context, *env.Env) error {
					if !current().pass {
						return errors.New("no luck")
					}
					return nil
				}
				return c
			})
			if begun != len(test.tries) || waits != test.waits {
				t.Errorf("%d tries, %d waits for calm; want %d and %d", begun, waits, len(test.tries), test.waits)
			}
			if result.Pass != test.pass || result.Unjudged != test.unjudged {
				t.Errorf("pass %v, unjudged %v; want %v and %v", result.Pass, result.Unjudged, test.pass, test.unjudged)
			}
		})
	}
}

func TestLineNamesTheft(t *testing.T) {
	r := Result{Case: "cpu/saturated", Why: "was not found\nand more", Stolen: 0.34, Seconds: 12}
	if got := r.Line(); !strings.HasPrefix(got, "FAIL ") || !strings.HasSuffix(got, "was not found; 12 s; up to 34 % of the CPUs taken by the hypervisor") {
		t.Errorf("failure: %q", got)
	}
	r.Unjudged = true
	if got := r.Line(); !strings.HasPrefix(got, "lost ") || !strings.Contains(got, "34 %") || strings.Contains(got, "and more") {
		t.Errorf("unjudged: %q", got)
	}
	r.Unjudged, r.Stolen = false, 0.004
	if got := r.Line(); strings.Contains(got, "hypervisor") {
		t.Errorf("a failure of its own: %q", got)
	}
}

func TestLostTime(t *testing.T) {
	if got := lostTime(20 * time.Millisecond); got < 0 || got > 1 {
		t.Errorf("%v of the time was lost", got)
	}
}
