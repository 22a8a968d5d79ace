package cpu

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var saturated = rule.Rule{
	ID:       "cpu/saturated",
	Title:    "more work than the CPUs can do",
	Plural:   "programs have more work than the CPUs can do",
	Resource: "CPU",
	Needs:    []recording.Table{recording.CPUs},
	NeedsAny: []recording.Table{recording.Processes, recording.System, recording.Pressure},
	Columns: []string{"cpus.user_ns", "cpus.system_ns", "cpus.idle_ns", "cpus.iowait_ns", "processes.user_ns", "processes.system_ns",
		"system.running", "pressure.some_ns"},
	Explains: []string{"cpu/one-thread-limit", "cpu/hot-function"},
	Delays:   []string{"rt/server-slow", "rt/client-slow"},
	Refutes:  []string{"CPU of MySQL"},
	Thresholds: []*rule.Threshold{&fullFrom, &waitRatio, &waitRatioPossible, &stallFull, &queueReadings, &dominantShare, &victimDelay, &stealWorthSaying, &busyFrom,
		&consumersShare, &worthNaming, &delayShare, &insideShare},
	Delayed: func(v *view.View, _, symptom *rule.Finding) bool {
		return delayed(v, symptom, func(p *view.Process) bool { return !v.Throttled(p) })
	},
	Detect: detectSaturated,
}

var (
	fullFrom = rule.Threshold{Name: "full-from", Value: 0.90, Unit: "share", Source: rule.Judgement,
		Reason: "Above this no CPU is free for a waiting task. The remaining idle time lies between wake-up and run; even an overcommitted host shows some when part of its load sleeps."}
	waitRatio = rule.Threshold{Name: "wait-ratio", Value: 0.5, Unit: "ratio", Source: "queueing theory, M/M/2",
		Reason: "Run delay relative to busy CPU time. At 0.5, work that takes 100 ms alone takes 150 ms. With random arrivals two CPUs are at this point when about 75 % busy; a batch that just fills its CPUs stays near 0."}
	waitRatioPossible = rule.Threshold{Name: "wait-ratio-possible", Value: 0.25, Unit: "ratio", Source: rule.Judgement,
		Reason: "Run delay relative to busy CPU time. The queue becomes noticeable."}
	stallFull = rule.Threshold{Name: "stall-full", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "CPU pressure (some), if run delays are not readable: tasks wait most of the time."}
	queueReadings = rule.Threshold{Name: "queue-readings", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Readings of the run queue, if neither run delays nor pressure are readable. Each is of one instant; from five on the mean says who waits most of the time."}
	dominantShare = rule.Threshold{Name: "dominant-share", Value: 0.25, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the busy CPU time. A program below this is one of many, and the host is named instead."}
	victimDelay = rule.Threshold{Name: "victim-delay", Value: 0.01, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "A process that waits less than 1 % of the time is no victim."}
)

func detectSaturated(v *view.View) ([]rule.Finding, error) {
	total, ok := v.CPUTotal()
	if !ok {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/stat", Why: "the window is too short to tell how busy the CPUs were", How: shell.Say("watch longer: --for 10s")}
	}
	cores := total.Busy() * float64(v.CPUCount())
	q := queueOf(v, cores)
	if q.measured && v.Partly(recording.Processes) && total.Busy() >= fullFrom.Value && q.waited+q.niced < waitRatioPossible.Value*cores {
		// Reports tell the delays of main threads only: a sum that is too small says nothing of the others.
		q.measured, q.partial, q.waited, q.niced = false, true, 0, 0
	}
	stall, hasStall := v.Stall("cpu")
	queued, hasQueue := queuedTasks(v)
	if s, ok := v.Scheduler(); !q.measured && !hasStall && ok && view.Known(s.Running) && !knowsCPUs(v) {
		return nil, &rule.NotJudged{Needs: "the number of CPUs", Why: "how long a run queue is too long depends on it", How: shell.Say("give a report of mpstat, iostat or sar beside the others")}
	}
	if !q.measured && !hasStall && !hasQueue && q.partial {
		return nil, &rule.NotJudged{Needs: "CPU pressure or the run queue", Why: "the CPUs are full, and reports tell run delays of main threads or of few processes only",
			How: shell.Say("give a report of vmstat or sar -q beside the others")}
	}
	if !q.measured && !hasStall && !hasQueue {
		return nil, &rule.NotJudged{Needs: "run delays, CPU pressure or the run queue",
			Why: "neither /proc/PID/schedstat nor /proc/pressure/cpu could be read, nor often enough how many tasks wait for how many CPUs, and a busy CPU alone does no harm",
			How: shell.Say("a kernel with CONFIG_SCHED_INFO or CONFIG_PSI (boot with psi=1)")}
	}
	if total.Busy() < fullFrom.Value || q.known && len(q.consumers) == 0 {
		return nil, nil
	}
	f := rule.Finding{}
	switch {
	case q.measured && q.waited >= waitRatio.Value*cores:
		if f.Confidence = rule.Certain; v.Partly(recording.Processes) {
			f.Confidence = rule.Likely // some may wait for the quota of their group, which is not told
		}
	case q.measured && q.waited+q.niced >= waitRatioPossible.Value*cores:
		f.Confidence = rule.Possible // only those that asked to go last, or only a little
	case !q.measured && stall.Some >= stallFull.Value:
		f.Confidence = rule.Likely
		q.waited, q.least = max(stall.Some, queued), queued < stall.Some
	case !q.measured && !hasStall && queued >= waitRatio.Value*cores:
		f.Confidence = rule.Likely
		q.waited = queued
	default:
		return nil, nil
	}
	if f.Confidence == rule.Likely && total.Nice >= total.Busy()/2 {
		f.Confidence = rule.Possible // those that asked to go last are most of the load
		f.Notes = append(f.Notes, rule.T("%v of the busy CPU time is that of tasks with a positive nice value, which asked to go last: so this is only possible",
			unit.Share(total.Nice/total.Busy())))
	}
	describeSaturated(v, &f, q, total, cores)
	return []rule.Finding{f}, nil
}

// queuedTasks is how many tasks waited for a CPU on average, as the run queue tells: those
// that are no more than the CPUs run, and one of them is whoever reads the queue.
func queuedTasks(v *view.View) (tasks float64, ok bool) {
	s, ok := v.Scheduler()
	if !ok || !view.Known(s.Running) || float64(s.Readings) < queueReadings.Value || !knowsCPUs(v) {
		return 0, false
	}
	return max(s.Running-1-float64(v.CPUCount()), 0), true
}

// knowsCPUs says that the number of CPUs is known.
func knowsCPUs(v *view.View) bool { return len(v.CPUs()) > 0 || v.Manifest().Host.CPUs > 0 }

// queue is who waited for a CPU, and who kept it.
type queue struct {
	known     bool    // it is known which processes use the CPUs
	outside   bool    // most of the CPU time went to processes outside of rtrail's container
	measured  bool    // run delays were readable
	partial   bool    // they were, but are those of a few processes, or of main threads, and say nothing
	waited    float64 // seconds waited per second, by processes that did not ask to go last, without kernel threads
	niced     float64 // the same by processes with a positive nice value
	least     bool    // waited is of pressure, which tells that somebody waits, and not how many
	consumers []program
	victims   []program
	throttled bool // processes in throttled groups were left out
}

var insideShare = rule.Threshold{Name: "inside-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the busy CPU time that the processes of a container use which rtrail runs in, or those that a report lists. Below it those that use the CPUs are outside and cannot be seen."}

// wordsOf says how much was waited, and what of the sum that evidence tells is not in it.
func (q *queue) wordsOf(waited float64) rule.Text {
	if q.waited > 0 && round(q.niced) > 0 {
		return rule.T("%v s waited per second, besides %v s of tasks with a positive nice value", unit.Number(round(waited)), unit.Number(round(q.niced)))
	}
	if q.least {
		return rule.T("at least %v s waited per second", unit.Number(round(waited)))
	}
	return rule.T("%v s waited per second", unit.Number(round(waited)))
}

// tasksOf says how many tasks wait.
func (q *queue) tasksOf(waited float64) rule.Text {
	if q.least {
		return rule.T("at least %v tasks wait for one at any time", unit.Number(round(waited)))
	}
	return rule.T("%v tasks wait for one at any time", unit.Number(round(waited)))
}

var consumersShare = rule.Threshold{Name: "consumers-share", Value: 0.8, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the CPU time that the named consumers use together. Others that wait beside them are victims."}

// queueOf measures it; cores is how many CPUs were busy.
func queueOf(v *view.View, cores float64) queue {
	var q queue
	longest := 0.0
	processes := v.Processes()
	q.known = len(processes) > 0 && v.Tells(recording.Processes, "user_ns")
	for i := range processes {
		longest = max(longest, processes[i].Seconds)
	}
	all := programs(processes, func(p *view.Process) bool {
		if view.Known(p.RunDelay) {
			q.measured = true
		}
		// A process in a group stopped for its quota counts as waiting for a
		// CPU all that time; that is not the host's doing.
		if p.Own || v.Throttled(p) {
			q.throttled = q.throttled || !p.Own
			return true
		}
		// Kernel threads that a timer wakes hundreds of times a second wait long
		// in all and do next to nothing; what they hold up shows in the processes
		// they work for.
		if p.Kernel {
			return false
		}
		if p.Nice > 0 {
			q.niced += view.OrZero(p.RunDelay) * present(p, longest)
		} else {
			q.waited += view.OrZero(p.RunDelay) * present(p, longest)
		}
		return false
	})
	var sum, taken float64
	for _, g := range all {
		sum += g.cpu
	}
	if v.Manifest().Host.Container && sum < insideShare.Value*cores {
		// Of all who wait only these are seen: their sum says nothing of the queue.
		q.outside, q.known, q.measured = true, false, false
	}
	if v.Partly(recording.Processes) && listsFew(v, sum) {
		q.known, q.partial = false, q.measured
		q.measured, q.waited, q.niced = false, 0, 0
	}
	// Consumers are the programs that together make up most of the CPU time;
	// whoever waits beside them is their victim. ksoftirqd and other kernel
	// threads work for somebody else and are never blamed.
	for _, g := range all {
		switch {
		case q.known && taken < consumersShare.Value*sum && g.cpu >= busyFrom.Value && !g.processes[0].Kernel:
			q.consumers = append(q.consumers, g)
		case g.delay >= victimDelay.Value:
			q.victims = append(q.victims, g)
		}
		taken += g.cpu
	}
	return q
}

// listsFew says that the processes of a report, which used some cores, are not those that keep full
// CPUs busy, as in a report of one program (pidstat -p).
func listsFew(v *view.View, cores float64) bool {
	total, _ := v.CPUTotal()
	used := (total.User + total.Nice + total.System) * float64(v.CPUCount())
	return total.Busy() >= fullFrom.Value && cores < insideShare.Value*used
}

func describeSaturated(v *view.View, f *rule.Finding, q queue, total view.CPUShare, cores float64) {
	cpus := v.CPUCount()
	var top program
	if q.known {
		top = q.consumers[0]
	}
	if used := top.cpu / cores; !q.known {
		f.Subject = v.HostEntity()
		f.Headline = rule.T("more work than %d CPUs can do: %v; nothing tells which programs", cpus, q.tasksOf(q.waited))
		if q.outside {
			f.Headline = rule.T("more work than %d CPUs can do: %v; most CPU time is used outside this container", cpus, q.tasksOf(q.waited))
		}
	} else if used >= dominantShare.Value {
		f.Subject = top.subject()
		f.Headline = rule.T("more work than CPUs: %s uses %v of %d CPUs, and %v",
			top.label(), unit.Share(top.cpu/float64(cpus)), cpus, q.tasksOf(q.waited+q.niced))
	} else {
		f.Subject = v.HostEntity()
		f.Headline = rule.T("more work than %d CPUs can do: %v; most is used by %s",
			cpus, q.tasksOf(q.waited+q.niced), labels(q.consumers, 3))
	}
	waited := q.waited
	if waited == 0 {
		waited = q.niced
	}
	f.Impact = rule.Impact{TimeLost: waited, Text: q.wordsOf(waited)}
	f.AffectsAll = false
	f.Affects = subjects(q.victims)
	f.Victims = victims(q.victims)
	if q.measured {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SchedRunDelay, Value: q.waited + q.niced,
			What:  rule.T("tasks waited %v s per second for a CPU and ran %v s", unit.Number(round(q.waited+q.niced)), unit.Number(round(cores))),
			Limit: rule.Limit(waitRatio.Value * cores),
			Check: shell.Line("pidstat -u 1 5   # column %%wait")})
	}
	f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CPUIdle, Value: total.Idle + total.IOWait,
		What:  rule.T("CPUs idle %v of the time", unit.Share(total.Idle+total.IOWait)),
		Limit: rule.Limit(1 - fullFrom.Value), Check: shell.Line("mpstat -P ALL 1 5")})
	if s, ok := v.Scheduler(); ok && view.Known(s.Running) {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SchedRunning, Value: s.Running,
			What:  rule.T("%v tasks on or waiting for %d CPUs, mean of %d readings", unit.Number(round(s.Running)), cpus, s.Readings),
			Limit: rule.Limit(float64(cpus))})
	}
	if stall, ok := v.Stall("cpu"); ok {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.PressureCPUSome, Value: stall.Some,
			What: rule.T("tasks waited for a CPU %v of the time", unit.Share(stall.Some))})
	}
	for i, g := range q.consumers {
		if i == 3 {
			break
		}
		what := rule.T("%s used %v CPUs and waited %v s per second%s", g.label(), unit.Number(round(g.cpu)), unit.Number(round(g.delay)), g.over(v))
		if !q.measured {
			what = rule.T("%s used %v CPUs%s", g.label(), unit.Number(round(g.cpu)), g.over(v))
		}
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessCPU, Value: g.cpu, What: what, Check: shell.Line("pidstat -u 1 5")})
	}
	var hot hotSpot
	if q.known {
		hot = hottest(v, top.workers()...)
		f.Evidence = append(f.Evidence, hot.evidence()...)
	}
	if total.Steal >= stealWorthSaying.Value {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CPUSteal, Value: total.Steal,
			What: rule.T("the hypervisor took %v of the CPU time", unit.Share(total.Steal))})
	}
	if q.waited < waitRatioPossible.Value*cores && q.niced > 0 {
		f.Notes = append(f.Notes, rule.T("only processes with a positive nice value wait; the others get their CPU"))
	}
	if q.outside {
		f.Fixes = []rule.Fix{{Text: rule.T("run rtrail on the host: this container sees only its own processes"), Command: shell.Line("sudo rtrail"), Tradeoff: "none"}}
		return
	}
	f.Fixes = saturatedFixes(top, hot)
}

var stealWorthSaying = rule.Threshold{Name: "steal-worth-saying", Value: 0.05, Unit: "share", Source: rule.Judgement,
	Reason: "Below 5 % steal the hypervisor is not the cause."}

func saturatedFixes(top program, hot hotSpot) []rule.Fix {
	more := rule.Fix{Text: rule.T("add CPUs or move a service to another host"), Tradeoff: "money; does not help a program that uses one thread"}
	if len(top.processes) == 0 {
		return []rule.Fix{{Text: rule.T("see which programs use the CPUs"), Command: shell.Line("pidstat -u 1 10"), Tradeoff: "none"}, more}
	}
	pid := top.processes[0].PID
	return []rule.Fix{
		{Text: hot.advice(rule.T("see what %s computes, and make it compute less", top.label())),
			Command: shell.Line("perf top -g -p %d", pid), Tradeoff: "takes a developer, but is the only fix that makes the host faster"},
		{Text: rule.T("if %s can wait, lower its priority", top.label()),
			Command: shell.Line("renice -n 19 -p %d", pid), Tradeoff: "it gets slower while others need the CPU"},
		{Text: rule.T("run fewer workers at a time, or cap the group with a CPU quota"),
			Command: rule.SetProperty(top.processes[0].Cgroup, shell.Line("CPUQuota=50%%")), Tradeoff: "a quota also stops the group when the host is idle"},
		more,
	}
}
