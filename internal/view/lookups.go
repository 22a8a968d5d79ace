package view

import (
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Lookup is a UDP socket that a program has connected to port 53 of a resolver, and that
// received nothing while it was there. The embedded sample is its last reading. Those of
// rtrail are left out, and with them those whose owner is not known.
type Lookup struct {
	recording.UDPSample
	Waited time.Duration // between its first and its last reading: it waited for at least so long
	Passed bool          // it was opened or closed in the window, or a thread of its owner slept in a call that waits for datagrams: not a socket that is kept for later
	Owners []Process     // oldest first
}

const dnsPort = 53

// Lookups lists sockets that wait for a resolver, in the order in which they were first seen.
func (v *View) Lookups() []Lookup {
	return Memo(v, "lookups", func() []Lookup {
		type key struct {
			ns, inode uint64
			port      uint16
		}
		type edges struct{ first, last time.Time }
		all := Rows[recording.UDPSample](v)
		window := map[uint64]edges{} // of the readings of a namespace
		var asking []recording.UDPSample
		for _, s := range all {
			e, ok := window[s.NetNS]
			if !ok {
				e.first = s.At
			}
			e.last = s.At
			window[s.NetNS] = e
			if s.RemotePort == dnsPort && s.Inode != 0 {
				asking = append(asking, s)
			}
		}
		keys, series := Group(asking, func(s recording.UDPSample) key { return key{s.NetNS, s.Inode, s.LocalPort} })
		var list []Lookup
		for _, k := range keys {
			samples := series[k]
			owners := v.SocketOwners(k.inode)
			if len(owners) == 0 || owners[0].Own || slices.ContainsFunc(samples, func(s recording.UDPSample) bool { return s.RecvQueue > 0 }) {
				continue
			}
			l := Lookup{UDPSample: samples[len(samples)-1], Owners: owners}
			l.Waited = l.At.Sub(samples[0].At)
			e := window[k.ns]
			l.Passed = samples[0].At.Sub(e.first) > sameMoment || e.last.Sub(l.At) > sameMoment || slices.ContainsFunc(l.Owners, func(p Process) bool { return v.awaitsDatagrams(p.PID) })
			list = append(list, l)
		}
		return list
	})
}

// awaitsDatagrams says whether a thread of a process was asleep, without being woken between two
// samples, in a call by which libraries wait for the answer of a resolver.
func (v *View) awaitsDatagrams(pid int32) bool {
	waiting := Memo(v, "awaiting-datagrams", func() map[int32]bool {
		m := map[int32]bool{}
		for _, t := range v.ThreadTimes() {
			first, last := t.Samples[0], t.Samples[len(t.Samples)-1]
			m[t.PID] = m[t.PID] || len(t.Samples) > 1 && last.Slices == first.Slices && (last.SyscallName == "poll" || last.SyscallName == "ppoll" || last.SyscallName == "recvfrom" || last.SyscallName == "recvmsg")
		}
		return m
	})
	return waiting[pid]
}

// NameServers lists the resolvers that programs of a network namespace ask, in the order in which
// they do, with what became of queries of rtrail's own.
func (v *View) NameServers(ns uint64) []recording.NameServer {
	type server struct {
		ns      uint64
		address string
	}
	return Memo(v, "name-servers", func() map[uint64][]recording.NameServer {
		m, asked := map[uint64][]recording.NameServer{}, map[server]recording.NameServer{}
		for _, r := range Rows[recording.NameServer](v) {
			list := m[r.NetNS]
			switch {
			case r.Asked > 0:
				asked[server{r.NetNS, r.Server}] = r
			case len(list) > 0 && r.At.Equal(list[0].At): // the next line of the file
				m[r.NetNS] = append(list, r)
			default:
				m[r.NetNS] = []recording.NameServer{r}
			}
		}
		for ns, list := range m {
			for i := range list {
				told := asked[server{ns, list[i].Server}]
				list[i].Asked, list[i].Answered, list[i].Time = told.Asked, told.Answered, told.Time
			}
		}
		return m
	})[ns]
}
