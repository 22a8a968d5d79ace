package net

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var udpBuffer = rule.Rule{
	ID:         "net/udp-buffer",
	Title:      "datagrams are lost because the receive buffer of a socket is full",
	Plural:     "sockets lose datagrams because their receive buffers are full",
	Resource:   "UDP receive buffers",
	Needs:      []recording.Table{recording.UDPSockets, recording.Protocol},
	Refutes:    []string{"packet delivery"},
	Thresholds: []*rule.Threshold{&minDatagrams, &datagramShare, &slightDatagramShare, &fewPackets},
	Detect:     detectUDPBuffer,
}

var (
	minDatagrams = rule.Threshold{Name: "min-datagrams", Value: 10, Unit: "count", Source: rule.Judgement,
		Reason: "Datagrams lost in the window. Fewer are one burst, which senders of UDP must expect."}
	datagramShare = rule.Threshold{Name: "datagram-share", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the datagrams that came to the namespace. From 1 % on logs have holes, counts are wrong, and lookups wait for their repetition."}
	slightDatagramShare = rule.Threshold{Name: "slight-datagram-share", Value: 0.001, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the datagrams that is worth mentioning."}
)

// overrun is a socket whose buffer was too small for what came.
type overrun struct {
	view.UDPSocket
	counters view.Counters
	full     float64 // datagrams that the namespace lost because buffers were full
	came     float64 // to the namespace, the lost ones included
	others   float64 // what its other sockets dropped
}

func detectUDPBuffer(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, o := range overruns(v) {
		c := o.confidence(v)
		if c == 0 {
			continue
		}
		f := rule.Finding{Subject: o.Entity(), Confidence: c, Headline: o.headline(v), Evidence: o.evidence(v), Fixes: o.fixes()}
		f.Impact = rule.Impact{Share: o.lost() / max(o.came, 1), Text: rule.T("%s of the datagrams%s", unit.Share(o.lost()/max(o.came, 1)), v.InNetNS(o.NetNS))}
		found = append(found, f)
	}
	return found, nil
}

// overruns lists the sockets that dropped datagrams while counters of full buffers
// grew, those with most first.
func overruns(v *view.View) []overrun {
	var list []overrun
	dropped := map[uint64]float64{}
	sockets := v.UDPSockets()
	for i := range sockets {
		dropped[sockets[i].NetNS] += sockets[i].Dropped
	}
	for _, s := range sockets {
		if s.Dropped < minDatagrams.Value {
			continue
		}
		c := v.CountersOf(s.NetNS)
		full, came := 0.0, 0.0
		for _, family := range []string{"Udp", "Udp6", "UdpLite", "UdpLite6"} {
			full += c.AtLeast(family + "RcvbufErrors")
			came += c.AtLeast(family+"InDatagrams") + c.AtLeast(family+"InErrors")
		}
		if full < minDatagrams.Value {
			continue // a filter, or wrong checksums
		}
		list = append(list, overrun{UDPSocket: s, counters: c, full: full, came: came, others: dropped[s.NetNS] - s.Dropped})
	}
	return list
}

// lost is how many datagrams the socket lost for want of room, at least.
func (o *overrun) lost() float64 { return min(o.Dropped, o.full) }

func (o *overrun) confidence(v *view.View) rule.Confidence {
	share := o.lost() / max(o.came, 1)
	// Sockets also drop what their filters refuse: the namespace's losses are this
	// socket's if no other one dropped enough to have them, if its buffer was seen
	// full, or if the kernel said so.
	ours := o.full > o.others+minDatagrams.Value || o.Full > 0 || o.told(v)
	switch {
	case share < slightDatagramShare.Value, !ours:
		return 0
	case share < datagramShare.Value:
		return rule.Possible
	case len(o.Owners) == 0:
		return rule.Likely
	}
	return rule.Certain
}

// told says that the kernel gave a full buffer as the reason for drops at the port.
func (o *overrun) told(v *view.View) bool {
	for _, d := range v.Drops() {
		if d.NetNS == o.NetNS && d.Protocol == "udp" && d.Port == o.LocalPort && d.Reason == "SOCKET_RCVBUFF" {
			return true
		}
	}
	return false
}

// behind says that the reader does not keep up on average: what came stands in the
// buffer at half of the readings or more. Otherwise bursts are larger than it.
func (o *overrun) behind() bool { return o.Full >= 2 && 2*o.Full >= o.Readings }

func (o *overrun) headline(v *view.View) rule.Text {
	if o.behind() {
		return rule.T("%s reads UDP port %d%s more slowly than datagrams come: its receive buffer is full", o.Entity().Name, o.LocalPort, v.InNetNS(o.NetNS))
	}
	return rule.T("%s loses datagrams at UDP port %d%s: bursts are larger than its receive buffer", o.Entity().Name, o.LocalPort, v.InNetNS(o.NetNS))
}

func (o *overrun) evidence(v *view.View) []rule.Evidence {
	enter := v.EnterNetNS(o.NetNS)
	list := []rule.Evidence{
		{Metric: metric.UDPSocketDrops, What: rule.T("the socket dropped %s datagrams in %s; its buffer takes %s, headers included", unit.Count(o.Dropped), unit.Seconds(o.counters.Seconds), unit.Bytes(float64(o.RcvBuf))),
			Value: o.Dropped, Limit: rule.Limit(0), Check: shell.Line("%s ss -uanm sport = :%d", enter, o.LocalPort)},
		{Metric: metric.UDPBufferErrors, What: rule.T("RcvbufErrors +%s of %s datagrams that came", unit.Count(o.full), unit.Count(o.came)),
			Value: o.full, Limit: rule.Limit(0), Check: shell.Line("%s nstat -az UdpRcvbufErrors Udp6RcvbufErrors", enter)},
	}
	if o.Full > 0 {
		list = append(list, rule.Evidence{Metric: metric.UDPReceiveQueue, What: rule.T("nearly full at %d of %d readings", o.Full, o.Readings), Value: float64(o.RecvQueue),
			Check: shell.Line("%s ss -uan sport = :%d", enter, o.LocalPort)})
	}
	return append(list, kernelDrops(v, func(d *recording.PacketDrop) bool {
		return d.NetNS == o.NetNS && d.Protocol == "udp" && d.Port == o.LocalPort && d.Reason == "SOCKET_RCVBUFF"
	})...)
}

func (o *overrun) fixes() []rule.Fix {
	larger := rule.Fix{Text: rule.T("give the socket a larger receive buffer (SO_RCVBUF in the program's settings) and let the kernel allow it"), Command: shell.Line("sysctl -w net.core.rmem_max=8388608"),
		Tradeoff: "memory; what waits in it is read later. The program must open its socket again"}
	faster := rule.Fix{Text: rule.T("read faster: several sockets with SO_REUSEPORT, many datagrams a call (recvmmsg), work in other threads"), Tradeoff: "a change of the program"}
	if len(o.Owners) > 0 {
		faster.Command = shell.Line("perf top -g -p %d", o.Owners[0].PID)
	}
	if o.behind() {
		// A buffer only shifts the moment from which all that comes is lost.
		return []rule.Fix{faster, {Text: rule.T("send less: sample, or sum up before sending"), Tradeoff: "less detail"}, larger}
	}
	return []rule.Fix{larger, faster}
}
