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
	ratedCancelled
	ratedReadChars
	ratedWriteChars
	ratedReadCalls
	ratedWriteCalls
	numRated
)

// rateAll adds the counters of a row to their rates, times in seconds; they are
// negative if Unknown. It is no table of functions: those would make each row
// escape to the heap.
func rateAll(rates *[numRated]knownRate, s *recording.ProcessSample) {
	rates[ratedUser].add(known(s.User), s.At)
	rates[ratedSystem].add(known(s.System), s.At)
	rates[ratedChildUser].add(known(s.ChildUser), s.At)
	rates[ratedChildSystem].add(known(s.ChildSystem), s.At)
	rates[ratedRunDelay].add(known(s.RunDelay), s.At)
	rates[ratedBlockDelay].add(known(s.BlockDelay), s.At)
	rates[ratedSwapDelay].add(known(s.SwapDelay), s.At)
	rates[ratedVoluntary].add(float64(s.Voluntary), s.At)
	rates[ratedInvoluntary].add(float64(s.Involuntary), s.At)
	rates[ratedMinorFaults].add(float64(s.MinorFaults), s.At)
	rates[ratedMajorFaults].add(float64(s.MajorFaults), s.At)
	rates[ratedReadBytes].add(float64(s.ReadBytes), s.At)
	rates[ratedWriteBytes].add(float64(s.WriteBytes), s.At)
	rates[ratedCancelled].add(float64(s.Cancelled), s.At)
	rates[ratedReadChars].add(float64(s.ReadChars), s.At)
	rates[ratedWriteChars].add(float64(s.WriteChars), s.At)
	rates[ratedReadCalls].add(float64(s.ReadCalls), s.At)
	rates[ratedWriteCalls].add(float64(s.WriteCalls), s.At)
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
// fall is skipped, not taken for a reset from which everything counts from 0.
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
func (r *knownRate) perSecond(missing holes) float64 {
	seconds := missing.without(r.first, r.last).Seconds()
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
