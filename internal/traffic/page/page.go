// Package page makes one HTML file of a capture, with charts and tables, that
// needs no network to be read.
package page

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
	"rtrail/internal/unit"
)

const (
	// maxPoints bounds a curve: a chart is some thousand pixels wide. When a
	// capture is longer, points stand for longer times.
	maxPoints = 2000
	// maxCharts bounds the services that have charts of their own.
	maxCharts = 8
	// maxServices bounds the services whose curves are kept.
	maxServices = 200
)

//go:embed page.css
var style string

//go:embed uplot/uPlot.iife.min.js
var uplotScript string

//go:embed uplot/uPlot.min.css
var uplotStyle string

//go:embed uplot/LICENSE
var uplotLicence string

//go:embed charts.js
var charts string

// Page gathers what is shown.
type Page struct {
	Title string
	Every time.Duration // time per point, at least a second
	Top   int           // lines per table
	Zone  *time.Location

	step   int64 // nanoseconds per point
	first  int64
	last   int64
	curves map[summary.Service]map[int64]*point
}

// point is some time of one service. The percentiles of a point that stands for
// several seconds are those of its worst second.
type point struct {
	count, failed, resent int64
	p50, p95, p99, most   time.Duration
}

func (p *point) add(o *point) {
	p.count += o.count
	p.failed += o.failed
	p.resent += o.resent
	p.p50, p.p95, p.p99, p.most = max(p.p50, o.p50), max(p.p95, o.p95), max(p.p99, o.p99), max(p.most, o.most)
}

// Second takes the next one.
func (p *Page) Second(x *summary.Second) {
	if p.curves == nil {
		p.step = int64(max(p.Every, time.Second))
		p.curves = map[summary.Service]map[int64]*point{}
		p.first, p.last = x.At, x.At
	}
	p.first, p.last = min(p.first, x.At), max(p.last, x.At)
	for (p.last-p.first)/p.step > maxPoints {
		p.coarsen()
	}
	curve := p.curves[x.Service]
	if curve == nil {
		if len(p.curves) >= maxServices {
			return
		}
		curve = map[int64]*point{}
		p.curves[x.Service] = curve
	}
	at := x.At - x.At%p.step
	o := &point{x.Count, x.Failed, x.Retransmissions, x.Quantile(0.5), x.Quantile(0.95), x.Quantile(0.99), x.RTMax}
	if have := curve[at]; have != nil {
		have.add(o)
	} else {
		curve[at] = o
	}
}

// coarsen doubles the time per point.
func (p *Page) coarsen() {
	p.step *= 2
	for k, curve := range p.curves {
		merged := map[int64]*point{}
		for at, o := range curve {
			slot := at - at%p.step
			if have := merged[slot]; have != nil {
				have.add(o)
			} else {
				merged[slot] = o
			}
		}
		p.curves[k] = merged
	}
}

// chart is what the script draws for a service: seconds and milliseconds.
type chart struct {
	Name   string     `json:"name"`
	At     []int64    `json:"at"`
	QPS    []*float64 `json:"qps"`
	Errors []*float64 `json:"errors"`
	P50    []*float64 `json:"p50"`
	P95    []*float64 `json:"p95"`
	P99    []*float64 `json:"p99"`
	Max    []*float64 `json:"max"`
	Bars   [][3]any   `json:"bars"` // label, requests, share of the longest
	Peaks  []string   `json:"peaks"`
}

func (p *Page) chart(k summary.Service, t *summary.Total, cover *traffic.Cover) chart {
	c := chart{Name: fmt.Sprintf("%s on port %d", traffic.Proto(k.Proto, &t.Stats), k.Server.Port), Peaks: traffic.Peaks(&t.RT)}
	curve := p.curves[k]
	for at := p.first - p.first%p.step; at <= p.last; at += p.step {
		o := curve[at]
		c.At = append(c.At, at/1e9)
		if o == nil {
			o = &point{}
		}
		c.QPS = append(c.QPS, rate(o.count, at, p.step, cover))
		c.Errors = append(c.Errors, rate(o.failed, at, p.step, cover))
		for _, line := range []struct {
			to *[]*float64
			d  time.Duration
		}{{&c.P50, o.p50}, {&c.P95, o.p95}, {&c.P99, o.p99}, {&c.Max, o.most}} {
			var ms *float64
			if o.count > 0 {
				v := float64(line.d) / 1e6
				ms = &v
			}
			*line.to = append(*line.to, ms)
		}
	}
	bars := traffic.Bars(&t.RT)
	var most uint64
	for _, b := range bars {
		most = max(most, b.Count)
	}
	for _, b := range bars {
		c.Bars = append(c.Bars, [3]any{unit.Duration(b.From).String(), b.Count, float64(b.Count) / float64(most)})
	}
	return c
}

// rate is per second of the covered part of a point; nil where that is too small.
func rate(n int64, at, step int64, cover *traffic.Cover) *float64 {
	covered, enough := cover.Of(at, time.Duration(step))
	if !enough {
		return nil
	}
	v := float64(n) / covered.Seconds()
	return &v
}

// Write writes the page.
func (p *Page) Write(out io.Writer, r *engine.Report, s *summary.Summary) error {
	cover := &traffic.Cover{}
	cover.Reach(r.First)
	cover.Reach(r.Last)
	list := []chart{}
	for _, k := range services(s) {
		if len(list) < maxCharts && s.Services[k].Count > 0 {
			list = append(list, p.chart(k, s.Services[k], cover))
		}
	}
	doubts := document.List{Style: document.Warn}
	for _, words := range traffic.Doubts(r, s) {
		doubts.Items = append(doubts.Items, document.Item{Words: words})
	}
	d := document.Document{Title: p.Title, Blocks: []document.Block{document.Facts{Items: p.facts(r, s)}}}
	if len(doubts.Items) > 0 {
		d.Blocks = append(d.Blocks, doubts)
	}
	d.Blocks = append(append(d.Blocks, document.Canvas{ID: "charts"}), traffic.Overview{Report: r, Summary: s, Zone: p.Zone, Top: p.Top}.Tables()...)
	w := bufio.NewWriter(out)
	if err := document.HTML(w, d, document.HTMLOptions{
		Style: uplotStyle + style, Licence: "uPlot\n" + uplotLicence, Scripts: []string{uplotScript, charts}, Data: map[string]any{"step": p.step / 1e9, "charts": list},
	}); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return w.Flush()
}

func (p *Page) time(at int64, layout string) string {
	t := time.Unix(0, at)
	if p.Zone != nil {
		t = t.In(p.Zone)
	}
	return t.Format(layout)
}

func (p *Page) facts(r *engine.Report, s *summary.Summary) []string {
	if r.Packets == 0 {
		return []string{"no packets"}
	}
	facts := []string{
		unit.Count(r.Packets).String() + " packets", unit.Bytes(r.Bytes).String(), unit.Duration(r.Span()).String() + " from " + p.time(r.First, "2006-01-02 15:04:05.000 MST"),
		unit.Count(s.Seen).String() + " connections",
	}
	if p.step > int64(time.Second) {
		facts = append(facts, fmt.Sprintf("a point is %s, its percentiles those of its worst second", unit.Duration(p.step)))
	}
	return facts
}

func services(sum *summary.Summary) []summary.Service {
	return traffic.Ranked(sum.Services, func(a, b summary.Service) int {
		return cmp.Or(cmp.Compare(a.Server.Port, b.Server.Port), cmp.Compare(a.Proto, b.Proto))
	})
}
