package memory

import (
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
	Needs:      []recording.Table{recording.Cgroups},
	Explains:   []string{"mysql/not-answering"},
	Thresholds: []*rule.Threshold{&roomLeft, &stalledFrom, &ownShare},
	Detect:     detectCgroupNearLimit,
}

var roomLeft = rule.Threshold{Name: "room-left", Value: 0.05, Unit: "share", Source: rule.Judgement,
	Reason: "What the group can still take, as a share of its limit: what is free below it, and page cache that it does not use. With less, one larger request meets the limit."}

// detectCgroupNearLimit looks at what the kernel could not take back from a group. Page cache
// that is used again and again is for mem/reclaim, pages in swap for mem/swapping.
func detectCgroupNearLimit(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, c := range v.Cgroups() {
		if !c.Limited() || c.Memory < 0 || c.Anon < 0 || deeperNear(v, c) || !cornered(c) {
			continue
		}
		f := rule.Finding{Subject: view.CgroupEntity(c.Path), Confidence: rule.Possible,
			Headline: rule.T("%s uses %s of the %s that it may have, nearly all of it memory that cannot be taken back", c.Path, unit.Bytes(c.Memory), unit.Bytes(c.MemoryMax)),
			Impact:   rule.Impact{Share: 0.1, Text: rule.T("nothing yet; at the limit a process of it is killed")},
			Evidence: []rule.Evidence{{Metric: metric.CgroupMemory, Value: float64(c.Memory), Limit: rule.Limit(float64(c.MemoryMax)), Check: shell.Line("cat %s %s", memoryFile(c, "memory.current", "memory.usage_in_bytes"), memoryFile(c, "memory.max", "memory.limit_in_bytes")),
				What: rule.T("%s left for it: %s below the limit, and page cache that nobody used lately", unit.Bytes(c.Room()), unit.Bytes(max(c.MemoryMax-c.Memory, 0)))}},
		}
		if hits := view.OrZero(c.HitLimit); hits > 0 {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupMemoryHits, Value: hits, Check: hitsCheck(c),
				What: rule.T("it met its limit %s times in the window", unit.Count(hits))})
			if stalled := view.OrZero(c.MemoryStalled); stalled >= stalledFrom.Value {
				f.Confidence = rule.Certain
				f.Headline = rule.T("%s has used up the %s that it may have: its programs wait while the kernel looks for memory", c.Path, unit.Bytes(c.MemoryMax))
				f.Impact = rule.Impact{TimeLost: stalled, Text: rule.T("tasks of it waited for memory %v of the time", unit.Share(stalled))}
				f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupMemoryStall, Value: stalled, Limit: rule.Limit(stalledFrom.Value),
					Check: shell.Line("cat %s", memoryFile(c, "memory.pressure", "")), What: rule.T("memory pressure of it: %v of the time", unit.Share(stalled))})
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
		f.Fixes = groupFixes(v, most, c.Path, c.MemoryMax)
		found = append(found, f)
	}
	return found, nil
}

// cornered says that a group could take next to nothing more at any reading of the second half of
// the window: a peak that is over has been survived.
func cornered(c view.Cgroup) bool {
	late := c.Samples[len(c.Samples)/2:]
	for _, s := range late {
		now := c
		now.CgroupSample = s
		// Anonymous memory must be most of it: groups fill up with page cache.
		if s.Memory < 0 || float64(now.Room()) > roomLeft.Value*float64(c.MemoryMax) || float64(s.Anon) < ownShare.Value*float64(c.MemoryMax) {
			return false
		}
	}
	return true
}

// deeperNear says that a group below this one is the one that is short.
func deeperNear(v *view.View, c view.Cgroup) bool {
	for _, o := range v.Cgroups() {
		if o.Path != c.Path && o.Version == c.Version && view.InGroup(o.Path, c.Path) && o.Limited() && o.Memory >= 0 && o.Anon >= 0 && cornered(o) {
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
