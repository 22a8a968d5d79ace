package audit

import (
	"time"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// poolSettings are the thread pool's. Connections are dealt to groups and stay
// there: a group can have a queue while others have nothing to do.
var poolSettings = []Setting{
	{
		Name: "thread_handling", Topic: Threads, Apply: Restart,
		Why:  "one thread per connection, or a pool; a pool limits how many statements work at a time",
		Cost: "in a pool a statement may wait before it is executed, which no slow log shows",
	},
	{
		Name: "thread_pool_size", Topic: Threads, Apply: Mixed, Auto: "the number of CPUs (Oracle's: 16)",
		Why:  "how many groups there are; each has one queue and one lock",
		Cost: "many groups have few threads each, so that one long statement blocks more of its neighbours",
		With: []string{"thread_pool_oversubscribe"}, Advise: advisePoolSize,
	},
	{
		Name: "thread_pool_oversubscribe", Topic: Threads, Apply: Dynamic,
		Why:  "how many threads of a group may work at a time beyond the first; the rest of its statements queue",
		Cost: "too many, and the pool limits nothing any more",
		With: []string{"thread_pool_size"}, Advise: adviseOversubscribe,
	},
	{
		Name: "thread_pool_stall_limit", Topic: Threads, Apply: Dynamic,
		Why:  "after so long a statement counts as stalled and its group gets another thread. Milliseconds in MariaDB and Percona's, 10 ms in Oracle's",
		Cost: "short: more threads, for long statements as well", Advise: adviseStallLimit,
	},
	{
		Name: "thread_pool_max_threads", Topic: Threads, Apply: Dynamic,
		Why:  "no threads are made beyond it: the pool can block itself when all of them wait",
		Cost: "memory", Advise: advisePoolThreads,
	},
	{
		Name: "thread_pool_idle_timeout", Topic: Threads, Unit: Seconds, Apply: Dynamic,
		Why:  "idle threads of the pool end after this time and have to be made again",
		Cost: "memory of idle threads",
	},
	{
		Name: "thread_pool_prio_kickup_timer", Topic: Threads, Unit: Millis, Apply: Dynamic,
		Why:  "statements in the low priority queue move up after this time: it bounds how long they starve",
		Cost: "short: open transactions lose their priority",
	},
	{
		Name: "thread_pool_priority", Topic: Threads, Only: "MariaDB", Apply: Dynamic,
		Why:  "auto: statements of open transactions go first, so that they end soon",
		Cost: "others wait",
	},
	{
		Name: "thread_pool_high_prio_mode", Topic: Threads, Apply: Dynamic,
		Why:  "transactions: statements of open transactions go first, so that they end soon",
		Cost: "others wait",
	},
	{
		Name: "thread_pool_high_prio_tickets", Topic: Threads, Apply: Dynamic,
		Why:  "how many statements of a connection may go first before it queues with the others",
		Cost: "0: no priority",
	},
	{
		Name: "thread_pool_dedicated_listener", Topic: Threads, Only: "MariaDB", Apply: Dynamic,
		Why:  "a thread per group that only listens: queue times become exact",
		Cost: "a thread per group",
	},
	{
		Name: "thread_pool_algorithm", Topic: Threads, Only: "MySQL", Apply: Restart,
		Why:  "1: more threads at a time for many CPUs",
		Cost: "less of a limit",
	},
	{
		Name: "thread_pool_query_threads_per_group", Topic: Threads, Only: "MySQL", Apply: Dynamic,
		Why:  "how many statements of a group may work at a time in Oracle's pool",
		Cost: "less of a limit",
	},
}

// queueing is the groups that had a queue in most looks, and those that never
// had one.
func (f *Facts) queueing() (queued, idle []view.MySQLPoolGroup) {
	for _, g := range f.pool {
		switch {
		case len(g.Looks) >= 3 && float64(g.QueuedLooks) >= queuedLooks*float64(len(g.Looks)):
			queued = append(queued, g)
		case g.QueuedLooks == 0:
			idle = append(idle, g)
		}
	}
	return queued, idle
}

// queueEvidence words the queue of the worst group.
func queueEvidence(queued []view.MySQLPoolGroup) rule.Text {
	g := queued[0]
	return rule.T("group %d had statements waiting for a thread in %d of %d looks, up to %s", g.Group, g.QueuedLooks, len(g.Looks), unit.Count(g.MostQueued))
}

func advisePoolSize(f *Facts, v Value) *Advice {
	n, ok := v.Int()
	queued, _ := f.queueing()
	if !ok || len(queued) == 0 || f.CPUs == 0 || n > int64(f.CPUs)/2 {
		return nil
	}
	return &Advice{
		Direction: Raise, To: unit.Count(f.CPUs).String() + ", the number of CPUs", Sure: rule.Likely,
		Evidence: []rule.Text{
			rule.T("there are %d groups for %d CPUs", n, f.CPUs),
			queueEvidence(queued),
		},
		Pushes: map[string]Direction{concurrency: Raise},
	}
}

func adviseOversubscribe(f *Facts, v Value) *Advice {
	n, ok := v.Int()
	queued, idle := f.queueing()
	if !ok || len(queued) == 0 || len(idle) == 0 {
		return nil // all groups have queues: there is too much work, not a group too narrow
	}
	if size, known := f.int("thread_pool_size"); known && f.CPUs > 0 && size <= int64(f.CPUs)/2 {
		return nil // there are too few groups
	}
	if f.host && f.busy.Busy() > nearLimit {
		return nil // the CPUs have no room for more
	}
	to := unit.Count(2 * n).String()
	if n <= 0 {
		to = f.more("thread_pool_oversubscribe", n, Plain)
	}
	return &Advice{
		Direction: Raise, To: to + ", and find the long statements that fill the group", Sure: rule.Likely,
		Evidence: []rule.Text{
			queueEvidence(queued),
			rule.T("%d of %d groups never had one: connections stay in their group", len(idle), len(f.pool)),
		},
		Pushes: map[string]Direction{concurrency: Raise},
	}
}

func adviseStallLimit(f *Facts, v Value) *Advice {
	n, ok := v.Int()
	if !ok {
		return nil
	}
	limit := time.Duration(n) * time.Millisecond
	if f.server.Flavor == "MySQL" {
		limit *= 10
	}
	stalls, longest, group := 0.0, time.Duration(0), int32(0)
	for _, g := range f.pool {
		stalls += g.Stalls
		if g.LongestWait > longest {
			longest, group = g.LongestWait, g.Group
		}
	}
	if stalls <= 0 || longest < limit || f.host && f.busy.Busy() > nearLimit {
		return nil
	}
	return &Advice{
		Direction: Lower, To: "less than a wait in the queue may last", Sure: rule.Possible,
		Evidence: []rule.Text{
			rule.T("groups were found stalled: %s; the timer looks every %s", f.times(stalls), unit.Duration(limit)),
			rule.T("a statement of group %d waited %s in the queue", group, unit.Duration(longest)),
		},
		Pushes: map[string]Direction{concurrency: Raise},
	}
}

func advisePoolThreads(f *Facts, v Value) *Advice {
	limit, ok := v.Int()
	threads, told := f.gauge("Threadpool_threads")
	if !ok || !told || limit <= 0 || threads < nearLimit*float64(limit) {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "more than ever wait for locks at a time", Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%s of %s threads exist", unit.Count(threads), unit.Count(limit))},
		Pushes:   map[string]Direction{concurrency: Raise, hostMemory: Raise},
	}
}
