// Package cases reproduces faults with real software, lets rtrail judge them as
// a user would, applies the fix, and expects silence. It is how the project
// proves that a verdict is right.
package cases

import (
	"context"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// Case is one fault, or one healthy control.
type Case struct {
	ID     string // rule ID, with "+variant" where a rule has several: "net/packet-loss+nft"; or "control/..."
	Title  string
	Rule   string // the rule that must rank first; "" for a control, which must stay silent
	Kind   string // expected subject: kind and name; Name may be a regular expression
	Name   string
	Needs  env.Needs
	Window time.Duration // how long rtrail watches; 0: 5 s
	// AllowOthers lists rules whose findings above possible are consequences a
	// user would accept beside the first one. Each needs a reason in a comment.
	AllowOthers []string
	// AtMostPossible says why no honest verdict can be surer than "possible"
	// about this fault in so short a window; "": anything less than likely
	// fails.
	AtMostPossible string
	// NotEven lists rules that a control must not even call possible: what it does
	// is what they could mistake for a fault.
	NotEven []string
	// Says is a regular expression for what the headline must say, where a rule
	// tells several things apart; "": it is not looked at.
	Says string
	// Waits is a regular expression for one of the chains of who waits for whom, the
	// links joined by " → "; "": they are not looked at.
	Waits string
	// Withstood says why the application hardly suffers although the fault is
	// there; its number is then reported, not judged. "": it must get better.
	Withstood string

	// Culprit and Victim are regular expressions for the name of whose work makes
	// others wait, by default the subject, and of one who was seen to lose by it; "":
	// they are not looked at.
	Culprit, Victim string
	// Folds are rules whose findings must be symptoms of the expected finding, for
	// it is their cause.
	Folds []string

	// Parts are cases whose faults are there at the same time, as together makes
	// them: each must be found by itself. nil: there is one fault.
	Parts []Case

	// Stack are limits that are too small at the same time, one behind the other: the one that
	// ranks first is lifted, until nothing is found. nil: there is one fault, or Parts.
	Stack []Limit

	// Extra cases need what the project does not install by itself. They run when
	// they are named or match a pattern, not with all others.
	Extra bool

	// Captures says where packets are captured while rtrail watches: nowhere, in
	// one place beside the host, or on the client's and the server's side, which
	// are then judged without the host, as a user does with two files.
	Captures []Capture
	// FileAlone has one capture be judged without the host, too.
	FileAlone bool

	// MySQL names the servers that rtrail asks while it watches, as --mysql takes
	// them: "lab@/path/of.sock". It is called after Setup. nil: no server is asked.
	MySQL func() []string

	// Alloc is the process whose allocations rtrail follows. nil: none.
	Alloc func() int
	// AllEvents has rtrail also count what costs too much to be counted by default.
	AllEvents bool

	// Log names the slow query log that is judged alone, as a file, when the window is
	// over. nil: there is none.
	Log func() string

	// Verb is what of rtrail tests the network itself and judges in place of a diagnosis;
	// Rule and Measure are not used then. nil: diagnose judges.
	Verb *Verb

	// Setup makes the healthy system: namespaces, servers, the load that
	// measures them. What it starts is stopped by the Env, whatever happens.
	Setup func(context.Context, *env.Env) error
	// Inject makes the fault. nil for controls.
	Inject func(context.Context, *env.Env) error
	// Fix undoes the fault the way the page says. nil for controls.
	Fix func(context.Context, *env.Env) error
	// Measure runs the application for about d and returns its own number.
	// It is called before the fault, while rtrail watches, and after the fix.
	Measure func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error)
}

// Capture is a place where packets are captured.
type Capture struct {
	NetNS     string // as given to Env.NetNS; "" for the host's own
	Interface string
	Ports     []uint16 // server ports; none: all
}

// Control says whether the case is a healthy one.
func (c Case) Control() bool { return c.Rule == "" && c.Verb == nil }

// Faults are what must be found.
func (c Case) Faults() []Case {
	if c.Parts == nil {
		return []Case{c}
	}
	return c.Parts
}

// Result is what a run of a case gave; `rtrail lab run --json` prints it.
type Result struct {
	Case     string            `json:"case"`
	Pass     bool              `json:"pass"`
	Skipped  bool              `json:"skipped"`
	Why      string            `json:"why"`             // of failing or skipping
	Rank     int               `json:"rank"`            // of the expected rule for the expected subject, of several the last; 0: not found
	Found    string            `json:"found"`           // headline of that finding, of several joined by "; "
	First    []string          `json:"first"`           // rules of the findings in the first places, as many as there are faults; of a control the first above possible. null: there was no verdict
	Others   []string          `json:"others"`          // other findings above possible, not folded: "rule: headline"
	AfterFix []string          `json:"after_fix"`       // findings above possible after the fix
	Steps    []Step            `json:"steps,omitempty"` // of a stack of limits, in the order in which these were found
	Before   *load.Measurement `json:"before,omitempty"`
	Under    *load.Measurement `json:"under,omitempty"`
	After    *load.Measurement `json:"after,omitempty"`
	Seconds  float64           `json:"seconds"`
	Verdict  time.Duration     `json:"verdict_ns"` // from the window's end to the verdict
	Stolen   float64           `json:"stolen"`     // share of CPU time that the hypervisor took in the worst second of the run
	Unjudged bool              `json:"unjudged"`   // failed, but only in runs that the hypervisor disturbed
	Tries    int               `json:"tries"`      // this one and those before it, with --again; 0: it was not counted
	// Earlier are the tries before, which failed; unjudged those that the hypervisor disturbed.
	Earlier []Result `json:"earlier,omitempty"`
	// Injected is when a fault was there that is held, Fixed when it was fixed.
	Injected time.Time `json:"injected,omitzero"`
	Fixed    time.Time `json:"fixed,omitzero"`
}
