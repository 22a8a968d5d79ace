package mysql

import (
	"strconv"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// leftOut are beginnings of names in SHOW GLOBAL STATUS that say nothing about
// slowness, or what other tables say better, in lower case.
var leftOut = []string{"ssl_", "rsa_", "mysqlx_", "feature_", "performance_schema_", "rocksdb_", "current_tls_", "caching_sha2", "tls_",
	"ongoing_anonymous", "resource_group", "error_log_", "global_connection_memory", "telemetry", "deprecated_use", "not_flushed_delayed",
	"delayed_", "columnstore", "spider_", "sphinx_", "oqgraph", "s3_", "com_show_", "com_create_", "com_drop_", "com_alter_user", "acl_",
	"innodb_encryption", "innodb_num_pages_", "innodb_scrub", "innodb_instant", "innodb_secondary_index", "innodb_page_compression",
	"innodb_defragment", "innodb_bulk", "innodb_redo_log_uuid", "subquery_cache", "rpl_transactions_multi_engine", "transactions_multi"}

const (
	// maxCounters and maxSettings bound what is read of a server that makes names
	// up: real ones have about 600 counters and 700 settings.
	maxCounters = 2000
	maxSettings = 2000
	// maxCounterName is the longest name of a counter or setting.
	maxCounterName = 64
	// maxSetting is how much of a setting is kept: optimizer_switch has 1.5 KiB.
	maxSetting = 4 << 10
)

// kept are names that leftOut would drop.
var kept = map[string]bool{"com_show_processlist": true, "com_create_table": true, "com_drop_table": true, "com_create_index": true, "com_drop_index": true,
	"com_create_view": true, "com_drop_view": true, "com_create_trigger": true, "com_drop_trigger": true, "com_drop_db": true,
	"performance_schema_digest_lost": true, "performance_schema_lost_queries": true}

// readStatus reads all counters. They are read without a condition: the server
// computes all of them anyway, and a condition makes it fill a temporary table
// which it then counts.
//
// What rtrail's own session did is taken out: nobody must be told to fix it.
func readStatus(l *look) error {
	if err := l.readOwnStatus(); err != nil {
		return err
	}
	r, err := l.queryRows("SHOW GLOBAL STATUS", "SHOW GLOBAL STATUS", maxCounters)
	if err != nil {
		return err
	}
	l.at = time.Now() // of these numbers, and of the look
	l.takeStatus(r)
	return nil
}

// takeStatus writes the counters.
func (l *look) takeStatus(r *mysqlconn.Result) {
	l.status = make(map[string]float64, r.Len())
	if l.seen.commands == nil {
		l.seen.commands = map[string]bool{}
	}
	first := len(l.seen.commands) == 0
	rows := make([]recording.MySQLStatus, 0, 300)
	for row := range r.Rows() {
		if strings.EqualFold(row.At(0), "Uptime") {
			if up, err := strconv.ParseFloat(row.At(1), 64); err == nil {
				l.own.began(up)
			}
			break
		}
	}
	for row := range r.Rows() {
		name := row.At(0)
		value, err := strconv.ParseFloat(row.At(1), 64)
		if err != nil || value != value || len(name) > maxCounterName {
			continue // a text, or ON and OFF
		}
		lower := strings.ToLower(name)
		value = l.own.without(lower, value)
		l.status[lower] = value
		if !wanted(lower) {
			continue
		}
		// Commands that nobody uses are written once, so that their first use
		// is seen as growth.
		if strings.HasPrefix(lower, "com_") {
			if value == 0 && !first {
				continue
			}
			if len(l.seen.commands) < maxCounters {
				l.seen.commands[lower] = true
			}
		}
		rows = append(rows, recording.MySQLStatus{At: l.at, Server: l.target.Name, Name: name, Value: value})
	}
	l.countScans()
	recording.Give(l.w, rows)
}

func wanted(lower string) bool {
	if kept[lower] {
		return true
	}
	for _, beginning := range leftOut {
		if strings.HasPrefix(lower, beginning) {
			return false
		}
	}
	return true
}
