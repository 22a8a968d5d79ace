package ruletest

import (
	"math"
	"time"

	"rtrail/internal/recording"
)

// Memory records the gauges of /proc/meminfo: total and available when the
// window begins, and how fast available changes, in bytes.
func (h *Host) Memory(total, available int64, change float64) *Host {
	return Every(h, func(at time.Time, s float64) recording.MemorySample {
		now := available + int64(change*s)
		return recording.MemorySample{At: at, Total: total, Free: now / 2, Available: now, Cached: now / 2,
			Anon: total - now}
	})
}

// VMStat says how the counters of /proc/vmstat run per second.
type VMStat struct {
	SwapIn, SwapOut     float64 // pages
	Faults, MajorFaults float64
	AllocStalls         float64
	OOMKills            float64
	Refaults            float64 // pages of files
}

// VMStat records the counters of /proc/vmstat.
func (h *Host) VMStat(m VMStat) *Host {
	n := func(rate, s float64) uint64 { return uint64(1000 + math.Round(rate*s)) }
	return Every(h, func(at time.Time, s float64) recording.VMStatSample {
		return recording.VMStatSample{At: at, SwapIn: n(m.SwapIn, s), SwapOut: n(m.SwapOut, s), Faults: n(m.Faults, s),
			MajorFaults: n(m.MajorFaults, s), AllocStalls: n(m.AllocStalls, s), OOMKills: n(m.OOMKills, s), RefaultFile: n(m.Refaults, s)}
	})
}

// Swap records one swap area of a size in bytes and how its use changes.
func (h *Host) Swap(device string, size, used int64, change float64) *Host {
	return Every(h, func(at time.Time, s float64) recording.SwapSample {
		return recording.SwapSample{At: at, Device: device, Kind: "partition", Size: size, Used: used + int64(change*s)}
	})
}

// Cgroup says what a control group is and how its counters run per second.
// Fields it does not mention are unlimited or stand still.
type Cgroup struct {
	Path          string
	Processes     int32
	Quota, Period time.Duration // Quota 0: none
	CPU           float64       // cores
	Periods       float64
	Throttled     float64
	ThrottledTime float64 // seconds per second

	Memory, MemoryMax int64 // MemoryMax 0: none
	MemoryGrowth      float64
	SwapUsed          int64
	SwapGrowth        float64
	MajorFaults       float64
	Refaults          float64 // pages of files
	EventsMax         float64
	OOMKills          float64
	MemoryStall       float64 // share
	CPUStall          float64 // share

	Change func(s float64, row *recording.CgroupSample) // last word on a row
}

// Cgroup records a control group.
func (h *Host) Cgroup(c Cgroup) *Host {
	n := func(rate, s float64) int64 { return 100 + int64(math.Round(rate*s)) }
	if c.Period == 0 {
		c.Period = 100 * time.Millisecond
	}
	limit := func(v int64) int64 {
		if v == 0 {
			return math.MaxInt64
		}
		return v
	}
	return Every(h, func(at time.Time, s float64) recording.CgroupSample {
		row := recording.CgroupSample{At: at, Path: c.Path, Version: 2, Processes: c.Processes,
			CPUTime: time.Hour + dur(c.CPU*s), Quota: time.Duration(limit(int64(c.Quota))), Period: c.Period,
			Periods: n(c.Periods, s), Throttled: n(c.Throttled, s), ThrottledTime: time.Minute + dur(c.ThrottledTime*s),
			Memory: c.Memory + int64(c.MemoryGrowth*s), MemoryMax: limit(c.MemoryMax), MemoryHigh: math.MaxInt64,
			SwapUsed: c.SwapUsed + int64(c.SwapGrowth*s), SwapMax: math.MaxInt64, EventsMax: n(c.EventsMax, s),
			EventsOOM: int64(math.Round(c.OOMKills * s)), OOMKills: int64(math.Round(c.OOMKills * s)), MajorFaults: n(c.MajorFaults, s), RefaultFile: n(c.Refaults, s),
			MemoryStall: time.Minute + dur(c.MemoryStall*s), CPUStall: time.Minute + dur(c.CPUStall*s), PidsMax: math.MaxInt64}
		row.Anon, row.File = row.Memory*9/10, row.Memory/10
		if c.Change != nil {
			c.Change(s, &row)
		}
		return row
	})
}

// Log records a line of the kernel log, written s seconds after the window
// began (negative: before it) and read at the first reading after that.
func (h *Host) Log(s float64, text string) *Host {
	at := Start.Add(dur(max(s, 0)))
	return Add(h, recording.KernelLogLine{At: at, Logged: Start.Add(dur(s)), Sequence: uint64(1000 + s*10), Text: text})
}

// SoftIRQ records how often a kind of softirq runs on one CPU per second.
func (h *Host) SoftIRQ(kind string, cpu int32, rate float64) *Host {
	return Every(h, func(at time.Time, s float64) recording.SoftIRQSample {
		return recording.SoftIRQSample{At: at, Kind: kind, CPU: cpu, Count: uint64(5e6 + rate*s)}
	})
}

// NetDevice says how the counters of an interface run per second.
type NetDevice struct {
	Name                 string
	NetNS                uint64
	RxPackets, TxPackets float64
	RxBytes, TxBytes     float64
}

// NetDevice records an interface.
func (h *Host) NetDevice(d NetDevice) *Host {
	n := func(rate, s float64) uint64 { return uint64(1e6 + rate*s) }
	return Every(h, func(at time.Time, s float64) recording.NetDeviceSample {
		return recording.NetDeviceSample{At: at, NetNS: max(d.NetNS, 1), Interface: d.Name, RxPackets: n(d.RxPackets, s),
			TxPackets: n(d.TxPackets, s), RxBytes: n(d.RxBytes, s), TxBytes: n(d.TxBytes, s), MTU: 1500, SpeedMbps: -1, Up: true}
	})
}
