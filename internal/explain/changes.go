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
		"A program whose caches are hot keeps them; a neighbour can no longer take its CPUs. It helps only if others are kept away from these CPUs, too (a cpuset of their own for all others).", "Threads wait for their CPUs while others idle. Memory that is placed already stays where it is, and page tables never move.", []string{"cpu/one-thread-limit", "sched.run-delay", "cpu/context-switches"}},
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
	{"less-work", "remove work that nobody needs", []string{"perf record -g -p PID -- sleep 30; perf report"},
		"Always first: the hot function of the profile, a test loop that was left in (192 times as fast without it), a better algorithm, an event instead of polling, -O2, a result that is kept.", "Time of developers.", []string{"cpu/hot-function", "cpu/saturated", "cpu/syscall-storm", "cpu/exception-storm"}},
	{"reap-children", "wait for ended children", nil,
		"waitpid() in the loop that forks, or a handler of SIGCHLD; in a container an init process (docker run --init). The end of the parent clears its zombies, too.", "None.", []string{"proc/zombies", "proc/pid-limit"}},
	{"run-in-process", "do the work in the process instead of starting a program for it", nil,
		"Each request starts a shell or a tool: a library, or a worker that stays, costs a hundredth. Where there must be several, threads are cheaper to start and to switch than processes.", "A crash of the code takes the server along.", []string{"cpu/short-lived-processes", "sched.forks"}},
	{"limit-concurrency", "let fewer requests in at a time", []string{"limit_conn addr 10;   # nginx", "innodb_thread_concurrency=64"},
		"Many running threads, idle CPUs and falling throughput: they stand in each other's way at a lock. Up to the knee more clients give more answers, beyond it only longer waits.", "Clients wait, or are refused, before the server instead of within it.", []string{"proc/lock-contention", "cpu/spinning", "cpu/context-switches", "mysql/spin-waste", "rt.concurrency"}},
	{"numa-binding", "keep a program and its memory on one node, or spread it evenly", []string{"numactl --cpunodebind=0 --membind=0 PROGRAM", "numactl --interleave=all PROGRAM"},
		"Bound: programs that fit a node. Spread: databases that are larger than one. Start it so, since memory and page tables do not follow a program that is moved.", "Bound, it runs out of memory while other nodes have some; spread, half of the accesses and more are remote, and slower by a third.", []string{"mem/numa", "memory.numa-misses", "audit/numa-balancing"}},
	// memory
	{"swap-off", "do without swap", []string{"swapoff -a"},
		"Where a late answer is worse than none, as in a cluster that restarts elsewhere. What is swapped out must fit into memory first. swapoff -a && swapon -a empties swap and keeps it.", "Idle pages stay in memory, and the kernel kills a process sooner.", []string{"mem/swapping", "audit/swappiness", "mem/oom-kill"}},
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
	{"fewer-allocations", "allocate less, and keep what is allocated", []string{"MALLOC_ARENA_MAX=2", "LD_PRELOAD=libjemalloc.so.2 PROGRAM"},
		"Many minor faults and system time: blocks are taken from the kernel and given back for each request. Pools, arrays on the stack, another allocator.", "Memory that is kept is not there for others; fewer arenas make threads wait for each other.", []string{"cpu.system", "mem/leak", "wait/kernel/memory-map"}},
	// disks and files
	{"read-ahead", "read more of a file than was asked for", []string{"cat /sys/block/sda/queue/read_ahead_kb", "blockdev --setra 4096 /dev/sda   # sectors of 512 bytes"},
		"Large files that are read from beginning to end.", "Random reads fetch what nobody wants, and push other pages out of memory.", []string{"disk.request-size", "disk/saturated", "mem/reclaim"}},
	{"io-scheduler", "choose how the kernel orders requests of a disk", []string{"cat /sys/block/sda/queue/scheduler", "echo mq-deadline > /sys/block/sda/queue/scheduler"},
		"none for NVMe and disks of virtual machines, mq-deadline where reads starve behind writes, bfq for fairness among programs on a slow disk.", "Each request costs more CPU; bfq limits the rate of fast disks.", []string{"disk/saturated", "disk.queue-time"}},
	{"queue-length", "let more requests queue for a disk", []string{"echo 256 > /sys/block/sda/queue/nr_requests"},
		"More throughput from disks that serve many requests at a time.", "Each request waits longer: with a disk that is full, latency grows and nothing else.", []string{"disk.queue", "disk.queue-time", "disk.await"}},
	{"io-priority", "give a program less of a disk", []string{"ionice -c 3 -p PID   # with bfq, or mq-deadline since Linux 5.14", "systemctl set-property UNIT IOWeight=10 IOReadBandwidthMax=\"/dev/sda 20M\""},
		"Backups and batch jobs beside a database. A limit in bytes or operations works with each scheduler, a weight with bfq or io.cost. Classes are idle, best effort (0 to 7, lower is stronger) and real time.", "The limited program waits also when the disk has nothing else to do.", []string{"disk/saturated", "disk/cgroup-throttled"}},
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
	{"append", "write one record after the other instead of all over the file", nil,
		"Disks take sequential writes many times faster, SSDs too; neighbours are merged into large requests.", "Records have to be found again (an index), and old ones cleaned up.", []string{"disk/saturated", "disk.request-size", "disk/many-small-writes"}},
	{"map-files", "map files into memory (mmap)", nil,
		"Parts of a file that are read again and again: no calls and no copies.", "A read that misses is a page fault that blocks the thread; an error of the disk is a signal (SIGBUS); tools that count calls see nothing.", []string{"cpu/syscall-storm", "vmstat.major-faults"}},
	{"faster-disk", "take a faster disk, or more of one", nil,
		"The disk does what it can (rtrail bench baseline), and the work is needed. SSD instead of spinning disk, RAID 10 instead of 5, a higher limit of a cloud volume.", "Money, and a move of the data. RAID 0 loses all with one disk; RAID 10 has half of the space.", []string{"disk/saturated", "disk/slow-sync", "disk.of-baseline"}},
	{"journal-mode", "choose filesystem and journal for the load", []string{"mount -o data=writeback ...   # ext4", "mkfs.xfs /dev/sdb1"},
		"Many changes of metadata, or syncs that wait for the data of others (data=ordered). xfs where many threads write, or millions of files are made.", "writeback: after a crash files may hold old contents. xfs cannot be shrunk. Another filesystem means copying all.", []string{"disk/slow-sync", "disk/inodes-full", "disk/saturated"}},
	// network
	{"listen-backlog", "let more connections wait to be accepted", []string{"sysctl net.core.somaxconn=4096", "listen 80 backlog=4096;   # nginx"},
		"Bursts of connects that overflow the accept queue of a server which keeps up on average. Both the limit of the kernel and that of the program count, and the program must listen anew.", "Where the server does not keep up, clients wait in the queue instead of being refused, until they give up.", []string{"net/accept-queue-full", "audit/somaxconn", "tcp.backlog"}},
	{"syn-queue", "let more handshakes be half open", []string{"sysctl net.ipv4.tcp_max_syn_backlog=4096 net.ipv4.tcp_syncookies=1 net.ipv4.tcp_synack_retries=2"},
		"Many clients that connect over long paths, or a flood: cookies keep no state for half-open connections.", "With cookies tcp_max_syn_backlog no longer counts, only the backlog of the listener, and some TCP options get lost; fewer repeats of the SYN-ACK give up on clients behind a path that loses packets.", []string{"net/syn-queue-full", "net/syn-flood", "audit/syncookies"}},
	{"reuse-time-wait", "connect again from ports that are in TIME_WAIT", []string{"sysctl net.ipv4.tcp_tw_reuse=1"},
		"A client that makes many short connections to one destination and runs out of local ports. It needs TCP timestamps, and helps outgoing connections only. Kept connections help more.", "Next to none. tcp_tw_recycle, which sounds alike, broke clients behind NAT and is gone since Linux 4.12. tcp_fin_timeout does not shorten TIME_WAIT, which is always 60 s.", []string{"net/ephemeral-ports", "tcp.time-wait", "audit/tw-recycle"}},
	{"port-range", "use more local ports", []string{"sysctl net.ipv4.ip_local_port_range='10000 65535'"},
		"Connections to one destination need a port each.", "Ports of servers on this host may be taken: net.ipv4.ip_local_reserved_ports.", []string{"net/ephemeral-ports", "audit/port-range"}},
	{"conntrack-size", "track more connections", []string{"sysctl net.netfilter.nf_conntrack_max=1048576", "sysctl net.netfilter.nf_conntrack_tcp_timeout_time_wait=30", "iptables -t raw -A PREROUTING -p tcp --dport 80 -j NOTRACK"},
		"The table is full, and new connections are dropped. Rules that need no state can leave connections out (NOTRACK). A shorter TIME_WAIT empties it sooner.", "About 0.3 KiB of memory for each entry; a larger table needs more buckets, too.", []string{"net/conntrack-full", "audit/conntrack-buckets"}},
	{"socket-buffers", "let TCP have more data under way", []string{"sysctl net.ipv4.tcp_rmem='4096 131072 33554432' net.ipv4.tcp_wmem='4096 16384 33554432'"},
		"One connection over a long, fast path: throughput times round trip must fit. The kernel grows buffers by itself up to the third number, unless the program sets SO_RCVBUF.", "Memory for each connection that uses it; longer queues.", []string{"packets.window-limited", "audit/socket-buffers", "audit/tcp-memory"}},
	{"udp-buffer", "let more datagrams wait for a program", []string{"sysctl net.core.rmem_max=8388608   # and SO_RCVBUF in the program"},
		"Bursts that a program works off afterwards. One that is slower than what arrives all the time loses as many with any buffer. Datagrams larger than the MTU are lost with any of their fragments.", "Datagrams are older when they are read.", []string{"net/udp-buffer", "udp.receive-queue"}},
	{"nodelay", "send small writes at once (TCP_NODELAY)", []string{"tcp_nodelay on;   # nginx"},
		"Requests in two small writes: the second one waits for the acknowledgement of the first, which the other side delays by 40 ms. To write once is better still. It belongs on the side that writes, whoever delays.", "More packets. TCP_CORK (tcp_nopush) does the opposite and wins over it.", []string{"net/delayed-ack", "packets.delayed-ack-wait"}},
	{"keep-connections", "keep connections for more requests, or pool them", []string{"keepalive 32;   # nginx, in upstream, with proxy_http_version 1.1"},
		"Each request begins with a connect, and perhaps TLS and a login.", "The server keeps memory or a thread for each; the side that closes idle ones must do so after the other would have, or requests fail.", []string{"net/ephemeral-ports", "rt.connect", "rt/first-disconnect", "packets.reset-after-idle"}},
	{"tcp-keepalive", "notice peers that are gone", []string{"sysctl net.ipv4.tcp_keepalive_time=120 net.ipv4.tcp_keepalive_intvl=15 net.ipv4.tcp_keepalive_probes=4"},
		"Firewalls and NAT gateways forget idle connections, and neither side hears of it. The program has to ask for it (SO_KEEPALIVE).", "A few packets; a path that fails for a minute ends connections.", []string{"packets.reset-after-idle", "packets.unheard-quiet"}},
	{"reuseport", "give each worker a listening socket of its own", []string{"listen 80 reuseport;   # nginx"},
		"Many workers that wake up for one connection, or one that accepts for all.", "A worker that is stuck has connections in its queue that others cannot take: keep it on, and keep workers from being stuck.", []string{"net/accept-queue-full", "cpu/context-switches"}},
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
	{"syn-limit", "drop SYNs beyond a rate, or of one source", []string{"iptables -I INPUT -s 192.0.2.7 -p tcp --syn -j DROP", "iptables -A INPUT -p tcp --dport 80 --syn -m hashlimit --hashlimit-mode srcip --hashlimit-above 20/s --hashlimit-name syn -j DROP"},
		"A flood from few addresses. Forged addresses come from everywhere: cookies help against those. A rule that only accepts up to a rate needs another one that drops the rest.", "Clients behind one NAT share a limit, and real ones may be refused. If the link itself is full, only the provider can help.", []string{"net/syn-flood", "net/syn-queue-full", "cpu/softirq"}},
	{"host-network", "let a container use the host's network", []string{"docker run --network host ..."},
		"Bridge, NAT and connection tracking cost CPU for each packet, and their table may be full.", "Ports and interfaces are shared with the host: no isolation, and no two containers on one port. Otherwise: net.ipv4.ip_forward=1 and room for connection tracking.", []string{"cpu/softirq", "net/conntrack-full", "net/ephemeral-ports"}},
	{"congestion-control", "choose how TCP finds its rate", []string{"sysctl net.ipv4.tcp_congestion_control=bbr net.core.default_qdisc=fq"},
		"Long paths that lose packets for other reasons than full queues, and shapers with deep queues. It counts at the sender.", "BBR takes more than its share beside cubic, and a policer makes it repeat many segments.", []string{"net/packet-loss", "packets.standing-queue", "net/rate-limited"}},
	{"raise-limit", "raise a limit of rate, of bytes or packets per second", []string{"tc -s qdisc show dev eth0", "tc qdisc replace dev eth0 root fq"},
		"A shaper, a quota of a cloud, or a policer of a switch holds traffic at a round number. Small packets meet the limit of packets, bulk that of bytes, each direction its own.", "The limit was there for others, or for money.", []string{"net/rate-limited", "net/qdisc-drops", "packets.rate"}},
	{"client-timeouts", "give each wait of a client an end", []string{"connectTimeout=1000 socketTimeout=30000   # JDBC", "proxy_connect_timeout 1s; proxy_read_timeout 30s;   # nginx"},
		"Threads that wait for ever for a peer that is gone, pools that test connections without a limit, retries without a pause. Above the slowest answers that are usual, and shorter than the caller's own.", "Too short ones turn slow answers into failures, and repeats into more load; the server may go on with work that nobody wants any more.", []string{"rt/first-disconnect", "rt/connect-slow", "rt/server-slow", "packets.unheard"}},
	{"pool-size", "size a pool of connections", []string{"initialSize=20 minIdle=20 maxActive=20 maxWait=1000   # Druid", "maximumPoolSize=20 connectionTimeout=1000   # HikariCP"},
		"Requests wait for a connection while the server has room: as many as rate times response time, with some reserve. All of them from the start spares connects at the peak. Before a slow server more of them only move the queue there.", "Connections that idle take memory, and threads, of the server. A bound on waiting threads (maxWaitThreadCount) gives errors instead of a longer queue: keep it.", []string{"rt/worker-queueing", "mysql/connections-exhausted", "rt.concurrency"}},
	{"smaller-messages", "send less: compact formats, fewer fields, compression", []string{"gzip on;   # nginx"},
		"Bytes are what is short: a slow link, a limit of rate, a large answer on a long path. Protocol Buffers instead of JSON, only the columns that are needed.", "CPU time on both sides; formats that people cannot read.", []string{"net/rate-limited", "rt/path-slow", "packets.download"}},
	{"spread-load", "take load away: a CDN, a queue, more servers", nil,
		"The server is full with work that is needed. A CDN answers what is the same for all, a message queue takes what may be done later, a load balancer shares the rest.", "More parts that can fail; work in a queue shows no error to who asked for it.", []string{"cpu/saturated", "rt/server-slow", "net/accept-queue-full"}},
	{"queue-discipline", "choose the queue of an interface, and its length", []string{"tc qdisc replace dev eth0 root fq_codel", "ip link set dev eth0 txqueuelen 2000"},
		"fq_codel where one bulk transfer makes all others wait; a longer queue where bursts of this host are lost (drops in tc -s qdisc); htb or tbf to give services their share.", "A longer queue loses less and delays more. A shaper limits also when there is room.", []string{"net/qdisc-drops", "qdisc.drops", "packets.standing-queue"}},
	{"hedge", "do not wait for the slowest of many calls", nil,
		"One request makes many calls: 1 % slow calls among 256 make 92 % of the requests slow. Fewer calls, one in place of many, a second copy of a call that is late, or an answer without it.", "A few percent more load; answers that may be incomplete.", []string{"rt/fan-out", "rt/one-slow-backend", "rt.slow-calls"}},
	{"even-shards", "spread keys evenly over shards", nil,
		"One shard has more than its share, and limits all: with the hottest at 1.6 times the mean the whole serves 62 %. Hash the whole key well, and count requests by shard. A key that is part of another one (a user's digits in the number of an order) keeps what belongs together on one shard.", "Moving data; queries over a range of keys touch all shards.", []string{"rt/one-slow-backend", "rt.backend-load"}},
	// databases
	{"add-index", "add an index, or write the condition so that one serves", []string{"CREATE INDEX i ON t (a, b);", "CREATE INDEX i ON t (text_column(64));", "EXPLAIN SELECT ..."},
		"A statement reads thousands of rows for each that it returns. Columns compared by = first, then the one of a range or ORDER BY; of TEXT a prefix that tells values apart. A function around the column keeps an index from being used.", "Each change writes to it; building it reads the table, and takes space. Rarely used ones only cost.", []string{"mysql/full-scan", "mysql/costly-statement", "mysql/sort", "disk/read-amplified", "mysql/row-lock-wait"}},
	{"table-cache", "let threads share the table cache less", []string{"table_open_cache_instances=16   # restart", "metadata_locks_hash_instances=32   # 5.6 only"},
		"Stacks wait for the mutex of the table cache, with hundreds of running threads. table_open_cache itself matters only while Table_open_cache_overflows grows.", "Each part keeps its own handles: more memory and descriptors.", []string{"mysql/table-cache-contention", "mysql/mdl-contention", "variable/table_open_cache_instances"}},
	{"performance-schema-off", "do without the performance schema, or parts of it", []string{"UPDATE performance_schema.setup_consumers SET enabled='NO' WHERE name='statements_digest';", "performance_schema=OFF   # restart"},
		"Profiles show its functions, as find_or_create_digest, with a material part of the CPU time.", "What it counts is lost to all tools, rtrail among them.", []string{"mysql/instrumentation-cost", "variable/performance_schema"}},
	{"spin-delay", "let InnoDB spin as long as by default", []string{"SET GLOBAL innodb_spin_wait_delay=6, innodb_sync_spin_loops=30;"},
		"ut_delay takes much of the CPU and the settings are far above the defaults, as 10,000. CPUs of which PAUSE takes longer need less.", "Too little makes threads sleep and wake: switches. The mutex they spin for is the real cause.", []string{"mysql/spin-waste", "cpu/spinning", "variable/innodb_spin_wait_delay"}},
	{"thread-pool", "size the thread pool", []string{"thread_pool_size=16", "thread_pool_oversubscribe=20   # Percona", "thread_pool_max_threads=1000   # MariaDB"},
		"Statements queue in one group while others idle, or a pool of one group holds all up. As many groups as CPUs; oversubscribe, or max_threads, so that long statements do not take all of a group; one-thread-per-connection for few long connections.", "More threads at work compete for locks and CPUs, which the pool was to prevent; fewer, larger groups share one queue's lock.", []string{"mysql/thread-pool-stalled", "mysql/thread-pool-counter-leak", "variable/thread_pool_oversubscribe", "variable/thread_pool_size"}},
	{"prepare-at-client", "let the driver fill in the values", []string{"useServerPrepStmts=false   # Connector/J", "rtrail bench prepared --target HOST:PORT"},
		"IN lists with thousands of values, on servers that write them into the text for a log. Short text, pieces of 1,000, or a temporary table help as well.", "The server parses each statement anew; measure both for statements that are short and frequent.", []string{"mysql/prepared-padding", "mysql.prepared-executions"}},
	{"commit-soon", "commit as soon as the work is done", nil,
		"A program does other work, or waits, between its last statement and COMMIT: locks are held, the list of open transactions grows and each read view copies it, old rows cannot be purged.", "Work that belongs together must stay in one transaction.", []string{"rt/late-commit", "mysql/long-transaction", "mysql/row-lock-wait", "mysql/purge-lag"}},
	{"blue-green", "upgrade on a copy, and switch the name over", []string{"aws rds create-blue-green-deployment ...", "rtrail bench watch SERVER --write"},
		"Upgrades with a short outage. At a quiet time, with backups on, little lag, pools that connect again, and old answers of DNS that expire soon.", "Writes stop for longer than connections are lost; a second server for days. What was written after the switch is lost if you switch back.", []string{"mysql/not-answering", "rt/first-disconnect", "mysql.answer"}},
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
