package ruletest

import (
	"math"
	"time"

	"rtrail/internal/recording"
)

// CPU says how one CPU spends its time, as shares of 1; what is left is idle.
type CPU struct {
	User, Nice, System, IOWait, IRQ, SoftIRQ, Steal float64
}

// CPU records the time counters of one CPU. AllCPUs adds the total.
func (h *Host) CPU(n int32, c CPU) *Host {
	return Every(h, func(at time.Time, s float64) recording.CPUSample {
		const booted = 86400.0
		return cpuRow(at, n, c, booted+s, 1)
	})
}

// AllCPUs gives every CPU the same load and records the total as well.
func (h *Host) AllCPUs(c CPU) *Host {
	n := h.Rec.Manifest().Host.CPUs
	each := make([]CPU, n)
	for i := range each {
		each[i] = c
	}
	return h.CPUs(each...)
}

// CPUs gives each CPU its own load and records the total as well.
func (h *Host) CPUs(each ...CPU) *Host {
	var sum CPU
	for i, c := range each {
		h.CPU(int32(i), c)
		sum.User += c.User
		sum.Nice += c.Nice
		sum.System += c.System
		sum.IOWait += c.IOWait
		sum.IRQ += c.IRQ
		sum.SoftIRQ += c.SoftIRQ
		sum.Steal += c.Steal
	}
	return Every(h, func(at time.Time, s float64) recording.CPUSample {
		return cpuRow(at, -1, sum, 86400+s, float64(len(each)))
	})
}

func cpuRow(at time.Time, n int32, c CPU, elapsed, cpus float64) recording.CPUSample {
	ticks := func(share float64) time.Duration { return dur(share * elapsed).Truncate(10 * time.Millisecond) }
	busy := c.User + c.Nice + c.System + c.IOWait + c.IRQ + c.SoftIRQ + c.Steal
	return recording.CPUSample{At: at, CPU: n, User: ticks(c.User), Nice: ticks(c.Nice), System: ticks(c.System),
		Idle: ticks(cpus - busy), IOWait: ticks(c.IOWait), IRQ: ticks(c.IRQ), SoftIRQ: ticks(c.SoftIRQ), Steal: ticks(c.Steal)}
}

// System says how the scheduler's totals run.
type System struct {
	Running         int64   // runnable tasks at every reading
	Blocked         int64   // tasks in I/O at every reading
	Load1           float64 //
	ContextSwitches float64 // per second
	Interrupts      float64 // per second
	Forks           float64 // per second, threads included
	Tasks           int64
}

// System records the scheduler's totals.
func (h *Host) System(y System) *Host {
	return Every(h, func(at time.Time, s float64) recording.SystemSample {
		return recording.SystemSample{At: at, ContextSwitches: uint64(1e9 + y.ContextSwitches*s),
			Interrupts: uint64(1e9 + y.Interrupts*s), Forks: uint64(1e6 + y.Forks*s), Running: y.Running,
			Blocked: y.Blocked, Load1: y.Load1, Load5: y.Load1, Load15: y.Load1, Tasks: y.Tasks, FilesOpen: 2000, FilesMax: 1 << 20}
	})
}

// Pressure records the stall totals of one resource, as shares of the window.
func (h *Host) Pressure(resource string, some, full float64) *Host {
	return Every(h, func(at time.Time, s float64) recording.PressureSample {
		return recording.PressureSample{At: at, Resource: resource, Some: dur(500 + some*s), Full: dur(100 + full*s),
			SomeAvg10: 100 * some}
	})
}

// Process says who a process is and how its counters run per second. Numbers
// it does not mention are readable and stand still.
type Process struct {
	PID, PPID int32
	Comm      string
	Cmdline   string
	Kernel    bool
	State     string // "S" unless told otherwise
	Threads   int32
	Cgroup    string
	MemCgroup string
	IOCgroup  string
	Nice      int32

	CPU, System, Child     float64 // cores; System is the part of CPU spent in the kernel
	RunDelay               float64 // seconds waited per second
	BlockDelay, SwapDelay  float64
	Voluntary, Involuntary float64 // per second
	Minor, Major           float64
	ReadBytes, WriteBytes  float64

	RSS, Anon, SwapUsed    int64   // bytes when the window begins
	AnonGrowth, SwapGrowth float64 // bytes per second

	From, To float64 // seconds in which it is alive; To 0: until the end
	Started  time.Time
	Change   func(s float64, row *recording.ProcessSample) // last word on a row
}

// Process records a process.
func (h *Host) Process(p Process) *Host {
	if p.PID == 0 {
		h.nextPID++
		p.PID = h.nextPID
	}
	if p.To == 0 {
		p.To = math.Inf(1)
	}
	h.Readings(func(at time.Time, s float64) {
		if s >= p.From && s <= p.To {
			Add(h, p.row(at, s))
		}
	})
	return h
}

func (p Process) row(at time.Time, s float64) recording.ProcessSample {
	n := func(rate float64) int64 { return 1000 + int64(math.Round(rate*s)) }
	d := func(rate float64) time.Duration { return time.Hour + dur(rate*s) }
	ticks := func(rate float64) time.Duration { return d(rate).Truncate(10 * time.Millisecond) }
	row := recording.ProcessSample{At: at, PID: p.PID, PPID: p.PPID, Comm: p.Comm, Cmdline: p.Cmdline, Kernel: p.Kernel,
		State: p.State, Threads: max(p.Threads, 1), Nice: p.Nice, Cgroup: p.Cgroup, MemCgroup: p.MemCgroup, IOCgroup: p.IOCgroup, NetNS: 1,
		Started: Start.Add(-time.Hour), Full: true,
		User: ticks(p.CPU - p.System), System: ticks(p.System), ChildUser: ticks(p.Child * 0.6), ChildSystem: ticks(p.Child * 0.4),
		RunTime: d(p.CPU), RunDelay: d(p.RunDelay), BlockDelay: d(p.BlockDelay), SwapDelay: d(p.SwapDelay),
		Voluntary: n(p.Voluntary), Involuntary: n(p.Involuntary), MinorFaults: n(p.Minor), MajorFaults: n(p.Major),
		RSS: p.RSS + int64(p.AnonGrowth*s), Anon: p.Anon + int64(p.AnonGrowth*s), Swap: p.SwapUsed + int64(p.SwapGrowth*s),
		ReadBytes: n(p.ReadBytes), WriteBytes: n(p.WriteBytes)}
	if row.Cmdline == "" {
		row.Cmdline = p.Comm
	}
	if row.State == "" {
		row.State = "S"
	}
	if row.RSS < row.Anon {
		row.RSS = row.Anon
	}
	if !p.Started.IsZero() {
		row.Started = p.Started
	}
	if p.Change != nil {
		p.Change(s, &row)
	}
	return row
}

// Thread says who a thread is and how its counters run per second.
type Thread struct {
	PID, TID int32
	Comm     string
	State    string  // at every reading; "S" unless told otherwise
	CPU      float64 // cores
	RunDelay float64 // seconds waited per second
	Slices   float64 // per second
	Syscall  string
	Input    float64 // share of the readings in which it waits for its standard input
	Runs     float64 // share of the readings in which it is in state R, and in no system call
}

// Thread records a thread.
func (h *Host) Thread(x Thread) *Host {
	if x.State == "" {
		x.State = "S"
	}
	waited, ran, readings := 0.0, 0.0, 0.0
	return Every(h, func(at time.Time, s float64) recording.ThreadSample {
		readings++
		state, call := x.State, x.Syscall
		if ran+1 <= x.Runs*readings {
			ran++
			state, call = "R", ""
		}
		input := waited+1 <= x.Input*readings
		if input {
			waited++
		}
		return recording.ThreadSample{At: at, PID: x.PID, TID: x.TID, Comm: x.Comm, State: state, Input: input,
			CPUTime: time.Hour + dur(x.CPU*s), RunDelay: time.Hour + dur(x.RunDelay*s), Slices: 1000 + int64(x.Slices*s),
			Syscall: -1, SyscallName: call}
	})
}
