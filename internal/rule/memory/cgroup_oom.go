package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var cgroupOOM = rule.Rule{
	ID:           "mem/cgroup-oom",
	Title:        "a process was killed at the memory limit of its control group",
	Plural:       "processes were killed at the memory limits of their control groups",
	Resource:     "memory",
	NeedsAny:     []recording.Table{recording.KernelLog, recording.Cgroups}, // a container mostly has the second one alone
	Columns:      []string{"cgroups.oom_kill"},
	BlindWithout: []recording.Sight{recording.UnseenKernelLog},
	// Before a group is full beyond help, its programs wait for their own pages
	// and accept nobody.
	Explains:   []string{"mem/cgroup-near-limit", "mem/leak", "mem/swapping", "mem/reclaim", "net/accept-queue-full", "mysql/not-answering"},
	Thresholds: []*rule.Threshold{&recentKills, &limitNear},
	Detect:     detectCgroupOOM,
}

func detectCgroupOOM(v *view.View) ([]rule.Finding, error) {
	if !countKills(v) && !v.Has(recording.KernelLog) && !ran(v, recording.KernelLog) {
		return nil, &rule.NotJudged{Needs: "the kernel log, or control groups that count kills", Why: "neither could be read",
			How: shell.Say("run as root, on the host if the container hides the log; groups count kills since Linux 4.13")}
	}
	byGroup := map[string][]kill{}
	var order []string
	for _, k := range kills(v) {
		if !k.memcg {
			continue
		}
		key := fmt.Sprintf("%t %s", k.before, k.group)
		if byGroup[key] == nil {
			order = append(order, key)
		}
		byGroup[key] = append(byGroup[key], k)
	}
	var found []rule.Finding
	told := map[string]bool{}
	for _, key := range order {
		list := byGroup[key]
		told[list[0].group] = told[list[0].group] || !list[0].before
		found = append(found, groupKill(v, list))
	}
	// Counters speak where the log cannot be read. The deepest group that
	// counted a kill is the one the process died in.
	counted := map[string]*counting{} // by the group in which memory was used up
	var full []string
	for _, c := range v.Cgroups() {
		if view.OrZero(c.Kills) > 0 && !told[c.Path] && !toldInside(told, c.Path) && !deeperKill(v, c) && logSilent(v) {
			g, out := outOfMemory(v, c)
			if !out {
				g = c
			}
			if counted[g.Path] == nil {
				counted[g.Path] = &counting{full: g, out: out}
				full = append(full, g.Path)
			}
			counted[g.Path].groups = append(counted[g.Path].groups, c)
		}
	}
	for _, path := range full {
		found = append(found, countedGroupKill(v, counted[path]))
	}
	return found, nil
}

// counting is what counters tell of kills.
type counting struct {
	full   view.Cgroup   // the group that used up its memory, if out; else the one of which processes were killed
	out    bool          // it was seen to have nothing left
	groups []view.Cgroup // those in which processes were killed
}

// countKills says that control groups count the kills in them.
func countKills(v *view.View) bool {
	return slices.ContainsFunc(v.Cgroups(), func(c view.Cgroup) bool { return !math.IsNaN(c.Kills) })
}

func toldInside(told map[string]bool, path string) bool {
	for group, yes := range told {
		if yes && (group == "" || view.InGroup(group, path) || view.InGroup(path, group)) {
			return true
		}
	}
	return false
}

func deeperKill(v *view.View, c view.Cgroup) bool {
	for _, o := range v.Cgroups() {
		if o.Path != c.Path && view.OrZero(o.Kills) > 0 && view.InGroup(o.Path, c.Path) {
			return true
		}
	}
	return false
}

// logSilent says that the log reported no kill in the window: either it could
// not be read, or the kill's lines were lost.
func logSilent(v *view.View) bool {
	for _, k := range kills(v) {
		if !k.before {
			return false
		}
	}
	return true
}

func groupKill(v *view.View, list []kill) rule.Finding {
	k := largest(list)
	group := k.group
	if group == "" {
		group = "its control group"
	}
	f := rule.Finding{
		Subject:    view.Entity{Kind: view.KindCgroup, Name: group, Detail: killedWho(list), Cgroup: k.group},
		Confidence: rule.Certain,
		Impact:     rule.Impact{Share: killedNow, Text: rule.T("%s killed", processes(len(list)))},
		Evidence:   []rule.Evidence{killEvidence(v, k)},
		Affects:    append(members(v, k), victim(v, k), view.CgroupEntity(k.group)),
	}
	limit := k.limit
	for _, c := range v.Cgroups() {
		if c.Path != k.group {
			continue
		}
		if limit < 0 && c.Limited() {
			limit = c.MemoryMax
		}
		if n := view.OrZero(c.Kills); n > 0 {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupOOMKills, Value: n,
				What: rule.T("oom_kill +%v in %s", unit.Count(n), c.Path), Check: shell.Line("grep oom_kill %s", memoryFile(c, "memory.events", "memory.oom_control"))})
		}
		if n := view.OrZero(c.HitLimit); n > 0 {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupMemoryHits, Value: n,
				What: rule.T("it hit its limit %v times", unit.Count(n)), Check: hitsCheck(c)})
		}
	}
	what := "a memory limit"
	if limit > 0 && limit < math.MaxInt64/2 {
		what = fmt.Sprintf("its limit of %v", unit.Bytes(limit))
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupMemoryLimit, Value: float64(limit),
			What: rule.T("limit of %s: %v", group, unit.Bytes(limit)), Check: shell.Line("cat %s   # v1: memory/…/memory.limit_in_bytes", rule.MemoryGroups.File(2, k.group, "memory.max", ""))})
	}
	f.Headline = rule.T("%s %s killed: %s reached %s", killedWho(list), wasOrWere(len(list)), group, what)
	if k.before {
		f.Confidence, f.Impact.Share = rule.Possible, killedBefore
		f.Headline = rule.T("before the window %s %s killed: %s reached %s", killedWho(list), wasOrWere(len(list)), group, what)
	}
	if k.wholeOne {
		f.Notes = append(f.Notes, rule.T("memory.oom.group is set: all processes of the group were killed together"))
	}
	f.Notes = append(f.Notes, rule.T("the host itself may have had plenty of memory left: only this group was full"))
	f.Fixes = groupFixes(v, k.comm, group, k.taskIn, limit)
	return f
}

func wasOrWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// members are the processes that live in the group, or were started again
// under the victim's name.
func members(v *view.View, k kill) []view.Entity {
	var list []view.Entity
	for _, p := range v.Processes() {
		if k.group != "" && k.group != "/" && view.InGroup(p.MemCgroup, k.group) || p.Comm == k.comm {
			list = append(list, p.Entity())
		}
	}
	return list
}

// countedGroupKill tells of kills by counters alone. oom_kill counts whatever killed a process of
// the group, also a shortage of the whole host: only a full group was killed for its own.
func countedGroupKill(v *view.View, k *counting) rule.Finding {
	f := rule.Finding{
		Subject:    view.CgroupEntity(k.full.Path),
		Confidence: rule.Certain,
		Affects:    []view.Entity{view.CgroupEntity(k.full.Path)},
		Notes:      []rule.Text{rule.T("the kernel log did not name the process")},
	}
	n := 0.0
	for i, c := range k.groups {
		n += c.Kills
		if c.Path != k.full.Path {
			f.Affects = append(f.Affects, view.CgroupEntity(c.Path))
		}
		for _, p := range v.InMemoryGroup(c.Path) {
			f.Affects = append(f.Affects, p.Entity())
		}
		if i < mostCounted {
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupOOMKills, Value: c.Kills,
				What: rule.T("oom_kill +%v in %s", unit.Count(c.Kills), c.Path), Check: shell.Line("grep oom_kill %s", memoryFile(c, "memory.events", "memory.oom_control"))})
		}
	}
	who := k.groups[0].Path
	if more := len(k.groups) - 1; more > 0 {
		who = fmt.Sprintf("%s and %s", who, unit.Plural(more, "more group", "more groups"))
	}
	killed := processes(int(n))
	f.Impact = rule.Impact{Share: killedNow, Text: rule.T("%s killed", killed)}
	if k.full.Limited() {
		f.Evidence = append(f.Evidence, limitEvidence(k.full))
	}
	f.Fixes = groupFixes(v, "the program", k.full.Path, k.groups[0].Path, k.full.MemoryMax)
	switch {
	case !k.out:
		f.Confidence = rule.Likely
		f.Headline = rule.T("%s of %s killed for lack of memory, in the group or on the whole host", killed, who)
		f.Notes = append(f.Notes, rule.T("a host-wide kill counts here, too, and no group was seen to be out of memory"))
		f.Fixes = []rule.Fix{
			{Text: rule.T("read the kernel log of the host: it tells whose memory was used up"), Command: shell.Line("dmesg -T | grep -iE 'oom-kill:|killed process'"), Tradeoff: "needs root or kernel.dmesg_restrict=0"},
			{Text: rule.T("if it was that of a group, raise the limit of the group; if it was that of the host, shrink or limit what grew there"), Tradeoff: "less memory for others"},
		}
	case k.full.Path == k.groups[0].Path:
		f.Headline = rule.T("%s of %s killed for lack of memory in the group", killed, who)
	default:
		f.Headline = rule.T("%s of %s killed: %s reached its limit of %s", killed, who, k.full.Path, unit.Bytes(k.full.MemoryMax))
	}
	return f
}

// mostCounted is of how many groups the counters of kills are told.
const mostCounted = 3

func limitEvidence(c view.Cgroup) rule.Evidence {
	return rule.Evidence{Metric: metric.CgroupMemoryLimit, Value: float64(c.MemoryMax),
		What: rule.T("limit of %s: %v", c.Path, unit.Bytes(c.MemoryMax)), Check: shell.Line("cat %s", memoryFile(c, "memory.max", "memory.limit_in_bytes"))}
}

// outOfMemory is the group that had nothing left below its limit: a group or one above it, the
// deepest. Page cache at the limit is no proof: where the kernel does not count it (oom of
// memory.events), the group must also have been seen full of memory that only swap could free.
func outOfMemory(v *view.View, c view.Cgroup) (full view.Cgroup, ok bool) {
	for _, g := range v.Cgroups() {
		if !g.Limited() || g.Version != c.Version || !view.InGroup(c.Path, g.Path) || ok && !view.InGroup(g.Path, full.Path) {
			continue
		}
		out := g.OutOfMemory > 0
		if !view.Known(g.OutOfMemory) {
			out = (view.OrZero(g.HitLimit) > 0 || nearLimit(g)) && ownMemory(g)
		}
		if out {
			full, ok = g, true
		}
	}
	return full, ok
}

// ownMemory says that nearly all of what a group may have was memory that only swap could free at some
// reading, as far as that is told.
func ownMemory(g view.Cgroup) bool {
	return slices.ContainsFunc(g.Samples, func(s recording.CgroupSample) bool {
		return s.Anon < 0 || s.MemoryMax > 0 && float64(swappable(s)) >= limitNear.Value*float64(s.MemoryMax)
	})
}

// swappable is the memory of a group that only swap could free, in bytes: anonymous, and that of
// tmpfs and shared memory, which counts as file.
func swappable(s recording.CgroupSample) int64 { return s.Anon + max(s.Shmem, 0) }

// groupFixes says what helps a group at its limit, in which a program of that name was
// killed or is the largest. inner is the group of that program, "" if it is not known; limit is in
// bytes, none if it is not known.
func groupFixes(v *view.View, comm, group, inner string, limit int64) []rule.Fix {
	raise := rule.Fix{Text: rule.T("raise the limit of %s to what it needs under real load, plus headroom", group), Tradeoff: "less memory for its neighbours"}
	slow := rule.Fix{Text: rule.T("set memory.high below the limit, so that the group is slowed down before it is killed"), Tradeoff: "reclaim makes it slow, which can be harder to notice than a restart"}
	if strings.HasPrefix(group, "/") {
		c, to := groupAt(v, group), int64(0)
		if limit > 0 && limit < math.MaxInt64/4 {
			to = limit * 3 / 2
			c.MemoryMax = cmp.Or(max(c.MemoryMax, 0), limit)
			slow.Command = slowFrom(c, limit/10*9)
		}
		raise = raised(v, raise, c, inner, to)
	}
	if group == "/" {
		slow.Text = rule.T("%s; do this on the container's host", slow.Text)
	}
	fit := rule.Fix{Text: rule.T("make %s fit: heap and cache sizes below the limit, with room for stacks, buffers and page cache", comm), Tradeoff: "more garbage collection or a lower hit rate"}
	if comm == "java" {
		fit.Text = rule.T("make java fit: start it with -XX:MaxRAMPercentage=60, or with -Xmx well below the limit: stacks, buffers and page cache need room, too")
	}
	return []rule.Fix{raise, fit, slow}
}

// slowFrom is the command that has a group wait for memory above so many bytes: a property
// of its unit of systemd, which lasts, or its file. Groups of version 1 cannot.
func slowFrom(c view.Cgroup, high int64) shell.Command {
	if c.Version == 1 {
		return shell.Command{}
	}
	return rule.SetGroup(c.Path, memoryHigh(c, high))
}

// groupAt is the group of that path; one of version 2 if it was not seen.
func groupAt(v *view.View, path string) view.Cgroup {
	for _, c := range v.Cgroups() {
		if c.Path == path {
			return c
		}
	}
	return view.Cgroup{CgroupSample: recording.CgroupSample{Path: path, Version: 2}}
}

// hitsCheck shows how often a group hit its limits; version 1 counts those of memory
// apart from those of memory and swap together, which few systems count at all.
func hitsCheck(c view.Cgroup) shell.Command {
	if c.Version == 1 {
		return shell.Line("cat %s %s", memoryFile(c, "", "memory.failcnt"), memoryFile(c, "", "memory.memsw.failcnt"))
	}
	return shell.Line("cat %s   # max and high", memoryFile(c, "memory.events", ""))
}

// limitFile is where the limit of a group lies at which it has to let go of memory.
func limitFile(c view.Cgroup) shell.Path {
	if _, high, _ := view.MemoryBound(c.CgroupSample); high {
		return memoryFile(c, "memory.high", "")
	}
	return memoryFile(c, "memory.max", "memory.limit_in_bytes")
}

// memoryFile is where a group's file lies on most systems.
func memoryFile(c view.Cgroup, v2, v1 string) shell.Path {
	return rule.MemoryGroups.File(c.Version, c.Path, v2, v1)
}
