package mysql

import (
	"fmt"
	"strings"

	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// lockWaiter is a connection that waits for a lock.
type lockWaiter struct {
	view.MySQLVictim
	account string // user@client; "" if not known
}

func (w lockWaiter) String() string {
	if w.account == "" {
		return fmt.Sprint("connection ", w.Session)
	}
	return fmt.Sprintf("connection %d (%s)", w.Session, w.account)
}

// waiters are those who wait for what a blocker holds, the longest wait first.
func (w *lockWaits) waiters(b view.MySQLBlocker) []lockWaiter {
	list := make([]lockWaiter, len(b.Victims))
	for i, x := range b.Victims {
		list[i].MySQLVictim = x
		if r, ok := session(w.v, w.s.Server, x.Session); ok && r.User+r.Client != "" {
			list[i].account = account(r.User, r.Client)
		}
	}
	return list
}

// tree draws who holds the lock and who waits for it. Where no blocker stands out
// there is no holder to draw.
func (w *lockWaits) tree() []rule.Text {
	b, one := w.main()
	if !one || b.Session == 0 && !b.Detached {
		return nil
	}
	return lockTree(b, w.waiters(b))
}

// maxDrawn is how many lines a tree has for those who wait: the last one counts those
// that have none of their own.
const maxDrawn = 3

// lockTree is a line for the holder of a lock and one for each of the first that wait.
func lockTree(b view.MySQLBlocker, waiters []lockWaiter) []rule.Text {
	list := []rule.Text{rule.T("%s, %s", holderWords(b), activity(b))}
	drawn := len(waiters)
	if drawn > maxDrawn {
		drawn = maxDrawn - 1
	}
	for _, x := range waiters[:drawn] {
		who, waits := fmt.Sprint(x.Session), lasted(x.Waited)
		if x.account != "" {
			who += " " + x.account
		}
		if x.Behind != b.Session && x.Behind != 0 {
			waits += fmt.Sprint(" for ", x.Behind)
		}
		list = append(list, rule.T("%s, waits %s: %s", who, waits, words(x.Statement)))
	}
	if more := len(waiters) - drawn; more > 0 {
		list = append(list, rule.T("and %s more", unit.Count(more)))
	}
	return list
}

// holderWords name a blocker and say for how long it has been at it.
func holderWords(b view.MySQLBlocker) string {
	who := blockerName(b)
	if b.Session != 0 {
		who = fmt.Sprintf("%d %s", b.Session, account(b.User, b.Client))
	}
	return who + strings.Replace(since(b), "open for", "open", 1)
}

// ahead are the accounts whose statements wait for the server because of a blocker,
// those who wait longest first.
func (w *lockWaits) ahead(b view.MySQLBlocker) []rule.Ahead {
	var list []rule.Ahead
	var sessions [][]string
	at := map[string]int{}
	for _, x := range w.waiters(b) {
		i, known := at[x.account]
		if !known {
			i = len(list)
			at[x.account] = i
			list = append(list, rule.Ahead{Longest: max(x.Waited, 0), Words: x.String(),
				Who: view.Entity{Kind: view.KindConnection, Name: x.String(), Detail: w.s.Name()}})
			sessions = append(sessions, nil)
		}
		sessions[i] = append(sessions[i], fmt.Sprint(x.Session))
		if n := len(sessions[i]); n > 1 {
			list[i].Words = connections(n)
			if x.account != "" {
				list[i].Words += " of " + x.account
			}
			list[i].Words += ": " + strings.Join(sessions[i][:min(n, maxVictims)], ", ")
			if n > maxVictims {
				list[i].Words += ", …"
			}
		}
	}
	return list
}

// look shows the holder of a lock and the first of those who wait, side by side.
func (w *lockWaits) look(otherwise shell.Command) shell.Command {
	b, one := w.main()
	if !one || b.Session == 0 {
		return otherwise
	}
	ids := shell.SQL("%d", b.Session)
	for _, x := range b.Victims[:min(len(b.Victims), maxVictims)] {
		ids = shell.SQL("%s, %d", ids, x.Session)
	}
	return ask(w.s, shell.SQL("select * from information_schema.processlist where id in (%s)", ids))
}
