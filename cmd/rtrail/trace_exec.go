package main

import (
	"io"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/exec"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// execTrace prints the life of processes, an event a line.
type execTrace struct {
	*traceJob
	out   io.Writer
	lines *document.Lines // nil before the first one
}

func newExecTrace(j *traceJob, out io.Writer) *execTrace { return &execTrace{traceJob: j, out: out} }

func (t *execTrace) source() event.Source { return exec.New() }

var execColumns = []document.Column{
	{Name: clockColumn(), Fixed: 12}, {Name: "EVENT", Fixed: 5}, {Name: "PID", Right: true, Fixed: 7}, {Name: "PPID", Right: true, Fixed: 7}, {Name: "COMM", Fixed: 15},
	{Name: "AGE", Right: true, Fixed: 11, Drop: 1}, {Name: "CPU", Right: true, Fixed: 11, Drop: 2}, {Name: "END", Fixed: 8}, {Name: "ARGS", Cut: true, Fixed: 256},
}

func (t *execTrace) sample(rec *recording.Recording) error {
	var b []byte
	for _, e := range recording.Rows[recording.ProcessEvent](rec) {
		switch {
		case !t.wants(e.PID, e.Comm) && !(len(t.names) == 0 && t.wants(e.PPID)), t.least > 0 && e.Lifetime < t.least:
			continue
		case t.json:
			var err error
			if b, err = document.AppendJSON(b, execLine(e)); err != nil {
				return err
			}
			b = append(b, '\n')
			continue
		case e.Kind == recording.ProcessForked:
			continue // the exec or the end that follows says more
		}
		if t.lines == nil {
			t.lines = document.FixedLines(execColumns, lineWidth(t.out))
			b = t.lines.AppendNames(b)
		}
		b = t.lines.Append(b, execCells(e))
	}
	_, err := t.out.Write(b)
	return err
}

func (t *execTrace) end() error { return nil }

func execCells(e recording.ProcessEvent) []string {
	age, cpu, ending := "", "", ""
	if e.Kind == recording.ProcessExited {
		age, cpu = took(e.Lifetime), took(e.CPUTime)
		if ending = "exit " + strconv.Itoa(int(e.Status)); e.Signal > 0 {
			ending = "signal " + strconv.Itoa(int(e.Signal))
		}
	}
	return []string{clockOf(e.At), e.Kind, strconv.Itoa(int(e.PID)), strconv.Itoa(int(e.PPID)), e.Comm, age, cpu, ending, e.Cmdline}
}

func took(d time.Duration) string { return unit.Duration(d).String() }

// clockColumn is the name of a column of times, with their zone.
func clockColumn() string { return "TIME " + time.Now().Format("MST") }

func clockOf(at time.Time) string { return at.Local().Format("15:04:05.000") }

// longest prints the longest wait or call: of those in slices of the time only a part is
// known.
func longest(d time.Duration, sliced bool) string {
	if sliced {
		return ">" + took(d)
	}
	return took(d)
}

// tracedProcess is the JSON form of an event.
type tracedProcess struct {
	At       time.Time `json:"at"`
	Event    string    `json:"event"`
	PID      int32     `json:"pid"`
	PPID     int32     `json:"ppid"`
	Comm     string    `json:"comm"`
	Args     string    `json:"args,omitempty"`
	Lifetime *float64  `json:"lifetime_seconds,omitempty"`
	CPU      *float64  `json:"cpu_seconds,omitempty"`
	Status   *int32    `json:"exit_status,omitempty"`
	Signal   int32     `json:"signal,omitempty"`
}

func execLine(e recording.ProcessEvent) tracedProcess {
	l := tracedProcess{At: e.At, Event: e.Kind, PID: e.PID, PPID: e.PPID, Comm: e.Comm, Args: e.Cmdline, Signal: e.Signal}
	if e.Kind == recording.ProcessExited {
		lifetime, cpu := e.Lifetime.Seconds(), e.CPUTime.Seconds()
		l.Lifetime, l.CPU = &lifetime, &cpu
		if e.Signal == 0 {
			l.Status = &e.Status
		}
	}
	return l
}
