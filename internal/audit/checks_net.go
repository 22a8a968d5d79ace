package audit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	smallestMTU = rule.Threshold{Name: "smallest-mtu", Value: 1280, Unit: "bytes", Source: "RFC 8200, section 5",
		Reason: "The smallest MTU with which an interface can carry IPv6. Ethernet carries 1500, and no tunnel takes more than 100 of them."}
	usualBacklog = rule.Threshold{Name: "usual-backlog", Value: 4096, Unit: "count", Source: "kernel, SOMAXCONN of include/linux/socket.h since Linux 5.4",
		Reason: "The default of net.core.somaxconn; before 5.4 it was 128."}
	fewPorts = rule.Threshold{Name: "few-ports", Value: 8192, Unit: "count", Source: rule.Judgement,
		Reason: "A port waits 60 s in TIME_WAIT: with this many, 137 new connections a second to one destination use up all. The default range has 28,232."}
	memoryUsed = rule.Threshold{Name: "memory-used", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the memory at which the kernel begins to shrink windows. Defaults give sockets 6 % of memory before that."}
	smallWindow = rule.Threshold{Name: "small-window", Value: 512 << 10, Unit: "bytes", Source: rule.Judgement,
		Reason: "A connection with a round trip of 40 ms gets 13 MB/s at most. The defaults are 4 and 6 MiB where there is 1 GiB of memory."}
	datagramSize = rule.Threshold{Name: "datagram-size", Value: 2304, Unit: "bytes", Source: "kernel, SKB_TRUESIZE",
		Reason: "What a datagram of up to 1500 bytes takes of a receive buffer with most network cards, headers of the kernel included."}
	usualSocketBuffer = rule.Threshold{Name: "usual-socket-buffer", Value: 212992, Unit: "bytes", Source: "kernel, SK_RMEM_MAX of include/net/sock.h",
		Reason: "The default of net.core.rmem_max and wmem_max: 256 packets of the usual size."}
	chainLength = rule.Threshold{Name: "chain-length", Value: 8, Unit: "ratio", Source: "kernel, nf_conntrack_init_start",
		Reason: "Connections for each bucket of a full table. The kernel sizes it for 1, before Linux 5.15 for 4."}
	usualNetdevBacklog = rule.Threshold{Name: "usual-netdev-backlog", Value: 1000, Unit: "count", Source: "kernel, net/core/dev.c", Reason: "The default of net.core.netdev_max_backlog."}
)

var netChecks = []Check{
	{
		ID: "audit/mtu", Title: "an interface takes smaller packets than its peers",
		Reads:    "MTU, state and kind of each interface of all network namespaces (table net_devices)",
		Why:      "Small packets pass and large ones are dropped, silently on a bridge or a veth pair: connections open and then stall.",
		When:     "Both ends of a veth pair differ, a member of a bridge has less than the bridge, a VXLAN has more than the interface below can carry (50 bytes less), or an Ethernet interface has less than IPv6 needs. Routes with an MTU of their own are not read.",
		Change:   "Give all interfaces of one network the same MTU, on all hosts.",
		Price:    "Connections that are open keep the segment size they agreed on. A larger MTU than the switch carries loses packets.",
		Leave:    "Routers that join networks of different MTU on purpose: they fragment or answer with ICMP.",
		Explains: []string{"net/mtu-mismatch", "net/nic-drops"}, Proves: []string{"net/mtu-mismatch"},
		Thresholds: []*rule.Threshold{&smallestMTU},
		Look:       lookMTU,
	},
	{
		ID: "audit/somaxconn", Title: "net.core.somaxconn may cut a listener's backlog",
		Reads:    "net.core.somaxconn, and the backlog of each listener as the kernel has it (inet_diag)",
		Why:      "The kernel cuts the backlog that a server asks for to this limit. A burst of connects that is longer is refused or waits for SYN retransmissions of 1 s and more.",
		When:     "A listener's backlog is exactly the limit, and the limit is below the default, or below what the server asks for unless it is told otherwise. What a server really asked for cannot be seen: one that asked for just that much loses nothing.",
		Change:   "Raise net.core.somaxconn, then restart or reload the server: the backlog is set when it begins to listen.",
		Price:    "A full queue takes longer to drain: clients wait instead of being refused.",
		Leave:    "Servers that had better refuse early than queue, behind a load balancer that tries another one.",
		Explains: []string{"net/accept-queue-full"}, Proves: []string{"net/accept-queue-full"},
		Thresholds: []*rule.Threshold{&usualBacklog},
		Look:       lookBacklog,
	},
	{
		ID: "audit/port-range", Title: "few ports for connections to others",
		Reads:    "net.ipv4.ip_local_port_range of each network namespace",
		Why:      "Each connection to the same destination takes a port, for 60 s longer than it lives. Without a free one connects fail with \"Cannot assign requested address\".",
		When:     "The range has fewer ports than the threshold.",
		Change:   "Widen the range; keep ports of own listeners out of it with ip_local_reserved_ports.",
		Price:    "Nothing, unless a firewall allows the old range only.",
		Leave:    "Hosts that accept connections and open none.",
		Explains: []string{"net/ephemeral-ports"}, Proves: []string{"net/ephemeral-ports"},
		Thresholds: []*rule.Threshold{&fewPorts},
		Look: func(v *view.View) ([]Remark, bool) {
			return inSpaces(v, "net.ipv4.ip_local_port_range",
				func(s space) bool { n, ok := ports(s.value); return ok && n < fewPorts.Int() },
				func(value, where string) rule.Text {
					n, _ := ports(value)
					return rule.T("%d ports (%s) are there for connections to others%s; the default is 28,232", n, value, where)
				},
				func(enter shell.Command) shell.Command {
					return shell.Line("%s sysctl -w net.ipv4.ip_local_port_range='10000 65535'", enter)
				})
		},
	},
	{
		ID: "audit/tw-recycle", Title: "tcp_tw_recycle drops connects of clients behind NAT",
		Reads:    "net.ipv4.tcp_tw_recycle, which Linux 4.12 removed",
		Why:      "The kernel drops SYNs whose timestamp is older than the last one of that address. Clients behind one address have clocks of their own.",
		When:     "It is 1.",
		Change:   "Set it to 0.",
		Price:    "More connections in TIME_WAIT, which cost next to nothing.",
		Leave:    "Nobody.",
		Explains: []string{"net/paws-drops", "rt/connect-slow"}, Proves: []string{"net/paws-drops"},
		Look: func(v *view.View) ([]Remark, bool) {
			list, seen := inSpaces(v, "net.ipv4.tcp_tw_recycle", is(1),
				func(_, where string) rule.Text {
					return rule.T("net.ipv4.tcp_tw_recycle is on%s: connects of several clients behind one address get lost", where)
				},
				func(enter shell.Command) shell.Command {
					return shell.Line("%s sysctl -w net.ipv4.tcp_tw_recycle=0", enter)
				})
			for i, r := range list {
				list[i].Fits = func(*rule.Finding) (explains, proves bool) {
					// The kernel counts the SYNs that it drops so.
					drops := slices.ContainsFunc(r.Spaces, func(ns uint64) bool { return v.CountersOf(ns).AtLeast("TcpExtPAWSPassive") > 0 })
					return drops, drops
				}
			}
			return list, seen
		},
	},
	{
		ID: "audit/tcp-options", Title: "a TCP option that copes with loss and long paths is off",
		Reads:    "net.ipv4.tcp_sack, tcp_window_scaling, tcp_timestamps, tcp_moderate_rcvbuf of each network namespace",
		Why:      "Without SACK one loss has whole windows sent again; without window scaling no more than 64 KiB are under way; without timestamps ports in TIME_WAIT cannot be used again; without buffer tuning the receive window stays small.",
		When:     "One of them is 0.",
		Change:   "Set it to 1; connections that are opened from then on use it.",
		Price:    "Timestamps take 12 bytes of each packet, and tell how long a host runs.",
		Leave:    "Hosts whose security policy asks for it, if all their paths are short.",
		Explains: []string{"net/packet-loss", "rt/path-slow", "net/ephemeral-ports"}, Proves: []string{"net/ephemeral-ports"},
		Look: lookTCPOptions,
	},
	{
		ID: "audit/socket-buffers", Title: "the largest socket buffer is too small for long paths",
		Reads:    "net.core.rmem_max, wmem_max, and the last numbers of net.ipv4.tcp_rmem and tcp_wmem",
		Why:      "A connection has at most a buffer under way for each round trip; datagrams that come while a program is busy are lost when its buffer is full.",
		When:     "TCP's maximum is at most the threshold on a host with 1 GiB of memory or more, or the limit of other sockets is below its default.",
		Change:   "Raise the last number to throughput times round trip, or set the default again.",
		Price:    "Memory, only for connections that need it.",
		Leave:    "Hosts with a great many slow connections and little memory.",
		Explains: []string{"net/udp-buffer", "net/receiver-slow", "rt/path-slow"}, Proves: []string{"net/udp-buffer"},
		Thresholds: []*rule.Threshold{&smallWindow, &usualSocketBuffer, &datagramSize},
		Look:       lookBuffers,
	},
	{
		ID: "audit/tcp-memory", Title: "all TCP sockets together are near their memory limit",
		Reads:      "net.ipv4.tcp_mem, and mem of TCP in /proc/net/sockstat",
		Why:        "Above the second number of tcp_mem the kernel shrinks the windows of all connections; above the third it drops what they receive.",
		When:       "Sockets hold at least a share of the second number.",
		Change:     "Find the connections with long queues (ss -tm); raise tcp_mem if they are wanted.",
		Price:      "Memory of the kernel, which programs then lack.",
		Leave:      "Hosts where a slow reader fills the queues: fix the reader.",
		Explains:   []string{"net/receiver-slow", "net/packet-loss"},
		Thresholds: []*rule.Threshold{&memoryUsed},
		Look:       lookTCPMemory,
	},
	{
		ID: "audit/syncookies", Title: "no defence against a flood of SYNs",
		Reads:    "net.ipv4.tcp_syncookies of network namespaces with a TCP listener",
		Why:      "When the queue of half-open connections is full, the kernel drops all SYNs, those of clients, too. With cookies it answers them.",
		When:     "It is 0 where something listens on other addresses than loopback.",
		Change:   "Set it to 1, the default.",
		Price:    "Connections made with cookies lose options such as window scaling if their client sends no timestamps.",
		Leave:    "Hosts that no stranger reaches.",
		Explains: []string{"net/syn-flood", "net/syn-queue-full"},
		Look: func(v *view.View) ([]Remark, bool) {
			open := map[uint64]bool{}
			for _, l := range v.Listeners() {
				open[l.NetNS] = open[l.NetNS] || !strings.HasPrefix(l.Local, "127.") && l.Local != "::1"
			}
			off := is(0)
			return inSpaces(v, "net.ipv4.tcp_syncookies", func(s space) bool { return off(s) && open[s.ns] },
				func(_, where string) rule.Text {
					return rule.T("net.ipv4.tcp_syncookies is 0%s: a flood of SYNs keeps all clients out", where)
				},
				func(enter shell.Command) shell.Command {
					return shell.Line("%s sysctl -w net.ipv4.tcp_syncookies=1", enter)
				})
		},
	},
	{
		ID: "audit/abort-on-overflow", Title: "a full accept queue resets clients",
		Reads:    "net.ipv4.tcp_abort_on_overflow of each network namespace",
		Why:      "A client that comes in a burst gets a reset and fails, where it otherwise would get in a moment later.",
		When:     "It is 1.",
		Change:   "Set it to 0, the default.",
		Price:    "Clients of a server that hangs wait for their timeout.",
		Leave:    "Servers behind a load balancer that tries another one at once.",
		Explains: []string{"net/resets"},
		Look: func(v *view.View) ([]Remark, bool) {
			return inSpaces(v, "net.ipv4.tcp_abort_on_overflow", is(1),
				func(_, where string) rule.Text {
					return rule.T("net.ipv4.tcp_abort_on_overflow is on%s: a burst of connects gets resets", where)
				},
				func(enter shell.Command) shell.Command {
					return shell.Line("%s sysctl -w net.ipv4.tcp_abort_on_overflow=0", enter)
				})
		},
	},
	{
		ID: "audit/netdev-backlog", Title: "a short queue for received packets",
		Reads:    "net.core.netdev_max_backlog",
		Why:      "Packets of veth pairs, tunnels and RPS wait in a queue of each CPU; what comes when that is full is dropped.",
		When:     "It is below the default.",
		Change:   "Set it to 1000 or more.",
		Price:    "Packets wait longer where a CPU cannot keep up.",
		Leave:    "Hosts that had better lose packets than be late.",
		Explains: []string{"net/softnet"}, Proves: []string{"net/softnet"},
		Thresholds: []*rule.Threshold{&usualNetdevBacklog},
		Look: func(v *view.View) ([]Remark, bool) {
			n, ok := ofHost(v, "net.core.netdev_max_backlog")
			if !ok || n >= int64(usualNetdevBacklog.Int()) {
				return nil, ok
			}
			return found(Remark{Subject: v.HostEntity(), Words: rule.T("net.core.netdev_max_backlog is %d: a burst of more packets to one CPU is dropped; the default is 1,000", n),
				See: shell.Line("sysctl net.core.netdev_max_backlog"), Change: shell.Line("sysctl -w net.core.netdev_max_backlog=1000"),
				Fits: func(f *rule.Finding) (explains, proves bool) {
					// A CPU that has no time for packets is another fault of that rule.
					dropped, _ := valueOf(f, metric.SoftnetDropped)
					return dropped > 0, true
				}})
		},
	},
	{
		ID: "audit/conntrack-buckets", Title: "the connection tracking table has long chains",
		Reads:      "nf_conntrack_max and nf_conntrack_buckets of each network namespace",
		Why:        "Each packet is looked up in a chain of the table: when the limit was raised and the buckets were not, a full table makes all packets slow.",
		When:       "The limit is more than the threshold times the buckets, and the table has entries for more than half of that.",
		Change:     "Set the buckets to the limit, or to a quarter of it.",
		Price:      "8 bytes of memory each; the table is locked while it is rebuilt.",
		Leave:      "Gateways whose table never fills.",
		Explains:   []string{"cpu/softirq"},
		Thresholds: []*rule.Threshold{&chainLength},
		Look:       lookBuckets,
	},
}

// peerOf is the other end of a veth pair, if it is certain which one that is: numbers
// are given anew in each namespace.
func peerOf(all []recording.NetDeviceSample, d *recording.NetDeviceSample) *recording.NetDeviceSample {
	peer := onlyPeer(all, d)
	if peer == nil || onlyPeer(all, peer) != d {
		return nil
	}
	return peer
}

func onlyPeer(all []recording.NetDeviceSample, d *recording.NetDeviceSample) (peer *recording.NetDeviceSample) {
	for i := range all {
		p := &all[i]
		if p.Kind != "veth" || p.Index != d.Link || p.Link != d.Index || p == d {
			continue
		}
		if peer != nil {
			return nil
		}
		peer = p
	}
	return peer
}

// vxlanHeaders are what a VXLAN adds to a packet: Ethernet, IPv4, UDP and its own.
const vxlanHeaders = 50

func lookMTU(v *view.View) (list []Remark, seen bool) {
	all := interfaces(v)
	at := func(d *recording.NetDeviceSample, words rule.Text, mtu int64) {
		enter := v.EnterNetNS(d.NetNS)
		list = append(list, Remark{Subject: view.InterfaceEntity(d.Interface, d.NetNS), Spaces: []uint64{d.NetNS}, Words: words,
			See: shell.Line("%s ip -d link show dev %s", enter, d.Interface), Change: shell.Line("%s ip link set dev %s mtu %d", enter, d.Interface, mtu),
			Fits: func(f *rule.Finding) (explains, proves bool) {
				if f.Rule == "net/nic-drops" {
					return f.Subject.Same(view.InterfaceEntity(d.Interface, d.NetNS)), false
				}
				return between(f, d.MTU)
			}})
	}
	for i := range all {
		d := &all[i]
		if !d.Up || d.MTU <= 0 {
			continue
		}
		seen = true
		in := v.InNetNS(d.NetNS)
		named := func(name string) func(recording.NetDeviceSample) bool {
			return func(o recording.NetDeviceSample) bool { return o.NetNS == d.NetNS && o.Interface == name && o.Up }
		}
		ethernet := d.Physical && d.Kind == "" || slices.Contains([]string{"veth", "bridge", "bond", "vlan", "macvlan", "ipvlan"}, d.Kind)
		switch peer := peerOf(all, d); {
		case ethernet && d.MTU < int64(smallestMTU.Int()):
			at(d, rule.T("%s%s has an MTU of %v: larger packets do not get through", d.Interface, in, unit.Bytes(d.MTU)), 1500)
		case d.Kind == "veth" && peer != nil && peer.Up && d.MTU < peer.MTU:
			at(d, rule.T("%s%s has an MTU of %d, and %s, the other end of the pair%s, %d: what is larger is dropped here", d.Interface, in, d.MTU, peer.Interface, v.InNetNS(peer.NetNS), peer.MTU), peer.MTU)
		case d.Master != "":
			if m := slices.IndexFunc(all, named(d.Master)); m >= 0 && all[m].Kind == "bridge" && d.MTU < all[m].MTU {
				at(d, rule.T("%s%s has an MTU of %d, and its bridge %s %d: what is larger is dropped here", d.Interface, in, d.MTU, d.Master, all[m].MTU), all[m].MTU)
			}
		case d.Kind == "vxlan" && d.Link != 0:
			below := slices.IndexFunc(all, func(o recording.NetDeviceSample) bool { return o.NetNS == d.NetNS && o.Index == d.Link })
			if below >= 0 && d.MTU > all[below].MTU-vxlanHeaders {
				at(d, rule.T("%s%s has an MTU of %d on %s with %d, which carries %d of a VXLAN", d.Interface, in, d.MTU, all[below].Interface, all[below].MTU, all[below].MTU-vxlanHeaders), all[below].MTU-vxlanHeaders)
			}
		}
	}
	return list, seen
}

// Headers of IP and TCP in bytes: of IPv4 without options, and of IPv6 with the
// timestamps of TCP.
const leastHeaders, mostHeaders = 40, 72

// between says whether the packets of net/mtu-mismatch that got lost are larger than an
// MTU, and whether, besides, all that arrived fit it: its size then is just what divides
// them. What is larger than the receiver announced was cut before it was sent.
func between(f *rule.Finding, mtu int64) (lost, divides bool) {
	stuck, known := valueOf(f, metric.PacketsStuckSegment)
	if mss, ok := valueOf(f, metric.PacketsMss); ok {
		stuck = min(stuck, mss)
	}
	acked, _ := valueOf(f, metric.PacketsLargestAcked)
	return known && stuck+leastHeaders > float64(mtu), acked+mostHeaders <= float64(mtu)
}

// wishes are the backlogs that servers ask for unless they are told otherwise, by how
// the names of their processes begin.
var wishes = []struct {
	name    string
	backlog uint32
}{{"nginx", 511}, {"apache2", 511}, {"httpd", 511}, {"redis-server", 511}, {"valkey-server", 511}, {"php-fpm", 511}, {"memcached", 1024}}

// maxBacklogs is how many listeners with a backlog that may be cut are told, those that dropped
// most: any user can make thousands.
const maxBacklogs = 50

// cutBacklog is a listener the backlog of which may be cut.
type cutBacklog struct {
	*view.Listener
	wish uint32 // what it asks for by itself, where that is known and is more; 0: it is not
}

// cutBacklogs finds them. seen says whether a limit is known.
func cutBacklogs(v *view.View, usual uint32) (list []cutBacklog, seen bool) {
	listeners := v.Listeners()
	for i := range listeners {
		l := &listeners[i]
		limit, ok := v.SysctlNumber(l.NetNS, "net.core.somaxconn")
		if !ok {
			continue
		}
		seen = true
		if int64(l.Backlog) != limit {
			continue // what it asked for, as it is below the limit, or above one that was lowered since
		}
		c := cutBacklog{Listener: l}
		for _, w := range wishes {
			if strings.HasPrefix(l.Name(), w.name) && l.Backlog < w.backlog {
				c.wish = w.backlog
			}
		}
		if l.Backlog < usual || c.wish > 0 {
			list = append(list, c)
		}
	}
	return list, seen
}

func lookBacklog(v *view.View) (list []Remark, seen bool) {
	usual := uint32(usualBacklog.Int())
	if !v.KernelAtLeast(5, 4) {
		usual = 128
	}
	backlogs, seen := cutBacklogs(v, usual)
	if len(backlogs) > maxBacklogs {
		slices.SortStableFunc(backlogs, func(a, b cutBacklog) int {
			return cmp.Or(cmp.Compare(b.Dropped, a.Dropped), cmp.Compare(b.Longest, a.Longest))
		})
		backlogs = backlogs[:maxBacklogs]
	}
	for _, l := range backlogs {
		words := rule.T("%s on :%d has a backlog of %d, which is net.core.somaxconn: it may have asked for more, which cannot be seen; the default of the limit is %d", l.Name(), l.Port, l.Backlog, usual)
		if l.wish > 0 {
			words = rule.T("%s on :%d has a backlog of %d, which is net.core.somaxconn; by itself it asks for %d", l.Name(), l.Port, l.Backlog, l.wish)
		}
		enter := v.EnterNetNS(l.NetNS)
		list = append(list, Remark{Subject: l.Entity(), Words: words, See: shell.Line("%s ss -ltn 'sport = :%d'", enter, l.Port),
			Change: shell.Line("%s sysctl -w net.core.somaxconn=4096", enter),
			Fits: func(*rule.Finding) (explains, proves bool) {
				// Sure is what a server asks for that is known, if all that were refused
				// would have found room at once, and it takes connections in time.
				room := float64(l.wish) - float64(l.Backlog)
				return true, v.CountersOf(l.NetNS).AtLeast("TcpExtListenOverflows") <= room && 2*l.Full < len(l.Samples)
			}})
	}
	return list, seen
}

// ports counts those of a range.
func ports(text string) (n int, ok bool) {
	low, high, ok := strings.Cut(strings.Join(strings.Fields(text), " "), " ")
	a, err := strconv.Atoi(low)
	b, err2 := strconv.Atoi(high)
	return b - a + 1, ok && err == nil && err2 == nil && a > 0 && b >= a
}

// tcpOptions are switches that are on by default.
var tcpOptions = []struct {
	name   string
	change func(enter shell.Command) shell.Command
	costs  string
	fits   func(*view.View, *rule.Finding) (explains, proves bool)
}{
	{"net.ipv4.tcp_sack", func(e shell.Command) shell.Command { return shell.Line("%s sysctl -w net.ipv4.tcp_sack=1", e) }, "after a loss much is sent again that had arrived", of("net/packet-loss")},
	{"net.ipv4.tcp_window_scaling", func(e shell.Command) shell.Command {
		return shell.Line("%s sysctl -w net.ipv4.tcp_window_scaling=1", e)
	}, "a connection has at most 64 KiB under way", of("rt/path-slow")},
	{"net.ipv4.tcp_timestamps", func(e shell.Command) shell.Command { return shell.Line("%s sysctl -w net.ipv4.tcp_timestamps=1", e) }, "ports in TIME_WAIT are not used again, and round trips are measured seldom", usedAgain},
	{"net.ipv4.tcp_moderate_rcvbuf", func(e shell.Command) shell.Command {
		return shell.Line("%s sysctl -w net.ipv4.tcp_moderate_rcvbuf=1", e)
	}, "the receive window does not grow with the path", of("rt/path-slow")},
}

// of is what an option explains that proves nothing.
func of(id string) func(*view.View, *rule.Finding) (explains, proves bool) {
	return func(_ *view.View, f *rule.Finding) (explains, proves bool) { return f.Rule == id, false }
}

// usedAgain says whether ports ran out that could be used again with timestamps: most of
// them are in TIME_WAIT, and the kernel is told to use these.
func usedAgain(v *view.View, f *rule.Finding) (explains, proves bool) {
	waiting, _ := valueOf(f, metric.TCPTimeWait)
	used, _ := valueOf(f, metric.TCPLocalPorts)
	var reuse int64
	for _, e := range f.Affects {
		if e.Kind == view.KindNetNS {
			reuse, _ = v.SysctlNumber(e.NetNS, "net.ipv4.tcp_tw_reuse")
		}
	}
	most := f.Rule == "net/ephemeral-ports" && waiting > used/2
	return most && reuse > 0, reuse == 1
}

func lookTCPOptions(v *view.View) (list []Remark, seen bool) {
	for _, o := range tcpOptions {
		some, is := inSpaces(v, o.name, is(0), func(_, where string) rule.Text { return rule.T("%s is off%s: %s", o.name, where, o.costs) }, o.change)
		for i := range some {
			some[i].Fits = func(f *rule.Finding) (explains, proves bool) { return o.fits(v, f) }
		}
		list, seen = append(list, some...), seen || is
	}
	return list, seen
}

func lookBuffers(v *view.View) (list []Remark, seen bool) {
	if memoryOf(v) >= 1<<30 {
		for _, b := range []struct {
			name   string
			change func(enter shell.Command) shell.Command
			fits   func(*rule.Finding) (explains, proves bool)
		}{
			{"net.ipv4.tcp_rmem", func(e shell.Command) shell.Command {
				return shell.Line("%s sysctl -w net.ipv4.tcp_rmem='4096 131072 6291456'", e)
			}, only("net/receiver-slow", "rt/path-slow")},
			{"net.ipv4.tcp_wmem", func(e shell.Command) shell.Command {
				return shell.Line("%s sysctl -w net.ipv4.tcp_wmem='4096 16384 4194304'", e)
			}, only("rt/path-slow")},
		} {
			some, is := inSpaces(v, b.name, atMost(int64(smallWindow.Value)), func(value, where string) rule.Text {
				return rule.T("the largest TCP buffer, the last number of %s = %s, is small%s: a connection has no more under way for each round trip", b.name, value, where)
			}, b.change)
			for i := range some {
				some[i].Fits = b.fits
			}
			list, seen = append(list, some...), seen || is
		}
	}
	for _, name := range []string{"net.core.rmem_max", "net.core.wmem_max"} {
		n, ok := ofHost(v, name)
		if seen = seen || ok; ok && n < int64(usualSocketBuffer.Value) {
			list = append(list, Remark{Subject: v.HostEntity(), Words: rule.T("%s is %v, less than the default of 208 KiB", name, unit.Bytes(n)), See: shell.Line("sysctl %s", name),
				Change: shell.Line("sysctl -w %s=212992", shell.Line("%s", name)),
				Fits: func(f *rule.Finding) (explains, proves bool) {
					if name != "net.core.rmem_max" || f.Rule != "net/udp-buffer" {
						return false, false
					}
					return cutBuffer(v, f, n)
				}})
		}
	}
	return list, seen
}

// cutBuffer says whether the socket of net/udp-buffer has all that net.core.rmem_max allows,
// and whether what it lost, in bursts, had found room in a buffer of the default size, which
// sockets get that do not ask.
func cutBuffer(v *view.View, f *rule.Finding, limit int64) (explains, proves bool) {
	sockets := v.UDPSockets()
	i := slices.IndexFunc(sockets, func(s view.UDPSocket) bool { return s.Dropped > 0 && s.Entity().Same(f.Subject) })
	if i < 0 || int64(sockets[i].RcvBuf) != 2*limit {
		return false, false
	}
	s := &sockets[i]
	return true, 2*s.Full < s.Readings && s.Dropped*datagramSize.Value <= usualSocketBuffer.Value-float64(s.RcvBuf)
}

func lookTCPMemory(v *view.View) ([]Remark, bool) {
	text, _ := v.Sysctl(0, "net.ipv4.tcp_mem")
	fields := strings.Fields(text)
	// The kernel counts for the whole host, and shows that in each namespace.
	pages, ok := v.CountersOf(v.Manifest().Host.NetNS).Last("SockTCPmem")
	if !ok || len(fields) != 3 {
		return nil, false
	}
	pressure, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || pressure <= 0 || float64(pages) < memoryUsed.Value*float64(pressure) {
		return nil, true
	}
	size := float64(v.PageSize())
	return found(Remark{Subject: v.HostEntity(), Words: rule.T("TCP sockets hold %v; from %v on the kernel shrinks the windows of all connections (net.ipv4.tcp_mem)", unit.Bytes(float64(pages)*size), unit.Bytes(float64(pressure)*size)),
		See: shell.Line("grep TCP: /proc/net/sockstat; sysctl net.ipv4.tcp_mem; ss -tm")})
}

func lookBuckets(v *view.View) (list []Remark, seen bool) {
	keys, series := view.Group(view.Rows[recording.ConntrackSample](v), func(s recording.ConntrackSample) uint64 { return s.NetNS })
	for _, ns := range keys {
		c := series[ns][len(series[ns])-1]
		if c.Max <= 0 || c.Buckets <= 0 {
			continue
		}
		seen = true
		if float64(c.Max) > chainLength.Value*float64(c.Buckets) && float64(c.Count) > chainLength.Value/2*float64(c.Buckets) {
			list = append(list, Remark{Subject: v.NetNSEntity(ns), Spaces: []uint64{ns},
				Words: rule.T("connection tracking%s has %d entries of %d at most, in %d buckets: %d in each on average", v.InNetNS(ns), c.Count, c.Max, c.Buckets, c.Count/c.Buckets),
				See:   shell.Line("sysctl net.netfilter.nf_conntrack_max net.netfilter.nf_conntrack_buckets"), Change: shell.Line("sysctl -w net.netfilter.nf_conntrack_buckets=%d", c.Max)})
		}
	}
	return list, seen
}
