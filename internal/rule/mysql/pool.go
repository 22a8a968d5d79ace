package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var threadPoolStalled = rule.Rule{
	ID:           "mysql/thread-pool-stalled",
	Title:        "statements wait for a thread of the thread pool",
	Plural:       "servers have statements that wait for a thread of the thread pool",
	Resource:     "thread pool of MySQL",
	Needs:        []recording.Table{recording.MySQLServers},
	BlindWithout: []recording.Sight{recording.UnseenPoolGroups},
	Explains:     []string{"rt/slow-connections", "rt/worker-queueing", "rt/server-slow", "rt/connect-slow", "mysql/connections-exhausted", "mysql/not-answering"},
	Refutes:      []string{"worker pools"},
	Thresholds:   []*rule.Threshold{&longInPool, &queuedLooks, &queuedShare, &longOwnWait, &allThreads, &joinedGap, &silentAtLeast},
	Detect:       ofEach(detectThreadPoolStalled),
}

var (
	longInPool = rule.Threshold{Name: "long-in-pool", Value: 0.1, Unit: "seconds", Source: rule.Judgement,
		Reason: "Wait for a thread. A pool at full speed also has a queue, but statements wait there for milliseconds."}
	queuedLooks = rule.Threshold{Name: "queued-looks", Value: 2, Unit: "count", Source: rule.Measured,
		Reason: "Samples with queued statements in a group. A single one proves nothing: a healthy pool showed a wait of 363 ms."}
	queuedShare = rule.Threshold{Name: "queued-share", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the samples with queued statements in a group. One burst proves nothing."}
	longOwnWait = rule.Threshold{Name: "long-own-wait", Value: 0.5, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time of a ping or login of rtrail that counts as a wait for a thread. It needs a thread and almost nothing else, but also CPU and network."}
	allThreads = rule.Threshold{Name: "all-threads", Value: 0.9, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the threads that a pool may create. From here on it is exhausted."}
	joinedGap = rule.Threshold{Name: "joined-gap", Value: 5, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the slowest answer to the execution time. From here on, and if clients wait more than half of the time outside execution, both are shown side by side."}
)

const (
	// maxHolders is how many statements that hold a group up are named.
	maxHolders = 3
)

// stalledPool is a thread pool whose groups queue.
type stalledPool struct {
	v      *view.View
	s      *view.MySQLServer
	groups []view.MySQLPoolGroup // all
	slow   []view.MySQLPoolGroup // those that queue, the longest queue first
	own    ownWaits
}

// ownWaits are how long rtrail itself waited for a thread of the pool. They show
// what the server's queues cannot show to someone who stands in them and is
// answered when they are empty, and what no queue holds: when all threads of a
// group work, none listens for requests, which stay in their sockets.
type ownWaits struct {
	group   int32 // of rtrail's connection
	n       int
	longest time.Duration
	share   float64 // of the window
}

// waits finds out how long rtrail waited for a thread.
func (p *stalledPool) waits() (o ownWaits) {
	add := func(l recording.MySQLServer, d time.Duration) {
		if l.Connection <= 0 || d < longOwnWait.Duration() {
			return
		}
		o.group = int32(l.Connection % int64(len(p.groups)))
		o.n++
		o.longest = max(o.longest, d)
		o.share += d.Seconds() / p.v.End().Sub(p.v.Start()).Seconds()
	}
	for i, l := range p.s.Looks {
		switch {
		case l.State == recording.ServerAnswers || l.State == recording.ServerSlow:
			add(l, l.Connect)
			add(l, l.Answer)
		case l.State == recording.ServerStalled && i == len(p.s.Looks)-1: // the others end in an answer, which counts
			add(l, l.Waited)
		}
	}
	return o
}

// heldUp says whether rtrail's own waits prove that a group lacks threads: again
// and again, or once for long, and the server says so, too.
func (p *stalledPool) heldUp(g view.MySQLPoolGroup) bool {
	return p.own.group == g.Group && (p.own.n >= queuedLooks.Int() || p.own.longest >= silentAtLeast.Duration()) && p.own.share >= queuedShare.Value &&
		(g.Stalls > 0 || g.QueuedLooks > 0 || p.exhausted())
}

// exhausted says whether the pool has made all threads that it may.
func (p *stalledPool) exhausted() bool {
	limit, ok := p.s.IntVariable("thread_pool_max_threads")
	return p.s.MariaDB() && ok && p.threads() >= allThreads.Value*float64(limit)
}

func detectThreadPoolStalled(v *view.View, s *view.MySQLServer) (found []rule.Finding) {
	p := stalledPool{v: v, s: s, groups: v.PoolGroupsOf(s.Server)}
	if len(p.groups) > 0 {
		p.own = p.waits()
	}
	for _, g := range p.groups {
		if p.stalled(g) || p.heldUp(g) {
			p.slow = append(p.slow, g)
		}
	}
	if len(p.slow) > 0 {
		found = append(found, p.finding())
	}
	return found
}

// stalled says whether statements wait long in the queue of a group, again and
// again.
func (p *stalledPool) stalled(g view.MySQLPoolGroup) bool {
	looks := g.QueuedLooks
	if g.LongestWait > 0 {
		looks = 0
		for _, l := range g.Looks {
			if l.LongestWait >= longInPool.Duration() {
				looks++
			}
		}
	}
	return looks >= queuedLooks.Int() && float64(looks) >= queuedShare.Value*float64(len(g.Looks)) && p.wait(g) >= longInPool.Duration()
}

// wait is how long a statement waits for a thread of a group: the longest the
// server showed or rtrail met, or else by the length of the queue and how fast it
// is worked off.
func (p *stalledPool) wait(g view.MySQLPoolGroup) time.Duration {
	if p.heldUp(g) {
		return max(g.LongestWait, p.own.longest)
	}
	if g.LongestWait > 0 {
		return g.LongestWait
	}
	seconds := view.Elapsed(g.Looks).Seconds()
	if seconds <= 0 {
		return 0
	}
	if g.Dequeued > 0 {
		return time.Duration(g.MeanQueued / (g.Dequeued / seconds) * float64(time.Second))
	}
	if g.Looks[0].Dequeued < 0 {
		return 0 // the server counts none: nothing can be said
	}
	return time.Duration(seconds * float64(time.Second)) // queued, and none taken
}

func (p *stalledPool) confidence() rule.Confidence {
	for _, g := range p.slow {
		if g.Stalled || g.Stalls > 0 || g.LongestWait >= longInPool.Duration() {
			return rule.Certain
		}
	}
	return rule.Likely
}

func (p *stalledPool) finding() rule.Finding {
	f := rule.Finding{Subject: p.s.Entity(), Confidence: p.confidence()}
	var queued float64
	var longest time.Duration
	for _, g := range p.slow {
		queued += g.MeanQueued
		if p.heldUp(g) {
			queued = max(queued, p.own.share) // at least rtrail
		}
		longest = max(longest, p.wait(g))
	}
	f.Impact = timeLost(queued, rule.T("%s statements wait for a thread at any time", unit.Number(queued)))
	if j, ok := p.joined(); ok {
		f.Headline = rule.T("clients of %s wait up to %s, but execution takes %s: statements queue before execution, in %s of the thread pool", p.s.Name(),
			unit.Duration(j.ClientMax), unit.Duration(j.Executed), p.which())
	} else {
		f.Headline = rule.T("%s of the thread pool of %s stalled: statements wait up to %s for a thread", p.which(), p.s.Name(), unit.Duration(longest))
	}
	f.Evidence = p.evidence()
	f.Fixes = p.fixes()
	return f
}

// which names the groups that queue.
func (p *stalledPool) which() string {
	if len(p.slow) == 1 {
		return fmt.Sprintf("group %d of %d", p.slow[0].Group, len(p.groups))
	}
	if len(p.slow) == len(p.groups) {
		return fmt.Sprintf("all %d groups", len(p.groups))
	}
	return fmt.Sprintf("%d of %d groups", len(p.slow), len(p.groups))
}

// joined is the statement for which clients wait most beside its execution.
func (p *stalledPool) joined() (view.MySQLJoined, bool) {
	for _, j := range p.v.MySQLJoinedOf(p.s) {
		if j.ClientMax >= joinedGap.Times(j.Executed) && j.ClientMax >= longInPool.Duration() && j.Before() >= j.ClientSum/2 {
			return j, true
		}
	}
	return view.MySQLJoined{}, false
}

func (p *stalledPool) evidence() (list []rule.Evidence) {
	for _, g := range p.slow[:min(len(p.slow), maxHolders)] {
		if p.heldUp(g) {
			list = append(list, p.ownWait())
		}
		what := rule.T("group %d: %s statements queued on average, at most %d, the longest for %s; %d threads, %d active, %d connections",
			g.Group, unit.Number(g.MeanQueued), g.MostQueued, unit.Duration(p.wait(g)), g.Threads, g.Active, g.Connections)
		if g.QueuedLooks == 0 {
			what = rule.T("group %d: %d threads, %d active, %d connections; nothing was queued whenever rtrail was answered", g.Group, g.Threads, g.Active, g.Connections)
		}
		list = append(list, rule.Evidence{Metric: metric.MySQLPoolQueue, Value: g.MeanQueued, Limit: rule.Limit(0), What: what, Check: ask(p.s, p.table())})
		if g.Stalls > 0 {
			list = append(list, rule.Evidence{Metric: metric.MySQLPoolStalls, Value: g.Stalls, Limit: rule.Limit(0),
				What:  rule.T("the timer of the pool found group %d stalled %s times", g.Group, unit.Count(g.Stalls)),
				Check: ask(p.s, shell.SQL("select group_id, stalls, throttles, dequeues_by_worker from information_schema.thread_pool_stats"))})
		}
	}
	if rest := len(p.groups) - len(p.slow); rest > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLPoolGroupsServed, Value: float64(rest),
			What: rule.T("the other %d groups have no such queue: their connections are served at once", rest), Check: ask(p.s, p.table())})
	}
	list = append(list, p.holders()...)
	if j, ok := p.joined(); ok {
		list = append(list, rule.Evidence{Metric: metric.MySQLBeforeExecution, Value: j.Before().Seconds(),
			What: rule.T("%s: clients waited %s (median), %s (99th percentile) for %s answers; the server counts %s on average for %s executions", words(j.Text),
				unit.Duration(j.ClientP50), unit.Duration(j.ClientP99), unit.Count(j.Requests), unit.Duration(j.Executed), unit.Count(j.Runs)),
			Check: ask(p.s, shell.SQL("select digest_text, count_star, avg_timer_wait/1e9 ms from performance_schema.events_statements_summary_by_digest order by sum_timer_wait desc limit 10"))})
	} else {
		list = append(list, beside(p.s)...)
	}
	return append(list, p.settings()...)
}

// ownWait is what rtrail met itself.
func (p *stalledPool) ownWait() rule.Evidence {
	all := ""
	if p.exhausted() {
		all = rule.T(", and the pool has created all %s threads that its limit allows", unit.Number(p.threads())).String()
	}
	return rule.Evidence{Metric: metric.MySQLOwnWait, Value: p.own.longest.Seconds(), Limit: rule.Limit(longOwnWait.Value),
		What: rule.T("rtrail's own connection is in group %d: its pings and logins, which need only a thread, waited up to %s, and %s of the window%s",
			p.own.group, unit.Duration(p.own.longest), unit.Share(p.own.share), all),
		Check: shell.Line("time %s", ask(p.s, shell.SQL("do 1")))}
}

// table is where a server shows its groups.
func (p *stalledPool) table() shell.Query {
	if p.s.MariaDB() {
		return shell.SQL("select * from information_schema.thread_pool_groups; select * from information_schema.thread_pool_queues")
	}
	return shell.SQL("select * from information_schema.thread_pool_status")
}

// holders are the statements that keep the threads of the slow groups: the
// longest of the connections that belong to them. Pools deal connections to
// groups by their number.
func (p *stalledPool) holders() (list []rule.Evidence) {
	size := int64(len(p.groups))
	slow := map[int64]bool{}
	for _, g := range p.slow {
		slow[int64(g.Group)] = true
	}
	longest := map[int64]recording.MySQLSession{}
	for _, look := range p.v.SessionsOf(p.s.Server) {
		for _, r := range look {
			if r.Command != "Sleep" && r.Statement != "" && r.For >= longest[r.ID].For && slow[r.ID%size] {
				longest[r.ID] = r
			}
		}
	}
	var rows []recording.MySQLSession
	for _, r := range longest {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b recording.MySQLSession) int {
		return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.ID, b.ID))
	})
	for _, r := range rows[:min(len(rows), maxHolders)] {
		state := ""
		if r.State != "" {
			state = ", state " + r.State
		}
		list = append(list, rule.Evidence{Metric: metric.MySQLPoolHolder, Value: max(r.For.Seconds(), 0),
			What:  rule.T("connection %d (%s) of group %d runs for %s%s: %s", r.ID, account(r.User, r.Client), r.ID%size, lasted(r.For), state, words(r.Statement)),
			Check: ask(p.s, shell.SQL("select * from information_schema.processlist where id %% %d = %d and command <> 'Sleep' order by time desc", size, r.ID%size))})
	}
	return list
}

// settings are the limits of the pool.
func (p *stalledPool) settings() []rule.Evidence {
	var list []string
	for _, name := range []string{"thread_pool_size", "thread_pool_max_threads", "thread_pool_oversubscribe", "thread_pool_stall_limit"} {
		if value, ok := p.s.Variable(name); ok {
			list = append(list, name+" "+value)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []rule.Evidence{{Metric: metric.MySQLPoolThreads, Value: p.threads(),
		What:  rule.T("%s threads in all groups; %s", unit.Number(p.threads()), strings.Join(list, ", ")),
		Check: ask(p.s, shell.SQL("show variables like 'thread_pool%%'"))}}
}

func (p *stalledPool) threads() (n float64) {
	for _, g := range p.groups {
		n += float64(max(g.Threads, 0))
	}
	return n
}

func (p *stalledPool) fixes() (fixes []rule.Fix) {
	limit, _ := p.s.IntVariable("thread_pool_max_threads")
	over, oversubscribed := p.s.IntVariable("thread_pool_oversubscribe")
	switch {
	case p.exhausted():
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("the pool has reached its limit of threads: raise thread_pool_max_threads (%d now)", limit),
			Command:  ask(p.s, shell.SQL("set global thread_pool_max_threads = %d", max(10*limit, 1000))),
			Tradeoff: "more statements at the same time, memory per thread",
		})
	case !p.s.MariaDB() && oversubscribed:
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("allow a group more statements at the same time (thread_pool_oversubscribe %d now)", over),
			Command:  ask(p.s, shell.SQL("set global thread_pool_oversubscribe = %d", 2*max(over, 1))),
			Tradeoff: "more contention when all of them compute",
		})
	}
	if stall, ok := p.s.IntVariable("thread_pool_stall_limit"); ok && stall > shortStall {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("let the pool detect stalled groups sooner: lower thread_pool_stall_limit (%d now)", stall),
			Command:  ask(p.s, shell.SQL("set global thread_pool_stall_limit = %d", shortStall)),
			Tradeoff: "more threads for statements that are just long",
		})
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("give long statements their own connections: another port (extra_port), or a replica; more groups only spread them (thread_pool_size)"),
		Tradeoff: "a change of the clients' configuration",
	})
}

// shortStall is the default of Oracle's pool, in milliseconds; MariaDB's and
// Percona's is 500.
const shortStall = 60
