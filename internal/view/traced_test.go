package view

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Sums of slices stand for all of the time, and those of all of the time for themselves.
func TestSumsOfSlices(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	rows := []recording.SyscallSum{
		{At: at(2), PID: 7, Call: "read", Span: 2 * time.Second, Calls: 100, Time: time.Second},
		{At: at(10), PID: 7, Call: "read", Span: 8 * time.Second, Traced: 300 * time.Millisecond, Calls: 10, Time: 40 * time.Millisecond},
		{At: at(12), PID: 7, Call: "read", Span: 2 * time.Second, Traced: 100 * time.Millisecond, Calls: 6, Time: 24 * time.Millisecond},
	}
	got := SumSyscalls(rows)
	// Slices are a fortieth of ten seconds.
	if len(got) != 1 || got[0].Calls != 100+25*16 || got[0].Time != time.Second+25*64*time.Millisecond {
		t.Errorf("got %+v", got)
	}
	if want := 500.0 / 12; got[0].PerSecond < want-0.1 || got[0].PerSecond > want+0.1 {
		t.Errorf("%v a second, want %v", got[0].PerSecond, want)
	}
	rows[1].Traced, rows[2].Traced, rows[1].Calls = 1, 1, 1<<40
	if got := SumSyscalls(rows); got[0].Calls <= 0 {
		t.Errorf("of next to no time: %+v", got)
	}
}

// Histograms are scaled like the counts beside them.
func TestStepsOfSlices(t *testing.T) {
	got := SumSyncs([]recording.SyncSum{
		{At: time.Unix(2, 0), PID: 7, Span: 2 * time.Second, Calls: 20, Histogram: "64us:20"},
		{At: time.Unix(10, 0), PID: 7, Span: 8 * time.Second, Traced: 800 * time.Millisecond, Calls: 3, Histogram: "64us:1 128us:2"},
	})
	want := Steps{{64 * time.Microsecond, 30}, {128 * time.Microsecond, 20}}
	if len(got) != 1 || got[0].Calls != 50 || !slices.Equal(got[0].Steps, want) {
		t.Errorf("got %+v", got)
	}
}
