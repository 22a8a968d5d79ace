package main

import (
	"strconv"

	"github.com/spf13/pflag"

	"rtrail/internal/rule"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/shell"
)

// thresholds is the flag --threshold: each one takes effect as it is read.
type thresholds struct{}

// add adds the flag; when says when it counts: " (with --watch)".
func (t thresholds) add(f *pflag.FlagSet, when string) {
	f.Var(t, "threshold", "override a threshold of a rule; rtrail explain RULE lists them; repeatable"+when)
}

func (thresholds) String() string { return "" }

// Type is what the help calls the value.
func (thresholds) Type() string { return "RULE.NAME=VALUE" }

// Set overrides one threshold for this run.
func (thresholds) Set(spec string) error { return catalogue.Override(spec) }

// overridden are the thresholds that were.
func overridden() []rule.Override { return rule.Overridden(catalogue.Rules) }

// overrides say which thresholds were overridden: an answer with others is not the usual one.
func overrides() (notes []string) {
	for _, o := range overridden() {
		notes = append(notes, o.String())
	}
	return notes
}

// maxOverridesNamed bounds the thresholds that a command names.
const maxOverridesNamed = 20

// asOverridden has a command that judges again judge by the same thresholds. What follows it can
// only be a comment.
func asOverridden(c shell.Command) shell.Command {
	list := overridden()
	for _, o := range list[:min(len(list), maxOverridesNamed)] {
		c = c.With("--threshold %s", o.ID+"="+strconv.FormatFloat(o.Threshold.Value, 'g', -1, 64))
	}
	if more := len(list) - maxOverridesNamed; more > 0 {
		c = c.With("# and the other %d thresholds", more)
	}
	return c
}
