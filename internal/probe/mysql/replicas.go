package mysql

import (
	"cmp"
	"net"
	"regexp"
	"strings"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
	"rtrail/internal/redact"
)

// maxChannels bounds the channels of one look: MySQL has 256 at most.
const maxChannels = 256

// readReplicas reads the channels by which the server follows others.
func readReplicas(l *look) error {
	statement := "SHOW SLAVE STATUS"
	switch {
	case l.about.mariaDB():
		statement = "SHOW ALL SLAVES STATUS"
	case l.about.atLeast(8, 0, 22):
		statement = "SHOW REPLICA STATUS"
	}
	r, err := l.queryRows("the replication status", statement, maxChannels)
	if err != nil {
		return err
	}
	rows := make([]recording.MySQLReplica, r.Len())
	for i := range rows {
		rows[i] = l.replica(r.Row(i))
	}
	if len(rows) == 0 {
		l.seen.noReplicas++ // asked again at the edges only
	} else {
		l.seen.noReplicas = 0
	}
	recording.Give(l.w, rows)
	return nil
}

// replica reads a channel. Since MySQL 8.0.22 its columns speak of sources and
// replicas; before, and in MariaDB, of masters and slaves.
func (l *look) replica(row mysqlconn.Row) recording.MySQLReplica {
	either := func(now, before string) string { return cmp.Or(row.Name(now), row.Name(before)) }
	c := recording.MySQLReplica{At: l.at, Server: l.target.Name,
		Channel:   either("Channel_Name", "Connection_name"),
		IORunning: either("Replica_IO_Running", "Slave_IO_Running"), SQLRunning: either("Replica_SQL_Running", "Slave_SQL_Running"),
		SQLState: either("Replica_SQL_Running_State", "Slave_SQL_Running_State"), IOError: row.Text("Last_IO_Error"), SQLError: row.Text("Last_SQL_Error"),
		Lag: recording.Unknown}
	if host := either("Source_Host", "Master_Host"); host != "" {
		c.Source = net.JoinHostPort(host, either("Source_Port", "Master_Port"))
	}
	if lag := max(row.Int("Seconds_Behind_Source"), row.Int("Seconds_Behind_Master")); lag >= 0 {
		c.Lag = time.Duration(lag) * time.Second
	}
	c.IOErrno, c.SQLErrno = errno(row, "Last_IO_Errno"), errno(row, "Last_SQL_Errno")
	c.Delay = time.Duration(max(row.Int("SQL_Delay"), 0)) * time.Second
	// The errors may hold the statement that failed, and values of its rows.
	if !l.options.Literals {
		c.IOError = redact.Text(c.IOError)
		c.SQLError = withoutValues(withoutStatement(c.SQLError))
	}
	return c
}

func errno(row mysqlconn.Row, column string) int32 { return int32(max(row.Int(column), 0)) }

// withoutValues leaves out what a replication error quotes: "Duplicate entry
// 'smith' for key 'PRIMARY'". Behind it stands where in the source's log it
// happened, with an apostrophe of its own.
func withoutValues(s string) string {
	place := eventPlace.FindString(s)
	return redact.Message("mysql", "", strings.TrimSuffix(s, place)) + place
}

// eventPlace is matched in full: an error that was cut may end within a value.
var eventPlace = regexp.MustCompile(`; the event's (?:source|master) log [\w./-]+, end_log_pos \d+[.]?$`)
