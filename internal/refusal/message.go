package refusal

import "slices"

// messageCounters are those of sockets for messages beside TCP and UDP: SCTP
// (/proc/net/sctp/snmp, net/sctp/proc.c) and netlink (/proc/net/netlink).
//
// Not here, because the kernel does not show them to others:
//   - Packets that AF_PACKET sockets lost: PACKET_STATISTICS tells them to the
//     owner only, and forgets them with the telling. /proc/net/packet has none.
//   - Unix sockets lose nothing: a sender waits or gets EAGAIN, which nobody counts.
var messageCounters = slices.Concat(
	of("Netlink", Counter{Names: "Drops", Kind: Refused, Unit: "messages", Resource: "packet delivery",
		PerSecond: 10, Why: "a monitor that was stopped loses all that it is told",
		Means: "a message of the kernel (a change of a route or an address, a tracked connection, an audit record) that a program did not read in time: it works with what it knew before. Rising numbers in column Drops of /proc/net/netlink name its port, which is its PID as a rule"}),
	of("Sctp",
		volume("CurrEstab ActiveEstabs PassiveEstabs Shutdowns OutCtrlChunks OutOrderChunks OutUnorderChunks InCtrlChunks InOrderChunks InUnorderChunks "+
			"FragUsrMsgs ReasmUsrMsgs OutSCTPPacks InSCTPPacks InPktSoftirq InPktBacklog"),
		ordinary("DelaySackExpireds AutocloseExpireds", "a timer of every healthy association"),
		ordinary("PmtudRetransmits FastRetransmits T3Retransmits", "repaired, as TCP does; what no timer repaired is counted by T3RtxExpireds"),
		ordinary("OutOfBlues", "a packet of an association that has ended, as those still on their way"),
		Counter{Names: "Aborteds", Kind: Refused, Unit: "associations", Resource: "connections", Means: "an SCTP association that one side ended with ABORT",
			PerSecond: 1, Why: "some programs end every association so"},
		Counter{Names: "ChecksumErrors", Kind: Refused, Unit: "packets", Resource: "packet delivery", Means: "an SCTP packet with a damaged checksum"},
		Counter{Names: "InPktDiscards InDataChunkDiscards", Kind: Refused, Unit: "packets", Resource: "packet delivery", Means: "SCTP data that was received and thrown away"},
		Counter{Names: "T1InitExpireds T1CookieExpireds", Kind: Refused, Unit: "handshakes", Resource: "connects", Means: "an SCTP handshake whose packet was not answered in time"},
		Counter{Names: "T3RtxExpireds", Kind: Refused, Unit: "timeouts", Resource: "packet delivery", PerSecond: 1,
			Means: "SCTP data that was not acknowledged in time and has to be sent again", Why: "a few losses are everyday life on any path"},
		Counter{Names: "T2ShutdownExpireds T4RtoExpireds T5ShutdownGuardExpireds", Kind: Refused, Unit: "timeouts", Resource: "connections",
			Means: "a peer of an SCTP association that did not answer its end or a change of its addresses"}),
)
