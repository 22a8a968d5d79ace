package net

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// maxAffected is how many of those who suffer from a fault are listed with it.
const maxAffected = 1000

// affected lists who suffers from a fault, each once.
type affected struct {
	list []view.Entity
	seen map[view.Entity]bool
}

func (a *affected) add(s view.Entity) {
	if a.seen == nil {
		a.seen = map[view.Entity]bool{}
	}
	if !a.seen[s] {
		a.seen[s] = true
		a.list = append(a.list, s)
	}
}

func (a *affected) full() bool { return len(a.list) >= maxAffected }

// suffering lists who waits for a listener, as far as it lives on this host:
// clients whose SYNs get no answer, and both ends as peers of each other.
func suffering(v *view.View, l view.Listener) (affects []view.Entity, notes []rule.Text) {
	type answer struct {
		affects []view.Entity
		notes   []rule.Text
	}
	// Any number of listeners may share a port.
	a := view.Memo(v, fmt.Sprint("net/suffering ", l.NetNS, " ", hostPort(l.Local, l.Port)), func() (a answer) {
		a.affects, a.notes = waitingFor(v, l)
		return a
	})
	return slices.Clip(a.affects), slices.Clip(a.notes)
}

func waitingFor(v *view.View, l view.Listener) (affects []view.Entity, notes []rule.Text) {
	var a affected
	waiting := 0
	var spaces []uint64
	known, peers, inodes := map[uint64]bool{}, map[view.ConnectionKey]bool{}, map[uint64]bool{}
	for _, c := range connectingTo(v, l.Port) {
		if !leadsTo(v, c.NetNS, c.Remote, c.RemotePort, l) {
			continue
		}
		waiting++
		if !known[c.NetNS] {
			known[c.NetNS] = true
			spaces = append(spaces, c.NetNS)
		}
		if a.full() {
			continue
		}
		if peer := (view.ConnectionKey{NetNS: c.NetNS, Remote: c.Remote}); !peers[peer] {
			peers[peer] = true
			a.add(v.PeerEntity(c.Remote, c.NetNS))
		}
		if inodes[c.Inode] {
			continue
		}
		inodes[c.Inode] = true
		for _, p := range v.SocketOwners(c.Inode) {
			a.add(p.Entity())
		}
	}
	repeated := 0.0
	for _, ns := range spaces {
		a.add(v.NetNSEntity(ns))
		repeated += synRepeats(v, ns, l.Port)
	}
	if waiting > 0 {
		notes = append(notes, rule.T("connects without an answer: %d seen, %s SYN retransmissions", waiting, unit.Count(repeated)))
	}
	return a.list, notes
}

// connectingTo lists the connections that wait for the answer to their SYN, by the port they
// went to.
func connectingTo(v *view.View, port uint16) []*view.Connection {
	return view.Memo(v, "net/connecting-to", func() map[uint16][]*view.Connection {
		m := map[uint16][]*view.Connection{}
		all := v.Connections()
		for i := range all {
			if c := &all[i]; c.Connecting() {
				m[c.RemotePort] = append(m[c.RemotePort], c)
			}
		}
		return m
	})[port]
}

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
func synRepeats(v *view.View, ns uint64, port uint16) float64 {
	n := view.Memo(v, "net/syn-repeats", func() map[view.ConnectionKey]float64 {
		m := map[view.ConnectionKey]float64{}
		all := v.TCPEvents()
		for i := range all {
			if e := &all[i]; e.Kind == recording.TCPSyn {
				m[view.ConnectionKey{NetNS: e.NetNS, RemotePort: e.RemotePort}] += float64(e.Packets)
			}
		}
		return m
	})[view.ConnectionKey{NetNS: ns, RemotePort: port}]
	if v.Traced(retransmits) {
		return n
	}
	return max(n, v.CountersOf(ns).AtLeast("TcpExtTCPSynRetrans"))
}

// connectsTo says which processes of this host connect to a listener, and how that goes.
func connectsTo(v *view.View, l view.Listener) []rule.Evidence {
	return view.Memo(v, fmt.Sprint("net/connects-to ", l.NetNS, " ", hostPort(l.Local, l.Port)), func() []rule.Evidence {
		return rule.WhoConnects(v, func(c *view.Connects) bool {
			return leadsTo(v, c.NetNS, c.Remote, c.RemotePort, l)
		})
	})
}

// leadsTo says whether a connection of a network namespace to an address and port is one to
// a listener. Each namespace has a loopback of its own.
func leadsTo(v *view.View, ns uint64, remote string, port uint16, l view.Listener) bool {
	return port == l.Port && (remote == l.Local || view.Wildcard(l.Local) && v.HasAddress(l.NetNS, remote)) && (ns == l.NetNS || !loopback(remote))
}
