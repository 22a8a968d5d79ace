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

func newLocksTrace(j *traceJob, out io.Writer) tracer {
	return &sumTrace[recording.OffCPUWait, view.Lock]{
		traceJob: j, out: out, reads: offcpu.New(j.interval), columns: lockColumns, sum: view.SumLocks, cells: lockCells,
		wanted: func(r *recording.OffCPUWait) bool { return r.Lock != 0 && j.wantsWaits(r) },
		took:   func(l *view.Lock) time.Duration { return l.Longest },
		line:   func(at time.Time, l *view.Lock) any { return lockLine(at, l) },
	}
}

var lockColumns = []document.Column{
	{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "futex", Drop: 3}, {Name: "kind"}, {Name: "threads", Right: true}, {Name: "s/s", Right: true},
	{Name: "waits/s", Right: true, Drop: 2}, {Name: "longest", Right: true}, {Name: "called by", Cut: true, Drop: 3}, {Name: "released by"}, {Name: "TID", Right: true, Drop: 1}, {Name: "which slept in", Drop: 4},
}

func lockCells(l *view.Lock) []string {
	perSecond, tid := "", ""
	if l.Waits > 0 && l.Mean > 0 {
		perSecond = fmt.Sprintf("%.1f", l.Waits*l.Mean/l.Waited.Seconds())
	}
	if l.HolderTID > 0 {
		tid = strconv.Itoa(int(l.HolderTID))
	}
	return []string{l.Process, strconv.Itoa(int(l.PID)), fmt.Sprintf("%#x", l.Address), lockKind(l), strconv.Itoa(l.Threads), fmt.Sprintf("%.3f", l.Mean), perSecond,
		longest(l.Longest, l.Sliced), l.Caller, l.Holder, tid, l.HolderFor}
}

func lockKind(l *view.Lock) string {
	if l.Mutex {
		return "lock"
	}
	return "other"
}

// tracedLock is the JSON form of a sum.
type tracedLock struct {
	At        time.Time `json:"at"`
	Process   string    `json:"process"`
	PID       int32     `json:"pid"`
	Futex     string    `json:"futex"`
	Kind      string    `json:"kind"`
	Threads   int       `json:"threads"`
	Seconds   float64   `json:"seconds"`
	PerSecond float64   `json:"seconds_per_second"`
	Waits     float64   `json:"waits"`
	Longest   float64   `json:"longest_seconds"`
	Caller    string    `json:"called_by,omitempty"`
	UserStack []string  `json:"user_stack,omitempty"`
	Holder    string    `json:"released_by,omitempty"`
	HolderPID int32     `json:"released_by_pid,omitempty"`
	HolderTID int32     `json:"released_by_tid,omitempty"`
	Released  float64   `json:"released_seconds"`
	HolderFor string    `json:"slept_in,omitempty"`
	Slept     float64   `json:"slept_seconds"`
}

func lockLine(at time.Time, l *view.Lock) tracedLock {
	line := tracedLock{At: at, Process: l.Process, PID: l.PID, Futex: fmt.Sprintf("%#x", l.Address), Kind: lockKind(l), Threads: l.Threads, Seconds: l.Waited.Seconds(), PerSecond: l.Mean,
		Waits: l.Waits, Longest: l.Longest.Seconds(), Holder: l.Holder, HolderPID: l.HolderPID, HolderTID: l.HolderTID, Released: l.Released.Seconds(),
		HolderFor: l.HolderFor, Slept: l.HolderSlept.Seconds(), Caller: l.Caller}
	if l.UserStack != "" {
		line.UserStack = strings.Split(l.UserStack, ";")
	}
	return line
}
