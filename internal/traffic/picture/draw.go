package picture

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/chart"
	"rtrail/internal/packet/rt"
	"rtrail/internal/traffic"
	"rtrail/internal/unit"
)

const (
	// maxCharts bounds the services that have charts, maxBeside those beside charts of a host.
	maxCharts, maxBeside = 8, 4
	// maxCells bounds the cells of all heatmaps of a page, less the points of its lines:
	// written down, a cell takes about 12 bytes. minCells are there in any case.
	maxCells, minCells = 50_000, 8_000
)

// room is how many cells heatmaps may have in a set, and of how many services there may be
// charts.
func (p *Picture) room(set *chart.Set) (cells, services int) {
	points := 0
	for _, c := range set.Charts {
		for _, l := range c.Lines {
			points += len(l.Values)
		}
	}
	services = maxCharts
	if len(set.Charts) > 0 {
		services = maxBeside
	}
	return max(maxCells-2*points, minCells), services
}

// fit makes heatmaps coarser until those of some services have no more cells than there is room
// for.
func (p *Picture) fit(list []Service, room int) {
	for len(p.heat.at) > 1 {
		cells := 0
		for _, s := range list {
			for _, column := range p.services[s].heat {
				cells += len(column)
			}
		}
		if cells <= room {
			return
		}
		p.heat.coarsen()
		p.moveHeat()
	}
}

// told says what points and columns stand for.
func (p *Picture) told() (words string) {
	if p.points.step > int64(time.Second) {
		words = fmt.Sprintf("In the charts of packets a point is %s; its percentiles are those of its worst second.", unit.Duration(p.points.step))
	}
	if column := p.heat.usual(); len(p.heat.at) > 0 && column > p.points.step {
		if words != "" {
			words += " "
		}
		words += fmt.Sprintf("A column of a heatmap is %s.", unit.Duration(column))
	}
	return words
}

// drawing is a set of charts of one time.
type drawing struct {
	*Picture
	set  *chart.Set
	from int64   // of the set, in milliseconds
	at   []int64 // the points of rates
}

// axis chooses the points of rates. Where there are no other charts it leaves long times without
// packets out of the time axis.
func (d *drawing) axis(slots []int64) {
	step := d.points.step
	var gaps []chart.Cut
	shown := slots[len(slots)-1] + step - slots[0]
	zero := func(at int64) {
		if d.seen(at) {
			d.at = append(d.at, at)
		}
	}
	for i, at := range slots {
		if i > 0 {
			// A line goes down to 0 where packets end, and stays there.
			last := slots[i-1]
			if at-last > step {
				zero(last + step)
			}
			if at-last > 2*step {
				zero(at - step)
			}
			if gap := at - last - 3*step; gap >= leastGap {
				gaps = append(gaps, chart.NewCut(time.Unix(0, last+2*step), time.Unix(0, at-step)))
				shown -= gap
			}
		}
		d.at = append(d.at, at)
	}
	for _, g := range gaps {
		if g.To-g.From > time.Duration(shown).Seconds()/10 && len(d.set.Charts) == 0 {
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

// name tells services apart.
func (s Service) name(c *curve) string {
	proto := traffic.Proto(s.Proto, &rt.Stats{Sums: rt.Sums{Inferred: c.inferred}})
	if s.Server == "" {
		return fmt.Sprintf("%s on port %d", proto, s.Port)
	}
	return proto + " on " + net.JoinHostPort(s.Server, strconv.Itoa(int(s.Port)))
}

// service adds the charts of a service.
func (d *drawing) service(s Service, c *curve) Drawn {
	name := s.name(c)
	rates := chart.Chart{Name: name + ": requests", Unit: "per second"}
	lines := []line{{"requests", func(o *point) float64 { return float64(o.count) }}, {"failed", func(o *point) float64 { return float64(o.failed) }},
		{"segments sent again", func(o *point) float64 { return float64(o.resent) }}}
	var at []int64
	values := make([][]float64, len(lines))
	seen := make([]bool, len(lines))
	for _, t := range d.at {
		covered, enough := d.Cover.Of(t, time.Duration(d.points.step))
		if !enough {
			continue
		}
		o := c.points[t]
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
	return Drawn{s, d.add(rates), d.add(d.responses(name, c))}
}

// responses is how long the answers of a service took.
func (d *drawing) responses(name string, curve *curve) chart.Chart {
	var at []int64
	for _, t := range slices.Sorted(maps.Keys(curve.points)) {
		if curve.points[t].count > 0 {
			at = append(at, t)
		}
	}
	c := chart.Chart{Name: name + ": response times", Unit: "seconds"}
	times := d.times(at)
	for _, l := range []line{{"p50", func(o *point) float64 { return o.p50.Seconds() }}, {"p99", func(o *point) float64 { return o.p99.Seconds() }},
		{"slowest", func(o *point) float64 { return o.most.Seconds() }}} {
		x := chart.Line{Name: l.name, Times: times}
		for _, t := range at {
			x.Values = append(x.Values, l.of(curve.points[t]))
		}
		c.Lines = append(c.Lines, x)
	}
	c.Heat = d.heatmap(curve)
	return c
}

// heatmap is how many answers took how long; nil: that is not known of several times.
func (d *drawing) heatmap(curve *curve) *chart.Heat {
	at := slices.Sorted(maps.Keys(curve.heat))
	rows := map[time.Duration]int{}
	for _, column := range curve.heat {
		for from := range column {
			rows[from] = 0
		}
	}
	if len(rows) == 0 {
		return nil
	}
	h := &chart.Heat{Times: d.times(at), Step: max(d.heat.usual()/int64(time.Millisecond), 1), Cells: [][3]int64{}}
	for i, from := range slices.Sorted(maps.Keys(rows)) {
		rows[from] = i
		h.Rows = append(h.Rows, [2]float64{from.Seconds(), d.edges[from].Seconds()})
	}
	for i, t := range at {
		for from, n := range curve.heat[t] {
			h.Cells = append(h.Cells, [3]int64{int64(i), int64(rows[from]), n})
		}
	}
	slices.SortFunc(h.Cells, func(a, b [3]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return h
}

func (d *drawing) times(at []int64) int {
	list := make([]int64, len(at))
	for i, t := range at {
		list[i] = t/int64(time.Millisecond) - d.from
	}
	d.set.Times = append(d.set.Times, list)
	return len(d.set.Times) - 1
}

// add adds a chart of the traffic, and gives its number; -1: it has no line.
func (d *drawing) add(c chart.Chart) int {
	if len(c.Lines) == 0 {
		return -1
	}
	d.set.Traffic = append(d.set.Traffic, len(d.set.Charts))
	d.set.Charts = append(d.set.Charts, c)
	return len(d.set.Charts) - 1
}
