package refusal

import "slices"

// Rules that judge lost segments and repeated ones.
var (
	ofLoss     = []string{"net/packet-loss", "net/rate-limited", "net/mtu-mismatch", "net/firewall-drops"}
	ofConnects = []string{
		"net/packet-loss", "net/accept-queue-full", "net/syn-flood", "net/syn-queue-full", "net/firewall-drops", "net/conntrack-full",
		"net/ephemeral-ports", "rt/connect-slow",
	}
)

// tcpCounters are those of TCP: /proc/net/snmp and netstat, kernel
// net/ipv4/proc.c and Documentation/networking/snmp_counter.rst.
var tcpCounters = slices.Concat(
	of("Tcp",
		volume("RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens CurrEstab InSegs OutSegs"),
		Counter{Names: "AttemptFails", Kind: Refused, Unit: "connects", Resource: "connects", Rules: append([]string{"net/resets"}, ofConnects...), PerSecond: 1,
			Means: "a connect, of a program here or of a client, that ended before the handshake was complete: refused, reset or timed out",
			Why:   "port scans, health checks of services that are down, and clients that try ::1 before 127.0.0.1 do so all day"},
		ordinary("EstabResets", "programs and load balancers end connections by a reset too; net/resets judges those that harm"),
		slowed("RetransSegs", "a segment was sent again", ofLoss...),
		Counter{Names: "InErrs", Kind: Refused, Unit: "segments", Resource: "packet delivery", Rules: ofLoss, Less: "InCsumErrors",
			Means: "a segment that was damaged or did not belong where it came"},
		Counter{Names: "InCsumErrors", Kind: Refused, Unit: "segments", Resource: "packet delivery", Rules: ofLoss,
			Means: "a segment with a wrong checksum, which was thrown away"},
		Counter{Names: "OutRsts", Kind: Refused, Unit: "segments", Resource: "connects", PerSecond: 50,
			Rules: []string{"net/resets", "rt/connect-slow", "rt/first-disconnect", "net/syn-flood", "cpu/softirq"},
			Less:  "=TcpExtTCPAbortOnData =TcpExtTCPAbortOnClose =TcpExtTCPAbortOnMemory =TcpExtTCPAbortOnTimeout =TcpExtTCPAbortOnLinger",
			Means: "a segment answered by a reset: no process listens on that port, or the connection is gone",
			Why:   "segments that cross the end of a connection are answered so, and scans of closed ports"},
	),
	of("TcpExt",
		// Handshakes at a listener.
		Counter{Names: "ListenOverflows", Kind: Refused, Unit: "connects", Resource: "accept queues", Rules: []string{"net/accept-queue-full"},
			Means: "a connect that was turned away because the accept queue of the listener was full"},
		Counter{Names: "ListenDrops", Kind: Refused, Unit: "SYNs", Resource: "half-open connections", Less: "ListenOverflows",
			Rules: []string{"net/syn-flood", "net/syn-queue-full", "net/accept-queue-full"},
			Means: "a connection request that a listener turned away for another reason than a full accept queue: the queue of half-open connections is full, or memory is short"},
		Counter{Names: "TCPReqQFullDrop", Kind: Refused, Unit: "SYNs", Resource: "half-open connections", Rules: []string{"net/syn-flood", "net/syn-queue-full"},
			Means: "a SYN that was dropped because the queue of half-open connections was full and syncookies are off"},
		slowed("TCPReqQFullDoCookies SyncookiesSent", "a SYN was answered with a cookie because the queue of half-open connections was full; the client comes through", "net/syn-flood"),
		volume("SyncookiesRecv"),
		Counter{Names: "SyncookiesFailed", Kind: Refused, Unit: "ACKs", Resource: "half-open connections", Rules: []string{"net/syn-flood"}, PerSecond: 1,
			Means: "an ACK at a listener that answers no cookie: its handshake is lost",
			Why:   "late segments of connections that ended are taken for such while cookies are in use"},
		Counter{Names: "EmbryonicRsts", Kind: Refused, Unit: "handshakes", Resource: "half-open connections", Rules: []string{"net/syn-flood"}, PerSecond: 10,
			Means: "a handshake that the client broke off with a reset",
			Why:   "port scans and TCP health checks do so by design"},
		Counter{Names: "TCPSynRetrans", Kind: Refused, Unit: "SYNs", Resource: "connects", Rules: ofConnects, PerSecond: 1,
			Means: "a SYN or SYN-ACK that was not answered in time and that was sent again; each costs its connect a second or more",
			Why:   "a host on the internet repeats SYN-ACKs to port scanners"},
		Counter{Names: "TCPMigrateReqFailure", Kind: Refused, Unit: "connects", Resource: "accept queues", Rules: []string{"net/accept-queue-full"},
			Means: "a connect lost when one of several listeners of a port was closed"},
		volume("TCPMigrateReqSuccess"),
		ordinary("TCPDeferAcceptDrop", "with TCP_DEFER_ACCEPT the bare ACK of each handshake is dropped by design; the data behind it counts"),
		ordinary("TCPFastOpenActiveFail TCPFastOpenPassiveFail TCPFastOpenListenOverflow TCPFastOpenBlackhole", "falls back to an ordinary handshake"),
		volume("TCPFastOpenActive TCPFastOpenPassive TCPFastOpenCookieReqd TCPFastOpenPassiveAltKey"),

		// Repair of losses: nothing failed yet.
		slowed("TCPRenoRecovery TCPSackRecovery TCPSACKReneging TCPLostRetransmit TCPRenoFailures TCPSackFailures TCPLossFailures TCPFastRetrans "+
			"TCPSlowStartRetrans TCPForwardRetrans TCPTimeouts TCPLossProbes TCPLossProbeRecovery TCPRenoRecoveryFail TCPSackRecoveryFail TCPSpuriousRTOs "+
			"TcpTimeoutRehash TcpDuplicateDataRehash TCPPLBRehash TCPLoss",
			"a step in the repair of lost segments", ofLoss...),
		ordinary("TCPSACKReorder TCPRenoReorder TCPTSReorder TCPFACKReorder TCPFullUndo TCPPartialUndo TCPDSACKUndo TCPLossUndo TCPDSACKOldSent TCPDSACKOfoSent "+
			"TCPDSACKRecv TCPDSACKOfoRecv TCPDSACKRecvSegs TCPDSACKIgnoredOld TCPDSACKIgnoredNoUndo TCPDSACKIgnoredDubious TCPSACKDiscard TCPSpuriousRtxHostQueues",
			"segments overtook each other or arrived twice; nothing was lost"),
		volume("TCPSackShifted TCPSackMerged TCPSackShiftFallback TCPOFOQueue TCPOFOMerge TCPRcvCoalesce TCPBacklogCoalesce TCPOrigDataSent TCPDelivered TCPDeliveredCE TCPAckCompressed"),
		Counter{Names: "TCPRetransFail TCPSchedulerFailed", Kind: Refused, Unit: "segments", Resource: "packet delivery", Rules: ofLoss,
			Means: "a segment that could not even be handed to the interface when it was due to be sent again: its queue, or memory, was full"},
		Counter{Names: "TCPAbortOnTimeout", Kind: Refused, Unit: "connections", Resource: "connections",
			Rules: append([]string{"net/resets", "rt/first-disconnect", "net/receiver-slow", "rt/server-slow"}, ofConnects...),
			Means: "a connection or connect given up because the other side did not answer any more"},

		// Data that came and was thrown away.
		slowed("PruneCalled TCPRcvCollapsed TCPWinProbe TCPToZeroWindowAdv TCPWantZeroWindowAdv TCPFromZeroWindowAdv TCPZeroWindowDrop",
			"the receive buffer is full: the program reads more slowly than data comes, and the sender waits", "net/receiver-slow", "cpu/one-thread-limit", "mysql/slow-reader"),
		Counter{Names: "RcvPruned OfoPruned TCPOFODrop TCPRcvQDrop", Kind: Refused, Unit: "segments", Resource: "readers of data", Rules: []string{"net/receiver-slow"},
			Means: "a received segment that was dropped for lack of memory; its sender has to send it again"},
		Counter{Names: "TCPBacklogDrop", Kind: Refused, Unit: "segments", Resource: "packet delivery", Rules: ofLoss,
			Means: "a segment thrown away because the socket was in use by its program and the backlog behind it full"},
		Counter{Names: "PFMemallocDrop", Kind: Refused, Unit: "packets", Resource: "memory", Rules: []string{"mem/reclaim", "mem/swapping"},
			Means: "a packet thrown away because it lay in the last reserve of memory"},
		ordinary("TCPPrequeueDropped", "taken out of one queue and put into another one"),
		Counter{Names: "TCPMD5NotFound TCPMD5Unexpected TCPMD5Failure TCPAORequired TCPAOBad TCPAOKeyNotFound", Kind: Refused, Unit: "segments", Resource: "packet delivery",
			Means: "a segment whose signature (TCP-MD5, TCP-AO) was missing, unexpected or wrong"},
		volume("TCPAOGood"),
		ordinary("TCPAODroppedIcmps", "ICMP messages that a signed connection does not believe, by design"),
		Counter{Names: "TCPMinTTLDrop", Kind: Refused, Unit: "packets", Resource: "packet delivery", PerSecond: 1,
			Means: "a packet that came from farther away than the program allows (IP_MINTTL)", Why: "that is what the setting is for"},
		Counter{Names: "IPReversePathFilter", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: ofLoss, PerSecond: 1,
			Means: "a packet dropped because the way back to its sender leaves by another interface (rp_filter)", Why: "stray broadcasts of other networks"},
		Counter{Names: "PAWSPassive PAWSActive PAWSTimewait TSEcrRejected", Kind: Refused, Unit: "segments", Resource: "TCP timestamps", Rules: []string{"net/paws-drops"},
			Means: "a SYN, or an answer to one, that was dropped because its timestamp is older than one seen before"},
		Counter{Names: "PAWSEstab", Kind: Refused, Unit: "segments", Resource: "TCP timestamps", Rules: []string{"net/paws-drops"}, PerSecond: 1,
			Means: "a segment of a connection dropped because of its old timestamp", Why: "copies of segments that were overtaken look the same"},
		ordinary("PAWSOldAck", "acknowledgements that were overtaken"),
		Counter{Names: "BeyondWindow", Kind: Refused, Unit: "segments", Resource: "packet delivery", Rules: []string{"net/receiver-slow"}, PerSecond: 1,
			Means: "a segment with data beyond the window that was offered", Why: "probes of closed windows look the same"},
		ordinary("OutOfWindowIcmps LockDroppedIcmps", "messages about connections that were late or came at a busy moment; they are repeated"),
		ordinary("TCPChallengeACK TCPSYNChallenge TCPACKSkipped*", "answers to odd segments, and the limit on them"),
		ordinary("ArpFilter", "answers withheld because arp_filter is set"),

		// Connections ended by this host.
		ordinary("TCPAbortOnData TCPAbortOnClose TCPAbortOnLinger TCPAbortOnSyn", "a program closed a connection with data unread or with SO_LINGER: its own choice; net/resets judges those that harm"),
		Counter{Names: "TCPAbortOnMemory TCPAbortFailed", Kind: Refused, Unit: "connections", Resource: "connections", Rules: []string{"mem/reclaim"}, Least: 1,
			Means: "a connection ended because TCP had no memory left, or too many connections without a program (tcp_max_orphans)"},
		Counter{Names: "TCPMemoryPressures", Kind: Refused, Unit: "times", Resource: "memory", Least: 1,
			Means: "TCP as a whole used more memory than tcp_mem allows without pressure: windows shrink and queues are pruned"},
		Counter{Names: "TCPMemoryPressuresChrono", Kind: Refused, Unit: "ms", Resource: "memory", Least: 1,
			Means: "time in which TCP was short of memory (tcp_mem)"},
		Counter{Names: "TCPWqueueTooBig", Kind: Refused, Unit: "segments", Resource: "connections", Least: 1,
			Means: "a segment not split because the write queue holds too many pieces; the connection usually ends"},
		Counter{Names: "TCPTimeWaitOverflow", Kind: Refused, Unit: "connections", Resource: "connections", Rules: []string{"net/ephemeral-ports"},
			Means: "a closed connection without its time in TIME_WAIT because tcp_max_tw_buckets was reached; late segments meet a closed port"},
		volume("TW TWRecycled TWKilled DelayedACKs DelayedACKLocked DelayedACKLost TCPHPHits TCPHPHitsToUser TCPPureAcks TCPHPAcks TCPPrequeued TCPDirectCopyFromBacklog "+
			"TCPDirectCopyFromPrequeue BusyPollRxPackets TCPAutoCorking TCPHystart* TCPKeepAlive TCPMTUPSuccess"),
		ordinary("TCPMTUPFail", "the search for the largest packet found one that is too large"),
	),
	of("MPTcpExt",
		Counter{Names: "MPJoinNoTokenFound MPJoinSynAckHMacFailure MPJoinAckHMacFailure MPJoinRejected MPJoinSynTxCreatSkErr MPJoinSynTxBindErr MPJoinSynTxConnectErr " +
			"MismatchPortSynRx MismatchPortAckRx", Kind: Refused, Unit: "subflows", Resource: "connections", Means: "another path of a multipath connection that could not join it"},
		Counter{Names: "DSSNotMatching DSSCorruptionReset DSSNoMatchTCP DataCsumErr NoDSSInWindow MPFailTx MPFailRx FallbackFailed", Kind: Refused, Unit: "segments", Resource: "connections",
			Means: "data of a multipath connection that did not fit or was damaged on the way"},
		Counter{Names: "AddAddrTxDrop AddAddrDrop EchoAddTxDrop RmAddrDrop RmAddrTxDrop", Kind: Refused, Unit: "messages", Resource: "connections",
			Means: "an announcement of an address of a multipath connection that was dropped"},
		ordinary("MPCapableFallback* MPCapableSYNTXDrop MPCapableSYNTXDisabled MPFallbackTokenInit DSSCorruptionFallback Blackhole MPCapableDataFallback MD5SigFallback DssFallback SimultConnectFallback "+
			"RcvWndConflict*", "goes on as ordinary TCP"),
		slowed("MPTCPRetrans SubflowStale WinProbe", "a path of a multipath connection lost data or stopped answering", ofLoss...),
		volume("MPCapable* MPJoinSynRx MPJoinSynBackupRx MPJoinSynAckRx MPJoinSynAckBackupRx MPJoinAckRx MPJoinSynTx MPJoinPort* InfiniteMapTx InfiniteMapRx OFOQueueTail OFOQueue OFOMerge "+
			"DuplicateData AddAddr AddAddrTx EchoAdd EchoAddTx PortAdd RmAddr RmAddrTx RmSubflow MPPrioTx MPPrioRx MPFastcloseTx MPFastcloseRx MPRstTx MPRstRx SubflowRecover SndWndShared RcvWndShared MPCurrEstab"),
	),
)
