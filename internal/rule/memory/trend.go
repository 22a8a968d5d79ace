package memory

import (
	"cmp"
	"math"
	"slices"
	"time"

	"rtrail/internal/rule"
	"rtrail/internal/view"
)

var (
	leastReadings = rule.Threshold{Name: "least-readings", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "Four steps. A window of five seconds at one sample per second gives five samples."}
	leastGrowth = rule.Threshold{Name: "least-growth", Value: 32 << 10, Unit: "bytes", Source: "kernel, batches of RSS counters (mm/memory.c, percpu_counter)",
		Reason: "Growth in the window, eight pages. Below it the kernel's batching of the counters (up to 64 pages per thread before 6.2, 32 or more per CPU since) is as large as the growth."}
	largestStep = rule.Threshold{Name: "largest-step", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the increase in one step. More is a single allocation, not a trend."}
	upShare = rule.Threshold{Name: "up-share", Value: 0.6, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the steps that go up. By chance it is half. Of ten steps, seven or more up and none down have a probability below 1 %."}
	downShare = rule.Threshold{Name: "down-share", Value: 0.05, Unit: "share", Source: rule.Judgement,
		Reason: "Bytes given back relative to bytes taken."}
	straightShare = rule.Threshold{Name: "straight-share", Value: 0.05, Unit: "share", Source: rule.Measured,
		Reason: "Mean distance of the samples from the line between first and last, relative to the growth. A warm-up that slows down (square root of time) is off by 17 %, ten random steps by 10 %, a constant leak in whole pages by 2 %."}
	straightBytes = rule.Threshold{Name: "straight-bytes", Value: 4 << 10, Unit: "bytes", Source: rule.Judgement,
		Reason: "One page: a mean distance below it means nothing."}
)

var evenSteps = rule.Threshold{Name: "even-steps", Value: 0.3, Unit: "share", Source: rule.Measured,
	Reason: "Largest difference between the rate of one step and the rate of all steps. A program that takes memory four times a second takes it three to five times between two samples; compilers differ by 0.4 to 1 in five seconds."}

// trend is how the private memory of a process moved.
type trend struct {
	readings       int
	block          int // readings of which each stands for the lowest; 1: all of them
	seconds        float64
	grown          float64 // bytes, last less first
	slope          float64 // bytes per second: the middle one between all pairs of readings; 0 unless it grows
	up, flat, down int     // steps
	largest        float64 // bytes, largest step up
	taken, given   float64 // bytes, sums of steps
	uneven         float64 // largest difference of the rate of a step from the slope, relative to it; 0 unless it grows
	off            float64 // bytes, mean distance from the line between first and last reading; 0 unless it grows
}

// steady says whether memory only ever grew, bit by bit.
func (t trend) steady() bool { return t.grows() && t.slope > 0 }

func (t trend) grows() bool {
	steps := t.up + t.flat + t.down
	return t.readings >= leastReadings.Int() && t.grown >= leastGrowth.Value &&
		float64(t.up) >= upShare.Value*float64(steps) && t.given <= downShare.Value*t.taken &&
		t.largest <= largestStep.Value*t.taken
}

// straight says whether the memory grew at one rate all the time.
func (t trend) straight() bool { return t.off <= max(straightShare.Value*t.grown, straightBytes.Value) }

type point struct {
	at    time.Time
	bytes float64
}

// privateMemory is anonymous memory in RAM and swap together: being swapped out
// gives nothing back. The resident size would count files and shared memory,
// which come and go with others.
func privateMemory(p view.Process) (series []point) {
	for _, s := range p.Samples {
		if row := s.Row(); row.Anon >= 0 {
			series = append(series, point{row.At, float64(row.Anon + max(row.Swap, 0))})
		}
	}
	return series
}

// even says whether it grew at the same rate in each step.
func (t trend) even() bool { return t.uneven <= evenSteps.Value }

// trendOf looks at how memory moved.
//
// Memory that a program takes and gives back from moment to moment hides a slow
// growth below it. Its low-water marks show it: the lowest of every two, three
// or four readings.
func trendOf(series []point) trend {
	plain := measure(series, 1)
	if plain.grows() || len(series) < 2*leastReadings.Int() {
		return plain
	}
	for block := 2; block <= 4 && len(series)/block >= leastReadings.Int(); block++ {
		if t := measure(troughs(series, block), block); t.grows() {
			return t
		}
	}
	return plain
}

// troughs are the lowest points of consecutive blocks of readings; a last
// block that is not full is left out.
func troughs(series []point, block int) []point {
	var low []point
	for part := range slices.Chunk(series, block) {
		if len(part) == block {
			low = append(low, slices.MinFunc(part, func(a, b point) int { return cmp.Compare(a.bytes, b.bytes) }))
		}
	}
	return low
}

func measure(series []point, block int) (t trend) {
	t.readings, t.block = len(series), block
	if t.readings < 2 {
		return t
	}
	first, last := series[0], series[len(series)-1]
	t.seconds = last.at.Sub(first.at).Seconds()
	t.grown = last.bytes - first.bytes
	for i := 1; i < len(series); i++ {
		switch step := series[i].bytes - series[i-1].bytes; {
		case step > 0:
			t.up++
			t.taken += step
			t.largest = max(t.largest, step)
		case step < 0:
			t.down++
			t.given -= step
		default:
			t.flat++
		}
	}
	if t.grows() { // the slope takes longest, and few processes grow
		t.slope = middleSlope(thin(series))
		for i, p := range series {
			if i > 0 {
				rate := (p.bytes - series[i-1].bytes) / p.at.Sub(series[i-1].at).Seconds()
				t.uneven = max(t.uneven, math.Abs(rate/t.slope-1))
			}
			line := first.bytes + t.grown*p.at.Sub(first.at).Seconds()/t.seconds
			t.off += math.Abs(p.bytes-line) / float64(len(series))
		}
	}
	return t
}

// thin keeps at most 200 points: all pairs of more would take seconds in a
// recording of a night.
func thin(series []point) []point {
	const most = 200
	if len(series) <= most {
		return series
	}
	out := make([]point, 0, most)
	for i := range most {
		out = append(out, series[i*(len(series)-1)/(most-1)])
	}
	return out
}

// middleSlope is the Theil-Sen estimate: the median of the slopes between all
// pairs of points. A few jumps do not move it.
func middleSlope(series []point) float64 {
	var slopes []float64
	for i := range series {
		for j := i + 1; j < len(series); j++ {
			if seconds := series[j].at.Sub(series[i].at).Seconds(); seconds > 0 {
				slopes = append(slopes, (series[j].bytes-series[i].bytes)/seconds)
			}
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	if n := len(slopes); n%2 == 0 {
		return (slopes[n/2-1] + slopes[n/2]) / 2
	}
	return slopes[len(slopes)/2]
}
