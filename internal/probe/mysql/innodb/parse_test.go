package innodb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/packet/fingerprint"
	"rtrail/internal/recording"
)

const u = recording.Unknown

// options words statements as rtrail does.
func options() Options {
	m := fingerprint.New()
	return Options{Location: time.UTC, Statement: func(text []byte, cut bool) string { return m.Of("mysql", "Query", text, cut) }}
}

func parseFile(t *testing.T, path string) Status {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(string(b), options())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every server tells these, whatever it is doing.
func TestEveryServer(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*/*-innodb-status.txt")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d texts, %v; want 20 and more", len(paths), err)
	}
	for _, path := range paths {
		s := parseFile(t, strings.TrimPrefix(path, "../testdata/"))
		if s.At.Year() != 2026 {
			t.Errorf("%s: written at %s", path, s.At)
		}
		for what, n := range map[string]int64{
			"history": s.History, "LSN": s.Log.Sequence, "flushed": s.Log.Flushed, "checkpoint": s.Log.Checkpoint, "age": s.Log.CheckpointAge(),
			"fsyncs": s.IO.PendingFsyncs(), "synced": s.IO.Synced, "pool": s.Pool.Size, "free": s.Pool.Free, "data": s.Pool.Data, "dirty": s.Pool.Dirty,
			"pending reads": s.Pool.PendingReads, "pending writes": s.Pool.PendingWrites(), "read": s.Pool.Read, "views": s.Rows.ReadViews,
		} {
			if n < 0 {
				t.Errorf("%s: %s is %d", path, what, n)
			}
		}
		if s.Pool.Free+s.Pool.Data > s.Pool.Size || s.Pool.Size == 0 {
			t.Errorf("%s: a pool of %d pages with %d free and %d of data", path, s.Pool.Size, s.Pool.Free, s.Pool.Data)
		}
	}
}

// The end is missing where the server has cut the text in the middle of many
// transactions; what comes after is then not known.
func TestCut(t *testing.T) {
	b, err := os.ReadFile("../testdata/mysql-9/locks-innodb-status.txt")
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := Parse(string(b), options())
	if !whole.Complete {
		t.Error("a whole text is not complete")
	}
	cut, err := Parse(string(b[:strings.Index(string(b), "FILE I/O")]), options())
	if err != nil || cut.Complete || cut.Pool.Size != u || cut.History != 25 {
		t.Errorf("complete %v, pool %d, history %d, %v; want false, unknown, 25", cut.Complete, cut.Pool.Size, cut.History, err)
	}
}

func TestNotStatus(t *testing.T) {
	for _, text := range []string{"", "ERROR 1286 (42000): Unknown storage engine 'INNODB'", strings.Repeat("-", 1000)} {
		if _, err := Parse(text, options()); !errors.Is(err, ErrNotStatus) {
			t.Errorf("%.20q gives %v", text, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	s := parseFile(t, "mysql-5.6.14/deadlock-innodb-status.txt")
	want := Status{
		At: time.Date(2026, 11, 21, 8, 13, 55, 0, time.UTC), Averages: 2 * time.Second, Complete: true,
		Semaphores: Semaphores{Reservations: 1909, Signals: 1758, Mutex: Spins{3262, 49319, 265}, Shared: Spins{3270, 70529, 836},
			Exclusive: Spins{644, 27942, 617}, SX: Spins{u, u, u}},
		History:      672,
		IO:           IO{0, 0, 0, 0, u, 190, 313, 51},
		InsertBuffer: InsertBuffer{1, 0, 2, 0},
		Log:          Log{6010560, 6009844, 2055646, 1625987, u, 0, 0},
		Pool:         Pool{4095, 3691, 402, 172, 0, 0, 0, 0, 1000, 172, 230, 201},
		Rows:         Rows{4211, 6577, 3207, 1382611, 0, 0, 0},
	}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreFields(Status{}, "Deadlock")); diff != "" {
		t.Error(diff)
	}

	s = parseFile(t, "mysql-9/locks-innodb-status.txt")
	for what, diff := range map[string]string{
		"log":        cmp.Diff(Log{22261335, 22261335, 20028754, 20028754, 104857600, u, u}, s.Log),
		"IO":         cmp.Diff(IO{0, 0, 0, 0, u, 924, 3343, 240}, s.IO),
		"pool":       cmp.Diff(Pool{4095, 2786, 1309, 83, 0, 0, 0, 0, 1000, 895, 419, 2713}, s.Pool),
		"rows":       cmp.Diff(Rows{2796, 3554, 1772, 734738, 0, 0, 1}, s.Rows),
		"semaphores": cmp.Diff(Semaphores{Reservations: 325, Signals: 531, Mutex: Spins{u, u, u}}, s.Semaphores),
	} {
		if diff != "" {
			t.Errorf("MySQL 9, %s: %s", what, diff)
		}
	}

	s = parseFile(t, "mariadb-10.11/locks-innodb-status.txt")
	for what, diff := range map[string]string{
		"log":  cmp.Diff(Log{3726780, 3714647, 44404, 44404, u, u, u}, s.Log),
		"IO":   cmp.Diff(IO{u, u, u, u, 0, 179, 0, 50}, s.IO),
		"pool": cmp.Diff(Pool{4056, 3459, 597, 440, 0, 0, 0, u, 1000, 170, 427, 0}, s.Pool),
		"rows": cmp.Diff(Rows{u, u, u, u, u, u, 1}, s.Rows),
	} {
		if diff != "" {
			t.Errorf("MariaDB, %s: %s", what, diff)
		}
	}
}

func TestTransactions(t *testing.T) {
	accounts := func(mode string) *RecordLock { return &RecordLock{"lab.accounts", "PRIMARY", mode} }
	const (
		whole  = "SELECT * FROM accounts WHERE owner = ? FOR UPDATE"
		update = "UPDATE accounts SET balance = balance + ? WHERE id = ?"
	)
	tests := map[string][]Transaction{
		"mysql-9/locks-innodb-status.txt": {
			{ID: "5181", State: "ACTIVE", Age: time.Second, Doing: "starting index read", Waiting: true, Waited: time.Second, For: accounts("X"), Structs: 2,
				RowLocks: 1, Session: 28, OSThread: "139820190738112", Query: 35806, Host: "localhost", User: "lab", Thread: "executing", Statement: whole},
			{ID: "5180", State: "ACTIVE", Age: time.Second, Doing: "starting index read", Waiting: true, Waited: time.Second, For: accounts("X locks rec but not gap"),
				Structs: 2, RowLocks: 1, Session: 27, OSThread: "139820277921472", Query: 35805, Host: "localhost", User: "lab", Thread: "updating", Statement: update},
			{ID: "5179", State: "ACTIVE", Age: time.Second, Waited: u, Structs: 2, RowLocks: 1, Undo: 1, Session: 10, OSThread: "139820238010048", Query: 35804,
				Host: "localhost", User: "lab"},
		},
		"mariadb-10.11/locks-innodb-status.txt": {
			{ID: "(0x7fccf1c3bc80)", State: "ACTIVE", Age: 2 * time.Second, Waited: u, ReadView: true, Session: 24, OSThread: "140518181439168", Query: 56831,
				Host: "localhost", User: "lab"},
			{ID: "5718", State: "ACTIVE", Age: 2 * time.Second, Doing: "starting index read", Waiting: true, Waited: 1506108 * time.Microsecond, For: accounts("X"),
				Structs: 2, RowLocks: 1, Session: 23, OSThread: "140518182360768", Query: 56830, Host: "localhost", User: "lab", Thread: "Sending data", Statement: whole},
			{ID: "5717", State: "ACTIVE", Age: 2 * time.Second, Doing: "starting index read", Waiting: true, Waited: 1706877 * time.Microsecond,
				For: accounts("X locks rec but not gap"), Structs: 2, RowLocks: 1, Session: 22, OSThread: "140518182053568", Query: 56828, Host: "localhost",
				User: "lab", Thread: "Updating", Statement: update},
			{ID: "5716", State: "ACTIVE", Age: 2 * time.Second, Waited: u, Structs: 2, RowLocks: 1, Undo: 1, Session: 5, OSThread: "140518183896768", Query: 56827,
				Host: "localhost", User: "lab"},
		},
	}
	for path, want := range tests {
		s := parseFile(t, path)
		if diff := cmp.Diff(want, s.Transactions); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		if s.Open != int64(len(want)) || s.LockWaits != 2 {
			t.Errorf("%s: %d open, %d waiting; want %d and 2", path, s.Open, s.LockWaits, len(want))
		}
	}
	for _, path := range []string{"mysql-5.6.14/locks-innodb-status.txt", "mariadb-11.8-pool/locks-innodb-status.txt"} {
		if s := parseFile(t, path); s.LockWaits != 2 || s.Transactions[0].User != "lab" || s.Transactions[len(s.Transactions)-1].Undo != 1 {
			t.Errorf("%s: %d waiting, %+v", path, s.LockWaits, s.Transactions)
		}
	}
}

func TestDeadlock(t *testing.T) {
	const (
		row1 = "UPDATE accounts SET balance = ? WHERE id = ?"
		mode = "X locks rec but not gap"
	)
	accounts := []RecordLock{{"lab.accounts", "PRIMARY", mode}}
	of := func(id string, session, query int64, thread, state string, locks Transaction, holds []RecordLock) DeadlockTransaction {
		d := DeadlockTransaction{Transaction: Transaction{ID: id, State: "ACTIVE", Doing: "starting index read", Waiting: locks.Waiting, Waited: u,
			Structs: 3, RowLocks: 2, Undo: 1, Session: session, OSThread: thread, Query: query, Host: "localhost", User: "lab", Thread: state, Statement: row1}}
		d.Holds, d.Wants = holds, accounts
		return d
	}
	waits := Transaction{Waiting: true}
	tests := map[string]*Deadlock{
		"mysql-5.6.14/deadlock-innodb-status.txt": {At: time.Date(2026, 11, 21, 8, 13, 55, 0, time.UTC), Victim: 2, Transactions: []DeadlockTransaction{
			of("7999", 26, 66313, "0x7f096563c6c0", "updating", waits, nil),
			of("8000", 27, 66314, "0x7f09656c06c0", "updating", Transaction{}, accounts),
		}},
		"mariadb-10.11/deadlock-innodb-status.txt": {At: time.Date(2026, 11, 21, 8, 19, 4, 0, time.UTC), Victim: 1, Transactions: []DeadlockTransaction{
			of("5730", 29, 56881, "140518182975168", "Updating", waits, nil),
			of("5729", 28, 56880, "140518181746368", "Updating", waits, nil),
		}},
	}
	for path, want := range tests {
		s := parseFile(t, path)
		if diff := cmp.Diff(want, s.Deadlock); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		if s.LockWaits != 0 {
			t.Errorf("%s: %d wait now; the deadlock is over", path, s.LockWaits)
		}
	}
	for _, path := range []string{"mysql-9/deadlock-innodb-status.txt", "mariadb-11.8-pool/deadlock-innodb-status.txt"} {
		d := parseFile(t, path).Deadlock
		if d == nil || len(d.Transactions) != 2 || d.Victim == 0 || d.Transactions[0].Statement != row1 || d.Transactions[1].Statement != row1 ||
			!cmp.Equal(d.Transactions[0].Wants, accounts) {
			t.Errorf("%s: %+v", path, d)
		}
	}
	if d := parseFile(t, "mysql-5.6.14/idle-innodb-status.txt").Deadlock; d != nil {
		t.Errorf("none was found, and it is %+v", d)
	}
}

func TestLatches(t *testing.T) {
	tests := map[string]LatchWait{
		"mysql-5.6.14/latches-innodb-status.txt": {Thread: "139678247544512", File: "lock0wait.cc:223", Name: "lock0lock.cc:612", Mode: "Mutex"},
		"mysql-9/latches-innodb-status.txt": {Thread: "139820199159488", File: "row0sel.cc:4910", Name: "buf0buf.cc:853", Mode: "S-lock",
			Written: "row0ins.cc:2461"},
	}
	for path, want := range tests {
		s := parseFile(t, path)
		if diff := cmp.Diff([]LatchWait{want}, s.Semaphores.Waits); diff != "" || s.Semaphores.Waiting != 1 {
			t.Errorf("%s: %d wait; %s", path, s.Semaphores.Waiting, diff)
		}
	}
}

// Without a function for statements none is kept, and records never are.
func TestNothingPrivate(t *testing.T) {
	b, err := os.ReadFile("../testdata/mysql-9/deadlock-innodb-status.txt")
	if err != nil {
		t.Fatal(err)
	}
	bare, _ := Parse(string(b), Options{})
	worded, _ := Parse(string(b), options())
	for name, s := range map[string]Status{"bare": bare, "worded": worded} {
		text := cmp.Diff(Status{}, s)
		for _, secret := range []string{"616e6e", "balance = 3", "balance = 4"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: holds %q", name, secret)
			}
		}
	}
	if got := bare.Deadlock.Transactions[0].Statement; got != "" {
		t.Errorf("a statement without being asked for: %q", got)
	}
}

func TestRow(t *testing.T) {
	at := time.Unix(1, 0)
	s := parseFile(t, "mysql-5.6.14/latches-innodb-status.txt")
	s.Semaphores.Waits[0].Waited = 3 * time.Second
	r := s.Row(at, "db1:3306")
	want := recording.MySQLInnoDB{At: at, Server: "db1:3306", History: s.History, LSN: s.Log.Sequence, Flushed: s.Log.Flushed, Checkpoint: s.Log.Checkpoint,
		PoolPages: s.Pool.Size, FreePages: s.Pool.Free, DirtyPages: s.Pool.Dirty, Transactions: s.Open, LockWaits: s.LockWaits, Semaphores: 1,
		LongestLatch: 3 * time.Second, SpinWaits: 7393 + 3606 + 883, SpinRounds: 148015 + 77167 + 33013, OSWaits: 1916 + 924 + 676, Deadlock: s.Deadlock.At}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	latches := []recording.MySQLLatch{{At: at, Server: "db1:3306", Thread: "139678247544512", Waited: 3 * time.Second, File: "lock0wait.cc:223",
		Name: "lock0lock.cc:612", Mode: "Mutex"}}
	if diff := cmp.Diff(latches, s.Latches(at, "db1:3306")); diff != "" {
		t.Error(diff)
	}
	// What is not told is not zero.
	empty, err := Parse("2026-11-21 08:13:55 7f09655766c0 INNODB MONITOR OUTPUT\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := empty.Row(at, ""); r.History != u || r.LSN != u || r.PendingFsyncs != u || r.PendingWrites != u || r.SpinWaits != u || r.PoolPages != u {
		t.Errorf("nothing is known, and it is %+v", r)
	}
}

func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("../testdata/*/*-innodb-status.txt")
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(string(b))
		}
	}
	for _, text := range old {
		f.Add(text)
	}
	o := Options{Location: time.UTC, Statement: func(text []byte, _ bool) string { return string(text) }}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, o)
		if err != nil && !errors.Is(err, ErrNotStatus) {
			t.Fatal(err)
		}
		if s.Open < int64(len(s.Transactions)) || s.LockWaits > s.Open || s.Semaphores.Waiting < int64(len(s.Semaphores.Waits)) {
			t.Fatalf("%d of %d transactions, %d waiting; %d of %d latches", len(s.Transactions), s.Open, s.LockWaits, len(s.Semaphores.Waits), s.Semaphores.Waiting)
		}
		for _, tr := range s.Transactions {
			if tr.Age < u || tr.Waited < u || len(tr.Statement) > maxStatement {
				t.Fatalf("%+v", tr)
			}
		}
		if d := s.Deadlock; d != nil && (d.Victim < 0 || d.Victim > len(d.Transactions)) {
			t.Fatalf("victim %d of %d", d.Victim, len(d.Transactions))
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text, err := os.ReadFile("../testdata/mysql-5.6.14/load-innodb-status.txt")
	if err != nil {
		b.Fatal(err)
	}
	o := options()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(string(text), o); err != nil {
			b.Fatal(err)
		}
	}
}
