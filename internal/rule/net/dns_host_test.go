package net

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// lookingUp is a host of which each number of seconds in waits is a socket that stays so long,
// one after the other, and receives nothing from 10.0.0.53. A thread sleeps in poll meanwhile.
func lookingUp(sent, came float64, waits ...float64) *ruletest.Host {
	return lookingUpIn("poll", sent, came, waits...)
}

// lookingUpIn has the thread sleep in another call.
func lookingUpIn(call string, sent, came float64, waits ...float64) *ruletest.Host {
	h := ruletest.New(2, 10).Process(ruletest.Process{PID: 70, Comm: "app"})
	for _, inode := range []uint64{9, 10, 11} {
		ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: inode, PID: 70, FD: 4})
	}
	ruletest.Every(h, func(at time.Time, s float64) recording.NetNSSample {
		return recording.NetNSSample{At: at, NetNS: 1, Own: true, PID: 1}
	})
	h.Readings(func(at time.Time, s float64) {
		ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: "OutDatagrams", Value: int64(sent * s)},
			recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: "InDatagrams", Value: int64(came * s)})
		ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "0.0.0.0", LocalPort: 123, Inode: 5})
		from := 0.5
		for i, w := range waits {
			if s >= from && s <= from+w {
				inode := uint64(100 + i)
				ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: uint16(40000 + i), Remote: "10.0.0.53", RemotePort: 53, Inode: inode})
				ruletest.Add(h, recording.SocketOwner{At: at, Inode: inode, PID: 70, FD: 3})
				ruletest.Add(h, recording.ThreadSample{At: at, PID: 70, TID: 70, Comm: "app", State: "S", SyscallName: call, Slices: int64(i + 1)})
			}
			from += w
		}
	})
	return h
}

// serving makes the program a server of DNS.
func serving(h *ruletest.Host) *ruletest.Host {
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 7, PID: 70, FD: 5})
	return ruletest.Every(h, func(at time.Time, s float64) recording.UDPSample {
		return recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 53, Inode: 7}
	})
}

// listing adds what resolv.conf names, and queries of rtrail to the servers.
func listing(h *ruletest.Host, servers ...recording.NameServer) *ruletest.Host {
	for _, s := range servers {
		s.At, s.NetNS = ruletest.Start, 1
		ruletest.Add(h, recording.NameServer{At: s.At, NetNS: 1, Server: s.Server, Default: s.Default})
		if s.Asked > 0 {
			s.At = s.At.Add(time.Second)
			ruletest.Add(h, s)
		}
	}
	return h
}

// refusing adds queries for which the kernel finds no process.
func refusing(h *ruletest.Host, server string, packets int64) *ruletest.Host {
	return ruletest.Add(h, recording.PacketDrop{At: ruletest.Start.Add(5 * time.Second), Span: 5 * time.Second, NetNS: 1, Reason: "NO_SOCKET", Function: "__udp4_lib_rcv", Protocol: "udp", Port: 53,
		Packets: packets, Source: "10.0.0.1", Destination: server})
}

// binding adds a socket of a server of DNS, in a namespace, until a second.
func binding(h *ruletest.Host, ns uint64, local string, until float64) *ruletest.Host {
	h.Readings(func(at time.Time, s float64) {
		if s <= until {
			ruletest.Add(h, recording.UDPSample{At: at, NetNS: ns, Local: local, LocalPort: 53, Inode: 8})
		}
	})
	return h
}

// asking is threads of a program that look up one name after the other. Sockets are
// read once a second, threads five times.
type asking struct {
	threads  int
	each     time.Duration // a lookup takes
	from, to float64       // seconds in which lookups begin; to 0: until the end
	call     string        // in which they wait; "": poll
	server   string        // that they ask; "": 10.0.0.53
	upstream string        // that a process (512) asks for them meanwhile; "": there is none
}

// at is the number of the lookup that a thread waits for at a time; ok is false between two of them.
func (a asking) at(thread int, s float64) (n int64, ok bool) {
	period, phase := a.each.Seconds()*1.02, 0.137*float64(thread)
	n = int64((s + phase) / period)
	begin := float64(n)*period - phase
	return n, s <= begin+a.each.Seconds() && begin >= a.from && (a.to == 0 || begin <= a.to)
}

func (a asking) of(h *ruletest.Host) *ruletest.Host {
	h.Readings(func(at time.Time, s float64) {
		for thread := range a.threads {
			if n, ok := a.at(thread, s); ok {
				inode := uint64(1e6)*uint64(thread+1) + uint64(n)
				ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: uint16(20000 + thread), Remote: cmp.Or(a.server, "10.0.0.53"), RemotePort: 53, Inode: inode})
				ruletest.Add(h, recording.SocketOwner{At: at, Inode: inode, PID: 70, FD: 3})
				if a.upstream != "" {
					ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: uint16(30000 + thread), Remote: a.upstream, RemotePort: 53, Inode: inode + 1e9})
					ruletest.Add(h, recording.SocketOwner{At: at, Inode: inode + 1e9, PID: 512, FD: 3})
				}
			}
		}
	})
	call := cmp.Or(a.call, "poll")
	looks(h, 700, a.threads, func(i, thread int) (string, int64) {
		n, ok := a.at(thread, float64(i)/5)
		if !ok {
			return "", 2 * n
		}
		return call, 2*n + 1
	})
	return h
}

// looks adds what threads of the program do, five times a second: a call, and how often they ran.
func looks(h *ruletest.Host, first, threads int, at func(i, thread int) (call string, ran int64)) *ruletest.Host {
	for i := range int(5*h.Seconds) + 1 {
		for thread := range threads {
			call, ran := at(i, thread)
			ruletest.Add(h, recording.ThreadSample{At: ruletest.Start.Add(time.Duration(i) * 200 * time.Millisecond), PID: 70, TID: int32(first + thread), Comm: "app", State: "S", SyscallName: call, Slices: ran})
		}
	}
	return h
}

// waking has threads of the program sleep for 0.8 s, one time after the other.
func waking(h *ruletest.Host) *ruletest.Host {
	return looks(h, 600, 2, func(i, _ int) (string, int64) { return "poll", int64(i+2) / 5 })
}

func TestShortLookups(t *testing.T) {
	const far = "dns 10.0.0.53:53"
	many := asking{threads: 20, each: 1500 * time.Millisecond}
	named := recording.NameServer{Server: "10.0.0.53"}
	ruletest.Check(t, dnsSlow, []ruletest.Situation{
		{Name: "all take 1.5 s", Host: func() *ruletest.Host { return many.of(lookingUp(26, 26)) },
			Want: rule.Likely, Kind: view.KindService, Subject: far, Low: 14, High: 16.5, Says: "the resolver 10.0.0.53:53 is slow: lookups of app (70) wait for it 1", Proof: "of 11 readings, each for "},
		{Name: "all of them through a stub", Host: func() *ruletest.Host {
			return asking{threads: 20, each: 1500 * time.Millisecond, server: "127.0.0.53", upstream: "10.0.0.2"}.of(stubbed{upstreams: []string{"10.0.0.2"}}.host())
		}, Want: rule.Likely, Kind: view.KindService, Subject: "dns 10.0.0.2:53", Low: 14, High: 16.5,
			Says: "the resolver 10.0.0.2:53 is slow: systemd-resolve (512) at 127.0.0.53:53 asks it for programs, and lookups of app (70) wait 1", Proof: "readings with lookups under way"},
		{Name: "all of them at a stub that asks nobody", Host: func() *ruletest.Host {
			return asking{threads: 20, each: 1500 * time.Millisecond, server: "127.0.0.53"}.of(stubbed{upstreams: []string{"10.0.0.2"}}.host())
		}, Want: rule.Likely, Kind: view.KindService, Subject: "dns 127.0.0.53:53", Low: 14, High: 16.5, Says: "; systemd-resolve (512) or a server that it asks is the cause"},
		{Name: "all of them at a stub that asks much, and is answered at once", Host: func() *ruletest.Host {
			return asking{threads: 20, each: 1500 * time.Millisecond, server: "127.0.0.53"}.of(stubbed{upstreams: []string{"10.0.0.2"}, busy: "10.0.0.2"}.host())
		}, Want: rule.Likely, Kind: view.KindService, Subject: "dns 127.0.0.53:53", Low: 14, High: 16.5, Says: "; systemd-resolve (512) or a server that it asks is the cause"},
		{Name: "one thread asks", Host: func() *ruletest.Host { return asking{threads: 1, each: 1500 * time.Millisecond}.of(lookingUp(2, 2)) },
			Want: rule.Likely, Kind: view.KindService, Subject: far, Low: 0.7, High: 0.75},
		{Name: "answered within 30 ms", Host: func() *ruletest.Host {
			return asking{threads: 20, each: 30 * time.Millisecond}.of(lookingUp(1300, 1300))
		}},
		{Name: "answered at once, while other threads sleep", Host: func() *ruletest.Host {
			return asking{threads: 20, each: time.Millisecond}.of(waking(lookingUp(20000, 20000)))
		}},
		{Name: "one burst", Host: func() *ruletest.Host {
			return asking{threads: 20, each: 1500 * time.Millisecond, from: 3.1, to: 4.1}.of(lookingUp(4, 4))
		}},
		{Name: "a server of DNS asks the one that resolv.conf names", Host: func() *ruletest.Host { return serving(many.of(listing(lookingUp(26, 26), named))) }},
		{Name: "a program that waits by epoll", Host: func() *ruletest.Host {
			return asking{threads: 20, each: 1500 * time.Millisecond, call: "epoll_wait"}.of(lookingUp(26, 26))
		}},
		{Name: "how many datagrams were sent is not known", Host: func() *ruletest.Host { return many.of(lookingUp(0, 0)) }},
		{Name: "readings without any socket may be missing", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).Process(ruletest.Process{PID: 70, Comm: "app"})
			counters(h, 1, map[string]float64{"UdpOutDatagrams": 26, "UdpInDatagrams": 26})
			return many.of(h)
		}},
		{Name: "nothing comes at all", Host: func() *ruletest.Host { return many.of(lookingUp(26, 0)) }},
	})
	ruletest.Check(t, dnsUnreachable, []ruletest.Situation{
		{Name: "short tries, and nothing comes at all", Host: func() *ruletest.Host {
			return asking{threads: 20, each: time.Second}.of(listing(lookingUp(20, 0), named))
		}, Want: rule.Likely, Kind: view.KindService, Subject: far, Low: 14, High: 17, Says: "answers nothing: lookups of app (70) wait for it 1", Proof: "resolv.conf names it"},
		{Name: "other datagrams come", Host: func() *ruletest.Host {
			return asking{threads: 20, each: time.Second}.of(listing(lookingUp(20, 3), named))
		}},
	})
}

func TestDNSFromTheHost(t *testing.T) {
	const far, near = "dns 10.0.0.53:53", "dns 127.0.0.53:53"
	first, second := recording.NameServer{Server: "10.0.0.53"}, recording.NameServer{Server: "10.0.0.54"}
	local := recording.NameServer{Server: "127.0.0.53"}
	ruletest.Check(t, dnsSlow, []ruletest.Situation{
		{Name: "lookups wait, other datagrams come", Host: func() *ruletest.Host { return lookingUp(4, 2, 4, 4) },
			Want: rule.Likely, Kind: view.KindService, Subject: far, Low: 0.59, High: 0.81, Says: "the resolver 10.0.0.53:53 is slow: 2 lookups had no answer for up to "},
		{Name: "one of them", Host: func() *ruletest.Host { return lookingUp(4, 2, 4) },
			Want: rule.Possible, Kind: view.KindService, Subject: far, Low: 0.29, High: 0.41},
		{Name: "nothing comes at all", Host: func() *ruletest.Host { return lookingUp(1, 0, 4, 4) }},
		{Name: "a reloaded proxy keeps its sockets, as seen by epoll", Host: func() *ruletest.Host { return lookingUpIn("epoll_wait", 4, 2, 4, 4) },
			Want: rule.Possible, Kind: view.KindService, Subject: far, Low: 0.1, High: 0.1, Says: "may be slow: 2 sockets of app (70) received nothing for up to 3 s"},
		{Name: "the same, and no other program uses UDP", Host: func() *ruletest.Host { return lookingUpIn("epoll_wait", 4, 0, 4, 4) },
			Want: rule.Possible, Kind: view.KindService, Subject: far, Low: 0.1, High: 0.1},
		{Name: "a recursive resolver asks a server that answers nothing", Host: func() *ruletest.Host {
			return serving(lookingUp(4, 2, 4, 4))
		}},
		{Name: "a caching resolver asks one that resolv.conf names", Host: func() *ruletest.Host {
			return listing(serving(lookingUp(4, 2, 4, 4)), recording.NameServer{Server: "10.0.0.53"})
		}, Want: rule.Likely, Kind: view.KindService, Subject: far, Low: 0.59, High: 0.81},
		{Name: "shorter waits", Host: func() *ruletest.Host { return lookingUp(4, 2, 1, 1, 1, 1) }},
		{Name: "a socket kept for later", Host: func() *ruletest.Host {
			return ruletest.Every(lookingUp(4, 2), func(at time.Time, s float64) recording.UDPSample {
				return recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 40000, Remote: "10.0.0.53", RemotePort: 53, Inode: 9}
			})
		}},
		{Name: "an answer that its program has not read", Host: func() *ruletest.Host {
			return ruletest.Every(lookingUp(4, 2), func(at time.Time, s float64) recording.UDPSample {
				return recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 40000, Remote: "10.0.0.53", RemotePort: 53, Inode: uint64(9 + int(s)/5), RecvQueue: 800}
			})
		}},
		{Name: "an unknown owner, as of queries of rtrail", Host: func() *ruletest.Host {
			return ruletest.Every(lookingUp(4, 2), func(at time.Time, s float64) recording.UDPSample {
				return recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 40000, Remote: "10.0.0.53", RemotePort: 53, Inode: uint64(50 + int(s)/5)}
			})
		}},
		{Name: "another service", Host: func() *ruletest.Host {
			return ruletest.Every(lookingUp(4, 2), func(at time.Time, s float64) recording.UDPSample {
				return recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 40000, Remote: "10.0.0.53", RemotePort: 514, Inode: uint64(9 + int(s)/5)}
			})
		}},
	})
	ruletest.Check(t, dnsUnreachable, []ruletest.Situation{
		{Name: "nothing comes at all", Host: func() *ruletest.Host { return listing(lookingUp(1, 0, 4, 4), first) },
			Want: rule.Likely, Kind: view.KindService, Subject: far, Low: 0.59, High: 0.81, Says: "answers nothing: app (70) waits for it for 3 s and longer", Proof: "resolv.conf names it"},
		{Name: "nothing was sent either", Host: func() *ruletest.Host { return lookingUp(0, 0, 4) }},
		{Name: "a proxy keeps a socket, and other programs send only", Host: func() *ruletest.Host { return lookingUpIn("epoll_wait", 100, 0, 4, 4) }},
		{Name: "other datagrams come", Host: func() *ruletest.Host { return lookingUp(4, 2, 4, 4) }},
		{Name: "no process listens", Host: func() *ruletest.Host { return refusing(listing(lookingUp(3, 0), first), "10.0.0.53", 30) },
			Want: rule.Certain, Kind: view.KindService, Subject: far, Low: 1, High: 1, Says: "no process listens at the resolver 10.0.0.53:53: 30 queries were refused"},
		{Name: "an empty resolv.conf", Host: func() *ruletest.Host {
			return refusing(listing(lookingUp(3, 3), recording.NameServer{Server: "127.0.0.1", Default: true}), "127.0.0.1", 30)
		}, Want: rule.Certain, Kind: view.KindService, Subject: "dns 127.0.0.1:53", Low: 1, High: 1, Proof: "resolv.conf names no server: libraries ask 127.0.0.1"},
		{Name: "the resolver of this host was restarted", Host: func() *ruletest.Host {
			return binding(refusing(listing(lookingUp(50, 48.5), local), "127.0.0.53", 15), 1, "127.0.0.53", 10)
		}, Want: rule.Possible, Kind: view.KindService, Subject: near, Low: 0.029, High: 0.031,
			Says: "no process listened at the resolver 127.0.0.53:53 for a while: 15 queries were refused", Proof: "at the end one listens there"},
		{Name: "it listens at all addresses", Host: func() *ruletest.Host {
			return binding(refusing(listing(lookingUp(50, 48.5), local), "127.0.0.53", 15), 1, "::", 10)
		}, Want: rule.Possible, Kind: view.KindService, Subject: near, Low: 0.029, High: 0.031},
		{Name: "nothing is known of what was answered", Host: func() *ruletest.Host {
			return binding(refusing(listing(lookingUp(50, 0), local), "127.0.0.53", 15), 1, "127.0.0.53", 10)
		}, Want: rule.Possible, Kind: view.KindService, Subject: near, Low: 0, High: 0},
		{Name: "it stopped for good", Host: func() *ruletest.Host {
			return binding(refusing(listing(lookingUp(50, 25), local), "127.0.0.53", 250), 1, "127.0.0.53", 5)
		}, Want: rule.Certain, Kind: view.KindService, Subject: near, Low: 1, High: 1, Says: "no process listens at the resolver 127.0.0.53:53: 250 queries were refused"},
		{Name: "another address of it", Host: func() *ruletest.Host {
			return binding(refusing(listing(lookingUp(50, 0), local), "127.0.0.53", 500), 1, "10.0.0.1", 10)
		}, Want: rule.Certain, Kind: view.KindService, Subject: near, Low: 1, High: 1},
		{Name: "a resolver of another namespace", Host: func() *ruletest.Host {
			return binding(refusing(listing(lookingUp(50, 0), local), "127.0.0.53", 500), 2, "127.0.0.53", 10)
		}, Want: rule.Certain, Kind: view.KindService, Subject: near, Low: 1, High: 1},
		{Name: "a restart beside another server", Host: func() *ruletest.Host {
			return binding(refusing(listing(lookingUp(50, 50), local, second), "127.0.0.53", 15), 1, "127.0.0.53", 10)
		}},
		{Name: "another server is asked at once", Host: func() *ruletest.Host {
			return refusing(listing(lookingUp(30, 30), first, second), "10.0.0.53", 30)
		}},
		{Name: "somebody tries ports", Host: func() *ruletest.Host { return refusing(listing(lookingUp(3, 3), second), "10.0.0.53", 30) }},
		{Name: "an unused empty resolv.conf", Host: func() *ruletest.Host {
			return listing(lookingUp(3, 3), recording.NameServer{Server: "127.0.0.1", Default: true})
		}},
		{Name: "it does not answer rtrail", Host: func() *ruletest.Host {
			return listing(lookingUp(3, 3), recording.NameServer{Server: "10.0.0.53", Asked: 2, Time: 4 * time.Second})
		}, Want: rule.Certain, Kind: view.KindService, Subject: far, Low: 1, High: 1, Says: "2 queries of rtrail got no answer"},
		{Name: "the first of two does not, and lookups wait", Host: func() *ruletest.Host {
			return listing(lookingUp(3, 3, 5), recording.NameServer{Server: "10.0.0.53", Asked: 2, Time: 4 * time.Second}, recording.NameServer{Server: "10.0.0.54", Asked: 1, Answered: 1})
		}, Want: rule.Certain, Kind: view.KindService, Subject: far, Low: 0.39, High: 0.51},
		{Name: "it answers rtrail", Host: func() *ruletest.Host {
			return listing(lookingUp(3, 3), recording.NameServer{Server: "10.0.0.53", Asked: 1, Answered: 1, Time: time.Millisecond})
		}},
	})
	ruletest.Check(t, dnsSlow, slowStubs())
	ruletest.Check(t, dnsUnreachable, silentStubs())
}

// Commands about files of a namespace must reach those of the programs that live there: nsenter
// --net leaves the mounts of the host.
func TestFilesOfNamespaces(t *testing.T) {
	h := ruletest.New(2, 10)
	for _, n := range []recording.NetNSSample{{NetNS: 1, Own: true, PID: 1}, {NetNS: 2, PID: 70, Comm: "app"}, {NetNS: 3, Name: "blue"}} {
		n.At = ruletest.Start
		ruletest.Add(h, n)
	}
	v := h.View()
	for _, c := range []struct {
		ns            uint64
		resolv, sysfs string
	}{
		{1, "/etc/resolv.conf", "sh -c 'ls /sys/class/net'"},
		{2, "/proc/70/root/etc/resolv.conf", "nsenter --net -t 70 unshare --mount sh -c 'mount -t sysfs sysfs /sys && ls /sys/class/net'"},
		{3, "/etc/resolv.conf", "ip netns exec blue sh -c 'ls /sys/class/net'"},
	} {
		if got := string(v.ResolvConf(c.ns)); got != c.resolv {
			t.Errorf("namespace %d: %s, want %s", c.ns, got, c.resolv)
		}
		if got := strings.TrimSpace(v.InSysfs(c.ns, shell.Line("ls /sys/class/net")).String()); got != c.sysfs {
			t.Errorf("namespace %d: %s, want %s", c.ns, got, c.sysfs)
		}
	}
}

// Any local user can have sockets that wait for thousands of addresses of the loopback, and a server
// there that waits for another one by thousands: who is behind is still found.
func TestManyResolvers(t *testing.T) {
	const asked, forwarded = 20_000, 5000
	h := lookingUp(40, 20, 4, 4).Process(ruletest.Process{PID: 512, Comm: "dnsmasq"})
	listing(h, recording.NameServer{Server: "10.0.0.53"})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 8, PID: 512, FD: 12})
	binding(h, 1, "0.0.0.0", 10)
	var owners []recording.SocketOwner
	own := func(inode uint64, pid int32) {
		owners = append(owners, recording.SocketOwner{At: ruletest.Start, Inode: inode, PID: pid, FD: 13})
	}
	for i := range asked {
		own(uint64(100_000+i), 70)
	}
	for i := range forwarded {
		own(uint64(200_000+i), 512)
	}
	ruletest.Add(h, owners...)
	h.Readings(func(at time.Time, s float64) {
		if s < 1 || s > 4 {
			return
		}
		var rows []recording.UDPSample
		for i := range asked {
			rows = append(rows, recording.UDPSample{At: at, NetNS: 1, Local: "127.0.0.1", LocalPort: uint16(30000 + i), Remote: fmt.Sprintf("127.1.%d.%d", i/250, i%250), RemotePort: 53, Inode: uint64(100_000 + i)})
		}
		for i := range forwarded {
			rows = append(rows, recording.UDPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: uint16(30000 + i), Remote: "10.0.0.2", RemotePort: 53, Inode: uint64(200_000 + i)})
		}
		ruletest.Add(h, rows...)
	})
	began := time.Now()
	v := h.View()
	if n := len(askedResolvers(v)); n != maxUnlisted+1 {
		t.Errorf("%d resolvers, want %d", n, maxUnlisted+1)
	}
	found, err := dnsSlow.Detect(v)
	var about []string
	for _, f := range found {
		about = append(about, f.Subject.Name)
	}
	if err != nil || strings.Join(about, ", ") != "dns 10.0.0.53:53, dns 10.0.0.2:53" {
		t.Errorf("found %v, %v", about, err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}
