package view

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
)

var t0 = time.Date(2026, 3, 1, 14, 2, 10, 0, time.UTC)

func at(seconds float64) time.Time { return t0.Add(time.Duration(seconds * float64(time.Second))) }

func TestDelta(t *testing.T) {
	for name, c := range map[string]struct {
		values []int64
		want   float64
		ok     bool
	}{
		"grows":                {[]int64{5, 7, 12}, 7, true},
		"constant":             {[]int64{5, 5}, 0, true},
		"reset":                {[]int64{1000, 1010, 3, 8}, 18, true},
		"one reading":          {[]int64{5}, 0, false},
		"none":                 {nil, 0, false},
		"unreadable between":   {[]int64{5, recording.Unknown, 9}, 4, true},
		"readable only once":   {[]int64{recording.Unknown, 9, recording.Unknown}, 0, false},
		"close to the maximum": {[]int64{math.MaxInt64 - 2000, 4}, 4, true},
	} {
		got, ok := Delta(c.values, func(v int64) int64 { return v })
		if got != c.want || ok != c.ok {
			t.Errorf("%s: Delta(%v) = %v, %v; want %v, %v", name, c.values, got, ok, c.want, c.ok)
		}
	}
}

func TestRateDividesByTheTimeBetweenReadings(t *testing.T) {
	rows := []recording.SystemSample{{At: at(1), Forks: 100}, {At: at(5), Forks: 300}}
	v := New(recording.New(recording.Manifest{}), at(0), at(9))
	if got := Rate(v, rows, func(s recording.SystemSample) uint64 { return s.Forks }); got != 50 {
		t.Errorf("Rate = %v, want 50 per second: 200 in the 4 s between the readings", got)
	}
	if got := Rate(v, rows[:1], func(s recording.SystemSample) uint64 { return s.Forks }); Known(got) {
		t.Errorf("Rate of a single reading = %v, want Unknown", got)
	}
}

func TestRowsKeepToTheWindow(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(t0)
	for s := range 5 {
		recording.Append(w, recording.SystemSample{At: at(float64(s)), Forks: uint64(s)})
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	got := Rows[recording.SystemSample](New(rec, at(1), at(3)))
	if len(got) != 3 || got[0].Forks != 1 || got[2].Forks != 3 {
		t.Errorf("rows from 1 to 3 s: %v", got)
	}
	whole := New(rec, time.Time{}, time.Time{})
	if !whole.Start().Equal(at(0)) || !whole.End().Equal(at(4)) {
		t.Errorf("without times the window is %v to %v", whole.Start(), whole.End())
	}
}

func TestAnUnknownCounterIsNotZero(t *testing.T) {
	c := Counters{NetNS: 1, Seconds: 10, delta: map[string]float64{"TcpOutSegs": 50}}
	if got := c.Delta("TcpOutSegs"); got != 50 || c.Rate("TcpOutSegs") != 5 {
		t.Errorf("a counter that was read grew by %v", got)
	}
	const name = "TcpExtNotOfThisKernel"
	if Known(c.Delta(name)) || Known(c.Rate(name)) || Known(Counters{}.Rate("TcpOutSegs")) {
		t.Errorf("a counter that was not read grew by %v, %v/s", c.Delta(name), c.Rate(name))
	}
	if got := c.AtLeast(name); got != 0 {
		t.Errorf("its lower bound is %v, want 0", got)
	}
}
