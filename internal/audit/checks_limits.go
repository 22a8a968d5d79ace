package audit

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	filesUsed = rule.Threshold{Name: "files-used", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a service's limit of open files in use: twice the load reaches it."}
	filesFew = rule.Threshold{Name: "files-few", Value: 4096, Unit: "count", Source: rule.Judgement,
		Reason: "Limits above this were set by somebody who thought of it. systemd gives services 1,024 unless they ask for more."}
	quotaSmall = rule.Threshold{Name: "quota-small", Value: 0.2, Unit: "count", Source: rule.Judgement,
		Reason: "CPUs. A request that takes 20 ms of CPU time uses up the quota of a period of 100 ms, and waits for the next one."}
	heapShare = rule.Threshold{Name: "heap-share", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the memory limit that the heap may take. Threads, code, buffers and the collector need a tenth at least beside it."}
)

var limitChecks = []Check{
	{
		ID: "audit/fd-limit", Title: "a service may open few files",
		Reads:    "limits and open descriptors of each process that listens on TCP",
		Why:      "Each connection takes a descriptor, two in a proxy. At the limit accept fails, and clients wait.",
		When:     "A process that listens uses a large share of its limit, and the limit is small.",
		Change:   "LimitNOFILE= in the unit of the service, or its own setting (worker_rlimit_nofile of nginx), then restart it.",
		Price:    "Programs that close all possible descriptors when they start take longer with a huge limit.",
		Leave:    "Services whose number of connections is bounded below the limit.",
		Explains: []string{"proc/fd-limit", "net/accept-queue-full"}, Proves: []string{"proc/fd-limit", "net/accept-queue-full"},
		Thresholds: []*rule.Threshold{&filesUsed, &filesFew},
		Look:       lookFiles,
	},
	{
		ID: "audit/cgroup-limits", Title: "a limit of a control group that limits nothing, or everything",
		Reads: "memory.max, memory.events and cpu.max (v1: memory.limit_in_bytes, cpu.cfs_quota_us) of each control group, CPUs and memory of the host",
		Why:   "A memory limit above the host's memory protects nobody: the host runs out first, and the kernel kills whom it likes. A tiny quota stops a server for most of each period. A memory limit below what a group needs has its processes killed.",
		When: "The memory limit is above the host's memory, the quota is above the host's CPUs, or the quota is below the threshold for a group with a process that listens. " +
			"A small memory limit only if a process of the group was killed at it since the group was made (oom and oom_kill of memory.events, v2): some programs need a few MiB, and file cache fills every limit, so that max and failcnt rise in healthy groups. " +
			"Not that of a group without processes of its own: it also counts kills in groups below, which may be gone.",
		Change:   "Set limits that fit this host.",
		Price:    "A lower memory limit kills or slows down what is in the group.",
		Leave:    "Groups that move between hosts of several sizes with one limit; groups that are meant to be killed when they grow; groups whose limit was raised since.",
		Explains: []string{"cpu/throttled", "mem/oom-kill", "mem/cgroup-oom", "mem/cgroup-near-limit"}, Proves: []string{"cpu/throttled"},
		Thresholds: []*rule.Threshold{&quotaSmall},
		Look:       lookGroups,
	},
	{
		ID: "audit/jvm-heap", Title: "a Java heap that does not fit",
		Reads:    "-Xmx and -XX:MaxRAMPercentage in the command lines of Java processes, as far as these are recorded, the memory limit of their control group, the host's memory",
		Why:      "Java grows its heap up to this size before it collects in earnest. If the group or the host has less, the kernel kills it, or it swaps.",
		When:     "The heap may take more than a share of the group's limit, or is larger than the host's memory.",
		Change:   "-Xmx below the limit with room for all else, or -XX:MaxRAMPercentage=60 to 75 instead of -Xmx.",
		Price:    "A smaller heap is collected more often.",
		Leave:    "Nobody whose heap really fills.",
		Explains: []string{"mem/cgroup-oom", "mem/cgroup-near-limit", "mem/oom-kill", "mem/swapping"}, Proves: []string{"mem/cgroup-oom", "mem/swapping"},
		Thresholds: []*rule.Threshold{&heapShare},
		Look:       lookHeaps,
	},
}

func lookFiles(v *view.View) (list []Remark, seen bool) {
	pids, series := view.Group(view.Rows[recording.LimitSample](v), func(s recording.LimitSample) int32 { return s.PID })
	for _, pid := range pids {
		p, ok := v.Process(pid)
		if !ok || p.Own {
			continue
		}
		listeners := v.ListenersOf(pid)
		if len(listeners) == 0 {
			continue
		}
		port := listeners[len(listeners)-1].Port
		seen = true
		s := series[pid][len(series[pid])-1]
		if s.FilesSoft > int64(filesFew.Int()) || s.FilesSoft <= 0 || float64(s.Files) < filesUsed.Value*float64(s.FilesSoft) {
			continue
		}
		list = append(list, Remark{Subject: p.Entity(), Words: rule.T("%s (%d), which serves port %d, has %d of at most %d files open", p.Comm, p.PID, port, s.Files, s.FilesSoft),
			See: shell.Line("grep 'open files' /proc/%d/limits; ls /proc/%d/fd | wc -l", pid, pid), Change: shell.Line("prlimit --nofile=65536:65536 --pid %d", pid),
			Fits: func(f *rule.Finding) (explains, proves bool) {
				// Without a free descriptor accept takes nothing from its queue. One may be
				// free at the moment of reading.
				at := f.Rule == "proc/fd-limit" || slices.ContainsFunc(series[pid], func(s recording.LimitSample) bool { return s.FilesSoft > 0 && s.Files >= s.FilesSoft-1 })
				return at, at
			}})
	}
	return list, seen
}

func lookGroups(v *view.View) (list []Remark, seen bool) {
	memory, cpus := memoryOf(v), v.CPUCount()
	for _, c := range v.Cgroups() {
		at := func(words rule.Text, v2, v1 string, explains ...string) {
			group := strings.TrimSuffix(c.Path, "/")
			file := "/sys/fs/cgroup" + group + "/" + v2
			if c.Version == 1 {
				file = "/sys/fs/cgroup/" + path.Dir(v1) + group + "/" + path.Base(v1)
			}
			list = append(list, Remark{Subject: view.CgroupEntity(c.Path), Words: words, See: shell.Line("cat %s", shell.Path(file)), Fits: only(explains...)})
		}
		if c.Limited() && memory > 0 {
			seen = true
			switch {
			case killedAtLimit(v, c):
				at(rule.T("%s may use %v of memory: since the group was made %s killed at its memory limit", c.Path, unit.Bytes(c.MemoryMax), unit.Plural(c.OOMKills, "process of it was", "processes of it were")), "memory.events", "", "mem/cgroup-oom", "mem/cgroup-near-limit")
			case c.MemoryMax > memory:
				at(rule.T("%s may use %v of memory; the host has %v: it is full before the limit is reached", c.Path, unit.Bytes(c.MemoryMax), unit.Bytes(memory)), "memory.max", "memory/memory.limit_in_bytes", "mem/oom-kill")
			}
		}
		if !c.HasQuota() || cpus == 0 {
			continue
		}
		seen = true
		switch {
		case c.Cores() > float64(cpus):
			at(rule.T("%s may use %.1f CPUs; the host has %d: the quota limits nothing", c.Path, c.Cores(), cpus), "cpu.max", "cpu/cpu.cfs_quota_us")
		case c.Cores() < quotaSmall.Value && listens(v, c.Path):
			at(rule.T("%s may use %.2f of a CPU, and serves clients: a request that takes more than %v of CPU time waits for the next period of %v", c.Path, c.Cores(), unit.Duration(c.Quota), unit.Duration(c.Period)), "cpu.max", "cpu/cpu.cfs_quota_us", "cpu/throttled")
		}
	}
	return list, seen
}

// killedAtLimit says that the kernel killed for lack of memory in a group, at its own limit: oom counts that at every group
// above, too, also when the one below is gone, and oom_kill those killed because the host was full. A group that has
// processes has none below with a limit.
func killedAtLimit(v *view.View, c view.Cgroup) bool {
	if c.EventsOOM <= 0 || c.OOMKills <= 0 || !holdsProcesses(v, c) {
		return false
	}
	groups := v.Cgroups()
	for i := range groups { // large, and thousands
		if o := &groups[i]; o.EventsOOM > 0 && o.Path != c.Path && view.InGroup(o.Path, c.Path) && o.Limited() {
			return false
		}
	}
	return true
}

// holdsProcesses says that a group itself has processes. They are not counted in each sample, and never in the group that
// is the root of a container.
func holdsProcesses(v *view.View, c view.Cgroup) bool {
	return slices.ContainsFunc(c.Samples, func(s recording.CgroupSample) bool { return s.Processes > 0 }) ||
		view.Memo(v, "groups with processes", func() map[string]bool {
			all := v.Processes()
			m := map[string]bool{}
			for i := range all {
				m[all[i].MemCgroup] = true
			}
			return m
		})[c.Path]
}

// listens says whether a process of a group, or of one below it, listens on TCP.
func listens(v *view.View, group string) bool {
	return view.Memo(v, "groups that listen", func() map[string]bool {
		m := map[string]bool{}
		listeners := v.Listeners()
		for i := range listeners {
			owners := listeners[i].Owners
			for j := range owners {
				addWithParents(m, owners[j].Cgroup)
			}
		}
		return m
	})[group]
}

// addWithParents adds a group and those above it that it is in.
func addWithParents(groups map[string]bool, group string) {
	if !view.InGroup(group, "/") { // it is not in sight
		return
	}
	for at := group; at != "" && !groups[at]; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
		groups[at] = true
	}
	groups["/"] = true
}

var (
	heapFlag    = regexp.MustCompile(`(?:^| )-(?:Xmx|XX:MaxHeapSize=)([0-9]{1,18})([kKmMgGtT]?)(?: |$)`)
	percentFlag = regexp.MustCompile(`(?:^| )-XX:MaxRAMPercentage=([0-9]{1,3}(?:\.[0-9]{1,6})?)(?: |$)`)
)

// heapOf is the largest heap that a command line allows. A JVM takes the last one of
// equal flags, and -Xmx before a share of the limit, which it knows itself.
func heapOf(cmdline string, limit int64) (bytes float64, flag string) {
	// Flags that follow each other share a blank, which a pattern would take once.
	cmdline = strings.ReplaceAll(cmdline, " ", "  ")
	if all := heapFlag.FindAllStringSubmatch(cmdline, -1); len(all) > 0 {
		m := all[len(all)-1]
		n, _ := strconv.ParseFloat(m[1], 64)
		shift := map[string]float64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
		return n * shift[strings.ToLower(m[2])], strings.TrimSpace(m[0])
	}
	if all := percentFlag.FindAllStringSubmatch(cmdline, -1); len(all) > 0 {
		m := all[len(all)-1]
		percent, _ := strconv.ParseFloat(m[1], 64)
		return percent / 100 * float64(limit), strings.TrimSpace(m[0])
	}
	return 0, ""
}

// smallestLimit is the group with the least memory.max of those that a process is in.
func smallestLimit(v *view.View, p view.Process) (group view.Cgroup, ok bool) {
	for _, c := range v.Cgroups() {
		if c.Limited() && view.InGroup(p.MemCgroup, c.Path) && (!ok || c.MemoryMax < group.MemoryMax) {
			group, ok = c, true
		}
	}
	return group, ok
}

func lookHeaps(v *view.View) (list []Remark, seen bool) {
	memory := memoryOf(v)
	for _, p := range v.Processes() {
		if p.Comm != "java" || p.Gone {
			continue
		}
		group, limited := smallestLimit(v, p)
		limit := memory
		if limited && (memory <= 0 || group.MemoryMax < memory) {
			limit = group.MemoryMax
		} else {
			limited = false
		}
		heap, flag := heapOf(p.Cmdline, limit)
		if heap <= 0 || limit <= 0 {
			continue
		}
		seen = true
		switch {
		case limited && heap > heapShare.Value*float64(limit):
			list = append(list, Remark{Subject: p.Entity(), Words: rule.T("java (%d) may have a heap of %v (%s) in %s, whose memory limit is %v", p.PID, unit.Bytes(heap), flag, group.Path, unit.Bytes(limit)), See: shell.Line("jcmd %d VM.flags", p.PID),
				Fits: only("mem/cgroup-oom", "mem/cgroup-near-limit")})
		case !limited && heap > float64(limit):
			list = append(list, Remark{Subject: p.Entity(), Words: rule.T("java (%d) may have a heap of %v (%s) on a host with %v of memory", p.PID, unit.Bytes(heap), flag, unit.Bytes(limit)), See: shell.Line("jcmd %d VM.flags", p.PID),
				Fits: func(f *rule.Finding) (explains, proves bool) {
					// What it holds already is more than there is room for.
					return f.Rule == "mem/oom-kill" || f.Rule == "mem/swapping", max(p.Anon, 0)+max(p.Swap, 0) > limit
				}})
		}
	}
	return list, seen
}
