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
		Help:   "exponentially damped mean, over 1, 5 and 15 minutes, of the tasks that run, are ready to run or sleep uninterruptibly (mostly waiting for disks)",
		Source: "/proc/loadavg", Tools: []string{"uptime", "top", "cat /proc/loadavg"}, Check: shell.Line("cat /proc/loadavg"),
		Traps: []string{"it is not CPU usage: tasks stuck on a disk or a dead NFS server count as much as computing ones",
			"it follows slowly: the 1 minute value takes minutes to rise and fall",
			"0.00 under a packet flood or in a throttled container: neither softirqs nor stopped groups are in it"},
		Healthy: "below 70 % of the number of CPUs; steady when the three values agree"})
	SchedRunDelay = add(Metric{ID: "sched.run-delay", Counter: true, Name: "run delay", Unit: "seconds per second",
		Help:   "time tasks were ready to run but waited for a CPU, summed over the threads: 2.0 means two tasks waiting at any time",
		Source: "/proc/PID/task/TID/schedstat, second field, nanoseconds (kernel with CONFIG_SCHED_INFO)",
		Tools:  []string{"pidstat -u 1   # %wait", "pidstat -t -u 1", "perf sched timehist"},
		Traps: []string{"has nothing to do with iowait", "threads of a group stopped for its CPU quota count as waiting although CPUs are idle",
			"/proc/PID/schedstat without task/ shows the main thread only", "the wait of a task that never got a CPU in the window appears only when it does"},
		Healthy: "a few hundredths per busy process"})
	SchedRunning = add(Metric{ID: "sched.running",
		Series: gauge(nil, func(s recording.SystemSample) float64 { return reading(s.Running) }),
		Name:   "runnable tasks", Unit: "tasks",
		Help: "tasks on a CPU or waiting for one at the moment of reading", Source: "/proc/stat procs_running",
		Tools: []string{"vmstat 1   # r", "sar -q 1   # runq-sz"}, Check: shell.Line("vmstat 1 5   # column r"), Traps: []string{"a snapshot: take the mean of several", "the reader itself is running, so it is never 0"},
		Healthy: "not above the number of CPUs for long"})
	SchedBlocked = add(Metric{ID: "sched.blocked",
		Series: gauge(nil, func(s recording.SystemSample) float64 { return reading(s.Blocked) }),
		Name:   "blocked tasks", Unit: "tasks",
		Help: "tasks that wait for I/O uninterruptibly at the moment of reading", Source: "/proc/stat procs_blocked",
		Tools: []string{"vmstat 1   # b", "ps -eo state,pid,wchan,comm | grep ^D"}, Traps: []string{"short waits are normal"}, Healthy: "0, now and then a few"})
	SchedContextSwitches = add(Metric{ID: "sched.context-switches",
		Series:  rate(nil, func(s recording.SystemSample) float64 { return reading(s.ContextSwitches) }),
		Counter: true, Name: "context switches of the host", Unit: "per second",
		Help: "times a CPU changed from one task to another", Source: "/proc/stat ctxt",
		Tools: []string{"vmstat 1   # cs", "sar -w 1", "pidstat -wt 1"}, Check: shell.Line("vmstat 1 5   # column cs"), Traps: []string{"no number is bad by itself: a database at full speed needs 100,000 a second",
			"includes switches to and from the idle task", "vmstat's first line is the mean since boot"}, Healthy: "what the same load had yesterday"})
	SchedForks = add(Metric{ID: "sched.forks",
		Series:  rate(nil, func(s recording.SystemSample) float64 { return reading(s.Forks) }),
		Counter: true, Name: "tasks created", Unit: "per second",
		Help: "processes and threads created", Source: "/proc/stat processes", Tools: []string{"vmstat -f", "sar -w 1   # proc/s", "execsnoop"}, Check: shell.Line("vmstat -f; sleep 1; vmstat -f"),
		Traps: []string{"threads count as well as processes", "what is born and dies between two readings is in no process list"}, Healthy: "below 20 on most servers"})
	SchedInterrupts = add(Metric{ID: "sched.interrupts",
		Series: rate(nil, func(s recording.SystemSample) float64 { return reading(s.Interrupts) }),
		Name:   "interrupts", Unit: "per second", Help: "hardware interrupts served, timers included",
		Source: "/proc/stat intr; per line and CPU /proc/interrupts", Tools: []string{"vmstat 1   # in", "watch -d cat /proc/interrupts"},
		Traps: []string{"RES (rescheduling) rises with context switches: the same cause seen twice"}})
	ThreadInputWait = add(Metric{ID: "thread.input-wait", Name: "waiting for standard input", Unit: "share",
		Help:   "how often the main thread of a process was met in read(2) of its descriptor 0: it waits for the process that gives it work",
		Source: "/proc/PID/task/PID/syscall", Tools: []string{"cat /proc/PID/syscall", "strace -e trace=read -p PID"},
		Traps: []string{"a pipe that always holds data is never waited for"}, Healthy: "any: much waiting means little work"})
	TCPArrivals = add(Metric{ID: "tcp.arrivals", Name: "requests that came over TCP", Unit: "per second",
		Help:   "segments with data on connections to the ports of a server, and connections made to it; a large request counts more than once",
		Source: "tcp_info data_segs_in; /proc/net/snmp PassiveOpens", Tools: []string{"ss -tin", "nstat -az TcpPassiveOpens"}, Check: shell.Line("ss -tinp"), Healthy: "what the same load had yesterday"})
	PressureCPUSome = add(Metric{ID: "pressure.cpu-some",
		Series:  stalled("cpu"),
		Counter: true, Name: "CPU pressure", Unit: "share",
		Help: "share of time in which at least one task was ready to run and had no CPU", Source: "/proc/pressure/cpu, some total (4.20 and later, psi=1)",
		Tools: []string{"cat /proc/pressure/cpu"}, Check: shell.Line("cat /proc/pressure/cpu"), Traps: []string{"says that somebody waits, not how many", "tasks in throttled groups count",
			"100 % is reached with one CPU's worth of niced work too many"}, Healthy: "below 10 %"})
	CPUIdleCores = add(Metric{ID: "cpu.idle-cores", Name: "idle CPUs", Unit: "cores",
		Help: "idle time of all CPUs together, waiting for disks included: 1.5 means one and a half CPUs had nothing to do", Source: "/proc/stat, idle and iowait of each CPU",
		Tools: []string{"mpstat -P ALL 1 5"}, Check: shell.Line("mpstat -P ALL 1 5"), Traps: []string{"one busy thread cannot use them"}})
	CPUIdle = add(Metric{ID: "cpu.idle",
		Series:  shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.Idle + s.IOWait }),
		Counter: true, Name: "idle CPU time", Unit: "share", Help: "time CPUs had nothing to run, time with I/O pending (iowait) included",
		Source: "/proc/stat, columns idle and iowait", Tools: []string{"mpstat -P ALL 1", "vmstat 1   # id + wa", "top   # then 1"},
		Traps: []string{"the mean over CPUs hides one full CPU", "counters since boot: only differences mean something"}})
	CPUUser = add(Metric{ID: "cpu.user",
		Series: shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.User + s.Nice }),
		Name:   "user time", Unit: "share", Help: "time in programs' own code; nice is the part of processes with a positive nice value",
		Source: "/proc/stat, columns user and nice; guests are included", Tools: []string{"mpstat 1   # %usr %nice", "pidstat -u 1"}, Traps: []string{"guest time is inside user: do not add it"}})
	CPUSystem = add(Metric{ID: "cpu.system",
		Series: shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.System }),
		Name:   "system time", Unit: "share", Help: "time in the kernel on behalf of programs: system calls, page faults, scheduling",
		Source: "/proc/stat, column system", Tools: []string{"mpstat 1   # %sys", "perf top"}, Traps: []string{"interrupt work is counted apart (irq, softirq)"}, Healthy: "below a third of user time on most servers"})
	CPUIowait = add(Metric{ID: "cpu.iowait",
		Series: shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.IOWait }),
		Name:   "iowait", Unit: "share", Help: "idle time of a CPU while a task that last ran on it waits for a block device",
		Source: "/proc/stat, column iowait", Tools: []string{"vmstat 1   # wa", "mpstat -P ALL 1", "iostat -x 1"},
		Traps: []string{"it is idle time: another program could have run", "high iowait does not prove a full disk, and a full disk on a busy host shows none", "per CPU it is not reliable (proc(5))"}})
	CPUSoftirq = add(Metric{ID: "cpu.softirq", Counter: true, Name: "softirq time", Unit: "share of one CPU", Help: "time in the deferred half of interrupt handling: packets, timers, block completions",
		Source: "/proc/stat, column softirq of the CPU's line", Tools: []string{"mpstat -P ALL 1   # %soft", "top   # si"}, Check: shell.Line("mpstat -P ALL 1 5   # column %%soft"),
		Traps: []string{"estimated from clock ticks unless the kernel has CONFIG_IRQ_TIME_ACCOUNTING", "a mean over CPUs hides the one that does all the work"}, Healthy: "below 10 %; 20 to 28 % under network benchmarks"})
	CPUSteal = add(Metric{ID: "cpu.steal",
		Series:  shareOfCPUs(func(s recording.CPUSample) time.Duration { return s.Steal }),
		Counter: true, Name: "steal time", Unit: "share", Help: "time a virtual CPU was ready and the hypervisor ran somebody else",
		Source: "/proc/stat, column steal", Tools: []string{"mpstat 1   # %steal", "top   # st"}, Check: shell.Line("mpstat 1 5   # column %%steal"), Traps: []string{"0 on hypervisors that do not report it"}, Healthy: "below 1 %"})
	CPUUnaccounted = add(Metric{ID: "cpu.unaccounted", Counter: true, Name: "CPU time without an owner", Unit: "cores",
		Help:   "user and system time of all CPUs less what the processes seen in the window used: the work of processes that came and went between readings",
		Source: "/proc/stat against /proc/PID/stat", Tools: []string{"mpstat 5 1; pidstat -u 5 1   # compare the sums", "perf record -a -g"}, Check: shell.Line("pidstat -u 5 1; mpstat 5 1   # compare the sums"),
		Traps: []string{"ticks and sampling make errors of a few percent"}, Healthy: "below 5 % of a CPU"})
	ProcessCPU = add(Metric{ID: "process.cpu",
		Labels: []string{"pid", "comm"}, Series: rate(process, func(s recording.ProcessSample) float64 { return seconds(s.User + s.System) }),
		Counter: true, Name: "CPU use of a process", Unit: "cores", Help: "CPU time its threads used per second; 1.0 is one full CPU",
		Source: "/proc/PID/stat utime + stime", Tools: []string{"pidstat -u 1", "top"}, Traps: []string{"ps shows the mean since the process began", "children that ended are not in it"}})
	ProcessCPUSystem = add(Metric{ID: "process.cpu-system", Counter: true, Name: "kernel share of a process", Unit: "share", Help: "part of its CPU time spent in the kernel",
		Source: "/proc/PID/stat stime", Tools: []string{"pidstat -u -p PID 1   # %system", "strace -c -p PID", "perf top -p PID"}, Traps: []string{"strace stops the process at every call: not on a database"}})
	ProcessChildCPU = add(Metric{ID: "process.child-cpu", Counter: true, Name: "CPU time of ended children", Unit: "cores", Help: "CPU time that children handed to the process when it waited for them",
		Source: "/proc/PID/stat cutime + cstime", Tools: []string{"pidstat -T CHILD -u 1"}, Traps: []string{"a child hands over its whole life at once when it ends", "nothing arrives if the parent ignores SIGCHLD"}})
	ProcessContextSwitches = add(Metric{ID: "process.context-switches", Counter: true, Name: "context switches of a process", Unit: "per second",
		Help:   "voluntary: a thread gave up the CPU to wait for something; involuntary: it was put aside while it could have gone on, or yielded",
		Source: "/proc/PID/task/TID/status voluntary_ctxt_switches, nonvoluntary_ctxt_switches", Tools: []string{"pidstat -wt -p PID 1"},
		Traps: []string{"without -t pidstat shows the main thread only, which may sleep all the time"}})
	ProcessSlice = add(Metric{ID: "process.slice", Counter: true, Name: "time on CPU between two switches", Unit: "seconds", Help: "CPU time divided by context switches",
		Source: "schedstat and status of the threads", Tools: []string{"cat /proc/PID/task/*/schedstat   # first field / third field", "perf sched timehist"},
		Traps: []string{"a mean: a few long slices hide many short ones"}, Healthy: "above 20 µs; milliseconds for work that computes"})
	ProcessThreads = add(Metric{ID: "process.threads",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.Threads) }),
		Name: "threads of a process", Unit: "threads", Help: "threads that exist", Source: "/proc/PID/stat num_threads",
		Tools: []string{"ls /proc/PID/task | wc -l", "ps -o nlwp -p PID"}, Traps: []string{"sleeping threads cost memory only"}})
	ThreadCPU = add(Metric{ID: "thread.cpu", Counter: true, Name: "CPU use of a thread", Unit: "share of one CPU", Help: "time the thread was on a CPU", Source: "/proc/PID/task/TID/schedstat, first field",
		Tools: []string{"pidstat -t -u -p PID 1", "top -H -p PID"}, Traps: []string{"the process's figure can be above 100 % while no thread is full, and below it while one is"}})
	TCPUnreadRequests = add(Metric{ID: "tcp.unread-requests", Name: "connections with unread requests", Unit: "connections",
		Help:   "connections to a server's port whose data it has not read, and connections it has not accepted, at the moment of reading",
		Source: "sock_diag: receive queue of the connections, accept queue of the listener", Tools: []string{"ss -tna   # Recv-Q"},
		Traps: []string{"a snapshot: one request caught just after its arrival is normal", "for a listener Recv-Q counts connections, for a connection bytes"}, Healthy: "0 in most readings"})
	CgroupThrottledPeriods = add(Metric{ID: "cgroup.throttled-periods", Counter: true, Name: "throttled periods", Unit: "share", Help: "periods in which a control group was stopped because its CPU quota was used up, of those in which it wanted CPU",
		Source: "cpu.stat nr_throttled, nr_periods", Tools: []string{"cat /sys/fs/cgroup/GROUP/cpu.stat"}, Traps: []string{"counts since the group was made: only differences mean something",
			"a group with many threads can be stopped in every period and use less than its quota on average"}, Healthy: "below 5 %"})
	CgroupThrottledTime = add(Metric{ID: "cgroup.throttled-time", Counter: true, Name: "throttled time", Unit: "seconds per second", Help: "time a control group was stopped, summed over the CPUs it was stopped on",
		Source: "cpu.stat throttled_usec (v2), throttled_time in ns (v1)", Tools: []string{"cat /sys/fs/cgroup/GROUP/cpu.stat"}, Traps: []string{"with many CPUs it can exceed the time that passed"}, Healthy: "0"})
	CgroupQuota = add(Metric{ID: "cgroup.quota", Name: "CPU quota", Unit: "cores", Help: "CPU time a control group may use per period", Source: "cpu.max (v2), cpu.cfs_quota_us and cpu.cfs_period_us (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/cpu.max", "systemctl show -p CPUQuotaPerSecUSec UNIT", "docker inspect -f '{{.HostConfig.NanoCpus}}' NAME"}, Traps: []string{"a parent's quota binds its children too"}})
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
