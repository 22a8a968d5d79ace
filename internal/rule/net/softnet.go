package net

import (
	"fmt"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var softnet = rule.Rule{
	ID:         "net/softnet",
	Title:      "the receive backlog of a CPU overflows",
	Plural:     "receive backlogs overflow",
	Resource:   "packet delivery",
	Needs:      []recording.Table{recording.Softnet},
	Columns:    []string{"softnet.processed", "softnet.dropped", "softnet.squeezed"},
	Explains:   []string{"net/packet-loss", "rt/path-slow", "rt/server-slow"},
	Refutes:    []string{"network path"},
	Thresholds: []*rule.Threshold{&minDiscarded, &discardedShare, &slightlyDiscarded, &overflowHint, &fewPackets, &timerShare, &feltTimers, &repairedShare, &squeezedRate, &squeezedSoftirq},
	Seen:       func(v *view.View) bool { return backlogs(v).Processed > 0 },
	Detect:     detectSoftnet,
}

var (
	overflowHint = rule.Threshold{Name: "overflow-hint", Value: 0.0005, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the received packets. Worth mentioning: a healthy backlog never overflows. TCP fills the queue before a link to find its rate, but not this backlog."}
	squeezedRate = rule.Threshold{Name: "squeezed-rate", Value: 100, Unit: "per second", Source: rule.Judgement,
		Reason: "Rounds of receiving of one CPU that ended with packets left. A round has 300 packets or 2 ms: 100 rounds are 30,000 packets or 200 ms of each second, while other work of the CPU waits."}
	squeezedSoftirq = rule.Threshold{Name: "squeezed-softirq", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of one CPU in softirqs. Below it the kernel has time to handle the rest at once."}
)

// backlog is what CPUs did with received packets in the window.
type backlog struct {
	Processed, Dropped float64 // packets
	worst              int32   // the CPU that dropped most
	most               float64 // packets
	squeezed           float64 // rounds a second of the CPU where there were most
	squeezedCPU        int32
}

// confidence says how sure it is that a backlog dropped too much. A packet may stand
// for forty segments that were put together, so that few of them matter.
func (b *backlog) confidence(d discarded) rule.Confidence {
	share := d.ofAll()
	switch {
	case b.Dropped < minDiscarded.Value, share < overflowHint.Value && !d.costly():
		return 0
	case share < slightlyDiscarded.Value && !d.costly(), d.harmless():
		return rule.Possible
	case share < discardedShare.Value:
		return rule.Likely
	}
	return rule.Certain
}

func backlogs(v *view.View) (b backlog) {
	cpus, series := view.Group(view.Rows[recording.SoftnetSample](v), func(s recording.SoftnetSample) int32 { return s.CPU })
	for _, c := range cpus {
		processed, _ := view.Delta(series[c], func(s recording.SoftnetSample) uint64 { return s.Processed })
		dropped, _ := view.Delta(series[c], func(s recording.SoftnetSample) uint64 { return s.Dropped })
		b.Processed += processed
		b.Dropped += dropped
		if dropped > b.most {
			b.worst, b.most = c, dropped
		}
		if rate := view.Rate(v, series[c], func(s recording.SoftnetSample) uint64 { return s.Squeezed }); rate > b.squeezed {
			b.squeezed, b.squeezedCPU = rate, c
		}
	}
	return b
}

func detectSoftnet(v *view.View) ([]rule.Finding, error) {
	b := backlogs(v)
	d := discards(v, b.Dropped, b.Processed+b.Dropped, func(uint64) bool { return true })
	if !repeatsWithin(v) {
		d = d.elsewhere()
	}
	if c := b.confidence(d); c != 0 {
		return []rule.Finding{b.overflow(v, c, d)}, nil
	}
	if b.squeezed >= squeezedRate.Value {
		if len(v.CPUs()) == 0 || !v.Tells(recording.CPUs, "softirq_ns") {
			return nil, &rule.NotJudged{Needs: "softirq time of each CPU", Why: fmt.Sprintf("CPU %d ended rounds of receiving with packets left, and whether it had time for them is not told", b.squeezedCPU),
				How: shell.Say("record CPU time by CPU and mode: sar -u ALL -P ALL, mpstat -P ALL, or node_cpu_seconds_total")}
		}
		for _, c := range v.CPUs() {
			if c.CPU == b.squeezedCPU && c.SoftIRQ >= squeezedSoftirq.Value {
				return []rule.Finding{b.squeeze(v, c.SoftIRQ)}, nil
			}
		}
	}
	return nil, nil
}

// repeatsWithin says that all that was sent again went to programs of this host, as far as its
// connections are known: what other hosts send again is not seen here.
func repeatsWithin(v *view.View) bool {
	within := func(p lossyPeer) bool {
		return loopback(p.remote) || slices.ContainsFunc(v.TCPNamespaces(), func(ns uint64) bool { return v.HasAddress(ns, p.remote) })
	}
	for _, l := range view.Memo(v, "net/losses", func() []loss { return losses(v) }) {
		if l.data > 0 && (len(l.peers) == 0 || slices.ContainsFunc(l.peers, func(p lossyPeer) bool { return !within(p) })) {
			return false
		}
	}
	return true
}

// squeezeEvidence is a line about rounds that ended early.
func (b *backlog) squeezeEvidence() rule.Evidence {
	return rule.Evidence{Metric: metric.SoftnetSqueezed, Value: b.squeezed, Limit: rule.Limit(squeezedRate.Value), Check: shell.Line("cat /proc/net/softnet_stat   # third column, hexadecimal"),
		What: rule.T("on CPU %d %v rounds of receiving ended with packets left (time squeeze)", b.squeezedCPU, unit.PerSecond(b.squeezed))}
}

// cpuEntity is one CPU.
func cpuEntity(n int32) view.Entity {
	return view.Entity{Kind: view.KindCPU, Name: fmt.Sprintf("CPU %d", n)}
}

func (b *backlog) overflow(v *view.View, c rule.Confidence, d discarded) rule.Finding {
	f := rule.Finding{Subject: cpuEntity(b.worst), Confidence: c, AffectsAll: c == rule.Certain,
		Headline: rule.T("received packets are dropped because the backlog of a CPU is full: %s in the window, most on CPU %d", unit.Count(b.Dropped), b.worst),
		Impact:   d.impact("received packets"),
		Evidence: []rule.Evidence{{Metric: metric.SoftnetDropped, Value: b.Dropped, Limit: rule.Limit(0), Check: shell.Line("cat /proc/net/softnet_stat   # a line for each CPU; second column, hexadecimal"),
			What: rule.T("CPUs handled %s packets and dropped %s, of these CPU %d dropped %s", unit.Count(b.Processed), unit.Count(b.Dropped), b.worst, unit.Count(b.most))}},
	}
	var none shell.Command
	f.Evidence = append(f.Evidence, d.evidence(none)...)
	if b.squeezed > 0 {
		f.Evidence = append(f.Evidence, b.squeezeEvidence())
	}
	for _, c := range v.CPUs() {
		if c.CPU == b.worst {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CPUSoftirq, Value: c.SoftIRQ, What: rule.T("CPU %d spends %v of its time in softirqs, and %v in all", b.worst, unit.Share(c.SoftIRQ), unit.Share(c.Busy()))})
		}
	}
	f.Evidence = append(f.Evidence, kernelDrops(v, func(d *recording.PacketDrop) bool { return d.Reason == "CPU_BACKLOG" })...)
	f.Fixes = []rule.Fix{
		{Text: rule.T("make the backlog large enough for a burst"), Command: shell.Line("sysctl -w net.core.netdev_max_backlog=10000"), Tradeoff: "packets wait longer in a backlog that is always full"},
		{Text: rule.T("spread the receive work over more CPUs: more queues of the card, other CPUs for RPS"), Command: shell.Line("grep . /sys/class/net/*/queues/rx-*/rps_cpus"), Tradeoff: "these CPUs have less time for programs"}}
	return f
}

func (b *backlog) squeeze(v *view.View, share float64) rule.Finding {
	return rule.Finding{Subject: cpuEntity(b.squeezedCPU), Confidence: rule.Possible,
		Headline: rule.T("CPU %d does not keep up with received packets: %v rounds of receiving end with packets left", b.squeezedCPU, unit.PerSecond(b.squeezed)),
		Impact:   rule.Impact{Share: share / float64(max(v.CPUCount(), 1)), Text: rule.T("%v of one CPU", unit.Share(share))},
		Evidence: []rule.Evidence{b.squeezeEvidence(), {Metric: metric.CPUSoftirq, Value: share, Limit: rule.Limit(squeezedSoftirq.Value), What: rule.T("it spends %v of its time in softirqs", unit.Share(share)), Check: shell.Line("mpstat -P ALL 1 5   # column %%soft")}},
		Notes:    []rule.Text{rule.T("no packet was dropped there")},
		Fixes: []rule.Fix{
			{Text: rule.T("spread the receive work over more CPUs: more queues of the card, other CPUs for RPS"), Command: shell.Line("grep . /sys/class/net/*/queues/rx-*/rps_cpus"), Tradeoff: "these CPUs have less time for programs"},
			{Text: rule.T("give a round more packets and time"), Command: shell.Line("sysctl -w net.core.netdev_budget=600 net.core.netdev_budget_usecs=8000"), Tradeoff: "programs on this CPU wait longer for their turn"}},
	}
}
