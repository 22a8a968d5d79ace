package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/chart"
	"rtrail/internal/document"
	"rtrail/internal/metric"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/page"
	"rtrail/internal/page/pagetest"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/traffic/picture"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

const evil = `"><img src=x onerror=alert(1)></script><script>alert(2)</script>`

var start = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

func at(second int) time.Time { return start.Add(time.Duration(second) * time.Second) }

// host is a recording of a minute, in which a process with a hostile name grows.
func host(t *testing.T) *view.View {
	t.Helper()
	rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2}})
	for i := range 60 {
		w := recording.NewWriter(at(i))
		recording.Append(w, recording.SystemSample{At: at(i), Load1: 1 + math.Sin(float64(i)/7), Running: int64(i % 5), Blocked: recording.Unknown})
		recording.Append(w, recording.CPUSample{At: at(i), CPU: -1, User: time.Duration(i*i) * time.Millisecond, Idle: time.Duration(i) * time.Second})
		recording.Append(w, recording.MemorySample{At: at(i), Total: 8 << 30, Available: 4<<30 - int64(i)<<20, Cached: 1 << 30})
		recording.Append(w, recording.DiskSample{At: at(i), Device: evil, Busy: time.Duration(i) * 700 * time.Millisecond}, recording.DiskSample{At: at(i), Device: "vdb", Busy: time.Duration(i*i) * time.Millisecond})
		recording.Append(w, recording.ProcessSample{At: at(i), PID: 7, Comm: evil, RSS: int64(i) << 20}, recording.ProcessSample{At: at(i), PID: 8, Comm: "calm", RSS: 5 << 20})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	return view.New(rec, at(0), at(59))
}

// example is a page with all that pages have.
func example(v *view.View) page.Page {
	limit := float64(50 << 20)
	grows := func(name string, pid int32, value float64) verdict.Finding {
		return verdict.Finding{Finding: rule.Finding{Subject: view.Entity{Kind: view.KindProcess, Name: name, PID: pid},
			Evidence: []rule.Evidence{{Metric: metric.ProcessRss, Limit: &limit, Value: value}}}}
	}
	d := chart.NewDraft(at(0), at(59))
	d.Finding(1, grows(evil, 7, 59<<20), d.Band(at(20), at(40), "memory grows", document.Alarm, 1))
	d.Finding(2, grows("calm", 8, 5<<20), d.Band(at(50), at(55), "memory is used", document.Warn, 2)) // the limit is far above
	d.Add(v)
	return page.Page{
		Document: document.Document{Title: "Why " + evil + " is slow", Blocks: []document.Block{
			document.Facts{Lead: "SLOW", Style: document.Alarm, Items: []string{"1 finding", evil}},
			document.Finding{Number: 1, Mark: "CERTAIN", Style: document.Alarm, Headline: evil + " grows", Rows: []document.Row{
				{Label: "impact", Words: "memory"}, {Label: "proof", Words: evil, Commands: []string{"ps -o rss -p 7   # " + evil}},
				{Label: "CHANGE", Words: "restart it", Commands: []string{"kill 7"}, Danger: "ends it", Price: "its work"}}},
			document.Finding{Number: 2, Mark: "LIKELY", Style: document.Warn, Headline: "calm uses memory", Rows: []document.Row{{Label: "impact", Words: "memory"}}},
			document.Chains{Title: "WHO WAITS FOR WHOM", Chains: [][]document.Link{{{Name: "app", Waits: "answers"}, {Name: evil}}}},
			document.Table{Title: "WHERE THE TIME WENT", Columns: []document.Column{{Name: "process"}, {Name: "on CPU", Right: true}, {Name: "longest", Right: true}, {Name: "begin"}, {Name: "server"}, {Name: "frames"}, {Name: "change", Right: true}},
				Rows: [][]string{{"b", "9 %", "2 s", "2026-01-02 23:59:50", "10.0.0.10:3306", "330140-330156", "+4.9 %"},
					{"c", "12 %", "30 ms", "23:59:59", "10.0.0.9:3306", "99-100", "-3.1 %"}, {evil, "100 %", "1 min 3 s", "2026-01-03 00:00:04", "10.0.0.2:18080", "-", "+120 %"}}},
			document.List{Title: "BLIND SPOTS", Style: document.Warn, Items: []document.Item{{Words: evil, Command: "id", Remedy: "root"}}},
			document.Prose{Label: "NOTE", Style: document.Warn, Words: evil}}},
		Charts: d.Set(),
		Curves: []chart.Curve{{Name: evil, X: "clients", Unit: "per second", Marks: []chart.Mark{{At: 8, Words: evil}}, Lines: []chart.CurveLine{
			{Name: "measured", Points: [][2]float64{{1, 100}, {8, 700}, {64, 900}}}, {Name: evil, Points: [][2]float64{{1, 90}, {3, 250}, {64, 910}}, Model: true}}}},
		Flames: []page.Flame{{Title: "running threads", Unit: "samples", Root: &page.Frame{Name: "all", Count: 10, Children: []*page.Frame{{Name: evil, Count: 7, Kind: "lock: mutex"}, {Name: "main", Count: 3}}}}, {Title: "waiting threads", Unit: "ms", Root: &page.Frame{Name: "all", Count: 4, Children: []*page.Frame{{Name: "read", Count: 4}}}}},
	}
}

// The committed program is that of the committed source.
func TestProgramIsMadeOfItsSource(t *testing.T) {
	tools := pagetest.Find(t)
	made := t.TempDir()
	if out, err := exec.Command(tools.Node, filepath.Join(tools.Web, "build.mjs"), made).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"page.js", "page.css", "LICENSES"} {
		want, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("dist", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("dist/%s is not made of web/: run make web, and commit it (%v)", name, err)
		}
	}
}

// A browser shows the page as it is meant.
func TestInBrowser(t *testing.T) {
	tools := pagetest.Find(t)
	v := host(t)
	p := example(v)
	got := opened(t, tools, p)
	if strings.Count(got.Text, evil) < 8 {
		t.Errorf("hostile names are not shown as text:\n%s", got.Text)
	}
	drawn(t, v, p.Charts, got.Drawn)
	if !strings.Contains(got.Text, "far above these values") {
		t.Error("nothing is said of the limit that is not drawn")
	}
	curve, err := json.Marshal(got.Curves["0"])
	if want := "[[1,3,8,64],[100,null,700,900],[90,250,null,910]]"; err != nil || string(curve) != want {
		t.Errorf("the curve is drawn as %s, want %s", curve, want)
	}
	for _, c := range []pagetest.Contrast{got.Light, got.Dark, got.Chosen} {
		if c.Texts < 50 || c.Drawn < 3 {
			t.Errorf("only %d texts were looked at, %d in drawings", c.Texts, c.Drawn)
		}
	}
	if diff := cmp.Diff([]string{evil, "main", evil, "all", evil, evil, "all"}, got.Flame.Names); diff != "" {
		t.Errorf("keys in the flame graph: %s", diff)
	}
	if diff := cmp.Diff([]int{70, 70, 70, 70, 70, 100, 70}, got.Flame.Widest); diff != "" || got.Flame.Found != "30.0 % have it" {
		t.Errorf("%q, %s", got.Flame.Found, diff)
	}
	if got.Usable < 15 {
		t.Errorf("%d can be used", got.Usable)
	}
	if !strings.Contains(got.Told, "59 MiB") {
		t.Errorf("the last point of the chart is told as %q", got.Told)
	}
	before := []string{"b", "c", evil}
	if diff := cmp.Diff([][3][]string{
		{{evil, "b", "c"}, {"c", "b", evil}, before},
		{{evil, "c", "b"}, {"b", "c", evil}, before}, // on CPU
		{{evil, "b", "c"}, {"c", "b", evil}, before}, // longest
		{{"b", "c", evil}, {evil, "c", "b"}, before}, // begin
		{{evil, "c", "b"}, {"b", "c", evil}, before}, // server
		{{"c", "b", evil}, {"b", "c", evil}, before}, // frames: what is not known stands last
		{{evil, "b", "c"}, {"c", "b", evil}, before}, // change
	}, got.Sorted); diff != "" {
		t.Errorf("sorted: %s", diff)
	}
	if want := "ps -o rss -p 7   # " + evil; got.Copied != want {
		t.Errorf("copied %q", got.Copied)
	}
	if diff := cmp.Diff([]string{"running threads (10 samples)", "waiting threads (4 ms)"}, got.Print.Flames); diff != "" || got.Print.Frames != 5 {
		t.Errorf("%d frames on paper: %s", got.Print.Frames, diff)
	}
}

// A capture of two days far apart: what is between them is left out, and all charts are
// drawn.
func TestPictureInBrowser(t *testing.T) {
	tools := pagetest.Find(t)
	web := summary.Service{Server: flow.Endpoint{Port: 80}, Proto: "http"}
	pic := &picture.Picture{}
	for _, second := range []int64{0, 1, 2, 90_000_000, 90_000_001} {
		s := &summary.Second{At: start.UnixNano() + second*1e9, Service: web}
		for _, ms := range []time.Duration{3, 3, 40} {
			s.Stats.Add(&rt.Transaction{RT: ms * time.Millisecond})
		}
		pic.Second(s)
	}
	set := chart.NewSet(pic.Span())
	pic.Draw(set)
	p := page.Page{Document: document.Document{Title: evil, Blocks: []document.Block{document.Finding{Number: 1, Headline: evil, Rows: []document.Row{{Label: "LOOK", Commands: []string{"id"}}}},
		document.Table{Title: "SERVICES", Columns: []document.Column{{Name: "port"}}, Rows: [][]string{{"80"}, {evil}}}}}, Charts: set}
	got := opened(t, tools, p)
	// Three seconds, one that is empty, the end of the line, and after the cut the second
	// before and those with packets.
	cut := set.Cuts[0].To - set.Cuts[0].From
	var want []float64
	for i, second := range []float64{0, 1, 2, 3, 3.001, 89_999_999, 90_000_000, 90_000_001} {
		if i >= 5 {
			second -= cut
		}
		want = append(want, float64(start.Unix())+second)
	}
	var places []float64
	for _, d := range got.Drawn {
		for _, x := range d.Data[0] {
			if d.Chart == 0 {
				places = append(places, *x)
			}
		}
	}
	if diff := cmp.Diff(want, places); diff != "" || len(got.Drawn) != 2 {
		t.Errorf("%d charts: %s", len(got.Drawn), diff)
	}
	if !strings.Contains(got.Told, "19:00:01") || !strings.Contains(got.Told, "3/s") {
		t.Errorf("the last point is told as %q", got.Told)
	}
	heatmap(t, set.Charts[1].Heat, got)
}

// heatmap wants the cells of a heatmap to be drawn, the more answers the darker, with a key and
// numbers.
func heatmap(t *testing.T, want *chart.Heat, got pagetest.Told) {
	t.Helper()
	i := slices.IndexFunc(got.Drawn, func(d pagetest.Drawing) bool { return len(d.Cells) > 0 })
	if i < 0 || len(got.Heat) != 1 {
		t.Fatalf("%d heatmaps, none is drawn", len(got.Heat))
	}
	var cells [][3]int64
	for _, c := range got.Drawn[i].Cells {
		cells = append(cells, [3]int64{int64(c.Time), int64(c.Row), c.Count})
		if c.Count == 2 && c.Alpha < 0.85 || c.Count == 1 && c.Alpha > 0.65 {
			t.Errorf("%d answers are %v strong", c.Count, c.Alpha)
		}
	}
	if diff := cmp.Diff(want.Cells, cells); diff != "" {
		t.Errorf("cells: %s", diff)
	}
	h := got.Heat[0]
	if diff := cmp.Diff([]string{"1", "2"}, h.Key); diff != "" || h.Painted != len(cells) || h.Numbers != len(cells) || !strings.Contains(h.Under, " answer") {
		t.Errorf("%+v: %s", h, diff)
	}
}

// opened is what a browser tells of a page.
func opened(t *testing.T, tools pagetest.Tools, p page.Page) pagetest.Told {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	var out bytes.Buffer
	if err := page.Write(&out, p); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got := pagetest.Open(t, tools, file)
	got.Check(t)
	return got
}

// drawn checks that all charts draw what the recording's rows tell, and which times and limits
// they mark.
func drawn(t *testing.T, v *view.View, charts *chart.Set, got []pagetest.Drawing) {
	t.Helper()
	mark := func(number int, limit any, bands ...[2]float64) string { return fmt.Sprint(number, limit, bands) }
	first, second := [2]float64{seconds(at(20)), seconds(at(40))}, [2]float64{seconds(at(50)), seconds(at(55))}
	want := []string{mark(charts.Findings[1][0].Chart, 50<<20, first), mark(charts.Findings[2][0].Chart, nil, second)}
	for _, n := range charts.Host {
		want = append(want, mark(n, nil, first, second))
	}
	var marked []string
	for _, d := range got {
		var limit any
		if d.Limit != nil {
			limit = int(*d.Limit)
		}
		marked = append(marked, mark(d.Chart, limit, d.Bands...))
		c := charts.Charts[d.Chart]
		if len(d.Data) != 1+len(c.Lines) {
			t.Errorf("%s: %d of %d lines", c.Name, len(d.Data)-1, len(c.Lines))
			continue
		}
		for n, line := range c.Lines {
			if !recorded(v, c, line, d.Data[0], d.Data[n+1]) {
				t.Errorf("%s: %q is not what the recording tells", c.Name, line.Name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(marked)
	if diff := cmp.Diff(want, marked); diff != "" || len(charts.Host) < 4 {
		t.Errorf("%d charts of the host; marks: %s", len(charts.Host), diff)
	}
}

// recorded says that a line that is drawn has the points of a series of its metric.
func recorded(v *view.View, c chart.Chart, line chart.Line, xs, ys []*float64) bool {
	var points [][2]float64
	for i, y := range ys {
		if y != nil {
			points = append(points, [2]float64{*xs[i], *y})
		}
	}
	return slices.ContainsFunc(metric.All(), func(m *metric.Metric) bool {
		if m.Series == nil || c.Metric != "" && c.Metric != m.ID || c.Metric == "" && !strings.HasPrefix(line.Name, m.Name) {
			return false
		}
		return slices.ContainsFunc(m.Series.Read(v), func(s metric.Series) bool {
			return len(points) > 10 && slices.EqualFunc(points, s.Points, func(got [2]float64, want metric.Point) bool {
				return got[0] == seconds(want.At) && math.Abs(got[1]-want.Value) <= 1e-5*math.Abs(want.Value)
			})
		})
	})
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
