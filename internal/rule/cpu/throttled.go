package cpu

import (
	"strings"

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
	Thresholds: []*rule.Threshold{&throttledShare, &throttledPossible, &throttledPeriods, &throttledWait, &busyFrom, &delayShare},
	Delayed: func(v *view.View, f, symptom *rule.Finding) bool {
		return delayed(v, symptom, func(p *view.Process) bool { return f.Affected(p.Entity()) })
	},
	Detect: detectThrottled,
}

var (
	throttledShare = rule.Threshold{Name: "throttled-share", Value: 0.25, Unit: "share", Source: "kubernetes-mixin, alert CPUThrottlingHigh",
		Reason: "Throttled in a quarter of the periods in which the cgroup wanted CPU. Below it a single burst at start can be the reason."}
	throttledPossible = rule.Threshold{Name: "throttled-possible", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "It happens, but most requests do not notice."}
	throttledPeriods = rule.Threshold{Name: "throttled-periods", Value: 10, Unit: "count", Source: rule.Judgement,
		Reason: "The default period is 100 ms, so 10 periods are one second. With fewer, one burst decides the share."}
	throttledWait = rule.Threshold{Name: "throttled-wait", Value: 0.05, Unit: "seconds per second", Source: rule.Judgement,
		Reason: "Run delay of the cgroup's processes, or its CPU pressure. Above this, throttling does harm."}
)

func detectThrottled(v *view.View) ([]rule.Finding, error) {
	groups := v.Cgroups()
	known := len(groups) == 0
	var found []rule.Finding
	for _, c := range groups {
		if !view.Known(c.PeriodsIn) || !view.Known(c.ThrottledIn) {
			continue
		}
		known = true
		if c.PeriodsIn <= 0 || c.PeriodsIn < throttledPeriods.Value || c.ThrottledIn/c.PeriodsIn < throttledPossible.Value {
			continue
		}
		found = append(found, throttledFinding(v, c))
	}
	if !known {
		return nil, &rule.NotJudged{Needs: "cpu.stat of control groups",
			Why: "no group shows how often it was throttled: the cpu controller is not enabled, or the window holds one reading only",
			How: shell.Say("mount or enable the cpu controller, or watch longer")}
	}
	return found, nil
}

func throttledFinding(v *view.View, c view.Cgroup) rule.Finding {
	share := c.ThrottledIn / c.PeriodsIn
	c.Throttling = view.OrZero(c.Throttling)
	members := v.InCPUGroup(c.Path)
	var delay float64
	var affects []view.Entity
	for _, p := range members {
		delay += view.OrZero(p.RunDelay)
		affects = append(affects, p.Entity())
	}
	f := rule.Finding{
		Subject:    view.Entity{Kind: view.KindCgroup, Name: c.Path, Cgroup: c.Path, Detail: names(members, 4)},
		Confidence: rule.Possible,
		Affects:    affects,
		// Time in which the whole group stood still, once per CPU it was
		// stopped on, as the kernel sums it.
		Impact: rule.Impact{TimeLost: c.Throttling, Text: rule.T("stopped %v s per second, in %v of the periods", unit.Number(round(c.Throttling)), unit.Share(share))},
	}
	if c.Throttling <= 0 {
		f.Impact.TimeLost, f.Impact.Share = 0, share
		f.Impact.Text = rule.T("stopped in %v of the periods", unit.Share(share))
	}
	waiting := delay >= throttledWait.Value || view.OrZero(c.CPUStalled) >= throttledWait.Value
	switch {
	case share >= throttledShare.Value && waiting:
		f.Confidence = rule.Certain
	case share >= throttledShare.Value:
		f.Confidence = rule.Likely
	}
	quota := "its quota"
	if c.HasQuota() {
		quota = inCPUs(c.Cores())
	}
	who := names(members, 2)
	if who == "" {
		who = "its processes"
	}
	f.Headline = rule.T("%s in %s may use only %s: stopped in %v of the periods", who, c.Path, quota, unit.Share(share))
	f.Evidence = append(f.Evidence,
		rule.Evidence{Metric: metric.CgroupThrottledPeriods, Value: share, Limit: rule.Limit(throttledShare.Value),
			What:  rule.T("nr_throttled +%v of nr_periods +%v", unit.Count(c.ThrottledIn), unit.Count(c.PeriodsIn)),
			Check: shell.Line("cat %s", cpuFile(c, "cpu.stat"))},
		rule.Evidence{Metric: metric.CgroupThrottledTime, Value: c.Throttling,
			What:  rule.T("stopped %v s per second, summed over the CPUs", unit.Number(round(c.Throttling))),
			Check: shell.Line("cat %s", cpuFile(c, "cpu.stat"))})
	if c.HasQuota() {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupQuota, Value: c.Cores(),
			What:  rule.T("quota %v per %v; it used %s", unit.Duration(c.Quota), unit.Duration(c.Period), inCPUs(view.OrZero(c.CPU))),
			Check: shell.Line("cat %s", quotaFile(c))})
	}
	if delay > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SchedRunDelay, Value: delay,
			What:  rule.T("its %d processes waited %v s per second for a CPU", len(members), unit.Number(round(delay))),
			Check: shell.Line("pidstat -t -u 1 5   # column %%wait")})
	}
	if total, ok := v.CPUTotal(); ok {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CPUIdle, Value: total.Idle + total.IOWait,
			What: rule.T("the host's CPUs idled %v of the time", unit.Share(total.Idle+total.IOWait)), Check: shell.Line("mpstat 1 5")})
	}
	f.Fixes = throttledFixes(c, v.CPUCount())
	return f
}

func throttledFixes(c view.Cgroup, cpus int) []rule.Fix {
	raise := rule.Fix{Text: rule.T("raise the quota"), Tradeoff: "takes CPU time from its neighbours when the host is full"}
	if c.HasQuota() {
		// Twice what it may use now is a first step, not a measured need: a
		// stopped group does not show how much it would use.
		to := min(2*c.Cores(), float64(cpus))
		if c.Version == 1 {
			raise.Command = shell.Line("echo %d > %s", int64(to*float64(c.Period.Microseconds())), cpuFile(c, "cpu.cfs_quota_us"))
		} else {
			raise.Command = shell.Line(`echo "%d %d" > %s`, int64(to*float64(c.Period.Microseconds())), c.Period.Microseconds(), cpuFile(c, "cpu.max"))
		}
	}
	return []rule.Fix{
		raise,
		{Text: rule.T("use weights instead of a quota, so that it is held back only when others want the CPU"),
			Command: rule.SetProperty(c.Path, shell.Line("CPUQuota= CPUWeight=50")), Tradeoff: "no hard ceiling: the bill or the neighbour's latency may depend on one"},
		{Text: rule.T("run no more threads than the quota has CPUs (GOMAXPROCS, -XX:ActiveProcessorCount, worker_processes)"),
			Tradeoff: "less parallel; but threads beyond the quota only use it up earlier in each period"},
	}
}

// cpuFile is where a group's file lies on most systems.
func cpuFile(c view.Cgroup, file string) shell.Path {
	if c.Version == 1 {
		return shell.Path("/sys/fs/cgroup/cpu" + c.Path + "/" + file)
	}
	return shell.Path("/sys/fs/cgroup" + c.Path + "/" + file)
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
