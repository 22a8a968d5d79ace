package net

import (
	"fmt"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func (l loss) evidence(v *view.View) []rule.Evidence {
	enter := v.EnterNetNS(l.NetNS)
	list := []rule.Evidence{{
		Metric: metric.TCPRetransmissionRate, What: rule.T("%s of %s segments sent again in %s%s", unit.Count(l.data), unit.Count(l.sent), unit.Seconds(l.Seconds), v.InNetNS(l.NetNS)),
		Value: l.rate(), Limit: rule.Limit(lossy.Value), Check: shell.Line("%s nstat -az TcpRetransSegs TcpOutSegs TcpExtTCPSynRetrans", enter),
	}}
	if l.place != nil {
		list = append(list, placeEvidence(v, *l.place))
	}
	if len(l.peers) > 0 {
		p := l.peers[0]
		if p.told >= minRepeats.Value && (v.Traced(retransmits) || p.told >= p.repeated) {
			list = append(list, rule.Evidence{
				Metric: metric.TCPRetransmits, What: rule.T("the kernel sent %s segments to %s again, on %s: %s", unit.Count(p.told), p.remote, unit.Plural(len(p.events), "connection", "connections"), p.worstConnections(v)),
				Value: p.told, Check: shell.Line("rtrail trace retransmits --for 10s"), Counters: true,
			})
		} else if p.sent > 0 {
			list = append(list, rule.Evidence{
				Metric: metric.TCPRetransmits, What: rule.T("%s of %s segments to %s, on %d connections%s", unit.Count(p.repeated), unit.Count(p.sent), p.remote, p.connections, owner(v, p.worst)),
				Value: p.repeated, Check: shell.Line("%s ss -tino dst %s", enter, shell.Address(p.remote)), Counters: true,
			})
		}
	}
	if l.timeouts+l.probes > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.TCPTimeouts, What: rule.T("%s retransmission timeouts, at least 200 ms each, and %s tail loss probes, %s of which repaired a loss", unit.Count(l.timeouts), unit.Count(l.probes), unit.Count(l.found)),
			Value: l.timeouts, Check: shell.Line("%s nstat -az TcpExtTCPTimeouts TcpExtTCPLossProbes TcpExtTCPLossProbeRecovery", enter),
		})
	}
	if l.dsack > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.TCPDsack, What: rule.T("peers already had %s of them: the data was late, or only its ACK was late or lost", unit.Count(l.dsack)),
			Value: l.dsack, Check: shell.Line("%s nstat -az TcpExtTCPDSACKRecv", enter),
		})
	}
	list = append(list, kernelDrops(v, l.dropped)...)
	list = append(list, deviceDrops(v, l.NetNS)...)
	list = append(list, queueDrops(v, l.NetNS)...)
	if n := softnetDrops(v); n > 0 {
		list = append(list, rule.Evidence{
			Metric: metric.SoftnetDropped, What: rule.T("this host's receive backlog dropped %s packets", unit.Count(n)),
			Value: n, Limit: rule.Limit(0),
		})
	}
	return list
}

// dropped says whether the kernel dropped packets between the ends of these
// connections, in whichever namespace of this host; or, if no connection was seen
// that repeats, in this namespace.
func (l loss) dropped(d *recording.PacketDrop) bool {
	if d.Protocol != "tcp" {
		return false
	}
	for _, p := range l.peers {
		if p.local == d.Source && p.remote == d.Destination || p.local == d.Destination && p.remote == d.Source {
			return true
		}
	}
	return len(l.peers) == 0 && d.NetNS == l.NetNS
}

// owner names the process behind a connection, if it is known.
func owner(v *view.View, c view.Connection) string {
	owners := v.SocketOwners(c.Inode)
	if len(owners) == 0 {
		return ""
	}
	p := owners[len(owners)-1]
	return fmt.Sprintf(", the worst of %s (%d)", p.Comm, p.PID)
}

func placeEvidence(v *view.View, f filter) rule.Evidence {
	return rule.Evidence{
		Metric: metric.FirewallPackets, What: rule.T("%s dropped %s packets in %s, each with probability %s", f.String(), unit.Count(f.packets), unit.Seconds(f.seconds), unit.Share(f.Random)),
		Value: f.packets, Limit: rule.Limit(0), Check: f.show(v),
	}
}

func removeRule(v *view.View, f filter) rule.Fix {
	return rule.Fix{
		Text: rule.T("delete the rule that drops at random"), Command: f.remove(v),
		Tradeoff: "this also ends a deliberate loss test",
	}
}

// rxDrops and txDrops are what an interface dropped, or could not receive or send.
func rxDrops(s recording.NetDeviceSample) uint64 { return s.RxDropped + s.RxErrors + s.RxFIFO }
func txDrops(s recording.NetDeviceSample) uint64 { return s.TxDropped + s.TxErrors + s.TxFIFO }

// deviceDrops lists the interfaces of a namespace that dropped packets.
func deviceDrops(v *view.View, ns uint64) []rule.Evidence {
	names, series := view.Group(view.Rows[recording.NetDeviceSample](v), func(s recording.NetDeviceSample) string {
		if s.NetNS != ns {
			return ""
		}
		return s.Interface
	})
	var list []rule.Evidence
	for _, name := range names {
		if name == "" {
			continue
		}
		rx, _ := view.Delta(series[name], rxDrops)
		tx, _ := view.Delta(series[name], txDrops)
		if rx+tx < fewPackets.Value {
			continue
		}
		list = append(list, rule.Evidence{
			Metric: metric.InterfaceDrops, What: rule.T("%s dropped %s received and %s outgoing packets", name, unit.Count(rx), unit.Count(tx)),
			Value: rx + tx, Check: shell.Line("%s ip -s link show dev %s", v.EnterNetNS(ns), name),
		})
	}
	return list
}

// queueDrops lists the queues of interfaces of a namespace that threw packets
// away, and names a shaper as what limits.
func queueDrops(v *view.View, ns uint64) []rule.Evidence {
	var list []rule.Evidence
	for _, q := range v.Queues() {
		if q.NetNS != ns || q.Dropped < fewPackets.Value {
			continue
		}
		what := rule.T("the queue %s of %s dropped %s packets and sent %s", q.String(), q.Interface, unit.Count(q.Dropped), unit.Count(q.Sent))
		if q.Shapes() {
			what = rule.T("the shaper %s of %s dropped %s packets and sent %s: its rate is the limit", q.String(), q.Interface, unit.Count(q.Dropped), unit.Count(q.Sent))
		}
		list = append(list, rule.Evidence{
			Metric: metric.QdiscDrops, What: what, Value: q.Dropped, Limit: rule.Limit(0),
			Check: shell.Line("%s tc -s qdisc show dev %s", v.EnterNetNS(ns), q.Interface),
		})
	}
	return list
}

func softnetDrops(v *view.View) float64 {
	cpus, series := view.Group(view.Rows[recording.SoftnetSample](v), func(s recording.SoftnetSample) int32 { return s.CPU })
	n := 0.0
	for _, c := range cpus {
		d, _ := view.Delta(series[c], func(s recording.SoftnetSample) uint64 { return s.Dropped })
		n += d
	}
	return n
}

func (l loss) fixes(v *view.View) []rule.Fix {
	if l.place != nil {
		return []rule.Fix{removeRule(v, *l.place)}
	}
	enter := v.EnterNetNS(l.NetNS)
	return []rule.Fix{
		{
			Text: rule.T("find the place: queues and interfaces of this host first, then capture at both ends and compare"), Command: shell.Line("%s tc -s qdisc; %s ip -s link; %s iptables -nvL", enter, enter, enter),
			Tradeoff: "none",
		},
		{
			Text:     rule.T("until it is fixed, keep connections open: a lost SYN costs a second, a lost segment of an open connection less"),
			Tradeoff: "idle connections",
		},
	}
}
