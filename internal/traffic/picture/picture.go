// Package picture draws a capture over time: for each service what was asked and
// answered, and how long answers took.
package picture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"rtrail/internal/chart"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
	"rtrail/internal/unit"
)

const (
	// maxPoints bounds a curve: a chart is some hundred pixels wide. When a capture has more
	// seconds with packets, points stand for longer times.
	maxPoints = 600
	// maxCharts bounds the services that have charts.
	maxCharts = 8
	// maxServices bounds the services whose curves are kept.
	maxServices = 200
	// perOctave is how many rows of a heatmap a power of two of response times has.
	perOctave = 2
)

// Picture gathers what is drawn.
type Picture struct {
	Every time.Duration // time per point, at least a second
	Cover *traffic.Cover

	step   int64 // nanoseconds per point
	slots  map[int64]bool
	edges  map[time.Duration]time.Duration // rows of heatmaps: lower and upper edges
	curves map[summary.Service]map[int64]*point
}

// point is some time of one service. The percentiles of a point that stands for
// several seconds are those of its worst second.
type point struct {
	count, failed, resent int64
	p50, p99, most        time.Duration
	times                 map[time.Duration]int64 // answers by response time: the lower edge of the row
}

func (p *point) add(o *point) {
	p.count += o.count
	p.failed += o.failed
	p.resent += o.resent
	p.p50, p.p99, p.most = max(p.p50, o.p50), max(p.p99, o.p99), max(p.most, o.most)
	for from, n := range o.times {
		p.times[from] += n
	}
}

// Second takes the next one.
func (p *Picture) Second(x *summary.Second) {
	if p.curves == nil {
		p.step = int64(max(p.Every, time.Second))
		p.slots, p.edges, p.curves = map[int64]bool{}, map[time.Duration]time.Duration{}, map[summary.Service]map[int64]*point{}
	}
	at := x.At - x.At%p.step
	p.slots[at] = true
	for len(p.slots) > maxPoints {
		p.coarsen()
		at = x.At - x.At%p.step
	}
	curve := p.curves[x.Service]
	if curve == nil {
		if len(p.curves) >= maxServices {
			return
		}
		curve = map[int64]*point{}
		p.curves[x.Service] = curve
	}
	o := &point{x.Count, x.Failed, x.Retransmissions, x.Quantile(0.5), x.Quantile(0.99), x.RTMax, map[time.Duration]int64{}}
	for _, b := range x.RT.Buckets(perOctave) {
		o.times[b.From] += int64(b.Count)
		p.edges[b.From] = b.To
	}
	put(curve, at, o)
}

func put(curve map[int64]*point, at int64, o *point) {
	if have := curve[at]; have != nil {
		have.add(o)
	} else {
		curve[at] = o
	}
}

// coarsen doubles the time per point.
func (p *Picture) coarsen() {
	p.step *= 2
	slots := map[int64]bool{}
	for at := range p.slots {
		slots[at-at%p.step] = true
	}
	p.slots = slots
	for k, curve := range p.curves {
		merged := map[int64]*point{}
		for at, o := range curve {
			put(merged, at-at%p.step, o)
		}
		p.curves[k] = merged
	}
}

// Set is the charts of the services that time was spent on most; nil: there is nothing to
// draw. told says what a point stands for where that is more than a second.
func (p *Picture) Set(s *summary.Summary) (set *chart.Set, told string) {
	slots := slices.Sorted(maps.Keys(p.slots))
	if len(slots) == 0 {
		return nil, ""
	}
	from, to := slots[0], slots[len(slots)-1]+p.step
	set = chart.NewSet(time.Unix(0, from), time.Unix(0, to))
	set.Title = "The traffic over time"
	d := drawing{Picture: p, set: set, from: from}
	d.axis(slots)
	for _, k := range traffic.Ranked(s.Services, func(a, b summary.Service) int {
		return cmp.Or(cmp.Compare(a.Server.Port, b.Server.Port), cmp.Compare(a.Proto, b.Proto))
	}) {
		if t := s.Services[k]; t.Count > 0 && len(set.Host) < 2*maxCharts && p.curves[k] != nil {
			d.service(fmt.Sprintf("%s on port %d", traffic.Proto(k.Proto, &t.Stats), k.Server.Port), p.curves[k])
		}
	}
	if p.step > int64(time.Second) {
		told = fmt.Sprintf("In the charts a point is %s; its percentiles are those of its worst second.", unit.Duration(p.step))
	}
	return set, told
}

// drawing is a set of charts of one time.
type drawing struct {
	*Picture
	set  *chart.Set
	from int64
	at   []int64 // the points of rates
}

// axis chooses the points of rates, and leaves long times without packets out of the
// time axis.
func (d *drawing) axis(slots []int64) {
	var gaps []chart.Cut
	shown := slots[len(slots)-1] + d.step - slots[0]
	for i, at := range slots {
		if i > 0 {
			// A line goes down to 0 where packets end, and stays there.
			last := slots[i-1]
			if at-last > d.step {
				d.at = append(d.at, last+d.step)
			}
			if at-last > 2*d.step {
				d.at = append(d.at, at-d.step)
			}
			if gap := at - last - 3*d.step; gap >= leastGap {
				gaps = append(gaps, chart.NewCut(time.Unix(0, last+2*d.step), time.Unix(0, at-d.step)))
				shown -= gap
			}
		}
		d.at = append(d.at, at)
	}
	for _, g := range gaps {
		if g.To-g.From > time.Duration(shown).Seconds()/10 {
			d.set.Cuts = append(d.set.Cuts, g)
		}
	}
}

// leastGap is the shortest time without packets that may be left out. One of less than a
// tenth of the other times is shown as what it is, a pause.
const leastGap = int64(time.Minute)

// line is what a chart shows of the points of a service.
type line struct {
	name string
	of   func(*point) float64
}

// service adds the charts of a service.
func (d *drawing) service(name string, curve map[int64]*point) {
	rates := chart.Chart{Name: name + ": requests", Unit: "per second"}
	lines := []line{{"requests", func(o *point) float64 { return float64(o.count) }}, {"failed", func(o *point) float64 { return float64(o.failed) }},
		{"segments sent again", func(o *point) float64 { return float64(o.resent) }}}
	var at []int64
	values := make([][]float64, len(lines))
	seen := make([]bool, len(lines))
	for _, t := range d.at {
		covered, enough := d.Cover.Of(t, time.Duration(d.step))
		if !enough {
			continue
		}
		o := curve[t]
		if o == nil {
			o = &point{}
		}
		at = append(at, t)
		for i, l := range lines {
			n := l.of(o)
			seen[i] = seen[i] || n > 0
			values[i] = append(values[i], n/covered.Seconds())
		}
	}
	times := d.times(at)
	for i, l := range lines {
		if seen[i] {
			rates.Lines = append(rates.Lines, chart.Line{Name: l.name, Times: times, Values: values[i]})
		}
	}
	d.add(rates)
	d.add(d.responses(name, curve))
}

// responses is how long the answers of a service took.
func (d *drawing) responses(name string, curve map[int64]*point) chart.Chart {
	var at []int64
	rows := map[time.Duration]bool{}
	for _, t := range slices.Sorted(maps.Keys(curve)) {
		if o := curve[t]; o.count > 0 {
			at = append(at, t)
			for from := range o.times {
				rows[from] = true
			}
		}
	}
	times := d.times(at)
	c := chart.Chart{Name: name + ": response times", Unit: "seconds"}
	for _, l := range []line{{"p50", func(o *point) float64 { return o.p50.Seconds() }}, {"p99", func(o *point) float64 { return o.p99.Seconds() }},
		{"slowest", func(o *point) float64 { return o.most.Seconds() }}} {
		x := chart.Line{Name: l.name, Times: times}
		for _, t := range at {
			x.Values = append(x.Values, l.of(curve[t]))
		}
		c.Lines = append(c.Lines, x)
	}
	h := &chart.Heat{Times: times, Step: d.step / int64(time.Millisecond)}
	edges := slices.Sorted(maps.Keys(rows))
	row := map[time.Duration]int{}
	for i, from := range edges {
		row[from] = i
		h.Rows = append(h.Rows, [2]float64{from.Seconds(), d.edges[from].Seconds()})
	}
	for i, t := range at {
		for from, n := range curve[t].times {
			h.Cells = append(h.Cells, [3]int64{int64(i), int64(row[from]), n})
		}
	}
	slices.SortFunc(h.Cells, func(a, b [3]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	c.Heat = h
	return c
}

func (d *drawing) times(at []int64) int {
	list := make([]int64, len(at))
	for i, t := range at {
		list[i] = (t - d.from) / int64(time.Millisecond)
	}
	d.set.Times = append(d.set.Times, list)
	return len(d.set.Times) - 1
}

func (d *drawing) add(c chart.Chart) {
	if len(c.Lines) > 0 {
		d.set.Host = append(d.set.Host, len(d.set.Charts))
		d.set.Charts = append(d.set.Charts, c)
	}
}
