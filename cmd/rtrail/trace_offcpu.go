package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/offcpu"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

func newOffCPUTrace(j *traceJob, out io.Writer) tracer {
	return &sumTrace[recording.OffCPUWait, view.OffCPU]{
		traceJob: j, out: out, reads: offcpu.New(j.interval), columns: offCPUColumns, sum: view.SumOffCPU, cells: offCPUCells,
		wanted: j.wantsWaits,
		took:   func(o *view.OffCPU) time.Duration { return o.Waited },
		line:   func(at time.Time, o *view.OffCPU) any { return offCPULine(at, o) },
	}
}

var offCPUColumns = []document.Column{
	{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "thread", Drop: 3}, {Name: "state"}, {Name: "s/s", Right: true}, {Name: "waits/s", Right: true, Drop: 2},
	{Name: "longest", Right: true, Drop: 1}, {Name: "waits for"}, {Name: "called by", Cut: true, Drop: 3}, {Name: "woken by", Drop: 4},
}

func offCPUCells(o *view.OffCPU) []string {
	perSecond := ""
	if o.Waits > 0 && o.Mean > 0 {
		perSecond = fmt.Sprintf("%.1f", o.Waits*o.Mean/o.Waited.Seconds())
	}
	most := ""
	if o.Longest > 0 {
		most = longest(o.Longest, o.Sliced)
	}
	thread := o.Thread
	if o.Threads > 1 {
		thread += fmt.Sprintf(" ×%d", o.Threads)
	}
	return []string{o.Process, strconv.Itoa(int(o.PID)), thread, o.State, fmt.Sprintf("%.3f", o.Mean), perSecond, most, o.For(), o.Caller, o.EndedBy()}
}

// tracedWait is the JSON form of a sum.
type tracedWait struct {
	At        time.Time `json:"at"`
	Process   string    `json:"process"`
	PID       int32     `json:"pid"`
	Thread    string    `json:"thread"`
	Threads   int       `json:"threads"`
	State     string    `json:"state"`
	Seconds   float64   `json:"seconds"`
	PerSecond float64   `json:"seconds_per_second"`
	Waits     float64   `json:"waits"`
	Longest   float64   `json:"longest_seconds"`
	Stack     []string  `json:"stack,omitempty"`
	UserStack []string  `json:"user_stack,omitempty"`
	Caller    string    `json:"called_by,omitempty"`
	Waker     string    `json:"waker,omitempty"`
	WakerPID  int32     `json:"waker_pid,omitempty"`
	WakerIn   string    `json:"waker_in,omitempty"`
	Interrupt string    `json:"interrupt,omitempty"`
}

func offCPULine(at time.Time, o *view.OffCPU) tracedWait {
	l := tracedWait{At: at, Process: o.Process, PID: o.PID, Thread: o.Thread, Threads: o.Threads, State: o.State, Seconds: o.Waited.Seconds(), PerSecond: o.Mean,
		Waits: o.Waits, Longest: o.Longest.Seconds(), Waker: o.Waker, WakerPID: o.WakerPID, WakerIn: o.WakerIn, Interrupt: o.Interrupt, Caller: o.Caller}
	if o.Stack != "" {
		l.Stack = strings.Split(o.Stack, ";")
	}
	if o.UserStack != "" {
		l.UserStack = strings.Split(o.UserStack, ";")
	}
	return l
}
