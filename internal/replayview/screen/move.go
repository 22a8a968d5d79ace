package screen

import (
	"time"

	"rtrail/internal/episode"
)

// goTo has the window begin at a time, or at the nearest one that was recorded: in the piece
// that is shown if that has it, else in the oldest one that does.
func (m *Model) goTo(at time.Time) {
	in := func(i int) bool {
		p := m.source.Pieces[i]
		return !at.Before(p.From) && !at.After(p.To)
	}
	if !in(m.piece) {
		for i := range m.source.Pieces {
			if m.piece = i; in(i) || at.Before(m.source.Pieces[i].From) {
				break
			}
		}
	}
	p := m.source.Pieces[m.piece]
	m.at = earliest(latest(at, p.From), latest(p.From, p.To))
}

// last is where the last window of the piece begins.
func (m *Model) last() time.Time {
	p := m.source.Pieces[m.piece]
	return latest(p.From, p.To.Add(-m.source.Length))
}

// step moves the window, over the end of a piece into the next one.
func (m *Model) step(by time.Duration) {
	at := m.at.Add(by)
	p := m.source.Pieces[m.piece]
	switch {
	case by > 0 && at.Before(p.To):
		m.at = at
	case by > 0 && m.piece+1 < len(m.source.Pieces):
		m.piece++
		m.at = m.source.Pieces[m.piece].From
	case by > 0:
		m.note = "the recording ends here"
	case !at.Before(p.From):
		m.at = at
	case m.at.After(p.From):
		m.at = p.From
	case m.piece > 0:
		m.piece--
		m.at = m.last()
	default:
		m.note = "the recording begins here"
	}
}

// sample is the time between two samples of the window that is shown.
func (m *Model) sample() time.Duration {
	s := m.shown.Moment.Samples
	if n := len(s); n > 1 {
		return max((s[n-1].Sub(s[0]) / time.Duration(n-1)).Round(time.Second), time.Second)
	}
	return time.Second
}

// next goes to where the next finding begins, previous to the one before.
func (m *Model) next() {
	m.jump(func(e episode.Episode, best time.Time) bool {
		return e.First.After(m.at) && (best.IsZero() || e.First.Before(best))
	}, "no finding begins later")
}

func (m *Model) previous() {
	m.jump(func(e episode.Episode, best time.Time) bool {
		return e.First.Before(m.at) && e.First.After(best)
	}, "no finding begins earlier")
}

// jump goes to the best beginning of a finding.
func (m *Model) jump(better func(e episode.Episode, best time.Time) bool, none string) {
	if m.found == nil {
		m.note = "still looking for the findings of the recording"
		return
	}
	var best time.Time
	for _, e := range m.found.Episodes {
		if better(e, best) {
			best = e.First
		}
	}
	if best.IsZero() {
		m.note = none
		return
	}
	m.goTo(best)
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
