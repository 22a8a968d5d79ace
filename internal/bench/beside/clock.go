// Package beside gives runs of a load test the numbers of the host in exactly their seconds,
// from whatever recorded them, and notices clocks that do not agree.
package beside

import (
	"math"
	"slices"
	"sort"
	"time"
)

// Busy is how much a host did up to a moment: a share of its CPUs.
type Busy struct {
	At    time.Time
	Share float64
}

// Span is the measured part of a run.
type Span struct{ From, To time.Time }

const (
	// fewestSpans is how many runs show by their levels whether clocks agree.
	fewestSpans = 4
	// mostOff is the largest difference of clocks that is looked for besides time zones.
	mostOff = 5 * time.Minute
	// zoneStep is the step of time zones, and mostZones the largest difference of two.
	zoneStep, mostZones = 15 * time.Minute, 26 * time.Hour
	// agrees is the share of the variance of CPU time between samples that runs explain where
	// clocks agree: a level is steady, levels differ.
	agrees = 0.8
	// better is by how much another difference must explain more than none.
	better = 0.1
	// mostBusy bounds the samples that are looked at.
	mostBusy = 200_000
)

// Offset is by how much the clock of samples is behind that of runs (ahead, if negative), where
// the samples say so clearly: with it the runs explain most of what CPU time does, and without
// it they do not. ok is false where nothing can be said.
func Offset(spans []Span, samples []Busy) (behind time.Duration, ok bool) {
	if len(spans) < fewestSpans || len(samples) == 0 || len(samples) > mostBusy {
		return 0, false
	}
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b Span) int { return a.From.Compare(b.From) })
	samples = slices.Clone(samples)
	slices.SortFunc(samples, func(a, b Busy) int { return a.At.Compare(b.At) })
	at0 := explained(spans, samples, 0)
	best, most := time.Duration(0), at0
	try := func(d time.Duration) {
		// Where several explain as much, the smallest difference counts.
		if e := explained(spans, samples, d); e > most+1e-9 || e > most-1e-9 && d.Abs() < best.Abs() {
			best, most = d, e
		}
	}
	for d := zoneStep; d <= mostZones; d += zoneStep {
		try(d)
		try(-d)
	}
	zone := best
	for d := -mostOff; d <= mostOff; d += time.Second {
		try(d)
		try(zone + d)
	}
	if most < agrees || math.IsNaN(most) {
		return 0, false
	}
	if at0 >= most-better {
		return 0, true
	}
	return best, true
}

// margin is how much before the first run and after the last one counts as no run.
const margin = 2 * time.Minute

// explained is the share of the variance of samples that lies between runs, and between runs
// and what is around them, if the clock of the samples is behind; 0 where fewer than nine in
// ten runs have two samples.
func explained(spans []Span, samples []Busy, behind time.Duration) float64 {
	var runs, around, all group
	within, covered := 0.0, 0
	at := sort.Search(len(samples), func(i int) bool { return samples[i].At.After(spans[0].From.Add(-behind - margin)) })
	until := func(t time.Time) (g group) {
		for ; at < len(samples) && !samples[at].At.After(t.Add(-behind)); at++ {
			g.add(samples[at].Share)
		}
		return g
	}
	for _, s := range spans {
		around = around.with(until(s.From))
		run := until(s.To)
		within, runs = within+run.variation(), runs.with(run)
		if run.n >= 2 {
			covered++
		}
	}
	around = around.with(until(spans[len(spans)-1].To.Add(margin)))
	within, all = within+around.variation(), runs.with(around)
	if covered*10 < len(spans)*9 || !(all.variation() > 1e-9*all.n) {
		return 0
	}
	return 1 - within/all.variation()
}

// group sums numbers up.
type group struct{ n, sum, squares float64 }

func (g *group) add(x float64) { g.n, g.sum, g.squares = g.n+1, g.sum+x, g.squares+x*x }

func (g group) with(o group) group { return group{g.n + o.n, g.sum + o.sum, g.squares + o.squares} }

// variation is the sum of the squares of the differences from the mean.
func (g group) variation() float64 {
	if g.n == 0 {
		return 0
	}
	return max(0, g.squares-g.sum*g.sum/g.n)
}
