package chart

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

var start = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

func at(second int) time.Time { return start.Add(time.Duration(second) * time.Second) }

// recorded is a host of which every second was recorded: a disk that a load keeps busy, and
// 40 processes.
func recorded(t testing.TB, seconds int) *recording.Recording {
	t.Helper()
	rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2}})
	for i := range seconds {
		w := recording.NewWriter(at(i))
		load := float64(i % 7)
		if i == seconds/3 {
			load = 99 // one peak
		}
		recording.Append(w, recording.SystemSample{At: at(i), Load1: load, Running: 1, Forks: uint64(10 * i)})
		recording.Append(w, recording.DiskSample{At: at(i), Device: "vda", Busy: time.Duration(i) * 900 * time.Millisecond}, recording.DiskSample{At: at(i), Device: "vdb"})
		for p := range int32(40) {
			recording.Append(w, recording.ProcessSample{At: at(i), PID: 100 + p, Comm: "worker", RSS: int64(p)<<20 + int64(i%7)<<12})
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	return rec
}

func finding(subject view.Entity, evidence ...rule.Evidence) verdict.Finding {
	return verdict.Finding{Finding: rule.Finding{Subject: subject, Evidence: evidence}}
}

// linesOf are the values of the lines of a chart by their names.
func linesOf(s *Set, c Chart) map[string][]metric.Point {
	out := map[string][]metric.Point{}
	for _, l := range c.Lines {
		for i, v := range l.Values {
			out[l.Name] = append(out[l.Name], metric.Point{At: start.Add(time.Duration(s.Times[l.Times][i]) * time.Millisecond), Value: v})
		}
	}
	return out
}

func equal(t *testing.T, what string, got, want []metric.Point) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d points, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !got[i].At.Equal(want[i].At) || got[i].Value != want[i].Value {
			t.Fatalf("%s: point %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// What is drawn is what the recording's rows tell, of the finding's subject.
func TestChartsAreTheRecording(t *testing.T) {
	rec := recorded(t, 120)
	v := view.New(rec, at(0), at(119))
	limit := 0.8
	d := NewDraft(at(0), at(119))
	d.Finding(1, finding(view.Entity{Kind: view.KindDevice, Name: "vda"},
		rule.Evidence{Metric: metric.DiskUtilisation, Limit: &limit, Value: 0.9}, rule.Evidence{Metric: metric.DiskUtilisation}, rule.Evidence{Metric: metric.DiskRequestSize}), -1)
	d.Finding(2, finding(view.Entity{Kind: view.KindProcess, Name: "worker", PID: 103}, rule.Evidence{Metric: metric.ProcessRss, Value: 50 << 20, Limit: &limit}), -1)
	d.Finding(3, finding(view.Entity{Kind: view.KindHost}, rule.Evidence{Metric: metric.ProcessRss}), -1)
	d.Add(v)
	s := d.Set()

	if cites := s.Findings[1]; len(cites) != 1 || *cites[0].Limit != limit {
		t.Fatalf("cites %+v", s.Findings)
	}
	busy := linesOf(s, s.Charts[s.Findings[1][0].Chart])
	equal(t, "vda", busy["vda"], metric.DiskUtilisation.Series.Read(v)[0].Points)
	if len(busy) != 1 {
		t.Errorf("lines of other disks in the chart of vda: %v", busy)
	}
	rss := linesOf(s, s.Charts[s.Findings[2][0].Chart])
	if len(rss) != 1 || len(rss["worker 103"]) != 120 || rss["worker 103"][7].Value != 3<<20 {
		t.Errorf("memory of a process: %v", rss)
	}
	if s.Findings[2][0].Limit != nil {
		t.Error("a limit of what the chart does not show is drawn")
	}
	highest := s.Charts[s.Findings[3][0].Chart]
	if len(highest.Lines) != maxLines || highest.Left != 35 || highest.Lines[0].Name != "worker 139" {
		t.Errorf("of a host %d lines, the first %q, and %d are left out", len(highest.Lines), highest.Lines[0].Name, highest.Left)
	}
	tasks := linesOf(s, s.Charts[s.Host[0]])
	equal(t, "load", tasks[metric.SchedLoad.Name], metric.SchedLoad.Series.Read(v)[0].Points)
}

// Part by part is the same as at once, and needs only the tables of its metrics.
func TestRecord(t *testing.T) {
	const seconds = 1000
	rec := recorded(t, seconds)
	d := NewDraft(at(0), at(seconds-1))
	asked := map[recording.Table]bool{}
	open := func(_ context.Context, from, to time.Time, tables ...recording.Table) (*recording.Recording, error) {
		for _, table := range tables {
			asked[table] = true
		}
		return rec, nil
	}
	if until, err := d.Record(context.Background(), open, at(0), at(seconds-1), time.Minute); err != nil || !until.Equal(at(seconds-1)) {
		t.Fatal(until, err)
	}
	want := NewDraft(at(0), at(seconds-1))
	want.Add(view.New(rec, at(0), at(seconds-1)))
	a, _ := json.Marshal(d.Set())
	b, _ := json.Marshal(want.Set())
	if string(a) != string(b) {
		t.Errorf("part by part\n%.300s\nat once\n%.300s", a, b)
	}
	if asked[recording.Processes] || !asked[recording.Disks] {
		t.Errorf("tables %v", asked)
	}
	if until, err := d.Record(context.Background(), open, at(0), at(seconds-1), -1); err != nil || !until.Equal(at(0)) {
		t.Errorf("without patience: until %v, %v", until, err)
	}
}

// Of many points the extremes are left: every one of them was read, and no peak is lost.
func TestThin(t *testing.T) {
	const seconds = 4 * 3600
	rec := recorded(t, 10)
	d := NewDraft(at(0), at(seconds))
	d.Add(view.New(rec, at(0), at(9)))
	var all []metric.Point
	for i := range seconds {
		v := math.Sin(float64(i))
		if i == 7777 {
			v = 1e6
		}
		all = append(all, metric.Point{At: at(i), Value: v})
	}
	thinned := thin(all, start, seconds*time.Second, slots)
	if len(thinned) > 2*slots {
		t.Errorf("%d points", len(thinned))
	}
	high := 0.0
	for _, p := range thinned {
		if all[int(p.At.Sub(start).Seconds())] != p {
			t.Fatalf("%v was not read", p)
		}
		high = max(high, p.Value)
	}
	if high != 1e6 {
		t.Error("the peak is lost")
	}
	equal(t, "thinned again", thin(thinned, start, seconds*time.Second, slots), thinned)
}

// A sample that is taken right after the last one draws no peak; one that is only early stays.
func TestLastStepThatIsTooShort(t *testing.T) {
	points := func(times ...time.Duration) *curve {
		c := &curve{}
		for i, after := range times {
			c.points = append(c.points, metric.Point{At: start.Add(after), Value: float64(i % 2)})
		}
		last := len(times) - 1
		c.points[last].Value, c.most, c.read = 2.9, 2.9, len(times)
		return c
	}
	for _, c := range []struct {
		name  string
		curve *curve
		left  int
	}{
		{"right after the one before", points(0, time.Second, 2*time.Second, 3*time.Second, 3*time.Second+11*time.Millisecond), 4},
		{"half a step after it", points(0, time.Second, 2*time.Second, 3*time.Second, 3500*time.Millisecond), 5},
		{"a recorder that looks five times a second", points(0, 200*time.Millisecond, 400*time.Millisecond, 600*time.Millisecond), 4},
		{"steps of a minute", points(0, time.Minute, 2*time.Minute, 2*time.Minute+2*time.Second), 3},
		{"two points", points(0, 11*time.Millisecond), 2},
		{"one", points(0), 1},
	} {
		n := len(c.curve.points)
		for range 2 { // settling again changes nothing
			c.curve.settle()
		}
		most := 2.9
		if c.left < n {
			most = 1
		}
		if len(c.curve.points) != c.left || c.curve.read != c.left || c.curve.most != most {
			t.Errorf("%s: %d points, %d read, the most is %v; want %d, %v", c.name, len(c.curve.points), c.curve.read, c.curve.most, c.left, most)
		}
	}
}

// An hour of everything stays below the size that a page may have.
func TestSizeOfAnHour(t *testing.T) {
	rec := recorded(t, 3600)
	d := NewDraft(at(0), at(3599))
	for i := range 40 {
		d.Finding(i+1, finding(view.Entity{Kind: view.KindProcess, PID: 100 + int32(i)}, rule.Evidence{Metric: metric.ProcessRss}, rule.Evidence{Metric: metric.SchedLoad}), -1)
	}
	d.Add(view.New(rec, at(0), at(3599)))
	set := d.Set()
	drawn := 0
	for _, c := range set.Charts {
		for _, l := range c.Lines {
			drawn += len(l.Values)
		}
	}
	b, err := json.Marshal(set)
	if err != nil || len(b) > 1000<<10 || drawn > maxDrawn || drawn < maxDrawn/2 {
		t.Errorf("%d points, %d KiB, %v", drawn, len(b)>>10, err)
	}
}
