package picture

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/chart"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
	"rtrail/internal/traffic"
)

const start = 1_700_000_000

var web = summary.Service{Server: flow.Endpoint{Port: 80}, Proto: "http"}

// made draws seconds with ten answers each.
func made(p *Picture, seconds ...int64) (*chart.Set, string) {
	for _, at := range seconds {
		s := &summary.Second{At: (start + at) * 1e9, Service: web}
		for i := range 10 {
			x := &rt.Transaction{RT: time.Duration(1+9*(i/9)) * time.Millisecond} // nine of 1 ms, one of 10 ms
			s.Stats.Add(x)
		}
		p.Second(s)
	}
	return drawn(p)
}

// drawn is a set of nothing else.
func drawn(p *Picture) (*chart.Set, string) {
	set := chart.NewSet(p.Span())
	_, told := p.Draw(set)
	return set, told
}

// Points are bounded however long the capture is, and count all requests.
func TestBounded(t *testing.T) {
	p := &Picture{}
	var list []int64
	for i := range int64(100_000) {
		list = append(list, i)
	}
	set, told := made(p, list...)
	if n := len(p.points.at); n > maxPoints || n < maxPoints/4 || told == "" {
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
	set, told := made(p, 0, 1, 2, 30, years, years+1, years+80)
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
	set, _ := made(p, 5, 6)
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
	set, _ := made(p, 0, 1, 2)
	if diff := cmp.Diff([]float64{20, 10}, []float64(set.Charts[0].Lines[0].Values)); diff != "" {
		t.Error(diff)
	}
}

func TestNothing(t *testing.T) {
	if set, told := drawn(&Picture{}); len(set.Charts) > 0 || set.Title != "" || told != "" {
		t.Errorf("%+v, %q", set, told)
	}
}

// second is a second of a service as a recording has it, and the times of its answers.
func second(at int64, interval time.Time, count int64) (recording.PacketService, recording.PacketHistogram) {
	const server, port, proto = "10.0.0.2", 3306, "mysql"
	s := recording.PacketService{At: time.Unix(start+at, 0), Interval: interval, Server: server, ServerPort: port, Proto: proto, RTP50: time.Millisecond, RTP99: 2 * time.Millisecond}
	s.Count, s.RTMax, s.RTSum = count, 3*time.Millisecond, time.Duration(count)*time.Millisecond
	return s, recording.PacketHistogram{At: interval, Interval: interval, Server: server, ServerPort: port, Proto: proto, Phase: "rt", From: time.Millisecond, To: 1100 * time.Microsecond, Count: count}
}

// Of a recording that is read part by part each row counts once; a column is an interval; and
// where nothing was captured there is no line.
func TestRows(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(time.Unix(start, 0))
	for _, n := range []int64{0, 10, 20, 30, 300, 310} {
		interval := time.Unix(start+n, 3e8)
		recording.Append(w, recording.PacketCapture{At: interval, Interval: interval, Last: interval.Add(9 * time.Second)})
		s, h := second(n+2, interval, 5)
		idle := h
		idle.Phase, idle.Count = "idle", 99
		recording.Append(w, s)
		recording.Append(w, h, idle)
	}
	none, _ := second(4, time.Unix(start, 3e8), 7)
	none.Server, none.ServerPort = "::", 0
	recording.Append(w, none)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	p := &Picture{}
	open := p.Reading(func(_ context.Context, _, _ time.Time, tables ...recording.Table) (*recording.Recording, error) {
		if !slices.Contains(tables, recording.PacketHistograms) || !slices.Contains(tables, recording.Disks) {
			t.Errorf("tables %v", tables)
		}
		return rec, nil
	})
	for _, to := range []int64{15, 25, 400} {
		if _, err := open(t.Context(), time.Unix(start, 0), time.Unix(start+to, 0), recording.Disks); err != nil {
			t.Fatal(err)
		}
	}
	set := chart.NewSet(time.Unix(start, 0), time.Unix(start+400, 0))
	set.Charts = append(set.Charts, chart.Chart{Name: "of the host"})
	drawn, told := p.Draw(set)
	if diff := cmp.Diff([]Drawn{{Service{"10.0.0.2", 3306, "mysql"}, 1, 2}}, drawn); diff != "" || len(set.Cuts) > 0 || told != "A column of a heatmap is 10 s." {
		t.Fatal(diff, set.Cuts, told)
	}
	rates, times := set.Charts[1], set.Charts[2]
	if diff := cmp.Diff([]int64{2000, 3000, 11000, 12000, 13000, 21000, 22000, 23000, 31000, 32000, 33000, 301000, 302000, 303000, 311000, 312000}, set.Times[rates.Lines[0].Times]); diff != "" {
		t.Error("times of rates", diff)
	}
	if diff := cmp.Diff([][3]int64{{0, 0, 5}, {1, 0, 5}, {2, 0, 5}, {3, 0, 5}, {4, 0, 5}, {5, 0, 5}}, times.Heat.Cells); diff != "" || times.Heat.Step != 10_000 {
		t.Error("cells", diff, times.Heat.Step)
	}
	if at := set.Times[times.Heat.Times]; at[0] != 300 || at[5] != 310_300 {
		t.Errorf("columns are at %v", at)
	}
}

// However long a recording is, there are no more columns than a chart shows, and each answer is
// in one.
func TestRowsOfALongTime(t *testing.T) {
	p := &Picture{}
	const parts, intervals = 50, 60
	for n := range parts {
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(time.Unix(start, 0))
		for i := range intervals {
			at := int64(10 * (n*intervals + i))
			s, h := second(at, time.Unix(start+at, int64(i%7)*1e7), 3)
			recording.Append(w, s)
			recording.Append(w, h)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		p.Rows(rec, time.Time{}, time.Time{})
	}
	set, _ := drawn(p)
	heat, all := set.Charts[1].Heat, int64(0)
	for _, c := range heat.Cells {
		all += c[2]
	}
	if n := len(set.Times[heat.Times]); all != 3*parts*intervals || n > maxPoints || n < maxPoints/4 {
		t.Errorf("%d answers in %d columns", all, n)
	}
}

// Heatmaps of many services with many rows are coarser, and lose nothing.
func TestCells(t *testing.T) {
	const services, seconds, rows = 8, maxPoints, 32
	p := &Picture{}
	for n := range services {
		for i := range int64(seconds) {
			s := &summary.Second{At: (start + i) * 1e9, Service: summary.Service{Server: flow.Endpoint{Port: uint16(80 + n)}, Proto: "http"}}
			for row := range rows {
				s.Stats.Add(&rt.Transaction{RT: time.Duration(float64(time.Microsecond) * math.Pow(math.Sqrt2, float64(row)+0.5))})
			}
			p.Second(s)
		}
	}
	set, told := drawn(p)
	cells, all := 0, int64(0)
	for _, c := range set.Charts {
		if c.Heat != nil {
			cells += len(c.Heat.Cells)
			for _, x := range c.Heat.Cells {
				all += x[2]
			}
		}
	}
	if cells > maxCells || cells < maxCells/4 || all != services*seconds*rows || !strings.Contains(told, "A column of a heatmap is") {
		t.Errorf("%d cells with %d answers: %q", cells, all, told)
	}
}
