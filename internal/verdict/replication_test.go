package verdict

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// A replica that stopped is told, although no rule says that it makes anything slow.
func TestReplicationIsNoted(t *testing.T) {
	for name, c := range map[string]struct {
		sql   string
		lag   time.Duration
		noted bool
	}{
		"it keeps up":    {"Yes", 0, false},
		"it has stopped": {"No", recording.Unknown, true},
		"it is behind":   {"Yes", time.Minute, true},
	} {
		h := ruletest.New(2, 10)
		ruletest.Every(h, func(at time.Time, _ float64) recording.MySQLServer {
			return recording.MySQLServer{At: at, Server: "db1:3306", State: recording.ServerAnswers}
		})
		ruletest.Every(h, func(at time.Time, _ float64) recording.MySQLReplica {
			return recording.MySQLReplica{At: at, Server: "db1:3306", Source: "db0:3306", IORunning: "Yes", SQLRunning: c.sql, Lag: c.lag}
		})
		notes := Judge(h.View(), nil).Notes
		if noted := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "mysql db1:3306, replication from db0:3306: ") }); noted != c.noted {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}
