package net

import (
	"cmp"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// unreadData is the kernel's reason for a reset that it sends because a program closed a
// connection with data unread (include/net/rstreason.h, since Linux 6.10).
const unreadData = "TCP_ABORT_ON_CLOSE"

// hasty is a server of this host that closes connections with data unread, as the kernel tells.
type hasty struct {
	view.Listener
	count int64   // resets, of connections that the client had not closed
	felt  int64   // of count, clients on this host got them, and had not closed either
	came  float64 // connections that came in, of all listeners of the namespace

	perSecond float64 // felt, per second of the window
}

// hastyServers lists them, those with most resets first. Resets by clients are left out: many
// end a connection so when they have what they want. So are those of connections that the
// client had closed before, whom no reset can harm.
func hastyServers(v *view.View) []*hasty {
	events := v.TCPEvents()
	got := map[view.ConnectionKey]int64{} // by the ends as the server has them
	for _, e := range events {
		if e.Kind == recording.TCPResetReceived && e.State == recording.TCPEstablished {
			got[view.ConnectionKey{Local: e.Remote, LocalPort: e.RemotePort, Remote: e.Local, RemotePort: e.LocalPort}] += e.Packets
		}
	}
	type key struct{ ns, inode uint64 }
	known := map[key]*hasty{}
	var list []*hasty
	for _, e := range events {
		if e.Kind != recording.TCPResetSent || e.Reason != unreadData || e.State != recording.TCPClose {
			continue
		}
		l, ok := v.ListenerAt(e.NetNS, e.Local, e.LocalPort)
		if !ok || killed(v, &l) {
			continue
		}
		k := key{l.NetNS, l.Inode}
		h := known[k]
		if h == nil {
			h = &hasty{Listener: l, came: v.CountersOf(l.NetNS).Delta("TcpPassiveOpens")}
			known[k] = h
			list = append(list, h)
		}
		h.count += e.Packets
		h.felt += min(e.Packets, got[view.ConnectionKey{Local: e.Local, LocalPort: e.LocalPort, Remote: e.Remote, RemotePort: e.RemotePort}])
	}
	for _, h := range list {
		h.perSecond = float64(h.felt) / max(v.Seconds(), 1)
	}
	slices.SortStableFunc(list, func(a, b *hasty) int { return cmp.Compare(b.count, a.count) })
	return list
}

// killed says whether a process of a server was ended by a signal in the window, or whether the
// server began to listen anew.
func killed(v *view.View, l *view.Listener) bool {
	return slices.ContainsFunc(v.Listeners(), func(o view.Listener) bool {
		return o.NetNS == l.NetNS && o.Port == l.Port && o.Local == l.Local && o.Inode != l.Inode
	}) ||
		slices.ContainsFunc(v.Runs(), func(r view.Run) bool { return r.Signal != 0 && len(l.Owners) > 0 && r.Comm == l.Owners[0].Comm })
}

// share is that of the connections that came in. Some of those that are reset came before.
func (h *hasty) share() float64 { return float64(h.count) / max(h.came, float64(h.count)) }

// costly says that programs of this host lose requests again and again by these resets, though
// these are few of all connections.
func (h *hasty) costly() bool {
	return h.perSecond >= feltResets.Value && float64(h.felt) >= lostRequests.Value*max(h.came, float64(h.count))
}

func (h *hasty) confidence() rule.Confidence {
	switch {
	case h.count < int64(minResets.Value), !view.Known(h.came), h.share() < resetShare.Value && !h.costly():
		return 0
	case h.share() < resetShare.Value:
		return rule.Likely
	case h.felt >= int64(minResets.Value):
		return rule.Certain
	}
	return rule.Likely
}

func (h *hasty) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: h.Listener.Entity(), Confidence: c, Plural: "services reset connections in use"}
	f.Headline = rule.T("%s on :%d%s resets connections with data of the other side unread: %d of %s that came in", h.Name(), h.Port, v.InNetNS(h.NetNS), h.count, unit.Count(max(h.came, float64(h.count))))
	f.Impact = rule.Impact{Share: h.share(), Text: rule.T("%s of connections", unit.Share(h.share()))}
	if h.costly() {
		f.Impact.Text = rule.T("%s of connections; %s of those were in use by programs of this host", unit.Share(h.share()), unit.PerSecond(h.perSecond))
	}
	enter := v.EnterNetNS(h.NetNS)
	f.Evidence = []rule.Evidence{{
		Metric: metric.TCPResetsUnread, What: rule.T("%s sent because the program closed with data unread, and the client had not closed (%s)", unit.Plural(h.count, "RST", "RSTs"), unreadData),
		Value: float64(h.count), Limit: rule.Limit(0), Check: shell.Line("%s nstat -az TcpExtTCPAbortOnClose", enter),
	}}
	if h.felt > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.TCPResetsUnread, What: rule.T("%s of them came to programs of this host whose connections were in use", unit.Count(h.felt)),
			Value: float64(h.felt), Check: shell.Line("rtrail trace retransmits --for 10s"),
		})
	}
	f.Evidence = append(f.Evidence, rule.Evidence{
		Metric: metric.TCPPassiveOpens, What: rule.T("%s handshakes completed in the namespace", unit.Count(h.came)),
		Value: h.came, Check: shell.Line("%s nstat -az TcpPassiveOpens", enter),
	})
	f.Fixes = readFirst()
	return f
}
