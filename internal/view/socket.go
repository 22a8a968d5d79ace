package view

import (
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Listener is one listening TCP socket over the window; the embedded sample is
// its last reading.
type Listener struct {
	recording.ListenerSample
	Samples []recording.ListenerSample
	Owners  []Process // oldest first, maxHolders at most; empty when nobody is known to hold it
	Full    int       // samples in which the accept queue held more than its limit
	Longest uint32    // longest queue seen
	Dropped float64   // growth of Drops
}

// Name is the process people call the server: the oldest owner.
func (l Listener) Name() string {
	if len(l.Owners) == 0 {
		return "an unknown process"
	}
	return l.Owners[0].Comm
}

// PID is that of the oldest owner, 0 when it is not known.
func (l Listener) PID() int32 {
	if len(l.Owners) == 0 {
		return 0
	}
	return l.Owners[0].PID
}

// Listeners lists the listening TCP sockets of all network namespaces.
func (v *View) Listeners() []Listener {
	return Memo(v, "listeners", func() []Listener {
		type key struct {
			ns    uint64
			local string
			port  uint16
			inode uint64
		}
		keys, series := Group(Rows[recording.ListenerSample](v), func(s recording.ListenerSample) key {
			return key{s.NetNS, s.Local, s.Port, s.Inode}
		})
		list := make([]Listener, 0, len(keys))
		for _, k := range keys {
			samples := series[k]
			l := Listener{ListenerSample: samples[len(samples)-1], Samples: samples, Owners: v.SocketOwners(k.inode)}
			for _, s := range samples {
				// net/sock.h, sk_acceptq_is_full: full is more than the limit.
				if s.Queue > s.Backlog {
					l.Full++
				}
				l.Longest = max(l.Longest, s.Queue)
			}
			l.Dropped, _ = Delta(samples, func(s recording.ListenerSample) uint32 { return s.Drops })
			list = append(list, l)
		}
		return list
	})
}

// ListenersOf lists the listening TCP sockets that a process holds, in the order of Listeners,
// also those that more processes hold than their owners tell.
func (v *View) ListenersOf(pid int32) []Listener {
	listeners := v.Listeners()
	places := Memo(v, "listeners-of", func() map[int32][]int32 {
		at := map[uint64][]int32{} // by inode
		for i := range listeners {
			if inode := listeners[i].Inode; inode != 0 {
				at[inode] = append(at[inode], int32(i))
			}
		}
		m := map[int32][]int32{}
		for _, o := range Rows[recording.SocketOwner](v) {
			if held := at[o.Inode]; len(held) > 0 {
				m[o.PID] = append(m[o.PID], held...)
			}
		}
		for pid, list := range m {
			slices.Sort(list)
			m[pid] = slices.Compact(list)
		}
		return m
	})
	var list []Listener
	for _, i := range places[pid] {
		list = append(list, listeners[i])
	}
	return list
}

// WorksFor says whether a process holds the listening socket of a service or listener that is
// named by another one: workers that a server starts, as those of nginx, inherit it.
func (v *View) WorksFor(worker, service Entity) bool {
	type socket struct {
		named identity
		port  uint16
	}
	workers := Memo(v, "workers", func() map[socket]map[identity]bool {
		m := map[socket]map[identity]bool{}
		for _, l := range v.Listeners() {
			if len(l.Owners) < 2 {
				continue
			}
			k := socket{l.Owners[0].Entity().identity(), l.Port}
			if m[k] == nil {
				m[k] = map[identity]bool{}
			}
			for _, p := range l.Owners[1:] {
				m[k][p.Entity().identity()] = true
			}
		}
		return m
	})
	return workers[socket{service.identity(), service.Port}][worker.identity()]
}

// ListenerAt finds the listener that serves a port in a network namespace: one
// bound to the address if there is one, else one bound to all addresses.
func (v *View) ListenerAt(ns uint64, local string, port uint16) (Listener, bool) {
	type place struct {
		ns    uint64
		local string
		port  uint16
	}
	const wild = "any"
	listeners := v.Listeners()
	index := Memo(v, "listener-index", func() map[place]int {
		m := make(map[place]int, len(listeners))
		for i := range listeners {
			l := &listeners[i]
			if _, ok := m[place{l.NetNS, l.Local, l.Port}]; !ok {
				m[place{l.NetNS, l.Local, l.Port}] = i
			}
			if Wildcard(l.Local) {
				m[place{l.NetNS, wild, l.Port}] = i // the last one
			}
		}
		return m
	})
	for _, address := range []string{local, wild} {
		if i, ok := index[place{ns, address, port}]; ok {
			return listeners[i], true
		}
	}
	return Listener{}, false
}

// Connection is one TCP connection over the window; the embedded sample is its
// last reading.
type Connection struct {
	recording.TCPSample
	Samples []recording.Reading[recording.TCPSample]
	New     bool // not there at the first reading of its namespace
}

// First is its first reading.
func (c *Connection) First() recording.TCPSample { return c.Samples[0].Row() }

// Retransmitted is how many segments it sent again in the window.
func (c Connection) Retransmitted() float64 {
	return grown(c, func(s *recording.TCPSample) uint32 { return s.TotalRetrans })
}

// SegmentsOut is how many segments it sent in the window, repeats included.
func (c Connection) SegmentsOut() float64 {
	return grown(c, func(s *recording.TCPSample) uint32 { return s.SegsOut })
}

// DataSegmentsOut is how many segments with data it sent in the window, repeats included.
func (c Connection) DataSegmentsOut() float64 {
	return grown(c, func(s *recording.TCPSample) uint32 { return s.DataSegsOut })
}

// DataSegmentsIn is how many segments with data it received in the window.
func (c Connection) DataSegmentsIn() float64 {
	return grown(c, func(s *recording.TCPSample) uint32 { return s.DataSegsIn })
}

// BytesSent is how many bytes of data it sent in the window, repeats included.
func (c Connection) BytesSent() float64 {
	return grown(c, func(s *recording.TCPSample) uint64 { return s.BytesSent })
}

// Acknowledged is how many bytes of data its peer acknowledged in the window.
func (c Connection) Acknowledged() float64 {
	return grown(c, func(s *recording.TCPSample) uint64 { return s.BytesAcked })
}

// grown is the growth of a counter of tcp_info. All of it falls into the
// window if the connection began in it.
func grown[N uint32 | uint64 | time.Duration](c Connection, value func(*recording.TCPSample) N) float64 {
	var delta float64
	var before *recording.TCPSample
	for _, r := range c.Samples {
		s := r.Of()
		if !s.Info || s == before {
			continue
		}
		now := value(s)
		switch {
		case before == nil && c.New:
			delta += float64(now)
		case before == nil:
		case now >= value(before):
			delta += float64(now - value(before))
		default: // counted from 0
			delta += float64(now)
		}
		before = s
	}
	return delta
}

// WaitedToSend is how long in the window it had data to send, or to be acknowledged, that
// neither the peer's window nor the program's buffer held back; seconds.
func (c Connection) WaitedToSend() float64 {
	return grown(c, func(s *recording.TCPSample) time.Duration { return s.Busy - s.RwndLimited - s.SndbufLimited }) / float64(time.Second)
}

// Withheld counts the readings at which data was not sent although nothing was under way and the
// windows were open: an own queue refused it, and TCP waits before it tries again.
func (c Connection) Withheld() (n int) {
	for _, r := range c.Samples {
		if s := r.Of(); s.Info && s.State == recording.TCPEstablished && s.NotSent > 0 && s.Unacked == 0 && s.Cwnd > 0 && s.PeerWindow > 0 {
			n++
		}
	}
	return n
}

// Connecting says whether it waited for the answer to its SYN at any reading.
func (c Connection) Connecting() bool {
	return slices.ContainsFunc(c.Samples, func(r recording.Reading[recording.TCPSample]) bool { return r.Of().State == recording.TCPSynSent })
}

// ConnectionKey tells connections apart.
type ConnectionKey struct {
	NetNS      uint64
	Local      string
	LocalPort  uint16
	Remote     string
	RemotePort uint16
}

// ConnectionBetween finds the socket of one end of a connection, in any network
// namespace.
func (v *View) ConnectionBetween(local string, localPort uint16, remote string, remotePort uint16) (Connection, bool) {
	known := Memo(v, "connection-ends", func() map[ConnectionKey]int {
		m := map[ConnectionKey]int{}
		for i, c := range v.Connections() {
			m[ConnectionKey{Local: c.Local, LocalPort: c.LocalPort, Remote: c.Remote, RemotePort: c.RemotePort}] = i
		}
		return m
	})
	i, ok := known[ConnectionKey{Local: local, LocalPort: localPort, Remote: remote, RemotePort: remotePort}]
	if !ok {
		return Connection{}, false
	}
	return v.Connections()[i], true
}

// Connections lists the TCP connections of all network namespaces, those in
// TIME_WAIT and half-open ones included.
func (v *View) Connections() []Connection {
	return Memo(v, "connections", func() []Connection {
		all := Readings[recording.TCPSample](v)
		begin := map[uint64]time.Time{}
		for _, r := range all {
			if _, ok := begin[r.Of().NetNS]; !ok {
				begin[r.Of().NetNS] = r.At()
			}
		}
		connections := seriesOf(all, func(s *recording.TCPSample) ConnectionKey {
			return ConnectionKey{s.NetNS, s.Local, s.LocalPort, s.Remote, s.RemotePort}
		})
		list := make([]Connection, len(connections))
		for i, samples := range connections {
			list[i] = Connection{TCPSample: samples[len(samples)-1].Row(), Samples: samples}
			list[i].New = samples[0].At().Sub(begin[list[i].NetNS]) > sameMoment
		}
		return list
	})
}

// sameMoment is how far apart two rows of one sample may be read. One dump of
// all sockets takes milliseconds, the next one follows no sooner than half a
// second later.
const sameMoment = 300 * time.Millisecond

// Moments splits rows into the samples they were read in.
func Moments[T recording.Row](readings []recording.Reading[T]) [][]recording.Reading[T] {
	ordered := readings
	byTime := func(a, b recording.Reading[T]) int { return a.At().Compare(b.At()) }
	if !slices.IsSortedFunc(ordered, byTime) { // as they are if nobody set the clock
		ordered = slices.Clone(readings)
		slices.SortStableFunc(ordered, byTime)
	}
	var list [][]recording.Reading[T]
	begin := 0
	for i := range ordered {
		if ordered[i].At().Sub(ordered[begin].At()) > sameMoment {
			list = append(list, ordered[begin:i:i])
			begin = i
		}
	}
	if begin < len(ordered) {
		list = append(list, slices.Clip(ordered[begin:]))
	}
	return list
}

// TCPMoments lists the TCP sockets of one network namespace, sample by sample.
// Samples without any socket have no entry.
func (v *View) TCPMoments(ns uint64) [][]recording.Reading[recording.TCPSample] {
	all := Memo(v, "tcp-moments", func() map[uint64][][]recording.Reading[recording.TCPSample] {
		m := map[uint64][][]recording.Reading[recording.TCPSample]{}
		for ns, space := range bySpace(Readings[recording.TCPSample](v)) {
			m[ns] = Moments(space)
		}
		return m
	})
	return all[ns]
}

// bySpace splits sockets by network namespace. They are read one namespace after
// the other, thousands in a row.
func bySpace(all []recording.Reading[recording.TCPSample]) map[uint64][]recording.Reading[recording.TCPSample] {
	m := map[uint64][]recording.Reading[recording.TCPSample]{}
	for len(all) > 0 {
		ns := all[0].Of().NetNS
		n := slices.IndexFunc(all, func(r recording.Reading[recording.TCPSample]) bool { return r.Of().NetNS != ns })
		if n < 0 {
			n = len(all)
		}
		m[ns] = append(m[ns], all[:n]...)
		all = all[n:]
	}
	return m
}

// TCPNamespaces lists the network namespaces that had TCP sockets.
func (v *View) TCPNamespaces() []uint64 {
	return Memo(v, "tcp-namespaces", func() (list []uint64) {
		for _, r := range Readings[recording.TCPSample](v) {
			if ns := r.Of().NetNS; len(list) == 0 || list[len(list)-1] != ns && !slices.Contains(list, ns) {
				list = append(list, ns)
			}
		}
		return list
	})
}

// HasAddress says whether an address was seen as the local end of a connection
// in a network namespace.
func (v *View) HasAddress(ns uint64, address string) bool {
	type key struct {
		ns      uint64
		address string
	}
	known := Memo(v, "local-addresses", func() map[key]bool {
		m := map[key]bool{}
		for _, c := range v.Connections() {
			m[key{c.NetNS, c.Local}] = true
		}
		for _, l := range v.Listeners() {
			m[key{l.NetNS, l.Local}] = true
		}
		return m
	})
	return known[key{ns, address}]
}
