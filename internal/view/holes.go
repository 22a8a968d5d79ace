package view

import (
	"slices"
	"time"

	"rtrail/internal/recording"
)

// holes are the stretches of which the source of a table tells nothing and in which its counters
// stand still, in order.
type holes struct {
	list []recording.Hole
	sums []time.Duration // sums[n] is the length of the first n
}

// holesOf are those of the source of a table.
func (v *View) holesOf(t recording.Table) holes {
	return Memo(v, "holes", func() map[recording.Table]holes {
		all := map[recording.Table]holes{}
		for _, p := range v.Manifest().Probes {
			h := holes{sums: []time.Duration{0}}
			for _, one := range p.Holes {
				if !one.Counted {
					h.list, h.sums = append(h.list, one), append(h.sums, h.sums[len(h.list)]+one.To.Sub(one.From))
				}
			}
			for _, t := range p.Fills {
				if len(h.list) > 0 {
					all[t] = h
				}
			}
		}
		return all
	})[t]
}

// Covered is how much of the time between two rows of a table its source tells of: all of it, but
// for the holes of reports of other tools. What a counter grew in it is divided by this.
func (v *View) Covered(t recording.Table, from, to time.Time) time.Duration {
	return v.holesOf(t).without(from, to)
}

// without is the time from one moment to another without the holes that lie in it.
func (h holes) without(from, to time.Time) time.Duration {
	first, _ := slices.BinarySearchFunc(h.list, from, func(h recording.Hole, at time.Time) int { return h.From.Compare(at) })
	end, last := slices.BinarySearchFunc(h.list, to, func(h recording.Hole, at time.Time) int { return h.To.Compare(at) })
	if last {
		end++
	}
	if end <= first {
		return to.Sub(from)
	}
	return max(to.Sub(from)-(h.sums[end]-h.sums[first]), 0)
}

// Covered is the time between the first and the last row of a series of which its source tells;
// 0 with fewer than two.
func Covered[T recording.Row](v *View, series []T) time.Duration {
	if len(series) < 2 {
		return 0
	}
	var row T
	return v.Covered(row.Table(), recording.TimeOf(&series[0]), recording.TimeOf(&series[len(series)-1]))
}
