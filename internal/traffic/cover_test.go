package traffic

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// Rates are those of the part of an interval that the capture covers.
func TestRatesOfPartlyCoveredIntervals(t *testing.T) {
	const s = int64(time.Second)
	tests := []struct {
		name        string
		first, last int64 // of the capture, in milliseconds after the first second
		qps         [3]string
		seconds     [3]float64
	}{
		{"all covered", 0, 6000, [3]string{"10", "10", "10"}, [3]float64{2, 2, 2}},
		{"the first and the last in part", 1000, 4500, [3]string{"20", "10", "40"}, [3]float64{1, 2, 0.5}},
		{"of the last less than a tenth", 0, 4070, [3]string{"10", "10", "-"}, [3]float64{2, 2, 0.07}},
		{"of the last a tenth", 0, 4200, [3]string{"10", "10", "100"}, [3]float64{2, 2, 0.2}},
	}
	for _, tt := range tests {
		start := 1_700_000_000 * s
		cover := &Cover{}
		cover.Reach(start + tt.first*1e6)
		cover.Reach(start + tt.last*1e6)
		var text, document, live bytes.Buffer
		lines := &Seconds{Out: &text, Zone: time.UTC, Every: 2 * time.Second, Cover: cover}
		d := &Document{Out: &document, Every: 2 * time.Second, Cover: cover, Top: 1}
		l := &LiveJSON{Out: &live, Every: 2 * time.Second, Cover: cover, Start: time.Unix(0, start), Drops: func() (uint64, bool) { return 0, false }}
		for i := range int64(3) {
			x := &summary.Second{At: start + 2*i*s, Service: summary.Service{Proto: "mysql", Server: flow.Endpoint{Port: 3306}}}
			for range 20 {
				x.Stats.Add(&rt.Transaction{RT: time.Millisecond})
			}
			lines.Second(x)
			d.Second(x)
			l.Second(x)
		}
		if err := lines.Close(); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		d.slots.flush()
		d.w.Flush()
		type second struct {
			Seconds float64  `json:"seconds"`
			QPS     *float64 `json:"qps"`
			Count   uint64   `json:"count"`
		}
		var seconds []second
		from := strings.TrimPrefix(document.String(), `{"seconds":`) + "]"
		if err := json.Unmarshal([]byte(from), &seconds); err != nil {
			t.Fatal(err, from)
		}
		for line := range strings.Lines(live.String()) {
			var one second
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatal(err)
			}
			seconds = append(seconds, one)
		}
		rows := strings.Split(strings.TrimSpace(text.String()), "\n")[2:] // without the date and the names
		if len(rows) != 3 || len(seconds) != 6 {
			t.Fatalf("%s: %d lines, %d objects", tt.name, len(rows), len(seconds))
		}
		for i, row := range rows {
			if got := strings.Fields(row)[4]; got != tt.qps[i] {
				t.Errorf("%s, line %d: QPS %s, want %s", tt.name, i, got, tt.qps[i])
			}
		}
		for i, x := range seconds {
			if x.Seconds != tt.seconds[i%3] || (x.QPS == nil) != (tt.qps[i%3] == "-") || x.QPS != nil && rate(*x.QPS) != tt.qps[i%3] {
				t.Errorf("%s, object %d: %+v, want %v and %s", tt.name, i, x, tt.seconds[i%3], tt.qps[i%3])
			}
		}
	}
}
