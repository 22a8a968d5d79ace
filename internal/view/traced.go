package view

import (
	"cmp"
	"math"
	"time"

	"rtrail/internal/recording"
)

// tracing is what a list of sums says of the time that it is about.
type tracing struct {
	span  time.Duration // that events were counted, or sums stand for
	times float64       // by which sums of slices of the time are multiplied
}

// maxTimes bounds what few slices are multiplied by.
const maxTimes = 10_000

// traced looks at the stretches of rows: each reading counts once, however many rows it
// has. of gives how long the stretch of a row is, and for how long of it programs counted;
// 0 for all of it. A reading without rows is known from watched only: how long the source
// counted, or 0 if that is not known.
func traced[T recording.Row](rows []T, watched time.Duration, of func(*T) (span, traced time.Duration)) tracing {
	t := tracing{times: 1}
	var sliced, counted, longest time.Duration
	seen := map[time.Time]bool{}
	for i := range rows {
		at := recording.TimeOf(&rows[i])
		if seen[at] {
			continue
		}
		seen[at] = true
		span, part := of(&rows[i])
		t.span += span
		longest = max(longest, span)
		if inSlices(span, part) {
			sliced, counted = sliced+span, counted+part
		}
	}
	// A reading begins and ends somewhere: half as much as one is long may be missing at
	// either end of a window, or too much. What is missing else are readings without rows.
	if longest > 0 && watched > t.span {
		t.span += time.Duration(math.Round((watched-t.span).Seconds()/longest.Seconds())) * longest
	}
	t.span = cmp.Or(t.span, watched)
	if counted > 0 {
		t.times = min(sliced.Seconds()/counted.Seconds(), maxTimes)
	}
	return t
}

// watched is how long a source of events counted in the window, also where nothing happened:
// by what its programs cost; 0 if that was not read.
func (v *View) watched(probe string) time.Duration {
	spans := Memo(v, "watched", func() map[string]time.Duration {
		type reading struct {
			probe string
			at    time.Time
		}
		longest, sums := map[reading]time.Duration{}, map[string]time.Duration{}
		for _, p := range Rows[recording.EventProgram](v) {
			r, span := reading{p.Probe, p.At}, cmp.Or(p.Span, p.Attached)
			if more := span - longest[r]; more > 0 { // programs of one source
				longest[r], sums[p.Probe] = span, sums[p.Probe]+more
			}
		}
		return sums
	})
	return spans[probe]
}

// fullyTraced is the share of a window that programs must have counted: they are attached
// a moment after it begins.
const fullyTraced = 0.9

// Traced says whether the programs of a source of events were attached for the whole
// window, so that what they did not tell did not happen. False also where that was not read.
func (v *View) Traced(probe string) bool {
	attached := Memo(v, "attached", func() map[string]time.Duration {
		type reading struct {
			probe string
			at    time.Time
		}
		seen, sums := map[reading]bool{}, map[string]time.Duration{}
		for _, p := range Rows[recording.EventProgram](v) {
			if r := (reading{p.Probe, p.At}); !seen[r] { // programs of one source
				seen[r] = true
				sums[p.Probe] += p.Attached
			}
		}
		return sums
	})[probe]
	return attached > 0 && attached.Seconds() >= fullyTraced*v.Seconds()
}

// inSlices says whether programs counted for a part of a stretch only.
func inSlices(span, traced time.Duration) bool { return traced > 0 && traced < span }

// factor is what a sum of a stretch is multiplied by. All stretches in slices have the
// same one: what one of them alone traced varies by chance.
func (t tracing) factor(span, traced time.Duration) float64 {
	if inSlices(span, traced) {
		return t.times
	}
	return 1
}

// scaled multiplies a sum.
func scaled[N ~int64](n N, factor float64) N {
	if factor == 1 {
		return n
	}
	return N(math.Round(float64(n) * factor))
}
