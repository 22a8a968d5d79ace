package picture

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/chart"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
)

const start = 1_700_000_000

var web = summary.Service{Server: flow.Endpoint{Port: 80}, Proto: "http"}

// made is a picture of seconds with ten answers each, and the sums.
func made(p *Picture, seconds ...int64) *summary.Summary {
	total := &summary.Total{}
	for _, at := range seconds {
		s := &summary.Second{At: (start + at) * 1e9, Service: web}
		for i := range 10 {
			x := &rt.Transaction{RT: time.Duration(1+9*(i/9)) * time.Millisecond} // nine of 1 ms, one of 10 ms
			s.Stats.Add(x)
			total.Stats.Add(x)
		}
		p.Second(s)
	}
	return &summary.Summary{Services: map[summary.Service]*summary.Total{web: total}}
}

// Points are bounded however long the capture is, and count all requests.
func TestBounded(t *testing.T) {
	p := &Picture{}
	var list []int64
	for i := range int64(100_000) {
		list = append(list, i)
	}
	set, told := p.Set(made(p, list...))
	if n := len(p.slots); n > maxPoints || n < maxPoints/4 || told == "" {
		t.Errorf("%d points, told %q", n, told)
	}
	var all int64
	for _, c := range set.Charts[1].Heat.Cells {
		all += c[2]
	}
	if all != 1_000_000 {
		t.Errorf("the heatmap has %d answers", all)
	}
}

// Of years between two captures nothing is drawn; a pause is.
func TestQuietTimes(t *testing.T) {
	p := &Picture{}
	const years = 6 * 365 * 86400
	set, told := p.Set(made(p, 0, 1, 2, 30, years, years+1, years+80))
	at := func(s float64) float64 { return start + s }
	if diff := cmp.Diff([]chart.Cut{{From: at(32), To: at(years - 1)}, {From: at(years + 3), To: at(years + 79)}}, set.Cuts); diff != "" || told != "" {
		t.Error(diff, told)
	}
	rates := set.Charts[0]
	var seconds []int64
	for _, ms := range set.Times[rates.Lines[0].Times] {
		seconds = append(seconds, ms/1000)
	}
	if diff := cmp.Diff([]int64{0, 1, 2, 3, 29, 30, 31, years - 1, years, years + 1, years + 2, years + 79, years + 80}, seconds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{10, 10, 10, 0, 0, 10, 0, 0, 10, 10, 0, 0, 10}, []float64(rates.Lines[0].Values)); diff != "" {
		t.Error(diff)
	}
}

// A cell counts the answers of a time in a range of response times; lines without
// anything are left out.
func TestHeat(t *testing.T) {
	p := &Picture{}
	set, _ := p.Set(made(p, 5, 6))
	c := set.Charts[1]
	if len(set.Charts[0].Lines) != 1 || len(c.Lines) != 3 || c.Lines[2].Values[0] != 0.01 {
		t.Errorf("%+v", set.Charts)
	}
	if diff := cmp.Diff([][3]int64{{0, 0, 9}, {0, 1, 1}, {1, 0, 9}, {1, 1, 1}}, c.Heat.Cells); diff != "" {
		t.Error(diff)
	}
	for i, ms := range []float64{1, 10} {
		if r := c.Heat.Rows[i]; ms < 1000*r[0] || ms >= 1000*r[1] || r[1] > 1.51*r[0] {
			t.Errorf("%v ms are in the row %v", ms, r)
		}
	}
}

// Rates of the first and the last point are those of the part that the capture
// covers, and none where it covers next to nothing.
func TestRatesOfPartlyCoveredPoints(t *testing.T) {
	p := &Picture{Cover: &traffic.Cover{}}
	p.Cover.Reach(start*1e9 + 5e8)
	p.Cover.Reach((start+2)*1e9 + 5e7)
	set, _ := p.Set(made(p, 0, 1, 2))
	if diff := cmp.Diff([]float64{20, 10}, []float64(set.Charts[0].Lines[0].Values)); diff != "" {
		t.Error(diff)
	}
}

func TestNothing(t *testing.T) {
	if set, told := (&Picture{}).Set(&summary.Summary{}); set != nil || told != "" {
		t.Errorf("%+v, %q", set, told)
	}
}
