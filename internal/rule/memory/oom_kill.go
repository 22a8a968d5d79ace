package memory

import (
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

var oomKill = rule.Rule{
	ID:       "mem/oom-kill",
	Title:    "the kernel killed a process because the host ran out of memory",
	Plural:   "processes were killed because the host ran out of memory",
	Resource: "memory",
	// The counter of /proc/vmstat speaks where the log is not readable, or lines of it were lost.
	NeedsAny:     []recording.Table{recording.KernelLog, recording.VMStat},
	Columns:      []string{"vmstat.oom_kill"},
	BlindWithout: []recording.Sight{recording.UnseenKernelLog},
	// What grew until it was killed, and what swapped until then, is the same story.
	Explains:   []string{"mem/leak", "mem/swapping", "mysql/not-answering"},
	Thresholds: []*rule.Threshold{&muchReserved, &recentKills},
	Detect:     detectOOMKill,
}

func detectOOMKill(v *view.View) ([]rule.Finding, error) {
	var now, before []kill
	cgroupKills := 0.0
	for _, k := range kills(v) {
		switch {
		case k.memcg && !k.before:
			cgroupKills++
		case k.memcg:
		case k.before:
			before = append(before, k)
		default:
			now = append(now, k)
		}
	}
	var found []rule.Finding
	if len(now) > 0 {
		found = append(found, hostKill(v, now, false))
	} else if len(before) > 0 {
		found = append(found, hostKill(v, before, true))
	}
	p, ok := v.Paging()
	logged := v.Has(recording.KernelLog) || ran(v, recording.KernelLog)
	if !logged || partlyLogged(v) {
		p.OOMKills, ok = killsBesideGroups(v)
	}
	n := math.Round(p.OOMKills - max(cgroupKills, groupKills(v)))
	if !logged || partlyLogged(v) {
		if err := uncounted(v, ok, n); err != nil {
			if logged {
				return found, nil // notes say which part is missing
			}
			return nil, err
		}
	}
	if ok && len(now) == 0 && n >= 1 {
		found = append([]rule.Finding{countedKill(v, n, logged)}, found...)
	}
	return found, nil
}

// killsBesideGroups is how many kills /proc/vmstat counted from the first reading of control groups
// to the last one: of a kill before or after these the groups do not tell whether it was theirs.
func killsBesideGroups(v *view.View) (kills float64, ok bool) {
	groups := view.Rows[recording.CgroupSample](v)
	if len(groups) == 0 {
		return 0, false
	}
	from, to := groups[0].At, groups[0].At
	for _, g := range groups {
		if g.At.Before(from) {
			from = g.At
		}
		if g.At.After(to) {
			to = g.At
		}
	}
	rows := slices.Clone(view.Rows[recording.VMStatSample](v))
	rows = slices.DeleteFunc(rows, func(r recording.VMStatSample) bool { return !r.At.After(from) || r.At.After(to) })
	return view.Delta(rows, func(r recording.VMStatSample) uint64 { return r.OOMKills })
}

// partlyLogged says that a part of the log is missing: a kill that it does not name may be that of a
// group.
func partlyLogged(v *view.View) bool {
	return slices.ContainsFunc(view.Rows[recording.UnseenNote](v), func(n recording.UnseenNote) bool { return n.What == string(recording.UnseenKernelLog) })
}

// uncounted says why the counter of the host cannot stand in for a log that is not readable: it
// counts the kills at limits of control groups, too, and in a container those of the whole host. n is
// how many kills no group accounts for.
func uncounted(v *view.View, read bool, n float64) error {
	why := &rule.NotJudged{Needs: "the kernel log", How: shell.Say("run as root, on the host if the container hides the log")}
	switch {
	case v.Manifest().Host.Container:
		why.Why = "it could not be read, and the kills that /proc/vmstat counts in a container are those of the whole host"
	case !v.KernelAtLeast(4, 13):
		why.Why = "it could not be read, and the kernel counts kills since Linux 4.13 only"
	case !countKills(v):
		why.Why = "it could not be read, and no control groups tell which of the kills that /proc/vmstat counts were at their limits"
	case !read || !v.Tells(recording.VMStat, "oom_kill"):
		why.Why = "it could not be read, and nothing tells twice how many kills were counted"
	case n >= 1 && countAlone(v):
		why.Why = "it could not be read, and control groups of version 1, and kernels before 5.2, do not count kills in groups below, which may be gone"
	default:
		return nil
	}
	return why
}

// countAlone says that a control group does not count the kills in groups below it: the kill of one
// that was removed, as of a container, is then in no counter of a group.
func countAlone(v *view.View) bool {
	return !v.KernelAtLeast(5, 2) || slices.ContainsFunc(v.Cgroups(), func(c view.Cgroup) bool { return c.Version == 1 && !math.IsNaN(c.Kills) })
}

// groupKills is how many kills the counters of control groups account for. A
// parent counts the kills of its children too, so the highest number is taken
// per top level, not the sum.
func groupKills(v *view.View) float64 {
	var sum float64
	groups := v.Cgroups()
	for i, c := range groups {
		if view.OrZero(c.Kills) == 0 {
			continue
		}
		below := false
		for j, o := range groups {
			below = below || i != j && o.Path != c.Path && view.OrZero(o.Kills) > 0 && view.InGroup(c.Path, o.Path)
		}
		if !below {
			sum += c.Kills
		}
	}
	return sum
}

// Impact of a kill: all the victim did is lost. A kill before the window is
// history: it may explain what is missing, not what is slow now, and weighs
// less than anything that still goes on.
const (
	killedNow    = 1.0
	killedBefore = 0.0005
)

var muchReserved = rule.Threshold{Name: "much-reserved", Value: 0.25, Unit: "share", Source: rule.Judgement,
	Reason: "Share of memory in huge pages. Above it their number may be the mistake that caused the OOM."}

func hostKill(v *view.View, list []kill, before bool) rule.Finding {
	k := largest(list)
	f := rule.Finding{
		Subject:    victim(v, k),
		Confidence: rule.Certain,
		AffectsAll: true,
		Headline:   rule.T("the kernel killed %s: the host was out of memory", killedWho(list)),
		Impact:     rule.Impact{Share: killedNow, Text: rule.T("%s killed", processes(len(list)))},
		Evidence:   []rule.Evidence{killEvidence(v, k)},
	}
	if before {
		f.Confidence, f.Impact.Share = rule.Possible, killedBefore
		f.Headline = rule.T("before the window the kernel killed %s: the host was out of memory", killedWho(list))
	}
	if p, ok := v.Paging(); ok && !before && v.Tells(recording.VMStat, "oom_kill") {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.VMStatOOMKill, Value: p.OOMKills,
			What: rule.T("oom_kill +%v in the window", unit.Count(p.OOMKills))})
	}
	if k.asked != "" && k.asked != k.comm {
		f.Notes = append(f.Notes, rule.T("%s asked for memory when none was left; it need not be the killed process, nor the one that used the memory up", k.asked))
	}
	if k.cpuset {
		f.Notes = append(f.Notes, rule.T("only the NUMA nodes its cpuset or memory policy allows were full; others may have had memory left"))
	}
	if m, ok := v.MemoryNow(); ok && float64(m.HugeTotal) >= muchReserved.Value*float64(m.Total) {
		f.Notes = append(f.Notes, rule.T("%v of %v are set aside as huge pages, which only programs that ask for them can use (sysctl vm.nr_hugepages)",
			unit.Bytes(m.HugeTotal), unit.Bytes(m.Total)))
	}
	f.Evidence = append(f.Evidence, availableNow(v)...)
	f.Fixes = []rule.Fix{
		{Text: rule.T("find out what %s needs and give it a limit of its own, so that only it fails", k.comm),
			Command: shell.Line("systemctl set-property UNIT MemoryMax=2G"), Tradeoff: "the limit kills it earlier"},
		{Text: rule.T("protect essential processes"), Command: shell.Line("echo -900 > /proc/PID/oom_score_adj"), Tradeoff: "another process is killed instead"},
		{Text: rule.T("add memory, or swap as a buffer for peaks"), Tradeoff: "if the working set does not fit, swap makes the host slow instead of a kill"},
	}
	return f
}

// countedKill tells of kills that no line of the log and no control group accounts for. logged: the
// log was readable.
func countedKill(v *view.View, n float64, logged bool) rule.Finding {
	headline := rule.T("the kernel killed %s for lack of memory; the kernel log, which names what was killed, is not readable", processes(int(n)))
	if logged {
		headline = rule.T("the kernel killed %s for lack of memory; no line of the kernel log names what was killed", processes(int(n)))
	}
	return rule.Finding{
		Subject:    v.HostEntity(),
		Confidence: rule.Likely,
		Headline:   headline,
		Impact:     rule.Impact{Share: killedNow, Text: rule.T("%s killed", processes(int(n)))},
		Evidence: append([]rule.Evidence{{Metric: metric.VMStatOOMKill, Value: n,
			What: rule.T("oom_kill +%v in the window, beside kills that control groups account for", unit.Count(n))}}, availableNow(v)...),
		Fixes: []rule.Fix{{Text: rule.T("read the kernel log for the names"), Command: shell.Line("dmesg -T | grep -i 'killed process'"), Tradeoff: "needs root or kernel.dmesg_restrict=0"}},
	}
}

func availableNow(v *view.View) []rule.Evidence {
	m, ok := v.MemoryNow()
	if !ok || m.Available < 0 || m.Total <= 0 {
		return nil
	}
	return []rule.Evidence{{Metric: metric.MemoryAvailable, Value: float64(m.Available),
		What: rule.T("%v of %v available at the end of the window", unit.Bytes(m.Available), unit.Bytes(m.Total))}}
}

func victim(v *view.View, k kill) view.Entity {
	e := v.ProcessEntity(k.pid, k.comm)
	e.Name, e.Cgroup = k.comm, k.taskIn
	return e
}

func killEvidence(v *view.View, k kill) rule.Evidence {
	e := rule.Evidence{Metric: metric.LogOOMKill, Value: float64(max(k.anon, 0))}
	when := fmt.Sprintf("at %v", unit.Clock(k.at))
	if k.before {
		when += fmt.Sprintf(", %v before the window", unit.Duration(v.Start().Sub(k.at)))
	}
	if k.anon >= 0 {
		e.What = rule.T("kernel log %s: killed process %d (%s), which had %v of anonymous memory", when, k.pid, k.comm, unit.Bytes(k.anon))
	} else {
		e.What = rule.T("kernel log %s: killed process %d (%s)", when, k.pid, k.comm)
	}
	return e
}

// largest is the kill that gave back most memory.
func largest(list []kill) kill {
	best := list[0]
	for _, k := range list {
		if k.anon > best.anon {
			best = k
		}
	}
	return best
}

// killedWho names one victim, or says how many there were.
func killedWho(list []kill) string {
	k := largest(list)
	who := fmt.Sprintf("%s (%d)", k.comm, k.pid)
	if n := len(list) - 1; n > 0 {
		who += fmt.Sprintf(" and %d more", n)
	}
	return who
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
