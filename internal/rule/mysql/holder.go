package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// holding is by what a blocker keeps others waiting.
type holding int

const (
	byStatement   holding = iota // the statement that runs, and its transaction
	byTransaction                // an open transaction: COMMIT ends it
	byPrepared                   // a transaction that only XA COMMIT or XA ROLLBACK ends
	byDetached                   // a transaction without a connection, perhaps prepared
	byReadLock                   // FLUSH TABLES WITH READ LOCK
	byInstance                   // LOCK INSTANCE FOR BACKUP
	byStage                      // BACKUP STAGE of MariaDB
	byTablesWrite                // LOCK TABLES ... WRITE
	byTablesRead                 // LOCK TABLES ... READ
	byTables                     // LOCK TABLES or FLUSH TABLES, it is not known how
	byGetLock                    // GET_LOCK
	bySession                    // idle, and InnoDB is not known to have a transaction of it
)

// holdingOf tells by what a blocker holds its lock. The mode of a metadata lock
// does: no transaction keeps one of those of LOCK TABLES while its client is idle.
// (performance_schema calls their duration TRANSACTION all the same.)
func holdingOf(b view.MySQLBlocker) holding {
	idle := b.Command == "Sleep"
	switch {
	case b.Kind == "user":
		return byGetLock
	case b.Detached && b.Transaction != view.PreparedTransaction:
		return byDetached
	case b.Detached, idle && b.Transaction == view.PreparedTransaction:
		return byPrepared
	case b.Kind == "row" && idle:
		return byTransaction
	case b.Kind == "row":
		return byStatement
	case b.Mode == "SHARED" && (b.Object == "global" || b.Object == "commit"):
		return byReadLock
	case strings.HasPrefix(b.Mode, "BACKUP_FTWRL"):
		return byReadLock
	case slices.Contains(backupStages, b.Mode):
		return byStage
	case b.Mode == "SHARED" && b.Object == "backup lock":
		return byInstance
	case b.Mode == "SHARED_READ_ONLY":
		return byTablesRead
	case !idle:
		return byStatement
	case b.Mode == "SHARED_NO_READ_WRITE":
		return byTablesWrite
	case b.Mode == "SHARED_NO_WRITE", b.Mode == "INTENTION_EXCLUSIVE" && (b.Object == "global" || b.Object == "backup lock"):
		return byTables
	case b.Transaction == view.OpenTransaction:
		return byTransaction
	}
	return bySession
}

// backupStages are the modes of BACKUP STAGE (MariaDB, sql/mdl.h).
var backupStages = []string{"BACKUP_START", "BACKUP_FLUSH", "BACKUP_WAIT_FLUSH", "BACKUP_WAIT_DDL", "BACKUP_WAIT_COMMIT"}

// keeps says what others may not do meanwhile, by an explicit lock, and the
// statement that took it.
var keeps = map[holding]string{
	byReadLock:    "it blocks changes of all tables (FLUSH TABLES WITH READ LOCK)",
	byInstance:    "it blocks creating, altering and dropping tables, but not row changes (LOCK INSTANCE FOR BACKUP)",
	byStage:       "it blocks changes for a backup (BACKUP STAGE)",
	byTablesWrite: "it blocks every use of the table by others (LOCK TABLES ... WRITE)",
	byTablesRead:  "it blocks changes of the table (LOCK TABLES ... READ)",
	byTables:      "it has locked tables (LOCK TABLES, or FLUSH TABLES ... WITH READ LOCK)",
}

// blockerName names who blocks: "connection 17 (app@10.0.0.5)".
func blockerName(b view.MySQLBlocker) string {
	switch {
	case b.Detached && b.Transaction == view.PreparedTransaction:
		return "a prepared XA transaction without a connection"
	case b.Detached:
		return "a transaction without a connection"
	case b.Session == 0:
		return "an unknown connection"
	}
	return fmt.Sprintf("connection %d (%s)", b.Session, account(b.User, b.Client))
}

// doing says what a blocker does meanwhile.
func doing(b view.MySQLBlocker) string {
	h := holdingOf(b)
	switch {
	case h == byDetached:
		return "it was prepared for XA COMMIT, or a crash left it and the server rolls it back"
	case b.Detached:
		return "it waits for XA COMMIT or XA ROLLBACK"
	}
	activity := idleness(b)
	switch statement := words(b.Statement); {
	case b.Statement == "" && activity == "" && keeps[h] == "" && b.Behind != 0:
		return fmt.Sprintf("it waits itself for connection %d", b.Behind)
	case b.Statement == "" && activity == "" && keeps[h] == "":
		return "the server does not tell what it does"
	case b.Statement == "":
	case activity != "":
		activity += ", its last statement: " + statement
	default:
		activity = "runs: " + statement
	}
	if b.Behind != 0 {
		activity += fmt.Sprintf("; it waits itself for connection %d", b.Behind)
	}
	switch {
	case keeps[h] == "":
		return "it " + activity
	case activity == "":
		return keeps[h]
	}
	return keeps[h] + " and " + activity
}

// idleness says how an idle blocker is idle; "" of one at work.
func idleness(b view.MySQLBlocker) string {
	switch h := holdingOf(b); {
	case b.Command != "Sleep":
		return ""
	case h == byPrepared:
		return "is idle after XA PREPARE"
	case h == byTransaction || b.Transaction == view.OpenTransaction:
		return "is idle in an open transaction"
	case h == bySession && b.Transaction == view.NoTransaction:
		return "is idle, without an open transaction in InnoDB"
	}
	return "is idle"
}

// inShort is doing for headlines above a tree, which has the last statement.
func inShort(b view.MySQLBlocker) string {
	if b.Command == "Sleep" {
		b.Statement = ""
	}
	return doing(b)
}

// activity is what a tree says of a blocker, whose lock stands in the headline.
func activity(b view.MySQLBlocker) string {
	switch statement := words(b.Statement); {
	case b.Detached:
		return doing(b)
	case b.Command == "Sleep" && statement != "":
		return "idle after " + statement
	case b.Command == "Sleep":
		return "idle"
	case b.Behind != 0:
		return fmt.Sprintf("waits for connection %d: %s", b.Behind, cmp.Or(statement, "its statement is not known"))
	case statement != "":
		return "runs " + statement
	}
	return "the server does not tell what it does"
}

// since says how long a blocker is at it.
func since(b view.MySQLBlocker) string {
	if b.For <= 0 {
		return ""
	}
	lasts := unit.Duration(b.For).String()
	if b.Kind == "row" || b.Transaction == view.OpenTransaction || b.Transaction == view.PreparedTransaction {
		return ", open for " + lasts
	}
	return ", for " + lasts
}

// holderFixes are for a connection, or a transaction, that holds locks.
func holderFixes(s *view.MySQLServer, b view.MySQLBlocker) []rule.Fix {
	h := holdingOf(b)
	if h == byPrepared || h == byDetached {
		return []rule.Fix{preparedFix(s, b)}
	}
	if b.Session == 0 {
		return nil
	}
	kill := ask(s, shell.SQL("kill %d", b.Session))
	fix := rule.Fix{Command: kill, Tradeoff: "the rollback takes about as long as its changes took"}
	switch h {
	case byTransaction:
		fix.Text = rule.T("connection %d must commit or roll back, or be killed", b.Session)
		if s.MariaDB() {
			return []rule.Fix{fix, {
				Text:     rule.T("let the server end transactions whose client is idle"),
				Command:  ask(s, shell.SQL("set global idle_transaction_timeout = 30")),
				Tradeoff: "clients that pause longer within a transaction lose it; applies to new connections",
			}}
		}
	case byReadLock, byInstance, byStage, byTablesWrite, byTablesRead, byTables:
		unlock := "UNLOCK TABLES"
		switch h {
		case byInstance:
			unlock = "UNLOCK INSTANCE"
		case byStage:
			unlock = "BACKUP STAGE END"
		}
		fix.Text = rule.T("have the client of connection %d release the lock with %s or disconnect: COMMIT and ROLLBACK do not release it; or kill the connection", b.Session, unlock)
		fix.Tradeoff = "a backup, or anything else that relies on the lock, has to start again"
	case bySession:
		fix.Text = rule.T("have the client of connection %d commit and release its locks (UNLOCK TABLES, HANDLER ... CLOSE), or disconnect; or kill the connection", b.Session)
		fix.Tradeoff = "uncommitted changes are rolled back"
	case byGetLock:
		fix.Text = rule.T("see whether the client of connection %d still needs the lock; only RELEASE_LOCK or the end of its session releases it, COMMIT does not", b.Session)
		fix.Tradeoff = "KILL leaves the work that the lock protects half done"
	default:
		if b.Behind != 0 {
			fix.Text = rule.T("end what connection %d waits for: see what connection %d does", b.Session, b.Behind)
			fix.Command = ask(s, shell.SQL("select * from information_schema.processlist where id in (%d, %d)", b.Session, b.Behind))
			fix.Tradeoff = "none; KILL rolls back the changes of a connection"
			return []rule.Fix{fix}
		}
		fix.Text = rule.T("let connection %d finish, in smaller pieces next time; or kill it", b.Session)
	}
	return []rule.Fix{fix}
}

// preparedFix ends a transaction that outlives its connection, and the server.
func preparedFix(s *view.MySQLServer, b view.MySQLBlocker) rule.Fix {
	f := rule.Fix{
		Text:     rule.T("find its XID, ask its transaction manager for the outcome, and run XA COMMIT or XA ROLLBACK; the transaction survives its connection, KILL and a server restart"),
		Command:  ask(s, shell.SQL("xa recover")),
		Tradeoff: "data is inconsistent if another server of the same transaction ended it the other way",
	}
	if !b.Detached {
		f.Text = rule.T("have the client of connection %d run XA COMMIT or XA ROLLBACK; its transaction survives the connection, KILL and a server restart", b.Session)
	}
	return f
}
