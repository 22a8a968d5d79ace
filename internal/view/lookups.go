package view

import (
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Lookup is a UDP socket that a program has connected to port 53 of a resolver, that was opened
// or closed in the window, and that had received nothing at any reading. That alone does not say
// that a query is pending: servers of DNS and proxies keep such sockets for later. The embedded
// sample is its last reading. Those of rtrail are left out, with them those whose owner is not
// known, and those of a server of DNS to servers that no resolv.conf names: a recursive resolver
// asks anybody.
type Lookup struct {
	recording.UDPSample
	Seen   time.Duration // between its first and its last reading
	Asleep time.Duration // of Seen, in which a thread of an owner slept in a call that libraries wait in for an answer; 0: no query is known to be pending
	Owners []Process     // oldest first

	samples []recording.UDPSample
	serves  bool // an owner serves DNS itself
}

const dnsPort = 53

// longestTry is how long libraries wait for one answer before they ask again: glibc bounds
// `options timeout` by it (RES_MAXRETRANS). A longer sleep waits for something else.
const longestTry = 30 * time.Second

// Lookups lists sockets that may wait for a resolver, in the order in which they were first seen.
func (v *View) Lookups() []Lookup {
	return Memo(v, "lookups", func() []Lookup {
		named := map[string]bool{}
		for _, r := range Rows[recording.NameServer](v) {
			named[r.Server] = named[r.Server] || r.Via == ""
		}
		return slices.DeleteFunc(slices.Clone(v.allLookups()), func(l Lookup) bool { return l.serves && !named[l.Remote] })
	})
}

// allLookups are those of servers of DNS, too, whomever they ask.
func (v *View) allLookups() []Lookup {
	return Memo(v, "all-lookups", func() []Lookup {
		type key struct {
			ns, inode uint64
			port      uint16
		}
		type edges struct{ first, last time.Time }
		all := Rows[recording.UDPSample](v)
		window := map[uint64]edges{} // of the readings of a namespace
		servers := map[int32]bool{}  // processes that serve DNS
		var asking []recording.UDPSample
		for _, s := range all {
			e, ok := window[s.NetNS]
			if !ok {
				e.first = s.At
			}
			e.last = s.At
			window[s.NetNS] = e
			if s.LocalPort == dnsPort {
				for _, p := range v.SocketOwners(s.Inode) {
					servers[p.PID] = true
				}
			}
			if s.RemotePort == dnsPort && s.Inode != 0 {
				asking = append(asking, s)
			}
		}
		keys, series := Group(asking, func(s recording.UDPSample) key { return key{s.NetNS, s.Inode, s.LocalPort} })
		var list []Lookup
		for _, k := range keys {
			samples := series[k]
			first, last, e := samples[0], samples[len(samples)-1], window[k.ns]
			owners := v.SocketOwners(k.inode)
			if len(owners) == 0 || owners[0].Own || slices.ContainsFunc(samples, func(s recording.UDPSample) bool { return s.RecvQueue > 0 }) {
				continue
			}
			if first.At.Sub(e.first) <= sameMoment && e.last.Sub(last.At) <= sameMoment {
				continue // there all the time
			}
			l := Lookup{UDPSample: last, Seen: last.At.Sub(first.At), Owners: owners, samples: samples}
			l.serves = slices.ContainsFunc(owners, func(p Process) bool { return servers[p.PID] })
			for _, p := range owners {
				l.Asleep = max(l.Asleep, v.awaitedDatagrams(p.PID, first.At, last.At))
			}
			list = append(list, l)
		}
		return list
	})
}

// answerCalls are the calls in which libraries wait for the answer of a resolver.
var answerCalls = map[string]bool{"poll": true, "ppoll": true, "recvfrom": true, "recvmsg": true}

// awaitedDatagrams is for how long one thread of a process, that which did so longest, slept
// between two times in calls that wait for datagrams, without being woken between two samples.
func (v *View) awaitedDatagrams(pid int32, from, to time.Time) (longest time.Duration) {
	for _, naps := range v.answerNaps(pid) {
		var sum time.Duration
		for _, n := range naps {
			begin, end := n.from, n.to
			if begin.Before(from) {
				begin = from
			}
			if end.After(to) {
				end = to
			}
			sum += max(end.Sub(begin), 0)
		}
		longest = max(longest, sum)
	}
	return longest
}

// nap is a sleep of a thread in one of answerCalls, between its first and its last sample.
type nap struct{ from, to time.Time }

// answerNaps lists the naps of each thread of a process that has any, in the order of time.
// Threads that slept longer than any lookup does are left out: they wait for other things.
func (v *View) answerNaps(pid int32) [][]nap {
	return Memo(v, "answer-naps", func() map[int32][][]nap {
		m := map[int32][][]nap{}
		for _, t := range v.ThreadTimes() {
			if naps := napsOf(t.Samples); len(naps) > 0 {
				m[t.PID] = append(m[t.PID], naps)
			}
		}
		return m
	})[pid]
}

// napsOf finds sleeps in which a thread was not woken from one sample to the next.
func napsOf(samples []recording.ThreadSample) (list []nap) {
	asleep := false
	for i := 1; i < len(samples); i++ {
		a, b := &samples[i-1], &samples[i]
		if a.Slices < 0 || a.Slices != b.Slices || a.SyscallName != b.SyscallName || !answerCalls[a.SyscallName] {
			asleep = false
			continue
		}
		if !asleep {
			list, asleep = append(list, nap{from: a.At}), true
		}
		n := &list[len(list)-1]
		if n.to = b.At; n.to.Sub(n.from) > longestTry {
			return nil
		}
	}
	return list
}

// NameServers lists the resolvers that programs of a network namespace ask, in the order in which
// they do, with what became of queries of rtrail's own.
func (v *View) NameServers(ns uint64) []recording.NameServer { return v.nameServers().named[ns] }

// Upstreams lists the servers that a resolver of a network namespace asks for programs, as far as
// its settings were read, with what became of queries of rtrail's own.
func (v *View) Upstreams(ns uint64, resolver string) (list []recording.NameServer) {
	for _, r := range v.nameServers().behind[ns] {
		if r.Via == resolver {
			list = append(list, r)
		}
	}
	return list
}

// nameServers are those of each network namespace, as they were read last.
type nameServers struct {
	named  map[uint64][]recording.NameServer // that programs ask
	behind map[uint64][]recording.NameServer // that resolvers of the namespace ask for them
}

func (v *View) nameServers() nameServers {
	type server struct {
		ns      uint64
		address string
	}
	return Memo(v, "name-servers", func() nameServers {
		s := nameServers{map[uint64][]recording.NameServer{}, map[uint64][]recording.NameServer{}}
		asked := map[server]recording.NameServer{}
		for _, r := range Rows[recording.NameServer](v) {
			list := s.named[r.NetNS]
			switch {
			case r.Asked > 0:
				asked[server{r.NetNS, r.Server}] = r
			case r.Via != "":
				s.behind[r.NetNS] = append(s.behind[r.NetNS], r)
			case len(list) > 0 && r.At.Equal(list[0].At): // the next line of the file
				s.named[r.NetNS] = append(list, r)
			default:
				s.named[r.NetNS] = []recording.NameServer{r}
			}
		}
		for ns, list := range s.behind { // only those of the same reading
			s.behind[ns] = slices.DeleteFunc(list, func(r recording.NameServer) bool {
				return len(s.named[ns]) == 0 || !r.At.Equal(s.named[ns][0].At)
			})
		}
		for _, m := range []map[uint64][]recording.NameServer{s.named, s.behind} {
			for ns, list := range m {
				for i := range list {
					told := asked[server{ns, list[i].Server}]
					list[i].Asked, list[i].Answered, list[i].Time = told.Asked, told.Answered, told.Time
				}
			}
		}
		return s
	})
}
