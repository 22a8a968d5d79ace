package page_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"rtrail/internal/chart"
	"rtrail/internal/document"
	"rtrail/internal/metric"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/page"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/stack"
	"rtrail/internal/stack/flame"
	"rtrail/internal/traffic/picture"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// maxPage is how large the page of an hour may be, in bytes.
const maxPage = 1_500_000

// The page of an hour in which much was found can be passed on: charts that all go up and down,
// long findings and flame graphs stay below the limit.
func TestSizeOfAnHour(t *testing.T) {
	const length, processes, disks, findings = 3600, 30, 5, 12
	random := rand.New(rand.NewPCG(1, 2))
	rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2}})
	for i := range length {
		w := recording.NewWriter(at(i))
		recording.Append(w, recording.SystemSample{At: at(i), Load1: random.Float64(), Running: random.Int64N(9), Blocked: random.Int64N(9)})
		for n := range disks {
			recording.Append(w, recording.DiskSample{At: at(i), Device: fmt.Sprint("vd", n), Busy: time.Duration(i)*500*time.Millisecond + time.Duration(random.Int64N(1e8)), Reads: uint64(1000*i) + random.Uint64N(900)})
		}
		for n := range int32(processes) {
			recording.Append(w, recording.ProcessSample{At: at(i), PID: 100 + n, Comm: "worker", RSS: random.Int64N(1 << 33)})
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	d := chart.NewDraft(at(0), at(length-1))
	p := page.Page{Document: document.Document{Title: "an hour"}}
	for n := range findings {
		f := verdict.Finding{Finding: rule.Finding{Subject: view.Entity{Kind: view.KindProcess, PID: 100 + int32(n)},
			Evidence: []rule.Evidence{{Metric: metric.ProcessRss}, {Metric: metric.DiskUtilisation}, {Metric: metric.SchedLoad}}}}
		d.Finding(n+1, f, d.Band(at(300*n), at(300*n+200), "a fault", document.Warn, n+1))
		block := document.Finding{Number: n + 1, Headline: "worker uses memory"}
		for range 20 {
			block.Rows = append(block.Rows, document.Row{Label: "proof", Words: fmt.Sprintf("%0200d", n), Commands: []string{fmt.Sprintf("ps -o rss -p %d", 100+n)}})
		}
		p.Document.Blocks = append(p.Document.Blocks, block)
	}
	for n := range int32(processes) { // and one chart of each other process
		d.Finding(findings+1, verdict.Finding{Finding: rule.Finding{Subject: view.Entity{Kind: view.KindProcess, PID: 100 + n}, Evidence: []rule.Evidence{{Metric: metric.ProcessRss}}}}, -1)
	}
	d.Add(view.New(rec, at(0), at(length-1)))
	p.Charts = d.Set()
	root := &page.Frame{Name: "all", Count: 1000}
	for n := range 300 {
		under := root
		for depth := range 12 {
			f := &page.Frame{Name: fmt.Sprintf("some::long_name_of_a_function_%d_%d", n, depth), Count: 3}
			under.Children = append(under.Children, f)
			under = f
		}
	}
	p.Flames = []page.Flame{{Title: "running threads", Unit: "samples", Root: root}}
	if n := sizeOf(t, p); n > maxPage || len(p.Charts.Charts) < processes {
		t.Errorf("%d bytes with %d charts, want at most %d", n, len(p.Charts.Charts), maxPage)
	}
	// Packets that were recorded meanwhile have a place beside all of it.
	pic := busyServices(8)
	if pic.Draw(p.Charts); len(p.Charts.Traffic) == 0 {
		t.Error("no charts of packets")
	}
	if n := sizeOf(t, p); n > maxPage {
		t.Errorf("%d bytes with charts of packets, want at most %d", n, maxPage)
	}
}

// sizeOf is the length of a page in bytes.
func sizeOf(t *testing.T, p page.Page) int {
	t.Helper()
	var out bytes.Buffer
	if err := page.Write(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// busyServices are ten minutes of services whose answers take everything between a microsecond and a
// minute.
func busyServices(services int) *picture.Picture {
	const seconds, rows = 600, 32
	random := rand.New(rand.NewPCG(3, 4))
	p := &picture.Picture{}
	for i := range int64(seconds) {
		for n := range services {
			s := &summary.Second{At: at(int(i)).UnixNano(), Service: summary.Service{Server: flow.Endpoint{Port: uint16(8000 + n)}, Proto: "http"}}
			s.Retransmissions = random.Int64N(99)
			for row := range rows {
				x := &rt.Transaction{RT: time.Duration(1000 * math.Pow(math.Sqrt2, float64(row)+random.Float64())), Failed: row%10 == 0}
				s.Stats.Add(x)
				s.RT.AddN(x.RT, random.Uint32N(2000))
			}
			p.Second(s)
		}
	}
	return p
}

// A page of packets stays below the limit, whatever its heatmaps show.
func TestSizeOfPackets(t *testing.T) {
	pic := busyServices(8)
	set := chart.NewSet(pic.Span())
	drawn, _ := pic.Draw(set)
	if n := sizeOf(t, page.Page{Document: document.Document{Title: "packets"}, Charts: set}); n > maxPage || len(drawn) != 8 {
		t.Errorf("%d bytes with %d services, want at most %d", n, len(drawn), maxPage)
	}
}

// So does one of stacks that all differ.
func TestSizeOfStacks(t *testing.T) {
	p := &stack.Profile{}
	for n := range 1000 {
		s := &stack.Stack{Kind: "dump", Count: 1 + int64(n%7)}
		for depth := range 40 {
			s.Frames = append(s.Frames, fmt.Sprintf("some::Template<%d>::long_name_of_a_function_%d", n, depth))
		}
		p.Stacks = append(p.Stacks, s)
	}
	list := flame.Graphs(p, 0, 1)
	if n := sizeOf(t, page.Page{Document: document.Document{Title: "stacks"}, Flames: list}); n > maxPage || len(list) != 2 {
		t.Errorf("%d bytes with %d graphs, want at most %d", n, len(list), maxPage)
	}
}
