package explain

import (
	"fmt"
	"strings"
)

// Column is a heading of a table that rtrail prints.
type Column struct {
	Name    string // as printed
	Of      string // the command, and the table where it has several
	Meaning string
}

const (
	ofPackets     = "rtrail packets"
	ofMySQL       = "rtrail mysql"
	ofReplay      = "rtrail replay"
	ofTimeline    = "rtrail timeline"
	ofDiff        = "rtrail diff"
	ofScreen      = "rtrail mysql --full"
	ofAudit       = "rtrail mysql audit"
	ofTraceExec   = "rtrail trace exec"
	ofTraceOffCPU = "rtrail trace offcpu"
	ofTraceLocks  = "rtrail trace locks"
	ofTraceCalls  = "rtrail trace syscalls"
	ofTraceSync   = "rtrail trace sync"
	ofTraceAlloc  = "rtrail trace alloc"
	ofTraceFiles  = "rtrail trace files"
	ofTraceOpens  = "rtrail trace opens"
	ofTraceBlock  = "rtrail trace block"
	ofTraceCache  = "rtrail trace cache"
	ofTraceDrops  = "rtrail trace drops"
	ofTraceConns  = "rtrail trace connects"
	ofTraceResent = "rtrail trace retransmits"
	ofTraceBuffer = "rtrail trace buffers"
	ofStacks      = "rtrail stacks"
	ofAnswer      = "rtrail"
	ofLadder      = "rtrail packets --connection"
	ofHistogram   = "rtrail packets --histogram"
	ofSwitch      = "rtrail bench watch"
	ofSteps       = "rtrail bench mysql"
	ofPair        = "rtrail packets --client-side FILE --server-side FILE"
)

// Columns are all headings. A name that several tables share has one entry per
// meaning.
var Columns = []Column{
	{"begin", ofTimeline, "beginning of the first window that was judged and had the finding; …: it was there before"},
	{"end", ofTimeline, "end of the last window that was judged and had the finding; …: it is still there"},
	{"lasts", ofTimeline, "from begin to end"},
	{"±", ofTimeline, "how exact begin and end are"},
	{"sure", ofTimeline, "confidence: certain or likely"},
	{"subject", ofTimeline, "whom the finding is about, under one name also after a restart"},
	{"change", ofDiff, "how many times more or less the first window has, per request or per second as the title says"},
	{"quantity", ofDiff, "what is compared"},
	{"who", ofDiff, "process, under a name that outlives it, disk, control group, or the host"},
	{"first", ofDiff, "amount, or value, of the first window"},
	{"second", ofDiff, "amount, or value, of the second window"},
	{"setting", ofDiff, "kernel setting, variable of MySQL, limit, mount or version that both recordings hold"},
	{"finding", ofTimeline, "rule, and what it says of the window in which it cost most"},
	{"time", ofPackets, "when the second, or the interval, began"},
	{"port", ofPackets, "the server's port"},
	{"proto", ofPackets, "the protocol; ~ before it: requests are inferred from directions, or parts of them were not captured"},
	{"count", ofPackets, "requests that were answered or need no answer, without those excluded"},
	{"QPS", ofPackets, "requests per second of the time that the capture covers"},
	{"mean", ofPackets, "mean response time (RT): last packet of the request to first packet of the answer"},
	{"p50", ofPackets, "median of RT: half of the requests were faster"},
	{"p95", ofPackets, "RT that 95 % of the requests did not exceed, within 1 %"},
	{"p99", ofPackets, "RT that 99 % of the requests did not exceed, within 1 %"},
	{"max", ofPackets, "longest RT"},
	{"RT", ofPackets, "response time: last packet of the request to first packet of the answer; the first copy of each where it was sent again"},
	{"upload", ofPackets, "first to last packet of the request"},
	{"server", ofPackets, "in tables of sums and lists: last copy of the request to first packet of the answer, in sums as a share of the time waited; in lists of connections: the server's address"},
	{"download", ofPackets, "first to last packet of the answer"},
	{"total", ofPackets, "first packet of the request to last packet of the answer; in sums of all requests"},
	{"from", ofHistogram, "shortest RT of the bar"},
	{"to", ofHistogram, "the bar ends below it"},
	{"up to", ofHistogram, "share of the requests in this bar and those above"},
	{"share", ofPackets, "part of the time of all requests"},
	{"idle", ofPackets, "end of the answer before, on the same connection, to the request: time of the client"},
	{"err", ofPackets, "requests that were answered by an error"},
	{"open", ofPackets, "requests that wait for their answers at the end of the interval: asked, acknowledged by the server, and not answered yet"},
	{"oldest", ofPackets, "how long the oldest of the open requests has waited then"},
	{"resent", ofPackets, "segments with data that were sent again; in lists of requests the time that this took"},
	{"handshake", ofPackets, "SYN to the ACK of the SYN-ACK: mean round trip client to server"},
	{"connect", ofPackets, "first SYN to first SYN-ACK, repeats included"},
	{"excluded", ofPackets, "requests that are in no time: ambiguous, incomplete in the capture, or asked to wait"},
	{"waited", ofPackets, "sum of the time that clients waited for answers"},
	{"conns", ofPackets, "connections"},
	{"refused", ofPackets, "connects that were answered by RST"},
	{"reset", ofPackets, "connections that ended by RST"},
	{"ended", ofPackets, "how the connection ended, and which side began it; open: it did not"},
	{"id", ofPackets, "number of the connection, for --connection and --extract"},
	{"frames", ofPackets, "first and last packet of the exchange, as Wireshark numbers them"},
	{"drops", ofPackets, "packets that the kernel dropped before they could be captured, since the line before; ? where it does not say"},
	{"frame", ofLadder, "number of the packet, as Wireshark numbers it"},
	{"delta", ofLadder, "time since the packet before"},
	{"seq", ofLadder, "sequence number of the packet; the SYN is 0"},
	{"ack", ofLadder, "the next byte that its sender expects of the other side"},
	{"no", ofLadder, "number of the request on this connection"},
	{"at", ofLadder, "when the first packet of the request was captured, since the connection's first packet"},
	{"ack", ofLadder, "of a request: last packet of the answer to the ACK that covers it"},
	{"rows", ofPackets, "rows or elements of the answer; ? where they were not captured"},
	{"bytes", ofPackets, "bytes of requests and answers, without headers"},
	{"statement", ofPackets, "what was asked, with ? for literals"},
	{"client", ofPackets, "address and port of who asked"},
	{"start", ofPackets, "when the first packet of the request was captured"},
	{"to", ofPackets, "address and port of the server"},

	{"sum", ofPair, "that part of the time of all requests, added up"},
	{"at server", ofPair, "time between request and answer at the server's capture"},
	{"there", ofPair, "time of the request from the client's capture to the server's"},
	{"back", ofPair, "time of the answer from the server's capture to the client's"},
	{"where the time went", ofPair, "the part that took most: client, path there, server, path back"},

	{"1m", ofMySQL, "load average of one minute: tasks that run, want to run, or wait uninterruptibly"},
	{"5m", ofMySQL, "load average of five minutes"},
	{"15m", ofMySQL, "load average of fifteen minutes"},
	{"usr", ofMySQL, "percent of all CPUs in user mode, nice included"},
	{"sys", ofMySQL, "percent of all CPUs in the kernel, interrupts included"},
	{"idl", ofMySQL, "percent of all CPUs that were idle"},
	{"iow", ofMySQL, "percent of all CPUs that were idle while a task waited for block I/O"},
	{"ins", ofMySQL, "INSERT statements per second (Com_insert)"},
	{"upd", ofMySQL, "UPDATE statements per second (Com_update)"},
	{"del", ofMySQL, "DELETE statements per second (Com_delete)"},
	{"sel", ofMySQL, "SELECT statements per second (Com_select)"},
	{"iud", ofMySQL, "ins + upd + del"},
	{"QPS+TPS", ofMySQL, "sel + iud"},
	{"run", ofMySQL, "threads that execute a statement (Threads_running)"},
	{"con", ofMySQL, "connections (Threads_connected)"},
	{"cre", ofMySQL, "threads created per second: connections that found none in the cache (Threads_created)"},
	{"cac", ofMySQL, "threads kept for later connections (Threads_cached)"},
	{"lor", ofMySQL, "logical reads per second: pages asked of the buffer pool (Innodb_buffer_pool_read_requests)"},
	{"hit%", ofMySQL, "percent of logical reads found in memory; only an exact 100 is printed as 100"},
	{"rlw", ofMySQL, "waits for row locks that began, per second (Innodb_row_lock_waits)"},
	{"lkw", ofMySQL, "sessions that wait for a lock now, of any kind"},
	{"hist", ofMySQL, "undo logs not yet purged (history list length)"},
	{"logw", ofMySQL, "waits for space in the log buffer, per second (Innodb_log_waits)"},
	{"min", ofMySQL, "lowest of the lines"},
	{"variable", ofAudit, "the server's variable, by topic"},
	{"value", ofAudit, "what it is set to; long ones stand below"},
	{"default", ofAudit, "what it is in this release unless it is set"},
	{"change", ofAudit, "dynamic: SET GLOBAL changes it; restart: the server must be restarted"},
	{"grp:queue act/thr", ofMySQL, "worst group of the thread pool: statements queued, active threads of all threads"},

	{"running", ofScreen, "sessions that ran the statement at one time, on average: its time divided by the time watched"},
	{"count/s", ofScreen, "executions per second"},
	{"ex/sent", ofScreen, "rows that the server read for each that it sent"},
	{"err/s", ofScreen, "executions per second that failed"},
	{"noidx/s", ofScreen, "executions per second that used no index"},
	{"schema", ofScreen, "the default database of the sessions that ran it"},
	{"for", ofScreen, "how long the session has been in its state; asleep with a transaction open: since its last statement"},
	{"user", ofScreen, "the account that the session is logged in as"},
	{"db", ofScreen, "default database of the session"},
	{"command", ofScreen, "what the session does, as SHOW PROCESSLIST has it: Query, Sleep, Binlog Dump"},
	{"state", ofScreen, "where the session is in its statement, as SHOW PROCESSLIST has it"},
	{"most", ofScreen, "most sessions at one time in this state"},
	{"longest", ofScreen, "longest time of a session in this state; of the thread pool: longest wait for a thread"},
	{"queued", ofScreen, "statements that wait for a thread of the group"},
	{"group", ofScreen, "number of the group of the thread pool"},
	{"mean q", ofScreen, "statements queued in the group, on average"},
	{"most q", ofScreen, "most statements queued in the group at one time"},
	{"active", ofScreen, "threads of the group that run a statement"},
	{"threads", ofScreen, "threads of the group"},
	{"standby", ofScreen, "threads of the group that wait for work"},
	{"stalls", ofScreen, "times that the pool found the group stuck, and woke or made another thread"},

	{"process", ofAnswer, "name of the process"},
	{"PID", ofAnswer, "number of the process"},
	{"on CPU", ofAnswer, "share of samples in which its threads run on a CPU; threads that idle all the time do not count"},
	{"runnable", ofAnswer, "share of these samples in which they wait for a CPU"},
	{"disk", ofAnswer, "share in uninterruptible sleep (state D), mostly for a disk"},
	{"futex", ofAnswer, "share in a futex wait (mutex, condition variable, timer) or for a kernel lock; no proof that another thread holds a lock"},
	{"network", ofAnswer, "share in which they wait for a socket"},
	{"sleeping", ofAnswer, "share in which they sleep for another reason"},

	{"waiting", ofAnswer, "threads of the process that waited so at a time, over the window (--events all)"},
	{"longest", ofAnswer, "longest of these waits"},

	{"environment", ofSteps, "what was tested, by its name in the plan or its target"},
	{"scenario", ofSteps, "what clients do: a scenario of sysbench, a script, a path of HTTP or a command"},
	{"TPS", ofSwitch, "transactions per second that were committed: of the whole server by its counters, or with --write those of the watch itself"},
	{"address", ofSwitch, "address that the name leads to in this second"},
	{"version", ofSwitch, "version of the server that answered"},
	{"ro", ofSwitch, "whether the server takes no writes (read_only)"},
	{"changes", ofSwitch, "what is another one than in the second before, and errors"},
	{"threads", ofStacks, "threads in that wait: of one dump, or the mean of several"},
	{"samples", ofStacks, "samples of running threads"},
	{"processes", ofStacks, "processes of the program"},
	{"program", ofStacks, "name of the program"},
	{"share", ofStacks, "of the busy threads or samples; threads that wait for work do not count"},
	{"kind", ofStacks, "lock, cpu, disk, network, sleep or failure"},
	{"wait", ofStacks, "what the stack means, from the dictionary of known waits"},
	{"deadlock", ofStacks, "number of the circle of threads that wait for each other"},
	{"who waits for whom", ofStacks, "a thread, the lock it waits for, and the thread that holds it"},
	{"waiting", ofStacks, "threads that wait for the lock"},
	{"lock", ofStacks, "the lock, its class and its holder"},
	{"pool", ofStacks, "threads whose names differ only in a number"},
	{"dumps", ofStacks, "dumps in which no thread of the pool was free"},
	{"% of a core", ofStacks, "CPU time of the thread, from top"},
	{"thread", ofStacks, "name, number (also as top and jstack write it) and state"},
	{"stack", ofStacks, "the frames, innermost first"},

	{"CPU BUSY", ofReplay, "share of CPU time that is not idle"},
	{"I/O WAIT", ofReplay, "share of CPU time that is idle while a task waits for block I/O"},
	{"LOAD", ofReplay, "highest 1 minute load average"},
	{"BLOCKED", ofReplay, "highest number of tasks waiting for I/O at one time"},
	{"MEM AVAIL", ofReplay, "lowest share of available memory"},
	{"SWAP USED", ofReplay, "highest swap use"},
	{"STALLED", ofReplay, "share of time in which tasks wait for a resource (PSI), for the worst resource"},
	{"CPU time", ofReplay, "CPU seconds of a process in the windows that were judged"},
	{"cores", ofReplay, "that CPU time divided by the time in which the process was seen"},
	{"most cores", ofReplay, "CPUs that a process uses in its busiest window"},
	{"on", ofReplay, "what most tasks were stalled on, of the share left of it: CPU, memory or I/O"},
	{"most RSS", ofReplay, "highest resident size of a process"},
	{"TABLE", ofReplay, "table of the recording; internal/recording/SCHEMA.md tells its columns"},
	{"PROBE", ofReplay, "source of evidence"},
	{"RUNS", ofReplay, "times that a probe was run"},
	{"ERRORS", ofReplay, "runs of a probe that failed"},
	{"CPU EACH", ofReplay, "CPU time of one run of a probe"},
	{"ROWS LOST", ofReplay, "rows that a probe could not read or keep"},
	{"EVENT", ofTraceExec, "exec: the process begins a program; exit: its last thread ended"},
	{"PPID", ofTraceExec, "number of the parent"},
	{"COMM", ofTraceExec, "name of the process"},
	{"AGE", ofTraceExec, "how long the process lived"},
	{"CPU", ofTraceExec, "CPU time of all its threads, at least"},
	{"END", ofTraceExec, "exit status, or the signal that ended it"},
	{"ARGS", ofTraceExec, "its command line without secrets; of an exit only if its exec was seen"},
	{"FD", ofTraceOpens, "number of the descriptor; -1: the open failed"},
	{"ERR", ofTraceOpens, "name of the error; empty: there was none"},
	{"PATH", ofTraceOpens, "path that the process gave, a relative one with its directory"},
	{"reads", ofTraceFiles, "calls that read from the file (read, pread64, readv, sendfile and others)"},
	{"writes", ofTraceFiles, "calls that wrote to it"},
	{"read", ofTraceFiles, "bytes read"},
	{"written", ofTraceFiles, "bytes written"},
	{"small", ofTraceFiles, "writes of less than 4 KiB"},
	{"direct", ofTraceFiles, "bytes that went past the page cache (O_DIRECT)"},
	{"opens", ofTraceFiles, "times that it was opened"},
	{"failed", ofTraceFiles, "opens that failed; rtrail trace opens --failed tells which"},
	{"new", ofTraceFiles, "opens that made a file"},
	{"deleted", ofTraceFiles, "files and directories that the process deleted"},
	{"T", ofTraceFiles, "R: file, B: block device, D: directory, S: other"},
	{"file", ofTraceFiles, "path in the mount namespace of the process"},
	{"not freed", ofTraceAlloc, "memory that was allocated since tracing began and not given back"},
	{"allocated", ofTraceAlloc, "memory that was allocated, freed or not"},
	{"blocks", ofTraceAlloc, "followed blocks that were not freed; about one for each 64 KiB is followed"},
	{"function", ofTraceAlloc, "what asked for the memory; libraries that hand on requests are left out"},
	{"where", ofTraceAlloc, "its file and line, or the program or library it is in"},
	{"stack", ofTraceAlloc, "functions that led there, innermost first"},
	{"packets", ofTraceDrops, "packets dropped since the line before"},
	{"bytes", ofTraceDrops, "their bytes, without headers that were taken off before"},
	{"reason", ofTraceDrops, "the kernel's word for why, from the types of the running kernel"},
	{"function", ofTraceDrops, "function of the kernel that dropped them"},
	{"proto", ofTraceDrops, "what IP carries; ip-N: by number"},
	{"port", ofTraceDrops, "to which they went; empty: none, or several"},
	{"device", ofTraceDrops, "interface they were on; empty for most of what this host sends"},
	{"netns", ofTraceDrops, "inode of the network namespace (lsns -t net)"},
	{"from", ofTraceDrops, "source address of one of them"},
	{"to", ofTraceDrops, "destination address of one of them"},
	{"LOCAL", ofTraceConns, "address and port of this host's end; empty: no port was free"},
	{"REMOTE", ofTraceConns, "address and port to which the process connects"},
	{"LAT", ofTraceConns, "from the call until the answer came, or until the connect was given up"},
	{"RESULT", ofTraceConns, "connected, a name of errno, abandoned: closed by the process before an answer, or not sent: no local port was free"},
	{"packets", ofTraceResent, "segments sent again since the line before, or resets"},
	{"kind", ofTraceResent, "segment, SYN, SYN-ACK: sent again; RST sent, RST received"},
	{"local", ofTraceResent, "address and port of this host's end; *: of several connections"},
	{"remote", ofTraceResent, "address and port of the other end; *: of several connections"},
	{"state", ofTraceResent, "state of the connection then; empty: there was none, or of several"},
	{"reason", ofTraceResent, "the kernel's word for why this host sent a reset, since Linux 6.10; of those that programs cause since Linux 6.12"},
	{"bytes", ofTraceResent, "bytes of data in these segments"},
	{"failed", ofTraceResent, "segments that this host did not get out: a packet filter, a full queue, no route; since Linux 6.18"},
	{"netns", ofTraceResent, "inode of the network namespace (lsns -t net)"},
	{"times", ofTraceBuffer, "datagrams or segments that found no room; of no memory how often the socket asked; of grew, at limit and fixed: round trips in which the reader took more than ever before"},
	{"kind", ofTraceBuffer, "full, zero window, pruned, no memory: dropped for want of room; grew, at limit, fixed: a reader of TCP could use a larger buffer, and it grows, is at the limit of tcp_rmem, or was set by the program"},
	{"buffer", ofTraceBuffer, "size of the receive buffer the last time, before it grew; the kernel's headers count"},
	{"largest", ofTraceBuffer, "largest size of the receive buffer"},
	{"limit", ofTraceBuffer, "up to which size TCP lets it grow (tcp_rmem); SO_RCVBUF: the program has set its size; empty: it does not grow"},
	{"bytes", ofTraceBuffer, "bytes of data that were dropped"},
	{"pid", ofTraceBuffer, "process that reads, or holds the socket"},
	{"process", ofTraceBuffer, "its name"},
	{"proto", ofTraceBuffer, "tcp, udp, icmp and others"},
	{"local", ofTraceBuffer, "address and port of this host's end; *: of several sockets"},
	{"remote", ofTraceBuffer, "address and port of the other end; *: none, or of several sockets"},
	{"netns", ofTraceBuffer, "inode of the network namespace (lsns -t net)"},
	{"thread", ofTraceOffCPU, "name of the threads, and how many of the process have it and wait so"},
	{"s/s", ofTraceOffCPU, "seconds that threads waited per second: how many waited at a time"},
	{"waits/s", ofTraceOffCPU, "waits per second, estimated from samples"},
	{"waits for", ofTraceOffCPU, "function of the kernel that the threads are blocked in, or a CPU"},
	{"called by", ofTraceOffCPU, "function of the program, not of the C library, from which they wait, for most of the time of which that is known"},
	{"woken by", ofTraceOffCPU, "thread that ended the waits and its system call, or the kind of interrupt; empty: they have not ended"},
	{"futex", ofTraceLocks, "address of the word in the process on which threads wait"},
	{"kind", ofTraceLocks, "lock: waiters expect a word that is locked; other: a condition, a semaphore, an idle thread"},
	{"threads", ofTraceLocks, "threads that waited for it"},
	{"s/s", ofTraceLocks, "seconds that threads waited per second: how many waited at a time"},
	{"waits/s", ofTraceLocks, "waits per second, estimated from samples"},
	{"longest", ofTraceLocks, "time of the longest wait that was sampled"},
	{"called by", ofTraceLocks, "function of the program, not of the C library, that wants it, for most of the waiting of which that is known"},
	{"released by", ofTraceLocks, "thread that ended most of the waiting; of a lock, who held it for most of the wait; empty: it has not ended, or a timer ended it"},
	{"TID", ofTraceLocks, "thread ID of that thread"},
	{"which slept in", ofTraceLocks, "function of the kernel in which threads that ended waits slept meanwhile; empty: they did not sleep for long"},
	{"syscall", ofTraceCalls, "name of the system call; 32-bit: all calls of 32-bit programs"},
	{"calls", ofTraceCalls, "calls that ended in the time of the table"},
	{"calls/s", ofTraceCalls, "calls per second"},
	{"time", ofTraceCalls, "time in these calls, waits included"},
	{"average", ofTraceCalls, "time of one call"},
	{"longest", ofTraceCalls, "time of the longest call"},
	{"errors", ofTraceCalls, "calls that failed"},
	{"error", ofTraceCalls, "the most frequent error"},
	{"syscall", ofTraceSync, "the call that waits until data is on the disk"},
	{"calls", ofTraceSync, "calls that ended in the time of the table"},
	{"s/s", ofTraceSync, "seconds in these calls per second: how many threads waited at a time"},
	{"average", ofTraceSync, "time of one call"},
	{"99 %", ofTraceSync, "99 of 100 calls took no longer, to a power of two"},
	{"longest", ofTraceSync, "time of the longest call"},
	{"errors", ofTraceSync, "calls that failed"},
	{"file", ofTraceSync, "path in the mount namespace of the process; empty if the call names no file"},
	{"disk", ofTraceBlock, "name of the device"},
	{"op", ofTraceBlock, "operation: read, write, flush, discard"},
	{"I/O", ofTraceBlock, "requests that ended in the time of the table"},
	{"I/O/s", ofTraceBlock, "requests per second"},
	{"bytes", ofTraceBlock, "bytes of these requests"},
	{"queue", ofTraceBlock, "mean time from when a request was made until the device got it"},
	{"queue 99 %", ofTraceBlock, "99 of 100 requests waited no longer, to a power of two"},
	{"device", ofTraceBlock, "mean time that the device took for a request"},
	{"device 99 %", ofTraceBlock, "99 of 100 requests took no longer in the device, to a power of two"},
	{"device", ofTraceCache, "number of the filesystem, of a block device its own: 8:1"},
	{"hits", ofTraceCache, "pages that reads and accesses of mapped files asked for and found in the page cache"},
	{"misses", ofTraceCache, "pages that had to be read from the device, those that were read ahead included"},
	{"hit %", ofTraceCache, "share of the pages asked for that were there"},
	{"waited", ofTraceCache, "of the misses, those that the read itself asked for; the rest was read ahead"},
	{"new", ofTraceCache, "pages that were added by writing to them"},
	{"dirtied", ofTraceCache, "clean pages that were written to"},
	{"removed", ofTraceCache, "pages that left the page cache: reclaimed, deleted or dropped"},
	{"LATE", ofReplay, "runs of a probe that missed their deadline"},
}

// columnEntries is an entry per name of a column.
func columnEntries() []Entry {
	var list []Entry
	at := map[string]int{}
	for _, c := range Columns {
		line := fmt.Sprintf("- `%s`: %s\n", c.Of, c.Meaning)
		i, known := at[strings.ToLower(c.Name)]
		if !known {
			i = len(list)
			at[strings.ToLower(c.Name)] = i
			list = append(list, Entry{ID: c.Name, Title: "column of " + c.Of, Page: fmt.Sprintf("# %s, a column\n\n", c.Name), Kind: Heading})
		}
		list[i].Page += line
	}
	return list
}
