package proc

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"golang.org/x/sys/unix"

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
	Thresholds: []*rule.Threshold{&nearLimit, &atLimitShare, &leastUserLimit},
	Detect:     detectTaskLimits,
}

var leastUserLimit = rule.Threshold{Name: "least-user-limit", Value: 16, Unit: "count", Source: rule.Judgement,
	Reason: "RLIMIT_NPROC of a process. Programs that set less do it to start nothing more: rtkit-daemon has 3, sandboxes have 0 or 1."}

// taskLimit is a control group that bounds the number of tasks, with what happened in it.
type taskLimit struct {
	view.Cgroup
	refused float64       // forks in the window, of it and of groups below
	groups  []view.Cgroup // in which they were refused
	unclear bool          // none of the limits that are seen explains it: it is the group that counted
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

// groupLimits assigns refused forks to the groups whose limit refused them. Kernels before 6.11,
// and cgroup v1, count a fork in the group of the process that asked, newer ones in the group
// with the limit and in all above it.
func groupLimits(v *view.View) []*taskLimit {
	// Innermost groups first.
	groups := slices.Clone(v.Cgroups())
	slices.SortStableFunc(groups, func(a, b view.Cgroup) int { return len(b.Path) - len(a.Path) })
	var list []*taskLimit
	for _, c := range groups {
		if limited(&c) && c.Pids >= 0 {
			list = append(list, &taskLimit{Cgroup: c})
		}
	}
	counted := map[string]float64{} // refused forks of groups below that groups above count again
	for _, c := range groups {
		refused := view.OrZero(c.PidsRefused) - counted[c.Path]
		if !(refused > 0) {
			continue
		}
		l := limitThatRefused(groups, list, c)
		if l == nil {
			limited(&c)
			l = &taskLimit{Cgroup: c, unclear: true}
			list = append(list, l)
		}
		l.refused += refused
		l.groups = append(l.groups, c)
		for _, above := range groups {
			if above.Version == c.Version && above.Path != c.Path && view.InGroup(c.Path, above.Path) {
				counted[above.Path] += refused
			}
		}
	}
	return list
}

// limitThatRefused picks, of the limits of a group that counted refused forks and of those above
// it, the one that was reached: the fullest, of several the innermost. Nil: none was near.
func limitThatRefused(groups []view.Cgroup, list []*taskLimit, c view.Cgroup) (best *taskLimit) {
	// What the groups above count, too, was refused by a limit of this one.
	above, again := 0, 0
	for _, g := range groups {
		if g.Version == c.Version && g.Path != c.Path && view.InGroup(c.Path, g.Path) && view.Known(g.PidsRefused) {
			if above++; g.PidsRefused >= c.PidsRefused {
				again++
			}
		}
	}
	fullest := nearLimit.Value
	for _, l := range list { // innermost first
		if l.unclear || l.Version != c.Version || !view.InGroup(c.Path, l.Path) {
			continue
		}
		if l.Path == c.Path && above > 0 && again == above {
			return l
		}
		if used := l.used(); used >= fullest && (best == nil || used > fullest) {
			best, fullest = l, used
		}
	}
	return best
}

// used is how much of its limit a group used at the reading at which that was most, 1 at most.
func (l *taskLimit) used() (share float64) {
	for _, s := range l.Samples {
		if s.Pids >= 0 && s.PidsMax > 0 && s.PidsMax < math.MaxInt64 {
			share = max(share, min(float64(s.Pids)/float64(s.PidsMax), 1))
		}
	}
	return share
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
	}
	switch {
	case l.unclear && l.bounded():
		f.Headline = rule.T("%s more processes and threads were refused in %s, which has %s of %s", unit.Count(l.refused), l.Path, unit.Count(l.Pids), unit.Count(l.PidsMax))
		f.Notes = append(f.Notes, rule.T("no limit of it or of a parent group was near at any reading: it was reached in between, or a parent group that is not visible here has it"))
	case !l.bounded():
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
	f.Fixes = []rule.Fix{
		{Text: rule.T("see which processes have them: each thread counts as one"), Command: l.members(), Tradeoff: "none"},
		l.raise(v),
		{Text: rule.T("if a program never ends its threads or children, fix that: a higher limit only delays the problem"), Tradeoff: "a change of the program"},
	}
	return f
}

// members lists the tasks of the group and of those below it by name, how many of each.
func (l *taskLimit) members() shell.Command {
	file := "cgroup.threads"
	if l.Version == 1 {
		file = "tasks"
	}
	return shell.Line("find %s -name %s -exec cat {} + | sed 's|.*|/proc/&/comm|' | xargs -r cat | sort | uniq -c | sort -n | tail", pidsFile(l.Cgroup, ""), file)
}

func (l *taskLimit) bounded() bool { return l.PidsMax > 0 && l.PidsMax < math.MaxInt64 }

// raise gives the group four times as many, if it is known to be the one whose limit was reached.
func (l *taskLimit) raise(v *view.View) rule.Fix {
	f := rule.Fix{Text: rule.T("if this number is intended, raise the limit"), Tradeoff: "some 20 KiB of kernel memory for each; the limit keeps a fork bomb within the group"}
	return rule.TaskGroups.Loosen(v, f, l.Cgroup, "", func(g view.Cgroup) []rule.Setting {
		if to := 4 * l.PidsMax; l.bounded() && !l.unclear && g.PidsMax > 0 && g.PidsMax < to {
			return []rule.Setting{{Property: shell.Line("TasksMax=%d", to), Value: shell.Line("%d", to), File: pidsFile(g, "pids.max")}}
		}
		return nil
	})
}

func pidsFile(c view.Cgroup, file string) shell.Path {
	return rule.TaskGroups.File(c.Version, c.Path, file, file)
}

// sandboxed says that a program has taken the right to start processes from itself: its limit is
// what it has, or next to nothing.
func sandboxed(p view.Process, limit int64) bool {
	return limit < int64(leastUserLimit.Int()) || int64(p.Threads) >= limit && p.First.Threads == p.Threads
}

// forkCalls are the system calls that start processes and threads.
var forkCalls = map[string]bool{"clone": true, "clone3": true, "fork": true, "vfork": true}

// userLimits judges what processes of a user may have together (ulimit -u). The kernel does not
// count what it refuses: that is known only where system calls were counted.
func userLimits(v *view.View) (found []rule.Finding) {
	soft := map[int32]int64{}
	for _, l := range view.Rows[recording.LimitSample](v) {
		if l.ProcsSoft > 0 && l.ProcsSoft < math.MaxInt64 {
			soft[l.PID] = l.ProcsSoft
		}
	}
	refused := map[int32]int64{} // calls, by process
	for _, c := range view.Rows[recording.SyscallSum](v) {
		if forkCalls[c.Call] && c.Error == int32(unix.EAGAIN) {
			refused[c.PID] += c.Calls
		}
	}
	tasks, failed := map[int64]int64{}, map[int64]int64{}
	tightest := map[int64]view.Process{}
	for _, p := range v.Processes() {
		if p.Kernel || p.Gone || p.UID <= 0 || p.Threads <= 0 { // root is not bound
			continue
		}
		tasks[p.UID] += int64(p.Threads)
		failed[p.UID] += refused[p.PID]
		have, ok := tightest[p.UID]
		if limit := soft[p.PID]; limit > 0 && !sandboxed(p, limit) && (!ok || limit < soft[have.PID] || limit == soft[have.PID] && p.Threads > have.Threads) {
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
				Check: shell.Line("ps -L -U %d --no-headers | wc -l; grep processes /proc/%d/limits", uid, p.PID)}},
			Notes: []rule.Text{rule.T("the limit does not apply to programs with CAP_SYS_RESOURCE or CAP_SYS_ADMIN")},
			Fixes: []rule.Fix{{Text: rule.T("see who has them"), Command: shell.Line("ps -o nlwp,pid,comm -U %d --sort=-nlwp | head", uid), Tradeoff: "none"},
				{Text: rule.T("if this number is intended, raise the limit, then for good (LimitNPROC= of its unit, limits.conf)"), Command: shell.Line("prlimit --pid %d --nproc=%d", p.PID, 4*limit), Tradeoff: "some 20 KiB of kernel memory for each; the limit keeps a fork bomb within the user"}},
		}
		switch calls := failed[uid]; {
		case n >= limit && calls > 0:
			f.Confidence = rule.Likely
			f.Headline = rule.T("%s cannot start processes or threads: its user %d has %s, %s are allowed", p.Entity(), uid, unit.Count(n), unit.Count(limit))
			f.Impact = rule.Impact{Share: 1, Text: rule.T("every fork and every new thread of %s", p.Entity())}
			f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ProcessCalls, Value: float64(calls) / v.Seconds(), Limit: rule.Limit(0), Check: shell.Line("rtrail trace syscalls --for 10s"),
				What: rule.T("%s of the user to start one failed with EAGAIN", unit.Plural(calls, "call", "calls"))})
		case n >= limit:
			f.Impact.Text = rule.T("not known whether any was refused: the kernel does not count that")
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

// givenOnce is below which PIDs are given once only, after boot (kernel/pid.c, RESERVED_PIDS).
const givenOnce = 300

// tableSize is how many tasks there are when the next one is refused. PIDs end below
// kernel.pid_max, and of the first ones only those still in use count.
func tableSize(v *view.View, limit int64, name string) int64 {
	if name != "kernel.pid_max" {
		return limit
	}
	early := int64(0)
	for _, p := range v.Processes() {
		if p.PID < givenOnce && !p.Gone {
			early++
		}
	}
	if early == 0 { // it is not told which processes there are
		early = givenOnce - 1
	}
	return limit - givenOnce + early
}

// taskTable judges what the whole host may have: kernel.threads-max and kernel.pid_max. No
// counter tells whether anything was refused.
func taskTable(v *view.View) (rule.Finding, bool) {
	limit, name := tableLimit(v)
	rows := view.Rows[recording.SystemSample](v)
	if name == "" || len(rows) == 0 {
		return rule.Finding{}, false
	}
	full, room := 0, tableSize(v, limit, name)
	for _, s := range rows {
		if s.Tasks >= room {
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
