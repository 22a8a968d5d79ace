package refusal

import "slices"

// ofUDP are the counters of UDP and UDP-Lite, which differ in their prefix.
func ofUDP(prefix string) []Counter {
	return of(prefix,
		volume("InDatagrams OutDatagrams"),
		Counter{Names: "NoPorts", Kind: Refused, Unit: "datagrams", Resource: "packet delivery", Rules: []string{"net/dns-unreachable", "cpu/softirq"}, PerSecond: 2,
			Means: "a datagram to a port on which no process listens", Why: "port scans, and lookups to a resolver that does not run"},
		Counter{Names: "InErrors", Kind: Refused, Unit: "datagrams", Resource: "packet delivery", Less: "RcvbufErrors InCsumErrors MemErrors", PerSecond: 1,
			Means: "a received datagram that did not reach its socket, for another reason than a full buffer or a wrong checksum",
			Why:   "programs have filters at their sockets, and what a filter does not want is counted here"},
		Counter{Names: "RcvbufErrors", Kind: Refused, Unit: "datagrams", Resource: "UDP receive buffers", Rules: []string{"net/udp-buffer", "cpu/softirq"},
			Means: "a received datagram thrown away because the buffer of its socket was full: the program reads more slowly than they come"},
		Counter{Names: "SndbufErrors", Kind: Refused, Unit: "datagrams", Resource: "packet delivery",
			Means: "a datagram that could not be sent because the buffer of its socket, or the queue of the interface, was full"},
		Counter{Names: "InCsumErrors", Kind: Refused, Unit: "datagrams", Resource: "packet delivery", Means: "a datagram with a wrong checksum, which was thrown away"},
		Counter{Names: "MemErrors", Kind: Refused, Unit: "datagrams", Resource: "memory", Least: 1, Means: "a datagram thrown away because UDP as a whole has no memory left (udp_mem)"},
		ordinary("IgnoredMulti", "multicasts that no process here asked for"),
	)
}

// ofIP are the counters of IP, of version 4 and 6.
func ofIP(prefix string) []Counter {
	return of(prefix,
		volume("Forwarding DefaultTTL InReceives ForwDatagrams OutForwDatagrams InDelivers OutRequests OutTransmits ReasmReqds ReasmOKs FragOKs FragCreates "+
			"InMcast* OutMcast* InBcast* OutBcast* InOctets OutOctets InNoECTPkts InECT1Pkts InECT0Pkts"),
		ordinary("InCEPkts", "a queue on the path marks packets instead of dropping them; the sender slows down"),
		Counter{Names: "InHdrErrors", Kind: Refused, Unit: "packets", Resource: "packet delivery", PerSecond: 1,
			Means: "a packet with a damaged header, or whose hop limit ran out here", Why: "traceroute through a router looks so"},
		Counter{Names: "InAddrErrors", Kind: Refused, Unit: "packets", Resource: "packet delivery", PerSecond: 1,
			Means: "a packet that is not for this host, which does not forward", Why: "switches flood packets of others now and then"},
		Counter{Names: "InUnknownProtos", Kind: Refused, Unit: "packets", Resource: "packet delivery", PerSecond: 5,
			Means: "a packet of a protocol that this host does not know", Why: "routers greet each other once a second (VRRP, OSPF, PIM)"},
		Counter{Names: "OutDiscards", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: ofLoss, PerSecond: 1,
			Means: "a packet that could not be sent: a filter, a full queue of the interface, no memory", Why: "IPv6 greetings on interfaces without it"},
		Counter{Names: "InTooBigErrors FragFails", Kind: Refused, Unit: "packets", Resource: "packet sizes", Rules: []string{"net/mtu-mismatch", "net/packet-loss"}, PerSecond: 1,
			Means: "a packet that is too large for the next link and must not be split", Why: "each new path is found out by such a packet"},
		Counter{Names: "InNoRoutes", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: ofLoss, PerSecond: 1,
			Means: "a packet to forward for which there is no route", Why: "scans of unused addresses"},
		Counter{Names: "InTruncatedPkts InCsumErrors ReasmOverlaps", Kind: Refused, Unit: "packets", Resource: "packet delivery", Means: "a damaged packet, or overlapping fragments, thrown away"},
		Counter{Names: "ReasmFails", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: ofLoss,
			Means: "a packet in fragments that could not be put together: one of them is missing, or memory for fragments is full"},
		ordinary("ReasmTimeout", "the part of ReasmFails in which a fragment did not come in time"),
	)
}

// ipCounters are those of IP, ICMP, UDP and IPsec (net/ipv4/proc.c, net/ipv6/proc.c, net/xfrm/xfrm_proc.c).
var ipCounters = slices.Concat(
	[]Counter{
		{Names: "IpInDiscards", Kind: Refused, Unit: "packets", Resource: "packet delivery", Means: "a received packet thrown away although nothing was wrong with it: no memory"},
		{Names: "Ip6InDiscards", Kind: Refused, Unit: "packets", Resource: "packet delivery", PerSecond: 10,
			Means: "a received IPv6 packet thrown away: no memory, or IPv6 is switched off on that interface", Why: "neighbours greet those that have it switched off"},
		{Names: "IpOutNoRoutes", Kind: Refused, Unit: "packets", Resource: "packet delivery", PerSecond: 1,
			Means: "a packet or connect for which there is no route", Why: "programs try addresses of networks that are not connected"},
		ordinary("Ip6OutNoRoutes", "on hosts without IPv6 each name lookup tries whether there is a route"),
	},
	ofIP("IpExt"), ofIP("Ip6"), ofIP("Ip"),
	of("Icmp", icmp()...), of("Icmp6", icmp()...),
	[]Counter{volume("IcmpMsg*")},
	ofUDP("UdpLite6"), ofUDP("UdpLite"), ofUDP("Udp6"), ofUDP("Udp"),
	of("Xfrm", Counter{Names: "In* Out* Fwd* Acquire*", Kind: Refused, Unit: "packets", Resource: "packet delivery", Means: "a packet that IPsec could not handle and threw away"}),
	of("Tls",
		Counter{Names: "DecryptError TxRekeyError RxRekeyError", Kind: Refused, Unit: "records", Resource: "connections", Means: "a TLS record that the kernel could not decrypt, or a failed change of keys; the connection ends"},
		ordinary("DecryptRetry RxNoPadViolation RxDeviceResync", "done once more, in software"),
		volume("CurrTx* CurrRx* Tx* Rx*")),
	[]Counter{volume("Sock*")},
	of("ArpCache", neighbours()...), of("NdiscCache", neighbours()...),
	of("RtCache",
		volume("entries in_hit in_slow_tot in_slow_mc in_brd out_hit out_slow_tot out_slow_mc gc_total gc_ignored in_hlist_search out_hlist_search"),
		ordinary("in_no_route", "counted by IpExtInNoRoutes as well, which is listed"),
		ordinary("gc_goal_miss", "the next collection finds more"),
		Counter{Names: "in_martian_dst in_martian_src", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: ofLoss, PerSecond: 1,
			Means: "a packet dropped because its address cannot come from there", Why: "stray broadcasts of other networks"},
		Counter{Names: "gc_dst_overflow", Kind: Refused, Unit: "packets", Resource: "packet delivery", Least: 1, Means: "a packet dropped because the cache of routes was full"},
	),
	of("Synproxy",
		volume("entries syn_received cookie_valid cookie_retrans conn_reopened"),
		Counter{Names: "cookie_invalid", Kind: Refused, Unit: "ACKs", Resource: "half-open connections", Rules: []string{"net/syn-flood"}, PerSecond: 1,
			Means: "an ACK that answers no cookie of the SYN proxy: its handshake is lost", Why: "late segments of connections that ended look the same"},
	),
)

// neighbours are the counters of a table of addresses on the link
// (/proc/net/stat/arp_cache and ndisc_cache, net/core/neighbour.c).
func neighbours() []Counter {
	return []Counter{
		volume("entries allocs destroys hash_grows lookups hits rcv_probes_mcast rcv_probes_ucast periodic_gc_runs forced_gc_runs"),
		{Names: "res_failed", Kind: Refused, Unit: "addresses", Resource: "packet delivery", PerSecond: 1,
			Means: "a host on the same link that did not answer the question for its hardware address", Why: "hosts that are switched off are tried now and then"},
		{Names: "unresolved_discards", Kind: Refused, Unit: "packets", Resource: "packet delivery", PerSecond: 1,
			Means: "a packet thrown away because too many wait for the hardware address of its receiver (neigh/default/unres_qlen_bytes)",
			Why:   "packets to hosts that are switched off"},
		{Names: "table_fulls", Kind: Refused, Unit: "packets", Resource: "packet delivery", Least: 1,
			Means: "a packet dropped because the table of hosts on the same link is full (neigh/default/gc_thresh3)"},
	}
}

func icmp() []Counter {
	return []Counter{
		volume("InMsgs OutMsgs InEchos InEchoReps InEchoReplies InTimestamps InTimestampReps InAddrMasks InAddrMaskReps OutEchos OutEchoReps OutEchoReplies OutTimestamps OutTimestampReps " +
			"OutAddrMasks OutAddrMaskReps InGroupMemb* OutGroupMemb* InRouter* OutRouter* InNeighbor* OutNeighbor* InMLDv2Reports OutMLDv2Reports InType* OutType*"),
		ordinary("InErrors", "messages about connections that have ended"),
		ordinary("InRedirects OutRedirects InSrcQuenchs OutSrcQuenchs", "advice on routes and rates"),
		ordinary("OutDestUnreachs OutTimeExcds OutParmProbs OutParmProblems OutPktTooBigs", "the answer to a packet that is counted where it was refused: NoPorts, a REJECT rule, InHdrErrors, FragFails"),
		ordinary("OutRateLimitGlobal OutRateLimitHost", "answers withheld by icmp_ratelimit, by design; what they answer is counted where it was refused"),
		{Names: "InCsumErrors", Kind: Refused, Unit: "messages", Resource: "packet delivery", Means: "an ICMP message with a wrong checksum"},
		{Names: "OutErrors", Kind: Refused, Unit: "messages", Resource: "packet delivery", PerSecond: 1, Means: "an ICMP message that could not be sent", Why: "answers to forged addresses find no route"},
		{Names: "InDestUnreachs InParmProbs InParmProblems", Kind: Refused, Unit: "messages", Resource: "packet delivery", PerSecond: 1,
			Rules: []string{"net/dns-unreachable", "net/mtu-mismatch", "net/packet-loss", "rt/connect-slow"},
			Means: "a message that a packet of this host did not arrive: no process listens on a port of UDP, a firewall, no route",
			Why:   "the largest packet of each path is found out so, and lookups go to resolvers that do not run"},
		{Names: "InPktTooBigs", Kind: Refused, Unit: "messages", Resource: "packet sizes", PerSecond: 1, Rules: []string{"net/mtu-mismatch", "net/packet-loss"},
			Means: "a message that a packet of this host is too large for a link on its way", Why: "the largest packet of each path is found out so"},
		{Names: "InTimeExcds", Kind: Refused, Unit: "messages", Resource: "packet delivery", PerSecond: 5, Rules: []string{"net/packet-loss"},
			Means: "a message that a packet of this host went in a circle, or that fragments of it were lost", Why: "traceroute and mtr live on them"},
	}
}
