package main

import (
	"io"
	"os"
	"testing"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/recording"
)

// The table of the whole run divides by all of its readings, also by those without events.
func TestTraceSumsOfTheRun(t *testing.T) {
	var watched []time.Duration
	trace := &sumTrace[recording.SyncSum, int]{traceJob: &traceJob{}, out: io.Discard, columns: make([]document.Column, 1),
		wanted: func(*recording.SyncSum) bool { return true },
		took:   func(*int) time.Duration { return 0 },
		cells:  func(*int) []string { return nil },
		sum:    func(_ []recording.SyncSum, w time.Duration) []int { watched = append(watched, w); return nil },
	}
	for s := range 10 {
		at := time.Unix(int64(s), 0)
		rec := recording.New(recording.Manifest{})
		w := recording.NewWriter(at)
		recording.Append(w, recording.EventProgram{At: at, Probe: "sync", Program: "entered", Span: time.Second}, recording.EventProgram{At: at, Probe: "sync", Program: "left", Attached: time.Second})
		if s < 2 {
			recording.Append(w, recording.SyncSum{At: at, PID: 7, Process: "batch", Call: "fsync", Span: time.Second, Calls: 20})
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		if err := trace.sample(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := trace.end(); err != nil {
		t.Fatal(err)
	}
	if len(watched) != 3 || watched[0] != 0 || watched[2] != 10*time.Second {
		t.Errorf("%v", watched)
	}
}

// Waits of rtrail's own threads are nobody's answer, unless they are asked for.
func TestTraceWithoutOwnWaits(t *testing.T) {
	own, other := recording.OffCPUWait{PID: int32(os.Getpid()), Process: "rtrail"}, recording.OffCPUWait{PID: 1, Process: "init"}
	for _, tc := range []struct {
		name string
		job  traceJob
		want [2]bool
	}{
		{"all", traceJob{}, [2]bool{false, true}},
		{"by PID", traceJob{pids: []int32{own.PID}}, [2]bool{true, false}},
		{"by name", traceJob{names: []string{"rtrail"}}, [2]bool{true, false}},
	} {
		if got := [2]bool{tc.job.wantsWaits(&own), tc.job.wantsWaits(&other)}; got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
