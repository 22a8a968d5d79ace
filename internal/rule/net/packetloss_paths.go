package net

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// addEvents adds what the kernel told of connections that sent segments again, also of
// those too short for a sample.
func (p *lossyPeer) addEvents(e *recording.TCPEvent) {
	if p.told == 0 && p.connections == 0 {
		p.worst = view.Connection{TCPSample: recording.TCPSample{NetNS: e.NetNS, Local: e.Local, LocalPort: e.LocalPort, Remote: e.Remote, RemotePort: e.RemotePort, State: e.State, Inode: e.Inode}}
	}
	p.told += float64(e.Packets)
	ports := [2]uint16{e.LocalPort, e.RemotePort}
	if i, ok := p.at[ports]; ok {
		p.events[i].Packets += e.Packets // in another state
		return
	}
	if p.at == nil {
		p.at = map[[2]uint16]int{}
	}
	p.at[ports] = len(p.events)
	p.events = append(p.events, *e)
}

// worstConnections names those that sent most again, two at most.
func (p *lossyPeer) worstConnections(v *view.View) string {
	const most = 2
	slices.SortStableFunc(p.events, func(a, b recording.TCPEvent) int { return int(b.Packets - a.Packets) })
	var words []string
	for i := range p.events[:min(most, len(p.events))] {
		e := &p.events[i]
		words = append(words, fmt.Sprintf("%s on %s%s", unit.Count(float64(e.Packets)), connectionName(v, e), sender(v, e)))
	}
	return strings.Join(words, ", ")
}

// connectionName is "CLIENT -> SERVER" and which of them this host's end is: the server is the end that listens, or the one
// with the lower port where listeners were not read.
func connectionName(v *view.View, e *recording.TCPEvent) string {
	local, remote := hostPort(e.Local, e.LocalPort), hostPort(e.Remote, e.RemotePort)
	if _, ok := v.ListenerAt(e.NetNS, e.Local, e.LocalPort); ok || !listenersRead(v, e.NetNS) && e.LocalPort < e.RemotePort {
		return remote + " -> " + local + " by the server"
	}
	return local + " -> " + remote + " by the client"
}

// listenersRead says whether sockets of a network namespace were read, those that listen included.
func listenersRead(v *view.View, ns uint64) bool {
	return v.Has(recording.Listeners) && (slices.Contains(v.TCPNamespaces(), ns) || slices.ContainsFunc(v.Listeners(), func(l view.Listener) bool { return l.NetNS == ns }))
}

// sender is the process of this host's end, if it is known.
func sender(v *view.View, e *recording.TCPEvent) string {
	owners := v.SocketOwners(e.Inode)
	if c, ok := v.ConnectionBetween(e.Local, e.LocalPort, e.Remote, e.RemotePort); ok && len(owners) == 0 {
		owners = v.SocketOwners(c.Inode)
	}
	if l, ok := v.ListenerAt(e.NetNS, e.Local, e.LocalPort); ok && len(owners) == 0 {
		owners = l.Owners
	}
	if len(owners) == 0 {
		return ""
	}
	p := owners[len(owners)-1]
	return fmt.Sprintf(" %s (%d)", p.Comm, p.PID)
}

// path is what one network namespace sent to one address.
type path struct {
	remote         string
	sent, repeated float64 // segments with data, of connections that samples saw; pure ACKs are not sent again
	told           float64 // sent again, as the kernel told
}

func (p path) loses() bool {
	return p.repeated >= minRepeats.Value && p.repeated >= slightlyLossy.Value*p.sent
}

func (p path) rate() float64 { return p.repeated / max(p.sent, 1) }

// paths are those of a namespace that carried enough to judge, the most repeats first.
type paths struct {
	lossy []path  // with at least a third of the worst one's rate
	sent  float64 // on the others
	again float64 // on the others, at most
	clean int     // others
}

// pathsOf measures the paths out of a namespace.
func pathsOf(v *view.View, ns uint64) paths {
	byRemote := map[string]*path{}
	of := func(remote string) *path {
		if byRemote[remote] == nil {
			byRemote[remote] = &path{remote: remote}
		}
		return byRemote[remote]
	}
	all := v.Connections()
	for i := range all {
		if c := &all[i]; c.NetNS == ns && c.State != recording.TCPSynSent && !loopback(c.Remote) {
			p := of(c.Remote)
			p.sent += c.DataSegmentsOut()
			p.repeated += c.Retransmitted()
		}
	}
	for _, e := range v.TCPEvents() {
		if e.Kind == recording.TCPSegment && e.NetNS == ns && byRemote[e.Remote] != nil {
			of(e.Remote).told += float64(e.Packets)
		}
	}
	var x paths
	worst := 0.0
	for _, p := range byRemote {
		if p.sent >= minSegments.Value && p.loses() {
			worst = max(worst, p.rate())
		}
	}
	for _, remote := range slices.Sorted(maps.Keys(byRemote)) {
		p := byRemote[remote]
		switch {
		case p.sent < minSegments.Value:
		case p.loses() && p.rate() >= otherPaths.Value*worst:
			x.lossy = append(x.lossy, *p)
		default:
			x.clean++
			x.sent += p.sent
			x.again += max(p.repeated, p.told)
		}
	}
	slices.SortStableFunc(x.lossy, func(a, b path) int { return int(b.repeated - a.repeated) })
	return x
}

// expected is how many segments the other paths would have sent again, were they as
// lossy as these.
func (x paths) expected() float64 {
	sent, repeated := 0.0, 0.0
	for _, p := range x.lossy {
		sent, repeated = sent+p.sent, repeated+p.repeated
	}
	return x.sent * repeated / max(sent, 1)
}

// apart says that other paths do not lose: they carried enough to show it.
func (x paths) apart() bool {
	return len(x.lossy) > 0 && x.expected() >= minRepeats.Value && x.again <= x.expected()*otherPaths.Value
}

// everywhere says that several paths lose, and no other one carried enough to show that it does not.
func (x paths) everywhere() bool { return len(x.lossy) > 1 && x.expected() < minRepeats.Value }

// loses says whether a peer is one of those that lose.
func (x paths) loses(remote string) bool {
	return slices.ContainsFunc(x.lossy, func(p path) bool { return p.remote == remote })
}

// evidence says what the loss is tied to; none if that cannot be told.
func (x paths) evidence(v *view.View, ns uint64) []rule.Evidence {
	var what rule.Text
	switch {
	case x.apart() && dropsHere(v):
		return nil // it may be here that packets of one path are lost
	case x.apart() && len(x.lossy) == 1:
		what = rule.T("%s got %s segments with data from here meanwhile, and %s were sent again: the loss is probably on the path to %s or at that host, not where all paths meet",
			unit.Plural(x.clean, "other peer", "other peers"), unit.Count(x.sent), unit.Count(x.again), x.lossy[0].remote)
	case x.apart():
		what = rule.T("%d peers lose; %s got %s segments with data from here meanwhile, and %s were sent again: look at what the paths to %s have in common",
			len(x.lossy), unit.Plural(x.clean, "other", "others"), unit.Count(x.sent), unit.Count(x.again), x.names())
	case x.everywhere():
		what = rule.T("packets to all %d peers with enough traffic to judge are lost (%s): look at what their paths share, such as the interface of this host, its cable, the first switch", len(x.lossy), x.names())
	default:
		return nil
	}
	return []rule.Evidence{{Metric: metric.TCPRetransmits, What: what, Value: x.again, Check: shell.Line("%s ss -tino", v.EnterNetNS(ns)), Counters: true}}
}

// dropsHere says whether a queue or an interface of this host dropped any packet.
func dropsHere(v *view.View) bool {
	if slices.ContainsFunc(v.Queues(), func(q view.Queue) bool { return q.Dropped > 0 }) {
		return true
	}
	type device struct {
		ns   uint64
		name string
	}
	keys, series := view.Group(view.Rows[recording.NetDeviceSample](v), func(s recording.NetDeviceSample) device { return device{s.NetNS, s.Interface} })
	return slices.ContainsFunc(keys, func(k device) bool {
		rx, _ := view.Delta(series[k], rxDrops)
		tx, _ := view.Delta(series[k], txDrops)
		return rx+tx > 0
	})
}

// names lists the lossy peers, three at most.
func (x paths) names() string {
	const most = 3
	var names []string
	for _, p := range x.lossy {
		if len(names) == most {
			return strings.Join(names, ", ") + "..."
		}
		names = append(names, p.remote)
	}
	return strings.Join(names, ", ")
}
