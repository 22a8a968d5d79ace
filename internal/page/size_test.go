package page_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"rtrail/internal/chart"
	"rtrail/internal/document"
	"rtrail/internal/metric"
	"rtrail/internal/page"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
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
	var out bytes.Buffer
	if err := page.Write(&out, p); err != nil {
		t.Fatal(err)
	}
	if out.Len() > maxPage || len(p.Charts.Charts) < processes {
		t.Errorf("%d bytes with %d charts, want at most %d", out.Len(), len(p.Charts.Charts), maxPage)
	}
}
