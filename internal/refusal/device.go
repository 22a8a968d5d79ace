package refusal

// deviceCounters are those of interfaces (/proc/net/dev, net/core/net-procfs.c;
// Documentation/networking/statistics.rst).
var deviceCounters = []Counter{
	volume("rx_bytes rx_packets tx_bytes tx_packets"),
	{Names: "rx_errors", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: append([]string{"net/nic-drops"}, ofLoss...), Less: "rx_fifo", Means: "a packet received with a damaged frame: cable, port, driver"},
	{Names: "rx_dropped", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: append([]string{"net/nic-drops", "net/softnet", "cpu/softirq"}, ofLoss...), PerSecond: 10, Share: 1e-4, Of: "rx_packets",
		Means: "a received packet that the interface or the kernel threw away before anybody looked at it",
		Why:   "packets of protocols that this host does not speak (LLDP, spanning tree, unknown VLANs) come some times a second and are counted here"},
	{Names: "rx_fifo", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: append([]string{"net/nic-drops", "cpu/softirq"}, ofLoss...), Means: "a packet that came when the receive ring was full"},
	{Names: "tx_errors", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: ofLoss, Less: "tx_carrier tx_fifo", Means: "a packet that could not be transmitted"},
	{Names: "tx_dropped", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: ofLoss, PerSecond: 5, Share: 1e-4, Of: "tx_packets",
		Means: "a packet that the driver threw away instead of transmitting it",
		Why:   "broadcasts to virtual devices that no process reads at the moment"},
	{Names: "tx_fifo tx_carrier", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: append([]string{"net/nic-drops"}, ofLoss...), Means: "a packet lost in the transmit ring or on a link that went away"},
	slowed("collisions", "a packet was sent again after a collision on a half-duplex link", ofLoss...),
	// The rest is in /sys/class/net/INTERFACE/statistics only, where the sums above
	// are split (dev_seq_printf_stats in net/core/net-procfs.c adds them up).
	volume("multicast rx_compressed tx_compressed"),
	ordinary("rx_crc_errors rx_frame_errors rx_length_errors rx_over_errors", "parts of rx_errors, or what it was for; that one is judged"),
	ordinary("rx_missed_errors", "a part of rx_dropped as /proc/net/dev prints it, which is judged"),
	ordinary("rx_fifo_errors tx_fifo_errors", "rx_fifo and tx_fifo under another name, which are judged"),
	ordinary("tx_aborted_errors tx_carrier_errors tx_heartbeat_errors tx_window_errors", "parts of tx_carrier as /proc/net/dev prints it, which is judged"),
	ordinary("rx_nohandler", "frames on an interface that takes no part, as the standby of a bond; their copies arrive on the active one"),
}

// softnetCounters are those of packets between interface and protocol
// (/proc/net/softnet_stat, net/core/net-procfs.c).
var softnetCounters = []Counter{
	volume("processed received_rps backlog_length cpu input_qlen process_qlen"),
	ordinary("unused3 unused4 unused5 unused6 unused7", "0 since the fast route went (2.6.33)"),
	ordinary("cpu_collision", "another CPU held the lock of the transmit queue for a moment; 0 since 4.7"),
	ordinary("flow_limit", "counted in dropped as well, which is judged"),
	{Names: "dropped", Kind: Refused, Unit: "packets", Resource: "packet delivery", Rules: append([]string{"net/softnet", "cpu/softirq"}, ofLoss...),
		Means: "a received packet thrown away because the backlog of a CPU was full (netdev_max_backlog)"},
	slowed("squeezed", "a round of receiving ended with packets left, because its budget was used up", "net/softnet", "cpu/softirq", "cpu/saturated"),
}

// conntrackCounters are those of connection tracking
// (/proc/net/stat/nf_conntrack, net/netfilter/nf_conntrack_standalone.c).
var conntrackCounters = []Counter{
	volume("entries found new insert delete delete_list searched ignore expect_new expect_create expect_delete"),
	{Names: "drop", Kind: Refused, Unit: "packets", Resource: "connection tracking", Rules: []string{"net/conntrack-full"}, Means: "a packet of a new connection dropped because the table was full"},
	{Names: "early_drop", Kind: Refused, Unit: "connections", Resource: "connection tracking", Rules: []string{"net/conntrack-full"}, Means: "a tracked connection forgotten to make room in the full table"},
	{Names: "insert_failed", Kind: Refused, Unit: "packets", Resource: "connection tracking", Rules: []string{"net/conntrack-full", "net/dns-slow"},
		Means: "a packet dropped because two packets of the same flow raced for an entry, as two lookups of a name from one port do"},
	{Names: "chaintoolong chainlength", Kind: Refused, Unit: "packets", Resource: "connection tracking", Rules: []string{"net/conntrack-full"}, Least: 1,
		Means: "a packet dropped because too many entries share a bucket of the table"},
	ordinary("invalid", "a packet that fits no connection, as those after its end; nothing is dropped unless a rule of the packet filter does so, and that is counted there"),
	ordinary("icmp_error", "messages about packets of connections that are not tracked"),
	ordinary("clashres search_restart", "a race that was resolved"),
}
