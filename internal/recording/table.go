// Package recording is the evidence model: what rtrail saw, as it was read.
//
// Every table has one Go struct for its rows, and the struct is the schema:
// the same tags name the columns in memory, in the journal and in the Parquet
// segments. Tables hold counters as the source gave them, each row with the
// time of its reading. Nothing here derives a rate or judges a value.
//
// SCHEMA.md, in this folder, is the contract for readers outside of rtrail.
package recording

import (
	"time"
	"unsafe"
)

// Table is the name of a table, of its Parquet files, and of its key in a
// manifest.
type Table string

// The tables of this version. Each constant's comment says what one row is.
const (
	CPUs         Table = "cpus"          // time counters of one CPU, or of all (CPU -1)
	System       Table = "system"        // scheduler totals, load, file handles of the host
	Pressure     Table = "pressure"      // pressure stall information of one resource
	Memory       Table = "memory"        // /proc/meminfo
	VMStat       Table = "vmstat"        // /proc/vmstat
	Swaps        Table = "swaps"         // one swap area
	Zones        Table = "zones"         // one memory zone of one NUMA node
	Disks        Table = "disks"         // one block device
	Baselines    Table = "baselines"     // what a part of the host could do when it was measured
	Mounts       Table = "mounts"        // space and inodes of one mounted filesystem
	NetDevices   Table = "net_devices"   // one network interface of one network namespace
	Qdiscs       Table = "qdiscs"        // one queueing discipline of an interface
	Protocol     Table = "protocol"      // one protocol counter of one network namespace
	SoftIRQs     Table = "softirqs"      // one kind of softirq on one CPU
	Interrupts   Table = "interrupts"    // one interrupt line on one CPU
	Softnet      Table = "softnet"       // packet backlog of one CPU
	Conntrack    Table = "conntrack"     // connection tracking of one network namespace
	Firewall     Table = "firewall"      // one packet filter rule with its counters
	Sysctls      Table = "sysctls"       // one kernel setting
	NameServers  Table = "name_servers"  // one resolver that programs of a network namespace ask
	NetNamespace Table = "netns"         // one network namespace and who lives in it
	Processes    Table = "processes"     // one process
	Threads      Table = "threads"       // what one thread was doing at one instant
	Locks        Table = "locks"         // one thread that waited for a lock, and who held it
	Limits       Table = "limits"        // file descriptors and limits of one process
	Cgroups      Table = "cgroups"       // one control group
	TCPSockets   Table = "tcp_sockets"   // one TCP connection
	Listeners    Table = "listeners"     // one listening TCP socket
	UDPSockets   Table = "udp_sockets"   // one UDP socket
	SocketOwners Table = "socket_owners" // which process holds which socket
	OpenFiles    Table = "open_files"    // one open file of a process that moves much data
	KernelLog    Table = "kernel_log"    // one line of the kernel log

	ProcessEvents  Table = "process_events"  // one process that was made, began a program or ended
	OffCPU         Table = "off_cpu"         // how long one thread did not run for one reason
	OnCPU          Table = "on_cpu"          // how often one process was seen on a CPU with one stack
	Syscalls       Table = "syscalls"        // one system call of one process, with one result
	Allocations    Table = "allocations"     // what one process allocated and freed by one stack
	Syncs          Table = "syncs"           // one process that waited until one file was on the disk
	Files          Table = "files"           // what one process did with one file
	FileOpens      Table = "file_opens"      // one call that opened a file, or failed to
	PageCache      Table = "page_cache"      // what one process did to the page cache of one device
	BlockIO        Table = "block_io"        // requests for one operation of one device by one process
	PacketDrops    Table = "packet_drops"    // packets that the kernel dropped for one reason in one function
	TCPEvents      Table = "tcp_events"      // segments that one TCP connection sent again, or resets
	Connects       Table = "connects"        // TCP connects of one process to one destination, with one result
	ReceiveBuffers Table = "receive_buffers" // how often the receive buffer of one socket overflowed or grew
	EventPrograms  Table = "event_programs"  // what one BPF program at a tracepoint did and cost

	PacketCaptures     Table = "packet_captures"     // one capture of packets
	PacketConnections  Table = "packet_connections"  // one TCP connection of a capture
	PacketSides        Table = "packet_sides"        // what one side of such a connection sent
	PacketServices     Table = "packet_services"     // one service in one second of a capture
	PacketHistograms   Table = "packet_histograms"   // one bucket of a service's response or idle times
	PacketStatements   Table = "packet_statements"   // one statement, literals removed
	PacketErrors       Table = "packet_errors"       // one kind of error that one statement was answered by
	PacketTransactions Table = "packet_transactions" // one request with its answer
	PacketNestings     Table = "packet_nestings"     // requests to a host and the requests it sends meanwhile

	PacketPairs            Table = "packet_pairs"             // one service in captures of both sides
	PacketPairTransactions Table = "packet_pair_transactions" // one request in captures of both sides

	PacketPaths Table = "packet_paths" // what became of the packets of one side of a connection
	PacketRates Table = "packet_rates" // what one host sent to another one in one second

	PacketDirections Table = "packet_directions" // what a client and a server sent each other on all their connections
	PacketResolvers  Table = "packet_resolvers"  // what became of the queries to one server of DNS

	PacketStalls      Table = "packet_stalls"     // times in which a service answered no request
	PacketsUnanswered Table = "packet_unanswered" // requests of one statement that waited when its interval ended

	MySQLServers      Table = "mysql_servers"      // one look at a MySQL server: how it answered
	MySQLStatuses     Table = "mysql_status"       // one number of SHOW GLOBAL STATUS
	MySQLVariables    Table = "mysql_variables"    // one setting of a server
	MySQLSessions     Table = "mysql_sessions"     // one connection that does something
	MySQLClients      Table = "mysql_clients"      // the connections of one user from one client
	MySQLStates       Table = "mysql_states"       // the connections that do the same
	MySQLTransactions Table = "mysql_transactions" // one open transaction
	MySQLLockWaits    Table = "mysql_lock_waits"   // one connection that waits for another one
	MySQLStatements   Table = "mysql_statements"   // one statement, literals removed, with its counters
	MySQLInnoDBs      Table = "mysql_innodb"       // InnoDB in numbers
	MySQLLatches      Table = "mysql_latches"      // one thread that waits for a latch
	MySQLPoolGroups   Table = "mysql_pool_groups"  // one group of a thread pool
	MySQLPoolWaits    Table = "mysql_pool_waits"   // why threads of a pool waited
	MySQLReplicas     Table = "mysql_replicas"     // one replication channel
	MySQLErrors       Table = "mysql_errors"       // one kind of error given to clients
	MySQLPlans        Table = "mysql_plans"        // one line of the plan of a statement
	MySQLConditions   Table = "mysql_conditions"   // one condition of a statement that no index serves
	MySQLTables       Table = "mysql_tables"       // one of the largest tables of a server
	MySQLSlowLog      Table = "mysql_slow_log"     // one entry of a slow query log

	Stacks     Table = "stacks"      // one stack and how many threads or samples had it
	StackLocks Table = "stack_locks" // one lock in a dump of threads, with holder and waiters

	ProbeRuns   Table = "probe_runs"   // one run of one probe
	TableLosses Table = "table_losses" // how many rows of one table a run of a probe lacks
	Unseen      Table = "unseen"       // something a probe could not read, and why
)

// Row is implemented by every row type. All of them begin with a field At, the time
// when the row was read from its source.
type Row interface {
	// Table names the table the row belongs to.
	Table() Table
}

// TimeOf is when a row was read.
func TimeOf[T Row](row *T) time.Time { return *(*time.Time)(unsafe.Pointer(row)) }
