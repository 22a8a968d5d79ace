package net

import (
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	droppedWithListener = rule.Threshold{Name: "dropped-with-listener", Value: 0.9, Unit: "share", Source: "kernel, tcp_conn_request (net/ipv4/tcp_input.c)",
		Reason: "Growth of ListenDrops relative to that of PAWSPassive. The kernel counts a refused SYN in both; both are not read at the same instant."}
	oldShare = rule.Threshold{Name: "old-share", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the received segments, or of the connects of this host, that are dropped for their timestamps. Fewer are copies that were overtaken on the way."}
)

// oldStamps is what one network namespace dropped for its timestamps, as the kernel counts.
type oldStamps struct {
	view.Counters
	syns     float64 // SYNs refused by listeners
	refused  float64 // connection requests that listeners refused for another reason than a full accept queue
	answers  float64 // answers to connects of this host that were refused
	segments float64 // of connections
	recycles bool    // tcp_tw_recycle is on
}

// countedPAWS judges by counters alone. They tell that packets are dropped for their
// timestamps, and not whose.
func countedPAWS(v *view.View) []rule.Finding {
	var found []rule.Finding
	for _, c := range v.Counters() {
		o := oldStamps{Counters: c, syns: c.AtLeast("TcpExtPAWSPassive"), answers: c.AtLeast("TcpExtPAWSActive"), segments: c.AtLeast("TcpExtPAWSEstab"),
			refused: max(c.AtLeast("TcpExtListenDrops")-c.AtLeast("TcpExtListenOverflows"), 0)}
		text, ok := v.Sysctl(c.NetNS, "net.ipv4.tcp_tw_recycle")
		o.recycles = ok && strings.TrimSpace(text) != "0"
		if f, ok := o.finding(v); ok {
			found = append(found, f)
		}
	}
	return found
}

func (o oldStamps) finding(v *view.View) (f rule.Finding, ok bool) {
	where := v.InNetNS(o.NetNS)
	f = rule.Finding{Subject: v.NetNSEntity(o.NetNS), Affects: []view.Entity{v.HostEntity()}}
	switch {
	case o.syns >= minPAWS.Value:
		f.Confidence = rule.Possible
		if o.refused >= droppedWithListener.Value*o.syns && !acceptQueueSeenFull(v, o.NetNS) {
			f.Confidence = rule.Likely
		}
		if o.recycles {
			f.Confidence = rule.Certain
		}
		f.Headline = rule.T("connects to this host%s are ignored because their TCP timestamps are behind those of earlier ones: several hosts share an address, as behind NAT", where)
		s := share(o.syns, o.AtLeast("TcpPassiveOpens"))
		f.Impact = rule.Impact{TimeLost: o.perSecond(o.syns) * firstRetry, Share: s, Text: rule.T("%s of connects", unit.Share(s))}
	case o.answers >= minPAWS.Value && (o.answers >= oldShare.Value*o.AtLeast("TcpActiveOpens") || o.perSecond(o.answers) >= refusedFrom.Value):
		f.Confidence = rule.Likely
		f.Headline = rule.T("answers to connects of this host%s are refused because they echo a wrong TCP timestamp: something on the way changes timestamps", where)
		s := min(o.answers/max(o.AtLeast("TcpActiveOpens"), o.answers), 1)
		f.Impact = rule.Impact{TimeLost: o.perSecond(o.answers) * firstRetry, Share: s, Text: rule.T("%s of connects", unit.Share(s))}
	case o.segments >= minPAWS.Value && o.segments >= oldShare.Value*o.AtLeast("TcpInSegs"):
		f.Confidence = rule.Possible // old copies look the same
		f.Headline = rule.T("segments of connections to this host%s are dropped because their TCP timestamps go back", where)
		s := min(o.segments/max(o.AtLeast("TcpInSegs"), o.segments), 1)
		f.Impact = rule.Impact{Share: s, Text: rule.T("%s of segments received", unit.Share(s))}
	default:
		return f, false
	}
	f.Evidence = o.evidence(v)
	f.Fixes = stampFixes()
	if o.recycles {
		f.Fixes[0].Command = shell.Line("%s sysctl -w net.ipv4.tcp_tw_recycle=0", v.EnterNetNS(o.NetNS))
	}
	if o.syns >= minPAWS.Value {
		f.Affects = append(f.Affects, f.Subject)
		var dropped []view.Entity
		for _, l := range v.Listeners() {
			if l.NetNS == o.NetNS && l.Dropped > 0 {
				dropped = append(dropped, l.Entity())
			}
		}
		if len(dropped) == 1 {
			f.Subject = dropped[0]
		}
		f.Affects = append(f.Affects, dropped...)
	}
	return f, true
}

// perSecond is the rate of what a counter grew by in the window.
func (o oldStamps) perSecond(n float64) float64 { return n / max(o.Seconds, 1) }

// acceptQueueSeenFull says whether a listener of a namespace refused connections because its
// accept queue was full.
func acceptQueueSeenFull(v *view.View, ns uint64) bool {
	for _, l := range v.Listeners() {
		if l.NetNS == ns && l.Full > 0 {
			return true
		}
	}
	return false
}

func (o oldStamps) evidence(v *view.View) (list []rule.Evidence) {
	enter := v.EnterNetNS(o.NetNS)
	add := func(m *metric.Metric, value float64, what rule.Text, names shell.Command) {
		if value > 0 {
			list = append(list, rule.Evidence{Metric: m, What: what, Value: value, Limit: rule.Limit(0), Check: shell.Line("%s nstat -az %s", enter, names)})
		}
	}
	add(metric.TCPPAWSDrops, o.syns, rule.T("PAWSPassive +%s: SYNs with an old timestamp", unit.Count(o.syns)), shell.Line("TcpExtPAWSPassive"))
	if o.syns > 0 {
		add(metric.TCPListenDrops, o.refused, rule.T("ListenDrops without ListenOverflows +%s: the accept queues have room", unit.Count(o.refused)), shell.Line("TcpExtListenDrops TcpExtListenOverflows"))
	}
	add(metric.TCPPAWSDrops, o.answers, rule.T("PAWSActive +%s: answers to connects with a wrong timestamp", unit.Count(o.answers)), shell.Line("TcpExtPAWSActive"))
	add(metric.TCPPAWSDrops, o.segments, rule.T("PAWSEstab +%s: segments with an old timestamp", unit.Count(o.segments)), shell.Line("TcpExtPAWSEstab"))
	if o.recycles {
		list = append(list, rule.Evidence{Metric: metric.TCPPAWSDrops, What: rule.T("tcp_tw_recycle is on: the kernel remembers timestamps by address"), Value: o.syns, Check: shell.Line("%s sysctl net.ipv4.tcp_tw_recycle", enter)})
	}
	return list
}

// stampFixes are what to do about timestamps that go back.
func stampFixes() []rule.Fix {
	return []rule.Fix{
		{Text: rule.T("turn off tcp_tw_recycle on the server (Linux before 4.12), or the timestamp check in the firewall before it"), Tradeoff: "more connections in TIME_WAIT"},
		{Text: rule.T("or let the gateway rewrite or remove timestamps, or give each host its own address"), Tradeoff: "without timestamps, wrapped sequence numbers are not detected on fast links"},
	}
}
