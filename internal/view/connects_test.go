package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Rows of one process, destination and result are one sum.
func TestSumConnects(t *testing.T) {
	row := func(at int64, result string, n int64) recording.Connect {
		return recording.Connect{At: time.Unix(at, 0), Span: time.Second, PID: 7, Process: "app", Remote: "10.0.0.2", RemotePort: 80, Result: result, Connects: n,
			Time: time.Duration(n) * time.Second, Longest: time.Duration(at) * time.Second, Histogram: "128us:5 2097152us:1"}
	}
	got := SumConnects([]recording.Connect{row(1, recording.ConnectOK, 6), row(1, "ECONNREFUSED", 1), row(2, recording.ConnectOK, 6)}, 0)
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	c := got[0]
	if c.Count != 12 || c.PerSecond != 6 || c.Longest != 2*time.Second || c.Time != 12*time.Second || c.Steps.AtMost(0.5) != 128*time.Microsecond {
		t.Errorf("%+v", c)
	}
}
