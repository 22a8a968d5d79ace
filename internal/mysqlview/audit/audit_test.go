package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

var update = flag.Bool("update", false, "write the golden files anew")

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a made-up server watched for ten seconds.
type world struct {
	flavor, version string
	pid             int32
	memory          int64
	variables       map[string]string
	counters        map[string]float64 // growth in the window
	gauges          map[string]float64
	more            func(w *recording.Writer, at time.Time, look int)
}

const looks = 11

func (x *world) view(t testing.TB) (*view.View, *view.MySQLServer) {
	t.Helper()
	rec := recording.New(recording.Manifest{Host: recording.Host{MemoryBytes: x.memory, CPUs: 8}})
	for i := range looks {
		at := began.Add(time.Duration(i) * time.Second)
		w := recording.NewWriter(at)
		recording.Append(w, recording.MySQLServer{At: at, Server: "db1:3306", Flavor: x.flavor, Version: x.version, State: recording.ServerAnswers, PID: x.pid, Port: 3306})
		add := func(name string, v float64) {
			recording.Append(w, recording.MySQLStatus{At: at, Server: "db1:3306", Name: name, Value: v})
		}
		add("Uptime", float64(1000+i))
		for name, grown := range x.counters {
			add(name, 5000+grown*float64(i)/(looks-1))
		}
		for name, v := range x.gauges {
			add(name, v)
		}
		if i == 0 {
			for name, v := range x.variables {
				recording.Append(w, recording.MySQLVariable{At: at, Server: "db1:3306", Name: name, Value: v})
			}
		}
		if x.more != nil {
			x.more(w, at, i)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	v := view.New(rec, began, began.Add(time.Minute))
	return v, v.MySQLServers()[0]
}

func (x *world) audit(t testing.TB) *Report {
	t.Helper()
	v, s := x.view(t)
	r, ok := Of(v, s)
	if !ok {
		t.Fatal("no report")
	}
	return r
}

// fresh is a server with the defaults of a release.
func fresh(flavor, version, file string) *world {
	b, err := recorded.ReadFile("defaults/" + file)
	if err != nil {
		panic(err)
	}
	x := &world{flavor: flavor, version: version, pid: 7, memory: 24 << 30, variables: map[string]string{}, counters: map[string]float64{}, gauges: map[string]float64{}}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		x.variables[name] = value
	}
	return x
}

func freshAll() map[string]*world {
	all := map[string]*world{}
	for _, r := range releases {
		all[r.flavor+" "+r.version] = fresh(r.flavor, r.exact, r.file)
	}
	return all
}

// Nothing is said against a fresh server at rest, and it differs in nothing.
func TestFresh(t *testing.T) {
	for name, x := range freshAll() {
		t.Run(name, func(t *testing.T) {
			r := x.audit(t)
			if len(r.Entries) < 70 {
				t.Errorf("only %d variables were found", len(r.Entries))
			}
			for _, e := range r.Entries {
				if e.Advice != nil || e.Differs || !e.Withheld.Empty() {
					t.Errorf("%s = %q: default %+v, advice %+v, withheld %q", e.Name, e.Value, e.Default, e.Advice, e.Withheld)
				}
			}
		})
	}
}

// Servers that were recorded with options differ in what these set, and what
// they set off, only.
func TestRecordedServers(t *testing.T) {
	allowed := []string{"thread_handling", "performance_schema", "skip_name_resolve", "innodb_flush_log_at_trx_commit", "innodb_buffer_pool_size",
		"innodb_lock_wait_timeout", "slow_query_log", "long_query_time", "log_bin", "innodb_buffer_pool_chunk_size", "character_set_server",
		"log_slow_verbosity", "extra_port", "thread_pool_idle_timeout"}
	files, err := filepath.Glob("../../probe/mysql/testdata/*/idle-variables.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded servers: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			x := &world{flavor: "MySQL", pid: recording.Unknown, variables: map[string]string{}}
			for line := range strings.Lines(string(b)) {
				name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				x.variables[strings.ToLower(name)] = value
			}
			if x.version = x.variables["version"]; strings.Contains(x.version, "MariaDB") {
				x.flavor = "MariaDB"
			}
			for _, e := range x.audit(t).Entries {
				if e.Differs && !slices.Contains(allowed, e.Name) {
					t.Errorf("%s = %q differs from %q", e.Name, e.Value, e.Default.Value)
				}
				if e.Advice != nil {
					t.Errorf("%s: advice without evidence: %v", e.Name, e.Advice.Evidence)
				}
			}
		})
	}
}

func base() *world { return fresh("MySQL", "5.6.14", "mysql-5.6.tsv") }
func maria() *world {
	x := fresh("MariaDB", "10.11.19-MariaDB", "mariadb-10.11.tsv")
	x.variables["thread_handling"], x.variables["thread_pool_size"] = "pool-of-threads", "8"
	return x
}

func pools(queued map[int32]int64, longest time.Duration, stalls int64) func(*recording.Writer, time.Time, int) {
	return func(w *recording.Writer, at time.Time, look int) {
		for g := range int32(8) {
			row := recording.MySQLPoolGroup{At: at, Server: "db1:3306", Group: g, Connections: 10, Threads: 4, Queued: queued[g], Stalls: stalls * int64(look)}
			if queued[g] > 0 {
				row.LongestWait = longest
			}
			recording.Append(w, row)
		}
	}
}

func innodb(change func(*recording.MySQLInnoDB, int)) func(*recording.Writer, time.Time, int) {
	return func(w *recording.Writer, at time.Time, look int) {
		row := recording.MySQLInnoDB{At: at, Server: "db1:3306", History: -1, LSN: -1, Checkpoint: -1, SpinRounds: -1}
		change(&row, look)
		recording.Append(w, row)
	}
}

func inState(state string, n int64) func(*recording.Writer, time.Time, int) {
	return func(w *recording.Writer, at time.Time, _ int) {
		recording.Append(w, recording.MySQLState{At: at, Server: "db1:3306", Command: "Query", State: state, Count: n})
	}
}

// Each recommendation comes with its evidence, and goes without it.
func TestAdvice(t *testing.T) {
	with := func(x *world, change func(*world)) *world { change(x); return x }
	for name, test := range map[string]struct {
		world *world
		want  []string
	}{
		"pool too small": {with(base(), func(x *world) {
			x.counters["Innodb_buffer_pool_read_requests"], x.counters["Innodb_buffer_pool_reads"] = 100_000, 5000
			x.gauges["Innodb_buffer_pool_pages_total"], x.gauges["Innodb_buffer_pool_pages_free"] = 8191, 100
		}), []string{"innodb_buffer_pool_size raise likely"}},
		"pool being filled": {with(base(), func(x *world) {
			x.counters["Innodb_buffer_pool_read_requests"], x.counters["Innodb_buffer_pool_reads"] = 100_000, 5000
			x.gauges["Innodb_buffer_pool_pages_total"], x.gauges["Innodb_buffer_pool_pages_free"] = 8191, 4000
		}), nil},
		"pool small, memory unknown": {with(base(), func(x *world) {
			x.pid = recording.Unknown
			x.counters["Innodb_buffer_pool_read_requests"], x.counters["Innodb_buffer_pool_reads"] = 100_000, 5000
		}), []string{"innodb_buffer_pool_size raise possible"}},
		"pool larger than the data": {with(base(), func(x *world) {
			x.counters["Innodb_buffer_pool_read_requests"], x.counters["Innodb_buffer_pool_reads"] = 100_000, 5000
			x.more = func(w *recording.Writer, at time.Time, _ int) {
				recording.Append(w, recording.MySQLTable{At: at, Server: "db1:3306", Schema: "s", Name: "t", Data: 1 << 20, Index: 1 << 20})
			}
		}), nil},
		"pool as large as the memory": {with(base(), func(x *world) { x.variables["innodb_buffer_pool_size"] = "24000000000" }),
			[]string{"innodb_buffer_pool_size lower likely"}},
		"log buffer":            {with(base(), func(x *world) { x.counters["Innodb_log_waits"] = 3 }), []string{"innodb_log_buffer_size raise certain"}},
		"redo log full":         {with(base(), func(x *world) { x.more = checkpointAge(80 << 20) }), []string{"innodb_log_file_size raise likely"}},
		"redo log half full":    {with(base(), func(x *world) { x.more = checkpointAge(50 << 20) }), nil},
		"pages not free":        {with(base(), func(x *world) { x.counters["Innodb_buffer_pool_wait_free"] = 30 }), []string{"innodb_io_capacity raise possible"}},
		"spin delay and rounds": {with(base(), func(x *world) { x.variables["innodb_spin_wait_delay"] = "10000"; x.more = spinning(50_000) }), []string{"innodb_spin_wait_delay lower likely"}},
		"spin delay, calm":      {with(base(), func(x *world) { x.variables["innodb_spin_wait_delay"] = "10000"; x.more = spinning(10) }), nil},
		"table cache": {with(base(), func(x *world) { x.counters["Table_open_cache_overflows"] = 500 }),
			[]string{"table_open_cache raise likely"}},
		"one mutex for tables": {with(base(), func(x *world) { x.counters["Table_open_cache_overflows"] = 0; x.more = inState("Opening tables", 192) }),
			[]string{"table_open_cache_instances raise possible"}},
		"opening tables, cache full": {with(base(), func(x *world) {
			x.counters["Table_open_cache_overflows"] = 500
			x.more = inState("Opening tables", 192)
		}),
			[]string{"table_open_cache raise likely"}},
		"opening tables that do not exist": {with(base(), func(x *world) {
			x.counters["Table_open_cache_overflows"] = 0
			opening := inState("Opening tables", 192)
			x.more = func(w *recording.Writer, at time.Time, look int) {
				opening(w, at, look)
				recording.Append(w, recording.MySQLError{At: at, Server: "db1:3306", Code: 1146, Name: "ER_NO_SUCH_TABLE", Raised: int64(100 * look)})
			}
		}), nil},
		"refused, idle": {with(base(), func(x *world) {
			x.counters["Connection_errors_max_connections"], x.gauges["Threads_connected"], x.gauges["Threads_running"] = 40, 151, 3
		}), []string{"max_connections raise likely"}},
		"refused, at work": {with(base(), func(x *world) {
			x.counters["Connection_errors_max_connections"], x.gauges["Threads_connected"], x.gauges["Threads_running"] = 40, 151, 140
		}), nil},
		"threads made":       {with(base(), func(x *world) { x.counters["Threads_created"], x.counters["Connections"] = 500, 600 }), []string{"thread_cache_size raise likely"}},
		"one group too long": {with(maria(), func(x *world) { x.more = pools(map[int32]int64{3: 12}, 0, 0) }), []string{"thread_pool_oversubscribe raise likely"}},
		"all groups too long": {with(maria(), func(x *world) {
			x.more = pools(map[int32]int64{0: 1, 1: 1, 2: 1, 3: 12, 4: 1, 5: 1, 6: 1, 7: 1}, 0, 0)
		}), nil},
		"one group for eight CPUs": {with(maria(), func(x *world) { x.variables["thread_pool_size"] = "1"; x.more = pools(map[int32]int64{0: 12}, 0, 0) }), []string{"thread_pool_size raise likely"}},
		"stalls and waits": {with(maria(), func(x *world) { x.more = pools(map[int32]int64{3: 12}, 3*time.Second, 2) }),
			[]string{"thread_pool_oversubscribe raise likely", "thread_pool_stall_limit lower possible"}},
		"temporary tables": {with(base(), func(x *world) { x.counters["Created_tmp_disk_tables"], x.counters["Created_tmp_tables"] = 200, 300 }), []string{"tmp_table_size raise possible"}},
		"temporary tables, heap smaller": {with(base(), func(x *world) {
			x.variables["tmp_table_size"] = "67108864"
			x.counters["Created_tmp_disk_tables"], x.counters["Created_tmp_tables"] = 200, 300
		}), []string{"max_heap_table_size raise possible"}},
		"sorts": {with(base(), func(x *world) { x.counters["Sort_merge_passes"] = 200 }), []string{"sort_buffer_size raise possible"}},
		"buffers beyond the memory": {with(base(), func(x *world) {
			x.variables["sort_buffer_size"], x.gauges["Max_used_connections"] = "268435456", 140
		}), []string{"sort_buffer_size lower possible"}},
		"query cache": {with(maria(), func(x *world) {
			x.variables["query_cache_type"], x.more = "ON", inState("Waiting for query cache lock", 12)
		}), []string{"query_cache_type change certain"}},
		"general log":     {with(base(), func(x *world) { x.variables["general_log"], x.counters["Questions"] = "ON", 50_000 }), []string{"general_log change likely"}},
		"general log off": {with(base(), func(x *world) { x.counters["Questions"] = 50_000 }), nil},
		"slow log of all": {with(base(), func(x *world) {
			x.variables["slow_query_log"], x.variables["long_query_time"], x.counters["Slow_queries"] = "ON", "0.000000", 50_000
		}), []string{"long_query_time raise likely"}},
		"purge behind": {with(base(), func(x *world) {
			x.more = innodb(func(r *recording.MySQLInnoDB, look int) { r.History = int64(200_000 + 1000*look) })
		}), []string{"innodb_purge_threads raise possible"}},
		"purge held by a transaction": {with(base(), func(x *world) {
			history := innodb(func(r *recording.MySQLInnoDB, look int) { r.History = int64(200_000 + 1000*look) })
			x.more = func(w *recording.Writer, at time.Time, look int) {
				history(w, at, look)
				recording.Append(w, recording.MySQLTransaction{At: at, Server: "db1:3306", Age: time.Hour})
			}
		}), nil},
		"replica behind": {with(base(), func(x *world) {
			x.more = func(w *recording.Writer, at time.Time, _ int) {
				recording.Append(w, recording.MySQLReplica{At: at, Server: "db1:3306", Lag: 90 * time.Second})
			}
		}), []string{"slave_parallel_workers raise possible"}},
		"prepared statements": {with(base(), func(x *world) { x.gauges["Prepared_stmt_count"] = 16_000 }), []string{"max_prepared_stmt_count raise likely"}},
		"hash index latches": {with(base(), func(x *world) {
			x.more = func(w *recording.Writer, at time.Time, _ int) {
				recording.Append(w, recording.MySQLLatch{At: at, Server: "db1:3306", File: "btr0sea.cc:1053"})
			}
		}), []string{"innodb_adaptive_hash_index change likely"}},
		"logins hang": {with(base(), func(x *world) {
			x.more = func(w *recording.Writer, at time.Time, _ int) {
				recording.Append(w, recording.MySQLState{At: at, Server: "db1:3306", Command: "Connect", Count: 1})
				recording.Append(w, recording.MySQLSession{At: at, Server: "db1:3306", User: "unauthenticated user", Command: "Connect", For: 4 * time.Second})
			}
		}), []string{"skip_name_resolve change possible"}},
		"forgotten connections": {with(base(), func(x *world) {
			x.gauges["Threads_connected"] = 150
			x.more = func(w *recording.Writer, at time.Time, _ int) {
				recording.Append(w, recording.MySQLClient{At: at, Server: "db1:3306", User: "app", Total: 140, Sleeping: 139, Idlest: 5 * time.Hour})
			}
		}), []string{"wait_timeout lower possible"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range test.world.audit(t).Recommended() {
				got = append(got, fmt.Sprintf("%s %s %s", e.Name, directions[e.Advice.Direction], e.Advice.Sure))
				if len(e.Advice.Evidence) == 0 {
					t.Errorf("%s without evidence", e.Name)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func checkpointAge(age int64) func(*recording.Writer, time.Time, int) {
	return innodb(func(r *recording.MySQLInnoDB, look int) {
		r.LSN = 1<<33 + int64(look)<<20
		r.Checkpoint = r.LSN - age
	})
}

func spinning(perSecond int64) func(*recording.Writer, time.Time, int) {
	return innodb(func(r *recording.MySQLInnoDB, look int) { r.SpinRounds = 1000 + perSecond*int64(look) })
}

// evidence are counters and gauges that speak for some change.
var evidence = []string{"Innodb_buffer_pool_read_requests", "Innodb_buffer_pool_reads", "Innodb_log_waits", "Innodb_buffer_pool_wait_free", "Table_open_cache_overflows",
	"Opened_tables", "Opened_table_definitions", "Connection_errors_max_connections", "Threads_created", "Connections", "Created_tmp_disk_tables", "Created_tmp_tables",
	"Sort_merge_passes", "Questions", "Slow_queries", "Binlog_cache_disk_use", "Binlog_cache_use"}

var levels = []string{"Threads_connected", "Threads_running", "Threads_cached", "Open_tables", "Open_files", "Open_table_definitions", "Max_used_connections",
	"Prepared_stmt_count", "Threadpool_threads", "Innodb_buffer_pool_pages_total", "Innodb_buffer_pool_pages_free"}

// random is a server nobody would run, with all kinds of symptoms at once.
func random(r *rand.Rand) *world {
	all := freshAll()
	names := []string{"MySQL 5.6", "MySQL 9.7", "MariaDB 10.11", "MariaDB 11.8"}
	x := all[names[r.IntN(len(names))]]
	x.memory = []int64{1 << 28, 8 << 30, 64 << 30}[r.IntN(3)]
	if r.IntN(4) == 0 {
		x.pid = recording.Unknown
	}
	for i := range settings {
		for _, name := range append([]string{settings[i].Name}, settings[i].Names...) {
			if _, ok := x.variables[name]; ok && r.IntN(2) == 0 {
				x.variables[name] = []string{"0", "1", "2", "10", "151", "10000", "16777216", "268435456", "20000000000", "ON", "OFF", "pool-of-threads", ""}[r.IntN(13)]
			}
		}
	}
	for _, name := range evidence {
		x.counters[name] = []float64{0, 1, 100, 10_000, 1_000_000}[r.IntN(5)]
	}
	for _, name := range levels {
		x.gauges[name] = []float64{0, 1, 140, 10_000}[r.IntN(4)]
	}
	queues := map[int32]int64{}
	for g := range int32(8) {
		queues[g] = int64(r.IntN(3))
	}
	parts := []func(*recording.Writer, time.Time, int){
		pools(queues, time.Duration(r.IntN(3))*time.Second, int64(r.IntN(2))), checkpointAge(int64(r.IntN(3)) << 26), spinning(int64(r.IntN(2)) * 50_000),
		inState("Opening tables", int64(r.IntN(100))), inState("Waiting for query cache lock", int64(r.IntN(3))),
	}
	x.more = func(w *recording.Writer, at time.Time, look int) {
		for _, p := range parts {
			p(w, at, look)
		}
	}
	return x
}

// Whatever a server does, no two recommendations pull the same or a coupled
// thing in opposite directions, and each has evidence.
func TestNeverContradicts(t *testing.T) {
	advised, withheld := 0, 0
	for seed := range uint64(400) {
		r := random(rand.New(rand.NewPCG(seed, 1))).audit(t)
		pulls := map[string]Direction{}
		by := map[string]string{}
		for _, e := range r.Entries {
			if !e.Withheld.Empty() {
				withheld++
			}
			if e.Advice == nil {
				continue
			}
			advised++
			if len(e.Advice.Evidence) == 0 || e.Advice.To == "" || e.Advice.Sure < rule.Possible {
				t.Errorf("seed %d: %s: incomplete advice %+v", seed, e.Name, e.Advice)
			}
			want := map[string]Direction{e.Setting.Name: e.Advice.Direction}
			for name, d := range e.Advice.Pushes {
				want[name] = d
			}
			for name, d := range want {
				if have, ok := pulls[name]; ok && have != d {
					t.Errorf("seed %d: %s and %s pull %s in opposite directions", seed, by[name], e.Name, name)
				}
				pulls[name], by[name] = d, e.Name
			}
		}
	}
	if advised < 400 || withheld < 20 {
		t.Errorf("%d recommendations, %d withheld: the inputs prove nothing", advised, withheld)
	}
}

// Of two that contradict each other the surer one stays; of equals none.
func TestSettle(t *testing.T) {
	entry := func(name string, d Direction, sure rule.Confidence) Entry {
		return Entry{Name: name, Setting: &Setting{Name: name}, Advice: &Advice{Direction: d, Sure: sure, Pushes: map[string]Direction{hostMemory: d}}}
	}
	for name, test := range map[string]struct {
		list []Entry
		want []string
	}{
		"agree":  {[]Entry{entry("a", Raise, rule.Likely), entry("b", Raise, rule.Possible)}, []string{"a", "b"}},
		"surer":  {[]Entry{entry("a", Raise, rule.Possible), entry("b", Lower, rule.Likely)}, []string{"b"}},
		"equals": {[]Entry{entry("a", Raise, rule.Likely), entry("b", Lower, rule.Likely)}, nil},
		"chain": {[]Entry{entry("a", Raise, rule.Likely), {Name: "b", Setting: &Setting{Name: "b"}, Advice: &Advice{Direction: Lower, Sure: rule.Likely, Pushes: map[string]Direction{"a": Lower}}},
			entry("c", Lower, rule.Certain)}, []string{"b", "c"}},
		"three": {[]Entry{entry("a", Raise, rule.Certain), entry("b", Lower, rule.Likely), entry("c", Raise, rule.Possible)}, []string{"a", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			settle(test.list)
			var got []string
			for _, e := range test.list {
				if e.Advice != nil {
					got = append(got, e.Name)
				} else if e.Withheld.Empty() {
					t.Errorf("%s went without a word", e.Name)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Each setting is told completely, once, and couples only known ones.
func TestSettings(t *testing.T) {
	known := map[string]bool{}
	for _, s := range settings {
		for _, name := range append([]string{s.Name}, s.Names...) {
			if known[name] {
				t.Errorf("%s is there twice", name)
			}
			known[name] = true
		}
		if s.Why == "" || s.Cost == "" || !slices.Contains(topics, s.Topic) {
			t.Errorf("%s is incomplete: %+v", s.Name, s)
		}
		if s.Only != "" && s.Only != "MySQL" && s.Only != "MariaDB" {
			t.Errorf("%s: only %q", s.Name, s.Only)
		}
		if s.Apply == Mixed {
			f := func(flavor, version string) bool {
				return (&Facts{server: &view.MySQLServer{MySQLServer: recording.MySQLServer{Flavor: flavor, Version: version}}}).dynamic(s.Name)
			}
			if !f("MySQL", "9.7.4") && !f("MariaDB", "11.8.9") {
				t.Errorf("%s depends on the version, and no version lets it change", s.Name)
			}
		}
	}
	for _, s := range settings {
		for _, name := range s.With {
			if !known[name] {
				t.Errorf("%s goes with %s, which is not there", s.Name, name)
			}
		}
	}
}

// Defaults of releases between two recorded ones are told only where these agree.
func TestDefaultsBetween(t *testing.T) {
	for _, test := range []struct {
		flavor, version, name string
		want                  Default
	}{
		{"MySQL", "5.6.14", "innodb_purge_threads", Default{Value: "1", Known: true}},
		{"MySQL", "5.6.51-log", "innodb_purge_threads", Default{Value: "1", Known: true}},
		{"Percona", "8.0.43-34", "innodb_lock_wait_timeout", Default{Value: "50", Known: true, Of: "5.6 and 9.7"}},
		{"MySQL", "8.0.43", "sync_binlog", Default{Either: "0 in 5.6, 1 in 9.7"}},
		{"MySQL", "8.0.43", "thread_pool_algorithm", Default{}},
		{"MySQL", "10.1.0", "sync_binlog", Default{Either: "1 in 9.7"}},
		{"MariaDB", "11.4.2-MariaDB", "innodb_purge_threads", Default{Value: "4", Known: true, Of: "10.11 and 11.8"}},
		{"MariaDB", "10.5.0-MariaDB", "innodb_purge_threads", Default{Either: "4 in 10.11"}},
	} {
		s := &view.MySQLServer{MySQLServer: recording.MySQLServer{Flavor: test.flavor, Version: test.version}}
		if diff := cmp.Diff(test.want, defaultsFor(s).of(test.name)); diff != "" {
			t.Errorf("%s of %s %s (-want +got):\n%s", test.name, test.flavor, test.version, diff)
		}
	}
}

// sick is a server with several symptoms at once.
func sick() *world {
	x := base()
	x.variables["innodb_spin_wait_delay"], x.variables["innodb_buffer_pool_size"], x.variables["max_connections"] = "10000", "25000000000", "1000"
	x.counters["Sort_merge_passes"] = 200
	x.counters["Innodb_log_waits"], x.counters["Table_open_cache_overflows"] = 12, 0
	opening, spin := inState("Opening tables", 192), spinning(80_000)
	x.more = func(w *recording.Writer, at time.Time, look int) {
		opening(w, at, look)
		spin(w, at, look)
	}
	return x
}

func TestPrint(t *testing.T) {
	for _, width := range []int{80, 132} {
		var b bytes.Buffer
		if err := sick().audit(t).Print(&b, Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns, at most %d: %s", n, width, line)
			}
		}
		path := fmt.Sprintf("testdata/sick-%d.txt", width)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	r := sick().audit(t)
	if err := r.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var doc jsonReport
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	advised := 0
	for _, s := range doc.Settings {
		if s.Advice != nil {
			advised++
			if len(s.Advice.Evidence) == 0 {
				t.Errorf("%s: no evidence", s.Name)
			}
		}
	}
	if len(doc.Settings) != len(r.Entries) || advised != len(r.Recommended()) || doc.Window != 10 {
		t.Errorf("%d settings, %d with advice, %v s; want %d, %d, 10", len(doc.Settings), advised, doc.Window, len(r.Entries), len(r.Recommended()))
	}
}
