package summary

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// What waits is told at the end of each second in which it does, also of those without
// packets, and in the end of the capture; nothing of a service or port that nobody wants.
func TestWaitingBySecond(t *testing.T) {
	at := func(seconds float64) int64 { return int64(seconds * float64(time.Second)) }
	var got []Waiting
	c := New(2, Options{Ports: []uint16{80}, Second: func(s *Second) { got = append(got, s.Waiting) }})
	var open []rt.Open
	for i := range 2 {
		c.Worker(i).Asks(func(_ int64, give func(*rt.Open)) {
			for _, o := range open {
				give(&o)
			}
		})
	}
	http := func(since float64, requests int) rt.Open {
		return rt.Open{Server: flow.Endpoint{Port: 80}, Proto: "http", Since: at(since), Requests: requests}
	}
	for _, step := range []struct {
		worker int
		at     float64
		open   []rt.Open
		last   bool
	}{
		{0, 100.2, []rt.Open{http(99.5, 1), {Server: flow.Endpoint{Port: 81}, Since: at(99)}}, false},
		{1, 101.1, []rt.Open{http(100.5, 2)}, false},
		{0, 103.9, []rt.Open{http(99.5, 1)}, false}, // no packets of its own for two seconds
		{1, 103.5, nil, false},
		{0, 104.5, nil, true},
		{1, 104.5, []rt.Open{http(104.25, 3)}, true},
	} {
		open = step.open
		c.Worker(step.worker).Reached(at(step.at), step.last)
		c.Worker(step.worker).Progress(at(step.at))
	}
	c.Result()
	want := []Waiting{
		{at(100), 1, after(0.5)}, {at(101), 3, after(1.5)}, {at(102), 1, after(2.5)}, {at(103), 1, after(3.5)}, {at(104.5), 3, after(0.25)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func after(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// Of a longer interval counts what waits at its end.
func TestWaitingOfIntervals(t *testing.T) {
	end := func(second int64, n int64) *Second {
		return &Second{At: (second - 1) * int64(time.Second), Waiting: Waiting{second * int64(time.Second), n, time.Second}}
	}
	for _, tt := range []struct {
		name    string
		seconds []*Second
		want    int64 // at the end of the tenth second
	}{
		{"none", []*Second{{}}, 0},
		{"in each second", []*Second{end(8, 5), end(9, 6), end(10, 7)}, 7},
		{"answered before the end", []*Second{end(8, 5), {}}, 0},
		{"on connections of two workers", []*Second{end(10, 5), end(10, 7)}, 12},
		{"the capture ends", []*Second{end(9, 5), {Waiting: Waiting{9_500_000_000, 2, time.Second}}}, 2},
	} {
		sum := *tt.seconds[0]
		for _, s := range tt.seconds[1:] {
			sum.Merge(s)
		}
		if got := sum.Waiting.In(10 * int64(time.Second)).Requests; got != tt.want {
			t.Errorf("%s: %d wait, want %d", tt.name, got, tt.want)
		}
	}
}
