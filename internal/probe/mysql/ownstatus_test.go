package mysql

import (
	"testing"

	"rtrail/internal/probe/mysql/fixture"
	"rtrail/internal/recording"
)

// numbers is an answer of SHOW STATUS.
func numbers(pairs ...string) tapeAnswer {
	a := fixture.Answer{Columns: []string{"Variable_name", "Value"}}
	for i := 0; i < len(pairs); i += 2 {
		a.Rows = append(a.Rows, []fixture.Value{{Text: pairs[i]}, {Text: pairs[i+1]}})
	}
	return tapeAnswer{answer: a}
}

// What rtrail's own session did is not in the counters that are judged.
func TestOwnWorkIsTakenOut(t *testing.T) {
	tp := readTape(t, "testdata/looks/mysql-5.6.14-locks.txt")
	tp.answers["SHOW GLOBAL STATUS"] = []tapeAnswer{
		numbers("Created_tmp_disk_tables", "107", "Handler_read_rnd_next", "5000", "Questions", "1020", "Threads_running", "3", "Uptime", "60"),
		numbers("Created_tmp_disk_tables", "111", "Handler_read_rnd_next", "5900", "Questions", "1035", "Threads_running", "3", "Uptime", "62"),
	}
	tp.answers[canonical(ownStatus)] = []tapeAnswer{
		numbers("Created_tmp_disk_tables", "2", "Handler_read_rnd_next", "400", "Questions", "8", "Queries", "90000"),
		numbers("Created_tmp_disk_tables", "5", "Handler_read_rnd_next", "1200", "Questions", "21", "Queries", "90000"),
	}
	grown := map[string]float64{}
	for _, r := range recording.Rows[recording.MySQLStatus](play(t, tp, Options{})) {
		grown[r.Name] = r.Value - grown[r.Name]
	}
	for name, want := range map[string]float64{"Created_tmp_disk_tables": 1, "Handler_read_rnd_next": 100, "Questions": 2, "Uptime": 2, "Threads_running": 0} {
		if grown[name] != want {
			t.Errorf("%s grew by %v, want %v", name, grown[name], want)
		}
	}
}

// A connection that ends leaves its counters to the server, until that restarts.
func TestOwnWorkOfClosedConnections(t *testing.T) {
	var own ownWork
	for _, step := range []struct {
		what         string
		close        bool
		uptime, now  float64
		server, want float64
	}{
		{"the first connection", false, 10, 5, 105, 100},
		{"the second one", true, 20, 3, 110, 102},
		{"the server restarted", true, 2, 4, 6, 2},
		{"its counters were flushed", false, 4, 9, 5, 0},
	} {
		if step.close {
			own.closed()
		}
		own.now = map[string]float64{"questions": step.now}
		own.began(step.uptime)
		if got := own.without("questions", step.server); got != step.want {
			t.Errorf("%s: %v, want %v", step.what, got, step.want)
		}
	}
}
