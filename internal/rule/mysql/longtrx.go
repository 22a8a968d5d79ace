package mysql

import (
	"cmp"
	"fmt"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var longTransaction = rule.Rule{
	ID:           "mysql/long-transaction",
	Title:        "a transaction stays open and keeps old versions of rows alive",
	Plural:       "transactions stay open and keep old versions of rows alive",
	Resource:     "transactions of MySQL",
	Needs:        []recording.Table{recording.MySQLServers},
	BlindWithout: []recording.Sight{recording.UnseenTransactions},
	Explains:     []string{"mysql/purge-lag", "rt/server-slow"},
	Refutes:      []string{"transactions"},
	Thresholds:   []*rule.Threshold{&oldTransaction, &forgotten, &muchHistory, &leastHistory, &leastGrowth, &lagging, &lagReadings, &historyRising},
	Detect:       ofEach(detectLongTransaction),
}

var (
	oldTransaction = rule.Threshold{Name: "old-transaction", Value: 10, Unit: "seconds", Source: rule.Judgement,
		Reason: "Age of a transaction. Programs finish within a second. Ten seconds mean a person, a report, a backup, or a lost connection."}
	forgotten = rule.Threshold{Name: "forgotten", Value: 60, Unit: "seconds", Source: rule.Judgement,
		Reason: "Idle time of a transaction that is worth mentioning even if it does no harm yet."}
	muchHistory = rule.Threshold{Name: "much-history", Value: 100_000, Unit: "transactions", Source: "MySQL manual, innodb_max_purge_lag",
		Reason: "History length for an impact of one half. Some thousands are normal. From a million on servers are known to suffer (MySQL manual, innodb_max_purge_lag)."}
	leastHistory = rule.Threshold{Name: "least-history", Value: 1_000, Unit: "transactions", Source: rule.Judgement,
		Reason: "History length. Below it purge is just between two rounds."}
	leastGrowth = rule.Threshold{Name: "least-growth", Value: 20, Unit: "per second", Source: rule.Judgement,
		Reason: "Growth of the history, in transactions per second. Below it purge is just between two rounds."}
)

// history is how the list of undo logs that wait for purge changed.
type history struct {
	first, last float64
	perSecond   float64
	rising      float64 // share of the readings that were higher than the one before
	readings    int
}

var historyRising = rule.Threshold{Name: "history-rising", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of the samples that are higher than the previous one. Chance alone gives half."}

func historyOf(s *view.MySQLServer) (h history, ok bool) {
	var list []recording.MySQLInnoDB
	for _, r := range s.InnoDB() {
		if r.History >= 0 {
			list = append(list, r)
		}
	}
	seconds := view.Elapsed(list).Seconds()
	if seconds <= 0 {
		return h, false
	}
	h = history{first: float64(list[0].History), last: float64(list[len(list)-1].History), readings: len(list)}
	h.perSecond = (h.last - h.first) / seconds
	for i := 1; i < len(list); i++ {
		if list[i].History > list[i-1].History {
			h.rising += 1 / float64(len(list)-1)
		}
	}
	return h, true
}

// grows says whether purge gets nowhere.
func (h history) grows() bool {
	return h.last >= leastHistory.Value && h.perSecond >= leastGrowth.Value && h.rising > historyRising.Value
}

func (h history) impact() rule.Impact {
	return rule.Impact{Share: h.last / (h.last + muchHistory.Value), Text: rule.T("%s transactions wait for purge, %s more", unit.Count(h.last), unit.PerSecond(h.perSecond))}
}

func (h history) evidence(s *view.MySQLServer) rule.Evidence {
	return rule.Evidence{
		Metric: metric.MySQLHistory, Value: h.last, Limit: rule.Limit(leastHistory.Value),
		What:  rule.T("history list length from %s to %s, %s", unit.Count(h.first), unit.Count(h.last), unit.PerSecond(h.perSecond)),
		Check: shell.Line("%s | grep 'History list length'", ask(s, shell.SQL(`show engine innodb status\G`))),
	}
}

func detectLongTransaction(v *view.View, s *view.MySQLServer) (found []rule.Finding) {
	list := oldTransactions(v, s)
	if len(list) == 0 || !list[0].Snapshot {
		// One that is younger and makes the history grow is not harmless for that.
		if t, held := holderOf(v, s); held {
			list = append([]recording.MySQLTransaction{t}, slices.DeleteFunc(list, func(o recording.MySQLTransaction) bool { return o.Session == t.Session })...)
		}
	}
	if len(list) == 0 {
		return found
	}
	if f, ok := newLongOpen(v, s, list).finding(); ok {
		found = append(found, f)
	}
	return found
}

// oldTransactions are those open at the last look, that hold back purge first,
// then the oldest.
func oldTransactions(v *view.View, s *view.MySQLServer) []recording.MySQLTransaction {
	looks := v.TransactionsOf(s.Server)
	if len(looks) == 0 {
		return nil
	}
	last := looks[len(looks)-1]
	if over := v.End().Sub(last[0].At); over > oldTransaction.Duration() {
		return nil // later looks found none open
	}
	list := slices.DeleteFunc(slices.Clone(last), func(t recording.MySQLTransaction) bool { return t.Age < oldTransaction.Duration() })
	slices.SortStableFunc(list, func(a, b recording.MySQLTransaction) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(b.Age, a.Age))
	})
	return list
}

func rank(t recording.MySQLTransaction) int {
	if t.Snapshot {
		return 1
	}
	return 0
}

// longOpen is what is open for long, and what that does.
type longOpen struct {
	v       *view.View
	s       *view.MySQLServer
	list    []recording.MySQLTransaction
	history history
	grows   bool
}

func newLongOpen(v *view.View, s *view.MySQLServer, list []recording.MySQLTransaction) *longOpen {
	h, known := historyOf(s)
	return &longOpen{v: v, s: s, list: list, history: h, grows: known && h.grows()}
}

// idle says that the client of a transaction does nothing.
func (x *longOpen) idle(t recording.MySQLTransaction) bool {
	r, seen := session(x.v, x.s.Server, t.Session)
	return seen && r.Command == "Sleep"
}

func (x *longOpen) finding() (rule.Finding, bool) {
	t := x.list[0]
	r, _ := session(x.v, x.s.Server, t.Session)
	idle := x.idle(t)
	f := rule.Finding{Subject: x.s.Entity()}
	switch {
	case t.Age < oldTransaction.Duration():
		f.Confidence = rule.Likely // it is here because it was open while the history grew
	case x.grows && t.Snapshot:
		f.Confidence = rule.Certain
	case x.grows:
		f.Confidence = rule.Likely // old, and nothing gets purged: no more is known of what it reads
	case idle && t.Age >= forgotten.Duration() && (t.Snapshot || t.RowsLocked > 0 || t.Modified > 0):
		f.Confidence = rule.Possible
	default:
		return f, false
	}
	who := "a transaction without a connection"
	if t.Session > 0 {
		who = fmt.Sprintf("connection %d (%s)", t.Session, account(r.User, r.Client))
	}
	if f.Confidence == rule.Possible {
		f.Headline = rule.T("%s of %s has a transaction open for %s and does nothing", who, x.s.Name(), unit.Duration(t.Age))
		f.Impact = rule.Impact{Share: 0.01, Text: rule.T("%s rows locked, %s changed", unit.Count(max(t.RowsLocked, 0)), unit.Count(max(t.Modified, 0)))}
	} else {
		f.Headline = rule.T("%s of %s has a transaction open for %s: row versions since then cannot be purged (%s transactions, %s more)",
			who, x.s.Name(), unit.Duration(t.Age), unit.Count(x.history.last), unit.PerSecond(x.history.perSecond))
		f.Impact = x.history.impact()
	}
	f.Evidence = x.evidence(idle)
	f.Fixes = x.fixes(t)
	return f, true
}

func (x *longOpen) evidence(idle bool) (list []rule.Evidence) {
	for i, t := range x.list[:min(len(x.list), maxBlockers)] {
		r, _ := session(x.v, x.s.Server, t.Session)
		does := "does nothing"
		if statement := cmp.Or(t.Statement, r.Statement); statement != "" && (i > 0 || !idle) {
			does = "runs: " + words(statement)
		} else if statement != "" {
			does = "does nothing, its last statement: " + words(statement)
		}
		snapshot := ""
		if t.Snapshot {
			snapshot = ", reads a snapshot"
		}
		program := ""
		if p, ok := x.v.ClientOfSession(x.s, r); ok {
			program = ", client " + p.Entity().String()
		}
		who := fmt.Sprintf("connection %d (%s%s)", t.Session, account(r.User, r.Client), program)
		switch {
		case t.Session == 0 && t.Prepared:
			who, does = "a transaction without a connection", "is prepared and waits for XA COMMIT or XA ROLLBACK"
		case t.Session == 0:
			who = "a transaction without a connection"
		}
		list = append(list, rule.Evidence{
			Metric: metric.MySQLTransactionAge, Value: t.Age.Seconds(), Limit: rule.Limit(oldTransaction.Value),
			What: rule.T("%s: open for %s, %s%s, %s rows locked, %s changed; it %s", who,
				unit.Duration(t.Age), cmp.Or(t.Isolation, "isolation unknown"), snapshot, unit.Count(max(t.RowsLocked, 0)), unit.Count(max(t.Modified, 0)), does),
			Check: ask(x.s, shell.SQL(`select * from information_schema.innodb_trx order by trx_started\G`)),
		})
	}
	if x.history.readings > 0 {
		list = append(list, x.history.evidence(x.s))
	}
	return append(list, beside(x.s)...)
}

func (x *longOpen) fixes(t recording.MySQLTransaction) (fixes []rule.Fix) {
	if t.Session > 0 {
		text := rule.T("let the statement of connection %d finish, or kill it", t.Session)
		if x.idle(t) {
			text = rule.T("have the client of connection %d commit or roll back, or kill it", t.Session)
		}
		fixes = append(fixes, rule.Fix{Text: text, Command: ask(x.s, shell.SQL("kill %d", t.Session)), Tradeoff: "what it changed is rolled back; a report or a backup fails"})
	}
	if t.Isolation == "REPEATABLE READ" || t.Isolation == "SERIALIZABLE" {
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("if it needs no consistent view over several statements: READ COMMITTED releases the old versions after each statement"),
			Command:  shell.Line("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"),
			Tradeoff: "a second read may see newer rows",
		})
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("run reports and backups on a replica, or in pieces"),
		Tradeoff: "their data is a little older",
	})
}
