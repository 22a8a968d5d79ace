package view

import (
	"time"

	"rtrail/internal/recording"
)

// ratedValue is a counter of a process of which there is a rate.
type ratedValue int

const (
	ratedUser ratedValue = iota
	ratedSystem
	ratedChildUser
	ratedChildSystem
	ratedRunDelay
	ratedBlockDelay
	ratedSwapDelay
	ratedVoluntary
	ratedInvoluntary
	ratedMinorFaults
	ratedMajorFaults
	ratedReadBytes
	ratedWriteBytes
	ratedReadChars
	ratedWriteChars
	ratedReadCalls
	ratedWriteCalls
	numRated
)

// rated reads the counters, times in seconds; negative if Unknown.
var rated = [numRated]func(*recording.ProcessSample) float64{
	ratedUser:        func(s *recording.ProcessSample) float64 { return known(s.User) },
	ratedSystem:      func(s *recording.ProcessSample) float64 { return known(s.System) },
	ratedChildUser:   func(s *recording.ProcessSample) float64 { return known(s.ChildUser) },
	ratedChildSystem: func(s *recording.ProcessSample) float64 { return known(s.ChildSystem) },
	ratedRunDelay:    func(s *recording.ProcessSample) float64 { return known(s.RunDelay) },
	ratedBlockDelay:  func(s *recording.ProcessSample) float64 { return known(s.BlockDelay) },
	ratedSwapDelay:   func(s *recording.ProcessSample) float64 { return known(s.SwapDelay) },
	ratedVoluntary:   func(s *recording.ProcessSample) float64 { return float64(s.Voluntary) },
	ratedInvoluntary: func(s *recording.ProcessSample) float64 { return float64(s.Involuntary) },
	ratedMinorFaults: func(s *recording.ProcessSample) float64 { return float64(s.MinorFaults) },
	ratedMajorFaults: func(s *recording.ProcessSample) float64 { return float64(s.MajorFaults) },
	ratedReadBytes:   func(s *recording.ProcessSample) float64 { return float64(s.ReadBytes) },
	ratedWriteBytes:  func(s *recording.ProcessSample) float64 { return float64(s.WriteBytes) },
	ratedReadChars:   func(s *recording.ProcessSample) float64 { return float64(s.ReadChars) },
	ratedWriteChars:  func(s *recording.ProcessSample) float64 { return float64(s.WriteChars) },
	ratedReadCalls:   func(s *recording.ProcessSample) float64 { return float64(s.ReadCalls) },
	ratedWriteCalls:  func(s *recording.ProcessSample) float64 { return float64(s.WriteCalls) },
}

// known turns a duration into seconds and keeps Unknown negative.
func known(d time.Duration) float64 {
	if d < 0 {
		return recording.Unknown
	}
	return d.Seconds()
}

// knownRate is the growth per second between the first and the last sample
// whose value is not Unknown: light rows between two full ones must not stretch
// or shorten their time. A sum over live threads falls when a thread ends: the
// fall is skipped, not taken for a reset from which everything counts anew.
type knownRate struct {
	first, last time.Time
	value       float64 // the last one
	delta       float64
	seen        int
	born        bool // first is when the process began
}

func (r *knownRate) add(value float64, at time.Time) {
	if value < 0 {
		return
	}
	if r.seen == 0 {
		r.first = at
	} else if value > r.value {
		r.delta += value - r.value
	}
	r.value, r.last = value, at
	r.seen++
}

// perSecond is NaN with fewer than two samples.
func (r *knownRate) perSecond() float64 {
	seconds := r.last.Sub(r.first).Seconds()
	if r.seen < 2 || seconds <= 0 {
		return Unknown
	}
	if r.born {
		seconds = max(seconds, shortLife)
	}
	return r.delta / seconds
}

// shortLife is the time, in seconds, that rates of a process which began in
// the window are at least taken over. The kernel counts in ticks of 10 ms: a
// process 20 ms old would show as half a core, or one.
const shortLife = 1.0
