package metric

import (
	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

// These are the numbers about memory, swap and kills.
var (
	MemoryAvailable = add(Metric{ID: "memory.available",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Available) }),
		Name:   "available memory", Unit: "bytes", Help: "the kernel's estimate of what programs can still get without swapping: free memory plus what can be reclaimed",
		Source: "/proc/meminfo MemAvailable (3.14 and later)", Tools: []string{"free -h", "sar -r 1"}, Check: shell.Line("free -h"), Traps: []string{"an estimate: some cache is in use and not reclaimable", "inside a container it is the host's, not the limit"},
		Healthy: "above 10 % of the total"})
	MemoryFree = add(Metric{ID: "memory.free",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Free) }),
		Name:   "free memory", Unit: "bytes", Help: "memory that holds nothing at all", Source: "/proc/meminfo MemFree", Tools: []string{"free -h", "vmstat 1"},
		Traps: []string{"low free memory is normal: the kernel fills it with file cache; look at available"}})
	MemoryCached = add(Metric{ID: "memory.cached",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Cached) }),
		Name:   "page cache", Unit: "bytes", Help: "contents of files kept in memory, for reading and for writing later; tmpfs and shared memory are in it", Source: "/proc/meminfo Cached",
		Tools: []string{"free -h", "vmstat 1   # cache"}, Traps: []string{"the tmpfs part (Shmem) cannot be dropped", "Buffers are the same for block devices read without a file system"}})
	MemoryDirty = add(Metric{ID: "memory.dirty",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Dirty) }),
		Name:   "dirty memory", Unit: "bytes", Help: "file contents changed in memory and not yet on disk", Source: "/proc/meminfo Dirty", Tools: []string{"grep -E 'Dirty|Writeback' /proc/meminfo"}, Traps: []string{"writers are slowed down from vm.dirty_background_ratio on and stopped at vm.dirty_ratio"}})
	MemoryCommitted = add(Metric{ID: "memory.committed",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Committed) }),
		Name:   "committed memory", Unit: "bytes", Help: "what all programs were promised if they touched everything", Source: "/proc/meminfo Committed_AS", Tools: []string{"sar -r 1   # kbcommit"}, Traps: []string{"%commit relates to memory plus swap", "much of it is never touched"}})
	MemoryDirectReclaim = add(Metric{ID: "memory.direct-reclaim",
		Series: rate(nil, func(s recording.VMStatSample) float64 { return reading(s.AllocStalls) }),
		Name:   "direct reclaim", Unit: "per second", Help: "allocations that had to free memory themselves because kswapd was too slow", Source: "/proc/vmstat allocstall_*", Tools: []string{"grep allocstall /proc/vmstat", "sar -B 1   # pgscand/s"}, Healthy: "0"})
	PressureMemorySome = add(Metric{ID: "pressure.memory-some",
		Series:  stalled("memory"),
		Counter: true, Name: "memory pressure", Unit: "share", Help: "share of time in which at least one task waited for memory: reclaim, swap-in, refaults of evicted cache",
		Source: "/proc/pressure/memory, some total (4.20 and later, psi=1)", Tools: []string{"cat /proc/pressure/memory", "cat /sys/fs/cgroup/GROUP/memory.pressure"}, Check: shell.Line("cat /proc/pressure/memory"), Traps: []string{"says that somebody waits, not how many"}, Healthy: "below 1 %"})
	VMStatSwapIn = add(Metric{ID: "vmstat.swap-in",
		Series:  rate(nil, func(s recording.VMStatSample) float64 { return reading(s.SwapIn) }),
		Counter: true, Name: "swap-in", Unit: "pages per second", Help: "pages read back from swap because somebody touched them", Source: "/proc/vmstat pswpin", Tools: []string{"vmstat 1   # si, KiB/s", "sar -W 1"}, Check: shell.Line("vmstat 1 5   # column si"),
		Traps: []string{"zram is swap too: pages come back from compressed memory", "continues for a while after a shortage is over"}, Healthy: "0"})
	VMStatSwapOut = add(Metric{ID: "vmstat.swap-out", Counter: true, Name: "swap-out", Unit: "bytes per second", Help: "pages written to swap", Source: "/proc/vmstat pswpout", Tools: []string{"vmstat 1   # so, KiB/s", "sar -W 1"}, Check: shell.Line("vmstat 1 5   # column so"),
		Traps: []string{"a little is healthy: cold pages make room for cache"}, Healthy: "0, or short and small"})
	VMStatMajorFaults = add(Metric{ID: "vmstat.major-faults",
		Series:  rate(nil, func(s recording.VMStatSample) float64 { return reading(s.MajorFaults) }),
		Counter: true, Name: "major page faults", Unit: "per second", Help: "accesses to memory that had to wait for storage: swap, or a mapped file not in cache", Source: "/proc/vmstat pgmajfault; per process /proc/PID/stat field 12",
		Tools: []string{"sar -B 1   # majflt/s", "pidstat -r 1"}, Check: shell.Line("sar -B 1 5   # majflt/s"), Traps: []string{"programs that start read their files this way"}, Healthy: "near 0 once everything runs"})
	VMStatRefaults = add(Metric{ID: "vmstat.refaults",
		Series:  rate(nil, func(s recording.VMStatSample) float64 { return reading(s.RefaultFile) }),
		Counter: true, Name: "refaults of files", Unit: "pages per second", Help: "pages of files read again after memory had let go of them: something else needed the room",
		Source: "/proc/vmstat workingset_refault_file (workingset_refault before 5.9)", Tools: []string{"grep workingset_refault /proc/vmstat"}, Check: shell.Line("grep workingset_refault_file /proc/vmstat"),
		Traps: []string{"a file that is read for the first time does not count; how long ago a page went hardly matters", "pages read ahead count as well"}, Healthy: "below 100"})
	VMStatOOMKill = add(Metric{ID: "vmstat.oom-kill", Counter: true, Name: "OOM kills counted", Unit: "count", Help: "processes killed for lack of memory, of the host or of a group", Source: "/proc/vmstat oom_kill (4.13 and later)", Tools: []string{"grep oom_kill /proc/vmstat"}, Check: shell.Line("grep oom_kill /proc/vmstat"),
		Traps: []string{"kills by daemons such as systemd-oomd are not counted"}, Healthy: "0"})
	LogOOMKill = add(Metric{ID: "log.oom-kill", Name: "OOM kill in the kernel log", Unit: "bytes", Help: "what the kernel logged about a process it killed: its anonymous memory (anon-rss)", Source: "/dev/kmsg, \"Killed process\"",
		Tools: []string{"dmesg -T | grep -i 'killed process'", "journalctl -k"}, Check: shell.Line(`dmesg -T | grep -i -A1 'oom-kill\|killed process'`), Traps: []string{"who \"invoked oom-killer\" only asked for the last page", "total-vm is address space, not memory used"}})
	SwapUsed   = add(Metric{ID: "swap.used", Name: "swap in use", Unit: "bytes", Help: "how much lies in swap areas", Source: "/proc/swaps", Tools: []string{"swapon --show", "free -h"}, Check: shell.Line("swapon --show"), Traps: []string{"used swap is no fault: look at swap-in and pressure", "stays used until the pages are touched or freed"}})
	ProcessRss = add(Metric{ID: "process.rss",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.RSS) }),
		Name: "resident size (RSS)", Unit: "bytes", Help: "memory of a process that is in RAM: anonymous, file and shared pages", Source: "/proc/PID/status VmRSS", Tools: []string{"ps -o rss,comm", "top   # RES"},
		Traps: []string{"shared pages count in every process: never add RSS up, use PSS (/proc/PID/smaps_rollup)", "excludes what is in swap"}})
	ProcessVirtualSize = add(Metric{ID: "process.virtual-size",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.VirtualSize) }),
		Name: "virtual size", Unit: "bytes", Help: "address space a process reserved", Source: "/proc/PID/status VmSize", Tools: []string{"ps -o vsz,comm", "top   # VIRT"}, Traps: []string{"not memory used: most of it may never be touched"}})
	ProcessAnon = add(Metric{ID: "process.anon",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.Anon) }),
		Name: "anonymous memory of a process", Unit: "bytes", Help: "heap, stacks and other memory without a file behind it, in RAM and in swap", Source: "/proc/PID/status RssAnon + VmSwap (RssAnon: 4.5 and later)",
		Tools: []string{"grep -E 'RssAnon|VmSwap' /proc/PID/status"}, Traps: []string{"kernels before 6.16 batch the counter: it can be off by 256 KiB and more, and move in jumps"}})
	ProcessAnonGrowth = add(Metric{ID: "process.anon-growth", Name: "growth of anonymous memory", Unit: "bytes per second", Help: "median of the slopes between all pairs of readings of RssAnon + VmSwap", Source: "/proc/PID/status, every reading of the window",
		Tools: []string{"pidstat -r -p PID 60", "watch -n 1 grep RssAnon /proc/PID/status"}, Traps: []string{"caches and heaps that fill up grow like leaks"}, Healthy: "0 over hours"})
	ProcessSwap = add(Metric{ID: "process.swap",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.Swap) }),
		Name: "swap of a process", Unit: "bytes", Help: "how much of its memory lies in swap", Source: "/proc/PID/status VmSwap", Tools: []string{"grep VmSwap /proc/[0-9]*/status | sort -k2 -n", "smem --sort swap"}, Traps: []string{"shared memory in swap is not in it"}})
	ProcessSwapDelay = add(Metric{ID: "process.swap-delay", Counter: true, Name: "swap delay", Unit: "seconds per second", Help: "time processes waited for pages from swap", Source: "taskstats swapin_delay_total, with delay accounting on (kernel.task_delayacct=1)",
		Tools: []string{"getdelays -d -p PID", "iotop   # SWAPIN"}, Check: shell.Line("getdelays -d -p PID"), Traps: []string{"not available by default since 5.14: then it is unknown, not 0"}})
	CgroupMemory = add(Metric{ID: "cgroup.memory", Name: "memory of a control group", Unit: "bytes", Help: "memory charged to the group, page cache included", Source: "memory.current (v2), memory.usage_in_bytes (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/memory.current", "systemd-cgtop", "docker stats"}, Traps: []string{"a group at its limit may just hold cache it can drop (inactive_file)"}})
	CgroupMemoryLimit = add(Metric{ID: "cgroup.memory-limit", Name: "memory limit of a control group", Unit: "bytes", Help: "what the group may use before its processes are killed", Source: "memory.max (v2), memory.limit_in_bytes (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/memory.max"}, Traps: []string{"a parent's limit binds its children too", "programs inside see the host's memory in free"}})
	CgroupMemoryHits = add(Metric{ID: "cgroup.memory-hits", Counter: true, Name: "times at the memory limit", Unit: "count", Help: "times the group wanted to grow beyond its limit and had to reclaim first", Source: "memory.events max, or high where memory.high is the lower limit (v2), memory.failcnt and memory.memsw.failcnt (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/memory.events"}, Traps: []string{"reading files through the cache also reaches the limit, without harm"}})
	CgroupRefaults = add(Metric{ID: "cgroup.refaults", Counter: true, Name: "refaults of a control group", Unit: "pages per second", Help: "pages of files that processes of the group read again after the group had let go of them",
		Source: "memory.stat workingset_refault_file (workingset_refault before 5.9)", Tools: []string{"grep workingset_refault /sys/fs/cgroup/GROUP/memory.stat"},
		Traps: []string{"programs and their libraries are files, too", "a page belongs to the group that read it first, and counts in no other"}, Healthy: "below 100"})
	CgroupMemoryStall = add(Metric{ID: "cgroup.memory-stall", Name: "memory pressure of a control group", Unit: "share", Help: "share of time in which at least one task of the group waited for memory: reclaim, swap-in, refaults",
		Source: "memory.pressure, some total (v2)", Tools: []string{"cat /sys/fs/cgroup/GROUP/memory.pressure"}, Traps: []string{"version 1 has none: there the host's own pressure is all that is known"}, Healthy: "below 1 %"})
	CgroupOOMKills = add(Metric{ID: "cgroup.oom-kills", Counter: true, Name: "OOM kills in a control group", Unit: "count", Help: "processes of the group that were killed for lack of memory", Source: "memory.events oom_kill (v2), memory.oom_control oom_kill (v1, 4.13 and later)",
		Tools: []string{"grep oom_kill /sys/fs/cgroup/GROUP/memory.events"}, Traps: []string{"v2 counts the kills of child groups too", "kills for a shortage of the whole host count as well"}, Healthy: "0"})
)
