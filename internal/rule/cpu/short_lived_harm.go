package cpu

import (
	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	crowdedFrom = rule.Threshold{Name: "crowded-from", Value: 0.75, Unit: "share", Source: rule.Judgement,
		Reason: "Below 75 % busy there is a free CPU for nearly every runnable task, and waits are short."}
	stalledFrom = rule.Threshold{Name: "stalled-from", Value: 0.25, Unit: "share", Source: rule.Judgement,
		Reason: "CPU pressure (some): tasks wait for a CPU a quarter of the time. 10 % is normal."}
	crowdShare = rule.Threshold{Name: "crowd-share", Value: 0.25, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the busy CPU time that short-lived processes use. Below it other work fills the CPUs."}
	childShare = rule.Threshold{Name: "child-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the CPU time of a request. The children use at least half."}
	occupiedFrom = rule.Threshold{Name: "occupied-from", Value: 0.30, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time in which the parent is busy. A new request then finds it busy as often, and waits."}
	maxBirthsPerRequest = rule.Threshold{Name: "max-births-per-request", Value: 20.0, Unit: "processes per request", Source: rule.Judgement,
		Reason: "A request starts a few processes. With more per request, they are started for something else."}
)

// harm is who waits because of short-lived processes. CPU time that nobody else
// wants harms nobody.
type harm struct {
	crowd    bool    // tasks wait for a CPU because of them
	waits    bool    // tasks wait for a CPU, whatever the reason
	stalled  float64 // share of the time in which some did; 0: not known
	delayed  float64 // seconds that those seen waited, per second, without those that asked to go last
	niced    float64 // the same of the latter
	requests bool    // the parent works for requests, and its children take most of that
	input    float64 // share of the readings in which the parent waited for its standard input
	occupied float64 // share of the time in which it worked
	arrivals float64 // requests that came over TCP, per second
}

func (x harm) any() bool { return x.crowd || x.requests }

func harmOf(v *view.View, b books, used float64, total view.CPUShare, forks float64) harm {
	x := harm{}
	cores := total.Busy() * float64(v.CPUCount())
	q := queueOf(v, cores)
	x.delayed, x.niced = q.waited, q.niced
	if stall, ok := v.Stall("cpu"); ok {
		x.stalled = stall.Some
	}
	waits := q.measured && q.waited >= waitRatioPossible.Value*cores || x.stalled >= stalledFrom.Value
	x.waits = waits || q.measured && q.waited+q.niced >= waitRatioPossible.Value*cores
	x.crowd = total.Busy() >= crowdedFrom.Value && used >= crowdShare.Value*total.Busy() && waits
	if b.parentCPU < childShare.Value*(b.parentCPU+b.parent.CPU) {
		return x
	}
	if n, inputs := inputWaits(v, b.parent.PID); inputs > 0 {
		x.input = float64(inputs) / float64(n)
		x.occupied = 1 - x.input
	} else if x.arrivals = arrivalsAt(v, b.parent); x.arrivals*maxBirthsPerRequest.Value >= forks {
		x.occupied = min(1, b.parentCPU+b.parent.CPU)
	}
	x.requests = x.occupied >= occupiedFrom.Value
	return x
}

// inputWaits counts the readings of a process's main thread, and those in which
// it waited for its standard input: whoever writes there gives it work.
func inputWaits(v *view.View, pid int32) (readings, inputs int) {
	for _, t := range v.ThreadTimes() {
		if t.PID != pid || t.TID != pid {
			continue
		}
		for _, s := range t.Samples {
			readings++
			if s.Input {
				inputs++
			}
		}
	}
	return readings, inputs
}

// arrivalsAt is how many requests a second a process may have got over TCP:
// segments with data on connections to a port that it, its parent or a process
// with its name listens on, and connections to such a port that were too brief to be
// seen.
func arrivalsAt(v *view.View, p view.Process) float64 {
	serves := func(owners []view.Process) bool {
		for _, o := range owners {
			if o.PID == p.PID || o.PID == p.PPID || o.Comm == p.Comm {
				return true
			}
		}
		return false
	}
	type port struct {
		netns uint64
		port  uint16
	}
	ports, spaces := map[port]bool{}, map[uint64]bool{}
	for _, l := range v.Listeners() {
		if serves(l.Owners) {
			ports[port{l.NetNS, l.Port}], spaces[l.NetNS] = true, true
		}
	}
	rate := 0.0
	for ns := range spaces {
		rate += view.OrZero(v.CountersOf(ns).Rate("TcpPassiveOpens"))
	}
	for _, c := range v.Connections() {
		if seconds := v.Seconds(); ports[port{c.NetNS, c.LocalPort}] && seconds > 0 {
			rate += c.DataSegmentsIn() / seconds
		}
	}
	return rate
}

// harmless says why nobody is said to wait because of them.
func (x harm) harmless(used float64, total view.CPUShare) rule.Text {
	switch {
	case x.waits && used < crowdShare.Value*total.Busy():
		return rule.T("tasks wait for a CPU, but other work uses most of it: %v of the busy time is theirs", unit.Share(used/max(total.Busy(), used)))
	case x.waits && total.Busy() >= crowdedFrom.Value:
		return rule.T("only tasks with a positive nice value wait for a CPU")
	case total.Busy() < crowdedFrom.Value:
		return rule.T("no process was seen to wait because of them: the CPUs were idle %v of the time", unit.Share(1-total.Busy()))
	}
	return rule.T("no process was seen to wait for a CPU")
}

func (x harm) evidence(b books) (list []rule.Evidence) {
	if x.crowd {
		what := rule.T("tasks waited for a CPU %v of the time; tasks that live longer waited %v s per second", unit.Share(x.stalled), unit.Number(round(x.delayed)))
		if round(x.niced) > 0 {
			what = rule.T("%s, besides %v s of tasks with a positive nice value", what, unit.Number(round(x.niced)))
		}
		list = append(list, rule.Evidence{Metric: metric.PressureCPUSome, Value: x.stalled, Limit: rule.Limit(stalledFrom.Value), What: what})
	}
	switch {
	case !x.requests:
	case x.input > 0:
		list = append(list, rule.Evidence{Metric: metric.ThreadInputWait, Value: x.input, Limit: rule.Limit(1 - occupiedFrom.Value),
			What:  rule.T("%s waited for input %v of the time and worked on it %v; its children used %v of that CPU time", b.parent.Comm, unit.Share(x.input), unit.Share(x.occupied), unit.Share(b.childShare())),
			Check: shell.Line("strace -tt -e trace=read,clone,wait4 -p %d", b.parent.PID)})
	default:
		list = append(list, rule.Evidence{Metric: metric.TCPArrivals, Value: x.arrivals,
			What: rule.T("%v requests came; its children used %v of the CPU time that they took", unit.PerSecond(x.arrivals), unit.Share(b.childShare()))})
	}
	return list
}

// childShare is the part of a parent's CPU time that its ended children used.
func (b books) childShare() float64 {
	if sum := b.parentCPU + b.parent.CPU; sum > 0 {
		return b.parentCPU / sum
	}
	return 0
}
