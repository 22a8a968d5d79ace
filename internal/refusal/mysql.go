package refusal

import (
	"strings"

	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// Rules that judge connections to a MySQL server.
var ofMySQLConnects = []string{"mysql/connections-exhausted", "mysql/not-answering", "rt/connect-slow", "rt/first-disconnect", "rt/errors"}

// mysqlStatus are the counters of SHOW GLOBAL STATUS of MySQL, MariaDB and Percona
// Server whose names say that something failed, was late or dear, or that sound so
// (manuals: "Server Status Variables").
var mysqlStatus = source{name: "mysql status", file: "SHOW GLOBAL STATUS", resource: "statements", scopes: mysqlStatusScopes, counters: []Counter{
	// Connections.
	{Names: "Aborted_connects", Kind: Refused, Unit: "connects", Resource: "connections of MySQL", Rules: ofMySQLConnects, PerSecond: 1,
		Means: "a connect that ended before the login was complete: wrong user or password, a broken handshake, or connect_timeout",
		Why:   "load balancers and monitors that only open the port and close it again are counted"},
	{Names: "Aborted_clients", Kind: Refused, Unit: "connections", Resource: "connections of MySQL", PerSecond: 2,
		Rules: []string{"mysql/slow-reader", "mysql/connections-exhausted", "net/resets", "net/packet-loss", "rt/errors"},
		Means: "a connection that ended without a goodbye: its program died or was killed, a timeout of the server or of something between, or a packet that was too large",
		Why:   "programs that end without closing their connections do so all day"},
	{Names: "Aborted_connects_preauth", Kind: Refused, Unit: "connects", Resource: "connections of MySQL", Rules: ofMySQLConnects, PerSecond: 1,
		Means: "a connect that ended before its user was known",
		Why:   "load balancers and monitors that only open the port and close it again are counted"},
	{Names: "Access_denied_errors", Kind: Refused, Unit: "statements and logins", Resource: "connections of MySQL", Rules: ofMySQLConnects, PerSecond: 1,
		Means: "a login or a statement refused for lack of a password or a privilege (MariaDB)",
		Why:   "a program that is tried with an old password comes again every few seconds"},
	{Names: "Connection_errors_max_connections", Kind: Refused, Unit: "connects", Resource: "connections of MySQL", Rules: []string{"mysql/connections-exhausted"}, Least: 1,
		Means: "a connect that was turned away because max_connections were open"},
	{Names: "Connection_errors_accept Connection_errors_internal Connection_errors_select", Kind: Refused, Unit: "connects", Resource: "connections of MySQL", Rules: ofMySQLConnects, Least: 1,
		Means: "a connect that failed inside of the server: no file descriptor, no memory or no thread for it"},
	{Names: "Connection_errors_peer_address Connection_errors_tcpwrap", Kind: Refused, Unit: "connects", Resource: "connections of MySQL", Rules: ofMySQLConnects,
		Means: "a connect that was turned away because the address of its client could not be found, or is not welcome"},
	slowed("Slow_launch_threads", "the thread of a new connection needed longer than slow_launch_time to start", "cpu/saturated", "rt/connect-slow"),

	// Statements and transactions.
	{Names: "Innodb_deadlocks", Kind: Refused, Unit: "transactions", Resource: "row locks", Rules: []string{"mysql/row-lock-wait"}, PerSecond: 0.2,
		Means: "a transaction that was rolled back to end a deadlock",
		Why:   "a few a minute are everyday life where programs try again, as they have to"},
	{Names: "Max_execution_time_exceeded Max_statement_time_exceeded", Kind: Refused, Unit: "statements", Resource: "statements", PerSecond: 0.2,
		Rules: []string{"mysql/costly-statement", "mysql/full-scan", "mysql/row-lock-wait", "mysql/metadata-lock", "cpu/saturated", "disk/saturated"},
		Means: "a statement that was ended because it took longer than its limit (max_execution_time, max_statement_time)",
		Why:   "a limit is there to end some"},
	{Names: "Max_execution_time_set_failed Max_statement_time_set_failed", Kind: Refused, Unit: "statements", Resource: "statements",
		Means: "a statement whose time limit could not be set, so that it runs without one"},
	{Names: "Slave_skipped_errors wsrep_local_bf_aborts wsrep_local_cert_failures", Kind: Refused, Unit: "transactions", Resource: "transactions of MySQL", PerSecond: 0.2,
		Means: "a replicated transaction with an error that was passed over, or one that lost against that of another node of the cluster",
		Why:   "nodes that write the same rows meet now and then, and programs try again"},
	{Names: "Slave_retried_transactions", Kind: Refused, Unit: "transactions", Resource: "transactions of MySQL", Rules: []string{"mysql/row-lock-wait"}, PerSecond: 0.2,
		Means: "a transaction that a replica had to begin again, after a deadlock or a lock wait timeout",
		Why:   "the replica does it again by itself"},
	{Names: "Rpl_semi_sync_master_no_tx Rpl_semi_sync_source_no_tx Rpl_semi_sync_master_timefunc_failures Rpl_semi_sync_source_timefunc_failures", Kind: Refused, Unit: "commits", Resource: "commits",
		Means: "a commit that no replica acknowledged in time, so that the source went on without"},
	{Names: "Master_gtid_wait_timeouts", Kind: Refused, Unit: "waits", Resource: "statements",
		Means: "a MASTER_GTID_WAIT that ended before the replica was there"},
	ordinary("Com_rollback Com_rollback_to_savepoint Com_xa_rollback Handler_rollback Handler_savepoint_rollback Com_kill Com_show_errors",
		"programs and frameworks roll back, kill and look for errors by design"),
	ordinary("Com_drop_table Com_drop_temporary_table Com_drop_db Com_drop_index Com_drop_view Com_drop_user Com_drop_trigger Com_drop_procedure Com_drop_function Com_drop_event Com_drop_server "+
		"Com_drop_role Com_drop_sequence Com_drop_package Com_drop_package_body Com_drop_resource_group Com_drop_spatial_reference_system Com_drop_library Com_drop_masking_policy", "a statement that removes something"),
	ordinary("Feature_fulltext", "a use of full-text search"),

	// Work that is done, later or at a higher price.
	slowed("Select_full_join Select_range_check", "a join read a table without an index", "mysql/full-scan", "mysql/costly-statement"),
	volume("Select_full_range_join Handler_read_retry"),
	slowed("Slow_queries", "a statement took longer than long_query_time", "mysql/costly-statement", "mysql/full-scan", "mysql/row-lock-wait", "mysql/metadata-lock", "rt/server-slow"),
	slowed("Created_tmp_disk_tables", "a temporary table did not fit into memory", "mysql/tmp-disk-tables"),
	slowed("Sort_merge_passes", "a sort did not fit into its buffer", "mysql/sort"),
	slowed("Binlog_cache_disk_use Binlog_stmt_cache_disk_use", "a transaction was larger than the cache of the binary log and went through a temporary file", "mysql/commit-flush", "disk/saturated"),
	slowed("Table_open_cache_overflows Table_open_cache_triggers_overflows", "a table had to be closed to open another one", "mysql/table-cache-contention"),
	slowed("Table_open_cache_misses Table_open_cache_triggers_misses", "a table was not in the cache and had to be opened", "mysql/table-cache-contention", "mysql/opening-missing-tables"),
	slowed("Table_locks_waited", "a statement waited for a lock of a table", "mysql/metadata-lock"),
	slowed("Innodb_row_lock_waits", "a transaction waited for a row", "mysql/row-lock-wait"),
	slowed("Innodb_buffer_pool_wait_free", "a page had to be written before another one could be read", "mysql/buffer-pool-small"),
	slowed("Innodb_log_waits", "the log buffer was full and had to be written first", "mysql/commit-flush"),
	slowed("Tc_log_page_waits", "a commit waited for a page of the log of two-phase commits", "mysql/commit-flush"),
	slowed("Binlog_group_commit_trigger_lock_wait Binlog_group_commit_trigger_timeout", "a group of commits stopped waiting for more", "mysql/commit-flush"),
	ordinary("Qcache_lowmem_prunes", "the query cache makes room for newer answers"),
	ordinary("Subquery_cache_miss Binlog_gtid_index_miss", "what is not in a cache is worked out"),
	ordinary("Performance_schema_digest_lost Performance_schema_lost_queries", "statements that the performance schema has no room for are not counted one by one; they ran all the same"),
	ordinary("Innodb_ibuf_discarded_inserts Innodb_ibuf_discarded_deletes Innodb_ibuf_discarded_delete_marks", "changes of indexes that were dropped meanwhile need not be made"),
	ordinary("Innodb_defragment_compression_failures Innodb_defragment_failures", "a page that is full already is left as it is"),
	volume("Binlog_disk_use Innodb_redo_log_flushed_to_disk_lsn Innodb_row_lock_current_waits wsrep_rollbacker_thread_count Rpl_semi_sync_master_wait_pos_backtraverse"),
}}

// mysqlErrors are the errors that MySQL 8 and later count one by one
// (events_errors_summary_global_by_error; include/mysqld_ername.h). They are those
// that were given to clients, and warnings.
var mysqlErrors = source{name: "mysql errors", file: "performance_schema.events_errors_summary_global_by_error", resource: "statements", scopes: mysqlErrorScopes, counters: []Counter{
	{Names: "ER_NO_SUCH_TABLE ER_BAD_TABLE_ERROR", Kind: Refused, Unit: "statements", Resource: "statements", Rules: []string{"mysql/opening-missing-tables", "rt/errors"}, PerSecond: 5,
		Means: "a statement about a table that does not exist",
		Why:   "installers and migrations ask whether a table is there"},
	{Names: "ER_CON_COUNT_ERROR ER_TOO_MANY_USER_CONNECTIONS ER_USER_LIMIT_REACHED", Kind: Refused, Unit: "connects", Resource: "connections of MySQL",
		Rules: []string{"mysql/connections-exhausted"}, Least: 1,
		Means: "a connect or a statement that was turned away because the server, or its user, has as many as it may"},
	{Names: "ER_LOCK_WAIT_TIMEOUT", Kind: Refused, Unit: "statements", Resource: "row locks", Rules: []string{"mysql/row-lock-wait", "mysql/metadata-lock", "mysql/long-transaction"}, Least: 1,
		Means: "a statement that gave up waiting for a lock"},
	{Names: "ER_LOCK_DEADLOCK", Kind: Refused, Unit: "transactions", Resource: "row locks", Rules: []string{"mysql/row-lock-wait"}, PerSecond: 0.2,
		Means: "a transaction that was rolled back to end a deadlock",
		Why:   "a few a minute are everyday life where programs try again, as they have to"},
	{Names: "ER_QUERY_TIMEOUT ER_STATEMENT_TIMEOUT", Kind: Refused, Unit: "statements", Resource: "statements", PerSecond: 0.2,
		Rules: []string{"mysql/costly-statement", "mysql/full-scan", "mysql/row-lock-wait", "mysql/metadata-lock", "cpu/saturated", "disk/saturated"},
		Means: "a statement that was ended because it took longer than its limit",
		Why:   "a limit is there to end some"},
	{Names: "ER_ACCESS_DENIED_ERROR ER_DBACCESS_DENIED_ERROR ER_HOST_NOT_PRIVILEGED ER_HOST_IS_BLOCKED ER_HANDSHAKE_ERROR ER_NET_READ_ERROR ER_NET_READ_INTERRUPTED ER_NET_ERROR_ON_WRITE ER_NET_WRITE_INTERRUPTED " +
		"ER_ABORTING_CONNECTION ER_NEW_ABORTING_CONNECTION", Kind: Refused, Unit: "connections", Resource: "connections of MySQL", Rules: ofMySQLConnects, PerSecond: 2,
		Means: "a login that was refused, or a connection that broke",
		Why:   "monitors that only open the port, and programs that end without closing their connections, are counted"},
	{Names: "ER_OUTOFMEMORY ER_OUT_OF_RESOURCES ER_OUT_OF_SORTMEMORY ER_CANT_CREATE_THREAD ER_RECORD_FILE_FULL ER_DISK_FULL ER_CANT_OPEN_FILE ER_ERROR_ON_WRITE ER_ERROR_ON_READ ER_LOCK_TABLE_FULL ER_ENGINE_OUT_OF_MEMORY " +
		"ER_CAPACITY_EXCEEDED ER_NOT_KEYFILE ER_CRASHED_ON_USAGE", Kind: Refused, Unit: "statements", Resource: "statements", Rules: []string{"disk/full", "mem/oom-kill", "mem/cgroup-oom", "proc/fd-limit", "disk/inodes-full"}, Least: 1,
		Means: "a statement that failed because the server lacked memory, room on the disk, files or threads, or because a file of it is damaged"},
	ordinary("ER_DUP_ENTRY ER_DUP_ENTRY_WITH_KEY_NAME", "INSERT IGNORE, ON DUPLICATE KEY UPDATE and programs that insert first and look later count here"),
	ordinary("ER_QUERY_INTERRUPTED ER_SERVER_SHUTDOWN ER_CLIENT_INTERACTION_TIMEOUT ER_SIGNAL_EXCEPTION ER_SP_FETCH_NO_DATA", "it was ended on purpose, or a procedure uses it as its way to go on"),
	ordinary("WARN_* ER_WARN_* ER_DATA_TRUNCATED ER_TRUNCATED_WRONG_VALUE ER_DIVISION_BY_ZERO ER_YES ER_NO ER_DB_CREATE_EXISTS ER_TABLE_EXISTS_ERROR ER_DB_DROP_EXISTS ER_DUP_KEYNAME ER_CANT_DROP_FIELD_OR_KEY ER_UNSUPPORTED_PS", "a warning: the statement ran; or an answer that installers expect"),
	{Names: "ER_* EE_*", Kind: Refused, Unit: "errors", Resource: "statements", Rules: []string{"rt/errors", "mysql/opening-missing-tables"}, PerSecond: 10,
		Means: "an error that the server gave to a client, of a kind that this version of rtrail does not tell apart",
		Why:   "programs of all kinds live with some errors, and warnings are counted with them"},
}}

func mysqlStatusScopes(v *view.View) (list []Scope) {
	for _, s := range v.MySQLServers() {
		if delta, seconds := s.Growth(); seconds > 0 {
			scope := mysqlScope(s)
			scope.Delta, scope.Seconds = delta, seconds
			scope.Check = func(name string) shell.Command { return askMySQL(s, shell.SQL("show global status like %s", name)) }
			list = append(list, scope)
		}
	}
	return list
}

func mysqlErrorScopes(v *view.View) (list []Scope) {
	for _, s := range v.MySQLServers() {
		scope := mysqlScope(s)
		scope.Check = func(name string) shell.Command {
			return askMySQL(s, shell.SQL("select * from performance_schema.events_errors_summary_global_by_error where error_name = %s", name))
		}
		for _, e := range v.ErrorsOf(s.Server) {
			scope.Delta[e.Name] += e.Raised
			if e.PerSecond > 0 {
				scope.Seconds = max(scope.Seconds, e.Raised/e.PerSecond)
			}
		}
		if len(scope.Delta) > 0 {
			list = append(list, scope)
		}
	}
	return list
}

// mysqlScope is a server; its process where that is known.
func mysqlScope(s *view.MySQLServer) Scope {
	scope := Scope{Subject: view.Entity{Kind: view.KindService, Name: "mysql " + s.Server}, Where: "mysql " + s.Server, Delta: map[string]float64{}}
	if s.Process != nil {
		scope.Subject = s.Process.Entity()
	}
	return scope
}

// askMySQL puts a question to a server.
func askMySQL(s *view.MySQLServer, query shell.Query) shell.Command {
	user := shell.Command{}
	if s.User != "" {
		user = shell.Line("-u %s", s.User)
	}
	if strings.HasPrefix(s.Server, "/") {
		return shell.Line("mysql -S %s %s -e %s", s.Server, user, query)
	}
	host, port := s.Server, "3306"
	if i := strings.LastIndexByte(s.Server, ':'); i >= 0 {
		host, port = strings.Trim(s.Server[:i], "[]"), s.Server[i+1:]
	}
	return shell.Line("mysql -h %s -P %s %s -e %s", host, port, user, query)
}
