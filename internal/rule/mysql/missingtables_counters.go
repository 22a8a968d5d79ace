package mysql

import (
	"math"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

var (
	looksPerReload = rule.Threshold{Name: "looks-per-reload", Value: 4, Unit: "count", Source: rule.Measured,
		Reason: "Failed lookups per connection while a table definition is reread, for example after FLUSH TABLES: the server cancels the lookup, waits for the lock, retries, and prepares its statement again. Three were measured."}
	minUnchanged = rule.Threshold{Name: "min-unchanged", Value: 2.0, Unit: "seconds", Source: rule.Judgement,
		Reason: "Seconds without a table change that are needed to judge lookups."}
)

// changesTable are the commands that change the definition of a table. A change
// throws the table out of the cache, and those who read it look for it until it
// can be opened again: how often depends on how long that takes, so that nothing
// is told by the misses meanwhile.
//
// Temporary tables are in no shared cache.
var changesTable = []string{"Com_alter_table", "Com_analyze", "Com_create_index", "Com_create_table", "Com_create_trigger", "Com_create_view",
	"Com_drop_db", "Com_drop_index", "Com_drop_table", "Com_drop_trigger", "Com_drop_view", "Com_optimize", "Com_rename_table", "Com_repair", "Com_truncate"}

// reloadsTable count what has tables reopened and changes none.
var reloadsTable = []string{"Opened_table_definitions", "Com_flush", "Com_lock_tables"}

// lookedInVain is how many tables a second MariaDB looked for and neither had in
// its cache nor opened, at least, in the parts of the window in which no table is
// changed; NaN where these are too short. Its misses count every look for a table
// that is not cached; what was found was opened, or is a view.
func lookedInVain(v *view.View, s *view.MySQLServer) float64 {
	misses := s.Readings("Table_open_cache_misses")
	if len(misses) < 2 {
		return math.NaN()
	}
	missed, opened, views := counterOf(s, "Table_open_cache_misses"), counterOf(s, "Opened_tables"), counterOf(s, "Opened_views")
	changes, reloads := countersOf(s, changesTable), countersOf(s, reloadsTable)
	running := changesSeen(v, s)
	connections, _, _, _ := s.Gauge("Threads_connected")
	vain, seconds := 0.0, 0.0
	for i, r := range misses {
		looks := missed.grew(r.At) - opened.grew(r.At) - views.grew(r.At) - looksPerReload.Value*most(reloads, r.At)*max(connections, 1)
		if most(changes, r.At) == 0 && i > 0 && !running.touch(misses[i-1].At, r.At) {
			vain += looks
			seconds += r.At.Sub(misses[i-1].At).Seconds()
		}
	}
	if seconds < minUnchanged.Value {
		return math.NaN()
	}
	return max(vain/seconds, 0)
}

// counter follows a number of SHOW GLOBAL STATUS through the window. Commands
// that nobody used have no readings: before the first one it is 0.
type counter struct {
	rest []recording.MySQLStatus
	last float64
}

func counterOf(s *view.MySQLServer, name string) *counter {
	return &counter{rest: s.Readings(name)}
}

func countersOf(s *view.MySQLServer, names []string) []*counter {
	list := make([]*counter, len(names))
	for i, name := range names {
		list[i] = counterOf(s, name)
	}
	return list
}

// grew is how much it grew since the last call. Times go up.
func (c *counter) grew(at time.Time) float64 {
	from := c.last
	for len(c.rest) > 0 && !c.rest[0].At.After(at) {
		c.last, c.rest = c.rest[0].Value, c.rest[1:]
	}
	if c.last < from {
		return c.last // FLUSH STATUS, or a restart
	}
	return c.last - from
}

// most is how much the one grew that grew most. All of them are followed.
func most(counters []*counter, at time.Time) float64 {
	n := 0.0
	for _, c := range counters {
		n = max(n, c.grew(at))
	}
	return n
}
