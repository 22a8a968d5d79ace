package page

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/sums"
	"rtrail/internal/traffic"
)

// The page stands alone, escapes what came in packets, and its curves are
// bounded however long the capture is.
func TestPage(t *testing.T) {
	k := summary.Service{Server: flow.Endpoint{Port: 80}, Proto: "http"}
	total := &summary.Total{}
	p := &Page{Title: "<b>a.pcap", Top: 5, Zone: time.UTC}
	for i := range int64(100_000) {
		s := &summary.Second{At: (1_700_000_000 + i) * 1e9, Service: k}
		x := &rt.Transaction{RT: time.Duration(1+i%7) * time.Millisecond}
		s.Stats.Add(x)
		total.Stats.Add(x)
		p.Second(s)
	}
	if n := len(p.curves[k]); n > maxPoints+1 || n < maxPoints/4 {
		t.Errorf("%d points", n)
	}
	sum := &summary.Summary{
		Services: map[summary.Service]*summary.Total{k: total},
		Statements: map[summary.StatementKey]*summary.Statement{{Service: k, Command: "GET", Fingerprint: "GET /<script>alert(1)</script>"}: {Stats: total.Stats},
			{Service: k, Command: "BRPOP", Fingerprint: "BRPOP q"}: {Stats: rt.Stats{Sums: rt.Sums{Requests: sums.Requests{Blocking: 1}, Blocked: time.Minute}}}},
	}
	var out strings.Builder
	if err := p.Write(&out, &engine.Report{Packets: 1, First: 1, Last: 2}, sum); err != nil {
		t.Fatal(err)
	}
	html := out.String()
	for _, want := range []string{"&lt;b&gt;a.pcap", "GET /&lt;script&gt;", "MIT License", "ASKED TO WAIT", "BRPOP q", `"name":"http on port 80"`, "var uPlot="} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, not := range []string{"<script>alert", "<b>a.pcap", `src="`, "@import", "fetch("} {
		if strings.Contains(html, not) {
			t.Errorf("%q in the page", not)
		}
	}
}

// Rates of the first and the last point are those of the part that the capture
// covers, and none where it covers next to nothing.
func TestRatesOfPartlyCoveredPoints(t *testing.T) {
	const start = 1_700_000_000
	k := summary.Service{Server: flow.Endpoint{Port: 80}, Proto: "http"}
	p := &Page{Zone: time.UTC}
	total := &summary.Total{}
	for i := range int64(3) {
		s := &summary.Second{At: (start + i) * 1e9, Service: k}
		for range 10 {
			x := &rt.Transaction{RT: time.Millisecond}
			s.Stats.Add(x)
			total.Stats.Add(x)
		}
		p.Second(s)
	}
	cover := &traffic.Cover{}
	cover.Reach(start*1e9 + 5e8)
	cover.Reach((start+2)*1e9 + 5e7)
	got := p.chart(k, total, cover).QPS
	if len(got) != 3 || got[0] == nil || *got[0] != 20 || got[1] == nil || *got[1] != 10 || got[2] != nil {
		t.Errorf("%v, want 20, 10 and none", got)
	}
}
