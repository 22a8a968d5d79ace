// Package picture draws packets over time: for each service what was asked and
// answered, and how long answers took. They come from the engine, second by second, or
// from the tables of a recording.
package picture

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"rtrail/internal/chart"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
)

const (
	// maxServices bounds the services whose curves are kept.
	maxServices = 200
	// maxIntervals bounds the intervals of a recording that are known: 120 days of them.
	maxIntervals = 1 << 20
	// perOctave is how many rows of a heatmap a power of two of response times has.
	perOctave = 2
)

// Picture gathers what is drawn.
type Picture struct {
	Every time.Duration // time per point, at least a second
	Cover *traffic.Cover

	points, heat grid
	edges        map[time.Duration]time.Duration // rows of heatmaps: lower and upper edges
	services     map[Service]*curve
	intervals    []int64 // when those of a recording began, in nanoseconds since 1970; nil: all the time was seen
	lasting      int64   // how long one takes
}

// Service is where requests go to.
type Service struct {
	Server string // address; "" where services of one port are not told apart by it
	Port   uint16
	Proto  string
}

func serviceOf(k summary.Service) Service {
	s := Service{Port: k.Server.Port, Proto: k.Proto}
	if k.Server.Addr != (flow.Addr{}) {
		s.Server = k.Server.Addr.String()
	}
	return s
}

// curve is what is known of a service.
type curve struct {
	points   map[int64]*point
	heat     map[int64]answers
	count    int64
	inferred int64 // requests whose boundaries were
	waited   time.Duration
}

// point is some time of one service. The percentiles of a point that stands for
// several seconds are those of its worst second.
type point struct {
	count, failed, resent int64
	p50, p99, most        time.Duration
}

func (p *point) add(o *point) {
	p.count += o.count
	p.failed += o.failed
	p.resent += o.resent
	p.p50, p.p99, p.most = max(p.p50, o.p50), max(p.p99, o.p99), max(p.most, o.most)
}

// answers counts them by response time: the lower edge of the row.
type answers map[time.Duration]int64

func (a answers) add(o answers) {
	for from, n := range o {
		a[from] += n
	}
}

func (p *Picture) begin(columns int64) {
	if p.services != nil {
		return
	}
	p.points, p.heat = newGrid(int64(max(p.Every, time.Second))), newGrid(columns)
	p.edges, p.services = map[time.Duration]time.Duration{}, map[Service]*curve{}
}

// of is the curve of a service; nil: there are too many.
func (p *Picture) of(s Service) *curve {
	c := p.services[s]
	if c == nil && len(p.services) < maxServices && s.Port != 0 { // what is told apart no further has no port
		c = &curve{points: map[int64]*point{}, heat: map[int64]answers{}}
		p.services[s] = c
	}
	return c
}

// point adds some time of a service.
func (p *Picture) point(c *curve, at int64, o *point) {
	if p.points.take(at) {
		for _, c := range p.services {
			c.points = moved(c.points, &p.points, (*point).add)
		}
	}
	put(c.points, p.points.place(at), o, (*point).add)
}

// answers adds how many answers took how long at a time.
func (p *Picture) answers(c *curve, at int64, times *rt.Histogram) {
	if p.heat.take(at) {
		p.moveHeat()
	}
	column := answers{}
	for _, b := range times.Buckets(perOctave) {
		column[b.From] += int64(min(b.Count, math.MaxInt64))
		p.edges[b.From] = b.To
	}
	put(c.heat, p.heat.place(at), column, answers.add)
}

func (p *Picture) moveHeat() {
	for _, c := range p.services {
		c.heat = moved(c.heat, &p.heat, answers.add)
	}
}

// Second takes the next second of a service, as the engine tells it.
func (p *Picture) Second(x *summary.Second) {
	p.begin(int64(max(p.Every, time.Second)))
	c := p.of(serviceOf(x.Service))
	if c == nil {
		return
	}
	c.count += x.Count
	c.inferred += x.Inferred
	c.waited += x.RTSum
	p.point(c, x.At, &point{x.Count, x.Failed, x.Retransmissions, x.Quantile(0.5), x.Quantile(0.99), x.RTMax})
	p.answers(c, x.At, &x.RT)
}

// Span is the time of what was gathered; zero times: there is nothing.
func (p *Picture) Span() (from, to time.Time) {
	slots := p.points.sorted()
	if len(slots) == 0 {
		return from, to
	}
	return time.Unix(0, slots[0]), time.Unix(0, slots[len(slots)-1]+p.points.step)
}

// ranked are the services that were asked, those that time was spent on most first.
func (p *Picture) ranked() []Service {
	list := slices.DeleteFunc(slices.Collect(maps.Keys(p.services)), func(s Service) bool { return p.services[s].count == 0 })
	slices.SortFunc(list, func(a, b Service) int {
		return cmp.Or(cmp.Compare(p.services[b].waited, p.services[a].waited), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Proto, b.Proto), cmp.Compare(a.Server, b.Server))
	})
	return list
}

// Drawn are the charts of a service in a set, by their numbers; -1: it has none.
type Drawn struct {
	Service
	Rates, Times int
}

// Draw adds charts to a set, of the services that time was spent on most; of none if nothing
// was gathered. told says what a point or a column stands for where that is more than a
// second.
func (p *Picture) Draw(set *chart.Set) (drawn []Drawn, told string) {
	list := p.ranked()
	slots := p.points.sorted()
	if len(list) == 0 || len(slots) == 0 {
		return nil, ""
	}
	room, places := p.room(set)
	list = list[:min(len(list), places)]
	p.fit(list, room)
	set.Title = "The traffic over time"
	p.settle()
	d := drawing{Picture: p, set: set, from: int64(math.Round(set.From * 1000))}
	d.axis(slots)
	for _, s := range list {
		drawn = append(drawn, d.service(s, p.services[s]))
	}
	return drawn, p.told()
}
