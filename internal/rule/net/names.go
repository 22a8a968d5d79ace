package net

import (
	"net/netip"
	"slices"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func listenerSubject(l view.Listener) rule.Subject {
	s := rule.Subject{Kind: rule.KindListener, Name: l.Name(), PID: l.PID(), Port: l.Port, NetNS: l.NetNS}
	if len(l.Owners) > 0 {
		s.Detail, s.Cgroup = l.Owners[0].Cmdline, l.Owners[0].Cgroup
	}
	return s
}

func peerSubject(address string, ns uint64) rule.Subject {
	return rule.Subject{Kind: rule.KindPeer, Name: address, NetNS: ns}
}

func netnsSubject(v *view.View, ns uint64) rule.Subject {
	return rule.Subject{Kind: rule.KindNetNS, Name: v.NetNSName(ns), NetNS: ns}
}

// suffering lists who waits for a listener, as far as it lives on this host:
// clients whose SYNs get no answer, and both ends as peers of each other.
func suffering(v *view.View, l view.Listener) (affects []rule.Subject, notes []rule.Text) {
	add := func(s rule.Subject) {
		if !slices.Contains(affects, s) {
			affects = append(affects, s)
		}
	}
	waiting := 0
	spaces := map[uint64]bool{}
	for _, c := range v.Connections() {
		toIt := c.RemotePort == l.Port && (c.Remote == l.Local || wildcard(l.Local) && v.HasAddress(l.NetNS, c.Remote))
		if toIt && c.Connecting() {
			waiting++
			spaces[c.NetNS] = true
			add(peerSubject(c.Remote, c.NetNS))
			for _, p := range v.SocketOwners(c.Inode) {
				add(rule.ProcessSubject(p))
			}
		}
	}
	repeated := 0.0
	for ns := range spaces {
		add(netnsSubject(v, ns))
		repeated += v.CountersOf(ns).AtLeast("TcpExtTCPSynRetrans")
	}
	if waiting > 0 {
		notes = append(notes, rule.T("connects without an answer: %d seen, SYNs repeated %s times", waiting, unit.Count(repeated)))
	}
	return affects, notes
}

// receivers lists the interfaces of a namespace on which packets arrived.
func receivers(v *view.View, netns uint64) (list []rule.Subject) {
	names, series := view.Group(view.Rows[recording.NetDeviceSample](v), func(s recording.NetDeviceSample) string {
		if s.NetNS != netns {
			return ""
		}
		return s.Interface
	})
	for _, name := range names {
		if name != "" && view.Rate(series[name], func(s recording.NetDeviceSample) uint64 { return s.RxPackets }) > 0 {
			list = append(list, rule.Subject{Kind: rule.KindInterface, Name: name, NetNS: netns})
		}
	}
	return list
}

func wildcard(address string) bool { return address == "0.0.0.0" || address == "::" || address == "*" }

// share of a in a and b; 0 without either.
func share(a, b float64) float64 {
	if a+b <= 0 {
		return 0
	}
	return a / (a + b)
}

// loopback says whether an address is one of the host's own for itself.
func loopback(address string) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && a.IsLoopback()
}
