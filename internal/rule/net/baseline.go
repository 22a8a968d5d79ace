package net

import (
	"rtrail/internal/baseline"
	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// A baseline counts packets of 64 bytes, and bytes in packets as large as the path takes. Those up to
// smallPacket bytes on average are like the first, those from largePacket on like the second.
const smallPacket, largePacket = 128, 1000

// ofBaseline says how near a limited direction is to what went between the same two hosts, the
// same way, when that was measured: in bytes, or in packets where not bytes are limited and they are
// small.
func (l *limit) ofBaseline(v *view.View) []rule.Evidence {
	ns := v.Manifest().Host.NetNS
	what, peer, way := baseline.Sent, l.To, "sent to"
	if !v.HasAddress(ns, l.From) {
		what, peer, way = baseline.Received, l.From, "received from"
		if !v.HasAddress(ns, l.To) {
			return nil // neither end is this host
		}
	}
	rate := view.Payload(l.bytes, l.packets)
	if !l.byBytes && l.bytes < largePacket*l.packets {
		if what != baseline.Sent || l.bytes > smallPacket*l.packets {
			return nil
		}
		what, rate = baseline.Packets, l.packets
	}
	could, measured, ok := v.PathBaseline(what, func(p baseline.Path) bool { return p.Peer.String() == peer })
	if !ok {
		return nil
	}
	amount := unit.Bytes(could).String() + "/s of payload"
	if what == baseline.Packets {
		amount = unit.Count(could).String() + " small packets/s"
	}
	return []rule.Evidence{{Metric: metric.NetOfBaseline, Value: rate / could, Check: shell.Line("rtrail explain net.of-baseline"),
		What: rule.T("that is %v of the %s that this host %s %s when it was measured on %v", unit.Share(rate/could), amount, way, peer, unit.Moment(measured))}}
}

// ofBaseline says how near what a shaper lets through is to what its interface sent when
// that was measured.
func (s *shaper) ofBaseline(v *view.View) []rule.Evidence {
	i := view.Interface{TxBytes: s.bytes, TxPackets: s.packets}
	i.Interface, i.NetNS = s.queue.Interface, s.queue.NetNS
	o, ok := v.SentOfBaseline(i)
	if !ok {
		return nil
	}
	return []rule.Evidence{{Metric: metric.NetOfBaseline, Value: o.Share, Check: shell.Line("rtrail explain net.of-baseline"),
		What: rule.T("that is %v of what %s sent when it was measured on %v", unit.Share(o.Share), i.Interface, unit.Moment(o.Measured))}}
}
