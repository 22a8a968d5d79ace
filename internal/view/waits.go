package view

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// Wait says that a program waits for another one: it sent requests, or asked for
// connections, that were not answered.
type Wait struct {
	Who, For  Entity
	Processes int           // of the program that waits; 1 if it is a service in packets
	Mean      float64       // requests or connects that were waited for at a time, over the window
	Longest   time.Duration // as far as it was seen
	// Told says that it is known from more than who sent last: the server tells of
	// the requests, packets show them, or answers came in the window. A client that
	// only acknowledges sends last as well, and waits for nothing.
	Told bool
}

// Waits are who waited for whom in the window, those that waited most first: by
// the sessions of MySQL servers that were asked, by the sockets of this host, and by
// requests in captures during which a server made requests of its own. The kernel
// tells in whole ticks (1 to 10 ms) when a socket sent and received last: of who
// sends at once when an answer has come, it is not seen that it waits.
func (v *View) Waits() []Wait {
	return Memo(v, "waits", func() []Wait {
		list := append(v.hostWaits(), v.packetWaits()...)
		slices.SortStableFunc(list, func(a, b Wait) int { return cmp.Compare(b.Mean, a.Mean) })
		type ends struct{ who, whom identity }
		told := map[ends]bool{} // what sockets and packets both show
		return slices.DeleteFunc(list, func(w Wait) bool {
			k := ends{w.Who.identity(), w.For.identity()}
			known := told[k]
			told[k] = true
			return known
		})
	})
}

// waiters sum up the waits of each program for each server.
type waiters struct {
	sums      map[waiter]*Wait
	processes map[waiter]map[int32]bool
	order     []waiter
}

type waiter struct {
	program string
	server  identity
}

// add counts a wait of a process for a server, as the mean over the window.
func (w *waiters) add(p *Process, server Entity, mean float64, longest time.Duration, told bool) {
	k := waiter{p.Comm, server.identity()}
	sum := w.sums[k]
	if sum == nil {
		sum = &Wait{Who: p.Entity(), For: server}
		w.sums[k], w.processes[k] = sum, map[int32]bool{}
		w.order = append(w.order, k)
	}
	w.processes[k][p.PID] = true
	sum.Processes = len(w.processes[k])
	sum.Mean += mean
	sum.Longest = max(sum.Longest, longest)
	sum.Told = sum.Told || told
}

// cut keeps those that were waited for most, if there are more than limit.
func (w *waiters) cut(limit int) {
	if len(w.order) > limit {
		slices.SortStableFunc(w.order, func(a, b waiter) int { return cmp.Compare(w.sums[b].Mean, w.sums[a].Mean) })
		w.order = w.order[:limit]
	}
}

// maxWaits is how many waits are told of a host, the longest ones: a program may wait for
// as many servers as it has connections.
const maxWaits = 1000

// hostWaits are those that servers tell of their sessions, and sockets of the
// others.
func (v *View) hostWaits() []Wait {
	all := &waiters{sums: map[waiter]*Wait{}, processes: map[waiter]map[int32]bool{}}
	told := map[identity]bool{}
	for _, s := range v.MySQLServers() {
		_, looks := v.StatesOf(s.Server) // also those that found nobody at work
		told[s.Entity().identity()] = looks > 0
		for _, look := range v.SessionsOf(s.Server) {
			for _, r := range look {
				if r.Statement == "" || r.Command == "Sleep" || strings.HasPrefix(r.Command, "Binlog Dump") {
					continue
				}
				if p, ok := v.ClientOfSession(s, r); ok && !p.Own {
					all.add(&p, s.Entity(), 1/float64(max(looks, 1)), max(r.For, 0), true)
				}
			}
		}
	}
	type place struct {
		address string
		port    uint16
	}
	servers := map[place]Entity{}
	connections := v.Connections()
	for i := range connections {
		c := &connections[i]
		readings, longest := c.unanswered()
		if readings == 0 || !v.asks(*c) {
			continue
		}
		owners := v.SocketOwners(c.Inode)
		if len(owners) == 0 || owners[0].Own {
			continue
		}
		at := place{c.Remote, c.RemotePort}
		server, known := servers[at]
		if !known {
			server = v.serverOf(c)
			servers[at] = server
		}
		if !told[server.identity()] {
			answered := c.BytesReceived > c.First().BytesReceived
			all.add(&owners[0], server, float64(readings)/float64(max(len(v.TCPMoments(c.NetNS)), 1)), longest, answered)
		}
	}
	all.cut(maxWaits)
	list := make([]Wait, 0, len(all.order))
	for _, k := range all.order {
		w := all.sums[k]
		if mean, longest := v.blockedFor(all.processes[k], w.For); mean > w.Mean { // sockets tell in ticks, and at readings
			w.Mean, w.Longest = mean, max(w.Longest, longest)
		}
		list = append(list, *w)
	}
	return list
}

// blockedFor is how many threads of some processes were blocked at a time in reading from
// sockets until a server on this host woke them, as the kernel told. What nobody has ended
// yet counts as what is read in the same way.
func (v *View) blockedFor(processes map[int32]bool, server Entity) (mean float64, longest time.Duration) {
	if server.PID == 0 {
		return 0, 0
	}
	type place struct {
		pid   int32
		stack string
	}
	type sums struct{ all, ended, byServer float64 }
	of := map[place]*sums{}
	for _, o := range v.OffCPU() {
		if !processes[o.PID] || o.State == "R" || !readsSocket(o.Stack) {
			continue
		}
		k := place{o.PID, o.Stack}
		if of[k] == nil {
			of[k] = &sums{}
		}
		s := of[k]
		s.all += o.Mean
		if o.Waker == "" {
			continue
		}
		s.ended += o.Mean
		if waker, ok := v.Process(o.WakerPID); ok && (waker.PID == server.PID || waker.PPID == server.PID) {
			s.byServer += o.Mean
			longest = max(longest, o.Longest)
		}
	}
	for _, s := range of {
		if s.ended > 0 {
			mean += s.all * s.byServer / s.ended
		}
	}
	return mean, longest
}

// readsSocket says whether a thread with that stack waits for one socket, and for no other.
func readsSocket(stack string) bool {
	return strings.Contains(stack, "sk_wait_data") || strings.Contains(stack, "unix_stream_read_generic")
}

// unanswered is at how many readings a connection had sent something and got
// nothing since, or had asked for a connection, and for how long at most. Who sends
// again and again without an answer waits for none: logs and measurements go so.
func (c *Connection) unanswered() (readings int, longest time.Duration) {
	var before *recording.TCPSample
	for _, r := range c.Samples {
		s := r.Of()
		if before != nil && s.Info && before.Info && s.BytesSent > before.BytesSent && s.BytesReceived == before.BytesReceived && before.LastSend.After(before.LastReceive) {
			return 0, 0
		}
		before = s
		switch {
		case s.State == recording.TCPSynSent:
			readings++
		case s.State == recording.TCPEstablished && s.Info && s.RecvQueue == 0 && s.BytesSent > 0 && s.LastSend.After(s.LastReceive):
			readings++
			longest = max(longest, r.At().Sub(s.LastSend))
		}
	}
	return readings, longest
}

// serverOf names who is at the other end of a connection that was made here.
func (v *View) serverOf(c *Connection) Entity {
	if l, ok := v.ServedBy(c.Remote, c.RemotePort); ok {
		return l.Entity()
	}
	e := Entity{Kind: KindService, Address: c.Remote, Port: c.RemotePort, Name: net.JoinHostPort(c.Remote, strconv.Itoa(int(c.RemotePort)))}
	for _, m := range v.MySQLServers() {
		if m.Entity().Same(e) {
			return m.Entity()
		}
	}
	if known, ok := v.serviceAt(c.Remote, int32(c.RemotePort)); ok {
		return known
	}
	return e
}

// packetWaits are the requests of services to others while they had requests of
// their own to answer.
func (v *View) packetWaits() []Wait {
	var list []Wait
	for _, n := range v.PacketNestings() {
		who, known := v.serviceAt(n.Host, n.Port)
		callee, also := v.serviceAt(n.Callee, n.CalleePort)
		if known && also && n.Covered > 0 {
			list = append(list, Wait{Who: who, For: callee, Processes: 1, Mean: v.PerSecond(n.Covered), Longest: n.CallMax, Told: true})
		}
	}
	return list
}

func (v *View) serviceAt(address string, port int32) (Entity, bool) {
	list := v.PacketServicesAt(address, uint16(port))
	if len(list) == 0 {
		return Entity{}, false
	}
	return v.ServiceEntity(list[0]), true
}
