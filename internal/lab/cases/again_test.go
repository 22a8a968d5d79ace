package cases

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"rtrail/internal/document"
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
			if result.Tries != begun || len(result.Earlier) != begun-1 {
				t.Errorf("told of %d tries, and %d before; want %d and %d", result.Tries, len(result.Earlier), begun, begun-1)
			}
			for i, e := range result.Earlier {
				if e.Pass || e.Unjudged != (test.tries[i].stolen >= robbedSecond) || e.Tries != i+1 || e.Earlier != nil || e.Why == "" {
					t.Errorf("try %d: %+v", i+1, e)
				}
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

// What passed at a later try only says so.
func TestTriesAreTold(t *testing.T) {
	failed, robbed := Result{Why: "was not found"}, Result{Why: "was not found", Unjudged: true, Stolen: 0.3}
	passed := func(earlier ...Result) Result {
		return Result{Case: "cpu/a", Pass: true, Tries: 1 + len(earlier), Earlier: earlier, Seconds: 12}
	}
	lost := func(earlier ...Result) Result {
		r := passed(earlier...)
		r.Pass, r.Why = false, "was not found"
		return r
	}
	for name, c := range map[string]struct {
		rounds []Result
		line   string // end of the last round's
		status string
	}{
		"at once":                       {[]Result{passed(), passed()}, "; 12 s", "| 2 of 2 |"},
		"one at its second try":         {[]Result{passed(), passed(), passed(), passed(), passed(failed)}, "; 12 s; at its second try", "| 5 of 5, 1 at its second try |"},
		"two of them":                   {[]Result{passed(failed), passed(failed)}, "; at its second try", "| 2 of 2, 2 at their second try |"},
		"at different ones":             {[]Result{passed(failed), passed(failed, failed)}, "; at its third try", "| 2 of 2, 1 at its second try, 1 at its third try |"},
		"late":                          {[]Result{passed(robbed, robbed, robbed, robbed, failed)}, "; at try 6", "| 1 of 1, 1 at try 6 |"},
		"disturbed before":              {[]Result{passed(robbed)}, "; at its second try, as the hypervisor disturbed", "| 1 of 1, 1 after tries that the hypervisor disturbed |"},
		"failed twice":                  {[]Result{lost(failed)}, "was not found; 12 s; 2 tries", "| 0 of 1 |"},
		"failed, and was tried once":    {[]Result{lost()}, "was not found; 12 s", "| 0 of 1 |"},
		"failed twice after one passed": {[]Result{passed(failed), lost(failed)}, "; 2 tries", "| 1 of 2, 1 at its second try |"},
	} {
		var out strings.Builder
		if err := document.Markdown(&out, Table([]Summary{{Case: Case{ID: "cpu/a", Rule: "cpu/a", Title: "a fault"}, Rounds: c.rounds}})); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), c.status) {
			t.Errorf("%s: no %q in\n%s", name, c.status, out.String())
		}
		if got := c.rounds[len(c.rounds)-1].Line(); !strings.HasSuffix(got, c.line) {
			t.Errorf("%s: %q, want its end %q", name, got, c.line)
		}
	}
}

func TestLostTime(t *testing.T) {
	if got := lostTime(20 * time.Millisecond); got < 0 || got > 1 {
		t.Errorf("%v of the time was lost", got)
	}
}
