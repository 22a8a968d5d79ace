package imported

import (
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// pageKiB is the size of a page where the text does not tell it, in KiB.
const pageKiB = 4

func blankMemory(at time.Time) recording.MemorySample {
	const n = recording.Unknown
	return recording.MemorySample{At: at, Total: n, Free: n, Available: n, Buffers: n, Cached: n, Active: n, Anon: n, Shmem: n,
		Dirty: n, Writeback: n, SReclaimable: n, SUnreclaim: n, PageTables: n, Committed: n, CommitLimit: n, SwapTotal: n, SwapFree: n, HugeTotal: n, Corrected: n, Uncorrected: n}
}

// host takes a line about the whole host.
func (r *rows) host(h *header, line row, s step, system *recording.SystemSample, memory *recording.MemorySample, paging *recording.VMStatSample) {
	take := func(t recording.Table, column string, set func(v float64), names ...string) {
		if v := h.get(line, names...); view.Known(v) {
			r.knows(t, column)
			set(v)
		}
	}
	count := func(t recording.Table, column string, to *uint64, factor float64, names ...string) {
		take(t, column, func(v float64) { *to = r.grow(s, string(t), column, v*factor) }, names...)
	}
	gauge := func(t recording.Table, column string, to *int64, factor, more float64, names ...string) {
		take(t, column, func(v float64) { *to = int64(v*factor + more) }, names...)
	}
	count(recording.System, "context_switches", &system.ContextSwitches, 1, "cswch/s", "cs")
	count(recording.System, "interrupts", &system.Interrupts, 1, "in")
	count(recording.System, "forks", &system.Forks, 1, "proc/s")
	gauge(recording.System, "running", &system.Running, 1, 0, "r", "running")
	gauge(recording.System, "running", &system.Running, 1, 1, "runq-sz") // sar leaves itself out, others do not
	gauge(recording.System, "blocked", &system.Blocked, 1, 0, "b", "blocked")
	gauge(recording.System, "tasks", &system.Tasks, 1, 0, "plist-sz", "tasks")
	take(recording.System, "load1", func(v float64) { system.Load1 = v }, "ldavg-1")
	take(recording.System, "load5", func(v float64) { system.Load5 = v }, "ldavg-5")
	take(recording.System, "load15", func(v float64) { system.Load15 = v }, "ldavg-15")

	gauge(recording.Memory, "free_bytes", &memory.Free, 1024, 0, "kbmemfree")
	gauge(recording.Memory, "available_bytes", &memory.Available, 1024, 0, "kbavail")
	gauge(recording.Memory, "total_bytes", &memory.Total, 1024, 0, "kbtotal")
	if used, share := h.get(line, "kbmemused"), h.get(line, "%memused"); used > 0 && share >= 1 {
		r.knows(recording.Memory, "total_bytes")
		memory.Total = int64(used / share * 100 * 1024)
	}
	gauge(recording.Memory, "swap_free_bytes", &memory.SwapFree, 1024, 0, "kbswpfree")
	gauge(recording.Memory, "swap_total_bytes", &memory.SwapTotal, 1024, 0, "kbswptotal")
	if free, used := h.get(line, "kbswpfree"), h.get(line, "kbswpused"); view.Known(free + used) {
		r.knows(recording.Memory, "swap_total_bytes")
		memory.SwapTotal = int64((free + used) * 1024)
	}

	count(recording.VMStat, "pswpin", &paging.SwapIn, 1, "pswpin/s")
	count(recording.VMStat, "pswpout", &paging.SwapOut, 1, "pswpout/s")
	if h.has("si") && h.has("free") {
		count(recording.VMStat, "pswpin", &paging.SwapIn, 1.0/pageKiB, "si")
		count(recording.VMStat, "pswpout", &paging.SwapOut, 1.0/pageKiB, "so")
		count(recording.VMStat, "pgpgin", &paging.PageIn, 1, "bi")
		count(recording.VMStat, "pgpgout", &paging.PageOut, 1, "bo")
	}
	count(recording.VMStat, "pgpgin", &paging.PageIn, 1, "pgpgin/s")
	count(recording.VMStat, "pgpgout", &paging.PageOut, 1, "pgpgout/s")
	count(recording.VMStat, "pgfault", &paging.Faults, 1, "fault/s")
	count(recording.VMStat, "pgmajfault", &paging.MajorFaults, 1, "majflt/s")

	for _, p := range []struct{ resource, some, full string }{{"cpu", "%scpu", ""}, {"io", "%sio", "%fio"}, {"memory", "%smem", "%fmem"}} {
		if some := h.get(line, p.some); view.Known(some) {
			r.knows(recording.Pressure, "some_ns", "full_ns")
			thing := "pressure " + p.resource
			if r.new(thing) {
				r.pressure = append(r.pressure, recording.PressureSample{At: s.began, Resource: p.resource})
			}
			r.pressure = append(r.pressure, recording.PressureSample{At: s.at, Resource: p.resource,
				Some: r.growTime(s, thing, "some", some/100), Full: r.growTime(s, thing, "full", view.OrZero(h.get(line, p.full))/100)})
		}
	}
}

// give keeps the rows about the whole host of a report.
func (r *rows) give(s step, system recording.SystemSample, memory recording.MemorySample, paging recording.VMStatSample) {
	if r.telling[recording.System] {
		if r.new("system") && s.began.Before(s.at) {
			first := system
			first.At, first.ContextSwitches, first.Interrupts, first.Forks = s.began, 0, 0, 0
			r.system = append(r.system, first)
		}
		r.system = append(r.system, system)
		counters := blankSystem()
		counters.ContextSwitches, counters.Interrupts, counters.Forks = system.ContextSwitches, system.Interrupts, system.Forks
		r.totals = counters
	}
	if r.telling[recording.Memory] {
		r.memory = append(r.memory, memory)
	}
	if r.telling[recording.VMStat] {
		if r.new("vmstat") {
			r.vmstat = append(r.vmstat, recording.VMStatSample{At: s.began})
		}
		r.vmstat = append(r.vmstat, paging)
		r.paging = paging
	}
}

// blankSystem is a row of which nothing is known.
func blankSystem() recording.SystemSample {
	const none = recording.Unknown
	return recording.SystemSample{Running: none, Blocked: none, Tasks: none, FilesOpen: none, FilesMax: none, Load1: view.Unknown, Load5: view.Unknown, Load15: view.Unknown}
}
