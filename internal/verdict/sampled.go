package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// wholly is the share of the time from which a source counted all of it: to attach and to
// read takes a little.
const wholly = 0.95

// sampledIn lists the sources of events that counted for a part of the window, because all
// of it would have cost more than their budget.
func sampledIn(v *view.View) []Unseen {
	var list []Unseen
	for probe, programs := range programCosts(v) {
		// One that was detached says so itself.
		if slices.ContainsFunc(programs, func(c ProgramCost) bool { return c.Stopped }) {
			continue
		}
		c := programs[0]
		if c.Traced >= wholly || c.Traced <= 0 {
			continue
		}
		all := c.Share / c.Traced
		list = append(list, Unseen{
			Probe: probe, What: "all events of " + probe, Count: 1,
			Why: fmt.Sprintf("sampled for %v of the window and scaled up; counting all of it would cost %v of a core (BPF program %s)", unit.Share(c.Traced), unit.Share(all), c.Name),
			How: shell.Recorded(fmt.Sprintf("rtrail --event-budget %.0f%%", min(math.Ceil(100*all*1.5), 100))),
		})
	}
	slices.SortFunc(list, func(a, b Unseen) int { return cmp.Compare(a.Probe, b.Probe) })
	return list
}
