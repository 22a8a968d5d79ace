package memory

import (
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var cgroupNearLimit = rule.Rule{
	ID:         "mem/cgroup-near-limit",
	Title:      "a control group has used up nearly all memory that it may have",
	Plural:     "control groups have used up nearly all memory that they may have",
	Resource:   "memory",
	NeedsAny:   []recording.Table{recording.Cgroups, recording.Memory},
	Columns:    []string{"cgroups.memory_bytes", "cgroups.memory_max_bytes", "cgroups.anon_bytes", "cgroups.inactive_file_bytes", "memory.total_bytes", "memory.available_bytes", "memory.swap_free_bytes"},
	Levels:     true,
	Explains:   []string{"mysql/not-answering"},
	Thresholds: []*rule.Threshold{&roomLeft, &stalledFrom, &ownShare},
	Detect:     detectCgroupNearLimit,
}

var roomLeft = rule.Threshold{Name: "room-left", Value: 0.05, Unit: "share", Source: rule.Judgement,
	Reason: "Memory that the group can still get, as a share of its limit: free memory below the limit plus page cache and kernel memory that can be taken back. With less, a single larger allocation reaches the limit."}

// detectCgroupNearLimit looks at what the kernel could not take back from a group. Page cache
// that is used again and again is for mem/reclaim, pages in swap for mem/swapping.
func detectCgroupNearLimit(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	if v.Seconds() == 0 {
		found = hostNearLimit(v)
	} else if !v.Has(recording.Cgroups) && !ran(v, recording.Cgroups) {
		return nil, &rule.NotJudged{Needs: "evidence of cgroups", Why: "the recording has none"}
	}
	for _, c := range v.Cgroups() {
		if !cornered(c) || deeperNear(v, c) {
			continue
		}
		limit, high, _ := view.MemoryBound(c.CgroupSample)
		hit, stalled, swap := hits(c), view.OrZero(c.MemoryStalled), v.SwapRoom(c)
		waits := hit > 0 && stalled >= stalledFrom.Value
		if high && swap > 0 && !waits {
			continue // memory.high is there to send what is above it to swap
		}
		f := rule.Finding{Subject: view.CgroupEntity(c.Path), Confidence: rule.Possible,
			Headline: rule.T("%s uses %s of the %s that it may have, nearly all of it memory that cannot be taken back without swap", c.Path, unit.Bytes(c.Memory), unit.Bytes(limit)),
			Impact:   rule.Impact{Share: 0.1, Text: rule.T("nothing yet; without room in swap one of its processes is killed at the limit")},
			Evidence: []rule.Evidence{{Metric: metric.CgroupMemory, Value: float64(c.Memory), Limit: rule.Limit(float64(limit)), Check: shell.Line("cat %s %s", memoryFile(c, "memory.current", "memory.usage_in_bytes"), limitFile(c)),
				What: rule.T("%s left for it: %s below the limit, plus page cache and memory of the kernel that can be taken back", unit.Bytes(c.Room()), unit.Bytes(max(limit-c.Memory, 0)))}},
		}
		switch {
		case high:
			f.Headline = rule.T("%s uses %s, and is slowed down above %s (memory.high): nearly all of it is memory that cannot be taken back without swap", c.Path, unit.Bytes(c.Memory), unit.Bytes(limit))
			f.Impact.Text = rule.T("nothing yet; above memory.high each of its programs that takes memory is made to wait")
		case swap > 0:
			f.Impact.Text = rule.T("nothing yet; at the limit its memory goes to swap, where %s are free for it", unit.Bytes(swap))
		}
		if hit > 0 {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupMemoryHits, Value: hit, Check: hitsCheck(c),
				What: rule.T("it hit its limit %s times in the window", unit.Count(hit))})
			if !view.Known(c.MemoryStalled) {
				f.Notes = append(f.Notes, rule.T("how long its programs wait is not known: cgroup v1 does not measure it, nor does a kernel without PSI (boot with psi=1)"))
			}
			if waits {
				f.Confidence = rule.Certain
				f.Headline = rule.T("%s has used up the %s that it may have: its programs wait while the kernel looks for memory", c.Path, unit.Bytes(limit))
				if high {
					f.Headline = rule.T("%s has used up the %s that it may have before it is slowed down (memory.high): the kernel makes its programs wait", c.Path, unit.Bytes(limit))
				}
				f.Impact = rule.Impact{TimeLost: stalled, Text: rule.T("its tasks waited for memory %v of the time", unit.Share(stalled))}
				f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupMemoryStall, Value: stalled, Limit: rule.Limit(stalledFrom.Value),
					Check: shell.Line("cat %s", memoryFile(c, "memory.pressure", "")), What: rule.T("its memory pressure: %v of the time", unit.Share(stalled))})
			}
		}
		most := "the program"
		for _, p := range v.InMemoryGroup(c.Path) {
			f.Affects = append(f.Affects, p.Entity())
		}
		if p, ok := largestIn(v, c.Path); ok {
			most = p.Comm
			f.Subject.Detail = p.Entity().String()
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessAnon, Value: float64(p.Anon), Check: shell.Line("grep -E 'RssAnon|VmSwap' /proc/%d/status", p.PID),
				What: rule.T("%s has %s of anonymous memory", p.Entity(), unit.Bytes(p.Anon))})
		}
		f.Fixes = groupFixes(v, most, c.Path, "", limit)
		if high {
			f.Fixes = []rule.Fix{raiseHigh(v, c, limit), f.Fixes[1]}
		}
		found = append(found, f)
	}
	return found, nil
}

// ran says whether a probe that fills a table did run in the window.
func ran(v *view.View, t recording.Table) bool {
	runs := view.Rows[recording.ProbeRun](v)
	return slices.ContainsFunc(v.Manifest().Probes, func(p recording.ProbeInfo) bool {
		return slices.Contains(p.Fills, t) && slices.ContainsFunc(runs, func(r recording.ProbeRun) bool { return r.Probe == p.Name && r.Error == "" })
	})
}

// hostNearLimit judges the memory and the swap of the whole host at the only look there is. Where there
// are more, what programs wait for says more than how much is left.
func hostNearLimit(v *view.View) []rule.Finding {
	m, ok := v.MemoryNow()
	if !ok || m.Total <= 0 || m.Available < 0 || m.SwapFree < 0 || float64(m.Available+m.SwapFree) > roomLeft.Value*float64(m.Total) {
		return nil
	}
	return []rule.Finding{{Subject: v.HostEntity(), Confidence: rule.Possible,
		Headline: rule.T("the host has %s of its %s of memory left, and %s of swap", unit.Bytes(m.Available), unit.Bytes(m.Total), unit.Bytes(m.SwapFree)),
		Impact:   rule.Impact{Share: 0.1, Text: rule.T("nothing yet; when nothing is left a process is killed")},
		Evidence: []rule.Evidence{{Metric: metric.MemoryAvailable, Value: float64(m.Available), Limit: rule.Limit(roomLeft.Value * float64(m.Total)), Check: shell.Line("grep -E 'MemTotal|MemAvailable|SwapFree' /proc/meminfo"),
			What: rule.T("%s of %s available, page cache included, and %s of swap free", unit.Bytes(m.Available), unit.Bytes(m.Total), unit.Bytes(m.SwapFree))}},
		Fixes: []rule.Fix{{Text: rule.T("see who has it"), Command: shell.Line("ps -eo rss,pid,user,comm --sort=-rss | head"), Tradeoff: "none"},
			{Text: rule.T("make the largest use less (smaller caches, heaps, pools), or add memory"), Tradeoff: "a lower hit rate; money"}},
	}}
}

// raiseHigh gives a group more memory before it is slowed down, and as much more before one of its
// processes is killed. high is its memory.high, in bytes.
func raiseHigh(v *view.View, c view.Cgroup, high int64) rule.Fix {
	f := rule.Fix{Text: rule.T("raise memory.high of %s to what it needs under real load", c.Path), Tradeoff: "less memory for its neighbours"}
	if c.Limited() {
		f.Text = rule.T("raise memory.high of %s, and memory.max with it, to what it needs under real load", c.Path)
	}
	return raised(v, f, c, "", high*3/2)
}

// cornered says that a group could take next to nothing more at any reading of the second half of
// the window: a peak that is over has been survived.
func cornered(c view.Cgroup) bool {
	late := c.Samples[len(c.Samples)/2:]
	for _, s := range late {
		now := c
		now.CgroupSample = s
		limit, _, ok := view.MemoryBound(s)
		// Memory that only swap could free must be most of it: groups fill up with page cache.
		if !ok || s.Memory < 0 || float64(now.Room()) > roomLeft.Value*float64(limit) || s.Anon < 0 || float64(swappable(s)) < ownShare.Value*float64(limit) {
			return false
		}
	}
	return true
}

// deeperNear says that a group below this one is the one that is short.
func deeperNear(v *view.View, c view.Cgroup) bool {
	for _, o := range v.Cgroups() {
		if o.Path != c.Path && o.Version == c.Version && view.InGroup(o.Path, c.Path) && cornered(o) {
			return true
		}
	}
	return false
}

func largestIn(v *view.View, group string) (largest view.Process, ok bool) {
	for _, p := range v.InMemoryGroup(group) {
		if p.Anon > 0 && (!ok || p.Anon > largest.Anon) {
			largest, ok = p, true
		}
	}
	return largest, ok
}
