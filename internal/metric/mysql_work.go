package metric

import (
	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

var (
	MySQLRowsExaminedPerRow = add(Metric{ID: "mysql.rows-examined-per-row", Course: MySQLStatementTime, Name: "rows examined per row returned",
		Help: "how many rows a statement reads for each one it sends or changes, in the window; for each execution if it sends and changes none", Unit: "rows",
		Source: "performance_schema.events_statements_summary_by_digest (SUM_ROWS_EXAMINED, SUM_ROWS_SENT, SUM_ROWS_AFFECTED); else the slow log or MariaDB's process list",
		Tools:  []string{"mysql -e 'select digest_text, sum_rows_examined / greatest(sum_rows_sent + sum_rows_affected, 1) from performance_schema.events_statements_summary_by_digest order by sum_rows_examined desc limit 10'", "pt-query-digest SLOW_LOG"},
		Traps:  []string{"COUNT and GROUP BY return few rows of many they need", "rows of a statement that runs count when it has ended", "MariaDB's digests leave out the rows that a join compares with its buffer", "LIMIT with an offset examines all rows before it"}, Healthy: "about 1 to 10 for statements that return rows"})
	MySQLStatementShare = add(Metric{ID: "mysql.statement-share", Course: MySQLStatementTime, Name: "share of a statement in the time of all",
		Help: "execution time of a statement by that of all statements of the server; without digests, by how many connections were seen in it and in all", Unit: "share",
		Source: "performance_schema.events_statements_summary_by_digest (SUM_TIMER_WAIT), slow log, process list", Tools: []string{"mysql -e 'select * from sys.statement_analysis limit 10'", "mysql -e 'show full processlist'"},
		Traps: []string{"waiting for locks is time as well", "a process list read once a second misses what is short"}})
	MySQLLoggedLockTime = add(Metric{ID: "mysql.logged-lock-time", Name: "lock time of a logged statement",
		Help: "time that a statement waited for locks, by its execution time, of all its entries in the slow log", Unit: "share",
		Source: "slow log (Lock_time, Query_time)", Tools: []string{"pt-query-digest SLOW_LOG"},
		Traps: []string{"row locks are in it from MySQL 8.0.28 on only", "the log has only what took longer than long_query_time"}, Healthy: "0"})
	MySQLIndexesUnused = add(Metric{ID: "mysql.indexes-unused", Name: "indexes that a condition keeps from being used",
		Help: "how many indexes begin with a column that a statement compares in a way no index serves: by a pattern that begins with a wildcard, inside of a function, or, of text, with a number", Unit: "indexes",
		Source: "text of the statement; information_schema.COLUMNS and STATISTICS, asked while the server scans rows", Tools: []string{"mysql -e 'show index from TABLE'", "mysql -e 'explain select ...'"},
		Traps: []string{"0 does not mean that a new index would help: the condition has to change first", "an index on an expression has no column"}})
	MySQLRowReadingShare = add(Metric{ID: "mysql.row-reading-share", Name: "running threads that read rows",
		Help: "share of the samples of the server's running threads that read rows one after the other, evaluate conditions on them or sort them", Unit: "share",
		Source: "stacks of running threads (perf_event_open)", Tools: []string{"perf top -p PID", "rtrail stacks --pid PID"},
		Traps: []string{"needs the server's symbols", "statements that rightly read many rows look the same"}})
	MySQLPlanRows = add(Metric{ID: "mysql.plan-rows", Name: "rows in the plan",
		Help: "how many rows the optimizer expects to examine in one table each time a statement runs", Unit: "rows",
		Source: "EXPLAIN of the statement, columns table, type, possible_keys, key and rows; asked for with --explain only",
		Tools:  []string{"mysql -e 'explain select ...'", "mysql -e 'explain for connection 42'"},
		Traps:  []string{"an estimate from statistics, which may be old: ANALYZE TABLE", "other values of the same statement may get another plan", "LIMIT may end the reading long before"}})
	MySQLRowsScanned = add(Metric{ID: "mysql.rows-scanned",
		Labels: []string{"server"}, Series: rate(status("Handler_read_rnd_next")),
		Counter: true, Name: "rows read one after the other",
		Help: "requests for the next row of a table, or of a temporary one, without an index", Unit: "per second", Source: "SHOW GLOBAL STATUS: Handler_read_rnd_next; the share is of all Handler_read_*",
		Tools: []string{"mysql -e \"show global status like 'Handler_read%'\"", "mysqladmin -ri1 extended-status"},
		Traps: []string{"SHOW STATUS and queries of information_schema count some hundred rows each", "statements that want all rows rightly scan"}})
	MySQLStatementTime = add(Metric{ID: "mysql.statement-time",
		Labels: []string{"server", "statement"}, Series: rate(statement, func(s recording.MySQLStatement) float64 { return seconds(s.Took) }),
		Name: "time of a statement",
		Help: "execution time of all executions of a statement together, per second; without digests the mean number of connections seen in it", Unit: "seconds per second",
		Source: "performance_schema.events_statements_summary_by_digest (SUM_TIMER_WAIT), slow log, process list", Tools: []string{"mysql -e 'select * from sys.statement_analysis limit 10'"},
		Traps: []string{"begins when the server parses: waiting for a thread is not in it", "a process list read once a second misses what is short"}})
	MySQLStatementErrors = add(Metric{ID: "mysql.statement-errors",
		Labels: []string{"server", "statement"}, Series: rate(statement, func(s recording.MySQLStatement) float64 { return reading(s.Errors) }),
		Counter: true, Name: "failing statements",
		Help: "executions of statements that fail every time", Unit: "per second", Source: "performance_schema.events_statements_summary_by_digest (SUM_ERRORS)",
		Tools: []string{"mysql -e 'select digest_text, sum_errors from performance_schema.events_statements_summary_by_digest order by sum_errors desc limit 10'"},
		Traps: []string{"does not say which error", "statements that do not parse have a digest of their own or none"}, Healthy: "0"})
	MySQLSessionsInState = add(Metric{ID: "mysql.sessions-in-state",
		Labels: []string{"server", "state"}, Series: total(busyState, stateID, inStateCount),
		Name: "connections in a state",
		Help: "how many connections the process list shows in certain states, mean over its readings", Unit: "connections", Source: "information_schema.PROCESSLIST, performance_schema.threads",
		Tools: []string{"mysql -e 'show processlist'", "mysql -e \"select state, count(*) from information_schema.processlist where command <> 'Sleep' group by 1\""},
		Traps: []string{"versions name states differently", "a state says where a thread is, not why it is slow there"}})
	MySQLTmpDiskTables = add(Metric{ID: "mysql.tmp-disk-tables",
		Labels: []string{"server"}, Series: growth(status("Created_tmp_disk_tables")),
		Counter: true, Name: "temporary tables on disk",
		Help: "temporary tables that statements made on disk in the window, less what rtrail's own questions may have made", Unit: "count", Source: "SHOW GLOBAL STATUS: Created_tmp_disk_tables, Created_tmp_tables",
		Tools: []string{"mysql -e \"show global status like 'Created_tmp%'\""},
		Traps: []string{"MariaDB makes two for each reading of the process list", "MySQL 8.0 does not count what TempTable maps to files", "the share of them says nothing about time"}})
	MySQLTmpTableSize = add(Metric{ID: "mysql.tmp-table-size", Name: "limit of temporary tables in memory",
		Help: "the smaller one of tmp_table_size and max_heap_table_size: larger temporary tables go to disk", Unit: "bytes", Source: "SHOW GLOBAL VARIABLES",
		Tools: []string{"mysql -e \"show global variables where variable_name in ('tmp_table_size', 'max_heap_table_size')\""},
		Traps: []string{"tables with TEXT or BLOB go to disk whatever their size, but for MySQL from 8.0.13", "sessions may have set their own"}})
	MySQLSortMergePasses = add(Metric{ID: "mysql.sort-merge-passes",
		Labels: []string{"server"}, Series: rate(status("Sort_merge_passes")),
		Counter: true, Name: "merge passes of sorts",
		Help: "passes over temporary files that sorts needed because the rows did not fit the sort buffer", Unit: "per second", Source: "SHOW GLOBAL STATUS: Sort_merge_passes, Sort_rows",
		Tools: []string{"mysql -e \"show global status like 'Sort%'\""}, Traps: []string{"a sort of n pieces of the buffer's size needs about n/7 passes", "sorts in memory may be as dear"}, Healthy: "0"})
	MySQLSortBufferSize = add(Metric{ID: "mysql.sort-buffer-size", Name: "sort buffer",
		Help: "memory a connection sorts in", Unit: "bytes", Source: "SHOW GLOBAL VARIABLES: sort_buffer_size", Tools: []string{"mysql -e \"show global variables like 'sort_buffer_size'\""},
		Traps: []string{"taken for each sort; sessions may have set their own"}})
	MySQLPoolMissShare = add(Metric{ID: "mysql.pool-miss-share",
		Labels: []string{"server"}, Series: combined(statusOf, each("Innodb_buffer_pool_reads"), each("Innodb_buffer_pool_read_requests")),
		Counter: true, Name: "page requests that need the disk",
		Help: "share of the requests for pages of InnoDB that had to fetch them", Unit: "share", Source: "SHOW GLOBAL STATUS: Innodb_buffer_pool_reads / Innodb_buffer_pool_read_requests",
		Tools: []string{"mysql -e \"show global status like 'Innodb_buffer_pool_read%'\""},
		Traps: []string{"pages read ahead are not in it", "one row may ask for its page many times, which hides misses", "after a start every page is a miss"}, Healthy: "under 0.1 % where data fit"})
	MySQLPoolTurnover = add(Metric{ID: "mysql.pool-turnover", Course: MySQLPoolMissShare, Counter: true, Name: "time to replace the pool",
		Help: "size of the buffer pool divided by the bytes read into it per second", Unit: "seconds", Source: "SHOW GLOBAL STATUS: Innodb_buffer_pool_reads, Innodb_buffer_pool_read_ahead; innodb_buffer_pool_size, innodb_page_size",
		Tools: []string{"mysql -e \"show global status like 'Innodb_pages_read'\""}, Traps: []string{"a dump or a scan passes through the pool without needing it"}, Healthy: "many minutes"})
	MySQLPoolFree = add(Metric{ID: "mysql.pool-free", Name: "free pages of the pool",
		Help: "share of the buffer pool's pages that hold nothing, at the last reading", Unit: "share", Source: "SHOW GLOBAL STATUS: Innodb_buffer_pool_pages_free / Innodb_buffer_pool_pages_total",
		Tools: []string{"mysql -e \"show global status like 'Innodb_buffer_pool_pages%'\""}, Traps: []string{"a full pool always keeps some pages free for readers"}})
	MySQLBufferPoolGrowth = add(Metric{ID: "mysql.buffer-pool-growth", Name: "what the pool gained",
		Help: "bytes of the buffer pool's pages that hold something, more than at the first reading", Unit: "bytes", Source: "SHOW GLOBAL STATUS: Innodb_buffer_pool_pages_total less Innodb_buffer_pool_pages_free; innodb_page_size",
		Tools: []string{"mysql -e \"show global status like 'Innodb_buffer_pool_pages%'\""}, Check: shell.Line(`mysql -e "show global status like 'Innodb_buffer_pool_pages%%'"`), Traps: []string{"memory of a page that was used and is free again stays with the process"}})
	MySQLDataSize = add(Metric{ID: "mysql.data-size", Name: "size of the largest tables",
		Help: "data and indexes of the largest tables together", Unit: "bytes", Source: "information_schema.TABLES (DATA_LENGTH, INDEX_LENGTH)",
		Tools: []string{"mysql -e 'select table_schema, table_name, data_length + index_length from information_schema.tables order by 3 desc limit 10'"},
		Traps: []string{"estimates", "not all data are in use"}})
	MySQLThreadsReading = add(Metric{ID: "mysql.threads-reading", Course: MySQLPendingReads, Name: "threads waiting for reads",
		Help: "threads of the server that were seen waiting for the disk in a read, mean", Unit: "threads", Source: "/proc/PID/task/TID: stat, syscall", Tools: []string{"pidstat -d -t -p PID 1", "offcputime-bpfcc -p PID"},
		Traps: []string{"with io_uring or libaio read-ahead waits elsewhere"}})
	MySQLPendingReads = add(Metric{ID: "mysql.pending-reads",
		Labels: []string{"server"}, Series: gauge(status("Innodb_data_pending_reads")),
		Name: "reads under way",
		Help: "reads of InnoDB that the operating system has not answered, mean over the readings", Unit: "reads", Source: "SHOW GLOBAL STATUS: Innodb_data_pending_reads",
		Tools: []string{"mysql -e \"show global status like 'Innodb_data_pending%'\""}, Traps: []string{"read once a second"}})
	MySQLCommitting = add(Metric{ID: "mysql.committing",
		Labels: []string{"server"}, Series: total(inState(view.CommitState), stateID, inStateCount),
		Name: "connections in COMMIT",
		Help: "connections that wait for their commit to be written, mean over the readings of the process list", Unit: "connections", Source: "process list: states Commit, query end, waiting for handler commit; or the statement COMMIT",
		Tools: []string{"mysql -e 'show processlist'"}, Traps: []string{"a commit may wait for a replica too, in a state of its own"}})
	MySQLSyncTime = add(Metric{ID: "mysql.sync-time", Course: DiskAwait, Name: "time of a sync",
		Help: "how long one sync of the logs takes, as threads, the disk or the counters tell", Unit: "seconds", Source: "/proc/PID/task/TID/syscall, /proc/diskstats, SHOW GLOBAL STATUS: Innodb_os_log_fsyncs, Innodb_data_fsyncs",
		Tools: []string{"strace -f -T -e trace=fsync,fdatasync -p PID", "iostat -dx 1"}, Traps: []string{"strace slows the server down", "from threads it holds the write before the sync as well"}, Healthy: "under 1 ms on flash with power loss protection"})
	MySQLSyncsPerCommit = add(Metric{ID: "mysql.syncs-per-commit", Counter: true, Name: "syncs per commit",
		Help: "syncs of all files divided by transactions that wrote and were committed", Unit: "syncs", Source: "SHOW GLOBAL STATUS: Innodb_os_log_fsyncs or Innodb_data_fsyncs; Com_commit, Com_insert, Com_update, Com_delete",
		Tools: []string{"mysql -e \"show global status like '%fsyncs'\""}, Traps: []string{"syncs of data files are in Innodb_data_fsyncs", "syncs of the binary log are not counted"}, Healthy: "well under 1 with many connections"})
	MySQLFlushAtCommit = add(Metric{ID: "mysql.flush-at-commit", Name: "what a commit waits for",
		Help: "innodb_flush_log_at_trx_commit: 1 syncs the redo log at every commit, 2 writes it and syncs once a second, 0 does both once a second", Unit: "setting", Source: "SHOW GLOBAL VARIABLES",
		Tools: []string{"mysql -e \"show global variables where variable_name in ('innodb_flush_log_at_trx_commit', 'sync_binlog')\""}, Traps: []string{"2 loses up to a second when the host crashes, 0 when the server does"}})
	MySQLLogWaits = add(Metric{ID: "mysql.log-waits",
		Labels: []string{"server"}, Series: growth(status("Innodb_log_waits")),
		Counter: true, Name: "log buffer full",
		Help: "times that a statement waited because the log buffer had to be written first", Unit: "count", Source: "SHOW GLOBAL STATUS: Innodb_log_waits", Tools: []string{"mysql -e \"show global status like 'Innodb_log_waits'\""},
		Traps: []string{"a larger innodb_log_buffer_size helps only here"}, Healthy: "0"})
	MySQLErrors = add(Metric{ID: "mysql.errors",
		Labels: []string{"server", "error"}, Series: rate(func(s recording.MySQLError) ([]string, bool) { return []string{s.Server, s.Name}, true }, func(s recording.MySQLError) float64 { return reading(s.Raised) }),
		Counter: true, Name: "errors by number",
		Help: "how often the server answered with a certain error", Unit: "per second", Source: "performance_schema.events_errors_summary_global_by_error (SUM_ERROR_RAISED), MySQL 8.0 and later",
		Tools: []string{"mysql -e 'select error_number, error_name, sum_error_raised from performance_schema.events_errors_summary_global_by_error order by 3 desc limit 10'"},
		Traps: []string{"counts errors that the server handled itself, too"}, Healthy: "0, but for errors that programs ask for"})
	MySQLTablesNotFound = add(Metric{ID: "mysql.tables-not-found",
		Labels: []string{"server"}, Series: combined(statusOf, map[string]float64{"Table_open_cache_misses": 1, "Opened_tables": -1, "Opened_views": -1}, nil),
		Counter: true, Name: "tables not found",
		Help: "looks for tables that were neither in the table cache nor opened, and are no views: MariaDB's Table_open_cache_misses less Opened_tables less Opened_views, while no table is changed", Unit: "per second",
		Source: "SHOW GLOBAL STATUS", Tools: []string{"mysql -e \"show global status like '%open%'\""},
		Traps: []string{"looks that come together count once: a lower bound", "MySQL counts a miss only when it opens the table"}, Healthy: "0"})
	MySQLTableCacheOverflows = add(Metric{ID: "mysql.table-cache-overflows",
		Labels: []string{"server"}, Series: rate(status("Table_open_cache_overflows")),
		Counter: true, Name: "table cache overflows",
		Help: "how often a table was closed to make room for another one", Unit: "per second", Source: "SHOW GLOBAL STATUS: Table_open_cache_overflows, Opened_tables",
		Tools: []string{"mysql -e \"show global status like 'Table_open_cache%'\""}, Traps: []string{"0 acquits the cache, whatever the process list says"}, Healthy: "0"})
)
