package cpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var interruptsOnOneCore = rule.Rule{
	ID:         "cpu/interrupts-on-one-core",
	Title:      "one CPU does all the work of receiving packets",
	Plural:     "CPUs do all the work of receiving packets",
	Resource:   "CPU",
	Needs:      []recording.Table{recording.CPUs, recording.SoftIRQs},
	Explains:   []string{"cpu/softirq", "net/softnet"},
	Delays:     []string{"net/nic-drops", "net/packet-loss", "rt/server-slow"},
	Delayed:    atFullCore,
	Thresholds: []*rule.Threshold{&interruptShare, &coreFull, &othersIdle, &skewShare, &backgroundShare, &receiveShare, &ksoftirqdFrom, &squeezedFrom, &backlogDropped, &smallPacket, &floodPackets, &natureShare, &cardShare, &delayShare},
	Seen:       func(v *view.View) bool { return len(v.CPUs()) > 1 },
	Detect:     detectInterruptsOnOneCore,
}

var (
	interruptShare = rule.Threshold{Name: "interrupt-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of one CPU in interrupts and softirqs. Below half, the CPU is full of something else."}
	coreFull = rule.Threshold{Name: "core-full", Value: 0.95, Unit: "share", Source: rule.Judgement,
		Reason: "Share of one CPU in use. A CPU with more time left handles each packet as it comes."}
	othersIdle = rule.Threshold{Name: "others-idle", Value: 0.4, Unit: "share", Source: rule.Judgement,
		Reason: "Idle share of the CPU that is idle most: there is room to which the work could go."}
	skewShare = rule.Threshold{Name: "skew-share", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of this CPU in the interrupt time of all CPUs. On two CPUs even work gives each a half, and chance not more than two thirds."}
	backgroundShare = rule.Threshold{Name: "background-share", Value: 0.02, Unit: "share", Source: rule.Judgement,
		Reason: "Share of one CPU. With four CPUs or more, the interrupt time of the median CPU is subtracted from all of them, but not more than this: timers, the scheduler and RCU take 0.1 to 2 % of each CPU, on a hundred CPUs more than all work of one."}
	squeezedFrom = rule.Threshold{Name: "squeezed-from", Value: 50, Unit: "per second", Source: rule.Judgement,
		Reason: "Rounds of receiving that ended with packets left. A round has 300 packets or 2 ms, so that packets wait in a tenth of the time."}
	backlogDropped = rule.Threshold{Name: "backlog-dropped", Value: 20, Unit: "count", Source: rule.Judgement,
		Reason: "Packets that the full backlog of this CPU dropped in the window. Fewer are a single burst."}
)

// core is the CPU with most interrupt work, beside the others.
type core struct {
	view.CPUShare
	work     float64 // share of it in interrupts and softirqs
	of       float64 // share of the interrupt time of all CPUs
	beyond   float64 // the same, without what each CPU has anyway
	idlest   view.CPUShare
	received float64 // NET_RX per second
	skew     float64 // share of the NET_RX of all CPUs
	dropped  float64 // packets, its backlog was full
	squeezed float64 // rounds a second that ended with packets left
	daemon   view.Process
}

// waiting says whether packets are seen to queue or to be lost on it.
func (c *core) waiting() bool {
	return c.dropped >= backlogDropped.Value || c.squeezed >= squeezedFrom.Value || c.daemon.CPU >= ksoftirqdFrom.Value
}

func detectInterruptsOnOneCore(v *view.View) ([]rule.Finding, error) {
	c, ok := busiestCore(v)
	if !ok || c.work < interruptShare.Value || c.Busy() < coreFull.Value || c.beyond < skewShare.Value || c.idlest.Idle < othersIdle.Value {
		return nil, nil
	}
	k := kindsOf(v, c.CPU)
	if k.top != "NET_RX" || k.share < receiveShare.Value {
		return nil, nil // timers, disks and what else interrupts: nothing that could be spread this way is known
	}
	flow, hasFlow := receivedOn(v, c.CPU)
	switch {
	case hasFlow && flow.name == "lo":
		return nil, nil // receiving is part of what a program sends to its neighbour
	case hasFlow && flow.packets >= floodPackets.Value && flow.size <= smallPacket.Value && !wanted(v, flow.traffic):
		return nil, nil // a flood: cpu/softirq says so, and to spread it is no cure
	}
	// A full CPU that keeps up with its packets harms nobody who is known.
	f := rule.Finding{Confidence: rule.Possible}
	if c.waiting() {
		f.Confidence = rule.Certain
	}
	c.describe(v, &f, flow)
	return []rule.Finding{f}, nil
}

// wanted says whether programs take the packets of an interface.
func wanted(v *view.View, flow traffic) bool {
	n := natureOf(v, flow)
	return n.words != "" && !n.refused
}

// interruptTime is the share of a CPU in interrupts and softirqs.
func interruptTime(s view.CPUShare) float64 { return s.IRQ + s.SoftIRQ }

// backgroundOf is the interrupt time that each CPU has anyway. Of fewer than four CPUs the
// median one may be the busiest but one.
func backgroundOf(cpus []view.CPUShare) float64 {
	if len(cpus) < 4 {
		return 0
	}
	var all []float64
	for _, s := range cpus {
		all = append(all, interruptTime(s))
	}
	slices.Sort(all)
	return min(all[(len(all)-1)/2], backgroundShare.Value)
}

// busiestCore measures the CPU with most interrupt work.
func busiestCore(v *view.View) (c core, ok bool) {
	cpus := v.CPUs()
	if len(cpus) < 2 {
		return c, false
	}
	c.CPUShare = slices.MaxFunc(cpus, func(a, b view.CPUShare) int { return cmp.Compare(interruptTime(a), interruptTime(b)) })
	c.work = interruptTime(c.CPUShare)
	background := backgroundOf(cpus)
	var all, beyond float64
	for _, s := range cpus {
		all += interruptTime(s)
		beyond += max(interruptTime(s)-background, 0)
		if s.CPU != c.CPU && s.Idle >= c.idlest.Idle {
			c.idlest = s
		}
	}
	if beyond <= 0 {
		return c, false
	}
	c.of, c.beyond = c.work/all, (c.work-background)/beyond
	var rounds float64
	for _, s := range v.SoftIRQs() {
		if s.Kind != "NET_RX" {
			continue
		}
		rounds += s.PerSecond
		if s.CPU == c.CPU {
			c.received = s.PerSecond
		}
	}
	c.skew = c.received / max(rounds, 1)
	c.daemon = ksoftirqd(v, c.CPU)
	var rows []recording.SoftnetSample
	for _, r := range view.Rows[recording.SoftnetSample](v) {
		if r.CPU == c.CPU {
			rows = append(rows, r)
		}
	}
	c.dropped, _ = view.Delta(rows, func(s recording.SoftnetSample) uint64 { return s.Dropped })
	c.squeezed = view.OrZero(view.Rate(v, rows, func(s recording.SoftnetSample) uint64 { return s.Squeezed }))
	return c, true
}

func (c *core) describe(v *view.View, f *rule.Finding, flow source) {
	cpu := view.Entity{Kind: view.KindCPU, Name: fmt.Sprintf("CPU %d", c.CPU)}
	iface, ns, enter := flow.name, flow.netns, v.EnterNetNS(flow.netns)
	f.Subject = cpu
	if iface != "" {
		f.Subject = view.InterfaceEntity(iface, ns)
	}
	f.Affects = append(f.Affects, cpu)
	if c.daemon.PID != 0 {
		f.Affects = append(f.Affects, c.daemon.Entity())
	}
	of := ""
	if iface != "" {
		of = " of " + iface + v.InNetNS(ns)
	}
	f.Headline = rule.T("CPU %d is full with received packets%s, while CPU %d is %v idle", c.CPU, of, c.idlest.CPU, unit.Share(c.idlest.Idle))
	// What the others could take: the work would be shared with the idlest.
	gain := min(c.work, c.idlest.Idle) / 2
	f.Impact = rule.Impact{Share: gain, Text: rule.T("%v of CPU %d, which others could do", unit.Share(gain), c.CPU)}
	f.Evidence = []rule.Evidence{
		{Metric: metric.CPUSoftirq, Value: c.work, Limit: rule.Limit(interruptShare.Value), Check: shell.Line("mpstat -P ALL 1 5   # columns %%irq and %%soft"),
			What: rule.T("interrupts and softirqs took %v of CPU %d, %v of those of all CPUs", unit.Share(c.work), c.CPU, unit.Share(c.of))},
		{Metric: metric.CPUIdle, Value: c.idlest.Idle, Limit: rule.Limit(othersIdle.Value), Check: shell.Line("mpstat -P ALL 1 5"),
			What: rule.T("CPU %d was %v busy, and CPU %d %v idle", c.CPU, unit.Share(c.Busy()), c.idlest.CPU, unit.Share(c.idlest.Idle))},
	}
	if c.skew >= skewShare.Value { // a CPU that polls all the time begins few rounds
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SoftirqRate, Value: c.received, What: rule.T("NET_RX ran %v on CPU %d, %v of those of all CPUs", unit.PerSecond(c.received), c.CPU, unit.Share(c.skew))})
	}
	if c.dropped > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SoftnetDropped, Value: c.dropped, Limit: rule.Limit(backlogDropped.Value), What: rule.T("its backlog was full: %s packets dropped", unit.Count(c.dropped))})
	}
	if c.squeezed >= squeezedFrom.Value {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SoftnetSqueezed, Value: c.squeezed, Limit: rule.Limit(squeezedFrom.Value), What: rule.T("%v rounds of receiving ended with packets left", unit.PerSecond(c.squeezed))})
	}
	if c.daemon.CPU >= ksoftirqdFrom.Value {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessCPU, Value: c.daemon.CPU, Limit: rule.Limit(ksoftirqdFrom.Value), Check: shell.Line("pidstat -p %d 1 5", c.daemon.PID),
			What: rule.T("%s uses %v of a CPU for packets that had to wait", c.daemon.Comm, unit.Share(c.daemon.CPU))})
	}
	if iface != "" {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.NetRxPackets, Value: flow.packets, What: rule.T("%s%s received %v packets", flow.name, v.InNetNS(flow.netns), unit.PerSecond(flow.packets))})
	}
	if card, line := flow.card, flow.line; flow.real {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SchedInterrupts, Value: line.PerCPU[c.CPU], Check: shell.Line("cat /proc/irq/%d/smp_affinity_list /proc/irq/%d/effective_affinity_list", line.IRQ, line.IRQ),
			What: rule.T("interrupt %d (%s) came %v on CPU %d; it may go to CPUs %s and goes to %s", line.IRQ, shortDevice(line.Device), unit.PerSecond(line.PerCPU[c.CPU]), c.CPU, known(line.Affinity), known(line.Effect))})
		if card.Queues > 1 {
			f.Fixes = append(f.Fixes, rule.Fix{Text: rule.T("give each of the %d queues of %s a CPU of its own, or let irqbalance do that", card.Queues, iface),
				Command: shell.Line("echo %d > /proc/irq/%d/smp_affinity_list", c.idlest.CPU, line.IRQ), Tradeoff: "lasts until the next boot; irqbalance may change it again"})
		}
	}
	cheaper := rule.Fix{Text: rule.T("make each packet cheaper: shorter rule lists, GRO, larger frames"), Command: shell.Line("%s nft list ruleset", enter), Tradeoff: "a change of the firewall or of the network"}
	if iface != "" {
		f.Fixes = append(f.Fixes, rule.Fix{Text: rule.T("let all CPUs share the work (RPS): each connection goes to one of them"),
			Command:  v.InSysfs(ns, shell.Line("for q in /sys/class/net/%s/queues/rx-*/rps_cpus; do echo %s > $q; done", iface, cpuMask(v.OnlineCPUs()))),
			Tradeoff: "an interrupt between CPUs for each batch, and less time for programs on the other CPUs; what comes in one connection still is for one CPU"})
	}
	if v.CPUCount() > 2 {
		f.Fixes = append(f.Fixes, cheaper)
	} else { // half of the packets on the only CPU that programs have: they may get slower
		f.Fixes = slices.Insert(f.Fixes, 0, cheaper)
	}
}

// shortDevice is what /proc/interrupts prints behind the chip.
func shortDevice(text string) string {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return "?"
	}
	return fields[len(fields)-1]
}

func known(cpus string) string { return cmp.Or(cpus, "that are not known") }

// cpuMask is a mask of CPUs as rps_cpus takes it: words of 32, divided by commas.
func cpuMask(cpus []int32) string {
	words := make([]uint32, slices.Max(cpus)/32+1)
	for _, n := range cpus {
		words[n/32] |= 1 << (n % 32)
	}
	slices.Reverse(words)
	text := fmt.Sprintf("%x", words[0])
	for _, w := range words[1:] {
		text += fmt.Sprintf(",%08x", w)
	}
	return text
}
