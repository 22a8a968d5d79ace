package view

import (
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// ResolversAt lists the processes of this host that serve DNS at an address, as those reach it who
// live in a network namespace, oldest first. It must be an address of that namespace.
func (v *View) ResolversAt(ns uint64, address string) (list []Process) {
	servers := v.dnsServers()
	pids := servers[dnsPlace{ns, address}]
	if len(pids) == 0 && (loopback(address) || v.HasAddress(ns, address)) { // the kernel prefers the more exact one
		pids = servers[dnsPlace{ns, anyOf(address)}]
	}
	for _, pid := range pids {
		if p, ok := v.Process(pid); ok {
			list = append(list, p)
		}
	}
	if len(list) > 1 { // it opened the socket for the other one
		list = slices.DeleteFunc(list, func(p Process) bool { return p.PID == 1 })
	}
	slices.SortStableFunc(list, func(a, b Process) int { return a.Started.Compare(b.Started) })
	return list
}

// dnsPlace is an address of a network namespace, or all of a family as anyOf names them.
type dnsPlace struct {
	ns    uint64
	local string
}

// anyOf stands for the sockets bound to all addresses that take what is sent to an address.
func anyOf(address string) string {
	if strings.Contains(address, ":") {
		return "any of IPv6"
	}
	return "any of IPv4"
}

// dnsServers are the processes that serve DNS at each place, in the order in which their sockets were
// first seen.
func (v *View) dnsServers() map[dnsPlace][]int32 {
	return Memo(v, "dns-servers", func() map[dnsPlace][]int32 {
		type socket struct {
			dnsPlace
			inode uint64
		}
		type server struct {
			dnsPlace
			pid int32
		}
		seen, known := map[socket]bool{}, map[server]bool{}
		m := map[dnsPlace][]int32{}
		rows := Rows[recording.UDPSample](v)
		for i := range rows {
			s := &rows[i]
			at := dnsPlace{s.NetNS, s.Local}
			if s.LocalPort != dnsPort || s.RemotePort != 0 || s.Inode == 0 || seen[socket{at, s.Inode}] {
				continue
			}
			seen[socket{at, s.Inode}] = true
			places := []dnsPlace{at}
			for _, address := range []string{"0.0.0.0", "::"} { // of each family
				if Wildcard(s.Local) && takesFor(s.Local, address) {
					places = append(places, dnsPlace{s.NetNS, anyOf(address)})
				}
			}
			for _, p := range v.SocketOwners(s.Inode) {
				for _, at := range places {
					if !known[server{at, p.PID}] {
						known[server{at, p.PID}] = true
						m[at] = append(m[at], p.PID)
					}
				}
			}
		}
		return m
	})
}

// Forwarded lists the sockets by which processes that serve DNS may wait for servers that they ask
// themselves, in a network namespace: those of which Lookups leaves most out.
func (v *View) Forwarded(ns uint64, by []Process) (list []*Lookup) {
	ours := map[int32]bool{}
	for i := range by {
		ours[by[i].PID] = true
	}
	all := v.allLookups()
	for i := range all {
		l := &all[i]
		if l.serves && l.NetNS == ns && slices.ContainsFunc(l.Owners, func(p Process) bool { return ours[p.PID] }) {
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

// UnderWayAt says at which of some readings, in the order of time, the socket was there: from first to
// before end.
func (l *Lookup) UnderWayAt(readings []time.Time) (first, end int) {
	from, to := l.samples[0].At.Add(-sameMoment), l.samples[len(l.samples)-1].At.Add(sameMoment)
	first, _ = slices.BinarySearchFunc(readings, from, time.Time.Compare)
	end, exact := slices.BinarySearchFunc(readings, to, time.Time.Compare)
	if exact {
		end++
	}
	return first, end
}
