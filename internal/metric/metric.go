// Package metric is the registry of numbers: what `explain` says about one, what a
// rule cites as evidence and what a chart draws is one entry here. It says what a
// number means and how its series is read from a view, and judges nothing.
package metric

import (
	"slices"

	"rtrail/internal/shell"
)

// Metric is one number that rtrail knows.
type Metric struct {
	ID string // "tcp.listen-overflows"; stable, users search for it
	// Formerly are IDs that it had in earlier versions; they still find it.
	Formerly []string
	Name     string   // "listen queue overflows"
	Help     string   // what it counts or measures, in plain words
	Unit     string   // one unit: "count", "bytes", "seconds", "share" (0 to 1), "per second", "cores"...
	Source   string   // file and field, netlink attribute or counter, with the kernel version if it matters
	Counter  bool     // made of the growth of counters over the window, not of a gauge
	Tools    []string // commands that show it, as one types them
	Traps    []string // how it misleads
	Healthy  string   // what a healthy value looks like, if one can say
	// Check is the command that shows it whatever the subject; evidence about a
	// certain process or device brings its own.
	Check shell.Command
	// Labels name what tells its series apart: "device", "pid". None: it is one of the host.
	Labels []string
	Series *Reader // for charts
	// Course is the metric that charts show in the place of one that is known as a number of a
	// window only: how what it is about went on.
	Course *Metric
}

var all []*Metric

// add puts a metric into the registry.
func add(m Metric) *Metric {
	all = append(all, &m)
	return &m
}

// All lists the registry. The slice is shared: callers must not change it.
func All() []*Metric { return all }

// Drawn is the metric that charts show: itself or its course; nil: none.
func (m *Metric) Drawn() *Metric {
	if m.Series == nil {
		return m.Course
	}
	return m
}

// Find returns the metric with an ID, or that had it formerly.
func Find(id string) (*Metric, bool) {
	for _, m := range all {
		if m.ID == id || slices.Contains(m.Formerly, id) {
			return m, true
		}
	}
	return nil, false
}
