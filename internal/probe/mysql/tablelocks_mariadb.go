package mysql

import (
	"strings"

	"rtrail/internal/recording"
)

// A session that changes a table holds one of these on it before it waits for
// the exclusive lock.
var upgradable = map[string]bool{"SHARED_UPGRADABLE": true, "SHARED_NO_WRITE": true, "SHARED_NO_READ_WRITE": true}

// pluginLocks names who is in the way of a session that waits, as far as the
// plugin metadata_lock_info tells, which knows the locks that are held and not
// those that are waited for. A session that waits and holds the lock of exactly
// one table for a change of it waits for that table; whoever else holds a lock of
// it is in the way. In all other cases nobody is named.
func (l *look) pluginLocks() ([]recording.MySQLLockWait, error) {
	r, err := l.queryRows("the metadata locks", "SELECT THREAD_ID AS session, LOCK_MODE AS mode, TABLE_SCHEMA AS db, TABLE_NAME AS name "+
		"FROM information_schema.METADATA_LOCK_INFO WHERE LOCK_TYPE = 'Table metadata lock'", 4*maxLockWaits)
	if err != nil {
		return nil, err
	}
	holders := map[string][]mdl{}
	changes := map[int64][]string{}
	for row := range r.Rows() {
		m := mdl{object: row.Name("db") + "." + row.Name("name"), mode: strings.TrimPrefix(row.Name("mode"), "MDL_"), session: row.Int("session")}
		holders[m.object] = append(holders[m.object], m)
		if upgradable[m.mode] {
			changes[m.session] = append(changes[m.session], m.object)
		}
	}
	var waits []recording.MySQLLockWait
	for i := range l.metaWaits {
		p := &l.metaWaits[i]
		tables := changes[p.id]
		if len(waits) >= maxLockWaits {
			l.w.Lost(1)
			continue
		}
		if len(tables) != 1 || p.state != "Waiting for table metadata lock" {
			continue
		}
		w := recording.MySQLLockWait{At: l.at, Server: l.target.Name, Kind: "metadata", Object: tables[0], Mode: "EXCLUSIVE", Waited: p.took,
			Waiting: p.id, WaitingStatement: p.words(l), BlockingFor: recording.Unknown}
		seen := map[int64]bool{}
		for _, m := range holders[tables[0]] {
			if m.session == p.id || seen[m.session] {
				continue
			}
			seen[m.session] = true
			w.Blocking, w.BlockingMode = m.session, m.mode
			waits = append(waits, w)
		}
		if len(seen) == 0 {
			waits = append(waits, w)
		}
	}
	return waits, nil
}
