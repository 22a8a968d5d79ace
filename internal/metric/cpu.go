package metric

import (
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

// These are the numbers about processors, the scheduler, control groups
// that share out CPU time, and softirqs.
var (
	SchedLoad = add(Metric{ID: "sched.load",
		Series: gauge(nil, func(s recording.SystemSample) float64 { return s.Load1 }),
		Name:   "load average", Unit: "tasks",
		Help:   "exponentially damped average, over 1, 5 and 15 minutes, of the tasks that are running, runnable or in uninterruptible sleep (state D, mostly disk I/O)",
		Source: "/proc/loadavg", Tools: []string{"uptime", "top", "cat /proc/loadavg"}, Check: shell.Line("cat /proc/loadavg"),
		Traps: []string{"it is not CPU usage: a task stuck on a disk or a dead NFS server counts as much as a running one",
			"it lags: even the 1 minute value takes minutes to rise and fall",
			"0.00 under a packet flood or in a throttled container: softirqs and throttled tasks do not count"},
		Healthy: "below 70 % of the number of CPUs; steady when the three values agree"})
	SchedRunDelay = add(Metric{ID: "sched.run-delay",
		Labels: []string{"pid", "comm"}, Series: rate(process, func(s recording.ProcessSample) float64 { return seconds(s.RunDelay) }),
		Counter: true, Name: "run delay", Unit: "seconds per second",
		Help:   "time tasks were runnable but waited for a CPU, summed over threads: 2.0 means that two tasks wait at any time",
		Source: "/proc/PID/task/TID/schedstat, second field, nanoseconds (kernel with CONFIG_SCHED_INFO)",
		Tools:  []string{"pidstat -u 1   # %wait", "pidstat -t -u 1", "perf sched timehist"},
		Traps: []string{"it is not iowait", "threads of a throttled cgroup count as waiting although CPUs are idle",
			"/proc/PID/schedstat without task/ shows the main thread only", "a wait is counted when it ends: a task that gets no CPU in the window shows none"},
		Healthy: "a few hundredths per busy process"})
	SchedRunning = add(Metric{ID: "sched.running",
		Series: gauge(nil, func(s recording.SystemSample) float64 { return reading(s.Running) }),
		Name:   "runnable tasks", Unit: "tasks",
		Help: "tasks on a CPU or waiting for one, at the moment of reading", Source: "/proc/stat procs_running",
		Tools: []string{"vmstat 1   # r", "sar -q 1   # runq-sz"}, Check: shell.Line("vmstat 1 5   # column r"), Traps: []string{"a snapshot: average several", "the reader itself is running, so it is never 0"},
		Healthy: "rarely above the number of CPUs"})
	SchedBlocked = add(Metric{ID: "sched.blocked",
		Series: gauge(nil, func(s recording.SystemSample) float64 { return reading(s.Blocked) }),
		Name:   "blocked tasks", Unit: "tasks",
		Help: "tasks in uninterruptible sleep for I/O, at the moment of reading", Source: "/proc/stat procs_blocked",
		Tools: []string{"vmstat 1   # b", "ps -eo state,pid,wchan,comm | grep ^D"}, Traps: []string{"short waits are normal"}, Healthy: "0, now and then a few"})
	SchedContextSwitches = add(Metric{ID: "sched.context-switches",
		Series:  rate(nil, func(s recording.SystemSample) float64 { return reading(s.ContextSwitches) }),
		Counter: true, Name: "context switches of the host", Unit: "per second",
		Help: "switches from one task to another, on all CPUs", Source: "/proc/stat ctxt",
		Tools: []string{"vmstat 1   # cs", "sar -w 1", "pidstat -wt 1"}, Check: shell.Line("vmstat 1 5   # column cs"), Traps: []string{"no rate is bad by itself: a busy database needs 100,000 per second",
			"includes switches to and from the idle task", "the first line of vmstat is the average since boot"}, Healthy: "what the same load had yesterday"})
	SchedForks = add(Metric{ID: "sched.forks",
		Series:  rate(nil, func(s recording.SystemSample) float64 { return reading(s.Forks) }),
		Counter: true, Name: "tasks created", Unit: "per second",
		Help: "processes and threads created", Source: "/proc/stat processes", Tools: []string{"vmstat -f", "sar -w 1   # proc/s", "execsnoop"}, Check: shell.Line("vmstat -f; sleep 1; vmstat -f"),
		Traps: []string{"threads count as well as processes", "a process that starts and exits between two readings is in no process list"}, Healthy: "below 20 on most servers"})
	SchedInterrupts = add(Metric{ID: "sched.interrupts",
		Series: rate(nil, func(s recording.SystemSample) float64 { return reading(s.Interrupts) }),
		Name:   "interrupts", Unit: "per second", Help: "hardware interrupts handled, timers included",
		Source: "/proc/stat intr; per line and CPU /proc/interrupts", Tools: []string{"vmstat 1   # in", "watch -d cat /proc/interrupts"},
		Traps: []string{"RES (rescheduling) grows with context switches: one cause, two counters"}})
	ThreadInputWait = add(Metric{ID: "thread.input-wait", Name: "waiting for standard input", Unit: "share",
		Help:   "share of samples in which the main thread of a process is in read(2) on descriptor 0: it waits for input",
		Source: "/proc/PID/task/PID/syscall", Tools: []string{"cat /proc/PID/syscall", "strace -e trace=read -p PID"},
		Traps: []string{"if the pipe always holds data, the reader never waits"}, Healthy: "any value: much waiting means little work"})
	TCPArrivals = add(Metric{ID: "tcp.arrivals", Name: "requests that came over TCP", Unit: "per second",
		Help:   "segments with data on connections to a server's ports, plus new connections; a large request counts more than once",
		Source: "tcp_info data_segs_in; /proc/net/snmp PassiveOpens", Tools: []string{"ss -tin", "nstat -az TcpPassiveOpens"}, Check: shell.Line("ss -tinp"), Healthy: "what the same load had yesterday"})
	PressureCPUSome = add(Metric{ID: "pressure.cpu-some",
		Series:  stalled("cpu"),
		Counter: true, Name: "CPU pressure", Unit: "share",
		Help: "share of time in which at least one task was runnable and had no CPU", Source: "/proc/pressure/cpu, some total (4.20 and later, psi=1)",
		Tools: []string{"cat /proc/pressure/cpu"}, Check: shell.Line("cat /proc/pressure/cpu"), Traps: []string{"it says that tasks wait, not how many", "tasks in throttled cgroups count",
			"one niced task too many is enough for 100 %"}, Healthy: "below 10 %"})
	CPUIdleCores = add(Metric{ID: "cpu.idle-cores", Course: CPUIdle, Name: "idle CPUs", Unit: "cores",
		Help: "idle time of all CPUs together, iowait included: 1.5 means that one and a half CPUs were idle", Source: "/proc/stat, idle and iowait of each CPU",
		Tools: []string{"mpstat -P ALL 1 5"}, Check: shell.Line("mpstat -P ALL 1 5"), Traps: []string{"one busy thread cannot use them"}})
	CPUIdle = add(Metric{ID: "cpu.idle",
		Series:  shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.Idle + s.IOWait }),
		Counter: true, Name: "idle CPU time", Unit: "share", Help: "time in which the CPUs had nothing to run, iowait included",
		Source: "/proc/stat, columns idle and iowait", Tools: []string{"mpstat -P ALL 1", "vmstat 1   # id + wa", "top   # then 1"},
		Traps: []string{"the average over CPUs hides one full CPU", "counted since boot: only differences mean something"}})
	CPUUser = add(Metric{ID: "cpu.user",
		Series: shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.User + s.Nice }),
		Name:   "user time", Unit: "share", Help: "time in the programs' own code; nice is the part of processes with a positive nice value",
		Source: "/proc/stat, columns user and nice; guests are included", Tools: []string{"mpstat 1   # %usr %nice", "pidstat -u 1"}, Traps: []string{"guest time is inside user: do not add it"}})
	CPUSystem = add(Metric{ID: "cpu.system",
		Series: shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.System }),
		Name:   "system time", Unit: "share", Help: "time in the kernel on behalf of programs: system calls, page faults, scheduling",
		Source: "/proc/stat, column system", Tools: []string{"mpstat 1   # %sys", "perf top"}, Traps: []string{"interrupts are counted separately (irq, softirq)"}, Healthy: "below a third of user time on most servers"})
	CPUIowait = add(Metric{ID: "cpu.iowait",
		Series: shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.IOWait }),
		Name:   "iowait", Unit: "share", Help: "idle time of a CPU while a task that last ran on it waits for a block device",
		Source: "/proc/stat, column iowait", Tools: []string{"vmstat 1   # wa", "mpstat -P ALL 1", "iostat -x 1"},
		Traps: []string{"it is idle time: another task could run", "high iowait does not prove a saturated disk, and on a busy host a saturated disk shows none", "per CPU it is not reliable (proc(5))"}})
	CPUSoftirq = add(Metric{ID: "cpu.softirq",
		Labels: []string{"cpu"}, Series: rate(oneCPU, func(s recording.CPUSample) float64 { return seconds(s.SoftIRQ) }),
		Counter: true, Name: "softirq time", Unit: "share of one CPU", Help: "time in the deferred half of interrupt handling: packets, timers, block completions",
		Source: "/proc/stat, column softirq of the CPU's line", Tools: []string{"mpstat -P ALL 1   # %soft", "top   # si"}, Check: shell.Line("mpstat -P ALL 1 5   # column %%soft"),
		Traps: []string{"estimated from timer ticks without CONFIG_IRQ_TIME_ACCOUNTING", "the average over CPUs hides the one that does all the work"}, Healthy: "below 10 %; 20 to 28 % under network benchmarks"})
	CPUSteal = add(Metric{ID: "cpu.steal",
		Series:  shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.Steal }),
		Counter: true, Name: "steal time", Unit: "share", Help: "time a virtual CPU was runnable while the hypervisor ran something else",
		Source: "/proc/stat, column steal", Tools: []string{"mpstat 1   # %steal", "top   # st"}, Check: shell.Line("mpstat 1 5   # column %%steal"), Traps: []string{"0 on hypervisors that do not report it"}, Healthy: "below 1 %"})
	CPUUnaccounted = add(Metric{ID: "cpu.unaccounted", Counter: true, Name: "CPU time without an owner", Unit: "cores",
		Help:   "user and system time of all CPUs, minus that of all processes seen in the window: CPU time of processes that start and exit between readings",
		Source: "/proc/stat against /proc/PID/stat", Tools: []string{"mpstat 5 1; pidstat -u 5 1   # compare the sums", "perf record -a -g"}, Check: shell.Line("pidstat -u 5 1; mpstat 5 1   # compare the sums"),
		Traps: []string{"ticks and sampling cause errors of a few percent"}, Healthy: "below 5 % of a CPU"})
	ProcessCPU = add(Metric{ID: "process.cpu",
		Labels: []string{"pid", "comm"}, Series: rate(process, func(s recording.ProcessSample) float64 { return seconds(s.User + s.System) }),
		Counter: true, Name: "CPU use of a process", Unit: "cores", Help: "CPU time of all its threads per second; 1.0 is one full CPU",
		Source: "/proc/PID/stat utime + stime", Tools: []string{"pidstat -u 1", "top"}, Traps: []string{"ps shows the average since the process started", "exited children are not included"}})
	ProcessCPUSystem = add(Metric{ID: "process.cpu-system",
		Labels: []string{"pid", "comm"}, Series: ratio(process, func(s recording.ProcessSample) float64 { return seconds(s.System) }, func(s recording.ProcessSample) float64 { return seconds(s.User + s.System) }),
		Counter: true, Name: "kernel share of a process", Unit: "share", Help: "part of its CPU time spent in the kernel",
		Source: "/proc/PID/stat stime", Tools: []string{"pidstat -u -p PID 1   # %system", "strace -c -p PID", "perf top -p PID"}, Traps: []string{"strace stops the process at every system call: do not use it on a database"}})
	ProcessChildCPU = add(Metric{ID: "process.child-cpu",
		Labels: []string{"pid", "comm"}, Series: rate(process, func(s recording.ProcessSample) float64 { return seconds(s.ChildUser + s.ChildSystem) }),
		Counter: true, Name: "CPU time of ended children", Unit: "cores", Help: "CPU time of exited children, added to the parent when it calls wait",
		Source: "/proc/PID/stat cutime + cstime", Tools: []string{"pidstat -T CHILD -u 1"}, Traps: []string{"the CPU time of a child's whole life arrives at once, when it exits", "0 if the parent ignores SIGCHLD"}})
	ProcessHotFunction = add(Metric{ID: "process.hot-function", Course: ProcessCPU, Name: "CPU time in one function", Unit: "share", Help: "part of a process's samples on a CPU that found it in this function itself, not in one that it calls",
		Source: "perf event cpu-clock, 49 samples a second of each CPU, by a BPF program (table on_cpu)", Tools: []string{"perf record -F 99 -g -p PID", "perf top -p PID   # column Overhead", "go tool pprof"},
		Traps: []string{"few samples say little: of 100 a share of a half is known to a tenth", "a function that was inlined counts for the one around it", "code of an interpreter counts for the interpreter"}})
	ProcessCallShare = add(Metric{ID: "process.syscall-share", Course: ProcessCPUSystem, Name: "CPU time in system calls of one kind", Unit: "share", Help: "part of a process's CPU time that it spends in the kernel for one system call, or for several of one kind",
		Source: "samples of the CPUs (table on_cpu): the call that the kernel stack names; with --events all the calls themselves (table syscalls)", Tools: []string{"rtrail trace syscalls -p PID", "perf trace -s -p PID", "strace -c -p PID"},
		Traps: []string{"to count each call costs as much as short calls take: what is counted is less than what runs alone", "strace slows short calls a hundredfold"}})
	ProcessCalls = add(Metric{ID: "process.syscalls",
		Labels: []string{"pid", "comm"}, Series: rate(process, func(s recording.ProcessSample) float64 { return reading(s.ReadCalls) + reading(s.WriteCalls) }),
		Counter: true, Name: "system calls of a process", Unit: "per second", Help: "system calls of one kind that it makes",
		Source: "/proc/PID/io syscr and syscw; with --events all the calls themselves (table syscalls)", Tools: []string{"rtrail trace syscalls -p PID", "perf trace -s -p PID", "cat /proc/PID/io   # syscr, syscw"},
		Traps: []string{"syscr and syscw have no calls of recv and send", "a full log or a fast server makes 100,000 calls a second that all do work"}})
	ProcessExceptions = add(Metric{ID: "process.exceptions", Course: ProcessCPU, Name: "CPU time for exceptions", Unit: "share", Help: "part of a process's samples on a CPU that found it making exceptions or looking for who catches them",
		Source: "perf event cpu-clock, 49 samples a second of each CPU, by a BPF program (table on_cpu)", Tools: []string{"perf top -g -p PID", "jfr print --events jdk.JavaExceptionThrow FILE"},
		Traps: []string{"of C++, Java, JavaScript and Go only", "memory that exceptions take is not in it"}})
	ProcessContextSwitches = add(Metric{ID: "process.context-switches",
		Labels: []string{"pid", "comm"}, Series: rate(process, switches),
		Counter: true, Name: "context switches of a process", Unit: "per second",
		Help:   "voluntary: a thread blocks; involuntary: it is preempted while runnable, or yields",
		Source: "/proc/PID/task/TID/status voluntary_ctxt_switches, nonvoluntary_ctxt_switches", Tools: []string{"pidstat -wt -p PID 1"},
		Traps: []string{"without -t pidstat shows only the main thread, which may sleep all the time"}})
	ProcessSlice = add(Metric{ID: "process.slice",
		Labels: []string{"pid", "comm"}, Series: ratio(process, func(s recording.ProcessSample) float64 { return seconds(s.RunTime) }, switches),
		Counter: true, Name: "time on CPU between two switches", Unit: "seconds", Help: "CPU time divided by context switches",
		Source: "schedstat and status of the threads", Tools: []string{"cat /proc/PID/task/*/schedstat   # first field / third field", "perf sched timehist"},
		Traps: []string{"an average: a few long slices hide many short ones"}, Healthy: "above 20 µs; milliseconds for work that computes"})
	ProcessBlocked = add(Metric{ID: "process.blocked", Counter: true, Name: "threads that wait for others of their program", Unit: "threads",
		Help:   "threads of a process that are blocked at a time in one function of the kernel until another thread of it wakes them, mean",
		Source: "tracepoints sched_switch and sched_waking, by BPF", Tools: []string{"rtrail trace offcpu -p PID", "offcputime-bpfcc -p PID"},
		Traps: []string{"sampled by waiting time: waits of microseconds are seen in proportion to the time they take"}})
	ProcessSpinning = add(Metric{ID: "process.spinning", Course: ProcessCPU, Name: "CPU time in loops that wait", Unit: "share",
		Help:   "part of the samples of the hottest function at which a loop stands that waits without sleeping: pause (x86), yield, wfe, isb (arm64), or an exchange that is tried again",
		Source: "samples of the clock of each CPU by BPF, and the code around them in the memory of the process", Tools: []string{"perf annotate FUNCTION"},
		Traps: []string{"programs that poll on purpose spin as well"}, Healthy: "a few percent, of locks that spin for a moment"})
	ProcessThreads = add(Metric{ID: "process.threads",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.Threads) }),
		Name: "threads of a process", Unit: "threads", Help: "number of threads", Source: "/proc/PID/stat num_threads",
		Tools: []string{"ls /proc/PID/task | wc -l", "ps -o nlwp -p PID"}, Traps: []string{"sleeping threads cost only memory"}})
	ThreadCPU = add(Metric{ID: "thread.cpu",
		Labels: []string{"pid", "tid", "comm"}, Series: rate(thread, func(s recording.ThreadSample) float64 { return seconds(s.CPUTime) }),
		Counter: true, Name: "CPU use of a thread", Unit: "share of one CPU", Help: "time the thread was on a CPU", Source: "/proc/PID/task/TID/schedstat, first field",
		Tools: []string{"pidstat -t -u -p PID 1", "top -H -p PID"}, Traps: []string{"a process can be above 100 % with no full thread, and below 100 % with one"}})
	TCPUnreadRequests = add(Metric{ID: "tcp.unread-requests", Name: "connections with unread requests", Unit: "connections",
		Help:   "connections with data that the server has not read, and connections it has not accepted, at the moment of reading",
		Source: "sock_diag: receive queue of the connections, accept queue of the listener", Tools: []string{"ss -tna   # Recv-Q"},
		Traps: []string{"a snapshot: one request that has just arrived is normal", "Recv-Q counts connections for a listener, bytes for a connection"}, Healthy: "0 in most readings"})
	CgroupThrottledPeriods = add(Metric{ID: "cgroup.throttled-periods",
		Labels: []string{"cgroup"}, Series: ratio(group, func(s recording.CgroupSample) float64 { return reading(s.Throttled) }, func(s recording.CgroupSample) float64 { return reading(s.Periods) }),
		Counter: true, Name: "throttled periods", Unit: "share", Help: "share of periods in which the cgroup was throttled at its CPU quota, of those in which it wanted CPU",
		Source: "cpu.stat nr_throttled, nr_periods", Tools: []string{"cat /sys/fs/cgroup/GROUP/cpu.stat"}, Traps: []string{"counted since the cgroup was created: only differences mean something",
			"a cgroup with many threads can be throttled in every period and still use less than its quota on average"}, Healthy: "below 5 %"})
	CgroupThrottledTime = add(Metric{ID: "cgroup.throttled-time",
		Labels: []string{"cgroup"}, Series: rate(group, func(s recording.CgroupSample) float64 { return seconds(s.ThrottledTime) }),
		Counter: true, Name: "throttled time", Unit: "seconds per second", Help: "time a cgroup was throttled, summed over CPUs",
		Source: "cpu.stat throttled_usec (v2), throttled_time in ns (v1)", Tools: []string{"cat /sys/fs/cgroup/GROUP/cpu.stat"}, Traps: []string{"with many CPUs it can exceed elapsed time", "before Linux 6.6 it includes CPUs on which nothing in the group wanted to run"}, Healthy: "0"})
	CgroupQuota = add(Metric{ID: "cgroup.quota", Course: CgroupThrottledTime, Name: "CPU quota", Unit: "cores", Help: "CPU time a cgroup may use per period", Source: "cpu.max (v2), cpu.cfs_quota_us and cpu.cfs_period_us (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/cpu.max", "systemctl show -p CPUQuotaPerSecUSec UNIT", "docker inspect -f '{{.HostConfig.NanoCpus}}' NAME"}, Traps: []string{"a parent's quota also limits its children"}})
	SoftirqRate = add(Metric{ID: "softirq.rate", Counter: true, Name: "softirqs of one kind", Unit: "per second", Help: "how often that kind of softirq was handled: NET_RX receives packets, NET_TX sends, BLOCK completes I/O, TIMER, SCHED and RCU are housekeeping",
		Source: "/proc/softirqs", Tools: []string{"watch -d cat /proc/softirqs", "mpstat -I SCPU 1"}, Check: shell.Line("watch -d cat /proc/softirqs"), Traps: []string{"one NET_RX run handles up to 300 packets (net.core.netdev_budget)", "TASKLET runs on the CPU that raised it and is legitimately uneven"}})
	NetRxPackets = add(Metric{ID: "net.rx-packets",
		Labels: []string{"netns", "interface"}, Series: rate(iface, func(s recording.NetDeviceSample) float64 { return reading(s.RxPackets) }),
		Counter: true, Name: "packets received", Unit: "per second", Help: "packets an interface took in", Source: "/proc/net/dev of its network namespace",
		Tools: []string{"sar -n DEV 1   # rxpck/s", "ip -s link"}, Check: shell.Line("sar -n DEV 1 5   # rxpck/s"), Traps: []string{"a veth pair, its bridge and the card behind it count the same packet once each", "with GRO one counted packet may have been several on the wire"}})
	NetPacketSize = add(Metric{ID: "net.packet-size", Counter: true, Name: "mean size of received packets", Unit: "bytes", Help: "received bytes divided by received packets", Source: "/proc/net/dev",
		Tools: []string{"sar -n DEV 1   # rxkB/s * 1024 / rxpck/s"}, Check: shell.Line("sar -n DEV 1 5   # rxkB/s * 1024 / rxpck/s"), Traps: []string{"Ethernet header included, checksum not"}, Healthy: "above 200 for most services; 54 is a bare SYN or ACK"})
	NetPacketKind = add(Metric{ID: "net.packet-kind", Counter: true, Name: "what received packets are", Unit: "per second", Help: "the protocol counter of the interface's namespace that grows with its packets", Source: "/proc/net/snmp and /proc/net/netstat of the namespace",
		Tools: []string{"nstat", "tcpdump -c 50 -nni IF"}, Traps: []string{"packets that are forwarded or dropped by a firewall reach no such counter"}})
)
