package view

import (
	"math"
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
	got := SumSyscalls(rows, 0)
	// Slices are a fortieth of ten seconds.
	if len(got) != 1 || got[0].Calls != 100+25*16 || got[0].Time != time.Second+25*64*time.Millisecond {
		t.Errorf("got %+v", got)
	}
	if want := 500.0 / 12; got[0].PerSecond < want-0.1 || got[0].PerSecond > want+0.1 {
		t.Errorf("%v a second, want %v", got[0].PerSecond, want)
	}
	rows[1].Traced, rows[2].Traced, rows[1].Calls = 1, 1, 1<<40
	if got := SumSyscalls(rows, 0); got[0].Calls <= 0 {
		t.Errorf("of next to no time: %+v", got)
	}
}

// Each table of sums is scaled.
func TestEachSumOfSlices(t *testing.T) {
	at, span, part := time.Unix(10, 0), 10*time.Second, time.Second
	for what, got := range map[string]int64{
		"packets dropped": SumDrops([]recording.PacketDrop{{At: at, Span: span, Traced: part, Packets: 3, Bytes: 300}}, 0)[0].Packets,
		"bytes dropped":   SumDrops([]recording.PacketDrop{{At: at, Span: span, Traced: part, Bytes: 3}}, 0)[0].Bytes,
		"segments":        SumTCPEvents([]recording.TCPEvent{{At: at, Span: span, Traced: part, Packets: 3}}, 0)[0].Packets,
		"failed segments": SumTCPEvents([]recording.TCPEvent{{At: at, Span: span, Traced: part, Failed: 3}}, 0)[0].Failed,
		"full buffers":    SumReceiveBuffers([]recording.ReceiveBuffer{{At: at, Span: span, Traced: part, Times: 3}}, 0)[0].Times,
		"connects":        SumConnects([]recording.Connect{{At: at, Span: span, Traced: part, Connects: 3}}, 0)[0].Count,
		"connect time":    int64(SumConnects([]recording.Connect{{At: at, Span: span, Traced: part, Time: 3}}, 0)[0].Time),
		"pages asked for": SumCache([]recording.CacheSum{{At: at, Span: span, Traced: part, Read: 1, Faulted: 2}}, 0)[0].Asked,
		"pages missed":    SumCache([]recording.CacheSum{{At: at, Span: span, Traced: part, Added: 5, Fresh: 2}}, 0)[0].Missed,
		"pages removed":   SumCache([]recording.CacheSum{{At: at, Span: span, Traced: part, Removed: 3}}, 0)[0].Removed,
	} {
		if got != 30 {
			t.Errorf("%s: %d of a tenth of the time with 3", what, got)
		}
	}
}

// What happened in one reading is divided by all readings that the source made, once for
// each however many programs it has.
func TestSumsOfReadingsWithoutEvents(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(at(0))
	for s := 1; s <= 60; s++ {
		recording.Append(w,
			recording.EventProgram{At: at(s), Probe: "sync", Program: "entered", Span: time.Second, Attached: time.Second},
			recording.EventProgram{At: at(s), Probe: "sync", Program: "left", Attached: time.Second},
			recording.EventProgram{At: at(s), Probe: "connects", Program: "connected", Span: 2 * time.Second, Attached: 2 * time.Second},
		)
	}
	recording.Append(w, recording.SyncSum{At: at(20), PID: 7, Process: "batch", Call: "fsync", Path: "/srv/a", Span: time.Second, Calls: 20, Time: 900 * time.Millisecond})
	recording.Append(w, recording.BlockSum{At: at(20), Device: "sda", PID: 7, Span: 2 * time.Second, Requests: 20})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at(0), at(60))
	if got := v.Syncs(); len(got) != 1 || math.Abs(got[0].Mean-0.015) > 1e-9 || math.Abs(got[0].PerSecond-1.0/3) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if got := v.BlockIO(); len(got) != 1 || got[0].PerSecond != 10 { // its programs told nothing
		t.Errorf("%+v", got)
	}
	if got := New(rec, at(15), at(24)).Syncs(); len(got) != 1 || math.Abs(got[0].Mean-0.09) > 1e-9 {
		t.Errorf("%+v", got)
	}
}

// Histograms are scaled like the counts beside them.
func TestStepsOfSlices(t *testing.T) {
	got := SumSyncs([]recording.SyncSum{
		{At: time.Unix(2, 0), PID: 7, Span: 2 * time.Second, Calls: 20, Histogram: "64us:20"},
		{At: time.Unix(10, 0), PID: 7, Span: 8 * time.Second, Traced: 800 * time.Millisecond, Calls: 3, Histogram: "64us:1 128us:2"},
	}, 0)
	want := Steps{{64 * time.Microsecond, 30}, {128 * time.Microsecond, 20}}
	if len(got) != 1 || got[0].Calls != 50 || !slices.Equal(got[0].Steps, want) {
		t.Errorf("got %+v", got)
	}
}

// A window that was cut out of a recording begins and ends within readings: what is missing
// of these is not counted as time without events, but readings without rows are.
func TestSumsOfCutWindows(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(at(0))
	for s := 1; s <= 96; s++ {
		recording.Append(w, recording.EventProgram{At: at(s), Probe: "files", Program: "file_used", Attached: 100 * time.Millisecond, Span: time.Second})
		if s%8 == 0 && s <= 64 {
			recording.Append(w, recording.FileSum{At: at(s), PID: 7, Process: "p", Kind: recording.FileRegular, Path: "/srv/x", Device: "8:1", Span: 8 * time.Second, Traced: 800 * time.Millisecond, Reads: 800})
		}
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ from, to, want int }{{0, 64, 1000}, {20, 30, 1000}, {17, 31, 1000}, {9, 23, 1000}, {10, 20, 1000}, {23, 33, 1000}, {16, 24, 1000}, {0, 96, 667}, {57, 80, 333}} {
		for _, u := range New(rec, at(tt.from), at(tt.to)).FileUses() {
			if got := u.PerSecond(u.Reads); math.Round(got) != float64(tt.want) {
				t.Errorf("from %d to %d: %v a second, want %d", tt.from, tt.to, got, tt.want)
			}
		}
	}
}
