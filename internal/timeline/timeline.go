// Package timeline condenses a recording into a line per stretch of time, so
// that people find the moment to look at. It shows, and does not judge.
package timeline

import (
	"maps"
	"math"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Tables are those a timeline is made of.
var Tables = []recording.Table{recording.CPUs, recording.System, recording.Memory, recording.Pressure}

// Samples are tables that reports of other tools fill at each of their samples.
var Samples = append([]recording.Table{recording.Disks, recording.VMStat, recording.NetDevices, recording.Processes, recording.MySQLStatuses, recording.MySQLStates}, Tables...)

// Line is one stretch of time. Values that no row tells are NaN.
type Line struct {
	At        time.Time // begin
	Busy      float64   // share of all CPUs that was not idle, 0 to 1
	IOWait    float64   // share of all CPUs that was idle with I/O pending
	Load      float64   // 1 minute load average, the highest
	Blocked   float64   // tasks waiting for I/O, the highest
	Available float64   // share of memory available, the lowest
	SwapUsed  float64   // bytes, the highest
	Stall     float64   // share of time in which tasks stalled, of the worst resource
	Stalled   string    // that resource: cpu, memory, io, irq
}

// Steps are lengths that people can count in, shortest first.
var Steps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Step chooses how long a line is, so that a span has at most the given number.
func Step(span time.Duration, lines int) time.Duration {
	for _, s := range Steps {
		if span <= time.Duration(lines)*s {
			return s
		}
	}
	return Steps[len(Steps)-1]
}

// Lines cuts a recording into stretches from one time to another. Stretches
// without any row are left out.
func Lines(rec *recording.Recording, from, to time.Time, step time.Duration) []Line {
	slots := map[int64]*slot{} // those with rows: a recording may claim to span centuries
	at := func(t time.Time) *slot {
		if t.Before(from) || t.After(to) {
			return nil
		}
		i := int64(t.Sub(from) / step)
		if slots[i] == nil {
			slots[i] = &slot{}
		}
		return slots[i]
	}
	var last *slot
	for _, r := range recording.Rows[recording.CPUSample](rec) {
		if r.CPU != -1 {
			continue
		}
		if s := at(r.At); s != nil {
			// A rate needs the reading before: that of the last stretch.
			if len(s.cpus) == 0 && last != nil {
				s.cpus = append(s.cpus, last.cpus[len(last.cpus)-1])
			}
			s.cpus = append(s.cpus, r)
			last = s
		}
	}
	for _, r := range recording.Rows[recording.SystemSample](rec) {
		if s := at(r.At); s != nil {
			s.systems = append(s.systems, r)
		}
	}
	for _, r := range recording.Rows[recording.MemorySample](rec) {
		if s := at(r.At); s != nil {
			s.memories = append(s.memories, r)
		}
	}
	// Series of Prometheus tell sums of stalls, and no averages.
	averages := !slices.ContainsFunc(rec.Manifest().Probes, func(p recording.ProbeInfo) bool {
		partly, tells := p.Partly(recording.Pressure)
		return partly && !tells("some_avg10_percent")
	})
	for _, r := range recording.Rows[recording.PressureSample](rec) {
		if !averages {
			break
		}
		if s := at(r.At); s != nil {
			s.pressures = append(s.pressures, r)
		}
	}
	cpus := cpusOf(rec)
	var lines []Line
	for _, i := range slices.Sorted(maps.Keys(slots)) {
		if s := slots[i]; !s.empty() {
			lines = append(lines, s.line(from.Add(time.Duration(i)*step), cpus))
		}
	}
	return lines
}

// Sampled are Lines, and those of stretches for which other tables have rows, of which all values are
// NaN: reports of other tools may tell of disks only.
func Sampled(rec *recording.Recording, from, to time.Time, step time.Duration) []Line {
	lines := Lines(rec, from, to, step)
	known := map[int64]bool{}
	for _, l := range lines {
		known[int64(l.At.Sub(from)/step)] = true
	}
	for _, t := range Samples {
		rec.Has(t, func(at time.Time, _ time.Duration) bool {
			if i := int64(at.Sub(from) / step); !at.Before(from) && !at.After(to) && !known[i] {
				known[i] = true
				lines = append(lines, (&slot{}).line(from.Add(time.Duration(i)*step), 0))
			}
			return false
		})
	}
	slices.SortFunc(lines, func(a, b Line) int { return a.At.Compare(b.At) })
	return lines
}

// slot collects the rows of one stretch.
type slot struct {
	cpus      []recording.CPUSample
	systems   []recording.SystemSample
	memories  []recording.MemorySample
	pressures []recording.PressureSample
}

func (s *slot) empty() bool {
	return len(s.cpus) == 0 && len(s.systems) == 0 && len(s.memories) == 0 && len(s.pressures) == 0
}

func (s *slot) line(at time.Time, cpus int) Line {
	nan := math.NaN()
	l := Line{At: at, Busy: nan, IOWait: nan, Load: nan, Blocked: nan, Available: nan, SwapUsed: nan, Stall: nan}
	l.Busy, l.IOWait = cpuShares(s.cpus, cpus)
	for _, r := range s.systems {
		l.Load = highest(l.Load, r.Load1)
		if r.Blocked >= 0 {
			l.Blocked = highest(l.Blocked, float64(r.Blocked))
		}
	}
	for _, r := range s.memories {
		if r.Total > 0 && r.Available >= 0 {
			l.Available = -highest(-l.Available, -float64(r.Available)/float64(r.Total))
		}
		if r.SwapTotal >= 0 && r.SwapFree >= 0 {
			l.SwapUsed = highest(l.SwapUsed, float64(r.SwapTotal-r.SwapFree))
		}
	}
	for _, r := range s.pressures {
		if share := r.SomeAvg10 / 100; math.IsNaN(l.Stall) || share > l.Stall {
			l.Stall, l.Stalled = share, r.Resource
		}
	}
	return l
}

// highest is the larger of two numbers, or the one that is known.
func highest(a, b float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return max(a, b)
}

// jump is by how much the idle time of all CPUs may go back, as it does by ticks (proc(5)).
const jump = time.Second

// cpuShares are the shares of time that were not idle, and idle with I/O pending. A step from
// one reading to the next is left out in which idle time went back, or in which CPUs would
// have had more than twice the time that passed: the kernel counts the idle time of a CPU
// otherwise while it is offline, so that the sum of all jumps when one goes or comes. cpus is
// how many there are; 0: not known.
func cpuShares(series []recording.CPUSample, cpus int) (busy, iowait float64) {
	var work, waiting, total float64 // seconds
	for i := 1; i < len(series); i++ {
		a, b := &series[i-1], &series[i]
		// User and Nice include the time of guests.
		ran := (b.User + b.Nice + b.System + b.IRQ + b.SoftIRQ + b.Steal - a.User - a.Nice - a.System - a.IRQ - a.SoftIRQ - a.Steal).Seconds()
		waited, idle := max((b.IOWait-a.IOWait).Seconds(), 0), (b.Idle - a.Idle).Seconds()
		passed := b.At.Sub(a.At).Seconds()
		if ran < 0 || idle < -jump.Seconds() || cpus > 0 && ran+waited+idle > 2*passed*float64(cpus)+jump.Seconds() {
			continue
		}
		work, waiting, total = work+ran, waiting+waited, total+ran+waited+max(idle, 0)
	}
	if total <= 0 {
		return math.NaN(), math.NaN()
	}
	return work / total, waiting / total
}

// cpusOf is how many CPUs a recording tells of; 0: it does not.
func cpusOf(rec *recording.Recording) int {
	seen := map[int32]bool{}
	for _, r := range recording.Rows[recording.CPUSample](rec) {
		if r.CPU >= 0 {
			seen[r.CPU] = true
		}
	}
	return max(len(seen), rec.Manifest().Host.CPUs)
}
