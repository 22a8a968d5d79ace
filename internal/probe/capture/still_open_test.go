package capture

import (
	"context"
	"slices"
	"testing"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
)

// slowed is a real capture whose time goes slower.
type slowed struct {
	pcap.Source
	times, first int64
}

func (s *slowed) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := s.Source.Next(ctx)
	if b != nil {
		for i := range b.Packets {
			p := &b.Packets[i]
			if s.first == 0 {
				s.first = p.Time - p.Time%int64(time.Second)
			}
			p.Time = s.first + (p.Time-s.first)*s.times
		}
	}
	return b, err
}

func openSlowed(t *testing.T, times int64) pcap.Source {
	t.Helper()
	src, err := pcap.OpenFile("../../packet/proto/cassandra/testdata/cassandra5-v5.pcap")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return &slowed{Source: src, times: times}
}

// kept keeps all transactions.
type kept struct {
	engine.Nop
	all *[]rt.Transaction
}

func (k kept) Transaction(t *rt.Transaction) { *k.all = append(*k.all, *t) }

// A request that is open over several intervals waits in each of them, as long as it did then,
// and is answered once: all by what the same capture tells when it is read as a whole.
func TestWhatIsOpenOverIntervals(t *testing.T) {
	const times, every = 10, time.Second
	var all []rt.Transaction
	if _, err := engine.Run(t.Context(), openSlowed(t, times), engine.Options{Workers: 1, Collector: func(int) engine.Collector { return kept{all: &all} }}); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		var answered, waited int64
		intervals := map[time.Time]int{}
		o := Options{Source: "x", Every: every, Engine: engine.Options{Workers: workers}}
		_, err := ReadIntervals(t.Context(), openSlowed(t, times), o, func(r *Result) {
			for _, s := range r.Seconds {
				answered += s.Count
			}
			end := r.Interval.Add(every)
			for _, row := range r.Unanswered {
				waited += row.Count
				if !r.complete {
					intervals[row.At]++
				}
				if end.Before(row.At) || !r.complete && row.Longest != end.Sub(row.At) {
					t.Errorf("in the interval to %v: %+v", end, row)
				}
				if !r.complete && !slices.ContainsFunc(all, func(x rt.Transaction) bool {
					asked := x.Start + int64(x.Upload)
					return asked == row.At.UnixNano() && (!x.Usable() || x.Start+int64(x.Total()) >= end.UnixNano())
				}) {
					t.Errorf("nothing waits at %v: %+v", end, row)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		usable, most := int64(0), 0
		for i := range all {
			if all[i].Usable() {
				usable++
			}
		}
		for _, n := range intervals {
			most = max(most, n)
		}
		if answered != usable || waited == 0 || most < 3 {
			t.Errorf("%d workers: %d answered, want %d; %d waits, one of them over %d intervals, want 3 or more", workers, answered, usable, waited, most)
		}
	}
}

// A window of a capture that goes on after it has what waits at its end.
func TestWhatIsOpenAtTheEndOfAWindow(t *testing.T) {
	const times = 10
	var rows []recording.PacketUnanswered
	var all []rt.Transaction
	if _, err := engine.Run(t.Context(), openSlowed(t, times), engine.Options{Workers: 1, Collector: func(int) engine.Collector { return kept{all: &all} }}); err != nil {
		t.Fatal(err)
	}
	longest := slices.MaxFunc(all, func(a, b rt.Transaction) int { return int(a.RT - b.RT) })
	end := time.Unix(0, longest.Start+int64(longest.Total())/2)
	o := Options{Source: "x", From: end.Add(-time.Hour), To: end, Engine: engine.Options{Workers: 2}}
	if _, err := ReadIntervals(t.Context(), openSlowed(t, times), o, func(r *Result) { rows = append(rows, r.Unanswered...) }); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(rows, func(r recording.PacketUnanswered) bool {
		return r.At.UnixNano() == longest.Start+int64(longest.Upload) && r.Longest == end.Sub(r.At)
	}) {
		t.Errorf("%s, which waits from %v on, is not among %+v", longest.Command, time.Unix(0, longest.Start), rows)
	}
}
