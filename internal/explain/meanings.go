package explain

import "slices"

// meanings say in a sentence or two what words mean that the pages they lead to
// do not use, and why these pages answer them.
var meanings = []struct {
	words []string // in lower case; each has synonyms
	text  string
}{
	// symptoms
	{[]string{"load average high but cpu idle", "high load low cpu", "load high cpu idle"}, "The load average of Linux counts tasks that run, want to run, or wait uninterruptibly, as for a disk or NFS. With idle CPUs it is the last kind."},
	{[]string{"latency spikes"}, "Requests that are fast most of the time and slow all together now and then. A whole server that stands still is one cause, a CPU quota another."},
	{[]string{"freeze", "hangs", "everything hangs", "hangs every"}, "Nothing is answered for a while, then all goes on. Watch while it happens: `rtrail record` keeps the time before, `rtrail diagnose RECORDING --at TIME` judges it."},
	{[]string{"cannot connect", "cannot connect to database", "connect to database"}, "Refused at once: nothing listens. No answer: a firewall, a full queue, or the host is off. An error of the server: no connection is left, or it does not let the client in."},
	{[]string{"queries pile up"}, "More statements begin than end. What the running ones wait for tells why: a lock, a thread of the pool, a disk or a CPU."},
	{[]string{"thundering herd"}, "Many tasks wake up for something that one of them gets; the others have switched for nothing. After an outage: all clients come back at once."},
	{[]string{"priority inversion"}, "A thread that matters waits for a lock whose holder gets no CPU. The rule says what the holder does meanwhile."},
	{[]string{"java heap"}, "The heap has a limit of its own (-Xmx). Near it a Java program collects garbage again and again; what is outside the heap counts for the limit of the container, too."},
	{[]string{"queue depth"}, "How many requests a disk or a controller has at a time."},
	{[]string{"nvme slow"}, "A disk is slow if a request takes long while few are in flight. Cloud disks and filled consumer SSDs are often limited by IOPS or by their cache."},
	{[]string{"keep-alive", "keepalive"}, "Connections that are kept for more requests. The side that closes idle ones first makes the next request of the other fail; without keep-alive each request needs a connection, and a local port."},
	{[]string{"window scaling"}, "Without the option in both SYNs a receive window is 64 KiB at most, which limits the rate on a path with a long round trip. A capture has to have the SYNs to tell."},
	{[]string{"fin_wait2", "fin_wait_2"}, "This side has closed the connection, and the peer has not: there it is in CLOSE_WAIT, in a program that is stuck or forgets it."},
	{[]string{"pmtud", "path mtu discovery"}, "Hosts learn the smallest MTU of a path from ICMP messages. Where a firewall drops these, large packets vanish."},
	{[]string{"rst storm"}, "Many connections ended by RST in a short time: a program that crashed or restarts, a load balancer that cuts off, or connects to a port where nobody listens."},
	{[]string{"incast"}, "Many servers answer one request at the same moment, and a switch's buffer overflows: each loses its last segments and waits for a timeout."},
	{[]string{"rx dropped"}, "Packets that arrived at an interface and were thrown away before a program got them."},
	{[]string{"haproxy", "proxysql"}, "A proxy is a server for its clients and a client of its backends. Capture on its host: its response times and those of its backends tell which of them is slow."},
	// columns of other tools
	{[]string{"us", "%us", "%user", "%usr"}, "CPU time of programs, in vmstat, top, sar and mpstat, in percent of all CPUs."},
	{[]string{"sy", "%sy", "%system", "%sys"}, "CPU time in the kernel for programs, in vmstat, top, sar and mpstat, in percent of all CPUs."},
	{[]string{"ni", "%ni"}, "In top: CPU time of programs with a nice value above 0, in percent. rtrail counts it as user time."},
	{[]string{"wa", "%wa", "%iowait"}, "Time in which a CPU was idle while a task waited for block I/O, in vmstat, top, iostat and mpstat, in percent of all CPUs."},
	{[]string{"st", "%st", "%steal"}, "Time in which a virtual CPU could run and the hypervisor ran something else, in vmstat, top and mpstat, in percent of all CPUs."},
	{[]string{"hi", "%hi"}, "In top: CPU time in interrupt handlers, in percent."},
	{[]string{"%soft", "%si"}, "In mpstat: CPU time in softirqs, in percent; si in top."},
	{[]string{"si"}, "In vmstat: memory read back from swap, in KiB per second. In top: CPU time in softirqs, in percent."},
	{[]string{"so"}, "In vmstat: memory written to swap, in KiB per second."},
	{[]string{"pswpin", "pswpout"}, "In /proc/vmstat: pages read from, and written to, swap since boot."},
	{[]string{"swpd"}, "In vmstat: swap in use, in KiB. Memory that went there once and is not needed costs nothing; si and so show traffic."},
	{[]string{"bi", "bo"}, "In vmstat: KiB per second read from block devices (bi) and written to them (bo)."},
	{[]string{"in"}, "In vmstat: interrupts per second."},
	{[]string{"cs"}, "In vmstat: context switches per second."},
	{[]string{"runq-sz", "nr_running"}, "Tasks that run or wait for a CPU."},
	{[]string{"procs_blocked"}, "In /proc/stat, b in vmstat: tasks that wait for block I/O now."},
	{[]string{"ldavg-1"}, "In sar -q: the load average of the last minute."},
	{[]string{"nvcswch"}, "In pidstat -w: involuntary context switches, in which the kernel takes the CPU away from a task that could go on."},
	{[]string{"%wait"}, "In pidstat: share of the time in which the task could run and had no CPU."},
	{[]string{"await", "r_await", "w_await"}, "In iostat: milliseconds per request of a disk, queue included; r_await of reads, w_await of writes."},
	{[]string{"svctm"}, "An old column of iostat that was never right for disks which serve several requests at a time. Look at await and aqu-sz."},
	{[]string{"rareq-sz", "wareq-sz"}, "In iostat: mean size of a read, and of a write, in KiB."},
	{[]string{"util"}, "In iostat and sar: the share of time in which the disk has at least one request in flight."},
	{[]string{"res", "shr"}, "In top: memory of a process that is resident (RES), and the part of it that others can share (SHR)."},
	{[]string{"virt"}, "In top: the address space of a process, used or not."},
	{[]string{"buff"}, "In vmstat: pages that cache block devices. The kernel gives them back when programs need memory."},
	{[]string{"avail"}, "In free: memory that programs can get without swapping, the reclaimable cache included."},
	{[]string{"majflt", "pgmajfault"}, "Major faults: accesses to memory for which a page had to be read from a disk."},
	{[]string{"pgscan", "pgscan_direct", "allocstall"}, "Reclaim: pages that were scanned, and allocations that had to reclaim by themselves before they went on."},
	{[]string{"srtt", "rtt", "round trip time"}, "The time to the other side and back. SRTT is TCP's smoothed estimate of it, the first value of rtt: in ss -ti."},
	{[]string{"rto"}, "Retransmission timeout: how long TCP waits for an acknowledgement before it sends again, 200 ms at least on Linux, doubled at each repeat."},
	{[]string{"cwnd", "congestion window", "ssthresh", "slow start"}, "The congestion window is how many segments TCP keeps in flight. It begins at 10, grows in slow start up to ssthresh, and shrinks at each loss; a small one limits the rate to cwnd × MSS per round trip."},
	{[]string{"gc", "full gc", "gc pause", "garbage collection", "garbage collector", "stop the world", "safepoint"}, "A garbage collector stops the threads of its program for some time, and all requests under way wait for it. No rule names it: rtrail shows the times without an answer, and `rtrail stacks` the threads at a safepoint. A CPU quota makes pauses longer, a leak makes them frequent."},
	{[]string{"core dump", "sigsegv", "exit code 139"}, "The program ended by a signal, mostly for an access to memory that it does not have (SIGSEGV, exit code 139)."},
	{[]string{"soft lockup"}, "Kernel message: a CPU ran one task in the kernel for 20 s and more without a switch. On a VM it may be the hypervisor that did not run the CPU."},
	{[]string{"cpu saturation"}, "More tasks want to run than there are CPUs, so that some wait for one."},
	{[]string{"high cpu", "cpu usage", "cpu 100%"}, "CPUs that are busy are no fault as long as no task waits for one. One thread at 100 % can be the limit of a whole program."},
	{[]string{"%idle"}, "Time in which the CPUs had nothing to run, in mpstat and sar, iowait left out; id in vmstat and top."},
	{[]string{"ram"}, "What programs can get matters, not what is free: the kernel fills the rest with caches."},
	{[]string{"thp", "transparent hugepage", "transparent huge pages"}, "Transparent huge pages: the kernel uses pages of 2 MiB. Processes look larger (RSS), and finding unbroken memory for them costs system time. No rule judges it; rtrail audit remarks on it beside databases that suffer from it."},
	{[]string{"hugepages"}, "Huge pages that are reserved (vm.nr_hugepages) are lost for all programs that do not ask for them, used or not."},
	{[]string{"gone away", "mysql server has gone away", "2006"}, "Error 2006: the client wrote to a connection that the server had closed: after wait_timeout, for a packet over max_allowed_packet, by KILL, or because it ended."},
	{[]string{"lost connection to mysql server", "2013"}, "Error 2013: the connection ended, or nothing came for the client's read timeout, while a statement was under way."},
	{[]string{"can't connect to mysql server", "2003", "2002"}, "Errors 2003 (TCP) and 2002 (socket): the server does not run or listens elsewhere, or a firewall drops the packets."},
	{[]string{"aborted connection"}, "The server's note that a client went away without saying so, or was cut off by a timeout or an error."},
	{[]string{"wait_timeout", "idle timeout"}, "Servers and firewalls close connections that are idle for too long. The next request on such a connection fails; pools must test or renew theirs before."},
	{[]string{"dup ack", "duplicate ack", "fast retransmit", "out of order"}, "The receiver acknowledges the same byte again for each segment that arrives after a gap. Three such ACKs make the sender repeat the missing one; packets that arrive out of order cause them, too."},
	{[]string{"spurious retransmission"}, "A segment was sent again although the first copy had arrived: its ACK was late or lost. The receiver reports it by DSACK."},
	{[]string{"microburst"}, "A burst of milliseconds that overflows a queue while the mean rate is low. Only drops show it."},
	{[]string{"no route to host", "ehostunreach"}, "A router or a firewall answered by ICMP, or nobody has the address in the local network."},
	{[]string{"i/o timeout", "read timed out", "context deadline exceeded"}, "The client's patience ended before the answer came. Whether server or network took the time, packets show."},
	{[]string{"429"}, "The server, or a gateway before it, limits the rate of its clients."},
	{[]string{"p999"}, "The time that 99.9 % of the requests did not exceed."},
	{[]string{"connection pool"}, "Clients share a fixed number of connections. When all are in use the next request waits for one before it is sent, and no server sees that time."},
	{[]string{"network latency"}, "The round trip of the path, without the server's time."},
	{[]string{"threads_running"}, "Connections that execute a statement now. More than CPUs, for long, means that they wait for each other, for disks or for CPUs."},
	{[]string{"slow disk"}, "How long a request takes, not how busy the disk is, makes programs wait."},
	// CPU
	{[]string{"noisy neighbour", "noisy neighbor"}, "Another VM or container on the same host takes the CPU time that this one needs. A VM sees it as steal time, the host as full CPUs."},
	{[]string{"throttling", "cfs quota"}, "A cgroup that has used up its CPU quota stops until the next period, even while CPUs are idle."},
	{[]string{"run queue latency", "runq latency", "runqlat", "scheduler latency", "scheduling delay"}, "The time a runnable task waits for a CPU. The kernel counts it per thread as run delay."},
	{[]string{"fork bomb"}, "Processes that start processes without end. Each is too short-lived for top; the fork rate shows them."},
	{[]string{"irq"}, "An interrupt request from hardware. The deferred part of its work, mostly for network cards, runs as a softirq."},
	{[]string{"napi"}, "How network drivers receive packets: they poll in the receive softirq, within a budget. ksoftirqd takes over when there is more work."},
	{[]string{"csw"}, "Context switches: how often a CPU switches from one task to another."},
	{[]string{"pressure stall"}, "Pressure stall information (PSI): the share of time in which tasks wait for CPU, memory or I/O."},
	{[]string{"crashloopbackoff"}, "Kubernetes restarts a container that ends again and again, with a delay that grows."},
	{[]string{"segfault"}, "A segmentation fault: a program accessed memory that it does not have, and the kernel ended it by SIGSEGV."},
	// memory, disks, files
	{[]string{"oom killer"}, "The kernel's OOM killer kills a process when the host, or a cgroup, is out of memory and nothing can be reclaimed."},
	{[]string{"thrashing", "paging"}, "The working set does not fit into memory: pages are evicted and soon read back. The time goes into disk reads and reclaim."},
	{[]string{"buff/cache"}, "Page cache and buffers in free(1): file contents in memory, which the kernel gives back when programs need it."},
	{[]string{"dirty pages"}, "File contents changed in memory but not yet on disk. When there are too many, the kernel makes writers wait."},
	{[]string{"iops"}, "I/O operations per second. Cloud volumes have an IOPS limit; at the limit even small requests queue."},
	{[]string{"ebs"}, "A cloud volume with a limit on operations and bytes per second. At the limit requests queue although the volume is healthy."},
	{[]string{"avgqu-sz"}, "The old iostat name of aqu-sz: the average number of requests in flight, queued or in service."},
	{[]string{"utilization"}, "%util of iostat: the share of time in which the disk has at least one request in flight."},
	{[]string{"ulimit"}, "The shell command for process limits. `ulimit -n` limits open files; servers usually hit it first."},
	{[]string{"hung task", "hung_task", "blocked for more than 120 seconds"}, "Kernel message: a task has been in uninterruptible sleep (state D) for two minutes, mostly for a disk, a network filesystem or a kernel lock."},
	// network
	{[]string{"close_wait"}, "The peer has closed the connection and the program here has not. Such sockets pile up in a program that is stuck or forgets them, until its file descriptors run out."},
	{[]string{"econnreset"}, "The connection was ended by RST while the program still used it."},
	{[]string{"etimedout", "connection timed out", "110"}, "SYNs, or data, were sent again and again, and nothing came back."},
	{[]string{"epipe", "broken pipe"}, "The program wrote to a connection that its peer had closed already."},
	{[]string{"port exhaustion", "snat"}, "Connections to one destination need a source port each. Where all of a range are in use or in TIME_WAIT, or a gateway that hides many clients behind one address has no more, connects fail."},
	{[]string{"nf_conntrack: table full, dropping packet"}, "The kernel's message when the connection tracking table is full: packets of new connections are thrown away."},
	{[]string{"jitter"}, "Times that differ from one packet or request to the next. Compare percentiles of the response time; on the path it comes from queues."},
	{[]string{"bufferbloat"}, "A queue somewhere on the path that is never empty: each packet waits behind a bulk transfer, and the round trip grows from milliseconds to a second without any loss."},
	{[]string{"shaping", "policing", "traffic control"}, "A limit of the rate. A shaper makes packets wait in a queue, a policer throws away what is too much."},
	{[]string{"40ms"}, "What Linux waits before it acknowledges a segment alone. Together with Nagle's algorithm on the other side it becomes a pause in each exchange."},
	{[]string{"rwnd"}, "The receive window: what the receiver has room for. At zero the sender must wait, for the receiving program does not read."},
	{[]string{"black hole"}, "Packets larger than a link of the path can carry vanish, and the ICMP message that would say so does too. Small exchanges work, large ones hang."},
	// response times
	{[]string{"latency"}, "The word means many times. Here the response time runs from the last packet of a request to the first of its answer, and is told apart into server and path."},
	{[]string{"p99", "percentile"}, "The time that 99 % of the requests did not exceed. A mean hides what one client in a hundred waits."},
	{[]string{"tail latency"}, "The slowest few of a hundred requests. They come from queueing, from a second kind of work, or from waiting for the slowest of many parts."},
	{[]string{"ttfb"}, "Time to first byte: what a browser waits until an answer begins. Without connect, lookup and upload it is the server's time."},
	{[]string{"499"}, "nginx logs 499 when the client closed the connection before the answer came: the client lost patience, and the server was too slow for it."},
	{[]string{"503"}, "The server says that it cannot serve now: overloaded, stopped, or no backend is left."},
	{[]string{"bad gateway"}, "HTTP 502: the proxy got no valid answer from its backend, which refused, reset or closed the connection."},
	{[]string{"gateway timeout"}, "HTTP 504: the backend had not answered when the proxy's patience ended."},
	{[]string{"bimodal"}, "Two groups of response times and few between: some requests wait for something that the others do not meet."},
	{[]string{"hol blocking", "head of line blocking", "slow log of redis"}, "One long request makes all others wait that come after it, because the server, or the connection, takes one at a time."},
	{[]string{"load balancer", "upstream"}, "One of several backends that is slower than its sisters makes a share of all requests slow."},
	{[]string{"scatter gather"}, "One request asks many servers at once and waits for the slowest of them."},
	// MySQL
	{[]string{"replication lag", "replica lag", "slave lag", "seconds_behind_master", "seconds_behind_source"}, "A replica applies changes later than the source made them. `rtrail mysql` shows the lag, and no rule judges it; long transactions and slow commits, on the source or on the replica, are its common causes."},
	{[]string{"lock wait timeout exceeded", "1205"}, "Error 1205: a statement waited longer than innodb_lock_wait_timeout for a row that another transaction holds."},
	{[]string{"mysql deadlock", "innodb deadlock", "deadlock found", "1213"}, "Error 1213: two transactions waited for each other, and InnoDB rolled one back. Deadlocks grow with the time that row locks are held."},
	{[]string{"binlog"}, "The server's log of changes for replicas and recovery. With sync_binlog=1 each commit, or group of commits, waits until it is on the disk."},
	{[]string{"hit ratio"}, "The share of logical reads found in the buffer pool. What counts is the number of misses a second and what each costs."},
	{[]string{"spinlock"}, "A lock whose waiters try again and again on the CPU instead of sleeping."},
	{[]string{"autocommit"}, "Without it a transaction goes on, and keeps its locks, until the client says COMMIT."},
	// messages of the kernel
	{[]string{"no buffer space available", "enobufs"}, "ENOBUFS: a queue below the socket was full, mostly that of the interface, or TCP's memory limit was reached."},
	{[]string{"vfs: file-max limit reached"}, "Kernel message: all processes together have opened as many files as fs.file-max allows."},
	{[]string{"tcp: out of memory"}, "Kernel message: TCP sockets together need more memory than net.ipv4.tcp_mem allows. The host itself may have plenty."},
	{[]string{"remounting filesystem read-only", "buffer i/o error"}, "Kernel message after an error of a disk. From then on writes to the filesystem fail."},
	{[]string{"rcu_sched detected stalls", "self-detected stall on cpu"}, "Kernel message: a CPU did not come round for 20 s and more. In a virtual machine the hypervisor mostly gave it no time; else a driver or a real-time task keeps it."},
	{[]string{"netdev watchdog", "transmit queue timed out"}, "Kernel message: a network card took no packets for seconds, and its driver resets it."},
	{[]string{"kswapd0"}, "The kernel thread that frees memory in the background, one per node. If it is busy, memory is short, or full of pages that are read once."},
	{[]string{"rcu_sched"}, "The kernel thread that frees what nobody reads any more. It wakes up often and does little; if it is busy, see who creates and deletes so much."},
	{[]string{"migration/0"}, "The kernel threads that move tasks from one CPU to another."},
	{[]string{"kernel threads"}, "Threads of the kernel itself, in brackets in ps: ksoftirqd (softirqs), kswapd (reclaim), kworker (deferred work), jbd2 (journal of ext4), migration (moves tasks)."},
	// messages of servers and clients
	{[]string{"upstream timed out"}, "nginx: the server behind it had not accepted the connection, or not answered, in proxy_read_timeout. The rest of the line says which."},
	{[]string{"upstream prematurely closed connection"}, "nginx: the server behind it closed the connection before its answer was whole. It crashed, was restarted, or closed an idle connection just when it was used."},
	{[]string{"no live upstreams"}, "nginx: all servers behind it had failed max_fails times, and none is tried before fail_timeout is over."},
	{[]string{"worker_connections are not enough"}, "nginx: a worker has as many connections as it may have; one to a client and one to the server behind count as two. Raise worker_connections, and the limit of files with it."},
	{[]string{"server reached pm.max_children", "server reached max_children", "reached max_children setting"}, "php-fpm: all workers are busy, and requests queue. First see what the workers wait for; more of them need memory and CPUs."},
	{[]string{"java.lang.outofmemoryerror", "outofmemoryerror", "gc overhead limit exceeded"}, "A Java VM has no heap left, or spends nearly all of its time to find some. A leak, or a heap that is too small. \"unable to create native thread\" is another limit: see proc/pid-limit."},
	{[]string{"name or service not known", "temporary failure in name resolution", "eai_again"}, "The resolver of the C library. \"Temporary failure\": no server answered. \"Not known\": one did, and the name does not exist for it."},
	{[]string{"hikaripool", "connection is not available", "queuepool limit"}, "A pool of connections had none free in time. Connections are lent for too long, because the database is slow or the program keeps them during other work, or some are never given back."},
	{[]string{"connection pooling"}, "Connections are opened once and lent to one request after the other."},
	{[]string{"misconf redis"}, "Redis takes no writes, since it could not save its last snapshot: the disk is full or broken, or fork() got no memory."},
	{[]string{"oom command not allowed"}, "Redis has reached maxmemory and may not evict anything."},
	{[]string{"ssl handshake", "tls handshake"}, "Takes one round trip more (TLS 1.3) or two (1.2) after the connect, and CPU time of the server for its key."},
	{[]string{"exit code 143", "exit 143"}, "128 + 15: the program was asked to end (SIGTERM). A service manager that sends this again and again mostly follows a health check that fails."},
	{[]string{"exit code 1"}, "The program itself gave up: its log says why."},
	// changes
	{[]string{"oom_score_adj"}, "What is added to a process' chance to be killed when memory runs out: -1000 never, 1000 first."},
	{[]string{"raid"}, "Several disks as one. Writes to RAID 5 and 6 need reads first; RAID 1 and 10 do not."},
	{[]string{"readahead"}, "The kernel reads more of a file than was asked for when it is read in sequence."},
	{[]string{"nice"}, "A nice value above 0 gives a process less of a full CPU, below 0 more."},
	{[]string{"so_reuseport"}, "Several sockets listen at one port, and the kernel spreads connections over them."},
	// more columns of other tools
	{[]string{"nvcswch/s"}, "In pidstat -w: the kernel took the CPU away from a task that could go on. Many: tasks compete for CPUs."},
	{[]string{"kb_rd/s", "kb_wr/s"}, "In pidstat -d: KiB per second that a process reads from disks, and that it writes: counted when pages become dirty, so that it may be far more than the disk gets."},
	{[]string{"pgpgin", "pgpgout"}, "In sar -B and /proc/vmstat: KiB read from, and written to, block devices. It is no swap traffic, in spite of its name."},
	{[]string{"rxdrop/s", "rxfifo/s", "rx-ovr"}, "Packets that an interface lost: dropped for want of memory or a taker (rxdrop), or because the ring of the card was full (rxfifo, RX-OVR)."},
	{[]string{"isegerr"}, "In sar -n ETCP: segments received with an error, mostly a wrong checksum."},
	{[]string{"anon-rss"}, "In the kernel's report of an OOM kill: memory that the process had written to itself, heap and stacks."},
	{[]string{"last_ack"}, "This side has closed after the peer, and its FIN is not acknowledged: the peer is gone, or packets are lost."},
	{[]string{"overlimits"}, "In tc -s: how often a queue had to hold a packet back to keep to its rate."},
	{[]string{"requeues"}, "In tc -s: how often the card was busy, and a packet went back into the queue. Harmless unless backlog and dropped grow."},
	{[]string{"%ifutil"}, "In sar -n DEV: use of an interface in percent of its speed. Virtual interfaces have no speed, and 0 there says nothing."},
	{[]string{"high sys cpu"}, "Much CPU time in the kernel: system calls, page faults, switches, or packets. A profile says which."},
}

// Meaning says what a word means that leads to pages which do not use it; "" for
// all others.
func Meaning(query string) string {
	q := speak(query)
	named, within := phrasesOf(query)
	for _, p := range append(named, within...) {
		if !q.means(p.spoken) && !p.telling() {
			continue
		}
		for _, m := range meanings {
			if slices.Contains(m.words, p.text) {
				return m.text
			}
		}
		for _, t := range terms {
			if slices.Contains(t.words, p.text) {
				return t.text
			}
		}
	}
	return ""
}
