package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

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
	state           func(look int) string // of the server; nil: it answers
}

const looks = 11

func (x *world) view(t testing.TB) (*view.View, *view.MySQLServer) {
	t.Helper()
	rec := recording.New(recording.Manifest{Host: recording.Host{MemoryBytes: x.memory, CPUs: 8}})
	for i := range looks {
		at := began.Add(time.Duration(i) * time.Second)
		w := recording.NewWriter(at)
		state := recording.ServerAnswers
		if x.state != nil {
			state = x.state(i)
		}
		recording.Append(w, recording.MySQLServer{At: at, Server: "db1:3306", Flavor: x.flavor, Version: x.version, State: state, PID: x.pid, Port: 3306})
		if state != recording.ServerAnswers {
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
			continue
		}
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

// Each setting is told completely, once, and couples only known ones.
func TestSettings(t *testing.T) {
	known := map[string]bool{}
	for _, s := range settings {
		for _, name := range append([]string{s.Name}, s.Names...) {
			// MySQL's and MariaDB's may differ.
			for _, kind := range []string{"MySQL", "MariaDB"} {
				if s.Only != "" && s.Only != kind {
					continue
				}
				if known[kind+" "+name] {
					t.Errorf("%s is there twice", name)
				}
				known[kind+" "+name] = true
			}
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
			if !known["MySQL "+name] && !known["MariaDB "+name] {
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
		{"Percona", "8.0.43-34", "innodb_lock_wait_timeout", Default{Value: "50", Known: true}},
		{"MySQL", "8.0.43", "sync_binlog", Default{Value: "1", Known: true}},
		{"MySQL", "9.1.0", "innodb_purge_threads", Default{Value: "1", Known: true, Of: "8.4 and 9.7"}},
		{"MySQL", "8.2.0", "innodb_io_capacity", Default{Either: "200 in 8.0, 10000 in 8.4"}},
		{"MySQL", "8.0.43", "thread_pool_algorithm", Default{}},
		{"MySQL", "10.1.0", "sync_binlog", Default{Either: "1 in 9.7"}},
		{"MariaDB", "11.4.2-MariaDB", "innodb_purge_threads", Default{Value: "4", Known: true, Of: "10.11 and 11.8"}},
		{"MariaDB", "10.6.22-MariaDB", "innodb_flush_method", Default{Either: "fsync in 10.5, O_DIRECT in 10.11"}},
		{"MariaDB", "10.3.0-MariaDB", "innodb_purge_threads", Default{Either: "4 in 10.5"}},
	} {
		s := &view.MySQLServer{MySQLServer: recording.MySQLServer{Flavor: test.flavor, Version: test.version}}
		if diff := cmp.Diff(test.want, defaultsFor(s).of(test.name)); diff != "" {
			t.Errorf("%s of %s %s (-want +got):\n%s", test.name, test.flavor, test.version, diff)
		}
	}
}

// Evidence is of the time in which the server answered, and the report says so.
func TestServerThatGoesAway(t *testing.T) {
	for name, test := range map[string]struct {
		gone   func(look int) bool
		window float64
		says   string
	}{
		"it stays":       {func(int) bool { return false }, 10, ""},
		"it is killed":   {func(look int) bool { return look > 2 }, 2, "from 12:00:03 UTC on the server did not answer (gone)"},
		"at once":        {func(look int) bool { return look > 0 }, 0, "from 12:00:01 UTC on the server did not answer (gone)"},
		"it comes back":  {func(look int) bool { return look > 2 && look < 6 }, 6, "from 12:00:03 UTC on the server did not answer (gone); at the end it answered again"},
		"and goes again": {func(look int) bool { return look > 2 && look < 6 || look == 10 }, 5, "from 12:00:03 UTC on the server did not answer (gone)"},
	} {
		t.Run(name, func(t *testing.T) {
			x := base()
			x.state = func(look int) string {
				if test.gone(look) {
					return recording.ServerGone
				}
				return recording.ServerAnswers
			}
			r := x.audit(t)
			if r.Facts.Window != test.window || r.Facts.Silent != test.says {
				t.Errorf("%v s, %q; want %v, %q", r.Facts.Window, r.Facts.Silent, test.window, test.says)
			}
			var b strings.Builder
			if err := document.Terminal(&b, r.Document(false), document.TerminalOptions{Width: document.AnyWidth}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), test.says) || strings.Contains(b.String(), "while the server answered") != (test.says != "") {
				t.Error(b.String())
			}
		})
	}
}

// Twice nothing is nothing: a value below half of the default goes to the default.
func TestWhereToRaise(t *testing.T) {
	temporary := func(size string) *world {
		x := maria()
		x.variables["tmp_table_size"] = size
		x.counters["Created_tmp_disk_tables"], x.counters["Created_tmp_tables"] = 1000, 1000
		return x
	}
	sorts := func(size string) *world {
		x := base()
		x.variables["sort_buffer_size"] = size
		x.counters["Sort_merge_passes"] = 200
		return x
	}
	binlog := base()
	binlog.variables["binlog_cache_size"] = "4096"
	binlog.counters["Binlog_cache_disk_use"], binlog.counters["Binlog_cache_use"] = 1000, 1000
	pool := maria()
	pool.variables["thread_pool_oversubscribe"], pool.more = "0", pools(map[int32]int64{3: 5}, 0, 0)
	crowd := func(size string) *world {
		x := maria()
		x.memory = 1 << 30
		x.variables["sort_buffer_size"] = size
		x.gauges["Max_used_connections"] = 1000
		return x
	}
	for name, test := range map[string]struct {
		world    *world
		variable string
		to       string
	}{
		"off":                    {temporary("0"), "tmp_table_size", "16 MiB, the default, if"},
		"tiny":                   {temporary("1024"), "tmp_table_size", "16 MiB, the default, if"},
		"the default":            {temporary("16777216"), "tmp_table_size", "twice as much, if"},
		"small sort buffer":      {sorts("32768"), "sort_buffer_size", "256 KiB, the default, for"},
		"sort buffer by default": {sorts("262144"), "sort_buffer_size", "twice as much, for"},
		"small binlog cache":     {binlog, "binlog_cache_size", "32 KiB, the default"},
		"no oversubscription":    {pool, "thread_pool_oversubscribe", "3, the default, and"},
		"crowd of large buffers": {crowd("8388608"), "sort_buffer_size", "the default, with"},
		"crowd of usual buffers": {crowd("2097152"), "sort_buffer_size", "half as much, with"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, e := range test.world.audit(t).Recommended() {
				if e.Name == test.variable && strings.HasPrefix(e.Advice.To, test.to) {
					return
				} else if e.Name == test.variable {
					t.Errorf("to %s, want %s", e.Advice.To, test.to)
				}
			}
			t.Error("no such advice")
		})
	}
}

func init() { time.Local = time.UTC } // the zone of all times in answers
