package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// inTime is how soon a fault has to be told.
	inTime = 30 * time.Second
	// allClear is how long after the end of a lab its end may be told: two windows, the part of one
	// before, and what is left of the fault meanwhile.
	allClear = 90 * time.Second
	// quiet is how long nothing is to happen before the next lab.
	quiet = 25 * time.Second
	// steal is the rule of what a hypervisor takes.
	steal = "cpu/steal"
)

// entry is a case, as `rtrail lab list --json` has it.
type entry struct {
	Case        string   `json:"case"`
	Rule        string   `json:"rule"`
	Kind        string   `json:"kind"`
	Name        string   `json:"name"`
	Extra       bool     `json:"extra"`
	AllowOthers []string `json:"allow_others"`
	HostAlone   bool     `json:"host_alone"`
}

// cases are the labs and the controls to run.
func (p *proof) cases(ctx context.Context) (labs, controls []entry, err error) {
	out, err := exec.CommandContext(ctx, p.rtrail, "lab", "list", "--json").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("list the labs: %w", err)
	}
	var all []entry
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, nil, err
	}
	rules := map[string]bool{}
	for _, c := range all {
		switch {
		case c.Rule == "" && c.HostAlone && !c.Extra:
			controls = append(controls, c)
		case c.Rule == "" || !c.HostAlone || c.Rule == steal:
		case p.labs != "" && matches(p.labs, c.Case), p.labs == "" && !c.Extra && !rules[c.Rule]:
			rules[c.Rule] = true
			labs = append(labs, c)
		}
	}
	if p.first > 0 {
		labs = labs[:min(p.first, len(labs))]
	}
	if len(labs) == 0 && p.labs != "none" {
		return nil, nil, errors.New("no lab of these the host alone shows: rtrail lab list --json, host_alone")
	}
	return labs, controls, nil
}

func matches(patterns, id string) bool {
	return slices.ContainsFunc(strings.Split(patterns, ","), func(p string) bool {
		ok, err := path.Match(p, id)
		return ok && err == nil
	})
}

// labResult is what `rtrail lab run --hold --json` prints.
type labResult struct {
	Pass     bool      `json:"pass"`
	Skipped  bool      `json:"skipped"`
	Why      string    `json:"why"`
	Injected time.Time `json:"injected"`
	Fixed    time.Time `json:"fixed"`
}

// held runs a case that is held.
func (p *proof) held(ctx context.Context, c entry) (labResult, error) {
	cmd := exec.CommandContext(ctx, p.rtrail, "lab", "run", c.Case, "--hold", p.hold.String(), "--json")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it cleans up
	cmd.Stderr = nil
	out, err := cmd.Output()
	var r labResult
	if bad := json.Unmarshal(out, &r); bad != nil {
		return r, fmt.Errorf("run %s: %w, %v", c.Case, bad, err)
	}
	return r, ctx.Err()
}

// verdict is how a lab went.
type verdict struct {
	entry
	skipped  bool
	why      string
	told     time.Duration // after the fault was there
	cleared  time.Duration // after it was fixed
	headline string
	wrong    []string
	notes    []string
}

func (v verdict) String() string {
	switch {
	case v.skipped:
		return fmt.Sprintf("skip  %-32s %s", v.Case, v.why)
	case len(v.wrong) > 0:
		return fmt.Sprintf("FAIL  %-32s %s", v.Case, strings.Join(append(v.wrong, v.notes...), "\n      "+strings.Repeat(" ", 33)))
	}
	words := fmt.Sprintf("pass  %-32s told after %4.1f s, all-clear after %4.1f s: %s", v.Case, v.told.Seconds(), v.cleared.Seconds(), v.headline)
	return strings.Join(append([]string{words}, v.notes...), "\n      "+strings.Repeat(" ", 33))
}

// lab runs a lab and looks at what was notified meanwhile.
func (p *proof) lab(ctx context.Context, w *watching, c entry) (verdict, error) {
	v := verdict{entry: c}
	before, err := w.open()
	if err != nil {
		return v, err
	}
	from := time.Now()
	r, err := p.held(ctx, c)
	if err != nil {
		return v, err
	}
	if r.Skipped || !r.Pass {
		v.skipped, v.why = r.Skipped, r.Why
		if !r.Skipped {
			v.wrong = []string{"the lab itself failed: " + r.Why}
		}
		return v, nil
	}
	notices, err := w.settle(ctx, from)
	if err != nil {
		return v, err
	}
	v.judge(r, slices.DeleteFunc(notices, func(n took) bool {
		if n.Event == "ended" && before[n.Fault] { // that of an earlier lab
			delete(before, n.Fault)
			return true
		}
		return p.ignores(n)
	}))
	return v, nil
}

// about says whether the key of a subject, HOST/KIND/NAME, is that of the one that the case expects.
// A key leaves out how many processes there are, and says in which unit or network namespace
// they are.
func (e entry) about(key string) bool {
	_, key, _ = strings.Cut(key, "/")
	kind, name, _ := strings.Cut(key, "/")
	if e.Kind != "" && kind != e.Kind {
		return false
	}
	wanted, err := regexp.Compile("^(?:" + cmp.Or(e.Name, ".*") + ")$")
	if err != nil {
		return false
	}
	whole, _, _ := strings.Cut(name, " in ")
	short := whole
	if i := strings.LastIndexByte(whole, ':'); kind == "listener" && i > 0 {
		short = whole[:i]
	}
	return slices.ContainsFunc([]string{name, whole, short, whole + " ×2"}, wanted.MatchString)
}

// judge compares the notices of a lab with what they should be.
func (v *verdict) judge(r labResult, notices []took) {
	fault := ""
	for _, n := range notices {
		mine := n.Rule == v.Rule && v.about(n.Subject)
		switch {
		case !mine && slices.Contains(v.AllowOthers, n.Rule):
			v.notes = append(v.notes, "(allowed: "+n.String()+")")
		case n.Event == "began" && mine && fault == "":
			fault, v.headline, v.told = n.Fault, n.Headline, n.Took.Sub(r.Injected)
			if v.told > inTime {
				v.wrong = append(v.wrong, fmt.Sprintf("told after %.0f s", v.told.Seconds()))
			}
		case n.Event == "ended" && n.Fault == fault && v.cleared == 0:
			v.cleared = n.Took.Sub(r.Fixed)
			if v.cleared < 0 {
				v.wrong = append(v.wrong, fmt.Sprintf("all-clear %.0f s before the fix", -v.cleared.Seconds()))
			}
		default:
			v.wrong = append(v.wrong, fmt.Sprintf("%+.0f s: %s", n.Took.Sub(r.Injected).Seconds(), n))
		}
	}
	switch {
	case fault == "":
		v.wrong = append([]string{"no notice of " + v.Rule}, v.wrong...)
	case v.cleared == 0:
		v.wrong = append(v.wrong, "no all-clear")
	}
}

// take appends the notice that is in the environment to a file.
func take(file string) error {
	n := took{Took: time.Now(), Event: os.Getenv("RTRAIL_EVENT"), Fault: os.Getenv("RTRAIL_FAULT"), Rule: os.Getenv("RTRAIL_RULE"), Subject: os.Getenv("RTRAIL_SUBJECT"), Headline: os.Getenv("RTRAIL_HEADLINE"), Confidence: os.Getenv("RTRAIL_CONFIDENCE")}
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Close())
}
