package innodb

import (
	"net/netip"
	"slices"
	"strings"
	"time"
)

// cutAt are the lengths at which servers cut statements without saying so: in
// the list of transactions (lock0lock.cc, 600; before, 300), in deadlocks (3000),
// and where the text is made (thd_security_context, 1024).
var cutAt = []int{300, 600, 1024, 3000}

// transactions reads a line of the list of transactions.
func (p *parser) transactions(line string) {
	if rest, ok := strings.CutPrefix(line, "---TRANSACTION "); ok {
		p.begin(rest)
		return
	}
	if p.trx == nil {
		after(line, "History list length ", &p.s.History)
		return
	}
	p.transaction(line)
}

// begin begins a transaction of the list.
func (p *parser) begin(line string) {
	p.endTransaction()
	t := noTransaction()
	if !header(line, &t) {
		p.trx = nil // not started, or not understood
		return
	}
	p.s.Open++
	if len(p.s.Transactions) < maxTransactions {
		p.s.Transactions = append(p.s.Transactions, t)
		p.trx = &p.s.Transactions[len(p.s.Transactions)-1]
		return
	}
	p.spare = t
	p.trx = &p.spare
}

// header reads what follows "TRANSACTION ":
//
//	13900, ACTIVE 0 sec inserting
//	(0x7fccf1c3bc80), ACTIVE 2 sec
//	1A2B, ACTIVE (PREPARED) 3 sec, process no 3396, OS thread id 1148250464 committing
//	421938, not started
//
// ok is false for a session without a transaction.
func header(line string, t *Transaction) (ok bool) {
	id, rest, ok := strings.Cut(line, ", ")
	if !ok || strings.HasPrefix(rest, "not started") {
		return false
	}
	t.ID = strings.Clone(id)
	// The state is in capitals, with a remark in brackets.
	end := strings.IndexFunc(rest, func(r rune) bool { return r >= '0' && r <= '9' || r == ',' })
	if end < 0 {
		end = len(rest)
	}
	t.State = strings.Clone(strings.TrimSpace(rest[:end]))
	rest = rest[end:]
	if age, doing, ok := strings.Cut(rest, " sec"); ok {
		if d, ok := seconds(age); ok {
			t.Age = d
		}
		// Before MySQL 5.6 the thread stands between; later what the thread may do
		// without asking follows.
		if _, after, ok := strings.Cut(doing, "OS thread id "); ok {
			_, doing, _ = strings.Cut(after, " ")
		}
		doing, _, _ = strings.Cut(doing, "thread declared")
		t.Doing = strings.Clone(strings.Trim(doing, " ,"))
	}
	return true
}

// transaction reads a line about the transaction that was begun.
func (p *parser) transaction(line string) {
	t := p.trx
	switch {
	case strings.HasPrefix(line, "------- TRX HAS BEEN WAITING "):
		p.more = false
		n, unit := int64(-1), time.Second
		after(line, "WAITING ", &n)
		if strings.Contains(line, " us FOR ") { // MariaDB
			unit = time.Microsecond
		}
		if n >= 0 && n < int64(1<<62)/int64(unit) {
			t.Waited = time.Duration(n) * unit
		}
		p.wanted = nil
	case strings.HasPrefix(line, "RECORD LOCKS space id "), strings.HasPrefix(line, "TABLE LOCK table "):
		p.more = false
		p.lock(line)
	case strings.HasPrefix(line, "Trx read view will not see "):
		p.more, t.ReadView = false, true
	case strings.HasPrefix(line, "MySQL thread id "), strings.HasPrefix(line, "MariaDB thread id "):
		if t.Session == 0 {
			session(line, t)
			p.more = true
		}
	case !p.more && strings.Contains(line, " lock struct(s), heap size "):
		before(line, " lock struct(s)", &t.Structs)
		before(line, " row lock(s)", &t.RowLocks)
		after(line, "undo log entries ", &t.Undo)
		if strings.HasPrefix(line, "LOCK WAIT ") && !t.Waiting {
			t.Waiting = true
			p.s.LockWaits++
		}
	case strings.HasPrefix(line, "------------------"):
		p.more = false
	case p.more:
		p.statement(line)
	}
}

// statement adds a line to the statement of a transaction.
func (p *parser) statement(line string) {
	if p.Statement == nil || len(p.text) >= maxStatement {
		return
	}
	if len(p.text) > 0 {
		p.text = append(p.text, '\n')
	}
	p.text = append(p.text, line...)
}

// endTransaction ends the one that is read.
func (p *parser) endTransaction() {
	text := p.text
	for len(text) > 0 && text[len(text)-1] == '\n' {
		text = text[:len(text)-1]
	}
	if p.trx != nil && len(text) > 0 {
		cut := slices.Contains(cutAt, len(text))
		if len(text) > maxStatement {
			text, cut = text[:maxStatement], true
		}
		p.trx.Statement = p.Statement(text, cut)
	}
	p.trx, p.text, p.more, p.wanted = nil, p.text[:0], false, nil
}

// lock reads
//
//	RECORD LOCKS space id 6 page no 3 n bits 72 index PRIMARY of table `lab`.`accounts` trx id 5717 lock_mode X waiting
//	TABLE LOCK table `lab`.`accounts` trx id 5717 lock mode IX
func (p *parser) lock(line string) {
	l := recordLock(line)
	switch {
	case p.wanted != nil:
		if len(*p.wanted) < maxWaits {
			*p.wanted = append(*p.wanted, l)
		}
	case strings.HasSuffix(line, " waiting") && p.trx.For == nil:
		p.trx.For = &l
	}
}

func recordLock(line string) RecordLock {
	var l RecordLock
	_, rest, ok := strings.Cut(line, " index ")
	if ok && strings.HasPrefix(line, "RECORD LOCKS") {
		index, after, ok := strings.Cut(rest, " of table ")
		if ok {
			l.Index, rest = unquote(index), after
		}
	} else {
		rest = strings.TrimPrefix(line, "TABLE LOCK table ")
	}
	table, mode, _ := strings.Cut(rest, " trx id ")
	l.Table = unquote(table)
	// The number of the transaction stands before the mode.
	if _, mode, ok = strings.Cut(mode, " lock"); ok {
		mode = strings.TrimPrefix(strings.TrimPrefix(mode, "_mode "), " mode ")
		l.Mode = strings.Clone(strings.TrimSuffix(mode, " waiting"))
	}
	return l
}

// unquote takes the quotes off `db`.`table`.
func unquote(s string) string { return strings.ReplaceAll(s, "`", "") }

// session reads
//
//	MySQL thread id 46, OS thread handle 0x7f09606466c0, query id 70896 127.0.0.1 lab update
//	MariaDB thread id 24, OS thread handle 140518181439168, query id 56831 localhost lab Sending data
//	MySQL thread id 5, OS thread handle 140, query id 12 db2.example 10.0.0.7 app updating
//	MySQL thread id 2, OS thread handle 140, query id 9 Waiting for an event from Coordinator
func session(line string, t *Transaction) {
	after(line, " thread id ", &t.Session)
	if handle, _, ok := between(line, "OS thread handle ", ","); ok {
		t.OSThread = strings.Clone(handle)
	}
	_, rest, ok := strings.Cut(line, "query id ")
	if !ok {
		return
	}
	after(line, "query id ", &t.Query)
	f := strings.Fields(rest)
	if len(f) < 2 {
		return
	}
	f = f[1:]
	switch {
	case len(f) > 1 && address(f[1]): // name and address
		t.Host, f = strings.Clone(f[1]), f[2:]
	case address(f[0]) || f[0] == "localhost":
		t.Host, f = strings.Clone(f[0]), f[1:]
	default: // a thread of the server
		t.Thread = strings.Join(f, " ")
		return
	}
	if len(f) > 0 {
		t.User, t.Thread = strings.Clone(f[0]), strings.Join(f[1:], " ")
	}
}

func address(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}
