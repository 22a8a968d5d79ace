package mysql

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var purgeLag = rule.Rule{
	ID:           "mysql/purge-lag",
	Title:        "InnoDB purge does not keep up with changes",
	Plural:       "servers have an InnoDB purge that does not keep up with changes",
	Resource:     "purge of MySQL",
	Needs:        []recording.Table{recording.MySQLServers},
	BlindWithout: []recording.Sight{recording.UnseenInnoDB},
	Explains:     []string{"rt/server-slow"},
	Thresholds:   []*rule.Threshold{&lagging, &lagReadings, &lagRising, &lagShare, &oldTransaction, &muchHistory, &leastHistory, &leastGrowth, &historyRising},
	Detect:       ofEach(detectPurgeLag),
}

var (
	lagging = rule.Threshold{Name: "lagging", Value: 20_000, Unit: "transactions", Source: rule.Judgement,
		Reason: "History length. Servers at full speed have some thousands between two rounds of purge."}
	lagReadings = rule.Threshold{Name: "lag-readings", Value: 4, Unit: "count", Source: rule.Judgement,
		Reason: "Samples. With fewer, a burst and a trend look alike."}
	lagRising = rule.Threshold{Name: "lag-rising", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the samples that are higher than the previous one. If purge works in rounds, the history shrinks in every other sample."}
	lagShare = rule.Threshold{Name: "lag-share", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Growth relative to the history at the beginning of the window. With a long but constant history, purge is late but does not fall further behind."}
)

func detectPurgeLag(v *view.View, s *view.MySQLServer) (found []rule.Finding) {
	h, ok := historyOf(s)
	if !ok || h.last < lagging.Value {
		return found
	}
	f := rule.Finding{Subject: s.Entity(), Impact: h.impact(), Confidence: rule.Possible}
	if h.grows() && h.readings >= lagReadings.Int() && h.rising >= lagRising.Value && h.last-h.first >= lagShare.Value*h.first {
		f.Confidence = rule.Likely
		f.Headline = rule.T("purge of %s falls behind: the history of changed rows grew by %s to %s transactions", s.Name(), unit.PerSecond(h.perSecond), unit.Count(h.last))
		if t, held := holderOf(v, s); held {
			f.Headline = rule.T("purge of %s is held back by %s, whose transaction is %s old: the history of changed rows grew by %s to %s transactions",
				s.Name(), holderName(v, s, t), unit.Duration(t.Age), unit.PerSecond(h.perSecond), unit.Count(h.last))
		}
	} else {
		f.Headline = rule.T("%s transactions of %s wait for purge", unit.Count(h.last), s.Name())
		f.Impact.Share /= 2
	}
	f.Evidence = append([]rule.Evidence{h.evidence(s)}, purgeSettings(v, s)...)
	f.Evidence = append(f.Evidence, beside(s)...)
	f.Fixes = purgeFixes(s)
	if t, held := holderOf(v, s); held {
		// Purge may go as far as the oldest read view, whatever it is given.
		f.Fixes = newLongOpen(v, s, []recording.MySQLTransaction{t}).fixes(t)
	}
	found = append(found, f)
	return found
}

func purgeSettings(v *view.View, s *view.MySQLServer) (list []rule.Evidence) {
	threads, known := s.IntVariable("innodb_purge_threads")
	batch, sized := s.IntVariable("innodb_purge_batch_size")
	_, writes := s.Commands()
	if known && sized && writes >= 0 {
		list = append(list, rule.Evidence{
			Metric: metric.MySQLPurgeThreads, Value: float64(threads),
			What:  rule.T("innodb_purge_threads is %d, innodb_purge_batch_size %d; %s rows or statements change data", threads, batch, unit.PerSecond(writes)),
			Check: ask(s, shell.SQL("show variables like 'innodb_purge%%'")),
		})
	}
	if e, ok := oldestEvidence(v, s); ok {
		list = append(list, e)
	}
	return list
}

const (
	// morePurge threads are the default since MySQL 5.7 and MariaDB 10.0.
	morePurge = 4
	// moreBatch is the default batch of MySQL 5.6 and later; MariaDB's since
	// 10.11 is 127 with other units: never suggest less than there is.
	moreBatch = 300
)

func purgeFixes(s *view.MySQLServer) (fixes []rule.Fix) {
	if batch, ok := s.IntVariable("innodb_purge_batch_size"); ok && batch < moreBatch {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("let purge work in larger batches (innodb_purge_batch_size %d now)", batch),
			Command:  ask(s, shell.SQL("set global innodb_purge_batch_size = %d", moreBatch)),
			Tradeoff: "purge competes more with statements for CPU and disk",
		})
	}
	if threads, ok := s.IntVariable("innodb_purge_threads"); ok && threads < morePurge {
		fix := rule.Fix{Text: rule.T("give purge more threads (innodb_purge_threads %d now), if several tables are changed: in my.cnf, then restart", threads), Tradeoff: "less CPU for statements"}
		if s.MariaDB() && s.AtLeast(10, 5, 2) {
			fix.Text = rule.T("give purge more threads (innodb_purge_threads %d now), if several tables are changed", threads)
			fix.Command = ask(s, shell.SQL("set global innodb_purge_threads = %d", morePurge))
		}
		fixes = append(fixes, fix)
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("delete and update in smaller portions with pauses, or drop partitions instead of deleting rows"),
		Tradeoff: "jobs take longer",
	}, rule.Fix{
		Text:     rule.T("as a last resort, make writers wait for purge (innodb_max_purge_lag)"),
		Command:  ask(s, shell.SQL("set global innodb_max_purge_lag = 1000000, innodb_max_purge_lag_delay = 300000")),
		Tradeoff: "every change takes up to 0.3 s longer while the history is above that",
	})
}
