package main

import (
	"io"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/connects"
	"rtrail/internal/recording"
)

// connectTrace prints connects as they end, an event a line.
type connectTrace struct {
	*traceJob
	failed *bool // only those that failed
	out    io.Writer
	lines  *document.Lines // nil before the first one
}

func newConnectsTrace(j *traceJob, failed *bool, out io.Writer) *connectTrace {
	return &connectTrace{traceJob: j, failed: failed, out: out}
}

func (t *connectTrace) source() event.Source { return connects.Each() }

// Those of tcpconnlat, with the result.
var connectColumns = []document.Column{
	{Name: clockColumn(), Fixed: 12}, {Name: "PID", Right: true, Fixed: 7}, {Name: "COMM", Fixed: 15}, {Name: "LOCAL", Fixed: 21, Drop: 1}, {Name: "REMOTE", Fixed: 21},
	{Name: "LAT", Right: true, Fixed: 12}, {Name: "RESULT", Fixed: 16},
}

func (t *connectTrace) sample(rec *recording.Recording) error {
	var b []byte
	for _, c := range recording.Rows[recording.Connect](rec) {
		switch {
		case !t.wants(c.PID, c.Process), c.Time < t.least, *t.failed && c.Result == recording.ConnectOK:
			continue
		case t.json:
			var err error
			if b, err = document.AppendJSON(b, connectLine(c)); err != nil {
				return err
			}
			b = append(b, '\n')
			continue
		}
		if t.lines == nil {
			t.lines = document.FixedLines(connectColumns, lineWidth(t.out))
			b = t.lines.AppendNames(b)
		}
		b = t.lines.Append(b, connectCells(c))
	}
	_, err := t.out.Write(b)
	return err
}

func (t *connectTrace) end() error { return nil }

func connectCells(c recording.Connect) []string {
	return []string{clockOf(c.At), strconv.Itoa(int(c.PID)), c.Process, endpoint(c.Local, c.LocalPort), endpoint(c.Remote, c.RemotePort),
		took(c.Time), c.Result}
}

// tracedConnect is the JSON form of an event.
type tracedConnect struct {
	At         time.Time `json:"at"`
	PID        int32     `json:"pid"`
	Comm       string    `json:"comm"`
	Local      string    `json:"local,omitempty"`
	LocalPort  uint16    `json:"local_port,omitempty"`
	Remote     string    `json:"remote"`
	RemotePort uint16    `json:"remote_port"`
	NetNS      uint64    `json:"netns"`
	Latency    float64   `json:"latency_seconds"`
	Result     string    `json:"result"`
}

func connectLine(c recording.Connect) tracedConnect {
	return tracedConnect{At: c.At, PID: c.PID, Comm: c.Process, Local: c.Local, LocalPort: c.LocalPort, Remote: c.Remote, RemotePort: c.RemotePort,
		NetNS: c.NetNS, Latency: c.Time.Seconds(), Result: c.Result}
}
