package net

import (
	"cmp"
	"fmt"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// unreadData is the kernel's reason for a reset that it sends because a program closed a
// connection with data unread (include/net/rstreason.h, since Linux 6.12).
const unreadData = "TCP_ABORT_ON_CLOSE"

// noReason is that of all resets which programs cause on Linux 6.10 and 6.11. Kernels before tell "".
const noReason = "NOT_SPECIFIED"

// hasty is a server of this host that closes connections with data unread, as the kernel tells.
type hasty struct {
	view.Listener
	count int64   // resets, of connections that the client had not closed
	felt  int64   // of count, clients on this host got them, and had not closed either
	came  float64 // connections that came in, of all listeners of the namespace

	// Where the kernel tells no reasons, count is a lower bound.
	untold int64 // resets as it closed, for whatever reason; 0: reasons are told
	most   int64 // of untold, for unread data at most
	unread int64 // resets for unread data of the whole namespace; -1: not known

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
	sent := map[uint64]int64{} // resets, by network namespace
	told := slices.ContainsFunc(events, func(e recording.TCPEvent) bool { return e.Reason == unreadData })
	var list []*hasty
	for _, e := range events {
		if e.Kind == recording.TCPResetSent {
			sent[e.NetNS] += e.Packets
		}
		if e.Kind != recording.TCPResetSent || e.State != recording.TCPClose || e.Reason != unreadData && (told || e.Reason != "" && e.Reason != noReason) {
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
		if !told {
			h.bound(v.CountersOf(h.NetNS).Delta("TcpExtTCPAbortOnClose"), sent[h.NetNS]-h.count)
		}
		h.perSecond = float64(h.felt) / max(v.Seconds(), 1)
	}
	slices.SortStableFunc(list, func(a, b *hasty) int { return cmp.Compare(b.count, a.count) })
	return list
}

// bound leaves in count the resets that were sent for unread data for sure, where the kernel tells
// no reasons. It counts those of the whole namespace, and all other resets that this sent may be
// among them: of clients, of other servers, after the client had closed.
func (h *hasty) bound(unread float64, others int64) {
	h.untold, h.most, h.unread = h.count, h.count, -1
	least := int64(0)
	if view.Known(unread) {
		h.unread = int64(unread)
		h.most, least = min(h.untold, h.unread), h.unread-others
	}
	h.count = max(min(least, h.untold), 0)
	h.felt = min(h.felt, h.count)
}

// doubtful says that a server may be at fault, and that only reasons would tell.
func (h *hasty) doubtful() bool {
	worst := *h
	worst.count = h.most
	return h.untold > 0 && h.confidence() == 0 && worst.confidence() > 0
}

func (h *hasty) doubt() error {
	why := fmt.Sprintf("%s on :%d sent %s as it closed connections, and this kernel does not tell how many of them for data unread", h.Name(), h.Port, unit.Plural(h.untold, "RST", "RSTs"))
	return &rule.NotJudged{Needs: "the kernel's reasons for resets", Why: why, How: shell.Say("capture packets as well (-i any), or watch a host with Linux 6.12 or later")}
}

// killed says whether a process of a server was ended by a signal in the window, or whether the
// server began to listen anew.
func killed(v *view.View, l *view.Listener) bool {
	type place struct {
		ns uint64
		end
	}
	sockets := view.Memo(v, "net/sockets-of-listeners", func() map[place]int {
		m := map[place]int{}
		all := v.Listeners()
		for i := range all {
			m[place{all[i].NetNS, end{all[i].Local, all[i].Port}}]++
		}
		return m
	})
	programs := view.Memo(v, "net/killed-programs", func() map[string]bool {
		m := map[string]bool{}
		for _, r := range v.Runs() {
			if r.Signal != 0 {
				m[r.Comm] = true
			}
		}
		return m
	})
	return sockets[place{l.NetNS, end{l.Local, l.Port}}] > 1 || len(l.Owners) > 0 && programs[l.Owners[0].Comm]
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
	case h.felt >= int64(minResets.Value) && h.untold == 0:
		return rule.Certain
	}
	return rule.Likely
}

func (h *hasty) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: h.Listener.Entity(), Confidence: c, Plural: "services reset connections in use"}
	atLeast := ""
	if h.count < h.untold {
		atLeast = "at least "
	}
	f.Headline = rule.T("%s on :%d%s resets connections with data of the other side unread: %s%d of %s that came in", h.Name(), h.Port, v.InNetNS(h.NetNS), atLeast, h.count, unit.Count(max(h.came, float64(h.count))))
	f.Impact = rule.Impact{Share: h.share(), Text: rule.T("%s of connections", unit.Share(h.share()))}
	if h.costly() {
		f.Impact.Text = rule.T("%s of connections; %s of those were in use by programs of this host", unit.Share(h.share()), unit.PerSecond(h.perSecond))
	}
	enter := v.EnterNetNS(h.NetNS)
	f.Evidence = []rule.Evidence{{
		Metric: metric.TCPResetsUnread, What: rule.T("%s sent because the program closed with data unread, and the client had not closed (%s)", unit.Plural(h.count, "RST", "RSTs"), unreadData),
		Value: float64(h.count), Limit: rule.Limit(0), Check: shell.Line("%s nstat -az TcpExtTCPAbortOnClose", enter),
	}}
	if h.untold > 0 {
		f.Evidence[0].What = rule.T("%s%d of the %s that it sent as it closed, where the client had not, were for data unread: the kernel counts %d such in the namespace (TCPAbortOnClose)",
			atLeast, h.count, unit.Plural(h.untold, "RST", "RSTs"), h.unread)
	}
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
