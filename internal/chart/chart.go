// Package chart makes pictures of a verdict's evidence: it chooses the metrics that are
// drawn, reads their points and says which limits and times are marked. What is drawn is
// what rows tell, or of many points those with the extremes.
package chart

import (
	"math"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/metric"
)

// Set is all charts of a page.
type Set struct {
	From       float64 `json:"from"` // seconds since 1970
	To         float64 `json:"to"`
	Zone       string  `json:"zone"`                // in which times are shown
	ZoneOffset int     `json:"zone_offset_seconds"` // east of UTC
	Bands      []Band  `json:"bands"`
	Cuts       []Cut   `json:"cuts,omitempty"` // ascending
	// Times are the times of the points of lines, in milliseconds from From: lines that were
	// read together share one.
	Times    [][]int64      `json:"times"`
	Charts   []Chart        `json:"charts"`
	Host     []int          `json:"host"`              // charts of the host as a whole
	Title    string         `json:"title,omitempty"`   // of Traffic
	Traffic  []int          `json:"traffic,omitempty"` // charts of what packets show
	Findings map[int][]Cite `json:"findings"`          // by number
	Notes    []string       `json:"-"`                 // what is not drawn of findings, in words
}

// NewSet is a set without charts of the time between two moments.
func NewSet(from, to time.Time) *Set {
	zone, offset := from.Local().Zone()
	return &Set{From: seconds(from), To: seconds(to), Zone: zone, ZoneOffset: offset, Bands: []Band{}, Findings: map[int][]Cite{}, Charts: []Chart{}, Times: [][]int64{}, Host: []int{}}
}

// Cut is a time that the axis leaves out, in seconds since 1970.
type Cut struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// NewCut leaves out the time between two moments.
func NewCut(from, to time.Time) Cut { return Cut{seconds(from), seconds(to)} }

// Band is a time to be marked.
type Band struct {
	From    float64        `json:"from"`
	To      float64        `json:"to"`
	Words   string         `json:"words"`
	Style   document.Style `json:"style"`
	Finding int            `json:"finding,omitempty"` // number
}

// Chart is one picture.
type Chart struct {
	Name   string `json:"name"`
	Metric string `json:"metric,omitempty"` // ID, of a chart of one metric
	Help   string `json:"help,omitempty"`
	Source string `json:"source,omitempty"`
	Unit   string `json:"unit"`
	Lines  []Line `json:"lines"`
	Heat   *Heat  `json:"heat,omitempty"`     // below the lines; the axis is logarithmic then
	Left   int    `json:"left_out,omitempty"` // lines for which there is no room
}

// Heat is how many of something there were at a time in a range of values.
type Heat struct {
	Times int          `json:"times"` // which of the set's
	Step  int64        `json:"step"`  // how long each time lasts, in milliseconds
	Rows  [][2]float64 `json:"rows"`  // lower and upper edge, in the unit of the chart, ascending
	Cells [][3]int64   `json:"cells"` // number of the time, number of the row, count
}

// Line is a metric of one thing.
type Line struct {
	Name   string `json:"name"`
	Times  int    `json:"times"` // which of the set's
	Values values `json:"values"`
	Spared int    `json:"spared,omitempty"` // points that are not drawn, none of them an extreme
}

// Cite is a chart that shows evidence of a finding.
type Cite struct {
	Chart int      `json:"chart"`
	Limit *float64 `json:"limit,omitempty"` // in the unit of the chart
	Band  int      `json:"band"`            // that of the finding; -1: none
}

// spans says whether a value can be one of the lines, or their mean.
func (c *Chart) spans(value float64) bool {
	const slack = 0.2 // readings are not those that the evidence is made of
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		low, high = min(low, slices.Min(l.Values)), max(high, slices.Max(l.Values))
	}
	room := slack * max(math.Abs(low), math.Abs(high))
	return value >= low-room && value <= high+room
}

// values are written with six digits: a picture shows three.
type values []float64

// MarshalJSON implements json.Marshaler.
func (v values) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, x, 'g', 6, 64)
	}
	return append(b, ']'), nil
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func moment(seconds float64) time.Time { return time.UnixMilli(int64(math.Round(seconds * 1000))) }

// unitOf is that in which a metric is drawn.
func unitOf(m *metric.Metric) string {
	if m.Series.Unit != "" {
		return m.Series.Unit
	}
	return m.Unit
}
