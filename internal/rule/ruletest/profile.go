package ruletest

import (
	"time"

	"rtrail/internal/recording"
)

// OnCPU adds samples of what processes did on the CPUs, at the end of the window.
func (h *Host) OnCPU(rows ...recording.OnCPUSample) *Host {
	for _, r := range rows {
		r.At, r.Every, r.Span = Start.Add(dur(h.Seconds)-time.Millisecond), time.Second/49, dur(h.Seconds)
		Add(h, r)
	}
	return h
}
