package chart

import (
	"slices"
	"time"

	"rtrail/internal/metric"
)

const (
	// slots is into how many parts the time of a chart is divided: a picture is some
	// hundred pixels wide.
	slots = 600
	// maxPoints of a line are all drawn; of more, the lowest and the highest of each slot.
	maxPoints = 2 * slots
)

// thin leaves of many points the lowest and the highest of each slot, so that no peak is
// lost. Thinning again changes nothing.
func thin(points []metric.Point, from time.Time, width time.Duration) []metric.Point {
	if len(points) <= maxPoints || width <= 0 {
		return points
	}
	out := make([]metric.Point, 0, maxPoints)
	for len(points) > 0 {
		n, slot := 1, points[0].At.Sub(from)/width
		for n < len(points) && points[n].At.Sub(from)/width == slot {
			n++
		}
		low, high := 0, 0
		for i, p := range points[:n] {
			if p.Value < points[low].Value {
				low = i
			}
			if p.Value > points[high].Value {
				high = i
			}
		}
		out = append(out, points[min(low, high)])
		if low != high {
			out = append(out, points[max(low, high)])
		}
		points = points[n:]
	}
	return slices.Clip(out)
}
