package memory

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// kill is one process the OOM killer took, as the kernel log tells it.
type kill struct {
	at       time.Time
	before   bool // logged before the window
	memcg    bool // for the limit of a control group
	pid      int32
	comm     string
	anon     int64  // bytes of anonymous memory it had; Unknown without
	group    string // whose limit was hit
	taskIn   string // where the process lived
	usage    int64  // of the group, bytes; Unknown without
	limit    int64  // of the group, bytes; Unknown without
	asked    string // who asked for the memory that was not there
	cpuset   bool   // only the nodes of a cpuset or a memory policy were full
	wholeOne bool   // memory.oom.group: all processes of the group go
}

var recentKills = rule.Threshold{Name: "recent-kills", Value: 5 * 60, Unit: "seconds", Source: rule.Judgement,
	Reason: "Kills logged this long before the window are mentioned: users call this \"it was just killed\"."}

// Names of processes and groups may hold anything, also blanks, commas and new
// lines.
var (
	// "java invoked oom-killer: gfp_mask=0x..., order=0, oom_score_adj=0"
	invoked = regexp.MustCompile(`(?s)^(.{1,15}) invoked oom-killer: `)
	// since 4.19: "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),
	// cpuset=c,mems_allowed=0,oom_memcg=/a,task_memcg=/a/b,task=java,pid=1,uid=0"
	summary = regexp.MustCompile(`^oom-kill:constraint=(\w+),`)
	groups  = regexp.MustCompile(`(?s)^oom-kill:(?:.*,oom_memcg=(/.*)|.*),task_memcg=(/.*),task=.*,pid=\d+,uid=\d+$`)
	// until 4.18: "Task in /a/b killed as a result of limit of /a"
	taskIn = regexp.MustCompile(`(?s)^Task in (/.*) killed as a result of limit of (/.*)$`)
	// "memory: usage 524288kB, limit 524288kB, failcnt 77"
	usage = regexp.MustCompile(`^memory: usage (\d+)kB, limit (\d+)kB, failcnt (\d+)`)
	// since 5.0: "Out of memory: Killed process 7 (java) total-vm:1kB, anon-rss:1kB, ..."
	// and "Memory cgroup out of memory: Killed process 7 (java) total-vm:..."
	// until 4.20: "Killed process 7 (java) total-vm:..." after a line
	// "Out of memory: Kill process 7 (java) score 9 or sacrifice child"
	killed     = regexp.MustCompile(`(?s)^(?:(Out of memory|Memory cgroup out of memory)[^:]*: )?Killed process (\d+) \((.*)\),? (?:UID \d+, )?total-vm:\d+kB, anon-rss:(\d+)kB`)
	announced  = regexp.MustCompile(`(?s)^(Out of memory|Memory cgroup out of memory)[^:]*: Kill process (\d+) \((.*)\) score (\d+) or sacrifice child`)
	wholeGroup = regexp.MustCompile(`(?s)^Tasks in (.+) are going to be killed due to memory\.oom\.group set`)
)

// kills reads the kernel log of the window and of the minutes before it. One
// kill is told in several lines; they come in this order on every kernel:
// invoked, task or summary, usage (v1 and v2), killed.
func kills(v *view.View) []kill {
	return view.Memo(v, "oom-kills", func() []kill {
		list := parseKills(lines(v), v.Start(), v.End())
		for i, k := range list {
			if p, seen := v.Process(k.pid); seen && k.memcg && k.group == "" {
				list[i].taskIn = p.MemCgroup
				if c, limited := v.MemoryLimitOf(p); limited {
					list[i].group = c.Path
				}
			}
		}
		return list
	})
}

// lines are the lines of the kernel log in the window, each once, in the order
// in which the kernel wrote them.
func lines(v *view.View) []recording.KernelLogLine {
	seen := map[uint64]bool{}
	var list []recording.KernelLogLine
	for _, l := range view.Rows[recording.KernelLogLine](v) {
		if !seen[l.Sequence] {
			seen[l.Sequence] = true
			list = append(list, l)
		}
	}
	return list
}

func parseKills(log []recording.KernelLogLine, start, end time.Time) []kill {
	fresh := func() kill { return kill{anon: recording.Unknown, usage: recording.Unknown, limit: recording.Unknown} }
	var list []kill
	now := fresh()
	for _, l := range log {
		text := strings.TrimSpace(l.Text)
		switch {
		case invoked.MatchString(text):
			now = fresh()
			now.asked = invoked.FindStringSubmatch(text)[1]
		case taskIn.MatchString(text):
			now.memcg = true
			if strings.Count(text, " killed as a result of limit of ") == 1 {
				m := taskIn.FindStringSubmatch(text)
				now.taskIn, now.group = m[1], m[2]
			}
		case summary.MatchString(text):
			readSummary(&now, text)
		case usage.MatchString(text):
			m := usage.FindStringSubmatch(text)
			now.usage, now.limit = kilobytes(m[1]), kilobytes(m[2])
		case announced.MatchString(text):
			m := announced.FindStringSubmatch(text)
			now.memcg = now.memcg || strings.HasPrefix(m[1], "Memory cgroup")
		case wholeGroup.MatchString(text):
			now.wholeOne = true
		case killed.MatchString(text):
			m := killed.FindStringSubmatch(text)
			k := now
			k.at, k.before = l.Logged, l.Logged.Before(start)
			if m[1] != "" {
				k.memcg = strings.HasPrefix(m[1], "Memory cgroup")
			}
			if pid, err := strconv.ParseInt(m[2], 10, 32); err == nil {
				k.pid = int32(pid)
			}
			k.comm, k.anon = m[3], kilobytes(m[4])
			if !l.Logged.After(end) && start.Sub(l.Logged) <= recentKills.Duration() {
				list = append(list, k)
			}
			// The lines before are rate limited, "Killed process" is not: what
			// was said about one kill must not be taken for the next one,
			// unless the whole group goes.
			if !now.wholeOne {
				now = fresh()
			}
		}
	}
	return list
}

// readSummary leaves the groups open where a name looks like another field: who
// chose it must not choose whose limit is said to have been hit.
func readSummary(k *kill, text string) {
	m := summary.FindStringSubmatch(text)
	k.memcg = m[1] == "CONSTRAINT_MEMCG"
	k.cpuset = m[1] == "CONSTRAINT_CPUSET" || m[1] == "CONSTRAINT_MEMORY_POLICY"
	for _, field := range []string{",oom_memcg=", ",task_memcg=", ",task="} {
		if strings.Count(text, field) > 1 {
			return
		}
	}
	if m := groups.FindStringSubmatch(text); m != nil {
		k.group, k.taskIn = m[1], m[2]
	}
}

func kilobytes(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > 1<<52 {
		return recording.Unknown
	}
	return n * 1024
}
