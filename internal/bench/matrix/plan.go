// Package matrix runs load tests: which steps there are, in which order, and how one goes on
// that was stopped. Each step is recorded and judged.
package matrix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"rtrail/internal/bench/load"
)

// Plan is what is to be measured. Its form in YAML is what people write and what is kept beside
// the runs.
type Plan struct {
	Kind         string        `yaml:"kind"` // mysql, http, command
	Environments []Environment `yaml:"environments"`
	Scenarios    []string      `yaml:"scenarios,omitempty"` // MySQL: words of sysbench or paths of scripts; HTTP: paths of the URL
	Threads      []int         `yaml:"threads,omitempty,flow"`
	Rates        []float64     `yaml:"rates,omitempty,flow"` // per second

	User     string `yaml:"user,omitempty"`
	Database string `yaml:"database,omitempty"`
	Tables   int    `yaml:"tables,omitempty"`
	Rows     int    `yaml:"rows,omitempty"`    // of a table
	Prepare  bool   `yaml:"prepare,omitempty"` // fill tables that are not there
	// Sysbench are more arguments for it.
	Sysbench []string `yaml:"sysbench,omitempty"`
	// Statements is the protocol of our own driver: prepared or text.
	Statements string `yaml:"statements,omitempty"`
	// Connections bounds those of an open loop.
	Connections int    `yaml:"connections,omitempty"`
	Scheme      string `yaml:"scheme,omitempty"` // http or https
	// KeepAlive keeps connections of HTTP for the next request.
	KeepAlive bool `yaml:"keep_alive"`

	Command []string `yaml:"command,omitempty,flow"` // {threads} and {rate} stand for the level
	Value   string   `yaml:"value,omitempty"`        // a regular expression with one group

	Seconds int `yaml:"seconds"` // that are measured, of each step
	Warmup  int `yaml:"warmup"`  // seconds before
	Repeats int `yaml:"repeats"`
	Pause   int `yaml:"pause"` // seconds between steps
	// Grace is how many seconds a command may take beside warm-up and measured seconds, to start
	// and to print; 0: DefaultGrace.
	Grace int `yaml:"grace,omitempty"`

	MaxRate float64 `yaml:"max_rate"`         // transactions a second that no step may exceed
	MaxTime string  `yaml:"max_time"`         // that all steps may take
	ReadyIn int     `yaml:"ready_in_seconds"` // how long a server may take to answer after a restart
}

// Environment is one of the things that are compared.
type Environment struct {
	Name string `yaml:"name"`
	// Target is what is loaded, HOST:PORT.
	Target string `yaml:"target"`
	// Restart is a command for the shell that restarts the server before each block.
	Restart  string            `yaml:"restart,omitempty"`
	Settings map[string]string `yaml:"settings,omitempty"` // that the user names
}

// Bounds of a plan.
const (
	maxPlan         = 1 << 20 // bytes
	maxEnvironments = 64
	maxSteps        = 10_000
	maxThreads      = 10_000
	maxRate         = 1_000_000
	maxSeconds      = 24 * 3600
	maxText         = 4096 // of a name, a command
)

// Parse reads a plan. What it does not say stays as it is in p.
func (p *Plan) Parse(text []byte) error {
	if len(text) > maxPlan {
		return fmt.Errorf("a plan of more than %d bytes", maxPlan)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(p); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	return nil
}

// YAML is the plan as it is kept.
func (p *Plan) YAML() ([]byte, error) { return yaml.Marshal(p) }

// Check refuses what cannot be meant.
func (p *Plan) Check() error {
	if len(p.Environments) == 0 {
		return errors.New("nothing is named to be loaded")
	}
	if len(p.Environments) > maxEnvironments {
		return fmt.Errorf("%d environments: at most %d", len(p.Environments), maxEnvironments)
	}
	var names []string
	for i := range p.Environments {
		e := &p.Environments[i]
		if err := e.check(); err != nil {
			return err
		}
		if slices.Contains(names, e.Name) {
			return fmt.Errorf("two environments are called %q", e.Name)
		}
		names = append(names, e.Name)
	}
	for _, n := range p.Threads {
		if n < 1 || n > maxThreads {
			return fmt.Errorf("%d threads: from 1 to %d", n, maxThreads)
		}
	}
	for _, r := range p.Rates {
		if !(r > 0 && r <= maxRate) {
			return fmt.Errorf("a rate of %v a second: more than 0, and at most %d", r, maxRate)
		}
		if r > p.MaxRate {
			return fmt.Errorf("a rate of %v a second is more than --max-rate %v allows", r, p.MaxRate)
		}
	}
	for _, s := range p.Scenarios {
		if len(s) > maxText || s == "" {
			return errors.New("a scenario without a name, or with one that is too long")
		}
	}
	for _, b := range []struct {
		what           string
		n, least, most int
	}{{"seconds", p.Seconds, 1, maxSeconds}, {"seconds of warm-up", p.Warmup, 0, maxSeconds}, {"repeats", p.Repeats, 1, 1000}, {"seconds of pause", p.Pause, 0, maxSeconds}, {"seconds of grace", p.Grace, 0, maxSeconds},
		{"seconds to get ready", p.ReadyIn, 1, 3600}, {"connections", p.Connections, 0, maxThreads}, {"tables", p.Tables, 0, 10_000}, {"rows", p.Rows, 0, 1 << 31}} {
		if b.n < b.least || b.n > b.most {
			return fmt.Errorf("%d %s: from %d to %d", b.n, b.what, b.least, b.most)
		}
	}
	return p.checkTime()
}

func (e *Environment) check() error {
	host, port, err := net.SplitHostPort(e.Target)
	n, bad := strconv.Atoi(port)
	switch {
	case e.Target == "":
		return fmt.Errorf("environment %q has no target: HOST:PORT", e.Name)
	case err != nil || host == "" || bad != nil || n < 1 || n > 65535:
		return fmt.Errorf("target %q: want HOST:PORT", e.Target)
	case e.Name == "" || len(e.Name) > 200 || strings.ContainsFunc(e.Name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("environment %q: want a name without control characters", e.Name)
	case len(e.Restart) > maxText || len(e.Settings) > 100:
		return fmt.Errorf("environment %s: too much text", e.Name)
	}
	return nil
}

// checkTime refuses a plan that takes longer than it may.
func (p *Plan) checkTime() error {
	limit, err := time.ParseDuration(p.MaxTime)
	if err != nil || limit <= 0 {
		return fmt.Errorf("--max-time %s: want a time as 30m or 2h", p.MaxTime)
	}
	steps := len(p.Steps())
	switch takes := p.Takes(); {
	case steps == 0:
		return errors.New("no step: name levels, as --threads 1,8,64 or --rates 1000,5000")
	case steps > maxSteps:
		return fmt.Errorf("%d steps: at most %d", steps, maxSteps)
	case takes > limit:
		return fmt.Errorf("%d steps take %v, more than --max-time %v allows", steps, takes, limit)
	}
	return nil
}

// DefaultGrace is Plan.Grace where it says nothing, in seconds.
const DefaultGrace = 60

// StepLimit is how long a step may take at most.
func (p *Plan) StepLimit() time.Duration {
	length := time.Duration(p.Seconds+p.Warmup) * time.Second
	if p.Kind == "command" {
		return length + time.Duration(cmp.Or(p.Grace, DefaultGrace))*time.Second
	}
	return 2*length + 2*time.Minute // drivers of rtrail's own end by themselves
}

// Takes is how long the plan takes, without starts and restarts.
func (p *Plan) Takes() time.Duration {
	return time.Duration(len(p.Steps())) * time.Duration(p.Seconds+p.Warmup+p.Pause) * time.Second
}

// Step is one run of a plan.
type Step struct {
	Number      int // from 1, in the order of the plan
	Environment *Environment
	Scenario    string
	Level       load.Level
	Repeat      int  // from 1
	Begins      bool // a block of an environment
}

// Steps are all runs, in their order. Repeats are outermost and environments next, so that
// blocks are A B A B: what changes slowly, as the weather of a cloud, hits all environments alike.
func (p *Plan) Steps() (steps []Step) {
	scenarios := p.Scenarios
	if len(scenarios) == 0 {
		scenarios = []string{p.Kind}
	}
	if n := len(p.Environments) * len(scenarios) * (len(p.Threads) + len(p.Rates) + 1); n > maxSteps || p.Repeats > maxSteps {
		return make([]Step, maxSteps+1)
	}
	var levels []load.Level
	for _, n := range p.Threads {
		levels = append(levels, load.Level{Threads: n})
	}
	for _, r := range p.Rates {
		levels = append(levels, load.Level{Rate: r})
	}
	if len(levels) == 0 && p.Kind == "command" {
		levels = []load.Level{{Threads: 1}} // the command knows how many
	}
	for repeat := 1; repeat <= p.Repeats; repeat++ {
		for e := range p.Environments {
			first := true
			for _, scenario := range scenarios {
				for _, level := range levels {
					steps = append(steps, Step{len(steps) + 1, &p.Environments[e], scenario, level, repeat, first})
					first = false
				}
			}
		}
	}
	return steps
}

// String names a step: "base point_select, 8 threads, repeat 2".
func (s *Step) String() string {
	return fmt.Sprintf("%s %s, %s, repeat %d", s.Environment.Name, s.Scenario, s.LevelName(), s.Repeat)
}

// LevelName is how much load: "8 threads", "5000/s".
func (s *Step) LevelName() string {
	if s.Level.Rate > 0 {
		return strconv.FormatFloat(s.Level.Rate, 'f', -1, 64) + "/s"
	}
	if s.Level.Threads == 1 {
		return "1 thread"
	}
	return strconv.Itoa(s.Level.Threads) + " threads"
}
