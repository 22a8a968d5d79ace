package opens

import (
	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// row makes a row of an event.
func (s *Source) row(b []byte) (row recording.FileOpen, err error) {
	n, err := event.ParseNamed(b)
	if err != nil {
		return row, err
	}
	row = recording.FileOpen{At: s.clock.Monotonic.Add(n.At), Started: s.clock.Started(n.Started), PID: n.PID, FD: n.Result, Flags: n.Flags, Process: n.Process, Path: n.Path}
	if row.FD < 0 {
		row.FD, row.Error = recording.Unknown, -row.FD
	}
	return row, nil
}
