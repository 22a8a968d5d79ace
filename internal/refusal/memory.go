package refusal

// memoryCounters are those of memory management (/proc/vmstat, mm/vmstat.c).
var memoryCounters = []Counter{
	{Names: "oom_kill", Kind: Refused, Unit: "processes", Resource: "memory", Rules: []string{"mem/oom-kill", "mem/cgroup-oom"}, Least: 1,
		Means: "a process that the kernel killed because memory, of the host or of a control group, had run out"},
	slowed("allocstall*", "a program that wanted memory had to free some first", "mem/reclaim", "mem/swapping"),
}

// groupCounters are those of control groups (kernel
// Documentation/admin-guide/cgroup-v2.rst and cgroup-v1).
var groupCounters = []Counter{
	{Names: "oom", Kind: Refused, Unit: "allocations", Resource: "memory", Rules: []string{"mem/cgroup-oom", "mem/oom-kill"}, Least: 1,
		Means: "an allocation at the memory limit of the group that found nothing to free"},
	{Names: "oom_kill", Kind: Refused, Unit: "processes", Resource: "memory", Rules: []string{"mem/cgroup-oom", "mem/oom-kill"}, Least: 1,
		Means: "a process of the group that the kernel killed at its memory limit"},
	slowed("max high", "the group reached its memory limit, and a program had to free memory of it first; page cache fills up to the limit in any group that reads files",
		"mem/reclaim", "mem/cgroup-oom", "mem/swapping"),
	slowed("nr_throttled", "the group was stopped for the rest of a period because its CPU quota was used up", "cpu/throttled"),
	{Names: "pids.max", Kind: Refused, Unit: "forks", Resource: "process table", Least: 1,
		Means: "a process or thread that could not be started because the group has as many as it may (pids.max)"},
}
