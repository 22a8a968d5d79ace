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
	for i := range waited {
		w := &waited[i]
		off.covers(w.At, w.Span, waitUnit)
		stack := []string{"runnable, without a CPU"}
		if w.State != "R" {
			stack = strings.Split(w.Stack, ";")
			if w.UserStack != "" {
				stack = append(stack, strings.Split(w.UserStack, ";")...)
			}
			stack = append(stack, w.Thread)
		}
		counter(off.Kind, w.PID, w.Process).AddTimes(stack, w.State, w.TID, w.Thread, int64(w.Waited/waitUnit))
	}
	finish(off)
	sortStacks(p.Stacks)
	return p
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
