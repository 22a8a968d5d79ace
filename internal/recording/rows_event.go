package recording

import "time"

// Kinds of ProcessEvent.
const (
	ProcessForked = "fork" // a process was made; threads have no rows
	ProcessExec   = "exec" // it began another program
	ProcessExited = "exit" // its last thread ended
)

// ProcessEvent is one thing that happened to a process, told by the kernel as it
// happened.
type ProcessEvent struct {
	At       time.Time     `parquet:"at,timestamp(nanosecond)"` // when it happened
	Kind     string        `parquet:"kind,dict"`                // fork, exec, exit
	PID      int32         `parquet:"pid"`
	PPID     int32         `parquet:"ppid"`                          // of a fork: who made it; else who would be told of its end; 0: outside of the PID namespace
	Started  time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of a process
	Comm     string        `parquet:"comm,dict"`                     // of a fork: the parent's name
	Cmdline  string        `parquet:"cmdline,dict"`                  // of exec, and of an exit after one that was seen: arguments joined by blanks, cut at 256 bytes, secrets masked
	Lifetime time.Duration `parquet:"lifetime_ns"`                   // of an exit: since the process was made; else Unknown
	CPUTime  time.Duration `parquet:"cpu_time_ns"`                   // of an exit: all threads, at least; else Unknown
	Status   int32         `parquet:"exit_status"`                   // of an exit by itself: 0 to 255; else Unknown
	Signal   int32         `parquet:"signal"`                        // that ended it; 0: none
}

// OffCPUWait is how long one thread did not run for one reason in a stretch of
// time that ends with the row. Blocked time is sampled, once for every step of it of a
// thread, so that sums of a few steps are rough; runnable time is exact.
type OffCPUWait struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID        int32         `parquet:"pid"`
	TID        int32         `parquet:"tid"`                           // 0: several threads
	Started    time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process    string        `parquet:"process,dict"`
	Thread     string        `parquet:"thread,dict"`
	State      string        `parquet:"state,dict"` // R: runnable, without a CPU; S D T t and others: blocked, as in threads
	Span       time.Duration `parquet:"span_ns"`    // how long the stretch is
	Traced     time.Duration `parquet:"traced_ns"`  // of that, programs were attached, at random: sums are of this time; 0: all of it
	Step       time.Duration `parquet:"step_ns"`    // blocked time that one sample stands for
	Waited     time.Duration `parquet:"waited_ns"`
	Waits      float64       `parquet:"waits"`            // how many ended, estimated; 0 of runnable time
	Longest    time.Duration `parquet:"longest_ns"`       // of those that were sampled
	Stack      string        `parquet:"stack,dict"`       // in the kernel, innermost first, joined by ';'; "" if not known
	Waker      string        `parquet:"waker,dict"`       // name of the thread that ended it; "": it has not ended, or an interrupt ended it
	WakerPID   int32         `parquet:"waker_pid"`        // 0: none, or out of sight
	WakerTID   int32         `parquet:"waker_tid"`        // of the longest wait; of waits for one futex: of all
	Interrupt  string        `parquet:"interrupt,dict"`   // kind of interrupt that ended it: timer, network, block; "": none
	WakerStack string        `parquet:"waker_stack,dict"` // in the kernel, as stack
	Lock       uint64        `parquet:"lock"`             // address of the futex that it waited for, in the process; 0: none
	Mutex      bool          `parquet:"mutex"`            // the futex is one of a lock that is held, by the value that is expected; else a condition, a semaphore, an idle thread
	// Of waits for a futex: where in the kernel the waker last slept for long meanwhile;
	// as stack. The waker is then who held the lock longest, also if another one woke.
	HolderStack string `parquet:"holder_stack,dict"`
	// Of waits that were sampled and whose stack in the program was copied: functions of the
	// program, innermost first, joined by ';', which end in "..." if there are more callers
	// than were seen; "" if it was not copied, or not yet named.
	UserStack string `parquet:"user_stack,dict"`
	Caller    string `parquet:"caller,dict"` // the innermost of them that is not of the C library or of Go's runtime
}

// SyscallSum is the calls of one system call that one process made with one result in
// a stretch of time that ends with the row. Of calls that began before programs were
// attached the time since then counts.
type SyscallSum struct {
	At       time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID      int32         `parquet:"pid"`
	Started  time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process  string        `parquet:"process,dict"`
	Call     string        `parquet:"call,dict"` // name; "others": several that had little time each; "32-bit": all of 32-bit programs
	Error    int32         `parquet:"error"`     // number of errno; 0: the calls succeeded
	Span     time.Duration `parquet:"span_ns"`   // how long the stretch is
	Traced   time.Duration `parquet:"traced_ns"` // of that, programs were attached, at random: sums are of this time; 0: all of it
	Calls    int64         `parquet:"calls"`
	Time     time.Duration `parquet:"time_ns"` // in the calls, waits included
	Longest  time.Duration `parquet:"longest_ns"`
	Returned int64         `parquet:"returned"` // sum of the results above 0: of read and write the bytes
	Nothing  int64         `parquet:"nothing"`  // calls with the result 0
}

// Allocation is what one process allocated and freed by one stack, in a stretch of time
// that ends with the row. Of its blocks some are followed; numbers of bytes are
// estimates of all of them.
type Allocation struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID         int32         `parquet:"pid"`
	Started     time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process     string        `parquet:"process,dict"`
	Span        time.Duration `parquet:"span_ns"`       // how long the stretch is
	Function    string        `parquet:"function,dict"` // that asks for the memory, libraries that hand on requests left out
	Module      string        `parquet:"module,dict"`   // file of the program or library it is in
	Source      string        `parquet:"source,dict"`   // its file and line; "" if not known
	Stack       string        `parquet:"stack,dict"`    // functions, innermost first, separated by ";"
	Blocks      int64         `parquet:"blocks"`        // followed ones that were allocated
	Bytes       int64         `parquet:"bytes"`         // that they stand for
	FreedBlocks int64         `parquet:"freed_blocks"`  // followed ones that were freed, whenever allocated
	FreedBytes  int64         `parquet:"freed_bytes"`   // that they stood for
}

// SyncSum is the calls of one process that wait until data of one file is on the
// disk, in a stretch of time that ends with the row.
type SyncSum struct {
	At        time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID       int32         `parquet:"pid"`
	Started   time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process   string        `parquet:"process,dict"`
	Call      string        `parquet:"call,dict"`   // fsync, fdatasync, sync_file_range, msync, sync, syncfs; of ext4 alone also write and others with O_SYNC, and "in the kernel": by a thread of it
	Path      string        `parquet:"path,dict"`   // of the file, in the mount namespace of the process; "" if the call names none, or it is not known
	Device    string        `parquet:"device,dict"` // number of the filesystem of the file: "8:1"; "" without a file
	Span      time.Duration `parquet:"span_ns"`     // how long the stretch is
	Traced    time.Duration `parquet:"traced_ns"`   // of that, programs were attached, at random: sums are of this time; 0: all of it
	Calls     int64         `parquet:"calls"`
	Errors    int64         `parquet:"errors"` // calls that failed
	Time      time.Duration `parquet:"time_ns"`
	Longest   time.Duration `parquet:"longest_ns"`
	Histogram string        `parquet:"histogram"` // calls by time: "64us:3 128us:17" are 3 of less than 64 us, and 17 of 64 to less than 128
}

// Kinds of FileSum.
const (
	FileRegular   = "file"
	FileDirectory = "directory"
	FileBlock     = "block device"
	FileSpecial   = "special" // pipes, terminals and other devices: only opens are counted
	FileOthers    = "others"  // regular files and devices that have no row of their own
	FileNone      = "none"    // opens that failed, and deletions
)

// FileSum is what one process did with one file in a stretch of time that ends with the
// row, by system calls. Files that are mapped into memory, and io_uring, are not seen.
type FileSum struct {
	At            time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID           int32         `parquet:"pid"`
	Started       time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process       string        `parquet:"process,dict"`
	Kind          string        `parquet:"kind,dict"`   // file, directory, block device, special; others: all that have no row of their own; none: opens that failed, and deletions without a path
	Path          string        `parquet:"path,dict"`   // in the mount namespace of the process; "" if not known
	Device        string        `parquet:"device,dict"` // number of the filesystem, of a block device its own: "8:1"; "" without a file, and of deletions alone
	Span          time.Duration `parquet:"span_ns"`     // how long the stretch is
	Traced        time.Duration `parquet:"traced_ns"`   // of that, programs were attached, at random: sums are of this time; 0: all of it
	Size          int64         `parquet:"size"`        // of the file when it was first used in the stretch, bytes
	Reads         int64         `parquet:"reads"`       // calls that did not fail
	ReadBytes     int64         `parquet:"read_bytes"`
	Writes        int64         `parquet:"writes"`
	WrittenBytes  int64         `parquet:"written_bytes"`
	SmallWrites   int64         `parquet:"small_writes"` // of the writes, those of less than 4 KiB
	SmallBytes    int64         `parquet:"small_bytes"`
	DirectRead    int64         `parquet:"direct_read"` // bytes past the page cache (O_DIRECT)
	DirectWritten int64         `parquet:"direct_written"`
	Opens         int64         `parquet:"opens"`
	FailedOpens   int64         `parquet:"failed_opens"`
	Created       int64         `parquet:"created"`         // opens that made the file
	Deleted       int64         `parquet:"deleted"`         // calls of unlink, unlinkat and rmdir
	ReadCall      string        `parquet:"read_call,dict"`  // the system call that read last: "pread64"; "" if none did, or of many files
	WriteCall     string        `parquet:"write_call,dict"` // the same of writes
}

// FileOpen is one call that opened a file, or failed to.
type FileOpen struct {
	At      time.Time `parquet:"at,timestamp(nanosecond)"` // when it ended
	PID     int32     `parquet:"pid"`
	Started time.Time `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process string    `parquet:"process,dict"`
	FD      int32     `parquet:"fd"`        // Unknown: it failed
	Error   int32     `parquet:"error"`     // number of errno; 0: none
	Flags   uint32    `parquet:"flags"`     // of open(2), as this architecture numbers them
	Path    string    `parquet:"path,dict"` // as the process gave it, a relative one with its directory
}

// CacheSum is what one process did to the page cache with files of one device in a
// stretch of time that ends with the row. Numbers are of pages.
type CacheSum struct {
	At      time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID     int32         `parquet:"pid"`                           // in which it happened: of pages that are reclaimed often a thread of the kernel; 0: several that have no row of their own
	Started time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process string        `parquet:"process,dict"`
	Device  string        `parquet:"device,dict"`   // number of the filesystem, of a block device its own: "8:1"
	Span    time.Duration `parquet:"span_ns"`       // how long the stretch is
	Traced  time.Duration `parquet:"traced_ns"`     // of that, programs were attached, at random: sums are of this time; 0: all of it
	Read    int64         `parquet:"read_pages"`    // that reads asked for, as far as the file has them; a page that is read in parts counts each time
	Faulted int64         `parquet:"faulted_pages"` // that accesses of mapped files asked for
	Added   int64         `parquet:"added_pages"`   // for reads, by readahead or for writes
	Waited  int64         `parquet:"waited_pages"`  // of those, that the read or access which added them had asked for; more were read ahead
	Fresh   int64         `parquet:"fresh_pages"`   // of those, that were written to right away
	Dirtied int64         `parquet:"dirtied_pages"` // that were clean and were written to
	Removed int64         `parquet:"removed_pages"` // by reclaim, because the file was deleted or cut, or because the process asked for it
}

// BlockSum is the requests for one operation of one block device that one process
// made, of those that ended in a stretch of time that ends with the row. Requests that
// began before programs were attached are left out.
type BlockSum struct {
	At             time.Time     `parquet:"at,timestamp(nanosecond)"`
	Device         string        `parquet:"device,dict"`                   // kernel name: "sda"; "8:0" if it has gone
	Operation      string        `parquet:"operation,dict"`                // read, write, flush, discard and others
	PID            int32         `parquet:"pid"`                           // in which the request was made: of buffered writes often a thread of the kernel
	Started        time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process        string        `parquet:"process,dict"`
	Span           time.Duration `parquet:"span_ns"`   // how long the stretch is
	Traced         time.Duration `parquet:"traced_ns"` // of that, programs were attached, at random: sums are of this time; 0: all of it
	Requests       int64         `parquet:"requests"`
	Bytes          int64         `parquet:"bytes"`
	Queue          time.Duration `parquet:"queue_ns"` // from when they were made until the device got them
	QueueLongest   time.Duration `parquet:"queue_longest_ns"`
	QueueHistogram string        `parquet:"queue_histogram"` // requests by time, as in syncs
	Service        time.Duration `parquet:"service_ns"`      // in the device
	ServiceLongest time.Duration `parquet:"service_longest_ns"`
	Histogram      string        `parquet:"service_histogram"`
}

// PacketDrop is how many packets the kernel dropped for one reason in one function
// in a stretch of time that ends with the row.
type PacketDrop struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`
	Span        time.Duration `parquet:"span_ns"`       // how long the stretch is
	Traced      time.Duration `parquet:"traced_ns"`     // of that, programs were attached, at random: sums are of this time; 0: all of it
	NetNS       uint64        `parquet:"netns"`         // 0: not known
	Device      string        `parquet:"device,dict"`   // interface; "": none, as of what this host sends
	Reason      string        `parquet:"reason,dict"`   // word of the running kernel without SKB_DROP_REASON_
	Function    string        `parquet:"function,dict"` // of the kernel, that dropped them
	Protocol    string        `parquet:"protocol,dict"` // tcp, udp, icmp, icmpv6, arp and others; ip-N: by number
	Port        uint16        `parquet:"port"`          // to which they went; 0: none, or of several
	Packets     int64         `parquet:"packets"`
	Bytes       int64         `parquet:"bytes"`       // without headers that were taken off before
	Source      string        `parquet:"source,dict"` // address of one of them; "" if not known
	Destination string        `parquet:"destination,dict"`
}

// Kinds of TCPEvent.
const (
	TCPSegment       = "segment" // sent again: data or FIN
	TCPSyn           = "SYN"     // sent again
	TCPSynAck        = "SYN-ACK" // sent again
	TCPResetSent     = "RST sent"
	TCPResetReceived = "RST received"
)

// TCPEvent is how many segments of one TCP connection were sent again, or how many
// resets were sent or received, in a stretch of time that ends with the row. Refused
// connects are summed up without the port of the client. Of more connections than there
// is room for, the rest is summed up by namespace and the lower one of both ports, without
// addresses.
type TCPEvent struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Span       time.Duration `parquet:"span_ns"`     // how long the stretch is
	Traced     time.Duration `parquet:"traced_ns"`   // of that, programs were attached, at random: sums are of this time; 0: all of it
	Kind       string        `parquet:"kind,dict"`   // segment, SYN, SYN-ACK: sent again; RST sent, RST received
	NetNS      uint64        `parquet:"netns"`       // 0: not known
	State      TCPState      `parquet:"state"`       // of the connection then, before a reset ends it; CLOSE of a reset that a program sends by closing, CLOSE_WAIT if the other end had closed before; 0: of several, or there was no connection
	Local      string        `parquet:"local,dict"`  // address of this host's end, as in tcp_sockets; "": of several connections
	LocalPort  uint16        `parquet:"local_port"`  // 0: of several
	Remote     string        `parquet:"remote,dict"` // address of the other end; "": of several connections
	RemotePort uint16        `parquet:"remote_port"` // 0: of several
	Inode      uint64        `parquet:"inode"`       // of the socket, joins with socket_owners; 0: no process holds it, or not known
	Reason     string        `parquet:"reason,dict"` // why this host sent a reset: word of the running kernel without SK_RST_REASON_; "": it tells none
	Packets    int64         `parquet:"packets"`     // segments as TcpRetransSegs counts them, or resets
	Bytes      int64         `parquet:"bytes"`       // of data in them
	Failed     int64         `parquet:"failed"`      // segments that this host did not get out, as of a packet filter or a full queue, since Linux 6.18; some of them are not in packets
}

// Results of Connect beside the names of errno.
const (
	ConnectOK        = "connected"
	ConnectAbandoned = "abandoned" // the process closed it before there was an answer, as after a timeout of its own
	ConnectNotSent   = "not sent"  // no local port was free
	ConnectAccepted  = "accepted"  // the connection came in: PID, remote end and times are not known
)

// Connect is the TCP connects of one process to one destination with one result, or the
// connections that came in at one port, of those that ended in a stretch of time that ends
// with the row; or a single connect. Those that began before programs were attached are
// left out. Of more different ones than there is room for, the rest is summed up without
// addresses.
type Connect struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Span       time.Duration `parquet:"span_ns"`                       // how long the stretch is; 0: a single connect
	Traced     time.Duration `parquet:"traced_ns"`                     // of that, programs were attached, at random: sums are of this time; 0: all of it
	NetNS      uint64        `parquet:"netns"`                         // inode of the network namespace
	PID        int32         `parquet:"pid"`                           // 0: of accepted ones, or a process that this PID namespace does not have
	Started    time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process    string        `parquet:"process,dict"`
	Local      string        `parquet:"local,dict"` // address of accepted ones and single connects; "" in sums
	LocalPort  uint16        `parquet:"local_port"`
	Remote     string        `parquet:"remote,dict"` // address of the destination; "": of accepted ones, or of several
	RemotePort uint16        `parquet:"remote_port"`
	Result     string        `parquet:"result,dict"` // connected, a name of errno, abandoned, not sent, accepted
	Connects   int64         `parquet:"connects"`
	Time       time.Duration `parquet:"time_ns"` // from the call until the answer or the end, of all of them
	Longest    time.Duration `parquet:"longest_ns"`
	Histogram  string        `parquet:"histogram"` // connects by time, as in syncs
}

// Kinds of ReceiveBuffer.
const (
	BufferFull       = "full"        // no room: a datagram, message or segment is dropped
	BufferNoMemory   = "no memory"   // a socket asks in vain: all of its protocol have reached its limit (udp_mem, tcp_mem)
	BufferZeroWindow = "zero window" // a segment comes though TCP has told the sender that there is no room
	BufferPruned     = "pruned"      // TCP drops a segment that it has had out of order, to make room
	BufferGrew       = "grew"        // a reader of TCP takes more in a round trip than before
	BufferAtLimit    = "at limit"    // the same, but the buffer is as large as tcp_rmem lets it grow
	BufferFixed      = "fixed"       // the same, but the program has set SO_RCVBUF, so it does not grow
)

// ReceiveBuffer is how often the receive buffer of one socket overflowed or grew, in a
// stretch of time that ends with the row. Of more sockets than there is room for, the
// rest is summed up by namespace and the lower one of both ports, without addresses.
type ReceiveBuffer struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Span       time.Duration `parquet:"span_ns"`       // how long the stretch is
	Traced     time.Duration `parquet:"traced_ns"`     // of that, programs were attached, at random: sums are of this time; 0: all of it
	Kind       string        `parquet:"kind,dict"`     // full, no memory, zero window, pruned: not taken; grew, at limit, fixed: a reader of TCP could use more
	NetNS      uint64        `parquet:"netns"`         // inode of the network namespace
	Protocol   string        `parquet:"protocol,dict"` // tcp, udp, icmp and others; ip-N: by number
	Local      string        `parquet:"local,dict"`    // address of this host's end; "": of several sockets
	LocalPort  uint16        `parquet:"local_port"`    // 0: none, or of several
	Remote     string        `parquet:"remote,dict"`
	RemotePort uint16        `parquet:"remote_port"`                   // 0: none, or of several
	Inode      uint64        `parquet:"inode"`                         // of the socket, joins with socket_owners; 0: of several, or no process holds it
	PID        int32         `parquet:"pid"`                           // that reads, of grew, at limit and fixed; 0: not known
	Started    time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process    string        `parquet:"process,dict"`
	Times      int64         `parquet:"times"`             // datagrams or segments that were not taken; of no memory how often it asked; of grew, at limit and fixed round trips
	Bytes      int64         `parquet:"bytes"`             // of what was not taken, without headers; 0: the kernel does not tell
	Buffer     int64         `parquet:"rcv_buf_bytes"`     // size of the buffer at the last time, before it grew; headers of the kernel count
	Largest    int64         `parquet:"max_rcv_buf_bytes"` // the largest size
	Limit      int64         `parquet:"limit_bytes"`       // up to which it grows by itself (tcp_rmem); 0: it does not
	Set        bool          `parquet:"set"`               // the program has set SO_RCVBUF
}

// KernelModule is the module of functions of the kernel.
const KernelModule = "kernel"

// OnCPUSample is how often one process was seen on a CPU with one stack in a stretch of
// time that ends with the row. Samples are taken by a clock of each CPU that is not idle.
type OnCPUSample struct {
	At       time.Time     `parquet:"at,timestamp(nanosecond)"`
	PID      int32         `parquet:"pid"`
	Started  time.Time     `parquet:"started,timestamp(nanosecond)"` // with PID: the identity of the process
	Process  string        `parquet:"process,dict"`
	Span     time.Duration `parquet:"span_ns"`  // how long the stretch is
	Every    time.Duration `parquet:"every_ns"` // time on a CPU that one sample stands for
	Samples  int64         `parquet:"samples"`
	Function string        `parquet:"function,dict"` // innermost one, without parameters; "": nothing names it
	Module   string        `parquet:"module,dict"`   // file name of the program or library it is in, kernel, or [jit]: compiled as the program runs; "" if not known
	Source   string        `parquet:"source,dict"`   // file and line of most samples of the function, from a tenth of a core on; "" if not known
	Kernel   bool          `parquet:"kernel"`        // the innermost function is one of the kernel
	Stack    string        `parquet:"stack,dict"`    // functions, innermost first, joined by ';', as far as frame pointers lead; "": several stacks
	Spins    bool          `parquet:"spins"`         // around the innermost address stands a loop that waits without sleeping: pause on x86, yield, wfe or isb on arm64, or an exchange that is tried again
}

// EventProgram is what one BPF program did at a tracepoint in a stretch of time
// that ends with the row, and what it cost.
type EventProgram struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`
	Probe      string        `parquet:"probe,dict"`
	Program    string        `parquet:"program,dict"`
	Tracepoint string        `parquet:"tracepoint,dict"`
	Attached   time.Duration `parquet:"attached_ns"` // in the stretch
	Span       time.Duration `parquet:"span_ns"`     // how long the stretch is; 0: as long as it was attached
	Runs       int64         `parquet:"runs"`
	RunTime    time.Duration `parquet:"run_time_ns"` // of all CPUs
	Missed     int64         `parquet:"missed"`      // runs that the kernel left out
	Stopped    bool          `parquet:"stopped"`     // it was detached because of its cost
}

func (ProcessEvent) Table() Table  { return ProcessEvents }
func (OffCPUWait) Table() Table    { return OffCPU }
func (SyscallSum) Table() Table    { return Syscalls }
func (Allocation) Table() Table    { return Allocations }
func (SyncSum) Table() Table       { return Syncs }
func (FileSum) Table() Table       { return Files }
func (FileOpen) Table() Table      { return FileOpens }
func (CacheSum) Table() Table      { return PageCache }
func (BlockSum) Table() Table      { return BlockIO }
func (PacketDrop) Table() Table    { return PacketDrops }
func (TCPEvent) Table() Table      { return TCPEvents }
func (Connect) Table() Table       { return Connects }
func (ReceiveBuffer) Table() Table { return ReceiveBuffers }
func (OnCPUSample) Table() Table   { return OnCPU }
func (EventProgram) Table() Table  { return EventPrograms }
