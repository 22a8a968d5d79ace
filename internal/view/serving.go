package view

import (
	"rtrail/internal/recording"
)

// Serving is what the threads did that serve a port, while requests to it were
// under way. The shares are of the time in which a thread could have worked for a
// request: as long as requests were at the server, but no more than all of its
// serving threads have.
type Serving struct {
	Processes []Process // that hold connections to the port
	Threads   float64   // that served at least: one of each process, those that were not idle, one for each connection at most
	Could     float64   // seconds per second in which a thread could have worked for a request
	OnCPU     float64   // shares of Could
	Runnable  float64
	Disk      float64
	Asleep    float64 // the rest: a lock, a timer, the answer of somebody else
	Asks      bool    // it has connections to other servers, for which it may wait
}

// ServingOf looks at the threads behind a listener. waiting is how many seconds
// per second requests were at the server. ok is false where nobody is known to hold
// connections to it, or their counters could not be read.
func (v *View) ServingOf(l Listener, waiting float64) (s Serving, ok bool) {
	connections, others := map[int32]map[uint64]bool{}, map[int32]bool{}
	for _, c := range v.Connections() {
		if c.NetNS != l.NetNS || c.State != recording.TCPEstablished {
			continue
		}
		for _, p := range v.SocketOwners(c.Inode) {
			switch {
			case c.LocalPort != l.Port:
				others[p.PID] = others[p.PID] || v.asks(c)
			case connections[p.PID] == nil:
				connections[p.PID] = map[uint64]bool{c.Inode: true}
			default:
				connections[p.PID][c.Inode] = true
			}
		}
	}
	active := map[int32]float64{}
	for _, t := range v.ThreadTimes() {
		if !t.Idle {
			active[t.PID]++
		}
	}
	var cpu, runnable, disk float64
	for _, p := range v.Processes() {
		n := float64(len(connections[p.PID]))
		if n == 0 || p.Own {
			continue
		}
		if !Known(p.RunDelay) {
			return Serving{}, false
		}
		s.Processes = append(s.Processes, p)
		s.Threads += min(n, max(active[p.PID], 1))
		s.Asks = s.Asks || others[p.PID]
		cpu += p.CPU
		runnable += p.RunDelay
		disk += v.DiskWaits(p)
	}
	s.Could = min(waiting, s.Threads)
	if s.Could <= 0 {
		return s, false
	}
	// What a server does beside its requests is taken for work on them, so that
	// sleep is a lower bound.
	left := 1.0
	for _, share := range []struct {
		to   *float64
		time float64
	}{{&s.OnCPU, cpu}, {&s.Runnable, runnable}, {&s.Disk, disk}} {
		*share.to = min(share.time/s.Could, left)
		left -= *share.to
	}
	s.Asleep = max(left, 0)
	return s, true
}

// asks says whether a connection was made by the process that holds it: nobody
// here listens on its port.
func (v *View) asks(c Connection) bool {
	type place struct {
		ns   uint64
		port uint16
	}
	served := Memo(v, "served-ports", func() map[place]bool {
		m := map[place]bool{}
		for _, l := range v.Listeners() {
			m[place{l.NetNS, l.Port}] = true
		}
		return m
	})
	return !served[place{c.NetNS, c.LocalPort}]
}

// DiskWaits is how many threads of a process waited for a disk, on average.
func (v *View) DiskWaits(p Process) float64 {
	sampled := 0.0
	for _, t := range v.ThreadTimes() {
		if t.PID == p.PID && !t.Idle {
			sampled += t.Share[WaitDisk]
		}
	}
	return max(OrZero(p.BlockDelay), sampled)
}
