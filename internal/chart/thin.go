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
	// maxDrawn bounds the points of all lines: written down, one takes about 20 bytes.
	maxDrawn = 40_000
	// fewest slots are left, however many lines there are.
	fewest = 50
)

// thin leaves of many points, more than two a slot, the lowest and the highest of each slot, so
// that no peak is lost. Thinning again changes nothing.
func thin(points []metric.Point, from time.Time, span time.Duration, slots int) []metric.Point {
	width := span / time.Duration(slots)
	if len(points) <= 2*slots || width <= 0 {
		return points
	}
	out := make([]metric.Point, 0, 2*slots)
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

// short is which part of the usual step a last one has at least.
const short = 10

// settle leaves out a last point that came right after the one before it, as of a sample that was
// taken because the recording ends: a rate of some milliseconds is noise, and looks like a peak.
func (c *curve) settle() {
	n := len(c.points)
	if n < 3 || c.points[n-1].At.Sub(c.points[n-2].At) >= step(c.points)/short {
		return
	}
	c.points = c.points[:n-1]
	c.read--
	c.most = 0
	for _, p := range c.points {
		c.most = max(c.most, p.Value)
	}
}

// Share says that a page has so many sets: all their lines together are no more than maxDrawn points.
func (d *Draft) Share(sets int) { d.shares = sets }

// slots is how many a chart may have, so that all lines together are no more than maxDrawn points.
func (d *Draft) slots() int {
	var lengths []int
	for _, p := range d.pictures {
		for _, m := range p.metrics {
			list, _ := d.chosen(m, p.subject)
			for _, c := range list {
				lengths = append(lengths, len(c.points))
			}
		}
	}
	drawn := func(n int) (sum int) {
		for _, l := range lengths {
			sum += min(l, 2*n)
		}
		return sum
	}
	n := slots
	for n > fewest && drawn(n) > maxDrawn/max(d.shares, 1) {
		n = max(n*9/10, fewest)
	}
	return n
}
