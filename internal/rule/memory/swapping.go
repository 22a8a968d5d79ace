package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var swapping = rule.Rule{
	ID:       "mem/swapping",
	Title:    "memory in use goes to swap and comes back",
	Plural:   "control groups have memory in use go to swap and come back",
	Resource: "memory",
	Needs:    []recording.Table{recording.VMStat},
	Columns:  []string{"vmstat.pswpin", "vmstat.pswpout"},
	// The swap device is busy with it, and whoever waits for a page waits in D.
	Explains:   []string{"mem/cgroup-near-limit", "disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "proc/uninterruptible", "mem/leak", "mem/reclaim", "rt/server-slow", "rt/client-slow", "mysql/not-answering"},
	Thresholds: []*rule.Threshold{&swapInFrom, &steadyFrom, &stalledFrom, &swapOutFrom, &victimFaults, &pushedOut, &limitNear, &ownShare, &kernelShare, &swapShare},
	Detect:     detectSwapping,
}

var (
	swapInFrom = rule.Threshold{Name: "swap-in-from", Value: 100.0, Unit: "pages per second", Source: rule.Judgement,
		Reason: "Pages per second that come back; each is a task that waits. 100/s cost a whole second per second on a spinning disk (10 ms each), 10 ms on an SSD. Fewer are cold pages touched now and then."}
	steadyFrom = rule.Threshold{Name: "steady-from", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the intervals in which it happens. A single burst is an application that wakes up."}
	stalledFrom = rule.Threshold{Name: "stalled-from", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time tasks wait for memory, as the kernel counts it. This makes slow disks and compressed swap comparable. Users notice 5 %."}
	swapOutFrom = rule.Threshold{Name: "swap-out-from", Value: 256 << 10, Unit: "bytes per second", Source: rule.Judgement,
		Reason: "Bytes per second swapped out. Without swap-out, pages only come back after a shortage that is over."}
	victimFaults = rule.Threshold{Name: "victim-faults", Value: 5.0, Unit: "per second", Source: rule.Judgement,
		Reason: "Major faults per second. Above it a process suffers."}
	pushedOut = rule.Threshold{Name: "pushed-out", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Memory that a process takes in the window, relative to what others lose to swap meanwhile. From half of it on, this process pushes them out, however large they are."}
	limitNear = rule.Threshold{Name: "limit-near", Value: 0.90, Unit: "share", Source: rule.Judgement,
		Reason: "Memory relative to the limit. A cgroup this close is the one that is short of memory."}
	ownShare = rule.Threshold{Name: "own-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the limit that is anonymous memory. Only swap can free that."}
	swapShare = rule.Threshold{Name: "swap-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Bytes that go to swap and come back relative to all bytes of a disk below a swap volume. From half of it on, the disk is busy with swap."}
)

func detectSwapping(v *view.View) ([]rule.Finding, error) {
	p, ok := v.Paging()
	if !ok {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/vmstat", Why: "swapping is a difference of two readings", How: shell.Say("watch longer: --for 10s")}
	}
	if p.SwapInPages < swapInFrom.Value/10 && p.SwapOut < swapOutFrom.Value {
		return nil, nil // cold memory in swap is where it belongs
	}
	stalled := stallOf(v)
	both := p.SwapInPages >= swapInFrom.Value && p.SwapOut >= swapOutFrom.Value &&
		p.InSteady >= steadyFrom.Value && p.OutSteady >= steadyFrom.Value
	f := rule.Finding{Confidence: rule.Possible}
	switch {
	case both && stalled.seconds >= stalledFrom.Value, stalled.delay >= stalledFrom.Value && p.SwapOut >= swapOutFrom.Value:
		f.Confidence = rule.Certain
	case both && !stalled.known:
		f.Confidence = rule.Likely
	case p.SwapInPages < swapInFrom.Value && p.SwapOut < 4*swapOutFrom.Value:
		return nil, nil
	}
	describeSwapping(v, &f, p, stalled)
	return []rule.Finding{f}, nil
}

// stall is how long tasks waited for memory, per second, and who says so.
type stall struct {
	known   bool
	seconds float64
	delay   float64 // of it: seconds processes waited for swap-in, per second, where accounting is on
}

func stallOf(v *view.View) (s stall) {
	if pressure, ok := v.Stall("memory"); ok {
		s.known, s.seconds = true, pressure.Some
	}
	for _, p := range v.Processes() {
		if view.Known(p.SwapDelay) {
			s.known = true
			s.delay += p.SwapDelay
		}
	}
	s.seconds = max(s.seconds, s.delay)
	return s
}

// culprit is the process that uses the memory others miss, and the group whose
// limit makes it short, if it is a group.
type culprit struct {
	process view.Process
	found   bool
	group   view.Cgroup
	limited bool
	limit   int64  // of the group, in bytes
	outside string // nobody is named because memory is held outside this container: says so
}

func culpritOf(v *view.View) (c culprit) {
	// A group that hits its limit: the shortage is its own, however much the host
	// has left.
	for _, g := range v.Cgroups() {
		if s, ok := short(g); ok {
			g.CgroupSample = s
			if p, ok := taker(v.InMemoryGroup(g.Path)); ok && (!c.found || weight(p) > weight(c.process)) {
				limit, _, _ := view.MemoryBound(s)
				c = culprit{process: p, found: true, group: g, limited: true, limit: limit}
			}
		}
	}
	if !c.found {
		c.process, c.found = taker(v.Processes())
		if words, is := outside(v, c.process); is {
			c = culprit{outside: words}
		}
	}
	return c
}

// taker is the process that pushes others out of memory: the one that grows at their
// expense, or else the heaviest.
func taker(list []view.Process) (view.Process, bool) {
	if p, ok := pusher(list); ok {
		return p, true
	}
	return heaviest(list)
}

// pusher is the process that takes most memory in the window, if it takes as much as
// swapping is judged by, and others lose that to swap.
func pusher(list []view.Process) (best view.Process, ok bool) {
	took, lost := 0.0, 0.0 // bytes per second
	for _, p := range list {
		if p.Own || p.Kernel || p.Seconds <= 0 || p.First.Anon < 0 || p.Anon < 0 {
			continue
		}
		swapped := float64(max(p.Swap, 0)-max(p.First.Swap, 0)) / p.Seconds
		grown := float64(p.Anon-p.First.Anon)/p.Seconds + swapped // memory in swap is still its own
		lost += max(swapped, 0)
		if grown > took {
			took, best = grown, p
		}
	}
	if took > 0 {
		lost -= max(float64(max(best.Swap, 0)-max(best.First.Swap, 0))/best.Seconds, 0)
	}
	return best, took >= swapOutFrom.Value && lost >= swapOutFrom.Value && took >= pushedOut.Value*lost
}

// short finds the reading in which a group had too little memory for its processes, the
// last of them: a process that took it may have ended since. A group full of file cache is
// at its limit as well, and lacks nothing. Pages in swap may be old, or of a shortage of the host:
// they count only where nothing tells how often memory.max was hit.
func short(g view.Cgroup) (recording.CgroupSample, bool) {
	for _, s := range slices.Backward(g.Samples) {
		bound, high, ok := view.MemoryBound(s)
		near := ok && s.Memory >= 0 && float64(s.Memory) >= limitNear.Value*float64(bound)
		if near && (s.Anon < 0 || float64(swappable(s)) >= ownShare.Value*float64(bound)) && (hits(g) > 0 || !high && !view.Known(g.HitLimit) && s.SwapUsed > 0) {
			return s, true
		}
	}
	return recording.CgroupSample{}, false
}

func heaviest(list []view.Process) (best view.Process, ok bool) {
	for _, p := range list {
		if !p.Own && !p.Kernel && (!ok || weight(p) > weight(best)) {
			best, ok = p, true
		}
	}
	return best, ok && weight(best) > 0
}

// weight is the anonymous memory of a process, in RAM or in swap: the kind
// that can go nowhere else. Where only the resident size is known, that.
func weight(p view.Process) int64 {
	size := p.Anon
	if size < 0 {
		size = p.RSS
	}
	return max(size, 0) + max(p.Swap, 0)
}

func describeSwapping(v *view.View, f *rule.Finding, p view.Paging, s stall) {
	c := culpritOf(v)
	space := v.SwapSpace()
	where := "the host"
	f.Subject = v.HostEntity()
	who := "memory in use"
	if c.found {
		f.Subject = c.process.Entity()
		who = fmt.Sprintf("%s (%d)", c.process.Comm, c.process.PID)
	}
	shortPlace := v.HostEntity()
	if c.limited {
		shortPlace = view.CgroupEntity(c.group.Path)
		f.Subject.Cgroup = c.group.Path
		where = fmt.Sprintf("%s, limited to %v,", c.group.Path, unit.Bytes(c.limit))
	}
	f.Headline = rule.T("%s is short of memory: %v/s go to swap and %v/s come back%s", where, unit.Bytes(p.SwapOut), unit.Bytes(p.SwapIn), c.outside)
	if c.found {
		f.Headline = rule.T("%s is short of memory: %v/s go to swap and %v/s come back; %s holds %v",
			where, unit.Bytes(p.SwapOut), unit.Bytes(p.SwapIn), who, unit.Bytes(weight(c.process)))
	}
	f.Impact = rule.Impact{TimeLost: s.seconds, Text: rule.T("tasks waited for memory %v of the time", unit.Share(min(s.seconds, 1)))}
	if s.seconds <= 0 {
		f.Impact = rule.Impact{Share: min(1, p.SwapInPages/(100*swapInFrom.Value)), Text: rule.T("%v pages read back per second", unit.Count(p.SwapInPages))}
	}
	f.Evidence = []rule.Evidence{
		{Metric: metric.VMStatSwapIn, Value: p.SwapInPages, Limit: rule.Limit(swapInFrom.Value),
			What: rule.T("%v/s came back from swap (%v pages), in %v of the intervals", unit.Bytes(p.SwapIn), unit.PerSecond(p.SwapInPages), unit.Share(p.InSteady))},
		{Metric: metric.VMStatSwapOut, Value: p.SwapOut, Limit: rule.Limit(swapOutFrom.Value),
			What: rule.T("%v/s went to swap, in %v of the intervals", unit.Bytes(p.SwapOut), unit.Share(p.OutSteady))},
	}
	if p.MajorFaults > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.VMStatMajorFaults, Value: p.MajorFaults,
			What: rule.T("%v accesses had to wait for storage", unit.PerSecond(p.MajorFaults))})
	}
	if pressure, ok := v.Stall("memory"); ok {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.PressureMemorySome, Value: pressure.Some, Limit: rule.Limit(stalledFrom.Value),
			What: rule.T("tasks waited for memory %v of the time, all tasks %v", unit.Share(pressure.Some), unit.Share(pressure.Full))})
	}
	if s.delay > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessSwapDelay, Value: s.delay,
			What: rule.T("processes waited %v for swap-in, per second", unit.Seconds(s.delay))})
	}
	if c.found {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessSwap, Value: float64(max(c.process.Swap, 0)),
			What:  rule.T("%s: %v resident, %v in swap", who, unit.Bytes(max(c.process.RSS, 0)), unit.Bytes(max(c.process.Swap, 0))),
			Check: shell.Line("grep -E 'RssAnon|VmSwap' /proc/%d/status", c.process.PID)})
	}
	if c.limited {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupMemory, Value: float64(c.group.Memory), Limit: rule.Limit(float64(c.limit)),
			What: rule.T("%s uses %v of %v", c.group.Path, unit.Bytes(c.group.Memory), unit.Bytes(c.limit)), Check: shell.Line("cat %s", memoryFile(c.group, "memory.current", "memory.usage_in_bytes"))})
	}
	if !c.limited {
		f.Evidence = append(f.Evidence, kernelMemory(v)...)
	}
	if space.Size > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.SwapUsed, Value: float64(space.Used), Limit: rule.Limit(float64(space.Size)),
			What: rule.T("swap %v of %v used (%s)", unit.Bytes(space.Used), unit.Bytes(space.Size), deviceWords(space.Devices))})
	}
	swapVictims(v, f, c)
	f.Affects = append(f.Affects, shortPlace)
	// The swap device and the tasks that wait for it belong to this, whoever
	// they are; a growing process only if it is the culprit itself.
	for _, d := range space.Devices {
		f.Affects = append(f.Affects, view.DeviceEntity(d))
		for _, name := range v.Underlying(strings.TrimPrefix(d, "/dev/")) {
			if under, ok := v.BlockDevice(name); ok && p.SwapIn+p.SwapOut >= swapShare.Value*under.Bytes() {
				f.Affects = append(f.Affects, view.DeviceEntity(name))
			}
		}
	}
	f.Fixes = swappingFixes(v, c, who)
}

// deviceWords names swap devices; zram is memory, compressed, and still has to
// be paid for with CPU and faults.
func deviceWords(devices []string) string {
	if len(devices) == 0 {
		return "device unknown"
	}
	s := strings.Join(devices, ", ")
	if strings.Contains(s, "zram") {
		s += ": compressed in memory"
	}
	return s
}

// swapVictims adds the processes that wait for pages to come back. Major faults of
// one that has nothing in swap are reads of files.
func swapVictims(v *view.View, f *rule.Finding, c culprit) {
	list := slices.Clone(v.Processes())
	slices.SortStableFunc(list, func(a, b view.Process) int {
		return cmp.Or(cmp.Compare(view.OrZero(b.SwapDelay), view.OrZero(a.SwapDelay)), cmp.Compare(view.OrZero(b.MajorFaults), view.OrZero(a.MajorFaults)))
	})
	for _, p := range list {
		if p.Own || view.OrZero(p.MajorFaults) < victimFaults.Value {
			continue
		}
		f.Affects = append(f.Affects, p.Entity())
		waited := view.OrZero(p.SwapDelay)
		switch {
		case c.found && p.PID == c.process.PID:
		case waited > 0:
			f.Victims = append(f.Victims, rule.Victim{Who: p.Entity(), Seconds: waited,
				Lost: rule.T("waits for its pages to come back %v per second, %v in swap", unit.Seconds(waited), unit.Bytes(max(p.Swap, 0)))})
		case p.Swap > 0:
			f.Victims = append(f.Victims, rule.Victim{Who: p.Entity(), Lost: rule.T("has %v in swap, %v major faults", unit.Bytes(p.Swap), unit.PerSecond(p.MajorFaults))})
		}
	}
}

func swappingFixes(v *view.View, c culprit, who string) []rule.Fix {
	fixes := []rule.Fix{}
	switch {
	case c.limited:
		raise := rule.Fix{Text: rule.T("raise the memory limit of %s, or make %s fit into it", c.group.Path, who), Tradeoff: "less memory for its neighbours"}
		fixes = append(fixes, raised(v, raise, c.group, c.process.MemCgroup, c.limit*3/2))
	case !c.found:
		fixes = append(fixes, rule.Fix{Text: rule.T("find out on the host itself which programs take the memory"), Command: shell.Line("ps -eo pid,rss,comm --sort=-rss"), Tradeoff: "none"})
	default:
		fixes = append(fixes, rule.Fix{Text: rule.T("make %s use less: smaller caches, heaps, pools, or fewer workers", who), Tradeoff: "a lower hit rate, more work per request"})
	}
	if !c.limited && c.found {
		fixes = append(fixes, rule.Fix{Text: rule.T("give it a limit, so that only it swaps"), Command: rule.SetProperty(c.process.Cgroup, shell.Line("MemoryHigh=2G")), Tradeoff: "it gets slow, the others do not"})
	}
	return append(fixes,
		rule.Fix{Text: rule.T("add memory, or move one of the services elsewhere"), Tradeoff: "money"},
		rule.Fix{Text: rule.T("evict page cache before swapping"), Command: shell.Line("sysctl vm.swappiness=10"), Tradeoff: "files are read again from disk; does nothing when there is no cache left to drop"})
}
