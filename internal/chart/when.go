package chart

import (
	"slices"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// when is the part of the time that was judged in which a fault was there: from the first point to
// the last one that is beyond the limit, of the first evidence that has a limit or counts what
// should not happen. If none tells, it was there all the time.
func (d *Draft) when(s *Set, x fault, place []int) recording.Window {
	for _, c := range x.cites {
		if place[c.picture] < 0 || !view.Known(c.value) || !s.Charts[place[c.picture]].spans(c.value) {
			continue
		}
		beyond := c.beyond()
		if beyond == nil {
			continue
		}
		p := d.pictures[c.picture]
		list, _ := d.chosen(p.metrics[0], p.subject)
		if w, ok := part(list, x.judged, beyond); ok {
			return w
		}
	}
	return x.judged
}

// beyond says which points are on the side of the limit that the evidence is on; nil: it has none.
func (c *cited) beyond() func(float64) bool {
	switch {
	case c.limit == nil && c.grows && c.value > 0:
		return func(v float64) bool { return v > 0 }
	case c.limit == nil:
		return nil
	case c.value > *c.limit:
		return func(v float64) bool { return v > *c.limit }
	case c.value < *c.limit:
		return func(v float64) bool { return v < *c.limit }
	}
	return func(v float64) bool { return v >= *c.limit }
}

// hole is how many usual steps from point to point are a time in which nothing was read: lines are
// broken there.
const hole = 6

// part is the time from the first to the last point that is meant, of any line. A point tells of the
// time since the one before; where there is none before or after it in the time that was judged, up
// to its end. Of a hole it tells one step.
func part(lines []*curve, judged recording.Window, meant func(float64) bool) (w recording.Window, ok bool) {
	for _, l := range lines {
		points := slices.Clone(l.points)
		points = slices.DeleteFunc(points, func(p metric.Point) bool { return p.At.Before(judged.From) || p.At.After(judged.To) })
		usual := step(points)
		for i, p := range points {
			if !meant(p.Value) {
				continue
			}
			from, to := judged.From, p.At
			if i > 0 {
				from = points[i-1].At
			}
			switch {
			case i == len(points)-1:
				to = judged.To
			case i == 0 && !to.After(from):
				to = points[1].At
			}
			if usual > 0 && p.At.Sub(from) > hole*usual {
				from = p.At.Add(-usual)
			}
			if usual > 0 && to.Sub(p.At) > hole*usual {
				to = p.At.Add(usual)
			}
			if !ok || from.Before(w.From) {
				w.From = from
			}
			if !ok || to.After(w.To) {
				w.To = to
			}
			ok = true
		}
	}
	return w, ok
}

// step is the usual time from one point to the next, at least a second; 0: there is one at most.
func step(points []metric.Point) time.Duration {
	var all []time.Duration
	for i := 1; i < len(points); i++ {
		all = append(all, points[i].At.Sub(points[i-1].At))
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return max(all[len(all)/2], time.Second)
}
