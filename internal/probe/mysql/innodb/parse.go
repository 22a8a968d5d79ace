package innodb

import (
	"strings"
	"time"
)

// parser reads line by line; lines that it does not know are passed over.
type parser struct {
	Options
	s       Status
	section string
	dashes  string // the last line, if it was one: a title may follow
	entered bool   // the last line was a title
	known   bool   // the line "INNODB MONITOR OUTPUT" was seen

	deadlocked bool // the next line is the time of the deadlock
	in         *DeadlockTransaction
	wanted     *[]RecordLock // where the next lock goes

	trx   *Transaction // the one that is read, kept or not
	spare Transaction  // for those that are not kept
	text  []byte       // its statement so far
	more  bool         // lines that follow may be its statement
}

// Sections whose lines mean something. Others end the one before them.
const (
	background = "BACKGROUND THREAD"
	semaphores = "SEMAPHORES"
	deadlock   = "LATEST DETECTED DEADLOCK"
	foreignKey = "LATEST FOREIGN KEY ERROR"
	trxs       = "TRANSACTIONS"
	fileIO     = "FILE I/O"
	insert     = "INSERT BUFFER AND ADAPTIVE HASH INDEX"
	hash       = "ADAPTIVE HASH INDEX"
	insertOnly = "INSERT BUFFER"
	logSection = "LOG"
	pool       = "BUFFER POOL AND MEMORY"
	pools      = "INDIVIDUAL BUFFER POOL INFO"
	rowOps     = "ROW OPERATIONS"
	theEnd     = "END OF INNODB MONITOR OUTPUT"
)

func title(line string) bool {
	switch line {
	case background, semaphores, deadlock, foreignKey, trxs, fileIO, insert, hash, insertOnly, logSection, pool, pools, rowOps, theEnd:
		return true
	}
	return false
}

// Parse reads an output. The only error is ErrNotStatus; an output that is cut
// gives what it has.
func Parse(text string, o Options) (Status, error) {
	if o.Location == nil {
		o.Location = time.Local
	}
	p := parser{Options: o, s: unknown()}
	for line := range strings.Lines(text) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	p.endTransaction()
	if !p.known {
		return Status{}, ErrNotStatus
	}
	return p.s, nil
}

func (p *parser) line(line string) {
	dashes := len(line) >= 3 && strings.Trim(line, "-=") == ""
	switch {
	case p.dashes != "" && title(line):
		p.enter(line)
		return
	case dashes && p.entered:
		p.entered = false
		return
	case p.dashes != "": // it was no part of a title, but perhaps of a statement
		p.inSection(p.dashes)
		p.dashes = ""
	}
	p.entered = false
	if dashes {
		p.dashes = line
		return
	}
	p.inSection(line)
}

func (p *parser) inSection(line string) {
	switch p.section {
	case "":
		p.header(line)
	case semaphores:
		p.semaphore(line)
	case deadlock:
		p.deadlock(line)
	case trxs:
		p.transactions(line)
	case fileIO:
		p.io(line)
	case insert, insertOnly:
		p.insertBuffer(line)
	case logSection:
		p.log(line)
	case pool:
		p.pool(line)
	case rowOps:
		p.rows(line)
	}
}

func (p *parser) enter(section string) {
	p.endTransaction()
	p.section, p.dashes, p.entered, p.in = section, "", true, nil
	p.deadlocked = section == deadlock
	p.s.Complete = p.s.Complete || section == theEnd
}

// header is what stands before the first section:
//
//	2026-11-21 08:13:56 7f09655766c0 INNODB MONITOR OUTPUT
//	120326 10:12:13 INNODB MONITOR OUTPUT
func (p *parser) header(line string) {
	if rest, ok := strings.CutSuffix(line, " INNODB MONITOR OUTPUT"); ok {
		p.known = true
		p.s.At = p.time(rest)
	} else if rest, ok := strings.CutPrefix(line, "Per second averages calculated from the last "); ok {
		if n, ok := number(rest); ok {
			p.s.Averages = time.Duration(n) * time.Second
		}
	}
}

// time reads the clock at the beginning of a text; zero if there is none.
func (p *parser) time(s string) time.Time {
	f := strings.Fields(s)
	if len(f) < 2 {
		return time.Time{}
	}
	clock := f[0] + " " + f[1]
	for _, layout := range []string{"2006-01-02 15:04:05", "060102 15:04:05"} {
		if t, err := time.ParseInLocation(layout, clock, p.Location); err == nil {
			return t
		}
	}
	return time.Time{}
}
