package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// longOutage is how much longer than its interval a probe tells nothing before the end of a recording
// says so. Single samples are lost on every busy host; replay counts them.
const longOutage = 5 * time.Second

// countedSamples is a sink that remembers when probes told nothing. Several samples may come at a time.
type countedSamples struct {
	sink  recording.Sink
	every map[string]time.Duration // the interval of each probe

	mu     sync.Mutex
	probes map[string]*outage
}

// outage is when the samples of a probe failed, or came too late.
type outage struct {
	since       time.Time // of the first one that failed after one that did not; zero: the last one did not
	first, last time.Time // from the beginning of the first long outage to the end of the last one
	total       time.Duration
	why         string // of the last long one

	every  time.Duration // the interval of the probe
	reason string        // why the samples since then failed
}

// countSamples counts those of some probes on their way to a sink.
func countSamples(sink recording.Sink, probes []recording.ProbeInfo) *countedSamples {
	c := &countedSamples{sink: sink, every: map[string]time.Duration{}, probes: map[string]*outage{}}
	for _, p := range probes {
		c.every[p.Name] = p.Interval
	}
	return c
}

// Commit adds a sample.
func (c *countedSamples) Commit(w *recording.Writer) error {
	runs := recording.Written[recording.ProbeRun](w)
	c.mu.Lock()
	for i := range runs {
		c.count(&runs[i])
	}
	c.mu.Unlock()
	return c.sink.Commit(w)
}

func (c *countedSamples) count(r *recording.ProbeRun) {
	failed := r.Late || r.Error != "" && r.Rows == 0
	o := c.probes[r.Probe]
	switch {
	case failed:
		if o == nil {
			o = &outage{every: c.every[r.Probe]}
			c.probes[r.Probe] = o
		}
		if o.since.IsZero() {
			o.since, o.reason = r.At, ""
		}
		o.reason = cmp.Or(r.Error, o.reason)
	case o != nil:
		o.end(r.At)
	}
}

// end ends an outage at a time, if there is one.
func (o *outage) end(at time.Time) {
	if o.since.IsZero() {
		return
	}
	if length := at.Sub(o.since); length >= longOutage+o.every {
		if o.first.IsZero() {
			o.first = o.since
		}
		o.last, o.total, o.why = at, o.total+length, o.reason
	}
	o.since = time.Time{}
}

// failed says which probes told nothing for long, as of a time: what needs them is not judged there.
func (c *countedSamples) failed(now time.Time) (lines []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.probes)) {
		o := c.probes[name]
		if o.end(now); o.total == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("probe %s told nothing for %v between %s and %s, and what it tells is not judged there: %s", escape.Line(name), unit.Duration(o.total),
			o.first.Local().Format(clockLayout), o.last.Local().Format(clockLayout), escape.Line(cmp.Or(o.why, "its samples came too late"))))
	}
	return lines
}
