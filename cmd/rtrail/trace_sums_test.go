package main

import (
	"io"
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
