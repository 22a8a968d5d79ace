package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// MySQLBlocker is a connection that others wait for, directly or by way of
// other waiters, over the window: the root of a tree of locks. One that blocks
// others by locks of several kinds is the root of as many trees.
type MySQLBlocker struct {
	Session     int64  // connection; 0: none, or the server does not tell who blocks
	Detached    bool   // no connection owns the transaction that blocks
	Kind        string // of the lock its direct victims wait for: row, metadata, table, user
	Object      string // db.table most waited for
	Index       string
	Mode        string // of its own metadata lock: SHARED_READ; "" if not known
	User        string
	Client      string
	Command     string           // Sleep: its client does nothing
	Statement   string           // that runs, or the last one
	For         time.Duration    // age of its transaction or command at the last look; Unknown
	Transaction MySQLTransacting // at the last look
	Looks       int              // looks at lock waits in which it blocked
	Victims     []MySQLVictim    // seen in the window, the longest wait first
	Mean        float64          // victims at a time, over the looks it blocked in
	// Behind is the connection that the blocker waits for itself, by a lock of
	// another kind than those asked for; 0: none known.
	Behind     int64
	BehindKind string // of that lock
	// Waited is seconds waited by all victims per second of the window.
	Waited float64
}

// MySQLTransacting is what is known of the transaction of a connection.
type MySQLTransacting int

const (
	TransactionUnknown  MySQLTransacting = iota // open transactions were not read, or not all of them
	NoTransaction                               // InnoDB has none of it
	OpenTransaction                             //
	PreparedTransaction                         // for a commit in two phases: only XA COMMIT or XA ROLLBACK ends it
)

// MySQLVictim is a connection that waits.
type MySQLVictim struct {
	Session   int64
	Kind      string // of the lock it waits for
	Object    string // db.table
	Statement string
	Waited    time.Duration // the longest seen; Unknown
	Behind    int64         // whom it waits for directly
}

// BlockersOf are the roots of the lock trees of a server, those that made
// others wait most first. A root waits for nobody itself, as far as the server
// told. With kinds only waits for locks of these kinds count, so that each victim
// is found below the one who holds what it waits for; a root may then wait for a
// lock of another kind.
func (v *View) BlockersOf(server string, kinds ...string) []MySQLBlocker {
	all := looks(v, server, func(r recording.MySQLLockWait) string { return r.Server })
	if len(all) == 0 {
		return nil
	}
	span := v.lockLooks(server)
	transacting := v.transacting(server)
	type key struct {
		session  int64
		detached bool
		kind     string
		object   string // tells unknown blockers apart
	}
	roots := map[key]*MySQLBlocker{}
	var order []key
	for _, look := range all {
		others := map[int64]recording.MySQLLockWait{} // waits for locks of other kinds
		waits := map[int64]string{}                   // kind of the lock
		for _, w := range look {
			waits[w.Waiting] = w.Kind
			if len(kinds) > 0 && !slices.Contains(kinds, w.Kind) {
				others[w.Waiting] = w
			}
		}
		if len(others) > 0 {
			look = slices.DeleteFunc(slices.Clone(look), func(w recording.MySQLLockWait) bool { return !slices.Contains(kinds, w.Kind) })
		}
		behind := waitsBehind(look, waits)
		counted := map[key]int{}
		for _, w := range look {
			if first := behind[w.Waiting]; first.Blocking != w.Blocking || first.Kind != w.Kind || first.Object != w.Object {
				continue // one victim, several blockers: counted behind one
			}
			root := rootOf(behind, w)
			k := key{session: root.Blocking, detached: root.Detached, kind: root.Kind}
			if k.session == 0 {
				k.object = root.Object
			}
			b := roots[k]
			if b == nil {
				b = &MySQLBlocker{Session: k.session, Detached: k.detached, Kind: k.kind}
				roots[k] = b
				order = append(order, k)
			}
			if root.Waiting == w.Waiting {
				b.Object, b.Index, b.Mode = w.Object, w.Index, w.BlockingMode
				b.User, b.Client, b.Command, b.For = w.BlockingUser, w.BlockingClient, w.BlockingCommand, w.BlockingFor
				b.Statement = cmp.Or(w.BlockingStatement, b.Statement)
				b.Transaction = transacting(w)
				up := others[k.session]
				b.Behind, b.BehindKind = up.Blocking, up.Kind
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

// waitsBehind picks one wait of each connection of a look, the one that tells most
// of whom to look for: behind who waits for nobody himself, the holder, before
// others in its queue, and before those that wait for a lock of another kind.
// Among equals it is who has been at it longest. The order of the rows tells
// nothing: recordings sort them.
func waitsBehind(look []recording.MySQLLockWait, waits map[int64]string) map[int64]recording.MySQLLockWait {
	rank := func(w recording.MySQLLockWait) int {
		switch kind, waiting := waits[w.Blocking]; {
		case !waiting:
			return 0
		case kind == w.Kind:
			return 1
		}
		return 2
	}
	better := func(a, b recording.MySQLLockWait) bool {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.BlockingFor, a.BlockingFor), cmp.Compare(a.Blocking, b.Blocking)) < 0
	}
	behind := map[int64]recording.MySQLLockWait{}
	for _, w := range look {
		if have, known := behind[w.Waiting]; !known || better(w, have) {
			behind[w.Waiting] = w
		}
	}
	return behind
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

// transacting finds the transaction of those who block, from the open
// transactions that were read in the same look.
func (v *View) transacting(server string) func(recording.MySQLLockWait) MySQLTransacting {
	type owner struct {
		at      time.Time
		session int64
	}
	known := map[owner]MySQLTransacting{}
	complete := map[time.Time]bool{}
	for _, r := range Rows[recording.MySQLServer](v) {
		if r.Server == server && slices.Contains(strings.Split(r.Collected, ","), "transactions") {
			complete[r.At] = true
		}
	}
	for _, look := range v.TransactionsOf(server) {
		if len(look) >= maxTransactions {
			delete(complete, look[0].At)
		}
		for _, t := range look {
			o := owner{t.At, t.Session}
			state := OpenTransaction
			if t.Prepared {
				state = PreparedTransaction
			}
			// Those without a connection cannot be told apart: all or none.
			if was, twice := known[o]; !twice || state < was {
				known[o] = state
			}
		}
	}
	return func(w recording.MySQLLockWait) MySQLTransacting {
		if w.Blocking == 0 && !w.Detached {
			return TransactionUnknown
		}
		if t, ok := known[owner{w.At, w.Blocking}]; ok {
			return t
		}
		if complete[w.At] && w.Blocking != 0 {
			return NoTransaction
		}
		return TransactionUnknown
	}
}

// maxTransactions is how many rows a look at the open transactions has at most:
// with so many some may be missing.
const maxTransactions = 200

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
		b.Victims = append(b.Victims, MySQLVictim{Session: w.Waiting, Kind: w.Kind, Object: w.Object, Statement: w.WaitingStatement, Waited: w.Waited, Behind: w.Blocking})
		return
	}
	b.Victims[i].Waited = max(b.Victims[i].Waited, w.Waited)
}
