package metric

import (
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

var (
	MySQLRowLockWaits = add(Metric{ID: "mysql.row-lock-waits",
		Labels: []string{"server"}, Series: gauge(mysqlInnoDB, func(s recording.MySQLInnoDB) float64 { return reading(s.LockWaits) }),
		Name: "connections that wait for rows",
		Help: "transactions that wait for a row another one has locked, at a time", Unit: "connections",
		Source: "information_schema.INNODB_TRX and INNODB_LOCK_WAITS, performance_schema.data_lock_waits since MySQL 8.0",
		Tools:  []string{"mysql -e 'select * from sys.innodb_lock_waits'", "mysql -e \"show global status like 'Innodb_row_lock_current_waits'\""},
		Traps:  []string{"who blocks may wait itself: follow the chain to its end", "a blocker that is asleep shows no statement of its own"}, Healthy: "well below 1"})
	MySQLRowLockTime = add(Metric{ID: "mysql.row-lock-time",
		Labels: []string{"server"}, Series: as("seconds per second", combined(statusOf, map[string]float64{"Innodb_row_lock_time": 1e-3}, nil)),
		Counter: true, Name: "time waited for rows",
		Help: "what InnoDB added up for waits that ended in the window", Unit: "seconds", Source: "SHOW GLOBAL STATUS: Innodb_row_lock_time (milliseconds), Innodb_row_lock_waits",
		Tools: []string{"mysql -e \"show global status like 'Innodb_row_lock%'\""},
		Traps: []string{"a wait counts when it ends, with all of its time, also that before the window"}})
	MySQLMetadataLockWaits = add(Metric{ID: "mysql.metadata-lock-waits",
		Labels: []string{"server"}, Series: total(inState(func(s string) bool { return view.DefinitionWait(s) || s == view.UserLockState }), stateID, inStateCount),
		Name: "connections that wait for a definition",
		Help: "connections that wait for the metadata lock of a table, for a lock of all tables, or in GET_LOCK", Unit: "connections",
		Source: "process list: states \"Waiting for ... lock\", \"User lock\"; performance_schema.metadata_locks since MySQL 5.7 and MariaDB 10.5",
		Tools:  []string{"mysql -e 'show full processlist'", "mysql -e 'select * from sys.schema_table_lock_waits'"},
		Traps:  []string{"the first in the queue is a victim as well: it waits for a transaction that merely read the table", "workers that wait in GET_LOCK may be meant to"}, Healthy: "0"})
	MySQLLockSuspect = add(Metric{ID: "mysql.lock-suspect", Name: "who may block", Help: "how long a connection that may hold the lock others wait for has been at it", Unit: "seconds",
		Source: "open transactions, process list", Tools: []string{"mysql -e 'select * from information_schema.innodb_trx order by trx_started'"},
		Traps: []string{"without the instrument of metadata locks their holders are not known"}})
	MySQLLockBlocker = add(Metric{ID: "mysql.lock-blocker", Name: "who blocks",
		Help: "a connection, or a prepared transaction without one, that others wait for: how many it makes wait, or for how long it has been at it", Unit: "connections",
		Source: "lock waits, process list, open transactions", Tools: []string{"mysql -e 'select * from information_schema.innodb_trx order by trx_started'"},
		Traps: []string{"its last statement need not be the one that took the lock"}})
	MySQLLockVictim = add(Metric{ID: "mysql.lock-victim", Course: MySQLRowLockWaits, Name: "who waits", Help: "how long a connection has waited for a lock", Unit: "seconds", Source: "lock waits, process list",
		Tools: []string{"mysql -e 'show full processlist'"}, Traps: []string{"whole seconds on most servers"}})
	MySQLTransactionAge = add(Metric{ID: "mysql.transaction-age",
		Labels: []string{"server"}, Series: gauge(mysqlInnoDB, func(s recording.MySQLInnoDB) float64 { return seconds(s.OldestAge) }),
		Name: "age of a transaction", Help: "time since a transaction began that is still open", Unit: "seconds", Source: "information_schema.INNODB_TRX.trx_started",
		Tools: []string{"mysql -e 'select * from information_schema.innodb_trx order by trx_started'"}, Traps: []string{"a prepared XA transaction belongs to no connection"}, Healthy: "below a second for programs"})
	MySQLHistory = add(Metric{ID: "mysql.history",
		Labels: []string{"server"}, Series: gauge(mysqlInnoDB, func(s recording.MySQLInnoDB) float64 { return reading(s.History) }),
		Name: "history list length", Help: "undo logs of committed transactions that purge has not worked off", Unit: "transactions",
		Source: "SHOW ENGINE INNODB STATUS: History list length", Tools: []string{"mysql -e 'show engine innodb status\\G' | grep History", "MariaDB: show global status like 'Innodb_history_list_length'"},
		Traps: []string{"it counts transactions, not rows: one may hold millions", "inserts alone leave none"}, Healthy: "up to some thousands"})
	MySQLPurgeThreads = add(Metric{ID: "mysql.purge-threads", Name: "purge threads", Help: "threads that remove old versions of rows", Unit: "threads", Source: "innodb_purge_threads, innodb_purge_batch_size",
		Tools: []string{"mysql -e \"show variables like 'innodb_purge%'\""}, Traps: []string{"threads share work by table: one table keeps one busy"}, Healthy: "4 by default"})
	MySQLConnections = add(Metric{ID: "mysql.connections",
		Labels: []string{"server"}, Series: gauge(status("Threads_connected")),
		Name: "connections", Help: "clients that are connected, in all or of one account and address", Unit: "connections",
		Source: "SHOW GLOBAL STATUS: Threads_connected; process list; sockets", Tools: []string{"mysql -e \"show global status like 'Threads_connected'\""},
		Traps: []string{"those that sleep count as well"}, Healthy: "far below max_connections"})
	MySQLRefused = add(Metric{ID: "mysql.refused",
		Labels: []string{"server"}, Series: growth(status("Connection_errors_max_connections")),
		Name: "refused connections", Help: "connections the server turned away because all were taken", Unit: "count",
		Source: "SHOW GLOBAL STATUS: Connection_errors_max_connections; error 1040, 1203 or 1226 that rtrail got itself", Tools: []string{"mysql -e \"show global status like 'Connection_errors_max_connections'\""},
		Traps: []string{"clients of a pool see a timeout of the pool instead"}, Healthy: "0"})
	MySQLSending = add(Metric{ID: "mysql.sending", Course: TCPSendQueue, Name: "time a statement has been sending", Help: "how long a statement has been in a state in which it sends rows to its client", Unit: "seconds", Source: "process list: State, Time",
		Tools: []string{"mysql -e 'show full processlist'"}, Traps: []string{"\"Sending data\" also means reading rows", "the time is that of the statement, on servers that tell no more"}})
	MySQLPoolGroupsServed = add(Metric{ID: "mysql.pool-groups-served", Name: "groups of the pool without a queue", Help: "groups of the thread pool in which no statement waits for a thread", Unit: "groups",
		Source: "information_schema.THREAD_POOL_GROUPS and THREAD_POOL_QUEUES (MariaDB), THREAD_POOL_STATUS (others)", Tools: []string{"mysql -e 'select * from information_schema.thread_pool_groups'"},
		Traps: []string{"a connection stays in its group: free threads of another one do not help it"}, Healthy: "all"})
	MySQLPoolQueue = add(Metric{ID: "mysql.pool-queue",
		Labels: []string{"server", "group"}, Series: gauge(poolGroup, func(s recording.MySQLPoolGroup) float64 { return reading(s.Queued) }),
		Name: "queue of a thread-pool group", Help: "statements that wait for a thread of their group", Unit: "statements",
		Source: "information_schema.THREAD_POOL_GROUPS and THREAD_POOL_QUEUES (MariaDB), THREAD_POOL_STATUS (others)", Tools: []string{"mysql -e 'select * from information_schema.thread_pool_groups'"},
		Traps: []string{"sums and means over all groups hide the one that is stuck"}, Healthy: "0, or a wait of milliseconds"})
	MySQLOwnWait = add(Metric{ID: "mysql.own-wait", Course: MySQLAnswerTime, Name: "waits of rtrail for a thread of the pool", Help: "how long pings and logins of rtrail were not answered, on a connection that the thread pool serves", Unit: "seconds",
		Source: "time from the question to its answer", Tools: []string{"time mysqladmin ping"},
		Traps: []string{"the queues of the pool look empty to who stands in them, and requests that no thread has taken from their sockets are in no queue", "a CPU that is busy or a far network make pings slow as well"}, Healthy: "below a millisecond, and the network's round trip"})
	MySQLPoolStalls = add(Metric{ID: "mysql.pool-stalls",
		Labels: []string{"server", "group"}, Series: growth(poolGroup, func(s recording.MySQLPoolGroup) float64 { return reading(s.Stalls) }),
		Counter: true, Name: "stalls of a thread-pool group", Help: "times the timer of the pool found that a group had taken nothing from its queue since it last looked", Unit: "count",
		Source: "information_schema.THREAD_POOL_STATS.STALLS", Tools: []string{"mysql -e 'select * from information_schema.thread_pool_stats'"}, Traps: []string{"one long statement makes a stall that does no harm if nothing is queued"}})
	MySQLPoolActive = add(Metric{ID: "mysql.pool-active",
		Labels: []string{"server", "group"}, Series: gauge(poolGroup, func(s recording.MySQLPoolGroup) float64 { return reading(s.Active) }),
		Name: "active threads of a thread-pool group", Help: "threads of which the pool believes that they run a statement, beside those there are", Unit: "threads",
		Source: "information_schema.THREAD_POOL_STATUS and THREAD_POOL_GROUPS; /proc/PID/task", Tools: []string{"mysql -e 'select * from information_schema.thread_pool_status'", "ls /proc/PID/task | wc -l"},
		Traps: []string{"counters are claims, and not read at one moment"}, Healthy: "at most as many as there are threads"})
	MySQLPoolHolder = add(Metric{ID: "mysql.pool-holder", Name: "statements that hold a group's threads", Help: "how long a statement of the group runs", Unit: "seconds", Source: "process list; connection id modulo number of groups",
		Tools: []string{"mysql -e 'show full processlist'"}, Traps: []string{"MariaDB also lists statements that are still queued, as asleep"}})
	MySQLPoolThreads = add(Metric{ID: "mysql.pool-threads", Name: "threads of the pool", Help: "threads of all groups beside what the settings allow", Unit: "threads", Source: "information_schema, thread_pool_% variables",
		Tools: []string{"mysql -e \"show variables like 'thread_pool%'\""}, Traps: []string{"oversubscribe limits a group in Percona Server; in MariaDB it only says when threads go to sleep"}})
	MySQLBeforeExecution = add(Metric{ID: "mysql.before-execution", Name: "time before execution", Help: "what clients waited for a statement, less what the server counts for executing it", Unit: "seconds",
		Source: "packets, and performance_schema.events_statements_summary_by_digest", Tools: []string{"rtrail packets FILE --by statement", "mysql -e 'select * from sys.statement_analysis'"},
		Traps: []string{"it holds the way as well; compare with the round trip"}, Healthy: "a round trip"})
	MySQLStuckThread = add(Metric{ID: "mysql.stuck-thread", Name: "thread of the server that hangs in the kernel", Help: "share of the readings in which one thread was in state D", Unit: "share", Source: "/proc/PID/task/TID/stat",
		Tools: []string{"cat /proc/PID/task/TID/stack"}, Traps: []string{"state D is short and normal while a disk works"}, Healthy: "near 0"})
	MySQLProcessState = add(Metric{ID: "mysql.process-state", Name: "state of the server's process", Help: "what the scheduler says of the process: T stopped, t traced, D hangs in the kernel, or gone", Unit: "count", Source: "/proc/PID/stat",
		Tools: []string{"ps -o pid,stat,wchan:30,comm -p PID"}, Traps: []string{"it is the state of the main thread; others may differ"}, Healthy: "S"})
	MySQLSYNUnanswered = add(Metric{ID: "mysql.syn-unanswered", Name: "SYNs or data without an answer", Help: "times in a row that a segment to the server was sent again", Unit: "count", Source: "sock_diag: retransmits of rtrail's own sockets",
		Tools: []string{"ss -tno state syn-sent"}, Traps: []string{"a full accept queue drops SYNs as well: see net/accept-queue-full at the server"}, Healthy: "0"})
	MySQLAnswer = add(Metric{ID: "mysql.answer",
		Labels: []string{"server"}, Series: events(recording.MySQLServers, unanswered),
		Name: "looks without an answer", Help: "how often rtrail asked the server and got nothing", Unit: "count", Source: "rtrail's own connection",
		Tools: []string{"time mysql -e 'select 1'"}, Traps: []string{"rtrail asks seldom when it gets no answer"}, Healthy: "0"})
	MySQLAnswerTime = add(Metric{ID: "mysql.answer-time",
		Labels: []string{"server"}, Series: gauge(mysqlServer, answered),
		Name: "time to answer", Help: "how long rtrail waited for the server in one look, which needs milliseconds", Unit: "seconds", Source: "rtrail's own connection",
		Tools: []string{"time mysql -e 'select 1'"}, Traps: []string{"a CPU that is busy elsewhere makes rtrail wait as well"}, Healthy: "milliseconds"})
	MySQLUptime = add(Metric{ID: "mysql.uptime", Name: "time since the server started", Help: "Uptime; it falls when the server was restarted", Unit: "seconds", Source: "SHOW GLOBAL STATUS",
		Tools: []string{"mysqladmin status"}, Healthy: "grows by a second each second"})
)
