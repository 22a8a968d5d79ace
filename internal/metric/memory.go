package metric

import (
	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

// These are the numbers about memory, swap and kills.
var (
	MemoryAvailable = add(Metric{ID: "memory.available",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Available) }),
		Name:   "available memory", Unit: "bytes", Help: "the kernel's estimate of what programs can still allocate without swapping: free plus reclaimable memory",
		Source: "/proc/meminfo MemAvailable (3.14 and later)", Tools: []string{"free -h", "sar -r 1"}, Check: shell.Line("free -h"), Traps: []string{"an estimate: cache in active use is not reclaimable", "inside a container it shows the host, not the limit"},
		Healthy: "above 10 % of the total"})
	MemoryFree = add(Metric{ID: "memory.free",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Free) }),
		Name:   "free memory", Unit: "bytes", Help: "memory that holds nothing", Source: "/proc/meminfo MemFree", Tools: []string{"free -h", "vmstat 1"},
		Traps: []string{"low free memory is normal: the kernel uses it for the page cache; look at available"}})
	MemoryCached = add(Metric{ID: "memory.cached",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Cached) }),
		Name:   "page cache", Unit: "bytes", Help: "file contents in memory, for reads and for later writes; includes tmpfs and shared memory", Source: "/proc/meminfo Cached",
		Tools: []string{"free -h", "vmstat 1   # cache"}, Traps: []string{"the tmpfs part (Shmem) cannot be dropped", "Buffers are the same for block devices"}})
	CacheDrops = add(Metric{ID: "memory.cache-drops",
		Series:  growth(nil, func(s recording.VMStatSample) float64 { return reading(s.DropPageCache) }),
		Counter: true,
		Name:    "times the page cache was emptied", Unit: "count", Help: "writes to /proc/sys/vm/drop_caches: of 1 or 3 for the page cache, of 2 or 3 for names and inodes of files", Source: "/proc/vmstat drop_pagecache, drop_slab",
		Tools: []string{"grep drop_ /proc/vmstat", "dmesg | grep drop_caches"}, Healthy: "0"})
	MemoryDirty = add(Metric{ID: "memory.dirty",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Dirty) }),
		Name:   "dirty memory", Unit: "bytes", Help: "file contents changed in memory but not yet on disk", Source: "/proc/meminfo Dirty", Tools: []string{"grep -E 'Dirty|Writeback' /proc/meminfo"}, Traps: []string{"the kernel flushes in the background from vm.dirty_background_ratio on, slows writers down above the midpoint to vm.dirty_ratio, and blocks them there"}})
	MemoryCommitted = add(Metric{ID: "memory.committed",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.Committed) }),
		Name:   "committed memory", Unit: "bytes", Help: "memory that all programs would use if they touched all they allocated", Source: "/proc/meminfo Committed_AS", Tools: []string{"sar -r 1   # kbcommit"}, Traps: []string{"%commit relates to memory plus swap", "much of it is never touched"}})
	MemoryKernel = add(Metric{ID: "memory.kernel",
		Series: gauge(nil, func(s recording.MemorySample) float64 { return reading(s.SUnreclaim) + reading(s.PageTables) }),
		Name:   "memory of the kernel itself", Unit: "bytes", Help: "slab caches that cannot be freed and page tables: memory that belongs to no process", Source: "/proc/meminfo SUnreclaim, PageTables",
		Tools: []string{"grep -E 'SUnreclaim|PageTables' /proc/meminfo", "slabtop -o -s c   # caches by size"}, Check: shell.Line("grep -E 'SUnreclaim|PageTables' /proc/meminfo; slabtop -o -s c"),
		Traps:   []string{"page tables grow with the processes that map the same memory: huge pages shrink them", "network buffers and memory of drivers are not in it"},
		Healthy: "below 10 % of the total, and steady"})
	MemoryDirectReclaim = add(Metric{ID: "memory.direct-reclaim",
		Series: rate(nil, func(s recording.VMStatSample) float64 { return reading(s.AllocStalls) }),
		Name:   "direct reclaim", Unit: "per second", Help: "allocations that had to reclaim memory themselves because kswapd was too slow", Source: "/proc/vmstat allocstall_*", Tools: []string{"grep allocstall /proc/vmstat", "sar -B 1   # pgscand/s"}, Healthy: "0"})
	PressureMemorySome = add(Metric{ID: "pressure.memory-some",
		Series:  stalled("memory"),
		Counter: true, Name: "memory pressure", Unit: "share", Help: "share of time in which at least one task waited for memory: reclaim, swap-in, refaults of evicted cache",
		Source: "/proc/pressure/memory, some total (4.20 and later, psi=1)", Tools: []string{"cat /proc/pressure/memory", "cat /sys/fs/cgroup/GROUP/memory.pressure"}, Check: shell.Line("cat /proc/pressure/memory"), Traps: []string{"it says that tasks wait, not how many"}, Healthy: "below 1 %"})
	VMStatSwapIn = add(Metric{ID: "vmstat.swap-in",
		Series:  rate(nil, func(s recording.VMStatSample) float64 { return reading(s.SwapIn) }),
		Counter: true, Name: "swap-in", Unit: "pages per second", Help: "pages read back from swap because a program touched them", Source: "/proc/vmstat pswpin", Tools: []string{"vmstat 1   # si, KiB/s", "sar -W 1"}, Check: shell.Line("vmstat 1 5   # column si"),
		Traps: []string{"zram is swap too: pages come back from compressed memory", "continues for a while after a shortage is over"}, Healthy: "0"})
	VMStatSwapOut = add(Metric{ID: "vmstat.swap-out",
		Series:  inBytes(rate(nil, func(s recording.VMStatSample) float64 { return reading(s.SwapOut) })),
		Counter: true, Name: "swap-out", Unit: "bytes per second", Help: "pages written to swap", Source: "/proc/vmstat pswpout", Tools: []string{"vmstat 1   # so, KiB/s", "sar -W 1"}, Check: shell.Line("vmstat 1 5   # column so"),
		Traps: []string{"a little is healthy: cold pages make room for the page cache"}, Healthy: "0, or short and small"})
	VMStatMajorFaults = add(Metric{ID: "vmstat.major-faults",
		Series:  rate(nil, func(s recording.VMStatSample) float64 { return reading(s.MajorFaults) }),
		Counter: true, Name: "major page faults", Unit: "per second", Help: "memory accesses that wait for storage: swap, or a mapped file that is not cached", Source: "/proc/vmstat pgmajfault; per process /proc/PID/stat field 12",
		Tools: []string{"sar -B 1   # majflt/s", "pidstat -r 1"}, Check: shell.Line("sar -B 1 5   # majflt/s"), Traps: []string{"programs read their files this way when they start"}, Healthy: "near 0 in steady state"})
	VMStatRefaults = add(Metric{ID: "vmstat.refaults",
		Series:  rate(nil, func(s recording.VMStatSample) float64 { return reading(s.RefaultFile) }),
		Counter: true, Name: "refaults of files", Unit: "pages per second", Help: "file pages read again after eviction: something else needed the memory",
		Source: "/proc/vmstat workingset_refault_file (workingset_refault before 5.9)", Tools: []string{"grep workingset_refault /proc/vmstat"}, Check: shell.Line("grep workingset_refault_file /proc/vmstat"),
		Traps: []string{"a first read does not count; how long ago a page was evicted hardly matters", "readahead pages count too"}, Healthy: "below 100"})
	VMStatOOMKill = add(Metric{ID: "vmstat.oom-kill",
		Series:  growth(nil, func(s recording.VMStatSample) float64 { return reading(s.OOMKills) }),
		Counter: true, Name: "OOM kills counted", Unit: "count", Help: "processes killed for lack of memory, of the host or of a cgroup", Source: "/proc/vmstat oom_kill (4.13 and later)", Tools: []string{"grep oom_kill /proc/vmstat"}, Check: shell.Line("grep oom_kill /proc/vmstat"),
		Traps: []string{"kills by daemons such as systemd-oomd are not counted"}, Healthy: "0"})
	LogOOMKill = add(Metric{ID: "log.oom-kill", Course: VMStatOOMKill, Name: "OOM kill in the kernel log", Unit: "bytes", Help: "anonymous memory (anon-rss) of a killed process, from the kernel log", Source: "/dev/kmsg, \"Killed process\"",
		Tools: []string{"dmesg -T | grep -i 'killed process'", "journalctl -k"}, Check: shell.Line(`dmesg -T | grep -i -A1 'oom-kill\|killed process'`), Traps: []string{"the process that \"invoked oom-killer\" only asked for the last page", "total-vm is address space, not memory used"}})
	SwapUsed = add(Metric{ID: "swap.used",
		Labels: []string{"device"}, Series: gauge(swapArea, func(s recording.SwapSample) float64 { return reading(s.Used) }),
		Name: "swap in use", Unit: "bytes", Help: "bytes in swap areas", Source: "/proc/swaps", Tools: []string{"swapon --show", "free -h"}, Check: shell.Line("swapon --show"), Traps: []string{"used swap is no problem by itself: look at swap-in and pressure", "swap stays in use until its pages are touched or freed"}})
	ProcessRss = add(Metric{ID: "process.rss",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.RSS) }),
		Name: "resident size (RSS)", Unit: "bytes", Help: "memory of a process in RAM: anonymous, file and shared pages", Source: "/proc/PID/status VmRSS", Tools: []string{"ps -o rss,comm", "top   # RES"},
		Traps: []string{"shared pages count in every process: do not add up RSS, use PSS (/proc/PID/smaps_rollup)", "swap is not included"}})
	ProcessVirtualSize = add(Metric{ID: "process.virtual-size",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.VirtualSize) }),
		Name: "virtual size", Unit: "bytes", Help: "address space that a process has reserved", Source: "/proc/PID/status VmSize", Tools: []string{"ps -o vsz,comm", "top   # VIRT"}, Traps: []string{"not memory used: most of it may never be touched"}})
	ProcessAnon = add(Metric{ID: "process.anon",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.Anon) }),
		Name: "anonymous memory of a process", Unit: "bytes", Help: "heap, stacks and other memory without a file behind it, in RAM and in swap", Source: "/proc/PID/status RssAnon + VmSwap (RssAnon: 4.5 and later)",
		Tools: []string{"grep -E 'RssAnon|VmSwap' /proc/PID/status"}, Traps: []string{"kernels before 6.16 batch the counter: it can be off by 256 KiB or more, and jumps"}})
	ProcessAnonGrowth = add(Metric{ID: "process.anon-growth", Course: ProcessAnon, Name: "growth of anonymous memory", Unit: "bytes per second", Help: "median slope of all pairs of samples of RssAnon + VmSwap", Source: "/proc/PID/status, every reading of the window",
		Tools: []string{"pidstat -r -p PID 60", "watch -n 1 grep RssAnon /proc/PID/status"}, Traps: []string{"a cache or heap that fills up looks like a leak"}, Healthy: "0 over hours"})
	ProcessAllocated = add(Metric{ID: "process.not-freed", Name: "memory allocated and not freed", Unit: "bytes", Help: "what code of a process got from malloc in the window and has not given back", Source: "malloc and free of its libc, traced on request (--alloc PID); an estimate of followed blocks",
		Tools: []string{"rtrail trace alloc -p PID", "memleak -p PID   # bcc"}, Traps: []string{"a cache that fills up looks like a leak", "memory from before the watch does not count"}})
	ProcessSwap = add(Metric{ID: "process.swap",
		Labels: []string{"pid", "comm"}, Series: gauge(process, func(s recording.ProcessSample) float64 { return reading(s.Swap) }),
		Name: "swap of a process", Unit: "bytes", Help: "memory of the process in swap", Source: "/proc/PID/status VmSwap", Tools: []string{"grep VmSwap /proc/[0-9]*/status | sort -k2 -n", "smem --sort swap"}, Traps: []string{"shared memory in swap is not included"}})
	ProcessSwapDelay = add(Metric{ID: "process.swap-delay",
		Labels: []string{"pid", "comm"}, Series: rate(process, func(s recording.ProcessSample) float64 { return seconds(s.SwapDelay) }),
		Counter: true, Name: "swap delay", Unit: "seconds per second", Help: "time processes wait for pages from swap", Source: "taskstats swapin_delay_total, with delay accounting on (kernel.task_delayacct=1)",
		Tools: []string{"getdelays -d -p PID", "iotop   # SWAPIN"}, Check: shell.Line("getdelays -d -p PID"), Traps: []string{"off by default since 5.14: then it is unknown, not 0"}})
	CgroupMemory = add(Metric{ID: "cgroup.memory",
		Labels: []string{"cgroup"}, Series: gauge(group, func(s recording.CgroupSample) float64 { return reading(s.Memory) }),
		Name: "memory of a control group", Unit: "bytes", Help: "memory charged to the cgroup, page cache included", Source: "memory.current (v2), memory.usage_in_bytes (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/memory.current", "systemd-cgtop", "docker stats"}, Traps: []string{"a cgroup at its limit may just hold cache that it can drop (inactive_file)"}})
	CgroupMemoryLimit = add(Metric{ID: "cgroup.memory-limit", Course: CgroupMemory, Name: "memory limit of a control group", Unit: "bytes", Help: "what the cgroup may use before the kernel kills its processes", Source: "memory.max (v2), memory.limit_in_bytes (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/memory.max"}, Traps: []string{"a parent's limit also limits its children", "inside, free shows the host's memory"}})
	CgroupMemoryHits = add(Metric{ID: "cgroup.memory-hits",
		Labels: []string{"cgroup"}, Series: growth(group, func(s recording.CgroupSample) float64 { return reading(s.EventsMax) }),
		Counter: true, Name: "times at the memory limit", Unit: "count", Help: "times the cgroup hit its limit and had to reclaim first", Source: "memory.events max, or high where memory.high is the lower limit (v2), memory.failcnt and memory.memsw.failcnt (v1)",
		Tools: []string{"cat /sys/fs/cgroup/GROUP/memory.events"}, Traps: []string{"reading files through the page cache also hits the limit, without harm"}})
	CgroupRefaults = add(Metric{ID: "cgroup.refaults",
		Labels: []string{"cgroup"}, Series: rate(group, func(s recording.CgroupSample) float64 { return reading(s.RefaultFile) }),
		Counter: true, Name: "refaults of a control group", Unit: "pages per second", Help: "file pages that processes of the cgroup read again after eviction",
		Source: "memory.stat workingset_refault_file (workingset_refault before 5.9)", Tools: []string{"grep workingset_refault /sys/fs/cgroup/GROUP/memory.stat"},
		Traps: []string{"programs and libraries are files too", "a page is charged to the cgroup that reads it first, and counts in no other"}, Healthy: "below 100"})
	CgroupMemoryStall = add(Metric{ID: "cgroup.memory-stall",
		Labels: []string{"cgroup"}, Series: rate(group, func(s recording.CgroupSample) float64 { return seconds(s.MemoryStall) }),
		Name: "memory pressure of a control group", Unit: "share", Help: "share of time in which at least one task of the cgroup waited for memory: reclaim, swap-in, refaults",
		Source: "memory.pressure, some total (v2)", Tools: []string{"cat /sys/fs/cgroup/GROUP/memory.pressure"}, Traps: []string{"cgroup v1 has none: only the host's pressure is known there"}, Healthy: "below 1 %"})
	CgroupOOMKills = add(Metric{ID: "cgroup.oom-kills",
		Labels: []string{"cgroup"}, Series: growth(group, func(s recording.CgroupSample) float64 { return reading(s.OOMKills) }),
		Counter: true, Name: "OOM kills in a control group", Unit: "count", Help: "processes of the cgroup killed for lack of memory", Source: "memory.events oom_kill (v2), memory.oom_control oom_kill (v1, 4.13 and later)",
		Tools: []string{"grep oom_kill /sys/fs/cgroup/GROUP/memory.events"}, Traps: []string{"v2 also counts kills in child cgroups", "host-wide OOM kills count too"}, Healthy: "0"})
	MemoryCompactions = add(Metric{ID: "memory.compactions",
		Series:  rate(nil, func(s recording.VMStatSample) float64 { return reading(s.CompactStalls) }),
		Counter: true, Name: "direct compactions", Unit: "per second", Help: "allocations of several pages in one piece that first had to move other pages together", Source: "/proc/vmstat compact_stall",
		Tools: []string{"grep compact_ /proc/vmstat", "sar -B"}, Check: shell.Line("grep compact_ /proc/vmstat; cat /proc/buddyinfo"), Traps: []string{"what kcompactd does in the background is not in it"}, Healthy: "0"})
	NodeFree = add(Metric{ID: "memory.node-free",
		Labels: []string{"node"}, Series: inBytes(total(node, zoneID, func(s recording.ZoneSample) float64 { return reading(s.Free) })),
		Name: "free memory of a node", Unit: "bytes", Help: "free memory of one NUMA node, all its zones together", Source: "/proc/zoneinfo free",
		Tools: []string{"numactl --hardware", "numastat -m"}, Check: shell.Line("numactl --hardware"), Traps: []string{"page cache fills a node without harm: it is freed when needed"}})
	NUMAMisses = add(Metric{ID: "memory.numa-misses",
		Series:  rate(nil, func(s recording.VMStatSample) float64 { return reading(s.NUMAMiss) }),
		Counter: true, Name: "pages from another node", Unit: "pages per second", Help: "pages taken from this node although another one was wanted, all nodes together", Source: "/proc/vmstat numa_miss",
		Tools: []string{"numastat"}, Check: shell.Line("numastat"), Traps: []string{"interleaved memory is no miss"}, Healthy: "0"})
)
