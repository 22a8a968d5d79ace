package mysql

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/sqltoken"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var metadataLock = rule.Rule{
	ID:           "mysql/metadata-lock",
	Title:        "statements wait for a metadata lock on a table",
	Plural:       "sessions block others with a metadata lock on a table",
	Resource:     "metadata locks",
	Needs:        []recording.Table{recording.MySQLServers},
	BlindWithout: []recording.Sight{recording.UnseenSessions},
	Explains: []string{"mysql/long-transaction", "mysql/connections-exhausted", "mysql/thread-pool-stalled",
		"rt/server-slow", "rt/slow-connections", "rt/worker-queueing", "rt/errors"},
	Thresholds: []*rule.Threshold{&longWait, &waitersAtLeast, &waitersShare, &mainBlocker},
	Detect:     ofEach(detectMetadataLock),
}

func detectMetadataLock(v *view.View, s *view.MySQLServer) (found []rule.Finding) {
	w := locksOf(v, s, "metadata", "table")
	m := metadataWait{lockWaits: w}
	m.state, m.mean, m.most, m.lasts = metadataStates(v, s)
	if w.serious() && !m.momentary() || m.mean >= waitersAtLeast.Value && m.lasts >= longWait.Duration() {
		found = append(found, m.finding())
	}
	if f, ok := userLockFinding(v, s); ok {
		found = append(found, f)
	}
	return found
}

// metadataWait is who waits for metadata locks, by the process list, and who
// blocks, where the server tells.
type metadataWait struct {
	*lockWaits
	state string        // the commonest: "Waiting for table metadata lock"
	mean  float64       // connections in such a state
	most  int64         //
	lasts time.Duration // longest of them
}

// momentary says that the waits are those of a change of a table that was seen
// once while it held its exclusive lock: all readers of the table wait then, for
// some milliseconds.
func (m *metadataWait) momentary() bool {
	looks := 0
	for _, look := range m.v.SessionsOf(m.s.Server) {
		if slices.ContainsFunc(look, func(r recording.MySQLSession) bool { return view.DefinitionWait(r.State) }) {
			looks++
		}
	}
	return looks == 1 && max(m.longest, m.lasts) < longWait.Duration()
}

func metadataStates(v *view.View, s *view.MySQLServer) (state string, mean float64, most int64, longest time.Duration) {
	states, _ := v.StatesOf(s.Server)
	for _, x := range states {
		if view.DefinitionWait(x.State) {
			state = cmp.Or(state, x.State)
			mean += x.Mean
			most += x.Most
			longest = max(longest, x.Longest)
		}
	}
	return state, mean, most, longest
}

func (m *metadataWait) finding() rule.Finding {
	f := rule.Finding{Subject: m.s.Entity(), Confidence: rule.Certain, Impact: m.impact(), Affects: m.exhausting(), Behind: m.behind("metadata lock")}
	if m.mean > m.waited {
		f.Impact = rule.Impact{TimeLost: m.mean, Text: rule.T("%s waited by %s per second", unit.Seconds(m.mean), connections(int(m.most)))}
	}
	b, one := m.main()
	if one && b.Session > 0 {
		f.Headline = rule.T("%s of %s %s for %s, which %s holds: %s", connections(len(b.Victims)), m.s.Name(), wait(len(b.Victims)), m.wanted(&b), blockerName(b), inShort(b))
		f.Tree = m.tree()
		f.Evidence = m.evidence(metric.MySQLMetadataLockWaits, m.check(b))
		f.Fixes = holderFixes(m.s, b)
		if h := holdingOf(b); h == byInstance || keeps[h] == "" {
			f.Fixes = append(f.Fixes, ddlFix()) // others wait without any change of a table too
		}
		return f
	}
	return m.suspects(f)
}

// wanted is what they wait for: what a blocker that is known holds, else what
// their state says.
func (m *metadataWait) wanted(b *view.MySQLBlocker) string {
	const all = "the global lock that FLUSH TABLES WITH READ LOCK and backups take"
	backup := "the backup lock that LOCK INSTANCE FOR BACKUP takes"
	switch {
	case m.s.MariaDB():
		backup = all // FLUSH TABLES WITH READ LOCK is one of its levels
	case !m.s.AtLeast(8):
		backup = "the backup lock that LOCK TABLES FOR BACKUP takes"
	}
	if b != nil {
		switch b.Object {
		case "global", "commit", "backup":
			return all
		case "backup lock":
			return backup
		}
		return "the definition of " + cmp.Or(b.Object, "a table")
	}
	switch m.state {
	case "Waiting for global read lock", "Waiting for commit lock":
		return all
	case "Waiting for backup lock":
		return backup
	case "Waiting for table level lock":
		return "a lock on all of " + cmp.Or(m.object(), "a table")
	}
	return "the definition of " + cmp.Or(m.object(), "a table")
}

// ofAll says that they wait for a lock of all tables at once, which need not be
// that of a transaction.
func (m *metadataWait) ofAll() bool {
	switch m.state {
	case "Waiting for global read lock", "Waiting for commit lock", "Waiting for backup lock":
		return true
	}
	return false
}

func (m *metadataWait) check(b view.MySQLBlocker) shell.Command {
	switch {
	case m.s.MariaDB():
		return ask(m.s, shell.SQL("show full processlist"))
	case !strings.Contains(b.Object, "."):
		return ask(m.s, metadataLocksOf(strings.ToUpper(b.Object)))
	}
	return ask(m.s, shell.SQL(`select * from sys.schema_table_lock_waits\G`))
}

// metadataLocksOf is a query for who has, or wants, the locks of one type of objects.
func metadataLocksOf(kind string) shell.Query {
	return shell.SQL("select t.processlist_id, m.object_name, m.lock_type, m.lock_status from performance_schema.metadata_locks m "+
		"join performance_schema.threads t on t.thread_id = m.owner_thread_id where m.object_type = %s", kind)
}

// ddlFix has no command: rtrail does not know the whole statement.
func ddlFix() rule.Fix {
	return rule.Fix{
		Text:     rule.T("change tables only after SET SESSION lock_wait_timeout = 3, so that the change fails instead of blocking all others behind it; then retry"),
		Tradeoff: "the change may need several attempts",
	}
}

// suspects words a wait whose blocker the server does not name: the statement
// that asks for the exclusive lock waits itself, for one of the transactions
// that are older than it.
func (m *metadataWait) suspects(f rule.Finding) rule.Finding {
	waiting := m.waiting()
	holders := m.holders(waiting)
	many := max(m.victims, int(m.most), len(waiting))
	n := connections(many)
	switch {
	case len(holders) == 1 && !m.ofAll():
		h := holders[0]
		f.Headline = rule.T("%s of %s %s for %s; the only transaction older than the waits is that of %s: %s", n, m.s.Name(), wait(many), m.wanted(nil), blockerName(h), inShort(h))
		f.Tree = lockTree(h, waitersOf(waiting))
		f.Fixes = holderFixes(m.s, h)
	case len(holders) > 1 && !m.ofAll():
		f.Headline = rule.T("%s of %s %s for %s; one of %d older transactions holds it, and the server does not show which", n, m.s.Name(), wait(many), m.wanted(nil), len(holders))
		f.Fixes = []rule.Fix{{
			Text:     rule.T("find out which of them used that table, and have its client commit or roll back; a random KILL may hit one that holds nothing"),
			Command:  ask(m.s, shell.SQL("select trx_mysql_thread_id, trx_started, trx_state, trx_query from information_schema.innodb_trx order by trx_started")),
			Tradeoff: "what a transaction changed is lost when it is killed",
		}}
	default:
		f.Headline = rule.T("%s of %s %s for %s; the holder is unknown", n, m.s.Name(), wait(many), m.wanted(nil))
	}
	f.Evidence = []rule.Evidence{{
		Metric: metric.MySQLMetadataLockWaits, Value: m.mean, Limit: rule.Limit(waitersAtLeast.Value),
		What: rule.T("in state %q: %s connections on average, at most %d, the longest for %s",
			cmp.Or(m.state, "Waiting for table metadata lock"), unit.Number(m.mean), m.most, lasted(max(m.lasts, m.longest))),
		Check: ask(m.s, shell.SQL("show full processlist")),
	}}
	for _, h := range holders[:min(len(holders), maxSuspects)] {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.MySQLLockSuspect, Value: h.For.Seconds(),
			What:  rule.T("%s may hold it: %s%s", blockerName(h), doing(h), since(h)),
			Check: ask(m.s, shell.SQL("select * from information_schema.innodb_trx order by trx_started")),
		})
	}
	if n := len(holders) - maxSuspects; n > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.MySQLLockBlocker, Value: float64(n), What: rule.T("%d younger ones may hold it as well", n),
			Check: ask(m.s, shell.SQL("select * from information_schema.innodb_trx order by trx_started")),
		})
	}
	for _, r := range waiting[:min(len(waiting), maxVictims)] {
		f.Evidence = append(f.Evidence, rule.Evidence{
			Metric: metric.MySQLLockVictim, Value: r.For.Seconds(),
			What:  rule.T("connection %d (%s) waits %s: %s", r.ID, account(r.User, r.Client), lasted(r.For), words(r.Statement)),
			Check: ask(m.s, shell.SQL("select * from information_schema.processlist where id = %d", r.ID)),
		})
	}
	f.Evidence = append(f.Evidence, beside(m.s)...)
	if m.s.MariaDB() {
		f.Fixes = append(f.Fixes, rule.Fix{
			Text:     rule.T("have MariaDB show who holds metadata locks, then look again"),
			Command:  ask(m.s, shell.SQL("install soname 'metadata_lock_info'; select * from information_schema.metadata_lock_info")),
			Tradeoff: "one more plugin",
		})
	}
	f.Fixes = append(f.Fixes, ddlFix())
	return f
}

// waiting are the connections that wait at the last look at which any did, the
// longest wait first.
func (m *metadataWait) waiting() []recording.MySQLSession {
	for _, look := range slices.Backward(m.v.SessionsOf(m.s.Server)) {
		var list []recording.MySQLSession
		for _, r := range look {
			if view.DefinitionWait(r.State) {
				list = append(list, r)
			}
		}
		if len(list) > 0 {
			slices.SortStableFunc(list, func(a, b recording.MySQLSession) int { return cmp.Compare(b.For, a.For) })
			return list
		}
	}
	return nil
}

// waitersOf are the connections of sessions that wait.
func waitersOf(waiting []recording.MySQLSession) []lockWaiter {
	var list []lockWaiter
	for _, r := range waiting {
		list = append(list, lockWaiter{view.MySQLVictim{Session: r.ID, Statement: r.Statement, Waited: r.For}, account(r.User, r.Client)})
	}
	return list
}

// maxSuspects is how many transactions evidence names that may hold a lock:
// the one that does should be among them.
const maxSuspects = 10

// holders are the transactions older than the longest wait, of connections that
// do not wait for the definition of a table themselves: one of them holds the
// lock. First come those whose statement names the table, last those that wait
// for a row, whose locks go on only as long as those of the ones they wait for.
func (m *metadataWait) holders(waiting []recording.MySQLSession) []view.MySQLBlocker {
	looks := m.v.TransactionsOf(m.s.Server)
	if len(looks) == 0 || len(waiting) == 0 {
		return nil
	}
	waits := map[int64]bool{}
	for _, r := range waiting {
		waits[r.ID] = true
	}
	// Both times are whole seconds on most servers.
	least := waiting[0].For - time.Second
	table, rank := wantedTable(waiting), map[int64]int{}
	var list []view.MySQLBlocker
	for _, t := range looks[len(looks)-1] {
		if t.Session == 0 || waits[t.Session] || t.Age < least {
			continue
		}
		b := view.MySQLBlocker{Session: t.Session, Kind: "metadata", Statement: t.Statement, For: t.Age, Transaction: view.OpenTransaction}
		if t.Prepared {
			b.Transaction = view.PreparedTransaction
		}
		if r, ok := session(m.v, m.s.Server, t.Session); ok {
			b.User, b.Client, b.Command = r.User, r.Client, r.Command
			b.Statement = cmp.Or(b.Statement, r.Statement)
		}
		switch {
		case table != "" && mentions(b.Statement, table):
			rank[b.Session] = -1
		case t.State == "LOCK WAIT":
			rank[b.Session] = 1
		}
		list = append(list, b)
	}
	slices.SortStableFunc(list, func(a, b view.MySQLBlocker) int {
		return cmp.Or(cmp.Compare(rank[a.Session], rank[b.Session]), cmp.Compare(b.For, a.For))
	})
	return list
}

// wantedTable is the table that the first of those who wait and change one
// changes; "" if none says so.
func wantedTable(waiting []recording.MySQLSession) string {
	for _, r := range waiting {
		t := sqltoken.Split(r.Statement)
		for i, x := range t {
			if !x.Is("TABLE") {
				continue
			}
			for i++; i < len(t) && (t[i].Is("IF") || t[i].Is("NOT") || t[i].Is("EXISTS")); i++ {
			}
			for ; i+2 < len(t) && t[i+1].Text == "."; i += 2 {
			}
			if i < len(t) {
				return strings.Trim(t[i].Text, "`")
			}
		}
	}
	return ""
}

// mentions says whether a statement names a table.
func mentions(statement, table string) bool {
	return slices.ContainsFunc(sqltoken.Split(statement), func(t sqltoken.Token) bool { return strings.EqualFold(strings.Trim(t.Text, "`"), table) })
}
