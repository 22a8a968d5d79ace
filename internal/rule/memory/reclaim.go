package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var reclaim = rule.Rule{
	ID:       "mem/reclaim",
	Title:    "files in use do not fit into memory and are read again and again",
	Plural:   "control groups read files again and again that do not fit into memory",
	Resource: "memory",
	Needs:    []recording.Table{recording.VMStat, recording.Processes},
	// The disk is busy with what is read again, and whoever waits for its own
	// program to be read answers nobody.
	Explains: []string{"mem/cgroup-near-limit", "disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "cpu/one-thread-limit", "proc/uninterruptible", "net/accept-queue-full", "mysql/not-answering", "rt/server-slow", "rt/client-slow"},
	Thresholds: []*rule.Threshold{&refaultsFrom, &feltFrom, &scarce, &mostReread, &ownWork, &swapInFrom, &steadyFrom, &stalledFrom, &victimFaults, &limitNear,
		&ownShare},
	Detect: detectReclaim,
}

var (
	refaultsFrom = rule.Threshold{Name: "refaults-from", Value: 100.0, Unit: "pages per second", Source: rule.Judgement,
		Reason: "Refaults per second. On a spinning disk (10 ms each) 100 cost a whole second per second."}
	feltFrom = rule.Threshold{Name: "felt-from", Value: 0.01, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the time tasks wait. Below it users notice nothing."}
	scarce = rule.Threshold{Name: "scarce", Value: 0.10, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the host's memory that is available. Below it file pages are evicted because others need the memory. Above it a large set of files merely rotates through a large cache."}
	mostReread = rule.Threshold{Name: "most-reread", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of refaults in what programs or a device read, or in the time of a device. Above it they read because memory is short."}
	ownWork = rule.Threshold{Name: "own-work", Value: 0.5, Unit: "cores", Source: rule.Judgement,
		Reason: "User CPU time of a program, in cores. Above it the program is slow because of its own work. Reclaim and re-reading are kernel time."}
)

// squeeze is a place where files have too little room: a control group at its
// limit, or the whole host.
type squeeze struct {
	group    view.Cgroup
	host     bool
	pages    float64        // read again, per second
	steady   float64        // share of the intervals with at least refaultsFrom
	members  []view.Process // who lives there
	read     float64        // bytes per second that they read from disks; NaN: not known
	waiting  float64        // of their threads, how many wait for pages read again, mean
	pressure float64        // share of the window in which tasks waited for memory; NaN: not known
	own      bool           // pressure is of the place itself, not of the host around it
}

func detectReclaim(v *view.View) ([]rule.Finding, error) {
	p, ok := v.Paging()
	if !ok {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/vmstat", Why: "refaults are a difference of two readings", How: shell.Say("watch longer: --for 10s")}
	}
	var found []rule.Finding
	elsewhere := p.Refaults
	for _, g := range squeezedGroups(v) {
		elsewhere -= g.Refaults
		s := newSqueeze(v, v.InMemoryGroup(g.Path), g.Refaults)
		s.group, s.steady = g, g.RefaultsFor(refaultsFrom.Value)
		switch {
		case !math.IsNaN(g.MemoryStalled):
			s.pressure, s.own = g.MemoryStalled, true
		case g.Refaults < p.Refaults/2 || p.SwapInPages >= swapInFrom.Value:
			s.pressure = math.NaN() // others, or swap, may be what the host waited for
		}
		if c := s.confidence(v); c > 0 {
			found = append(found, s.finding(v, c))
		}
	}
	if elsewhere >= max(refaultsFrom.Value, p.Refaults/2) {
		s := newSqueeze(v, v.Processes(), p.Refaults)
		s.host, s.own, s.steady = true, true, v.RefaultsFor(refaultsFrom.Value)
		if c := s.confidence(v); c > 0 {
			found = append(found, s.finding(v, c))
		}
	}
	return found, nil
}

// squeezedGroups are the groups near their limit that read pages again. What
// they count includes the groups below them: the deepest one is meant.
func squeezedGroups(v *view.View) []view.Cgroup {
	var groups []view.Cgroup
	for _, g := range v.Cgroups() {
		if nearLimit(g) && hits(g) > 0 && view.OrZero(g.Refaults) >= refaultsFrom.Value {
			groups = append(groups, g)
		}
	}
	holdsAnother := func(g view.Cgroup) bool {
		return slices.ContainsFunc(groups, func(o view.Cgroup) bool { return o.Path != g.Path && view.InGroup(o.Path, g.Path) })
	}
	var deepest []view.Cgroup
	for _, g := range groups {
		if !holdsAnother(g) {
			deepest = append(deepest, g)
		}
	}
	return deepest
}

// nearLimit says whether a group has used up what it may have, cache included,
// at any reading: a kill gives everything back.
func nearLimit(g view.Cgroup) bool {
	return slices.ContainsFunc(g.Samples, func(s recording.CgroupSample) bool {
		bound, _, ok := view.MemoryBound(s)
		return ok && s.Memory >= 0 && float64(s.Memory) >= limitNear.Value*float64(bound)
	})
}

// hits is how often a group was at the limit that binds it.
func hits(g view.Cgroup) float64 {
	if _, high, _ := view.MemoryBound(g.CgroupSample); high {
		return view.OrZero(g.HitHigh)
	}
	return view.OrZero(g.HitLimit)
}

func newSqueeze(v *view.View, members []view.Process, pages float64) squeeze {
	s := squeeze{members: members, pages: pages, read: math.NaN(), pressure: math.NaN()}
	if stall, ok := v.Stall("memory"); ok {
		s.pressure = stall.Some
	}
	for _, p := range members {
		if !p.Own && !p.Kernel && view.Known(p.ReadBytes) {
			s.read = view.OrZero(s.read) + p.ReadBytes
		}
	}
	s.waiting = diskWaits(v, members) * view.OrZero(s.reread(v))
	return s
}

// reread is the part of what the members read from disks that had been in
// memory before; NaN where it is not known what they read.
func (s squeeze) reread(v *view.View) float64 { return min(1, s.bytes(v)/s.read) }

func (s squeeze) bytes(v *view.View) float64 { return s.pages * float64(v.PageSize()) }

// diskWaits is how many threads of some processes wait for disks on average.
func diskWaits(v *view.View, members []view.Process) (threads float64) {
	sampled := view.Memo(v, "memory/disk-waits", func() map[int32]float64 {
		waits := map[int32]float64{}
		for _, b := range v.Blocked() {
			if view.DiskWait(b.Where, b.Stack) {
				waits[b.Process.PID] += b.Share()
			}
		}
		return waits
	})
	for _, p := range members {
		if !p.Own && !p.Kernel {
			threads += max(sampled[p.PID], view.OrZero(p.BlockDelay))
		}
	}
	return threads
}

// stalled is how long somebody waited for lack of room for files, in seconds
// per second. The kernel's pressure counts only pages that were in steady use;
// the waits of threads count all that were read again.
func (s squeeze) stalled() float64 { return max(view.OrZero(s.pressure), s.waiting) }

// confidence: 0 where nobody waits. Much is read twice without harm: from a
// quick disk, or long before anybody needs it.
func (s squeeze) confidence(v *view.View) rule.Confidence {
	switch {
	case s.pages < refaultsFrom.Value, s.stalled() < feltFrom.Value, s.host && !s.crowded(v):
		return 0
	case s.steady < steadyFrom.Value, s.stalled() < stalledFrom.Value, !s.crowded(v):
		return rule.Possible
	case s.own && s.pressure >= stalledFrom.Value, s.waiting >= stalledFrom.Value && s.reread(v) >= mostReread.Value:
		return rule.Certain
	}
	return rule.Likely
}

// crowded says that files have to go because others need the room. Where
// files have most of it, they are more than any memory: they take turns.
func (s squeeze) crowded(v *view.View) bool {
	if s.host {
		m, ok := v.MemoryNow()
		return ok && m.Available >= 0 && float64(m.Available) < scarce.Value*float64(m.Total)
	}
	return slices.ContainsFunc(s.group.Samples, func(r recording.CgroupSample) bool {
		bound, _, _ := view.MemoryBound(r)
		return float64(r.Anon) >= ownShare.Value*float64(bound)
	})
}

func (s squeeze) subject(v *view.View) view.Entity {
	if s.host {
		return v.HostEntity()
	}
	return view.CgroupEntity(s.group.Path)
}

func (s squeeze) finding(v *view.View, c rule.Confidence) rule.Finding {
	f := rule.Finding{Subject: s.subject(v), Confidence: c}
	bytes := s.bytes(v)
	holder, held := heaviest(s.members)
	holds := ""
	if s.host && held {
		if words, is := outside(v, holder); is {
			holds, held = words, false
		}
	}
	who := "its programs"
	if held {
		who = fmt.Sprintf("%s (%d)", holder.Comm, holder.PID)
	}
	if held {
		holds = fmt.Sprintf(": %s holds %v", who, unit.Bytes(weight(holder)))
	}
	if s.host {
		f.Headline = rule.T("the host lacks memory for files in use and reads %v/s of them again and again%s", unit.Bytes(bytes), holds)
	} else {
		limit, _, _ := view.MemoryBound(s.group.CgroupSample)
		f.Headline = rule.T("%s, limited to %v, lacks memory for files in use and reads %v/s of them again and again%s",
			s.group.Path, unit.Bytes(limit), unit.Bytes(bytes), holds)
	}
	f.Impact = rule.Impact{TimeLost: s.stalled(), Text: rule.T("tasks waited for memory %v of the time", unit.Share(min(s.stalled(), 1)))}
	if s.waiting >= view.OrZero(s.pressure) {
		f.Impact.Text = rule.T("%v threads wait for such pages at any time", unit.Number(s.waiting))
	}
	f.Evidence = s.evidence(v, holder, held)
	for _, p := range s.members {
		if !p.Own && !p.Kernel && view.OrZero(p.User) < ownWork.Value {
			f.Affects = append(f.Affects, p.Entity())
		}
	}
	f.Affects = append(f.Affects, s.busyRereading(v)...)
	if c > rule.Possible {
		f.Victims = s.victims(v, holder, held)
	}
	f.Notes = s.notes()
	f.Fixes = s.fixes(v, who)
	return f
}

// victims are the members that were seen to wait for what they read again, who waits longest first. How
// long is told at least: all that the place reads for the first time may be read by each of them. The
// holder of the memory is no victim, and who mostly writes may wait for that.
func (s squeeze) victims(v *view.View, holder view.Process, held bool) (list []rule.Victim) {
	fresh := max(s.read-s.bytes(v), 0)
	for i := range s.members {
		p := &s.members[i] // they are large
		read := view.OrZero(p.ReadBytes)
		if p.Own || p.Kernel || held && p.PID == holder.PID || read <= 0 || view.OrZero(p.WriteBytes) > read {
			continue
		}
		if waited := diskWaits(v, s.members[i:i+1]) * (1 - fresh/read); waited >= stalledFrom.Value {
			list = append(list, rule.Victim{Who: p.Entity(), Seconds: waited, Lost: rule.T("waits for files that are read again %v per second", unit.Seconds(waited))})
		}
	}
	slices.SortStableFunc(list, func(a, b rule.Victim) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return list
}

func (s squeeze) evidence(v *view.View, holder view.Process, held bool) []rule.Evidence {
	var list []rule.Evidence
	bytes := unit.Bytes(s.pages * float64(v.PageSize()))
	g := s.group
	if s.host {
		list = append(list, rule.Evidence{Metric: metric.VMStatRefaults, Value: s.pages, Limit: rule.Limit(refaultsFrom.Value),
			What: rule.T("%v file pages per second (%v/s) that were evicted from memory were read again, in %v of the intervals", unit.Count(s.pages), bytes, unit.Share(s.steady))})
		list = append(list, availableNow(v)...)
	} else {
		limit, _, _ := view.MemoryBound(g.CgroupSample)
		list = append(list,
			rule.Evidence{Metric: metric.CgroupRefaults, Value: s.pages, Limit: rule.Limit(refaultsFrom.Value),
				What: rule.T("%v file pages per second (%v/s) that the group had evicted were read again, in %v of the intervals", unit.Count(s.pages), bytes, unit.Share(s.steady)), Check: shell.Line("grep workingset_refault %s", memoryFile(g, "memory.stat", "memory.stat"))},
			rule.Evidence{Metric: metric.CgroupMemory, Value: float64(g.Memory), Limit: rule.Limit(float64(limit)),
				What: rule.T("%s uses %v of %v, cache included", g.Path, unit.Bytes(g.Memory), unit.Bytes(limit)), Check: shell.Line("cat %s", memoryFile(g, "memory.current", "memory.usage_in_bytes"))},
			rule.Evidence{Metric: metric.CgroupMemoryHits, Value: hits(g),
				What: rule.T("it hit its limit %v times", unit.Count(hits(g))), Check: hitsCheck(g)})
	}
	if s.waiting > 0 {
		list = append(list, rule.Evidence{Metric: metric.ProcessDiskWait, Value: s.waiting,
			What: rule.T("%v threads wait for disks because of it: of %v/s that the programs read, %v had been in memory", unit.Number(s.waiting), unit.Bytes(s.read), unit.Share(s.reread(v))), Check: shell.Line("pidstat -d 1 5   # kB_rd/s, iodelay")})
	}
	if !math.IsNaN(s.pressure) {
		e := rule.Evidence{Metric: metric.PressureMemorySome, Value: s.pressure, Limit: rule.Limit(stalledFrom.Value),
			What: rule.T("tasks on the host waited for memory %v of the time", unit.Share(min(s.pressure, 1)))}
		if s.own && !s.host {
			e.Metric, e.Check = metric.CgroupMemoryStall, shell.Line("cat %s", memoryFile(g, "memory.pressure", ""))
			e.What = rule.T("tasks in the group waited for memory %v of the time", unit.Share(min(s.pressure, 1)))
		}
		list = append(list, e)
	}
	if held {
		list = append(list, rule.Evidence{Metric: metric.ProcessAnon, Value: float64(weight(holder)),
			What: rule.T("%s (%d) holds %v of private memory, which cannot be evicted like file pages", holder.Comm, holder.PID, unit.Bytes(weight(holder))), Check: shell.Line("grep -E 'RssAnon|VmSwap' /proc/%d/status", holder.PID)})
	}
	return list
}

// notes names the programs that wait for their own code: the worst way to be
// short of memory, because nothing they do is quick then.
func (s squeeze) notes() (notes []rule.Text) {
	list := slices.Clone(s.members)
	slices.SortStableFunc(list, func(a, b view.Process) int {
		return cmp.Compare(view.OrZero(b.MajorFaults), view.OrZero(a.MajorFaults))
	})
	for _, p := range list[:min(len(list), 2)] {
		if !p.Own && view.OrZero(p.MajorFaults) >= victimFaults.Value {
			notes = append(notes, rule.T("%s (%d) waited for mapped files, such as its own program, %v times a second", p.Comm, p.PID, unit.Count(p.MajorFaults)))
		}
	}
	return notes
}

func (s squeeze) fixes(v *view.View, who string) []rule.Fix {
	if s.host {
		return []rule.Fix{
			{Text: rule.T("make %s use less: smaller caches, heaps, pools, or fewer workers", who), Tradeoff: "a lower hit rate, more work per request"},
			{Text: rule.T("protect the service whose files must stay: memory.low for its group"), Command: shell.Line("systemctl set-property UNIT MemoryLow=2G"), Tradeoff: "less memory for its neighbours"},
			{Text: rule.T("add memory, or move one of the services elsewhere"), Tradeoff: "money"},
		}
	}
	g := s.group
	limit, _, _ := view.MemoryBound(g.CgroupSample)
	raise := rule.Fix{Text: rule.T("raise the memory limit of %s by what its files need", g.Path), Tradeoff: "less memory for its neighbours"}
	return []rule.Fix{
		raised(v, raise, g, "", limit*3/2),
		{Text: rule.T("make %s use less, or move it to its own group, so that files keep some memory", who), Tradeoff: "a lower hit rate, more work per request"},
	}
}
