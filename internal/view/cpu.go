package view

import (
	"cmp"
	"math"
	"slices"

	"rtrail/internal/recording"
)

// CPUShare is how one CPU, or all of them, spent the window. The shares add up
// to 1: guest time is inside User and Nice, as the kernel counts it.
type CPUShare struct {
	CPU     int32 // -1: all
	Seconds float64
	User    float64
	Nice    float64
	System  float64
	Idle    float64
	IOWait  float64
	IRQ     float64
	SoftIRQ float64
	Steal   float64
}

// Busy is the share in which the CPU could not have run anything else: all but
// idle and iowait, which is idle time by another name. Time stolen by the
// hypervisor counts as busy.
func (c CPUShare) Busy() float64 { return max(0, 1-c.Idle-c.IOWait) }

// CPUs lists the CPUs by number, with what they did in the window.
func (v *View) CPUs() []CPUShare {
	return Memo(v, "cpu-shares", func() []CPUShare {
		keys, series := Group(Rows[recording.CPUSample](v), func(s recording.CPUSample) int32 { return s.CPU })
		var list []CPUShare
		for _, k := range keys {
			if c, ok := cpuShare(v, series[k]); ok && k >= 0 {
				list = append(list, c)
			}
		}
		slices.SortFunc(list, func(a, b CPUShare) int { return cmp.Compare(a.CPU, b.CPU) })
		return list
	})
}

// OnlineCPUs lists the numbers of the CPUs that were on line in the window: not all below the
// largest are, as without the second threads of cores (nosmt).
func (v *View) OnlineCPUs() (list []int32) {
	for _, c := range v.CPUs() {
		list = append(list, c.CPU)
	}
	return list
}

// CPUTotal is the mean over all CPUs; ok is false with fewer than two readings.
func (v *View) CPUTotal() (total CPUShare, ok bool) {
	list := v.CPUs()
	if len(list) == 0 {
		var all []recording.CPUSample
		for _, s := range Rows[recording.CPUSample](v) {
			if s.CPU < 0 {
				all = append(all, s)
			}
		}
		return cpuShare(v, all)
	}
	n := float64(len(list))
	total.CPU = -1
	for _, c := range list {
		total.Seconds = max(total.Seconds, c.Seconds)
		total.User += c.User / n
		total.Nice += c.Nice / n
		total.System += c.System / n
		total.Idle += c.Idle / n
		total.IOWait += c.IOWait / n
		total.IRQ += c.IRQ / n
		total.SoftIRQ += c.SoftIRQ / n
		total.Steal += c.Steal / n
	}
	return total, true
}

// CPUsTold says whether the evidence tells how many CPUs the host has: reports of some tools
// have only sums.
func (v *View) CPUsTold() bool { return len(v.CPUs()) > 0 || v.Manifest().Host.CPUs > 0 }

// CPUCount is the number of CPUs that were on line in the window, at least 1.
func (v *View) CPUCount() int {
	if n := len(v.CPUs()); n > 0 {
		return n
	}
	return max(1, v.Manifest().Host.CPUs)
}

// IdleCores is how many CPUs' worth of time nobody used.
func (v *View) IdleCores() float64 {
	total, ok := v.CPUTotal()
	if !ok {
		return 0
	}
	return (1 - total.Busy()) * float64(v.CPUCount())
}

func cpuShare(v *View, series []recording.CPUSample) (CPUShare, bool) {
	if len(series) < 2 {
		return CPUShare{}, false
	}
	type sample = recording.CPUSample
	c := CPUShare{CPU: series[0].CPU, Seconds: Covered(v, series).Seconds()}
	// iowait and idle of one CPU can run backwards by a tick (proc(5)), and
	// all counters restart when a CPU comes back on line.
	c.User = growth(series, func(s sample) float64 { return s.User.Seconds() })
	c.Nice = growth(series, func(s sample) float64 { return s.Nice.Seconds() })
	c.System = growth(series, func(s sample) float64 { return s.System.Seconds() })
	c.Idle = growth(series, func(s sample) float64 { return s.Idle.Seconds() })
	c.IOWait = growth(series, func(s sample) float64 { return s.IOWait.Seconds() })
	c.IRQ = growth(series, func(s sample) float64 { return s.IRQ.Seconds() })
	c.SoftIRQ = growth(series, func(s sample) float64 { return s.SoftIRQ.Seconds() })
	c.Steal = growth(series, func(s sample) float64 { return s.Steal.Seconds() })
	sum := c.User + c.Nice + c.System + c.Idle + c.IOWait + c.IRQ + c.SoftIRQ + c.Steal
	if sum <= 0 {
		return CPUShare{}, false
	}
	for _, p := range []*float64{&c.User, &c.Nice, &c.System, &c.Idle, &c.IOWait, &c.IRQ, &c.SoftIRQ, &c.Steal} {
		*p /= sum
	}
	return c, true
}

// growth is the sum of the increases of a counter. A fall adds nothing: what
// was counted between a reset and the next reading is lost rather than taken
// from a number that may never have been reset.
func growth[T any](series []T, value func(T) float64) float64 {
	var sum float64
	for i := 1; i < len(series); i++ {
		sum += max(0, value(series[i])-value(series[i-1]))
	}
	return sum
}

// Scheduler is what the scheduler's totals say about the window.
type Scheduler struct {
	Seconds         float64
	ContextSwitches float64 // per second
	Interrupts      float64 // per second
	Forks           float64 // processes and threads created per second
	Running         float64 // tasks on or waiting for a CPU, mean over the readings; Unknown where they do not tell
	Blocked         float64 // tasks waiting for I/O, mean over the readings; the same
	Load1           float64 // at the end
	Readings        int
}

// Scheduler sums up the window; ok is false with fewer than two readings.
func (v *View) Scheduler() (s Scheduler, ok bool) {
	rows := Rows[recording.SystemSample](v)
	seconds := Covered(v, rows).Seconds()
	if seconds <= 0 {
		return Scheduler{}, false
	}
	type sample = recording.SystemSample
	s = Scheduler{Seconds: seconds, Load1: rows[len(rows)-1].Load1, Readings: len(rows)}
	s.ContextSwitches = growth(rows, func(s sample) float64 { return float64(s.ContextSwitches) }) / seconds
	s.Interrupts = growth(rows, func(s sample) float64 { return float64(s.Interrupts) }) / seconds
	s.Forks = growth(rows, func(s sample) float64 { return float64(s.Forks) }) / seconds
	s.Running = meanOf(rows, func(s sample) int64 { return s.Running })
	s.Blocked = meanOf(rows, func(s sample) int64 { return s.Blocked })
	return s, true
}

// meanOf is the mean of a gauge over the readings; Unknown if one of them does not tell it.
func meanOf(rows []recording.SystemSample, gauge func(recording.SystemSample) int64) float64 {
	mean := 0.0
	for _, r := range rows {
		if gauge(r) < 0 {
			return Unknown
		}
		mean += float64(gauge(r)) / float64(len(rows))
	}
	return mean
}

// Stall is the share of the window in which at least one task (Some), or all
// tasks that had work (Full), waited for a resource.
type Stall struct{ Some, Full float64 }

// Stall reads the pressure of "cpu", "memory" or "io"; ok is false when the
// kernel gives none.
func (v *View) Stall(resource string) (s Stall, ok bool) {
	var rows []recording.PressureSample
	for _, r := range Rows[recording.PressureSample](v) {
		if r.Resource == resource {
			rows = append(rows, r)
		}
	}
	seconds := Covered(v, rows).Seconds()
	if seconds <= 0 {
		return Stall{}, false
	}
	s.Some = growth(rows, func(s recording.PressureSample) float64 { return s.Some.Seconds() }) / seconds
	s.Full = growth(rows, func(s recording.PressureSample) float64 { return s.Full.Seconds() }) / seconds
	return Stall{Some: min(s.Some, 1), Full: min(s.Full, 1)}, true
}

// SoftIRQRate is how often one kind of softirq ran on one CPU.
type SoftIRQRate struct {
	CPU       int32
	Kind      string
	PerSecond float64
}

// SoftIRQs lists kinds of softirq per CPU, the most frequent first.
func (v *View) SoftIRQs() []SoftIRQRate {
	return Memo(v, "softirq-rates", func() []SoftIRQRate {
		type key struct {
			cpu  int32
			kind string
		}
		keys, series := Group(Rows[recording.SoftIRQSample](v), func(s recording.SoftIRQSample) key { return key{s.CPU, s.Kind} })
		var list []SoftIRQRate
		for _, k := range keys {
			seconds := Elapsed(series[k]).Seconds()
			if seconds <= 0 {
				continue
			}
			// The kernel prints 32-bit counts, which wrap.
			n := growth(series[k], func(s recording.SoftIRQSample) float64 { return float64(s.Count) })
			list = append(list, SoftIRQRate{CPU: k.cpu, Kind: k.kind, PerSecond: n / seconds})
		}
		slices.SortStableFunc(list, func(a, b SoftIRQRate) int { return cmp.Compare(b.PerSecond, a.PerSecond) })
		return list
	})
}

// Unknown is the value of every number that could not be read or derived; it is
// never 0. As a NaN it makes all sums with it unknown and all comparisons false.
var Unknown = math.NaN()

// Known says whether a number could be read.
func Known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// OrZero is v, or 0 where it could not be read: for sums that then are a lower
// bound.
func OrZero(v float64) float64 {
	if Known(v) {
		return v
	}
	return 0
}
