package cpu

import (
	"cmp"
	"fmt"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// mentioned is how many threads evidence names.
const mentioned = 3

// hitCPU is a CPU of which the hypervisor takes much, while it takes little of the others.
type hitCPU struct {
	view.CPUShare
	lost       float64 // seconds per second, of all CPUs
	threads    []staying
	interrupts float64 // share of the time of all CPUs' interrupts and softirqs; 0: others can serve them as well
}

// staying is a thread that was seen on one CPU only.
type staying struct {
	view.ThreadTime
	process view.Process
}

// hardestHit is the CPU that lost most, if it lost much; ok is false otherwise.
func hardestHit(v *view.View) (one hitCPU, ok bool) {
	worst, ok := mostStolen(v)
	if !ok || worst.Steal < stolenOfOne.Value || worst.Steal*worst.Seconds < stolenTicks.Value {
		return one, false
	}
	one.CPUShare, one.threads = worst, stayingOn(v, worst.CPU)
	all := 0.0
	for _, c := range v.CPUs() {
		all += c.IRQ + c.SoftIRQ
		one.lost += c.Steal
	}
	if served := worst.IRQ + worst.SoftIRQ; served >= workThere.Value && served >= skewShare.Value*all && len(v.CPUs()) > 1 {
		one.interrupts = served / all
	}
	return one, true
}

// stayingOn lists the busy threads of programs that were seen on no other CPU, the busiest first.
func stayingOn(v *view.View, cpu int32) (list []staying) {
	for _, t := range v.ThreadTimes() {
		elsewhere := func(s recording.ThreadSample) bool { return s.Processor != cpu }
		if len(t.Samples) < stays.Int() || t.CPU < workThere.Value || slices.ContainsFunc(t.Samples, elsewhere) {
			continue
		}
		if p, ok := v.Process(t.PID); ok && !p.Own && !p.Kernel {
			list = append(list, staying{t, p})
		}
	}
	slices.SortStableFunc(list, func(a, b staying) int { return cmp.Compare(b.CPU, a.CPU) })
	return list
}

// describe tells of this CPU what the finding tells of all. That its time was taken while it had
// work is counted by the kernel; others may have done that work in its place.
func (one *hitCPU) describe(f *rule.Finding) {
	ofWanted := one.Steal / max(one.Busy(), one.Steal)
	f.Confidence = rule.Likely
	who := ""
	switch {
	case len(one.threads) > 0:
		f.Confidence = rule.Certain
		who = fmt.Sprintf(", where %s (%d) runs all the time", one.threads[0].process.Comm, one.threads[0].PID)
	case one.interrupts > 0:
		f.Confidence = rule.Certain
		who = ", which serves most interrupts"
	}
	f.Headline = rule.T("the hypervisor took %v of the time that programs were due on CPU %d%s", unit.Share(ofWanted), one.CPU, who)
	f.Impact = rule.Impact{TimeLost: one.lost, Text: rule.T("%v s of CPU time lost per second: what takes 100 ms on CPU %d takes %v",
		unit.Number(round(one.lost)), one.CPU, unit.Seconds(0.1/max(1-ofWanted, 0.01)))}
	f.Evidence[0].Limit = nil // of all CPUs
	f.Evidence = append([]rule.Evidence{{Metric: metric.CPUSteal, Value: one.Steal, Limit: rule.Limit(stolenOfOne.Value), Check: shell.Line("mpstat -P %d 1 5   # column %%steal", one.CPU),
		What: rule.T("CPU %d lost %v of its time; user, system and interrupts had %v", one.CPU, unit.Share(one.Steal), unit.Share(one.Busy()-one.Steal))}}, f.Evidence...)
	if one.interrupts > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CPUSoftirq, Value: one.IRQ + one.SoftIRQ, Check: shell.Line("mpstat -P ALL 1 5   # columns %%irq and %%soft"),
			What: rule.T("interrupts and softirqs took %v of CPU %d, %v of those of all CPUs", unit.Share(one.IRQ+one.SoftIRQ), one.CPU, unit.Share(one.interrupts))})
	}
	for i, t := range one.threads {
		if i == mentioned {
			break
		}
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ThreadCPU, Value: t.CPU, Check: shell.Line("taskset -cp %d; ps -L -o tid,psr,pcpu,comm -p %d", t.TID, t.PID),
			What: rule.T("thread %d of %s (%d) was on CPU %d in all %d samples, and used %v of it", t.TID, t.process.Comm, t.PID, one.CPU, len(t.Samples), unit.Share(t.CPU))})
	}
	if len(one.threads) > 0 {
		f.Fixes = append(f.Fixes, rule.Fix{Text: rule.T("see whether %s is bound to this CPU, and let it use others, too", one.threads[0].process.Comm),
			Command: shell.Line("taskset -cp %d", one.threads[0].TID), Tradeoff: "it moves away from its caches and its node of memory"})
	}
}
