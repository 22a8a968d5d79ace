package mysql

import (
	"strings"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
	"rtrail/internal/redact"
)

// secrets are settings whose values may hold passwords although their names do not
// tell, as redact knows them.
var secrets = map[string]bool{"wsrep_provider_options": true, "init_connect": true, "init_slave": true, "init_replica": true, "proxy_user": true,
	"handlersocket_plain_secret_wr": true}

// readVariables writes the settings that are new or have changed.
func readVariables(l *look) error {
	r, err := l.queryRows("SHOW GLOBAL VARIABLES", "SHOW GLOBAL VARIABLES", maxSettings)
	if err != nil {
		return err
	}
	l.takeVariables(r)
	return nil
}

// takeVariables writes those that are new or have changed.
func (l *look) takeVariables(r *mysqlconn.Result) {
	if l.seen.variables == nil {
		l.seen.variables = make(map[string]string, r.Len())
	}
	rows := make([]recording.MySQLVariable, 0, 16)
	for row := range r.Rows() {
		name, value := strings.ToLower(row.At(0)), row.At(1)
		if secrets[name] && value != "" {
			value = redact.Mask
		}
		value = redact.Setting(name, value[:min(len(value), maxSetting)])
		before, ok := l.seen.variables[name]
		if ok && before == value || volatileVariable(name) && ok || !ok && (len(l.seen.variables) >= maxSettings || len(name) > maxCounterName) {
			continue
		}
		l.seen.variables[name] = value
		rows = append(rows, recording.MySQLVariable{At: l.at, Server: l.target.Name, Name: name, Value: value})
	}
	recording.Give(l.w, rows)
}

// volatileVariable says whether a variable is no setting: it changes by itself.
func volatileVariable(name string) bool {
	switch name {
	case "timestamp", "rand_seed1", "rand_seed2", "pseudo_thread_id", "last_insert_id", "insert_id", "identity", "error_count", "warning_count",
		"gtid_binlog_pos", "gtid_binlog_state", "gtid_current_pos", "gtid_slave_pos", "gtid_executed", "gtid_purged", "last_gtid", "innodb_lru_scan_depth_now":
		return true
	}
	return false
}
