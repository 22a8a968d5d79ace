package view

import (
	"rtrail/internal/recording"
)

// Paging is what /proc/vmstat says about the window.
type Paging struct {
	Seconds     float64
	SwapIn      float64 // bytes per second
	SwapOut     float64 // bytes per second
	SwapInPages float64 // pages per second
	Faults      float64 // per second, major ones included
	MajorFaults float64 // per second
	AllocStalls float64 // direct reclaims per second
	OOMKills    float64 // in the window; 0 also on kernels before 4.13, which do not count them
	Refaults    float64 // pages of files per second that were read again after memory had let go of them
	InSteady    float64 // share of the intervals between readings with swap-in
	OutSteady   float64 // share of the intervals between readings with swap-out
}

// Paging sums up the window; ok is false with fewer than two readings.
func (v *View) Paging() (p Paging, ok bool) {
	rows := Rows[recording.VMStatSample](v)
	seconds := Covered(v, rows).Seconds()
	if seconds <= 0 {
		return Paging{}, false
	}
	type sample = recording.VMStatSample
	per := func(value func(sample) uint64) float64 {
		return growth(rows, func(s sample) float64 { return float64(value(s)) }) / seconds
	}
	page := float64(v.PageSize())
	p.Seconds = seconds
	p.SwapInPages = per(func(s sample) uint64 { return s.SwapIn })
	p.SwapIn = p.SwapInPages * page
	p.SwapOut = per(func(s sample) uint64 { return s.SwapOut }) * page
	p.Faults = per(func(s sample) uint64 { return s.Faults })
	p.MajorFaults = per(func(s sample) uint64 { return s.MajorFaults })
	p.AllocStalls = per(func(s sample) uint64 { return s.AllocStalls })
	p.Refaults = per(func(s sample) uint64 { return s.RefaultFile })
	p.OOMKills = per(func(s sample) uint64 { return s.OOMKills }) * seconds
	for i := 1; i < len(rows); i++ {
		if rows[i].SwapIn > rows[i-1].SwapIn {
			p.InSteady += 1 / float64(len(rows)-1)
		}
		if rows[i].SwapOut > rows[i-1].SwapOut {
			p.OutSteady += 1 / float64(len(rows)-1)
		}
	}
	return p, true
}

// RefaultsFor is the share of the intervals between readings in which at least
// so many pages of files were read again per second, on the whole host.
func (v *View) RefaultsFor(pagesPerSecond float64) float64 {
	return steady(Rows[recording.VMStatSample](v), pagesPerSecond, func(s recording.VMStatSample) float64 { return float64(s.RefaultFile) })
}

// PageSize is the host's page size in bytes; 4096 when a recording does not
// say.
func (v *View) PageSize() int {
	if n := v.Manifest().Host.PageSize; n > 0 {
		return n
	}
	return 4096
}

// MemoryNow is the last reading of /proc/meminfo in the window.
func (v *View) MemoryNow() (m recording.MemorySample, ok bool) {
	rows := Rows[recording.MemorySample](v)
	if len(rows) == 0 {
		return m, false
	}
	return rows[len(rows)-1], true
}

// SwapSpace is the swap of the host at the end of the window, in bytes.
type SwapSpace struct {
	Size, Used int64
	Devices    []string
}

// Free is the swap that is left.
func (s SwapSpace) Free() int64 { return max(0, s.Size-s.Used) }

// SwapSpace sums up the swap areas; Size is 0 without any.
func (v *View) SwapSpace() (s SwapSpace) {
	keys, series := Group(Rows[recording.SwapSample](v), func(r recording.SwapSample) string { return r.Device })
	for _, k := range keys {
		last := series[k][len(series[k])-1]
		s.Size += last.Size
		s.Used += last.Used
		s.Devices = append(s.Devices, k)
	}
	if len(keys) == 0 {
		if m, ok := v.MemoryNow(); ok && m.SwapTotal > 0 && m.SwapFree >= 0 {
			s.Size, s.Used = m.SwapTotal, m.SwapTotal-m.SwapFree
		}
	}
	return s
}
