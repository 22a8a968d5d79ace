package net

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var qdiscDrops = rule.Rule{
	ID:         "net/qdisc-drops",
	Title:      "the queue of an interface drops packets",
	Plural:     "interface queues drop packets",
	Resource:   "packet delivery",
	Needs:      []recording.Table{recording.Qdiscs},
	Explains:   []string{"net/packet-loss", "rt/path-slow", "rt/server-slow"},
	Refutes:    []string{"network path"},
	Thresholds: []*rule.Threshold{&minDiscarded, &discardedShare, &slightlyDiscarded, &fewPackets, &timerShare, &feltTimers, &repairedShare, &fillsQueue, &minRepeats, &fewWithheld},
	Seen:       func(v *view.View) bool { return len(v.Queues()) > 0 },
	Detect:     detectQdiscDrops,
}

var (
	minDiscarded = rule.Threshold{Name: "min-discarded", Value: 20, Unit: "count", Source: rule.Judgement,
		Reason: "Packets dropped in the window. Fewer are a single burst."}
	discardedShare = rule.Threshold{Name: "discarded-share", Value: 0.01, Unit: "share", Source: "Mathis et al., The macroscopic behavior of the TCP congestion avoidance algorithm, 1997",
		Reason: "Share of the packets. One TCP connection that fills a link loses some tenths of a percent while it finds the link's rate. From 1 % on, loss limits throughput."}
	fillsQueue = rule.Threshold{Name: "fills-queue", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a queue's bytes that one program sends. From half on, it fills the queue that others share with it."}
	slightlyDiscarded = rule.Threshold{Name: "slightly-discarded", Value: 0.002, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the packets. Worth mentioning."}
)

func detectQdiscDrops(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	queues := v.Queues()
	for i := range queues {
		q := &queues[i]
		if d := discardsOf(v, q.NetNS, q.Dropped, q.Sent+q.Dropped); d.sure() != 0 {
			found = append(found, queueFinding(v, q, d))
		}
	}
	return found, nil
}

// discarding says how sure it is that packets thrown away of a number are too many.
// The counters are exact.
func discarding(lost, all float64) rule.Confidence {
	share := lost / max(all, 1)
	switch {
	case lost < minDiscarded.Value, share < slightlyDiscarded.Value:
		return 0
	case share < discardedShare.Value:
		return rule.Possible
	}
	return rule.Certain
}

func queueFinding(v *view.View, q *view.Queue, d discarded) rule.Finding {
	enter, c := v.EnterNetNS(q.NetNS), d.sure()
	what, why := "queue", "it is full, or limits its delay"
	if q.Kind == "netem" {
		what, why = "test queue", "netem is set to lose or delay packets, or its limit is too small for the delay"
	}
	if q.Shapes() {
		what, why = "shaper", "the traffic exceeds its rate"
	}
	f := rule.Finding{Subject: view.InterfaceEntity(q.Interface, q.NetNS), Confidence: c,
		Headline: rule.T("the %s %s of %s%s drops %v of the packets that this host sends there: %s", what, q.String(), q.Interface, v.InNetNS(q.NetNS), unit.Share(d.ofAll()), why),
		Impact:   d.impact("packets through " + q.Interface),
		Affects:  suffersLoss(v, q.NetNS, q.Dropped),
		Evidence: []rule.Evidence{{Metric: metric.QdiscDrops, Value: q.Dropped, Limit: rule.Limit(0), Check: shell.Line("%s tc -s qdisc show dev %s", enter, q.Interface),
			What: rule.T("it dropped %s packets and sent %s; %s bytes wait in it now", unit.Count(q.Dropped), unit.Count(q.Sent), unit.Count(float64(q.Backlog)))}},
	}
	f.Evidence = append(f.Evidence, kernelDrops(v, func(d *recording.PacketDrop) bool {
		return (d.Reason == "QDISC_DROP" || d.Reason == "QDISC_OVERLIMIT" || d.Reason == "QDISC_CONGESTED") && (d.NetNS == q.NetNS || d.NetNS == 0) && (d.Device == q.Interface || d.Device == "")
	})...)
	f.Evidence = append(append(f.Evidence, repeats(v, q.NetNS)...), d.evidence(enter)...)
	if c > rule.Possible {
		f.Culprit, f.Victims = queueBlame(v, q)
	}
	if q.Shapes() {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.QdiscDrops, Value: q.Held, Check: shell.Line("%s tc -s qdisc show dev %s", enter, q.Interface), What: rule.T("packets waited %s times because the rate was used up (overlimits)", unit.Count(q.Held))})
		f.Fixes = []rule.Fix{
			{Text: rule.T("raise the rate of the shaper, or send less"), Command: shell.Line("%s tc qdisc show dev %s", enter, q.Interface), Tradeoff: "the next link must have that rate: otherwise a provider's limit drops instead"},
			{Text: rule.T("give it a longer queue, or a fair queue below it (fq_codel)"), Tradeoff: "packets that wait longer"}}
		return f
	}
	if q.Kind == "netem" {
		f.Fixes = []rule.Fix{{Text: rule.T("remove it if nobody tests with it, or raise its limit"), Command: shell.Line("%s tc -s qdisc show dev %s", enter, q.Interface), Tradeoff: "ends the test"}}
		return f
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("see who sends so much, and whether the link is full"), Command: shell.Line("%s ip -s link show dev %s", enter, q.Interface), Tradeoff: "none"},
		{Text: rule.T("make the queue large enough for a burst (its limit; txqueuelen for pfifo_fast and pfifo only), or send evenly (fq with pacing)"), Command: shell.Line("%s tc -s -d qdisc show dev %s", enter, q.Interface), Tradeoff: "packets that wait longer"}}
	return f
}

// repeats tells how many segments a network namespace sent again meanwhile.
func repeats(v *view.View, ns uint64) []rule.Evidence {
	c := v.CountersOf(ns)
	n := c.AtLeast("TcpRetransSegs")
	if n < fewPackets.Value {
		return nil
	}
	return []rule.Evidence{{Metric: metric.TCPRetransmissionRate, Value: n / (n + c.AtLeast("TcpOutSegs")), Check: shell.Line("%s nstat -az TcpRetransSegs", v.EnterNetNS(ns)),
		What: rule.T("TCP sent %s segments again meanwhile", unit.Count(n))}}
}

// suffersLoss lists whom packets that a network namespace loses concern: both ends
// of its connections that retransmit.
func suffersLoss(v *view.View, ns uint64, lost float64) []view.Entity {
	if n := v.CountersOf(ns).AtLeast("TcpRetransSegs"); n > 2*lost {
		return nil // these packets explain too little of it
	}
	pair := func(p *lossyPeer) [2]string { return [2]string{min(p.local, p.remote), max(p.local, p.remote)} }
	hit := map[[2]string]bool{}
	all := losses(v)
	for _, l := range all {
		for i := range l.peers {
			hit[pair(&l.peers[i])] = hit[pair(&l.peers[i])] || l.NetNS == ns
		}
	}
	list := []view.Entity{v.NetNSEntity(ns)}
	for _, l := range all {
		for i := range l.peers {
			if p := &l.peers[i]; hit[pair(p)] {
				list = append(list, v.PeerEntity(p.remote, l.NetNS), v.PeerEntity(p.local, l.NetNS), v.PeerEntity(p.local, 0), v.PeerEntity(p.remote, 0))
			}
		}
	}
	return list
}
