package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

func TestReplicaTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*recording.MySQLReplica)
		want   string
	}{
		"it keeps up":     {func(*recording.MySQLReplica) {}, ""},
		"a hiccup":        {func(r *recording.MySQLReplica) { r.Lag = 2 * time.Second }, ""},
		"it is behind":    {func(r *recording.MySQLReplica) { r.Lag = 9 * time.Second }, "replication from db0:3306: 9 s behind"},
		"as it was told":  {func(r *recording.MySQLReplica) { r.Lag, r.Delay = 61*time.Second, time.Minute }, ""},
		"more than told":  {func(r *recording.MySQLReplica) { r.Lag, r.Delay = 90*time.Second, time.Minute }, "replication from db0:3306: 90 s behind, of which 60 s are wanted"},
		"lag is not told": {func(r *recording.MySQLReplica) { r.Lag = recording.Unknown }, ""},
		"a duplicate": {func(r *recording.MySQLReplica) {
			r.SQLRunning, r.Lag, r.SQLErrno, r.SQLError = "No", recording.Unknown, 1062, "Duplicate entry '?'"
		}, "replication from db0:3306: the SQL thread, which applies changes, has stopped by error 1062: Duplicate entry '?'"},
		"stopped by hand": {func(r *recording.MySQLReplica) { r.Channel, r.SQLRunning, r.Lag = "west", "No", recording.Unknown },
			"replication from db0:3306 (channel west): the SQL thread, which applies changes, has stopped, and tells no error"},
		"its source is gone": {func(r *recording.MySQLReplica) { r.IORunning, r.Lag, r.IOErrno = "Connecting", recording.Unknown, 2003 },
			"replication from db0:3306: the IO thread, which fetches changes, is in state Connecting, error 2003"},
	} {
		r := recording.MySQLReplica{Source: "db0:3306", IORunning: "Yes", SQLRunning: "Yes"}
		c.change(&r)
		if got := ReplicaTrouble(&r); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
