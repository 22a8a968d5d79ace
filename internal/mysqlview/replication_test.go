package mysqlview

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// A channel that stops is told once, and again when it runs and stops again; JSON
// has it in every row.
func TestReplication(t *testing.T) {
	runs := []recording.MySQLReplica{{Source: "db0:3306", IORunning: "Yes", SQLRunning: "Yes", Lag: time.Second}}
	stopped := []recording.MySQLReplica{{Source: "db0:3306", IORunning: "Yes", SQLRunning: "No", Lag: recording.Unknown, SQLErrno: 1062, SQLError: "Duplicate\x1b entry '?'"}}
	var text, objects bytes.Buffer
	l, j := Lines{Out: &text, Zone: time.UTC}, JSON{Out: &objects}
	for _, list := range [][]recording.MySQLReplica{nil, runs, stopped, stopped, runs, stopped} {
		r := unknownRow()
		r.At, r.State, r.Replicas = noon, recording.ServerAnswers, list
		if err := l.Row(&r); err != nil {
			t.Fatal(err)
		}
		if err := j.Row(&r); err != nil {
			t.Fatal(err)
		}
	}
	const line = "Replication from db0:3306: the SQL thread, which applies changes, has stopped by error 1062: Duplicate\\x1b entry '?'\n"
	if n := strings.Count(text.String(), line); n != 2 {
		t.Errorf("told %d times, want twice: %s", n, text.String())
	}
	rows := strings.Split(strings.TrimSpace(objects.String()), "\n")
	for i, want := range []string{"}", `"lag_s":1,`, `"lag_s":null,`} {
		if !strings.Contains(rows[i], want) || strings.Contains(rows[i], `"replication"`) != (i > 0) {
			t.Errorf("row %d lacks %s: %s", i, want, rows[i])
		}
	}
}
