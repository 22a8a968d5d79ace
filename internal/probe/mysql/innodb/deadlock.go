package innodb

import "strings"

// deadlock reads a line of the section. Between MySQL 5.5 and 9 and MariaDB the
// titles of the locks differ:
//
//	*** (1) TRANSACTION:
//	*** (1) WAITING FOR THIS LOCK TO BE GRANTED:    *** WAITING FOR THIS LOCK TO BE GRANTED:
//	*** (2) HOLDS THE LOCK(S):                      *** CONFLICTING WITH:
//	*** WE ROLL BACK TRANSACTION (2)
func (p *parser) deadlock(line string) {
	if p.deadlocked {
		p.deadlocked = false
		p.s.Deadlock = &Deadlock{At: p.time(line)}
		return
	}
	d := p.s.Deadlock
	if title, ok := strings.CutPrefix(line, "*** "); ok && d != nil {
		p.deadlockTitle(title)
		return
	}
	if p.in == nil {
		return
	}
	if rest, ok := strings.CutPrefix(line, "TRANSACTION "); ok && p.in.ID == "" {
		header(rest, p.trx)
		return
	}
	waits := p.s.LockWaits
	p.transaction(line)
	p.s.LockWaits = waits // of the past
}

func (p *parser) deadlockTitle(title string) {
	d := p.s.Deadlock
	switch {
	case strings.HasSuffix(title, ") TRANSACTION:"):
		p.endTransaction()
		if p.in = nil; len(d.Transactions) < maxWaits {
			d.Transactions = append(d.Transactions, DeadlockTransaction{Transaction: noTransaction()})
			p.in = &d.Transactions[len(d.Transactions)-1]
			p.trx = &p.in.Transaction
		}
	case strings.HasPrefix(title, "WE ROLL BACK TRANSACTION ("):
		p.endTransaction()
		p.in = nil
		var n int64
		after(title, "(", &n)
		if n > 0 && n <= int64(len(d.Transactions)) {
			d.Victim = int(n)
		}
	case p.in == nil:
	case strings.HasSuffix(title, "WAITING FOR THIS LOCK TO BE GRANTED:"):
		p.more, p.wanted = false, &p.in.Wants
	case strings.HasSuffix(title, "HOLDS THE LOCK(S):"):
		p.more, p.wanted = false, &p.in.Holds
	case strings.HasSuffix(title, "CONFLICTING WITH:"):
		// The locks of the other one, which says so itself.
		p.more, p.wanted = false, &[]RecordLock{}
	}
}
