package net

import (
	"net"
	"net/netip"
	"strconv"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// suffering lists who waits for a listener, as far as it lives on this host:
// clients whose SYNs get no answer, and both ends as peers of each other.
func suffering(v *view.View, l view.Listener) (affects []view.Entity, notes []rule.Text) {
	known := map[view.Entity]bool{}
	add := func(s view.Entity) {
		if !known[s] {
			known[s] = true
			affects = append(affects, s)
		}
	}
	waiting := 0
	spaces := map[uint64]bool{}
	all := v.Connections()
	for i := range all { // large, and a hundred thousand
		c := &all[i]
		if c.RemotePort != l.Port || !c.Connecting() || !leadsTo(v, c.NetNS, c.Remote, c.RemotePort, l) {
			continue
		}
		waiting++
		spaces[c.NetNS] = true
		if len(affects) < maxAffected {
			add(v.PeerEntity(c.Remote, c.NetNS))
			for _, p := range v.SocketOwners(c.Inode) {
				add(p.Entity())
			}
		}
	}
	repeated := 0.0
	for ns := range spaces {
		add(v.NetNSEntity(ns))
		repeated += synRepeats(v, ns, l.Port)
	}
	if waiting > 0 {
		notes = append(notes, rule.T("connects without an answer: %d seen, %s SYN retransmissions", waiting, unit.Count(repeated)))
	}
	return affects, notes
}

// maxAffected is of how many a finding says that they are affected, about.
const maxAffected = 1000

// receivers lists the interfaces of a namespace on which packets arrived.
func receivers(v *view.View, netns uint64) (list []view.Entity) {
	names, series := view.Group(view.Rows[recording.NetDeviceSample](v), func(s recording.NetDeviceSample) string {
		if s.NetNS != netns {
			return ""
		}
		return s.Interface
	})
	for _, name := range names {
		if name != "" && view.Rate(v, series[name], func(s recording.NetDeviceSample) uint64 { return s.RxPackets }) > 0 {
			list = append(list, view.InterfaceEntity(name, netns))
		}
	}
	return list
}

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

// hostPort is an address and port as people write them.
func hostPort(address string, port uint16) string {
	return net.JoinHostPort(address, strconv.Itoa(int(port)))
}

// retransmits is the source of events about what TCP sends again.
const retransmits = "retransmits"

// synRepeats is how many SYNs to a port were sent again in a namespace: as the kernel
// told, or all of the namespace if it did not tell of the whole window.
func synRepeats(v *view.View, ns uint64, port uint16) (n float64) {
	for _, e := range v.TCPEvents() {
		if e.Kind == recording.TCPSyn && e.NetNS == ns && e.RemotePort == port {
			n += float64(e.Packets)
		}
	}
	if v.Traced(retransmits) {
		return n
	}
	return max(n, v.CountersOf(ns).AtLeast("TcpExtTCPSynRetrans"))
}

// connectsTo says which processes of this host connect to a listener, and how that goes.
func connectsTo(v *view.View, l view.Listener) []rule.Evidence {
	return rule.WhoConnects(v, func(c *view.Connects) bool {
		return leadsTo(v, c.NetNS, c.Remote, c.RemotePort, l)
	})
}

// leadsTo says whether a connection of a network namespace to an address and port is one to
// a listener. Each namespace has a loopback of its own.
func leadsTo(v *view.View, ns uint64, remote string, port uint16, l view.Listener) bool {
	return port == l.Port && (!loopback(remote) || ns == l.NetNS) && (remote == l.Local || view.Wildcard(l.Local) && v.HasAddress(l.NetNS, remote))
}
