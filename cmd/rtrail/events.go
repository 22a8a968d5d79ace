package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"rtrail/internal/probe"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/exec"
	"rtrail/internal/probe/kernel"
)

// eventFlags say which events of the kernel are counted.
type eventFlags struct {
	mode   string
	budget eventBudget
}

const (
	eventsOff = "off"
	eventsOn  = "on"
)

func (e *eventFlags) add(f *pflag.FlagSet) {
	e.budget = event.DefaultBudget
	f.StringVar(&e.mode, "events", eventsOn, "count events in the kernel by BPF: on or off")
	f.Var(&e.budget, "event-budget", "share of a core that one BPF program may take before it is detached")
}

// check refuses a mode that there is none of.
func (e *eventFlags) check() error {
	if e.mode != eventsOn && e.mode != eventsOff {
		return usageError("--events %q: it takes on or off", e.mode)
	}
	return nil
}

// probes are the sources of events.
func (e *eventFlags) probes() []probe.Probe {
	if e.mode == eventsOff {
		return nil
	}
	return eventProbes(event.Options{Loader: &kernel.Loader{}, Budget: float64(e.budget)})
}

// eventProbes are all sources of events that are cheap enough to be always there.
func eventProbes(o event.Options) []probe.Probe {
	return []probe.Probe{
		event.New(exec.New(), o),
	}
}

// eventBudget is a flag for a share of a core: "1%" or 0.01.
type eventBudget float64

func (b *eventBudget) String() string { return fmt.Sprintf("%g%%", 100*float64(*b)) }
func (b *eventBudget) Type() string   { return "share" }

func (b *eventBudget) Set(s string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return fmt.Errorf("want a share of a core as 1%% or 0.01")
	}
	*b = eventBudget(v)
	return nil
}
