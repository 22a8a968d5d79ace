package view

import "slices"

// maxDelayedServers is how many of those that somebody waits for, directly or not, are
// asked.
const maxDelayedServers = 16

// WaitedForCPU is the share of the time that was waited for somebody in which its
// threads, or those of the processes of this host that it waits for, waited for a CPU,
// 0 to 1. waiting is how long it was waited for, in seconds per second; where that is
// not known, it is taken for all of the window. by says whose threads count. What could
// not be read counts as no wait.
func (v *View) WaitedForCPU(e Entity, waiting float64, by func(*Process) bool) float64 {
	return v.waitedForCPU(e, waiting, by, &[]Entity{})
}

func (v *View) waitedForCPU(e Entity, waiting float64, by func(*Process) bool, asked *[]Entity) float64 {
	if waiting <= 0 {
		waiting = 1
	}
	processes, share := v.delayOf(e, waiting, by)
	*asked = append(*asked, e)
	for _, w := range v.Waits() {
		if len(*asked) < maxDelayedServers && w.Told && w.Mean > 0 && (w.Who.Same(e) || ofThem(processes, w.Who)) && !ofThem(processes, w.For) &&
			!slices.ContainsFunc(*asked, w.For.Same) {
			share += min(w.Mean/waiting, 1) * v.waitedForCPU(w.For, w.Mean, by, asked)
		}
	}
	return min(share, 1)
}

func ofThem(processes []Process, e Entity) bool {
	return slices.ContainsFunc(processes, func(p Process) bool { return p.Entity().Same(e) })
}

// delayOf is the same for somebody alone, with its processes.
func (v *View) delayOf(e Entity, waiting float64, by func(*Process) bool) ([]Process, float64) {
	var owners []Process
	for _, l := range v.Listeners() {
		if !l.Entity().Same(e) || e.Port != 0 && l.Port != e.Port {
			continue
		}
		if s, ok := v.ServingOf(l, waiting); ok {
			return s.Processes, s.Runnable * partOfDelay(s.Processes, by)
		}
		owners = l.Owners
	}
	if p, ok := v.Process(e.PID); ok && len(owners) == 0 && p.Entity().Same(e) {
		owners = []Process{p}
	}
	sum := 0.0 // nobody is known to hold connections: any of them may work
	for i := range owners {
		sum += OrZero(owners[i].RunDelay)
	}
	return owners, min(sum/min(waiting, float64(max(len(owners), 1))), 1) * partOfDelay(owners, by)
}

// partOfDelay is the part of the run delay of processes that counts.
func partOfDelay(processes []Process, by func(*Process) bool) float64 {
	all, counts := 0.0, 0.0
	for i := range processes {
		d := OrZero(processes[i].RunDelay)
		all += d
		if by(&processes[i]) {
			counts += d
		}
	}
	if all <= 0 {
		return 0
	}
	return counts / all
}
