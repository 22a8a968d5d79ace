package mysqlview

import (
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// Replication says what is wrong with the channels by which a server follows
// others, a line each; nothing if they run and keep up.
func Replication(list []recording.MySQLReplica) []string {
	var lines []string
	for i := range list {
		if text := view.ReplicaTrouble(&list[i]); text != "" {
			lines = append(lines, strings.ToUpper(text[:1])+escape.Line(text[1:]))
		}
	}
	return lines
}

// stops are the channels that do not run, by which a line knows whether it has
// told of them: how far one is behind changes every second.
func stops(list []recording.MySQLReplica) string {
	var b strings.Builder
	for _, r := range list {
		b.WriteString(r.Channel + " " + r.IORunning + " " + r.SQLRunning)
		if r.IORunning == "Yes" && r.SQLRunning == "Yes" && view.ReplicaTrouble(&r) != "" {
			b.WriteString(" behind")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// replica is a channel in JSON.
type replica struct {
	Channel    string          `json:"channel"`
	Source     string          `json:"source"`
	IORunning  string          `json:"io_running"`
	SQLRunning string          `json:"sql_running"`
	Lag        document.Number `json:"lag_s"`   // null: not told, as while it does not run
	Delay      float64         `json:"delay_s"` // that it was told to keep
	IOErrno    int32           `json:"io_errno"`
	IOError    string          `json:"io_error"`
	SQLErrno   int32           `json:"sql_errno"`
	SQLError   string          `json:"sql_error"`
}

func replicasJSON(list []recording.MySQLReplica) []replica {
	out := make([]replica, len(list))
	for i, r := range list {
		out[i] = replica{Channel: r.Channel, Source: r.Source, IORunning: r.IORunning, SQLRunning: r.SQLRunning, Delay: r.Delay.Seconds(),
			IOErrno: r.IOErrno, IOError: r.IOError, SQLErrno: r.SQLErrno, SQLError: r.SQLError, Lag: secondsOf(r.Lag)}
	}
	return out
}
