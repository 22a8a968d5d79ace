package cpu

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var spinning = rule.Rule{
	ID:         "cpu/spinning",
	Title:      "threads burn CPU in a loop that waits for a lock",
	Plural:     "processes burn CPU in loops that wait for a lock",
	Resource:   "CPU",
	Needs:      []recording.Table{recording.CPUs, recording.Processes, recording.Threads, recording.OnCPU},
	Explains:   []string{"cpu/hot-function", "cpu/saturated"},
	Thresholds: []*rule.Threshold{&spinShare, &spinCores, &spinThreads, &wantsCPU, &spinHarm, &worthNaming},
	Detect:     detectSpinning,
}

var (
	spinShare = rule.Threshold{Name: "spin-share", Value: 0.7, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the process's CPU time in a waiting loop of one function, minus two standard deviations. Locks that spin for a moment before they sleep stay far below."}
	spinCores = rule.Threshold{Name: "spin-cores", Value: 0.5, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU time in the loop, in cores. Less does no harm."}
	spinThreads = rule.Threshold{Name: "spin-threads", Value: 2, Unit: "threads", Source: rule.Judgement,
		Reason: "Threads that are running or runnable all the time. A single spinning thread waits for a device or a queue, like a program that polls on purpose."}
	wantsCPU = rule.Threshold{Name: "wants-cpu", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the window in which a thread ran or was runnable. From here on it practically never sleeps."}
	spinHarm = rule.Threshold{Name: "harm", Value: 0.5, Unit: "threads", Source: rule.Judgement,
		Reason: "Threads of the process that wait for a CPU, on average. From here on the loop takes CPUs from the work that would end it, or from other work."}
)

func detectSpinning(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	processes := v.Processes()
	for i := range processes {
		p := &processes[i]
		if p.Own || p.Kernel || p.Seconds <= 0 || p.CPU < spinCores.Value {
			continue
		}
		hot := hottest(v, *p)
		if !hot.known || hot.Kernel || hot.SpinsAtLeast() < spinShare.Value || hot.Share*p.CPU < spinCores.Value {
			continue
		}
		busy, waiting := 0, 0.0
		for _, t := range v.ThreadTimes() {
			if t.PID == p.PID && t.CPU+t.RunDelay >= wantsCPU.Value {
				busy++
				waiting += t.RunDelay
			}
		}
		if busy >= spinThreads.Int() {
			found = append(found, spinFinding(v, p, hot, busy, waiting))
		}
	}
	return found, nil
}

func spinFinding(v *view.View, p *view.Process, h hotSpot, busy int, waiting float64) rule.Finding {
	cpus := float64(v.CPUCount())
	part, lived := life(v, p)
	burnt := h.Share * p.CPU * part
	f := rule.Finding{Subject: p.Entity(), Confidence: rule.Possible,
		// It explains a full host only if it is what fills it.
		AffectsAll: p.CPU*part >= cpus/2,
		Headline:   rule.T("%v of %s spin in %s: they burn %v of %d CPUs in a loop that only waits", unit.Plural(int64(busy), "thread", "threads"), p.Entity(), h.name(), unit.Number(round(burnt)), v.CPUCount()),
		Impact:     rule.Impact{Share: min(1, burnt/cpus), Text: rule.T("%s", inCPUs(burnt))},
		Evidence:   h.evidence(),
	}
	if waiting >= spinHarm.Value {
		f.Confidence = rule.Likely
	} else {
		f.Notes = append(f.Notes, rule.T("other programs still get CPUs; programs that poll on purpose look the same"))
	}
	f.Evidence[0].Limit = rule.Limit(spinShare.Value)
	f.Evidence = append(f.Evidence,
		rule.Evidence{Metric: metric.ProcessSpinning, Value: float64(h.Spins) / float64(h.Samples),
			What:  rule.T("%v of these samples are in a loop that waits without sleeping", unit.Share(float64(h.Spins)/float64(h.Samples))),
			Check: shell.Line("perf annotate --stdio -s %s", h.Function)},
		rule.Evidence{Metric: metric.ThreadCPU, Value: float64(busy) / float64(max(p.Threads, 1)), Limit: rule.Limit(wantsCPU.Value),
			What:  rule.T("%v never slept; they waited %v s per second for a CPU%s", unit.Plural(int64(busy), "thread", "threads"), unit.Number(round(waiting)), lived),
			Check: shell.Line("pidstat -t -u -p %d 1 5", p.PID)})
	f.Fixes = []rule.Fix{
		{Text: rule.T("use a lock that sleeps: a mutex of the C library spins for a moment, then sleeps in futex"), Tradeoff: "takes a developer; a wake-up costs some microseconds"},
		{Text: rule.T("run no more of these threads than there are CPUs (now %d, %v CPUs): a lock holder that is preempted keeps all others spinning", busy, unit.Number(cpus)), Tradeoff: "threads that wait for disks or the network may then be too few"},
		{Text: rule.T("see who calls %s, and hold that lock for less time", h.Function), Command: shell.Line("perf top -g -p %d", p.PID), Tradeoff: "takes a developer"},
	}
	return f
}
