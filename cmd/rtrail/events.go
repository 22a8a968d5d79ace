package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/allocs"
	"rtrail/internal/probe/event/blockio"
	"rtrail/internal/probe/event/buffers"
	"rtrail/internal/probe/event/cache"
	"rtrail/internal/probe/event/connects"
	"rtrail/internal/probe/event/drops"
	"rtrail/internal/probe/event/exec"
	"rtrail/internal/probe/event/files"
	"rtrail/internal/probe/event/offcpu"
	"rtrail/internal/probe/event/oncpu"
	"rtrail/internal/probe/event/retransmits"
	"rtrail/internal/probe/event/syncs"
	"rtrail/internal/probe/event/syscalls"
)

// eventFlags say which events of the kernel are counted.
type eventFlags struct {
	mode   eventMode
	budget eventBudget
	alloc  int32 // PID
}

func (e *eventFlags) add(f *pflag.FlagSet) {
	e.budget = event.DefaultBudget
	f.Var(&e.mode, "events", "evidence from BPF programs in the kernel: off, rare (processes, a profile of the CPUs, dropped packets, segments sent again, full receive buffers, waits for ext4), all (also switches of threads, system calls, files, disks, the page cache, connects)")
	f.Int32Var(&e.alloc, "alloc", 0, "also follow the memory that this `PID` allocates, by stack; its calls of malloc and free become slower")
	f.Var(&e.budget, "event-budget", "share of a core that one BPF program may take before it is detached")
}

// eventMode is a flag for which events are counted.
type eventMode int

const (
	eventsRare eventMode = iota
	eventsOff
	eventsAll
)

// eventModes are the words for them.
var eventModes = []string{eventsRare: "rare", eventsOff: "off", eventsAll: "all"}

func (m *eventMode) String() string { return eventModes[*m] }
func (m *eventMode) Type() string   { return "mode" }

func (m *eventMode) Set(s string) error {
	i := slices.Index(eventModes, s)
	if i < 0 {
		return errors.New("it takes off, rare or all")
	}
	*m = eventMode(i)
	return nil
}

// probes are the sources of events. The types of the kernel, which take long to read,
// are those that the census reads, too.
func (e *eventFlags) probes(people *census.Census) (list []probe.Probe, err error) {
	o := event.Options{Loader: people.Loader(), Budget: float64(e.budget)}
	switch e.mode {
	case eventsRare:
		list = rareProbes(o)
	case eventsAll:
		list = eventProbes(o)
	}
	if e.alloc != 0 {
		s, err := allocs.New(e.alloc, 0)
		if err != nil {
			return nil, fmt.Errorf("--alloc %d: %w", e.alloc, err)
		}
		// Whoever asks for it wants it whole: its price is that of the program.
		list = append(list, event.New(s, event.Options{Loader: o.Loader, Budget: 1}))
	}
	return list, nil
}

// rareProbes are the sources of events that cost next to nothing on any host.
func rareProbes(o event.Options) []probe.Probe {
	return []probe.Probe{
		event.NewBrief(exec.New(), o),
		event.New(oncpu.New(0), o),
		event.NewBrief(drops.New(), o),
		event.NewBrief(retransmits.New(), o),
		event.NewBrief(buffers.New(), o),
		event.NewBrief(syncs.OfExt4(), o),
	}
}

// eventProbes are all sources of events.
func eventProbes(o event.Options) []probe.Probe {
	return []probe.Probe{
		event.NewBrief(exec.New(), o),
		event.New(oncpu.New(0), o),
		event.NewBrief(drops.New(), o),
		event.NewBrief(retransmits.New(), o),
		event.NewBrief(buffers.Growing(), o),
		event.New(offcpu.New(0), o),
		event.NewBrief(syncs.New(), o),
		event.New(syscalls.New(0), o),
		event.New(files.New(), o),
		event.New(blockio.New(), o),
		event.New(connects.New(), o),
		event.New(cache.New(), o),
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
