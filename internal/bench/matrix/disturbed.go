package matrix

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/load"
	"rtrail/internal/escape"
	"rtrail/internal/recording"
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
	// served says that the process is known which serves the target: one that listens there, or in the
	// container to which a published port leads.
	served bool
}

// sidesOf finds the processes that belong to a load: who listens at the target, in whatever network
// namespace, its unit or container, the listeners that these have connections to, rtrail, and the
// descendants of all of them.
func sidesOf(v *view.View, servers []netip.AddrPort) sides {
	s := sides{of: map[int32]bool{}}
	processes := v.Processes()
	units := map[string]bool{}
	var proxies []string // their command lines
	join := func(l *view.Listener) (more bool) {
		for i := range l.Owners {
			p := &l.Owners[i]
			if starter(p) || s.of[p.PID] {
				continue
			}
			s.of[p.PID], more = true, true
			if p.Comm == dockerProxy {
				proxies = append(proxies, p.Cmdline)
				continue
			}
			s.served = true
			if u := view.Unit(p.Cgroup); u != "" {
				units[p.Cgroup] = true
			}
		}
		return more
	}
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
	spread := func() {
		for ; len(proxies) > 0; proxies = proxies[1:] {
			if to, ok := behind(proxies[0]); ok {
				at(to.Addr().String(), to.Port(), 0, false)
			}
		}
		for i := range processes {
			if p := &processes[i]; units[p.Cgroup] && !starter(p) && !p.Kernel {
				s.of[p.PID] = true
			}
		}
		s.descend(processes)
	}
	for _, a := range servers {
		at(a.Addr().String(), a.Port(), v.Manifest().Host.NetNS, a.Addr().IsLoopback())
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

// starter says of a process that it holds sockets of those that it starts. Elsewhere than on a host
// PID 1 is the server itself.
func starter(p *view.Process) bool { return p.Comm == "systemd" || p.Comm == "init" }

// dockerProxy listens at a port of the host that a container publishes. Most packets go past it, by
// DNAT.
const dockerProxy = "docker-proxy"

// behind is where the command line of a dockerProxy leads to.
func behind(cmdline string) (to netip.AddrPort, ok bool) {
	var address, port string
	fields := strings.Fields(cmdline)
	for i := range len(fields) - 1 {
		switch fields[i] {
		case "-container-ip":
			address = fields[i+1]
		case "-container-port":
			port = fields[i+1]
		}
	}
	to, err := netip.ParseAddrPort(net.JoinHostPort(address, port))
	return to, err == nil
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
	over   bool    // it ended before the load did, and was the only one of its name
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
	waited float64 // seconds that those of the load waited for a CPU, per second, without those of held groups
	told   bool    // waited is known
	held   bool    // some of the load were stopped for their quota: CPUs of others are not what they lack
	full   bool
	cpus   float64
}

// sharedBy measures it.
func sharedBy(v *view.View, s sides, ended time.Time) shared {
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
			switch { // whom its quota stops counts as waiting for a CPU
			case v.Throttled(p):
				x.held = true
			case view.Known(p.RunDelay):
				x.waited, x.told = x.waited+p.RunDelay*part, true
			}
			continue
		}
		n, known := index[p.Comm]
		if !known {
			n = len(x.others)
			index[p.Comm] = n
			x.others = append(x.others, other{name: p.Comm, pid: p.PID, over: endedBefore(v, p, ended)})
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

// off is by how much others change at most what a step measures, as a share, and why; sure says that
// it is not less by much, either.
func (x *shared) off(r *bench.Run, local bool) (share float64, why string, sure bool) {
	takes, used := 0.0, 0.0
	for i := range x.others {
		takes, used = takes+x.others[i].takes, used+x.others[i].cpus
	}
	if takes <= 0 {
		return 0, "", false
	}
	own := x.all - used
	mean := float64(r.Load.Mean) / 1e3
	underWay := float64(r.Load.TPS) * mean // Little's law; how many a command asks at a time is not known
	known := underWay > 0 && x.told
	if x.full && local && !(r.Rate > 0) {
		share = takes / max(own, leastCPU)
		// Without any waiting for CPUs transactions take as much less, and there are as many more of them.
		all := underWay
		if !known {
			all = own + x.waited // no transaction takes less
		}
		if x.told && x.waited < all {
			share = min(share, x.waited/(all-x.waited))
		}
		if share < worthNoting {
			return 0, "", false
		}
		return share, fmt.Sprintf("the CPUs were full, and the load, with all that ended with it, had %.2f of them", own), known && !x.held
	}
	share = x.waited * takes / (takes + own) / underWay
	if !known || share < worthNoting {
		return 0, "", false
	}
	// Where CPUs are idle, those of the load may have waited for each other: on CPUs that they are bound
	// to, or as many begin at once.
	return share, fmt.Sprintf("each transaction waited %v of its %v for CPUs because of that", unit.Seconds(share*mean), unit.Seconds(mean)), x.full && !x.held
}

// endedBefore says of a process that it had ended a second before a load did, by itself: it lived for
// a second at least, and was the only one of its name, which a pool renews its workers under.
func endedBefore(v *view.View, p *view.Process, ended time.Time) bool {
	last := p.Samples[len(p.Samples)-1].At()
	if !p.Gone || last.Sub(p.Started) < time.Second {
		return false
	}
	seen := false // that it was gone
	processes := v.Processes()
	for i := range processes {
		q := &processes[i]
		if q.Comm == p.Comm && (q.PID != p.PID || !q.Started.Equal(p.Started)) {
			return false
		}
		if !seen && !q.Gone {
			seen = slices.ContainsFunc(q.Samples, func(r recording.Reading[recording.ProcessSample]) bool {
				return r.At().Sub(last) > time.Second/4 && ended.Sub(r.At()) >= time.Second
			})
		}
	}
	return seen
}

// without leaves out those who stopped with the load: these worked for it.
func (x *shared) without(g load.Going) (stopped []other) {
	x.others = slices.DeleteFunc(x.others, func(o other) bool {
		gone := !o.over && g.CPUs[o.name] < wentOn*o.cpus
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
// caused: they are not what limits the step. going tells who goes on after the load has ended, but
// those of the load; it is asked only where that matters. at is how people know the server.
func disturbed(r *bench.Run, v *view.View, found *verdict.Verdict, s sides, local bool, at string, going func(movers []int32, own map[int32]bool) load.Going) {
	x := sharedBy(v, s, r.Ended)
	share, _, _ := x.off(r, local)
	takers := takenBy(*found, s)
	if share < worthNoting && len(takers) == 0 {
		return
	}
	if local && !s.served {
		whom := ""
		if !v.Manifest().Host.Root {
			whom = " (root sees it)"
		}
		r.Notes = append(r.Notes, fmt.Sprintf("which process serves %s is not known%s: whether others disturb is not judged", at, whom))
		return
	}
	var movers []int32
	for _, t := range takers {
		movers = append(movers, t.finding.Culprit.PID)
	}
	after := going(movers, s.of)
	drop := map[*verdict.Finding]bool{}
	for _, t := range takers {
		f, who := t.finding, t.finding.Culprit
		p, ok := v.Process(who.PID)
		if over := ok && endedBefore(v, &p, r.Ended); !ok || !over && (after.Bytes[who.PID] < wentOn*(view.OrZero(p.ReadBytes)+view.OrZero(p.WriteBytes)) || after.CPUs[p.Comm] < wentOn*p.CPU) {
			r.Notes = append(r.Notes, fmt.Sprintf("%s, no part of the server or the generator, stopped with the load: it is taken for part of it", escape.Line(who.String())))
			continue
		}
		drop[f] = true
		if t.felt {
			r.Invalid = append(r.Invalid, fmt.Sprintf("disturbed by %s, no part of the server or the generator: %s", escape.Line(who.String()), escape.Line(f.Headline.String())))
		} else {
			r.Notes = append(r.Notes, fmt.Sprintf("beside the load: %s; neither the server nor the generator was seen to wait for it", escape.Line(f.Headline.String())))
		}
	}
	if share >= worthNoting {
		stopped := x.without(after)
		bound := after.Fewest > 0 && float64(after.Fewest) < x.cpus
		switch share, why, sure := x.off(r, local); {
		case share >= mostOff && sure && !bound:
			r.Invalid = append(r.Invalid, fmt.Sprintf("disturbed: %s: no part of the server or the generator; %s", x.words(), why))
			for i := range found.Findings {
				drop[&found.Findings[i]] = drop[&found.Findings[i]] || found.Findings[i].Rule == "cpu/saturated"
			}
		case share >= mostOff:
			r.Notes = append(r.Notes, fmt.Sprintf("%s: no part of the server or the generator; how far what is measured is off by that is not known", x.words()))
		case share >= worthNoting:
			r.Notes = append(r.Notes, fmt.Sprintf("%s: no part of the server or the generator; what is measured is off by up to %v", x.words(), unit.Share(share)))
		case s.served && len(stopped) > 0:
			x.others = stopped
			r.Notes = append(r.Notes, x.words()+", and stopped with the load: taken for part of it")
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
func after(ctx context.Context) func(movers []int32, own map[int32]bool) load.Going {
	return func(movers []int32, own map[int32]bool) load.Going {
		sleep(ctx, drainFor)
		return load.GoingOn(ctx, lookFor, movers, own)
	}
}
