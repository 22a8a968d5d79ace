package cpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// program is all processes that run under one name: the four workers of a
// load generator are one consumer, not four.
type program struct {
	name      string
	processes []view.Process // busiest first
	cpu       float64        // cores
	system    float64        // cores
	delay     float64        // seconds waited for a CPU per second, lower bound
	nice      bool           // all of them ask to go last
}

// programs groups processes by name, the one with most CPU time first.
// rtrail's own process is left out, and so is who leave says, which may be nil.
// Rates of processes that lived for a part of the window are spread over all of it.
func programs(list []view.Process, leave func(*view.Process) bool) []program {
	index := map[string]int32{}
	var out []program
	longest := 0.0
	of := make([]int32, len(list)) // which program each is; -1: none
	var sizes []int
	for i := range list {
		p := &list[i] // they are large
		of[i] = -1
		if leave != nil && leave(p) {
			continue
		}
		longest = max(longest, p.Seconds)
		if p.Own {
			continue
		}
		n, ok := index[p.Comm]
		if !ok {
			n = int32(len(out))
			index[p.Comm] = n
			out = append(out, program{name: p.Comm, nice: true})
			sizes = append(sizes, 0)
		}
		of[i] = n
		sizes[n]++
	}
	for i, size := range sizes {
		out[i].processes = make([]view.Process, 0, size)
	}
	for i, n := range of {
		if n < 0 {
			continue
		}
		g := &out[n]
		g.processes = append(g.processes, list[i])
		p := &g.processes[len(g.processes)-1]
		// A compiler that lived for a second of ten used a tenth of its rate.
		part := present(p, longest)
		for _, rate := range []*float64{&p.CPU, &p.System, &p.RunDelay, &p.Voluntary, &p.Involuntary} {
			*rate *= part
		}
		g.cpu += p.CPU
		g.system += p.System
		g.delay += view.OrZero(p.RunDelay)
		g.nice = g.nice && p.Nice > 0
	}
	for i := range out {
		slices.SortStableFunc(out[i].processes, func(a, b view.Process) int { return cmp.Compare(b.CPU, a.CPU) })
	}
	slices.SortStableFunc(out, func(a, b program) int { return cmp.Compare(b.cpu, a.cpu) })
	return out
}

// present is the part of the window in which a process was seen.
func present(p *view.Process, longest float64) float64 {
	if longest <= 0 {
		return 0
	}
	return min(1, p.Seconds/longest)
}

var busyFrom = rule.Threshold{Name: "busy-from", Value: 0.01, Unit: "cores", Source: rule.Judgement,
	Reason: "A process below 1 % of a core is idle. Counting it would turn \"stress-ng ×4\" into \"×5\" with its idle parent."}

// workers are the processes of a program that used the CPU.
func (g program) workers() []view.Process {
	var list []view.Process
	for _, p := range g.processes {
		if p.CPU >= busyFrom.Value {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return g.processes[:1]
	}
	return list
}

// over says of what time the rates of the program are, if it is not what one would
// think: some of its processes were there for a part of the window.
func (g program) over(v *view.View) string {
	for _, p := range g.workers() {
		if _, lived := life(v, &p); lived != "" {
			return ", over the whole window"
		}
	}
	return ""
}

// label is the program as a sentence names it: "mysqld (812)", "stress-ng ×4".
func (g program) label() string {
	if w := g.workers(); len(w) > 1 {
		return fmt.Sprintf("%s ×%d", g.name, len(w))
	}
	return fmt.Sprintf("%s (%d)", g.name, g.processes[0].PID)
}

// subject names the program; of several workers the busiest lends its PID, so
// that one can look at it.
func (g program) subject() view.Entity {
	s := g.processes[0].Entity()
	if w := g.workers(); len(w) > 1 {
		s.Name = fmt.Sprintf("%s ×%d", g.name, len(w))
	}
	return s
}

// victims are the programs that were seen to wait for a CPU, who waited longest first.
func victims(list []program) []rule.Victim {
	const maxVictims = 100
	var out []rule.Victim
	for i := range list {
		if x, ok := list[i].victim(); ok {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b rule.Victim) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return out[:min(len(out), maxVictims)]
}

// victim sums up those processes of a program that felt their wait, and did not ask to go last. What
// kernel threads hold up shows in the processes they work for.
func (g program) victim() (x rule.Victim, ok bool) {
	var longest *view.Process
	n := 0
	for i := range g.processes {
		p := &g.processes[i] // they are large
		waited := view.OrZero(p.RunDelay)
		if p.Kernel || p.Nice > 0 || waited < victimDelay.Value {
			continue
		}
		n++
		x.Seconds += waited
		if longest == nil || waited > longest.RunDelay {
			longest = p
		}
	}
	if longest == nil {
		return x, false
	}
	x.Who = longest.Entity()
	if n > 1 {
		x.Who.Name = fmt.Sprintf("%s ×%d", g.name, n)
	}
	x.Lost = rule.T("waits for a CPU %v per second", unit.Seconds(x.Seconds))
	return x, true
}

// labels joins the names of the first few programs.
func labels(list []program, maxNames int) string {
	var names []string
	for i, g := range list {
		if i == maxNames {
			names = append(names, fmt.Sprintf("%d more", len(list)-maxNames))
			break
		}
		names = append(names, g.label())
	}
	return strings.Join(names, ", ")
}

// subjects are the processes of programs as subjects, at most a hundred.
func subjects(list []program) []view.Entity {
	const maxSubjects = 100
	var out []view.Entity
	for _, g := range list {
		for _, p := range g.processes {
			if len(out) < maxSubjects {
				out = append(out, p.Entity())
			}
		}
	}
	return out
}
