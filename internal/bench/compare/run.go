// Package compare lays load tests of several environments side by side: what each got at each
// step, who is ahead and whether that is more than chance, what each is short of, and what is
// wrong with the runs.
package compare

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/unit"
)

// Run is a run as it was read.
type Run struct {
	bench.Run
	File     string // as it was named
	Line     int
	argument int // of the command line
	dated    bool
	rounding rounding
	percent  *hostPercent // not yet in CPUs
	derived  bool         // QPS is TPS times what a transaction has
}

// rounding is how far numbers may be off because digits are missing: half of the last one.
type rounding struct {
	tps, qps float64       // per second
	mean     float64       // ms
	cpu      float64       // CPUs, of each kind of time
	clock    time.Duration // of begin and end: a whole unit
}

// Level is how much load a step has: threads of a closed loop, or a rate.
type Level struct {
	Threads int     `json:"threads"` // 0: an open loop
	Rate    float64 `json:"rate_per_second"`
}

func (r *Run) level() Level {
	if r.Threads > 0 || !(r.Rate > 0) {
		return Level{Threads: r.Threads}
	}
	return Level{Rate: float64(r.Rate)}
}

// String is the threads, or the rate with its unit.
func (l Level) String() string {
	if l.Rate > 0 {
		return unit.PerSecond(l.Rate).String()
	}
	return strconv.Itoa(l.Threads)
}

func compareLevels(a, b Level) int {
	return cmp.Or(cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Threads, b.Threads))
}

// step names a run for people: "wo 128".
func (r *Run) step() string {
	s := r.Scenario + " " + r.level().String()
	if r.Repeat > 1 {
		s += fmt.Sprintf(" (repeat %d)", r.Repeat)
	}
	return s
}

// queriesOf is how many queries a transaction of sysbench's scenarios has.
var queriesOf = map[string]float64{"ps": 1, "point_select": 1, "ro": 16, "read_only": 16, "rw": 20, "read_write": 20, "wo": 6, "write_only": 6}

// queries is that of a scenario; 0: not known.
func queries(scenario string) float64 { return queriesOf[strings.TrimPrefix(scenario, "oltp_")] }
