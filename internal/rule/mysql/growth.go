package mysql

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// growth is the last stretch of the window in which the history grew from each
// reading to the next. What holds purge back was there all the while: behind the
// oldest read view nothing is removed.
type growth struct {
	// began: what was open at this reading was there before the growth, or before
	// the window where that begins within it.
	began time.Time
	// risen is the first higher reading: what came after it did not begin it.
	risen, to time.Time
	last      float64
	perSecond float64
}

// clockSteps is how far an age may be off: servers tell the time of a begin, and
// their own, in whole seconds.
const clockSteps = time.Second

// oneLook is within what time the readings of one look are: looks are a second
// apart or more.
const oneLook = 500 * time.Millisecond

// growthOf finds the stretch; ok is false where the history did not grow to its
// end, or not by as much as purge at full speed leaves lying.
func growthOf(s *view.MySQLServer) (g growth, ok bool) {
	var list []recording.MySQLInnoDB
	for _, r := range s.InnoDB() {
		if r.History >= 0 {
			list = append(list, r)
		}
	}
	end := len(list) - 1
	first := end
	for first > 0 && list[first].History > list[first-1].History {
		first--
	}
	if end-first+1 < lagReadings.Int() {
		return g, false
	}
	added := float64(list[end].History - list[first].History)
	seconds := list[end].At.Sub(list[first].At).Seconds()
	if added < lagging.Value || seconds <= 0 {
		return g, false
	}
	g = growth{began: list[first].At, risen: list[first+1].At, to: list[end].At, last: float64(list[end].History), perSecond: added / seconds}
	if first > 0 {
		g.began = g.risen // it began between the two
	}
	return g, true
}

// explains says that a transaction as old as this saw purge keep up: when it
// began, the history was none that purge is behind with.
func (g growth) explains(age time.Duration) bool {
	return g.last-g.perSecond*(age+clockSteps).Seconds() < lagging.Value
}

// before says whether a transaction that is open at the end of the growth may
// have been open when it began.
func (g growth) before(t recording.MySQLTransaction) bool {
	return t.Age >= 0 && !t.At.Add(-t.Age-clockSteps).After(g.risen)
}

// openAtEnd are the transactions open when the history was read last. known is
// false where the server showed none in the window.
func openAtEnd(v *view.View, s *view.MySQLServer) (list []recording.MySQLTransaction, known bool) {
	looks := v.TransactionsOf(s.Server)
	if len(looks) == 0 {
		return nil, false
	}
	var read time.Time
	for _, r := range s.InnoDB() {
		read = r.At
	}
	if last := looks[len(looks)-1]; last[0].At.After(read.Add(-oneLook)) {
		return last, true
	}
	return nil, true
}

// holderOf is the oldest transaction that had a read view at each look while the
// history grew, if purge kept up before it began. In READ COMMITTED each
// statement has a view of its own, so that one of them must have run all the while.
func holderOf(v *view.View, s *view.MySQLServer) (holder recording.MySQLTransaction, ok bool) {
	g, grew := growthOf(s)
	if !grew {
		return holder, false
	}
	open, _ := openAtEnd(v, s)
	for _, t := range open {
		if t.Session > 0 && (!ok || t.Age > holder.Age) && g.explains(t.Age) && viewedSince(v, s, t, g.began) {
			holder, ok = t, true
		}
	}
	return holder, ok
}

// viewedSince says that a transaction was open with a read view at each look from
// a time on.
func viewedSince(v *view.View, s *view.MySQLServer, last recording.MySQLTransaction, from time.Time) bool {
	begin, seen := last.At.Add(-last.Age), false
	for _, look := range v.TransactionsOf(s.Server) {
		at := look[0].At
		if at.Before(from.Add(-oneLook)) || at.After(last.At) {
			continue
		}
		seen = seen || at.Before(from.Add(oneLook))
		held := false
		for _, t := range look {
			// A connection may have had another one before.
			same := t.Session == last.Session && t.At.Add(-t.Age).Sub(begin).Abs() <= 2*clockSteps
			held = held || same && (t.Snapshot || !s.MariaDB() && reads(t))
		}
		if !held {
			return false
		}
	}
	return seen
}

// reads says that a transaction has a read view although the status of InnoDB does
// not tell: MySQL leaves those out of it that only read. One that neither locked
// nor changed a row has done nothing else, and in these levels keeps its first view.
func reads(t recording.MySQLTransaction) bool {
	return (t.Isolation == "REPEATABLE READ" || t.Isolation == "SERIALIZABLE") && t.RowsLocked == 0 && t.Modified == 0
}

// oldestEvidence is what the ages of open transactions say of a history that is
// long. Only what began when the history had grown already is not what keeps it.
func oldestEvidence(v *view.View, s *view.MySQLServer) (e rule.Evidence, ok bool) {
	open, known := openAtEnd(v, s)
	if !known {
		return e, false
	}
	e = rule.Evidence{Metric: metric.MySQLTransactionAge, Limit: rule.Limit(oldTransaction.Value),
		Check: ask(s, shell.SQL(`select * from information_schema.innodb_trx order by trx_started limit 1\G`))}
	if len(open) == 0 {
		e.What = rule.T("no transaction was open at the last look, so none keeps old versions")
		return e, true
	}
	oldest := open[0]
	for _, t := range open {
		if t.Age > oldest.Age {
			oldest = t
		}
	}
	g, grew := growthOf(s)
	e.Value = oldest.Age.Seconds()
	e.What = rule.T("the oldest open transaction is %s old", unit.Duration(oldest.Age))
	if h, held := holderOf(v, s); held {
		e.Value = h.Age.Seconds()
		e.What = rule.T("%s has had a reading transaction open for %s, since before the history grew: row versions since then cannot be purged", holderName(v, s, h), unit.Duration(h.Age))
		return e, true
	}
	switch {
	case grew && !g.before(oldest):
		e.What = rule.T("the oldest open transaction is %s old and began after the history had grown: it does not keep the old versions", unit.Duration(oldest.Age))
	case grew || oldest.Age >= oldTransaction.Duration():
		e.What = rule.T("the oldest open transaction is %s old and may keep the old versions", unit.Duration(oldest.Age))
	}
	return e, true
}

// holderName names the connection of a transaction.
func holderName(v *view.View, s *view.MySQLServer, t recording.MySQLTransaction) string {
	r, _ := session(v, s.Server, t.Session)
	return rule.T("connection %d (%s)", t.Session, account(r.User, r.Client)).String()
}
