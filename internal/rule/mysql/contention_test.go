package mysql

import (
	"context"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/stack"
	"rtrail/internal/view"
)

// asleep and ran are stacks as the probe counts them, innermost frame first.
func asleep(count int64, frames ...string) recording.StackSample {
	return recording.StackSample{Kind: recording.StackOffCPU, State: "S", Count: count, Frames: strings.Join(frames, ";")}
}

func ran(count int64, frames ...string) recording.StackSample {
	return recording.StackSample{Kind: recording.StackOnCPU, Count: count, Frames: strings.Join(frames, ";")}
}

// of is a server with stacks, as MySQL 5.6; 20 looks were taken.
func of(variables map[string]string, rates map[string]float64, stacks ...recording.StackSample) func() *ruletest.Host {
	return withRunning(13, variables, rates, stacks...)
}

func withRunning(running float64, variables map[string]string, rates map[string]float64, stacks ...recording.StackSample) func() *ruletest.Host {
	return func() *ruletest.Host {
		return server(ruletest.MySQL{Flavor: "MySQL", Version: "5.6.14", Variables: variables, Rates: rates, Gauges: map[string]float64{"Threads_running": running, "Threads_connected": 13}}).
			Stacks(pid, "mariadbd", stacks...)
	}
}

// listed is a host whose server has so many connections in a state.
func listed(count int64, state string, host func() *ruletest.Host) func() *ruletest.Host {
	return func() *ruletest.Host {
		return ruletest.Every(host(), func(at time.Time, _ float64) recording.MySQLState {
			return recording.MySQLState{At: at, Server: "10.0.0.2:3306", Command: "Query", State: state, Count: count}
		})
	}
}

// full is the host with no idle CPU.
func full(host func() *ruletest.Host) func() *ruletest.Host {
	return func() *ruletest.Host { return host().AllCPUs(ruletest.CPU{User: 0.8, System: 0.2}) }
}

var (
	atTableCache = []string{"futex_do_wait", "__lll_lock_wait", "pthread_mutex_lock@@GLIBC_2.2.5", "open_table", "open_tables", "open_normal_and_derived_tables", "execute_sqlcom_select", "mysql_execute_command"}
	atMDL        = []string{"futex_do_wait", "__lll_lock_wait", "pthread_mutex_lock@@GLIBC_2.2.5", "MDL_map_partition::find_or_insert", "MDL_map::find_or_insert", "MDL_context::try_acquire_lock_impl", "MDL_context::acquire_lock"}
	atRows       = []string{"futex_do_wait", "pthread_cond_wait", "os_event_wait_low", "lock_wait_suspend_thread", "row_mysql_handle_errors", "row_search_for_mysql"}
	atClient     = []string{"do_sys_poll", "__poll", "vio_io_wait", "vio_read", "net_read_packet", "my_net_read", "do_command"}
	atWork       = []string{"row_search_for_mysql", "ha_innobase::index_read", "handler::ha_index_read_map", "join_read_const"}
)

func TestTableCacheContention(t *testing.T) {
	one := map[string]string{"table_open_cache_instances": "1", "table_open_cache": "2000"}
	calm := map[string]float64{"Table_open_cache_overflows": 0, "Opened_tables": 0.2}
	ruletest.Check(t, tableCacheContention, []ruletest.Situation{
		{Name: "one instance", Host: of(one, calm, asleep(200, atTableCache...), ran(100, atWork...)), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 9.9, High: 10.1, Says: "table_open_cache_instances is 1"},
		{Name: "many instances", Host: of(map[string]string{"table_open_cache_instances": "16"}, calm, asleep(200, atTableCache...)), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 9.9, High: 10.1, Says: "table_open_cache_instances is 16"},
		{Name: "too small", Host: of(one, map[string]float64{"Table_open_cache_overflows": 400, "Opened_tables": 400}, asleep(200, atTableCache...)), Want: rule.Certain, Kind: view.KindProcess,
			Subject: "mariadbd", Low: 9.9, High: 10.1, Says: "table_open_cache is 2000"},
		{Name: "too small, a sixth of what runs", Host: of(one, map[string]float64{"Table_open_cache_overflows": 400, "Opened_tables": 400, "Questions": 1000}, asleep(42, atTableCache...), ran(100, atWork...)),
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 2, High: 2.2, Says: "opens 0.4 tables again for each statement, because the table cache is full: table_open_cache is 2000"},
		{Name: "a sixth of what runs", Host: of(one, calm, asleep(42, atTableCache...), ran(100, atWork...))},
		{Name: "too small, and next to no queue", Host: of(one, map[string]float64{"Table_open_cache_overflows": 400, "Opened_tables": 400, "Questions": 1000}, asleep(22, atTableCache...), ran(100, atWork...)),
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1.2, Says: "mariadbd (812) opens 0.4 tables again for each statement"},
		{Name: "too small, for few statements", Host: of(one, map[string]float64{"Table_open_cache_overflows": 400, "Opened_tables": 400, "Questions": 10000}, asleep(22, atTableCache...), ran(100, atWork...))},
		{Name: "too small, by little", Host: of(one, map[string]float64{"Table_open_cache_overflows": 50, "Opened_tables": 50, "Questions": 100}, ran(100, atWork...))},
		{Name: "a quarter of what runs", Host: of(one, calm, asleep(62, atTableCache...), ran(100, atWork...)), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 3, High: 3.2},
		{Name: "the variable alone", Host: of(one, calm, asleep(400, atClient...), ran(100, atWork...))},
		{Name: "two of hundreds", Host: withRunning(300, one, calm, asleep(60, atTableCache...), ran(100, atWork...))},
		{Name: "now and then", Host: of(one, calm, asleep(10, atTableCache...), ran(100, atWork...))},
		{Name: "another lock", Host: of(one, calm, asleep(200, atRows...))},
		{Name: "all CPUs busy", Host: full(of(one, calm, asleep(200, atTableCache...))),
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 9.9, High: 10.1, Says: "table_open_cache_instances is 1"},
		{Name: "idle", Host: func() *ruletest.Host {
			return server(ruletest.MySQL{Variables: one, Gauges: map[string]float64{"Threads_running": 1}})
		}},
	})
}

func TestMDLContention(t *testing.T) {
	one, split := map[string]string{"metadata_locks_hash_instances": "1"}, map[string]string{"metadata_locks_hash_instances": "251"}
	ruletest.Check(t, mdlContention, []ruletest.Situation{
		{Name: "one partition", Host: listed(10, "Opening tables", of(one, nil, asleep(200, atMDL...))), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 9.9, High: 10.1,
			Says: "metadata_locks_hash_instances is 1"},
		{Name: "the default", Host: of(map[string]string{"metadata_locks_hash_instances": "8"}, nil, asleep(70, atMDL...)), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd",
			Low: 3.4, High: 3.6, Says: "metadata_locks_hash_instances is 8"},
		{Name: "the variable alone", Host: of(one, nil, ran(100, atWork...))},
		{Name: "split as far as it helps", Host: of(split, nil, asleep(70, atMDL...)), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 3.4, High: 3.6,
			Says: "metadata_locks_hash_instances is 251"},
		{Name: "split as far as it helps, all CPUs busy", Host: full(of(split, nil, asleep(70, atMDL...)))},
		{Name: "split, all CPUs busy, most wait", Host: full(of(split, nil, asleep(200, atMDL...))), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 9.9, High: 10.1},
		{Name: "the default, all CPUs busy", Host: full(of(map[string]string{"metadata_locks_hash_instances": "8"}, nil, asleep(70, atMDL...))), Want: rule.Likely, Kind: view.KindProcess,
			Subject: "mariadbd", Low: 3.4, High: 3.6},
		{Name: "somebody holds the lock", Host: of(one, nil, asleep(200, "futex_do_wait", "pthread_cond_timedwait", "MDL_wait::timed_wait", "MDL_context::acquire_lock"))},
		{Name: "the table cache", Host: of(one, nil, asleep(200, atTableCache...))},
	})
}

func TestSpinWaste(t *testing.T) {
	huge := map[string]string{"innodb_spin_wait_delay": "10000", "innodb_sync_spin_loops": "30"}
	usual := map[string]string{"innodb_spin_wait_delay": "6", "innodb_sync_spin_loops": "30"}
	spin := []string{"ut_delay", "mutex_spin_wait", "trx_start_low", "row_search_for_mysql"}
	ruletest.Check(t, spinWaste, []ruletest.Situation{
		{Name: "long pauses", Host: of(huge, nil, ran(70, spin...), ran(30, atWork...)), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1, High: 1.1,
			Says: "innodb_spin_wait_delay is 10000"},
		{Name: "many loops", Host: of(map[string]string{"innodb_spin_wait_delay": "6", "innodb_sync_spin_loops": "3000"}, nil, ran(15, spin...), ran(85, atWork...)),
			Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.2, High: 0.25, Says: "innodb_sync_spin_loops is 3000"},
		{Name: "defaults", Host: of(usual, nil, ran(30, spin...), ran(70, atWork...)), Want: rule.Possible, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.4, High: 0.5},
		{Name: "defaults, a little", Host: of(usual, nil, ran(12, spin...), ran(88, atWork...))},
		{Name: "settings alone", Host: of(huge, nil, ran(3, spin...), ran(97, atWork...))},
		{Name: "few samples", Host: of(huge, nil, ran(30, spin...), ran(10, atWork...))},
	})
}

func TestPreparedPadding(t *testing.T) {
	logged := map[string]string{"slow_query_log": "ON", "general_log": "OFF"}
	moving := []string{"__memmove_avx_unaligned_erms", "String::replace", "Prepared_statement::insert_params_with_log", "Prepared_statement::set_parameters", "Prepared_statement::execute_loop"}
	filling := []string{"Item_param::set_int", "Prepared_statement::insert_params", "Prepared_statement::set_parameters"}
	executing := recording.MySQLSession{Command: "Execute", State: "starting", Statement: "SELECT id FROM large WHERE id IN (...)", Length: 6_500_023, For: 8 * time.Second}
	busy := func() *ruletest.Host {
		return server(ruletest.MySQL{Flavor: "MySQL", Version: "5.6.14", Variables: logged, Sessions: times(1, executing)}).Stacks(pid, "mysqld", ran(96, moving...), ran(4, atWork...))
	}
	ruletest.Check(t, preparedPadding, []ruletest.Situation{
		{Name: "moves the text", Host: busy, Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.4, High: 1.5, Says: "of up to 6.2 MiB"},
		{Name: "process list misses it", Host: of(logged, nil, ran(96, moving...), ran(4, atWork...)), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 1.4, High: 1.5},
		{Name: "fills in values", Host: of(logged, nil, ran(20, filling...), ran(80, atWork...)), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.2, High: 0.4},
		{Name: "a little", Host: of(logged, nil, ran(5, filling...), ran(95, atWork...))},
		{Name: "the log alone", Host: of(logged, nil, ran(100, atWork...))},
	})
	fixes := ruletest.Judge(t, busy(), preparedPadding, rule.Certain)[0].Fixes
	if !strings.Contains(fixes[0].Command.String(), "set global slow_query_log = OFF") {
		t.Errorf("the first fix is %+v", fixes[0])
	}
}

func TestInstrumentationCost(t *testing.T) {
	on := map[string]string{"performance_schema": "ON"}
	timer := []string{"my_timer_cycles", "get_timer_raw_value", "start_mutex_wait_v1", "inline_mysql_mutex_lock"}
	digest := []string{"find_or_create_digest", "end_statement_v1", "dispatch_command"}
	ruletest.Check(t, instrumentationCost, []ruletest.Situation{
		{Name: "all on", Host: of(on, nil, ran(20, timer...), ran(15, digest...), ran(65, atWork...)), Want: rule.Certain, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.5, High: 0.6,
			Says: "in its performance schema"},
		{Name: "much", Host: of(on, nil, ran(16, digest...), ran(84, atWork...)), Want: rule.Likely, Kind: view.KindProcess, Subject: "mariadbd", Low: 0.2, High: 0.3},
		{Name: "as usual", Host: of(on, nil, ran(4, timer...), ran(5, digest...), ran(91, atWork...))},
		{Name: "wrapped waits of InnoDB", Host: of(on, nil, ran(50, "ut_delay", "mutex_spin_wait", "pfs_mutex_enter_func", "trx_start_low"), ran(50, atWork...))},
		{Name: "ON alone", Host: of(on, nil, ran(100, atWork...))},
	})
}

// TestRealDumps judges what gdb wrote of MySQL 5.6.14 under load.
func TestRealDumps(t *testing.T) {
	for _, c := range []struct {
		file  string
		r     rule.Rule
		other rule.Rule
	}{
		{"testdata/mysql-5.6.14-mdl.gdb.gz", mdlContention, tableCacheContention},
		{"testdata/mysql-5.6.14-table-cache.gdb.gz", tableCacheContention, mdlContention},
	} {
		p, err := stack.Read(context.Background(), []string{c.file}, nil, stack.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := ruletest.New(2, 10)
		w := recording.NewWriter(ruletest.Start.Add(time.Second))
		p.Write(w)
		if err := h.Rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		f := ruletest.Judge(t, h, c.r, rule.Certain)
		if len(f) != 1 || f[0].Subject.Kind != view.KindProcess {
			t.Errorf("%s: %+v", c.file, f)
		}
		if f := h.Detect(t, c.other); len(f) != 0 {
			t.Errorf("%s: also %s: %s", c.file, c.other.ID, f[0].Headline)
		}
		for _, r := range []rule.Rule{spinWaste, preparedPadding, instrumentationCost} {
			_, err := r.Detect(h.View())
			if n, ok := err.(*rule.NotJudged); !ok || !strings.Contains(n.Needs, "running threads") {
				t.Errorf("%s: %s by a dump: %v, want not judged", c.file, r.ID, err)
			}
		}
	}
}

func TestContentionNotJudged(t *testing.T) {
	elsewhere := ruletest.New(2, 10).MySQL(ruletest.MySQL{Flavor: "MySQL", Gauges: map[string]float64{"Threads_running": 20}})
	refused := server(ruletest.MySQL{Gauges: map[string]float64{"Threads_running": 20}})
	ruletest.Add(refused, recording.UnseenNote{At: ruletest.Start, Probe: "stack", What: "stacks of servers", Count: 1, Why: "needs CAP_PERFMON", How: "run as root"})
	dead := ruletest.New(4, 10).Process(ruletest.Process{Comm: "init"}).Process(ruletest.Process{PID: pid, Comm: "mariadbd", To: 5}).
		MySQL(ruletest.MySQL{PID: pid, Gauges: map[string]float64{"Threads_running": 20}})
	for _, c := range []struct {
		h         *ruletest.Host
		says, how string
	}{{elsewhere, "another host", "pstack"}, {refused, "CAP_PERFMON", "run as root"}, {dead, "its process ended in the window", "rtrail explain mysql/not-answering"}} {
		for _, r := range rulesContention {
			_, err := r.Detect(c.h.View())
			if n, ok := err.(*rule.NotJudged); !ok || !strings.Contains(n.Why, c.says) || !strings.Contains(n.How.String(), c.how) {
				t.Errorf("%s: %+v, want not judged: %s; %s", r.ID, err, c.says, c.how)
			}
		}
	}
}

// Stacks of other programs show nothing of the insides of a server.
func TestServerInside(t *testing.T) {
	dump := func(frames string) *ruletest.Host {
		return ruletest.New(2, 5).Stacks(7, "", recording.StackSample{Kind: recording.StackDump, Frames: frames, Count: 3})
	}
	for name, test := range map[string]struct {
		host *ruletest.Host
		want bool
	}{
		"a server that was asked": {server(ruletest.MySQL{}), true},
		"a dump of a server":      {dump("pthread_cond_wait;dispatch_command;do_command;start_thread"), true},
		"a dump of Redis":         {dump("epoll_wait;aeMain;main"), false},
		"no stacks":               {ruletest.New(2, 5), false},
	} {
		if got := serverInside(test.host.View()); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
