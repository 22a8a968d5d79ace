package traffic

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// answered is a second in which a service on a port answered n requests.
func answered(at time.Time, port uint16, n int) *summary.Second {
	x := &summary.Second{At: at.UnixNano(), Service: summary.Service{Server: flow.Endpoint{Port: port}, Proto: "http"}}
	for range n {
		x.Stats.Add(&rt.Transaction{Status: proto.Answered, RT: time.Millisecond})
	}
	return x
}

func overTime(seconds ...*summary.Second) (*OverTime, string) {
	o := &OverTime{Zone: time.UTC}
	for _, x := range seconds {
		o.Second(x)
	}
	return o, printed(0, Filled(o.table())...)
}

// Intervals grow with the capture until a screen shows them, and nothing is lost.
func TestOverTimeGrows(t *testing.T) {
	for _, c := range []struct {
		seconds int
		every   time.Duration
	}{{1, time.Second}, {20, time.Second}, {21, 2 * time.Second}, {60, 5 * time.Second}, {3600, 5 * time.Minute}, {36000, 30 * time.Minute}} {
		var all []*summary.Second
		for i := range c.seconds {
			all = append(all, answered(noon.Add(time.Duration(i)*time.Second), 80, 2))
		}
		o, text := overTime(all...)
		if o.every() != c.every {
			t.Errorf("%d seconds: intervals of %v, want %v", c.seconds, o.every(), c.every)
		}
		var count int64
		for _, x := range o.parts {
			count += x.Count
		}
		if count != int64(2*c.seconds) || len(o.intervals) > maxIntervals {
			t.Errorf("%d seconds: %d requests in %d intervals:\n%s", c.seconds, count, len(o.intervals), text)
		}
	}
}

// Seconds without requests make no line, and a gap one of dots.
func TestOverTimeGaps(t *testing.T) {
	_, text := overTime(answered(noon, 80, 1), answered(noon.Add(time.Second), 80, 0), answered(noon.Add(time.Hour), 443, 3))
	want := `OVER TIME, each 1 s
 time      port  proto  count  QPS  mean   p50   p95   p99   max  err  resent  handshake
 12:00:00    80  http       1  1.0  1 ms  1 ms  1 ms  1 ms  1 ms    -       -          -
 ...
 13:00:00   443  http       3  3.0  1 ms  1 ms  1 ms  1 ms  1 ms    -       -          -
`
	if text != want {
		t.Errorf("got:%s\nwant:%s", text, want)
	}
	if _, text := overTime(answered(noon, 80, 0)); text != "" {
		t.Errorf("a table without requests: %s", text)
	}
}

// Services without end are added up, in the table and in memory.
func TestOverTimeManyServices(t *testing.T) {
	var all []*summary.Second
	for i := range 20000 {
		all = append(all, answered(noon.Add(time.Duration(i%10)*time.Second), uint16(i+1), 1))
	}
	o, text := overTime(all...)
	var count int64
	for _, x := range o.parts {
		count += x.Count
	}
	if len(o.parts) > maxParts || count != 20000 || strings.Count(text, "\n") > 3+maxIntervals*(maxInInterval+1) {
		t.Errorf("%d parts, %d requests:\n%s", len(o.parts), count, text)
	}

	all = nil
	for i := range 100 {
		all = append(all, answered(noon, uint16(i+1), i+1))
	}
	if _, text = overTime(all...); !strings.Contains(text, "others   4656") && !strings.Contains(text, "4,656") {
		t.Errorf("the services that are not told one by one are not added up:\n%s", text)
	}
}

// Times at the ends of the range are kept, and end.
func TestOverTimeExtremes(t *testing.T) {
	for _, zone := range []int{-12, 0, 14} {
		o := &OverTime{Zone: time.FixedZone(fmt.Sprint(zone), zone*3600)}
		for i := range int64(50) {
			for _, at := range []int64{math.MinInt64 + i*1e15, i * 1e16, math.MaxInt64 - i*1e15} {
				x := answered(noon, 80, 1)
				x.At = at
				o.Second(x)
			}
		}
		if text := printed(80, Filled(o.table())...); len(o.intervals) > maxIntervals || text == "" {
			t.Errorf("%d intervals:\n%s", len(o.intervals), text)
		}
	}
}
