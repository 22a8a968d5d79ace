package mysql

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe/mysql/fixture"
	"rtrail/internal/probe/mysql/innodb"
	"rtrail/internal/recording"
)

// reads is a tape with other names for statements.
type reads struct {
	*tape
	of func(statement string) string
}

func (r *reads) Query(ctx context.Context, statement string) (*mysqlconn.Result, error) {
	return r.tape.Query(ctx, r.of(statement))
}

// Waits that are over when the locks are read do not mean that nobody watches them.
func TestMetadataLocksThatAreNotSeen(t *testing.T) {
	const locks, instrument = "the locks", "the instrument"
	for name, x := range map[string]struct {
		locks   []string // rows
		enabled []string // answers about the instrument, one to each question; the last one goes on
		refused bool
		absent  bool
		asked   int // how often about the instrument, in three looks
	}{
		"the waits are over":                 {enabled: []string{"YES"}, asked: 1},
		"not watched":                        {enabled: []string{"NO"}, absent: true, asked: 3},
		"watched after the advice":           {enabled: []string{"NO", "YES"}, asked: 2},
		"somebody waits":                     {locks: []string{"TABLE"}, enabled: []string{"NO"}},
		"the instruments may not be read":    {refused: true, asked: 3},
		"there is no such instrument at all": {enabled: []string{""}, absent: true, asked: 3},
	} {
		t.Run(name, func(t *testing.T) {
			answers := &tape{answers: map[string][]tapeAnswer{}}
			table := func(column string, values ...string) tapeAnswer {
				a := fixture.Answer{Columns: []string{column}}
				for _, v := range values {
					if v != "" {
						a.Rows = append(a.Rows, []fixture.Value{{Text: v}})
					}
				}
				return tapeAnswer{answer: a}
			}
			reader := &reads{tape: answers, of: func(statement string) string {
				if strings.Contains(statement, "FROM performance_schema.metadata_locks") {
					return locks
				}
				if strings.Contains(statement, "FROM performance_schema.setup_instruments WHERE NAME = 'wait/lock/metadata/sql/mdl'") {
					return instrument
				}
				return statement
			}}
			answers.answers[locks] = []tapeAnswer{table("type", x.locks...)}
			for _, enabled := range x.enabled {
				answers.answers[instrument] = append(answers.answers[instrument], table("enabled", enabled))
			}
			if x.refused {
				answers.answers[instrument] = []tapeAnswer{{err: &driver.MySQLError{Number: 1142, Message: "SELECT command denied"}}}
			}
			s := newServer(mysqlconn.Target{}, Options{}, nil)
			s.about = identify("9.7.4", "")
			s.about.schema = true
			s.link = reader
			var err error
			for range 3 {
				_, err = (&look{server: s, ctx: t.Context(), w: recording.NewWriter(time.Now())}).metadataLocks(statementObjects)
			}
			a, absent := errors.AsType[*absence](err)
			if absent != x.absent || absent && !strings.Contains(a.how, "setup_instruments SET ENABLED='YES'") || (err != nil) != (x.absent || x.refused) {
				t.Errorf("%v, want absence: %v, refusal: %v", err, x.absent, x.refused)
			}
			asked := 0
			for _, q := range answers.asked {
				if q == instrument {
					asked++
				}
			}
			if asked != x.asked {
				t.Errorf("asked %d times about the instrument, want %d", asked, x.asked)
			}
		})
	}
}

// Who waits for whom, from what performance_schema shows of locks.
func TestWaitsForMetadataLocks(t *testing.T) {
	// type, db, name, mode, status, session
	type row = [6]string
	waitFor := func(session int64, state string) process {
		return process{id: session, state: state, took: 5 * time.Second, command: "Query"}
	}
	for name, x := range map[string]struct {
		version  string
		literals bool
		waiting  process
		locks    []row
		want     recording.MySQLLockWait
	}{
		"GET_LOCK": {"9.7.4", false, waitFor(8, "User lock"),
			[]row{{"USER LEVEL LOCK", "", "job1", "EXCLUSIVE", "GRANTED", "7"}, {"USER LEVEL LOCK", "", "job1", "EXCLUSIVE", "PENDING", "8"}},
			recording.MySQLLockWait{Kind: "user", Mode: "EXCLUSIVE", Blocking: 7, BlockingMode: "EXCLUSIVE"}},
		"GET_LOCK of MariaDB, with its name": {"10.11.19-MariaDB", true, waitFor(8, "User lock"),
			[]row{{"USER LEVEL LOCK", "", "job1", "SHARED_NO_WRITE", "GRANTED", "7"}, {"USER LEVEL LOCK", "", "job1", "SHARED_NO_WRITE", "PENDING", "8"}},
			recording.MySQLLockWait{Kind: "user", Object: "job1", Mode: "SHARED_NO_WRITE", Blocking: 7, BlockingMode: "SHARED_NO_WRITE"}},
		"GET_LOCK where nobody tells": {"5.6.14", false, waitFor(8, "User lock"), nil, recording.MySQLLockWait{Kind: "user"}},
		"all tables": {"9.7.4", false, waitFor(8, "Waiting for global read lock"),
			[]row{{"GLOBAL", "", "", "SHARED", "GRANTED", "7"}, {"GLOBAL", "", "", "INTENTION_EXCLUSIVE", "PENDING", "8"}},
			recording.MySQLLockWait{Kind: "metadata", Object: "global", Mode: "INTENTION_EXCLUSIVE", Blocking: 7, BlockingMode: "SHARED"}},
		"a lock of MariaDB that became stronger": {"10.11.19-MariaDB", false, waitFor(8, "Waiting for table metadata lock"),
			[]row{{"TABLE", "t", "b", "SHARED_READ", "GRANTED", "7"}, {"TABLE", "t", "b", "SHARED_WRITE", "PENDING", "8"}},
			recording.MySQLLockWait{Kind: "metadata", Object: "t.b", Mode: "SHARED_WRITE", Blocking: 7, BlockingMode: "SHARED_READ"}},
		"a backup of MariaDB": {"10.11.19-MariaDB", false, waitFor(8, "Waiting for backup lock"),
			[]row{{"BACKUP", "", "", "BACKUP_FTWRL1", "GRANTED", "7"}, {"BACKUP", "", "", "BACKUP_TRANS_DML", "PENDING", "8"}},
			recording.MySQLLockWait{Kind: "metadata", Object: "backup", Mode: "BACKUP_TRANS_DML", Blocking: 7, BlockingMode: "BACKUP_FTWRL1"}},
		"one of two": {"10.11.19-MariaDB", false, waitFor(8, "Waiting for table metadata lock"),
			[]row{{"TABLE", "t", "b", "SHARED_READ", "GRANTED", "7"}, {"TABLE", "t", "b", "SHARED_READ", "GRANTED", "9"}, {"TABLE", "t", "b", "SHARED_WRITE", "PENDING", "8"}},
			recording.MySQLLockWait{Kind: "metadata", Object: "t.b", Mode: "SHARED_WRITE"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := fixture.Answer{Columns: []string{"type", "db", "name", "mode", "status", "session"}}
			for _, r := range x.locks {
				values := make([]fixture.Value, len(r))
				for i, text := range r {
					values[i].Text = text
				}
				a.Rows = append(a.Rows, values)
			}
			s := newServer(mysqlconn.Target{}, Options{Literals: x.literals}, nil)
			s.about = identify(x.version, "")
			s.about.schema, s.about.noLast = true, true
			s.link = &reads{tape: &tape{answers: map[string][]tapeAnswer{"locks": {{answer: a}}}}, of: func(statement string) string {
				if strings.Contains(statement, userObjects) != (x.waiting.state == userLock) {
					t.Errorf("asked: %s", statement)
				}
				return "locks"
			}}
			w := recording.NewWriter(time.Now())
			l := &look{server: s, ctx: t.Context(), w: w, processes: []process{x.waiting, {id: 7, command: "Sleep"}}}
			l.sumStates()
			if err := readMetadataLocks(l); err != nil {
				t.Fatal(err)
			}
			rec := recording.New(recording.Manifest{})
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
			x.want.Waiting, x.want.Waited, x.want.BlockingFor = 8, 5*time.Second, recording.Unknown
			if x.want.Blocking != 0 {
				x.want.BlockingCommand, x.want.BlockingFor = "Sleep", 0
			}
			if diff := cmp.Diff([]recording.MySQLLockWait{x.want}, recording.Rows[recording.MySQLLockWait](rec)); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

// A transaction that no connection owns is told from one of which nobody tells, and
// InnoDB's status knows whether it is prepared.
func TestTransactionsWithoutConnections(t *testing.T) {
	for name, x := range map[string]struct {
		value fixture.Value
		want  recording.MySQLLockWait
	}{
		"none":     {fixture.Value{Text: "0"}, recording.MySQLLockWait{Detached: true}},
		"one":      {fixture.Value{Text: "17"}, recording.MySQLLockWait{Blocking: 17}},
		"not told": {fixture.Value{Null: true}, recording.MySQLLockWait{}},
	} {
		r := mysqlconn.NewResult([]string{"waiting", "blocking"})
		r.Add([]string{"8", x.value.Text}, func(i int) bool { return i == 1 && x.value.Null })
		l := &look{server: newServer(mysqlconn.Target{}, Options{}, nil)}
		if w := l.rowLock(r.Row(0)); w.Blocking != x.want.Blocking || w.Detached != x.want.Detached {
			t.Errorf("%s: blocking %d, detached %v", name, w.Blocking, w.Detached)
		}
	}
	l := &look{server: newServer(mysqlconn.Target{}, Options{}, nil), w: recording.NewWriter(time.Now()), trx: []recording.MySQLTransaction{{ID: "607"}, {ID: "608", Session: 5}}}
	l.rememberTransactions([]innodb.Transaction{{ID: "607", State: "ACTIVE (PREPARED)"}, {ID: "608", State: "ACTIVE", Session: 5}})
	l.writeTransactions()
	if !l.trx[0].Prepared || l.trx[1].Prepared {
		t.Errorf("prepared: %+v", l.trx)
	}
}
