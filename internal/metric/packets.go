package metric

import (
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

// These are numbers about packets and connections in captures.
var (
	PacketsZeroWindow = add(Metric{ID: "packets.zero-window",
		Labels: []string{"service"}, Series: served("seconds per second", func(s *recording.PacketService) float64 { return s.ZeroWindow.Seconds() }),
		Name: "time with a closed window",
		Help: "how long a side of a connection announced that it takes no more bytes, from the acknowledgement that said so to the one that opened the window again",
		Unit: "seconds", Source: "window field of TCP segments, table packet_sides, zero_window_time", Tools: []string{"tshark -r FILE -Y tcp.analysis.zero_window"},
		Traps: []string{"the sender looks slow, the reader is", "a window scale that was not captured makes other windows unreadable, but not zero"}, Healthy: "0"})
	PacketsWindowLimited = add(Metric{ID: "packets.window-limited", Name: "time with a full window",
		Help: "how long a side had sent all that the other one's window takes, without its being closed",
		Unit: "seconds", Source: "packet_sides, window_limited", Tools: []string{"tshark -r FILE -Y tcp.analysis.window_full", "ss -ti   # rwnd_limited"},
		Traps: []string{"fast transfers fill windows and are fine", "unknown if the handshake was not captured"}})
	PacketsAppLimited = add(Metric{ID: "packets.app-limited", Course: PacketsDownload, Name: "pauses of the sender",
		Help: "how long a side had everything acknowledged, the window open and nothing to send, before it went on by itself",
		Unit: "seconds", Source: "packet_sides, app_limited", Tools: []string{"ss -ti   # app_limited"},
		Traps: []string{"delayed acknowledgements hide up to 40 ms of each pause", "streams of events pause on purpose"}})
	PacketsDownload = add(Metric{ID: "packets.download",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return mean(s.Download, s.Count) }),
		Name: "time an answer takes to arrive", Help: "from the first to the last packet of an answer",
		Unit: "seconds", Source: "packet_connections and packet_services, download", Tools: []string{"rtrail packets FILE --by connection"},
		Traps: []string{"response times that end with the first byte leave it out"}})
	PacketsDelayedACKShare = add(Metric{ID: "packets.delayed-ack-share", Course: PacketsDelayedACKWait, Name: "requests that waited for delayed acknowledgements", Help: "waits for delayed acknowledgements by requests of a service", Unit: "share",
		Source: "packet_sides, delayed_acks; packet_services, count", Tools: []string{"tshark -r FILE -Y 'tcp.len == 0 && tcp.flags.ack == 1 && tcp.time_delta > 0.02 && tcp.time_delta < 0.6 && !tcp.analysis.keep_alive'"}, Healthy: "0"})
	PacketsDelayedACKWait = add(Metric{ID: "packets.delayed-ack-wait",
		Labels: []string{"service"}, Series: served("seconds per second", func(s *recording.PacketService) float64 { return s.DelayedACK.Seconds() }),
		Name: "time waited for delayed acknowledgements", Help: "how long small segments of one connection were held back until the acknowledgement of the one before came, in all", Unit: "seconds",
		Source: "packet_sides, delayed_ack_time", Tools: []string{"tshark -r FILE -Y 'tcp.len == 0 && tcp.flags.ack == 1 && tcp.time_delta > 0.02 && tcp.time_delta < 0.6 && !tcp.analysis.keep_alive'"}, Healthy: "0"})
	PacketsDelayedACK = add(Metric{ID: "packets.delayed-ack", Course: PacketsDelayedACKWait, Name: "waits for delayed acknowledgements",
		Help: "small segments that a sender held back (Nagle) until the acknowledgement of the one before came, which the receiver had delayed",
		Unit: "count", Source: "packet_sides, delayed_acks and delayed_ack_time", Tools: []string{"tshark -r FILE -Y 'tcp.len == 0 && tcp.flags.ack == 1 && tcp.time_delta > 0.02 && tcp.time_delta < 0.6 && !tcp.analysis.keep_alive'"},
		Traps: []string{"the acknowledgement is late at the reader, the remedy is at the writer", "tcp.time_delta counts from the packet before, of either side: the gap stands on the acknowledgement, not on the data that waited"}, Healthy: "0"})
	PacketsRate = add(Metric{ID: "packets.rate",
		Labels: []string{"from", "to"}, Series: sent(func(s *recording.PacketRate) float64 { return float64(s.Bytes) }),
		Name: "rate of a direction", Help: "what one host sent to another one in whole seconds: the median, where it is steady",
		Unit: "bytes per second", Source: "table packet_rates", Tools: []string{"tshark -r FILE -q -z io,stat,1"},
		Traps: []string{"a steady rate may be all that users ask for", "bytes on the wire, headers included; limits are often given without"}})
	PacketsQueued = add(Metric{ID: "packets.queued",
		Labels: []string{"from", "to"}, Series: sent(func(s *recording.PacketRate) float64 { return mean(s.Queued, s.Clocked) }),
		Name: "age of packets", Help: "how much older packets with data were when they came to the capture than the youngest ones, by their sender's timestamps: their wait in queues",
		Unit: "seconds", Source: "TSval of RFC 7323 against the clock of the capture; packet_rates, queued", Tools: []string{"tshark -r FILE -T fields -e frame.time_epoch -e tcp.options.timestamp.tsval"},
		Traps: []string{"read only where timestamps count milliseconds", "a queue that is always there does not show", "a queue behind the capture does not show"}, Healthy: "below 2 ms"})
	PacketsStandingQueue = add(Metric{ID: "packets.standing-queue", Name: "round trips beyond the shortest", Help: "how much longer round trips are than the shortest one of the same connection: by the sender's kernel, else from data to its acknowledgement in the capture",
		Unit: "seconds", Source: "tcp_info rtt and min_rtt; packet_sides, rtt_sum and rtt_min", Tools: []string{"ss -tin   # rtt, minrtt"}, Check: shell.Line("ss -tin   # rtt against minrtt"),
		Traps: []string{"delayed acknowledgements add up to 40 ms"}, Healthy: "some milliseconds"})
	PacketsRetransmitted = add(Metric{ID: "packets.retransmitted", Course: PacketsRetransmissions, Name: "segments of a connection sent again", Help: "segments with data of one connection that came again, or for the first time although later ones had come; needless copies left out", Unit: "count",
		Source: "packet_sides, retransmissions less spurious", Tools: []string{"tshark -r FILE -Y tcp.analysis.retransmission"}, Traps: []string{"packets out of order are none"}, Healthy: "0"})
	PacketsRetransmissions = add(Metric{ID: "packets.retransmissions",
		Labels: []string{"from", "to"}, Series: sent(func(s *recording.PacketRate) float64 { return part(s.Resent, s.Packets) }),
		Name: "segments sent again", Help: "segments with data that came again, or for the first time although later ones had come, of all segments with data; needless copies left out",
		Unit: "share", Source: "packet_directions and packet_sides, retransmissions less spurious; packet_rates, resent", Tools: []string{"tshark -r FILE -Y tcp.analysis.retransmission", "nstat -az TcpRetransSegs TcpOutSegs"},
		Traps: []string{"packets out of order are none"}, Healthy: "below 0.1 % in one network"})
	PacketsUnheardQuiet = add(Metric{ID: "packets.unheard-quiet", Name: "silence before connections died", Help: "how long connections had been silent, at least, before a request after which nothing was heard", Unit: "seconds",
		Source: "packet_directions, unheard_quiet", Tools: []string{"tshark -r FILE -Y tcp.analysis.retransmission -T fields -e tcp.stream -e tcp.seq -e tcp.analysis.rto"},
		Traps: []string{"connections that were never silent for longer say nothing about a limit"}})
	PacketsUnheard = add(Metric{ID: "packets.unheard", Course: PacketsRetransmissions, Name: "requests after which nothing was heard", Help: "connections whose last request was sent again three times and more, without one packet of the server until the end; how long they had been silent before",
		Unit: "count", Source: "packet_directions, unheard and what begins so", Tools: []string{"tshark -r FILE -Y tcp.analysis.retransmission -T fields -e tcp.stream -e tcp.seq -e tcp.analysis.rto"},
		Traps: []string{"a host that is down looks the same as a firewall that has forgotten a connection: others that go on tell them apart"}, Healthy: "0"})
	PacketsRetransmitWait = add(Metric{ID: "packets.retransmit-wait",
		Labels: []string{"service"}, Series: served("seconds per second", func(s *recording.PacketService) float64 { return s.Retransmit.Seconds() }),
		Name: "waits for copies", Help: "how long connections waited for copies of what one side sent: from the first copy, or from the first packet behind the hole, to the copy; each moment of a connection once",
		Unit: "seconds", Source: "packet_directions, retransmit_wait; packet_sides, the same", Tools: []string{"tshark -r FILE -Y tcp.analysis.rto -T fields -e ip.src -e tcp.stream -e tcp.analysis.rto"},
		Traps: []string{"tcp.analysis.rto counts from the last segment of its sender, not from the one that was lost; a copy that it takes for out of order has none"}, Healthy: "next to nothing"})
	PacketsLossSide = add(Metric{ID: "packets.loss-side", Formerly: []string{"packets.lost-where"}, Name: "side of the loss", Help: "copies whose first sending never came to the capture were lost before it; those that were seen twice were lost behind it, or their acknowledgement was",
		Unit: "count", Source: "packet_paths, upstream and downstream", Tools: []string{"tshark -r FILE -Y tcp.analysis.lost_segment"},
		Traps: []string{"a capture that itself loses packets makes them look lost before it"}})
	PacketsStuckPaths = add(Metric{ID: "packets.stuck-paths", Formerly: []string{"packets.stuck-ways"}, Name: "paths with a stuck segment", Help: "ways from one host to another on which a segment did not get through for its size", Unit: "count", Source: "packet_paths, stuck_copies",
		Tools: []string{"tshark -r FILE -Y tcp.analysis.retransmission -T fields -e tcp.seq -e tcp.len"}, Healthy: "0"})
	PacketsStuckSegment = add(Metric{ID: "packets.stuck-segment", Course: PacketsRetransmissions, Name: "segment that does not get through", Help: "payload of the segment that was repeated most often without any acknowledgement in between",
		Unit: "bytes", Source: "packet_paths, stuck_size and stuck_copies", Tools: []string{"tshark -r FILE -Y tcp.analysis.retransmission -T fields -e tcp.seq -e tcp.len"},
		Traps: []string{"a peer that died looks the same, but nothing else arrives there"}, Healthy: "none repeated three times"})
	PacketsLargestAcked = add(Metric{ID: "packets.largest-acked", Name: "largest segment that arrived", Help: "payload of the largest segment that was acknowledged",
		Unit: "bytes", Source: "packet_paths, largest_acked", Tools: []string{"ping -M do -s SIZE HOST", "tracepath HOST"}, Traps: []string{"captures on the sender may hold segments that its network card cuts later"}})
	PacketsMss = add(Metric{ID: "packets.mss", Name: "announced segment size", Help: "what a side says in its SYN that it takes at most: its MTU less 40 or 60 bytes", Unit: "bytes", Source: "packet_sides, mss",
		Tools: []string{"tshark -r FILE -Y tcp.flags.syn==1 -T fields -e tcp.options.mss_val"}, Traps: []string{"says nothing about links between the ends"}})
	PacketsTooBig = add(Metric{ID: "packets.too-big", Name: "\"packet too big\" messages", Help: "ICMP fragmentation needed, or ICMPv6 packet too big, about packets of a connection", Unit: "count", Source: "packet_paths, too_big and mtu",
		Tools: []string{"tshark -r FILE -Y 'icmp.type == 3 && icmp.code == 4'"}, Traps: []string{"a few are how hosts learn the MTU of a path"}})
	PacketsResetAfterIdle = add(Metric{ID: "packets.reset-after-idle", Name: "idle time before a server closed", Help: "how long connections had been without a request when the server closed them, and a request crossed its FIN: the median", Unit: "seconds",
		Source: "packet_connections", Tools: []string{"tshark -r FILE -Y 'tcp.flags.fin == 1' -T fields -e tcp.stream -e tcp.time_delta"}, Traps: []string{"a restart closes connections of any age"}})
	PacketsFirstFrame = add(Metric{ID: "packets.first-frame", Name: "first frame of a fault", Help: "number of the frame in the capture in which a fault is seen first, counted from 1 as Wireshark does", Unit: "frame",
		Source: "number of the packet in its file", Tools: []string{"tshark -r FILE -Y 'frame.number == N' -V"}, Traps: []string{"in a capture of several files each has its own numbers"}})
	PacketsResets = add(Metric{ID: "packets.resets",
		Labels: []string{"service"}, Series: connections(func(c *recording.PacketConnection) time.Time {
			return when(c.ClosedAt, c.CloseReset && (c.Outstanding > 0 || c.CloseState != "idle" && c.CloseState != ""))
		}),
		Name: "connections reset", Help: "connections whose first closing packet was RST while something was under way", Unit: "count", Source: "packet_connections, close_reset, close_state and outstanding",
		Tools: []string{"tshark -r FILE -Y tcp.flags.reset==1", "nstat -az TcpOutRsts TcpEstabResets"}, Traps: []string{"many clients end idle connections by RST: harmless"}, Healthy: "0"})
	PacketsRefused = add(Metric{ID: "packets.refused",
		Labels: []string{"service"}, Series: connections(func(c *recording.PacketConnection) time.Time { return when(c.At, c.Refused && !c.Retried) }),
		Name: "connects refused", Help: "SYNs that were answered by RST: no process listens, or a filter rejects", Unit: "count", Source: "packet_connections, refused",
		Tools: []string{"tshark -r FILE -Y 'tcp.flags.reset == 1 && tcp.seq == 1'", "ss -ltn"}, Traps: []string{"scans and health checks of stopped servers are refused too"}, Healthy: "0"})
	PacketsOldTimestamps = add(Metric{ID: "packets.old-timestamps", Course: PacketsRetransmissions, Name: "timestamps that go back", Help: "segments or connects whose timestamp is behind an earlier one of the same sender", Unit: "count", Source: "packet_sides, paws; packet_paths, first_ts and last_ts",
		Tools: []string{"tshark -r FILE -T fields -e tcp.options.timestamp.tsval"}, Traps: []string{"since Linux 4.10 connections of one host have offsets of their own"}, Healthy: "0 within a connection"})
	TCPPAWSDrops = add(Metric{ID: "tcp.paws-drops",
		Labels: []string{"netns"}, Series: as("per second", combined(protocolOf, each("TcpExtPAWSPassive", "TcpExtPAWSActive", "TcpExtPAWSEstab", "TcpExtPAWSOldAck"), nil)),
		Counter: true, Name: "packets thrown away for their timestamps", Help: "segments and SYNs that the kernel refused because their timestamp was too old", Unit: "count",
		Source: "/proc/net/netstat TcpExt PAWSPassive, PAWSActive, PAWSEstab, PAWSOldAck", Tools: []string{"nstat -az 'TcpExtPAWS*'"}, Check: shell.Line("nstat -az 'TcpExtPAWS*'"), Traps: []string{"since boot of the namespace: take a difference"}, Healthy: "no growth"})
	PacketsDNSUnanswered = add(Metric{ID: "packets.dns-unanswered",
		Labels: []string{"service"}, Series: served("per second", func(s *recording.PacketService) float64 { return ofDNS(s, float64(s.Unanswered)) }),
		Name: "queries without an answer", Help: "queries of DNS that were not answered within two seconds, or only soon after they were sent again, half a second later or more", Unit: "count", Source: "packet_resolvers, unanswered and repeated",
		Tools: []string{"tshark -2 -r FILE -Y 'dns.flags.response == 0 && !dns.response_in && !icmp && !icmpv6'"}, Traps: []string{"libraries that ask with a new identifier make two queries of one"}, Healthy: "0"})
	PacketsDNSTime = add(Metric{ID: "packets.dns-time",
		Labels: []string{"service"}, Series: served("", func(s *recording.PacketService) float64 { return ofDNS(s, mean(s.RTSum, s.Count)) }),
		Name: "time of lookups", Help: "from a query to its answer", Unit: "seconds", Source: "packet_services of proto dns", Tools: []string{"tshark -r FILE -T fields -e dns.time", "dig NAME   # Query time"},
		Traps: []string{"a cache makes the mean look good: look at the slowest"}, Healthy: "below 1 ms from a cache nearby"})
	PacketsPortUnreachable = add(Metric{ID: "packets.port-unreachable", Course: PacketsDNSUnanswered, Name: "port unreachable", Help: "ICMP messages that no process listens at the port a query was sent to", Unit: "count", Source: "packet_resolvers, refused", Tools: []string{"tshark -r FILE -Y 'icmp.type == 3 && icmp.code == 3'"},
		Traps: []string{"firewalls may say so although a process listens", "hosts limit how many of them they send (icmp_ratelimit): fewer come than queries"}, Healthy: "0"})
	TCPRecvQueue = add(Metric{ID: "tcp.recv-queue",
		Labels: []string{"netns", "remote"}, Series: total(connected(recording.TCPEstablished), socketID, func(s recording.TCPSample) float64 { return float64(s.RecvQueue) }),
		Name: "unread bytes", Help: "bytes that have arrived in a connection's socket and that the program has not read", Unit: "bytes",
		Source: "sock_diag, idiag_rqueue of an established socket", Tools: []string{"ss -tn   # Recv-Q"}, Traps: []string{"in LISTEN the same column counts connections"}, Healthy: "0 most of the time"})
	TCPRwndLimited = add(Metric{ID: "tcp.rwnd-limited", Course: TCPSendQueue, Counter: true, Name: "time held up by the peer's window", Help: "how long a connection had data to send that the window of its peer did not take", Unit: "seconds",
		Source: "tcp_info, tcpi_rwnd_limited", Tools: []string{"ss -tin   # rwnd_limited"}, Traps: []string{"fast transfers fill open windows and are fine"}, Healthy: "0 for small answers"})
	TCPPeerWindow = add(Metric{ID: "tcp.peer-window", Name: "window of the peer", Help: "bytes that the other end of a connection takes, as it last said", Unit: "bytes",
		Source: "tcp_info, tcpi_snd_wnd, since Linux 5.4", Tools: []string{"ss -tin   # snd_wnd"}, Traps: []string{"a window of 0 is normal for moments, if the network is faster than the reader"}, Healthy: "more than a segment"})
	TCPAckedRate = add(Metric{ID: "tcp.acked-rate", Counter: true, Name: "what peers acknowledge", Help: "bytes that the peers of a host's TCP connections acknowledged, with 66 bytes of headers for each segment that was sent: the median between readings, where it is steady",
		Unit: "bytes per second", Source: "tcp_info, tcpi_bytes_acked, tcpi_data_segs_out and tcpi_total_retrans", Tools: []string{"ss -tin   # bytes_acked, data_segs_out"}, Traps: []string{"a steady rate may be all that users ask for", "connections that end between two readings are counted in part"}})
	TCPSendQueue = add(Metric{ID: "tcp.send-queue",
		Labels: []string{"netns", "remote"}, Series: total(connected(recording.TCPEstablished), socketID, func(s recording.TCPSample) float64 { return float64(s.SendQueue) }),
		Name: "bytes that wait to be sent or acknowledged", Help: "bytes that the program has written and the peer has not acknowledged", Unit: "bytes",
		Source: "sock_diag, idiag_wqueue of an established socket", Tools: []string{"ss -tn   # Send-Q"}, Traps: []string{"large during any fast transfer"}, Healthy: "0 when nothing is sent"})
)
