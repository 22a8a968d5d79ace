package net

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// A datagram that is lost for good costs whoever misses it, which nothing shows. A query of DNS
// is sent again, and its client waits meanwhile.

// missing is what clients of a name server lose by the datagrams that its socket drops.
type missing struct {
	waited   float64 // seconds per second, as far as these drops explain it; 0: nobody was seen, or it is no name server
	evidence []rule.Evidence
}

// missedAnswers finds who waits for a name server: by its queries in packets, or by programs of
// this host whose lookups receive nothing.
func (o *overrun) missedAnswers(v *view.View) (m missing) {
	for _, r := range resolvers(v) {
		missed := float64(r.missed())
		if missed == 0 || r.ServerPort != int32(o.LocalPort) || !o.takes(v, r.s.Server, v.OwnNetNS(o.NetNS)) {
			continue
		}
		m.add(perSecond(v, r.waitedFor())*o.explains(missed), rule.Evidence{
			Metric: metric.PacketsDNSUnanswered, Value: missed, Limit: rule.Limit(0), Check: r.unansweredCheck(v),
			What: rule.T("clients repeat %s of %s to it, or get no answer, and wait %s per second for these", unit.Count(missed), unit.Plural(r.asked(), "query", "queries"), unit.Seconds(perSecond(v, r.waitedFor()))),
		})
	}
	n, waited, longest := 0, time.Duration(0), time.Duration(0)
	for _, l := range v.Lookups() {
		toSelf := l.NetNS == o.NetNS && l.Local == l.Remote && view.Wildcard(o.Local)
		if l.Asleep >= unansweredFor.Duration() && l.RemotePort == o.LocalPort && (toSelf || o.takes(v, l.Remote, l.NetNS == o.NetNS)) {
			n, waited, longest = n+1, waited+l.Asleep, max(longest, l.Asleep)
		}
	}
	if n > 0 {
		m.add(perSecond(v, waited)*o.explains(float64(n)), rule.Evidence{
			Metric: metric.DNSWaiting, Value: float64(n), Limit: rule.Limit(0), Check: shell.Line("ss -unp 'dport = :%d'", o.LocalPort),
			What: rule.T("%s of programs of this host received nothing from it for up to %s", unit.Plural(n, "lookup", "lookups"), unit.Duration(longest)),
		})
	}
	return m
}

// add keeps the larger time: packets and sockets show the same lookups.
func (m *missing) add(waited float64, e rule.Evidence) {
	m.waited = max(m.waited, waited)
	m.evidence = append(m.evidence, e)
}

// explains is the part of so many missed answers that the dropped datagrams can be.
func (o *overrun) explains(missed float64) float64 { return min(o.lost()/missed, 1) }

// takes says that what is sent to an address comes to this socket; near: it is sent from its
// network namespace.
func (o *overrun) takes(v *view.View, address string, near bool) bool {
	loopback := addressOf(address).IsLoopback()
	switch {
	case loopback && !near:
		return false
	case !view.Wildcard(o.Local):
		return o.Local == address
	}
	return loopback || v.HasAddress(o.NetNS, address)
}
