package server_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/env/envtest"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
	"rtrail/internal/probe/mysql/fixture"
)

var recordMySQL = flag.String("record-mysql", "", "write what MySQL servers answer into this folder (internal/probe/mysql/testdata)")

// recorded are the queries whose answers are kept, by the name of their file.
// A server that does not know one has no such file.
var recorded = map[string]string{
	"status":                "SHOW GLOBAL STATUS",
	"variables":             "SHOW GLOBAL VARIABLES",
	"processlist":           "SHOW FULL PROCESSLIST",
	"is-processlist":        "SELECT * FROM information_schema.processlist",
	"ps-processlist":        "SELECT * FROM performance_schema.processlist",
	"threads":               "SELECT * FROM performance_schema.threads WHERE type = 'FOREGROUND'",
	"statements-current":    "SELECT * FROM performance_schema.events_statements_current",
	"digests":               "SELECT * FROM performance_schema.events_statements_summary_by_digest ORDER BY sum_timer_wait DESC LIMIT 20",
	"errors":                "SELECT * FROM performance_schema.events_errors_summary_global_by_error WHERE sum_error_raised > 0",
	"consumers":             "SELECT * FROM performance_schema.setup_consumers",
	"innodb-trx":            "SELECT * FROM information_schema.innodb_trx",
	"innodb-locks":          "SELECT * FROM information_schema.innodb_locks",
	"innodb-lock-waits":     "SELECT * FROM information_schema.innodb_lock_waits",
	"data-locks":            "SELECT * FROM performance_schema.data_locks",
	"data-lock-waits":       "SELECT * FROM performance_schema.data_lock_waits",
	"metadata-locks":        "SELECT * FROM performance_schema.metadata_locks",
	"metadata-lock-info":    "SELECT * FROM information_schema.metadata_lock_info",
	"sys-table-lock-waits":  "SELECT * FROM sys.schema_table_lock_waits",
	"sys-innodb-lock-waits": "SELECT * FROM sys.innodb_lock_waits",
	"thread-pool-groups":    "SELECT * FROM information_schema.thread_pool_groups",
	"thread-pool-queues":    "SELECT * FROM information_schema.thread_pool_queues",
	"thread-pool-stats":     "SELECT * FROM information_schema.thread_pool_stats",
	"thread-pool-waits":     "SELECT * FROM information_schema.thread_pool_waits",
	"tp-thread-group-state": "SELECT * FROM performance_schema.tp_thread_group_state",
	"tp-thread-group-stats": "SELECT * FROM performance_schema.tp_thread_group_stats",
	"tp-thread-state":       "SELECT * FROM performance_schema.tp_thread_state",
	"tp-connections":        "SELECT * FROM performance_schema.tp_connections",
	"slave-status":          "SHOW SLAVE STATUS",
	"replica-status":        "SHOW REPLICA STATUS",
	"all-slaves-status":     "SHOW ALL SLAVES STATUS",
	"innodb-metrics":        "SELECT * FROM information_schema.innodb_metrics WHERE status = 'enabled'",
	"innodb-tables-sizes":   "SELECT table_schema, table_name, engine, table_rows, data_length, index_length FROM information_schema.tables WHERE table_type = 'BASE TABLE' ORDER BY data_length DESC LIMIT 10",
	"innodb-status":         "SHOW ENGINE INNODB STATUS",
}

// What belongs to a scene.
var (
	ofLoad  = []string{"status", "processlist", "is-processlist", "ps-processlist", "threads", "statements-current", "digests", "errors", "innodb-trx", "innodb-status"}
	ofLocks = []string{"processlist", "is-processlist", "ps-processlist", "threads", "statements-current", "innodb-trx", "innodb-locks",
		"innodb-lock-waits", "data-locks", "data-lock-waits", "metadata-locks", "metadata-lock-info", "sys-table-lock-waits", "sys-innodb-lock-waits", "innodb-status"}
	ofPool = []string{"processlist", "is-processlist", "thread-pool-groups", "thread-pool-queues", "thread-pool-stats", "thread-pool-waits",
		"tp-thread-group-state", "tp-thread-group-stats", "tp-thread-state", "tp-connections"}
	ofReplica  = []string{"slave-status", "replica-status", "all-slaves-status"}
	onlyInnoDB = []string{"innodb-status"}
)

// mysqlRecorded is a server to record, and its options.
type mysqlRecorded struct {
	version server.MySQLVersion
	options []string
}

// mysqlRecording is a server whose answers are kept.
type mysqlRecording struct {
	*testing.T
	e      *env.Env
	m      *server.MySQL
	db     *sql.DB // asks
	load   *sql.DB // is what is asked about
	folder string
	hide   *strings.Replacer
}

// TestRecordMySQL remakes the fixtures of probe/mysql.
func TestRecordMySQL(t *testing.T) {
	if *recordMySQL == "" {
		t.Skip("without -record-mysql")
	}
	folder, err := filepath.Abs(*recordMySQL)
	if err != nil {
		t.Fatal(err)
	}
	slow := []string{"--slow-query-log", "--slow-query-log-file=../slow.log", "--log-output=FILE"}
	maria := append([]string{"--log-slow-verbosity=query_plan,innodb,explain"}, slow...)
	pool := append([]string{"--thread-handling=pool-of-threads", "--thread-pool-size=2", "--thread-pool-idle-timeout=1",
		"--extra-port=3307", "--performance-schema=ON"}, maria...)
	servers := map[string]mysqlRecorded{
		"mysql-5.6.14":       {server.MySQL56(), append([]string{"--server-id=2"}, slow...)},
		"mysql-9":            {server.MySQL9(), append([]string{"--log-slow-extra=ON", "--plugin-load-add=thread_pool.so", "--thread-pool-size=2"}, slow...)},
		"mariadb-10.11":      {server.MariaDB10(), maria},
		"mariadb-10.11-pool": {server.MariaDB10(), pool},
		"mariadb-11.8-pool":  {server.MariaDB11(), pool},
	}
	for _, r := range server.ReleasesBetween() {
		servers[r.Version.Folder] = mysqlRecorded{r.Version, append([]string{"--server-id=2"}, slow...)}
	}
	for name, recorded := range servers {
		t.Run(name, func(t *testing.T) {
			envtest.Isolate(t)
			e, err := env.New("test/record-mysql", nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := e.Cleanup(); err != nil {
					t.Error(err)
				}
			})
			ns, err := e.NetNS("server")
			if err != nil {
				t.Fatal(err)
			}
			m, err := server.StartMySQL(t.Context(), e, recorded.version, env.End{NetNS: ns, Addr: "127.0.0.1"}, recorded.options...)
			if err != nil {
				t.Fatal(err)
			}
			r := &mysqlRecording{T: t, e: e, m: m, folder: filepath.Join(folder, name)}
			r.record(strings.HasSuffix(name, "pool"))
		})
	}
}

func (r *mysqlRecording) record(pool bool) {
	host, _ := os.Hostname()
	r.hide = strings.NewReplacer(r.m.Path("data"), "/var/lib/mysql", r.m.Dir, "/run/mysqld", env.ServerFolder(server.ServerMySQL56), "/opt/mysql-5.6",
		os.TempDir(), "/tmp", "'"+host+"'", "'db1'", "\t"+host+"\n", "\tdb1\n", host+"-relay-bin", "db1-relay-bin", host+".log", "db1.log",
		host+"-slow", "db1-slow", host+".pid", "db1.pid", host+".err", "db1.err")
	if err := os.RemoveAll(r.folder); err != nil {
		r.Fatal(err)
	}
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		r.Fatal(err)
	}
	r.load = r.open("lab", "unix", r.m.Socket)
	switch {
	case pool:
		r.db = r.open("lab", "tcp", "127.0.0.1:3307") // where no pool is asked
	case r.m.Version.Short == "mysql-9":
		r.db = r.open("root", "unix", r.m.Socket) // for whom there is a group of its own
	default:
		r.db = r.load
	}
	if strings.HasPrefix(r.m.Version.Short, "mariadb") {
		r.exec(r.db, "INSTALL SONAME 'metadata_lock_info'")
	}
	time.Sleep(2 * time.Second) // settles after the start
	r.keep("idle", nil)
	r.sysbench()
	r.locks(!pool)
	if !pool {
		r.plans()
	}
	r.prepared()
	r.deadlock()
	r.latches()
	r.missing()
	r.replica()
	r.pool(pool)
	r.slowLog()
}

func (r *mysqlRecording) open(user, network, addr string) *sql.DB {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName, c.DialFunc = user, network, addr, "lab", r.m.NetNS.Dial
	connector, err := mysql.NewConnector(c)
	if err != nil {
		r.Fatal(err)
	}
	db := sql.OpenDB(connector)
	r.Cleanup(func() { db.Close() })
	return db
}

type execer interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

func (r *mysqlRecording) exec(c execer, statements ...string) {
	r.Helper()
	for _, s := range statements {
		if _, err := c.ExecContext(r.Context(), s); err != nil {
			r.Errorf("%s: %v", s, err)
		}
	}
}

// background runs a statement that waits; end waits for its end.
func (r *mysqlRecording) background(c execer, statement string) (end func() error) {
	done := make(chan error, 1)
	go func() {
		_, err := c.ExecContext(r.Context(), statement)
		done <- err
	}()
	return func() error { return <-done }
}

// conns are connections of their own.
func (r *mysqlRecording) conns(n int) []*sql.Conn {
	list, err := load.Conns(r.Context(), r.load, n)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		for _, c := range list {
			c.Close()
		}
	})
	return list
}

// answer asks one query; ok is false if the server does not know what it asks for.
func (r *mysqlRecording) answer(query string) (a fixture.Answer, ok bool) {
	rows, err := r.db.QueryContext(r.Context(), query)
	var refused *mysql.MySQLError
	if errors.As(err, &refused) {
		return a, false
	}
	if err != nil {
		r.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	a.Query = query
	if a.Columns, err = rows.Columns(); err != nil {
		r.Fatal(err)
	}
	raw, into := make([]sql.RawBytes, len(a.Columns)), make([]any, len(a.Columns))
	for i := range raw {
		into[i] = &raw[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			r.Fatal(err)
		}
		row := make([]fixture.Value, len(raw))
		for i, v := range raw {
			row[i] = fixture.Value{Text: string(v), Null: v == nil}
		}
		a.Rows = append(a.Rows, row)
	}
	return a, rows.Err() == nil
}

// keep writes the answers of a scene.
func (r *mysqlRecording) keep(scene string, names []string) {
	r.Helper()
	for name, query := range recorded {
		if names != nil && !slices.Contains(names, name) {
			continue
		}
		a, ok := r.answer(query)
		if !ok || len(a.Rows) == 0 && scene != "idle" {
			continue
		}
		content, ext := a.Format(), ".tsv"
		if name == "innodb-status" {
			content, ext = []byte(a.Rows[0][2].Text), ".txt"
		}
		r.write(scene+"-"+name+ext, content)
	}
}

func (r *mysqlRecording) write(name string, content []byte) {
	if err := os.WriteFile(filepath.Join(r.folder, name), []byte(r.hide.Replace(string(content))), 0o644); err != nil {
		r.Fatal(err)
	}
}

// innoDB asks for InnoDB's status until it holds what matches.
func (r *mysqlRecording) innoDB(scene string, want *regexp.Regexp, limit time.Duration) {
	for end := time.Now().Add(limit); time.Now().Before(end); {
		a, _ := r.answer(recorded["innodb-status"])
		if want.MatchString(a.Rows[0][2].Text) {
			r.write(scene+"-innodb-status.txt", []byte(a.Rows[0][2].Text))
			return
		}
	}
	r.Logf("%s: no %q in %s", scene, want, limit)
}

// sysbench is a load, twice looked at.
func (r *mysqlRecording) sysbench() {
	l := load.Sysbench{Test: "oltp_read_write", Threads: 8, Rows: 1000}
	if err := l.Prepare(r.Context(), r.e, r.m.NetNS, r.m.Address()); err != nil {
		r.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := l.Run(r.Context(), r.e, env.Options{NetNS: r.m.NetNS}, r.m.Address(), 4*time.Second); err != nil {
			r.Error(err)
		}
	})
	time.Sleep(1500 * time.Millisecond)
	r.keep("load", ofLoad)
	time.Sleep(time.Second)
	r.keep("load-later", []string{"status", "digests"})
	wg.Wait()
}

// locks are a row and a table that somebody holds who sleeps; the probe looks at
// them if it is to.
func (r *mysqlRecording) locks(look bool) {
	c := r.conns(7)
	r.exec(c[0], "CREATE TABLE accounts (id INT PRIMARY KEY, owner VARCHAR(40), balance INT) ENGINE=InnoDB",
		"INSERT INTO accounts VALUES (1, 'ann', 100), (2, 'bob', 200), (3, 'cid', 300)", "CREATE TABLE notes (id INT PRIMARY KEY) ENGINE=InnoDB",
		"BEGIN", "UPDATE accounts SET balance = balance - 10 WHERE id = 1")
	row1 := r.background(c[1], "UPDATE accounts SET balance = balance + 10 WHERE id = 1 AND 'secret' = 'secret'")
	time.Sleep(200 * time.Millisecond)
	row2 := r.background(c[2], "SELECT * FROM accounts WHERE owner = 'bob' FOR UPDATE")
	r.exec(c[3], "BEGIN", "SELECT count(*) FROM notes")
	ddl := r.background(c[4], "ALTER TABLE notes ADD COLUMN text VARCHAR(100)")
	time.Sleep(300 * time.Millisecond)
	victim := r.background(c[5], "INSERT INTO notes (id) VALUES (7)")
	sleeper := r.background(c[6], "DO sleep(3)")
	time.Sleep(1200 * time.Millisecond)
	r.keep("locks", ofLocks)
	if look {
		r.look("locks")
	}
	r.exec(c[0], "COMMIT")
	r.exec(c[3], "COMMIT")
	for _, end := range []func() error{row1, row2, ddl, victim, sleeper} {
		if err := end(); err != nil {
			r.Error(err)
		}
	}
}

// plans are statements that run long enough to be explained. What servers may
// execute to explain a statement is among them: a subquery, a view, a derived
// table.
func (r *mysqlRecording) plans() {
	c := r.conns(7)
	r.exec(c[0], "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(120)) ENGINE=InnoDB",
		"CREATE TABLE orders (id INT PRIMARY KEY, customer INT, state VARCHAR(10), note VARCHAR(60)) ENGINE=InnoDB",
		"INSERT INTO customers SELECT id, c FROM sbtest1 WHERE id <= 50", "INSERT INTO orders SELECT id, id % 50, 'new', pad FROM sbtest1",
		"CREATE VIEW biggest AS SELECT max(id) m FROM orders", "ANALYZE TABLE customers, orders")
	var ends []func() error
	for i, statement := range []string{
		"SELECT id, note FROM orders WHERE customer = 7 AND note <> 'secret' OR sleep(0.02)",
		"UPDATE orders SET state = 'sent' WHERE customer = 7 AND note <> 'secret' OR sleep(0.02)",
		"SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer WHERE c.name = 'secret' OR sleep(0.02)",
		"SELECT id FROM orders WHERE customer = (SELECT max(id) FROM customers WHERE name <> 'secret') OR sleep(0.02)",
		"SELECT b.m FROM biggest b JOIN orders o WHERE o.note = 'secret' OR sleep(0.02)",
		"SELECT d.m FROM (SELECT max(id) m FROM orders) d JOIN orders o WHERE o.note = 'secret' OR sleep(0.02)",
	} {
		ends = append(ends, r.background(c[i], statement))
		time.Sleep(100 * time.Millisecond)
	}
	// A digest of which MySQL 8 and later keep an example.
	over, cancel := context.WithCancel(r.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for over.Err() == nil {
			_ = load.RowsOf(over, c[len(c)-1], "SELECT id, note FROM orders WHERE note = 'secret' AND state = 'new'")
			env.Sleep(over, 50*time.Millisecond)
		}
	})
	r.look("plans")
	cancel()
	wg.Wait()
	for _, end := range ends {
		if err := end(); err != nil {
			r.Error(err)
		}
	}
}

// prepared are statements that two sessions each prepare once and execute again
// and again.
func (r *mysqlRecording) prepared() {
	over, cancel := context.WithCancel(r.Context())
	defer cancel()
	var wg sync.WaitGroup
	for i, c := range r.conns(4) {
		statement := "SELECT id FROM sbtest1 WHERE pad = ? AND c <> 'secret'"
		if i%2 > 0 {
			statement = "UPDATE accounts SET owner = ? WHERE id = 2"
		}
		p, err := c.PrepareContext(r.Context(), statement)
		if err != nil {
			r.Fatal(err)
		}
		wg.Go(func() {
			for over.Err() == nil {
				if _, err := p.ExecContext(over, "secret"); err != nil && over.Err() == nil {
					r.Error(err)
				}
				env.Sleep(over, 50*time.Millisecond)
			}
		})
	}
	time.Sleep(500 * time.Millisecond)
	r.look("prepared")
	cancel()
	wg.Wait()
}

// look has the probe itself look at the server twice, and keeps what it asked and
// was answered beside the folder.
func (r *mysqlRecording) look(scene string) {
	out, err := r.e.RunWith(r.Context(), env.Options{Dir: "../../probe/mysql", Env: []string{"RTRAIL_TEST_MYSQL=lab@" + r.m.Socket}},
		"go", "test", "-count=1", "-run", "^TestRecordLooks$", ".", "-record-looks", filepath.Base(r.folder)+"-"+scene+".txt")
	if err != nil {
		r.Errorf("look at %s: %v\n%s", scene, err, out)
	}
}

// deadlock is two transactions that take two rows in either order.
func (r *mysqlRecording) deadlock() {
	c := r.conns(2)
	r.exec(c[0], "BEGIN", "UPDATE accounts SET balance = 1 WHERE id = 1")
	r.exec(c[1], "BEGIN", "UPDATE accounts SET balance = 2 WHERE id = 2")
	first := r.background(c[0], "UPDATE accounts SET balance = 3 WHERE id = 2")
	time.Sleep(300 * time.Millisecond)
	second := r.background(c[1], "UPDATE accounts SET balance = 4 WHERE id = 1")
	// Which of them is the victim is the server's choice.
	for _, err := range []error{second(), first()} {
		var refused *mysql.MySQLError
		if err != nil && (!errors.As(err, &refused) || refused.Number != 1213) {
			r.Error(err)
		}
	}
	r.exec(c[0], "ROLLBACK")
	r.exec(c[1], "ROLLBACK")
	r.keep("deadlock", onlyInnoDB)
}

// latches are threads that wait inside of InnoDB, which a crowd that inserts
// into one place makes now and then.
func (r *mysqlRecording) latches() {
	l := load.Sysbench{Test: "oltp_write_only", Threads: 32, Rows: 20, Extra: []string{"--skip-trx=on", "--mysql-ignore-errors=all"}}
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = l.Report(r.Context(), r.e, env.Options{NetNS: r.m.NetNS}, r.m.Address(), 8*time.Second) })
	time.Sleep(500 * time.Millisecond)
	r.innoDB("latches", regexp.MustCompile(`has waited at`), 7*time.Second)
	wg.Wait()
}

// missing are statements for tables that are not there.
func (r *mysqlRecording) missing() {
	for i := range 20 {
		_, _ = r.db.ExecContext(r.Context(), fmt.Sprintf("SELECT c FROM sbtest%d WHERE id = %d", 40+i%3, i))
	}
	r.keep("missing", []string{"errors", "digests"})
}

// replica is one whose source is not there.
func (r *mysqlRecording) replica() {
	// MySQL before 8.0.23 and MariaDB know the older words only, MySQL 8.4 the newer.
	_, err := r.db.ExecContext(r.Context(), "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT=1, SOURCE_USER='repl', SOURCE_CONNECT_RETRY=60, GET_SOURCE_PUBLIC_KEY=1")
	if err == nil {
		r.exec(r.db, "START REPLICA")
	} else {
		r.exec(r.db, "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=1, MASTER_USER='repl', MASTER_CONNECT_RETRY=60", "START SLAVE")
	}
	time.Sleep(500 * time.Millisecond)
	r.keep("replica", ofReplica)
}

// pool is a thread pool of two groups with more work than threads: in MariaDB
// others queue while all sleep; in MySQL, where who sleeps takes no place, they
// work, and the threads that the load before has left take all of them.
func (r *mysqlRecording) pool(on bool) {
	statement := "DO sleep(1.5)"
	switch {
	case on:
		time.Sleep(3 * time.Second) // idle threads end
		r.exec(r.db, "SET GLOBAL thread_pool_max_threads = 4")
	case r.m.Version.Short == "mysql-9":
		// In 10 ms: who has worked for so long is stalled.
		r.exec(r.db, "SET GLOBAL thread_pool_max_active_query_threads = 1", "SET GLOBAL thread_pool_stall_limit = 600")
		statement = "DO benchmark(2000000, sha2('x', 256))"
	default:
		return
	}
	var ends []func() error
	for _, c := range r.conns(12) {
		ends = append(ends, r.background(c, statement))
	}
	time.Sleep(time.Second)
	r.keep("pool", ofPool)
	for _, end := range ends {
		if err := end(); err != nil {
			r.Error(err)
		}
	}
}

// slowLog has statements of many kinds logged.
func (r *mysqlRecording) slowLog() {
	c := r.conns(1)[0]
	r.exec(c, "SET long_query_time = 0", "SELECT /* with a comment */ count(*)\nFROM accounts\nWHERE owner = 'it''s; # no comment' OR balance > 150",
		"USE mysql", "SELECT count(*) FROM user", "USE lab", "UPDATE accounts SET balance = 17 WHERE id = 3", "DO sleep(0.25)",
		"SELECT a.id FROM sbtest1 a JOIN sbtest1 b ON a.k = b.k ORDER BY a.pad LIMIT 3", "INSERT INTO accounts VALUES (9, '# Time: 700101  0:00:00', -1)")
	if _, err := c.ExecContext(r.Context(), "SELECT broken FROM accounts"); err == nil {
		r.Error("a statement for a missing column went well")
	}
	if p, err := c.PrepareContext(r.Context(), "SELECT owner FROM accounts WHERE id = ?"); err != nil {
		r.Error(err)
	} else {
		var owner string
		if err := p.QueryRowContext(r.Context(), 2).Scan(&owner); err != nil {
			r.Error(err)
		}
		p.Close()
	}
	_ = c.PingContext(r.Context())
	r.exec(c, "SET long_query_time = 10")
	b, err := os.ReadFile(r.m.Path("slow.log"))
	if err != nil {
		r.Fatal(err)
	}
	r.write("slow.log", b)
}
