package recording

import (
	"slices"
	"sync"
)

// catalogue lists every table: its row type, and the columns that tell the
// things in it apart (a process, a socket, a device). Segments are sorted by
// them, because neighbours that hardly differ cost hardly any bytes. Rows tell of
// the moment at which they were read, where it says nothing else: see lifespan.
// A new table is one line here, its row type, and its page in SCHEMA.md.
var catalogue = []*kind{
	kindOf[CPUSample]("cpu"),
	kindOf[SystemSample](),
	kindOf[PressureSample]("resource"),
	kindOf[MemorySample](),
	kindOf[VMStatSample](),
	kindOf[SwapSample]("device"),
	kindOf[ZoneSample]("node", "zone"),
	kindOf[DiskSample]("device"),
	kindOf[BaselineValue]("kind", "thing", "what").lasts(""),
	kindOf[MountSample]("mount_ns", "mount_point"),
	kindOf[NetDeviceSample]("netns", "interface"),
	kindOf[QdiscSample]("netns", "interface", "handle", "parent"),
	kindOf[ProtocolSample]("netns", "protocol", "name"),
	kindOf[SoftIRQSample]("kind", "cpu"),
	kindOf[InterruptSample]("irq", "device", "cpu"),
	kindOf[SoftnetSample]("cpu"),
	kindOf[ConntrackSample]("netns"),
	kindOf[FirewallRule]("netns", "family", "table", "chain", "handle"),
	kindOf[SysctlSample]("netns", "name").lasts("netns", NetNamespace),
	kindOf[NameServer]("netns", "server", "via").lasts("netns", NetNamespace),
	kindOf[NetNSSample]("netns"),
	kindOf[ProcessSample]("pid", "started"),
	kindOf[ThreadSample]("pid", "tid"),
	kindOf[LockWait]("pid", "tid"),
	kindOf[LimitSample]("pid"),
	kindOf[CgroupSample]("version", "path"),
	kindOf[TCPSample]("netns", "local", "local_port", "remote", "remote_port", "inode").aged("since_send_ns", "last_send").aged("since_receive_ns", "last_receive"),
	kindOf[ListenerSample]("netns", "local", "port", "inode"),
	kindOf[UDPSample]("netns", "local", "local_port", "remote", "remote_port", "inode"),
	kindOf[SocketOwner]("inode", "pid", "fd").lasts("inode", TCPSockets, Listeners, UDPSockets),
	kindOf[OpenFile]("pid", "fd", "inode"),
	kindOf[KernelLogLine]("sequence").log(),
	kindOf[ProcessEvent]("pid", "started"),
	kindOf[OffCPUWait]("pid", "tid", "state"),
	kindOf[OnCPUSample]("pid", "started"),
	kindOf[SyscallSum]("pid", "call", "error"),
	kindOf[Allocation]("pid", "stack"),
	kindOf[SyncSum]("pid", "call", "path"),
	kindOf[FileSum]("pid", "kind", "path"),
	kindOf[FileOpen]("pid", "path"),
	kindOf[CacheSum]("pid", "device"),
	kindOf[BlockSum]("device", "operation", "pid"),
	kindOf[PacketDrop]("netns", "reason", "function", "protocol", "port"),
	kindOf[TCPEvent]("kind", "netns", "local", "local_port", "remote", "remote_port"),
	kindOf[Connect]("pid", "netns", "remote", "remote_port", "result"),
	kindOf[ReceiveBuffer]("kind", "netns", "protocol", "local", "local_port", "remote", "remote_port", "inode"),
	kindOf[EventProgram]("probe", "program"),
	kindOf[PacketCapture]("source").capture(),
	kindOf[PacketConnection]("server", "server_port", "id").capture(),
	kindOf[PacketSide]("connection", "sender").capture(),
	kindOf[PacketService]("server", "server_port", "proto").capture(),
	kindOf[PacketHistogram]("server", "server_port", "proto", "phase", "from_ns").capture(),
	kindOf[PacketStatement]("server", "server_port", "fingerprint").capture(),
	kindOf[PacketError]("server", "server_port", "fingerprint", "code").capture(),
	kindOf[PacketTransaction]("server", "server_port", "connection").capture(),
	kindOf[PacketNesting]("host", "port", "callee_port").capture(),
	kindOf[PacketPair]("server", "server_port", "backend", "backend_port", "proto").capture(),
	kindOf[PacketPairTransaction]("server", "server_port", "connection").capture(),
	kindOf[PacketPath]("connection", "sender").capture(),
	kindOf[PacketRate]("from", "to").capture(),
	kindOf[PacketDirection]("server", "server_port", "proto", "client", "sender").capture(),
	kindOf[PacketResolver]("server", "server_port").capture(),
	kindOf[PacketStall]("server", "server_port", "proto", "command", "fingerprint").capture(),
	kindOf[PacketUnanswered]("server", "server_port", "proto", "command", "fingerprint", "over_ns").capture(),
	kindOf[MySQLServer]("server"),
	kindOf[MySQLStatus]("server", "name"),
	kindOf[MySQLVariable]("server", "name").lasts(""),
	kindOf[MySQLSession]("server", "id"),
	kindOf[MySQLClient]("server", "user", "client"),
	kindOf[MySQLState]("server", "command", "state"),
	kindOf[MySQLTransaction]("server", "id"),
	kindOf[MySQLLockWait]("server", "waiting", "blocking"),
	kindOf[MySQLStatement]("server", "schema", "digest"),
	kindOf[MySQLInnoDB]("server"),
	kindOf[MySQLLatch]("server", "thread"),
	kindOf[MySQLPoolGroup]("server", "group"),
	kindOf[MySQLPoolWait]("server", "reason"),
	kindOf[MySQLReplica]("server", "channel"),
	kindOf[MySQLError]("server", "code"),
	kindOf[MySQLPlan]("server", "statement", "line"),
	kindOf[MySQLCondition]("server", "statement", "column", "form"),
	kindOf[MySQLTable]("server", "schema", "name"),
	kindOf[MySQLSlowQuery]("server", "session").log(),
	kindOf[StackSample]("source", "kind", "pid", "frames"),
	kindOf[StackLock]("source", "lock"),
	kindOf[ProbeRun]("probe"),
	kindOf[TableLoss]("probe", "table"),
	kindOf[UnseenNote]("probe", "what"),
}

// retired are tables of earlier versions that no rule read. Recordings have them, and nobody
// needs to hear that they are left out.
var retired = map[Table]bool{"slabs": true}

// retiredColumns are likewise columns.
var retiredColumns = map[Table]string{
	CPUs:         "guest_ns guest_nice_ns",
	Pressure:     "full_avg10_percent",
	Memory:       "swap_cached_bytes inactive_bytes mapped_bytes",
	VMStat:       "pgscan_direct pgsteal_kswapd pgsteal_direct workingset_refault_anon",
	Swaps:        "prio",
	Zones:        "min_pages low_pages active_anon_pages inactive_anon_pages active_file_pages inactive_file_pages",
	Disks:        "reads_merged writes_merged discards discard_time_ns queue_requests size_bytes",
	NetNamespace: "entered",
	Processes:    "oom_score oom_score_adj",
	Limits:       "locked_soft_bytes stack_soft_bytes address_soft_bytes",
	Cgroups:      "controllers refault_anon io_stall_ns swap_failures",
	TCPSockets:   "uid lost segs_in bytes_retrans wmem_queued_bytes snd_buf_bytes congestion",
	Listeners:    "uid",
	UDPSockets:   "uid send_queue_bytes",
	KernelLog:    "priority",
}

// kindByName finds a table's entry; nil when this version does not know it.
func kindByName(name Table) *kind { return kinds()[name] }

var kinds = sync.OnceValue(func() map[Table]*kind {
	all := make(map[Table]*kind, len(catalogue))
	for _, k := range catalogue {
		all[k.name] = k
	}
	return all
})

// AllTables lists the tables this version knows, sorted by name.
func AllTables() []Table {
	names := make([]Table, len(catalogue))
	for i, k := range catalogue {
		names[i] = k.name
	}
	slices.Sort(names)
	return names
}
