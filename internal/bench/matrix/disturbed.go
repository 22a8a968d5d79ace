package matrix

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/load"
	"rtrail/internal/escape"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

const (
	// mostOff is by how much others may change what a step measures. Where the CPUs are full, the
	// load does as much more without them as they took, relative to what it had; elsewhere its
	// transactions take as much longer as they waited for CPUs of others. A tenth is what the
	// daemons of a host come to, and where a baseline is refused for the same reason.
	mostOff = 0.1
	// worthNoting is what steadiness allows a mean to be off by.
	worthNoting = 0.03
	// fullCPUs is the share of busy time from which on no CPU is left to evade to, as of
	// cpu/saturated.
	fullCPUs = 0.9
	// wentOn is the share of what somebody did during a step that it must still do after the load
	// has ended: what stops with the load worked for it, as a backend that the server asks.
	wentOn = 0.5
	// leastCPU is the CPU time per time from which on a program is looked at.
	leastCPU = 0.01
	// drainFor is how long a server may take to end what it was asked; lookFor is how long is
	// looked who goes on.
	drainFor, lookFor = 200 * time.Millisecond, time.Second
	// maxSides bounds how far connections to further servers are followed.
	maxSides = 8
)

// sides are the processes of a load by PID: the server under test with those that it asks on this
// host, and the generator. All others have no part in it.
type sides struct {
	of map[int32]bool
	// served says that the process is known which listens at the target.
	served bool
}

// sidesOf finds the processes that belong to a load: who listens at the target, in whatever network
// namespace, its unit or container, the listeners that these have connections to, rtrail, and the
// descendants of all of them.
func sidesOf(v *view.View, servers []netip.AddrPort) sides {
	s := sides{of: map[int32]bool{}}
	processes := v.Processes()
	var units map[string]bool
	join := func(l *view.Listener) (more bool) {
		for i := range l.Owners {
			p := &l.Owners[i]
			if p.PID <= 1 || s.of[p.PID] { // systemd holds sockets of those that it starts
				continue
			}
			s.of[p.PID], more = true, true
			if u := view.Unit(p.Cgroup); u != "" {
				units[p.Cgroup] = true
			}
		}
		return more
	}
	spread := func() {
		for i := range processes {
			if p := &processes[i]; units[p.Cgroup] && p.PID > 1 && !p.Kernel {
				s.of[p.PID] = true
			}
		}
		s.descend(processes)
	}
	units = map[string]bool{}
	listeners := v.Listeners()
	at := func(address string, port uint16, ns uint64, local bool) (more bool) {
		for i := range listeners {
			l := &listeners[i]
			if l.Port != port || local && l.NetNS != ns {
				continue
			}
			if l.Local == address || view.Wildcard(l.Local) && (local || v.HasAddress(l.NetNS, address)) {
				more = join(l) || more
			}
		}
		return more
	}
	for _, a := range servers {
		s.served = at(a.Addr().String(), a.Port(), v.Manifest().Host.NetNS, a.Addr().IsLoopback()) || s.served
	}
	spread()
	for range maxSides {
		more := false
		for _, c := range v.Connections() {
			for _, p := range v.SocketOwners(c.Inode) {
				if s.of[p.PID] && !p.Own {
					remote, err := netip.ParseAddr(c.Remote)
					more = at(c.Remote, c.RemotePort, c.NetNS, err == nil && remote.IsLoopback()) || more
					break
				}
			}
		}
		if !more {
			break
		}
		spread()
	}
	for i := range processes {
		if processes[i].Own {
			s.of[processes[i].PID] = true
		}
	}
	s.descend(processes)
	return s
}

// descend adds descendants.
func (s *sides) descend(processes []view.Process) {
	for more := true; more; {
		more = false
		for i := range processes {
			if p := &processes[i]; !s.of[p.PID] && s.of[p.PPID] && !p.Kernel {
				s.of[p.PID], more = true, true
			}
		}
	}
}

// other is a program that has no part in a load.
type other struct {
	name   string
	pid    int32 // of its busiest process
	number int   // of processes that used the CPU
	cpus   float64
	takes  float64 // cpus by the weight that the kernel gives them beside processes of usual priority
}

// String is the program as a sentence names it.
func (o *other) String() string {
	if o.number > 1 {
		return fmt.Sprintf("%s ×%d", escape.Line(o.name), o.number)
	}
	return fmt.Sprintf("%s (%d)", escape.Line(o.name), o.pid)
}

// shared is who used the CPUs of a host in the seconds of a step.
type shared struct {
	others []other // the busiest first
	all    float64 // CPUs that all processes used, without the kernel's threads
	waited float64 // seconds that those of the load waited for a CPU, per second
	full   bool
	cpus   float64
}

// sharedBy measures it.
func sharedBy(v *view.View, s sides) shared {
	var x shared
	total, ok := v.CPUTotal()
	x.full, x.cpus = ok && total.Busy() >= fullCPUs, float64(v.CPUCount())
	processes := v.Processes()
	longest := 0.0
	for i := range processes {
		longest = max(longest, processes[i].Seconds)
	}
	if longest <= 0 {
		return x
	}
	index := map[string]int{}
	for i := range processes {
		p := &processes[i]
		if p.Kernel {
			continue // they work for others
		}
		part := min(1, p.Seconds/longest)
		used := view.OrZero(p.CPU) * part
		x.all += used
		if s.of[p.PID] {
			x.waited += view.OrZero(p.RunDelay) * part
			continue
		}
		n, known := index[p.Comm]
		if !known {
			n = len(x.others)
			index[p.Comm] = n
			x.others = append(x.others, other{name: p.Comm, pid: p.PID})
		}
		o := &x.others[n]
		o.cpus += used
		o.takes += used * math.Pow(1.25, -float64(max(p.Nice, 0))) // sched_prio_to_weight
		if used >= leastCPU {
			o.number++
		}
	}
	x.others = slices.DeleteFunc(x.others, func(o other) bool { return o.cpus < leastCPU })
	slices.SortStableFunc(x.others, func(a, b other) int { return cmp.Compare(b.cpus, a.cpus) })
	return x
}

// off is by how much others change what a step measures, as a share, and why.
func (x *shared) off(r *bench.Run, local bool) (share float64, why string) {
	takes, used := 0.0, 0.0
	for i := range x.others {
		takes, used = takes+x.others[i].takes, used+x.others[i].cpus
	}
	if takes <= 0 {
		return 0, ""
	}
	own := x.all - used
	if share = takes / max(own, leastCPU); x.full && local && share >= worthNoting {
		return share, fmt.Sprintf("the CPUs were full, and the load, with all that ended with it, had %.2f of them", own)
	}
	tps, mean := float64(r.Load.TPS), float64(r.Load.Mean)/1e3
	if math.IsNaN(mean) && r.Threads > 0 {
		mean = float64(r.Threads) / tps // Little's law
	}
	waited := x.waited * takes / (takes + own) / tps
	if share = waited / mean; !(share >= worthNoting) {
		return 0, ""
	}
	return share, fmt.Sprintf("each transaction waited %v of its %v for CPUs because of that", unit.Seconds(waited), unit.Seconds(mean))
}

// without leaves out those who stopped with the load: these worked for it.
func (x *shared) without(g load.Going) (stopped []other) {
	x.others = slices.DeleteFunc(x.others, func(o other) bool {
		gone := g.CPUs[o.name] < wentOn*o.cpus
		if gone {
			stopped = append(stopped, o)
		}
		return gone
	})
	return stopped
}

// words name who used how much, the busiest few of them.
func (x *shared) words() string {
	const named = 3
	var list []string
	for i := range x.others {
		o := &x.others[i]
		if i == named {
			list = append(list, fmt.Sprintf("%d more", len(x.others)-named))
			break
		}
		list = append(list, fmt.Sprintf("%v used %.2f of %.0f CPUs", o, o.cpus, x.cpus))
	}
	return strings.Join(list, ", ")
}

// taken is a sure finding whose culprit has no part in the load.
type taken struct {
	finding *verdict.Finding
	felt    bool // by the server or the generator
}

// takenBy are the findings of which others are the cause.
func takenBy(found verdict.Verdict, s sides) (list []taken) {
	for i := range found.Findings {
		f := &found.Findings[i]
		if f.Confidence < rule.Likely || f.Culprit == nil || f.Culprit.PID <= 0 || s.of[f.Culprit.PID] {
			continue
		}
		felt := f.AffectsAll || slices.ContainsFunc(f.Affects, func(e view.Entity) bool { return s.of[e.PID] }) ||
			slices.ContainsFunc(f.Victims, func(w rule.Victim) bool { return s.of[w.Who.PID] })
		list = append(list, taken{f, felt})
	}
	return list
}

// disturbed says of a run what others took that the load needed, and takes findings away that these
// caused: they are not what limits the step. going tells who goes on after the load has ended;
// it is asked only where that matters.
func disturbed(r *bench.Run, v *view.View, found *verdict.Verdict, s sides, local bool, going func(movers []int32) load.Going) {
	x := sharedBy(v, s)
	share, _ := x.off(r, local)
	takers := takenBy(*found, s)
	if share < worthNoting && len(takers) == 0 {
		return
	}
	var movers []int32
	for _, t := range takers {
		movers = append(movers, t.finding.Culprit.PID)
	}
	after := going(movers)
	drop := map[*verdict.Finding]bool{}
	for _, t := range takers {
		f, who := t.finding, t.finding.Culprit
		if p, ok := v.Process(who.PID); !ok || after.Bytes[who.PID] < wentOn*(view.OrZero(p.ReadBytes)+view.OrZero(p.WriteBytes)) || after.CPUs[p.Comm] < wentOn*p.CPU {
			r.Notes = append(r.Notes, fmt.Sprintf("%s, which is neither the server nor the generator, stopped with the load: it is taken for part of it", escape.Line(who.String())))
			continue
		}
		drop[f] = true
		if t.felt {
			r.Invalid = append(r.Invalid, fmt.Sprintf("disturbed by %s, which is neither the server nor the generator: %s", escape.Line(who.String()), escape.Line(f.Headline.String())))
		} else {
			r.Notes = append(r.Notes, fmt.Sprintf("beside the load: %s; neither the server nor the generator was seen to wait for it", escape.Line(f.Headline.String())))
		}
	}
	if share >= worthNoting {
		stopped := x.without(after)
		switch share, why := x.off(r, local); {
		case share >= mostOff:
			r.Invalid = append(r.Invalid, fmt.Sprintf("disturbed: %s, and are neither the server nor the generator; %s", x.words(), why))
			for i := range found.Findings {
				drop[&found.Findings[i]] = drop[&found.Findings[i]] || found.Findings[i].Rule == "cpu/saturated"
			}
		case share >= worthNoting:
			r.Notes = append(r.Notes, fmt.Sprintf("%s, and are neither the server nor the generator: what is measured is off by up to %v", x.words(), unit.Share(share)))
		case s.served && len(stopped) > 0:
			x.others = stopped
			r.Notes = append(r.Notes, x.words()+", and stopped with the load: they are taken for part of it")
		}
	}
	var left []verdict.Finding
	for i := range found.Findings {
		if !drop[&found.Findings[i]] {
			left = append(left, found.Findings[i])
		}
	}
	found.Findings = left
}

// after tells who goes on now that the load has ended.
func after(ctx context.Context) func(movers []int32) load.Going {
	return func(movers []int32) load.Going {
		sleep(ctx, drainFor)
		return load.GoingOn(ctx, lookFor, movers)
	}
}
