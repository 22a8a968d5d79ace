package chart

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/document"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

const (
	// maxLines of a metric are drawn in one chart, those of the subject and the highest.
	maxLines = 5
	// maxKept bounds the lines of a metric of which points are kept.
	maxKept = 1000
	// maxCharts bounds the charts of findings.
	maxCharts = 60
)

// Draft is a set of charts before its points are read.
type Draft struct {
	from, to time.Time
	bands    []Band
	pictures []picture
	faults   []fault
	host     int // the first pictures are those of the host
	curves   map[*metric.Metric]map[string]*curve
	parts    int // slots of all charts; set when they are made
	shares   int // of sets that share a page; 0: it has one
}

// picture is a chart to be made.
type picture struct {
	name    string // "": that of the one metric
	metrics []*metric.Metric
	subject view.Entity // whose lines are meant, if the metric has such; its zero value: all
}

// curve is the points of a metric of one thing so far.
type curve struct {
	labels []string
	points []metric.Point
	read   int
	own    bool // of the network namespace of the host
	most   float64
}

// NewDraft begins a set of charts of the time between two moments, with those of the
// host.
func NewDraft(from, to time.Time) *Draft {
	d := &Draft{from: from, to: to, curves: map[*metric.Metric]map[string]*curve{}}
	for _, p := range host {
		d.add(p)
	}
	d.host = len(d.pictures)
	return d
}

// Band marks a time, and gives its number.
func (d *Draft) Band(from, to time.Time, words string, style document.Style, finding int) int {
	d.bands = append(d.bands, Band{seconds(from), seconds(to), words, style, finding})
	return len(d.bands) - 1
}

// fault is a finding with the pictures of its evidence.
type fault struct {
	number  int
	finding verdict.Finding
	judged  recording.Window
	band    int // -1: to be found
	cites   []cited
	left    int // pieces of evidence for whose charts there was no room
}

// cited is a picture with what evidence says of it.
type cited struct {
	picture int
	value   float64  // in the unit of the chart
	limit   *float64 // the same
	grows   bool     // what is drawn is the growth per second of what the evidence counts
}

// Finding adds the charts of the evidence of a finding that was made of the time of a band; -1: of
// all of the time.
func (d *Draft) Finding(number int, f verdict.Finding, band int) {
	judged := recording.Window{From: d.from, To: d.to}
	if band >= 0 {
		b := d.bands[band]
		judged = recording.Window{From: moment(b.From), To: moment(b.To)}
	}
	d.Judged(number, f, band, judged)
}

// Judged adds the charts of the evidence of a finding that was made of a time; band is the time in
// which it was there, or -1: the part of that time in which its evidence was beyond its limit is
// marked.
func (d *Draft) Judged(number int, f verdict.Finding, band int, judged recording.Window) {
	x := fault{number: number, finding: f, judged: judged, band: band}
	for _, e := range f.Evidence {
		m := e.Metric.Drawn()
		if m == nil {
			continue
		}
		i := d.add(picture{metrics: []*metric.Metric{m}, subject: f.Subject})
		if i < 0 {
			x.left++
			continue
		}
		c := cited{picture: i, value: view.Unknown}
		if m == e.Metric {
			c.value, c.limit, c.grows = inUnit(e, judged)
		}
		if at := slices.IndexFunc(x.cites, func(have cited) bool { return have.picture == i }); at < 0 {
			x.cites = append(x.cites, c)
		} else if x.cites[at].limit == nil && c.limit != nil || !view.Known(x.cites[at].value) {
			x.cites[at] = c
		}
	}
	d.faults = append(d.faults, x)
}

// inUnit is the value and the limit of evidence in the unit of its chart: what counts in the time
// that was judged is drawn per second.
func inUnit(e rule.Evidence, judged recording.Window) (value float64, limit *float64, grows bool) {
	value, grows = e.Value, e.Metric.Series.Unit != ""
	if e.Limit != nil && view.Known(*e.Limit) {
		limit = rule.Limit(*e.Limit)
	}
	if !grows {
		return value, limit, false
	}
	seconds := judged.To.Sub(judged.From).Seconds()
	if seconds <= 0 {
		return view.Unknown, nil, true
	}
	if limit != nil {
		limit = rule.Limit(*limit / seconds)
	}
	return value / seconds, limit, true
}

// add adds a picture, if it is not there, and gives its number, or -1 if there are too
// many.
func (d *Draft) add(p picture) int {
	for i, have := range d.pictures {
		if slices.Equal(have.metrics, p.metrics) && (len(p.metrics[0].Labels) == 0 || have.subject.Same(p.subject)) {
			return i
		}
	}
	if len(d.pictures) >= maxCharts {
		return -1
	}
	d.pictures = append(d.pictures, p)
	for _, m := range p.metrics {
		if d.curves[m] == nil {
			d.curves[m] = map[string]*curve{}
		}
	}
	return len(d.pictures) - 1
}

// Tables are those that the charts are made of.
func (d *Draft) Tables() (list []recording.Table) {
	for m := range d.curves {
		list = append(list, m.Series.Table)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Add takes the points of a view that are newer than those that it has.
func (d *Draft) Add(v *view.View) {
	for m, curves := range d.curves {
		for _, s := range m.Series.Read(v) {
			key := strings.Join(s.Labels, "\x00")
			c := curves[key]
			if c == nil {
				if len(curves) >= maxKept {
					continue
				}
				c = &curve{labels: s.Labels, own: own(v, m, s.Labels)}
				curves[key] = c
			}
			for _, p := range s.Points {
				if p.At.Before(d.from) || p.At.After(d.to) || len(c.points) > 0 && !p.At.After(c.points[len(c.points)-1].At) {
					continue
				}
				c.points = append(c.points, p)
				c.read++
				c.most = max(c.most, p.Value)
			}
			c.points = thin(c.points, d.from, d.to.Sub(d.from), slots)
		}
	}
}

// own says whether a line is of no network namespace, or of the host's.
func own(v *view.View, m *metric.Metric, labels []string) bool {
	i := slices.Index(m.Labels, "netns")
	if i < 0 {
		return true
	}
	ns, err := strconv.ParseUint(labels[i], 10, 64)
	return err == nil && v.OwnNetNS(ns)
}

const (
	// chunk is how much of a recording is read at a time, overlap how much of that twice:
	// a rate needs the reading before.
	chunk, overlap = 5 * time.Minute, time.Minute
)

// Open reads tables of a recording between two times.
type Open func(ctx context.Context, from, to time.Time, tables ...recording.Table) (*recording.Recording, error)

// Record takes the points of a recording, part by part, until that takes longer than
// patience: it gives the time up to which it did.
func (d *Draft) Record(ctx context.Context, open Open, from, to time.Time, patience time.Duration) (time.Time, error) {
	began, tables := time.Now(), d.Tables()
	for at := from; at.Before(to); at = at.Add(chunk) {
		if time.Since(began) > patience {
			return at, nil
		}
		first, last := at.Add(-overlap), at.Add(chunk)
		if last.After(to) {
			last = to
		}
		memory := budget.From(ctx).Part()
		rec, err := open(budget.With(ctx, memory), first, last, tables...)
		if err == nil {
			d.Add(view.New(rec, first, last))
		}
		memory.Release()
		if err != nil {
			return at, err
		}
	}
	return to, nil
}

// Set makes the charts. Those without a point are left out.
func (d *Draft) Set() *Set {
	for _, curves := range d.curves {
		for _, c := range curves {
			c.settle()
		}
	}
	s := NewSet(d.from, d.to)
	s.Bands = append(s.Bands, d.bands...)
	d.parts = d.slots()
	place, times := make([]int, len(d.pictures)), map[string]int{}
	for i, p := range d.pictures {
		place[i] = -1
		if c := d.chart(s, p, times); len(c.Lines) > 0 {
			place[i] = len(s.Charts)
			s.Charts = append(s.Charts, c)
			if i < d.host {
				s.Host = append(s.Host, place[i])
			}
		}
	}
	for _, x := range d.faults {
		if x.band < 0 {
			x.band = d.mark(s, x, place)
		}
		for _, c := range x.cites {
			at := place[c.picture]
			if at < 0 {
				continue
			}
			cite := Cite{Chart: at, Limit: c.limit, Band: x.band}
			if chart := &s.Charts[at]; c.limit != nil && !chart.spans(c.value) {
				cite.Limit = nil // it is one of something else: of several processes together
				s.Notes = append(s.Notes, fmt.Sprintf("finding %d: the limit of %q is not drawn, because the finding's number is not one of the lines of that chart: it is of several things together, or of a shorter time", x.number, chart.Name))
			}
			s.Findings[x.number] = append(s.Findings[x.number], cite)
		}
		if x.left > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("finding %d: %d of its charts are left out, because a page has at most %d", x.number, x.left, maxCharts))
		}
	}
	return s
}

// mark marks when a fault was there, and gives the number of the band.
func (d *Draft) mark(s *Set, x fault, place []int) int {
	style := document.Warn
	if x.finding.Confidence == rule.Certain {
		style = document.Alarm
	}
	w := d.when(s, x, place)
	s.Bands = append(s.Bands, Band{seconds(w.From), seconds(w.To), x.finding.Headline.String(), style, x.number})
	return len(s.Bands) - 1
}

func (d *Draft) chart(s *Set, p picture, times map[string]int) Chart {
	first := p.metrics[0]
	c := Chart{Name: cmp.Or(p.name, first.Name), Unit: unitOf(first), Lines: []Line{}}
	if len(p.metrics) == 1 {
		c.Metric, c.Help, c.Source = first.ID, first.Help, first.Source
	}
	for _, m := range p.metrics {
		list, left := d.chosen(m, p.subject)
		c.Left += left
		for _, x := range list {
			name := lineName(m, x)
			if len(p.metrics) > 1 {
				name = strings.TrimSpace(m.Name + " " + name)
			}
			c.Lines = append(c.Lines, d.line(s, cmp.Or(name, m.Name), x, times))
		}
	}
	return c
}

// chosen are the lines of a metric that are drawn, and how many are not: those of the
// subject if there are any, else the highest.
func (d *Draft) chosen(m *metric.Metric, subject view.Entity) (list []*curve, left int) {
	var all, about []*curve
	for _, c := range d.curves[m] {
		if len(c.points) == 0 {
			continue
		}
		all = append(all, c)
		if belongs(m, c.labels, subject) {
			about = append(about, c)
		}
	}
	if len(about) > 0 {
		all = about
	}
	slices.SortFunc(all, func(a, b *curve) int {
		return cmp.Or(cmp.Compare(b.most, a.most), slices.Compare(a.labels, b.labels))
	})
	n := min(len(all), maxLines)
	for n > 1 && all[n-1].most == 0 && all[0].most > 0 { // what was never there
		n--
	}
	return all[:n], len(all) - n
}

// belongs says whether a line is of the subject of a finding.
func belongs(m *metric.Metric, labels []string, e view.Entity) bool {
	for i, name := range m.Labels {
		switch l := labels[i]; name {
		case "pid":
			if e.PID != 0 && l == strconv.Itoa(int(e.PID)) {
				return true
			}
		case "netns":
			if e.Kind == view.KindNetNS && l == strconv.FormatUint(e.NetNS, 10) {
				return true
			}
		case "port":
			if e.Port != 0 && l == strconv.Itoa(int(e.Port)) {
				return true
			}
		case "comm":
		default:
			if l != "" && l == e.Name || name == "cgroup" && l == e.Cgroup {
				return true
			}
		}
	}
	return false
}

// lineName tells lines of a metric apart: the names of the things, without the network
// namespace where it is the host's.
func lineName(m *metric.Metric, c *curve) string {
	var words []string
	for i, name := range m.Labels {
		switch l := c.labels[i]; name {
		case "netns":
			if !c.own {
				words = append(words, "network namespace "+l)
			}
		case "comm":
			words = slices.Insert(words, 0, l)
		case "port", "to", "node":
			if l != "" {
				words = append(words, name+" "+l)
			}
		default:
			words = append(words, l)
		}
	}
	return strings.Join(words, " ")
}

func (d *Draft) line(s *Set, name string, c *curve, times map[string]int) Line {
	points := thin(c.points, d.from, d.to.Sub(d.from), d.parts)
	at, vals := make([]int64, len(points)), make(values, len(points))
	var key strings.Builder
	for i, p := range points {
		at[i], vals[i] = p.At.UnixMilli()-d.from.UnixMilli(), p.Value
		key.WriteString(strconv.FormatInt(at[i], 36) + " ")
	}
	n, known := times[key.String()]
	if !known {
		n = len(s.Times)
		times[key.String()] = n
		s.Times = append(s.Times, at)
	}
	return Line{Name: name, Times: n, Values: vals, Spared: c.read - len(points)}
}
