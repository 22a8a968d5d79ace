package cpu

import (
	"math"
	"strings"

	"rtrail/internal/cgname"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var throttled = rule.Rule{
	ID:       "cpu/throttled",
	Title:    "a control group is stopped at its CPU quota",
	Plural:   "control groups are stopped at their CPU quotas",
	Resource: "CPU",
	Needs:    []recording.Table{recording.Cgroups},
	// A server that is stopped nine tenths of the time cannot accept, reads
	// late and looks limited by its thread.
	Explains:   []string{"net/accept-queue-full", "cpu/one-thread-limit", "cpu/saturated", "mysql/not-answering"},
	Delays:     []string{"rt/server-slow", "rt/client-slow"},
	Thresholds: []*rule.Threshold{&throttledWait, &stoppedMost, &stoppedFelt, &throttledShare, &throttledPossible, &throttledPeriods, &seenShare, &busyFrom, &delayShare},
	Delayed: func(v *view.View, f, symptom *rule.Finding) bool {
		return delayed(v, symptom, func(p *view.Process) bool { return f.Affected(p.Entity()) })
	},
	Detect: detectThrottled,
}

var (
	throttledWait = rule.Threshold{Name: "throttled-wait", Value: 0.05, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Time for which the cgroup was stopped. Also the run delay of its processes, or its CPU pressure, from which somebody was seen waiting. Below it users notice nothing."}
	stoppedMost = rule.Threshold{Name: "stopped-most", Value: 0.20, Unit: "share", Source: rule.Judgement,
		Reason: "Time for which the cgroup was stopped, as a share of the time in which it wanted a CPU (stopped or running). At a fifth, work of 100 ms of CPU time takes 125 ms."}
	stoppedFelt = rule.Threshold{Name: "stopped-felt", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "The same share. Below it the mean request takes less than 6 % longer, in however many periods the cgroup is stopped for a moment."}
	throttledShare = rule.Threshold{Name: "throttled-share", Value: 0.25, Unit: "share", Source: "kubernetes-mixin, alert CPUThrottlingHigh",
		Reason: "Throttled in a quarter of the periods in which the cgroup wanted CPU, where it is not known for how long. Below it a single burst at start can be the reason."}
	throttledPossible = rule.Threshold{Name: "throttled-possible", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the periods in which the cgroup wanted CPU. It happens, but most requests do not notice."}
	throttledPeriods = rule.Threshold{Name: "throttled-periods", Value: 10, Unit: "count", Source: rule.Judgement,
		Reason: "The default period is 100 ms, so 10 periods are one second. With fewer, one burst decides."}
	seenShare = rule.Threshold{Name: "seen-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the cgroup's CPU time that the processes seen in it used, and of its CPU pressure that they waited. Below it most of those that may have waited were not seen, and their run delay does not bound the time for which the cgroup was stopped."}
)

// stopped is what a control group lost at its quota.
type stopped struct {
	view.Cgroup
	members []view.Process
	share   float64 // of the periods in which it wanted CPU
	time    float64 // seconds per second, once per CPU on which threads were kept from running; Unknown if that is not told
	// Before Linux 6.6 the kernel also counts CPUs on which nothing of the group wanted to run
	// ("sched: don't account throttle time for empty groups"). Threads that are kept waiting are
	// in a run queue there, so that time is at most their run delay.
	inflated bool    // of such a kernel, and the run delay is not known
	ofWanted float64 // time as a share of the time in which it wanted a CPU, stopped or running; Unknown with time
	delay    float64 // seconds per second that its processes waited for a CPU, as far as it could be read
}

func detectThrottled(v *view.View) ([]rule.Finding, error) {
	groups := v.Cgroups()
	known := len(groups) == 0
	var found []rule.Finding
	for _, c := range groups {
		if !view.Known(c.PeriodsIn) || !view.Known(c.ThrottledIn) {
			continue
		}
		known = true
		if c.PeriodsIn <= 0 || c.PeriodsIn < throttledPeriods.Value || c.ThrottledIn <= 0 {
			continue
		}
		if x := newStopped(v, c); x.confidence() > 0 {
			found = append(found, x.finding(v))
		}
	}
	if !known {
		return nil, &rule.NotJudged{Needs: "cpu.stat of control groups",
			Why: "no group shows how often it was throttled: the cpu controller is not enabled, or the window holds one reading only",
			How: shell.Say("mount or enable the cpu controller, or watch longer")}
	}
	return found, nil
}

func newStopped(v *view.View, c view.Cgroup) *stopped {
	x := &stopped{Cgroup: c, members: v.InCPUGroup(c.Path), share: c.ThrottledIn / c.PeriodsIn, time: view.Unknown, ofWanted: view.Unknown}
	ran, measured := 0.0, len(x.members) > 0
	for i := range x.members {
		x.delay += view.OrZero(x.members[i].RunDelay)
		ran += view.OrZero(x.members[i].CPU)
		measured = measured && view.Known(x.members[i].RunDelay)
	}
	seen := ran
	switch {
	case view.Known(c.CPU):
		ran = c.CPU
	case len(x.members) == 0 && c.HasQuota():
		ran = c.Cores() // no more than that
	}
	if c.Throttling > 0 {
		x.time = c.Throttling
		if !v.KernelAtLeast(6, 6) {
			// Threads that live for less than a sample leave their CPU time to the process, but no run delay.
			missed := x.CPUStalled >= throttledWait.Value && x.delay < seenShare.Value*x.CPUStalled
			x.inflated = !measured || missed || seen < seenShare.Value*ran
			if !x.inflated {
				x.time = min(x.time, x.delay)
			}
		}
		x.ofWanted = x.time / (x.time + ran)
	}
	return x
}

// confidence: that the group is stopped is observed. Whether anybody loses by it is the question,
// and how often it is stopped does not tell: it may be for a moment each time, or be many threads
// that are kept waiting now and then.
func (x *stopped) confidence() rule.Confidence {
	most := x.share >= throttledShare.Value
	felt := most
	if view.Known(x.time) {
		most = x.time >= throttledWait.Value && x.ofWanted >= stoppedMost.Value
		felt = x.time >= throttledWait.Value && x.ofWanted >= stoppedFelt.Value
	}
	switch {
	case x.time <= 0:
		return 0 // of an older kernel: nothing wanted to run while it was stopped
	case most && !x.inflated && (x.delay >= throttledWait.Value || x.CPUStalled >= throttledWait.Value):
		return rule.Certain
	case felt:
		return rule.Likely
	case x.share >= throttledPossible.Value, x.time >= throttledWait.Value:
		return rule.Possible
	}
	return 0
}

func (x *stopped) finding(v *view.View) rule.Finding {
	f := rule.Finding{
		Subject:    view.Entity{Kind: view.KindCgroup, Name: x.Path, Cgroup: x.Path, Detail: names(x.members, 4)},
		Confidence: x.confidence(),
		Headline:   x.headline(),
		// Time in which the whole group stood still, once per CPU it was
		// stopped on, as the kernel sums it.
		Impact:   rule.Impact{TimeLost: x.time, Text: rule.T("stopped %v s per second, in %v of the periods", unit.Number(round(x.time)), unit.Share(x.share))},
		Evidence: x.evidence(v),
		Fixes:    throttledFixes(v, x.Cgroup),
	}
	if !view.Known(x.time) {
		f.Impact = rule.Impact{Share: x.share, Text: rule.T("stopped in %v of the periods", unit.Share(x.share))}
	}
	for _, p := range x.members {
		f.Affects = append(f.Affects, p.Entity())
	}
	return f
}

func (x *stopped) headline() rule.Text {
	quota := "its quota"
	if x.HasQuota() {
		quota = inCPUs(x.Cores())
	}
	who := names(x.members, 2)
	if who == "" {
		who = "its processes"
	}
	if !view.Known(x.time) {
		return rule.T("%s in %s may use only %s: stopped in %v of the periods", who, x.Path, quota, unit.Share(x.share))
	}
	return rule.T("%s in %s may use only %s: stopped for %v of the time in which a CPU is wanted", who, x.Path, quota, unit.Share(x.ofWanted))
}

func (x *stopped) evidence(v *view.View) []rule.Evidence {
	list := []rule.Evidence{{Metric: metric.CgroupThrottledPeriods, Value: x.share,
		What:  rule.T("nr_throttled +%v of nr_periods +%v", unit.Count(x.ThrottledIn), unit.Count(x.PeriodsIn)),
		Check: shell.Line("cat %s", cpuFile(x.Cgroup, "cpu.stat"))}}
	if view.Known(x.time) {
		e := rule.Evidence{Metric: metric.CgroupThrottledTime, Value: x.time, Limit: rule.Limit(throttledWait.Value),
			What:  rule.T("stopped %v s per second, summed over the CPUs: %v of the time in which it wanted one", unit.Number(round(x.time)), unit.Share(x.ofWanted)),
			Check: shell.Line("cat %s", cpuFile(x.Cgroup, "cpu.stat"))}
		if x.inflated || x.time < x.Throttling {
			e.What = rule.T("%s; the kernel counts %v s, but before Linux 6.6 also CPUs on which nothing in it wants to run", e.What, unit.Number(round(x.Throttling)))
		}
		list = append(list, e)
	} else {
		list[0].Limit = rule.Limit(throttledShare.Value)
	}
	if x.HasQuota() {
		list = append(list, rule.Evidence{Metric: metric.CgroupQuota, Value: x.Cores(),
			What:  rule.T("quota %v per %v; it used %s", unit.Duration(x.Quota), unit.Duration(x.Period), inCPUs(view.OrZero(x.CPU))),
			Check: shell.Line("cat %s", quotaFile(x.Cgroup))})
	}
	if x.delay > 0 {
		list = append(list, rule.Evidence{Metric: metric.SchedRunDelay, Value: x.delay,
			What:  rule.T("its %d processes waited %v s per second for a CPU", len(x.members), unit.Number(round(x.delay))),
			Check: shell.Line("pidstat -t -u 1 5   # column %%wait")})
	}
	if total, ok := v.CPUTotal(); ok {
		list = append(list, rule.Evidence{Metric: metric.CPUIdle, Value: total.Idle + total.IOWait,
			What: rule.T("the host's CPUs idled %v of the time", unit.Share(total.Idle+total.IOWait)), Check: shell.Line("mpstat 1 5")})
	}
	return list
}

func throttledFixes(v *view.View, c view.Cgroup) []rule.Fix {
	// Twice what it may use now is a first step, not a measured need: a
	// stopped group does not show how much it would use.
	to := int64(0)
	if c.HasQuota() {
		to = min(2*perSecond(c), 1e6*int64(v.CPUCount()))
	}
	raise := rule.Fix{Text: rule.T("raise the quota"), Tradeoff: "takes CPU time from its neighbours when the host is full"}
	weigh := rule.Fix{Text: rule.T("use weights instead of a quota, so that it is held back only when others want the CPU"),
		Tradeoff: "no hard ceiling: the bill or the neighbour's latency may depend on one"}
	return []rule.Fix{
		rule.CPUGroups.Loosen(v, raise, c, "", func(g view.Cgroup) []rule.Setting { return quota(g, to) }),
		rule.CPUWeights.Loosen(v, weigh, c, "", func(g view.Cgroup) []rule.Setting {
			switch {
			case g.Path != c.Path && (!g.HasQuota() || perSecond(g) >= to):
				return nil
			case g.Path != c.Path && cgname.InPod(g.Path): // kubelet weighs pods
				return []rule.Setting{noQuota(g)}
			}
			return []rule.Setting{noQuota(g), halfWeight(g)}
		}),
		{Text: rule.T("run no more threads than the quota has CPUs (GOMAXPROCS, -XX:ActiveProcessorCount, worker_processes)"),
			Tradeoff: "less parallel; but threads beyond the quota only use it up earlier in each period"},
	}
}

// perSecond is how much CPU time the quota of a group allows, in microseconds per second.
func perSecond(c view.Cgroup) int64 { return int64(math.Round(1e6 * c.Cores())) }

// quota gives a group a quota of so many microseconds of CPU time per second, if it has a lower one.
func quota(c view.Cgroup, to int64) []rule.Setting {
	if !c.HasQuota() || perSecond(c) >= to {
		return nil
	}
	period := c.Period.Microseconds()
	s := rule.Setting{Property: shell.Line("CPUQuota=%d%%", (to+9999)/10000), Value: shell.Line(`"%d %d"`, to*period/1e6, period), File: quotaFile(c)}
	if c.Version == 1 {
		s.Value = shell.Line("%d", to*period/1e6)
	}
	return []rule.Setting{s}
}

// noQuota takes the quota from a group.
func noQuota(c view.Cgroup) rule.Setting {
	s := rule.Setting{Property: shell.Line("CPUQuota="), Value: shell.Line("max"), File: quotaFile(c)}
	if c.Version == 1 {
		s.Value = shell.Line("-1")
	}
	return s
}

// halfWeight gives a group half the usual weight.
func halfWeight(c view.Cgroup) rule.Setting {
	s := rule.Setting{Property: shell.Line("CPUWeight=50"), Value: shell.Line("50"), File: cpuFile(c, "cpu.weight")}
	if c.Version == 1 {
		s.Value, s.File = shell.Line("512"), cpuFile(c, "cpu.shares")
	}
	return s
}

// cpuFile is where a group's file lies on most systems.
func cpuFile(c view.Cgroup, file string) shell.Path {
	return rule.CPUGroups.File(c.Version, c.Path, file, file)
}

func quotaFile(c view.Cgroup) shell.Path {
	if c.Version == 1 {
		return cpuFile(c, "cpu.cfs_quota_us")
	}
	return cpuFile(c, "cpu.max")
}

// names lists the busiest programs among processes.
func names(list []view.Process, maxNames int) string {
	var out []string
	for _, g := range programs(list, nil) {
		if len(out) == maxNames {
			break
		}
		out = append(out, g.label())
	}
	return strings.Join(out, ", ")
}
