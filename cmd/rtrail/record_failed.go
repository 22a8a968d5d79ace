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

// longOutage is how long a probe tells nothing before the end of a recording says so. Single samples
// are lost on every busy host; replay counts them.
const longOutage = 5 * time.Second

// countedSamples is a sink that remembers when probes told nothing. Several samples may come at a time.
type countedSamples struct {
	sink recording.Sink

	mu     sync.Mutex
	probes map[string]*outage
}

// outage is when the samples of a probe failed, or came too late.
type outage struct {
	since       time.Time // of the first one that failed after one that did not; zero: the last one did not
	first, last time.Time // from the beginning of the first long outage to the end of the last one
	total       time.Duration
	why         string
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
			if c.probes == nil {
				c.probes = map[string]*outage{}
			}
			o = &outage{}
			c.probes[r.Probe] = o
		}
		if o.since.IsZero() {
			o.since = r.At
		}
		o.why = r.Error
	case o != nil:
		o.end(r.At)
	}
}

// end ends an outage at a time, if there is one.
func (o *outage) end(at time.Time) {
	if o.since.IsZero() {
		return
	}
	if length := at.Sub(o.since); length >= longOutage {
		if o.first.IsZero() {
			o.first = o.since
		}
		o.last, o.total = at, o.total+length
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
