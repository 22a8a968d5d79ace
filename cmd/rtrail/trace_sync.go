package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/syncs"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func newSyncTrace(j *traceJob, filter *fileFilter, out io.Writer) tracer {
	return &sumTrace[recording.SyncSum, view.Sync]{
		traceJob: j, out: out, reads: syncs.New(), columns: syncColumns, sum: view.SumSyncs, cells: syncCells,
		wanted: func(r *recording.SyncSum) bool { return j.wants(r.PID, r.Process) && filter.wants(r.Path) },
		took:   func(s *view.Sync) time.Duration { return s.Longest },
		line:   func(at time.Time, s *view.Sync) any { return syncLine(at, s) },
	}
}

var syncColumns = []document.Column{
	{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "syscall"}, {Name: "calls", Right: true}, {Name: "s/s", Right: true}, {Name: "average", Right: true},
	{Name: "99 %", Right: true, Drop: 1}, {Name: "longest", Right: true}, {Name: "errors", Right: true, Drop: 2}, {Name: "file", Cut: true},
}

func syncCells(s *view.Sync) []string {
	return []string{s.Process, strconv.Itoa(int(s.PID)), s.Call, unit.Count(s.Calls).String(), fmt.Sprintf("%.3f", s.Mean), ofSome(s.Calls, took, s.Average()),
		ofSome(int64(len(s.Steps)), took, s.AtMost(0.99)), longest(s.Longest, s.Sliced), unit.Count(s.Errors).String(), s.Path}
}

// ofSome writes a mean or quantile of calls, or nothing without any: of what is counted in
// slices there may be only calls that go on.
func ofSome(calls int64, write func(time.Duration) string, d time.Duration) string {
	if calls == 0 {
		return ""
	}
	return write(d)
}

// tracedSync is the JSON form of a sum.
type tracedSync struct {
	At        time.Time    `json:"at"`
	Process   string       `json:"process"`
	PID       int32        `json:"pid"`
	Call      string       `json:"syscall"`
	Path      string       `json:"path,omitempty"`
	Device    string       `json:"device,omitempty"`
	Calls     int64        `json:"calls"`
	PerSecond float64      `json:"calls_per_second"`
	Errors    int64        `json:"errors"`
	Seconds   float64      `json:"seconds"`
	Longest   float64      `json:"longest_seconds"`
	Histogram []tracedStep `json:"histogram"`
}

func syncLine(at time.Time, s *view.Sync) tracedSync {
	return tracedSync{At: at, Process: s.Process, PID: s.PID, Call: s.Call, Path: s.Path, Device: s.Device, Calls: s.Calls, PerSecond: s.PerSecond, Errors: s.Errors,
		Seconds: s.Time.Seconds(), Longest: s.Longest.Seconds(), Histogram: stepLines(s.Steps)}
}
