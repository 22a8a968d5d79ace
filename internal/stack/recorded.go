package stack

import (
	"strings"
	"time"

	"rtrail/internal/recording"
)

// waitUnit is what a count of waiting stands for in profiles of recordings.
const waitUnit = time.Millisecond

// Recorded makes a profile of what a recording tells of all processes: functions
// that ran, and where threads waited. Both may be empty.
func Recorded(name string, ran []recording.OnCPUSample, waited []recording.OffCPUWait) *Profile {
	p := &Profile{}
	on := Source{Name: name, Format: string(recording.OnCPU), Kind: recording.StackOnCPU}
	counters := map[int32]*Counter{}
	counter := func(kind string, pid int32, process string) *Counter {
		c := counters[pid]
		if c == nil {
			c = NewCounter(kind, pid, process)
			counters[pid] = c
		}
		return c
	}
	finish := func(source Source) {
		for _, c := range counters {
			source.Samples += c.Total
			source.Threads += c.Total
			c.addTo(p, c.Total)
		}
		clear(counters)
		if source.Samples > 0 {
			p.Sources = append(p.Sources, source)
		}
	}
	for i := range ran {
		r := &ran[i]
		on.covers(r.At, r.Span, r.Every)
		stack := r.Stack
		if stack == "" {
			stack = "?? (several stacks)"
		}
		counter(on.Kind, r.PID, r.Process).AddTimes(strings.Split(stack, ";"), "", 0, "", r.Samples)
	}
	finish(on)
	off := Source{Name: name, Format: string(recording.OffCPU), Kind: recording.StackOffCPU, Timed: true}
	times := timesOfSlices(waited)
	for i := range waited {
		w := &waited[i]
		off.covers(w.At, w.Span, waitUnit)
		stack := []string{"runnable, without a CPU"}
		if w.State != "R" {
			stack = append(strings.Split(w.Stack, ";"), w.Thread)
		}
		counter(off.Kind, w.PID, w.Process).AddTimes(stack, w.State, w.TID, w.Thread, int64(whole(w, times)/waitUnit))
	}
	finish(off)
	sortStacks(p.Stacks)
	return p
}

// timesOfSlices is by what waits in slices of the time are multiplied: the same for all
// readings, as what one of them traced varies by chance.
func timesOfSlices(waited []recording.OffCPUWait) float64 {
	const most = 10_000
	var span, traced time.Duration
	seen := map[time.Time]bool{}
	for i := range waited {
		if w := &waited[i]; sliced(w) && !seen[w.At] {
			seen[w.At] = true
			span, traced = span+w.Span, traced+w.Traced
		}
	}
	if traced <= 0 {
		return 1
	}
	return min(span.Seconds()/traced.Seconds(), most)
}

func sliced(w *recording.OffCPUWait) bool { return w.Traced > 0 && w.Traced < w.Span }

// whole is a waiting time, where slices of the time were traced scaled to all of it.
func whole(w *recording.OffCPUWait, times float64) time.Duration {
	if !sliced(w) {
		return w.Waited
	}
	return time.Duration(float64(w.Waited) * times)
}

// covers widens the time of a source by a stretch that ends somewhere.
func (s *Source) covers(end time.Time, span, every time.Duration) {
	begin := end.Add(-span)
	if s.At.IsZero() {
		s.At, s.Length = begin, span
	}
	last := s.At.Add(s.Length)
	if begin.Before(s.At) {
		s.At = begin
	}
	if end.After(last) {
		last = end
	}
	s.Length, s.Every = last.Sub(s.At), every
}

// Timed says whether counts of a kind of stacks are nothing but times.
func (p *Profile) Timed(kind string) bool {
	for _, s := range p.Sources {
		if s.Kind == kind && s.Timed {
			return true
		}
	}
	return false
}
