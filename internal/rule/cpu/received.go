package cpu

import (
	"strconv"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

var cardShare = rule.Threshold{Name: "card-share", Value: 0.2, Unit: "share", Source: rule.Judgement,
	Reason: "Packets of a card relative to those of the interface without a card that receives most. What a card receives passes bridges, pairs of namespaces and loopback (to a backend of a proxy) again, there and back. Below this share the other packets have nothing to do with the card."}

// traffic is what one interface received.
type traffic struct {
	name    string
	netns   uint64
	packets float64 // per second
	size    float64 // mean bytes
}

// interfaces lists what each interface that received something did.
func interfaces(v *view.View) []traffic {
	return view.Memo(v, "cpu/interfaces", func() (list []traffic) {
		type key struct {
			netns uint64
			name  string
		}
		keys, series := view.Group(view.Rows[recording.NetDeviceSample](v), func(s recording.NetDeviceSample) key { return key{s.NetNS, s.Interface} })
		for _, k := range keys {
			rows := series[k]
			if packets := view.Rate(v, rows, func(s recording.NetDeviceSample) uint64 { return s.RxPackets }); packets > 0 {
				bytes := view.Rate(v, rows, func(s recording.NetDeviceSample) uint64 { return s.RxBytes })
				list = append(list, traffic{name: k.name, netns: k.netns, packets: packets, size: bytes / packets})
			}
		}
		return list
	})
}

// source is an interface whose packets a CPU receives.
type source struct {
	traffic
	card view.Card
	line view.Line // of the card, on that CPU
	real bool      // card and line are known
}

// receivedOn is the interface of which a CPU is most likely to receive packets: of the cards that
// interrupt it the one that receives most there, else the busiest of the interfaces without a
// card. Packets decide: the more a card receives, the less it interrupts, because it is polled.
// Both ends of a veth pair and a bridge above them count the same packets; only the one that
// received most is looked at, so nothing is counted twice.
func receivedOn(v *view.View, cpu int32) (best source, ok bool) {
	var card, other source
	most := 0.0 // of the packets of a card, what comes to this CPU if its CPUs share them
	for _, t := range interfaces(v) {
		k, known := cardOf(v, t)
		line, here, cpus := linesOn(k, cpu)
		switch {
		case here && t.packets/float64(cpus) > most:
			card, most = source{traffic: t, card: k, line: line, real: true}, t.packets/float64(cpus)
		case here, known && cpus > 0 && !k.RPS: // it interrupts others
		case t.packets > other.packets:
			other = source{traffic: t}
		}
	}
	switch {
	case card.real && card.packets >= cardShare.Value*other.packets:
		return card, true
	case other.name != "":
		return other, true
	}
	return best, false
}

// cardOf is the card of an interface: those of rtrail's own namespace are known.
func cardOf(v *view.View, t traffic) (view.Card, bool) {
	if v.OwnNetNS(t.netns) {
		for _, k := range v.Cards() {
			if k.Interface == t.name {
				return k, true
			}
		}
	}
	return view.Card{}, false
}

// linesOn is the line of a card that interrupts a CPU most; here is false if none does. A card that
// is polled all the time interrupts nobody: then the CPU that the line goes to counts. cpus is how
// many CPUs its lines interrupt.
func linesOn(k view.Card, cpu int32) (line view.Line, here bool, cpus int) {
	on := map[int32]bool{}
	for _, l := range k.Lines {
		if !l.Fired {
			continue
		}
		if n, err := strconv.ParseInt(l.Effect, 10, 32); err == nil && len(l.PerCPU) == 0 {
			on[int32(n)] = true
			if int32(n) == cpu && !here {
				line, here = l, true
			}
		}
		for n := range l.PerCPU {
			on[n] = true
		}
		if l.PerCPU[cpu] > line.PerCPU[cpu] {
			line, here = l, true
		}
	}
	return line, here, len(on)
}
