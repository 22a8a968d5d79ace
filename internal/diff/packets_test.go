package diff

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/sums"
	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// traffic is what a recorder of packets sees of a web server, per second.
type traffic struct {
	server    string
	requests  int64
	quick     time.Duration // of 97 in a hundred requests
	slow      time.Duration
	segments  int64 // per request, of both sides
	begun     int64 // connections
	calls     int64 // of a database, per request
	whole     bool  // one row for all of the capture
	intervals int   // that it saw; 0: all
}

// recorded is a minute of it, in intervals of ten seconds that begin three seconds after a part.
func (x traffic) recorded(t *testing.T) Side {
	t.Helper()
	rec := recording.New(recording.Manifest{Host: recording.Host{Name: "web"}})
	w := recording.NewWriter(ruletest.Start)
	for n := range 7 {
		from := ruletest.Start.Add(time.Duration(10*n-7) * time.Second)
		interval := from
		if x.whole {
			interval = time.Time{}
		}
		if x.intervals > 0 && n >= x.intervals {
			break
		}
		var times rt.Histogram
		recording.Append(w, recording.PacketCapture{At: from, Interval: interval, Last: from.Add(10*time.Second - 1), Source: "eth0", Packets: 1000})
		for s := range 10 {
			row := recording.PacketService{At: from.Add(time.Duration(s) * time.Second), Interval: interval, Server: x.server, ServerPort: 80, Proto: "http",
				Requests: sums.Requests{Count: x.requests, RTMin: x.quick, RTMax: x.slow}}
			for i := range x.requests {
				d := x.quick
				if i%100 >= 97 {
					d = x.slow
				}
				times.Add(d)
				row.RTSum += d
			}
			recording.Append(w, row)
		}
		for _, b := range times.Buckets(64) {
			recording.Append(w, recording.PacketHistogram{At: from, Interval: interval, Server: x.server, ServerPort: 80, Proto: "http", Phase: "rt", From: b.From, To: b.To, Count: int64(b.Count)})
		}
		for _, sender := range []string{"client", "server"} {
			recording.Append(w, recording.PacketDirection{At: from, Interval: interval, Client: "10.0.0.1", Server: x.server, ServerPort: 80, Proto: "http", Sender: sender,
				Connections: 10, Transactions: 10 * x.requests, Segments: 5 * x.requests * x.segments, Begun: 10 * x.begun})
		}
		if x.calls > 0 {
			recording.Append(w, recording.PacketNesting{At: from, Interval: interval, Host: x.server, Port: 80, Callee: "10.0.0.9", CalleePort: 3306, Requests: 10 * x.requests, Calls: 10 * x.requests * x.calls})
		}
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return Side{Recording: rec, From: ruletest.Start, To: ruletest.Start.Add(seconds * time.Second)}
}

func TestPackets(t *testing.T) {
	usual := traffic{server: "10.0.0.2", requests: 100, quick: time.Millisecond, slow: 2 * time.Millisecond, segments: 2, begun: 1, calls: 3}
	with := func(change func(*traffic)) traffic { x := usual; change(&x); return x }
	const who = "http 10.0.0.2:80"
	for _, c := range []struct {
		name          string
		first, second traffic
		want          string
	}{
		{"the same", usual, usual, ""},
		{"more of the same", with(func(x *traffic) { x.requests, x.begun = 300, 3 }), usual, ""},
		{"slower", with(func(x *traffic) { x.quick, x.slow = 5*x.quick, 5*x.slow }), usual, "service.response-time of " + who + " 5; service.response-time-p99 of " + who + " 5"},
		{"a tail", with(func(x *traffic) { x.slow = 10 * time.Millisecond }), usual, "service.response-time-p99 of " + who + " 5"},
		{"too fast to matter", with(func(x *traffic) { x.quick, x.slow = 40*time.Microsecond, 80*time.Microsecond }), with(func(x *traffic) { x.quick, x.slow = 20*time.Microsecond, 40*time.Microsecond }), ""},
		{"more packets", with(func(x *traffic) { x.segments = 12 }), usual, "service.packets of " + who + " 6"},
		{"a connection for each request", with(func(x *traffic) { x.begun = 100 }), usual, "service.connections of " + who + " 1e+02"},
		{"more round trips to the database", with(func(x *traffic) { x.calls = 30 }), usual, "service.calls of port 80 to port 3306 10"},
		{"another host", with(func(x *traffic) { x.server, x.segments = "10.0.0.3", 12 }), usual, "service.packets of http on port 80 6"},
	} {
		r, err := Compare(c.first.recorded(t), c.second.recorded(t))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := told(r); got != c.want || r.Per != "request in packets" || !near(r.Requests[0], float64(c.first.requests)) {
			t.Errorf("%s: per %s, %v a second: %q, want %q", c.name, r.Per, r.Requests[0], got, c.want)
		}
		for _, x := range r.Changes {
			if x.Per != "request" {
				t.Errorf("%s: %s per %q", c.name, x.Quantity.ID, x.Per)
			}
		}
	}
	r, err := Compare(with(func(x *traffic) { x.segments = 12 }).recorded(t), usual.recorded(t))
	if err != nil || len(r.Changes) != 1 || r.Changes[0].Amount != [2]float64{12, 2} || r.Changes[0].PerSec != [2]float64{1200, 200} {
		t.Errorf("%v, %+v", err, r.Changes)
	}
	// One row for all of a capture tells of no part; its seconds do.
	r, err = Compare(with(func(x *traffic) { x.whole, x.quick, x.slow = true, 5*x.quick, 5*x.slow }).recorded(t), usual.recorded(t))
	if got := told(r); err != nil || got != "service.response-time of "+who+" 5" || why(r, "service.packets") != "fewer than twenty requests of whole intervals in a part of the first window" {
		t.Errorf("%q, %v, %+v", got, err, r.Missing)
	}
	// A part without packets.
	r, err = Compare(with(func(x *traffic) { x.intervals = 5 }).recorded(t), usual.recorded(t))
	if err == nil || !strings.Contains(err.Error(), "web has fewer than two samples of all that is compared") {
		t.Errorf("%q, %v, %+v", told(r), err, r.Missing)
	}
}
