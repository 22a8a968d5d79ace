package explain

import (
	"fmt"
	"strings"
)

// change is something that people do to make a system faster, with its price.
type change struct {
	name  string
	title string
	how   []string // commands, or lines of a configuration
	when  string   // when it helps, and when it does not
	price string
	see   []string // entries that tell whether it would help
}

var changes = []change{
	// CPU
	{"cpu-affinity", "bind a program to CPUs", []string{"taskset -cp 2-3 PID", "systemctl set-property UNIT AllowedCPUs=2-3"},
		"A program whose caches are hot keeps them; a neighbour can no longer take its CPUs. It helps only if others are kept away from these CPUs, too.", "Threads wait for their CPUs while others idle.", []string{"cpu/one-thread-limit", "sched.run-delay", "cpu/context-switches"}},
	{"priority", "give a program more or less of the CPU than others", []string{"renice -n 10 -p PID", "systemctl set-property UNIT CPUWeight=50"},
		"Batch jobs beside a service, on CPUs that are full. It changes nothing while CPUs idle.", "The program with less waits longer, also with a lock that others need.", []string{"cpu/saturated", "proc/lock-contention"}},
	{"cpu-quota", "limit or free the CPU time of a control group", []string{"systemctl set-property UNIT CPUQuota=200%", "cat /sys/fs/cgroup/GROUP/cpu.stat"},
		"To contain a program that would take all. Where nr_throttled grows beside idle CPUs the limit is too low, or the program has more threads than CPUs.", "A group that has used up its share stops for the rest of each 100 ms: slow answers with idle CPUs.", []string{"cpu/throttled", "audit/cgroup-limits"}},
	{"interrupt-spreading", "let several CPUs handle interrupts of a network card", []string{"ethtool -L eth0 combined 4", "systemctl enable --now irqbalance", "echo f > /sys/class/net/eth0/queues/rx-0/rps_cpus"},
		"One CPU is full of softirqs while others idle. More queues first; RPS where the card has one queue only.", "Packets of one connection may change CPUs and lose caches.", []string{"cpu/softirq", "net/softnet", "audit/irq-affinity"}},
	{"event-loop", "serve many connections from few threads", nil,
		"Thousands of threads, most of them waiting: switches and memory for stacks go. epoll instead of a thread per connection.", "One long computation then blocks all others of its loop.", []string{"cpu/context-switches", "cpu/syscall-storm", "rt/worker-queueing"}},
	{"more-workers", "add workers, threads or connections to a pool", nil,
		"Requests queue for a worker while CPUs and disks are idle and the workers wait for something else. When the CPUs are full, more workers make each answer slower.", "Memory for each; more load on what they wait for, which may have its own limit.", []string{"rt/worker-queueing", "rt.concurrency", "cpu/saturated"}},
	// memory
	{"swap-off", "do without swap", []string{"swapoff -a"},
		"Where a late answer is worse than none, as in a cluster that restarts elsewhere. What is swapped out must fit into memory first.", "Idle pages stay in memory, and the kernel kills a process sooner.", []string{"mem/swapping", "audit/swappiness", "mem/oom-kill"}},
	{"oom-score", "say whom the kernel kills first", []string{"systemctl edit UNIT   # [Service] OOMScoreAdjust=-500", "choom -n -500 -p PID"},
		"To keep a database and ssh alive when memory runs out.", "Another process is killed instead; the shortage stays.", []string{"mem/oom-kill", "mem/cgroup-oom"}},
	{"memory-limit", "limit the memory of a control group", []string{"systemctl set-property UNIT MemoryMax=4G MemoryHigh=3.5G"},
		"To contain a program that grows. MemoryHigh slows it down before MemoryMax kills.", "Its page cache counts, too: files are read again and again below a tight limit.", []string{"mem/cgroup-oom", "mem/cgroup-near-limit", "mem/reclaim"}},
	{"huge-pages", "use larger pages for large heaps", []string{"sysctl vm.nr_hugepages=N", "java -XX:+UseLargePages"},
		"Databases and Java heaps that use many GiB: fewer page faults and fewer misses in the CPU's tables.", "The memory is set aside and cannot serve as page cache. Transparent huge pages need no setting aside and may stall while the kernel makes them.", []string{"audit/huge-pages", "mem/fragmentation", "vmstat.major-faults"}},
	{"lock-memory", "keep a program's memory from being swapped out", []string{"systemctl edit UNIT   # [Service] LimitMEMLOCK=infinity, and mlockall() in the program"},
		"For programs that must answer in time (mlock).", "That memory cannot be given to others whatever happens.", []string{"mem/swapping", "process.swap"}},
	{"java-heap", "set the heap of a Java VM", []string{"java -Xms4g -Xmx4g ...", "java -XX:MaxRAMPercentage=60 ..."},
		"Full collections one after the other: larger. Killed at the limit of its container: smaller, since threads, code and buffers come on top.", "A larger heap has longer full collections with some collectors.", []string{"audit/jvm-heap", "mem/cgroup-oom", "rt.stalls"}},
	{"drop-caches", "empty the page cache by hand", []string{"echo 3 > /proc/sys/vm/drop_caches"},
		"In tests, to begin cold. It is no cure: the kernel gives the cache back by itself when programs need memory.", "All files are read from disks again.", []string{"mem/cache-dropped", "memory.cached"}},
	// disks and files
	{"read-ahead", "read more of a file than was asked for", []string{"cat /sys/block/sda/queue/read_ahead_kb", "blockdev --setra 4096 /dev/sda   # sectors of 512 bytes"},
		"Large files that are read from beginning to end.", "Random reads fetch what nobody wants, and push other pages out of memory.", []string{"disk.request-size", "disk/saturated", "mem/reclaim"}},
	{"io-scheduler", "choose how the kernel orders requests of a disk", []string{"cat /sys/block/sda/queue/scheduler", "echo mq-deadline > /sys/block/sda/queue/scheduler"},
		"none for NVMe and disks of virtual machines, mq-deadline where reads starve behind writes, bfq for fairness among programs on a slow disk.", "Each request costs more CPU; bfq limits the rate of fast disks.", []string{"disk/saturated", "disk.queue-time"}},
	{"queue-length", "let more requests queue for a disk", []string{"echo 256 > /sys/block/sda/queue/nr_requests"},
		"More throughput from disks that serve many requests at a time.", "Each request waits longer: with a disk that is full, latency grows and nothing else.", []string{"disk.queue", "disk.queue-time", "disk.await"}},
	{"io-priority", "give a program less of a disk", []string{"ionice -c 3 -p PID   # with bfq only", "systemctl set-property UNIT IOWeight=10 IOReadBandwidthMax=\"/dev/sda 20M\""},
		"Backups and batch jobs beside a database. A limit in bytes or operations works with each scheduler, a weight with bfq or io.cost.", "The limited program waits also when the disk has nothing else to do.", []string{"disk/saturated", "disk/cgroup-throttled"}},
	{"separate-disks", "put logs and data on different disks", nil,
		"Writes that must be on the disk at once (redo log, binary log) wait behind bulk reads and writes of data.", "One more device that can fail.", []string{"disk/saturated", "disk/slow-sync", "mysql/commit-flush"}},
	{"group-syncs", "sync several records at once", []string{"redis-cli config set appendfsync everysec", "innodb_flush_log_at_trx_commit=2"},
		"Each record waits for the disk, and most of the time goes into syncs.", "A crash loses what was not synced yet: up to a second with these settings.", []string{"disk/slow-sync", "mysql/commit-flush", "sync.time"}},
	{"noatime", "do not note when files are read", []string{"mount -o remount,noatime /srv"},
		"Many files that are only read. relatime, the default, already writes once a day only.", "Programs that look at access times, as some mail readers and cleaners do, are misled.", []string{"disk/many-small-writes", "disk/saturated"}},
	{"tmpfs", "keep short-lived files in memory", []string{"mount -t tmpfs -o size=1G tmpfs /srv/scratch"},
		"Files that are deleted soon after they were written.", "They are gone after a restart, and their size counts as memory, also against the limit of a container.", []string{"disk/many-small-writes", "mysql/tmp-disk-tables"}},
	{"less-logging", "log less, or in larger pieces", []string{"logrotate; a level above debug; access_log /var/log/nginx/access.log main buffer=64k flush=5s;"},
		"A disk is busy with a log that nobody reads.", "The last lines before a crash may be missing, and details in general.", []string{"disk/log-flood", "disk/full"}},
	{"buffered-reads", "read through the page cache", nil,
		"A program that opens files with O_DIRECT, or reads them byte by byte, and has no cache of its own.", "The page cache needs memory; a database that has a cache of its own would hold everything twice.", []string{"mem/direct-io-read", "cpu/syscall-storm"}},
	// network
	{"listen-backlog", "let more connections wait to be accepted", []string{"sysctl net.core.somaxconn=4096", "listen 80 backlog=4096;   # nginx"},
		"Bursts of connects that overflow the accept queue of a server which keeps up on average. Both the limit of the kernel and that of the program count, and the program must listen anew.", "Where the server does not keep up, clients wait in the queue instead of being refused, until they give up.", []string{"net/accept-queue-full", "audit/somaxconn", "tcp.backlog"}},
	{"syn-queue", "let more handshakes be half open", []string{"sysctl net.ipv4.tcp_max_syn_backlog=4096 net.ipv4.tcp_syncookies=1 net.ipv4.tcp_synack_retries=2"},
		"Many clients that connect over long paths, or a flood: cookies keep no state for half-open connections.", "With cookies some TCP options get lost; fewer repeats of the SYN-ACK give up on clients behind a path that loses packets.", []string{"net/syn-queue-full", "net/syn-flood", "audit/syncookies"}},
	{"reuse-time-wait", "connect again from ports that are in TIME_WAIT", []string{"sysctl net.ipv4.tcp_tw_reuse=1"},
		"A client that makes many short connections to one destination and runs out of local ports. It needs TCP timestamps, and helps outgoing connections only. Kept connections help more.", "Next to none. tcp_tw_recycle, which sounds alike, broke clients behind NAT and is gone since Linux 4.12. tcp_fin_timeout does not shorten TIME_WAIT, which is always 60 s.", []string{"net/ephemeral-ports", "tcp.time-wait", "audit/tw-recycle"}},
	{"port-range", "use more local ports", []string{"sysctl net.ipv4.ip_local_port_range='10000 65535'"},
		"Connections to one destination need a port each.", "Ports of servers on this host may be taken: net.ipv4.ip_local_reserved_ports.", []string{"net/ephemeral-ports", "audit/port-range"}},
	{"conntrack-size", "track more connections", []string{"sysctl net.netfilter.nf_conntrack_max=1048576", "sysctl net.netfilter.nf_conntrack_tcp_timeout_time_wait=30", "iptables -t raw -A PREROUTING -p tcp --dport 80 -j NOTRACK"},
		"The table is full, and new connections are dropped. Rules that need no state can leave connections out (NOTRACK).", "About 0.3 KiB of memory for each entry; a larger table needs more buckets, too.", []string{"net/conntrack-full", "audit/conntrack-buckets"}},
	{"socket-buffers", "let TCP have more data under way", []string{"sysctl net.ipv4.tcp_rmem='4096 131072 33554432' net.ipv4.tcp_wmem='4096 16384 33554432'"},
		"One connection over a long, fast path: throughput times round trip must fit. The kernel grows buffers by itself up to the third number, unless the program sets SO_RCVBUF.", "Memory for each connection that uses it; longer queues.", []string{"packets.window-limited", "audit/socket-buffers", "audit/tcp-memory"}},
	{"udp-buffer", "let more datagrams wait for a program", []string{"sysctl net.core.rmem_max=8388608   # and SO_RCVBUF in the program"},
		"Bursts that a program works off afterwards. One that is slower than what arrives all the time loses as many with any buffer.", "Datagrams are older when they are read.", []string{"net/udp-buffer", "udp.receive-queue"}},
	{"nodelay", "send small writes at once (TCP_NODELAY)", []string{"tcp_nodelay on;   # nginx"},
		"Requests in two small writes: the second one waits for the acknowledgement of the first, which the other side delays by 40 ms. To write once is better still.", "More packets. TCP_CORK does the opposite.", []string{"net/delayed-ack", "packets.delayed-ack-wait"}},
	{"keep-connections", "keep connections for more requests, or pool them", []string{"keepalive 32;   # nginx, in upstream, with proxy_http_version 1.1"},
		"Each request begins with a connect, and perhaps TLS and a login.", "The server keeps memory or a thread for each; the side that closes idle ones must do so after the other would have, or requests fail.", []string{"net/ephemeral-ports", "rt.connect", "rt/first-disconnect", "packets.reset-after-idle"}},
	{"tcp-keepalive", "notice peers that are gone", []string{"sysctl net.ipv4.tcp_keepalive_time=120 net.ipv4.tcp_keepalive_intvl=15 net.ipv4.tcp_keepalive_probes=4"},
		"Firewalls and NAT gateways forget idle connections, and neither side hears of it. The program has to ask for it (SO_KEEPALIVE).", "A few packets; a path that fails for a minute ends connections.", []string{"packets.reset-after-idle", "packets.unheard-quiet"}},
	{"reuseport", "give each worker a listening socket of its own", []string{"listen 80 reuseport;   # nginx"},
		"Many workers that wake up for one connection, or one that accepts for all.", "A worker that is stuck has connections in its queue that others cannot take.", []string{"net/accept-queue-full", "cpu/context-switches"}},
	{"ring-size", "let a network card keep more packets", []string{"ethtool -g eth0", "ethtool -G eth0 rx 4096"},
		"Packets arrive in bursts and the card has no descriptor left (rx_missed, rx_no_buffer).", "Packets wait longer; the link goes down for a moment while it is set.", []string{"net/nic-drops", "net/softnet"}},
	{"offloads", "let the card cut and join segments (TSO, GSO, GRO)", []string{"ethtool -k eth0", "ethtool -K eth0 gro on gso on tso on"},
		"Bulk transfers: less CPU time for each byte. Captures then show segments larger than the MTU.", "LRO must be off on hosts that forward packets.", []string{"cpu/softirq", "net.packet-size"}},
	{"mtu", "use larger packets, or smaller ones inside a tunnel", []string{"ip link set dev eth0 mtu 9000", "iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu"},
		"Jumbo frames where all of a network has them. A tunnel (VXLAN takes 50 bytes) needs a smaller MTU inside.", "Where one link of the path is smaller and ICMP is filtered, large packets vanish.", []string{"net/mtu-mismatch", "audit/mtu"}},
	{"dns-cache", "keep answers of DNS", []string{"systemctl enable --now systemd-resolved", "options timeout:1 attempts:2   # /etc/resolv.conf"},
		"Each connect looks the same name up again.", "Changes of a name arrive later, up to its TTL.", []string{"net/dns-slow", "net/dns-unreachable"}},
	{"file-limit", "let a service open more files", []string{"systemctl edit UNIT   # [Service] LimitNOFILE=65536"},
		"A server has more clients than descriptors. ulimit in a shell does not reach services.", "A leak of descriptors shows later. Programs that close all numbers at start become slower with limits of a million.", []string{"proc/fd-limit", "audit/fd-limit"}},
	{"bypass", "take packets past the kernel (XDP, DPDK)", nil,
		"Millions of packets a second for one purpose: a firewall, a load balancer, a defence against floods.", "It takes special programs; DPDK polls and keeps its CPUs at 100 % all the time.", []string{"cpu/softirq", "net/softnet"}},
	{"fewer-round-trips", "ask for many things at once", nil,
		"One piece of work makes dozens of small requests in sequence: the path's round trip counts for each. Batches, joins, pipelines; `rtrail explain protocol.NAME` says how.", "Larger requests hold locks longer, and one that fails repeats more.", []string{"rt/chatty", "rt.round-trips", "rt/fan-out"}},
	{"cache-answers", "answer from a cache", nil,
		"The same things are asked for again and again, and may be a little old.", "What changed shows late; an empty cache lets all load through at once.", []string{"rt/server-slow", "mysql/full-scan"}},
}

// changeEntries is an entry per change.
func changeEntries() []Entry {
	list := make([]Entry, 0, len(changes))
	for _, c := range changes {
		list = append(list, Entry{ID: "change/" + c.name, Title: c.title, Page: c.page(), Kind: Change})
	}
	return list
}

func (c change) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# change/%s: %s\n\n", c.name, c.title)
	if len(c.how) > 0 {
		fmt.Fprintf(&b, "## How\n    %s\n\n", strings.Join(c.how, "\n    "))
	}
	fmt.Fprintf(&b, "## When it helps\n%s\n\n## Price\n%s\n\n## See also\n%s\n", c.when, c.price, strings.Join(c.see, ", "))
	return b.String()
}
