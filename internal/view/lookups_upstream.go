package view

import (
	"slices"
	"time"

	"rtrail/internal/recording"
)

// ResolversAt lists the processes of this host that serve DNS at an address, as those reach it who
// live in a network namespace, oldest first. It must be an address of that namespace.
func (v *View) ResolversAt(ns uint64, address string) (list []Process) {
	type place struct {
		ns    uint64
		local string
		inode uint64
	}
	bound := Memo(v, "dns-servers", func() (list []place) {
		seen := map[place]bool{}
		for _, s := range Rows[recording.UDPSample](v) {
			p := place{s.NetNS, s.Local, s.Inode}
			if s.LocalPort == dnsPort && s.RemotePort == 0 && s.Inode != 0 && !seen[p] {
				seen[p] = true
				list = append(list, p)
			}
		}
		return list
	})
	add := func(takes func(local string) bool) {
		for _, b := range bound {
			if b.ns != ns || !takes(b.local) {
				continue
			}
			for _, p := range v.SocketOwners(b.inode) {
				if !slices.ContainsFunc(list, func(q Process) bool { return q.PID == p.PID }) {
					list = append(list, p)
				}
			}
		}
	}
	add(func(local string) bool { return local == address })
	if len(list) == 0 && (loopback(address) || v.HasAddress(ns, address)) { // the kernel prefers the more exact one
		add(func(local string) bool { return takesFor(local, address) })
	}
	if len(list) > 1 { // it opened the socket for the other one
		list = slices.DeleteFunc(list, func(p Process) bool { return p.PID == 1 })
	}
	slices.SortStableFunc(list, func(a, b Process) int { return a.Started.Compare(b.Started) })
	return list
}

// Forwarded lists the sockets by which processes that serve DNS may wait for servers that they ask
// themselves, in a network namespace: those of which Lookups leaves most out.
func (v *View) Forwarded(ns uint64, by []Process) (list []Lookup) {
	for _, l := range v.allLookups() {
		ours := func(p Process) bool {
			return slices.ContainsFunc(by, func(q Process) bool { return q.PID == p.PID })
		}
		if l.serves && l.NetNS == ns && slices.ContainsFunc(l.Owners, ours) {
			list = append(list, l)
		}
	}
	return list
}

// UnderWay lists the readings of sockets at which one of some lookups was under way.
func UnderWay(lookups []Lookup) []time.Time {
	var list []time.Time
	for i := range lookups {
		for _, s := range lookups[i].samples {
			list = append(list, s.At)
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return slices.CompactFunc(list, func(a, b time.Time) bool { return a.Sub(b).Abs() <= sameMoment })
}

// UnderWayAt says whether the socket was there at a reading.
func (l *Lookup) UnderWayAt(reading time.Time) bool {
	first, last := l.samples[0].At, l.samples[len(l.samples)-1].At
	return !reading.Before(first.Add(-sameMoment)) && !reading.After(last.Add(sameMoment))
}
