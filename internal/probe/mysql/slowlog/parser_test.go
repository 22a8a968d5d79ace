package slowlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/fingerprint"
	"rtrail/internal/recording"
)

const u = recording.Unknown

// options words statements as rtrail does.
func options() Options {
	m := fingerprint.New()
	return Options{Location: time.UTC, Statement: func(text []byte, cut bool) string { return m.Of("mysql", "Query", text, cut) }}
}

// literally keeps statements as they are.
func literally() Options {
	return Options{Location: time.UTC, Statement: func(text []byte, cut bool) string {
		if cut {
			return string(text) + "..."
		}
		return string(text)
	}}
}

func entries(text string, o Options) (list []Entry) {
	p := NewParser(o, func(e Entry) { list = append(list, e) })
	p.Write([]byte(text))
	p.Flush()
	return list
}

// The same statements were sent to every server.
func TestServers(t *testing.T) {
	statements := []string{
		"SET long_query_time = ?",
		"SELECT COUNT(*) FROM accounts WHERE owner = ? OR balance > ?",
		"USE mysql",
		"SELECT COUNT(*) FROM user",
		"USE lab",
		"UPDATE accounts SET balance = ? WHERE id = ?",
		"DO SLEEP(?)",
		"SELECT a.id FROM sbtest1 a JOIN sbtest1 b ON a.k = b.k ORDER BY a.pad LIMIT ?",
		"INSERT INTO accounts VALUES (?)",
		"SELECT broken FROM accounts",
		"SELECT owner FROM accounts WHERE id = ?",
	}
	tests := map[string]struct {
		session int64
		logged  time.Time
		scan    bool // full scans are told
		sleep   Entry
	}{
		"mysql-5.6.14": {28, time.Unix(1795248844, 0), false, Entry{Took: 250178 * time.Microsecond, Affected: u, Bytes: u, Errno: u, TmpDisk: u}},
		"mysql-9": {85, time.Date(2026, 11, 21, 8, 17, 26, 95479000, time.UTC), false,
			Entry{Took: 250197 * time.Microsecond, Examined: 1, Affected: u, Bytes: 11}},
		"mariadb-10.11": {30, time.Unix(1795249153, 78000), true, Entry{Took: 250163 * time.Microsecond, Bytes: 11, Errno: u, TmpDisk: u, Maria: true, Shifted: true}},
	}
	for server, test := range tests {
		t.Run(server, func(t *testing.T) {
			b, err := os.ReadFile("../testdata/" + server + "/slow.log")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			list := entries(string(b), options())
			for _, e := range list {
				if e.Admin == "" {
					got = append(got, e.Statement)
				}
				if e.User != "lab" || e.Client() != "localhost" || e.Session != test.session || e.Took < 0 || e.LockTime < 0 || e.Logged.Sub(test.logged) > time.Second {
					t.Errorf("%+v", e)
				}
			}
			if diff := cmp.Diff(statements, got); diff != "" {
				t.Fatal(diff)
			}
			if !list[0].Logged.Equal(test.logged) {
				t.Errorf("the first was logged at %s; want %s", list[0].Logged, test.logged)
			}
			if list[1].Sent != 1 || list[1].Examined != 3 || list[1].FullScan != test.scan || list[1].DB != "lab" || list[3].DB != "mysql" || list[4].DB != "lab" {
				t.Errorf("%+v, %+v, %+v", list[1], list[3], list[4])
			}
			want := test.sleep
			want.User, want.Host, want.Session, want.DB, want.Statement, want.Logged = "lab", "localhost", test.session, "lab", "DO SLEEP(?)", list[6].Logged
			if diff := cmp.Diff(want, list[6]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrorsAndCommands(t *testing.T) {
	b, err := os.ReadFile("../testdata/mysql-9/slow.log")
	if err != nil {
		t.Fatal(err)
	}
	var admin []string
	for _, e := range entries(string(b), options()) {
		if e.Admin != "" {
			admin = append(admin, e.Admin)
		}
		if want := int64(0); e.Statement == "SELECT broken FROM accounts" && e.Errno != 1054 || e.Statement != "SELECT broken FROM accounts" && e.Errno != want {
			t.Errorf("error %d of %s", e.Errno, e.Statement)
		}
	}
	if diff := cmp.Diff([]string{"Prepare", "Close stmt"}, admin); diff != "" {
		t.Error(diff)
	}
}

// Forms of servers that cannot be run here, and damage.
func TestForms(t *testing.T) {
	const header = "# User@Host: root[app] @ web1.example [10.0.0.7]\n# Query_time: 2  Lock_time: 0  Rows_sent: 1  Rows_examined: 0\n"
	want := func(change func(*Entry)) Entry {
		e := noEntry("")
		e.User, e.Host, e.Address, e.Took, e.LockTime, e.Sent, e.Examined = "app", "web1.example", "10.0.0.7", 2*time.Second, 0, 1, 0
		change(&e)
		return e
	}
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	tests := map[string]struct {
		text string
		want []Entry
	}{
		"nothing": {"", nil},
		"MySQL 5.0, local time": {"# Time: 071015 21:43:52\n" + header + "use shop;\nSELECT 1;\n" + header + "SELECT 2;\n", []Entry{
			want(func(e *Entry) {
				e.Logged, e.DB, e.Statement = time.Date(2007, 10, 15, 21, 43, 52, 0, time.UTC), "shop", "SELECT 1"
			}),
			want(func(e *Entry) {
				e.Logged, e.DB, e.Statement = time.Date(2007, 10, 15, 21, 43, 52, 0, time.UTC), "shop", "SELECT 2"
			}),
		}},
		"Percona Server": {"# Time: 2023-05-06T07:08:09.123456+02:00\n# User@Host: root[app] @ web1.example [10.0.0.7]  Id:   123\n" +
			"# Schema: shop  Last_errno: 1205  Killed: 0\n" +
			"# Query_time: 0.000123  Lock_time: 0.000045  Rows_sent: 6  Rows_examined: 7  Rows_affected: 8  Rows_read: 9\n" +
			"# Bytes_sent: 59  Tmp_tables: 1  Tmp_disk_tables: 2  Tmp_table_sizes: 0\n# InnoDB_trx_id: 1A2B\n" +
			"# QC_Hit: No  Full_scan: Yes  Full_join: Yes  Tmp_table: Yes  Tmp_table_on_disk: Yes\n# No InnoDB statistics available for this query\n" +
			"SET timestamp=1683349689;\nDELETE FROM t;\n", []Entry{
			want(func(e *Entry) {
				*e = Entry{Logged: time.Date(2023, 5, 6, 5, 8, 9, 123456000, time.UTC), User: "app", Host: "web1.example", Address: "10.0.0.7", Session: 123, DB: "shop",
					Took: 123 * time.Microsecond, LockTime: 45 * time.Microsecond, Sent: 6, Examined: 7, Affected: 8, Bytes: 59, Errno: 1205, TmpDisk: 2,
					FullScan: true, FullJoin: true, Statement: "DELETE FROM t"}
			}),
		}},
		"no database": {"# User@Host: a[a] @ localhost []\n# Thread_id: 5  Schema:   QC_hit: No\n# Tmp_table_on_disk: Yes\nSET last_insert_id=3,timestamp=7.5;\nDO 1;\n", []Entry{
			{Logged: at(7), User: "a", Host: "localhost", Session: 5, Took: u, LockTime: u, Sent: u, Examined: u, Affected: u, Bytes: u, Errno: u, TmpDisk: 1, Maria: true, Statement: "DO 1"},
		}},
		"in the middle of an entry": {"FROM a\nWHERE b;\n" + header + "SET timestamp=5;\nDO 2;\n", []Entry{want(func(e *Entry) { e.Logged, e.Statement = at(5), "DO 2" })}},
		"a literal that looks like an entry": {header + "SET timestamp=5;\nINSERT INTO t VALUES ('\n# Time: 1\n" + header + "SET timestamp=9;\nx');\n" + header + "SET timestamp=6;\nDO 3;\n", []Entry{
			want(func(e *Entry) {
				e.Logged, e.Statement = at(5), "INSERT INTO t VALUES ('\n# Time: 1\n"+header+"SET timestamp=9;\nx')"
			}),
			want(func(e *Entry) { e.Logged, e.Statement = at(6), "DO 3" }),
		}},
		"a command": {header + "SET timestamp=5;\n# administrator command: Ping;\n" + header + "# administrator command: Quit;\n", []Entry{
			want(func(e *Entry) { e.Logged, e.Admin = at(5), "Ping" }),
			want(func(e *Entry) { e.Admin = "Quit" }),
		}},
		"lines of Windows": {strings.ReplaceAll(header+"SET timestamp=5;\nSELECT 1,\n2;\n", "\n", "\r\n"), []Entry{
			want(func(e *Entry) { e.Logged, e.Statement = at(5), "SELECT 1,\n2" }),
		}},
		"a server that restarts": {header + "use `od``d`;\nSET timestamp=5;\nDO 1;\n/usr/sbin/mysqld, Version: 8.0.43. started with:\nTcp port: 3306  Unix socket: /run/x\n" +
			"Time                 Id Command    Argument\n" + header + "SET timestamp=6;\nDO 2;\n", []Entry{
			want(func(e *Entry) { e.Logged, e.Statement, e.DB = at(5), "DO 1", "od`d" }),
			want(func(e *Entry) { e.Logged, e.Shifted, e.Statement = at(8), true, "DO 2" }), // SET timestamp of 8.0.14 and later is the begin
		}},
		"impossible times": {"# User@Host: a[a] @ localhost []\n# Query_time: 18446744073709.550781  Lock_time: -1 Rows_sent: x  Rows_examined: 99999999999999999999\nSET timestamp=5;\nDO 1;\n",
			[]Entry{{Logged: at(5), User: "a", Host: "localhost", Session: u, Took: u, LockTime: u, Sent: u, Examined: u, Affected: u, Bytes: u, Errno: u, TmpDisk: u, Statement: "DO 1"}}},
		"an entry that is being written": {header + "SET timestamp=5;\nSELECT 1\n", nil},
		"half a line":                    {header + "SET timestamp=5;\nSELECT 1;", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, entries(test.text, literally())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A statement of megabytes costs no more memory than one of 64 KB, is known to
// be cut, and the next entry is found.
func TestLong(t *testing.T) {
	const header = "# User@Host: a[a] @ localhost []\nSET timestamp=5;\n"
	for name, text := range map[string]string{
		"one line":   "INSERT INTO t VALUES (" + strings.Repeat("1,", 2<<20) + "1);\n",
		"many lines": "INSERT INTO t VALUES (" + strings.Repeat("1,\n", 1<<20) + "1);\n",
	} {
		list := entries(header+text+header+"DO 2;\n", options())
		if len(list) != 2 || list[1].Statement != "DO ?" || !strings.HasPrefix(list[0].Statement, "INSERT INTO t VALUES") || !strings.HasSuffix(list[0].Statement, "...") {
			t.Errorf("%s: %d entries, %.100s", name, len(list), fmt.Sprint(list))
		}
	}
}

func TestRow(t *testing.T) {
	at := time.Unix(9, 0)
	list := entries("# User@Host: root[app] @ web1 [10.0.0.7]  Id: 4\n# Query_time: 2.5 Lock_time: 0.5 Rows_sent: 1 Rows_examined: 7\nuse shop;\nSET timestamp=5;\nSELECT 'x';\n"+
		"# User@Host: root[app] @ web1 []  Id: 4\nSET timestamp=6;\n# administrator command: Ping;\n", options())
	want := []recording.MySQLSlowQuery{
		{At: at, Logged: time.Unix(5, 0), Server: "db1:3306", User: "app", Client: "10.0.0.7", Session: 4, DB: "shop", Took: 2500 * time.Millisecond,
			LockTime: 500 * time.Millisecond, Sent: 1, Examined: 7, Statement: "SELECT ?"},
		{At: at, Logged: time.Unix(6, 0), Server: "db1:3306", User: "app", Client: "web1", Session: 4, DB: "shop", Took: u, LockTime: u, Sent: u, Examined: u, Statement: "Ping"},
	}
	var got []recording.MySQLSlowQuery
	for _, e := range list {
		got = append(got, e.Row(at, "db1:3306"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// However the log is cut into pieces, the entries are the same.
func FuzzParser(f *testing.F) {
	paths, _ := filepath.Glob("../testdata/*/slow.log")
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(b, 7)
		}
	}
	f.Add([]byte("# Time: 1\r\n# User@Host: a[b] @ c [d] Id:\nuse ;\nSET timestamp=;\n;\n# administrator command: ;\n"), 1)
	f.Fuzz(func(t *testing.T, log []byte, size int) {
		var whole, pieces []Entry
		p := NewParser(literally(), func(e Entry) { whole = append(whole, e) })
		p.Write(log)
		p.Flush()
		p = NewParser(literally(), func(e Entry) { pieces = append(pieces, e) })
		size = min(max(size, 1), len(log)+1)
		for rest := log; len(rest) > 0; {
			n := min(size, len(rest))
			p.Write(rest[:n])
			rest = rest[n:]
		}
		p.Flush()
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Fatal(diff)
		}
		if bytes.Count(log, userPrefix) < len(whole) {
			t.Fatalf("%d entries of %d users", len(whole), bytes.Count(log, userPrefix))
		}
	})
}

func BenchmarkParser(b *testing.B) {
	log, err := os.ReadFile("../testdata/mysql-9/slow.log")
	if err != nil {
		b.Fatal(err)
	}
	p := NewParser(options(), func(Entry) {})
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		p.Write(log)
	}
}
