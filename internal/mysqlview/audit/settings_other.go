package audit

import (
	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

// instrumentSettings are what a server writes down about itself.
var instrumentSettings = []Setting{
	{
		Name: "performance_schema", Topic: Instruments, Apply: Restart,
		Why:  "tells which statements take the time and who holds metadata locks; in MySQL 5.6 the hash of digests is contended at tens of thousands of statements a second",
		Cost: "some percent of CPU time and some hundred MiB; off: what statements did is not known",
	},
	{
		Name: "performance_schema_digests_size", Topic: Instruments, Apply: Restart, Auto: "by max_connections and the table caches",
		Why:  "further statements are summed up as one when this many different ones are kept",
		Cost: "memory",
	},
	{
		Name: "userstat", Topic: Instruments, Apply: Dynamic,
		Why:  "counts per user, client, table and index",
		Cost: "some percent of CPU time",
	},
	{
		Name: "slow_query_log", Topic: Instruments, Apply: Dynamic,
		Why:  "statements that took longer than long_query_time; the time before execution, in a queue, is not in it",
		Cost: "MySQL 5.7 and older write out the parameters of prepared statements for it, which is slow with very many",
	},
	{
		Name: "long_query_time", Topic: Instruments, Unit: Seconds, Apply: Dynamic,
		Why:  "statements that take longer are written to the slow log",
		Cost: "short: the log itself is work, and one mutex", Advise: adviseSlowLog,
	},
	{
		Name: "log_queries_not_using_indexes", Topic: Instruments, Apply: Dynamic,
		Why:  "writes statements without an index into the slow log even if they are fast",
		Cost: "lines in the log; log_throttle_queries_not_using_indexes limits them",
	},
	{
		Name: "log_slow_rate_limit", Topic: Instruments, Apply: Dynamic,
		Why:  "writes only one statement in this many",
		Cost: "gaps in the log",
	},
	{
		Name: "log_slow_verbosity", Topic: Instruments, Apply: Dynamic,
		Why:  "what stands in the slow log beside time and rows",
		Cost: "longer entries",
	},
	{
		Name: "general_log", Topic: Instruments, Apply: Dynamic,
		Why:  "writes every statement, below one mutex, before it is executed",
		Cost: "OFF: no list of all statements; packets give one without load on the server", Advise: adviseGeneralLog,
	},
	{
		Name: "log_output", Topic: Instruments, Apply: Dynamic,
		Why:  "TABLE: logs go into tables, which is several times slower than files",
		Cost: "none",
	},
}

func adviseGeneralLog(f *Facts, v Value) *Advice {
	perSecond := f.rate("Questions")
	if !v.On() || perSecond < logged {
		return nil
	}
	return &Advice{
		Direction: Change, To: "OFF", Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%s statements a second are written, one at a time", unit.Count(perSecond))},
	}
}

func adviseSlowLog(f *Facts, v Value) *Advice {
	perSecond := f.rate("Slow_queries")
	if !f.on("slow_query_log") && !f.on("log_slow_query") || perSecond < slowLogged {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "so long that less than a hundred a second are written, or log a part of them", Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%s statements a second go into the slow log, which takes those above %s s", unit.Count(perSecond), v)},
	}
}

// binlogSettings are the binary log and replicas.
var binlogSettings = []Setting{
	{
		Name: "log_bin", Topic: Binlog, Apply: Restart,
		Why:  "every commit is written a second time",
		Cost: "OFF: no replicas, no restoring to a point in time",
	},
	{
		Name: "binlog_format", Topic: Binlog, Apply: Dynamic,
		Why:  "STATEMENT: some changes lock more rows so that replicas repeat them in the same order",
		Cost: "ROW: more bytes for changes of many rows",
	},
	{
		Name: "binlog_row_image", Topic: Binlog, Apply: Dynamic,
		Why:  "FULL writes all columns of a changed row, MINIMAL only those that are needed",
		Cost: "MINIMAL: tools that read the log see less",
	},
	{
		Name: "binlog_cache_size", Topic: Binlog, Unit: Bytes, Apply: Dynamic,
		Why:  "a transaction with a larger log goes through a temporary file",
		Cost: "memory of every session that writes", Advise: adviseBinlogCache,
	},
	{
		Name: "binlog_group_commit_sync_delay", Topic: Binlog, Only: "MySQL", Apply: Dynamic,
		Why:  "each commit waits this many microseconds for others to join its group",
		Cost: "fewer flushes against longer commits",
	},
	{
		Name: "binlog_commit_wait_count", Topic: Binlog, Only: "MariaDB", Apply: Dynamic,
		Why:  "how many commits are waited for, up to binlog_commit_wait_usec; 0: none",
		Cost: "fewer flushes against longer commits",
	},
	{
		Name: "replica_parallel_workers", Names: []string{"slave_parallel_threads", "slave_parallel_workers"}, Topic: Binlog, Apply: Dynamic,
		Why:  "how many threads apply the changes of the source; with 0 or 1 a replica cannot keep up with many writers",
		Cost: "threads; the replica has to be stopped for the change", Advise: adviseWorkers,
	},
	{
		Name: "rpl_semi_sync_source_enabled", Names: []string{"rpl_semi_sync_master_enabled"}, Topic: Binlog, Apply: Dynamic,
		Why:  "each commit waits for a replica: a round trip more",
		Cost: "OFF: commits may be lost with the host",
	},
	{
		Name: "rpl_semi_sync_source_timeout", Names: []string{"rpl_semi_sync_master_timeout"}, Topic: Binlog, Unit: Millis, Apply: Dynamic,
		Why:  "how long commits wait for a replica that does not answer",
		Cost: "short: falls back to asynchronous replication",
	},
}

func adviseBinlogCache(f *Facts, v Value) *Advice {
	size, ok := v.Int()
	disk, all := f.grown("Binlog_cache_disk_use"), f.grown("Binlog_cache_use")
	if !ok || all <= 0 || disk/max(f.Window, 1) < tmpDisk || disk/all < 0.1 {
		return nil
	}
	return &Advice{
		Direction: Raise, To: f.more("binlog_cache_size", size, Bytes), Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%s of transactions wrote their log through a temporary file: %s", unit.Share(disk/all), f.times(disk))},
	}
}

func adviseWorkers(f *Facts, v Value) *Advice {
	n, ok := v.Int()
	if !ok || n > 1 || f.lag.Seconds() < lagging {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "4", Sure: rule.Possible,
		Evidence: []rule.Text{rule.T("the replica is %s behind and applies changes with one thread", unit.Duration(f.lag))},
	}
}

// generalSettings are the rest.
var generalSettings = []Setting{
	{
		Name: "local_infile", Topic: General, Apply: Dynamic,
		Why:  "LOAD DATA LOCAL reads files of clients; a server that is not trusted can ask for any of them",
		Cost: "OFF: LOAD DATA LOCAL fails",
	},
	{
		Name: "optimizer_switch", Topic: General, Apply: Dynamic,
		Why:  "which plans the optimizer may choose",
		Cost: "plans of all statements may change",
	},
	{
		Name: "character_set_server", Topic: General, Apply: Dynamic,
		Why:  "the character set of new databases; joins between columns of different sets use no index",
		Cost: "existing tables keep theirs",
	},
	{
		Name: "innodb_parallel_read_threads", Topic: General, Only: "MySQL", Apply: Dynamic,
		Why:  "COUNT(*) and CHECK TABLE read a table with this many threads",
		Cost: "CPUs and disks that other statements do not get",
	},
}
