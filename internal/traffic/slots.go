package traffic

import "time"

const (
	// maxEmpty bounds how many intervals without anything are given out one after
	// the other, and maxEmptyInAll how many altogether, a million seconds: times that
	// are wrong by years must not fill the disk.
	maxEmpty      = 3600
	maxEmptyInAll = 1e6
)

// slots puts what comes second by second together to longer intervals.
type slots[K comparable, V any] struct {
	every time.Duration
	// give is called for each interval that is over with what was added to it, in
	// the order in which it came.
	give func(at int64, list []*V)

	running bool
	at      int64 // beginning of the interval that is not over
	have    map[K]*V
	order   []*V
	empty   int64 // intervals without anything that were given out
	skipped int64 // those that were left out
}

// begin says that intervals without anything count from a moment on.
func (s *slots[K, V]) begin(at int64) {
	s.running, s.at = true, at-at%int64(s.every)
}

// add adds to an interval; merge adds to what is there already.
func (s *slots[K, V]) add(at int64, key K, first *V, merge func(*V)) {
	slot := at - at%int64(s.every)
	if s.running && slot > s.at {
		s.passed(slot)
	}
	if !s.running || slot > s.at {
		s.running, s.at = true, slot
	}
	if have := s.have[key]; have != nil {
		merge(have)
		return
	}
	if s.have == nil {
		s.have = map[K]*V{}
	}
	kept := *first
	s.have[key] = &kept
	s.order = append(s.order, &kept)
}

// passed gives out the intervals that end before a moment.
func (s *slots[K, V]) passed(before int64) {
	every := int64(s.every)
	if !s.running || before-s.at < every {
		return
	}
	if len(s.order) > 0 {
		s.out()
		s.at += every
	}
	for range maxEmpty {
		if before-s.at < every || s.empty >= maxEmptyInAll {
			break
		}
		s.out()
		s.empty++
		s.at += every
	}
	left := max(0, (before-s.at)/every)
	s.skipped += left
	s.at += left * every
}

// flush gives out the interval that is not over.
func (s *slots[K, V]) flush() {
	if len(s.order) > 0 {
		s.out()
	}
}

func (s *slots[K, V]) out() {
	s.give(s.at, s.order)
	clear(s.have)
	s.order = s.order[:0]
}
