package proc

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var taskLimits = rule.Rule{
	ID:         "proc/pid-limit",
	Title:      "no more processes and threads may be started",
	Plural:     "limits of processes and threads are reached",
	Resource:   "process table",
	NeedsAny:   []recording.Table{recording.Cgroups, recording.System},
	Columns:    []string{"system.tasks"},
	Levels:     true,
	Explains:   []string{"proc/crash-loop", "net/accept-queue-full", "mysql/not-answering"},
	Thresholds: []*rule.Threshold{&nearLimit, &fullTable, &atLimitShare},
	Detect:     detectTaskLimits,
}

// taskLimit is a control group that bounds the number of tasks, with what happened in it.
type taskLimit struct {
	view.Cgroup
	refused float64       // forks in the window, of it and of groups below without a limit of their own
	groups  []view.Cgroup // in which they were refused
}

func detectTaskLimits(v *view.View) ([]rule.Finding, error) {
	if _, name := tableLimit(v); name == "" && v.Partly(recording.System) && !v.Has(recording.Cgroups) {
		return nil, &rule.NotJudged{Needs: "kernel.threads-max and kernel.pid_max", Why: "how many processes and threads the host may have is not told", How: shell.Say("copy /proc/sys/kernel/threads-max and pid_max, too")}
	}
	var found []rule.Finding
	for _, l := range groupLimits(v) {
		switch {
		case l.refused > 0:
			found = append(found, l.reached(v))
		case float64(l.Pids) >= nearLimit.Value*float64(l.PidsMax):
			found = append(found, l.near(v))
		}
	}
	found = append(found, userLimits(v)...)
	if f, ok := taskTable(v); ok {
		found = append(found, f)
	}
	return found, nil
}

// groupLimits assigns refused forks to the groups whose limit refused them. Kernels before 6.10
// count a fork in the group of the process that asked, newer ones in the group with the
// limit and in all above it.
func groupLimits(v *view.View) []*taskLimit {
	groups := v.Cgroups()
	var list []*taskLimit
	for _, c := range groups {
		if limited(&c) && c.Pids >= 0 {
			list = append(list, &taskLimit{Cgroup: c})
		}
	}
	// Innermost limits first.
	slices.SortStableFunc(list, func(a, b *taskLimit) int { return len(b.Path) - len(a.Path) })
	counted := map[string]float64{} // refused forks of groups below that groups above count again
	for _, l := range list {
		for _, c := range groups {
			if c.Version != l.Version || !view.InGroup(c.Path, l.Path) || boundCloser(list, c, l) {
				continue
			}
			l.add(c, counted)
		}
		if l.refused > 0 {
			countAbove(groups, l, counted)
		}
	}
	// The limit of a container may be set where it cannot look.
	deepest := slices.Clone(groups)
	slices.SortStableFunc(deepest, func(a, b view.Cgroup) int { return len(b.Path) - len(a.Path) })
	for _, c := range deepest {
		if slices.ContainsFunc(list, func(l *taskLimit) bool { return l.Version == c.Version && view.InGroup(c.Path, l.Path) }) {
			continue
		}
		l := &taskLimit{Cgroup: c}
		if l.add(c, counted); l.refused > 0 {
			countAbove(groups, l, counted)
			list = append(list, l)
		}
	}
	return list
}

// limited says whether a group had a limit in the window, and makes the last one it had that of
// its row: whoever is refused raises it.
func limited(c *view.Cgroup) bool {
	for _, s := range slices.Backward(c.Samples) {
		if s.PidsMax > 0 && s.PidsMax < math.MaxInt64 {
			c.PidsMax = s.PidsMax
			return true
		}
	}
	return false
}

// add counts the forks that were refused in a group, without those that are counted below it.
func (l *taskLimit) add(c view.Cgroup, counted map[string]float64) {
	if n := view.OrZero(c.PidsRefused) - counted[c.Path]; n > 0 {
		l.refused += n
		l.groups = append(l.groups, c)
	}
}

func countAbove(groups []view.Cgroup, l *taskLimit, counted map[string]float64) {
	for _, above := range groups {
		if above.Path != l.Path && view.InGroup(l.Path, above.Path) {
			counted[above.Path] += l.refused
		}
	}
}

// boundCloser says that a group has a limit nearer to it than this one.
func boundCloser(list []*taskLimit, c view.Cgroup, l *taskLimit) bool {
	return slices.ContainsFunc(list, func(o *taskLimit) bool {
		return o != l && o.Version == l.Version && o.Path != l.Path && view.InGroup(o.Path, l.Path) && view.InGroup(c.Path, o.Path)
	})
}

func (l *taskLimit) reached(v *view.View) rule.Finding {
	f := l.finding(v)
	f.Confidence = rule.Certain
	f.Headline = rule.T("%s may have %s processes and threads: %s more were refused", l.Path, unit.Count(l.PidsMax), unit.Count(l.refused))
	f.Impact = rule.Impact{Share: 1, Text: rule.T("%s refused", forks(l.refused))}
	if s, ok := v.Scheduler(); ok {
		made := s.Forks * s.Seconds
		f.Impact.Share = l.refused / (l.refused + made)
		f.Impact.Text = rule.T("%s refused, while the whole host started %s", forks(l.refused), unit.Count(math.Round(made)))
	}
	for _, g := range l.groups {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.CgroupPIDsRefused, Value: g.PidsRefused,
			What:  rule.T("max of pids.events in %s +%s", g.Path, unit.Count(g.PidsRefused)),
			Check: shell.Line("cat %s", pidsFile(g, "pids.events"))})
	}
	if l.bounded() {
		f.Evidence = append(f.Evidence, l.use())
	} else {
		f.Headline = rule.T("%s may have no more processes and threads: %s were refused", l.Path, unit.Count(l.refused))
		f.Notes = append(f.Notes, rule.T("a parent group that is not visible here has the limit: look on the container's host"))
	}
	for _, line := range v.LogLinesWith("fork rejected by pids controller in " + l.Path) {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.KernelLog, Value: 1, What: rule.T("kernel log: %q", line.Text),
			Check: shell.Line("journalctl -k -g %s", "fork rejected by pids controller")})
		break
	}
	f.Notes = append(f.Notes, rule.T("programs see EAGAIN: \"fork: retry: Resource temporarily unavailable\", \"unable to create native thread\""))
	return f
}

func forks(n float64) string {
	return unit.Plural(int64(n), "new process or thread", "new processes and threads")
}

func (l *taskLimit) near(v *view.View) rule.Finding {
	f := l.finding(v)
	f.Confidence = rule.Possible
	f.Headline = rule.T("%s has %s of the %s processes and threads that it may have", l.Path, unit.Count(l.Pids), unit.Count(l.PidsMax))
	f.Impact = rule.Impact{Share: 0.1, Text: rule.T("nothing yet")}
	f.Evidence = []rule.Evidence{l.use()}
	return f
}

func (l *taskLimit) use() rule.Evidence {
	return rule.Evidence{Metric: metric.CgroupPIDs, Value: float64(l.Pids), Limit: rule.Limit(float64(l.PidsMax)),
		What:  rule.T("%s processes and threads of %s at the end of the window", unit.Count(l.Pids), unit.Count(l.PidsMax)),
		Check: shell.Line("cat %s %s", pidsFile(l.Cgroup, "pids.current"), pidsFile(l.Cgroup, "pids.max"))}
}

func (l *taskLimit) finding(v *view.View) rule.Finding {
	f := rule.Finding{Subject: view.CgroupEntity(l.Path)}
	most := ""
	var threads int32
	for _, p := range v.InMemoryGroup(l.Path) {
		f.Affects = append(f.Affects, p.Entity())
		if p.Threads > threads {
			threads, most = p.Threads, p.Entity().String()
		}
	}
	if most != "" {
		f.Subject.Detail = fmt.Sprintf("most of them in %s: %s", most, unit.Count(threads))
	}
	raise := l.raise()
	if !l.bounded() {
		raise = shell.Command{}
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("see which processes have them: each thread counts as one"), Command: shell.Line("ps -eLo cgroup:60,pid,comm --no-headers | grep -F %s | sort | uniq -c | sort -n | tail", l.Path), Tradeoff: "none"},
		{Text: rule.T("if this number is intended, raise the limit"), Command: raise, Tradeoff: "some 20 KiB of kernel memory for each; the limit keeps a fork bomb within the group"},
		{Text: rule.T("if a program never ends its threads or children, fix that: a higher limit only delays the problem"), Tradeoff: "a change of the program"},
	}
	return f
}

func (l *taskLimit) bounded() bool { return l.PidsMax > 0 && l.PidsMax < math.MaxInt64 }

// raise gives the group four times as many; a unit of systemd by systemd, which would set it back.
func (l *taskLimit) raise() shell.Command {
	if c := rule.SetProperty(l.Path, shell.Line("TasksMax=%d", 4*l.PidsMax)); l.Version == 2 && !c.Empty() {
		return c
	}
	return shell.Line("echo %d > %s", 4*l.PidsMax, pidsFile(l.Cgroup, "pids.max"))
}

func pidsFile(c view.Cgroup, file string) shell.Path {
	if c.Version == 1 {
		return shell.Path("/sys/fs/cgroup/pids" + c.Path + "/" + file)
	}
	return shell.Path("/sys/fs/cgroup" + c.Path + "/" + file)
}

// userLimits judges what processes of a user may have together (ulimit -u). The kernel does not
// count what it refuses.
func userLimits(v *view.View) (found []rule.Finding) {
	soft := map[int32]int64{}
	for _, l := range view.Rows[recording.LimitSample](v) {
		if l.ProcsSoft > 0 && l.ProcsSoft < math.MaxInt64 {
			soft[l.PID] = l.ProcsSoft
		}
	}
	tasks := map[int64]int64{}
	tightest := map[int64]view.Process{}
	for _, p := range v.Processes() {
		if p.Kernel || p.Gone || p.UID <= 0 || p.Threads <= 0 { // root is not bound
			continue
		}
		tasks[p.UID] += int64(p.Threads)
		have, ok := tightest[p.UID]
		if limit := soft[p.PID]; limit > 0 && (!ok || limit < soft[have.PID] || limit == soft[have.PID] && p.Threads > have.Threads) {
			tightest[p.UID] = p
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(tightest)) {
		p, n := tightest[uid], tasks[uid]
		limit := soft[p.PID]
		if float64(n) < nearLimit.Value*float64(limit) {
			continue
		}
		f := rule.Finding{Subject: p.Entity(), Confidence: rule.Possible,
			Headline: rule.T("user %d has %s of the %s processes and threads that %s may bring it to", uid, unit.Count(n), unit.Count(limit), p.Entity()),
			Impact:   rule.Impact{Share: 0.1, Text: rule.T("nothing yet")},
			Evidence: []rule.Evidence{{Metric: metric.UserTasks, Value: float64(n), Limit: rule.Limit(float64(limit)),
				What:  rule.T("user %d has %s tasks at the end of the window; RLIMIT_NPROC of %s is %s", uid, unit.Count(n), p.Entity(), unit.Count(limit)),
				Check: shell.Line("ps -L -u %d --no-headers | wc -l; grep processes /proc/%d/limits", uid, p.PID)}},
			Notes: []rule.Text{rule.T("the limit does not apply to programs with CAP_SYS_RESOURCE or CAP_SYS_ADMIN")},
			Fixes: []rule.Fix{{Text: rule.T("see who has them"), Command: shell.Line("ps -o nlwp,pid,comm -u %d --sort=-nlwp | head", uid), Tradeoff: "none"},
				{Text: rule.T("if this number is intended, raise the limit, then for good (LimitNPROC= of its unit, limits.conf)"), Command: shell.Line("prlimit --pid %d --nproc=%d", p.PID, 4*limit), Tradeoff: "some 20 KiB of kernel memory for each; the limit keeps a fork bomb within the user"}},
		}
		if n >= limit {
			f.Confidence = rule.Likely
			f.Headline = rule.T("%s cannot start processes or threads: its user %d has %s, %s are allowed", p.Entity(), uid, unit.Count(n), unit.Count(limit))
			f.Impact = rule.Impact{Share: 1, Text: rule.T("every fork and every new thread of %s", p.Entity())}
		}
		found = append(found, f)
	}
	return found
}

// tableLimit is how many tasks the whole host may have, and the setting that says so; "": none is
// known.
func tableLimit(v *view.View) (limit int64, name string) {
	limit = math.MaxInt64
	for _, setting := range []string{"kernel.threads-max", "kernel.pid_max"} {
		if n, ok := v.SysctlNumber(0, setting); ok && n > 0 && n < limit {
			limit, name = n, setting
		}
	}
	return limit, name
}

// taskTable judges what the whole host may have: kernel.threads-max and kernel.pid_max. No
// counter tells whether anything was refused.
func taskTable(v *view.View) (rule.Finding, bool) {
	limit, name := tableLimit(v)
	rows := view.Rows[recording.SystemSample](v)
	if name == "" || len(rows) == 0 {
		return rule.Finding{}, false
	}
	full := 0
	for _, s := range rows {
		if float64(s.Tasks) >= fullTable.Value*float64(limit) {
			full++
		}
	}
	last := rows[len(rows)-1]
	f := rule.Finding{Subject: v.HostEntity(), Confidence: rule.Possible,
		Headline: rule.T("the host has %s of the %s processes and threads that it may have", unit.Count(last.Tasks), unit.Count(limit)),
		Impact:   rule.Impact{Share: 0.1, Text: rule.T("nothing yet")},
		Evidence: []rule.Evidence{{Metric: metric.SystemTasks, Value: float64(last.Tasks), Limit: rule.Limit(float64(limit)),
			What: rule.T("%s tasks, %s = %d", unit.Count(last.Tasks), name, limit), Check: shell.Line("ps -eL --no-headers | wc -l; sysctl %s", name)}},
		Fixes: []rule.Fix{{Text: rule.T("see who has them"), Command: shell.Line("ps -eo nlwp,pid,user,comm --sort=-nlwp | head"), Tradeoff: "none"},
			{Text: rule.T("if this number is intended, raise the limit"), Command: shell.Line("sysctl -w %s=%d", name, 2*limit), Tradeoff: "some 20 KiB of kernel memory for each"}},
	}
	switch {
	case full >= 2 && float64(full) >= atLimitShare.Value*float64(len(rows)):
		f.Confidence = rule.Likely
		f.Headline = rule.T("the host has used up its %s processes and threads (%s)", unit.Count(limit), name)
		f.Impact = rule.Impact{Share: 1, Text: rule.T("every fork and every new thread")}
	case float64(last.Tasks) < nearLimit.Value*float64(limit):
		return rule.Finding{}, false
	}
	return f, true
}
