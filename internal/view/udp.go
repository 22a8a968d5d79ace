package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// UDPSocket is one UDP socket over the window; the embedded sample is its last
// reading.
type UDPSocket struct {
	recording.UDPSample
	Readings int
	Full     int         // readings in which its receive buffer was nearly used up
	Moved    bool        // what waits in its receive buffer changed between two readings
	Bursts   []time.Time // readings before which it dropped datagrams
	Dropped  float64     // datagrams that came and were not queued: the buffer was full, or a filter or checksum refused them
	Owners   []Process   // oldest first; empty if none is known
}

// nearlyUsed is the share of a receive buffer from which the next burst of
// datagrams does not fit any more.
const nearlyUsed = 0.8

// UDPSockets lists the UDP sockets of all network namespaces, those that dropped
// most first.
func (v *View) UDPSockets() []UDPSocket {
	return Memo(v, "udp", func() []UDPSocket {
		type key struct {
			ns, inode uint64
			port      uint16
		}
		keys, series := Group(Rows[recording.UDPSample](v), func(s recording.UDPSample) key { return key{s.NetNS, s.Inode, s.LocalPort} })
		list := make([]UDPSocket, 0, len(keys))
		for _, k := range keys {
			samples := series[k]
			s := UDPSocket{UDPSample: samples[len(samples)-1], Readings: len(samples)}
			for i := range samples {
				if float64(samples[i].RecvQueue) >= nearlyUsed*float64(samples[i].RcvBuf) && samples[i].RcvBuf > 0 {
					s.Full++
				}
			}
			for i := range samples[1:] {
				if samples[i+1].Drops > samples[i].Drops {
					s.Bursts = append(s.Bursts, samples[i+1].At)
				}
				s.Moved = s.Moved || samples[i+1].RecvQueue != samples[i].RecvQueue
			}
			s.Dropped, _ = Delta(samples, func(s recording.UDPSample) uint32 { return s.Drops })
			if s.Dropped > 0 || s.Full > 0 {
				s.Owners = v.SocketOwners(k.inode)
			}
			list = append(list, s)
		}
		slices.SortStableFunc(list, func(a, b UDPSocket) int { return cmp.Compare(b.Dropped, a.Dropped) })
		return list
	})
}

// ListensUDP says whether at the last reading of sockets one was bound to a port of an address, or
// to that port of all addresses, in a network namespace; 0: in any. The sockets of all namespaces
// are read together, so that one without a row has none.
func (v *View) ListensUDP(ns uint64, address string, port uint16) bool {
	type place struct {
		ns    uint64 // 0: any
		local string
		port  uint16
	}
	bound := Memo(v, "udp-bound", func() map[place]bool {
		rows, streams := Rows[recording.UDPSample](v), Readings[recording.TCPSample](v)
		var last time.Time
		if n := len(streams); n > 0 { // in a dump of connections
			last = streams[n-1].At()
		}
		for i := range rows {
			if rows[i].At.After(last) {
				last = rows[i].At
			}
		}
		m := map[place]bool{}
		for i := range rows {
			if s := &rows[i]; s.RemotePort == 0 && last.Sub(s.At) <= sameMoment {
				m[place{s.NetNS, s.Local, s.LocalPort}], m[place{0, s.Local, s.LocalPort}] = true, true
			}
		}
		return m
	})
	return slices.ContainsFunc([]string{address, "0.0.0.0", "::", "*"}, func(local string) bool {
		return takesFor(local, address) && bound[place{ns, local, port}]
	})
}

// takesFor says whether what is sent to an address may come to a socket that is bound to local.
func takesFor(local, address string) bool {
	return local == address || Wildcard(local) && (local != "0.0.0.0" || !strings.Contains(address, ":"))
}

// Entity is the process that holds the socket; without one, the port.
func (s *UDPSocket) Entity() Entity {
	if len(s.Owners) == 0 {
		return Entity{Kind: KindListener, Name: "an unknown process", Port: s.LocalPort, NetNS: s.NetNS}
	}
	return s.Owners[0].Entity()
}
