package audit

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
)

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
		"purge held by a transaction as old as the window": {with(base(), func(x *world) {
			history := innodb(func(r *recording.MySQLInnoDB, look int) { r.History = int64(200_000 + 1000*look) })
			x.more = func(w *recording.Writer, at time.Time, look int) {
				history(w, at, look)
				recording.Append(w, recording.MySQLTransaction{At: at, Server: "db1:3306", Age: time.Duration(look) * time.Second})
			}
		}), nil},
		"purge behind, a transaction came later": {with(base(), func(x *world) {
			history := innodb(func(r *recording.MySQLInnoDB, look int) { r.History = int64(200_000 + 1000*look) })
			x.more = func(w *recording.Writer, at time.Time, look int) {
				history(w, at, look)
				recording.Append(w, recording.MySQLTransaction{At: at, Server: "db1:3306", Age: time.Duration(max(look-6, 0)) * time.Second})
			}
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
