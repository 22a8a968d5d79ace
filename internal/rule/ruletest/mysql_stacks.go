package ruletest

import (
	"time"

	"rtrail/internal/recording"
)

// Stacks records what a probe counted of the stacks of one process, at the end
// of the window. Samples of a kind are the looks, or the sum of its counts.
func (h *Host) Stacks(pid int32, process string, stacks ...recording.StackSample) *Host {
	running := int64(0)
	for _, s := range stacks {
		if s.Kind == recording.StackOnCPU {
			running += s.Count
		}
	}
	for _, s := range stacks {
		s.At, s.Source, s.PID, s.Process, s.TID = Start.Add(dur(h.Seconds)-time.Millisecond), "pid of "+process, pid, process, pid+1
		if s.Kind == recording.StackOnCPU {
			s.Samples = running
		}
		if s.Samples == 0 {
			s.Samples = 20
		}
		Add(h, s)
	}
	return h
}
