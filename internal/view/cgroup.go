package view

import (
	"math"
	"strings"

	"rtrail/internal/recording"
)

// Cgroup is one control group over the window. The embedded sample is its last
// reading. Numbers are NaN where the group does not have the controller.
type Cgroup struct {
	recording.CgroupSample
	First   recording.CgroupSample
	Samples []recording.CgroupSample
	Seconds float64

	CPU           float64 // cores
	PeriodsIn     float64 // enforcement periods in the window in which it wanted CPU
	ThrottledIn   float64 // of these: periods in which it was stopped
	Throttling    float64 // seconds it was stopped per second, summed over CPUs
	HitLimit      float64 // times in the window it hit memory.max (v1: failcnt)
	HitHigh       float64 // times in the window it was slowed down at memory.high (v2)
	OutOfMemory   float64 // times in the window nothing was left below memory.max of it (v2)
	Kills         float64 // processes the OOM killer took from it in the window
	Faults        float64 // major faults per second
	Refaults      float64 // pages of files per second that were read again after the group had let go of them
	SwapGrowth    float64 // bytes per second, may be negative
	MemoryStalled float64 // share of the window some task waited for memory
	CPUStalled    float64 // share of the window some task waited for a CPU
	PidsRefused   float64 // processes and threads in the window that could not be started at pids.max
}

// Limited says whether the group has a memory limit of its own.
func (c Cgroup) Limited() bool { return c.MemoryMax > 0 && c.MemoryMax < unlimited }

// MemoryBound is the limit at which a group has to let go of memory: memory.high,
// if it is below memory.max. ok is false without either.
func MemoryBound(s recording.CgroupSample) (bytes int64, high, ok bool) {
	maximum := s.MemoryMax > 0 && s.MemoryMax < unlimited
	if s.MemoryHigh > 0 && s.MemoryHigh < unlimited && (!maximum || s.MemoryHigh < s.MemoryMax) {
		return s.MemoryHigh, true, true
	}
	return s.MemoryMax, false, maximum
}

// HasQuota says whether the group has a CPU quota of its own.
func (c Cgroup) HasQuota() bool { return c.Quota > 0 && c.Quota < math.MaxInt64 && c.Period > 0 }

// Cores is the quota as a number of CPUs.
func (c Cgroup) Cores() float64 { return c.Quota.Seconds() / c.Period.Seconds() }

// unlimited: cgroup v1 prints PAGE_COUNTER_MAX, the largest whole number of
// pages below 2^63, for "no limit".
const unlimited = math.MaxInt64 >> 1

// Cgroups lists the control groups seen in the window, in the order in which
// they appear.
func (v *View) Cgroups() []Cgroup {
	return Memo(v, "cgroups", func() []Cgroup {
		type key struct {
			version int32
			path    string
		}
		keys, series := Group(Rows[recording.CgroupSample](v), func(s recording.CgroupSample) key { return key{s.Version, s.Path} })
		list := make([]Cgroup, 0, len(keys))
		for _, k := range keys {
			list = append(list, newCgroup(series[k]))
		}
		return list
	})
}

func newCgroup(samples []recording.CgroupSample) Cgroup {
	type sample = recording.CgroupSample
	c := Cgroup{CgroupSample: samples[len(samples)-1], First: samples[0], Samples: samples, Seconds: Elapsed(samples).Seconds()}
	delta := func(value func(sample) int64) float64 {
		var sum, last float64
		seen := 0
		for _, s := range samples {
			now := float64(value(s))
			if now < 0 {
				continue
			}
			// A group made again under the same name begins at 0.
			if seen > 0 {
				if now >= last {
					sum += now - last
				} else {
					sum += now
				}
			}
			last, seen = now, seen+1
		}
		if seen < 2 {
			return Unknown
		}
		return sum
	}
	perSecond := func(value func(sample) int64) float64 {
		if c.Seconds <= 0 {
			return Unknown
		}
		return delta(value) / c.Seconds
	}
	c.CPU = perSecond(func(s sample) int64 { return int64(s.CPUTime) }) / 1e9
	c.PeriodsIn = delta(func(s sample) int64 { return s.Periods })
	c.ThrottledIn = delta(func(s sample) int64 { return s.Throttled })
	c.Throttling = perSecond(func(s sample) int64 { return int64(s.ThrottledTime) }) / 1e9
	c.HitLimit = delta(func(s sample) int64 { return s.EventsMax })
	// Either limit of version 1 may be the one that is hit.
	if n := delta(func(s sample) int64 { return s.MemswFailures }); n > 0 {
		c.HitLimit = OrZero(c.HitLimit) + n
	}
	c.HitHigh = delta(func(s sample) int64 { return s.EventsHigh })
	c.OutOfMemory = delta(func(s sample) int64 { return s.EventsOOM })
	c.Kills = delta(func(s sample) int64 { return s.OOMKills })
	c.Faults = perSecond(func(s sample) int64 { return s.MajorFaults })
	c.Refaults = perSecond(func(s sample) int64 { return s.RefaultFile })
	c.MemoryStalled = perSecond(func(s sample) int64 { return int64(s.MemoryStall) }) / 1e9
	c.CPUStalled = perSecond(func(s sample) int64 { return int64(s.CPUStall) }) / 1e9
	c.PidsRefused = delta(func(s sample) int64 { return s.PidsEvents })
	c.SwapGrowth = Unknown
	if c.Seconds > 0 && c.SwapUsed >= 0 && c.First.SwapUsed >= 0 {
		c.SwapGrowth = float64(c.SwapUsed-c.First.SwapUsed) / c.Seconds
	}
	return c
}

// RefaultsFor is the share of the intervals between readings in which the
// group read at least so many pages of files again per second.
func (c Cgroup) RefaultsFor(pagesPerSecond float64) float64 {
	return steady(c.Samples, pagesPerSecond, func(s recording.CgroupSample) float64 { return float64(s.RefaultFile) })
}

// InGroup says whether path is group or lies below it. Whoever looks from a cgroup namespace, as
// from a container, sees what is outside as "/../other" (cgroup_namespaces(7)), and itself as "/".
func InGroup(path, group string) bool {
	if path == "" || group == "" || path == "/.." || strings.HasPrefix(path, "/../") {
		return false
	}
	return path == group || group == "/" || strings.HasPrefix(path, strings.TrimSuffix(group, "/")+"/")
}

// InCPUGroup lists the processes in a group of the CPU controller or below it,
// the busiest first.
func (v *View) InCPUGroup(group string) []Process {
	return v.members(func(p Process) bool { return InGroup(p.Cgroup, group) })
}

// InMemoryGroup lists the processes in a group of the memory controller or
// below it, the busiest first.
func (v *View) InMemoryGroup(group string) []Process {
	return v.members(func(p Process) bool { return InGroup(p.MemCgroup, group) })
}

func (v *View) members(in func(Process) bool) []Process {
	var list []Process
	for _, p := range v.Processes() {
		if !p.Own && in(p) {
			list = append(list, p)
		}
	}
	return list
}

// throttledFrom: a group stopped for less than this share of the window does
// not explain the waiting of its processes.
const throttledFrom = 0.01

// Throttled says whether a process lives in a group, or below one, that was
// stopped for its CPU quota in the window.
func (v *View) Throttled(p *Process) bool {
	groups := v.Cgroups()
	for i := range groups {
		if c := &groups[i]; c.Throttling >= throttledFrom && InGroup(p.Cgroup, c.Path) {
			return true
		}
	}
	return false
}

// MemoryLimitOf finds the group whose memory.max binds a process: of the
// groups it lives in, the limited one with the least room left below that.
func (v *View) MemoryLimitOf(p Process) (group Cgroup, ok bool) {
	room := int64(math.MaxInt64)
	for _, c := range v.Cgroups() {
		if left := c.RoomBelow(c.MemoryMax); c.Limited() && c.Memory >= 0 && InGroup(p.MemCgroup, c.Path) && left < room {
			group, room, ok = c, left, true
		}
	}
	return group, ok
}

// Room is how many bytes a limited group can still grow without swap before it has to let go of
// memory (MemoryBound).
func (c Cgroup) Room() int64 {
	bound, _, _ := MemoryBound(c.CgroupSample)
	return c.RoomBelow(bound)
}

// RoomBelow is how many bytes a group can still grow without swap until it reaches a limit: what is
// free below that, its page cache, also that which it uses again and again, and memory of the kernel
// that can be taken back. Older recordings have the page cache that was not used lately alone.
func (c Cgroup) RoomBelow(limit int64) int64 {
	room := limit - c.Memory
	for _, bytes := range []int64{c.InactiveFile, c.ActiveFile, c.Reclaimable} {
		room += max(bytes, 0)
	}
	return max(0, room)
}

// SwapRoom is how many bytes of a group may still go to swap, at most.
func (v *View) SwapRoom(c Cgroup) int64 {
	free := v.SwapSpace().Free()
	if c.SwapMax >= 0 && c.SwapMax < unlimited {
		free = min(free, max(c.SwapMax-max(c.SwapUsed, 0), 0))
	}
	return max(free, 0)
}
