package audit

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
)

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
