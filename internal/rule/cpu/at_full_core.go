package cpu

import (
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// atFullCore says whether what another finding is about happened at the CPU that is full with
// received packets: its interface or backlog lost them, or a server waited for this CPU.
func atFullCore(v *view.View, f, symptom *rule.Finding) bool {
	c, ok := busiestCore(v)
	if !ok {
		return false
	}
	switch symptom.Rule {
	case "rt/server-slow":
		mostly := waitsMostlyFor(v, c.CPU)
		return delayed(v, symptom, func(p *view.Process) bool { return mostly[p.PID] && !v.Throttled(p) })
	case "net/nic-drops":
		l := lossesOf(v, f.Subject)
		return symptom.Subject.Same(f.Subject) && l.ring+l.unread >= l.otherwise
	}
	return c.explainsLoss(v, f.Subject, symptom)
}

// explainsLoss says whether a finding about lost packets is about those that did not get past
// this CPU: in the network namespace of its interface they are enough for what was sent again.
func (c *core) explainsLoss(v *view.View, at view.Entity, symptom *rule.Finding) bool {
	s := symptom.Subject
	if at.Kind != view.KindInterface || s.Kind != view.KindPeer && s.Kind != view.KindNetNS || s.NetNS != at.NetNS || symptom.Confidence == rule.Certain {
		return false // of a certain one the rule of the firewall is known that drops them
	}
	lost := c.dropped + lossesOf(v, at).ring
	return lost > 0 && v.CountersOf(at.NetNS).AtLeast("TcpRetransSegs") <= 2*lost
}

// losses is the packets that an interface lost in the window.
type losses struct {
	ring      float64 // the receive ring was full
	unread    float64 // dropped as they came, for a reason that is not told
	otherwise float64 // damaged, or lost as they were sent
}

func lossesOf(v *view.View, e view.Entity) losses {
	type sample = recording.NetDeviceSample
	var rows []sample
	for _, s := range view.Rows[sample](v) {
		if s.NetNS == e.NetNS && s.Interface == e.Name {
			rows = append(rows, s)
		}
	}
	grown := func(read func(sample) uint64) float64 {
		d, _ := view.Delta(rows, read)
		return d
	}
	l := losses{ring: grown(func(s sample) uint64 { return s.RxFIFO }), unread: grown(func(s sample) uint64 { return s.RxDropped })}
	l.otherwise = max(grown(func(s sample) uint64 { return s.RxErrors })-l.ring, 0) +
		grown(func(s sample) uint64 { return s.TxFIFO }) + grown(func(s sample) uint64 { return s.Carrier })
	return l
}

// waitsMostlyFor lists the processes whose threads, as they waited for a CPU, mostly did so for
// this one.
func waitsMostlyFor(v *view.View, cpu int32) map[int32]bool {
	there, all := map[int32]float64{}, map[int32]float64{}
	for _, t := range v.ThreadTimes() {
		here := 0
		for _, s := range t.Samples {
			if s.Processor == cpu {
				here++
			}
		}
		all[t.PID] += t.RunDelay
		there[t.PID] += t.RunDelay * float64(here) / float64(len(t.Samples))
	}
	mostly := map[int32]bool{}
	for pid, waited := range all {
		mostly[pid] = waited > 0 && there[pid] >= waited/2
	}
	return mostly
}
