package mysql

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var threadPoolLeak = rule.Rule{
	ID:         "mysql/thread-pool-counter-leak",
	Title:      "the thread pool counts threads as active that do not exist",
	Plural:     "thread pools count threads as active that do not exist",
	Resource:   "counters of the thread pool",
	Needs:      []recording.Table{recording.MySQLServers},
	Explains:   []string{"mysql/thread-pool-stalled", "rt/slow-connections", "rt/worker-queueing", "rt/server-slow", "rt/connect-slow"},
	Thresholds: []*rule.Threshold{&leakLooks},
	Detect:     ofEach(detectThreadPoolLeak),
}

var leakLooks = rule.Threshold{Name: "leak-looks", Value: 3, Unit: "count", Source: rule.Judgement,
	Reason: "Samples in a row. The numbers of a group are not read at the same moment, so a single sample may be inconsistent."}

// leak is a pool whose groups count more active threads than they have.
type leak struct {
	v       *view.View
	s       *view.MySQLServer
	groups  []view.MySQLPoolGroup
	leaking []view.MySQLPoolGroup
	active  int64 // sums over all groups, at the last look
	threads int64
	missing int64 // active threads that do not exist, in the leaking groups
	queued  float64
}

func detectThreadPoolLeak(v *view.View, s *view.MySQLServer) (found []rule.Finding) {
	l := leakOf(v, s)
	if len(l.leaking) > 0 {
		found = append(found, l.finding())
	}
	return found
}

func leakOf(v *view.View, s *view.MySQLServer) *leak {
	l := &leak{v: v, s: s, groups: v.PoolGroupsOf(s.Server)}
	for _, g := range l.groups {
		l.active += max(g.Active, 0)
		l.threads += max(g.Threads, 0)
		if always(g.Looks, func(r recording.MySQLPoolGroup) bool { return r.Threads >= 0 && r.Active > r.Threads }) {
			l.leaking = append(l.leaking, g)
			l.missing += g.Active - g.Threads
			l.queued += g.MeanQueued
		}
	}
	return l
}

func always(looks []recording.MySQLPoolGroup, is func(recording.MySQLPoolGroup) bool) bool {
	for _, r := range looks {
		if !is(r) {
			return false
		}
	}
	return len(looks) >= leakLooks.Int()
}

// impossible says that more threads count as active than the process has.
func (l *leak) impossible() (threads int64, yes bool) {
	if l.s.Process == nil || l.s.Process.Threads <= 0 {
		return 0, false
	}
	threads = int64(l.s.Process.Threads)
	return threads, l.active > threads
}

func (l *leak) finding() rule.Finding {
	f := rule.Finding{Subject: l.s.Entity(), Confidence: rule.Likely}
	worst := l.leaking[0]
	for _, g := range l.leaking {
		if g.Active-g.Threads > worst.Active-worst.Threads {
			worst = g
		}
	}
	// That statements queue beside idle threads is what the leak does.
	if _, impossible := l.impossible(); impossible || l.queued > 0 {
		f.Confidence = rule.Certain
	}
	f.Headline = rule.T("%d groups of the thread pool of %s count active threads that do not exist: group %d has %d threads and counts %d active", len(l.leaking),
		l.s.Name(), worst.Group, worst.Threads, worst.Active)
	if l.queued > 0 {
		f.Impact = timeLost(l.queued, rule.T("%s statements wait for a thread at any time", unit.Number(l.queued)))
	} else {
		f.Impact = rule.Impact{Share: float64(len(l.leaking)) / float64(len(l.groups)) / 2, Text: rule.T("%d of %d groups start fewer threads than they may", len(l.leaking), len(l.groups))}
	}
	f.Evidence = l.evidence()
	f.Fixes = []rule.Fix{{
		Text:     rule.T("restart the server when load is low, which resets the counters; report the bug"),
		Tradeoff: "connections are lost, caches are cold",
	}}
	if over, ok := l.s.IntVariable("thread_pool_oversubscribe"); ok {
		f.Fixes = append(f.Fixes, rule.Fix{
			Text:     rule.T("until then, raise thread_pool_oversubscribe (%d now) by the number of lost threads: a workaround until the restart", over),
			Command:  ask(l.s, shell.SQL("set global thread_pool_oversubscribe = %d", over+max(worst.Active-worst.Threads, over))),
			Tradeoff: "healthy groups may run that many more statements, too",
		})
	}
	return f
}

func (l *leak) evidence() (list []rule.Evidence) {
	p := stalledPool{v: l.v, s: l.s, groups: l.groups}
	for _, g := range l.leaking[:min(len(l.leaking), maxHolders)] {
		list = append(list, rule.Evidence{Metric: metric.MySQLPoolActive, Value: float64(g.Active), Limit: rule.Limit(float64(g.Threads)),
			What:  rule.T("group %d: %d active of %d threads at all %d looks, %s statements queued on average", g.Group, g.Active, g.Threads, len(g.Looks), unit.Number(g.MeanQueued)),
			Check: ask(l.s, p.table())})
	}
	list = append(list, rule.Evidence{Metric: metric.MySQLPoolActive, Value: float64(l.active), Limit: rule.Limit(float64(l.threads)),
		What: rule.T("all groups together count %d active of %d threads", l.active, l.threads), Check: ask(l.s, p.table())})
	if threads, yes := l.impossible(); yes {
		list = append(list, rule.Evidence{Metric: metric.MySQLPoolActive, Value: float64(threads),
			What:  rule.T("the process has only %d threads: %d of the counted ones cannot exist", threads, l.active-threads),
			Check: shell.Line("ls /proc/%d/task | wc -l", l.s.Process.PID)})
	}
	return append(list, p.settings()...)
}
