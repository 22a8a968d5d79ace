package net

import (
	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// discarded are packets that this host threw away, and what that cost.
type discarded struct {
	lost, all float64
	// How connections waited for retransmission timers; 0 unless these packets explain what
	// was sent again.
	waited   float64 // seconds per second
	share    float64 // of the time of those that sent again
	timeouts float64
	repaired float64 // segments sent again in their place, and that was seen to cost nothing; 0: not so
}

var repairedShare = rule.Threshold{Name: "repaired-share", Value: 0.8, Unit: "share", Source: rule.Judgement,
	Reason: "Segments sent again relative to the packets dropped. From it on nearly all of these were TCP segments, whose loss can be seen to cost nothing. What dropped datagrams and forwarded packets cost, nobody knows."}

// discards looks for the cost of packets that network namespaces lost of a number.
func discards(v *view.View, lost, all float64, in func(ns uint64) bool) discarded {
	d := discarded{lost: lost, all: all}
	if lost < minDiscarded.Value {
		return d
	}
	again, timeouts, datagrams, harmless := 0.0, 0.0, 0.0, true
	for _, l := range view.Memo(v, "net/losses", func() []loss { return losses(v) }) {
		if !in(l.NetNS) {
			continue
		}
		if again += l.data; again > 2*lost {
			return discarded{lost: lost, all: all} // these packets explain too little of it
		}
		timeouts += l.timeouts
		datagrams += l.AtLeast("UdpOutDatagrams") + l.AtLeast("Udp6OutDatagrams")
		harmless = harmless && (l.data == 0 || l.harmless())
		if l.confidence() > rule.Possible {
			d.waited, d.share, d.timeouts = d.waited+l.waited(), max(d.share, l.timerShare()), d.timeouts+l.timeouts
		}
	}
	if harmless && !d.costly() && again >= repairedShare.Value*lost && datagrams*d.ofAll() <= (1-repairedShare.Value)*lost {
		d.repaired, d.timeouts = again, timeouts
	}
	return d
}

// discardsOf are those of one network namespace.
func discardsOf(v *view.View, ns uint64, lost, all float64) discarded {
	return discards(v, lost, all, func(other uint64) bool { return other == ns })
}

// costly says that connections wait for timers because of these packets, however few of all
// they are.
func (d discarded) costly() bool { return d.share >= timerShare.Value && d.waited >= feltTimers.Value }

// harmless says that connections of this host sent these packets again at once, and that it was
// seen to cost them next to nothing, however many of all they are.
func (d discarded) harmless() bool { return d.repaired > 0 }

// elsewhere are packets that other hosts sent: those send them again, and wait, unseen.
func (d discarded) elsewhere() discarded {
	d.repaired = 0
	return d
}

// sure says how sure it is that these are too many. The counters are exact.
func (d discarded) sure() rule.Confidence {
	c := discarding(d.lost, d.all)
	switch {
	case d.costly():
		c = max(c, rule.Likely)
	case d.harmless():
		c = min(c, rule.Possible)
	}
	return c
}

func (d discarded) ofAll() float64 { return d.lost / max(d.all, 1) }

func (d discarded) impact(of string) rule.Impact {
	i := rule.Impact{TimeLost: d.waited, Share: d.ofAll(), Text: rule.T("%v of the %s", unit.Share(d.ofAll()), of)}
	switch {
	case d.costly():
		i.Text = rule.T("%v of the %s, %s waited for timers per second", unit.Share(d.ofAll()), of, unit.Seconds(d.waited))
	case d.harmless():
		i.Text = rule.T("%v of the %s, sent again at once", unit.Share(d.ofAll()), of)
	}
	return i
}

// evidence tells how connections waited.
func (d discarded) evidence(enter shell.Command) []rule.Evidence {
	switch {
	case d.costly():
		return []rule.Evidence{{Metric: metric.TCPTimeouts, Value: d.timeouts, Check: shell.Line("%s nstat -az TcpExtTCPTimeouts TcpExtTCPLossProbes", enter),
			What: rule.T("connections that sent again waited %s per second for retransmission timers, %v of their time", unit.Seconds(d.waited), unit.Share(min(d.share, 1)))}}
	case d.harmless():
		return []rule.Evidence{{Metric: metric.TCPTimeouts, Value: d.timeouts, Check: shell.Line("%s nstat -az TcpRetransSegs TcpExtTCPTimeouts TcpExtTCPLossProbes", enter),
			What: rule.T("TCP sent %s segments again at once: hardly any connection waited for a retransmission timer, and the one with most losses sends less than half of what these allow", unit.Count(d.repaired))}}
	}
	return nil
}
