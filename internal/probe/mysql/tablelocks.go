package mysql

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// waitsForTable says whether a state of the process list is a wait for a lock of
// the server itself (sql/mdl.cc, sql/lock.cc).
func waitsForTable(state string) bool {
	return strings.HasPrefix(state, "Waiting for") && (strings.HasSuffix(state, "metadata lock") || strings.Contains(state, "table level lock") ||
		strings.Contains(state, "table flush") || strings.Contains(state, "global read lock") || strings.Contains(state, "backup lock")) ||
		state == "Locked" || state == "System lock"
}

// userLock is the state of a session that waits in GET_LOCK (sql/item_func.cc).
const userLock = "User lock"

// Types of objects with metadata locks: those that statements lock, and those of
// GET_LOCK.
const (
	statementObjects = "'TABLE', 'SCHEMA', 'GLOBAL', 'COMMIT', 'FUNCTION', 'PROCEDURE', 'BACKUP LOCK', 'BACKUP'"
	userObjects      = "'USER LEVEL LOCK'"
)

// metadataLocks are the locks of the objects that somebody waits for.
const metadataLocks = `SELECT m.OBJECT_TYPE AS type, m.OBJECT_SCHEMA AS db, m.OBJECT_NAME AS name, m.LOCK_TYPE AS mode, m.LOCK_STATUS AS status,
t.PROCESSLIST_ID AS session FROM performance_schema.metadata_locks m
JOIN performance_schema.threads t ON t.THREAD_ID = m.OWNER_THREAD_ID
WHERE t.PROCESSLIST_ID IS NOT NULL AND m.OBJECT_TYPE IN (%s)
AND (m.OBJECT_TYPE, COALESCE(m.OBJECT_SCHEMA, ''), COALESCE(m.OBJECT_NAME, '')) IN
(SELECT OBJECT_TYPE, COALESCE(OBJECT_SCHEMA, ''), COALESCE(OBJECT_NAME, '') FROM performance_schema.metadata_locks WHERE LOCK_STATUS = 'PENDING')
LIMIT %d`

// mdl is one metadata lock, granted or waited for.
type mdl struct {
	object  string
	mode    string
	pending bool
	session int64
}

// readMetadataLocks reads who waits for whose metadata lock, those of GET_LOCK
// among them. Where the server does not tell, the waits are known from the states
// of the sessions and nobody is named.
func readMetadataLocks(l *look) error {
	waits, err := l.tableLocks()
	if err == nil || !fatal(err) {
		of, userErr := l.userLocks()
		waits, err = append(waits, of...), cmp.Or(err, userErr)
		if userErr != nil && fatal(userErr) {
			err = userErr
		}
	}
	if err != nil && fatal(err) {
		return err
	}
	if err := l.nameBlockers(waits); err != nil {
		return err
	}
	recording.Give(l.w, capped(l, holdersFirst(waits), 4*maxLockWaits))
	// The waits are known all the same: this is no reason to look less often.
	const what = "who holds the metadata locks that others wait for"
	if a, ok := errors.AsType[*absence](err); ok {
		l.notes.add(what, a.why, a.how)
		return nil
	}
	if kind, _ := mysqlconn.Classify(err); err != nil && kind == mysqlconn.Privilege {
		l.notes.add(what, mysqlconn.Text(err), l.grantee("SELECT ON performance_schema.*"))
		return nil
	}
	return err
}

// tableLocks are the waits of statements for objects.
func (l *look) tableLocks() (waits []recording.MySQLLockWait, err error) {
	if len(l.metaWaits) == 0 {
		return nil, nil
	}
	r, err := l.metadataLocks(statementObjects)
	if err == nil {
		waits = l.pairs(r, "metadata")
	} else if l.about.mariaDB() && !fatal(err) {
		if named, pluginErr := l.pluginLocks(); pluginErr == nil {
			waits, err = named, nil
		} else if fatal(pluginErr) {
			return nil, pluginErr
		} else if a, ok := errors.AsType[*absence](err); ok {
			err = &absence{why: a.why + ", and the plugin metadata_lock_info is not loaded", how: "INSTALL SONAME 'metadata_lock_info'"}
		}
	}
	known := told(waits)
	for i := range l.metaWaits {
		p := &l.metaWaits[i]
		kind := "metadata"
		if strings.Contains(p.state, "table level lock") || p.state == "Locked" {
			kind = "table"
		}
		if p.state != "System lock" && !known[p.id] {
			waits = append(waits, l.behindUnknown(p, kind))
		}
	}
	return waits, err
}

// userLocks are the waits of sessions in GET_LOCK.
func (l *look) userLocks() (waits []recording.MySQLLockWait, err error) {
	if len(l.userWaits) == 0 {
		return nil, nil
	}
	r, err := l.metadataLocks(userObjects)
	if err == nil {
		waits = l.pairs(r, "user")
	}
	for i := range waits {
		if !l.options.Literals {
			waits[i].Object = "" // the name is what a program wrote into a literal
		}
	}
	known := told(waits)
	for i := range l.userWaits {
		if p := &l.userWaits[i]; !known[p.id] {
			waits = append(waits, l.behindUnknown(p, "user"))
		}
	}
	return waits, err
}

// told are the sessions that are known to wait.
func told(waits []recording.MySQLLockWait) map[int64]bool {
	sessions := make(map[int64]bool, len(waits))
	for _, w := range waits {
		sessions[w.Waiting] = true
	}
	return sessions
}

// behindUnknown is the wait of a session of which only its state tells.
func (l *look) behindUnknown(p *process, kind string) recording.MySQLLockWait {
	return recording.MySQLLockWait{At: l.at, Server: l.target.Name, Kind: kind, Waited: p.took, Waiting: p.id,
		WaitingStatement: p.words(l), BlockingFor: recording.Unknown}
}

func (l *look) metadataLocks(objects string) (*mysqlconn.Result, error) {
	switch {
	case l.about.mariaDB() && !l.about.atLeast(10, 5):
		return nil, &absence{why: "MariaDB tells who holds metadata locks since 10.5"}
	case !l.about.mariaDB() && !l.about.atLeast(5, 7):
		return nil, &absence{why: "MySQL tells who holds metadata locks since 5.7"}
	}
	if err := l.needSchema(); err != nil {
		return nil, err
	}
	r, err := l.queryRows("the metadata locks", fmt.Sprintf(metadataLocks, objects, 4*maxLockWaits), 4*maxLockWaits)
	if err != nil || r.Len() > 0 {
		return r, err
	}
	// Waits end between two queries, and of those in "System lock" few are for a
	// metadata lock: none to be seen does not mean that they are not watched.
	watched, err := l.watchesMetadataLocks()
	if err == nil && !watched {
		err = &absence{why: "performance_schema does not watch metadata locks",
			how: "UPDATE performance_schema.setup_instruments SET ENABLED='YES' WHERE NAME='" + mdlInstrument + "'"}
	}
	return r, err
}

// mdlInstrument is what has performance_schema watch metadata locks.
const mdlInstrument = "wait/lock/metadata/sql/mdl"

// watchesMetadataLocks says whether the instrument is enabled. It is asked once,
// and again where it was not: somebody may have followed the advice.
func (l *look) watchesMetadataLocks() (bool, error) {
	if l.seen.mdlWatched {
		return true, nil
	}
	r, err := l.query("the instrument of metadata locks", "SELECT ENABLED AS enabled FROM performance_schema.setup_instruments WHERE NAME = '"+mdlInstrument+"'")
	if err != nil {
		return false, err
	}
	l.seen.mdlWatched = r.Len() == 1 && strings.EqualFold(r.Row(0).Text("enabled"), "YES")
	return l.seen.mdlWatched, nil
}

// pairs joins those who wait with those in their way.
func (l *look) pairs(r *mysqlconn.Result, kind string) []recording.MySQLLockWait {
	locks := map[string][]mdl{}
	var pending []mdl
	for row := range r.Rows() {
		m := mdl{object: objectName(row.Name("type"), row.Name("db"), row.Name("name")), mode: row.Name("mode"),
			pending: row.Text("status") == "PENDING", session: row.Int("session")}
		locks[m.object] = append(locks[m.object], m)
		if m.pending {
			pending = append(pending, m)
		}
	}
	var waits []recording.MySQLLockWait
	seen := map[[2]int64]bool{}
	for _, want := range pending {
		if len(waits) >= maxLockWaits {
			l.w.Lost(1)
			continue
		}
		w := recording.MySQLLockWait{At: l.at, Server: l.target.Name, Kind: kind, Object: want.object, Mode: want.mode,
			Waited: recording.Unknown, Waiting: want.session, BlockingFor: recording.Unknown}
		if p := l.find(want.session); p != nil {
			w.Waited, w.WaitingStatement = p.took, p.words(l)
		}
		blocked := false
		for _, other := range locks[want.object] {
			pair := [2]int64{want.session, other.session}
			if other.session == want.session || seen[pair] || !inTheWay(want, other) {
				continue
			}
			seen[pair], blocked = true, true
			w.Blocking, w.BlockingMode = other.session, ""
			if !other.pending {
				w.BlockingMode = other.mode
			}
			waits = append(waits, w)
		}
		if other, one := onlyOther(want, locks[want.object]); !blocked && one && l.about.mariaDB() && !seen[[2]int64{want.session, other.session}] {
			seen[[2]int64{want.session, other.session}], blocked = true, true
			w.Blocking, w.BlockingMode = other.session, other.mode
			waits = append(waits, w)
		}
		if !blocked && !seen[[2]int64{want.session, 0}] {
			seen[[2]int64{want.session, 0}] = true
			w.Blocking, w.BlockingMode = 0, ""
			waits = append(waits, w)
		}
	}
	return waits
}

// onlyOther is the lock of the one other session that was granted one of the same
// object: it is in the way, whatever its mode. MariaDB goes on to show the mode that
// was asked for first where a lock was made stronger later, as LOCK TABLES ... READ
// does, and has modes for backups that the tables below do not know.
func onlyOther(want mdl, locks []mdl) (other mdl, one bool) {
	for _, m := range locks {
		if m.pending || m.session == want.session {
			continue
		}
		if one && m.session != other.session {
			return mdl{}, false
		}
		other, one = m, true
	}
	return other, one
}

func objectName(kind, db, name string) string {
	switch {
	case db == "" && name == "":
		return strings.ToLower(kind) // the global read lock, commits
	case name == "":
		return db
	case db == "":
		return name // of GET_LOCK
	}
	return db + "." + name
}

// Modes of metadata locks, from the weakest on: what shared locks exclude
// (sql/mdl.h, sql/mdl.cc: MDL_object_lock::m_granted_incompatible and
// m_waiting_incompatible).
var (
	excludedByGranted = map[string]string{
		"SHARED":                "X",
		"SHARED_HIGH_PRIO":      "X",
		"SHARED_READ":           "X SNRW",
		"SHARED_WRITE":          "X SNRW SNW SRO",
		"SHARED_WRITE_LOW_PRIO": "X SNRW SNW SRO",
		"SHARED_UPGRADABLE":     "X SNRW SNW SU",
		"SHARED_READ_ONLY":      "X SNRW SW SWLP",
		"SHARED_NO_WRITE":       "X SNRW SNW SU SW SWLP",
		"SHARED_NO_READ_WRITE":  "X SNRW SNW SRO SU SW SWLP SR",
		"EXCLUSIVE":             "X SNRW SNW SRO SU SW SWLP SR SH S IX",
		"INTENTION_EXCLUSIVE":   "X S",
	}
	excludedByPending = map[string]string{
		"SHARED":                "X",
		"SHARED_READ":           "X SNRW",
		"SHARED_WRITE":          "X SNRW SNW",
		"SHARED_WRITE_LOW_PRIO": "X SNRW SNW SRO",
		"SHARED_UPGRADABLE":     "X",
		"SHARED_READ_ONLY":      "X SNRW",
		"SHARED_NO_WRITE":       "X",
		"SHARED_NO_READ_WRITE":  "X",
		"INTENTION_EXCLUSIVE":   "X S",
	}
	shortModes = map[string]string{"SHARED": "S", "SHARED_HIGH_PRIO": "SH", "SHARED_READ": "SR", "SHARED_WRITE": "SW", "SHARED_WRITE_LOW_PRIO": "SWLP",
		"SHARED_UPGRADABLE": "SU", "SHARED_READ_ONLY": "SRO", "SHARED_NO_WRITE": "SNW", "SHARED_NO_READ_WRITE": "SNRW", "EXCLUSIVE": "X",
		"INTENTION_EXCLUSIVE": "IX"}
)

// inTheWay says whether one lock keeps another one from being granted.
func inTheWay(want, other mdl) bool {
	table := excludedByGranted
	if other.pending {
		table = excludedByPending
	}
	short, known := shortModes[other.mode]
	return known && slices.Contains(strings.Fields(table[want.mode]), short)
}
