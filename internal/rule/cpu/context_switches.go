package cpu

import (
	"cmp"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var contextSwitches = rule.Rule{
	ID:       "cpu/context-switches",
	Title:    "the CPUs switch between threads instead of running them",
	Plural:   "processes switch between threads instead of running them",
	Resource: "CPU",
	Needs:    []recording.Table{recording.CPUs, recording.Processes},
	// Threads that hand a CPU to each other all the time also queue for it.
	Explains:   []string{"cpu/saturated"},
	Thresholds: []*rule.Threshold{&sliceStorm, &slicePossible, &stormSystem, &stormCPU, &stormQueue, &busyFrom},
	Detect:     detectContextSwitches,
}

var (
	sliceStorm = rule.Threshold{Name: "slice-storm", Value: 5e-6, Unit: "seconds", Source: rule.Measured,
		Reason: "A switch costs 1 to 3 µs in the kernel, and as much again to refill caches. At 5 µs between two switches a thread spends about half of its CPU time on switching. Healthy servers stay far above: Redis at 70,000 requests/s runs 40 µs, MySQL point selects 25 µs or more."}
	slicePossible = rule.Threshold{Name: "slice-possible", Value: 10e-6, Unit: "seconds", Source: rule.Measured,
		Reason: "CPU time between two switches. At 10 µs switching still takes a fifth of it."}
	stormSystem = rule.Threshold{Name: "storm-system", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the program's CPU time spent in the kernel. Switching is kernel work; below half, the program mainly runs its own code."}
	stormCPU = rule.Threshold{Name: "storm-cpu", Value: 0.3, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU use of the program, in cores. Below this the switching does not matter."}
	stormQueue = rule.Threshold{Name: "storm-queue", Value: 0.5, Unit: "threads", Source: rule.Judgement,
		Reason: "Threads that wait for a CPU, on average. Two threads that pass messages switch as often without loss, as one always sleeps while the other runs."}
)

func detectContextSwitches(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	measured := false
	all := programs(v.Processes(), nil)
	for _, g := range all {
		s := switchesOf(g)
		if !s.known {
			continue
		}
		measured = true
		if g.cpu < stormCPU.Value || s.perSecond <= 0 || g.cpu/s.perSecond > slicePossible.Value || g.processes[0].Kernel {
			continue
		}
		if g.system < stormSystem.Value*g.cpu || g.delay < stormQueue.Value {
			continue
		}
		found = append(found, switchFinding(v, g, s))
	}
	if !measured && len(all) > 0 { // a container may have no other process
		return nil, &rule.NotJudged{Needs: "context switches of processes", Why: "/proc/PID/status could not be read twice in the window",
			How: shell.Say("run as root, and watch at least two seconds")}
	}
	return found, nil
}

// switches of a program per second.
type switches struct {
	known                             bool
	perSecond, voluntary, involuntary float64
	threads                           int
}

func switchesOf(g program) (s switches) {
	for _, p := range g.processes {
		if view.Known(p.Voluntary) && view.Known(p.Involuntary) {
			s.known = true
			s.voluntary += p.Voluntary
			s.involuntary += p.Involuntary
			s.threads += int(p.Threads)
		}
	}
	s.perSecond = s.voluntary + s.involuntary
	return s
}

func switchFinding(v *view.View, g program, s switches) rule.Finding {
	slice := g.cpu / s.perSecond
	cpus := float64(v.CPUCount())
	f := rule.Finding{
		Subject:    g.subject(),
		Confidence: rule.Possible,
		// It explains a full host only if it is what fills it.
		AffectsAll: g.cpu >= cpus/2,
		Impact:     rule.Impact{Share: min(1, g.system/cpus), Text: rule.T("%v of all CPU time spent in the kernel on its behalf", unit.Share(g.system/cpus))},
		Headline: rule.T("%s switches threads %v times a second: each runs %v at a time, %v of its CPU time is kernel time",
			g.label(), unit.Count(s.perSecond), unit.Seconds(slice), unit.Share(g.system/g.cpu)),
	}
	total, ok := v.CPUTotal()
	switch {
	case slice <= sliceStorm.Value && ok && total.System >= stormSystem.Value*total.Busy():
		f.Confidence = rule.Certain
	case slice <= sliceStorm.Value:
		f.Confidence = rule.Likely
	}
	why := "a thread gives up the CPU to wait for another one: threads contend for a lock or a queue"
	if s.involuntary > s.voluntary {
		why = "a thread is preempted by another one, or yields: more runnable threads than CPUs"
	}
	f.Evidence = []rule.Evidence{
		{Metric: metric.ProcessContextSwitches, Value: s.perSecond,
			What:  rule.T("%v switches: %v voluntary, %v involuntary", unit.PerSecond(s.perSecond), unit.PerSecond(s.voluntary), unit.PerSecond(s.involuntary)),
			Check: shell.Line("pidstat -wt -p %d 1 5", g.processes[0].PID)},
		{Metric: metric.ProcessSlice, Value: slice, Limit: rule.Limit(sliceStorm.Value),
			What:  rule.T("%v on a CPU between two switches", unit.Seconds(slice)),
			Check: shell.Line("cat /proc/%d/task/*/schedstat   # ns on CPU, ns waited, timeslices", g.processes[0].PID)},
		{Metric: metric.ProcessCPUSystem, Value: g.system / g.cpu, Limit: rule.Limit(stormSystem.Value),
			What:  rule.T("%v of its %v CPUs in the kernel", unit.Share(g.system/g.cpu), unit.Number(round(g.cpu))),
			Check: shell.Line("pidstat -u -p %d 1 5", g.processes[0].PID)},
		{Metric: metric.ProcessThreads, Value: float64(s.threads), Limit: rule.Limit(cpus),
			What:  rule.T("%d threads on %v CPUs, which waited %v s per second", s.threads, unit.Number(cpus), unit.Number(round(g.delay))),
			Check: shell.Line("ls /proc/%d/task | wc -l", g.processes[0].PID)},
	}
	if sched, ok := v.Scheduler(); ok {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SchedContextSwitches, Value: sched.ContextSwitches,
			What: rule.T("the whole host switches %v", unit.PerSecond(sched.ContextSwitches))})
	}
	if o, waited, ok := meetIn(v, g); ok {
		if s.voluntary >= s.involuntary {
			why = rule.T("a thread gives up the CPU to wait for another one: threads wait for %s", meetingPlace(o)).String()
		}
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessBlocked, Value: waited,
			What:  rule.T("its threads wait most for %s: %v s per second in %s, ended by %s", meetingPlace(o), unit.Number(round(waited)), o.For(), cmp.Or(o.EndedBy(), "no thread yet")),
			Check: shell.Line("rtrail trace offcpu -p %d --for 5s", g.processes[0].PID)})
	}
	f.Notes = []rule.Text{rule.T("%s", why)}
	f.Fixes = []rule.Fix{
		{Text: rule.T("run fewer threads: about as many as there are CPUs when they compute (now %d threads, %v CPUs)", s.threads, unit.Number(cpus)),
			Tradeoff: "threads that wait for disks or the network may then be too few"},
		{Text: rule.T("find the lock or the sched_yield loop that the threads contend for"),
			Command: shell.Line("perf record -e sched:sched_switch -g -p %d -- sleep 5", g.processes[0].PID), Tradeoff: "tracing switches at this rate slows the program further while it runs"},
		{Text: rule.T("split the lock, hold it for less time, or pass work in batches"), Tradeoff: "a change of the program"},
	}
	return f
}

// meetIn is in which function of the kernel threads of a program were blocked longest
// until another thread of it woke them, and how many were at a time.
func meetIn(v *view.View, g program) (longest view.OffCPU, waited float64, ok bool) {
	sums := map[string]float64{}
	best := map[string]view.OffCPU{}
	own := func(pid int32) bool {
		return slices.ContainsFunc(g.processes, func(p view.Process) bool { return p.PID == pid })
	}
	for _, o := range v.OffCPU() {
		if o.State == "R" || !own(o.PID) || !own(o.WakerPID) || o.For() == "" {
			continue
		}
		if _, known := best[o.For()]; !known {
			best[o.For()] = o
		}
		if sums[o.For()] += o.Mean; !ok || sums[o.For()] > waited {
			longest, waited, ok = best[o.For()], sums[o.For()], true
		}
	}
	return longest, waited, ok
}

// meetingPlace says what threads of one program hand over to each other by, from the
// function in which they wait.
func meetingPlace(o view.OffCPU) string {
	for _, place := range []struct{ part, words string }{
		{"futex", "a lock or a condition"}, {"pipe", "a pipe"}, {"eventfd", "an eventfd"}, {"unix_", "a Unix socket"}, {"sk_wait", "a socket"}, {"tcp_", "a socket"}, {"sem", "a semaphore"},
	} {
		if strings.Contains(o.For(), place.part) {
			return place.words
		}
	}
	return "each other"
}
