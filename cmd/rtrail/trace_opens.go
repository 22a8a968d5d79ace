package main

import (
	"io"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/document"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/opens"
	"rtrail/internal/recording"
)

// openTrace prints files as they are opened, an event a line.
type openTrace struct {
	*traceJob
	filter *fileFilter
	failed *bool // only those that failed
	out    io.Writer
	lines  *document.Lines // nil before the first one
}

func newOpensTrace(j *traceJob, filter *fileFilter, failed *bool, out io.Writer) *openTrace {
	return &openTrace{traceJob: j, filter: filter, failed: failed, out: out}
}

func (t *openTrace) source() event.Source { return opens.New() }

// Those of opensnoop, with the name of the error.
var openColumns = []document.Column{
	{Name: clockColumn(), Fixed: 12}, {Name: "PID", Right: true, Fixed: 7}, {Name: "COMM", Fixed: 15}, {Name: "FD", Right: true, Fixed: 4}, {Name: "ERR", Fixed: 12}, {Name: "PATH", Cut: true, Fixed: 256},
}

func (t *openTrace) sample(rec *recording.Recording) error {
	var b []byte
	for _, e := range recording.Rows[recording.FileOpen](rec) {
		switch {
		case !t.wants(e.PID, e.Process) || !t.filter.wants(e.Path) || *t.failed && e.Error == 0:
			continue
		case t.json:
			var err error
			if b, err = document.AppendJSON(b, openLine(e)); err != nil {
				return err
			}
			b = append(b, '\n')
			continue
		}
		if t.lines == nil {
			t.lines = document.FixedLines(openColumns, lineWidth(t.out))
			b = t.lines.AppendNames(b)
		}
		b = t.lines.Append(b, openCells(e))
	}
	_, err := t.out.Write(b)
	return err
}

func (t *openTrace) end() error { return nil }

func openCells(e recording.FileOpen) []string {
	return []string{clockOf(e.At), strconv.Itoa(int(e.PID)), e.Process, strconv.Itoa(int(e.FD)), errorName(e.Error), e.Path}
}

// errorName is ENOENT for 2; "" for none.
func errorName(number int32) string {
	if number == 0 {
		return ""
	}
	if name := unix.ErrnoName(unix.Errno(number)); name != "" {
		return name
	}
	return strconv.Itoa(int(number))
}

// tracedOpen is the JSON form of an event.
type tracedOpen struct {
	At      time.Time `json:"at"`
	Process string    `json:"process"`
	PID     int32     `json:"pid"`
	FD      *int32    `json:"fd,omitempty"`
	Error   string    `json:"error,omitempty"`
	Flags   uint32    `json:"flags"`
	Path    string    `json:"path"`
}

func openLine(e recording.FileOpen) tracedOpen {
	l := tracedOpen{At: e.At, Process: e.Process, PID: e.PID, Error: errorName(e.Error), Flags: e.Flags, Path: e.Path}
	if e.Error == 0 {
		l.FD = &e.FD
	}
	return l
}
