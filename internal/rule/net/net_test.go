package net

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// counters records protocol counters of a namespace that grow per second.
// Names are as nstat prints them.
func counters(h *ruletest.Host, ns uint64, rates map[string]float64) {
	h.Readings(func(at time.Time, s float64) {
		for name, rate := range rates {
			protocol, rest := name[:3], name[3:]
			if len(name) > 6 && name[:6] == "TcpExt" {
				protocol, rest = "TcpExt", name[6:]
			}
			ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: ns, Protocol: protocol, Name: rest, Value: 1e6 + int64(rate*s)})
		}
	})
}

type listener struct {
	ns      uint64
	local   string // "0.0.0.0" unless told otherwise
	port    uint16
	inode   uint64
	queue   []uint32 // repeated over the readings
	backlog uint32
	drops   float64 // per second
}

func listens(h *ruletest.Host, l listener) {
	i := 0
	ruletest.Every(h, func(at time.Time, s float64) recording.ListenerSample {
		q := l.queue[i%len(l.queue)]
		i++
		return recording.ListenerSample{At: at, NetNS: l.ns, Local: cmp.Or(l.local, "0.0.0.0"), Port: l.port, Inode: l.inode, Queue: q, Backlog: l.backlog, Drops: uint32(7 + l.drops*s)}
	})
}

func owns(h *ruletest.Host, inode uint64, pid int32, comm string) {
	h.Process(ruletest.Process{PID: pid, Comm: comm})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: inode, PID: pid})
}

func sysctl(h *ruletest.Host, ns uint64, name, value string) {
	ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, NetNS: ns, Name: name, Value: value})
}

func namespace(h *ruletest.Host, ns uint64, name string, own bool) {
	ruletest.Every(h, func(at time.Time, s float64) recording.NetNSSample {
		return recording.NetNSSample{At: at, NetNS: ns, Name: name, Own: own}
	})
}

func sockets(h *ruletest.Host, row func(s float64, i int) recording.TCPSample, n int) {
	h.Readings(func(at time.Time, s float64) {
		for i := range n {
			r := row(s, i)
			r.At = at
			ruletest.Add(h, r)
		}
	})
}

func TestAcceptQueueFull(t *testing.T) {
	overflowing := map[string]float64{"TcpExtListenOverflows": 540, "TcpExtListenDrops": 540, "TcpPassiveOpens": 1200}
	quiet := map[string]float64{"TcpExtListenOverflows": 0, "TcpExtListenDrops": 0, "TcpPassiveOpens": 1200}
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"full and overflowing", func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, queue: []uint32{11, 11, 4}, backlog: 10, drops: 540})
			counters(h, 1, overflowing)
		}, rule.Certain},
		{"bursts between samples, drops at the socket", func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, queue: []uint32{0}, backlog: 10, drops: 540})
			counters(h, 1, overflowing)
		}, rule.Certain},
		{"bursts between samples, one listener", func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, queue: []uint32{0}, backlog: 10})
			counters(h, 1, overflowing)
		}, rule.Likely},
		{"overflows that nobody can be blamed for", func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 10})
			listens(h, listener{ns: 1, port: 81, inode: 2, queue: []uint32{0}, backlog: 10})
			counters(h, 1, overflowing)
		}, 0},
		{"at its limit, not over it", func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, queue: []uint32{10}, backlog: 10})
			counters(h, 1, quiet)
		}, rule.Possible},
		{"overflows since boot only", func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, queue: []uint32{0}, backlog: 10})
			counters(h, 1, quiet)
		}, 0},
		{"overflows of another namespace", func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, queue: []uint32{2}, backlog: 10})
			counters(h, 1, quiet)
			counters(h, 2, overflowing)
		}, 0},
		{"drops of half-open connections", func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, queue: []uint32{0}, backlog: 511, drops: 5000})
			counters(h, 1, map[string]float64{"TcpExtListenOverflows": 0, "TcpExtListenDrops": 5000, "TcpPassiveOpens": 1})
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			ruletest.Judge(t, h, acceptQueueFull, tt.want)
		})
	}
}

func TestAcceptQueueNamesTheRightListener(t *testing.T) {
	h := ruletest.New(2, 10)
	owns(h, 1, 70, "nginx")
	owns(h, 2, 71, "redis-server")
	listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511})
	listens(h, listener{ns: 1, port: 6379, inode: 2, queue: []uint32{65}, backlog: 64, drops: 90})
	counters(h, 1, map[string]float64{"TcpExtListenOverflows": 90, "TcpExtListenDrops": 90, "TcpPassiveOpens": 0})
	sysctl(h, 1, "net.core.somaxconn", "4096")
	found := ruletest.Judge(t, h, acceptQueueFull, rule.Certain)
	if len(found) != 1 {
		t.Fatalf("%d findings", len(found))
	}
	want := "redis-server on :6379 has stopped accepting connections: its accept queue is full and nothing takes from it"
	if got := found[0].Headline.String(); got != want {
		t.Errorf("headline %q, want %q", got, want)
	}
	if s := found[0].Subject; s.Kind != view.KindListener || s.Name != "redis-server" || s.Port != 6379 || s.PID != 71 {
		t.Errorf("subject %+v", s)
	}
}

// halfOpen records connections in SYN_RECV at port 80.
func halfOpen(h *ruletest.Host, n int, source func(i int) string) {
	sockets(h, func(s float64, i int) recording.TCPSample {
		return recording.TCPSample{NetNS: 1, Local: "10.0.0.1", LocalPort: 80, Remote: source(i), RemotePort: uint16(2000 + i), State: recording.TCPSynRecv}
	}, n)
}

func one(int) string          { return "10.78.0.9" }
func everywhere(i int) string { return fmt.Sprintf("198.51.100.%d", i%250) }

func TestSYNFlood(t *testing.T) {
	server := func(h *ruletest.Host, queue uint32) {
		owns(h, 1, 70, "nginx")
		listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{queue}, backlog: 511})
	}
	short := func(h *ruletest.Host) {
		owns(h, 1, 70, "nginx")
		listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 5, drops: 2000})
		sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
		sysctl(h, 1, "net.ipv4.tcp_max_syn_backlog", "256")
	}
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"table at three quarters, cookies off", func(h *ruletest.Host) {
			server(h, 0)
			halfOpen(h, 193, one)
			sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
			sysctl(h, 1, "net.ipv4.tcp_max_syn_backlog", "256")
			counters(h, 1, map[string]float64{"TcpExtListenDrops": 4800, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 1})
		}, rule.Certain},
		{"forged senders, cookies on", func(h *ruletest.Host) {
			server(h, 0)
			halfOpen(h, 512, everywhere)
			sysctl(h, 1, "net.ipv4.tcp_syncookies", "1")
			counters(h, 1, map[string]float64{"TcpExtSyncookiesSent": 8000, "TcpExtSyncookiesRecv": 30, "TcpPassiveOpens": 900})
		}, rule.Certain},
		{"real clients at a small backlog", func(h *ruletest.Host) {
			owns(h, 1, 70, "nginx")
			listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 5})
			halfOpen(h, 5, everywhere)
			counters(h, 1, map[string]float64{"TcpExtSyncookiesSent": 300, "TcpExtSyncookiesRecv": 299, "TcpPassiveOpens": 900})
		}, 0},
		{"half open behind a full accept queue", func(h *ruletest.Host) {
			server(h, 512)
			halfOpen(h, 193, everywhere)
			sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
			sysctl(h, 1, "net.ipv4.tcp_max_syn_backlog", "256")
			counters(h, 1, map[string]float64{"TcpExtListenDrops": 4800, "TcpExtListenOverflows": 1000, "TcpPassiveOpens": 1})
		}, 0},
		{"short backlog, cookies off, flood", func(h *ruletest.Host) {
			short(h)
			halfOpen(h, 6, one)
			counters(h, 1, map[string]float64{"TcpExtTCPReqQFullDrop": 2000, "TcpExtListenDrops": 2000, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 0})
		}, rule.Certain},
		{"short backlog in a kernel that stops one earlier", func(h *ruletest.Host) {
			short(h)
			halfOpen(h, 5, everywhere)
			counters(h, 1, map[string]float64{"TcpExtTCPReqQFullDrop": 2000, "TcpExtListenDrops": 2000, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 0})
		}, rule.Certain},
		{"short backlog, real clients, some refused: net/syn-queue-full", func(h *ruletest.Host) {
			short(h)
			halfOpen(h, 6, everywhere)
			counters(h, 1, map[string]float64{"TcpExtTCPReqQFullDrop": 20, "TcpExtListenDrops": 20, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 100})
		}, 0},
		{"short backlog, nobody refused", func(h *ruletest.Host) {
			short(h)
			halfOpen(h, 6, everywhere)
			counters(h, 1, map[string]float64{"TcpExtTCPReqQFullDrop": 0, "TcpExtListenDrops": 0, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 100})
		}, 0},
		{"full queue, half-open connections not readable", func(h *ruletest.Host) {
			short(h)
			counters(h, 1, map[string]float64{"TcpExtTCPReqQFullDrop": 2000, "TcpExtListenDrops": 2000, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 0})
		}, rule.Likely},
		{"short backlog, cookies on", func(h *ruletest.Host) {
			owns(h, 1, 70, "nginx")
			listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 5})
			halfOpen(h, 6, everywhere)
			counters(h, 1, map[string]float64{"TcpExtSyncookiesSent": 2000, "TcpExtTCPReqQFullDoCookies": 2000, "TcpExtSyncookiesRecv": 20, "TcpPassiveOpens": 20})
		}, rule.Certain},
		{"the sender resets", func(h *ruletest.Host) {
			server(h, 0)
			halfOpen(h, 2, one)
			counters(h, 1, map[string]float64{"TcpExtEmbryonicRsts": 9000, "TcpPassiveOpens": 20})
		}, rule.Likely},
		{"a busy server", func(h *ruletest.Host) {
			server(h, 3)
			halfOpen(h, 4, everywhere)
			counters(h, 1, map[string]float64{"TcpExtListenDrops": 0, "TcpExtEmbryonicRsts": 2, "TcpPassiveOpens": 5000})
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			ruletest.Judge(t, h, synFlood, tt.want)
		})
	}
}

// Listeners that share a port are judged together, by what all of them take.
func TestSYNFloodOnSharedPort(t *testing.T) {
	for _, tt := range []struct {
		name     string
		other    listener // beside one of nginx
		halfOpen int      // of IPv4
		want     rule.Confidence
	}{
		{"two listeners of one port", listener{inode: 3, backlog: 511}, 386, rule.Certain},
		{"two listeners of one port, half full", listener{inode: 3, backlog: 511}, 193, rule.Likely},
		{"one of IPv6 beside it", listener{local: "::", inode: 3, backlog: 511}, 193, rule.Certain},
		{"one of another address beside it", listener{local: "10.0.0.9", inode: 3, backlog: 511}, 193, rule.Certain},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 1, 70, "nginx")
			tt.other.ns, tt.other.port, tt.other.queue = 1, 80, []uint32{0}
			listens(h, tt.other)
			listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511, drops: 4800})
			halfOpen(h, tt.halfOpen, one)
			sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
			sysctl(h, 1, "net.ipv4.tcp_max_syn_backlog", "256")
			counters(h, 1, map[string]float64{"TcpExtListenDrops": 4800, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 1})
			found := ruletest.Judge(t, h, synFlood, tt.want)
			want := "SYN flood on nginx :80 from 10.78.0.9: the table of half-open connections is full, real connects are refused"
			if len(found) != 1 || found[0].Headline.String() != want {
				t.Errorf("got %d, %q", len(found), found[0].Headline)
			}
		})
	}
}

// One of several workers accepts nothing. Before Linux 4.10 half-open connections pile up behind its
// full accept queue, and cookies are sent that never come back.
func TestSYNFloodBesideAFullAcceptQueue(t *testing.T) {
	for _, tt := range []struct {
		name  string
		queue uint32  // of one of four listeners that share a port
		drops float64 // that it counts, per second
		want  rule.Confidence
	}{
		{"its queue is full", 512, 1000, 0},
		{"its queue is full, and the kernel counts no drops of listeners", 512, 0, 0},
		{"no queue is full", 0, 1000, rule.Likely},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 1, 70, "nginx")
			for i := range 4 {
				l := listener{ns: 1, port: 80, inode: uint64(1 + i), queue: []uint32{0}, backlog: 511}
				if i == 2 {
					l.queue, l.drops = []uint32{tt.queue}, tt.drops
				}
				listens(h, l)
			}
			halfOpen(h, 60, everywhere)
			sysctl(h, 1, "net.ipv4.tcp_syncookies", "1")
			counters(h, 1, map[string]float64{"TcpExtTCPReqQFullDoCookies": 1000, "TcpExtListenDrops": 1000, "TcpExtListenOverflows": 1000, "TcpPassiveOpens": 3000})
			ruletest.Judge(t, h, synFlood, tt.want)
		})
	}
}

// Any local user can open tens of thousands of listeners of one port.
func TestAtOnceOfManyListeners(t *testing.T) {
	const many = 50_000
	read := func(second, late int) recording.ListenerSample { // the rows of one reading are up to sameReading apart
		return recording.ListenerSample{At: ruletest.Start.Add(time.Duration(second)*time.Second + sameReading*time.Duration(late)/many)}
	}
	for _, tt := range []struct {
		name   string
		second int // when every other one is there for the first time; they end 4 s later
		want   int
	}{
		{"every other one comes after the others", 5, many / 2},
		{"every other one is seen first where the others are seen last", 4, many},
	} {
		same := make([]view.Listener, many)
		for i := range same {
			begin := i % 2 * tt.second
			first, last := read(begin, i), read(begin+4, i)
			same[i] = view.Listener{ListenerSample: last, Samples: []recording.ListenerSample{first, last}}
		}
		began := time.Now()
		if got := atOnce(same, func(view.Listener) int { return 1 }); got != tt.want {
			t.Errorf("%s: %d at once, want %d", tt.name, got, tt.want)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: took %v", tt.name, took)
		}
	}
}

func TestSYNFloodNamesPortAndSource(t *testing.T) {
	h := ruletest.New(2, 10)
	owns(h, 1, 70, "nginx")
	listens(h, listener{ns: 1, port: 443, inode: 2, queue: []uint32{0}, backlog: 511})
	listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511})
	halfOpen(h, 193, one)
	sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
	sysctl(h, 1, "net.ipv4.tcp_max_syn_backlog", "256")
	counters(h, 1, map[string]float64{"TcpExtListenDrops": 4800, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 1})
	found := ruletest.Judge(t, h, synFlood, rule.Certain)
	for _, f := range found {
		for _, e := range f.Evidence {
			if check := e.Check.String(); strings.Contains(check, "'Tcp") {
				t.Errorf("counters are one word, which nstat does not know: %s", check)
			}
		}
	}
	want := "SYN flood on nginx :80 from 10.78.0.9: the table of half-open connections is full, real connects are refused"
	if len(found) != 1 || found[0].Headline.String() != want {
		t.Errorf("got %d, %q", len(found), found[0].Headline)
	}
}

// What to do about a sender of IPv6 is a command of IPv6.
func TestSYNFloodOfIPv6(t *testing.T) {
	for _, tt := range []struct{ local, sender, filter string }{
		{"10.0.0.1", "10.78.0.9", " iptables -t raw -I PREROUTING -s 10.78.0.9 -p tcp --dport 80 --syn -j DROP"},
		{"2001:db8::1", "2001:db8::9", " ip6tables -t raw -I PREROUTING -s 2001:db8::9 -p tcp --dport 80 --syn -j DROP"},
	} {
		h := ruletest.New(2, 10)
		owns(h, 1, 70, "nginx")
		listens(h, listener{ns: 1, local: tt.local, port: 80, inode: 1, queue: []uint32{0}, backlog: 5, drops: 4800})
		sockets(h, func(_ float64, i int) recording.TCPSample {
			return recording.TCPSample{NetNS: 1, Local: tt.local, LocalPort: 80, Remote: tt.sender, RemotePort: uint16(2000 + i), State: recording.TCPSynRecv}
		}, 6)
		sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
		counters(h, 1, map[string]float64{"TcpExtListenDrops": 4800, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 1})
		f := ruletest.Judge(t, h, synFlood, rule.Certain)[0]
		if !slices.ContainsFunc(f.Fixes, func(x rule.Fix) bool { return strings.HasSuffix(" "+x.Command.String(), tt.filter) }) {
			t.Errorf("%+v", f.Fixes)
		}
		if notes := fmt.Sprint(f.Notes); !strings.Contains(notes, "ip6[53] == 2") {
			t.Errorf("SYNs of IPv6 are not shown: %s", notes)
		}
	}
}

// A flood that syncookies hold off costs the CPU time of its packets, as far as that is told.
func TestSYNFloodCostsCPUTime(t *testing.T) {
	for _, tt := range []struct {
		name     string
		segments float64
		softirq  float64
		want     float64 // of all CPU time; 0: not known
	}{
		{"it is most of what comes", 2500, 0.3, 0.24},
		{"most segments are those of clients", 20_000, 0.3, 0.03},
		{"no time is told", 2500, 0, 0},
	} {
		h := ruletest.New(2, 10)
		owns(h, 1, 70, "nginx")
		listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511})
		halfOpen(h, 512, everywhere)
		counters(h, 1, map[string]float64{"TcpExtSyncookiesSent": 2000, "TcpExtSyncookiesRecv": 20, "TcpPassiveOpens": 20, "TcpInSegs": tt.segments})
		if tt.softirq > 0 {
			h.AllCPUs(ruletest.CPU{SoftIRQ: tt.softirq})
		}
		i := ruletest.Judge(t, h, synFlood, rule.Certain)[0].Impact
		if i.Unmeasured != (tt.want == 0) || i.Share < tt.want-0.01 || i.Share > tt.want+0.01 {
			t.Errorf("%s: %+v, want %v", tt.name, i, tt.want)
		}
	}
}

// The interrupt work of a flood is its symptom: on the interfaces that it comes
// through, and on no other.
func TestSYNFloodAffectsWhereItArrives(t *testing.T) {
	h := ruletest.New(2, 10)
	owns(h, 1, 70, "nginx")
	listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511})
	halfOpen(h, 193, one)
	sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
	sysctl(h, 1, "net.ipv4.tcp_max_syn_backlog", "256")
	counters(h, 1, map[string]float64{"TcpExtListenDrops": 4800, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 1})
	h.NetDevice(ruletest.NetDevice{NetNS: 1, Name: "eth0", RxPackets: 5000, RxBytes: 270000})
	h.NetDevice(ruletest.NetDevice{NetNS: 1, Name: "idle0"})
	h.NetDevice(ruletest.NetDevice{NetNS: 2, Name: "eth1", RxPackets: 5000, RxBytes: 270000})
	affected := ruletest.Judge(t, h, synFlood, rule.Certain)[0].Affects
	for name, want := range map[string]bool{"eth0": true, "idle0": false, "eth1": false} {
		got := slices.ContainsFunc(affected, func(s view.Entity) bool { return s.Kind == view.KindInterface && s.Name == name })
		if got != want {
			t.Errorf("%s affected: %v, want %v", name, got, want)
		}
	}
}

// The drops of a listener name it, not the most half-open connections.
func TestSYNFloodNamesTheListenerThatDrops(t *testing.T) {
	h := ruletest.New(2, 10)
	owns(h, 1, 70, "nginx")
	owns(h, 2, 71, "redis-server")
	listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511})
	listens(h, listener{ns: 1, port: 6379, inode: 2, queue: []uint32{0}, backlog: 5, drops: 2000})
	halfOpen(h, 30, everywhere)
	sockets(h, func(_ float64, i int) recording.TCPSample {
		return recording.TCPSample{NetNS: 1, Local: "10.0.0.1", LocalPort: 6379, Remote: "10.78.0.9", RemotePort: uint16(2000 + i), State: recording.TCPSynRecv}
	}, 6)
	sysctl(h, 1, "net.ipv4.tcp_syncookies", "0")
	counters(h, 1, map[string]float64{"TcpExtTCPReqQFullDrop": 2000, "TcpExtListenDrops": 2000, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 100})
	found := ruletest.Judge(t, h, synFlood, rule.Certain)
	want := "SYN flood on redis-server :6379 from 10.78.0.9: its backlog of 5 is full of half-open connections, real connects are refused"
	if len(found) != 1 || found[0].Headline.String() != want {
		t.Errorf("got %d, %q", len(found), found[0].Headline)
	}
}

func tracked(h *ruletest.Host, ns uint64, count, limit int64, drops, early float64) {
	ruletest.Every(h, func(at time.Time, s float64) recording.ConntrackSample {
		return recording.ConntrackSample{At: at, NetNS: ns, Count: count, Max: limit, Drop: 40 + uint64(drops*s), EarlyDrop: uint64(early * s), InsertFailed: uint64(50 * s)}
	})
}

func TestConntrackFull(t *testing.T) {
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"full and dropping", func(h *ruletest.Host) { tracked(h, 2, 1000, 1000, 900, 0) }, rule.Certain},
		{"full, and room is made for all that come: nothing is lost", func(h *ruletest.Host) { tracked(h, 2, 998, 1000, 0, 30) }, rule.Possible},
		{"full, room is made, and a few do not fit", func(h *ruletest.Host) { tracked(h, 2, 998, 1000, 0.5, 30) }, rule.Certain},
		{"a burst between two samples", func(h *ruletest.Host) { tracked(h, 2, 900, 1000, 0.5, 0) }, rule.Likely},
		{"message of the window", func(h *ruletest.Host) {
			tracked(h, 2, 400, 1000, 0, 0)
			h.Log(3, "nf_conntrack: nf_conntrack: table full in netns 2, dropping packet")
		}, rule.Likely},
		{"message about another namespace", func(h *ruletest.Host) {
			tracked(h, 2, 400, 1000, 0, 0)
			h.Log(3, "nf_conntrack: nf_conntrack: table full in netns 25, dropping packet")
		}, 0},
		{"message of yesterday", func(h *ruletest.Host) {
			tracked(h, 2, 400, 1000, 0, 0)
			h.Log(-600, "nf_conntrack: table full, dropping packet")
		}, 0},
		{"nearly full", func(h *ruletest.Host) { tracked(h, 2, 900, 1000, 0, 0) }, rule.Possible},
		{"half full, inserts clash", func(h *ruletest.Host) { tracked(h, 2, 500, 1000, 0, 0) }, 0},
		{"no limit known", func(h *ruletest.Host) { tracked(h, 2, 500, recording.Unknown, 0, 0) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			namespace(h, 1, "", true)
			namespace(h, 2, "gateway", false)
			tt.build(h)
			for _, f := range ruletest.Judge(t, h, conntrackFull, tt.want) {
				if f.Subject.Name != "gateway" {
					t.Errorf("subject %+v", f.Subject)
				}
			}
		})
	}
}

// outgoing records n connections from a range that starts at 50000.
func outgoing(h *ruletest.Host, n int, remote string, state recording.TCPState) {
	sockets(h, func(s float64, i int) recording.TCPSample {
		r := recording.TCPSample{NetNS: 1, Local: "10.0.0.1", LocalPort: uint16(50000 + i), Remote: remote, RemotePort: 8080, State: state}
		if i == 0 {
			r.State, r.Inode = recording.TCPEstablished, 77
		}
		return r
	}, n)
}

func TestEphemeralPorts(t *testing.T) {
	tests := []struct {
		name  string
		build func(*ruletest.Host)
		want  rule.Confidence
	}{
		{"all taken", func(h *ruletest.Host) { outgoing(h, 50, "10.0.0.5", recording.TCPTimeWait) }, rule.Certain},
		{"all but one", func(h *ruletest.Host) { outgoing(h, 49, "10.0.0.5", recording.TCPTimeWait) }, rule.Likely},
		{"all, but half of them to another destination", func(h *ruletest.Host) {
			outgoing(h, 25, "10.0.0.5", recording.TCPTimeWait)
			outgoing(h, 25, "10.0.0.6", recording.TCPTimeWait)
		}, 0},
		{"nearly all", func(h *ruletest.Host) { outgoing(h, 44, "10.0.0.5", recording.TCPTimeWait) }, rule.Possible},
		{"reserved ports are not to be had", func(h *ruletest.Host) {
			sysctl(h, 1, "net.ipv4.ip_local_reserved_ports", "50040-50049,8080")
			outgoing(h, 40, "10.0.0.5", recording.TCPTimeWait)
		}, rule.Certain},
		{"TIME_WAIT that may be used again", func(h *ruletest.Host) {
			sysctl(h, 1, "net.ipv4.tcp_tw_reuse", "1")
			counters(h, 1, map[string]float64{"TcpActiveOpens": 5})
			outgoing(h, 50, "10.0.0.5", recording.TCPTimeWait)
		}, rule.Possible},
		{"TIME_WAIT that could be used again with timestamps", func(h *ruletest.Host) {
			sysctl(h, 1, "net.ipv4.tcp_tw_reuse", "1")
			sysctl(h, 1, "net.ipv4.tcp_timestamps", "0")
			outgoing(h, 50, "10.0.0.5", recording.TCPTimeWait)
		}, rule.Certain},
		{"as many connects as ports, used again", func(h *ruletest.Host) {
			sysctl(h, 1, "net.ipv4.tcp_tw_reuse", "1")
			counters(h, 1, map[string]float64{"TcpActiveOpens": 50})
			outgoing(h, 50, "10.0.0.5", recording.TCPTimeWait)
		}, rule.Likely},
		{"the kernel found no port", func(h *ruletest.Host) {
			sysctl(h, 1, "net.ipv4.tcp_tw_reuse", "1")
			counters(h, 1, map[string]float64{"TcpActiveOpens": 5})
			outgoing(h, 50, "10.0.0.5", recording.TCPTimeWait)
			ruletest.Every(h, func(at time.Time, s float64) recording.Connect {
				return recording.Connect{At: at, Span: 2 * time.Second, NetNS: 1, PID: 31, Process: "nginx", Remote: "10.0.0.5", RemotePort: 8080, Result: recording.ConnectNotSent, Connects: 4}
			})
		}, rule.Certain},
		{"few connects in a thousand found no port", func(h *ruletest.Host) {
			outgoing(h, 44, "10.0.0.5", recording.TCPTimeWait)
			connects(h, "10.0.0.5", 4000, 4)
		}, rule.Possible},
		{"half of the ports to each of two destinations, and none was found", func(h *ruletest.Host) {
			outgoing(h, 25, "10.0.0.5", recording.TCPTimeWait)
			outgoing(h, 25, "10.0.0.6", recording.TCPTimeWait)
			connects(h, "10.0.0.5", 400, 400)
		}, rule.Likely},
		{"half of the ports to each of two destinations, and few found none", func(h *ruletest.Host) {
			outgoing(h, 25, "10.0.0.5", recording.TCPTimeWait)
			outgoing(h, 25, "10.0.0.6", recording.TCPTimeWait)
			connects(h, "10.0.0.5", 4000, 4)
		}, 0},
		{"a client that asks for one port again, many are free", func(h *ruletest.Host) {
			outgoing(h, 1, "10.0.0.5", recording.TCPTimeWait)
			connects(h, "10.0.0.5", 0, 4)
		}, 0},
		{"connections to a server on a high port", func(h *ruletest.Host) {
			sockets(h, func(s float64, i int) recording.TCPSample {
				return recording.TCPSample{NetNS: 1, Local: "10.0.0.1", LocalPort: 50001, Remote: "10.0.0.9", RemotePort: uint16(1000 + i), State: recording.TCPEstablished}
			}, 60)
			listens(h, listener{ns: 1, port: 50001, queue: []uint32{0}, backlog: 10})
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			sysctl(h, 1, "net.ipv4.ip_local_port_range", "50000\t50049")
			owns(h, 77, 31, "nginx")
			tt.build(h)
			for _, f := range ruletest.Judge(t, h, ephemeralPorts, tt.want) {
				if f.Subject.Name != "nginx" || f.Subject.PID != 31 {
					t.Errorf("subject %+v", f.Subject)
				}
			}
		})
	}
}

// With connections left out, silence says that there are ports only if those would not use them up.
func TestEphemeralPortsUnread(t *testing.T) {
	for name, tt := range map[string]struct {
		lost   int64
		judged bool
	}{
		"none":  {0, true},
		"a few": {100, true},
		"as many as there is room for in the range": {5000, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := ruletest.New(2, 2)
			sysctl(h, 1, "net.ipv4.ip_local_port_range", "32768\t60999")
			sockets(h, func(s float64, i int) recording.TCPSample {
				return recording.TCPSample{NetNS: 1, Local: "10.0.0.1", LocalPort: uint16(32768 + i), Remote: "10.0.0.5", RemotePort: 8080, State: recording.TCPEstablished}
			}, 20_000)
			if tt.lost > 0 {
				ruletest.Add(h, recording.TableLoss{At: ruletest.Start.Add(time.Second), Probe: "socket", TableOf: string(recording.TCPSockets), Lost: tt.lost},
					recording.TableLoss{At: ruletest.Start.Add(time.Second), Probe: "socket", TableOf: string(recording.Qdiscs), Lost: 90_000})
			}
			if tt.judged {
				ruletest.Judge(t, h, ephemeralPorts, 0)
			} else {
				h.Abstains(t, ephemeralPorts)
			}
		})
	}
}

// connects records so many connects a second that were sent to a destination, and that were not.
func connects(h *ruletest.Host, remote string, sent, unsent int64) {
	for result, n := range map[string]int64{recording.ConnectOK: sent, recording.ConnectNotSent: unsent} {
		if n == 0 {
			continue
		}
		ruletest.Every(h, func(at time.Time, s float64) recording.Connect {
			return recording.Connect{At: at, Span: time.Second, NetNS: 1, PID: 31, Process: "nginx", Remote: remote, RemotePort: 8080, Result: result, Connects: n}
		})
	}
}

// Connects that found no port are the impact, of the local address that has most in use.
func TestEphemeralPortsImpact(t *testing.T) {
	h := ruletest.New(2, 10)
	sysctl(h, 1, "net.ipv4.ip_local_port_range", "50000\t50049")
	owns(h, 77, 31, "nginx")
	outgoing(h, 44, "10.0.0.5", recording.TCPTimeWait)
	sockets(h, func(s float64, i int) recording.TCPSample {
		return recording.TCPSample{NetNS: 1, Local: "10.0.0.2", LocalPort: uint16(50000 + i), Remote: "10.0.0.5", RemotePort: 8080, State: recording.TCPTimeWait}
	}, 43)
	connects(h, "10.0.0.5", 600, 400)
	found := h.Detect(t, ephemeralPorts)
	if len(found) != 2 {
		t.Fatalf("%d findings", len(found))
	}
	f, other := found[0], found[1]
	if f.Confidence != rule.Certain || f.Impact.Share != 0.4 || !strings.Contains(f.Impact.Text.String(), "connects found no port") || !strings.Contains(f.Evidence[0].What.String(), "at most 44 of 50 ports") {
		t.Errorf("%v, %v: %s, %s", f.Confidence, f.Impact.Share, f.Impact.Text, f.Evidence[0].What)
	}
	if other.Confidence != rule.Possible || other.Impact.Text.String() != "nothing yet" {
		t.Errorf("%v: %s", other.Confidence, other.Impact.Text)
	}
}

// Ports that are all used up cost nothing as long as nobody connects: what was seen of that decides.
func TestEphemeralPortsThatNobodyWants(t *testing.T) {
	for name, tt := range map[string]struct {
		opens float64
		owned bool
		want  rule.Confidence
	}{
		"nobody was seen to connect":              {0, false, rule.Likely},
		"connects succeed in the namespace":       {2, false, rule.Certain},
		"a program has a connection to the place": {0, true, rule.Certain},
	} {
		t.Run(name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			sysctl(h, 1, "net.ipv4.ip_local_port_range", "50000\t50049")
			counters(h, 1, map[string]float64{"TcpActiveOpens": tt.opens})
			sockets(h, func(s float64, i int) recording.TCPSample {
				return recording.TCPSample{NetNS: 1, Local: "10.0.0.1", LocalPort: uint16(50000 + i), Remote: "10.0.0.5", RemotePort: 8080, State: recording.TCPTimeWait, Inode: 77}
			}, 50)
			if tt.owned {
				owns(h, 77, 31, "nginx")
			}
			ruletest.Judge(t, h, ephemeralPorts, tt.want)
		})
	}
}
