package net

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// stubbed is a host whose programs ask a resolver of the host itself, that a process (512) serves.
type stubbed struct {
	ns        uint64                 // of the programs; 0: that of rtrail
	boundIn   uint64                 // network namespace of the process; 0: that of the programs
	server    string                 // where programs ask it; "": 127.0.0.53
	comm      string                 // of the process; "": systemd-resolve
	upstreams []string               // that its settings name
	told      []recording.NameServer // what became of queries of rtrail

	waits  []float64 // seconds that lookups of a program wait, one after the other
	asks   []string  // to each of these the process has a socket meanwhile that receives nothing
	later  float64   // by so many seconds
	unread uint32    // bytes that came there, and the process has not read
	idle   bool      // the process alone has sockets, no program
	busy   string    // at each reading the process has another socket to this server
}

func (x stubbed) host() *ruletest.Host {
	ns, server, comm := cmp.Or(x.ns, 1), cmp.Or(x.server, "127.0.0.53"), cmp.Or(x.comm, "systemd-resolve")
	h := ruletest.New(2, 10).Process(ruletest.Process{PID: 70, Comm: "app"}).Process(ruletest.Process{PID: 512, Comm: comm})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 8, PID: 512, FD: 12})
	ruletest.Add(h, recording.NameServer{At: ruletest.Start, NetNS: ns, Server: server})
	for _, u := range x.upstreams {
		ruletest.Add(h, recording.NameServer{At: ruletest.Start, NetNS: ns, Server: u, Via: server})
	}
	for _, told := range x.told {
		told.At, told.NetNS = ruletest.Start.Add(5*time.Second), ns
		if told.Server != server {
			told.Via = server
		}
		ruletest.Add(h, told)
	}
	h.Readings(func(at time.Time, s float64) {
		socket := func(inode uint64, pid int32, remote string, unread uint32) {
			ruletest.Add(h, recording.UDPSample{At: at, NetNS: ns, Local: "10.0.0.1", LocalPort: uint16(40000 + inode), Remote: remote, RemotePort: 53, Inode: inode, RecvQueue: unread})
			ruletest.Add(h, recording.SocketOwner{At: at, Inode: inode, PID: pid, FD: 13})
		}
		ruletest.Add(h, recording.NetNSSample{At: at, NetNS: 1, Own: true, PID: 1})
		if ns != 1 {
			ruletest.Add(h, recording.NetNSSample{At: at, NetNS: ns, PID: 512, Comm: comm})
		}
		ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: ns, Protocol: "Udp", Name: "OutDatagrams", Value: int64(8 * s)},
			recording.ProtocolSample{At: at, NetNS: ns, Protocol: "Udp", Name: "InDatagrams", Value: int64(4 * s)})
		ruletest.Add(h, recording.UDPSample{At: at, NetNS: ns, Local: "0.0.0.0", LocalPort: 123, Inode: 5},
			recording.UDPSample{At: at, NetNS: cmp.Or(x.boundIn, ns), Local: server, LocalPort: 53, Inode: 8})
		if x.busy != "" {
			socket(500+uint64(s), 512, x.busy, 0)
		}
		begin := 0.5
		for i, w := range x.waits {
			if s >= begin && s <= begin+w && !x.idle {
				socket(uint64(100+i), 70, server, 0)
				ruletest.Add(h, recording.ThreadSample{At: at, PID: 70, TID: 70, Comm: "app", State: "S", SyscallName: "poll", Slices: int64(i + 1)})
			}
			if then := s - x.later; then >= begin && then <= begin+w {
				for j, remote := range x.asks {
					socket(uint64(200+10*i+j), 512, remote, x.unread)
				}
			}
			begin += w
		}
	})
	return h
}

// answered and mute are what became of queries of rtrail to a server.
func answered(server string, within time.Duration) recording.NameServer {
	return recording.NameServer{Server: server, Asked: 1, Answered: 1, Time: within}
}

func mute(server string) recording.NameServer {
	return recording.NameServer{Server: server, Asked: 2, Time: 4 * time.Second}
}

// slowStubs are resolvers of the host that answer late, with what net/dns-slow says of them.
func slowStubs() []ruletest.Situation {
	const far, near, own = "dns 10.0.0.2:53", "dns 127.0.0.53:53", "dns 127.0.0.1:53"
	two, both := []float64{4, 4}, []string{"10.0.0.2", "10.0.0.3"}
	is := func(name string, x stubbed, subject, says, proof string) ruletest.Situation {
		return ruletest.Situation{Name: name, Host: x.host, Want: rule.Likely, Kind: view.KindService, Subject: subject, Low: 0.39, High: 0.81, Says: says, Proof: proof}
	}
	return []ruletest.Situation{
		is("a stub with a dead upstream", stubbed{waits: two, upstreams: both, asks: both[:1]}, far,
			"the resolver 10.0.0.2:53 is slow: systemd-resolve (512) at 127.0.0.53:53 asks it for programs, and 2 lookups had no answer for up to 3 s",
			"2 sockets received nothing, at 8 of 8 readings with lookups under way"),
		is("the settings name it", stubbed{waits: two, upstreams: both, asks: both[:1]}, far, "", "asks, as /run/systemd/resolve/resolv.conf names them: 10.0.0.2:53, 10.0.0.3:53"),
		is("an upstream that no settings tell of", stubbed{waits: two, server: "127.0.0.1", comm: "unbound", asks: both[:1]}, far, "is slow: unbound (512) at 127.0.0.1:53 asks it for programs", ""),
		is("a stub that is itself slow", stubbed{waits: two, upstreams: both}, near,
			"the resolver 127.0.0.53:53 is slow: 2 lookups had no answer for up to 3 s; systemd-resolve (512) or a server that it asks is the cause", "names them"),
		is("a stub whose sockets name nobody", stubbed{waits: two, server: "127.0.0.1", comm: "dnsmasq"}, own, "; dnsmasq (512) or a server that it asks is the cause", ""),
		is("it waits for its upstream at another time", stubbed{waits: []float64{3, 3}, upstreams: both, asks: both[:1], later: 6}, near, "; systemd-resolve (512) or a server that it asks is the cause", ""),
		is("a busy forwarder", stubbed{waits: two, server: "127.0.0.1", comm: "unbound", busy: both[0]}, own, "; unbound (512) or a server that it asks is the cause", ""),
		is("a busy forwarder, whose upstream answers rtrail at once", stubbed{waits: two, upstreams: both[:1], busy: both[0], told: []recording.NameServer{answered("127.0.0.53", 1500*time.Millisecond), answered("10.0.0.2", 12*time.Millisecond)}}, near,
			"the resolver 127.0.0.53:53 is slow: 2 lookups had no answer for up to 3 s; the servers that it asks answer rtrail within 12 ms", ""),
		is("a busy forwarder with a dead upstream", stubbed{waits: two, upstreams: both, asks: both[1:], busy: both[0]}, "dns 10.0.0.3:53", "is slow: systemd-resolve (512) at 127.0.0.53:53 asks it for programs", "2 sockets received nothing, at 8 of 8 readings with lookups under way"),
		is("its sockets wait for a server that answers rtrail at once", stubbed{waits: two, upstreams: both[:1], asks: both[:1], told: []recording.NameServer{answered("127.0.0.53", 1500*time.Millisecond), answered("10.0.0.2", 12*time.Millisecond)}}, near,
			"; systemd-resolve (512) or a server that it asks is the cause", ""),
		is("it looks itself for who knows a name", stubbed{waits: two, server: "127.0.0.1", comm: "unbound", asks: []string{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"}}, own,
			"2 lookups had no answer for up to 3 s; unbound (512) waits for 4 servers", ""),
		is("the upstream is on this host, too", stubbed{waits: two, upstreams: []string{"127.0.0.1"}, asks: []string{"127.0.0.1"}}, own, "asks it for programs, and 2 lookups had no answer for up to 3 s; it or a server that it asks is the cause", ""),
		is("a stub of a container", stubbed{ns: 2, waits: two, upstreams: both, asks: both[:1]}, far,
			"the resolver 10.0.0.2:53 in namespace of systemd-resolve (512) is slow: systemd-resolve (512) at 127.0.0.53:53 asks it", "/proc/512/root/run/systemd/resolve/resolv.conf"),
		is("an answer that the stub has not read", stubbed{waits: two, upstreams: both, asks: both[:1], unread: 800}, near, "; systemd-resolve (512) or a server that it asks is the cause", ""),
		is("the stub of another namespace", stubbed{boundIn: 3, waits: two, upstreams: both, asks: both[:1]}, near, "; it or a server that it asks is the cause", ""),
		is("a resolver of another namespace", stubbed{server: "10.0.0.2", boundIn: 3, waits: two}, far, "the resolver 10.0.0.2:53 is slow: 2 lookups had no answer for up to 3 s", "resolv.conf names it"),
		is("the upstream answers rtrail as late", stubbed{waits: two, upstreams: both[:1], told: []recording.NameServer{answered("127.0.0.53", 1500*time.Millisecond), answered("10.0.0.2", 1400*time.Millisecond)}}, far,
			"is slow: systemd-resolve (512) at 127.0.0.53:53 asks it for programs", "1 query of rtrail to 10.0.0.2:53, 1 answer, within 1.4 s"),
		is("the upstream answers rtrail at once, the stub does not", stubbed{waits: two, upstreams: both[:1], told: []recording.NameServer{answered("127.0.0.53", 1500*time.Millisecond), answered("10.0.0.2", 12*time.Millisecond)}}, near,
			"the resolver 127.0.0.53:53 is slow: 2 lookups had no answer for up to 3 s; the servers that it asks answer rtrail within 12 ms", ""),
		is("both answer rtrail at once", stubbed{waits: two, upstreams: both[:1], told: []recording.NameServer{answered("127.0.0.53", 15*time.Millisecond), answered("10.0.0.2", 12*time.Millisecond)}}, near,
			"; systemd-resolve (512) or a server that it asks is the cause", ""),
		is("the upstream answers the stub, but not rtrail", stubbed{waits: two, upstreams: both[:1], told: []recording.NameServer{answered("127.0.0.53", 15*time.Millisecond), mute("10.0.0.2")}}, near,
			"; systemd-resolve (512) or a server that it asks is the cause", "2 queries of rtrail to 10.0.0.2:53, 0 answers"),
		{Name: "one lookup at a stub", Host: stubbed{waits: two[:1], upstreams: both, asks: both[:1]}.host, Want: rule.Possible, Kind: view.KindService, Subject: far, Low: 0.29, High: 0.41},
		{Name: "a stub waits for a name that no program needs", Host: stubbed{waits: two, upstreams: both, asks: both[:1], idle: true}.host},
	}
}

// silentStubs are resolvers of the host that answer nothing, with what net/dns-unreachable says of
// them.
func silentStubs() []ruletest.Situation {
	const far, near = "dns 10.0.0.2:53", "dns 127.0.0.53:53"
	two, upstream := []float64{4, 4}, []string{"10.0.0.2"}
	is := func(name string, x stubbed, c rule.Confidence, subject, says string) ruletest.Situation {
		return ruletest.Situation{Name: name, Host: x.host, Want: c, Kind: view.KindService, Subject: subject, Low: 0.59, High: 1, Says: says}
	}
	return []ruletest.Situation{
		is("a stub and its upstream answer rtrail nothing", stubbed{waits: two, idle: true, upstreams: upstream, asks: upstream, told: []recording.NameServer{mute("127.0.0.53"), mute("10.0.0.2")}}, rule.Certain, far,
			"the resolver 10.0.0.2:53 answers nothing: systemd-resolve (512) at 127.0.0.53:53 asks it for programs, and 2 queries of rtrail got no answer"),
		is("the same, and its sockets are not seen", stubbed{upstreams: upstream, told: []recording.NameServer{mute("127.0.0.53"), mute("10.0.0.2")}}, rule.Likely, far, "the resolver 10.0.0.2:53 answers nothing"),
		is("programs wait, too", stubbed{waits: two, upstreams: upstream, asks: upstream, told: []recording.NameServer{answered("127.0.0.53", time.Millisecond), mute("10.0.0.2")}}, rule.Certain, far, "the resolver 10.0.0.2:53 answers nothing"),
		is("the upstream of a silent stub answers", stubbed{upstreams: upstream, told: []recording.NameServer{mute("127.0.0.53"), answered("10.0.0.2", 12*time.Millisecond)}}, rule.Certain, near,
			"the resolver 127.0.0.53:53 answers nothing: 2 queries of rtrail got no answer; the servers that it asks answer rtrail within 12 ms"),
		is("it is not known whom a silent stub asks", stubbed{told: []recording.NameServer{mute("127.0.0.53")}}, rule.Likely, near, "2 queries of rtrail got no answer; systemd-resolve (512) or a server that it asks is the cause"),
		{Name: "the upstream answers the stub, but not rtrail", Host: stubbed{upstreams: upstream, told: []recording.NameServer{answered("127.0.0.53", time.Millisecond), mute("10.0.0.2")}}.host},
		{Name: "a stub with a dead upstream, of which rtrail asked neither", Host: stubbed{waits: two, upstreams: upstream, asks: upstream}.host},
	}
}

// A resolver of the host is a cache: nobody is told to install one.
func TestFixesOfLocalResolvers(t *testing.T) {
	two, upstream := []float64{4, 4}, []string{"10.0.0.2"}
	behindStub := func() *ruletest.Host { // and packets show its upstream
		return ruletest.Add(dnsHost(40, 10, 0, 0, nil)(), recording.NameServer{At: ruletest.Start, NetNS: 1, Server: "127.0.0.53"},
			recording.NameServer{At: ruletest.Start, NetNS: 1, Server: "10.0.0.2", Via: "127.0.0.53"})
	}
	for name, test := range map[string]struct {
		host func() *ruletest.Host
		want []string
	}{
		"systemd-resolved":      {stubbed{waits: two}.host, []string{"resolvectl status", "resolvectl statistics"}},
		"its upstream":          {stubbed{waits: two, upstreams: upstream, asks: upstream}.host, []string{"resolvectl status", "resolvectl statistics", "dig @127.0.0.53 . NS; dig @10.0.0.2 . NS"}},
		"that of a container":   {stubbed{ns: 2, waits: two}.host, []string{"nsenter --all -t 512 resolvectl status"}},
		"dnsmasq":               {stubbed{waits: two, server: "127.0.0.1", comm: "dnsmasq"}.host, []string{"look at the upstream servers of dnsmasq (512)"}},
		"an upstream, captured": {behindStub, []string{"resolvectl status"}},
		"no local resolver":     {func() *ruletest.Host { return lookingUp(4, 2, 4, 4) }, []string{"put a caching resolver on this host"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := test.host().Detect(t, dnsSlow)
			if len(found) != 1 {
				t.Fatalf("%d findings: %+v", len(found), found)
			}
			var words []string
			for _, f := range found[0].Fixes {
				words = append(words, f.Text.String(), f.Command.String())
			}
			all := strings.Join(words, "\n")
			for _, want := range test.want {
				if !strings.Contains(all, want) {
					t.Errorf("no %q in\n%s", want, all)
				}
			}
			if caches := strings.Contains(all, "caching resolver"); caches != slices.Contains(test.want, "put a caching resolver on this host") {
				t.Errorf("a caching resolver on a host: %v\n%s", caches, all)
			}
		})
	}
}

// A server that programs ask as well as the local resolver does is blamed once.
func TestUpstreamIsBlamedOnce(t *testing.T) {
	h := stubbed{waits: []float64{4, 4}, upstreams: []string{"10.0.0.2"}, asks: []string{"10.0.0.2"}}.host()
	ruletest.Add(h, recording.NameServer{At: ruletest.Start, NetNS: 1, Server: "10.0.0.2"})
	found := h.Detect(t, dnsSlow)
	if len(found) != 1 || found[0].Subject.Name != "dns 10.0.0.2:53" || found[0].Confidence != rule.Likely {
		t.Fatalf("%+v", found)
	}
	for _, want := range []string{"127.0.0.53", "systemd-resolve", "app"} {
		if !slices.ContainsFunc(found[0].Affects, func(e view.Entity) bool { return e.Name == want }) {
			t.Errorf("%s is not affected: %+v", want, found[0].Affects)
		}
	}
}
