package main

import "rtrail/internal/rule/catalogue"

// thresholds is the flag --threshold: each one takes effect as it is read.
type thresholds struct{}

func (thresholds) String() string { return "" }

// Type is what the help calls the value.
func (thresholds) Type() string { return "RULE.NAME=VALUE" }

// Set overrides one threshold for this run.
func (thresholds) Set(spec string) error { return catalogue.Override(spec) }
