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
	{"vmstat", "a line a second: run queue, memory, swap, I/O, CPU", "r waits for a CPU or runs, b waits for a disk, si and so are swap traffic, bi and bo KiB read from and written to block devices, in interrupts, cs switches, then us sy id wa st. buff that grows with bi is a device that is read, cache that grows a file; bo that comes later are delayed writes. free that falls while buff and cache stand still is a program. The first line is a mean since boot: leave it out.", "`rtrail diagnose vmstat.txt` judges what it printed into a file.", []string{"sched.running", "vmstat.swap-in", "cpu.iowait", "cpu/saturated", "mem/swapping"}},
	{"dstat", "a line a second of CPU, disk, network, paging", "usr sys idl wai, read and writ, recv and send, in and out (paging), int and csw on one time axis: does wai move with reads or with writes? pcp-dstat and dool go on with it.", "", []string{"cpu.iowait", "disk.utilisation"}},
	{"sar", "what vmstat, iostat and netstat show, kept for days", "-u CPU, -q load, -w switches, -r memory, -S and -W swap, -B paging, -d and -b disks; -n DEV packets and bytes, EDEV errors, TCP and ETCP connects and repeats, UDP, SOCK sockets, SOFT backlog. Means of ten minutes hide what lasts seconds.", "`rtrail record` keeps every second. `rtrail diagnose /var/log/sysstat/sa02` judges its files.", []string{"cpu.user", "disk.await", "tcp.retransmission-rate", "interface.bytes"}},
	{"pidstat", "CPU, I/O, faults and switches of processes and threads", "-u CPU: %usr %system %guest %wait %CPU; %wait is time that a task could run and got no CPU. -d kB_rd/s kB_wr/s kB_ccwr/s iodelay, -r minflt/s majflt/s RSS, -w cswch/s nvcswch/s. -t shows threads: without it switches are those of the main thread, and %wait may be 0 beside threads at 97. It shows what is alive at both ends of an interval only; an empty answer means that the process is gone.", "`rtrail diagnose pidstat.txt` judges what it printed into a file.", []string{"sched.run-delay", "process.cpu", "process.io-bytes", "process.context-switches"}},
	{"mpstat", "CPU time by kind, of each CPU", "mpstat -P ALL 1: %usr %nice %sys %iowait %irq %soft %steal %guest %idle. One CPU full of %soft or %irq, or one at 100 % beside idle ones, which a mean hides. -I SCPU shows softirqs by kind.", "`rtrail diagnose mpstat.txt` judges what it printed into a file.", []string{"cpu/one-thread-limit", "cpu/softirq", "cpu.softirq", "cpu.steal"}},
	{"ps", "the processes there are", "STAT: R, S, D (uninterruptible), Z (zombie). %CPU is a mean over the life of a process, not of now.", "", []string{"proc/zombies", "proc/uninterruptible", "process.rss"}},
	{"pstree", "who started whom", "pstree -aps PID: the ancestors, with their arguments.", "`rtrail trace exec` shows parents of processes that have ended, too.", []string{"cpu/short-lived-processes", "proc/crash-loop"}},
	{"dmesg", "the kernel's log", "OOM kills, I/O errors, hung tasks, a full conntrack table, SYN floods. dmesg -T prints times; they drift after a suspend.", "`rtrail` reads what is new in it while it watches.", []string{"kernel.log", "log.oom-kill", "disk/errors", "net/conntrack-full"}},
	{"journalctl", "logs of services and of the kernel", "-u UNIT, -k for the kernel, --since. A unit that restarts again and again shows here.", "", []string{"proc/crash-loop", "kernel.log"}},
	{"systemd-cgtop", "control groups by CPU, memory and I/O", "Sums of all processes of a service or a container.", "", []string{"cpu/throttled", "cgroup.memory", "cgroup.quota"}},
	{"docker", "containers", "docker stats: CPU and memory against limits; docker inspect: OOMKilled and the exit code, 137 is SIGKILL; docker logs. free in a container shows the host's memory, not the limit.", "", []string{"mem/cgroup-oom", "cpu/throttled", "proc/crash-loop"}},
	{"kubectl", "pods and nodes of Kubernetes", "kubectl describe pod: OOMKilled, CrashLoopBackOff, probes that fail; kubectl top: CPU and memory. Throttling shows in neither.", "`rtrail` on the node names the pod's control group.", []string{"cpu/throttled", "mem/cgroup-oom", "proc/crash-loop"}},
	{"lscpu", "CPUs, cores, threads, sockets and NUMA nodes", "CPU(s) are what load is measured by; two threads of a core are no two cores.", "", []string{"cpu/saturated", "sched.load", "mem/numa"}},
	{"prlimit", "limits of a running process", "prlimit --pid PID shows and changes them; ulimit shows those of the shell, which services do not have.", "", []string{"proc/fd-limit", "proc/pid-limit", "process.files"}},
	{"sysctl", "settings of the kernel", "sysctl -a lists them, -w sets one until the next start, files in /etc/sysctl.d for good. Those of the network are of one network namespace.", "`rtrail audit` looks at those that do harm.", []string{"audit/somaxconn", "audit/dirty-pages", "audit/port-range"}},
	{"nsenter", "a command inside the namespaces of a process", "nsenter -t PID -n ss -ltn: network of a container with the host's tools; -m its files. PID: docker inspect -f '{{.State.Pid}}' NAME.", "`rtrail` looks into all network namespaces by itself.", []string{"tcp.accept-queue", "net/conntrack-full", "dns.name-servers"}},
	{"prometheus", "metrics of many hosts, over days", "It asks each target every 15 s or so: what lasts seconds does not show. rate() needs two samples; rules and AlertManager group alerts.", "`rtrail diagnose --prometheus URL --instance HOST:9100`", []string{"cpu.user", "disk.utilisation", "memory.available"}},
	{"collectl", "CPU, disks, network and memory, kept for days", "collectl -scdmn -i 1: a line a second, all on one time axis; -f FOLDER keeps it, -p FILE plays it again.", "`rtrail record` and `rtrail replay`.", []string{"cpu.user", "disk.await", "interface.bytes"}},
	{"nmon", "CPU, memory, disks and network on one screen", "c, m, d, n and t show and hide parts. nmon -f -s 10 -c 360 writes a file for a spreadsheet: means of ten seconds, which hide what lasts one.", "`rtrail record` keeps every second.", []string{"cpu.user", "disk.utilisation", "memory.available"}},
	{"glances", "CPU, memory, disks, network and processes on one screen", "Colours are fixed limits of a number, no verdicts. It is written in Python and takes some percent of a CPU itself.", "`rtrail` names what is full, and who fills it.", []string{"cpu/saturated", "process.cpu", "disk.utilisation"}},
	{"sosreport", "files and command output of a host in one archive (sos report)", "sos report --batch: one look at /proc, the kernel log, settings, and the files of sar, which have the past. Dates of its copies of /proc are not when they were made.", "`rtrail diagnose sosreport-HOST.tar.xz` judges what is in it.", []string{"kernel.log", "cpu.user", "memory.available"}},
	{"tsar", "CPU, disks, network and servers, kept for days", "tsar --cpu --io -l -i 1: user sys wait hirq sirq util, in percent of all CPUs, and util await qusize of disks.", "`rtrail diagnose` judges what it printed into a file.", []string{"cpu.user", "disk.await", "cpu.softirq"}},
	// CPU
	{"perf", "profiles, counters and events of the kernel", "perf top for now, perf record -a -g and perf report for call chains (-g graph,0.1 shows small ones, --symfs DIR files of a container), perf stat for instructions per cycle, switches and migrations, perf sched for waits for a CPU, perf trace for system calls, perf record -e page-faults for memory, perf probe for a function. Overhead and Self are the function itself, Children what it called, too; swapper is the idle task. Names need symbols and frame pointers (Java: -XX:+PreserveFramePointer).", "`rtrail` names hot functions; `rtrail --flame FILE` draws both flame graphs, `--pprof FILE` writes both profiles.", []string{"cpu/hot-function", "process.hot-function", "sched.run-delay"}},
	{"strace", "the system calls of a process", "-f all threads, -T time of each call, -c sums. It stops the process at each call: a busy server becomes many times slower. It sees the first thread only without -f.", "`rtrail trace syscalls`, which counts in the kernel.", []string{"process.syscalls", "cpu/syscall-storm", "process.syscall-share"}},
	{"gdb", "stacks of a process", "gdb -p PID -batch -ex 'thread apply all bt'. pstack does the same. The process stands still meanwhile.", "`rtrail stacks` reads the dumps, and `rtrail stacks --pid PID` samples without stopping it.", []string{"proc/deadlock", "proc/lock-contention"}},
	{"ftrace", "calls and events inside the kernel, by tracefs", "function_graph shows how long each kernel function takes; trace-cmd drives it. Set filters first: all functions at once cost much.", "", []string{"cpu.system", "process.syscalls"}},
	{"trace-cmd", "ftrace without its files", "trace-cmd record -p function_graph -g FUNCTION; trace-cmd report.", "", []string{"cpu.system", "process.syscalls"}},
	{"bpftrace", "programs of one line that run in the kernel", "bpftrace -e 'tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }': probes, filters, sums and histograms, for questions that no ready tool answers. -l lists probes. It needs root and Linux 4.9 or later.", "`rtrail trace` for the usual ones.", []string{"process.syscalls", "time.lock"}},
	{"bpftool", "BPF programs and maps in the kernel", "bpftool prog show: who loaded what; with sysctl kernel.bpf_stats_enabled=1 also run_time_ns and run_cnt, which cost a little for each run. Programs of tracers, firewalls and agents take CPU time that counts as that of whoever they interrupt.", "", []string{"cpu.system", "cpu.softirq"}},
	{"turbostat", "clock rates, sleep states and heat of CPUs", "Bzy_MHz beside TSC_MHz: is the CPU slowed down?", "", []string{"audit/governor"}},
	{"execsnoop", "processes as they start", "PCOMM, PID, PPID, RET and arguments, of those that live a millisecond, too.", "`rtrail trace exec`.", []string{"cpu/short-lived-processes", "proc/crash-loop"}},
	{"runqlat", "how long tasks wait for a CPU, as a histogram", "Long waits beside idle CPUs point to a quota or to affinity.", "", []string{"sched.run-delay", "cpu/saturated", "cpu/throttled"}},
	{"offcputime", "where threads wait, by stack", "Seconds blocked by kernel and user stack.", "`rtrail trace offcpu`, with who woke them.", []string{"time.lock", "time.disk", "proc/lock-contention"}},
	{"taskset", "on which CPUs a process may run", "taskset -p PID. Pinned threads wait for their CPU while others idle.", "", []string{"cpu/one-thread-limit", "sched.run-delay"}},
	{"chrt", "the scheduling policy of a process", "A real-time task (FIFO, RR) that loops keeps all others from its CPU.", "", []string{"sched.run-delay", "cpu/saturated"}},
	{"stress-ng", "load for CPUs, memory, disks and the kernel", "stress-ng --cpu 8 or --hdd 1 makes the symptom on purpose; stress -i 1 alone may make no iowait, as there is nothing to write.", "", []string{"cpu/saturated", "cpu.iowait", "cpu/context-switches"}},
	{"systemtap", "programs that run in the kernel, as modules", "For old kernels and Red Hat: stap compiles a module, which is slow to start and needs debug packages.", "`rtrail trace` where the kernel has BPF.", []string{"process.syscalls", "kernel.dropped-packets"}},
	{"sysdig", "system calls of containers, with their names", "Filters by container, process and file; capture files to look at later. It takes each event out of the kernel.", "`rtrail trace syscalls`, which counts in the kernel.", []string{"process.syscalls", "file.io"}},
	// memory
	{"free", "memory of the host", "available is what programs can get; free alone is small on every host that reads files. shared is tmpfs, buff/cache the page cache with what the kernel can take back of slab. It prints KiB, of the host also in a container.", "", []string{"memory.available", "memory.cached", "swap.used"}},
	{"slabtop", "memory of the kernel's own objects", "c sorts by size, a by objects in use (ACTIVE of OBJS). Caches with most objects may be small. dentry and inode caches are given back when programs need memory (SReclaimable); SUnreclaim that grows is a leak of the kernel.", "", []string{"memory.available", "memory.cached", "audit/cache-pressure", "mem/reclaim"}},
	{"pmap", "the mappings of a process", "pmap -x PID: which mapping grew. Shared pages count for each process.", "", []string{"process.anon", "process.rss", "mem/leak"}},
	{"smem", "memory of processes with shared pages divided (PSS)", "The only sum over processes that is right. It reads smaps, which takes long for large processes.", "", []string{"process.rss", "process.swap"}},
	{"memleak", "allocations that were not freed, by stack", "memleak -a -p PID: what is outstanding, by stack, every 5 s. Traces each malloc and free: the program becomes slower. [unknown] frames: its binary is in a container, out of sight.", "`rtrail --alloc PID` or `rtrail trace alloc`, sampled by bytes.", []string{"mem/leak", "process.not-freed"}},
	{"valgrind", "leaks and wrong accesses of a program that is run under it", "Ten to fifty times slower: for tests, not for production.", "", []string{"mem/leak", "process.not-freed"}},
	{"cachestat", "hits and misses of the page cache", "HITS, MISSES, DIRTIES and the sizes of both caches. Misses are pages that were read from disk, or added by writes. Direct I/O is in none of them.", "`rtrail trace cache`.", []string{"mem/reclaim", "memory.cached"}},
	{"cachetop", "hits and misses of the page cache, by process", "HITS, MISSES, DIRTIES, READ_HIT% and WRITE_HIT% of each. Hits times 4 KiB well below what the program reads: it reads past the cache. A cold file read in sequence shows about 50 %, though all of it came from the disk.", "`rtrail trace cache`.", []string{"mem/direct-io-read", "memory.cached"}},
	{"pcstat", "how much of a file is in the page cache", "fincore of util-linux shows the same.", "", []string{"memory.cached", "mem/reclaim"}},
	{"numastat", "allocations by NUMA node", "numa_miss: memory of another node than wanted. numastat -p PID for one process.", "", []string{"mem/numa", "memory.numa-misses"}},
	{"numactl", "NUMA nodes, and where a program's memory comes from", "--hardware shows free memory and distances of nodes; --interleave spreads a database.", "", []string{"mem/numa", "memory.node-free"}},
	// disks and files
	{"iostat", "rates, times and queues of disks", "iostat -x 1: r/s and w/s requests, rkB/s and wkB/s bytes, rareq-sz and wareq-sz their size, rrqm/s and wrqm/s joined ones; r_await and w_await what a program waits for a request, queue included (weigh them by r/s and w/s, never add); aqu-sz how many are in flight; %util near 100 is the end of a single spindle, not of an SSD. It names no process.", "`rtrail diagnose iostat.txt` judges what it printed into a file.", []string{"disk.await", "disk.queue", "disk.utilisation", "disk/saturated"}},
	{"iotop", "threads by disk I/O", "Who reads and writes now; iotop -oPa sums up. Total is what programs asked for, Actual what disks did. IO% and SWAPIN need delay accounting (kernel.task_delayacct=1).", "", []string{"process.io-bytes", "process.disk-wait", "disk/saturated"}},
	{"biosnoop", "each request to a disk", "Process, device, operation, size, time in queue and device.", "`rtrail trace block`.", []string{"disk.queue-time", "disk.await"}},
	{"biolatency", "times of disk requests as a histogram", "Two peaks are two kinds of requests: cache and medium, reads and writes.", "`rtrail trace block`.", []string{"disk.await", "disk.queue-time"}},
	{"blktrace", "each step of each disk request", "blkparse and btt show time between steps: queue (Q2D) and device (D2C). blkparse -d FILE writes what fio can replay.", "`rtrail trace block`.", []string{"disk.queue-time", "disk.await"}},
	{"opensnoop", "files as they are opened", "Shows files that live too briefly for lsof, and opens that fail.", "`rtrail trace opens`.", []string{"disk/many-small-writes", "file.churn"}},
	{"filetop", "files by reads and writes", "By default sockets and pipes are left out, and names have no folder.", "`rtrail trace files`, with whole paths.", []string{"file.io", "disk/log-flood"}},
	{"fatrace", "files as processes use them", "fatrace -c: opens, reads and writes below one mount; -f W those that write. It tells neither bytes nor time.", "`rtrail trace files`, with bytes.", []string{"file.io", "disk/log-flood", "disk/many-small-writes"}},
	{"lsof", "open files and sockets of processes", "FD, TYPE, SIZE/OFF and NAME: only TYPE REG are files. A deleted file that is still open keeps its space: lsof +L1. -i shows sockets. -p takes a PID: with the number of a thread it prints nothing.", "", []string{"process.files", "file.held", "disk/full", "proc/fd-limit"}},
	{"df", "space and inodes of filesystems", "df -i for inodes. Space that df misses and du does not find belongs to deleted files that are open.", "", []string{"filesystem.available", "filesystem.inodes-free", "disk/full", "disk/inodes-full"}},
	{"du", "space by folder", "du -xsh /* keeps to one filesystem. It does not see files that are deleted and still open.", "", []string{"disk/full", "file.held", "file.growth"}},
	{"smartctl", "health of a disk", "Reallocated and pending sectors, media errors, temperature.", "", []string{"disk/errors", "disk.timeouts"}},
	{"fsck", "repairs a filesystem", "Only one that is not mounted; a filesystem that became read-only after errors needs it. e2fsck is that of ext4, xfs_repair that of xfs; badblocks reads the whole disk.", "", []string{"disk/errors"}},
	{"fio", "load for disks, to measure what one can do", "--direct=1 leaves the page cache out, --rw=randread, randwrite, read or write, --bs and --iodepth as the program has them; sync engines have one request in flight each. slat is the time to submit, clat to complete, lat both; look at percentiles, as means hide two peaks. --read_iolog replays what blktrace recorded. Never on a device with data: writes destroy it.", "", []string{"disk.await", "disk/saturated"}},
	{"lsblk", "disks, partitions and what is mounted on them", "Which disk is below a mapped device or a RAID; MAJ:MIN is what lsof calls DEVICE.", "", []string{"disk.utilisation", "filesystem.available"}},
	{"biotop", "processes by disk requests", "Requests, KiB and mean time by process and disk.", "`rtrail trace block`.", []string{"process.io-bytes", "disk.await"}},
	{"ionice", "the I/O priority of a process", "Classes idle (3), best effort (2, 0 to 7) and real time (1). Only bfq, and mq-deadline since Linux 5.14, look at it.", "", []string{"change/io-priority", "disk/saturated"}},
	{"dd", "copies of blocks, often used to measure disks", "The second run reads from memory: 33 MB/s became 4.5 GB/s. iflag=direct or oflag=direct leaves the page cache out; conv=fsync waits for the disk.", "`rtrail bench baseline --disk FOLDER`", []string{"memory.cached", "disk.await", "change/drop-caches"}},
	{"tune2fs", "settings of an ext4 filesystem", "tune2fs -l: features, errors, reserved blocks. The journal mode is set when it is mounted.", "", []string{"disk/errors", "disk/inodes-full", "change/journal-mode"}},
	// network
	{"ss", "sockets", "ss -ltn: Recv-Q of a listener is its accept queue, Send-Q the limit; equal means full. Of an open connection Recv-Q is bytes that the program has not read, Send-Q bytes that the peer has not acknowledged. ss -ti: rtt, cwnd, retransmits, what limits a connection. ss -tm: memory of each socket. ss -s: how many in each state; ss -n state syn-recv lists those of one.", "", []string{"tcp.accept-queue", "tcp.time-wait", "tcp.send-queue", "net/accept-queue-full"}},
	{"netstat", "sockets, and counters of protocols", "netstat -s: counters since boot; take it twice and look at what grew. netstat -i: RX-ERR damaged, RX-DRP dropped, RX-OVR ring full, MTU. netstat -nltp: listeners and their programs. For sockets ss is faster.", "", []string{"tcp.listen-overflows", "tcp.retransmission-rate", "tcp.timeouts"}},
	{"nstat", "counters of protocols since the last call", "nstat -az shows zeros too. Each network namespace has counters of its own: ip netns exec, nsenter.", "", []string{"tcp.listen-overflows", "tcp.timeouts", "udp.rcvbuf-errors"}},
	{"ip", "interfaces, addresses, routes", "ip -s link: errors and drops of an interface; ip route get ADDRESS: the way to it; ip neigh: who answers in the local network.", "", []string{"interface.drops", "audit/mtu"}},
	{"ethtool", "a network card: speed, counters, rings, offloads", "Without an option: Speed, Duplex, Link detected. -S counters of the driver (rx_missed, rx_no_buffer; next to nothing on veth), -g ring sizes, -l queues, -k offloads, -c interrupt coalescing.", "", []string{"net/nic-drops", "interface.drops", "audit/irq-affinity"}},
	{"tc", "queues of interfaces", "tc -s qdisc: sent, dropped, overlimits, requeues, backlog. A shaper (tbf, htb) or netem (delay and loss on purpose) shows here and nowhere else. tc -s filter and class have the rest.", "", []string{"net/qdisc-drops", "qdisc.drops", "net/rate-limited"}},
	{"iptables", "filter and address translation rules", "-nvL shows packets per rule, --list-rules the rules. nft list ruleset shows those of both.", "", []string{"net/firewall-drops", "firewall.packets", "net/conntrack-full"}},
	{"nft", "filter rules of nftables", "Rules count only where they say counter.", "", []string{"net/firewall-drops", "firewall.packets"}},
	{"conntrack", "the connection tracking table", "conntrack -C how many, -S drops by CPU, -L the entries: count them by state (TIME_WAIT, SYN_SENT) and by source. Each network namespace has its own.", "", []string{"net/conntrack-full", "conntrack.count", "conntrack.time-wait"}},
	{"ping", "round trip and loss, by ICMP", "Routers and firewalls treat ICMP unlike TCP: loss of pings proves no loss of data, and the other way round.", "", []string{"rt.way", "rt/path-slow", "net/packet-loss"}},
	{"hping3", "pings by TCP", "hping3 -S -p PORT: SYN and answer, where ICMP is filtered. A round trip of a second or three is a SYN that was sent again.", "rtrail ping HOST PORT", []string{"rt.handshake", "rt/connect-slow", "net/firewall-drops"}},
	{"mtr", "loss and round trip by hop", "Loss at one hop that later hops do not have is only a router that is slow to answer. mtr --tcp --port PORT takes the way of the data.", "", []string{"rt/path-slow", "net/packet-loss"}},
	{"traceroute", "the routers on the way", "-T -p PORT by TCP, -n without names. * is a router that does not answer, which most may do. The way back may be another one.", "", []string{"rt/path-slow", "net/mtu-mismatch"}},
	{"dig", "answers of DNS servers", "dig @SERVER NAME shows Query time; without @ it takes the first server of /etc/resolv.conf. It reads neither /etc/hosts nor nsswitch.conf, as programs do: getent hosts NAME does.", "", []string{"net/dns-slow", "net/dns-unreachable", "packets.dns-time"}},
	{"nslookup", "answers of DNS servers", "Shows which server was asked. time nslookup NAME tells whether lookups are slow.", "", []string{"net/dns-slow", "net/dns-unreachable"}},
	{"curl", "one HTTP request, with its times", "-w '%{time_namelookup} %{time_connect} %{time_starttransfer} %{time_total}'. Exit codes: 6 no such name, 7 refused, 28 timed out, 35 TLS, 52 empty answer, 56 reset; 000 for the HTTP code: there was none.", "`rtrail packets` has these times of all requests.", []string{"rt.quantiles", "rt.connect", "rt/server-slow"}},
	{"tcpdump", "packets", "-nn -i any port PORT -w FILE; -s 128 keeps headers only, -c N ends, -C and -W bound files. Flags: [S] SYN, [S.] its answer, [.] ACK, [P.] data, [F.] end, [R] reset. \"icmp or icmp6\" for both kinds of ping; -i eth0 misses lo. It counts what it lost at its end (dropped by kernel): with losses, times and retransmissions mislead.", "`rtrail diagnose FILE`, `rtrail packets FILE`, or `-i INTERFACE` to capture while it watches.", []string{"rt.quantiles", "packets.retransmissions", "net/packet-loss"}},
	{"wireshark", "packets, decoded", "tcp.analysis.flags finds retransmissions, zero windows and duplicate ACKs; tcp.stream eq N follows one connection, Flow Graph shows who waits for whom; Statistics, Conversations sums up. tshark is its terminal form (-q -z conv,tcp; -Y FILTER -w FILE): about 120,000 packets a second, and hundreds of bytes of memory for each. It has no response times of MySQL, PostgreSQL or Redis.", "`rtrail packets FILE` gives response times and sums; `rtrail explain protocol.NAME` the filter of tshark.", []string{"rt.quantiles", "packets.retransmissions", "packets.zero-window"}},
	{"dropwatch", "where the kernel drops packets", "Names functions. A packet that is consumed counts nowhere.", "`rtrail trace drops`, with reasons, namespaces and ports.", []string{"kernel.dropped-packets", "net/firewall-drops"}},
	{"tcpretrans", "segments that are sent again", "Each with its connection and state.", "`rtrail trace retransmits`.", []string{"tcp.retransmits", "net/packet-loss"}},
	{"tcpconnect", "connects of processes", "tcpconnlat of the same collection has their times.", "`rtrail trace connects`.", []string{"tcp.connects", "rt/connect-slow"}},
	{"tcplife", "connections with their length and bytes", "Many short ones to one port: no connection pool, no keep-alive.", "`rtrail packets` of a capture lists connections.", []string{"tcp.active-opens", "net/ephemeral-ports"}},
	{"iperf3", "throughput between two hosts", "iperf3 -s on one side, iperf3 -c HOST -t 15 on the other; -P 4 streams, -R the other direction, -u -b for UDP. Retr and Cwnd of the sender; the receiver's sum counts. One stream may be limited by its window, several by the link.", "", []string{"net/rate-limited", "net/packet-loss", "packets.window-limited"}},
	{"wrk", "load for an HTTP server", "wrk --latency -c 100 -t 2 -d 30 URL. A fixed number of connections: when the server is slow fewer requests are sent, and its percentiles leave out who would have waited. Socket errors and \"Non-2xx\" count apart: good answers are what matters.", "", []string{"rt.quantiles", "rt.concurrency"}},
	{"ab", "load for an HTTP server, from one thread", "ab -c 100 -n 10000 URL; -r goes on after errors, -s is its timeout, -k keeps connections; without it local ports run out. It is often full before the server is: wrk got nine times as much of one server. \"Time per request\" is computed from the rate; measured times are below, in Connection Times.", "", []string{"rt/client-slow", "net/ephemeral-ports", "cpu/one-thread-limit"}},
	{"ifconfig", "interfaces, as it was before ip", "errors (damaged), dropped, overruns (ring full), carrier, collisions; RUNNING: the link is there. ip -s -d link shows more.", "", []string{"interface.drops", "net/nic-drops", "audit/mtu"}},
	{"iftop", "connections by rate, live", "Bits a second over 2, 10 and 40 s, by pair of hosts. It captures: packets may be lost at high rates.", "`rtrail packets -i INTERFACE`", []string{"packets.rate", "interface.bytes"}},
	{"nethogs", "processes by network traffic", "KiB a second by process, TCP only unless asked for more.", "", []string{"interface.bytes", "process.cpu"}},
	{"tcpping", "round trips and loss by TCP, to a port", "tcpping -d HOST PORT: syn,ack is open, rst,ack nobody listens, no answer is a lost SYN; with times, so that losses can be dated.", "`rtrail ping HOST PORT`", []string{"rt.handshake", "rt/connect-slow", "net/paws-drops"}},
	{"netperf", "throughput and round trips between two hosts", "TCP_STREAM bytes, TCP_RR requests and answers one at a time, TCP_CRR with a connection each.", "`rtrail throughput HOST PORT`", []string{"net.of-baseline", "net/rate-limited"}},
	{"pktgen", "packets from the kernel, as many as go out", "modprobe pktgen, one thread per CPU in /proc/net/pktgen: packets a second that a host and a link can do. It is no load for a network that others use.", "", []string{"net.rx-packets", "net/rate-limited", "net/nic-drops"}},
	{"tcprstat", "response times of a port, each second", "-f %n count, %a mean, %M max, %h median, %S deviation, %95a the mean of the fastest 95 %; the first second reads high. From packets: last packet of the request to first of the answer. Only where one request is under way per connection; what was sent again starts its clock anew.", "`rtrail packets -i INTERFACE -p PORT --by second`", []string{"rt.quantiles", "rt.serve"}},
	{"tcptrace", "connections of a capture", "Bytes, round trips, repeats and closed windows of each; about 8 KB of memory per connection.", "`rtrail packets FILE`", []string{"packets.retransmissions", "rt.way"}},
	{"editcap", "parts of a capture", "editcap -c 200000 cuts a large file into pieces, -A and -B take a time, -d leaves out duplicates. mergecap joins files.", "`rtrail packets FILE --extract IDS -o PART`", []string{"rt.quantiles", "rt/first-disconnect"}},
	{"capinfos", "what a capture holds", "Packets, time, rate and snaplen. Was it long enough, and at the right time?", "`rtrail packets FILE`", []string{"rt.quantiles"}},
	{"packetbeat", "requests from packets, into Elasticsearch", "Times to the first packet of the answer. It keeps one open request of a MySQL connection, and loses others.", "`rtrail packets -i INTERFACE`", []string{"rt.quantiles", "rt.error-rate"}},
	{"zeek", "a log of connections and protocols", "conn.log: duration, bytes, history, missed bytes. Response times are those of DNS only.", "`rtrail packets FILE`", []string{"rt.quantiles", "packets.dns-time"}},
	{"kyanos", "requests and their times by eBPF", "Times between system call, socket and card, live only. Long times and pipelined requests come out wrong.", "`rtrail packets -i INTERFACE`", []string{"rt.quantiles", "rt.hops"}},
	{"deepflow", "requests of services, by eBPF and packets", "Round trips, time at the server and repeats for each flow, in a store for a whole cluster.", "`rtrail packets -i INTERFACE`", []string{"rt.quantiles", "rt.hops"}},
	// Java and MySQL
	{"jstack", "stacks of a Java VM, and its deadlocks", "Take three, some seconds apart. A thread that is RUNNABLE in socketRead waits for a peer.", "`rtrail stacks FILE`, also of several dumps.", []string{"jvm/deadlock", "rt.threads"}},
	{"jstat", "garbage collection of a Java VM", "jstat -gcutil PID 1000: old generation (O) near 100 and full collections (FGC) that rise.", "", []string{"rt.stalls", "audit/jvm-heap"}},
	{"pt-pmp", "stacks of a server, counted", "gdb stops the server for each.", "`rtrail stacks --pid PID`, which does not.", []string{"mysql.stack-waiters"}},
	{"pt-query-digest", "a slow query log, summed up by statement", "Shares of time, rows examined and sent.", "`rtrail diagnose mysql-slow.log`.", []string{"mysql/slow-statements", "mysql.statement-share"}},
	{"mysqldumpslow", "a slow query log, summed up by statement", "-s t sorts by time.", "`rtrail diagnose mysql-slow.log`.", []string{"mysql/slow-statements"}},
	{"mysqladmin", "counters of a MySQL server", "mysqladmin -r -i 1 extended-status: differences a second.", "`rtrail mysql`, a line a second beside the host.", []string{"mysql.sessions-in-state", "mysql.connections"}},
	{"jmap", "objects in the heap of a Java VM", "jmap -histo:live PID counts by class: what grows in five looks, a minute apart, leaks. -dump for MAT, which shows who holds it. Both stop the VM.", "", []string{"mem/leak", "process.not-freed", "audit/jvm-heap"}},
	{"jcmd", "what a Java VM can tell of itself", "jcmd PID Thread.print, GC.heap_info, VM.flags; without arguments it lists the VMs, as jps -lmv does.", "`rtrail stacks FILE` reads its Thread.print.", []string{"audit/jvm-heap", "jvm/deadlock", "rt.threads"}},
	{"async-profiler", "CPU, locks and allocations of a Java VM", "-e lock: time waited by class of lock; one class with nearly all is the hot one. -e cpu needs no safepoints, unlike most Java profilers.", "`rtrail --flame FILE`", []string{"proc/lock-contention", "cpu/hot-function", "process.not-freed"}},
	{"sysbench", "load for MySQL, CPUs and files", "oltp_point_select, read_only, read_write, write_only; --threads, --time, --report-interval=1 --percentile=99. Check the whole command: --mysql-ignore-errors=all hides failures, and --tables more than there are makes a slow test of missing tables.", "`rtrail bench mysql`, which records host and packets beside it.", []string{"rt.concurrency", "mysql/opening-missing-tables", "disk.of-baseline"}},
	{"pt-stalk", "data of a MySQL host at the moment of a stall", "It waits for a condition, such as many running threads, and then collects what other tools print.", "`rtrail watch`. `rtrail diagnose DIR` judges what it collected.", []string{"mysql.sessions-in-state", "rt.stalls"}},
	{"orzdba", "a MySQL server and its host, a line a second", "load, CPU, ins upd del sel, iud, logical reads and hit rate, threads run con cre cac.", "`rtrail mysql`", []string{"mysql.sessions-in-state", "mysql.pool-miss-share"}},
	{"redis-cli", "a Redis server", "SLOWLOG GET, INFO commandstats, --latency and --bigkeys. MONITOR halves the rate of the server.", "`rtrail packets -i INTERFACE -p 6379`", []string{"rt/head-of-line", "disk/slow-sync", "protocol.redis"}},
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
