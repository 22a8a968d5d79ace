package main

import (
	"fmt"
	"io"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func newAllocTrace(j *traceJob, source event.Source, out io.Writer) tracer {
	return &sumTrace[recording.Allocation, view.Allocated]{
		traceJob: j, out: out, reads: source, columns: allocColumns, sum: unwatched(view.SumAllocations), cells: allocCells,
		wanted: func(*recording.Allocation) bool { return true },
		took:   func(*view.Allocated) time.Duration { return 0 },
		line:   func(at time.Time, a *view.Allocated) any { return allocLine(at, a) },
	}
}

var allocColumns = []document.Column{
	{Name: "not freed", Right: true}, {Name: "allocated", Right: true}, {Name: "blocks", Right: true, Drop: 1}, {Name: "function", Cut: true}, {Name: "where", Cut: true, Drop: 2}, {Name: "stack", Cut: true},
}

func allocCells(a *view.Allocated) []string {
	return []string{fmt.Sprint(unit.Bytes(a.Held)), fmt.Sprint(unit.Bytes(a.Bytes)), unit.Count(a.HeldBlocks).String(), a.Function, a.Where(), a.Stack}
}

// tracedAlloc is the JSON form of a sum.
type tracedAlloc struct {
	At        time.Time `json:"at"`
	Process   string    `json:"process"`
	PID       int32     `json:"pid"`
	Function  string    `json:"function,omitempty"`
	Module    string    `json:"module,omitempty"`
	Source    string    `json:"source,omitempty"`
	Stack     string    `json:"stack"`
	Allocated int64     `json:"allocated_bytes"`
	NotFreed  int64     `json:"not_freed_bytes"`
	Followed  int64     `json:"followed_blocks"`
	Kept      int64     `json:"followed_blocks_not_freed"`
}

func allocLine(at time.Time, a *view.Allocated) tracedAlloc {
	return tracedAlloc{At: at, Process: a.Process, PID: a.PID, Function: a.Function, Module: a.Module, Source: a.Source, Stack: a.Stack,
		Allocated: a.Bytes, NotFreed: a.Held, Followed: a.Blocks, Kept: a.HeldBlocks}
}
