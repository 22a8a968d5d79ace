package cpu

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var steal = rule.Rule{
	ID:         "cpu/steal",
	Title:      "the hypervisor runs something else while programs of this host are due",
	Plural:     "hosts lose CPU time to their hypervisors",
	Resource:   "CPU",
	Needs:      []recording.Table{recording.CPUs},
	Columns:    []string{"cpus.user_ns", "cpus.system_ns", "cpus.idle_ns", "cpus.iowait_ns", "cpus.steal_ns"},
	Explains:   []string{"cpu/saturated"},
	Delays:     []string{"rt/server-slow", "rt/client-slow"},
	Delayed:    func(_ *view.View, f, _ *rule.Finding) bool { return f.AffectsAll },
	Thresholds: []*rule.Threshold{&stolenOfWanted, &stolenOfAll, &stolenOfOne, &stolenPossible, &stolenMost, &stolenTicks, &stays, &workThere, &skewShare},
	Detect:     detectSteal,
}

var (
	stolenOfWanted = rule.Threshold{Name: "stolen-of-wanted", Value: 0.20, Unit: "share", Source: rule.Judgement,
		Reason: "Steal as a share of the time in which CPUs had work. At a fifth, work of 100 ms of CPU time takes 125 ms."}
	stolenOfAll = rule.Threshold{Name: "stolen-of-all", Value: 0.10, Unit: "share", Source: rule.Judgement,
		Reason: "Steal as a share of all CPU time. Providers call less than this normal on shared hardware."}
	stolenOfOne = rule.Threshold{Name: "stolen-of-one", Value: 0.20, Unit: "share", Source: rule.Judgement,
		Reason: "Steal as a share of the time of a single CPU. From a fifth on, what runs on no other CPU loses at least a fifth of its time, however little the host loses in all."}
	stolenPossible = rule.Threshold{Name: "stolen-possible", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Share of all CPU time. Worth a hint."}
	stolenMost = rule.Threshold{Name: "stolen-most", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Steal as a share of the time in which CPUs had work. From half on, steal is the reason for the lack of CPU time, not the host's programs."}
	stolenTicks = rule.Threshold{Name: "stolen-at-least", Value: 0.3, Unit: "seconds", Source: rule.Judgement,
		Reason: "Stolen time in the window, of all CPUs together or of a single one. The kernel counts it in steps of 10 ms on each CPU; with less, a single pause decides."}
	stays = rule.Threshold{Name: "stays", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Samples of a thread that all show it on one CPU. From five on it is bound to this CPU, or the scheduler leaves it there."}
	workThere = rule.Threshold{Name: "work-there", Value: 0.1, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU time of such a thread, or of interrupts and softirqs on this CPU. With less, hardly anything is held up."}
)

func detectSteal(v *view.View) ([]rule.Finding, error) {
	total, ok := v.CPUTotal()
	if !ok {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/stat", Why: "stolen time is a difference of two readings", How: shell.Say("watch longer: --for 10s")}
	}
	cpus := float64(v.CPUCount())
	lost := total.Steal * cpus // at least: where nobody told the number of CPUs it is that of one
	one, hit := hardestHit(v)
	if !hit && (total.Steal < stolenPossible.Value || lost*total.Seconds < stolenTicks.Value) {
		return nil, nil
	}
	ofWanted := total.Steal / max(total.Busy(), total.Steal)
	takes := unit.Seconds(0.1 / max(1-ofWanted, 0.01))
	impact := rule.Impact{TimeLost: lost, Text: rule.T("%v s of CPU time lost per second: what takes 100 ms takes %v", unit.Number(round(lost)), takes)}
	if !v.CPUsTold() {
		impact = rule.Impact{Share: total.Steal, Text: rule.T("%v of all CPU time lost: what takes 100 ms takes %v", unit.Share(total.Steal), takes)}
	}
	f := rule.Finding{Subject: v.HostEntity(), Confidence: rule.Possible,
		Headline: rule.T("the hypervisor took %v of the CPU time that programs here were due", unit.Share(ofWanted)),
		Impact:   impact,
		Evidence: []rule.Evidence{
			{Metric: metric.CPUSteal, Value: total.Steal, Limit: rule.Limit(stolenOfAll.Value),
				What: rule.T("steal took %v of all CPU time; user and system had %v", unit.Share(total.Steal), unit.Share(total.User+total.Nice+total.System))},
		},
		AffectsAll: ofWanted >= stolenMost.Value,
		Fixes: []rule.Fix{
			{Text: rule.T("ask the operator of the hypervisor: neighbours, too many virtual CPUs on it, or a quota of this machine (CPU credits of burstable cloud instances, cpulimit and shares of VMware, cputune of libvirt)"), Tradeoff: "none"},
			{Text: rule.T("move to a machine whose CPUs are not shared, or that has more of them"), Tradeoff: "money; a restart"},
		},
	}
	if ofWanted >= stolenOfWanted.Value && total.Steal >= stolenOfAll.Value {
		f.Confidence = rule.Certain
	}
	if hit && f.Confidence < rule.Certain {
		one.describe(&f)
		return []rule.Finding{f}, nil
	}
	if worst, ok := mostStolen(v); ok && worst.Steal >= 2*total.Steal {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CPUSteal, Value: worst.Steal, Check: shell.Line("mpstat -P %d 1 5   # column %%steal", worst.CPU),
			What: rule.T("CPU %d lost most, %v of its time", worst.CPU, unit.Share(worst.Steal))})
	}
	return []rule.Finding{f}, nil
}

func mostStolen(v *view.View) (worst view.CPUShare, ok bool) {
	for _, c := range v.CPUs() {
		if !ok || c.Steal > worst.Steal {
			worst, ok = c, true
		}
	}
	return worst, ok
}
