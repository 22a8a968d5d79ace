package mysql

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var rowLockWait = rule.Rule{
	ID:           "mysql/row-lock-wait",
	Title:        "statements wait for row locks of another transaction",
	Plural:       "transactions hold row locks that statements wait for",
	Resource:     "row locks",
	Needs:        []recording.Table{recording.MySQLServers},
	BlindWithout: []recording.Sight{recording.UnseenTransactions},
	Explains: []string{"mysql/long-transaction", "mysql/connections-exhausted", "mysql/thread-pool-stalled",
		"rt/server-slow", "rt/slow-connections", "rt/worker-queueing", "rt/errors"},
	Thresholds: []*rule.Threshold{&longWait, &waitersAtLeast, &waitersShare, &mainBlocker},
	Detect:     ofEach(detectRowLockWait),
}

func detectRowLockWait(v *view.View, s *view.MySQLServer) (found []rule.Finding) {
	w := rowLocksOf(v, s)
	switch {
	case w.serious():
		found = append(found, rowLockFinding(w))
	case len(w.blockers) == 0:
		if f, ok := rowLockUnseen(s, w.waited); ok {
			found = append(found, f)
		}
	}
	return found
}

func rowLockFinding(w *lockWaits) rule.Finding {
	f := rule.Finding{
		Subject: w.s.Entity(), Confidence: rule.Certain, Impact: w.impact(),
		Affects: w.exhausting(), Behind: w.behind("row lock"), Tree: w.tree(),
		Evidence: w.evidence(metric.MySQLRowLockWaits, rowLockCheck(w.s)),
	}
	b, one := w.main()
	if one {
		f.Headline = rule.T("row lock: %s blocks %s of %s%s: %s", blockerName(b), connections(len(b.Victims)), w.s.Name(), w.on(), inShort(b))
		f.Fixes = holderFixes(w.s, b)
	} else {
		f.Headline = rule.T("on average %s connections of %s wait for row locks%s, each behind another one: many transactions contend for the same rows",
			unit.Number(w.waited), w.s.Name(), w.on())
	}
	f.Evidence = append(f.Evidence, rowLockCounters(w.s)...)
	if one && b.Detached {
		return f // no other way to write programs or statements would end it
	}
	f.Fixes = append(f.Fixes, rule.Fix{
		Text:     rule.T("keep locks for less time: change contended rows last, commit at once, and do nothing else between BEGIN and COMMIT"),
		Tradeoff: "a change of the program",
	})
	if b.Index == "PRIMARY" || b.Index == "GEN_CLUST_INDEX" || !one {
		look := rule.Fix{
			Text:     rule.T("see whether the statements find their rows by an index: an UPDATE or DELETE without one locks every row it looks at"),
			Tradeoff: "an index takes space and slows writes",
		}
		if !one {
			look.Command = w.explain() // a plan helps nobody at once who waits for one holder
		}
		f.Fixes = append(f.Fixes, look)
	}
	return f
}

// explain asks for the plan of a statement that waits, or makes others wait, if it is known.
func (w *lockWaits) explain() shell.Command {
	for i := range w.blockers {
		b := &w.blockers[i]
		for _, text := range append([]string{b.Statement}, statementsOf(b.Victims)...) {
			if c := explain(w.s, text); text != "" && !c.Empty() {
				return c
			}
		}
	}
	return shell.Command{}
}

func statementsOf(list []view.MySQLVictim) (texts []string) {
	for _, x := range list {
		texts = append(texts, x.Statement)
	}
	return texts
}

// rowLockCheck is where a server shows its row-lock waits.
func rowLockCheck(s *view.MySQLServer) shell.Command {
	if !s.MariaDB() && s.AtLeast(5, 7) {
		return ask(s, shell.SQL(`select * from sys.innodb_lock_waits\G`))
	}
	return ask(s, shell.SQL("select w.requesting_trx_id, w.blocking_trx_id, r.trx_mysql_thread_id waits, b.trx_mysql_thread_id blocks, r.trx_query from information_schema.innodb_lock_waits w join information_schema.innodb_trx r on r.trx_id = w.requesting_trx_id join information_schema.innodb_trx b on b.trx_id = w.blocking_trx_id"))
}

// rowLockCounters are InnoDB's own sums.
func rowLockCounters(s *view.MySQLServer) []rule.Evidence {
	waits, ok := s.Delta("Innodb_row_lock_waits")
	took, timed := s.Delta("Innodb_row_lock_time")
	if !ok || !timed || waits == 0 && took == 0 {
		return nil // of waits that began before the window and go on it counts nothing
	}
	return []rule.Evidence{{
		Metric: metric.MySQLRowLockTime, Value: took / 1000,
		What:  rule.T("InnoDB counted %s waits for rows; the finished ones took %s in total", unit.Count(waits), unit.Seconds(took/1000)),
		Check: ask(s, shell.SQL("show global status like 'Innodb_row_lock%%'")),
	}}
}

// rowLockUnseen judges by how many transactions wait where the waits themselves cannot be
// read.
func rowLockUnseen(s *view.MySQLServer, waiting float64) (rule.Finding, bool) {
	mean, most, _, _ := s.Gauge("Innodb_row_lock_current_waits")
	mean = max(mean, waiting)
	if mean < waitersAtLeast.Value || mean < waitersShare.Value*running(s) {
		return rule.Finding{}, false
	}
	return rule.Finding{
		Subject: s.Entity(), Confidence: rule.Likely,
		Headline: rule.T("on average %s connections of %s wait for row locks; the holders are unknown", unit.Number(mean), s.Name()),
		Impact:   rule.Impact{TimeLost: mean, Text: rule.T("%s waited per second", unit.Seconds(mean))},
		Evidence: append([]rule.Evidence{{
			Metric: metric.MySQLRowLockWaits, Value: mean, Limit: rule.Limit(waitersAtLeast.Value),
			What:  rule.T("%s transactions wait on average, Innodb_row_lock_current_waits is at most %s", unit.Number(mean), unit.Number(most)),
			Check: ask(s, shell.SQL("show global status like 'Innodb_row_lock_current_waits'")),
		}}, append(rowLockCounters(s), beside(s)...)...),
		Fixes: []rule.Fix{{
			Text:     rule.T("let rtrail see the blocker, then end or shorten its transaction"),
			Command:  askAs(s, shell.Command{}, shell.SQL("grant process on *.* to USER; grant select on performance_schema.* to USER")),
			Tradeoff: "the user sees statements of other users",
		}},
	}, true
}
