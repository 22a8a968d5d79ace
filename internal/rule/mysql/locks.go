package mysql

import (
	"fmt"
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	longWait = rule.Threshold{Name: "long-wait", Value: 2, Unit: "seconds", Source: rule.Judgement,
		Reason: "Lock wait that counts even for a single connection. Servers report the start of a wait in whole seconds, so a wait of one second may be much shorter."}
	waitersAtLeast = rule.Threshold{Name: "waiters-at-least", Value: 0.5, Unit: "connections", Source: rule.Judgement,
		Reason: "Mean number of waiting connections from which short waits count. A busy server with occasional lock conflicts stays below."}
	waitersShare = rule.Threshold{Name: "waiters-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the active connections. A server at full speed with hundreds of connections always has some that wait briefly."}
	mainBlocker = rule.Threshold{Name: "main-blocker", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the waiting caused by one blocker. Below it many connections contend for the same rows."}
)

const (
	// maxVictims and maxBlockers are how many of them evidence names.
	maxVictims, maxBlockers = 3, 3
)

// lockWaits are the waits of one kind at one server.
type lockWaits struct {
	v        *view.View
	s        *view.MySQLServer
	blockers []view.MySQLBlocker // with victims of this kind, the worst first
	waited   float64             // seconds per second
	victims  int
	looks    int // most looks any blocker blocked in
	longest  time.Duration
}

// locksOf are the lock waits of some kinds: row, metadata, table, user.
func locksOf(v *view.View, s *view.MySQLServer, kinds ...string) *lockWaits {
	w := &lockWaits{v: v, s: s, blockers: v.BlockersOf(s.Server, kinds...)}
	for _, b := range w.blockers {
		w.waited += b.Waited
		w.victims += len(b.Victims)
		w.looks = max(w.looks, b.Looks)
		w.longest = max(w.longest, b.Victims[0].Waited)
	}
	return w
}

// rowLocksOf are the waits for rows. How many transactions wait is read in each
// look; for whom they wait may be too dear for that.
func rowLocksOf(v *view.View, s *view.MySQLServer) *lockWaits {
	w := locksOf(v, s, "row")
	if mean := v.RowLockWaiters(s.Server); mean > w.waited {
		for i := range w.blockers {
			w.blockers[i].Waited *= mean / w.waited
		}
		w.waited = mean
	}
	return w
}

// serious says whether the waits are more than what healthy transactions do to
// each other.
func (w *lockWaits) serious() bool {
	if len(w.blockers) == 0 {
		return false
	}
	return w.longest >= longWait.Duration() || w.waited >= waitersAtLeast.Value && w.waited >= waitersShare.Value*running(w.s)
}

// main is the blocker that causes most of the waiting, if one does.
func (w *lockWaits) main() (view.MySQLBlocker, bool) {
	if len(w.blockers) == 0 || w.blockers[0].Waited < mainBlocker.Value*w.waited {
		return view.MySQLBlocker{}, false
	}
	return w.blockers[0], true
}

func (w *lockWaits) impact() rule.Impact {
	lost := max(w.waited, min(w.longest.Seconds()/max(w.v.Seconds(), 1), 1))
	return rule.Impact{TimeLost: lost, Text: rule.T("%s waited by %s per second", unit.Seconds(lost), connections(w.victims))}
}

// object is the table most waited for.
func (w *lockWaits) object() string {
	n := map[string]int{}
	for _, b := range w.blockers {
		if b.Object != "" {
			n[b.Object] += len(b.Victims)
		}
	}
	return commonest(n)
}

// on is " on db.table", or nothing.
func (w *lockWaits) on() string {
	if o := w.object(); o != "" {
		return " on " + o
	}
	return ""
}

// evidence is what proves the waits: how many, behind whom, who suffers.
func (w *lockWaits) evidence(waits *metric.Metric, check shell.Command) []rule.Evidence {
	list := []rule.Evidence{{
		Metric: waits, Value: w.waited, Limit: rule.Limit(waitersAtLeast.Value),
		What:  rule.T("%s waited in the window, %s at any time, the longest for %s", connections(w.victims), unit.Number(w.waited), lasted(w.longest)),
		Check: w.look(check),
	}}
	for i, b := range w.blockers[:min(len(w.blockers), maxBlockers)] {
		what := rule.T("%s blocks %s: %s%s", blockerName(b), connections(len(b.Victims)), doing(b), since(b))
		if p, ok := w.client(b); ok {
			what = rule.T("%s blocks %s: %s%s; its client is %s", blockerName(b), connections(len(b.Victims)), doing(b), since(b), p.Entity().String())
		}
		list = append(list, rule.Evidence{
			Metric: metric.MySQLLockBlocker, Value: b.Waited, What: what,
			Check: w.blockerCheck(b, check, i == 0),
		})
		if i > 0 {
			continue // victims of the worst are enough
		}
		for _, x := range b.Victims[:min(len(b.Victims), maxVictims)] {
			list = append(list, rule.Evidence{
				Metric: metric.MySQLLockVictim, Value: max(x.Waited.Seconds(), 0),
				What:  rule.T("connection %d waited %s%s: %s", x.Session, lasted(x.Waited), behind(x, b), words(x.Statement)),
				Check: ask(w.s, shell.SQL("select * from information_schema.processlist where id = %d", x.Session)),
			})
		}
	}
	return append(list, beside(w.s)...)
}

// blockerCheck is how a sceptic sees who blocks.
func (w *lockWaits) blockerCheck(b view.MySQLBlocker, waits shell.Command, first bool) shell.Command {
	switch {
	case b.Detached:
		return ask(w.s, shell.SQL("xa recover"))
	case b.Session == 0, first:
		return waits
	}
	return ask(w.s, shell.SQL("select * from information_schema.processlist where id = %d", b.Session))
}

// client finds the program behind a blocker.
func (w *lockWaits) client(b view.MySQLBlocker) (view.Process, bool) {
	r, ok := session(w.v, w.s.Server, b.Session)
	if !ok {
		return view.Process{}, false
	}
	return w.v.ClientOfSession(w.s, r)
}

// behind is whom most wait for who wait for a lock of a kind.
func (w *lockWaits) behind(lock string) []rule.Behind {
	b, one := w.main()
	if !one || b.Session == 0 && !b.Detached {
		return nil
	}
	who := rule.Behind{For: lock, Ahead: w.ahead(b), Mean: b.Waited, Longest: max(b.Victims[0].Waited, 0), Who: view.Entity{Kind: view.KindConnection, Name: blockerName(b), Detail: w.s.Name()}, Words: blockerName(b)}
	if p, ok := w.client(b); ok {
		who.Who = p.Entity()
		who.Words += " of " + p.Entity().String()
		who.Whole = p.Threads == 1 || b.Command == "Sleep" && socketsOf(w.v, p.PID) == 1 && atDisks(w.v, p.PID) == 1
	}
	switch {
	case b.Command == "Sleep":
		who.Words += ", which sleeps"
	case b.Statement != "":
		who.Words += ", which runs " + brief(b.Statement, 40)
	}
	return []rule.Behind{who}
}

// socketsOf is how many connections a process has, by TCP.
func socketsOf(v *view.View, pid int32) (n int) {
	list := v.Connections()
	for i := range list {
		if slices.ContainsFunc(v.SocketOwners(list[i].Inode), func(p view.Process) bool { return p.PID == pid }) {
			n++
		}
	}
	return n
}

// atDisks is how many threads of a process were seen to wait for disks.
func atDisks(v *view.View, pid int32) (n int) {
	for _, b := range v.Blocked() {
		if b.PID == pid && view.DiskWait(b.Where, b.Stack) {
			n++
		}
	}
	return n
}

func behind(x view.MySQLVictim, b view.MySQLBlocker) string {
	if x.Behind == b.Session || x.Behind == 0 {
		return ""
	}
	return fmt.Sprintf(" behind connection %d, which waits as well", x.Behind)
}

// lasted words a wait whose length may be unknown.
func lasted(d time.Duration) string {
	if d < 0 {
		return "for an unknown time"
	}
	return unit.Duration(d).String()
}

// exhausting are the listeners whose connections are used up because of these
// waits: where victims hold at least half of all connections there may be.
func (w *lockWaits) exhausting() []view.Entity {
	limit, ok := w.s.IntVariable("max_connections")
	if !ok || 2*int64(w.victims) < limit {
		return nil
	}
	return []view.Entity{listenerOf(w.v, w.s)}
}
