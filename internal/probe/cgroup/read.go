package cgroup

import (
	"bytes"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// limits are what changes seldom and is read in full samples only.
type limits struct {
	quota, period                           time.Duration
	cpuset                                  string
	memoryMax, memoryHigh, swapMax, pidsMax int64
	io                                      string
}

func (l limits) fill(row *recording.CgroupSample) {
	row.Quota, row.Period, row.CPUSet = l.quota, l.period, l.cpuset
	row.MemoryMax, row.MemoryHigh, row.SwapMax, row.PidsMax = l.memoryMax, l.memoryHigh, l.swapMax, l.pidsMax
	row.IOLimits = l.io
}

// text is the trimmed content of a file; it does not outlive the next read.
func (r *reading) text(dir, name string) string {
	return string(bytes.TrimSpace(r.once(dir, name)))
}

func (r *reading) limits(g *group) limits {
	if g.version == 1 {
		return r.limitsV1(g)
	}
	l := limits{
		memoryMax: parseNumber(r.once(g.dir, "memory.max")), memoryHigh: parseNumber(r.once(g.dir, "memory.high")),
		swapMax: parseNumber(r.once(g.dir, "memory.swap.max")), pidsMax: parseNumber(r.once(g.dir, "pids.max")),
		cpuset: r.text(g.dir, "cpuset.cpus.effective"), io: parseIOMax(r.once(g.dir, "io.max")),
	}
	l.quota, l.period = parseCPUMax(r.once(g.dir, "cpu.max"))
	return l
}

func (r *reading) limitsV1(g *group) limits {
	cpu, memory, blkio := g.dirs["cpu"], g.dirs["memory"], g.dirs["blkio"]
	l := limits{
		quota: recording.Unknown, period: recording.Unknown, memoryHigh: recording.Unknown, swapMax: recording.Unknown,
		memoryMax: parseNumber(r.once(memory, "memory.limit_in_bytes")), pidsMax: parseNumber(r.once(g.dirs["pids"], "pids.max")),
		cpuset: r.text(g.dirs["cpuset"], "cpuset.effective_cpus"),
	}
	if l.cpuset == "" { // before 3.17
		l.cpuset = r.text(g.dirs["cpuset"], "cpuset.cpus")
	}
	// The limit of memory and swap together allows the difference of swap; swap
	// may also take the place of memory, but not beyond it.
	if both := parseNumber(r.once(memory, "memory.memsw.limit_in_bytes")); both == unlimited {
		l.swapMax = unlimited
	} else if both >= 0 && l.memoryMax >= 0 && both >= l.memoryMax {
		l.swapMax = both - l.memoryMax
	}
	// A quota of -1 is none.
	quota := bytes.TrimSpace(r.once(cpu, "cpu.cfs_quota_us"))
	if len(quota) > 0 {
		if n := parseNumber(quota); n < 0 {
			l.quota = unlimited
		} else {
			l.quota = microseconds(n)
		}
	}
	if n := parseNumber(r.once(cpu, "cpu.cfs_period_us")); n > 0 {
		l.period = microseconds(n)
	}
	files := map[string][]byte{}
	for kind, name := range map[string]string{
		"rbps": "blkio.throttle.read_bps_device", "wbps": "blkio.throttle.write_bps_device",
		"riops": "blkio.throttle.read_iops_device", "wiops": "blkio.throttle.write_iops_device",
	} {
		files[kind] = bytes.Clone(r.once(blkio, name))
	}
	l.io = throttleLimits(files)
	return l
}

// cpuTime is read first: it tells whether the group did anything.
func (r *reading) cpuTime(g *group) {
	if g.version == 1 {
		if n := r.number(g.dirs["cpuacct"], "cpuacct.usage"); n >= 0 {
			r.row.CPUTime = time.Duration(n)
		}
		r.cpuStat(g.dirs["cpu"])
		return
	}
	r.cpuStat(g.dir)
}

// cpuStat reads cpu.stat. The throttled time is in microseconds on version 2,
// in nanoseconds under another name on version 1.
func (r *reading) cpuStat(dir string) {
	row := r.row
	for key, n := range procfile.Numbers(r.file(dir, "cpu.stat")) {
		switch string(key) {
		case "usage_usec":
			row.CPUTime = microseconds(n)
		case "nr_periods":
			row.Periods = n
		case "nr_throttled":
			row.Throttled = n
		case "throttled_usec":
			row.ThrottledTime = microseconds(n)
		case "throttled_time":
			row.ThrottledTime = time.Duration(n)
		}
	}
}

// use reads everything that changes all the time.
func (r *reading) use(g *group) {
	if g.version == 1 {
		r.useV1(g)
		return
	}
	row, dir := r.row, g.dir
	row.Processes = r.processes(dir)
	row.Memory = r.number(dir, "memory.current")
	row.SwapUsed = r.number(dir, "memory.swap.current")
	r.memoryStat(dir, "")
	r.memoryEvents(dir)
	row.CPUStall = parseStall(r.file(dir, "cpu.pressure"))
	row.MemoryStall = parseStall(r.file(dir, "memory.pressure"))
	// An empty io.stat means no I/O yet; a missing one no controller.
	if b := r.file(dir, "io.stat"); b != nil {
		limited := limitedDevices(row.IOLimits)
		t := parseIOStat(b, limited)
		row.ReadBytes, row.WriteBytes, row.Reads, row.Writes = t.readBytes, t.writeBytes, t.reads, t.writes
		row.IODone = ioDone(limited)
	}
	r.pids(dir)
}

func (r *reading) useV1(g *group) {
	row := r.row
	memory, blkio := g.dirs["memory"], g.dirs["blkio"]
	// A process sits in each hierarchy on its own; where they differ, the
	// fullest one says best what lives here.
	counted := map[string]bool{}
	for _, dir := range g.dirs {
		if !counted[dir] {
			counted[dir] = true
			row.Processes = max(row.Processes, r.processes(dir))
		}
	}
	row.Memory = r.number(memory, "memory.usage_in_bytes")
	row.EventsMax = r.number(memory, "memory.failcnt")
	r.memoryStat(memory, "total_")
	if n, ok := procfile.Number(r.file(memory, "memory.oom_control"), "oom_kill"); ok { // since 4.13
		row.OOMKills = n
	}
	if b := r.v1Counter(blkio, "blkio.throttle.io_service_bytes"); b != nil {
		row.ReadBytes, row.WriteBytes = parseBlkio(b, nil, nil)
	}
	if b := r.v1Counter(blkio, "blkio.throttle.io_serviced"); b != nil {
		row.Reads, row.Writes = parseBlkio(b, nil, nil)
	}
	// A limit holds for the group alone, without those below (block/blk-throttle.c).
	if limited := limitedDevices(row.IOLimits); limited != nil {
		parseBlkio(r.file(blkio, "blkio.throttle.io_service_bytes"), limited, func(t *ioTotals) (read, written *int64) { return &t.readBytes, &t.writeBytes })
		if b := r.file(blkio, "blkio.throttle.io_serviced"); b != nil {
			parseBlkio(b, limited, func(t *ioTotals) (read, written *int64) { return &t.reads, &t.writes })
			row.IODone = ioDone(limited)
		}
	}
	r.pids(g.dirs["pids"])
}

// v1Counter prefers the file that includes the groups below, as all other
// counters do.
func (r *reading) v1Counter(dir, name string) []byte {
	if b := r.file(dir, name+"_recursive"); b != nil {
		return b
	}
	return r.file(dir, name)
}

// memoryEvents reads how often a group was at its own limits, and how many processes of it and of
// the groups below were killed. memory.events counts those below in all of its numbers, unless the
// kernel is older than 5.2 and has no memory.events.local.
func (r *reading) memoryEvents(dir string) {
	row := r.row
	for _, name := range []string{"memory.events", "memory.events.local"} {
		for key, n := range procfile.Numbers(r.file(dir, name)) {
			switch string(key) {
			case "high":
				row.EventsHigh = n
			case "max":
				row.EventsMax = n
			case "oom":
				row.EventsOOM = n
			case "oom_kill":
				row.OOMKills = max(row.OOMKills, n) // local: of the group alone
			}
		}
	}
}

func (r *reading) processes(dir string) int32 {
	if !r.count {
		return recording.Unknown
	}
	b := r.once(dir, "cgroup.procs")
	if b == nil {
		return recording.Unknown
	}
	return int32(bytes.Count(b, []byte{'\n'}))
}

// memoryStat reads memory.stat. Version 1 prefixes what includes the groups
// below with total_ and names some differently.
func (r *reading) memoryStat(dir, prefix string) {
	parseMemoryStat(r.row, r.file(dir, "memory.stat"), prefix)
}

func parseMemoryStat(row *recording.CgroupSample, b []byte, prefix string) {
	for key, n := range procfile.Numbers(b) {
		name, ok := bytes.CutPrefix(key, []byte(prefix))
		if !ok {
			continue
		}
		switch string(name) {
		case "anon", "rss":
			row.Anon = n
		case "file", "cache":
			row.File = n
		case "shmem":
			row.Shmem = n
		case "inactive_file":
			row.InactiveFile = n
		case "active_file":
			row.ActiveFile = n
		case "slab_reclaimable":
			row.Reclaimable = n
		case "pgmajfault":
			row.MajorFaults = n
		case "workingset_refault_file", "workingset_refault": // without _file before 5.9
			row.RefaultFile = n
		case "swap": // version 1
			row.SwapUsed = n
		}
	}
}

func (r *reading) pids(dir string) {
	r.row.Pids = r.number(dir, "pids.current")
	if n, ok := procfile.Number(r.file(dir, "pids.events"), "max"); ok {
		r.row.PidsEvents = n
	}
}
