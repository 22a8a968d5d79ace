package picture

import (
	"context"
	"math"
	"slices"
	"time"

	"rtrail/internal/chart"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
)

var tables = []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketHistograms}

// Reading gives what open reads, and takes what it holds of packets: parts in the order of
// time, which may overlap.
func (p *Picture) Reading(open chart.Open) chart.Open {
	var taken time.Time
	return func(ctx context.Context, from, to time.Time, others ...recording.Table) (*recording.Recording, error) {
		rec, err := open(ctx, from, to, slices.Concat(others, tables)...)
		if err == nil {
			p.Rows(rec, taken, to)
			taken = to
		}
		return rec, err
	}
}

// Rows takes what a recording holds of packets after a time, up to another one; the zero time
// as the second one: to the end. Captures that are whole have no heatmap: their tables do not
// tell when an answer took how long.
func (p *Picture) Rows(rec *recording.Recording, after, until time.Time) {
	within := func(at time.Time) bool { return at.After(after) && (until.IsZero() || !at.After(until)) }
	for _, r := range recording.Rows[recording.PacketCapture](rec) {
		if !r.Interval.IsZero() && within(r.At) && len(p.intervals) < maxIntervals {
			p.intervals = append(p.intervals, r.Interval.UnixNano())
		}
	}
	curveOf := func(server string, port int32, proto string) *curve {
		if server == (flow.Addr{}).String() {
			return nil // those that are told apart no further
		}
		p.begin(0)
		return p.of(Service{server, uint16(port), proto})
	}
	for _, r := range recording.Rows[recording.PacketService](rec) {
		c := curveOf(r.Server, r.ServerPort, r.Proto)
		if c == nil || !within(r.At) {
			continue
		}
		c.count += r.Count
		c.inferred += r.Approximate
		c.waited += r.RTSum
		p.point(c, r.At.UnixNano(), &point{r.Count, r.Failed, r.Retransmissions, r.RTP50, r.RTP99, r.RTMax})
	}
	for _, r := range recording.Rows[recording.PacketHistogram](rec) {
		if r.Phase != "rt" || r.Interval.IsZero() || !within(r.At) {
			continue
		}
		if c := curveOf(r.Server, r.ServerPort, r.Proto); c != nil {
			var times rt.Histogram
			times.AddN(r.From, uint32(min(max(r.Count, 0), math.MaxUint32)))
			p.answers(c, r.Interval.UnixNano(), &times)
		}
	}
}

// settle finds out how long an interval takes, with some tolerance.
func (p *Picture) settle() {
	slices.Sort(p.intervals)
	known := grid{at: map[int64]bool{}}
	for _, at := range p.intervals[max(0, len(p.intervals)-maxPoints):] {
		known.at[at] = true
	}
	p.lasting = known.usual() * 3 / 2
}

// seen says whether packets were captured at a time.
func (p *Picture) seen(at int64) bool {
	if len(p.intervals) == 0 {
		return true
	}
	i, found := slices.BinarySearch(p.intervals, at)
	if found {
		return true
	}
	return i > 0 && at < p.intervals[i-1]+p.lasting
}
