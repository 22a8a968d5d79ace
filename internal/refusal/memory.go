package refusal

// memoryCounters are those of memory management (/proc/vmstat, mm/vmstat.c). Sums
// of zones and nodes are printed per zone too: a name ends in *.
var memoryCounters = []Counter{
	{Names: "oom_kill", Kind: Refused, Unit: "processes", Resource: "memory", Rules: []string{"mem/oom-kill", "mem/cgroup-oom"}, Least: 1,
		Means: "a process that the kernel killed because memory, of the host or of a control group, had run out"},
	{Names: "htlb_buddy_alloc_fail", Kind: Refused, Unit: "huge pages", Resource: "memory", Least: 1,
		Means: "a huge page that the pool (vm.nr_hugepages) or a program asked for and for which no unbroken memory was left"},
	{Names: "ue_count", Kind: Refused, Unit: "memory errors", Resource: "memory", Least: 1,
		Means: "an error of a memory chip that could not be corrected: what stood there is lost, and the process that used it is killed, if not the host"},
	{Names: "ce_count", Kind: Refused, Unit: "memory errors", Resource: "memory",
		Means: "an error of a memory chip that was corrected: nothing is lost, but many slow the host by their interrupts, and a chip with many is about to fail"},
	slowed("allocstall*", "a program that wanted memory had to free some first", "mem/reclaim", "mem/swapping"),
	slowed("pgscan_direct_throttle", "a program that wanted memory had to wait because too much was on its way to the disks", "mem/reclaim", "mem/swapping"),
	slowed("compact_stall", "a program that wanted a large block of memory had to move pages together first", "mem/reclaim", "mem/swapping"),
	ordinary("compact_fail compact_pagemigrate_failed", "pages could not be moved together; a smaller block is taken"),
	ordinary("thp_fault_fallback* thp_file_fallback* thp_swpout_fallback thp_collapse_alloc_failed thp_zero_page_alloc_failed thp_split_page_failed thp_split_failed thp_scan_exceed*",
		"small pages instead of a huge one, or a huge one stays as it is"),
	ordinary("pgmigrate_fail thp_migration_fail", "a page that is in use stays where it is"),
	ordinary("zone_reclaim_failed", "memory of another node is taken instead"),
	ordinary("vma_lock_abort vma_lock_retry vma_lock_miss", "a page fault took the lock of the whole address space instead of a part's"),
	ordinary("drop_pagecache drop_slab", "a program wrote to /proc/sys/vm/drop_caches"),
	ordinary("kswapd_*", "how often background reclaim reached its marks"),
	volume("nr_* pg* pswp* workingset_* numa_* slabs_scanned* kswapd_inodesteal pageoutrun compact_* htlb_buddy_alloc_success unevictable_pgs_* " +
		"thp_* thp_deferred_split_page vmacache_* zone_reclaim_success balloon_* swap_ra* swpin* swpout* ksm_* cow_ksm zswp* direct_map_* nvcsw* kstack_* vmpressure* memmap*"),
}

// groupCounters are those of control groups (kernel
// Documentation/admin-guide/cgroup-v2.rst and cgroup-v1): keys of memory.events,
// cpu.stat and memory.oom_control as they are, of other files with the file's
// first word before them.
var groupCounters = []Counter{
	{Names: "oom", Kind: Refused, Unit: "allocations", Resource: "memory", Rules: []string{"mem/cgroup-oom", "mem/oom-kill"}, Least: 1,
		Means: "an allocation at the memory limit of the group that found nothing to free"},
	{Names: "oom_kill", Kind: Refused, Unit: "processes", Resource: "memory", Rules: []string{"mem/cgroup-oom", "mem/oom-kill"}, Least: 1,
		Means: "a process of the group that the kernel killed at its memory limit"},
	slowed("max high", "the group reached its memory limit, and a program had to free memory of it first; page cache fills up to the limit in any group that reads files",
		"mem/reclaim", "mem/cgroup-oom", "mem/swapping"),
	slowed("sock_throttled", "sockets of the group may take no more memory: their windows shrink", "mem/reclaim", "net/receiver-slow"),
	slowed("nr_throttled throttled_usec throttled_time", "the group was stopped for the rest of a period because its CPU quota was used up", "cpu/throttled"),
	slowed("swap.high swap.max swap.fail", "a page of the group could not go to swap, and memory had to be found elsewhere", "mem/swapping", "mem/reclaim", "mem/cgroup-oom"),
	{Names: "pids.max", Kind: Refused, Unit: "forks", Resource: "process table", Rules: []string{"proc/pid-limit"}, Least: 1,
		Means: "a process or thread that could not be started because the group has as many as it may (pids.max)"},
	slowed("memsw.failcnt", "the group reached its limit of memory and swap together (version 1), and a program had to free memory of it first", "mem/reclaim", "mem/cgroup-oom", "mem/swapping"),
	{Names: "kmem.failcnt", Kind: Refused, Unit: "allocations", Resource: "memory",
		Means: "kernel memory (for a process, a file, a directory) that the group was refused at its limit (memory.kmem.limit_in_bytes, version 1 before Linux 5.16): system calls fail with ENOMEM"},
	{Names: "kmem.tcp.failcnt", Kind: Refused, Unit: "allocations", Resource: "memory",
		Means: "memory for data of TCP sockets that the group was refused at its limit (memory.kmem.tcp.limit_in_bytes, version 1): received segments are thrown away and windows shrink"},
	{Names: "hugetlb.max", Kind: Refused, Unit: "huge pages", Resource: "memory", Least: 1,
		Means: "a huge page that the group was refused at its limit (hugetlb.SIZE.max, version 1 limit_in_bytes; counted in failcnt there): the program gets ENOMEM or is killed by SIGBUS"},
	ordinary("pids.max.imposed", "the same forks, counted at the group whose limit it was"),
	ordinary("low", "memory below memory.low was taken because nothing else was left: the setting is a wish"),
	ordinary("oom_group_kill", "the processes are counted by oom_kill"),
	volume("oom_kill_disable under_oom usage_usec user_usec system_usec nice_usec nr_periods nr_bursts burst_usec burst_time wait_sum core_sched.*"),
}
