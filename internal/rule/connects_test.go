package rule_test

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// Each process and destination has its connects in words, those with most time first.
func TestWhoConnects(t *testing.T) {
	h := ruletest.New(2, 10)
	add := func(pid int32, process, result string, n int64, took time.Duration, histogram string) {
		ruletest.Add(h, recording.Connect{At: ruletest.Start.Add(time.Second), Span: time.Second, PID: pid, Process: process, Remote: "10.0.0.2", RemotePort: 80, Result: result,
			Connects: n, Time: time.Duration(n) * took, Longest: took, Histogram: histogram})
	}
	add(7, "app", recording.ConnectOK, 100, 900*time.Microsecond, "512us:60 1024us:40")
	add(7, "app", "ETIMEDOUT", 2, 10*time.Second, "")
	add(7, "app", recording.ConnectAbandoned, 3, time.Second, "")
	add(8, "cron", "ECONNREFUSED", 5, time.Millisecond, "")
	add(9, "proxy", recording.ConnectNotSent, 4, time.Microsecond, "")
	add(0, "curl", recording.ConnectOK, 1, 5*time.Millisecond, "8192us:1")
	add(0, "curl", recording.ConnectNotSent, 1, time.Microsecond, "")
	ruletest.Add(h, recording.Connect{At: ruletest.Start.Add(time.Second), Span: time.Second, PID: 7, Process: "app", Remote: "10.0.0.3", RemotePort: 80, Result: recording.ConnectOK,
		Connects: 1000, Time: 10 * time.Millisecond, Longest: time.Millisecond, Histogram: "16us:1000"})
	ruletest.Add(h, recording.Connect{At: ruletest.Start.Add(time.Second), Local: "10.0.0.1", LocalPort: 80, Result: recording.ConnectAccepted, Connects: 9})
	var got []string
	for _, e := range rule.WhoConnects(h.View(), func(c *view.Connects) bool { return c.PID == 7 || c.PID == 8 }) {
		got = append(got, e.What.String())
	}
	for _, e := range rule.WhoConnects(h.View(), func(c *view.Connects) bool { return c.PID == 9 }) {
		got = append(got, e.What.String())
	}
	for _, e := range rule.WhoConnects(h.View(), func(c *view.Connects) bool { return c.PID == 0 }) {
		got = append(got, e.What.String())
	}
	want := []string{
		"app (7) to 10.0.0.2:80: connected 100 times, half of them within 512 µs, 99 % within 900 µs, the longest took 900 µs; failed 2 times with ETIMEDOUT; gave up 3 times without an answer",
		"app (7) to 10.0.0.3:80: connected 1,000 times, half of them within 16 µs, 99 % within 16 µs, the longest took 1 ms",
		"proxy (9) to 10.0.0.2:80: found no local port 4 times",
		"curl to 10.0.0.2:80: connected 1 time, which took 5 ms; found no local port 1 time",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
