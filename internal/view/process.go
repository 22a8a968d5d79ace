package view

import (
	"cmp"
	"math"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Process is one process over the window. The embedded sample is its last
// reading with all fields (the last light one if there is no full one). Rates
// are per second between its first and last reading in the window; they are
// NaN where the source could not be read.
type Process struct {
	recording.ProcessSample
	First   recording.ProcessSample
	Samples []recording.ProcessSample
	// Seconds is the time rates are taken over: between the first and the last
	// reading, or since it started when that was inside the window. A process
	// that lived for less than a second counts as if it had lived for one.
	Seconds float64

	CPUSeconds  float64 // CPU time used in the window, User + System
	CPU         float64 // cores: User + System
	User        float64
	System      float64
	ChildCPU    float64 // cores used by children that ended and were waited for
	RunDelay    float64 // seconds its threads waited for a CPU, per second
	BlockDelay  float64 // seconds its threads waited for block I/O, per second
	SwapDelay   float64 // seconds its threads waited for swap-in, per second
	Voluntary   float64 // context switches because it waited for something
	Involuntary float64 // context switches because its time was up
	MinorFaults float64
	MajorFaults float64
	ReadBytes   float64 // from storage
	WriteBytes  float64 // dirtied, to go to storage
	ReadChars   float64
	WriteChars  float64
	ReadCalls   float64
	WriteCalls  float64

	Own  bool // rtrail itself
	Gone bool // not there any more at the window's last reading of processes
}

// ProcessKey identifies a process: a PID is used again, with another start.
type ProcessKey struct {
	PID     int32
	Started int64 // nanoseconds since the epoch
}

// Processes lists every process seen in the window, the busiest first.
func (v *View) Processes() []Process {
	return Memo(v, "processes", v.processes)
}

func (v *View) processes() []Process {
	rows := Rows[recording.ProcessSample](v)
	keys, series := Group(rows, func(s recording.ProcessSample) ProcessKey {
		return ProcessKey{s.PID, s.Started.UnixNano()}
	})
	var last time.Time
	for _, s := range rows {
		if s.At.After(last) {
			last = s.At
		}
	}
	own := int32(v.Manifest().Host.PID)
	list := make([]Process, 0, len(keys))
	for _, k := range keys {
		p := newProcess(series[k], v.start)
		p.Own = own != 0 && p.PID == own
		// One pass over /proc takes milliseconds; a process that misses the
		// last pass was read at least a sampling interval before it.
		p.Gone = last.Sub(p.Samples[len(p.Samples)-1].At) > 200*time.Millisecond
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b Process) int { return cmp.Compare(b.CPUSeconds, a.CPUSeconds) })
	return list
}

func newProcess(samples []recording.ProcessSample, windowStart time.Time) Process {
	p := Process{
		ProcessSample: samples[len(samples)-1],
		First:         samples[0],
		Samples:       samples,
	}
	counted := samples
	if p.Started.After(windowStart) && p.Started.Before(p.First.At) {
		// It began inside the window, with all counters at zero.
		counted = append([]recording.ProcessSample{{At: p.Started}}, samples...)
	}
	p.Seconds = Elapsed(counted).Seconds()
	for _, s := range slices.Backward(samples) {
		if s.Full {
			p.ProcessSample = s
			break
		}
	}
	type sample = recording.ProcessSample
	// Rates over the samples in which the value was read: light rows between
	// two full ones must not stretch or shorten their time.
	duration := func(value func(sample) time.Duration) float64 {
		return knownRate(counted, func(s sample) float64 { return known(value(s)) })
	}
	count := func(value func(sample) int64) float64 {
		return knownRate(counted, func(s sample) float64 { return float64(value(s)) })
	}
	p.User = zeroIfUnknown(duration(func(s sample) time.Duration { return s.User }))
	p.System = zeroIfUnknown(duration(func(s sample) time.Duration { return s.System }))
	p.CPU = p.User + p.System
	p.Seconds = max(p.Seconds, shortLife)
	p.CPUSeconds = p.CPU * p.Seconds
	p.ChildCPU = zeroIfUnknown(duration(func(s sample) time.Duration { return s.ChildUser })) +
		zeroIfUnknown(duration(func(s sample) time.Duration { return s.ChildSystem }))
	p.RunDelay = duration(func(s sample) time.Duration { return s.RunDelay })
	p.BlockDelay = duration(func(s sample) time.Duration { return s.BlockDelay })
	p.SwapDelay = duration(func(s sample) time.Duration { return s.SwapDelay })
	p.Voluntary = count(func(s sample) int64 { return s.Voluntary })
	p.Involuntary = count(func(s sample) int64 { return s.Involuntary })
	p.MinorFaults = count(func(s sample) int64 { return s.MinorFaults })
	p.MajorFaults = count(func(s sample) int64 { return s.MajorFaults })
	p.ReadBytes = count(func(s sample) int64 { return s.ReadBytes })
	p.WriteBytes = count(func(s sample) int64 { return s.WriteBytes })
	p.ReadChars = count(func(s sample) int64 { return s.ReadChars })
	p.WriteChars = count(func(s sample) int64 { return s.WriteChars })
	p.ReadCalls = count(func(s sample) int64 { return s.ReadCalls })
	p.WriteCalls = count(func(s sample) int64 { return s.WriteCalls })
	return p
}

// known turns a duration into seconds and keeps Unknown negative.
func known(d time.Duration) float64 {
	if d < 0 {
		return recording.Unknown
	}
	return d.Seconds()
}

// knownRate is the growth per second between the first and the last sample
// whose value is not Unknown; NaN with fewer than two of them. A sum over live
// threads falls when a thread ends: the fall is skipped, not taken for a reset
// from which everything counts anew.
func knownRate(samples []recording.ProcessSample, value func(recording.ProcessSample) float64) float64 {
	var first, before recording.ProcessSample
	var delta, last float64
	seen := 0
	for _, s := range samples {
		now := value(s)
		if now < 0 {
			continue
		}
		if seen == 0 {
			first = s
		} else if now > last {
			delta += now - last
		}
		last, before, seen = now, s, seen+1
	}
	if seconds := before.At.Sub(first.At).Seconds(); seen >= 2 && seconds > 0 {
		if first.PID == 0 { // the start itself: see newProcess
			seconds = max(seconds, shortLife)
		}
		return delta / seconds
	}
	return math.NaN()
}

// shortLife is the time, in seconds, that rates of a process which began in
// the window are at least taken over. The kernel counts in ticks of 10 ms: a
// process 20 ms old would show as half a core, or one.
const shortLife = 1.0

func zeroIfUnknown(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// Age is how old the process was at the end of the window.
func (p Process) Age(end time.Time) time.Duration { return end.Sub(p.Started) }

// Process finds a process by its PID; the youngest one if the PID was used
// more than once in the window.
func (v *View) Process(pid int32) (Process, bool) {
	index := Memo(v, "process-index", func() map[int32]Process {
		m := map[int32]Process{}
		for _, p := range v.Processes() {
			if have, ok := m[p.PID]; !ok || p.Started.After(have.Started) {
				m[p.PID] = p
			}
		}
		return m
	})
	p, ok := index[pid]
	return p, ok
}

// SocketOwners lists the processes that hold a socket, by its inode, oldest
// process first: with forked workers that is the one people call the server.
func (v *View) SocketOwners(inode uint64) []Process {
	if inode == 0 {
		return nil
	}
	owners := Memo(v, "socket-owners", func() map[uint64][]int32 {
		m := map[uint64][]int32{}
		// Owners are read now and then, and hold until a process lets go: rows
		// from before the window count.
		for _, o := range recording.Rows[recording.SocketOwner](v.rec) {
			if !o.At.After(v.end) && !slices.Contains(m[o.Inode], o.PID) {
				m[o.Inode] = append(m[o.Inode], o.PID)
			}
		}
		return m
	})
	var list []Process
	for _, pid := range owners[inode] {
		if p, ok := v.Process(pid); ok {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b Process) int { return a.Started.Compare(b.Started) })
	return list
}
