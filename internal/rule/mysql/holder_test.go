package mysql

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// allRead is what a look read that knows of all open transactions.
const allRead = "status,transactions,sessions"

// heldLock is a wait for a metadata lock of connection 17, which is idle.
func heldLock(object, mode string) recording.MySQLLockWait {
	w := idleBlocker(31, 3*second)
	w.Kind, w.Object, w.Index, w.Mode, w.BlockingMode, w.BlockingStatement = "metadata", object, "", "SHARED_WRITE", mode, ""
	return w
}

// texts are the headline, the evidence and the fixes of a finding.
func texts(f rule.Finding) (headline, all string) {
	headline = f.Headline.String()
	all = headline + "\n"
	for _, e := range f.Evidence {
		all += e.What.String() + "\n" + e.Check.String() + "\n"
	}
	for _, x := range f.Fixes {
		all += x.Text.String() + "\n" + x.Command.String() + "\n"
	}
	return headline, all
}

// Not every lock is one of a transaction, and COMMIT does not end the others.
func TestWhatHoldersHold(t *testing.T) {
	open := []recording.MySQLTransaction{{Session: 17}}
	running := heldLock("global", "SHARED")
	running.BlockingCommand, running.BlockingStatement = "Query", "SELECT * FROM stock"
	for name, x := range map[string]struct {
		wait    recording.MySQLLockWait
		list    []recording.MySQLTransaction
		says    string // the headline
		fix     string
		without string // anywhere
	}{
		"a transaction": {heldLock("shop.stock", "SHARED_READ"), open,
			"waits for the definition of shop.stock, which connection 17 (app@10.0.0.5) holds: it is idle in an open transaction", "must commit or roll back", "UNLOCK"},
		"all tables": {heldLock("global", "SHARED"), nil,
			"waits for the global lock that FLUSH TABLES WITH READ LOCK and backups take, which connection 17 (app@10.0.0.5) holds: " +
				"it blocks changes of all tables (FLUSH TABLES WITH READ LOCK) and is idle", "with UNLOCK TABLES", "transaction"},
		"all tables, in a snapshot": {heldLock("commit", "SHARED"), open,
			"it blocks changes of all tables (FLUSH TABLES WITH READ LOCK) and is idle in an open transaction", "with UNLOCK TABLES", "commit or roll back"},
		"all tables, while it works": {running, nil,
			"it blocks changes of all tables (FLUSH TABLES WITH READ LOCK) and runs: SELECT * FROM stock", "with UNLOCK TABLES", "idle"},
		"the instance": {heldLock("backup lock", "SHARED"), nil,
			"waits for the backup lock that LOCK INSTANCE FOR BACKUP takes, which connection 17 (app@10.0.0.5) holds: " +
				"it blocks creating, altering and dropping tables, but not row changes (LOCK INSTANCE FOR BACKUP)", "with UNLOCK INSTANCE", "UNLOCK TABLES"},
		"a table": {heldLock("shop.stock", "SHARED_NO_READ_WRITE"), nil,
			"it blocks every use of the table by others (LOCK TABLES ... WRITE) and is idle", "with UNLOCK TABLES", "open transaction"},
		"a table for reading": {heldLock("shop.stock", "SHARED_READ_ONLY"), nil,
			"it blocks changes of the table (LOCK TABLES ... READ) and is idle", "with UNLOCK TABLES", "open transaction"},
		"all tables of MariaDB": {heldLock("backup", "BACKUP_FTWRL2"), nil,
			"it blocks changes of all tables (FLUSH TABLES WITH READ LOCK) and is idle", "with UNLOCK TABLES", "transaction"},
		"a backup of MariaDB": {heldLock("backup", "BACKUP_WAIT_COMMIT"), nil,
			"it blocks changes for a backup (BACKUP STAGE) and is idle", "with BACKUP STAGE END", "UNLOCK TABLES"},
		"tables, somebody wants all": {heldLock("global", "INTENTION_EXCLUSIVE"), nil, "it has locked tables", "with UNLOCK TABLES", "open transaction"},
		"no transaction of InnoDB": {heldLock("shop.stock", "SHARED_READ"), nil,
			"it is idle, without an open transaction in InnoDB", "UNLOCK TABLES, HANDLER ... CLOSE", "roll back before"},
	} {
		t.Run(name, func(t *testing.T) {
			h := server(ruletest.MySQL{Flavor: "MySQL", Version: "9.7.4", Collected: allRead}).LockWaits(x.wait).Transactions(x.list...)
			headline, all := texts(h.Detect(t, metadataLock)[0])
			if !strings.Contains(headline, x.says) {
				t.Errorf("headline %q, want %q", headline, x.says)
			}
			if fix, _, _ := strings.Cut(all[strings.LastIndex(all, "processlist"):], "kill"); !strings.Contains(fix, x.fix) {
				t.Errorf("no fix with %q:\n%s", x.fix, all)
			}
			if x.without != "" && strings.Contains(all, x.without) {
				t.Errorf("it says %q:\n%s", x.without, all)
			}
		})
	}
}

// A prepared transaction outlives its connection: neither KILL nor another way to
// write programs ends it.
func TestRowLocksOfPreparedTransactions(t *testing.T) {
	detached := idleBlocker(21, second)
	detached.Blocking, detached.Detached, detached.BlockingCommand, detached.BlockingUser, detached.BlockingClient, detached.BlockingStatement = 0, true, "", "", "", ""
	for name, x := range map[string]struct {
		wait    recording.MySQLLockWait
		list    []recording.MySQLTransaction
		want    string
		without []string
	}{
		"without a connection": {detached, []recording.MySQLTransaction{{Prepared: true}},
			"row lock: a prepared XA transaction without a connection blocks 1 connection of mariadbd on shop.stock: it waits for XA COMMIT or XA ROLLBACK",
			[]string{"unknown connection", "where id = 0", "kill", "BEGIN and COMMIT", "explain"}},
		"not known to be prepared": {detached, []recording.MySQLTransaction{{}},
			"row lock: a transaction without a connection blocks 1 connection of mariadbd on shop.stock: it was prepared for XA COMMIT, or a crash left it", []string{"unknown connection", "where id = 0", "kill"}},
		"its client is still there": {idleBlocker(21, second), []recording.MySQLTransaction{{Session: 17, Prepared: true}},
			"connection 17 (app@10.0.0.5) blocks 1 connection of mariadbd on shop.stock: it is idle after XA PREPARE", []string{"must commit or roll back", "kill"}},
	} {
		t.Run(name, func(t *testing.T) {
			headline, all := texts(server(ruletest.MySQL{Collected: allRead}).LockWaits(x.wait).Transactions(x.list...).Detect(t, rowLockWait)[0])
			if !strings.Contains(headline, x.want) {
				t.Errorf("headline %q, want %q", headline, x.want)
			}
			if !strings.Contains(all, "xa recover") || !strings.Contains(all, "XA ROLLBACK") {
				t.Errorf("nothing tells how to end it:\n%s", all)
			}
			for _, not := range x.without {
				if strings.Contains(all, not) {
					t.Errorf("it says %q:\n%s", not, all)
				}
			}
		})
	}
}

// One connection holds rows and a definition: each rule tells of those who want
// what it is about.
func TestOneBlockerOfTwoKinds(t *testing.T) {
	meta := heldLock("shop.stock", "SHARED_WRITE")
	meta.WaitingStatement = "ALTER TABLE stock ADD note INT"
	behindRow := meta // the one that waits for a row uses the table as well
	behindRow.Blocking, behindRow.BlockingCommand = 21, "Query"
	m := ruletest.MySQL{Collected: allRead, Gauges: map[string]float64{"Innodb_row_lock_current_waits": 1}}
	h := func() *ruletest.Host {
		return server(m).LockWaits(idleBlocker(21, second), behindRow, meta).
			Transactions(recording.MySQLTransaction{Session: 17}, recording.MySQLTransaction{Session: 21, State: "LOCK WAIT"})
	}
	for _, x := range []struct {
		rule       rule.Rule
		says, from string
	}{
		{rowLockWait, "row lock: connection 17 (app@10.0.0.5) blocks 1 connection of mariadbd on shop.stock", "connection 21 waited"},
		{metadataLock, "1 connection of mariadbd waits for the definition of shop.stock, which connection 17 (app@10.0.0.5) holds", "connection 31 waited"},
	} {
		found := h().Detect(t, x.rule)
		if len(found) != 1 {
			t.Fatalf("%s: %d findings", x.rule.ID, len(found))
		}
		headline, all := texts(found[0])
		if !strings.Contains(headline, x.says) || strings.Count(all, " waited 1") != 1 || !strings.Contains(all, x.from) {
			t.Errorf("%s:\n%s", x.rule.ID, all)
		}
	}
	// Whoever holds the definition waits for a row: that wait is what has to end.
	m.Collected = ""
	_, all := texts(server(m).LockWaits(idleBlocker(21, second), behindRow).Detect(t, metadataLock)[0])
	if !strings.Contains(all, "which connection 21 (app@10.0.0.5) holds") || !strings.Contains(all, "it waits itself for connection 17") || strings.Contains(all, "kill") {
		t.Error(all)
	}
}

func TestUserLock(t *testing.T) {
	in := func(n int, d float64) *ruletest.Host {
		var list []recording.MySQLSession
		for range n {
			list = append(list, recording.MySQLSession{User: "app", Client: "10.0.0.5", State: userLockState, Statement: "SELECT GET_LOCK(?)"})
		}
		h := server(ruletest.MySQL{Collected: allRead, Gauges: map[string]float64{"Threads_running": float64(n + 1)}, Sessions: list})
		if d == 0 {
			return h
		}
		return longest(h, userLockState, 0, second*5)
	}
	wait := func(waiting, blocking int64) recording.MySQLLockWait {
		w := idleBlocker(waiting, second)
		w.Kind, w.Object, w.Index, w.Blocking, w.BlockingMode, w.BlockingStatement = "user", "", "", blocking, "EXCLUSIVE", ""
		return w
	}
	ruletest.Check(t, metadataLock, []ruletest.Situation{
		{Name: "who has it is known", Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 3, High: 3,
			Says: "3 connections of mariadbd wait in GET_LOCK for a lock that connection 17 (app@10.0.0.5) has: it is idle",
			Host: func() *ruletest.Host { return in(3, 5).LockWaits(wait(21, 17), wait(22, 17), wait(23, 17)) }},
		{Name: "who has it is not known", Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 2, High: 2,
			Says: "2 connections of mariadbd wait in GET_LOCK; the holder is unknown",
			Host: func() *ruletest.Host { return in(2, 5) }},
		{Name: "they take turns", Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 3, High: 3,
			Says: "wait in GET_LOCK for locks that others hold in turn",
			Host: func() *ruletest.Host {
				h, i := in(3, 0), int64(0)
				h.Readings(func(at time.Time, _ float64) {
					i++
					for n := range int64(3) {
						w := wait(21+(i+n+1)%4, 21+i%4)
						w.At, w.Server = at, "10.0.0.2:3306"
						ruletest.Add(h, w)
					}
				})
				return h
			}},
		{Name: "one that waits for a moment", Host: func() *ruletest.Host {
			return longest(server(ruletest.MySQL{Gauges: map[string]float64{"Threads_running": 64}}), userLockState, 0, 0)
		}},
	})
}
