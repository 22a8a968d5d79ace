package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/blockio"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func newBlockTrace(j *traceJob, out io.Writer) tracer {
	return &sumTrace[recording.BlockSum, view.BlockIO]{
		traceJob: j, out: out, reads: blockio.New(), columns: blockColumns, sum: view.SumBlockIO, cells: blockCells,
		wanted: func(r *recording.BlockSum) bool { return j.wants(r.PID, r.Process) },
		took:   func(b *view.BlockIO) time.Duration { return max(b.QueueLongest, b.ServiceLongest) },
		line:   func(at time.Time, b *view.BlockIO) any { return blockLine(at, b) },
	}
}

var blockColumns = []document.Column{
	{Name: "disk"}, {Name: "op"}, {Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "I/O", Right: true}, {Name: "I/O/s", Right: true, Drop: 4}, {Name: "bytes", Right: true, Drop: 3},
	{Name: "queue", Right: true}, {Name: "queue 99 %", Right: true, Drop: 1}, {Name: "device", Right: true}, {Name: "device 99 %", Right: true, Drop: 2},
}

func blockCells(b *view.BlockIO) []string {
	n := time.Duration(max(b.Requests, 1))
	return []string{b.Device, b.Operation, b.Process, strconv.Itoa(int(b.PID)), unit.Count(b.Requests).String(), unit.Count(b.PerSecond).String(), fmt.Sprint(unit.Bytes(b.Bytes)),
		took(b.Queue / n), took(min(b.QueueSteps.AtMost(0.99), b.QueueLongest)), took(b.Service / n), took(min(b.ServiceSteps.AtMost(0.99), b.ServiceLongest))}
}

// tracedBlock is the JSON form of a sum.
type tracedBlock struct {
	At             time.Time    `json:"at"`
	Device         string       `json:"device"`
	Operation      string       `json:"operation"`
	Process        string       `json:"process"`
	PID            int32        `json:"pid"`
	Requests       int64        `json:"requests"`
	Bytes          int64        `json:"bytes"`
	Queue          float64      `json:"queue_seconds"`
	QueueLongest   float64      `json:"queue_longest_seconds"`
	QueueSteps     []tracedStep `json:"queue_histogram"`
	Service        float64      `json:"device_seconds"`
	ServiceLongest float64      `json:"device_longest_seconds"`
	ServiceSteps   []tracedStep `json:"device_histogram"`
}

func blockLine(at time.Time, b *view.BlockIO) tracedBlock {
	return tracedBlock{At: at, Device: b.Device, Operation: b.Operation, Process: b.Process, PID: b.PID, Requests: b.Requests, Bytes: b.Bytes,
		Queue: b.Queue.Seconds(), QueueLongest: b.QueueLongest.Seconds(), QueueSteps: stepLines(b.QueueSteps),
		Service: b.Service.Seconds(), ServiceLongest: b.ServiceLongest.Seconds(), ServiceSteps: stepLines(b.ServiceSteps)}
}
