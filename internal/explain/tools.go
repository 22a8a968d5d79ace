package explain

import (
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/metric"
)

// tool is a program that people know, with what of rtrail shows the same.
type tool struct {
	name    string
	title   string   // what it shows
	read    string   // what to read in it, and what it costs or hides
	instead string   // what rtrail does in its place; "": nothing
	see     []string // entries that answer what people look for with it
}

var tools = []tool{
	// all of a host
	{"uptime", "the load average", "Three means, of 1, 5 and 15 minutes, of tasks that run, want to run or sleep uninterruptibly. Rising or falling tells more than the height.", "`rtrail` shows the load in its vitals line, and judges what makes it up.", []string{"sched.load", "cpu/saturated", "proc/uninterruptible"}},
	{"top", "processes, busiest first, and the split of CPU time", "The first look: load, us sy si st wa, processes by CPU; M sorts by memory, 1 shows each CPU, H each thread. It misses what ends between two of its looks, and does not split a process into user and kernel.", "`rtrail` names processes, threads and their children, those that ended included. `rtrail diagnose top.txt` judges what top -b printed into a file.", []string{"cpu/saturated", "cpu/short-lived-processes", "process.cpu", "process.rss"}},
	{"htop", "processes, with colours and a tree", "The same files as top. Kernel threads and threads of programs are hidden unless asked for (K, H).", "", []string{"process.cpu", "thread.cpu"}},
	{"atop", "processes, disks and network, also of past times", "Accounting of processes that ended, and logs to look back into (atop -r).", "`rtrail record` and `rtrail replay`.", []string{"process.cpu", "disk.utilisation"}},
	{"vmstat", "a line a second: run queue, memory, swap, I/O, CPU", "r waits for a CPU or runs, b waits for a disk, si and so are swap traffic, cs switches, st steal. The first line is a mean since boot: leave it out.", "`rtrail diagnose vmstat.txt` judges what it printed into a file.", []string{"sched.running", "vmstat.swap-in", "cpu.iowait", "cpu/saturated", "mem/swapping"}},
	{"dstat", "a line a second of CPU, disk, network, paging", "One time axis for all of them: does iowait move with reads or with writes? pcp-dstat and dool go on with it.", "", []string{"cpu.iowait", "disk.utilisation"}},
	{"sar", "what vmstat, iostat and netstat show, kept for days", "-u CPU, -q load, -r memory, -W swap, -B paging, -d disks, -n DEV,TCP,ETCP network. Means of ten minutes hide what lasts seconds.", "`rtrail record` keeps every second. `rtrail diagnose /var/log/sysstat/sa02` judges its files.", []string{"cpu.user", "disk.await", "tcp.retransmission-rate", "interface.bytes"}},
	{"pidstat", "CPU, I/O, faults and switches of processes and threads", "%wait is time that a task could run and got no CPU. -d disk, -r memory, -w switches, -t threads. It shows what is alive at both ends of an interval only.", "`rtrail diagnose pidstat.txt` judges what it printed into a file.", []string{"sched.run-delay", "process.cpu", "process.io-bytes", "process.context-switches"}},
	{"mpstat", "CPU time by kind, of each CPU", "mpstat -P ALL 1: one CPU full of %soft or %irq, or one at 100 % beside idle ones, which a mean hides.", "`rtrail diagnose mpstat.txt` judges what it printed into a file.", []string{"cpu/one-thread-limit", "cpu/softirq", "cpu.softirq", "cpu.steal"}},
	{"ps", "the processes there are", "STAT: R, S, D (uninterruptible), Z (zombie). %CPU is a mean over the life of a process, not of now.", "", []string{"proc/zombies", "proc/uninterruptible", "process.rss"}},
	{"pstree", "who started whom", "pstree -aps PID: the ancestors, with their arguments.", "`rtrail trace exec` shows parents of processes that have ended, too.", []string{"cpu/short-lived-processes", "proc/crash-loop"}},
	{"dmesg", "the kernel's log", "OOM kills, I/O errors, hung tasks, a full conntrack table, SYN floods. dmesg -T prints times; they drift after a suspend.", "`rtrail` reads what is new in it while it watches.", []string{"kernel.log", "log.oom-kill", "disk/errors", "net/conntrack-full"}},
	{"journalctl", "logs of services and of the kernel", "-u UNIT, -k for the kernel, --since. A unit that restarts again and again shows here.", "", []string{"proc/crash-loop", "kernel.log"}},
	{"systemd-cgtop", "control groups by CPU, memory and I/O", "Sums of all processes of a service or a container.", "", []string{"cpu/throttled", "cgroup.memory", "cgroup.quota"}},
	{"docker", "containers", "docker stats: CPU and memory against limits; docker inspect: OOMKilled and the exit code, 137 is SIGKILL; docker logs. free in a container shows the host's memory, not the limit.", "", []string{"mem/cgroup-oom", "cpu/throttled", "proc/crash-loop"}},
	{"kubectl", "pods and nodes of Kubernetes", "kubectl describe pod: OOMKilled, CrashLoopBackOff, probes that fail; kubectl top: CPU and memory. Throttling shows in neither.", "`rtrail` on the node names the pod's control group.", []string{"cpu/throttled", "mem/cgroup-oom", "proc/crash-loop"}},
	// CPU
	{"perf", "profiles, counters and events of the kernel", "perf top for now, perf record -a -g and perf report for call chains, perf sched for waits for a CPU. Names need symbols and frame pointers (Java: -XX:+PreserveFramePointer).", "`rtrail` names hot functions; `rtrail --flame FILE` draws both flame graphs, `--pprof FILE` writes both profiles.", []string{"cpu/hot-function", "process.hot-function", "sched.run-delay"}},
	{"strace", "the system calls of a process", "-f all threads, -T time of each call, -c sums. It stops the process at each call: a busy server becomes many times slower. It sees the first thread only without -f.", "`rtrail trace syscalls`, which counts in the kernel.", []string{"process.syscalls", "cpu/syscall-storm", "process.syscall-share"}},
	{"gdb", "stacks of a process", "gdb -p PID -batch -ex 'thread apply all bt'. The process stands still meanwhile.", "`rtrail stacks` reads the dumps, and `rtrail stacks --pid PID` samples without stopping it.", []string{"proc/deadlock", "proc/lock-contention"}},
	{"ftrace", "calls and events inside the kernel, by tracefs", "function_graph shows how long each kernel function takes; trace-cmd drives it. Set filters first: all functions at once cost much.", "", []string{"cpu.system", "process.syscalls"}},
	{"trace-cmd", "ftrace without its files", "trace-cmd record -p function_graph -g FUNCTION; trace-cmd report.", "", []string{"cpu.system", "process.syscalls"}},
	{"bpftrace", "programs of one line that run in the kernel", "Probes, filters, sums and histograms, for questions that no ready tool answers.", "`rtrail trace` for the usual ones.", []string{"process.syscalls", "time.lock"}},
	{"turbostat", "clock rates, sleep states and heat of CPUs", "Bzy_MHz beside TSC_MHz: is the CPU slowed down?", "", []string{"audit/governor"}},
	{"execsnoop", "processes as they start", "PCOMM, PID, PPID, RET and arguments, of those that live a millisecond, too.", "`rtrail trace exec`.", []string{"cpu/short-lived-processes", "proc/crash-loop"}},
	{"runqlat", "how long tasks wait for a CPU, as a histogram", "Long waits beside idle CPUs point to a quota or to affinity.", "", []string{"sched.run-delay", "cpu/saturated", "cpu/throttled"}},
	{"offcputime", "where threads wait, by stack", "Seconds blocked by kernel and user stack.", "`rtrail trace offcpu`, with who woke them.", []string{"time.lock", "time.disk", "proc/lock-contention"}},
	{"taskset", "on which CPUs a process may run", "taskset -p PID. Pinned threads wait for their CPU while others idle.", "", []string{"cpu/one-thread-limit", "sched.run-delay"}},
	{"chrt", "the scheduling policy of a process", "A real-time task (FIFO, RR) that loops keeps all others from its CPU.", "", []string{"sched.run-delay", "cpu/saturated"}},
	// memory
	{"free", "memory of the host", "available is what programs can get; free alone is small on every host that reads files.", "", []string{"memory.available", "memory.cached", "swap.used"}},
	{"slabtop", "memory of the kernel's own objects", "c sorts by size. dentry and inode caches are given back when programs need memory (SReclaimable); SUnreclaim that grows is a leak of the kernel.", "", []string{"memory.available", "memory.cached"}},
	{"pmap", "the mappings of a process", "pmap -x PID: which mapping grew. Shared pages count for each process.", "", []string{"process.anon", "process.rss", "mem/leak"}},
	{"smem", "memory of processes with shared pages divided (PSS)", "The only sum over processes that is right. It reads smaps, which takes long for large processes.", "", []string{"process.rss", "process.swap"}},
	{"memleak", "allocations that were not freed, by stack", "Traces each malloc and free: the program becomes slower.", "`rtrail --alloc PID` or `rtrail trace alloc`, sampled by bytes.", []string{"mem/leak", "process.not-freed"}},
	{"valgrind", "leaks and wrong accesses of a program that is run under it", "Ten to fifty times slower: for tests, not for production.", "", []string{"mem/leak", "process.not-freed"}},
	{"cachestat", "hits and misses of the page cache", "Misses are pages that were read from disk, or added by writes.", "`rtrail trace cache`.", []string{"mem/reclaim", "memory.cached"}},
	{"cachetop", "hits and misses of the page cache, by process", "Hits times 4 KiB well below what the program reads: it reads past the cache.", "`rtrail trace cache`.", []string{"mem/direct-io-read", "memory.cached"}},
	{"pcstat", "how much of a file is in the page cache", "fincore of util-linux shows the same.", "", []string{"memory.cached", "mem/reclaim"}},
	{"numastat", "allocations by NUMA node", "numa_miss: memory of another node than wanted. numastat -p PID for one process.", "", []string{"mem/numa", "memory.numa-misses"}},
	{"numactl", "NUMA nodes, and where a program's memory comes from", "--hardware shows free memory and distances of nodes; --interleave spreads a database.", "", []string{"mem/numa", "memory.node-free"}},
	// disks and files
	{"iostat", "rates, times and queues of disks", "iostat -x 1: await is what a program waits for a request, queue included; aqu-sz how many are in flight; %util near 100 is the end of a single spindle, not of an SSD. It names no process.", "`rtrail diagnose iostat.txt` judges what it printed into a file.", []string{"disk.await", "disk.queue", "disk.utilisation", "disk/saturated"}},
	{"iotop", "threads by disk I/O", "Who reads and writes now; iotop -oPa sums up.", "", []string{"process.io-bytes", "process.disk-wait", "disk/saturated"}},
	{"biosnoop", "each request to a disk", "Process, device, operation, size, time in queue and device.", "`rtrail trace block`.", []string{"disk.queue-time", "disk.await"}},
	{"biolatency", "times of disk requests as a histogram", "Two peaks are two kinds of requests: cache and medium, reads and writes.", "`rtrail trace block`.", []string{"disk.await", "disk.queue-time"}},
	{"blktrace", "each step of each disk request", "blkparse and btt show time between steps: queue (Q2D) and device (D2C).", "`rtrail trace block`.", []string{"disk.queue-time", "disk.await"}},
	{"opensnoop", "files as they are opened", "Shows files that live too briefly for lsof, and opens that fail.", "`rtrail trace opens`.", []string{"disk/many-small-writes", "file.churn"}},
	{"filetop", "files by reads and writes", "By default sockets and pipes are left out, and names have no folder.", "`rtrail trace files`, with whole paths.", []string{"file.io", "disk/log-flood"}},
	{"lsof", "open files and sockets of processes", "A deleted file that is still open keeps its space: lsof +L1.", "", []string{"process.files", "file.held", "disk/full", "proc/fd-limit"}},
	{"df", "space and inodes of filesystems", "df -i for inodes. Space that df misses and du does not find belongs to deleted files that are open.", "", []string{"filesystem.available", "filesystem.inodes-free", "disk/full", "disk/inodes-full"}},
	{"du", "space by folder", "du -xsh /* keeps to one filesystem. It does not see files that are deleted and still open.", "", []string{"disk/full", "file.held", "file.growth"}},
	{"smartctl", "health of a disk", "Reallocated and pending sectors, media errors, temperature.", "", []string{"disk/errors", "disk.timeouts"}},
	{"fsck", "repairs a filesystem", "Only one that is not mounted; a filesystem that became read-only after errors needs it.", "", []string{"disk/errors"}},
	{"fio", "load for disks, to measure what one can do", "--direct=1 leaves the page cache out; sync engines have one request in flight each. Never on a device with data: writes destroy it.", "", []string{"disk.await", "disk/saturated"}},
	{"lsblk", "disks, partitions and what is mounted on them", "Which disk is below a mapped device or a RAID.", "", []string{"disk.utilisation", "filesystem.available"}},
	// network
	{"ss", "sockets", "ss -ltn: Recv-Q of a listener is its accept queue, Send-Q the limit; equal means full. ss -ti: rtt, cwnd, retransmits, what limits a connection. ss -s: how many in each state.", "", []string{"tcp.accept-queue", "tcp.time-wait", "tcp.send-queue", "net/accept-queue-full"}},
	{"netstat", "sockets, and counters of protocols", "netstat -s: counters since boot; take it twice and look at what grew. For sockets ss is faster.", "", []string{"tcp.listen-overflows", "tcp.retransmission-rate", "tcp.timeouts"}},
	{"nstat", "counters of protocols since the last call", "nstat -az shows zeros too. Each network namespace has counters of its own: ip netns exec, nsenter.", "", []string{"tcp.listen-overflows", "tcp.timeouts", "udp.rcvbuf-errors"}},
	{"ip", "interfaces, addresses, routes", "ip -s link: errors and drops of an interface; ip route get ADDRESS: the way to it; ip neigh: who answers in the local network.", "", []string{"interface.drops", "audit/mtu"}},
	{"ethtool", "a network card: speed, counters, rings, offloads", "-S counters of the driver (rx_missed, rx_no_buffer), -g ring sizes, -k offloads, -c interrupt coalescing.", "", []string{"net/nic-drops", "interface.drops", "audit/irq-affinity"}},
	{"tc", "queues of interfaces", "tc -s qdisc: dropped, overlimits, backlog. A shaper (tbf, htb) or netem shows here and nowhere else.", "", []string{"net/qdisc-drops", "qdisc.drops", "net/rate-limited"}},
	{"iptables", "filter and address translation rules", "-nvL shows packets per rule, --list-rules the rules. nft list ruleset shows those of both.", "", []string{"net/firewall-drops", "firewall.packets", "net/conntrack-full"}},
	{"nft", "filter rules of nftables", "Rules count only where they say counter.", "", []string{"net/firewall-drops", "firewall.packets"}},
	{"conntrack", "the connection tracking table", "conntrack -C how many, -S drops by CPU, -L the entries by state and source.", "", []string{"net/conntrack-full", "conntrack.count", "conntrack.time-wait"}},
	{"ping", "round trip and loss, by ICMP", "Routers and firewalls treat ICMP unlike TCP: loss of pings proves no loss of data, and the other way round.", "", []string{"rt.way", "rt/path-slow", "net/packet-loss"}},
	{"hping3", "pings by TCP", "hping3 -S -p PORT: SYN and answer, where ICMP is filtered. A round trip of a second or three is a SYN that was sent again.", "rtrail ping HOST PORT", []string{"rt.handshake", "rt/connect-slow", "net/firewall-drops"}},
	{"mtr", "loss and round trip by hop", "Loss at one hop that later hops do not have is only a router that is slow to answer. mtr --tcp --port PORT takes the way of the data.", "", []string{"rt/path-slow", "net/packet-loss"}},
	{"traceroute", "the routers on the way", "-T -p PORT by TCP. The way back may be another one.", "", []string{"rt/path-slow", "net/mtu-mismatch"}},
	{"dig", "answers of DNS servers", "dig @SERVER NAME shows Query time; without @ it takes the first server of /etc/resolv.conf. It reads neither /etc/hosts nor nsswitch.conf, as programs do: getent hosts NAME does.", "", []string{"net/dns-slow", "net/dns-unreachable", "packets.dns-time"}},
	{"nslookup", "answers of DNS servers", "Shows which server was asked. time nslookup NAME tells whether lookups are slow.", "", []string{"net/dns-slow", "net/dns-unreachable"}},
	{"curl", "one HTTP request, with its times", "-w '%{time_namelookup} %{time_connect} %{time_starttransfer} %{time_total}'. Exit codes: 7 refused, 28 timed out, 52 empty answer, 56 reset.", "`rtrail packets` has these times of all requests.", []string{"rt.quantiles", "rt.connect", "rt/server-slow"}},
	{"tcpdump", "packets", "-nn -i any port PORT -w FILE. It counts what it lost at its end: with losses, times and retransmissions mislead.", "`rtrail diagnose FILE`, `rtrail packets FILE`, or `-i INTERFACE` to capture while it watches.", []string{"rt.quantiles", "packets.retransmissions", "net/packet-loss"}},
	{"wireshark", "packets, decoded", "tcp.analysis.flags finds retransmissions, zero windows and duplicate ACKs; Statistics, Conversations sums up. tshark is its terminal form.", "`rtrail packets FILE` gives response times and sums; `rtrail explain protocol.NAME` the filter of tshark.", []string{"rt.quantiles", "packets.retransmissions", "packets.zero-window"}},
	{"dropwatch", "where the kernel drops packets", "Names functions. A packet that is consumed counts nowhere.", "`rtrail trace drops`, with reasons, namespaces and ports.", []string{"kernel.dropped-packets", "net/firewall-drops"}},
	{"tcpretrans", "segments that are sent again", "Each with its connection and state.", "`rtrail trace retransmits`.", []string{"tcp.retransmits", "net/packet-loss"}},
	{"tcpconnect", "connects of processes", "tcpconnlat of the same collection has their times.", "`rtrail trace connects`.", []string{"tcp.connects", "rt/connect-slow"}},
	{"tcplife", "connections with their length and bytes", "Many short ones to one port: no connection pool, no keep-alive.", "`rtrail packets` of a capture lists connections.", []string{"tcp.active-opens", "net/ephemeral-ports"}},
	{"iperf3", "throughput between two hosts", "Retr and Cwnd of the sender; -u -b for UDP; -R the other direction. One stream may be limited by its window, several by the link.", "", []string{"net/rate-limited", "net/packet-loss", "packets.window-limited"}},
	{"wrk", "load for an HTTP server", "A fixed number of connections: when the server is slow fewer requests are sent, and its percentiles leave out who would have waited. Errors count apart: good answers are what matters.", "", []string{"rt.quantiles", "rt.concurrency"}},
	{"ab", "load for an HTTP server, from one thread", "It is often full before the server is. -k keeps connections; without it local ports run out.", "", []string{"rt/client-slow", "net/ephemeral-ports", "cpu/one-thread-limit"}},
	// Java and MySQL
	{"jstack", "stacks of a Java VM, and its deadlocks", "Take three, some seconds apart. A thread that is RUNNABLE in socketRead waits for a peer.", "`rtrail stacks FILE`, also of several dumps.", []string{"jvm/deadlock", "rt.threads"}},
	{"jstat", "garbage collection of a Java VM", "jstat -gcutil PID 1000: old generation (O) near 100 and full collections (FGC) that rise.", "", []string{"rt.stalls", "audit/jvm-heap"}},
	{"pt-pmp", "stacks of a server, counted", "gdb stops the server for each.", "`rtrail stacks --pid PID`, which does not.", []string{"mysql.stack-waiters"}},
	{"pt-query-digest", "a slow query log, summed up by statement", "Shares of time, rows examined and sent.", "`rtrail diagnose mysql-slow.log`.", []string{"mysql/slow-statements", "mysql.statement-share"}},
	{"mysqldumpslow", "a slow query log, summed up by statement", "-s t sorts by time.", "`rtrail diagnose mysql-slow.log`.", []string{"mysql/slow-statements"}},
	{"mysqladmin", "counters of a MySQL server", "mysqladmin -r -i 1 extended-status: differences a second.", "`rtrail mysql`, a line a second beside the host.", []string{"mysql.sessions-in-state", "mysql.connections"}},
	{"innotop", "a MySQL server as top shows a host", "Sessions, locks, InnoDB's buffers.", "`rtrail mysql`.", []string{"mysql.sessions-in-state", "mysql.row-lock-waits"}},
}

// toolEntries is an entry per tool.
func toolEntries() []Entry {
	list := make([]Entry, 0, len(tools))
	for _, t := range tools {
		list = append(list, Entry{ID: "tool/" + t.name, Title: t.title, Page: t.page(), Kind: Tool})
	}
	return list
}

func (t tool) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# tool/%s: %s\n\n%s\n", t.name, t.title, t.read)
	if t.instead != "" {
		fmt.Fprintf(&b, "\n## With rtrail\n%s\n", t.instead)
	}
	if shown := t.metrics(); len(shown) > 0 {
		b.WriteString("\n## Metrics that it shows\n")
		for _, m := range shown {
			fmt.Fprintf(&b, "- %s: %s\n", m.ID, m.Name)
		}
	}
	fmt.Fprintf(&b, "\n## See also\n%s\n", strings.Join(t.see, ", "))
	return b.String()
}

// metrics are those whose pages name the tool.
func (t tool) metrics() (list []*metric.Metric) {
	for _, m := range metric.All() {
		if slices.ContainsFunc(m.Tools, func(command string) bool { return slices.Contains(strings.Fields(command), t.name) }) {
			list = append(list, m)
		}
	}
	return list
}
