package mysql

import (
	"slices"
	"time"
)

const (
	// share of the time of a server that one collector may take. Most of them
	// run seldom and take less; the sum is to stay below the five milliseconds a
	// second that rtrail allows itself.
	share = 0.001
	// coreShare is that of those that answers rest on: status, transactions,
	// sessions. They come every second unless one takes more than fifty
	// milliseconds, as on servers with many thousand connections. A smaller share
	// would leave them out on a busy host, where an answer of one millisecond of
	// work takes ten.
	coreShare = 0.05
	// longestWait bounds how seldom a dear collector runs.
	longestWait = time.Minute
	// shortestPause is how long what was refused is not asked again.
	shortestPause = 10 * time.Second
	// remembered costs: the least of them is what the server needs; the others
	// are waits for a CPU that is busy with something else.
	remembered = 5
)

// collector reads one thing.
type collector struct {
	name  string        // in MySQLServer.Collected
	what  string        // in notes: what is not seen without it
	help  string        // one line for docs
	grant string        // privilege it needs, as in GRANT
	every time.Duration // 0: in each look
	edges bool          // also at the edges of a window, whatever was read before
	core  bool          // answers rest on it
	// wanted says whether the user asked for it; nil: it is read anyway.
	wanted func(Options) bool
	// when says whether it is of use in a look; nil: always.
	when func(*look) bool
	read func(*look) error
}

// schedule is a collector of one server, and when it is due.
type schedule struct {
	collector
	due    time.Time
	costs  []time.Duration
	warm   bool
	failed int
	off    bool
	given  time.Duration // up for so long, last time
}

func schedules(o Options) []*schedule {
	var list []*schedule
	for _, c := range collectors() {
		if c.wanted == nil || c.wanted(o) {
			list = append(list, &schedule{collector: c})
		}
	}
	return list
}

func (c *schedule) isDue(l *look) bool {
	if c.off || c.when != nil && !c.when(l) {
		return false
	}
	return l.edge && c.edges && c.given == 0 || !l.at.Before(c.due)
}

// ran notes what a run cost, and when the next one is due.
func (c *schedule) ran(at time.Time, cost time.Duration) {
	c.given = 0
	if !c.warm { // the first run meets cold caches and says nothing about those that follow
		c.warm = true
		c.due = at.Add(c.every - shortestInterval/2)
		return
	}
	c.costs = append(c.costs, max(cost, 0))
	if len(c.costs) > remembered {
		c.costs = c.costs[1:]
	}
	allowed := share
	if c.core {
		allowed = coreShare
	}
	dear := time.Duration(float64(slices.Min(c.costs)) / allowed)
	// Looks come a little early or late: half a second less is the same second.
	c.due = at.Add(max(c.every, min(dear, longestWait)) - shortestInterval/2)
}

func (c *schedule) pause(at time.Time, d time.Duration) { c.due = at.Add(max(d, c.every)) }

// giveUp leaves a collector out that the server had to stop, each time for longer.
func (c *schedule) giveUp(at time.Time) {
	c.given = min(max(2*c.given, shortestPause), longestWait)
	c.due = at.Add(c.given)
}

// retry lets everything be tried again: the server may be another one.
func (c *schedule) retry() { c.off, c.failed, c.given, c.due = false, 0, 0, time.Time{} }
