package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// MySQLBlocker is a connection that others wait for, directly or by way of
// other waiters, over the window. It waits for nobody itself, as far as the
// server told: the root of a tree of locks.
type MySQLBlocker struct {
	Session   int64  // connection; 0: the server does not tell who blocks
	Kind      string // of the lock its direct victims wait for: row, metadata, table
	Object    string // db.table most waited for
	Index     string
	User      string
	Client    string
	Command   string        // Sleep: its client does nothing
	Statement string        // that runs, or the last one
	For       time.Duration // age of its transaction or command at the last look; Unknown
	Looks     int           // looks at lock waits in which it blocked
	Victims   []MySQLVictim // seen in the window, the longest wait first
	Mean      float64       // victims at a time, over the looks it blocked in
	// Waited is seconds waited by all victims per second of the window.
	Waited float64
}

// MySQLVictim is a connection that waits.
type MySQLVictim struct {
	Session   int64
	Statement string
	Waited    time.Duration // the longest seen; Unknown
	Behind    int64         // whom it waits for directly
}

// BlockersOf are the roots of the lock trees of a server, those that made
// others wait most first.
func (v *View) BlockersOf(server string) []MySQLBlocker {
	all := looks(v, server, func(r recording.MySQLLockWait) string { return r.Server })
	span := v.lockLooks(server)
	type key struct {
		session int64
		object  string // tells unknown blockers apart
	}
	roots := map[key]*MySQLBlocker{}
	var order []key
	for _, look := range all {
		behind := map[int64]recording.MySQLLockWait{}
		for _, w := range look {
			if _, known := behind[w.Waiting]; !known {
				behind[w.Waiting] = w
			}
		}
		counted := map[key]int{}
		for _, w := range look {
			if first := behind[w.Waiting]; first.Blocking != w.Blocking {
				continue // one victim, several blockers: counted behind the first
			}
			root := rootOf(behind, w)
			k := key{session: root.Blocking}
			if k.session == 0 {
				k.object = root.Object
			}
			b := roots[k]
			if b == nil {
				b = &MySQLBlocker{Session: k.session}
				roots[k] = b
				order = append(order, k)
			}
			if root.Waiting == w.Waiting {
				b.Kind, b.Object, b.Index = w.Kind, w.Object, w.Index
				b.User, b.Client, b.Command, b.For = w.BlockingUser, w.BlockingClient, w.BlockingCommand, w.BlockingFor
				b.Statement = cmp.Or(w.BlockingStatement, b.Statement)
			}
			b.addVictim(w)
			counted[k]++
		}
		for k, n := range counted {
			roots[k].Looks++
			roots[k].Mean += float64(n)
		}
	}
	list := make([]MySQLBlocker, 0, len(order))
	for _, k := range order {
		b := roots[k]
		if span > 0 {
			b.Waited = b.Mean / float64(span)
		}
		b.Mean /= float64(b.Looks)
		slices.SortStableFunc(b.Victims, func(x, y MySQLVictim) int { return cmp.Compare(y.Waited, x.Waited) })
		list = append(list, *b)
	}
	slices.SortStableFunc(list, func(x, y MySQLBlocker) int { return cmp.Compare(y.Waited, x.Waited) })
	return list
}

// rootOf follows a wait up to the one whose blocker waits for nobody. A circle,
// which a server resolves within moments, ends where it began.
func rootOf(behind map[int64]recording.MySQLLockWait, w recording.MySQLLockWait) recording.MySQLLockWait {
	for range len(behind) {
		up, waits := behind[w.Blocking]
		if !waits || up.Blocking == w.Waiting {
			return w
		}
		w = up
	}
	return w
}

// lockLooks is how often lock waits of a server were looked for: as often as
// it answered.
func (v *View) lockLooks(server string) int {
	n := 0
	for _, r := range Rows[recording.MySQLServer](v) {
		if r.Server == server && (r.State == recording.ServerAnswers || r.State == recording.ServerSlow) {
			n++
		}
	}
	return n
}

// RowLockWaiters is how many transactions of a server waited for rows at a
// time, on average over the looks at it.
func (v *View) RowLockWaiters(server string) float64 {
	n := 0
	for _, look := range v.TransactionsOf(server) {
		for _, t := range look {
			if t.State == "LOCK WAIT" {
				n++
			}
		}
	}
	return float64(n) / float64(max(v.lockLooks(server), 1))
}

func (b *MySQLBlocker) addVictim(w recording.MySQLLockWait) {
	i := slices.IndexFunc(b.Victims, func(x MySQLVictim) bool { return x.Session == w.Waiting })
	if i < 0 {
		b.Victims = append(b.Victims, MySQLVictim{Session: w.Waiting, Statement: w.WaitingStatement, Waited: w.Waited, Behind: w.Blocking})
		return
	}
	b.Victims[i].Waited = max(b.Victims[i].Waited, w.Waited)
}
