package throughput

import (
	"fmt"
	"math"

	"rtrail/internal/conclusion"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
)

// lostOnTheWay is the share of packets from which on losses below the limit are told.
const lostOnTheWay = 0.005

// JudgePackets says what limits small packets. Kinds are packets, rate, both, receiver-buffer,
// sender, cpu, loss, blocked and unknown.
func JudgePackets(small, large []PacketStep) Verdict {
	if len(small) == 0 {
		return Verdict{Kind: "unknown", Sure: "certain", Headline: "no step was run to its end"}
	}
	last := &small[len(small)-1]
	v := Verdict{Sure: "likely", Proof: packetProof(small, large)}
	p, l := plateau(small), lossy(small)
	switch {
	case last.Arrivals.Received == 0:
		v.Kind, v.Sure, v.Headline = "blocked", "certain", "no packet arrived: a filter between the hosts drops UDP to this port"
		if last.Sent == 0 {
			v.Headline = "no packet was sent: this host refuses them"
		}
		v.Next = []Step{conclusion.Do("look for the rule on both hosts", shell.Line("sudo nft list ruleset; sudo iptables -nvL"))}
	case p != nil:
		limited(&v, p, large)
	case l != nil:
		v.Kind = "loss"
		v.Headline = fmt.Sprintf("%s of packets get lost at %v packets/s already, and the more are sent the more arrive: losses, no limit up to %s", unit.Share(l.lost()), unit.Count(float64(l.Asked)), packets(most(small)))
		v.Next = []Step{conclusion.Do("find where packets get lost", shell.Line("tc -s qdisc; ip -s link"))}
	case last.starved():
		v.Kind = "sender"
		v.Headline = fmt.Sprintf("this host could send only %v packets/s of %v: it got no more CPU; the path carries at least %s", unit.Count(last.tried()), unit.Count(float64(last.Asked)), packets(most(small)))
		v.Next = []Step{conclusion.Do("see what the CPUs do", shell.Line("mpstat -P ALL 1 5"))}
	default:
		v.Kind, v.Headline = "unknown", fmt.Sprintf("%s of %d bytes arrive: the limit was not reached", packets(most(small)), last.Size)
		if last.lost() >= lostOnTheWay {
			v.Headline = fmt.Sprintf("at most %s of %d bytes arrive, but no steady limit shows", packets(most(small)), last.Size)
		}
	}
	return v
}

// limited says what a plateau of small packets is.
func limited(v *Verdict, p *PacketStep, large []PacketStep) {
	missing := float64(p.Tried - p.Arrivals.Received)
	switch {
	case float64(p.Arrivals.Dropped) >= missing/2:
		v.Kind, v.Sure = "receiver-buffer", "certain"
		v.Headline = fmt.Sprintf("%v: the path brings more, but the receiver's socket buffer of %v overflows: its reader is too slow, or gets no CPU", packets(p), unit.Bytes(p.Arrivals.Buffer))
		v.Next = []Step{conclusion.Do("on the receiver: let rtrail look, and see the limit of the buffer", shell.Line("sudo rtrail; sysctl net.core.rmem_max"))}
		return
	}
	where := "the path drops the rest"
	if float64(p.Refused) >= missing/2 {
		where = "this host's own queue (qdisc or network card) takes no more"
	}
	v.Next = []Step{conclusion.Do("look for shapers and filters on both hosts; then at limits of the virtual machine or its switch", shell.Line("tc -s qdisc; nft list ruleset; ethtool -S DEVICE | grep -i exceeded"))}
	top, l := p, (*PacketStep)(nil)
	if len(large) > 0 {
		top, l = most(large), plateau(large)
	}
	less := func(a, b float64) bool { return a < b/flat }
	switch full := max(p.CPU, p.PeerCPU) >= fullCPU; {
	case l != nil && !less(l.bits(), p.bits()) && !less(p.bits(), l.bits()):
		// A CPU has its costs per packet, and would carry more bytes in large ones.
		v.Kind, v.Sure = "rate", "certain"
		v.Headline = fmt.Sprintf("%v, whatever the size of packets: a limit of bytes per second; %s", BitRate(p.bits()), where)
	case full:
		v.Kind = "cpu"
		v.Headline = fmt.Sprintf("%s: a CPU of the %s is full", packets(p), fuller(p.CPU, p.PeerCPU))
		v.Next = []Step{conclusion.Do("see which one, and what it does", shell.Line("mpstat -P ALL 1 5"))}
	case l != nil && max(l.CPU, l.PeerCPU) < fullCPU && !less(l.perSecond(), p.perSecond()) && !less(p.perSecond(), l.perSecond()):
		v.Kind, v.Sure = "packets", "certain"
		v.Headline = fmt.Sprintf("%s, whatever their size: a limit of packets per second; %s", packets(p), where)
	case less(p.bits(), top.bits()) && l != nil && less(l.perSecond(), p.perSecond()):
		v.Kind = "both"
		v.Headline = fmt.Sprintf("small packets end at %s, large ones at %v: the one is a limit of packets per second, the other of bytes; %s", packets(p), BitRate(l.bits()), where)
	case less(p.bits(), top.bits()):
		v.Kind = "packets"
		v.Headline = fmt.Sprintf("small packets end at %s, but large ones carry %v: a limit of packets per second; %s", packets(p), BitRate(top.bits()), where)
	default:
		v.Kind, v.Headline = "unknown", fmt.Sprintf("%s; %s; large packets do not tell whether packets or bytes are limited", packets(p), where)
	}
}

// packets is how many arrived: "7,998 packets/s".
func packets(s *PacketStep) string { return unit.Count(s.perSecond()).String() + " packets/s" }

// most is the step in which most packets arrived.
func most(steps []PacketStep) *PacketStep {
	best := &steps[0]
	for i := range steps {
		if steps[i].perSecond() > best.perSecond() {
			best = &steps[i]
		}
	}
	return best
}

// lossy is the slowest step, if losses are there from the beginning and stay: a limit would
// let low rates through.
func lossy(steps []PacketStep) *PacketStep {
	for i := range steps {
		s := &steps[i]
		if s.lost() < lostOnTheWay || float64(s.Arrivals.Dropped) > float64(s.Sent-s.Arrivals.Received)/2 {
			return nil
		}
	}
	return &steps[0]
}

func packetProof(small, large []PacketStep) (list []string) {
	for _, steps := range [][]PacketStep{small, large} {
		if len(steps) == 0 {
			continue
		}
		s := &steps[len(steps)-1]
		a := &s.Arrivals
		list = append(list, fmt.Sprintf("packets of %d bytes: of %v/s arrived %v/s (%v on Ethernet); lost %s, of these %v in the receiver's socket buffer; %v refused by this host, %v reordered; jitter %v",
			s.Size, unit.Count(float64(s.Asked)), unit.Count(s.perSecond()), BitRate(s.bits()), unit.Share(s.lost()), unit.Count(a.Dropped), unit.Count(s.Refused), unit.Count(a.Reordered), unit.Duration(a.Jitter)))
		list = append(list, fmt.Sprintf("busiest CPU: sender %s, receiver %s", unit.Share(s.CPU), unit.Share(s.PeerCPU)))
	}
	if p := plateau(small); p != nil {
		if words := round(p.perSecond(), "packets/s"); words != "" {
			list = append(list, words)
		}
	}
	if p := plateau(large); p != nil {
		if words := round(p.bits(), "bit/s of Ethernet"); words != "" {
			list = append(list, words)
		}
	}
	return list
}

// nearRound is how far a rate is from a round number that it is likely set to: one rate in
// 25 comes as near to one by chance.
const nearRound = 0.005

// round says that a rate is near a round number, as people set limits to.
func round(rate float64, what string) string {
	if rate <= 0 {
		return ""
	}
	size := math.Pow(10, math.Floor(math.Log10(rate)))
	for _, n := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10} {
		if math.Abs(rate-n*size) <= nearRound*n*size {
			return fmt.Sprintf("within %s of a round number, as limits are set to: %v %s", unit.Share(nearRound), unit.Count(n*size), what)
		}
	}
	return ""
}
