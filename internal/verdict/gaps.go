package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

const (
	// gapIntervals and gapSlack are the time without a sample that is a gap. A sample or two
	// are missing on a starved host, and a probe that costs much is read every four seconds.
	gapIntervals = 3
	gapSlack     = 2 * time.Second

	// maxInterval bounds what a recording says of its interval.
	maxInterval = 24 * time.Hour

	// maxGaps bounds what is listed.
	maxGaps = 3

	// ranOn is the share of a gap that the CPUs count if the host ran: all of it, but for
	// rounding. A suspended one counts nothing.
	ranOn = 0.5
)

// gap is a stretch in which no probe looked.
type gap struct{ from, to time.Time }

func (g gap) length() time.Duration { return g.to.Sub(g.from) }

// gapsIn notes the longest stretches of the window without a sample.
func gapsIn(v *view.View) []Unseen {
	probe, gaps := gapsOf(v)
	list := longestOf(probe, gaps, func(g gap) string { return g.why(v) })
	for _, p := range v.Manifest().Probes {
		if len(list) > maxGaps {
			break // reports of several tools have the same ones
		}
		list = append(list, holesIn(v, p)...)
	}
	return list
}

// longestOf notes the longest of some gaps.
func longestOf(probe string, gaps []gap, why func(gap) string) (list []Unseen) {
	slices.SortStableFunc(gaps, func(a, b gap) int { return cmp.Compare(b.length(), a.length()) })
	for _, g := range gaps[:min(len(gaps), maxGaps)] {
		list = append(list, Unseen{Probe: probe, Count: 1, What: fmt.Sprintf("%v from %v on", unit.Duration(g.length()), unit.Moment(g.from)), Why: why(g)})
	}
	if more := len(gaps) - maxGaps; more > 0 {
		list = append(list, Unseen{Probe: probe, Count: 1, What: unit.Plural(more, "shorter stretch", "shorter stretches"), Why: "no sample either"})
	}
	return list
}

// holesIn notes the stretches of the window of which a report of another tool tells nothing.
func holesIn(v *view.View, p recording.ProbeInfo) []Unseen {
	why := "no report: the host was off or suspended, or nobody recorded. No rate counts it, and what came and went in it is not seen"
	var gaps []gap
	for _, h := range p.Holes {
		if h.From.Before(v.End()) && h.To.After(v.Start()) {
			gaps = append(gaps, gap{h.From, h.To})
		}
		if h.Counted {
			why = "no copy of the counters: the host was suspended, or nobody asked. Rates are averages over it, and what came and went in it is not seen"
		}
	}
	return longestOf(p.Name, gaps, func(gap) string { return why })
}

// gapsOf finds the gaps between the first and the last run of the probe that reads the host:
// no other one ran either.
func gapsOf(v *view.View) (probe string, gaps []gap) {
	probes := v.Manifest().Probes
	i := slices.IndexFunc(probes, func(p recording.ProbeInfo) bool { return slices.Contains(p.Fills, recording.System) })
	if i < 0 {
		return "", nil
	}
	probe = probes[i].Name
	interval := min(cmp.Or(max(probes[i].Interval, 0), time.Second), maxInterval)
	var runs []time.Time
	var own recording.Window
	for _, r := range view.Rows[recording.ProbeRun](v) {
		runs = append(runs, r.At)
		if r.Probe == probe {
			own.Add(r.At)
		}
	}
	slices.SortFunc(runs, time.Time.Compare) // of several lanes
	for n := 1; n < len(runs); n++ {
		g := gap{runs[n-1], runs[n]}
		if g.length() > gapIntervals*interval+gapSlack && !g.from.Before(own.From) && !g.to.After(own.To) {
			gaps = append(gaps, g)
		}
	}
	return probe, gaps
}

// why says what the CPU time of the host tells about a gap: the kernel counts none while the
// host is suspended.
func (g gap) why(v *view.View) string {
	ran := g.ran(v)
	switch {
	case ran >= ranOn:
		return "no sample, while the host ran on: rtrail was stopped, or got no CPU. Rates are averages over it, and what came and went in it is not seen"
	case ran < ranOn:
		return fmt.Sprintf("no sample, and the CPUs counted %v of it: the host was suspended or paused, or its clock set forward. Rates are averages over it, lower than those of the time in which the host ran", unit.Share(max(ran, 0)))
	}
	return "no sample: the host was suspended, rtrail was stopped, or the clock was set forward. Rates are averages over it"
}

// ran is the share of a gap that the CPUs counted; Unknown where nothing tells.
func (g gap) ran(v *view.View) float64 {
	var before, after *recording.CPUSample
	rows := view.Rows[recording.CPUSample](v)
	for i := range rows {
		switch r := &rows[i]; {
		case r.CPU >= 0: // the sum of all tells
		case r.At.Before(g.to):
			before = r
		case after == nil:
			after = r
		}
	}
	if before == nil || after == nil {
		return view.Unknown
	}
	all := func(c *recording.CPUSample) time.Duration {
		return c.User + c.Nice + c.System + c.Idle + c.IOWait + c.IRQ + c.SoftIRQ + c.Steal
	}
	return (all(after) - all(before)).Seconds() / after.At.Sub(before.At).Seconds() / float64(v.CPUCount())
}
