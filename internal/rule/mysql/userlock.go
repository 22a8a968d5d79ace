package mysql

import (
	"fmt"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// userLockState is the state of connections that wait in GET_LOCK.
const userLockState = view.UserLockState

// userLockFinding judges waits in GET_LOCK. Programs use such locks to have
// workers take turns, or to have all but one stand by, so that waiting for hours
// may be what is wanted: it is possible that it is not. Where the lock was passed
// on while others waited, these waited their turn, and the work they wait for is
// done one at a time.
func userLockFinding(v *view.View, s *view.MySQLServer) (rule.Finding, bool) {
	w := locksOf(v, s, "user")
	mean, most, longest := w.waited, int64(w.victims), w.longest
	states, _ := v.StatesOf(s.Server)
	sum := 0.0
	for _, x := range states {
		if x.State == userLockState {
			sum += x.Mean
			most = max(most, x.Most)
			longest = max(longest, x.Longest)
		}
	}
	mean = max(mean, sum)
	many := mean >= waitersAtLeast.Value && mean >= waitersShare.Value*running(s)
	if mean == 0 || longest < longWait.Duration() && !many {
		return rule.Finding{}, false
	}
	f := rule.Finding{Subject: s.Entity(), Confidence: rule.Possible, Affects: w.exhausting(), Behind: w.behind("lock of GET_LOCK"), Tree: w.tree()}
	if many && w.passedOn() {
		f.Confidence = rule.Likely
	}
	f.Impact = rule.Impact{TimeLost: mean, Text: rule.T("%s waited by %s per second", unit.Seconds(mean), connections(int(most)))}
	b, one := w.main()
	switch {
	case one && b.Session > 0:
		lock := "a lock"
		if b.Object != "" {
			lock = fmt.Sprintf("the lock %q", b.Object)
		}
		f.Headline = rule.T("%s of %s %s in GET_LOCK for %s that %s has: %s", connections(len(b.Victims)), s.Name(), wait(len(b.Victims)), lock, blockerName(b), inShort(b))
		f.Fixes = holderFixes(s, b)
	case len(w.blockers) > 1:
		f.Headline = rule.T("on average %s connections of %s wait in GET_LOCK for locks that others hold in turn", unit.Number(mean), s.Name())
	default:
		f.Headline = rule.T("%s of %s %s in GET_LOCK; the holder is unknown", connections(int(most)), s.Name(), wait(int(most)))
		f.Fixes = []rule.Fix{{
			Text:    rule.T("query the connection that has the lock, by the lock name that the program uses"),
			Command: ask(s, shell.SQL("select is_used_lock('NAME')")), Tradeoff: "none",
		}}
	}
	f.Evidence = w.userEvidence(mean, most, longest)
	f.Fixes = append(f.Fixes, rule.Fix{
		Text:     rule.T("if they are meant to stand by or to take turns, nothing is wrong; otherwise hold the lock for less time, or use a separate lock for each task"),
		Tradeoff: "a change of the program",
	})
	return f, true
}

// passedOn says whether one that waited was later seen to have the lock that
// others waited for.
func (w *lockWaits) passedOn() bool {
	waited := map[int64]bool{}
	for _, b := range w.blockers {
		for _, x := range b.Victims {
			waited[x.Session] = true
		}
	}
	for _, b := range w.blockers {
		if waited[b.Session] {
			return true
		}
	}
	return false
}

func (w *lockWaits) userEvidence(mean float64, most int64, longest time.Duration) []rule.Evidence {
	list := []rule.Evidence{{
		Metric: metric.MySQLMetadataLockWaits, Value: mean, Limit: rule.Limit(waitersAtLeast.Value),
		What:  rule.T("in state %q: %s connections on average, at most %d, the longest for %s", userLockState, unit.Number(mean), most, lasted(longest)),
		Check: w.look(ask(w.s, shell.SQL("show full processlist"))),
	}}
	if len(w.blockers) == 0 {
		return append(list, beside(w.s)...)
	}
	return append(list, w.evidence(metric.MySQLMetadataLockWaits, ask(w.s, metadataLocksOf("USER LEVEL LOCK")))[1:]...)
}
