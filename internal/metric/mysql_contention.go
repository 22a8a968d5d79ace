package metric

import (
	"rtrail/internal/recording"
)

var (
	MySQLStackWaiters = add(Metric{ID: "mysql.stack-waiters", Course: MySQLSessionsInState, Name: "threads that wait in one place",
		Help: "threads of the server whose stacks show the same known wait, mean over all looks or dumps", Unit: "threads",
		Source:  "stacks of sleeping threads (/proc/PID/task/TID/syscall and stack memory), or dumps of gdb, pstack, eu-stack",
		Tools:   []string{"rtrail stacks --pid $(pidof mysqld)", "pt-pmp --pid $(pidof mysqld)", "eu-stack -p $(pidof mysqld)"},
		Traps:   []string{"gdb, pstack and eu-stack stop the server while they look", "threads that go on while they are looked at are left out: short waits count too little", "needs the symbols of the server"},
		Healthy: "under 2"})
	MySQLTableCacheInstances = add(Metric{ID: "mysql.table-cache-instances", Name: "instances of the table cache",
		Help: "into how many parts the cache of open tables is split, each with a mutex of its own", Unit: "count", Source: "SHOW GLOBAL VARIABLES: table_open_cache_instances",
		Tools: []string{"mysql -e \"show global variables like 'table_open_cache%'\""},
		Traps: []string{"1 is the default of MySQL 5.6, 16 since 5.7.8; 1 alone is no fault", "more instances keep more tables open: on two cores 16 were slower than 1 as long as no thread queued", "MariaDB adds instances by itself"}})
	MySQLMDLHashInstances = add(Metric{ID: "mysql.mdl-hash-instances", Name: "partitions of the metadata lock hash",
		Help: "into how many parts the hash of metadata locks is split, each with a mutex", Unit: "count", Source: "SHOW GLOBAL VARIABLES: metadata_locks_hash_instances (MySQL 5.6)",
		Tools: []string{"mysql -e \"show global variables like 'metadata_locks%'\""}, Traps: []string{"does nothing since MySQL 5.7.4, whose hash has no mutex"}, Healthy: "8 (default), more with many cores and tables"})
	MySQLSpinShare = add(Metric{ID: "mysql.spin-share", Course: ProcessCPU, Name: "CPU in InnoDB's spin loops",
		Help: "share of the samples of the server's running threads that are in ut_delay", Unit: "share", Source: "perf_event samples of the process",
		Tools: []string{"perf top -p $(pidof mysqld)", "perf record -g -p $(pidof mysqld) -- sleep 5"}, Traps: []string{"spinning is a symptom: the mutex that is waited for is the callers'", "CPU that spins looks like work in top and vmstat"}, Healthy: "under 5 %"})
	MySQLSpinSettings = add(Metric{ID: "mysql.spin-settings", Name: "length of InnoDB's spin loops",
		Help: "innodb_spin_wait_delay: the longest pause between two tries for a mutex, in units of 50 pause instructions; innodb_sync_spin_loops: tries before a thread sleeps", Unit: "count",
		Source: "SHOW GLOBAL VARIABLES", Tools: []string{"mysql -e \"show global variables like 'innodb%spin%'\""}, Traps: []string{"a pause instruction takes 10 to 140 cycles, depending on the CPU"}, Healthy: "6 and 30; MariaDB 4 and 30"})
	MySQLSpinRounds = add(Metric{ID: "mysql.spin-rounds",
		Labels: []string{"server"}, Series: rate(mysqlInnoDB, func(s recording.MySQLInnoDB) float64 { return reading(s.SpinRounds) }),
		Counter: true, Name: "rounds of spinning",
		Help: "tries for mutexes and latches of InnoDB in spin loops, and how many waits ended asleep", Unit: "per second", Source: "SHOW ENGINE INNODB STATUS: SEMAPHORES", Tools: []string{"mysql -e 'show engine innodb status'"},
		Traps: []string{"rounds say nothing about how long each takes"}})
	MySQLInsertParamsShare = add(Metric{ID: "mysql.insert-params-share", Course: MySQLPreparedExecutions, Name: "CPU that puts parameters into texts",
		Help: "share of the samples of the server's running threads that put parameters into the text of a prepared statement", Unit: "share", Source: "perf_event samples of the process: insert_params and what it calls",
		Tools: []string{"perf top -p $(pidof mysqld)", "pt-pmp --pid $(pidof mysqld)"}, Traps: []string{"the slow log starts to count when the text is done: it shows a fast statement"}, Healthy: "under 1 %"})
	MySQLLogsText = add(Metric{ID: "mysql.logs-text", Name: "logs that want the text",
		Help: "whether the slow or the general log is on, for which servers up to 5.7 build the text of every prepared statement", Unit: "count", Source: "SHOW GLOBAL VARIABLES: slow_query_log, general_log",
		Tools: []string{"mysql -e \"show global variables like '%_log'\""}, Traps: []string{"also an update with the binary log on, and a SELECT that the query cache may keep"}})
	MySQLPreparedExecutions = add(Metric{ID: "mysql.prepared-executions",
		Labels: []string{"server"}, Series: rate(status("Com_stmt_execute")),
		Counter: true, Name: "executions of prepared statements",
		Help: "statements that clients prepared in the server and execute", Unit: "per second", Source: "SHOW GLOBAL STATUS: Com_stmt_execute", Tools: []string{"mysql -e \"show global status like 'Com_stmt%'\""},
		Traps: []string{"0 although the driver was told so: it falls back to its own preparing, as with over 65,535 markers"}})
	MySQLInstrumentShare = add(Metric{ID: "mysql.instrument-share", Course: ProcessCPU, Name: "CPU of the performance schema",
		Help: "share of the samples of the server's running threads that count or time events", Unit: "share", Source: "perf_event samples of the process: functions of instruments, and what they call",
		Tools: []string{"perf top -p $(pidof mysqld)"}, Traps: []string{"instruments that the compiler put into other functions are not seen: a lower bound"}, Healthy: "under 10 %"})
	MySQLInstrumentsOn = add(Metric{ID: "mysql.instruments-on", Name: "performance schema",
		Help: "whether the server watches itself", Unit: "count", Source: "SHOW GLOBAL VARIABLES: performance_schema; performance_schema.setup_instruments, setup_consumers",
		Tools: []string{"mysql -e \"select * from performance_schema.setup_consumers\""}, Traps: []string{"that it is on is no fault: what it costs, only stacks or a comparison tell"}})
)
