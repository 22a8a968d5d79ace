package mysql

import (
	"strconv"
	"strings"
)

// ownStatus reads those counters of rtrail's own session that it makes grow
// itself: MariaDB and MySQL 5.6 put the process list into a temporary table on
// disk. SHOW STATUS leaves no traces in it, on any server.
const ownStatus = "SHOW SESSION STATUS WHERE Variable_name IN ('Questions', 'Queries', 'Com_select', 'Created_tmp_disk_tables', 'Created_tmp_tables', " +
	"'Handler_read_first', 'Handler_read_key', 'Handler_read_next', 'Handler_read_prev', 'Handler_read_rnd', 'Handler_read_rnd_next', " +
	"'Select_scan', 'Select_full_join', 'Rows_sent', 'Sort_merge_passes', 'Sort_rows', 'Sort_scan', 'Sort_range')"

// ownNames are the names in it in lower case.
var ownNames = strings.ToLower(ownStatus)

// ownWork is what the counters of the server hold of rtrail's own statements.
type ownWork struct {
	past   map[string]float64 // of connections that are closed
	now    map[string]float64 // of this one, as last read; lower case
	uptime float64            // of the server, when it was last read
}

// readOwnStatus reads the session's counters. They are read before those of the
// server: what is asked between is among both at the next look.
func (l *look) readOwnStatus() error {
	r, err := l.query("its own status", ownStatus)
	if err != nil {
		if fatal(err) {
			return err
		}
		return nil // then nothing is subtracted
	}
	l.own.now = make(map[string]float64, r.Len())
	for row := range r.Rows() {
		name := strings.ToLower(row.At(0))
		// Queries is the server's, whatever the scope.
		if value, err := strconv.ParseFloat(row.At(1), 64); err == nil && value > 0 && name != "queries" && strings.Contains(ownNames, "'"+name+"'") {
			l.own.now[name] = value
		}
	}
	// It counts the same, but for statements within procedures, of which rtrail
	// has none.
	l.own.now["queries"] = l.own.now["questions"]
	return nil
}

// closed keeps the counters of a connection that ends: the server adds them to
// its own.
func (o *ownWork) closed() {
	if o.past == nil {
		o.past = map[string]float64{}
	}
	for name, value := range o.now {
		o.past[name] += value
	}
	o.now = nil
}

// began forgets closed connections if the server counts from zero since.
func (o *ownWork) began(uptime float64) {
	if uptime < o.uptime {
		o.past = nil
	}
	o.uptime = uptime
}

// without is a counter of the server without rtrail's own share. FLUSH STATUS
// may leave less than that.
func (o *ownWork) without(name string, value float64) float64 {
	return max(value-o.past[name]-o.now[name], 0)
}
