package mysql

import (
	"errors"
	"time"

	"rtrail/internal/probe/mysql/innodb"
	"rtrail/internal/recording"
)

// readInnoDB reads what InnoDB says of itself.
func readInnoDB(l *look) error {
	r, err := l.query("the status of InnoDB", "SHOW ENGINE INNODB STATUS")
	if err != nil {
		return err
	}
	if r.Len() == 0 {
		return &absence{} // a server without InnoDB
	}
	status, err := innodb.Parse(r.Row(0).Text("Status"), innodb.Options{Location: l.clock()})
	if errors.Is(err, innodb.ErrNotStatus) {
		return &absence{}
	}
	if err != nil {
		return &absence{why: err.Error()}
	}
	l.rememberSnapshots(status.Transactions)
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

// rememberSnapshots notes which transactions hold a read view. Only the status of
// InnoDB tells, and that is not read in every look.
func (l *look) rememberSnapshots(told []innodb.Transaction) {
	views := map[int64]bool{}
	for _, t := range told {
		if t.ReadView && t.Session > 0 {
			views[t.Session] = true
		}
	}
	l.seen.snapshots = map[heldBy]bool{}
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
	}
	recording.Give(l.w, l.trx)
}
