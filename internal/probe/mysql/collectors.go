package mysql

import (
	"time"

	"rtrail/internal/recording"
)

// collectors are all that is read, in the order of reading: what comes later may
// use what came before in the same look.
func collectors() []collector {
	const second = time.Second
	return []collector{
		{name: "status", what: "counters of the server", core: true, read: readStatus,
			help: "SHOW GLOBAL STATUS: what was executed, read, waited for and refused"},
		{name: "variables", what: "settings of the server", edges: true, every: time.Minute, read: readVariables,
			help: "SHOW GLOBAL VARIABLES, first, last and each minute: those that changed"},
		{name: "transactions", what: string(recording.UnseenTransactions), core: true, grant: "PROCESS ON *.*", read: readTransactions,
			help: "information_schema.INNODB_TRX: age, rows locked and changed"},
		{name: "sessions", what: string(recording.UnseenSessions), core: true, grant: "PROCESS ON *.*", read: readSessions,
			help: "the process list: what every connection does, for how long, and in which state"},
		{name: "innodb", what: string(recording.UnseenInnoDB), grant: "PROCESS ON *.*", every: second, edges: true, read: readInnoDB,
			help: "SHOW ENGINE INNODB STATUS: history, log, buffer pool, latches"},
		{name: "row locks", core: true, what: "who waits for whose row locks", grant: "PROCESS ON *.*", read: readRowLocks,
			when: func(l *look) bool { return l.rowWaits },
			help: "who waits for whose row lock, whenever a session waits"},
		{name: "table locks", core: true, what: "who waits for whose metadata locks", grant: "SELECT ON performance_schema.*", read: readMetadataLocks,
			when: func(l *look) bool { return len(l.metaWaits)+len(l.userWaits) > 0 },
			help: "who waits for whose lock of a table or of GET_LOCK, whenever a session waits"},
		{name: "thread pool", what: string(recording.UnseenPoolGroups), grant: "PROCESS ON *.*", edges: true, read: readPool, core: true,
			when: hasPool, help: "the groups of a thread pool: threads, queues, stalls"},
		{name: "thread pool waits", what: "waits of the thread pool", grant: "PROCESS ON *.*", edges: true, every: 10 * second, read: readPoolWaits,
			when: func(l *look) bool { return l.about.mariaDB() && hasPool(l) },
			help: "information_schema.THREAD_POOL_WAITS: why threads of MariaDB's pool waited"},
		{name: "statements", what: "time by statement (digests)", grant: "SELECT ON performance_schema.*", edges: true, every: 10 * second, read: readDigests,
			help: "performance_schema.events_statements_summary_by_digest: executions, time, rows, errors"},
		{name: "plans", what: "plans of statements", edges: true, wanted: func(o Options) bool { return o.Explain }, read: readPlans,
			when: func(l *look) bool { return len(l.metaWaits) == 0 }, // it would wait with them
			help: "EXPLAIN of statements that use no index or run when rtrail looks, with --explain"},
		{name: "conditions", what: "conditions that no index serves", edges: true, read: readConditions,
			when: func(l *look) bool { return l.scanned >= manyScanned && len(l.metaWaits) == 0 }, // it would wait with them
			help: "types and indexes of the columns that running statements compare in a way no index serves, while the server scans rows"},
		{name: "errors", what: "errors given to clients", grant: "SELECT ON performance_schema.*", edges: true, every: 10 * second, read: readErrors,
			when: func(l *look) bool { return !l.about.mariaDB() && l.about.atLeast(8) },
			help: "performance_schema.events_errors_summary_global_by_error, since MySQL 8.0"},
		{name: "replication", what: "replication channels", grant: "REPLICATION CLIENT ON *.*", edges: true, every: 2 * second, read: readReplicas,
			when: func(l *look) bool { return l.seen.noReplicas < 2 || l.edge },
			help: "SHOW REPLICA STATUS: lag, states and errors of every channel"},
		{name: "slow log", what: "entries of the slow query log", edges: true, every: second, read: readSlowLog,
			help: "the end of the slow query log, if it is a file on this host"},
		{name: "tables", what: "sizes of tables", edges: true, every: 10 * time.Minute, wanted: func(o Options) bool { return o.Deep }, read: readTables,
			help: "information_schema.TABLES: rows and sizes of the largest tables, with --deep"},
	}
}
