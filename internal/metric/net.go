package metric

import (
	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

var (
	TCPAcceptQueue = add(Metric{ID: "tcp.accept-queue",
		Labels: []string{"netns", "port"}, Series: gauge(listener, func(s recording.ListenerSample) float64 { return float64(s.Queue) }),
		Name: "accept queue",
		Help: "connections whose handshake is complete and that the program has not accepted yet, beside the limit of the listener",
		Unit: "count", Source: "sock_diag, idiag_rqueue of a socket in LISTEN", Tools: []string{"ss -ltn   # Recv-Q of Send-Q"},
		Traps: []string{"in LISTEN Recv-Q and Send-Q are numbers of connections, elsewhere bytes", "it is full when it holds more than its limit", "bursts are over before the next sample: look at the counter too"}, Healthy: "0 most of the time"})
	TCPBacklog = add(Metric{ID: "tcp.backlog",
		Labels: []string{"netns", "port"}, Series: gauge(listener, func(s recording.ListenerSample) float64 { return float64(s.Backlog) }),
		Name: "limit of the accept queue",
		Help: "the smaller one of what the program gave to listen and net.core.somaxconn at that moment",
		Unit: "count", Source: "sock_diag, idiag_wqueue of a socket in LISTEN", Tools: []string{"ss -ltn   # Send-Q", "sysctl net.core.somaxconn"},
		Traps: []string{"what a configuration file asks for is not what is in effect", "raising somaxconn changes nothing until the program listens again"}})
	TCPListenOverflows = add(Metric{ID: "tcp.listen-overflows",
		Labels: []string{"netns"}, Series: growth(counter("TcpExt", "ListenOverflows")),
		Counter: true, Name: "accept queue overflows",
		Help: "SYNs and last ACKs ignored because the accept queue was full",
		Unit: "count", Source: "/proc/net/netstat TcpExt ListenOverflows, per network namespace", Tools: []string{"nstat -az TcpExtListenOverflows", "netstat -s | grep -i listen"},
		Traps: []string{"since boot of the namespace: take a difference", "a client that tries three times counts three times", "does not say which listener"}, Healthy: "no growth"})
	TCPListenDrops = add(Metric{ID: "tcp.listen-drops",
		Labels: []string{"netns"}, Series: growth(counter("TcpExt", "ListenDrops")),
		Counter: true, Name: "SYNs refused",
		Help: "SYNs and ACKs that a listener dropped for any reason; less ListenOverflows those refused because too many connections are half open",
		Unit: "count", Source: "/proc/net/netstat TcpExt ListenDrops", Tools: []string{"nstat -az TcpExtListenDrops TcpExtListenOverflows"},
		Traps: []string{"contains ListenOverflows"}, Healthy: "no growth"})
	TCPListenerDrops = add(Metric{ID: "tcp.listener-drops",
		Labels: []string{"netns", "port"}, Series: growth(listener, func(s recording.ListenerSample) float64 { return float64(s.Drops) }),
		Counter: true, Name: "drops of one listener",
		Help: "what this listening socket refused: the part of ListenDrops that is its own",
		Unit: "count", Source: "sock_diag SK_MEMINFO_DROPS", Tools: []string{"ss -ltnm   # d in skmem"}, Traps: []string{"since the socket was made"}, Healthy: "no growth"})
	TCPQueueFullDrops = add(Metric{ID: "tcp.queue-full-drops",
		Labels: []string{"netns"}, Series: growth(counter("TcpExt", "TCPReqQFullDrop")),
		Counter: true, Name: "SYNs refused by a full queue", Unit: "count",
		Help:   "SYNs dropped because the listener had as many half-open connections as its backlog allows and syncookies are off",
		Source: "TcpExt TCPReqQFullDrop in /proc/net/netstat, per network namespace", Tools: []string{"nstat -az TcpExtTCPReqQFullDrop"},
		Traps: []string{"those refused at 3/4 of tcp_max_syn_backlog are in ListenDrops only"}, Healthy: "0"})
	TCPHalfOpen = add(Metric{ID: "tcp.half-open",
		Labels: []string{"netns", "port"}, Series: total(halfOpen, socketID, func(recording.TCPSample) float64 { return 1 }),
		Name: "half-open connections",
		Help: "connections in SYN_RECV: a SYN was answered, the last ACK of the handshake is missing",
		Unit: "count", Source: "sock_diag, state SYN_RECV", Tools: []string{"ss -Htn state syn-recv | wc -l"},
		Traps: []string{"with syncookies off the table is full at 3/4 of tcp_max_syn_backlog plus one", "with syncookies on the listener's backlog is the limit"}, Healthy: "a handful"})
	TCPSyncookiesSent = add(Metric{ID: "tcp.syncookies-sent",
		Labels: []string{"netns"}, Series: growth(counter("TcpExt", "SyncookiesSent")),
		Counter: true, Name: "SYN cookies sent",
		Help: "SYNs that were answered without keeping state, because too many connections were half open",
		Unit: "count", Source: "/proc/net/netstat TcpExt SyncookiesSent, SyncookiesRecv", Tools: []string{"nstat -az TcpExtSyncookiesSent TcpExtSyncookiesRecv"},
		Traps: []string{"a burst of real clients at a small backlog sends cookies too: then they come back"}, Healthy: "no growth"})
	TCPEmbryonicResets = add(Metric{ID: "tcp.embryonic-resets",
		Labels: []string{"netns"}, Series: growth(counter("TcpExt", "EmbryonicRsts")),
		Counter: true, Name: "handshakes reset",
		Help: "half-open connections that the other side broke off with a reset", Unit: "count", Source: "/proc/net/netstat TcpExt EmbryonicRsts", Tools: []string{"nstat -az TcpExtEmbryonicRsts"},
		Traps: []string{"port scanners and some health checks do this on purpose"}})
	TCPResetsUnread = add(Metric{ID: "tcp.resets-unread",
		Labels: []string{"netns"}, Series: growth(counter("TcpExt", "TCPAbortOnClose")),
		Counter: true, Name: "resets with data unread",
		Help: "resets that the kernel sent because a program closed a connection whose data it had not read", Unit: "count", Source: "tracepoint tcp_send_reset, reason TCP_ABORT_ON_CLOSE since Linux 6.12; TcpExt TCPAbortOnClose",
		Tools: []string{"nstat -az TcpExtTCPAbortOnClose", "rtrail trace retransmits"},
		Traps: []string{"the counter includes connections that the other side had closed before, where the reset harms nobody"}, Healthy: "0 of a server"})
	TCPLoopbackRefused = add(Metric{ID: "tcp.loopback-refused",
		Labels: []string{"netns", "port"}, Series: as("per second", total(refusedOnLoopback, tcpEventID, func(s recording.TCPEvent) float64 { return traced(float64(s.Packets), s.Span, s.Traced) })),
		Counter: true, Name: "connects refused on loopback",
		Help: "connects to a port of 127.0.0.1 or ::1 that nobody listens on, although somebody listens on it at the other one of both", Unit: "count", Source: "tracepoint tcp_receive_reset; table tcp_events",
		Tools: []string{"rtrail trace retransmits", "ss -tln"}, Traps: []string{"clients that try both addresses lose next to nothing"}, Healthy: "0"})
	TCPPassiveOpens = add(Metric{ID: "tcp.passive-opens",
		Labels: []string{"netns"}, Series: growth(counter("Tcp", "PassiveOpens")),
		Counter: true, Name: "connections accepted by the kernel",
		Help: "handshakes completed as a server", Unit: "count", Source: "/proc/net/snmp Tcp PassiveOpens", Tools: []string{"nstat -az TcpPassiveOpens"},
		Traps: []string{"the program may not have accepted them yet"}})
	TCPActiveOpens = add(Metric{ID: "tcp.active-opens",
		Labels: []string{"netns"}, Series: rate(counter("Tcp", "ActiveOpens")),
		Counter: true, Name: "connections opened",
		Help: "connects begun as a client", Unit: "per second", Source: "/proc/net/snmp Tcp ActiveOpens", Tools: []string{"nstat -az TcpActiveOpens", "sar -n TCP 1"},
		Traps: []string{"connects that found no local port are not among them"}})
	TCPLocalPorts = add(Metric{ID: "tcp.local-ports", Course: TCPTimeWait, Name: "local ports used",
		Help: "ports of ip_local_port_range that connections from one address to one destination hold, TIME_WAIT included",
		Unit: "count", Source: "sock_diag; net.ipv4.ip_local_port_range less ip_local_reserved_ports", Tools: []string{"ss -Htan dst ADDRESS:PORT | wc -l", "sysctl net.ipv4.ip_local_port_range"},
		Traps: []string{"the limit holds per destination: 28,232 to each", "clients run out, servers do not"}})
	TCPTimeWait = add(Metric{ID: "tcp.time-wait",
		Labels: []string{"netns"}, Series: total(timeWait, socketID, func(recording.TCPSample) float64 { return 1 }),
		Name: "connections in TIME_WAIT",
		Help: "closed connections whose port is held back for 60 s by the side that closed first",
		Unit: "count", Source: "sock_diag, state TIME_WAIT", Tools: []string{"ss -s", "ss -Htan state time-wait | wc -l"},
		Traps: []string{"harmless on servers", "tcp_fin_timeout does not change it"}})
	TCPSYNSent = add(Metric{ID: "tcp.syn-sent",
		Labels: []string{"netns", "remote"}, Series: total(connected(recording.TCPSynSent), socketID, func(recording.TCPSample) float64 { return 1 }),
		Name: "connects without an answer",
		Help: "connections in SYN_SENT seen in the window", Unit: "count", Source: "sock_diag, state SYN_SENT", Tools: []string{"ss -tan state syn-sent"},
		Traps: []string{"one seen once may be on its way"}, Healthy: "0 on a local network"})
	TCPConnects = add(Metric{ID: "tcp.connects", Counter: true, Name: "connects of a process",
		Help: "TCP connects of a process to one destination, with their time and how they ended", Unit: "count", Source: "tracepoint sock:inet_sock_set_state, by a BPF program, with --events all",
		Tools: []string{"rtrail trace connects"}, Check: shell.Line("rtrail trace connects --for 10s"),
		Traps: []string{"connects that began before the window are missing", "abandoned is what a program gives up, as after a timeout of its own"}, Healthy: "all connected, in about the round-trip time"})
	TCPRetransmissionRate = add(Metric{ID: "tcp.retransmission-rate",
		Labels: []string{"netns"}, Series: combined(protocolOf, map[string]float64{"TcpRetransSegs": 1, "TcpExtTCPSynRetrans": -1}, each("TcpOutSegs")),
		Counter: true, Name: "segments sent again",
		Help: "data segments sent again, as a share of segments sent; SYNs and SYN-ACKs left out",
		Unit: "share", Source: "/proc/net/snmp Tcp RetransSegs, OutSegs; /proc/net/netstat TcpExt TCPSynRetrans", Tools: []string{"nstat -az TcpRetransSegs TcpOutSegs TcpExtTCPSynRetrans", "sar -n ETCP 1"},
		Traps: []string{"RetransSegs contains SYNs that a full queue refused", "a lost ACK makes a repeat too", "the mean of a host hides one bad peer"}, Healthy: "under 0.1 % on local networks"})
	TCPRetransmits = add(Metric{ID: "tcp.retransmits",
		Labels: []string{"netns", "remote"}, Series: as("per second", total(resent, tcpEventID, func(s recording.TCPEvent) float64 { return traced(float64(s.Packets), s.Span, s.Traced) })),
		Name: "repeats of connections",
		Help: "segments sent again by the connections named", Unit: "count", Source: "tracepoint tcp:tcp_retransmit_skb, by a BPF program; tcp_info tcpi_total_retrans, tcpi_retransmits", Tools: []string{"ss -tino dst PEER   # retrans:now/total", "rtrail trace retransmits"},
		Traps: []string{"without events connections that ended between two samples are missing"}})
	TCPTimeouts = add(Metric{ID: "tcp.timeouts",
		Labels: []string{"netns"}, Series: growth(counter("TcpExt", "TCPTimeouts")),
		Counter: true, Name: "retransmission timeouts",
		Help: "times a retransmission timer ran out: nothing came back for a round trip and its variance, 200 ms at least",
		Unit: "count", Source: "/proc/net/netstat TcpExt TCPTimeouts, TCPLossProbes, TCPLossProbeRecovery", Tools: []string{"nstat -az TcpExtTCPTimeouts TcpExtTCPLossProbes TcpExtTCPLossProbeRecovery"},
		Traps: []string{"SYN timeouts count too", "a probe is sent before a timeout, and may be needless"}, Healthy: "next to none"})
	TCPDsack = add(Metric{ID: "tcp.dsack",
		Labels: []string{"netns"}, Series: growth(counter("TcpExt", "TCPDSACKRecv")),
		Counter: true, Name: "duplicates reported",
		Help: "segments sent again that the peer reports to have had already", Unit: "count", Source: "/proc/net/netstat TcpExt TCPDSACKRecv", Tools: []string{"nstat -az TcpExtTCPDSACKRecv"},
		Traps: []string{"the ACK may have been lost, or the data late"}})
	ConntrackCount = add(Metric{ID: "conntrack.count",
		Labels: []string{"netns"}, Series: gauge(netns, func(s recording.ConntrackSample) float64 { return reading(s.Count) }),
		Name: "tracked connections",
		Help: "entries of connection tracking in one namespace, beside the limit", Unit: "count", Source: "/proc/sys/net/netfilter/nf_conntrack_count, nf_conntrack_max", Tools: []string{"sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max", "conntrack -C"},
		Traps: []string{"read after the load it looks healthy", "counted per namespace, limited by the host"}, Healthy: "under half of the limit"})
	ConntrackDrop = add(Metric{ID: "conntrack.drop",
		Labels: []string{"netns"}, Series: growth(netns, func(s recording.ConntrackSample) float64 { return reading(s.Drop) }),
		Counter: true, Name: "packets dropped because the table was full",
		Help: "packets dropped because no entry could be made", Unit: "count", Source: "/proc/net/stat/nf_conntrack drop, all CPUs", Tools: []string{"conntrack -S"}, Traps: []string{"hexadecimal in the file"}, Healthy: "no growth"})
	ConntrackEarlyDrop = add(Metric{ID: "conntrack.early-drop",
		Labels: []string{"netns"}, Series: growth(netns, func(s recording.ConntrackSample) float64 { return reading(s.EarlyDrop) }),
		Counter: true, Name: "entries thrown out early",
		Help: "entries of connections that were not established, removed to make room", Unit: "count", Source: "/proc/net/stat/nf_conntrack early_drop", Tools: []string{"conntrack -S"}, Healthy: "no growth"})
	ConntrackTimeWait = add(Metric{ID: "conntrack.time-wait", Name: "tracking time of closed connections",
		Help: "how long an entry outlives its closed connection", Unit: "seconds", Source: "net.netfilter.nf_conntrack_tcp_timeout_time_wait", Tools: []string{"sysctl net.netfilter.nf_conntrack_tcp_timeout_time_wait"}})
	FirewallPackets = add(Metric{ID: "firewall.packets",
		Labels: []string{"netns", "rule"}, Series: growth(filterRule, func(s recording.FirewallRule) float64 { return float64(s.Packets) }),
		Counter: true, Name: "packets a filter rule took",
		Help: "growth of the counter of a rule that drops or rejects", Unit: "count", Source: "nftables, counter expression of the rule", Tools: []string{"iptables -nvL --line-numbers", "nft list ruleset"},
		Traps: []string{"rules drop noise all day on healthy hosts", "nft rules count only if they say so", "repeats of one client count each time"}})
	InterfaceBytes = add(Metric{ID: "interface.bytes", Counter: true, Name: "traffic of an interface",
		Labels: []string{"netns", "interface"}, Series: rate(iface, func(s recording.NetDeviceSample) float64 { return float64(s.RxBytes + s.TxBytes) }),
		Help: "bytes received and sent by a network interface, link headers included", Unit: "bytes per second", Source: "/proc/net/dev, bytes",
		Tools: []string{"sar -n DEV 1", "ip -s link show dev IF"}, Check: shell.Line("sar -n DEV 1 5   # rxkB/s, txkB/s"),
		Traps: []string{"both directions together: a full-duplex link carries its speed twice", "bonds and bridges count what their members count, too"}})
	InterfaceDrops = add(Metric{ID: "interface.drops",
		Labels: []string{"netns", "interface"}, Series: growth(iface, func(s recording.NetDeviceSample) float64 {
			return float64(s.RxDropped + s.TxDropped + s.RxFIFO + s.TxFIFO)
		}),
		Counter: true, Name: "drops of an interface",
		Help: "packets an interface dropped or found damaged, in and out", Unit: "count", Source: "/proc/net/dev drop, errs, fifo", Tools: []string{"ip -s link", "ethtool -S DEVICE"},
		Traps: []string{"qdisc drops are not in it (tc -s qdisc)", "packets of protocols that no module handles count as dropped"}, Healthy: "no growth"})
	QdiscRate = add(Metric{ID: "qdisc.rate",
		Labels: []string{"netns", "interface"}, Series: rate(qdisc, func(s recording.QdiscSample) float64 { return float64(s.Bytes) }),
		Name: "rate of a queue", Help: "bytes that left a queueing discipline of an interface per second", Unit: "bytes per second", Source: "rtnetlink, TCA_STATS2 bytes", Tools: []string{"tc -s qdisc show dev IF   # Sent", "sar -n DEV 1"},
		Traps: []string{"bytes of packets as this host hands them on, headers included; the wire adds its own"}, Healthy: "below the rate of its shaper"})
	NetOfBaseline = add(Metric{ID: "net.of-baseline", Course: InterfaceBytes,
		Name: "share of what a path could do", Help: "bytes without headers, or small packets, per second between this host and a peer, or through an interface, as a share of what went the same way when rtrail bench baseline measured it", Unit: "share",
		Source: "packets or counters of interfaces and queues, and /var/lib/rtrail/baseline.json", Tools: []string{"rtrail bench baseline --peer HOST:PORT", "iperf3"},
		Traps: []string{"an interface may do more to other peers than to the one that was measured"}, Healthy: "below 80 %"})
	QdiscDelay = add(Metric{ID: "qdisc.delay", Course: QdiscRate,
		Name: "delay of a queue", Help: "bytes that wait in a queueing discipline, by its rate: how long a packet that comes now waits", Unit: "seconds", Source: "rtnetlink, TCA_STATS2 backlog and bytes", Tools: []string{"tc -s qdisc show dev IF   # backlog"},
		Traps: []string{"a fair queue lets some packets go first"}, Healthy: "a few milliseconds"})
	QdiscOverlimits = add(Metric{ID: "qdisc.overlimits",
		Labels: []string{"netns", "interface"}, Series: growth(qdisc, func(s recording.QdiscSample) float64 { return float64(s.Overlimits) }),
		Counter: true,
		Name:    "waits for a rate", Help: "times a rate or a limit of a queueing discipline made packets wait", Unit: "count", Source: "rtnetlink, TCA_STATS2 overlimits", Tools: []string{"tc -s qdisc show dev IF   # overlimits"},
		Traps: []string{"it grows with each try, so it is no number of packets"}, Healthy: "no growth"})
	QdiscDrops = add(Metric{ID: "qdisc.drops",
		Labels: []string{"netns", "interface"}, Series: growth(qdisc, func(s recording.QdiscSample) float64 { return float64(s.Drops) }),
		Counter: true, Name: "packets the queue of an interface threw away",
		Help: "packets thrown away by the first queueing discipline of an interface, those below it included", Unit: "count", Source: "rtnetlink, TCA_STATS2 of qdiscs", Tools: []string{"tc -s qdisc show dev DEVICE"},
		Traps: []string{"not part of the drops of ip -s link", "a shaper throws away what exceeds the rate it was given", "some are normal where TCP fills a link"}, Healthy: "under 0.1 % of what is sent"})
	UDPSocketDrops = add(Metric{ID: "udp.socket-drops",
		Labels: []string{"netns", "port", "socket"}, Series: growth(udpSocket, func(s recording.UDPSample) float64 { return float64(s.Drops) }),
		Counter: true, Name: "datagrams a UDP socket dropped",
		Help: "datagrams that came to a socket and were not queued: its buffer was full, or a filter or checksum refused them", Unit: "count", Source: "sock_diag SK_MEMINFO_DROPS; /proc/net/udp drops", Tools: []string{"ss -uanm   # d in skmem(...)"},
		Traps: []string{"what filters of the socket refuse is counted as well", "the counter ends with the socket"}, Healthy: "no growth"})
	UDPBufferErrors = add(Metric{ID: "udp.rcvbuf-errors",
		Labels: []string{"netns"}, Series: growth(counter("Udp", "RcvbufErrors")),
		Counter: true, Name: "full UDP receive buffers",
		Help: "datagrams thrown away because the receive buffer of their socket was full, of a network namespace", Unit: "count", Source: "/proc/net/snmp Udp RcvbufErrors, /proc/net/snmp6 Udp6RcvbufErrors", Tools: []string{"nstat -az UdpRcvbufErrors Udp6RcvbufErrors"}, Check: shell.Line("nstat -az UdpRcvbufErrors Udp6RcvbufErrors"),
		Traps: []string{"senders learn nothing of it: UDP has no acknowledgements", "InErrors contains it"}, Healthy: "no growth"})
	UDPReceiveQueue = add(Metric{ID: "udp.receive-queue",
		Labels: []string{"netns", "port", "socket"}, Series: gauge(udpSocket, func(s recording.UDPSample) float64 { return float64(s.RecvQueue) }),
		Name: "unread bytes of a UDP socket",
		Help: "memory of datagrams that the program has not read, against the socket's buffer (SO_RCVBUF)", Unit: "bytes", Source: "sock_diag idiag_rqueue, SK_MEMINFO_RCVBUF", Tools: []string{"ss -uanm   # Recv-Q; rb in skmem(...)"},
		Traps: []string{"each datagram takes several hundred bytes more than its contents", "a reading a second misses bursts"}, Healthy: "empty most of the time"})
	DNSWaiting = add(Metric{ID: "dns.waiting", Course: UDPReceived, Name: "lookups that wait",
		Help: "sockets connected to port 53 of a resolver that received nothing for at least two seconds, or shorter lookups under way at a time, mean", Unit: "count", Source: "sock_diag, UDP sockets by inode", Tools: []string{"ss -unp 'dport = :53'"}, Check: shell.Line("ss -unp 'dport = :53'"),
		Traps: []string{"a program may keep its socket for later lookups", "programs that do not connect their sockets are not seen"}, Healthy: "0: lookups take milliseconds"})
	DNSListed = add(Metric{ID: "dns.name-servers", Name: "name servers in use",
		Help: "servers that resolv.conf of a network namespace names, as a process there sees it, three at most, and those that systemd-resolved asks", Unit: "count", Source: "/etc/resolv.conf, /run/systemd/resolve/resolv.conf, table name_servers", Tools: []string{"cat /etc/resolv.conf", "resolvectl"}, Check: shell.Line("cat /etc/resolv.conf"),
		Traps: []string{"an empty file means 127.0.0.1", "systemd-resolved (127.0.0.53) and containers' 127.0.0.11 ask others"}, Healthy: "two that answer"})
	UDPReceived = add(Metric{ID: "udp.received",
		Labels: []string{"netns"}, Series: as("per second", combined(protocolOf, each("UdpInDatagrams", "Udp6InDatagrams"), nil)),
		Counter: true, Name: "UDP datagrams received",
		Help: "datagrams that programs of a network namespace received, of all protocols above UDP", Unit: "count", Source: "/proc/net/snmp Udp InDatagrams, /proc/net/snmp6 Udp6InDatagrams", Tools: []string{"nstat -az UdpInDatagrams Udp6InDatagrams"}, Check: shell.Line("nstat -az UdpInDatagrams Udp6InDatagrams"),
		Traps: []string{"answers of a resolver are among others"}, Healthy: "any number"})
	DNSAsked = add(Metric{ID: "dns.asked", Name: "queries of rtrail without an answer",
		Help: "queries for the name servers of the root that rtrail sent itself, with --probe-dns", Unit: "count", Source: "name_servers, asked and answered", Tools: []string{"dig @RESOLVER . NS"},
		Traps: []string{"a resolver may answer some clients only"}, Healthy: "0"})
	DroppedPackets = add(Metric{ID: "kernel.dropped-packets",
		Labels: []string{"netns", "reason"}, Series: as("per second", total(dropped, dropID, func(s recording.PacketDrop) float64 { return traced(float64(s.Packets), s.Span, s.Traced) })),
		Name: "packets that the kernel dropped",
		Help: "packets freed without being delivered, by reason and function", Unit: "count", Source: "tracepoint skb:kfree_skb, by a BPF program", Tools: []string{"rtrail trace drops", "dropwatch", "perf trace -e skb:kfree_skb"}, Check: shell.Line("rtrail trace drops --for 10s"),
		Traps: []string{"many reasons are a protocol's usual course: a closed port, a segment that came twice", "words of reasons differ between releases of the kernel; before 5.17 there are none"}, Healthy: "no growth of full queues and buffers, filters and damaged packets"})
	SoftnetDropped = add(Metric{ID: "softnet.dropped",
		Labels: []string{"cpu"}, Series: growth(perCPU, func(s recording.SoftnetSample) float64 { return float64(s.Dropped) }),
		Counter: true, Name: "receive backlog drops",
		Help: "packets dropped because a CPU's receive backlog was full", Unit: "count", Source: "/proc/net/softnet_stat second column", Tools: []string{"cat /proc/net/softnet_stat"}, Check: shell.Line("cat /proc/net/softnet_stat   # second column, hexadecimal"),
		Traps: []string{"hexadecimal", "only for packets that pass the backlog: veth, steered ones, old drivers"}, Healthy: "no growth"})
	SoftnetSqueezed = add(Metric{ID: "softnet.squeezed",
		Labels: []string{"cpu"}, Series: rate(perCPU, func(s recording.SoftnetSample) float64 { return float64(s.Squeezed) }),
		Counter: true, Name: "rounds of receiving that ended early",
		Help: "times a CPU left packets for later because a round of receiving had used up its budget of packets or time (time squeeze)", Unit: "per second", Source: "/proc/net/softnet_stat third column", Tools: []string{"cat /proc/net/softnet_stat"}, Check: shell.Line("cat /proc/net/softnet_stat   # third column, hexadecimal"),
		Traps: []string{"hexadecimal", "the packets are not lost"}, Healthy: "a few a second at most"})
)
