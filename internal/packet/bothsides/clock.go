package bothsides

import (
	"errors"
	"math"
	"slices"
	"time"

	"rtrail/internal/packet/flow"
)

const (
	// maxDrift is how much faster one clock may run: Linux corrects a clock by at
	// most 500 millionths (MAXFREQ in linux/timex.h), and crystals are within 100.
	maxDrift = 500e-6
	// plain is how much of the widest corridor between the ways there and back a
	// clock without drift must leave to be believed: a tenth is within what a few
	// packets more would change.
	plain = 0.9
	// outliers is of how many packets one may contradict all others: it was sent
	// twice, and each capture missed another copy.
	outliers = 100
	// maxOutliers bounds the time that is spent on finding them.
	maxOutliers = 64
	// resolution is how exact times are taken to be, in nanoseconds: most captures
	// cut them to microseconds.
	resolution = 1000
)

// Clock is how the clocks of the two captures differ.
//
// A packet to the server says that the server's clock is ahead by at most the
// difference of its two times, since its way took no less than no time; a
// packet to the client says that it is ahead by at least that. All packets
// together leave a corridor; the estimate is its middle.
type Clock struct {
	Offset      time.Duration // server's clock minus client's, in the middle of the time both captures cover
	Drift       float64       // the server's clock runs so much faster: 50e-6 is 50 millionths
	Uncertainty time.Duration // the offset is wrong by at most this, at any time both captures cover
	RoundTrip   time.Duration // the shortest way there plus the shortest way back
	Packets     int           // that were compared, in both directions
	Ignored     int           // that contradicted all others

	middle int64 // on the client's clock
	from   int64 // the time both captures cover, on the client's clock
	to     int64
}

// Covers is the time that both captures cover, on the client's clock.
func (c *Clock) Covers() (from, to time.Time) { return time.Unix(0, c.from), time.Unix(0, c.to) }

// at is the offset at a moment of the client's clock.
func (c *Clock) at(t int64) float64 {
	return float64(c.Offset) + c.Drift*float64(t-c.middle)
}

// ToClient is a moment of the server's clock on the client's.
func (c *Clock) ToClient(t int64) int64 {
	guess := t - int64(c.Offset)
	return c.middle + int64(math.Round(float64(guess-c.middle)/(1+c.Drift)))
}

// point is a packet seen twice: when, on the client's clock, and the difference
// of its times, both less the first ones.
type point struct{ t, d float64 }

var errNoClock = errors.New("comparing captures of both sides: they have connections in common, but no packets by which their clocks could be compared in both directions: capture requests and answers, from the handshake on")

// clock compares the clocks.
func (m *matching) clock(s [2]*survey) (Clock, error) {
	var ways [2][]point // by flow.Dir
	zero := s[0].report.First
	base := s[1].report.First - zero
	add := func(d flow.Dir, a, b int64) {
		if a != 0 && b != 0 {
			ways[d] = append(ways[d], point{float64(a - zero), float64(b - a - base)})
		}
	}
	for _, p := range m.pairs {
		k, l := &s[0].connections[p.at[0]], &s[1].connections[p.at[1]]
		if k.exact[0] && l.exact[0] {
			add(flow.ToServer, k.syn, l.syn)
		}
		if k.exact[1] && l.exact[1] {
			add(flow.ToClient, k.synack, l.synack)
		}
	}
	for _, t := range m.matched {
		x, y := &s[0].samples[t.at[0]], &s[1].samples[t.at[1]]
		add(s[0].dir(x), x.at, y.at)
	}
	if len(ways[0]) == 0 || len(ways[1]) == 0 {
		return Clock{}, errNoClock
	}
	c, ok := fit(ways)
	if !ok {
		if _, other := fit([2][]point{ways[1], ways[0]}); other {
			return Clock{}, errSwapped
		}
		return Clock{}, errors.New("comparing captures of both sides: the times of their packets contradict each other: a clock was set while they were taken, or they were merged from several hosts")
	}
	c.from = max(s[0].report.First, 0)
	c.to = s[0].report.Last
	return c.settle(zero, base, s), nil
}

// settle moves a fit to the middle of the time both captures cover.
func (c Clock) settle(zero, base int64, s [2]*survey) Clock {
	c.Offset += time.Duration(base) // at zero
	c.middle = zero
	c.from = max(s[0].report.First, c.ToClient(s[1].report.First))
	c.to = min(s[0].report.Last, c.ToClient(s[1].report.Last))
	middle := c.from/2 + c.to/2
	c.Offset = time.Duration(math.Round(c.at(middle)))
	c.middle = middle
	return c
}

// corridor is what packets leave for the offset: lines below the ones there and
// above the ones back.
type corridor struct{ there, back []point }

// limits are the highest and the lowest line of a slope, at time 0.
func (w *corridor) limits(r float64) (upper, lower float64) {
	upper, lower = math.Inf(1), math.Inf(-1)
	for _, p := range w.there {
		upper = min(upper, p.d-r*p.t)
	}
	for _, p := range w.back {
		lower = max(lower, p.d-r*p.t)
	}
	return upper + resolution, lower - resolution
}

func (w *corridor) width(r float64) float64 {
	upper, lower := w.limits(r)
	return upper - lower
}

// fit finds the middle line of the widest corridor.
func fit(ways [2][]point) (Clock, bool) {
	for i := range ways {
		ways[i] = slices.Clone(ways[i])
		slices.SortFunc(ways[i], func(a, b point) int {
			switch {
			case a.t < b.t:
				return -1
			case a.t > b.t:
				return 1
			}
			return 0
		})
	}
	total := len(ways[0]) + len(ways[1])
	c := Clock{Packets: total}
	for {
		w := corridor{hull(ways[flow.ToServer], 1), hull(ways[flow.ToClient], -1)}
		r := peak(-maxDrift, maxDrift, w.width)
		if w.width(r) >= 0 {
			return w.estimate(r, c), true
		}
		if c.Ignored >= min(total/outliers, maxOutliers) {
			return c, false
		}
		c.Ignored++
		ways = w.without(ways, r)
	}
}

// without leaves out the packet that is in the way most: of the two that touch
// in the narrowest place, the one whose absence helps more.
func (w *corridor) without(ways [2][]point, r float64) [2][]point {
	upper, lower := w.limits(r)
	bound := [2]float64{upper - resolution, lower + resolution}
	var without [2][]point
	var gain [2]float64
	for d := range ways {
		i := nearest(ways[d], r, bound[d])
		without[d] = slices.Delete(slices.Clone(ways[d]), i, i+1)
		next := corridor{w.there, w.back}
		if d == 0 {
			next.there = hull(without[d], 1)
		} else {
			next.back = hull(without[d], -1)
		}
		gain[d] = next.width(peak(-maxDrift, maxDrift, next.width))
	}
	if len(without[0]) == 0 || gain[1] > gain[0] && len(without[1]) > 0 {
		return [2][]point{ways[0], without[1]}
	}
	return [2][]point{without[0], ways[1]}
}

// nearest is the point that lies on a line.
func nearest(points []point, r, at float64) int {
	best := 0
	for i, p := range points {
		if math.Abs(p.d-r*p.t-at) < math.Abs(points[best].d-r*points[best].t-at) {
			best = i
		}
	}
	return best
}

// estimate is the clock of the corridor's middle line, at time 0, and how far
// any other line of the corridor is from it.
func (w *corridor) estimate(r float64, c Clock) Clock {
	if none := w.width(0); none >= plain*w.width(r) {
		r = 0
	}
	upper, lower := w.limits(r)
	c.Offset, c.Drift = time.Duration(math.Round((upper+lower)/2)), r
	c.RoundTrip = time.Duration(max(0, math.Round(upper-lower-2*resolution)))
	// The slopes of lines that fit lie round r, for the width is concave.
	least := edge(r, -maxDrift, w.width)
	most := edge(r, maxDrift, w.width)
	first := min(w.there[0].t, w.back[0].t)
	last := max(w.there[len(w.there)-1].t, w.back[len(w.back)-1].t)
	for _, t := range []float64{first, (first + last) / 2, last} {
		above := func(s float64) float64 { u, _ := w.limits(s); return u + s*t }
		below := func(s float64) float64 { _, l := w.limits(s); return -(l + s*t) }
		line := (upper+lower)/2 + r*t
		off := max(above(peak(least, most, above))-line, below(peak(least, most, below))+line)
		c.Uncertainty = max(c.Uncertainty, time.Duration(math.Ceil(off)))
	}
	return c
}

// peak is where a concave function is highest; the middle of its flat top.
func peak(from, to float64, f func(float64) float64) float64 {
	for range 100 {
		third := (to - from) / 3
		a, b := from+third, to-third
		switch x, y := f(a), f(b); {
		case x < y:
			from = a
		case x > y:
			to = b
		default:
			from, to = a, b
		}
	}
	return (from + to) / 2
}

// edge is how far from inside, towards a limit, a concave function stays at or
// above zero.
func edge(inside, limit float64, f func(float64) float64) float64 {
	if f(limit) >= 0 {
		return limit
	}
	for range 100 {
		middle := (inside + limit) / 2
		if f(middle) >= 0 {
			inside = middle
		} else {
			limit = middle
		}
	}
	return inside
}

// hull is the lower (sign 1) or upper (sign -1) convex hull of points by time.
func hull(points []point, sign float64) []point {
	var h []point
	for _, p := range points {
		if n := len(h); n > 0 && h[n-1].t == p.t {
			if sign*(p.d-h[n-1].d) >= 0 {
				continue
			}
			h = h[:n-1]
		}
		for len(h) >= 2 {
			a, b := h[len(h)-2], h[len(h)-1]
			if sign*((b.d-a.d)*(p.t-a.t)-(p.d-a.d)*(b.t-a.t)) < 0 {
				break
			}
			h = h[:len(h)-1]
		}
		h = append(h, p)
	}
	return h
}
