package view

import (
	"time"

	"rtrail/internal/recording"
)

// counts says whether a row belongs to the window: one of a moment that lies in it, its ends
// included, and one of a stretch that ends with it if at least half of the stretch lies in
// the window. So a row counts whole or not at all: a part of its sums would be a guess, and its
// maxima and histograms have no parts. What is counted is at most half a stretch too much or too
// little at each end, divided by the stretches that count it is the rate of these, and a
// stretch counts in one of two windows that meet. A window shorter than half a stretch has none.
func (v *View) counts(at time.Time, stretch time.Duration) bool {
	if stretch <= 0 {
		return !at.Before(v.start) && !at.After(v.end)
	}
	from, start, end := at.Add(-stretch), v.start, v.end
	if v.opens {
		start = earlier(start, from)
	}
	if v.closes {
		end = later(end, at)
	}
	middle := from.Add(stretch / 2)
	return !middle.Before(start) && middle.Before(end) && earlier(at, end).Sub(later(from, start)) >= stretch/2
}

// TooShort says that rows of a table reach into the window, and that none counts because
// they tell of longer stretches of time than the window.
func (v *View) TooShort(t recording.Table) bool {
	return !v.Has(t) && v.rec.Has(t, func(at time.Time, stretch time.Duration) bool {
		return stretch > v.end.Sub(v.start) && at.After(v.start) && at.Add(-stretch).Before(v.end)
	})
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
