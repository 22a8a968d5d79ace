package event

import "time"

// Stretch is the time since sums were read last.
type Stretch struct {
	set     *Set
	from    time.Time
	counted time.Duration // by the set, up to from
}

// Traced is how long a stretch was, and for which part of it programs counted.
type Traced struct{ Span, Part time.Duration }

// Begin is called right before programs are attached.
func (s *Stretch) Begin(set *Set) {
	*s = Stretch{set: set, from: time.Now(), counted: set.Traced()}
}

// Since is how long the stretch is so far.
func (s *Stretch) Since(now time.Time) time.Duration { return now.Sub(s.from) }

// Next ends the stretch and begins another one.
func (s *Stretch) Next(now time.Time) Traced {
	t := Traced{now.Sub(s.from), now.Sub(s.from)}
	counted := s.set.Traced()
	if s.set.Sliced() {
		t.Part = min(counted-s.counted, t.Span)
	}
	s.from, s.counted = now, counted
	return t
}
