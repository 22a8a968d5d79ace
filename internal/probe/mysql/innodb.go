package mysql

import (
	"errors"
	"strings"
	"time"

	"rtrail/internal/probe/mysql/innodb"
	"rtrail/internal/recording"
)

// readInnoDB reads what InnoDB says of itself.
func readInnoDB(l *look) error {
	r, err := l.run("the status of InnoDB", "SHOW ENGINE INNODB STATUS", 1, l.link.QueryText)
	if err != nil {
		return err
	}
	if r.Len() == 0 {
		return &absence{} // a server without InnoDB
	}
	return l.takeInnoDB(r.Row(0).Text("Status"))
}

// takeInnoDB writes what a status says.
func (l *look) takeInnoDB(text string) error {
	status, err := innodb.Parse(text, innodb.Options{Location: l.clock()})
	if errors.Is(err, innodb.ErrNotStatus) {
		return &absence{}
	}
	if err != nil {
		return &absence{why: err.Error()}
	}
	l.rememberTransactions(status.Transactions)
	recording.Append(l.w, status.Row(l.at, l.target.Name))
	recording.Give(l.w, status.Latches(l.at, l.target.Name))
	return nil
}

// clock is the time zone of the server's own times.
func (l *look) clock() *time.Location {
	return time.FixedZone("server", int(l.about.offset.Seconds()))
}

// heldBy names a transaction: servers number those that only read all alike.
type heldBy struct {
	session int64
	id      string
}

// rememberTransactions notes which transactions hold a read view, and which are
// prepared. Only the status of InnoDB tells, and that is not read in every look.
func (l *look) rememberTransactions(told []innodb.Transaction) {
	views, prepared := map[int64]bool{}, map[string]bool{}
	for _, t := range told {
		if t.ReadView && t.Session > 0 {
			views[t.Session] = true
		}
		if strings.Contains(t.State, "PREPARED") {
			prepared[t.ID] = true
		}
	}
	l.seen.snapshots, l.seen.twoPhase = map[heldBy]bool{}, prepared
	for _, t := range l.trx {
		if views[t.Session] {
			l.seen.snapshots[heldBy{t.Session, t.ID}] = true
		}
	}
}

// writeTransactions writes the rows that were read before.
func (l *look) writeTransactions() {
	for i := range l.trx {
		l.trx[i].Snapshot = l.seen.snapshots[heldBy{l.trx[i].Session, l.trx[i].ID}]
		l.trx[i].Prepared = l.seen.twoPhase[l.trx[i].ID]
	}
	recording.Give(l.w, l.trx)
}
